// Rigid worlds: speed and accuracy beside other engines, columns and heaps that stand, size.
#include "rigid.h"

#include <string.h>

int bench_rigid(const bench_options *options, table *t)
{
    const struct {
        const char *name;
        int (*run)(const bench_options *, table *);
    } parts[] = {{"speed", rigid_speed}, {"stack", rigid_stack},     {"heap", rigid_heap},
                 {"fclib", rigid_fclib}, {"scaling", rigid_scaling}, {"granular", rigid_granular}};
    const char *cases[] = {"weight", "silo", "hopper", "repose"}; // of granular
    if (options->only && !strcmp(options->only, "threads")) {
        return rigid_threads(options, t);
    }
    int failures = 0, n_run = 0, n_parts = (int)(sizeof parts / sizeof *parts);
    for (int i = 0; i < n_parts; i++) {
        if (!options->only || !strcmp(options->only, parts[i].name)) {
            failures += parts[i].run(options, t);
            n_run++;
        }
    }
    for (int i = 0; i < 4 && options->only; i++) {
        if (!strcmp(options->only, cases[i])) {
            failures += rigid_granular(options, t);
            n_run++;
        }
    }
    if (n_run == 0) {
        fprintf(stderr, "tenon-bench: rigid has");
        for (int i = 0; i < n_parts; i++) {
            fprintf(stderr, "%s %s", i ? "," : "", parts[i].name);
        }
        fprintf(stderr, "; not '%s'\n", options->only);
    }
    return n_run ? failures : 1;
}
