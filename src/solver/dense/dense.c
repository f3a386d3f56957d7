// dense: few contacts, limits and drives, whatever joints hold the bodies together, solved to rounding.
//
// Bilateral rows are eliminated with the bodies, in time linear in the joints of trees and chains; what is left is a
// dense problem of the rows that have a choice (dense/system.h). Gauss-Seidel sweeps tell open, sticking and sliding
// contacts apart where the last step's forces are far off, and Newton's method mostly ends it; where it fails, proximal
// point steps. At the end velocities are those of the motion itself, which takes out what rounding left in W.
#include "solver/dense/dense.h"

#include "problem/problem.h"
#include "solver/check.h"
#include "solver/dense/system.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

// STALLED: proximal steps over which the norm has to fall by half, else other solvers get there sooner (joints/ragdoll
// at rest: its slowest step takes 4.7 ms instead of 7.5).
enum { NEWTON_STEPS = 20, PROXIMAL_STEPS = 20, STALLED = 6, REFRESHES = 4, PATIENCE = 6, SWEEPS = 8, MORE_SWEEPS = 2 };
static const double SOFT_FIRST = 1e-2, SOFT_MOST = 1.0, HARDER = 0.1, SOFTER = 4.0;
// Newton's method: so many whole steps in a row may miss DECREASE of the norm, and raise it to WILD times (the watchdog
// technique; Chamberlain, Powell, Lemarechal and Pedersen 1982); then back, with a proximal term RAISE times, RETRY at
// least; a step that is taken makes it LOWER. Of the steps of joints/ragdoll 7 in 1000 are left to other solvers; with
// steps that had to lessen the norm 16, at twice the operations. The last of them that may miss it will do where it
// lessens the norm and its figures do, as where forces are redundant (a car's wheels: 0.099 to 0.090 ms a step).
enum { LOOSE = 3 };
static const double DECREASE = 0.95, WILD = 1e3, RETRY = 1e-6, RAISE = 30.0, LOWER = 0.01;
// Least proximal term where forces are open. Without it the first steps go astray among these (robots/humanoid on the
// floor: nine steps instead of four).
static const double OPEN_DAMPING = 1e-4;
// Of the tolerance, there, where steps with that term do not end in rounding: a start that leaves less needs none
// (robots/humanoid lying still: no Newton step instead of two). Steps end at AIM.
static const double OPEN_AIM = 1e-2;
// Of the tolerance; part of its norm that a Newton step may leave. Score from which on sweeps go first, unless a Newton
// step leaves less than CLOSER of the norm (a trotting quadruped: 3.8 iterations instead of 11.9).
static const double AIM = 0.1, SLOW = 0.7, FAR_OFF = 1e4, CLOSER = 0.5;
// Part of the norm that a solver's forces have which others that are not exact may leave.
static const double BETTER = 0.1;

typedef struct run {
    tn_dense *s;
    int iterations, most;
    tn_check check;
    double joint; // figure that is demanded
    // Of the system, of these of its versions.
    int scored, compared;
    double score;
    bool exact;
    double best; // least norm, of s.best
} run;

static void keep_best(run *r)
{
    if (r->s->norm < r->best) {
        r->best = r->s->norm;
        memcpy(r->s->best, r->s->x, (size_t)r->s->size * sizeof *r->s->best);
    }
}

static double find_score(const run *r)
{
    const tn_dense *s = r->s;
    const tn_rows *rows = s->problem->rows;
    tn_check_sums sums = {.natural = 0.0};
    double most = 0.0;
    for (int m = 0; m < s->n; m++) {
        int of = s->triple[m];
        int friction = m - (rows->n_triples - rows->n_frictions), by = friction < 0 ? -1 : rows->pressed_by[friction];
        tn_check_add_demanded(&r->check, of, by < 0 ? 0.0 : s->x[3 * by], s->x + 3 * m, s->velocity + 3 * m, &sums);
    }
    for (int i = 3 * s->n; i < s->size; i++) {
        most = fmax(most, fabs(s->x[i] - s->p[i]) / s->rho[i]);
    }
    double joint = most > 0.0 ? most / s->fastest / r->joint : 0.0;
    return s->n > 0 ? fmax(joint, tn_check_score_sums(&r->check, &sums)) : joint;
}

