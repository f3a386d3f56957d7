#include "solver/nodal_system.h"

#include "law/local.h"
#include "math/mat3.h"
#include "solver/nodal_contacts.h"

#include <string.h>

tn_status tn_nodal_system_create(const tn_problem *problem, int n_threads, tn_arena *arena, tn_nodal_system *out,
                                 tn_error *error)
{
    *out = (tn_nodal_system){.problem = problem, .n_threads = n_threads};
    if (tn_nodal_layout_create(problem->A, arena, &out->layout) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's order of the rows");
    }
    tn_status status = tn_nodal_rows_create(&out->layout, problem->A, arena, &out->rows, error);
    if (status != TN_OK) {
        return status;
    }
    int size = tn_nodal_packed_size(&out->layout);
    out->b = TN_PUSH(arena, double, size);
    out->f = TN_PUSH(arena, double, size);
    if (!out->b || !out->f) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's vectors");
    }
    tn_nodal_pack(&out->layout, problem->b, out->b);
    memcpy(out->f, out->b, (size_t)size * sizeof *out->f);
    return tn_nodal_set_contacts(out, arena, error);
}

// y += J^T x, y with a stride of one lane row.
static inline void add_transposed(double *y, const double J[9], const double x[3])
{
    for (int k = 0; k < 3; k++) {
        y[TN_NODAL_LANES * k] += J[k] * x[0] + J[3 + k] * x[1] + J[6 + k] * x[2];
    }
}

static inline void add_to_force(tn_nodal_system *s, int g, const double lambda[3])
{
    const tn_nodal_general *general = &s->general;
    const double *J = s->problem->contacts->jacobian + 9 * s->problem->contacts->start[general->id[g]];
    for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++, J += 9) {
        add_transposed(s->f + general->place[e], J, lambda);
    }
}

void tn_nodal_set_force(tn_nodal_system *s, const double *lambda)
{
    const tn_nodal_general *general = &s->general;
    for (int g = 0; g < general->n; g++) {
        for (int e = general->place_start[g]; e < general->place_start[g + 1]; e++) {
            for (int k = 0; k < 3; k++) {
                int at = general->place[e] + TN_NODAL_LANES * k;
                s->f[at] = s->b[at];
            }
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
        const double *v = x + general->place[e];
        for (int i = 0; i < 3; i++) {
            u[i] += J[3 * i] * v[0] + J[3 * i + 1] * v[TN_NODAL_LANES] + J[3 * i + 2] * v[2 * TN_NODAL_LANES];
        }
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
        const double *part = general->response + 9 * r;
        double *v = x + general->response_place[r];
        for (int i = 0; i < 3; i++) {
            v[TN_NODAL_LANES * i] += tn_vec3_dot(part + 3 * i, change);
        }
    }
}

void tn_nodal_step(tn_nodal_system *s, double *x, double *lambda)
{
    tn_nodal_sweep(&s->rows, s->f, x, s->n_threads);
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
        int slice = s->node_of[m] / (3 * TN_NODAL_LANES), lane = s->node_of[m] % TN_NODAL_LANES;
        const tn_nodal_contacts *c = &s->rows.contacts[s->rows.contact_of_slice[slice]];
        double push[3];
        tn_vec3_set(push, c->push[0][lane], c->push[1][lane], c->push[2][lane]);
        tn_mat3_vec(all + 3 * m, contacts->jacobian + 9 * contacts->start[m], push);
        tn_vec3_scale(all + 3 * m, 1.0 / c->w[lane], all + 3 * m);
    }
}
