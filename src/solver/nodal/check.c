#include "solver/nodal/check.h"

#include "math/mat3.h"
#include "math/sums.h"

#include <math.h>

// A little below what is demanded, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

tn_status tn_nodal_check_create(const tn_nodal_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                                tn_nodal_check *out, tn_error *error)
{
    const tn_problem *p = system->problem;
    // Without general contacts the natural map is zero to rounding.
    bool looks = tolerance->fclib > 0.0 || (system->general.n > 0 && tolerance->natural > 0.0);
    *out = (tn_nodal_check){.system = system, .tolerance = *tolerance, .looks = looks};
    if (looks) {
        out->u = TN_PUSH(arena, double, 3 * p->rows->n_triples);
        out->all = TN_PUSH(arena, double, 3 * p->rows->n_triples);
        // q only scales the fclib figure: zero is on the safe side.
        if (!out->u || !out->all || !tn_check_create(&out->contacts, p, out->u, tolerance, arena)) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's check");
        }
    }
    out->b_norm = fmax(sqrt(tn_dot(3 * (size_t)p->A->n_rows, p->b, p->b)), p->force_scale);
    return TN_OK;
}

// u of all contacts after a step, lambda of all.
static void fill_contacts(const tn_nodal_check *check, const float *x, const double *lambda)
{
    const tn_nodal_system *s = check->system;
    const tn_rows *c = s->problem->rows;
    tn_nodal_forces(s, lambda, check->all);
    for (int g = 0; g < s->general.n; g++) {
        tn_nodal_velocity(s, g, x, lambda + 3 * g, check->u + 3 * s->general.id[g]);
    }
    for (int m = 0; m < c->n_triples; m++) {
        if (s->node_of[m] < 0) {
            continue;
        }
        int lane = s->node_of[m] % TN_SELL_LANES;
        const tn_nodal_contacts *own = &s->rows.contacts[s->rows.contact_of_slice[s->node_of[m] / TN_SELL_LANES]];
        double slip[3] = {own->slip[0][lane], own->slip[1][lane], own->slip[2][lane]};
        tn_mat3_vec(check->u + 3 * m, c->jacobian + 9 * c->start[m], slip);
        if (c->softness) {
            tn_mat3_add_vec(check->u + 3 * m, c->softness + 9 * m, check->all + 3 * m);
        }
    }
}

double tn_nodal_check_balance(const tn_nodal_check *check, double balance)
{
    double demanded = MARGIN * check->tolerance.momentum;
    return demanded > 0.0 && balance != 0.0 ? balance / check->b_norm / demanded : 0.0;
}

double tn_nodal_check_merit(const tn_nodal_check *check, double balance, const float *x, const double *lambda)
{
    double merit = tn_nodal_check_balance(check, balance);
    if (check->looks) {
        fill_contacts(check, x, lambda);
        double score = tn_check_score(&check->contacts, check->all, check->u);
        merit = isnan(merit) || merit > score ? merit : score;
    }
    return merit;
}

// A hundredth of the step's velocity scale on every node; a millionth of what b would give each node alone.
double tn_nodal_check_floor(const tn_nodal_system *s)
{
    double square = 0.0;
    for (int row = 0; row < s->order->n_rows; row++) {
        int at = s->order->lane[row];
        const float *inverse = s->rows.inverse + 72 * (size_t)(at / TN_SELL_LANES) + at % TN_SELL_LANES;
        const double *b = s->problem->b + 3 * (size_t)row;
        for (int k = 0; k < 9; k += 3) {
            double v =
                (double)inverse[8 * k] * b[0] + (double)inverse[8 * k + 8] * b[1] + (double)inverse[8 * k + 16] * b[2];
            square += v * v;
        }
    }
    double scale = s->problem->velocity_scale * sqrt((double)s->problem->A->n_rows);
    return fmax(1e-2 * scale, 1e-6 * sqrt(square));
}

double tn_nodal_check_size(const tn_nodal_system *s)
{
    double square = 0.0;
    for (int row = 0; row < s->order->n_rows; row++) {
        square += tn_vec3_dot(s->reference + 3 * (size_t)row, s->reference + 3 * (size_t)row);
    }
    return sqrt(square);
}
