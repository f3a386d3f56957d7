#include "solver/multipliers.h"

#include "math/blocks.h"
#include "math/sums.h"
#include "problem/hints.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/contact_matrix.h"

#include <math.h>
#include <string.h>

// Damper over effective mass. Rounding in a row's velocity returns in its force times this, so half of the digits.
static const double STIFFNESS = 1e5;
// Rounds: each divides the error by 1 + STIFFNESS times the least eigenvalue of the scaled G A^-1 G^T. Guesses of the
// rows at their bounds within a round.
// Where a round leaves more than SLOW of the error the dampers get stiffer: loops nearly but not quite redundant.
static const double SLOW = 0.03, STIFFEN = 10.0, STIFFEST = 1e8;
enum { MAX_ROUNDS = 60, MAX_GUESSES = 40, HALVINGS = 60 };
// Rows contradict one another where so many rounds of the stiffest leave more than that each: a body between a driven
// one and the floor is solved for first as if it had somewhere to go (60 rounds are a thousand solves).
static const double FLAT = 0.95;
enum { FLAT_ROUNDS = 5 };
// Slope left at the end of a guess, of that at its start.
static const double SLOPE = 1e-10;
// Of the tolerance; below it only rounding is left.
static const double AIM = 0.1, FLOOR = 1e-13;

typedef struct multipliers {
    const tn_problem *problem;
    const tn_rows *joints; // singles of the problem
    tn_rows singles, triples;
    double *p;        // (n) dampers
    double stiffness; // over the effective mass
    double *base;     // (n) forces that the round starts from
    int *side;        // (n) 0: within the bounds, held by its damper; -1, 1: at the lower, upper one
    bool changed;     // the rows within their bounds are not those that A' was made with
    tn_problem augmented;
    tn_hints hints;          // of it, where its pattern is A's
    tn_problem held;         // the singles alone
    tn_contact_matrix K;     // A'
    double *b;               // (3 n_rows)
    double *before, *force;  // (3 n_rows) velocity of the last guess; scratch
    double *y_before, *step; // (n) rows' velocities there and how they change
    tn_single_check check;
} multipliers;

static double weight(const multipliers *s, int i)
{
    return s->side[i] == 0 ? s->p[i] / (1.0 + s->p[i] * s->joints->compliance[i]) : 0.0;
}

static void fill_matrix(multipliers *s)
{
    for (int i = 0; i < s->joints->n_singles; ++i) {
        s->step[i] = weight(s, i);
    }
    tn_contact_matrix_fill(&s->K, NULL);
    tn_contact_matrix_add_singles(&s->K, s->step);
}

// b' from b, what the dampers hold and the forces at their bounds.
static void fill_right(multipliers *s, const double *f)
{
    const tn_rows *joints = s->joints;
    memcpy(s->b, s->problem->b, 3 * (size_t)s->problem->A->n_rows * sizeof *s->b);
    for (int i = 0; i < joints->n_singles; ++i) {
        double held = f[i];
        if (s->side[i] == 0) {
            held = s->base[i] / (1.0 + s->p[i] * joints->compliance[i]) - weight(s, i) * joints->offset[i];
        }
        tn_single_push(joints, i, held, s->b);
    }
}

// The force of row i at velocity y (without the compliance's part), not clamped.
static double pushed(const multipliers *s, int i, double y)
{
    return (s->base[i] - s->p[i] * y) / (1.0 + s->p[i] * s->joints->compliance[i]);
}

// Forces of the rows at v, and which of them are at a bound; true: the same as before.
static bool update(multipliers *s, const double *v, double *f)
{
    const tn_rows *joints = s->joints;
    bool same = true;
    for (int i = 0; i < joints->n_singles; ++i) {
        double force = pushed(s, i, tn_single_velocity(joints, i, v));
        int side = force < joints->lower[i] ? -1 : force > joints->upper[i] ? 1 : 0;
        f[i] = tn_single_clamp(joints, i, force);
        same = same && side == s->side[i];
        s->changed = s->changed || (side == 0) != (s->side[i] == 0);
        s->side[i] = side;
    }
    return same;
}

