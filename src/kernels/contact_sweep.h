// The contact kernels, once for each instruction set: contact_sweep_NAME.c says CONTACT_WIDTH, CONTACT_TARGET and NAME
// and includes this file. The variants differ in how many of a pack's eight lanes they take at a time.
#pragma once

#include <stdbool.h>

#include "kernels/contact_lanes.h"
#include "kernels/contact_variants.h"

// Newton's steps of a sliding contact and what they leave of |mu n / |t| - 1|; the force is scaled onto the cone then.
enum { SLIDE_STEPS = 12 };
#define SLIDE_TOLERANCE 1e-12

// J v + w of the pack's lanes from `i` on.
TN_INLINE lanes row_velocity(const tn_contact_pack *p, int i, int row, const lanes x[2][6])
{
    lanes a = load(p->H[row][0][0] + i) * x[0][0], b = load(p->H[row][1][0] + i) * x[1][0];
    TN_UNROLL
    for (int k = 1; k < 6; k++) {
        a += load(p->H[row][0][k] + i) * x[0][k];
        b += load(p->H[row][1][k] + i) * x[1][k];
    }
    return load(p->offset[row] + i) + (a + b);
}

TN_INLINE void read_bodies(const tn_contact_packs *packs, const tn_contact_pack *p, int i, lanes x[2][6])
{
    read_lines(packs->x, p->line[0] + i, x[0]);
    read_lines(packs->x, p->line[1] + i, x[1]);
}

// x += H^T f, to memory.
TN_INLINE void push_bodies(const tn_contact_packs *packs, const tn_contact_pack *p, int i, const lanes f[3],
                           lanes x[2][6])
{
    TN_UNROLL
    for (int side = 0; side < 2; side++) {
        TN_UNROLL
        for (int k = 0; k < 6; k++) {
            x[side][k] += load(p->H[0][side][k] + i) * f[0] +
                          (load(p->H[1][side][k] + i) * f[1] + load(p->H[2][side][k] + i) * f[2]);
        }
        write_lines(packs->x, p->line[side] + i, x[side]);
    }
}

// One contact without its own force.
typedef struct lone_contact {
    lanes inverse_w, c[2], mu;
    lanes g;    // u_n / W_nn: minus the force that alone closes it
    lanes b[2]; // u_t after that force
} lone_contact;

TN_INLINE lanes normal_force(const lone_contact *l, const lanes t[2])
{
    return -l->g - l->inverse_w * (l->c[0] * t[0] + l->c[1] * t[1]);
}

// Sliding: t_i(x) = -b_i / (s_i + x) with |t| = mu n(x), by Newton's method on f(x) = mu n / |t| - 1 inside a bracket,
// as in law/local.c. With E = (s_1 + x)(s_2 + x), P = n E and R = |t| E hold no quotient, f = mu P / R - 1. Returns the
// lanes where it got there.
TN_INLINE lane_masks solve_slide(tn_contact_pack *p, int i, const lone_contact *l, lane_masks wanted, lanes r[3])
{
    const lanes zero = zeros(), one = zero + 1.0, endless = zero + HUGE_VAL;
    const lanes s[2] = {load(p->s[0] + i), load(p->s[1] + i)}, start = load(p->slide + i);
    const lanes m[2] = {l->inverse_w * l->c[0] * l->b[0], l->inverse_w * l->c[1] * l->b[1]};
    const lanes q[2] = {l->b[0] * l->b[0], l->b[1] * l->b[1]};
    lanes x = start, low = zero, high = endless, e[2], E, P, R;
    lane_masks active = wanted;
    for (int step = 0;; step++) {
        e[0] = s[0] + x;
        e[1] = s[1] + x;
        E = e[0] * e[1];
        P = m[0] * e[1] + m[1] * e[0] - l->g * E;
        lanes square = q[0] * e[1] * e[1] + q[1] * e[0] * e[0];
        R = roots(square);
        lanes over = l->mu * P - R;
        active &= (over > SLIDE_TOLERANCE * R) | (over < -SLIDE_TOLERANCE * R);
        if (!any(active) || step == SLIDE_STEPS) {
            break;
        }
        low = choose(over < zero, x, low);
        high = choose(over > zero, x, high);
        lanes slope = (m[0] + m[1] - l->g * (e[0] + e[1])) * square - P * (q[0] * e[1] + q[1] * e[0]);
        lanes next = x - over * square / (l->mu * slope);
        lanes inside = choose(high < endless, 0.5 * (low + high), 2.0 * low + (s[0] + s[1]));
        next = choose((next > low) & (next < high), next, inside);
        x = choose(active, next, x);
    }
    lane_masks found = wanted & ~active & (P > zero) & (R > zero);
    lanes inverse = one / (E * R), scale = l->mu * P * inverse;
    r[0] = choose(found, P * R * inverse, r[0]);
    r[1] = choose(found, -scale * l->b[0] * e[1], r[1]);
    r[2] = choose(found, -scale * l->b[1] * e[0], r[2]);
    store(p->slide + i, choose(found, x, choose(wanted, zero, start)));
    return found;
}

