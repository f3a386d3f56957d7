#include "solver/chain/chain.h"

#include "kernels/chain.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/chain/order.h"
#include "solver/check.h"

#include <math.h>
#include <string.h>

// Steps, and those that may pass without a better point. The cable takes two to four.
enum { STEPS = 40, PATIENCE = 5 };
static const double PROXIMAL = 1e-4; // e at first
static const double FIRMER = 30.0;   // times as large where contacts flip from step to step without getting on
static const double MARGIN = 0.9;    // figures end a little below what is demanded, as check.c's

typedef struct work {
    const tn_problem *problem;
    tn_chain_order order;
    tn_check check;
    tn_single_check balance;
    double *u;            // (3 triples) J v + w + R l
    double *step;         // (3 triples, then singles) dl where dv = 0
    double *gain;         // (triples, 9; then singles) dl = step - gain J dv
    double *D, *room, *x; // of the linear system
    tn_solution now, best;
    double score; // of the best, 1: converged
    int best_step;
    double proximal; // e
} work;

static bool create(work *w, const tn_solve_options *options, const tn_solution *start, tn_arena *arena)
{
    const tn_rows *rows = w->problem->rows;
    size_t n = 6 * (size_t)w->order.n, numbers = (size_t)TN_CHAIN_BLOCK * (size_t)w->order.n;
    size_t triples = (size_t)rows->n_triples, forces = tn_row_count(rows);
    double *q = TN_PUSH(arena, double, 3 * triples); // for the fclib figure, which is not looked at
    w->u = TN_PUSH_RAW(arena, double, 3 * triples);
    w->step = TN_PUSH_RAW(arena, double, forces);
    w->gain = TN_PUSH_RAW(arena, double, 9 * triples + (size_t)rows->n_singles);
    w->D = TN_PUSH_RAW(arena, double, numbers);
    w->room = TN_PUSH_RAW(arena, double, numbers);
    w->x = TN_PUSH_RAW(arena, double, n);
    w->now = (tn_solution){TN_PUSH_RAW(arena, double, n), TN_PUSH_RAW(arena, double, forces)};
    w->best = (tn_solution){TN_PUSH_RAW(arena, double, n), TN_PUSH_RAW(arena, double, forces)};
    if (!q || !w->u || !w->step || !w->gain || !w->D || !w->room || !w->x || !w->now.v || !w->now.lambda ||
        !w->best.v || !w->best.lambda || !tn_check_create(&w->check, w->problem, q, &options->tolerance, arena) ||
        !tn_single_check_create(&w->balance, w->problem, arena)) {
        return false;
    }
    memcpy(w->now.v, start->v, n * sizeof *start->v);
    memcpy(w->now.lambda, start->lambda, forces * sizeof *start->lambda);
    return true;
}

// ---- one constraint

// M = 1 - P' + P' rho R + e: step = M^-1 (P(z) - l), gain = M^-1 P' rho.
static bool linearize_triple(work *w, int m)
{
    const tn_rows *rows = w->problem->rows;
    const double *l = w->now.lambda + 3 * (size_t)m, rho[2] = {w->check.rho[m], w->check.rho[m]};
    double M[9], inverse[9], off[3], slope[9];
    tn_bound bound = tn_problem_bound(w->problem, m, w->now.lambda);
    tn_projection map;
    tn_set_map(&bound, rho, l, w->u + 3 * (size_t)m, &map);
    if (map.slope[0] == 0.0) { // open: it bears nothing wherever it moves
        tn_vec3_scale(w->step + 3 * (size_t)m, -1.0, l);
        memset(w->gain + 9 * (size_t)m, 0, 9 * sizeof *w->gain);
        return true;
    }
    for (int i = 0; i < 9; i++) {
        slope[i] = map.slope[i] * map.metric[i % 3];
        M[i] = (i % 4 == 0 ? 1.0 + w->proximal : 0.0) - map.slope[i];
    }
    if (rows->softness) {
        double soft[9];
        tn_mat3_mul(soft, slope, rows->softness + 9 * (size_t)m);
        for (int i = 0; i < 9; i++) {
            M[i] += soft[i];
        }
    }
    tn_vec3_sub(off, map.p, l);
    if (!tn_mat3_inverse(inverse, M)) {
        return false;
    }
    tn_mat3_vec(w->step + 3 * (size_t)m, inverse, off);
    tn_mat3_mul(w->gain + 9 * (size_t)m, inverse, slope);
    return true;
}

