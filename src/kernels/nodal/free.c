#include "kernels/nodal/free.h"

#include "kernels/nodal/node_lanes.h"
#include "kernels/processor.h"

// Velocity of sliding, its length (never 0) apart.
TN_INLINE node_lanes slip_of(const tn_nodal_contacts *c, node_lanes n, node_lanes v, lanes *length)
{
    const lanes zero = {0.0};
    node_lanes u = plus(v, load_three(c->offset));
    node_lanes t = madd(u, -dot(n, u), n);
    *length = larger(roots(dot(t, t)), zero + 1e-200);
    return t;
}

// Whether any of the eight contacts slides: where bodies rest, few do, and what follows is dear.
TN_INLINE bool any_slides(const tn_nodal_contacts *c)
{
    bool any = false;
    for (int lane = 0; lane < TN_SELL_LANES; lane++) {
        any |= c->state[lane] == TN_NODAL_SLIDE;
    }
    return any;
}

TN_INLINE void truncation_body(bool wide, const tn_nodal_rows *rows, const float *x, float *r)
{
    const lanes zero = {0.0};
    for (int s = 0; s < rows->sell->order->n_large; s++) {
        tn_nodal_contacts *c = contacts_of(rows, s);
        if (!c) {
            continue;
        }
        lane_masks state = load_masks(c->state), closed = state != TN_NODAL_OPEN, slides = state == TN_NODAL_SLIDE;
        node_lanes n = load_three(c->normal), own = widen(octet_load_slice(wide, r, s));
        node_lanes g = madd(own, 1.0 / load(c->w), load_three(c->base)); // without any contact's force
        if (!any_slides(c)) {
            store(c->friction, zero);
            octet_store_slice(wide, r, s, narrow(masked(~closed, g)));
            continue;
        }
        lanes reaction = dot(n, g), length;
        node_lanes t = slip_of(c, n, widen(octet_load_slice(wide, x, s)), &length);
        lanes friction = rows->law == TN_LAW_FRICTIONLESS ? zero : load(c->mu) * larger(zero, reaction);
        friction = choose(slides, friction, zero);
        store(c->friction, friction);
        node_lanes sliding = madd(madd(g, -reaction, n), friction / length, t);
        octet_store_slice(wide, r, s, narrow(choose_nodes(closed, masked(slides, sliding), g)));
    }
}

// Eight contacts' part of tn_nodal_apply: v - d with its limits; returns the lanes that turned back.
TN_INLINE lane_masks apply_contacts(const tn_nodal_contacts *c, node_lanes v, node_lanes d, node_lanes *out)
{
    const lanes zero = {0.0};
    lane_masks mask = load_masks(c->mask), state = load_masks(c->state);
    lane_masks closed = state != TN_NODAL_OPEN, slides = state == TN_NODAL_SLIDE;
    node_lanes n = load_three(c->normal), offset = load_three(c->offset);
    lanes d_n = choose(closed, dot(n, d), zero), length;
    d = masked(~closed | slides, madd(d, -d_n, n));
    lane_masks turned = {0};
    if (any_slides(c)) {
        node_lanes t = slip_of(c, n, v, &length);
        turned = slides & (dot(minus(t, d), t) < zero);
    }
    node_lanes y = minus(v, d);
    lanes u_n = dot(n, plus(y, offset));
    lanes depth = choose(mask & ~closed & (u_n < zero), u_n, zero);
    *out = madd(y, -depth, n);
    return turned;
}

// Eight nodes without contact, number by number.
TN_INLINE void apply_free(float *x, float *d)
{
    for (int i = 0; i < 4 * TN_SELL_LANES; i += 8) {
        octet v = octet_load(x + i), y = v - octet_load(d + i), change = y - v;
        memcpy(x + i, &y, sizeof y);
        memcpy(d + i, &change, sizeof change);
    }
}

TN_INLINE void apply_body(bool wide, const tn_nodal_rows *rows, float *x, float *d, bool *any)
{
    lane_masks turned = {0};
    for (int s = 0; s < rows->sell->order->n_slices; s++) {
        const tn_nodal_contacts *c = contacts_of(rows, s);
        if (!c) {
            size_t at = 4 * TN_SELL_LANES * (size_t)s;
            apply_free(x + at, d + at);
            continue;
        }
        octet_nodes v = octet_load_slice(wide, x, s), step = octet_load_slice(wide, d, s);
        node_lanes moved;
        turned |= apply_contacts(c, widen(v), widen(step), &moved);
        octet_nodes y = narrow(moved);
        octet_store_slice(wide, x, s, y);
        octet_store_slice(wide, d, s, (octet_nodes){y.x - v.x, y.y - v.y, y.z - v.z});
    }
    *any = false;
    for (int lane = 0; lane < TN_SELL_LANES; lane++) {
        *any = *any || turned[lane];
    }
}

TN_INLINE void slope_body(bool wide, const tn_nodal_rows *rows, const float *x, const float *d, double alpha,
                          double *out)
{
    const lanes zero = {0.0};
    lanes sum = zero;
    for (int s = 0; s < rows->sell->order->n_large; s++) {
        const tn_nodal_contacts *c = contacts_of(rows, s);
        if (!c) {
            continue;
        }
        if (!any_slides(c)) {
            continue; // friction is 0
        }
        node_lanes n = load_three(c->normal), change = widen(octet_load_slice(wide, d, s));
        node_lanes v = widen(octet_load_slice(wide, x, s));
        lanes length;
        node_lanes t = slip_of(c, n, madd(v, zero + (alpha - 1.0), change), &length);
        sum += load(c->friction) * (dot(t, change) / length);
    }
    *out = sum_of_lanes(sum);
}

TN_WIDE_VARIANTS(slope, (const tn_nodal_rows *rows, const float *x, const float *d, double alpha, double *out), rows, x,
                 d, alpha, out)
TN_WIDE_VARIANTS(truncation, (const tn_nodal_rows *rows, const float *x, float *r), rows, x, r)
TN_WIDE_VARIANTS(apply, (const tn_nodal_rows *rows, float *x, float *d, bool *any), rows, x, d, any)

void tn_nodal_truncate(const tn_nodal_rows *rows, const float *x, float *r)
{
    TN_BEST(truncation)(rows, x, r);
}

double tn_nodal_friction_slope(const tn_nodal_rows *rows, const float *x, const float *d, double alpha)
{
    double out;
    TN_BEST(slope)(rows, x, d, alpha, &out);
    return out;
}

bool tn_nodal_apply(const tn_nodal_rows *rows, float *x, float *d)
{
    bool any;
    TN_BEST(apply)(rows, x, d, &any);
    return any;
}
