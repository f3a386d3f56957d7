#include "solver/polish.h"

#include "problem/own_scale.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/dense/system.h"
#include "solver/polish/system.h"

#include <math.h>
#include <string.h>

// Newton steps of an island at most, and at most max_iterations over SHARE.
enum { STEPS = 20, SHARE = 10 };
// Islands of up to ALWAYS rows that move anything (two a contact in the plane) are polished: a planar arch of 20 stands
// still only so (physics.planar_stand); more would cost as much again as all else (rigid/box_heap). Others, of at most
// TN_POLISH_ROWS, where they have joints, bodies that carry HEAVY times their own mass, or a contact is wrong by more
// than WRONG (problem/own_scale.h).
enum { ALWAYS = 84 };
static const double HEAVY = 50.0;
static const double WRONG = 1e-3;
// Times what rounding makes of the residual: where Newton's method ends.
static const double EXACT = 8.0;
// Part of an island's residual that new forces that are not exact may have to be taken.
static const double BETTER = 0.1;
// What came of the islands.
typedef struct outcome {
    int steps;  // most of an island
    bool moved; // some have new forces
    bool exact; // all that there are
} outcome;

static bool is_exact(const tn_polish_system *s)
{
    return s->norm <= EXACT * s->rounding;
}

// Newton steps that lessen the residual, and where none does whole ones: where a tower's forces are to come from
// nothing, each step closes one contact more, and the residual grows until the last one. Returns their number.
static int iterate(tn_polish_system *s, int most)
{
    int steps = 0;
    while (steps < most && !is_exact(s) && tn_polish_step(s, false)) {
        steps++;
    }
    if (steps == most || is_exact(s)) {
        return steps;
    }
    double norm = s->norm;
    memcpy(s->best, s->x, (size_t)s->size * sizeof *s->best);
    tn_polish_set(s, s->best); // the last step may have left another map
    while (steps < most && !is_exact(s) && tn_polish_step(s, true)) {
        steps++;
        if (s->norm < norm) {
            norm = s->norm;
            memcpy(s->best, s->x, (size_t)s->size * sizeof *s->best);
        }
    }
    if (!is_exact(s)) {
        tn_polish_set(s, s->best);
    }
    return steps;
}

// Joint rows whose force is bounded, or contacts: without either the problem is linear, and its solver's factor has
// ended it.
static bool has_choices(const tn_problem *p, const tn_polish_island *island)
{
    bool any = island->n > 0;
    for (int k = 0; !any && k < island->n_joints; k++) {
        int i = island->joint[k];
        any = p->rows->lower[i] > -INFINITY || p->rows->upper[i] < INFINITY;
    }
    return any;
}

// Rows of the contacts whose Jacobian is not zero.
static int moving_rows(const tn_problem *p, const tn_polish_island *island)
{
    const tn_rows *c = p->rows;
    int n = 0;
    for (int k = 0; k < island->n; k++) {
        int m = island->contact[k];
        for (int i = 0; i < 3; i++) {
            bool moves = false;
            for (int e = c->start[m]; e < c->start[m + 1] && !moves; e++) {
                const double *row = c->jacobian + 9 * (size_t)e + 3 * (size_t)i;
                moves = row[0] != 0.0 || row[1] != 0.0 || row[2] != 0.0;
            }
            n += moves;
        }
    }
    return n;
}

static bool carries_heavy(const tn_problem *p, const tn_polish_island *island)
{
    double least = HUGE_VAL, most = 0.0;
    for (int k = 0; k < island->n; k++) {
        double rho = tn_check_rho(p, island->contact[k]);
        least = fmin(least, rho);
        most = fmax(most, rho);
    }
    return most > HEAVY * least;
}

// Whether the island is worth its price.
static bool is_due(const tn_problem *p, const tn_polish_island *island, const tn_solution *solution)
{
    const tn_rows *c = p->rows;
    bool due = has_choices(p, island) &&
               (p->W || island->n_joints > 0 || moving_rows(p, island) <= ALWAYS || carries_heavy(p, island));
    for (int k = 0; !due && k < island->n && island->contact[k] < c->n_triples - c->n_frictions; k++) {
        int m = island->contact[k];
        double u[3];
        tn_contact_row_velocity(p, m, solution->v, solution->lambda, u);
        due = tn_own_error(p, m, tn_check_rho(p, m), solution->lambda + 3 * (size_t)m, u, WRONG) > WRONG;
    }
    return due;
}

