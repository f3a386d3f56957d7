// What a scene costs as it stands, at each accuracy, on one and two threads, beside other engines where they hold it.
#include "gallery.h"
#include "rival.h"

#include "base/timer.h"
#include "sim/sim.h"
#include "state/state.h"
#include "tenon/summary.h"

#include <math.h>
#include <string.h>

// Wall time of a scene's first run [s]: as many steps as it takes in that, all others take as many.
static const double PATIENCE = 4.0;

static const char *const OURS[][2] = {{"solver.accuracy=standard", "solver.threads=1"},
                                      {"solver.accuracy=draft", "solver.threads=1"},
                                      {"solver.accuracy=tight", "solver.threads=1"},
                                      {"solver.accuracy=standard", "solver.threads=2"}};
static const char *const NAMES[] = {"standard", "draft", "tight", "standard, 2 threads"};
enum { N_OURS = 4, NAME_LENGTH = 96 };

// A scene's row.
typedef struct row {
    const char *setting;
    double collide, discretize, solve, certify, ms, worst; // medians and largest of a step [ms]
    double realtime, natural, typical, penetration;        // times real time; largest and median figure; [m]
    double contacts;
} row;

static const tn_statistic *figure(const tn_summary *s, const char *name)
{
    int k = 0;
    while (strcmp(tn_figure_name(k), name)) {
        k++;
    }
    return &s->certificate[k];
}

// At most *n_steps (0: the scene's), or for the patience; *n_steps is what was done.
static bool run(const tn_model *model, tn_sim *sim, tn_state *state, tn_summarizer *sums, double patience,
                long *n_steps, tn_error *error)
{
    tn_step_report report;
    if (tn_summarizer_start(sums, state, error) != TN_OK) {
        return false;
    }
    double start = tn_timer_now();
    long n = 0, most = *n_steps > 0 ? *n_steps : lround(model->settings.duration / model->settings.step);
    for (; n < most && tn_timer_now() - start < patience; n++) {
        if (tn_sim_step(sim, NULL, state, &report, error) != TN_OK ||
            tn_summarizer_add(sums, &report, error) != TN_OK) {
            return false;
        }
    }
    *n_steps = n;
    return true;
}

static bool play(const bench_options *options, const char *scene, int setting, long *n_steps, row *out)
{
    tn_model *model = bench_model(options, scene, 2, OURS[setting]);
    tn_error error = {0};
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    tn_summarizer *sums = sim ? tn_summarizer_create(&error) : NULL;
    tn_summary s;
    double patience = setting == 0 ? PATIENCE * gallery_share(options) : HUGE_VAL;
    bool ok = sums && run(model, sim, state, sums, patience, n_steps, &error);
    if (ok) {
        tn_summarizer_finish(sums, &s);
        const tn_statistic *natural = figure(&s, "natural"), *penetration = figure(&s, "penetration");
        *out = (row){.setting = NAMES[setting],
                     .collide = s.collide_ms.median,
                     .discretize = s.discretize_ms.median,
                     .solve = s.solve_ms.median,
                     .certify = s.certify_ms.median,
                     .ms = s.total_ms.median,
                     .worst = s.total_ms.max,
                     .realtime = 1e3 * model->settings.step / s.total_ms.mean,
                     .natural = natural->max,
                     .typical = natural->median,
                     .penetration = penetration->max,
                     .contacts = s.contacts.mean};
    } else if (model) {
        fprintf(stderr, "tenon-bench: %s: %s\n", scene, error.message);
    }
    tn_summarizer_destroy(sums);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return ok;
}

static void print(table *t, const char *scene, const row *r)
{
    table_word(t, "%.28s", scene);
    table_word(t, "%s", r->setting);
    table_number(t, "%.0f", r->contacts);
    table_number(t, "%.3f", r->collide);
    table_number(t, "%.3f", r->discretize);
    table_number(t, "%.3f", r->solve);
    table_number(t, "%.3f", r->certify);
    table_number(t, "%.3f", r->ms);
    table_number(t, "%.2f", r->worst);
    table_number(t, "%.2f", r->realtime);
    table_number(t, "%.1e", r->natural);
    table_number(t, "%.1e", r->typical);
    table_number(t, "%.4f", 1e3 * r->penetration);
    table_row(t);
    fflush(stdout);
}

// Engines that hold the scene of this name and file, over the same steps: their processor time and overlaps by our
// geometry.
static void play_rivals(const bench_options *options, const char *name, const char *scene, long n_steps, table *t)
{
    tn_model *model = bench_model(options, scene, 0, NULL);
    for (int i = 0; i < N_RIVALS && model && rival_can_play(model); i++) {
        peer_settings settings = {0};
        rival_length length = {.n_steps = (int)n_steps, .n_averaged = (int)n_steps};
        rival_verdict v = rival_play(model, RIVALS[i].run, &settings, length);
        if (v.ok) {
            const double no = (double)NAN;
            row r = {RIVALS[i].name, no, no, no, no, v.ms, v.worst_ms, 1e3 * model->settings.step / v.ms, no, no,
                     v.penetration,  no};
            print(t, name, &r);
        }
    }
    tn_model_destroy(model);
}

int gallery_speed(const bench_options *options, const char *scene, table *t)
{
    char file[NAME_LENGTH];
    long n_steps = 0;
    int failures = 0;
    snprintf(file, sizeof file, "%s.yaml", scene);
    for (int k = 0; k < N_OURS; k++) {
        row r;
        bool ok = play(options, file, k, &n_steps, &r);
        if (ok) {
            print(t, scene, &r);
        }
        failures += !ok;
    }
    play_rivals(options, scene, file, n_steps, t);
    return failures;
}
