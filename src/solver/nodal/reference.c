// The reference that nodal's single precision is relative to, and the forces of its contacts.
#include "kernels/block_product.h"
#include "math/mat3.h"
#include "problem/hints.h"
#include "solver/nodal/system.h"

#include <math.h>
#include <string.h>

// Lane of a nodal contact's node, and the contacts of its slice.
static tn_nodal_contacts *contacts_of(const tn_nodal_system *s, int m, int *lane)
{
    *lane = s->node_of[m] % TN_SELL_LANES;
    return &s->rows.contacts[s->rows.contact_of_slice[s->node_of[m] / TN_SELL_LANES]];
}

// World axes.
static void force_on_node(const tn_nodal_contacts *c, int lane, double force[3])
{
    double stiffness = 1.0 / c->w[lane];
    tn_vec3_set(force, stiffness * c->push[0][lane], stiffness * c->push[1][lane], stiffness * c->push[2][lane]);
}

// balance, b and f, from the contacts' forces and A times the reference, which is in balance. Returns |balance|.
static double take_product(tn_nodal_system *s)
{
    const tn_problem *p = s->problem;
    const tn_rows *contacts = p->rows;
    for (int i = 0; i < 3 * p->A->n_rows; i++) {
        s->balance[i] = p->b[i] - s->balance[i];
    }
    for (int m = 0; m < contacts->n_triples; m++) {
        if (s->node_of[m] >= 0) {
            int lane;
            const tn_nodal_contacts *c = contacts_of(s, m, &lane);
            double force[3], *to = s->balance + 3 * (size_t)contacts->block[contacts->start[m]];
            force_on_node(c, lane, force);
            tn_vec3_add(to, to, force);
        }
    }
    for (int g = 0; g < s->general.n; g++) {
        int m = s->general.id[g];
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            tn_mat3_add_tvec(s->balance + 3 * (size_t)contacts->block[e], contacts->jacobian + 9 * (size_t)e,
                             s->general.lambda + 3 * g);
        }
    }
    double square = 0.0;
    for (int row = 0; row < p->A->n_rows; row++) {
        const double *r = s->balance + 3 * (size_t)row;
        float *b = s->b + 4 * (size_t)s->order->lane[row];
        square += tn_vec3_dot(r, r);
        b[0] = (float)r[0];
        b[1] = (float)r[1];
        b[2] = (float)r[2];
    }
    memcpy(s->f, s->b, (size_t)tn_sell_packed_size(s->order) * sizeof *s->f);
    return sqrt(square);
}

double tn_nodal_set_balance(tn_nodal_system *s)
{
    tn_block_product(s->problem->A, s->reference, s->balance, s->n_threads);
    return take_product(s);
}

// The same, with the problem's own product where it is that of the reference.
static double set_first_balance(tn_nodal_system *s)
{
    const tn_problem *p = s->problem;
    size_t bytes = 3 * (size_t)p->A->n_rows * sizeof *p->b;
    if (p->hints && p->hints->known_v && memcmp(p->hints->known_v, s->reference, bytes) == 0) {
        memcpy(s->balance, p->hints->known_product, bytes);
        return take_product(s);
    }
    return tn_nodal_set_balance(s);
}

// u of the general contacts at the reference.
static void set_general(tn_nodal_system *s)
{
    const tn_rows *contacts = s->problem->rows;
    for (int g = 0; g < s->general.n; g++) {
        int m = s->general.id[g];
        double *u = s->general.u + 3 * g;
        tn_vec3_copy(u, contacts->offset + 3 * m);
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            tn_mat3_add_vec(u, contacts->jacobian + 9 * (size_t)e, s->reference + 3 * (size_t)contacts->block[e]);
        }
    }
}

double tn_nodal_set_reference(tn_nodal_system *s, const tn_solution *start)
{
    const tn_rows *contacts = s->problem->rows;
    memcpy(s->reference, start->v, 3 * (size_t)s->order->n_rows * sizeof *start->v);
    for (int m = 0; m < contacts->n_triples; m++) {
        if (s->node_of[m] >= 0) {
            int lane;
            tn_nodal_contacts *c = contacts_of(s, m, &lane);
            double offset[3], force[3];
            const double *J = contacts->jacobian + 9 * (size_t)contacts->start[m];
            const double *own = start->v + 3 * (size_t)contacts->block[contacts->start[m]];
            tn_mat3_tvec(offset, J, contacts->offset + 3 * m);
            tn_mat3_tvec(force, J, start->lambda + 3 * (size_t)m);
            for (int k = 0; k < 3; k++) {
                c->offset[k][lane] = offset[k] + own[k];
                c->base[k][lane] = c->push[k][lane] = c->w[lane] * force[k];
            }
        }
    }
    for (int g = 0; g < s->general.n; g++) {
        double *lambda = s->general.lambda + 3 * g;
        tn_vec3_set(lambda, 0.0, 0.0, 0.0);
        if (s->general.scale[g] > 0.0) {
            tn_vec3_copy(lambda, start->lambda + 3 * (size_t)s->general.id[g]);
        }
    }
    set_general(s);
    return set_first_balance(s);
}

void tn_nodal_end_velocity(const tn_nodal_system *s, const float *x, double *v)
{
    const tn_rows *contacts = s->problem->rows;
    for (int row = 0; row < s->order->n_rows; row++) {
        double change[3];
        tn_nodal_widen(change, x + 4 * (size_t)s->order->lane[row]);
        tn_vec3_add(v + 3 * (size_t)row, s->reference + 3 * (size_t)row, change);
    }
    // Nodes with contacts to the last bit of what the law left, which x holds rounded.
    for (int m = 0; m < contacts->n_triples; m++) {
        if (s->node_of[m] >= 0) {
            int lane;
            const tn_nodal_contacts *c = contacts_of(s, m, &lane);
            double offset[3], *own = v + 3 * (size_t)contacts->block[contacts->start[m]];
            tn_mat3_tvec(offset, contacts->jacobian + 9 * (size_t)contacts->start[m], contacts->offset + 3 * m);
            tn_vec3_set(own, c->slip[0][lane] - offset[0], c->slip[1][lane] - offset[1], c->slip[2][lane] - offset[2]);
        }
    }
}

void tn_nodal_move_reference(tn_nodal_system *s, const float *x, const double *lambda)
{
    tn_nodal_end_velocity(s, x, s->reference);
    for (int m = 0; m < s->problem->rows->n_triples; m++) {
        if (s->node_of[m] >= 0) {
            int lane;
            tn_nodal_contacts *c = contacts_of(s, m, &lane);
            for (int k = 0; k < 3; k++) {
                c->base[k][lane] = c->push[k][lane];
                c->offset[k][lane] = c->slip[k][lane];
            }
        }
    }
    if (s->general.n > 0) {
        memcpy(s->general.lambda, lambda, 3 * (size_t)s->general.n * sizeof *lambda);
    }
    set_general(s);
}

void tn_nodal_forces(const tn_nodal_system *s, const double *lambda, double *all)
{
    const tn_rows *contacts = s->problem->rows;
    for (int g = 0; g < s->general.n; g++) {
        tn_vec3_copy(all + 3 * s->general.id[g], lambda + 3 * g);
    }
    for (int m = 0; m < contacts->n_triples; m++) {
        if (s->node_of[m] < 0) {
            continue;
        }
        int lane;
        const tn_nodal_contacts *c = contacts_of(s, m, &lane);
        double force[3];
        force_on_node(c, lane, force);
        tn_mat3_vec(all + 3 * m, contacts->jacobian + 9 * contacts->start[m], force);
    }
}