// The lanes that no formula here solved, one by one.
TN_INLINE void solve_left(tn_law law, const tn_contact_pack *p, int i, lane_masks left, const lanes u[3],
                          const lanes old[3], lanes r[3])
{
    for (int lane = 0; lane < CONTACT_WIDTH; lane++) {
        if (left[lane]) {
            const double velocity[3] = {u[0][lane], u[1][lane], u[2][lane]};
            double force[3] = {old[0][lane], old[1][lane], old[2][lane]};
            tn_contact_solve_lane(law, p, i + lane, velocity, force);
            r[0][lane] = force[0];
            r[1][lane] = force[1];
            r[2][lane] = force[2];
        }
    }
}

// r = old + relax (r - old) where the contact sticks, back into the cone.
TN_INLINE void relax(const tn_contact_pack *p, int i, lane_masks stick, lanes mu, const lanes old[3], lanes r[3])
{
    const lanes zero = zeros(), factor = load(p->relax + i);
    lanes n = larger(old[0] + factor * (r[0] - old[0]), zero);
    lanes t[2] = {old[1] + factor * (r[1] - old[1]), old[2] + factor * (r[2] - old[2])};
    lanes square = t[0] * t[0] + t[1] * t[1], limit = mu * n;
    lane_masks out = square > limit * limit;
    if (any(out & stick)) {
        lanes scale = choose(out, limit / roots(square), zero + 1.0);
        t[0] *= scale;
        t[1] *= scale;
    }
    r[0] = choose(stick, n, r[0]);
    r[1] = choose(stick, t[0], r[1]);
    r[2] = choose(stick, t[1], r[2]);
}

// The force r that solves the contact, u being its velocity with the old force.
TN_INLINE void solve(tn_law law, tn_contact_pack *p, int i, const lanes u[3], const lanes old[3], lanes r[3])
{
    const lanes zero = zeros();
    lone_contact l = {.inverse_w = load(p->inverse_w + i),
                      .c = {load(p->c[0] + i), load(p->c[1] + i)},
                      .mu = law == TN_LAW_FRICTIONLESS ? zero : load(p->mu + i)};
    lanes a = u[0] * l.inverse_w;
    l.g = a - old[0] - l.inverse_w * (l.c[0] * old[1] + l.c[1] * old[2]);
    TN_UNROLL
    for (int k = 0; k < 2; k++) {
        l.b[k] = u[1 + k] - l.c[k] * a - load(p->s[k] + i) * old[1 + k];
    }
    lane_masks closed = l.g < zero;
    if (law == TN_LAW_CONVEX) { // u outside the dual cone
        const lanes q[2] = {l.b[0] + l.c[0] * l.g, l.b[1] + l.c[1] * l.g};
        closed = l.g < l.inverse_w * l.mu * roots(q[0] * q[0] + q[1] * q[1]);
    }
    const lanes t[2] = {-l.b[0] * load(p->inverse_s[0] + i), -l.b[1] * load(p->inverse_s[1] + i)};
    lanes n = normal_force(&l, t), limit = l.mu * n;
    lane_masks stick = closed & (n >= zero) & (t[0] * t[0] + t[1] * t[1] <= limit * limit);
    r[0] = choose(stick, n, zero);
    r[1] = choose(stick, t[0], zero);
    r[2] = choose(stick, t[1], zero);
    lane_masks slide = closed & ~stick;
    if (any(slide)) {
        lane_masks left = slide;
        if (law == TN_LAW_COULOMB) {
            left &= ~solve_slide(p, i, &l, slide, r);
        }
        if (any(left)) {
            solve_left(law, p, i, left, u, old, r);
        }
    }
    relax(p, i, stick, l.mu, old, r);
}

