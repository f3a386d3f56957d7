// Single steps of all solvers from the states that the default solver comes through.
#include "gallery.h"

#include "one_step.h"

enum { SOLVERS = 32 };
static const double DURATION = 2.0; // [s]
static const double PATIENCE =
    0.5; // processor time of one step [s]: a solver that takes longer is left out from then on
static const double BUDGET = 12.0; // of all of them [s]
// What is asked of every solver. Figures of large piles fall slowly.
static const double ASKED = 1e-9, ASKED_OF_MANY = 1e-5;
enum { ITERATIONS = 3000, ITERATIONS_OF_MANY = 300, MANY = 300 }; // contacts
static const double DRIVE = 8.0;                                  // of the default solver's own steps [s]

typedef struct drive {
    const bench_options *options;
    gallery_cell *cell;
    tn_model *model;
    tn_state *state, *before; // now and a step ago
    tn_sim *sim;              // its last step led from the one to the other
    one_step one;
    double share;         // of the times below
    double spent, driven; // processor time of comparisons and of the steps themselves [s]
    bool out[SOLVERS];    // too slow
} drive;

static void count(drive *d, const char *solver, const one_step_result *r)
{
    gallery_cell *c = d->cell;
    c->n_compared++;
    c->n_agree += r->verdict == ONE_STEP_AGREES;
    c->n_loose += r->verdict == ONE_STEP_LOOSE;
    c->n_another += r->verdict == ONE_STEP_ANOTHER;
    c->n_missed += r->verdict == ONE_STEP_NOT_REACHED;
    c->worst = r->verdict == ONE_STEP_AGREES ? fmax(c->worst, r->ratio) : c->worst;
    if (r->verdict == ONE_STEP_DIFFERS || r->verdict == ONE_STEP_FAILED) {
        gallery_failure failure = {.solver = solver,
                                   .what = r->verdict == ONE_STEP_DIFFERS ? "another step" : "no step",
                                   .time = tn_state_time(d->before),
                                   .difference = r->difference,
                                   .ratio = r->ratio,
                                   .figure = r->figure};
        snprintf(failure.error, sizeof failure.error, "%.150s", r->error.message);
        gallery_fail(c, failure);
        c->n_wrong++;
    }
}

static void compare_all(drive *d, clock_t start)
{
    gallery_cell *c = d->cell;
    one_step_result results[SOLVERS];
    const tn_solver *solver;
    bool sharp = true; // one solution, and figures that tell how far it is
    int n = 0;
    for (int i = 0; (solver = tn_solver_at(i)) && i < SOLVERS; i++) {
        results[i].verdict = ONE_STEP_REFUSED;
        double spent = d->spent + (double)(clock() - start) / CLOCKS_PER_SEC;
        if (spent > d->share * BUDGET || d->out[i] || !strcmp(solver->name, "penalty") ||
            !gallery_wants(d->options, solver->name)) {
            continue;
        }
        results[i] = one_step_try(&d->one, d->before, solver->name);
        d->out[i] = results[i].seconds > PATIENCE;
        sharp = sharp && results[i].verdict != ONE_STEP_ANOTHER && results[i].verdict != ONE_STEP_LOOSE;
    }
    for (int i = 0; (solver = tn_solver_at(i)) && i < SOLVERS; i++) {
        one_step_result *r = &results[i];
        if (r->verdict != ONE_STEP_REFUSED) {
            // Else the figures alone can judge.
            r->verdict = r->verdict == ONE_STEP_DIFFERS && !sharp ? ONE_STEP_ANOTHER : r->verdict;
            c->most_contacts = r->n_contacts > c->most_contacts ? r->n_contacts : c->most_contacts;
            count(d, solver->name, r);
            n++;
        }
    }
    c->most_solvers = n > c->most_solvers ? n : c->most_solvers;
}

static void compare(drive *d)
{
    gallery_cell *c = d->cell;
    clock_t start = clock();
    bool many = tn_sim_contact_count(d->sim) > MANY;
    d->one.asked = many ? ASKED_OF_MANY : ASKED;
    d->one.max_iterations = many ? ITERATIONS_OF_MANY : ITERATIONS;
    c->n_steps++;
    if (one_step_refer(&d->one, d->before)) {
        compare_all(d, start);
    } else {
        c->n_unsolved++;
    }
    d->spent += (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void fail(drive *d, const tn_error *error)
{
    gallery_failure failure = {.solver = d->model->settings.solver,
                               .what = "run ends",
                               .time = tn_state_time(d->state),
                               .difference = (double)NAN,
                               .ratio = (double)NAN,
                               .figure = (double)NAN};
    snprintf(failure.error, sizeof failure.error, "%.150s", error->message);
    gallery_fail(d->cell, failure);
    d->cell->n_wrong++;
}

// Steps at even distances, and those in which contacts open or close, from the state before.
static void run(drive *d)
{
    const double h = d->model->settings.step;
    const int wanted = d->options->quick ? 6 : 12;
    const long n = lround(DURATION / h), every = n / wanted > 0 ? n / wanted : 1;
    int before = 0, extra = wanted;
    tn_step_report report;
    tn_error error = {0};
    for (long k = 0; k < n && d->spent < d->share * BUDGET && d->driven < d->share * DRIVE; k++) {
        clock_t start = clock();
        tn_status status = tn_state_copy(d->before, d->state, &error);
        status = status == TN_OK ? tn_sim_step(d->sim, NULL, d->state, &report, &error) : status;
        d->driven += (double)(clock() - start) / CLOCKS_PER_SEC;
        if (status != TN_OK) {
            fail(d, &error);
            return;
        }
        int now = one_step_pressed(d->sim);
        bool changed = now != before && k % 3 == 0 && extra > 0;
        before = now;
        if (changed || k % every == every / 2) {
            extra -= changed;
            compare(d);
        }
    }
}

void gallery_steps(const bench_options *options, gallery_cell *cell)
{
    tn_error error = {0};
    drive d = {.options = options,
               .share = gallery_share(options),
               .cell = cell,
               .model = gallery_model(options, cell, 0.0, &error)};
    if (d.model) {
        d.state = tn_state_create(d.model, &error);
        d.before = tn_state_create(d.model, &error);
        d.sim = d.state && d.before ? tn_sim_create(d.model, &error) : NULL;
        if (d.sim && one_step_open(&d.one, d.model, ASKED, ITERATIONS, &error)) {
            run(&d);
        }
        one_step_close(&d.one);
    }
    cell->refused = !d.model;
    tn_sim_destroy(d.sim);
    tn_state_destroy(d.state);
    tn_state_destroy(d.before);
    tn_model_destroy(d.model);
}
