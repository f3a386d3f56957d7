#include "solver/nodal_check.h"

#include "math/mat3.h"

#include <math.h>

// A little below what is demanded, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

tn_status tn_nodal_check_create(const tn_nodal_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                                tn_nodal_check *out, tn_error *error)
{
    const tn_problem *p = system->problem;
    *out = (tn_nodal_check){.system = system, .tolerance = *tolerance};
    out->u = TN_PUSH(arena, double, 3 * p->contacts->n);
    out->all = TN_PUSH(arena, double, 3 * p->contacts->n);
    out->r = TN_PUSH(arena, double, tn_sell_packed_size(system->order));
    // q only scales the fclib figure: zero is on the safe side.
    if (!out->u || !out->all || !out->r || !tn_check_create(&out->contacts, p, out->u, tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's check");
    }
    double square = 0.0;
    for (int i = 0; i < 3 * p->A->n_rows; i++) {
        square += p->b[i] * p->b[i];
    }
    out->b_norm = fmax(sqrt(square), p->force_scale);
    return TN_OK;
}

// |A v - b - J^T lambda|: the residual of the general forces, less the pushes' forces.
static double residual_norm(const tn_nodal_check *check, const double *x)
{
    const tn_nodal_system *s = check->system;
    tn_nodal_residual(&s->rows, s->f, x, check->r, s->n_threads);
    return sqrt(tn_nodal_balance(&s->rows, check->r));
}

// u of all contacts from the packed velocities, lambda of all.
static void fill_contacts(const tn_nodal_check *check, const double *x, const double *lambda)
{
    const tn_nodal_system *s = check->system;
    const tn_contacts *c = s->problem->contacts;
    tn_nodal_forces(s, lambda, check->all);
    for (int g = 0; g < s->general.n; g++) {
        tn_nodal_velocity(s, g, x, lambda + 3 * g, check->u + 3 * s->general.id[g]);
    }
    for (int m = 0; m < c->n; m++) {
        if (s->node_of[m] < 0) {
            continue;
        }
        tn_vec3_copy(check->u + 3 * m, c->offset + 3 * m);
        tn_mat3_add_vec(check->u + 3 * m, c->jacobian + 9 * c->start[m], x + 4 * (size_t)s->node_of[m]);
    }
}

double tn_nodal_check_merit(const tn_nodal_check *check, const double *x, const double *lambda)
{
    const tn_tolerance *t = &check->tolerance;
    double merit = 0.0;
    if (t->momentum > 0.0) {
        double norm = residual_norm(check, x);
        merit = norm == 0.0 ? 0.0 : norm / check->b_norm / (MARGIN * t->momentum);
    }
    // Without general contacts the natural map is zero to rounding: look only once the balance holds.
    bool look = check->system->general.n > 0 || t->fclib > 0.0 || merit <= 1.0;
    if (look && (t->natural > 0.0 || t->fclib > 0.0)) {
        fill_contacts(check, x, lambda);
        double score = tn_check_score(&check->contacts, check->all, check->u);
        merit = isnan(merit) || merit > score ? merit : score;
    }
    return merit;
}