static void linearize_single(work *w, int i)
{
    const tn_rows singles = tn_rows_singles(w->problem->rows);
    int n = w->problem->rows->n_triples;
    const double rho[2] = {w->balance.rho[i], w->balance.rho[i]}, *l = w->now.lambda + 3 * (size_t)n + i;
    double y = tn_single_velocity(&singles, i, w->now.v) + singles.compliance[i] * *l;
    tn_bound bound = tn_problem_bound(w->problem, n + i, w->now.lambda);
    tn_projection map;
    tn_set_map(&bound, rho, l, &y, &map);
    double slope = map.slope[0] * rho[0], M = 1.0 - map.slope[0] + slope * singles.compliance[i] + w->proximal;
    w->step[3 * (size_t)n + (size_t)i] = (map.p[0] - *l) / M;
    w->gain[9 * (size_t)n + (size_t)i] = slope / M;
}

// J^T gain J into its body's block, J^T step into the right-hand side.
static void add_triple(work *w, int m)
{
    const tn_rows *rows = w->problem->rows;
    double *D = w->D + (size_t)TN_CHAIN_BLOCK * (size_t)w->order.place_of[m];
    for (int e = rows->start[m]; e < rows->start[m + 1]; e++) {
        const double *J = rows->jacobian + 9 * (size_t)e;
        double push[3], turned[9], block[9], *to = D + TN_CHAIN_ROW * 3 * (rows->block[e] % 2);
        tn_mat3_tvec(push, J, w->step + 3 * (size_t)m);
        tn_mat3_mul_tn(turned, J, w->gain + 9 * (size_t)m);
        for (int i = 0; i < 3; i++) {
            to[TN_CHAIN_ROW * i + 6] += push[i];
        }
        for (int f = rows->start[m]; f < rows->start[m + 1]; f++) {
            tn_mat3_mul(block, turned, rows->jacobian + 9 * (size_t)f);
            for (int i = 0; i < 9; i++) {
                to[TN_CHAIN_ROW * (i / 3) + 3 * (rows->block[f] % 2) + i % 3] += block[i];
            }
        }
    }
}

static void add_single(work *w, int i)
{
    const tn_rows *rows = w->problem->rows;
    int n = rows->n_triples;
    const tn_rows singles = tn_rows_singles(rows);
    double *D = w->D + (size_t)TN_CHAIN_BLOCK * (size_t)w->order.place_of[n + i];
    double step = w->step[3 * (size_t)n + (size_t)i], gain = w->gain[9 * (size_t)n + (size_t)i];
    for (int e = singles.start[i]; e < singles.start[i + 1]; e++) {
        const double *J = singles.jacobian + 3 * (ptrdiff_t)e;
        double *to = D + TN_CHAIN_ROW * 3 * (singles.block[e] % 2);
        for (int k = 0; k < 3; k++) {
            to[TN_CHAIN_ROW * k + 6] += J[k] * step;
            for (int f = singles.start[i]; f < singles.start[i + 1]; f++) {
                const double *other = singles.jacobian + 3 * (ptrdiff_t)f;
                for (int j = 0; j < 3; j++) {
                    to[TN_CHAIN_ROW * k + 3 * (singles.block[f] % 2) + j] += J[k] * gain * other[j];
                }
            }
        }
    }
}

// ---- steps

// Where the iterate is, kept where it is the best. True: it will do.
static bool judge(work *w, int step)
{
    const tn_rows *rows = w->problem->rows;
    const tn_tolerance *t = &w->check.tolerance;
    tn_problem_velocity(w->problem, w->now.v, w->now.lambda, w->u);
    double momentum = tn_single_check_momentum(&w->balance, &w->now), score = 0.0;
    if (rows->n_triples > 0) {
        score = tn_check_score(&w->check, w->now.lambda, w->u);
    }
    if (t->momentum > 0.0) {
        score = fmax(score, momentum / (MARGIN * t->momentum));
    }
    if (rows->n_singles > 0 && t->joint > 0.0) {
        double joint = tn_single_check_rows(&w->balance, w->now.v, tn_single_forces(rows, w->now.lambda));
        score = fmax(score, joint / (MARGIN * t->joint));
    }
    if (score < w->score) {
        w->score = score;
        w->best_step = step;
        memcpy(w->best.v, w->now.v, 6 * (size_t)w->order.n * sizeof *w->now.v);
        memcpy(w->best.lambda, w->now.lambda, tn_row_count(rows) * sizeof *w->now.lambda);
    }
    return w->score <= 1.0;
}

