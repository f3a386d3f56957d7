#include "solver/gauss_seidel.h"

#include "kernels/dense_rows.h"
#include "kernels/mixer/mixer.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "solver/pace.h"

#include <string.h>

enum { DEPTH = 5 }; // differences of blocks that the mixer remembers

tn_delassus_kind tn_gauss_seidel_choose(const tn_problem *problem, tn_arena *arena)
{
    return tn_problem_is_elastic(problem, arena) ? TN_DELASSUS_DENSE : tn_delassus_choose(problem, arena);
}

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the Gauss-Seidel sweep");
}

static tn_status create_rows(tn_gauss_seidel *gs, tn_delassus_kind kind, tn_arena *arena, tn_error *error)
{
    tn_status status = tn_delassus_create(gs->problem, kind, arena, &gs->delassus, error);
    if (status != TN_OK) {
        return status;
    }
    int n = gs->problem->rows->n_triples;
    double *own = TN_PUSH(arena, double, 9 * n);
    gs->running = gs->delassus.dense ? TN_PUSH(arena, double, 3 * n) : NULL;
    if (!own || (gs->delassus.dense && !gs->running)) {
        return no_memory(error);
    }
    memcpy(own, gs->delassus.diagonal, (size_t)(9 * n) * sizeof *own);
    for (int m = 0; m < n; ++m) {
        tn_rows_soften(gs->problem->rows, m, own + 9 * m);
    }
    gs->own = own;
    gs->q = gs->delassus.q;
    return TN_OK;
}

tn_status tn_gauss_seidel_create(tn_gauss_seidel *gs, const tn_problem *problem, tn_delassus_kind kind,
                                 const double *lambda, tn_arena *arena, tn_error *error)
{
    *gs = (tn_gauss_seidel){.problem = problem};
    gs->lambda = TN_PUSH(arena, double, tn_mixer_room(3 * problem->rows->n_triples));
    gs->u = TN_PUSH(arena, double, 3 * problem->rows->n_triples);
    if (!gs->lambda || !gs->u) {
        return no_memory(error);
    }
    tn_status status = create_rows(gs, kind, arena, error);
    if (status == TN_OK) {
        tn_gauss_seidel_set(gs, lambda);
    }
    return status;
}

void tn_gauss_seidel_destroy(tn_gauss_seidel *gs)
{
    tn_delassus_destroy(&gs->delassus);
}

// running from the forces: no rounding of earlier sweeps.
static void refresh_running(tn_gauss_seidel *gs)
{
    size_t n = 3 * (size_t)gs->problem->rows->n_triples;
    memcpy(gs->running, gs->q, n * sizeof *gs->running);
    for (size_t m = 0; m < n / 3; ++m) {
        const double *force = gs->lambda + 3 * m;
        if (force[0] != 0.0 || force[1] != 0.0 || force[2] != 0.0) {
            tn_dense_rows_add((int)n, gs->delassus.dense + 3 * m * n, force, gs->running);
        }
    }
}

void tn_gauss_seidel_set(tn_gauss_seidel *gs, const double *lambda)
{
    if (lambda != gs->lambda) {
        memcpy(gs->lambda, lambda, (size_t)(3 * gs->problem->rows->n_triples) * sizeof *lambda);
    }
    if (gs->running) {
        refresh_running(gs);
    }
}

// u of contact m from its row of N, without Omega.
static void row_velocity(const tn_gauss_seidel *gs, int m, double u[3])
{
    const tn_blocks *N = gs->delassus.N;
    tn_vec3_copy(u, gs->delassus.q + 3 * m);
    for (int k = N->start[m]; k < N->start[m + 1]; ++k) {
        tn_mat3_add_vec(u, N->value + 9 * k, gs->lambda + 3 * N->column[k]);
    }
}

// One contact with a dense N, and what its change does to all velocities: N is symmetric, its rows are its columns.
static void solve_running(tn_gauss_seidel *gs, int m)
{
    const tn_problem *p = gs->problem;
    size_t n = 3 * (size_t)p->rows->n_triples;
    double *lambda = gs->lambda + 3 * m, q[3], pushed[3], change[3];
    tn_vec3_copy(change, lambda);
    tn_mat3_vec(pushed, gs->delassus.diagonal + 9 * m, lambda);
    tn_vec3_sub(q, gs->running + 3 * m, pushed);
    tn_bound bound = tn_problem_bound(p, m, gs->lambda);
    tn_set_solve(&bound, gs->own + 9 * m, q, lambda);
    tn_vec3_sub(change, lambda, change);
    if (change[0] != 0.0 || change[1] != 0.0 || change[2] != 0.0) {
        tn_dense_rows_add((int)n, gs->delassus.dense + 3 * (size_t)m * n, change, gs->running);
    }
}

