#include "solver/nodal_system.h"

#include "law/local.h"
#include "math/mat3.h"
#include "solver/nodal_contacts.h"

#include <string.h>

static tn_status set_rows(tn_nodal_system *s, tn_arena *arena, tn_error *error)
{
    const tn_blocks *A = s->problem->A;
    const tn_layout *given = s->problem->layout;
    tn_layout *own = NULL;
    if (given && given->n_rows == A->n_rows && given->n_blocks == A->start[A->n_rows]) {
        s->layout = given;
    } else if (tn_layout_create(A, arena, &own) == TN_OK) {
        s->layout = own;
    } else {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's order of the rows");
    }
    s->order = &s->layout->coloured;
    double *inverse = TN_PUSH(arena, double, 72 * (size_t)s->order->n_slices);
    if (!inverse || tn_sell_create(s->order, false, arena, &s->sell) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's rows");
    }
    tn_sell_fill(&s->sell, A, NULL, s->n_threads);
    int bad = tn_nodal_invert(&s->sell, inverse);
    if (bad >= 0) {
        return tn_error_set(error, TN_NUMERICS,
                            "A is not positive definite at block row %d: a node or body without mass, or a NaN", bad);
    }
    s->rows = (tn_nodal_rows){.sell = &s->sell, .inverse = inverse, .law = s->problem->law};
    return TN_OK;
}

tn_status tn_nodal_system_create(const tn_problem *problem, int n_threads, tn_arena *arena, tn_nodal_system *out,
                                 tn_error *error)
{
    *out = (tn_nodal_system){.problem = problem, .n_threads = n_threads};
    tn_status status = set_rows(out, arena, error);
    if (status == TN_OK && out->order->n_large < out->order->n_slices) {
        status = tn_cond_bodies_create(problem->A, TN_COND_BODY_MAX, arena, &out->bodies, error);
    }
    if (status != TN_OK) {
        return status;
    }
    size_t size = (size_t)tn_sell_packed_size(out->order);
    out->b = TN_PUSH(arena, double, size);
    out->f = TN_PUSH(arena, double, size);
    if (!out->b || !out->f) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's vectors");
    }
    tn_sell_pack(out->order, problem->b, out->b);
    memcpy(out->f, out->b, size * sizeof *out->f);
    return tn_nodal_set_contacts(out, arena, error);
}

static inline void add_to_force(tn_nodal_system *s, int g, const double lambda[3])
{
    const tn_nodal_general *general = &s->general;
    const double *J = s->problem->contacts->jacobian + 9 * s->problem->contacts->start[general->id[g]];
    for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++, J += 9) {
        tn_mat3_add_tvec(s->f + general->place[e], J, lambda);
    }
}

void tn_nodal_set_force(tn_nodal_system *s, const double *lambda)
{
    const tn_nodal_general *general = &s->general;
    for (int g = 0; g < general->n; g++) {
        for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++) {
            tn_vec3_copy(s->f + general->place[e], s->b + general->place[e]);
        }
    }
    for (int g = 0; g < general->n; g++) {
        add_to_force(s, g, lambda + 3 * g);
    }
}

void tn_nodal_velocity(const tn_nodal_system *s, int g, const double *x, const double lambda[3], double u[3])
{
    const tn_contacts *contacts = s->problem->contacts;
    const tn_nodal_general *general = &s->general;
    int m = general->id[g];
    const double *J = contacts->jacobian + 9 * contacts->start[m];
    tn_vec3_copy(u, contacts->offset + 3 * m);
    if (contacts->omega) {
        tn_mat3_add_vec(u, contacts->omega + 9 * m, lambda);
    }
    for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++, J += 9) {
        tn_mat3_add_vec(u, J, x + general->place[e]);
    }
}

// One general contact: the law holds for it afterwards, and the rows it acts on keep their balance.
static void contact_step(tn_nodal_system *s, int g, double *x, double lambda[3])
{
    const tn_nodal_general *general = &s->general;
    if (!(general->scale[g] > 0.0)) {
        return;
    }
    double u[3], q[3], change[3], old[3];
    const double *N = general->N + 9 * g;
    tn_nodal_velocity(s, g, x, lambda, u);
    tn_vec3_copy(old, lambda);
    tn_mat3_vec(q, N, lambda);
    tn_vec3_sub(q, u, q);
    tn_local_solve(s->problem->law, s->problem->contacts->mu + 2 * general->id[g], N, q, lambda);
    tn_vec3_sub(change, lambda, old);
    if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) {
        return;
    }
    add_to_force(s, g, change);
    for (int r = general->response_start[g]; r < general->response_start[g + 1]; r++) {
        tn_mat3_add_vec(x + general->response_place[r], general->response + 9 * r, change);
    }
}

// Small components: v = A_c^-1 f.
static void solve_bodies(const tn_nodal_system *s, double *x)
{
    const tn_components *components = &s->bodies.components;
    for (int c = 0; c < components->n; c++) {
        const double *line = s->bodies.inverse + s->bodies.inverse_start[c];
        const int *rows = components->blocks + components->start[c];
        int k = components->start[c + 1] - components->start[c], n = 3 * k;
        if (s->bodies.inverse_start[c + 1] == s->bodies.inverse_start[c]) {
            continue;
        }
        for (int i = 0; i < n; i++, line += n) {
            double sum = 0.0;
            for (int j = 0; j < k; j++) {
                sum += tn_vec3_dot(line + 3 * j, s->f + 4 * (size_t)s->order->lane[rows[j]]);
            }
            x[4 * (size_t)s->order->lane[rows[i / 3]] + (size_t)(i % 3)] = sum;
        }
    }
}

void tn_nodal_step(tn_nodal_system *s, double *x, double *lambda)
{
    tn_nodal_sweep(&s->rows, s->f, x, s->n_threads);
    solve_bodies(s, x);
    for (int g = 0; g < s->general.n; g++) {
        contact_step(s, g, x, lambda + 3 * g);
    }
}

void tn_nodal_forces(const tn_nodal_system *s, const double *lambda, double *all)
{
    const tn_contacts *contacts = s->problem->contacts;
    for (int g = 0; g < s->general.n; g++) {
        tn_vec3_copy(all + 3 * s->general.id[g], lambda + 3 * g);
    }
    for (int m = 0; m < contacts->n; m++) {
        if (s->node_of[m] < 0) {
            continue;
        }
        int lane = s->node_of[m] % TN_SELL_LANES;
        const tn_nodal_contacts *c = &s->rows.contacts[s->rows.contact_of_slice[s->node_of[m] / TN_SELL_LANES]];
        double push[3];
        tn_vec3_set(push, c->push[0][lane], c->push[1][lane], c->push[2][lane]);
        tn_mat3_vec(all + 3 * m, contacts->jacobian + 9 * contacts->start[m], push);
        tn_vec3_scale(all + 3 * m, 1.0 / c->w[lane], all + 3 * m);
    }
}
