// Where the solver of a step with soft bodies starts: the last step's v^, grown, and moved on along its last change.
#include "kernels/block_product.h"
#include "math/sums.h"
#include "problem/problem.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Part of the change below which it is left: bodies that are dragged to and fro, or at rest, change from step to step
// in ways that do not go on.
static const double LEAST = 0.4;

// Of the change, and of v itself.
typedef struct parts {
    double change, growth;
} parts;

// Those with the least energy: what is left of the balance, r, is at right angles to both.
static parts best_parts(size_t n, const double *r, const double *v, const double *Av, const double *d, const double *Ad)
{
    double rd = tn_dot(n, r, d), rv = tn_dot(n, r, v);
    double dd = tn_dot(n, d, Ad), dv = tn_dot(n, v, Ad), vv = tn_dot(n, v, Av);
    double change = fmin((rd * vv - rv * dv) / (dd * vv - dv * dv), 1.0);
    change = change >= LEAST ? change : 0.0; // NaN: none
    double growth = (rv - change * dv) / vv;
    return (parts){change, fabs(growth) <= 1.0 ? growth : 0.0};
}

// A v of the start as it is, where it is not known already, and A d.
static void multiply(const tn_step_setup *setup, const tn_step_equations *eq, const double *v, double *product,
                     const double *d, double *Ad)
{
    size_t n = 3 * (size_t)setup->model->n_blocks;
    const tn_balance *balance = &eq->balance;
    const tn_hints *hints = &balance->hints;
    int n_threads = setup->model->settings.solve.n_threads;
    if (hints->known_v && memcmp(hints->known_v, v, n * sizeof *v) == 0) {
        memcpy(product, hints->known_product, n * sizeof *product);
        tn_block_product(balance->A, d, Ad, n_threads);
    } else {
        const double *const from[2] = {v, d};
        double *const to[2] = {product, Ad};
        tn_block_product_two(balance->A, from, to, n_threads);
    }
}

tn_status tn_sim_extrapolate(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                             const tn_state *state, tn_error *error)
{
    size_t n = 3 * (size_t)setup->model->n_blocks;
    double *v = answer->solution.v;
    if (setup->model->n_softs == 0 || memcmp(state->v_hat, state->v_hat_before, n * sizeof *v) == 0) {
        return TN_OK;
    }
    double *start = TN_PUSH_RAW(setup->arena, double, n), *product = TN_PUSH_RAW(setup->arena, double, n);
    tn_arena_mark mark = tn_arena_get_mark(setup->arena);
    double *d = TN_PUSH_RAW(setup->arena, double, n), *Ad = TN_PUSH_RAW(setup->arena, double, n);
    double *r = TN_PUSH(setup->arena, double, n);
    if (!start || !product || !d || !Ad || !r) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the step's start");
    }
    for (size_t i = 0; i < n; i++) {
        d[i] = state->v_hat[i] - state->v_hat_before[i];
    }
    multiply(setup, eq, v, product, d, Ad);
    tn_problem_add_contact_force(&eq->problem, answer->solution.lambda, r);
    for (size_t i = 0; i < n; i++) {
        r[i] += eq->balance.b[i] - product[i];
    }
    parts part = best_parts(n, r, v, product, d, Ad);
    part.growth = setup->model->n_joints == 0 ? part.growth : 0.0; // r lacks what joints bear
    for (size_t i = 0; i < n; i++) {
        start[i] = v[i] += part.growth * v[i] + part.change * d[i];
        product[i] += part.growth * product[i] + part.change * Ad[i];
    }
    tn_arena_release(setup->arena, mark);
    eq->hints = eq->balance.hints;
    eq->hints.known_v = start;
    eq->hints.known_product = product;
    eq->problem.hints = &eq->hints;
    return TN_OK;
}