static void solve_row(tn_gauss_seidel *gs, int m)
{
    const tn_problem *p = gs->problem;
    const double *own = gs->own + 9 * m;
    double *lambda = gs->lambda + 3 * m;
    double q[3], pushed[3];
    row_velocity(gs, m, q);
    if (p->rows->softness) {
        tn_mat3_add_vec(q, p->rows->softness + 9 * m, lambda);
    }
    tn_mat3_vec(pushed, own, lambda);
    tn_vec3_sub(q, q, pushed);
    tn_bound bound = tn_problem_bound(p, m, gs->lambda);
    tn_set_solve(&bound, own, q, lambda);
}

// one pass over the contacts
static void sweep_all(tn_gauss_seidel *gs)
{
    for (int m = 0; m < gs->problem->rows->n_triples; ++m) {
        (gs->running ? solve_running : solve_row)(gs, m);
    }
}

void tn_gauss_seidel_velocity(tn_gauss_seidel *gs)
{
    const tn_rows *c = gs->problem->rows;
    if (gs->running) {
        refresh_running(gs);
    }
    for (int m = 0; m < c->n_triples; ++m) {
        if (gs->running) {
            tn_vec3_copy(gs->u + 3 * m, gs->running + 3 * m);
        } else {
            row_velocity(gs, m, gs->u + 3 * m);
        }
        if (c->softness) {
            tn_mat3_add_vec(gs->u + 3 * m, c->softness + 9 * m, gs->lambda + 3 * m);
        }
    }
}

tn_status tn_gauss_seidel_solve(tn_gauss_seidel *gs, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena)
{
    int n = 3 * gs->problem->rows->n_triples;
    double *best = TN_PUSH(arena, double, n);
    double *start = TN_PUSH(arena, double, tn_mixer_room(n)); // of the block
    tn_mixer mixer;
    tn_mixer_options mixing = {.n = tn_mixer_room(n), .depth = n < DEPTH ? n : DEPTH, .doubles = true};
    if (!best || !start || !tn_mixer_create(&mixer, &mixing, arena)) {
        return TN_NO_MEMORY;
    }
    tn_gauss_seidel_velocity(gs);
    run->score = tn_check_score(check, gs->lambda, gs->u);
    memcpy(best, gs->lambda, (size_t)n * sizeof *best);
    memcpy(start, gs->lambda, (size_t)n * sizeof *start);
    tn_pace pace = tn_pace_start(run->score);
    tn_pace_next next = TN_PACE_PLAIN;
    for (run->sweeps = 0; run->score > 1.0 && run->sweeps < run->max_sweeps && next != TN_PACE_STOP;) {
        for (int k = 0; k < TN_PACE_BLOCK; ++k) {
            sweep_all(gs);
        }
        run->sweeps += TN_PACE_BLOCK;
        tn_gauss_seidel_velocity(gs);
        double score = tn_check_score(check, gs->lambda, gs->u);
        if (score < run->score) {
            run->score = score;
            memcpy(best, gs->lambda, (size_t)n * sizeof *best);
        }
        next = tn_pace_go_on(&pace, run);
        if (next == TN_PACE_MIX) {
            tn_mixer_advance(&mixer, start, gs->lambda);
            tn_gauss_seidel_set(gs, gs->lambda);
            continue;
        }
        if (next == TN_PACE_CLEAR) {
            tn_mixer_clear(&mixer);
        }
        memcpy(start, gs->lambda, (size_t)n * sizeof *start);
    }
    tn_gauss_seidel_set(gs, best);
    tn_gauss_seidel_velocity(gs);
    return TN_OK;
}

tn_status tn_gauss_seidel_finish(tn_gauss_seidel *gs, const tn_gauss_seidel_run *run, tn_solution *solution,
                                 tn_solve_report *report, tn_arena *arena, tn_error *error)
{
    memcpy(solution->lambda, gs->lambda, (size_t)(3 * gs->problem->rows->n_triples) * sizeof *gs->lambda);
    report->iterations = run->sweeps;
    report->converged = run->score <= 1.0;
    // v from the forces alone: the sweeps' own has gathered rounding.
    return gs->problem->A ? tn_delassus_recover(&gs->delassus, gs->lambda, solution->v, arena, error) : TN_OK;
}