// Slope of the round's convex function along the guess, at share t of it, but for a part linear in t.
static double rows_slope(const multipliers *s, double t)
{
    double sum = 0.0;
    for (int i = 0; i < s->joints->n_singles; ++i) {
        sum -= s->step[i] * tn_single_clamp(s->joints, i, pushed(s, i, s->y_before[i] + t * s->step[i]));
    }
    return sum;
}

// v back to where the function 1/2 v A v - (b + J^T lambda) v + (what the rows' dampers store) is least between the
// last guess and v: rows that leave their bounds on the way would else send guesses to and fro for ever.
// True: that is v itself.
static bool search(multipliers *s, const tn_solution *solution)
{
    const tn_problem *p = s->problem;
    size_t n = 3 * (size_t)p->A->n_rows;
    double *v = solution->v, *d = s->force, constant = 0.0, linear = 0.0;
    memset(s->b, 0, n * sizeof *s->b); // made anew by the next guess
    tn_problem_add_contact_force(p, solution->lambda, s->b);
    tn_blocks_mul(p->A, v, d);
    for (size_t i = 0; i < n; ++i) {
        constant += (v[i] - s->before[i]) * (d[i] - p->b[i] - s->b[i]); // at v
    }
    for (size_t i = 0; i < n; ++i) {
        d[i] = v[i] - s->before[i];
    }
    tn_blocks_mul(p->A, d, s->b);
    linear = tn_dot(n, d, s->b);
    for (int i = 0; i < s->joints->n_singles; ++i) {
        s->y_before[i] = tn_single_velocity(s->joints, i, s->before);
        s->step[i] = tn_single_velocity(s->joints, i, v) - s->y_before[i];
    }
    constant -= linear;
    double slope = constant + linear + rows_slope(s, 1.0), steep = constant + rows_slope(s, 0.0);
    if (slope <= SLOPE * fabs(steep)) {
        return true;
    }
    double low = 0.0, high = 1.0;
    for (int k = 0; k < HALVINGS; ++k) {
        double t = 0.5 * (low + high);
        *(constant + linear * t + rows_slope(s, t) > 0.0 ? &high : &low) = t;
    }
    for (size_t i = 0; i < n; ++i) {
        v[i] = s->before[i] + 0.5 * (low + high) * d[i];
    }
    return false;
}

static bool create(multipliers *s, const tn_problem *problem, const tn_solution *start, tn_arena *arena)
{
    *s = (multipliers){.problem = problem, .augmented = *problem};
    s->singles = tn_rows_singles(problem->rows);
    s->joints = &s->singles;
    s->held = *problem;
    s->held.rows = s->joints;
    s->triples = *problem->rows;
    s->triples.n_singles = 0;
    int n = s->joints->n_singles;
    s->p = TN_PUSH_RAW(arena, double, n);
    s->base = TN_PUSH_RAW(arena, double, n);
    s->side = TN_PUSH(arena, int, n);
    double **per_v[] = {&s->b, &s->before, &s->force}, **per_row[] = {&s->y_before, &s->step};
    bool ok = s->p && s->base && s->side;
    for (int k = 0; k < 3; ++k) {
        ok = (*per_v[k] = TN_PUSH_RAW(arena, double, 3 * (size_t)problem->A->n_rows)) && ok;
    }
    for (int k = 0; k < 2; ++k) {
        ok = (*per_row[k] = TN_PUSH_RAW(arena, double, n)) && ok;
    }
    if (!ok || !tn_single_check_create(&s->check, problem, arena) ||
        !tn_contact_matrix_create(&s->K, &s->held, arena)) {
        return false;
    }
    tn_singles_mass(s->joints, problem->A, s->p);
    s->stiffness = STIFFNESS;
    const double *f = tn_single_forces(problem->rows, start->lambda);
    for (int i = 0; i < n; ++i) {
        s->p[i] *= STIFFNESS;
        s->base[i] = tn_single_clamp(s->joints, i, f[i]);
    }
    s->augmented.rows = &s->triples;
    s->augmented.A = &s->K.K;
    s->augmented.b = s->b;
    s->augmented.hints = NULL;
    if (problem->hints && !s->K.place) { // A' has A's pattern, and what is known of that
        s->hints = *problem->hints;
        s->hints.known_v = s->hints.known_product = NULL;
        s->augmented.hints = &s->hints;
    }
    return true;
}

