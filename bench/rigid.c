// Rigid worlds: speed and accuracy beside other engines, columns and heaps that stand, size.
#include "rigid.h"

int bench_rigid(const bench_options *options, table *t)
{
    static const struct {
        const char *names[5]; // of the part, and of parts of it
        int (*run)(const bench_options *, table *);
    } parts[] = {{{"speed"}, rigid_speed},
                 {{"stack"}, rigid_stack},
                 {{"heap"}, rigid_heap},
                 {{"fclib"}, rigid_fclib},
                 {{"scaling"}, rigid_scaling},
                 {{"interior"}, rigid_interior},
                 {{"orders"}, rigid_orders},
                 {{"terrain"}, rigid_terrain},
                 {{"graphs"}, rigid_graphs},
                 {{"routes"}, rigid_routes},
                 {{"islands"}, rigid_islands},
                 {{"pairs"}, rigid_pairs},
                 {{"granular", "weight", "silo", "hopper", "repose"}, rigid_granular}};
    static const char *const names[] = {"speed",    "stack",    "heap",    "fclib",  "scaling", "threads",
                                        "interior", "orders",   "terrain", "graphs", "routes",  "islands",
                                        "pairs",    "granular", "weight",  "silo",   "hopper",  "repose"};
    if (!bench_knows(options, "rigid", 18, names)) {
        return BENCH_UNKNOWN;
    }
    int failures = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool chosen = !options->only;
        for (int k = 0; k < 5 && parts[i].names[k] && options->only; k++) {
            chosen = chosen || bench_listed(options->only, parts[i].names[k]);
        }
        failures += chosen ? parts[i].run(options, t) : 0;
    }
    if (options->only && bench_listed(options->only, "threads") && !bench_listed(options->only, "scaling")) {
        failures += rigid_threads(options, t);
    }
    return failures;
}