// The largest ratio of a demanded figure to its tolerance.
static double score(run *r)
{
    if (r->scored != r->s->version) {
        r->scored = r->s->version;
        r->score = find_score(r);
    }
    return r->score;
}

static bool is_exact(run *r)
{
    if (r->compared != r->s->version) {
        r->compared = r->s->version;
        r->exact = tn_dense_is_exact(r->s);
    }
    return r->exact;
}

// Rounding, or so little of what is demanded that nothing but rounding comes of more.
static bool is_done(run *r)
{
    return is_exact(r) || score(r) <= AIM;
}

// Least proximal term of a Newton step.
static double damping(const tn_dense *s, bool open)
{
    return fmax(tn_dense_damping(s), open ? OPEN_DAMPING : 0.0);
}

// Newton steps to rounding; where they end short of it the aim will do. The best point of all.
static bool newton(run *r)
{
    tn_dense *s = r->s;
    bool open = tn_dense_is_open(s), exact = is_exact(r);
    double left = exact ? 0.0 : score(r);
    bool done = left <= AIM, ends = exact || (open && left <= (r->iterations > 0 ? AIM : OPEN_AIM));
    double least = s->norm, alpha = 0.0;
    int loose = 0;
    memcpy(s->start, s->x, (size_t)s->size * sizeof *s->x);
    for (int k = 0; k < NEWTON_STEPS && r->iterations < r->most && alpha < 1.0 && !ends; k++) {
        alpha = fmax(alpha, damping(s, open));
        r->iterations++;
        bool solved = tn_dense_step(s, alpha), slow = !solved || s->norm > SLOW * least;
        bool will_do = loose == LOOSE && !done && s->norm < least && score(r) <= AIM;
        if (solved && (s->norm < DECREASE * least || will_do)) {
            least = s->norm;
            memcpy(s->start, s->x, (size_t)s->size * sizeof *s->x);
            alpha *= LOWER;
            loose = 0;
            exact = is_exact(r);
            left = exact ? 0.0 : score(r);
            done = left <= AIM;
        } else if (!solved || loose == LOOSE || s->norm > WILD * least) {
            tn_dense_set(s, s->start);
            alpha = fmax(RAISE * alpha, RETRY);
            loose = 0;
        } else {
            loose++;
        }
        ends = exact || (open && done && loose == 0) || (slow && done && (open || loose == 0));
    }
    if (s->norm > least) {
        tn_dense_set(s, s->start);
    }
    return done;
}

static void sweep(run *r, int n)
{
    for (int k = 0; k < n && r->iterations < r->most; k++) {
        tn_dense_sweep(r->s);
        r->iterations++;
    }
    tn_dense_set(r->s, r->s->x);
    keep_best(r);
}

// Proximal point steps, ever softer ones where Newton's method does not solve them, else harder; until they get
// nowhere. True: exact.
static bool approach(run *r)
{
    tn_dense *s = r->s;
    double alpha = SOFT_FIRST, mark = r->best;
    int stalled = 0;
    for (int k = 0; k < PROXIMAL_STEPS && stalled < STALLED && r->iterations < r->most; k++) {
        tn_dense_soften(s, alpha);
        bool solved = newton(r);
        tn_dense_harden(s);
        keep_best(r);
        if (is_done(r)) {
            return newton(r);
        }
        stalled = r->best < 0.5 * mark ? 0 : stalled + 1;
        mark = stalled > 0 ? mark : r->best;
        alpha = solved ? alpha * HARDER : fmin(alpha * SOFTER, SOFT_MOST);
        if (!solved) {
            sweep(r, MORE_SWEEPS);
        }
    }
    return newton(r);
}

// A Newton step with contacts that slide on, if it lessens the norm (robots/humanoid coming to rest: 2.3 Newton steps
// instead of 2.9, the first two of which found out what slides).
static void slide_on(run *r)
{
    tn_dense *s = r->s;
    double norm = s->norm, alpha = damping(s, tn_dense_is_open(s));
    if (!tn_dense_slide_on(s)) {
        return;
    }
    memcpy(s->start, s->x, (size_t)s->size * sizeof *s->x);
    r->iterations++;
    if (!tn_dense_step(s, alpha) || s->norm > norm) {
        tn_dense_set(s, s->start);
    }
}

