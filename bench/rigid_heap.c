// A heap of 1000 boxes at 10 ms comes to rest and stays.
#include "rigid.h"
#include "rival.h"

#include <math.h>

int rigid_heap(const bench_options *options, table *t)
{
    static const struct {
        const char *label, *scene, *set;
    } rows[] = {
        {"boxes, defaults", "rigid/boxes1000.yaml", "law=coulomb"},
        {"boxes, natural 1e-4", "rigid/boxes1000.yaml", "solver.tolerance.natural=1e-4"},
        {"boxes, 100 sweeps", "rigid/boxes1000.yaml", "solver.max_iterations=100"},
        {"mixed, defaults", "rigid/mixed1000.yaml", "law=coulomb"},
    };
    // 10 s to fall and settle, 5 s at rest.
    rival_length length = options->quick ? (rival_length){20, 10, 10} : (rival_length){1000, 500, 500};
    const char *heads[] = {"heap",    "ms (median)", "ms (worst)", "penetration mm", "at rest mm", "at rest max m/s",
                           "natural", "iterations",  "contacts"};
    table_open(t, "rigid: heaps of 1000 at 10 ms come to rest and stay", 9, heads);
    int failures = 0;
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        const char *set[] = {"step=10e-3", rows[i].set};
        rival_verdict v = rival_ours(options, rows[i].scene, 2, set, length);
        failures += !v.ok;
        if (v.ok) {
            table_word(t, "%s", rows[i].label);
            table_number(t, "%.2f", v.ms);
            table_number(t, "%.2f", v.worst_ms);
            table_number(t, "%.4f", 1e3 * v.penetration);
            table_number(t, "%.4f", 1e3 * v.resting);
            table_number(t, "%.1e", v.speed);
            table_number(t, "%.1e", v.natural);
            table_number(t, "%.1f", v.iterations);
            table_number(t, "%.0f", v.contacts);
            table_row(t);
        }
    }
    table_note(t, "%d steps, then %d at rest; wanted at rest: below 1e-3 m/s and 0.1 mm; times of the last %d before",
               length.n_steps, length.n_watched, length.n_averaged);
    table_close(t);
    return failures;
}
