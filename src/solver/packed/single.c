#include "solver/packed/single.h"

#include "base/team.h"
#include "problem/problem.h"

#include <string.h>

static size_t padded(size_t n, size_t part)
{
    return (n + part - 1) / part * part;
}

enum { PART = 512 }; // contacts that a thread takes at a time

// The contact in lane i of all, and what turning its force there and back leaves of it.
static void put_lane(const tn_packed *packed, int i, float *lambda)
{
    int id = packed->order.id[i];
    if (id < 0) {
        return;
    }
    double *force = packed->forces + 3 * (size_t)id, turned[3];
    float *to = lambda + 3 * TN_PACK * (size_t)(i / TN_PACK) + i % TN_PACK;
    tn_packed_turn_in(packed, i, force, turned);
    tn_packed_turn_out(packed, i, turned, force);
    to[0] = (float)turned[0];
    to[TN_PACK] = (float)turned[1];
    to[2 * TN_PACK] = (float)turned[2];
}

typedef struct loading {
    const tn_packed *packed;
    float *lambda;
} loading;

static void put_lanes(const void *context, int first, int end, int thread)
{
    const loading *l = context;
    for (int i = first; i < end; ++i) {
        put_lane(l->packed, i, l->lambda);
    }
}

bool tn_packed_single_create(tn_packed_single *s, tn_packed *packed, tn_arena *arena)
{
    const tn_problem *problem = packed->problem;
    const tn_pack_order *order = &packed->order;
    size_t n_lambda = (size_t)packed->n_numbers, n_x = padded(TN_PACK * (size_t)(packed->lines.n + order->n), 16),
           n_mixed = padded(TN_PACK * (size_t)packed->lines.n, 16); // what comes then is of empty lanes
    *s = (tn_packed_single){.packed = packed, .n_lambda = (int)n_lambda, .n_numbers = (int)(n_lambda + n_mixed)};
    float *lambda = TN_PUSH(arena, float, n_lambda + n_x);
    s->anchor = TN_PUSH_RAW(arena, float, n_lambda);
    if (!lambda || !s->anchor) {
        return false;
    }
    s->packs = (tn_contact_packs_single){.law = problem->law,
                                         .step = problem->step > 0.0 ? problem->step : 1.0,
                                         .n = order->n,
                                         .n_lines = packed->lines.n,
                                         .n_groups = order->n_groups,
                                         .n_full_groups = order->n_full_groups,
                                         .group_start = order->group_start,
                                         .n_rounds = order->n_rounds,
                                         .round_start = order->round_start,
                                         .pieces = order->pieces,
                                         .packs = packed->single,
                                         .central = packed->central,
                                         .softness = packed->single_softness,
                                         .central_softness = packed->central_softness,
                                         .lambda = lambda,
                                         .anchor = s->anchor,
                                         .x = lambda + n_lambda,
                                         .n_threads = packed->n_threads};
    tn_team_share(packed->n_threads, TN_PACK * order->n, PART, put_lanes, &(loading){packed, lambda});
    tn_packed_put_rest(packed, packed->forces, (tn_pack_numbers){NULL, lambda});
    memcpy(s->anchor, lambda, n_lambda * sizeof *lambda);
    return true;
}

// Contacts first..end-1 of all.
typedef struct over_contacts {
    const tn_packed_single *s;
    const float *lambda;
    void (*function)(const tn_packed_single *s, const float *lambda, int first, int end);
} over_contacts;

static void go_over_range(const void *context, int first, int end, int thread)
{
    const over_contacts *over = context;
    over->function(over->s, over->lambda, first, end);
}

// Contacts first..end-1, by the threads that there are.
static void go_over(const tn_packed_single *s, const float *lambda,
                    void (*function)(const tn_packed_single *s, const float *lambda, int first, int end))
{
    tn_team_share(s->packed->n_threads, s->packed->problem->rows->n_triples, PART, go_over_range,
                  &(over_contacts){s, lambda, function});
}