TN_INLINE void read_three(const double *from, int i, lanes out[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        out[k] = load(from + TN_PACK * k + i);
    }
}

TN_INLINE void write_three(double *to, int i, const lanes in[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        store(to + TN_PACK * k + i, in[k]);
    }
}

TN_INLINE void sweep_law(tn_law law, const tn_contact_packs *packs, int first, int end)
{
    for (int k = first; k < end; k++) {
        tn_contact_pack *p = packs->packs + k;
        double *lambda = packs->lambda + 3 * TN_PACK * (size_t)k;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], u[3], old[3], r[3];
            read_bodies(packs, p, i, x);
            TN_UNROLL
            for (int row = 0; row < 3; row++) {
                u[row] = row_velocity(p, i, row, x);
            }
            read_three(lambda, i, old);
            solve(law, p, i, u, old, r);
            write_three(lambda, i, r);
            const lanes change[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
            push_bodies(packs, p, i, change, x);
        }
    }
}

CONTACT_TARGET static void sweep(const tn_contact_packs *packs, int first, int end)
{
    if (packs->law == TN_LAW_COULOMB) {
        sweep_law(TN_LAW_COULOMB, packs, first, end);
    } else if (packs->law == TN_LAW_CONVEX) {
        sweep_law(TN_LAW_CONVEX, packs, first, end);
    } else {
        sweep_law(TN_LAW_FRICTIONLESS, packs, first, end);
    }
}

CONTACT_TARGET static void add(const tn_contact_packs *packs, int first, int end)
{
    for (int k = first; k < end; k++) {
        const tn_contact_pack *p = packs->packs + k;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], r[3];
            read_bodies(packs, p, i, x);
            read_three(packs->lambda + 3 * TN_PACK * (size_t)k, i, r);
            push_bodies(packs, p, i, r, x);
        }
    }
}

CONTACT_TARGET static void velocity(const tn_contact_packs *packs, int first, int end, double *out)
{
    for (int k = first; k < end; k++) {
        const tn_contact_pack *p = packs->packs + k;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], u[3];
            read_bodies(packs, p, i, x);
            TN_UNROLL
            for (int row = 0; row < 3; row++) {
                u[row] = row_velocity(p, i, row, x);
            }
            write_three(out + 3 * TN_PACK * (size_t)k, i, u);
        }
    }
}

