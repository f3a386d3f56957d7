// Time and accuracy of a step, 1000 spheres and 1000 boxes, ours and other engines, several settings of each.
#include "chart.h"
#include "rigid.h"
#include "rival.h"

#include <math.h>
#include <string.h>

enum { SETTINGS = 8, LABEL = 48 };

typedef struct curve {
    const char *name;
    int n;
    double ms[SETTINGS], penetration[SETTINGS], law[SETTINGS]; // [ms], [mm], momentum + friction
} curve;

typedef struct situation {
    const char *title, *name, *scene;
    const char *elsewhere; // figures measured elsewhere
} situation;

static const situation SITUATIONS[2] = {
    {"rigid: 1000 spheres in an open box, 5 ms", "1000 spheres", "rigid/balls1000.yaml",
     "MuJoCo 3.12 CG 22.7 ms (8.6 mm), Chrono PSOR 20 ms"},
    {"rigid: 1000 boxes in an open box, 5 ms", "1000 boxes", "rigid/boxes1000.yaml",
     "MuJoCo 3.12 CG 5.1 ms (1 mm), Chrono PSOR 31 ms"},
};

#define NATURAL(figure) "solver.tolerance={momentum: 1e-3, natural: " #figure "}"

// A fifth of an overlap a step, as the rivals do it: what a solve leaves open is not asked of the next one at once.
static const char *const OURS[][3] = {
    {"defaults", "law=coulomb"},
    {"natural 1e-3", NATURAL(1e-3)},
    {"natural 5e-4, gap baumgarte 0.2", NATURAL(5e-4), "gap=baumgarte"},
    {"at most 5 sweeps", "solver.max_iterations=5"},
    {"at most 10 sweeps", "solver.max_iterations=10"},
    {"at most 20 sweeps", "solver.max_iterations=20"},
    {"at most 50 sweeps", "solver.max_iterations=50"},
    {"at most 100 sweeps", "solver.max_iterations=100"},
};

typedef struct setting {
    const char *engine, *label;
    peer_settings settings;
    bool slow; // not with --quick
} setting;

static const setting THEIRS[] = {
    {"Bullet", "10 sweeps (default)", {0}, false},
    {"Bullet", "4 sweeps", {.iterations = 4}, true},
    {"Bullet", "30 sweeps", {.iterations = 30}, true},
    {"Bullet", "100 sweeps", {.iterations = 100}, true},
    {"Bullet", "30 sweeps, two friction directions", {.iterations = 30, .variant = 1}, true},
    {"ODE", "quickstep, 20 sweeps (default)", {0}, false},
    {"ODE", "quickstep, 5 sweeps", {.iterations = 5}, true},
    {"ODE", "quickstep, 50 sweeps", {.iterations = 50}, true},
    {"ODE", "quickstep, 150 sweeps", {.iterations = 150}, true},
    {"ODE", "quickstep, 20 sweeps, ERP 0.8", {.stiffness = 0.8}, true},
};

static void verdict_row(table *t, const char *engine, const char *label, const rival_verdict *v)
{
    table_word(t, "%s", engine);
    table_word(t, "%s", label);
    table_number(t, "%.2f", v->ms);
    table_number(t, "%.2f", v->worst_ms);
    table_number(t, "%.4f", 1e3 * v->penetration);
    table_number(t, "%.1e", v->momentum);
    table_number(t, "%.1e", v->friction);
    table_number(t, "%.1e", v->natural);
    table_number(t, "%.1f", v->iterations);
    table_number(t, "%.0f", v->contacts);
    table_row(t);
}

static void keep(curve *c, const char *name, const rival_verdict *v)
{
    c->name = name;
    if (c->n < SETTINGS) {
        c->ms[c->n] = v->ms;
        c->penetration[c->n] = 1e3 * v->penetration;
        c->law[c->n++] = v->momentum + v->friction;
    }
}

