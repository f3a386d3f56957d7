// A column of 100 spheres and a stack of ten cubes whose masses double upward, ours and other engines.
#include "rigid.h"
#include "rival.h"

#include <math.h>
#include <string.h>

typedef struct tower {
    const char *title, *scene, *step;
    double height;        // of the topmost centre when it stands [m]
    int n_steps, n_quick; // steps to play
} tower;

static const tower TOWERS[] = {
    {"rigid: column of 100 spheres dropped from 0.25 m spacing, 10 ms", "rigid/stack100.yaml", "step=10e-3", 19.9, 1000,
     200},
    {"rigid: ten cubes, masses doubling upward, 10 ms", "rigid/mass_ratio.yaml", "step=10e-3", 1.9, 500, 100},
};

static const struct {
    const char *engine, *label;
    peer_settings settings;
} THEIRS[] = {
    {"Bullet", "10 sweeps (default)", {0}},
    {"Bullet", "100 sweeps", {.iterations = 100}},
    {"ODE", "quickstep, 20 sweeps (default)", {0}},
    {"ODE", "quickstep, 200 sweeps", {.iterations = 200}},
    {"ODE", "direct", {.variant = 1}},
    {"MuJoCo", "Newton", {.variant = 1}},
};

static void tower_row(table *t, const tower *w, const char *engine, const char *label, const rival_verdict *v)
{
    bool stands = fabs(v->height - w->height) < 1e-3 && v->speed < 1e-2;
    table_word(t, "%s", engine);
    table_word(t, "%s", label);
    table_number(t, "%.3f", v->ms);
    table_number(t, "%.3f", v->worst_ms);
    table_number(t, "%.4f", 1e3 * v->penetration);
    table_number(t, "%.4f", 1e3 * v->resting);
    table_number(t, "%.4f", 1e3 * (v->height - w->height));
    table_number(t, "%.1e", v->aside);
    table_number(t, "%.1e", v->speed);
    table_word(t, "%s", stands ? "stands" : "fails");
    table_row(t);
}

static int run_tower(const bench_options *options, table *t, const tower *w)
{
    const char *heads[] = {"engine",     "setting",        "ms (median)", "ms (worst)", "penetration mm",
                           "at rest mm", "top's error mm", "aside m",     "speed m/s",  "verdict"};
    table_open(t, w->title, 10, heads);
    int n = options->quick ? w->n_quick : w->n_steps;
    rival_length length = {.n_steps = n, .n_averaged = n, .n_watched = 100};
    const char *set[] = {w->step};
    rival_verdict ours = rival_ours(options, w->scene, 1, set, length);
    if (ours.ok) {
        tower_row(t, w, "Tenon", "defaults", &ours);
    }
    tn_model *model = bench_model(options, w->scene, 1, set);
    for (int i = 0; model && i < (int)(sizeof THEIRS / sizeof *THEIRS); i++) {
        for (int e = 0; e < N_RIVALS; e++) {
            if (!strcmp(RIVALS[e].name, THEIRS[i].engine)) {
                rival_verdict v = rival_play(model, RIVALS[e].run, &THEIRS[i].settings, length);
                if (v.ok) {
                    tower_row(t, w, RIVALS[e].name, THEIRS[i].label, &v);
                }
            }
        }
    }
    tn_model_destroy(model);
    table_note(t,
               "%d steps, all counted, and 100 more at rest, of which speed is; stands: top within 1 mm of its place, "
               "below 1 cm/s",
               n);
    table_close(t);
    return !ours.ok;
}

int rigid_stack(const bench_options *options, table *t)
{
    int failures = 0;
    for (int i = 0; i < (int)(sizeof TOWERS / sizeof *TOWERS); i++) {
        failures += run_tower(options, t, &TOWERS[i]);
    }
    return failures;
}
