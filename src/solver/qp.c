// qp: the convex law with a polyhedral cone as one quadratic program, by a dual active set method (Goldfarb and Idnani
// 1983, for forces between two bounds as in qp_rows.h).
//
// The working set holds the rows whose velocity is kept at zero by a force between its bounds. While some other row's
// velocity is wrong, its force is moved, those of the working set following, until that velocity is zero, a force of
// the set meets a bound and leaves it, or the row's own force does. Each row brought to zero lowers the program's
// value, so no working set comes twice. Rows that depend on the working set only shift forces until one leaves it.
#include "base/timer.h"
#include "problem/joint_rows.h"
#include "solver/facets.h"
#include "solver/qp_rows.h"
#include "solver/solvers.h"
#include "solver/working_factor.h"

#include <math.h>
#include <string.h>

// Rows are scaled to N_ii = 1. A row with less than this left after the working set depends on it.
static const double DEPENDENT = 1e-10;
static const double EXACT = 1e-13;   // violations, of the largest velocity without forces
static const double REACHED = 1e-11; // that count as solved where rounding leaves no less
enum { SWEEPS = 30 };                // before the first working set is read from the forces
enum { MAX_ROWS = 6000, REFRESH = 50, MAX_REFRESHES = 10 };

typedef struct active_set {
    const tn_qp_rows *rows;
    double *f, *y;  // (rows->n) scaled forces and velocities
    int *all;       // (n) 0, 1, ..
    int *order;     // (n) rows as the factor likes them
    int *set;       // (n) rows of the working set in the factor's order, then room for one more
    bool *working;  // (rows->n)
    bool *given_up; // (rows->n) no force can right it: contradictory rows
    double *along;  // (n) change of the set's forces a unit of the entering one
    double *column; // (n)
    tn_working_factor factor;
    double scale; // largest velocity without forces
    int changes, max_changes;
} active_set;

static bool create(active_set *s, const tn_qp_rows *rows, int capacity, tn_arena *arena)
{
    *s = (active_set){.rows = rows};
    size_t n = (size_t)rows->n;
    s->f = TN_PUSH_RAW(arena, double, n);
    s->y = TN_PUSH_RAW(arena, double, n);
    s->set = TN_PUSH_RAW(arena, int, n + 1);
    s->all = TN_PUSH_RAW(arena, int, n);
    s->order = TN_PUSH_RAW(arena, int, n);
    s->working = TN_PUSH(arena, bool, n);
    s->given_up = TN_PUSH(arena, bool, n);
    s->along = TN_PUSH_RAW(arena, double, n + 1);
    s->column = TN_PUSH_RAW(arena, double, n);
    bool ok = tn_working_factor_create(capacity, arena, &s->factor);
    ok = ok && s->f && s->y && s->set && s->all && s->order && s->working && s->given_up && s->along && s->column;
    for (size_t i = 0; ok && i < n; ++i) {
        s->scale = fmax(s->scale, fabs(rows->c[i]));
        s->all[i] = (int)i;
    }
    return ok && tn_qp_rows_order(rows, arena, s->order);
}

// ---- the working set

static void leave(active_set *s, int at)
{
    s->working[s->set[at]] = false;
    tn_working_factor_remove(&s->factor, at);
    memmove(s->set + at, s->set + at + 1, (size_t)(s->factor.n - at) * sizeof *s->set);
    ++s->changes;
}

// What of row p the working set leaves free; column becomes L^-1 of its column.
static double reduce(active_set *s, int p)
{
    int n = s->factor.n;
    double left = 0.0;
    s->set[n] = p;
    tn_qp_rows_column(s->rows, p, n + 1, s->set, s->column);
    left = s->column[n];
    tn_working_factor_forward(&s->factor, s->column);
    for (int i = 0; i < n; ++i) {
        left -= s->column[i] * s->column[i];
    }
    return left;
}

static void enter(active_set *s, int p, double left)
{
    s->set[s->factor.n] = p;
    s->working[p] = true;
    tn_working_factor_append(&s->factor, s->column, left);
    ++s->changes;
}

static bool has_room(const active_set *s)
{
    return s->factor.n < s->factor.capacity;
}

// The factor of the rows that are marked as working, anew; those that depend on others keep their force and are left
// out.
static void factorise(active_set *s)
{
    int changes = s->changes;
    s->factor.n = 0;
    for (int k = 0; k < s->rows->n; ++k) {
        int i = s->order[k];
        if (!s->working[i]) {
            continue;
        }
        double left = has_room(s) ? reduce(s, i) : 0.0;
        if (left > DEPENDENT) {
            enter(s, i, left);
        } else {
            s->working[i] = false;
        }
    }
    s->changes = changes;
}

static void start_set(active_set *s)
{
    for (int i = 0; i < s->rows->n; ++i) {
        s->working[i] = s->f[i] > s->rows->lower[i] && s->f[i] < s->rows->upper[i];
    }
    factorise(s);
}

// ---- steps

