#include "solver/nodal/system.h"

#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "solver/nodal/contacts.h"

#include <math.h>
#include <string.h>

// Power of a pass over the contacts, relative to the first one's, at which no other follows: changes of a twentieth.
static const double SETTLED = 2.5e-3;

static tn_status set_rows(tn_nodal_system *s, tn_arena *arena, tn_error *error)
{
    const tn_blocks *A = s->problem->A;
    const tn_hints *hints = s->problem->hints;
    tn_layout *own = NULL;
    if (hints && hints->layout) {
        s->layout = hints->layout;
    } else {
        const tn_parts *parts = tn_problem_parts(s->problem, arena);
        if (!parts || tn_layout_create(A, parts, NULL, arena, &own) != TN_OK) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's order of the rows");
        }
        s->layout = own;
    }
    s->order = &s->layout->coloured;
    float *inverse = TN_PUSH_RAW(arena, float, 72 * (size_t)s->order->n_slices);
    if (!inverse || tn_sell_create(s->order, true, arena, &s->sell) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's rows");
    }
    tn_sell_fill(&s->sell, A, NULL, s->n_threads);
    int bad = tn_nodal_invert(s->order, A, inverse);
    if (bad >= 0) {
        return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding at block row %d", bad);
    }
    s->rows = (tn_nodal_rows){.sell = &s->sell, .inverse = inverse, .law = s->problem->law, .relaxation = 1.0F};
    return TN_OK;
}

tn_status tn_nodal_system_create(const tn_problem *problem, int n_threads, tn_arena *arena, tn_nodal_system *out,
                                 tn_error *error)
{
    *out = (tn_nodal_system){.problem = problem, .n_threads = n_threads, .passes = 1};
    tn_status status = set_rows(out, arena, error);
    status = status == TN_OK ? tn_cond_bodies_create(problem, true, arena, &out->bodies, error) : status;
    if (status != TN_OK) {
        return status;
    }
    size_t size = (size_t)tn_sell_packed_size(out->order), n = 3 * (size_t)problem->A->n_rows;
    out->reference = TN_PUSH_RAW(arena, double, n);
    out->balance = TN_PUSH_RAW(arena, double, n);
    out->b = TN_PUSH(arena, float, size);
    out->f = TN_PUSH(arena, float, size);
    out->change = TN_PUSH(arena, float, size + 4 * TN_SELL_LANES);
    if (!out->reference || !out->balance || !out->b || !out->f || !out->change) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's vectors");
    }
    return tn_nodal_set_contacts(out, arena, error);
}

static void add_to_single(float *to, const double x[3])
{
    to[0] += (float)x[0];
    to[1] += (float)x[1];
    to[2] += (float)x[2];
}

static inline void add_to_force(tn_nodal_system *s, int g, const double lambda[3])
{
    const tn_nodal_general *general = &s->general;
    const double *J = s->problem->rows->jacobian + 9 * s->problem->rows->start[general->id[g]];
    for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++, J += 9) {
        double force[3];
        tn_mat3_tvec(force, J, lambda);
        add_to_single(s->f + general->place[e], force);
    }
}

void tn_nodal_set_force(tn_nodal_system *s, const double *lambda)
{
    const tn_nodal_general *general = &s->general;
    for (int g = 0; g < general->n; g++) {
        for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++) {
            memcpy(s->f + general->place[e], s->b + general->place[e], 3 * sizeof *s->f);
        }
    }
    for (int g = 0; g < general->n; g++) {
        double change[3];
        tn_vec3_sub(change, lambda + 3 * g, general->lambda + 3 * g);
        add_to_force(s, g, change);
    }
}

void tn_nodal_velocity(const tn_nodal_system *s, int g, const float *x, const double lambda[3], double u[3])
{
    const tn_rows *contacts = s->problem->rows;
    const tn_nodal_general *general = &s->general;
    int m = general->id[g];
    const double *J = contacts->jacobian + 9 * contacts->start[m];
    tn_vec3_copy(u, general->u + 3 * g);
    if (contacts->softness) {
        tn_mat3_add_vec(u, contacts->softness + 9 * m, lambda);
    }
    for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++, J += 9) {
        double change[3];
        tn_nodal_widen(change, x + general->place[e]);
        tn_mat3_add_vec(u, J, change);
    }
}

// One general contact: the law holds for it afterwards, and the rows it acts on keep their balance. Returns the power
// of the change [W].
static double contact_step(tn_nodal_system *s, int g, float *x, double lambda[3])
{
    const tn_nodal_general *general = &s->general;
    if (!(general->scale[g] > 0.0)) {
        return 0.0;
    }
    double u[3], q[3], change[3], old[3];
    const double *N = general->N + 9 * g;
    tn_nodal_velocity(s, g, x, lambda, u);
    tn_vec3_copy(old, lambda);
    tn_mat3_vec(q, N, lambda);
    tn_vec3_sub(q, u, q);
    tn_bound bound = tn_problem_bound(s->problem, general->id[g], NULL);
    tn_set_solve(&bound, N, q, lambda);
    tn_vec3_sub(change, lambda, old);
    if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) {
        return 0.0;
    }
    add_to_force(s, g, change);
    for (int r = general->response_start[g]; r < general->response_start[g + 1]; r++) {
        double moved[3];
        tn_mat3_vec(moved, general->response + 9 * r, change);
        add_to_single(x + general->response_place[r], moved);
    }
    tn_mat3_vec(q, N, change);
    return tn_vec3_dot(q, change);
}

// Small parts: x = A_c^-1 f.
static void solve_bodies(const tn_nodal_system *s, float *x)
{
    const tn_parts *parts = s->bodies.parts;
    for (int c = 0; c < parts->n; c++) {
        const double *line = s->bodies.inverse + s->bodies.inverse_start[c];
        const int *rows = parts->blocks + parts->start[c];
        int k = tn_part_size(parts, c), n = 3 * k;
        if (s->bodies.inverse_start[c + 1] == s->bodies.inverse_start[c]) {
            continue;
        }
        for (int i = 0; i < n; i++, line += n) {
            double sum = 0.0;
            for (int j = 0; j < k; j++) {
                double force[3];
                tn_nodal_widen(force, s->f + 4 * (size_t)s->order->lane[rows[j]]);
                sum += tn_vec3_dot(line + 3 * j, force);
            }
            x[4 * (size_t)s->order->lane[rows[i / 3]] + (size_t)(i % 3)] = (float)sum;
        }
    }
}

static void solve_others(tn_nodal_system *s, float *x, double *lambda)
{
    solve_bodies(s, x);
    double first = 0.0, power = INFINITY;
    for (int k = 0; k < s->passes && power > SETTLED * first; k++) {
        power = 0.0;
        for (int g = 0; g < s->general.n; g++) {
            power += contact_step(s, g, x, lambda + 3 * g);
        }
        first = k == 0 ? power : first;
    }
}

void tn_nodal_step(tn_nodal_system *s, float *x, double *lambda)
{
    tn_nodal_sweep(&s->rows, s->f, x, s->n_threads);
    solve_others(s, x, lambda);
}

void tn_nodal_step_residual(tn_nodal_system *s, float *x, double *lambda, float *r)
{
    const tn_nodal_trace trace = {.r = r, .change = s->change};
    tn_nodal_sweep_traced(&s->rows, s->f, x, &trace, s->n_threads);
    solve_others(s, x, lambda);
    tn_nodal_residual_traced(&s->rows, s->f, x, &trace, s->n_threads);
}