static int our_rows(const bench_options *options, table *t, const situation *s, rival_length length, curve *c)
{
    int failures = 0, n = (int)(sizeof OURS / sizeof *OURS);
    for (int i = 0; i < n; i++) {
        const char *set[] = {"step=5e-3", OURS[i][1], OURS[i][2]};
        rival_verdict v = rival_ours(options, s->scene, OURS[i][2] ? 3 : 2, set, length);
        if (v.ok) {
            verdict_row(t, "Tenon", OURS[i][0], &v);
            keep(c, "Tenon", &v);
        }
        failures += !v.ok;
    }
    return failures;
}

static int their_rows(const bench_options *options, table *t, const situation *s, rival_length length,
                      const rival_engine *engine, curve *c)
{
    const char *set[] = {"step=5e-3"};
    tn_model *model = bench_model(options, s->scene, 1, set);
    int n = (int)(sizeof THEIRS / sizeof *THEIRS);
    for (int i = 0; i < n && model; i++) {
        if (strcmp(THEIRS[i].engine, engine->name) != 0 || (options->quick && THEIRS[i].slow)) {
            continue;
        }
        rival_verdict v = rival_play(model, engine->run, &THEIRS[i].settings, length);
        if (v.ok) {
            verdict_row(t, engine->name, THEIRS[i].label, &v);
            keep(c, engine->name, &v);
        }
    }
    int failures = model == NULL;
    tn_model_destroy(model);
    return failures;
}

static void sort_by_time(curve *c)
{
    for (int i = 1; i < c->n; i++) {
        for (int k = i; k > 0 && c->ms[k] < c->ms[k - 1]; k--) {
            double *rows[3] = {c->ms, c->penetration, c->law};
            for (int r = 0; r < 3; r++) {
                double x = rows[r][k];
                rows[r][k] = rows[r][k - 1];
                rows[r][k - 1] = x;
            }
        }
    }
}

static int run_situation(const bench_options *options, const situation *s, table *t, chart *picture)
{
    rival_length length = options->quick ? (rival_length){150, 20, 5} : (rival_length){500, 100, 20};
    const char *heads[] = {"engine",   "setting",  "ms (median)",    "ms (worst)", "penetration mm",
                           "momentum", "friction", "natural (ours)", "iterations", "contacts"};
    curve curves[8] = {0};
    table_open(t, s->title, 10, heads);
    int failures = our_rows(options, t, s, length, &curves[0]);
    for (int i = 0; i < N_RIVALS; i++) {
        failures += their_rows(options, t, s, length, &RIVALS[i], &curves[i + 1]);
    }
    table_note(t, "%d steps, the last %d counted, one thread, its processor time; penetration by one geometry;",
               length.n_steps, length.n_averaged);
    table_note(t, "momentum and friction: impulses of %d more steps against the laws, relative", length.n_watched);
    table_note(t, "elsewhere on a like machine: %s (MuJoCo 2.2 of Debian cannot hold this scene)", s->elsewhere);
    table_close(t);
    for (int panel = 0; panel < 2; panel++) {
        char title[CHART_TEXT];
        snprintf(title, sizeof title, "%s: %s", s->name, panel ? "momentum + friction" : "penetration [mm]");
        chart_panel(picture, title);
        for (int i = 0; i <= N_RIVALS; i++) {
            sort_by_time(&curves[i]);
            if (curves[i].n > 0) {
                chart_line(picture, i, curves[i].name, curves[i].n, curves[i].ms,
                           panel ? curves[i].law : curves[i].penetration);
            }
        }
    }
    return failures;
}

int rigid_speed(const bench_options *options, table *t)
{
    chart picture;
    chart_start(&picture, "error", "ms a step");
    int failures = 0;
    for (int i = 0; i < 2; i++) {
        failures += run_situation(options, &SITUATIONS[i], t, &picture);
    }
    if (options->svg && !chart_write(&picture, options->svg)) {
        fprintf(stderr, "tenon-bench: cannot write %s\n", options->svg);
        failures++;
    }
    return failures;
}