// J v + w of one contact, tangents turned, to its lane.
static void set_offset(const tn_packed_single *s, int m)
{
    const tn_pack_order *order = &s->packed->order;
    int n_full = order->group_start[order->n_full_groups], at = order->place[m], k = at / TN_PACK, lane = at % TN_PACK;
    const double *turn = tn_packed_turn(s->packed, k) + lane;
    double u[3];
    tn_contact_row_velocity(s->packed->problem, m, s->packed->v, NULL, u);
    const float offset[3] = {(float)u[0], (float)(turn[0] * u[1] + turn[TN_PACK] * u[2]),
                             (float)(turn[0] * u[2] - turn[TN_PACK] * u[1])};
    for (int i = 0; i < 3; ++i) {
        if (k < n_full) {
            s->packs.packs[k].offset[i][lane] = offset[i];
        } else {
            s->packs.central[(k - n_full) / 2].offset[i][(at - TN_PACK * n_full) % TN_CENTRAL] = offset[i];
        }
    }
}

// The forces of some contacts from lambda (n_lambda).
static void get_forces(const tn_packed_single *s, const float *lambda, int first, int end)
{
    const tn_pack_order *order = &s->packed->order;
    for (int m = first; m < end; ++m) {
        int i = order->place[m];
        if (i < 0) {
            continue;
        }
        const float *from = lambda + 3 * TN_PACK * (size_t)(i / TN_PACK) + i % TN_PACK;
        const double turned[3] = {(double)from[0], (double)from[TN_PACK], (double)from[2 * TN_PACK]};
        tn_packed_turn_out(s->packed, i, turned, s->packed->forces + 3 * (size_t)m);
    }
}

static void set_offsets(const tn_packed_single *s, const float *lambda, int first, int end)
{
    for (int m = first; m < end; ++m) {
        if (s->packed->order.place[m] >= 0) {
            set_offset(s, m);
        }
    }
}

static void clear_x(tn_packed_single *s)
{
    memset(s->packs.x, 0, (size_t)(s->n_numbers - s->n_lambda) * sizeof *s->packs.x);
}

void tn_packed_single_finish(const tn_packed_single *s, const float *lambda)
{
    go_over(s, lambda, get_forces);
    tn_packed_get_rest(s->packed, NULL, lambda, s->packed->forces);
}

void tn_packed_single_anchor(tn_packed_single *s)
{
    tn_packed *packed = s->packed;
    tn_packed_single_finish(s, s->packs.lambda);
    tn_packed_recover(packed, packed->forces, packed->v);
    go_over(s, s->packs.lambda, set_offsets);
    tn_rest_set_offsets(&packed->rest, packed->v);
    memcpy(s->anchor, s->packs.lambda, (size_t)s->n_lambda * sizeof *s->anchor);
    clear_x(s);
}

void tn_packed_single_refresh(tn_packed_single *s)
{
    clear_x(s);
    tn_contact_packs_single_add(&s->packs);
    tn_rest_add(&s->packed->rest, (tn_pack_numbers){NULL, s->packs.lambda}, (tn_pack_numbers){NULL, s->anchor},
                (tn_pack_numbers){NULL, s->packs.x});
}

void tn_packed_single_sums(const tn_packed_single *s, bool fclib, tn_check_sums *sums)
{
    double packed[TN_PACK_SUMS];
    tn_contact_packs_single_sums(&s->packs, fclib, packed);
    *sums = tn_packed_check_sums(packed);
    tn_rest_add_sums(&s->packed->rest, (tn_pack_numbers){NULL, s->packs.lambda}, (tn_pack_numbers){NULL, s->packs.x},
                     sums);
}

void tn_packed_single_sweep(tn_packed_single *s, int sweeps)
{
    const tn_rest *rest = &s->packed->rest;
    if (rest->n == 0) {
        tn_contact_packs_single_sweep(&s->packs, sweeps);
    }
    for (int k = 0; rest->n > 0 && k < sweeps; ++k) {
        tn_contact_packs_single_sweep(&s->packs, 1);
        tn_rest_sweep(rest, (tn_pack_numbers){NULL, s->packs.lambda}, (tn_pack_numbers){NULL, s->packs.x});
    }
}
