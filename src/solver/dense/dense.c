// dense: few contacts, limits and drives, whatever joints hold the bodies together, solved to rounding.
//
// Bilateral rows are eliminated with the bodies, in time linear in the joints of trees and chains; what is left is a
// dense problem of the rows that have a choice (dense/system.h). Newton's method from the last step's forces mostly
// ends it. Where it fails Gauss-Seidel sweeps, 2, 4, 8, ... of them, tell open, sticking and sliding contacts apart
// before it tries again. At the end velocities are those of the motion itself, which takes out what rounding left in W.
#include "math/sums.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/dense/system.h"
#include "solver/joint_check.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 10, PROXIMAL_STEPS = 20, REFRESHES = 4, SWEEPS = 2 };
static const double SOFT_FIRST = 1e-2, SOFT_MOST = 1.0, HARDER = 0.1, SOFTER = 4.0;
// Of the tolerance; part of its norm that a Newton step may leave.
static const double AIM = 0.1, SLOW = 0.1;

typedef struct run {
    tn_dense s;
    int iterations, most;
    double natural, joint; // figures that will do
    double best;           // least norm, of s.best
} run;

static void keep_best(run *r)
{
    if (r->s.norm < r->best) {
        r->best = r->s.norm;
        memcpy(r->s.best, r->s.x, (size_t)r->s.size * sizeof *r->s.best);
    }
}

// Rounding, or so little of what is demanded that nothing but rounding comes of more.
static bool is_done(const run *r)
{
    const tn_dense *s = &r->s;
    double force = sqrt(tn_dot(3 * (size_t)s->n, s->x, s->x));
    return tn_dense_is_exact(s) || (s->force_error <= r->natural * fmax(force, s->problem->force_scale) &&
                                    s->speed_error <= r->joint * s->fastest);
}

// Newton steps to rounding; where they end short of it the aim will do.
static bool newton(run *r)
{
    tn_dense *s = &r->s;
    for (int k = 0; k < NEWTON_STEPS && r->iterations < r->most && !tn_dense_is_exact(s); k++) {
        double before = s->norm;
        r->iterations++;
        if (!tn_dense_step(s) || (s->norm > SLOW * before && is_done(r))) {
            break;
        }
    }
    return is_done(r);
}

static void sweep(run *r, int n)
{
    for (int k = 0; k < n && r->iterations < r->most; k++) {
        tn_dense_sweep(&r->s);
        r->iterations++;
    }
    tn_dense_set(&r->s, r->s.x);
    keep_best(r);
}

// Proximal point steps, ever softer ones where Newton's method does not solve them, else harder. True: exact.
static bool approach(run *r)
{
    tn_dense *s = &r->s;
    double alpha = SOFT_FIRST;
    for (int k = 0; k < PROXIMAL_STEPS && r->iterations < r->most; k++) {
        tn_dense_soften(s, alpha);
        bool solved = newton(r);
        tn_dense_harden(s);
        keep_best(r);
        if (is_done(r)) {
            return newton(r);
        }
        alpha = solved ? alpha * HARDER : fmin(alpha * SOFTER, SOFT_MOST);
        if (!solved) {
            sweep(r, SWEEPS);
        }
    }
    return newton(r);
}

// True: done, as far as W goes.
static bool solve_rows(run *r)
{
    tn_dense *s = &r->s;
    r->best = HUGE_VAL;
    keep_best(r);
    if (newton(r)) {
        return true;
    }
    keep_best(r);
    sweep(r, SWEEPS);
    if (newton(r) || approach(r)) {
        return true;
    }
    keep_best(r);
    tn_dense_set(s, s->best);
    return false;
}

// Whether what is demanded holds, where forces are not exact.
static tn_status judge(run *r, const tn_solve_options *options, const tn_solution *solution, tn_arena *arena,
                       bool *holds)
{
    const tn_problem *p = r->s.problem;
    tn_check check;
    if (!tn_check_create(&check, p, p->rows->offset, &options->tolerance, arena)) {
        return TN_NO_MEMORY;
    }
    tn_check_sums sums = {.natural = 0.0};
    for (int m = 0; m < r->s.n; m++) {
        int friction = m - (p->rows->n_triples - p->rows->n_frictions),
            by = friction < 0 ? -1 : p->rows->pressed_by[friction];
        tn_check_add_triple(p, m, check.rho[m], by < 0 ? 0.0 : r->s.x[3 * by], r->s.x + 3 * m, r->s.velocity + 3 * m,
                            &sums);
    }
    *holds = tn_check_score_sums(&check, &sums) <= 1.0;
    tn_joint_check joints;
    if (!p->A || p->rows->n_singles == 0) {
        return TN_OK;
    }
    if (!tn_joint_check_create(&joints, p, arena)) {
        return TN_NO_MEMORY;
    }
    double joint = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8;
    *holds = *holds && tn_joint_check_rows(&joints, solution->v, tn_single_forces(p->rows, solution->lambda)) <= joint;
    return TN_OK;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    run r = {.most = options->max_iterations};
    bool fits;
    tn_status status = tn_dense_create(&r.s, problem, arena, &fits, error);
    if (status != TN_OK) {
        return status == TN_NO_MEMORY ? tn_error_set(error, status, "no memory for solver 'dense'") : status;
    }
    report->converged = false;
    if (!fits) {
        return TN_OK;
    }
    r.natural = AIM * (options->tolerance.natural > 0.0 ? options->tolerance.natural : 1e-8);
    r.joint = AIM * (options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8);
    tn_dense_take(&r.s, solution);
    bool exact = tn_dense_is_exact(&r.s), solved = true;
    for (int k = 0; k < REFRESHES && !exact && solved && r.iterations < r.most; k++) {
        solved = solve_rows(&r);
        tn_dense_refresh(&r.s);
        exact = is_done(&r);
    }
    tn_dense_put(&r.s, solution);
    report->iterations = r.iterations;
    report->converged = exact;
    if (exact) {
        return TN_OK;
    }
    status = judge(&r, options, solution, arena, &report->converged);
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for solver 'dense'");
}

const tn_solver tn_solver_dense = {
    .name = "dense",
    .summary = "few contacts, limits and drives: bilateral rows eliminated, dense Newton steps to rounding",
    .sets =
        TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_MOMENTS | TN_TAKES_BALLS | TN_TAKES_ELLIPSES | TN_TAKES_JOINTS,
    .refuses = tn_dense_refusal,
    .solve = solve,
};
