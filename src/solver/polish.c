// Forces and motion of what a solver returns, made exact by dense's Newton steps, island by island.
#include "solver/polish.h"

#include "problem/islands.h"
#include "problem/own_scale.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/dense/system.h"

#include <math.h>

// Newton steps of an island at most, and at most max_iterations over SHARE.
enum { STEPS = 20, SHARE = 10 };
// Islands of up to ALWAYS rows that move anything (two a contact in the plane) are polished: a planar arch of 20 stands
// still only so (physics.planar_stand); more would cost as much again as all else (rigid/box_heap). Others, of at most
// TN_POLISH_ROWS, where they have joints, bodies that carry HEAVY times their own mass, or a contact is wrong by more
// than WRONG (problem/own_scale.h).
enum { ALWAYS = 84 };
static const double HEAVY = 50.0;
static const double WRONG = 1e-3;

// Rows of the contacts whose Jacobian is not zero.
static int moving_rows(const tn_rows *c)
{
    int n = 0;
    for (int r = 0; r < 3 * c->n_triples; r++) {
        bool moves = false;
        for (int e = c->start[r / 3]; e < c->start[r / 3 + 1] && !moves; e++) {
            const double *row = c->jacobian + 9 * (size_t)e + 3 * (size_t)(r % 3);
            moves = row[0] != 0.0 || row[1] != 0.0 || row[2] != 0.0;
        }
        n += moves;
    }
    return n;
}

static bool carries_heavy(const tn_problem *p)
{
    double least = HUGE_VAL, most = 0.0;
    for (int m = 0; m < p->rows->n_triples; m++) {
        double rho = tn_check_rho(p, m);
        least = fmin(least, rho);
        most = fmax(most, rho);
    }
    return most > HEAVY * least;
}

bool tn_polish_is_certain(const tn_problem *p)
{
    return tn_dense_row_count(p) <= TN_POLISH_ROWS &&
           (p->W || p->rows->n_singles > 0 || moving_rows(p->rows) <= ALWAYS || carries_heavy(p));
}

// Whether the island is worth its price.
static bool is_due(const tn_problem *p, const tn_solution *solution)
{
    const tn_rows *c = p->rows;
    if (tn_dense_row_count(p) > TN_POLISH_ROWS) {
        return false;
    }
    bool due = tn_polish_is_certain(p);
    for (int m = 0; !due && m < c->n_triples - c->n_frictions; m++) {
        double u[3];
        tn_contact_row_velocity(p, m, solution->v, solution->lambda, u);
        due = tn_own_error(p, m, tn_check_rho(p, m), solution->lambda + 3 * (size_t)m, u, WRONG) > WRONG;
    }
    return due;
}

static tn_status polish_island(const tn_problem *p, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report)
{
    tn_dense dense;
    bool fits;
    if (!is_due(p, solution)) {
        return TN_OK;
    }
    tn_status status = tn_dense_create(&dense, p, NULL, solution, arena, &fits, NULL);
    if (status == TN_OK && fits) {
        return tn_dense_finish(&dense, options, arena, solution, report, NULL);
    }
    return status == TN_NO_MEMORY ? status : TN_OK; // else that is for the solver to say
}

static tn_status polish_all(const tn_problem *p, const tn_islands *all, const tn_solve_options *options,
                            tn_arena *arena, tn_solution *solution, tn_solve_report *report)
{
    int steps = 0;
    bool converged = true;
    for (int k = 0; k < all->n; k++) {
        if (k == all->loose || 3 * (all->triple_start[k + 1] - all->triple_start[k]) > TN_POLISH_ROWS) {
            converged = converged && k == all->loose;
            continue;
        }
        tn_arena_mark mark = tn_arena_get_mark(arena);
        tn_solve_report one = {.converged = false};
        tn_island island;
        tn_status status = tn_island_take(p, all, k, solution, arena, &island);
        status = status == TN_OK ? polish_island(&island.problem, options, arena, &island.solution, &one) : status;
        if (status != TN_OK) {
            return status;
        }
        tn_island_put(p, all, k, &island, solution);
        steps = one.iterations > steps ? one.iterations : steps;
        converged = converged && one.converged;
        tn_arena_release(arena, mark);
    }
    report->iterations += steps;
    report->converged = report->converged || converged;
    return TN_OK;
}

static tn_status polish(const tn_problem *p, bool island, const tn_solve_options *options, tn_arena *arena,
                        tn_solution *solution, tn_solve_report *report)
{
    if (p->W) {
        return polish_island(p, options, arena, solution, report);
    }
    tn_islands islands = {.n = 1};
    const tn_parts *parts = tn_problem_parts(p, arena);
    if (!parts || (!island && tn_islands_find(p, arena, &islands) != TN_OK)) {
        return TN_NO_MEMORY;
    }
    if (tn_parts_any_sparse(parts)) {
        return TN_OK;
    }
    return islands.n > 1 ? polish_all(p, &islands, options, arena, solution, report)
                         : polish_island(p, options, arena, solution, report);
}

tn_status tn_polish(const tn_problem *problem, bool island, const tn_solve_options *options, tn_arena *arena,
                    tn_solution *solution, tn_solve_report *report)
{
    int share = options->max_iterations / SHARE;
    bool own_rule = options->tolerance.theta > 0.0; // who asks for cond's wants what it leaves
    bool none = problem->rows->n_triples + tn_joint_row_count(problem) == 0 || (problem->A && problem->A->n_rows == 0);
    if (share == 0 || own_rule || none) {
        return TN_OK;
    }
    tn_solve_options share_of = *options;
    share_of.max_iterations = share < STEPS ? share : STEPS;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = polish(problem, island, &share_of, arena, solution, report);
    tn_arena_release(arena, mark);
    return status;
}
