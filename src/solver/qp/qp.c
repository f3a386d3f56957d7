// qp: the convex law with a polyhedral cone as one quadratic program, by a dual active set method (Goldfarb and Idnani
// 1983, for forces between two bounds as in rows.h).
//
// The working set holds the rows whose velocity is kept at zero by a force between its bounds. While some other row's
// velocity is wrong, its force is moved, those of the working set following, until that velocity is zero, a force of
// the set meets a bound and leaves it, or the row's own force does. Each row brought to zero lowers the program's
// value, so no working set comes twice. Rows that depend on the working set only shift forces until one leaves it.
#include "base/timer.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/facets.h"
#include "solver/qp/set.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-13;   // violations, of the largest velocity without forces
static const double REACHED = 1e-11; // that count as solved where rounding leaves no less
enum { MAX_SET = 6000, REFRESH = 50, MAX_REFRESHES = 10 };

// ---- steps

// How far the set's forces can go along `along`, at most `most`; *blocks is the one that stops them, or -1.
static double find_step(const tn_qp_set *s, double most, int *blocks)
{
    double step = most;
    *blocks = -1;
    for (int k = 0; k < s->factor.n; ++k) {
        int i = s->set[k];
        double slope = s->along[k];
        double room = slope > 0.0 ? s->rows->upper[i] - s->f[i] : slope < 0.0 ? s->f[i] - s->rows->lower[i] : INFINITY;
        if (room < step * fabs(slope)) {
            step = room / fabs(slope);
            *blocks = k;
        }
    }
    return step;
}

// f += step along, of the first n of the set.
static void move(tn_qp_set *s, int n, double step)
{
    for (int k = 0; k < n; ++k) {
        s->along[k] *= step;
        s->f[s->set[k]] += s->along[k];
    }
    tn_qp_rows_add(s->rows, n, s->set, s->along, s->n_watched, s->watched, s->y);
}

static void block(tn_qp_set *s, int at)
{
    int i = s->set[at];
    bool low = s->f[i] - s->rows->lower[i] < s->rows->upper[i] - s->f[i];
    s->f[i] = low ? s->rows->lower[i] : s->rows->upper[i]; // the bound that it met, to the last bit
    tn_qp_set_leave(s, at);
}

// The working set's velocities to zero, rows that meet their bounds on the way leave it.
static void settle(tn_qp_set *s)
{
    while (s->factor.n > 0) {
        int n = s->factor.n, blocks;
        for (int k = 0; k < n; ++k) {
            s->along[k] = -s->y[s->set[k]];
        }
        tn_working_factor_forward(&s->factor, s->along);
        tn_working_factor_backward(&s->factor, s->along);
        double step = find_step(s, 1.0, &blocks);
        move(s, n, step);
        if (blocks < 0) {
            return;
        }
        block(s, blocks);
    }
}

static double violation(const tn_qp_set *s, int i)
{
    double y = s->y[i];
    return y < 0.0 && s->f[i] < s->rows->upper[i] ? -y : y > 0.0 && s->f[i] > s->rows->lower[i] ? y : 0.0;
}

// The row that is wrong by most, -1: none by more than `least`.
static int find_wrong(const tn_qp_set *s, double least)
{
    int wrong = -1;
    for (int k = 0; k < s->n_watched; ++k) {
        int i = s->watched[k];
        if (!s->working[i] && !s->given_up[i] && violation(s, i) > least) {
            least = violation(s, i);
            wrong = i;
        }
    }
    return wrong;
}

// Row p's velocity to zero. False: nothing stops the forces, so nothing can right it.
static bool right(tn_qp_set *s, int p)
{
    double sign = s->y[p] < 0.0 ? 1.0 : -1.0;
    while (s->changes < s->max_changes && !tn_problem_stopped(s->rows->problem)) {
        double left = tn_qp_set_reduce(s, p);
        int n = s->factor.n, blocks;
        bool dependent = !(left > TN_QP_DEPENDENT) || !tn_qp_set_has_room(s);
        double bound = sign > 0.0 ? s->rows->upper[p] - s->f[p] : s->f[p] - s->rows->lower[p];
        double full = dependent ? INFINITY : fabs(s->y[p]) / left;
        memcpy(s->along, s->column, (size_t)n * sizeof *s->along);
        tn_working_factor_backward(&s->factor, s->along);
        for (int k = 0; k < n; ++k) {
            s->along[k] *= -sign;
        }
        double most = full < bound ? full : bound, step = find_step(s, most, &blocks);
        if (!isfinite(step)) {
            return false;
        }
        s->along[n] = sign;
        s->set[n] = p;
        move(s, n + 1, step);
        if (blocks < 0 && full < bound) {
            tn_qp_set_enter(s, p, left);
            return true;
        }
        if (blocks < 0) {
            s->f[p] = sign > 0.0 ? s->rows->upper[p] : s->rows->lower[p];
            ++s->changes;
            return true;
        }
        block(s, blocks);
        if (!(sign * s->y[p] < 0.0)) { // the shift of forces has righted it by rounding
            return true;
        }
    }
    return true;
}

