// Each solver runs the scene by itself, as a user would with `tenon run --solver`.
#include "gallery.h"

#include "math/vec3.h"
#include "sim/sim.h"
#include "solver/solver.h"
#include "state/state.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double DURATION = 2.0; // [s]
static const double PATIENCE = 2.0; // processor time of a run [s]; the default solver has FIRST times as much
static const double FIRST = 4.0;
static const double BUDGET = 12.0; // of the runs by other solvers together [s]; those after that are not begun

// Gains of energy, relative: what the scheme may make, if it is at most FALL times as much at half the step; what the
// solvers' aim of 1e-6 may make. Runs with a step that stops short of that aim, which its report says, are not judged.
static const double GAIN_OF_SCHEME = 1e-3, FALL = 0.75, GAIN_BY_TOLERANCE = 1e-4, GAIN_WORTH_A_LINE = 0.1;
static const double AIM = 1e-6; // of a step's forces, what solvers aim at
enum { SAME_STEPS = 20 };

// What became of a run.
typedef struct run {
    const char *solver;
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    bool refused, cut, broken;
    bool missed;         // a step did not get to what solvers aim at
    double time;         // how far it came [s]
    double gain, motion; // largest gain of energy and largest energy in motion so far [J]
    double lowest, gravity;
    double force; // largest norm of a step's contact forces [N]
    double fall;  // what gravity adds to a velocity in a step [m/s]
} run;

static bool is_finite(const tn_model *model, const tn_state *state)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        sum += state->v[i] - state->v[i];
    }
    for (int i = 0; i < 3 * model->n_nodes; i++) {
        sum += state->x[i] - state->x[i];
    }
    for (int b = 0; b < model->n_bodies; b++) {
        for (int k = 0; k < 3; k++) {
            sum += state->pose[b].position[k] - state->pose[b].position[k];
        }
    }
    return sum == 0.0;
}

// Energy above the lowest so far, what is brought in from outside taken off.
static void add_energy(run *r, const tn_energy *e)
{
    double own = e->kinetic + e->gravity + e->elastic - e->injected;
    r->gain = fmax(r->gain, own - r->lowest);
    r->lowest = fmin(r->lowest, own);
    r->motion = fmax(r->motion, e->kinetic + e->elastic + fabs(e->gravity - r->gravity));
}

static void add_force(run *r)
{
    const double *lambda = r->sim->solving.answer.solution.lambda;
    double sum = 0.0;
    for (int i = 0; i < 3 * tn_sim_contact_count(r->sim); i++) {
        sum += lambda[i] * lambda[i];
    }
    r->force = fmax(r->force, sqrt(sum));
}

// Relative to the motion, but for what forces that are off by the solvers' aim may do at the velocities of a step.
static double relative_gain(const run *r)
{
    return fmax(0.0, r->gain - AIM * r->force * r->fall * r->time) / r->motion;
}

static void list(const run *r, gallery_cell *cell, const char *what, const char *error)
{
    gallery_failure failure = {.solver = r->solver,
                               .what = what,
                               .time = r->time,
                               .difference = relative_gain(r),
                               .ratio = (double)NAN,
                               .figure = (double)NAN};
    snprintf(failure.error, sizeof failure.error, "%.150s", error);
    gallery_fail(cell, failure);
}

static void go(run *r, double patience, gallery_cell *cell)
{
    tn_error error = {0};
    tn_step_report report;
    tn_energy e;
    double spent = 0.0;
    if (tn_state_energy(r->state, &e, &error) != TN_OK) {
        r->broken = true;
        return;
    }
    r->lowest = e.kinetic + e.gravity + e.elastic;
    r->gravity = e.gravity;
    // At rest gravity's work on all in a step is what there is to compare with.
    r->fall = tn_vec3_norm(r->model->settings.gravity) * r->model->settings.step;
    r->motion = 0.5 * r->model->total_mass * r->fall * r->fall + 1e-300;
    for (long n = lround(DURATION / r->model->settings.step), k = 0; k < n && !r->cut; k++) {
        clock_t start = clock();
        tn_status status = tn_sim_step(r->sim, NULL, r->state, &report, &error);
        spent += (double)(clock() - start) / CLOCKS_PER_SEC;
        r->time = tn_state_time(r->state);
        if (status == TN_BAD_INPUT) {
            r->refused = true; // contacts that it does not take came later
            return;
        }
        if (status != TN_OK || !is_finite(r->model, r->state)) {
            r->broken = true;
            cell->n_broken += !r->missed;
            list(r, cell, r->missed ? "short, ends" : "ends",
                 status != TN_OK ? error.message : "a state that is not finite");
            return;
        }
        add_energy(r, &report.energy);
        add_force(r);
        r->missed = r->missed || !report.solve.converged;
        r->cut = spent > patience && k + 1 < n;
    }
}

static void open(run *r, tn_error *error)
{
    r->state = tn_state_create(r->model, error);
    r->sim = r->state ? tn_sim_create(r->model, error) : NULL;
    r->broken = !r->sim || (r->solver && !tn_sim_set_solver(r->sim, r->solver));
}

static void shut(run *r)
{
    tn_sim_destroy(r->sim);
    tn_state_destroy(r->state);
}