TN_INLINE lanes square_of(const lanes v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// |r - P_K(z)|^2, K the cone of mu.
TN_INLINE lanes cone_distance(lanes mu, const lanes r[3], const lanes z[3])
{
    const lanes zero = zeros(), one = zero + 1.0;
    lanes length = roots(z[1] * z[1] + z[2] * z[2]);
    // Apart goes first: with mu = 0 and z_n < 0 a contact without tangential force is inside too, 0 <= -0.
    lane_masks apart = mu * length <= -z[0], inside = length <= mu * z[0];
    lanes n = (z[0] + mu * length) / (one + mu * mu);
    lanes scale = mu * n / larger(length, zero + 1e-300);
    n = choose(apart, zero, choose(inside, z[0], n));
    scale = choose(apart, zero, choose(inside, one, scale));
    const lanes e[3] = {r[0] - n, r[1] - scale * z[1], r[2] - scale * z[2]};
    return square_of(e);
}

// The figures' parts at eight contacts, as solver/check.c has them for one.
TN_INLINE void sums_law(tn_law law, const tn_contact_packs *packs, int first, int end, double out[TN_PACK_SUMS])
{
    const lanes zero = zeros(), per_step = zero + 1.0 / packs->step;
    lanes total[TN_PACK_SUMS][TN_PACK / CONTACT_WIDTH] = {0};
    for (int k = first; k < end; k++) {
        const tn_contact_pack *p = packs->packs + k;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], u[3], r[3], mu = load(p->mu + i), rho = load(p->rho + i);
            read_bodies(packs, p, i, x);
            TN_UNROLL
            for (int row = 0; row < 3; row++) {
                u[row] = row_velocity(p, i, row, x);
            }
            read_three(packs->lambda + 3 * TN_PACK * (size_t)k, i, r);
            lanes shifted = u[0] + mu * roots(u[1] * u[1] + u[2] * u[2]);
            const lanes h[3] = {r[0] - per_step * shifted, r[1] - per_step * u[1], r[2] - per_step * u[2]};
            lanes natural;
            if (law == TN_LAW_FRICTIONLESS) {
                const lanes e[3] = {r[0] - larger(r[0] - rho * u[0], zero), r[1], r[2]};
                natural = square_of(e);
            } else {
                const lanes z[3] = {r[0] - rho * (law == TN_LAW_COULOMB ? shifted : u[0]), r[1] - rho * u[1],
                                    r[2] - rho * u[2]};
                natural = cone_distance(mu, r, z);
            }
            if (law == TN_LAW_COULOMB) { // the normal row counts by itself as well: check.c
                lanes normal = r[0] - larger(r[0] - rho * u[0], zero);
                natural = larger(natural, normal * normal);
            }
            int part = i / CONTACT_WIDTH;
            total[TN_PACK_NATURAL][part] += natural;
            total[TN_PACK_FCLIB][part] += cone_distance(mu, r, h);
            total[TN_PACK_FORCE][part] += square_of(r);
            total[TN_PACK_VELOCITY][part] += square_of(u);
        }
    }
    for (int s = 0; s < TN_PACK_SUMS; s++) {
        double lane[TN_PACK];
        memcpy(lane, total[s], sizeof lane);
        out[s] = ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
    }
}

CONTACT_TARGET static void sums(const tn_contact_packs *packs, int first, int end, double out[TN_PACK_SUMS])
{
    if (packs->law == TN_LAW_COULOMB) {
        sums_law(TN_LAW_COULOMB, packs, first, end, out);
    } else if (packs->law == TN_LAW_CONVEX) {
        sums_law(TN_LAW_CONVEX, packs, first, end, out);
    } else {
        sums_law(TN_LAW_FRICTIONLESS, packs, first, end, out);
    }
}

// W_ij of the rows.
TN_INLINE lanes product_of_rows(const tn_contact_pack *p, int i, int row, int column)
{
    lanes sum[2];
    TN_UNROLL
    for (int side = 0; side < 2; side++) {
        sum[side] = load(p->H[row][side][0] + i) * load(p->H[column][side][0] + i);
        TN_UNROLL
        for (int k = 1; k < 6; k++) {
            sum[side] += load(p->H[row][side][k] + i) * load(p->H[column][side][k] + i);
        }
    }
    return sum[0] + sum[1];
}