static double worst_of(const tn_qp_set *s)
{
    double worst = 0.0;
    for (int i = 0; i < s->rows->n; ++i) {
        worst = fmax(worst, s->working[i] ? fabs(s->y[i]) : violation(s, i));
    }
    return worst;
}

// y and the working set's forces without what rounding left in them, and the rows to watch from here on. Returns
// whether a row is wrong that was not watched.
static bool look_at_all(tn_qp_set *s)
{
    bool missed = false;
    tn_qp_set_watch(s, true);
    tn_qp_set_refresh(s);
    settle(s);
    for (int i = 0; i < s->rows->n; ++i) {
        bool wrong = violation(s, i) > EXACT * s->scale;
        missed = missed || (wrong && !s->near[i]);
        s->near[i] = s->near[i] || wrong || s->working[i] || tn_qp_set_is_near(s, i);
    }
    return missed;
}

// Until no watched row is wrong.
static void right_all(tn_qp_set *s)
{
    int p, until = s->changes + REFRESH;
    tn_qp_set_watch(s, false);
    while (s->changes < s->max_changes && !tn_problem_stopped(s->rows->problem) &&
           (p = find_wrong(s, EXACT * s->scale)) >= 0) {
        s->given_up[p] = !right(s, p);
        if (s->changes > until) {
            tn_qp_set_factorise(s);
            tn_qp_set_refresh(s);
            settle(s);
            until = s->changes + REFRESH;
        }
    }
}

static void run(tn_qp_set *s)
{
    double last = INFINITY;
    look_at_all(s);
    for (int round = 0; round < MAX_REFRESHES;) {
        right_all(s);
        bool missed = look_at_all(s);
        double worst = worst_of(s);
        if (worst <= EXACT * s->scale || (!missed && !(worst < 0.5 * last)) || s->changes >= s->max_changes) {
            return;
        }
        last = missed ? INFINITY : worst;
        round += !missed;
    }
}

// ---- the solver

// No more rows than velocities are independent, unless they give way by themselves.
static double largest_set(const tn_problem *problem, double n_rows)
{
    bool gives = problem->rows->softness != NULL;
    for (int i = 0; i < tn_joint_row_count(problem); ++i) {
        gives = gives || problem->rows->compliance[i] > 0.0;
    }
    double most = 3.0 * problem->A->n_rows;
    return gives || n_rows < most ? n_rows : most;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_qp_rows rows;
    tn_qp_set s;
    double start = tn_timer_now();
    tn_status status = tn_qp_rows_create(problem, arena, &rows, error);
    if (status != TN_OK) {
        return status;
    }
    if (!tn_qp_set_create(&s, &rows, (int)largest_set(problem, rows.n), arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a quadratic program of %d rows", rows.n);
    }
    tn_qp_rows_read(&rows, solution, s.f);
    tn_qp_set_start(&s, !problem->rows->softness);
    report->setup_s = tn_timer_now() - start;
    int owners = problem->rows->n_triples + tn_joint_row_count(problem);
    double most = (double)options->max_iterations * (owners > 0 ? owners : 1);
    s.max_changes = most < 1e9 ? (int)most : 1000000000;
    run(&s);
    report->iterations = owners > 0 ? (s.changes + owners - 1) / owners : 0;
    report->converged = worst_of(&s) <= REACHED * s.scale;
    tn_qp_rows_write(&rows, s.f, solution);
    return TN_OK;
}

static const char *refuses(const tn_problem *problem)
{
    if (!problem->A) {
        return "it needs bodies, not the local form; lemke takes that";
    }
    if (problem->law == TN_LAW_COULOMB) {
        return "the strict law is no quadratic program; lemke takes it, or set law: convex";
    }
    if (problem->hints && tn_parts_any_sparse(problem->hints->parts)) {
        return TN_QP_ELASTIC;
    }
    double rows = tn_joint_row_count(problem);
    for (int m = 0; m < problem->rows->n_triples; ++m) {
        rows += fmax(tn_facets_count(problem, m), 1.0);
    }
    if (largest_set(problem, rows) > MAX_SET) {
        return "its factor is dense, and more than 6000 rows that press at once are too many; auto takes the round "
               "cone";
    }
    return tn_facets_refusal(problem);
}

const tn_solver tn_solver_qp = {
    .name = "qp",
    .summary = "the convex law with a polyhedral friction cone as a quadratic program: dual active set method",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_SINGLES,
    .refuses = refuses,
    .solve = solve,
};