// One Newton step, if it lessens the norm: then the forces are near enough.
static bool comes_near(run *r)
{
    tn_dense *s = r->s;
    double norm = s->norm;
    memcpy(s->start, s->x, (size_t)s->size * sizeof *s->x);
    r->iterations++;
    if (tn_dense_step(s, tn_dense_damping(s)) && s->norm < CLOSER * norm) {
        return true;
    }
    tn_dense_set(s, s->start);
    return false;
}

// Contacts, and no forces to begin with.
static bool is_cold(const tn_dense *s)
{
    bool cold = s->n > 0;
    for (int i = 0; cold && i < s->size; i++) {
        cold = s->x[i] == 0.0;
    }
    return cold;
}

// One sweep, if it is all that is needed: contacts that hardly know of one another (FrictionContactProblem00374: half
// the time).
static bool sweep_does(run *r)
{
    tn_dense *s = r->s;
    memcpy(s->start, s->x, (size_t)s->size * sizeof *s->x);
    sweep(r, 1);
    if (is_exact(r)) {
        return true;
    }
    tn_dense_set(s, s->start);
    return false;
}

// True: done, as far as W goes.
static bool solve_rows(run *r)
{
    tn_dense *s = r->s;
    bool cold = is_cold(s);
    r->best = HUGE_VAL;
    keep_best(r);
    if (cold && sweep_does(r)) {
        return true;
    }
    bool far = s->n > 0 && score(r) > FAR_OFF;
    if ((cold || far) && !comes_near(r)) {
        sweep(r, SWEEPS);
    }
    if (newton(r)) {
        return true;
    }
    keep_best(r);
    if (approach(r)) {
        return true;
    }
    keep_best(r);
    tn_dense_set(s, s->best);
    return false;
}

// How the system's forces are judged.
static tn_status start(run *r, tn_dense *s, const tn_solve_options *options, tn_arena *arena, tn_error *error)
{
    *r = (run){.s = s, .joint = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8};
    r->most = options->max_iterations;
    return tn_check_create(&r->check, s->problem, s->free, &options->tolerance, arena)
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'dense'");
}

// The start's forces, where they leave hardly anything of what is demanded: W is not needed then (robots/humanoid lying
// still: every third step).
static bool stays(run *r, tn_solution *solution, tn_solve_report *report)
{
    tn_dense *s = r->s;
    if (!s->problem->A || s->n == 0 || find_score(r) > OPEN_AIM || !tn_dense_serves(s, r->check.rho) ||
        score(r) > OPEN_AIM) {
        return false;
    }
    report->converged = true;
    tn_dense_put(s, solution);
    return true;
}

// Forces of the rows of W, and the motion that belongs to them.
static void solve_system(run *r, tn_solution *solution, tn_solve_report *report)
{
    tn_dense *s = r->s;
    bool exact = is_exact(r), solved = true;
    if (!exact && score(r) > OPEN_AIM) {
        slide_on(r);
    }
    for (int k = 0; k < REFRESHES && !exact && solved && (k == 0 || r->iterations < r->most); k++) {
        solved = solve_rows(r);
        if (is_exact(r)) {
            tn_dense_refresh(s);
        } else {
            tn_dense_obey(s);
        }
        exact = is_done(r);
    }
    report->converged = exact || score(r) <= 1.0;
    tn_dense_put(s, solution);
}

// The motion of what no row acts on (robots in the air, limits far off: of 100 humanoids that fall in a heap 4 %).
static tn_status move_freely(const tn_problem *problem, tn_arena *arena, tn_solution *solution, tn_error *error)
{
    tn_part_factors factors;
    const tn_parts *parts = tn_problem_parts(problem, arena);
    tn_status status = parts ? tn_parts_factor(problem->A, parts, 1, arena, &factors, error)
                             : tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'dense'");
    if (status == TN_OK) {
        memcpy(solution->v, problem->b, 3 * (size_t)problem->A->n_rows * sizeof *solution->v);
        tn_parts_solve(&factors, solution->v);
    }
    return status;
}

