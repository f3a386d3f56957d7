// Mechanisms without contacts, any number of rows: guesses of the rows at their bounds, each one motion of the others.
#include "solver/direct/joints.h"

#include "math/vec3.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/dense/motion.h"

#include <string.h>

enum { MAX_GUESSES = 12 };

typedef struct guess {
    tn_motion motion;
    bool *held; // (rows) within the bounds
    int *side;  // (rows) 0: held; -1, 1: at the lower, upper bound
    double *f;  // (rows)
} guess;

static void start(guess *g, const tn_rows *rows, const double *f)
{
    for (int i = 0; i < rows->n_singles; i++) {
        g->side[i] = rows->lower[i] == rows->upper[i] || f[i] <= rows->lower[i] ? -1 : f[i] >= rows->upper[i] ? 1 : 0;
        g->held[i] = g->side[i] == 0;
    }
}

// v and f of the present sides. False: A is not positive definite to rounding.
static bool settle(guess *g, double *v)
{
    const tn_rows *rows = &g->motion.singles;
    const tn_problem *p = g->motion.problem;
    if (!tn_motion_factor(&g->motion)) {
        return false;
    }
    for (int i = 0; i < p->A->n_rows; i++) {
        tn_vec3_copy(g->motion.push + g->motion.assembly.block_at[i], p->b + 3 * (size_t)i);
    }
    for (int i = 0; i < rows->n_singles; i++) {
        g->f[i] = g->side[i] < 0 ? rows->lower[i] : g->side[i] > 0 ? rows->upper[i] : 0.0;
        for (int e = rows->start[i]; g->f[i] != 0.0 && e < rows->start[i + 1]; e++) {
            double *to = g->motion.push + g->motion.assembly.block_at[rows->block[e]];
            tn_vec3_madd(to, to, g->f[i], rows->jacobian + 3 * (size_t)e);
        }
    }
    tn_motion_find(&g->motion);
    tn_motion_put(&g->motion, v, g->f);
    return true;
}

// Rows whose force has left its bounds or whose velocity pulls them off: to the other side. True: none.
static bool update_sides(guess *g, const double *v)
{
    const tn_rows *rows = &g->motion.singles;
    bool same = true;
    for (int i = 0; i < rows->n_singles; i++) {
        const double lower = rows->lower[i], upper = rows->upper[i];
        int side = g->side[i];
        if (lower == upper) {
            continue;
        }
        if (side == 0) {
            side = g->f[i] < lower ? -1 : g->f[i] > upper ? 1 : 0;
        } else {
            double y = tn_single_velocity(rows, i, v) + rows->compliance[i] * g->f[i];
            side = side * y > 0.0 ? 0 : side;
        }
        same = same && side == g->side[i];
        g->side[i] = side;
        g->held[i] = side == 0;
    }
    return same;
}

tn_status tn_direct_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                 tn_solution *solution, tn_solve_report *report, bool *done, tn_error *error)
{
    int n = problem->rows->n_singles;
    tn_single_check check;
    guess g = {.held = TN_PUSH(arena, bool, n), .side = TN_PUSH(arena, int, n), .f = TN_PUSH(arena, double, n)};
    double *v = TN_PUSH(arena, double, 3 * (size_t)problem->A->n_rows);
    bool fits = true, room = g.held && g.side && g.f && v && tn_single_check_create(&check, problem, arena);
    *done = false;
    tn_status status = room ? tn_motion_create(&g.motion, problem, NULL, g.held, arena, &fits) : TN_NO_MEMORY;
    if (status != TN_OK || !fits) {
        return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for solver 'direct'");
    }
    double *f = tn_single_forces(problem->rows, solution->lambda);
    start(&g, &g.motion.singles, f);
    for (int k = 1; k <= MAX_GUESSES && !*done; k++) {
        if (!settle(&g, v)) {
            return TN_OK;
        }
        *done = update_sides(&g, v);
        report->iterations = k;
    }
    if (*done) {
        double joint = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8;
        memcpy(solution->v, v, 3 * (size_t)problem->A->n_rows * sizeof *v);
        memcpy(f, g.f, (size_t)n * sizeof *f);
        report->converged = tn_single_check_rows(&check, v, f) <= joint;
    }
    return TN_OK;
}
