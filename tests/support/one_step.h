// One step from one state by every solver, compared with a reference: shared by `tenon bench gallery` and
// tests/physics/one_step_test.c. Header-only.
//
// Every solver is asked for the same figures. The reference is the step of the first one that gets to a hundredth of
// them. A solver agrees where its velocities are as near to the reference as what it was asked for allows. Where they
// are not it is asked for a hundredth: if it then comes to the reference the problem was ill-conditioned; if it gets to
// a third elsewhere both are solutions, for the strict law may have several: four corners of a box that slides and
// turns share its weight in many ways, and friction with it. Anything else is a solver that differs, and so is one that
// comes to the reference's v^ with other contacts closed.
#pragma once

#include "math/blocks.h"
#include "model/model.h"
#include "problem/active.h"
#include "problem/rows.h"
#include "sim/sim.h"
#include "solver/check.h"
#include "solver/solver.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ONE_STEP_LIMIT =
    1e2; // how many times what the figures allow a solver may be off, see one_step_allow

typedef enum one_step_verdict {
    ONE_STEP_REFUSED,     // the solver does not take the problem
    ONE_STEP_AGREES,      //
    ONE_STEP_LOOSE,       // only when it is asked for more
    ONE_STEP_ANOTHER,     // another solution of the strict law
    ONE_STEP_NOT_REACHED, // the report says that the solver did not get to what was asked
    ONE_STEP_DIFFERS,     // it says that it did, and its step is another
    ONE_STEP_FAILED,      // the step failed
} one_step_verdict;

typedef struct one_step_result {
    one_step_verdict verdict;
    double difference; // of v^ and v at the step's end [m/s, rad/s]
    double ratio;      // of that to what the figures asked for allow
    double figure;     // the largest of momentum, natural and joint
    double seconds;    // of processor time
    int iterations, n_contacts;
    tn_error error;
} one_step_result;

typedef struct one_step {
    tn_model *model; // not owned; its solver's settings change
    tn_state *to;
    tn_sim *sim;
    tn_settings own;    // the model's
    double *v_hat, *v;  // (3 n_blocks) of the reference
    double figure;      // of the reference
    const char *solver; // the reference's
    double asked;       // of every solver: momentum, natural, joint
    int max_iterations; // of every solver
    int n_contacts;     // of the reference's step
    bool *closed;       // (n_contacts) by its first solve
    double allowed;     // velocity that errors of the size asked for make [m/s, rad/s]
} one_step;

static inline double one_step_worse(double a, double b)
{
    return b > a ? b : a; // a NaN of b does not apply
}

static inline double one_step_figure(const tn_certificate *c)
{
    return one_step_worse(one_step_worse(one_step_worse(0.0, c->momentum), c->natural), c->joint);
}

// False: error says why.
static inline bool one_step_open(one_step *s, tn_model *model, double asked, int max_iterations, tn_error *error)
{
    size_t n = 3 * (size_t)model->n_blocks + 1;
    *s = (one_step){.model = model, .own = model->settings, .asked = asked, .max_iterations = max_iterations};
    s->to = tn_state_create(model, error);
    s->sim = s->to ? tn_sim_create(model, error) : NULL;
    s->v_hat = calloc(n, sizeof *s->v_hat);
    s->v = calloc(n, sizeof *s->v);
    return s->sim && s->v_hat && s->v;
}

static inline void one_step_close(one_step *s)
{
    tn_sim_destroy(s->sim);
    tn_state_destroy(s->to);
    free(s->v_hat);
    free(s->v);
    free(s->closed);
}

static inline void one_step_ask(one_step *s, double figure)
{
    tn_solve_options *solve = &s->model->settings.solve;
    solve->tolerance = (tn_tolerance){.momentum = figure, .natural = figure, .joint = figure};
    solve->max_iterations = s->max_iterations;
    solve->enough = solve->moving = 0.0;
    s->model->settings.demanded = solve->tolerance;
}

// One step of a copy of `from`, s->to; the model's settings are its own again afterwards.
static inline tn_status one_step_take(one_step *s, const tn_state *from, const char *solver, double figure,
                                      tn_step_report *report, double *seconds, tn_error *error)
{
    clock_t start = clock();
    one_step_ask(s, figure);
    tn_sim_set_solver(s->sim, solver);
    tn_status status = tn_state_copy(s->to, from, error);
    status = status == TN_OK ? tn_sim_step(s->sim, NULL, s->to, report, error) : status;
    s->model->settings = s->own;
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return status;
}

static inline double one_step_distance(const one_step *s, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < 3 * s->model->n_blocks; i++) {
        double d = fabs(x[i] - y[i]);
        most = d > most || isnan(d) ? d : most;
    }
    return most;
}