// The forces' part of a step, of v's part dv (3 A->n_rows).
static void move_forces(work *w, const double *dv)
{
    const tn_rows *rows = w->problem->rows;
    const tn_rows singles = tn_rows_singles(rows);
    for (int m = 0; m < rows->n_triples; m++) {
        double moved[3] = {0.0, 0.0, 0.0}, answer[3], *l = w->now.lambda + 3 * (size_t)m;
        for (int e = rows->start[m]; e < rows->start[m + 1]; e++) {
            tn_mat3_add_vec(moved, rows->jacobian + 9 * (size_t)e, dv + 3 * (size_t)rows->block[e]);
        }
        tn_mat3_vec(answer, w->gain + 9 * (size_t)m, moved);
        for (int i = 0; i < 3; i++) {
            l[i] += w->step[3 * (size_t)m + (size_t)i] - answer[i];
        }
    }
    for (int i = 0; i < rows->n_singles; i++) {
        size_t at = 3 * (size_t)rows->n_triples + (size_t)i;
        double moved = 0.0;
        for (int e = singles.start[i]; e < singles.start[i + 1]; e++) {
            moved += tn_vec3_dot(singles.jacobian + 3 * (ptrdiff_t)e, dv + 3 * (size_t)singles.block[e]);
        }
        w->now.lambda[at] += w->step[at] - w->gain[9 * (size_t)rows->n_triples + (size_t)i] * moved;
    }
}

// One step of Newton's method. False: no factor.
static bool advance(work *w, double *dv)
{
    const tn_rows *rows = w->problem->rows;
    int n = w->order.n;
    tn_chain_own_blocks(w->problem->A, &w->order, w->D);
    for (int k = 0; k < n; k++) {
        const double *residual = w->balance.residual + 6 * (size_t)w->order.body[k];
        for (int i = 0; i < 6; i++) {
            w->D[(size_t)TN_CHAIN_BLOCK * (size_t)k + (size_t)(TN_CHAIN_ROW * i) + 6] = residual[i];
        }
    }
    for (int m = 0; m < rows->n_triples; m++) {
        if (!linearize_triple(w, m) || (w->order.place_of[m] < 0 && w->gain[9 * (size_t)m] != 0.0)) {
            return false;
        }
        if (w->order.place_of[m] >= 0) {
            add_triple(w, m);
        }
    }
    for (int i = 0; i < rows->n_singles; i++) {
        if (w->order.place_of[rows->n_triples + i] < 0) {
            return false;
        }
        linearize_single(w, i);
        add_single(w, i);
    }
    bool regular;
    tn_chain_solve(n, w->D, w->order.U, w->room, w->x, &regular);
    for (int k = 0; k < n; k++) {
        memcpy(dv + 6 * (size_t)w->order.body[k], w->x + 6 * (size_t)k, 6 * sizeof *dv);
    }
    move_forces(w, dv);
    for (size_t i = 0; i < 6 * (size_t)n; i++) {
        w->now.v[i] += dv[i];
    }
    return regular;
}

// Steps until it will do. False: it does not get there.
static bool iterate(work *w, int most, double *dv, int *steps)
{
    bool done = judge(w, 0), going = true;
    most = most < STEPS ? most : STEPS;
    w->proximal = PROXIMAL;
    for (*steps = 0; going && !done && *steps < most;) {
        ++*steps;
        going = advance(w, dv);
        done = going && judge(w, *steps);
        if (*steps == w->best_step + PATIENCE) {
            w->best_step = *steps;
            w->proximal *= FIRMER;
        }
    }
    return done;
}

tn_status tn_chain_try(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, bool *fits, tn_error *error)
{
    work w = {.problem = problem, .score = INFINITY};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    *fits = problem->A && problem->rows->n_frictions == 0 && !(options->tolerance.fclib > 0.0);
    tn_status status = *fits ? tn_chain_order_find(problem, arena, &w.order, fits) : TN_OK;
    if (status == TN_OK && *fits) {
        double *dv = TN_PUSH_RAW(arena, double, 6 * (size_t)w.order.n);
        status = dv && create(&w, options, solution, arena) ? TN_OK : TN_NO_MEMORY;
        *fits = status == TN_OK && iterate(&w, options->max_iterations, dv, &report->iterations);
    }
    if (status == TN_OK && *fits) {
        report->solver = "chain";
        report->converged = true;
        memcpy(solution->v, w.best.v, 6 * (size_t)w.order.n * sizeof *w.best.v);
        memcpy(solution->lambda, w.best.lambda, tn_row_count(problem->rows) * sizeof *w.best.lambda);
    }
    tn_arena_release(arena, mark);
    return status == TN_OK ? TN_OK
                           : tn_error_set(error, status, "no memory for a chain of %d bodies", problem->A->n_rows / 2);
}