static void stiffen(multipliers *s)
{
    s->stiffness *= STIFFEN;
    for (int i = 0; i < s->joints->n_singles; ++i) {
        s->p[i] *= STIFFEN;
    }
    s->changed = true;
}

// Inner solves until the rows at their bounds are the ones that the solve was made with: then *settled.
static tn_status settle(multipliers *s, const tn_multipliers_inner *inner, bool *settled, tn_solution *solution,
                        tn_solve_report *report, tn_error *error)
{
    double *f = tn_single_forces(s->problem->rows, solution->lambda);
    *settled = false;
    for (int guess = 0; guess < MAX_GUESSES && !*settled; ++guess) {
        int before = report->iterations;
        memcpy(s->before, solution->v, 3 * (size_t)s->problem->A->n_rows * sizeof *s->before);
        if (s->changed) {
            fill_matrix(s);
        }
        fill_right(s, f);
        tn_status status = inner->solve(inner->user, &s->augmented, s->changed, solution, report, error);
        report->iterations += before;
        if (status != TN_OK || (inner->must_converge && !report->converged)) {
            return status;
        }
        s->changed = false;
        bool whole = guess == 0 || search(s, solution);
        *settled = update(s, solution->v, f) && whole;
    }
    return TN_OK; // else the next round's forces may settle them
}

tn_status tn_multipliers_run(const tn_multipliers_inner *inner, const tn_problem *problem,
                             const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                             tn_solve_report *report, tn_error *error)
{
    multipliers s;
    if (!create(&s, problem, solution, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d joint rows", problem->rows->n_singles);
    }
    double demanded = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8, last = INFINITY;
    int flat = 0;
    double aim = fmax(AIM * demanded, FLOOR);
    bool settled = false;
    double *f = tn_single_forces(problem->rows, solution->lambda);
    update(&s, solution->v, f);
    s.changed = true;
    for (int round = 0; round < MAX_ROUNDS && flat < FLAT_ROUNDS; ++round) {
        tn_status status = settle(&s, inner, &settled, solution, report, error);
        if (status != TN_OK || (inner->must_converge && !report->converged)) {
            return status;
        }
        double off = tn_single_check_rows(&s.check, solution->v, f);
        memcpy(s.base, f, (size_t)s.joints->n_singles * sizeof *s.base);
        if (settled && (off <= aim || (off <= demanded && off > 0.5 * last))) {
            return TN_OK;
        }
        flat = s.stiffness >= STIFFEST && off > FLAT * last ? flat + 1 : 0;
        if (settled && off > SLOW * last && s.stiffness < STIFFEST) {
            stiffen(&s);
        }
        last = off;
    }
    report->converged = report->converged && settled && last <= demanded;
    return TN_OK;
}

// ---- round a solver of the table

typedef struct plain {
    const tn_solver *solver;
    const tn_problem *problem;
    const tn_solve_options *options;
    tn_arena *arena;
} plain;

static tn_status solve_plain(void *user, const tn_problem *augmented, bool changed, tn_solution *solution,
                             tn_solve_report *report, tn_error *error)
{
    const plain *p = user;
    tn_arena_mark mark = tn_arena_get_mark(p->arena);
    // The balance counts relative to |b|, not to the dampers' large forces.
    size_t n = 3 * (size_t)p->problem->A->n_rows;
    double own = fmax(sqrt(tn_dot(n, p->problem->b, p->problem->b)), p->problem->force_scale);
    double large = fmax(sqrt(tn_dot(n, augmented->b, augmented->b)), p->problem->force_scale);
    tn_solve_options options = *p->options;
    options.tolerance.momentum *= large > own ? own / large : 1.0;
    tn_status status = p->solver->solve(augmented, &options, p->arena, solution, report, error);
    tn_arena_release(p->arena, mark);
    return status;
}

tn_status tn_multipliers_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                               tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    plain user = {solver, problem, options, arena};
    const tn_multipliers_inner inner = {.user = &user, .solve = solve_plain};
    return tn_multipliers_run(&inner, problem, options, arena, solution, report, error);
}

tn_status tn_multipliers_try(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                             tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    plain user = {solver, problem, options, arena};
    const tn_multipliers_inner inner = {.user = &user, .solve = solve_plain, .must_converge = true};
    return tn_multipliers_run(&inner, problem, options, arena, solution, report, error);
}