static void polish_island(tn_polish_system *s, const tn_polish_island *island, int most, tn_solution *solution,
                          outcome *out)
{
    tn_polish_take(s, island, solution);
    if (is_exact(s)) {
        tn_polish_settle(s, solution);
        return;
    }
    double norm = s->norm, force = s->force, speed = s->speed;
    int steps = iterate(s, most);
    out->steps = steps > out->steps ? steps : out->steps;
    out->exact = out->exact && is_exact(s);
    // Where contacts share a force in many ways the residual alone may be small far from any solution.
    bool nearer = s->force <= force && s->speed <= speed;
    if (nearer && (is_exact(s) || s->norm <= BETTER * norm)) {
        tn_polish_put(s, solution);
        out->moved = true;
    }
}

static tn_status polish_islands(const tn_problem *p, const tn_part_factors *factors, const tn_polish_islands *islands,
                                int most, tn_arena *arena, tn_solution *solution, outcome *out)
{
    tn_polish_system s;
    if (!tn_polish_room(&s, p, factors, islands->most, arena)) {
        return TN_NO_MEMORY;
    }
    int n = 0;
    for (int k = 0; k < islands->n; k++) {
        const tn_polish_island *island = &islands->island[k];
        if (is_due(p, island, solution)) {
            polish_island(&s, island, most, solution, out);
            n += island->n;
        }
    }
    out->exact = out->exact && n == p->rows->n_triples;
    return TN_OK;
}

static tn_status polish(const tn_problem *p, int most, tn_arena *arena, tn_solution *solution, tn_solve_report *report)
{
    const tn_parts *parts = p->A ? tn_problem_parts(p, arena) : NULL;
    tn_part_factors factors = {0};
    tn_polish_islands islands;
    tn_error ignored;
    if (parts && tn_parts_any_sparse(parts)) {
        return TN_OK;
    }
    if ((p->A && !parts) || !tn_polish_islands_find(p, parts, TN_POLISH_ROWS, arena, &islands)) {
        return TN_NO_MEMORY;
    }
    tn_status status = islands.n > 0 && p->A ? tn_parts_factor(p->A, parts, 1, arena, &factors, &ignored) : TN_OK;
    if (islands.n == 0 || status != TN_OK) {
        return status == TN_NUMERICS ? TN_OK : status; // that is for the solver to say
    }
    outcome out = {.exact = true};
    status = polish_islands(p, &factors, &islands, most, arena, solution, &out);
    report->iterations += out.steps;
    report->converged = report->converged || (out.exact && out.moved);
    return status;
}

// With joints, all of a problem at once.
static tn_status polish_joined(const tn_problem *p, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report)
{
    tn_dense dense;
    bool fits;
    tn_status status = tn_dense_create(&dense, p, NULL, solution, arena, &fits, NULL);
    if (status == TN_OK && fits) {
        return tn_dense_finish(&dense, options, arena, solution, report, NULL);
    }
    return status == TN_NO_MEMORY ? status : TN_OK;
}

tn_status tn_polish(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                    tn_solve_report *report)
{
    int share = options->max_iterations / SHARE, most = share < STEPS ? share : STEPS;
    bool own_rule = options->tolerance.theta > 0.0; // who asks for cond's wants what it leaves
    bool none = problem->rows->n_triples + tn_joint_row_count(problem) == 0 || (problem->A && problem->A->n_rows == 0);
    if (most == 0 || own_rule || none) {
        return TN_OK;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool joined = problem->A && tn_joint_row_count(problem) > 0 && tn_dense_row_count(problem) <= TN_POLISH_ROWS;
    tn_solve_options share_of = *options;
    share_of.max_iterations = most;
    tn_status status = joined ? polish_joined(problem, &share_of, arena, solution, report)
                              : polish(problem, most, arena, solution, report);
    tn_arena_release(arena, mark);
    return status;
}