// How far the set's forces can go along `along`, at most `most`; *blocks is the one that stops them, or -1.
static double find_step(const active_set *s, double most, int *blocks)
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
static void move(active_set *s, int n, double step)
{
    for (int k = 0; k < n; ++k) {
        s->along[k] *= step;
        s->f[s->set[k]] += s->along[k];
    }
    tn_qp_rows_add(s->rows, n, s->set, s->along, s->y);
}

static void block(active_set *s, int at)
{
    int i = s->set[at];
    bool low = s->f[i] - s->rows->lower[i] < s->rows->upper[i] - s->f[i];
    s->f[i] = low ? s->rows->lower[i] : s->rows->upper[i]; // the bound that it met, to the last bit
    leave(s, at);
}

// The working set's velocities to zero, rows that meet their bounds on the way leave it.
static void settle(active_set *s)
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

static double violation(const active_set *s, int i)
{
    double y = s->y[i];
    return y < 0.0 && s->f[i] < s->rows->upper[i] ? -y : y > 0.0 && s->f[i] > s->rows->lower[i] ? y : 0.0;
}

// The row that is wrong by most, -1: none by more than `least`.
static int find_wrong(const active_set *s, double least)
{
    int wrong = -1;
    for (int i = 0; i < s->rows->n; ++i) {
        if (!s->working[i] && !s->given_up[i] && violation(s, i) > least) {
            least = violation(s, i);
            wrong = i;
        }
    }
    return wrong;
}

// Row p's velocity to zero. False: nothing stops the forces, so nothing can right it.
static bool right(active_set *s, int p)
{
    double sign = s->y[p] < 0.0 ? 1.0 : -1.0;
    while (s->changes < s->max_changes) {
        double left = reduce(s, p);
        int n = s->factor.n, blocks;
        bool dependent = !(left > DEPENDENT) || !has_room(s);
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
            enter(s, p, left);
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

// y from f, without what rounding left in it.
static void refresh(active_set *s)
{
    memcpy(s->y, s->rows->c, (size_t)s->rows->n * sizeof *s->y);
    tn_qp_rows_add(s->rows, s->rows->n, s->all, s->f, s->y);
}

static double worst_of(const active_set *s)
{
    double worst = 0.0;
    for (int i = 0; i < s->rows->n; ++i) {
        worst = fmax(worst, s->working[i] ? fabs(s->y[i]) : violation(s, i));
    }
    return worst;
}

static void run(active_set *s)
{
    double last = INFINITY;
    refresh(s);
    settle(s);
    for (int round = 0; round < MAX_REFRESHES; ++round) {
        int p, until = s->changes + REFRESH;
        while (s->changes < s->max_changes && (p = find_wrong(s, EXACT * s->scale)) >= 0) {
            s->given_up[p] = !right(s, p);
            if (s->changes > until) {
                factorise(s);
                refresh(s);
                settle(s);
                until = s->changes + REFRESH;
            }
        }
        refresh(s);
        settle(s);
        double worst = worst_of(s);
        if (worst <= EXACT * s->scale || !(worst < 0.5 * last)) {
            return;
        }
        last = worst;
    }
}

// ---- the solver

// No more rows than velocities are independent, unless they give way by themselves.
static int largest_set(const tn_problem *problem, int n_rows)
{
    bool gives = problem->contacts->omega != NULL;
    for (int i = 0; i < tn_joint_row_count(problem); ++i) {
        gives = gives || problem->joints->compliance[i] > 0.0;
    }
    int most = 3 * problem->A->n_rows;
    return gives || n_rows < most ? n_rows : most;
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_qp_rows rows;
    active_set s;
    double start = tn_timer_now();
    tn_status status = tn_qp_rows_create(problem, arena, &rows, error);
    if (status != TN_OK) {
        return status;
    }
    if (!create(&s, &rows, largest_set(problem, rows.n), arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a quadratic program of %d rows", rows.n);
    }
    tn_qp_rows_read(&rows, solution, s.f);
    if (!problem->contacts->omega) {
        tn_qp_rows_sweep(&rows, SWEEPS, s.f);
    }
    start_set(&s);
    report->setup_s = tn_timer_now() - start;
    int owners = problem->contacts->n + tn_joint_row_count(problem);
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
    if (!tn_qp_rows_small_components(problem->A)) {
        return "it takes rigid bodies, and A couples more than four blocks; auto takes that";
    }
    double rows = tn_joint_row_count(problem);
    for (int m = 0; m < problem->contacts->n; ++m) {
        rows += fmax(tn_facets_count(problem, m), 1.0);
    }
    if (rows > MAX_ROWS) {
        return "its factor is dense, and more than 6000 rows are too many; auto takes the round cone";
    }
    return tn_facets_refusal(problem);
}

const tn_solver tn_solver_qp = {
    .name = "qp",
    .summary = "the convex law with a polyhedral friction cone as a quadratic program: dual active set method",
    .refuses = refuses,
    .takes_joints = TN_JOINTS_OWN,
    .takes_facets = true,
    .solve = solve,
};
