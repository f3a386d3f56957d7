// Bodies that constraints touch which are due, then all constraints that touch these bodies.
#include "solver/near.h"

#include "problem/problem.h"
#include "problem/rows.h"

#include <string.h>

// An island of which near constraints are more than this part is solved whole.
static const double WHOLE = 0.5;

static void mark_parts(const tn_rows *rows, int i, const tn_parts *parts, bool *marked)
{
    for (int e = rows->start[i]; e < rows->start[i + 1]; e++) {
        marked[parts->of_block[rows->block[e]]] = true;
    }
}

static bool touches(const tn_rows *rows, int i, const tn_parts *parts, const bool *marked)
{
    for (int e = rows->start[i]; e < rows->start[i + 1]; e++) {
        if (marked[parts->of_block[rows->block[e]]]) {
            return true;
        }
    }
    return false;
}

// Island k's rows among active (triples, then singles).
static void choose_in(const tn_rows *rows, const tn_islands *all, int k, const bool *due, bool *marked, bool *active)
{
    const int *triple = all->triple + all->triple_start[k], *single = all->single + all->single_start[k];
    int n = all->triple_start[k + 1] - all->triple_start[k], n_near = 0;
    int n_singles = all->single_start[k + 1] - all->single_start[k];
    for (int i = 0; i < n; i++) {
        if (due[triple[i]]) {
            mark_parts(rows, triple[i], all->parts, marked);
        }
    }
    for (int i = 0; i < n; i++) {
        active[triple[i]] = touches(rows, triple[i], all->parts, marked);
        n_near += active[triple[i]];
    }
    bool whole = k == all->whole || n_singles > 0 || n_near > WHOLE * n;
    for (int i = 0; whole && i < n; i++) {
        active[triple[i]] = true;
    }
    for (int i = 0; i < n_singles; i++) {
        active[rows->n_triples + single[i]] = true;
    }
}

// b of the problem and what the constraints that are not active push.
static bool push_idle(tn_problem *problem, const bool *active, const double *lambda, tn_arena *arena)
{
    size_t n = 3 * (size_t)problem->A->n_rows, n_triples = (size_t)problem->rows->n_triples;
    double *b = TN_PUSH_RAW(arena, double, n), *idle = TN_PUSH(arena, double, 3 * n_triples);
    if (!b || !idle) {
        return false;
    }
    for (size_t m = 0; m < n_triples; m++) {
        memcpy(idle + 3 * m, lambda + 3 * m, active[m] ? 0 : 3 * sizeof *idle);
    }
    memcpy(b, problem->b, n * sizeof *b);
    tn_problem_add_contact_force(problem, idle, b);
    problem->b = b;
    return true;
}

tn_status tn_near_choose(tn_problem *problem, const tn_aims *aims, const tn_solution *solution, tn_arena *arena,
                         tn_islands *islands)
{
    const tn_rows *rows = problem->rows;
    bool *marked = TN_PUSH(arena, bool, islands->parts->n);
    bool *active = TN_PUSH(arena, bool, (size_t)rows->n_triples + (size_t)rows->n_singles);
    if (!marked || !active) {
        return TN_NO_MEMORY;
    }
    for (int k = 0; k < islands->n; k++) {
        choose_in(rows, islands, k, aims->due, marked, active);
    }
    return push_idle(problem, active, solution->lambda, arena) ? tn_islands_find(problem, active, arena, islands)
                                                               : TN_NO_MEMORY;
}