static inline double one_step_largest(const one_step *s, const double *v)
{
    double most = s->sim->solving.eq.problem.velocity_scale;
    for (int i = 0; i < 3 * s->model->n_blocks; i++) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

static inline bool one_step_is_closed(const one_step *s, int contact)
{
    const tn_solution *solution = &s->sim->solving.answer.solution;
    return tn_contact_is_closed(&s->sim->solving.eq.problem, contact, solution->v, solution->lambda);
}

// Which contacts the reference's first solve closed: midpoint's second solve is about those.
static inline void one_step_note_closed(one_step *s)
{
    s->n_contacts = s->sim->solving.eq.rows.contacts.n_triples - s->sim->solving.eq.rows.contacts.n_frictions;
    free(s->closed);
    s->closed = calloc((size_t)s->n_contacts + 1, sizeof *s->closed);
    for (int m = 0; s->closed && m < s->n_contacts; m++) {
        s->closed[m] = one_step_is_closed(s, m);
    }
}

// The last step closes the contacts that the reference closes, as far as they are the same.
static inline bool one_step_closes_the_same(const one_step *s)
{
    const tn_rows *c = &s->sim->solving.eq.rows.contacts;
    for (int m = 0; s->closed && c->n_triples - c->n_frictions == s->n_contacts && m < s->n_contacts; m++) {
        if (one_step_is_closed(s, m) != s->closed[m]) {
            return false;
        }
    }
    return true;
}

// What the figures let a solver be off by, to first order: forces by their part of all forces' norm, the balance by its
// part of |b|, both of which move the lightest of the bodies; joints by their part of the largest velocity. How far one
// error spreads to others, the condition of the problem, is ONE_STEP_LIMIT's matter.
static inline double one_step_allow(const one_step *s)
{
    const tn_problem *p = &s->sim->solving.eq.problem;
    const tn_rows *c = p->rows;
    double first = 0.0, second = 0.0, b = 0.0, light = 0.0;
    for (int m = 0; m < c->n_triples; m++) {
        light = fmax(light, 1.0 / tn_check_rho(p, m));
        for (int k = 0; k < 3; k++) {
            first +=
                s->sim->solving.answer.solution.lambda[3 * m + k] * s->sim->solving.answer.solution.lambda[3 * m + k];
            second += s->sim->next.force[3 * m + k] * s->sim->next.force[3 * m + k];
        }
    }
    for (int i = 0; i < 3 * p->A->n_rows; i++) {
        const double *own = tn_blocks_find(p->A, i / 3, i / 3);
        light = own[4 * (i % 3)] > 0.0 ? fmax(light, 1.0 / own[4 * (i % 3)]) : light;
        b += p->b[i] * p->b[i];
    }
    double force = fmax(sqrt(fmax(first, second)), p->force_scale) + fmax(sqrt(b), p->force_scale);
    double fastest = fmax(one_step_largest(s, s->to->v_hat), one_step_largest(s, s->to->v));
    return s->asked * (force * light + fastest);
}

// The reference of steps from this state. False: no solver got well below what is asked.
static inline bool one_step_refer(one_step *s, const tn_state *from)
{
    static const char *const solvers[] = {"auto", "pgs", "newton", "ipm", "lemke", "qp", "nodal"};
    s->figure = (double)INFINITY;
    s->solver = "-";
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers && !(s->figure <= 1e-2 * s->asked); i++) {
        tn_step_report report = {0};
        tn_error error = {0};
        double seconds;
        tn_status status = one_step_take(s, from, solvers[i], 1e-2 * s->asked, &report, &seconds, &error);
        double figure = status == TN_OK ? one_step_figure(&report.solve.certificate) : (double)INFINITY;
        if (figure < s->figure) {
            s->figure = figure;
            s->solver = solvers[i];
            memcpy(s->v_hat, s->to->v_hat, 3 * (size_t)s->model->n_blocks * sizeof *s->v_hat);
            memcpy(s->v, s->to->v, 3 * (size_t)s->model->n_blocks * sizeof *s->v);
            s->allowed = one_step_allow(s);
            one_step_note_closed(s);
        }
    }
    return s->figure <= 0.3 * s->asked;
}

// Larger difference of v^ and of v at the end of the last step to the reference; NaN stays.
static inline double one_step_off(const one_step *s)
{
    double hat = one_step_distance(s, s->to->v_hat, s->v_hat), end = one_step_distance(s, s->to->v, s->v);
    return hat > end || isnan(hat) ? hat : end;
}