// Cosine and sine of the turn that makes S diagonal, half the angle of (s00 - s11, 2 s01); none where S is a multiple
// of the identity to rounding.
TN_INLINE void turn_of(lanes s00, lanes s01, lanes s11, lanes *cosine, lanes *sine)
{
    const lanes zero = zeros(), one = zero + 1.0;
    lanes d = s00 - s11, o = s01 + s01, h = roots(d * d + o * o);
    lane_masks none = h <= 1e-12 * (s00 + s11);
    lanes big = roots(0.5 + 0.5 * choose(d < zero, -d, d) / h), small = 0.5 * o / (h * big);
    // The larger of the two comes from the root: no cancellation.
    lane_masks swap = d < zero, minus = o < zero;
    lanes c = choose(swap, choose(minus, -small, small), big), s = choose(swap, choose(minus, -big, big), small);
    *cosine = choose(none, one, c);
    *sine = choose(none, zero, s);
}

TN_INLINE void turn_rows(double *first, double *second, lanes cosine, lanes sine)
{
    lanes a = load(first), b = load(second);
    store(first, cosine * a + sine * b);
    store(second, cosine * b - sine * a);
}

TN_INLINE lane_masks prepare_lanes(tn_law law, tn_contact_pack *p, int i, double *cosine, double *sine)
{
    const lanes zero = zeros(), one = zero + 1.0;
    lanes w = product_of_rows(p, i, 0, 0), w11 = product_of_rows(p, i, 1, 1), w22 = product_of_rows(p, i, 2, 2);
    lanes w01 = product_of_rows(p, i, 0, 1), w02 = product_of_rows(p, i, 0, 2), w12 = product_of_rows(p, i, 1, 2);
    lane_masks moves = w > zero;
    lanes iw = choose(moves, one / w, zero), largest = larger(w, larger(w11, w22)), given = load(p->rho + i);
    lanes rho = choose(given > zero, given, choose(largest > zero, one / largest, one));
    lanes s00 = w11 - w01 * w01 * iw, s01 = w12 - w01 * w02 * iw, s11 = w22 - w02 * w02 * iw, c, s;
    turn_of(s00, s01, s11, &c, &s);
    TN_UNROLL
    for (int side = 0; side < 2; side++) {
        TN_UNROLL
        for (int k = 0; k < 6; k++) {
            turn_rows(p->H[1][side][k] + i, p->H[2][side][k] + i, c, s);
        }
    }
    turn_rows(p->offset[1] + i, p->offset[2] + i, c, s);
    lanes trace = s00 + s11, along = 2.0 * c * s * s01;
    lanes s1 = c * c * s00 + along + s * s * s11, s2 = s * s * s00 - along + c * c * s11;
    lane_masks friction = (lane_masks)(zero > one);
    if (law != TN_LAW_FRICTIONLESS) {
        friction = load(p->mu + i) > zero;
    }
    lane_masks regular = moves & (~friction | (s1 * s2 > 1e-12 * trace * trace));
    friction &= regular;
    store(p->inverse_w + i, iw);
    store(p->rho + i, rho);
    store(p->c[0] + i, choose(friction, c * w01 + s * w02, zero));
    store(p->c[1] + i, choose(friction, c * w02 - s * w01, zero));
    store(p->s[0] + i, choose(friction, s1, zero));
    store(p->s[1] + i, choose(friction, s2, zero));
    store(p->inverse_s[0] + i, choose(friction, one / s1, zero));
    store(p->inverse_s[1] + i, choose(friction, one / s2, zero));
    store(p->relax + i, one);
    store(p->slide + i, zero);
    store(cosine + i, c);
    store(sine + i, s);
    return regular;
}

CONTACT_TARGET static void prepare(const tn_contact_packs *packs, int first, int end, double *turn, bool *regular)
{
    for (int k = first; k < end; k++) {
        double *cosine = turn + 2 * TN_PACK * (size_t)k, *sine = cosine + TN_PACK;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lane_masks good = prepare_lanes(packs->law, packs->packs + k, i, cosine, sine);
            for (int lane = 0; lane < CONTACT_WIDTH; lane++) {
                regular[TN_PACK * k + i + lane] = good[lane] != 0;
            }
        }
    }
}

const tn_contact_variant CONTACT_NAME = {CONTACT_KIND, prepare, add, sweep, sums, velocity};