tn_status tn_dense_try(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, bool *fits, tn_error *error)
{
    tn_dense s, *rows = NULL;
    run r;
    int iterations = 0;
    bool *awake = TN_PUSH(arena, bool, problem->rows->n_triples + problem->rows->n_singles);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool elastic = problem->A && tn_problem_is_elastic(problem, arena);
    report->converged = false;
    report->iterations = 0;
    if (!awake) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'dense'");
    }
    do {
        tn_arena_release(arena, mark);
        if (!elastic && tn_dense_is_free(problem, awake, solution)) {
            tn_status status = move_freely(problem, arena, solution, error);
            report->converged = *fits = status == TN_OK;
            if (status != TN_OK) {
                return status;
            }
            continue;
        }
        tn_status status = tn_dense_begin(&s, problem, awake, solution, arena, fits, error);
        status = status == TN_OK && *fits ? start(&r, &s, options, arena, error) : status;
        if (status != TN_OK || !*fits) {
            return status;
        }
        rows = &s;
        tn_dense_start(&s, solution);
        if (stays(&r, solution, report)) {
            continue;
        }
        tn_dense_leave_out(&s);
        status = tn_dense_build(&s, arena, error);
        if (status != TN_OK) {
            return status;
        }
        tn_dense_settle(&s);
        r.iterations = iterations;
        solve_system(&r, solution, report);
        iterations = r.iterations;
    } while (problem->A && tn_dense_wake(rows, problem, solution, awake));
    report->solver = tn_solver_dense.name;
    report->iterations = iterations;
    return TN_OK;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    bool fits;
    tn_status status = tn_dense_try(problem, options, arena, solution, report, &fits, error);
    return status != TN_OK || fits
               ? status
               : tn_error_set(error, TN_BAD_INPUT,
                              "solver 'dense' does not take this problem: springs couple more bodies than it takes, or "
                              "joints in too many loops; taken by: auto");
}

// Whole Newton steps, whatever becomes of the norm: where a tower's forces are to come from nothing, each closes one
// contact more, and the norm grows until the last one. They end after PATIENCE of them without a better point: of those
// that polish boxes of rigid/box_heap two thirds get nowhere. The best point of all. True: exact.
static bool go_on(run *r)
{
    tn_dense *s = r->s;
    r->best = HUGE_VAL;
    keep_best(r);
    int vain = 0;
    while (r->iterations < r->most && vain < PATIENCE && !tn_dense_is_exact(s) &&
           tn_dense_step(s, tn_dense_damping(s))) {
        r->iterations++;
        vain = s->norm < r->best ? 0 : vain + 1;
        keep_best(r);
    }
    if (tn_dense_is_exact(s)) {
        return true;
    }
    tn_dense_set(s, s->best);
    return false;
}

tn_status tn_dense_finish(tn_dense *s, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                          tn_solve_report *report, tn_error *error)
{
    run r;
    tn_status status = start(&r, s, options, arena, error);
    if (status != TN_OK) {
        return status;
    }
    tn_dense_take(s, solution);
    double norm = s->norm;
    bool exact = tn_dense_is_exact(s), solved = true;
    for (int k = 0; k < REFRESHES && r.iterations < r.most && solved && !exact; k++) {
        solved = go_on(&r);
        tn_dense_refresh(s);
        exact = tn_dense_is_exact(s);
    }
    if (!exact) {
        tn_dense_obey(s);
    }
    if (exact || s->norm <= BETTER * norm) {
        report->converged = report->converged || exact || score(&r) <= 1.0;
        tn_dense_put(s, solution);
    }
    report->iterations += r.iterations;
    return TN_OK;
}

const tn_solver tn_solver_dense = {
    .name = "dense",
    .summary = "few contacts, limits and drives: bilateral rows eliminated, dense Newton steps to rounding",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_FRICTIONS | TN_TAKES_SINGLES,
    .refuses = tn_dense_refusal,
    .solve = solve,
};