// The last step's first solution, carried on by other solvers from where it is, ends nearer to itself than to the
// reference.
static inline bool one_step_stays(one_step *s)
{
    static const char *const solvers[] = {"newton", "pgs", "ipm"};
    const tn_problem *problem = &s->sim->solving.eq.problem;
    const tn_solution *own = &s->sim->solving.answer.solution;
    size_t n = 3 * (size_t)s->model->n_blocks, n_lambda = tn_row_count(problem->rows);
    double *room = calloc(n + n_lambda + 1, sizeof *room);
    tn_arena *arena = tn_arena_create(0);
    bool stays = false;
    for (size_t i = 0; room && arena && i < sizeof solvers / sizeof *solvers && !stays; i++) {
        const tn_solver *solver = tn_solver_find(solvers[i]);
        tn_solution solution = {.v = room, .lambda = room + n};
        tn_solve_options options = tn_solve_options_default();
        tn_solve_report report;
        tn_error error = {0};
        double figure = 1e-2 * s->asked;
        memcpy(solution.v, own->v, n * sizeof *room);
        memcpy(solution.lambda, own->lambda, n_lambda * sizeof *room);
        options.tolerance = (tn_tolerance){.momentum = figure, .natural = figure, .joint = figure};
        options.max_iterations = s->max_iterations;
        stays = !tn_solver_refusal(solver, problem) &&
                tn_solver_run(solver, problem, &options, arena, &solution, &report, &error) == TN_OK &&
                one_step_figure(&report.certificate) <= 0.3 * s->asked &&
                one_step_distance(s, solution.v, own->v) < one_step_distance(s, solution.v, s->v_hat);
    }
    tn_arena_destroy(arena);
    free(room);
    return stays;
}

// Of a solver that is off though it says that it got to what was asked.
static inline one_step_verdict one_step_look_closer(one_step *s, const tn_state *from, const char *solver)
{
    tn_step_report report = {0};
    tn_error error = {0};
    double seconds;
    bool strict = s->own.law == TN_LAW_COULOMB;
    bool apart = one_step_distance(s, s->to->v_hat, s->v_hat) > ONE_STEP_LIMIT * s->allowed;
    if (strict && apart && one_step_stays(s)) {
        return ONE_STEP_ANOTHER;
    }
    if (one_step_take(s, from, solver, 1e-2 * s->asked, &report, &seconds, &error) != TN_OK) {
        return ONE_STEP_DIFFERS;
    }
    if (one_step_off(s) <= ONE_STEP_LIMIT * s->allowed) {
        return ONE_STEP_LOOSE;
    }
    bool exact = one_step_figure(&report.solve.certificate) <= 0.3 * s->asked;
    return exact && strict ? ONE_STEP_ANOTHER : ONE_STEP_DIFFERS;
}

// The same step by another solver, beside the reference.
static inline one_step_result one_step_try(one_step *s, const tn_state *from, const char *solver)
{
    one_step_result r = {.verdict = ONE_STEP_FAILED, .difference = (double)NAN, .figure = (double)NAN};
    tn_step_report report = {0};
    tn_status status = one_step_take(s, from, solver, s->asked, &report, &r.seconds, &r.error);
    r.verdict = status == TN_BAD_INPUT ? ONE_STEP_REFUSED : r.verdict;
    if (status != TN_OK) {
        return r;
    }
    r.difference = one_step_off(s);
    r.ratio = r.difference / s->allowed;
    r.figure = one_step_figure(&report.solve.certificate);
    r.iterations = report.solve.iterations;
    r.n_contacts = report.n_contacts;
    if (isnan(r.difference)) {
        return r;
    }
    if (r.ratio <= ONE_STEP_LIMIT) {
        r.verdict = ONE_STEP_AGREES;
    } else if (!report.solve.converged) {
        r.verdict = ONE_STEP_NOT_REACHED;
    } else if (one_step_distance(s, s->to->v_hat, s->v_hat) <= ONE_STEP_LIMIT * s->allowed &&
               !one_step_closes_the_same(s)) {
        r.verdict = ONE_STEP_DIFFERS; // the same v^, and yet other contacts go into midpoint's second solve
    } else {
        r.verdict = one_step_look_closer(s, from, solver);
    }
    return r;
}

// Contacts of a simulation's last step that bear a force.
static inline int one_step_pressed(const tn_sim *sim)
{
    int n = 0;
    for (int i = 0; i < tn_sim_contact_count(sim); i++) {
        tn_contact_info c;
        tn_sim_contact(sim, i, &c);
        n += c.force[0] != 0.0 || c.force[1] != 0.0 || c.force[2] != 0.0;
    }
    return n;
}