// Largest distance between the bodies of two runs [m].
static double apart(const tn_model *model, const tn_state *a, const tn_state *b)
{
    double most = 0.0;
    for (int i = 0; i < model->n_bodies; i++) {
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(a->pose[i].position[k] - b->pose[i].position[k]));
        }
    }
    for (int i = 0; i < 3 * model->n_nodes; i++) {
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    }
    return most;
}

static void compare(run *r, const run *first, gallery_cell *cell)
{
    bool judged = strcmp(r->solver, "penalty") != 0 && !r->missed;
    double gain = relative_gain(r);
    cell->n_runs++;
    cell->n_cut += r->cut;
    cell->n_short += r->missed && strcmp(r->solver, "penalty") != 0; // which aims at nothing
    if (judged && !r->cut && !r->broken && !first->cut && !first->broken) {
        cell->apart = fmax(cell->apart, apart(r->model, r->state, first->state));
    }
    cell->worst_gain = judged ? fmax(cell->worst_gain, gain) : cell->worst_gain;
    if (judged && gain > 2.0 * cell->gain + GAIN_BY_TOLERANCE) {
        cell->n_gained++;
        list(r, cell, "gains energy", "");
    } else if (r->missed && gain > GAIN_WORTH_A_LINE) {
        list(r, cell, "short, gains energy", "");
    }
}

// The gain of energy at half the step.
static double halve(const bench_options *options, gallery_cell *cell, const run *whole)
{
    tn_error error = {0};
    run r = {.solver = whole->solver, .model = gallery_model(options, cell, 0.5 * whole->model->settings.step, &error)};
    double gain = (double)NAN;
    if (r.model) {
        open(&r, &error);
        if (!r.broken) {
            go(&r, 2.0 * FIRST * PATIENCE * gallery_share(options), cell);
            gain = relative_gain(&r);
        }
        shut(&r);
    }
    tn_model_destroy(r.model);
    return gain;
}

// The default solver's run, by which the others are measured.
static void begin(const bench_options *options, gallery_cell *cell, run *first)
{
    go(first, FIRST * PATIENCE * gallery_share(options), cell);
    cell->gain = relative_gain(first);
    cell->half_gain = (double)NAN;
    cell->n_runs = 1;
    cell->n_cut = first->cut;
    cell->n_short = first->missed;
    if (!first->broken && !first->missed && cell->gain > GAIN_OF_SCHEME) {
        cell->half_gain = halve(options, cell, first);
        if (!(cell->half_gain <= FALL * cell->gain)) {
            cell->n_gained++;
            list(first, cell, "gains energy", "at half the step as well");
        }
    }
}

void gallery_runs(const bench_options *options, gallery_cell *cell)
{
    tn_error error = {0};
    run first = {.model = gallery_model(options, cell, 0.0, &error)};
    if (!first.model) {
        return;
    }
    first.solver = first.model->settings.solver;
    open(&first, &error);
    if (first.broken) {
        cell->n_broken++;
        list(&first, cell, "no start", error.message);
    } else {
        begin(options, cell, &first);
    }
    const tn_solver *solver;
    double spent = 0.0;
    for (int i = 0; (solver = tn_solver_at(i)); i++) {
        run r = {.solver = solver->name, .model = first.model};
        if (!gallery_wants(options, solver->name) || !strcmp(solver->name, first.solver)) {
            continue;
        }
        open(&r, &error);
        r.cut = spent > BUDGET * gallery_share(options);
        if (!r.broken && !r.cut) {
            clock_t start = clock();
            go(&r, PATIENCE * gallery_share(options), cell);
            spent += (double)(clock() - start) / CLOCKS_PER_SEC;
        }
        if (!r.refused) {
            compare(&r, &first, cell);
        }
        shut(&r);
    }
    shut(&first);
    tn_model_destroy(first.model);
}

// Whether the first steps of the scene are those of scheme euler to the bit.
static bool is_same(run *one, run *other)
{
    const tn_model *model = one->model;
    tn_error error = {0};
    tn_step_report report;
    for (int k = 0; k < SAME_STEPS; k++) {
        tn_status a = tn_sim_step(one->sim, NULL, one->state, &report, &error);
        tn_status b = tn_sim_step(other->sim, NULL, other->state, &report, &error);
        if (a != b || memcmp(one->state->v, other->state->v, 3 * (size_t)model->n_blocks * sizeof(double)) != 0 ||
            memcmp(one->state->pose, other->state->pose, (size_t)model->n_bodies * sizeof(tn_pose)) != 0) {
            return false;
        }
    }
    return true;
}

bool gallery_is_euler(const bench_options *options, gallery_cell *cell)
{
    tn_error error = {0};
    gallery_cell euler = *cell;
    euler.scheme = "euler";
    run one = {.model = gallery_model(options, cell, 0.0, &error)},
        other = {.model = gallery_model(options, &euler, 0.0, &error)};
    bool same = false;
    if (one.model && other.model && one.model->n_softs == 0 && strcmp(cell->scheme, "implicit") == 0) {
        open(&one, &error);
        open(&other, &error);
        same = !one.broken && !other.broken && is_same(&one, &other);
        shut(&one);
        shut(&other);
    }
    tn_model_destroy(one.model);
    tn_model_destroy(other.model);
    return same;
}
