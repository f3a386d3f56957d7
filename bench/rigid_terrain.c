// What collision costs on a height field: twenty of each kind of shape tumble down the wavy slope of the gallery.
#include "rigid.h"
#include "track.h"

enum { KINDS = 7, SET = 64 };

static const char *const kinds[KINDS] = {"balls", "boxes", "cans", "eggs", "rocks", "pills", "dumbbells"};

// All of one kind, of the others one body each.
static bool play(const bench_options *options, int kind, int n_steps, double *collide, double sums[2])
{
    char text[KINDS][SET];
    const char *set[KINDS];
    int n_set = 0;
    track k;
    for (int i = 0; i < KINDS; i++) {
        if (i != kind) {
            snprintf(text[n_set], SET, "bodies.%s.array.count=[1, 1, 1]", kinds[i]);
            set[n_set] = text[n_set];
            n_set++;
        }
    }
    bool ok = track_open(&k, options, "rigid/terrain.yaml", n_set, set);
    for (int step = 0; step < n_steps && ok; step++) {
        ok = track_step(&k);
        collide[step] = 1e3 * k.report.collide_s;
        sums[0] += collide[step] / n_steps;
        sums[1] += (double)k.report.n_contacts / n_steps;
    }
    track_close(&k);
    return ok;
}

int rigid_terrain(const bench_options *options, table *t)
{
    enum { STEPS = 600 };
    const char *heads[] = {"twenty", "contacts", "collide ms (mean)", "collide ms (median)"};
    int failures = 0, n = options->quick ? 200 : STEPS;
    table_open(t, "rigid: on a height field, 5 ms, one thread", 4, heads);
    for (int kind = 0; kind < KINDS; kind++) {
        double collide[STEPS], sums[2] = {0.0, 0.0};
        if (!play(options, kind, n, collide, sums)) {
            failures++;
            continue;
        }
        double median = bench_median(n, collide);
        table_word(t, "%s", kinds[kind]);
        table_number(t, "%.0f", sums[1]);
        table_number(t, "%.3f", sums[0]);
        table_number(t, "%.3f", median);
        table_row(t);
    }
    table_note(
        t, "%d steps of a slope of 19 200 triangles, which they fall on from up to 5 m; one more of each other kind",
        n);
    table_close(t);
    return failures;
}
