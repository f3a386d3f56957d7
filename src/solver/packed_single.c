#include "solver/packed_single.h"

#include "math/mat3.h"

#include <string.h>

static size_t padded(size_t n)
{
    return (n + 15) / 16 * 16;
}

bool tn_packed_single_create(tn_packed_single *s, tn_packed *packed, tn_arena *arena)
{
    const tn_problem *problem = packed->problem;
    const tn_pack_order *order = &packed->order;
    size_t n_lambda = padded(3 * TN_PACK * (size_t)order->n),
           n_x = padded(TN_PACK * (size_t)(packed->lines.n + order->n));
    *s = (tn_packed_single){.packed = packed, .n_lambda = (int)n_lambda};
    float *lambda = TN_PUSH(arena, float, n_lambda), *x = TN_PUSH(arena, float, n_x);
    s->anchor = TN_PUSH_RAW(arena, float, n_lambda);
    s->forces = packed->forces;
    s->v = packed->v;
    s->wide_x = TN_PUSH_RAW(arena, double, n_x);
    if (!lambda || !x || !s->anchor || !s->forces || !s->wide_x) {
        return false;
    }
    s->packs = (tn_contact_packs_single){.law = problem->law,
                                         .step = problem->step > 0.0 ? problem->step : 1.0,
                                         .n = order->n,
                                         .n_lines = packed->lines.n,
                                         .n_groups = order->n_groups,
                                         .group_start = order->group_start,
                                         .n_rounds = order->n_rounds,
                                         .round_start = order->round_start,
                                         .packs = packed->single,
                                         .lambda = lambda,
                                         .anchor = s->anchor,
                                         .x = x,
                                         .n_threads = packed->n_threads};
    for (int i = 0; i < 3 * TN_PACK * order->n; ++i) {
        lambda[i] = (float)packed->lambda[i];
    }
    memcpy(s->anchor, lambda, n_lambda * sizeof *lambda);
    return true;
}

// J v + w of one contact, tangents turned, to its lane.
static void set_offset(const tn_packed_single *s, int m, const double *turn, float *offset)
{
    const tn_contacts *c = s->packed->problem->contacts;
    double u[3] = {c->offset[3 * (size_t)m], c->offset[3 * (size_t)m + 1], c->offset[3 * (size_t)m + 2]};
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        tn_mat3_add_vec(u, c->jacobian + 9 * (size_t)e, s->v + 3 * (size_t)c->block[e]);
    }
    offset[0] = (float)u[0];
    offset[TN_PACK] = (float)(turn[0] * u[1] + turn[TN_PACK] * u[2]);
    offset[2 * TN_PACK] = (float)(turn[0] * u[2] - turn[TN_PACK] * u[1]);
}

// The forces as they are, contact by contact.
static void get_forces(const tn_packed_single *s)
{
    const tn_pack_order *order = &s->packed->order;
#pragma omp parallel for schedule(static) num_threads(s->packed->n_threads)
    for (int k = 0; k < order->n; ++k) {
        for (int lane = 0; lane < TN_PACK; ++lane) {
            const float *from = s->packs.lambda + 3 * TN_PACK * (size_t)k + lane;
            const double *turn = s->packed->turn + 2 * TN_PACK * (size_t)k + lane;
            int m = order->id[TN_PACK * k + lane];
            double along = (double)from[TN_PACK], across = (double)from[2 * TN_PACK];
            if (m >= 0) {
                double *r = s->forces + 3 * (size_t)m;
                r[0] = (double)from[0];
                r[1] = turn[0] * along - turn[TN_PACK] * across;
                r[2] = turn[0] * across + turn[TN_PACK] * along;
            }
        }
    }
}

static void clear_x(tn_packed_single *s)
{
    memset(s->packs.x, 0, TN_PACK * (size_t)(s->packs.n_lines + s->packs.n) * sizeof *s->packs.x);
}

void tn_packed_single_anchor(tn_packed_single *s)
{
    tn_packed *packed = s->packed;
    const tn_pack_order *order = &packed->order;
    get_forces(s);
    tn_packed_recover(packed, s->forces, s->v);
#pragma omp parallel for schedule(static) num_threads(packed->n_threads)
    for (int k = 0; k < order->n; ++k) {
        for (int lane = 0; lane < TN_PACK; ++lane) {
            int m = order->id[TN_PACK * k + lane];
            if (m >= 0) {
                set_offset(s, m, packed->turn + 2 * TN_PACK * (size_t)k + lane, &s->packs.packs[k].offset[0][lane]);
            }
        }
    }
    memcpy(s->anchor, s->packs.lambda, (size_t)s->n_lambda * sizeof *s->anchor);
    clear_x(s);
}

void tn_packed_single_refresh(tn_packed_single *s)
{
    clear_x(s);
    tn_contact_packs_single_add(&s->packs);
}

void tn_packed_single_sums(const tn_packed_single *s, bool fclib, tn_check_sums *sums)
{
    double packed[TN_PACK_SUMS];
    tn_contact_packs_single_sums(&s->packs, fclib, s->wide_x, packed);
    *sums = tn_packed_check_sums(packed);
}

void tn_packed_single_sweep(tn_packed_single *s, int sweeps)
{
    for (int k = 0; k < sweeps; ++k) {
        tn_contact_packs_single_sweep(&s->packs);
    }
}

void tn_packed_single_finish(const tn_packed_single *s, const float *lambda)
{
    for (int i = 0; i < 3 * TN_PACK * s->packed->order.n; ++i) {
        s->packed->lambda[i] = (double)lambda[i];
    }
}
