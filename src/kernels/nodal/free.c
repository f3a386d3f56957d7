#include "kernels/nodal/free.h"

#include "kernels/nodal/halves.h"
#include "kernels/processor.h"

// Velocity of sliding of half h, its length (never 0) apart.
TN_QUAD_INLINE quad_nodes slip_of(const tn_nodal_contacts *c, int h, quad_nodes v, quad *length)
{
    const quad zero = {0.0};
    quad_nodes n = half_three(c->normal, h), u = add(v, half_three(c->offset, h));
    quad_nodes t = add_scaled(u, -dot(n, u), n);
    *length = quad_larger(quad_root(dot(t, t)), zero + 1e-200);
    return t;
}

// Whether any of the eight contacts slides: where bodies rest, few do, and what follows is dear.
TN_QUAD_INLINE bool any_slides(const tn_nodal_contacts *c)
{
    bool any = false;
    for (int lane = 0; lane < TN_SELL_LANES; lane++) {
        any |= c->state[lane] == TN_NODAL_SLIDE;
    }
    return any;
}

// Half h of a slice's part of tn_nodal_truncate: what is left of the residual r.
TN_QUAD_INLINE quad_nodes truncate_half(tn_nodal_contacts *c, int h, bool slide, tn_law law, quad_nodes r, quad_nodes v)
{
    const quad zero = {0.0};
    quad_mask state = half_mask(c->state, h), closed = state != TN_NODAL_OPEN, slides = state == TN_NODAL_SLIDE;
    quad_nodes n = half_three(c->normal, h);
    quad_nodes g = add_scaled(r, 1.0 / half_of(c->w, h), half_three(c->base, h)); // without any contact's force
    if (!slide) {
        quad_store(c->friction + HALF * h, zero);
        return masked_nodes(~closed, g);
    }
    quad reaction = dot(n, g), length;
    quad_nodes t = slip_of(c, h, v, &length);
    quad friction = law == TN_LAW_FRICTIONLESS ? zero : half_of(c->mu, h) * quad_larger(zero, reaction);
    friction = quad_choose(slides, friction, zero);
    quad_store(c->friction + HALF * h, friction);
    quad_nodes sliding = add_scaled(add_scaled(g, -reaction, n), friction / length, t);
    return choose_nodes(closed, masked_nodes(slides, sliding), g);
}

TN_QUAD_INLINE void truncation_body(bool wide, const tn_nodal_rows *rows, const float *x, float *r)
{
    for (int s = 0; s < rows->sell->order->n_large; s++) {
        tn_nodal_contacts *c = contacts_of(rows, s);
        if (!c) {
            continue;
        }
        octet_nodes own = octet_load_slice(wide, r, s), v = octet_load_slice(wide, x, s);
        bool slide = any_slides(c);
        quad_nodes left[2];
        left[0] = truncate_half(c, 0, slide, rows->law, widen(own, 0), widen(v, 0));
        left[1] = truncate_half(c, 1, slide, rows->law, widen(own, 1), widen(v, 1));
        octet_store_slice(wide, r, s, narrow(left));
    }
}

// Half h of a slice's part of tn_nodal_apply: v - d with its limits; returns the lanes that turned back.
TN_QUAD_INLINE quad_mask apply_half(const tn_nodal_contacts *c, int h, bool slide, quad_nodes v, quad_nodes d,
                                    quad_nodes *out)
{
    const quad zero = {0.0};
    quad_mask mask = half_mask(c->mask, h), state = half_mask(c->state, h);
    quad_mask closed = state != TN_NODAL_OPEN, slides = state == TN_NODAL_SLIDE;
    quad_nodes n = half_three(c->normal, h), offset = half_three(c->offset, h);
    quad d_n = quad_choose(closed, dot(n, d), zero), length;
    d = masked_nodes(~closed | slides, add_scaled(d, -d_n, n));
    quad_mask turned = {0};
    if (slide) {
        quad_nodes t = slip_of(c, h, v, &length);
        turned = slides & (dot(subtract(t, d), t) < zero);
    }
    quad_nodes y = subtract(v, d);
    quad u_n = dot(n, add(y, offset));
    quad depth = quad_choose(mask & ~closed & (u_n < zero), u_n, zero);
    *out = add_scaled(y, -depth, n);
    return turned;
}

// Eight nodes without contact, number by number.
TN_QUAD_INLINE void apply_free(float *x, float *d)
{
    for (int i = 0; i < 4 * TN_SELL_LANES; i += 8) {
        octet v = octet_load(x + i), y = v - octet_load(d + i), change = y - v;
        memcpy(x + i, &y, sizeof y);
        memcpy(d + i, &change, sizeof change);
    }
}

TN_QUAD_INLINE void apply_body(bool wide, const tn_nodal_rows *rows, float *x, float *d, bool *any)
{
    quad_mask turned = {0};
    for (int s = 0; s < rows->sell->order->n_slices; s++) {
        const tn_nodal_contacts *c = contacts_of(rows, s);
        if (!c) {
            size_t at = 4 * TN_SELL_LANES * (size_t)s;
            apply_free(x + at, d + at);
            continue;
        }
        octet_nodes v = octet_load_slice(wide, x, s), step = octet_load_slice(wide, d, s);
        bool slide = any_slides(c);
        quad_nodes moved[2];
        turned |= apply_half(c, 0, slide, widen(v, 0), widen(step, 0), &moved[0]);
        turned |= apply_half(c, 1, slide, widen(v, 1), widen(step, 1), &moved[1]);
        octet_nodes y = narrow(moved);
        octet_store_slice(wide, x, s, y);
        octet_store_slice(wide, d, s, (octet_nodes){y.x - v.x, y.y - v.y, y.z - v.z});
    }
    *any = ((turned[0] | turned[1]) | (turned[2] | turned[3])) != 0;
}

TN_QUAD_INLINE void slope_body(bool wide, const tn_nodal_rows *rows, const float *x, const float *d, double alpha,
                               double *out)
{
    const quad zero = {0.0};
    quad sum[2] = {zero, zero};
    for (int s = 0; s < rows->sell->order->n_large; s++) {
        const tn_nodal_contacts *c = contacts_of(rows, s);
        if (!c || !any_slides(c)) {
            continue; // no friction
        }
        octet_nodes step = octet_load_slice(wide, d, s), start = octet_load_slice(wide, x, s);
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            quad_nodes change = widen(step, h);
            quad length;
            quad_nodes t = slip_of(c, h, add_scaled(widen(start, h), zero + (alpha - 1.0), change), &length);
            sum[h] += half_of(c->friction, h) * (dot(t, change) / length);
        }
    }
    *out = quad_sum(sum[0] + sum[1]);
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
