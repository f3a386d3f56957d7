// The sweep over packs of contacts, for doubles and floats: sweep.h and single.h say what a pack is
// (pack, pack_list), SOLVE_LANE, and what Newton's method leaves of |mu n / |t| - 1| before the force is scaled onto
// the cone, or of its angle under the convex law: SLIDE_TOLERANCE where it starts, SLIDE_ENOUGH after a step.
#pragma once

// Newton's steps of a sliding contact.
enum { SLIDE_STEPS = 12 };

// Where the lanes are: in a pack from the i-th on; with CONTACT_PAIRS all eight, then those of a second pack. Two
// pointers, since gcc 12 keeps the sums of one and a distance in memory, one for each number.
#if defined(CONTACT_PAIRS)
typedef pack *place;

TN_INLINE lanes load_halves(const real *low, const real *high)
{
    return (lanes)_mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(low)), _mm256_loadu_ps(high), 1);
}

TN_INLINE void store_halves(real *low, real *high, lanes x)
{
    _mm256_storeu_ps(low, _mm512_castps512_ps256((__m512)x));
    _mm256_storeu_ps(high, _mm512_extractf32x8_ps((__m512)x, 1));
}

#define LANES_OF(p, i, field) load_halves((p)->field, (i)->field)
#define SET_LANES(p, i, field, x) store_halves((p)->field, (i)->field, x)

TN_INLINE const pack *pack_of_lane(const pack *p, const pack *second, int lane)
{
    return lane < TN_PACK ? p : second;
}

TN_INLINE int number_of_lane(const pack *second, int lane)
{
    return lane % TN_PACK;
}
#else
typedef int place;

#define LANES_OF(p, i, field) lanes_load((p)->field + (i))
#define SET_LANES(p, i, field, x) lanes_store((p)->field + (i), x)

TN_INLINE const pack *pack_of_lane(const pack *p, int i, int lane)
{
    return p;
}

TN_INLINE int number_of_lane(int i, int lane)
{
    return i + lane;
}
#endif

// J v + w of the pack's lanes from `i` on.
TN_INLINE lanes row_velocity(const pack *p, place i, int row, const lanes x[2][6])
{
    lanes a = LANES_OF(p, i, H[row][0][0]) * x[0][0], b = LANES_OF(p, i, H[row][1][0]) * x[1][0];
    TN_UNROLL
    for (int k = 1; k < 6; k++) {
        a += LANES_OF(p, i, H[row][0][k]) * x[0][k];
        b += LANES_OF(p, i, H[row][1][k]) * x[1][k];
    }
    return LANES_OF(p, i, offset[row]) + (a + b);
}

// x += H^T f.
TN_INLINE void push_bodies(const pack *p, place i, const lanes f[3], lanes x[2][6])
{
    TN_UNROLL
    for (int side = 0; side < 2; side++) {
        TN_UNROLL
        for (int k = 0; k < 6; k++) {
            x[side][k] += LANES_OF(p, i, H[0][side][k]) * f[0] +
                          (LANES_OF(p, i, H[1][side][k]) * f[1] + LANES_OF(p, i, H[2][side][k]) * f[2]);
        }
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
// as in law/cone_solve.c. With E = (s_1 + x)(s_2 + x), P = n E and R = |t| E hold no quotient, f = mu P / R - 1.
// Returns the lanes where it got there.
TN_INLINE lanes_mask solve_slide(pack *p, place i, const lone_contact *l, lanes_mask wanted, lanes r[3])
{
    const lanes zero = zeros(), one = zero + (real)1.0, endless = zero + (real)HUGE_VAL;
    const lanes s[2] = {LANES_OF(p, i, s[0]), LANES_OF(p, i, s[1])}, start = LANES_OF(p, i, slide);
    const lanes m[2] = {l->inverse_w * l->c[0] * l->b[0], l->inverse_w * l->c[1] * l->b[1]};
    const lanes q[2] = {l->b[0] * l->b[0], l->b[1] * l->b[1]};
    lanes x = start, low = zero, high = endless, e[2], E, P, R;
    lanes_mask active = wanted;
    for (int step = 0;; step++) {
        e[0] = s[0] + x;
        e[1] = s[1] + x;
        E = e[0] * e[1];
        P = m[0] * e[1] + m[1] * e[0] - l->g * E;
        lanes square = q[0] * e[1] * e[1] + q[1] * e[0] * e[0];
        R = roots(square);
        lanes over = l->mu * P - R;
        const real enough = step == 0 ? SLIDE_TOLERANCE : SLIDE_ENOUGH;
        active &= (over > enough * R) | (over < -enough * R);
        if (!any(active) || step == SLIDE_STEPS) {
            break;
        }
        low = lanes_choose(over < zero, x, low);
        high = lanes_choose(over > zero, x, high);
        lanes slope = (m[0] + m[1] - l->g * (e[0] + e[1])) * square - P * (q[0] * e[1] + q[1] * e[0]);
        lanes next = x - over * square / (l->mu * slope);
        lanes inside = lanes_choose(high < endless, (real)0.5 * (low + high), (real)2.0 * low + (s[0] + s[1]));
        next = lanes_choose((next > low) & (next < high), next, inside);
        x = lanes_choose(active, next, x);
    }
    lanes_mask found = wanted & ~active & (P > zero) & (R > zero);
    lanes inverse = one / (E * R), scale = l->mu * P * inverse;
    r[0] = lanes_choose(found, P * R * inverse, r[0]);
    r[1] = lanes_choose(found, -scale * l->b[0] * e[1], r[1]);
    r[2] = lanes_choose(found, -scale * l->b[1] * e[0], r[2]);
    SET_LANES(p, i, slide, lanes_choose(found, x, lanes_choose(wanted, zero, start)));
    return found;
}

// The same under the convex law: r = n (1, mu e) with u_t along -e. For each direction e the energy is least at one n;
// Newton's method turns e, from the last force's on (else from that of the force that would make the contact stick),
// until u_t has nothing across it. W is u_n over W_nn along the ray (1, mu e), k u_t across it for n = 1.
TN_INLINE lanes_mask solve_slide_convex(const pack *p, place i, const lone_contact *l, const lanes old[3],
                                        const lanes stick[2], lanes_mask wanted, lanes r[3])
{
    const lanes zero = zeros(), one = zero + (real)1.0, m = l->mu * l->inverse_w;
    const lanes s[2] = {l->mu * LANES_OF(p, i, s[0]), l->mu * LANES_OF(p, i, s[1])};
    lanes square = old[1] * old[1] + old[2] * old[2], e[2], n, back, bend;
    e[0] = lanes_choose(square > zero, old[1], stick[0]);
    e[1] = lanes_choose(square > zero, old[2], stick[1]);
    lanes scale = one / roots(e[0] * e[0] + e[1] * e[1]);
    e[0] *= scale;
    e[1] *= scale;
    lanes_mask active = wanted;
    for (int step = 0;; step++) {
        const lanes d[2] = {s[0] * e[0], s[1] * e[1]};
        lanes ray = one + m * (l->c[0] * e[0] + l->c[1] * e[1]), W = ray * ray + m * (d[0] * e[0] + d[1] * e[1]);
        n = larger(-(l->g * ray + m * (l->b[0] * e[0] + l->b[1] * e[1])) / W, zero);
        lanes a = l->g + n * ray, u[2] = {l->b[0] + l->c[0] * a + n * d[0], l->b[1] + l->c[1] * a + n * d[1]};
        lanes across = u[1] * e[0] - u[0] * e[1], turn = l->c[1] * e[0] - l->c[0] * e[1];
        lanes k = turn * ray + (d[1] * e[0] - d[0] * e[1]);
        back = -(u[0] * e[0] + u[1] * e[1]);
        bend = n * (s[0] * e[1] * e[1] + s[1] * e[0] * e[0] + m * turn * turn);
        lanes slope = back + bend - m * (across + n * k) * k / W;
        slope = lanes_choose(slope < zero, -slope, slope); // always towards less energy
        const real enough = step == 0 ? SLIDE_TOLERANCE : SLIDE_ENOUGH;
        active &= (across > enough * slope) | (across < -enough * slope);
        if (!any(active) || step == SLIDE_STEPS) {
            break;
        }
        lanes by = across / slope, shrink = one / roots(one + by * by);
        lanes next[2] = {shrink * (e[0] + by * e[1]), shrink * (e[1] - by * e[0])};
        e[0] = lanes_choose(active, next[0], e[0]);
        e[1] = lanes_choose(active, next[1], e[1]);
    }
    // Where u_t is along e the energy is lower inside the cone.
    lanes_mask found = wanted & ~active & (n > zero) & (back >= -SLIDE_TOLERANCE * bend);
    r[0] = lanes_choose(found, n, r[0]);
    r[1] = lanes_choose(found, l->mu * n * e[0], r[1]);
    r[2] = lanes_choose(found, l->mu * n * e[1], r[2]);
    return found;
}

// The lanes that no formula here solved, one by one.
TN_INLINE void solve_left(tn_law law, const pack *p, place i, lanes_mask left, const lanes u[3], const lanes old[3],
                          lanes r[3])
{
    for (int lane = 0; lane < CONTACT_WIDTH; lane++) {
        if (left[lane]) {
            const double velocity[3] = {u[0][lane], u[1][lane], u[2][lane]};
            double force[3] = {old[0][lane], old[1][lane], old[2][lane]};
            SOLVE_LANE(law, pack_of_lane(p, i, lane), number_of_lane(i, lane), velocity, force);
            r[0][lane] = (real)force[0];
            r[1][lane] = (real)force[1];
            r[2][lane] = (real)force[2];
        }
    }
}

// r = old + relax (r - old) where the contact sticks, back into the cone.
TN_INLINE void relax(const pack *p, place i, lanes_mask stick, lanes mu, const lanes old[3], lanes r[3])
{
    const lanes zero = zeros(), factor = LANES_OF(p, i, relax);
    lanes n = larger(old[0] + factor * (r[0] - old[0]), zero);
    lanes t[2] = {old[1] + factor * (r[1] - old[1]), old[2] + factor * (r[2] - old[2])};
    lanes square = t[0] * t[0] + t[1] * t[1], limit = mu * n;
    lanes_mask out = square > limit * limit;
    if (any(out & stick)) {
        lanes scale = lanes_choose(out, limit / roots(square), zero + (real)1.0);
        t[0] *= scale;
        t[1] *= scale;
    }
    r[0] = lanes_choose(stick, n, r[0]);
    r[1] = lanes_choose(stick, t[0], r[1]);
    r[2] = lanes_choose(stick, t[1], r[2]);
}

// The force r that solves the contact, u being its velocity with the old force.
TN_INLINE void solve(tn_law law, pack *p, place i, const lanes u[3], const lanes old[3], lanes r[3])
{
    const lanes zero = zeros();
    lone_contact l = {.inverse_w = LANES_OF(p, i, inverse_w),
                      .c = {LANES_OF(p, i, c[0]), LANES_OF(p, i, c[1])},
                      .mu = law == TN_LAW_FRICTIONLESS ? zero : LANES_OF(p, i, mu)};
    lanes a = u[0] * l.inverse_w;
    l.g = a - old[0] - l.inverse_w * (l.c[0] * old[1] + l.c[1] * old[2]);
    TN_UNROLL
    for (int k = 0; k < 2; k++) {
        l.b[k] = u[1 + k] - l.c[k] * a - LANES_OF(p, i, s[k]) * old[1 + k];
    }
    lanes_mask closed = l.g < zero;
    if (law == TN_LAW_CONVEX) { // u outside the dual cone
        const lanes q[2] = {l.b[0] + l.c[0] * l.g, l.b[1] + l.c[1] * l.g};
        closed = l.g < l.inverse_w * l.mu * roots(q[0] * q[0] + q[1] * q[1]);
    }
    const lanes t[2] = {-l.b[0] * LANES_OF(p, i, inverse_s[0]), -l.b[1] * LANES_OF(p, i, inverse_s[1])};
    lanes n = normal_force(&l, t), limit = l.mu * n;
    lanes_mask stick = closed & (n >= zero) & (t[0] * t[0] + t[1] * t[1] <= limit * limit);
    r[0] = lanes_choose(stick, n, zero);
    r[1] = lanes_choose(stick, t[0], zero);
    r[2] = lanes_choose(stick, t[1], zero);
    lanes_mask slide = closed & ~stick;
    if (any(slide)) {
        lanes_mask left = slide;
        if (law == TN_LAW_COULOMB) {
            left &= ~solve_slide(p, i, &l, slide, r);
        } else if (law == TN_LAW_CONVEX) {
            left &= ~solve_slide_convex(p, i, &l, old, t, slide, r);
        }
        if (any(left)) {
            solve_left(law, p, i, left, u, old, r);
        }
    }
    relax(p, i, stick, l.mu, old, r);
}

#if !defined(CONTACT_PAIRS)
TN_INLINE void read_three(const real *from, int i, lanes out[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        out[k] = lanes_load(from + TN_PACK * k + i);
    }
}

TN_INLINE void write_three(real *to, int i, const lanes in[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        lanes_store(to + TN_PACK * k + i, in[k]);
    }
}

TN_INLINE void read_bodies(const pack_list *packs, const pack *p, int i, lanes x[2][6])
{
    read_lines(packs->x, p->line[0] + i, x[0]);
    read_lines(packs->x, p->line[1] + i, x[1]);
}

TN_INLINE void write_bodies(const pack_list *packs, const pack *p, int i, const lanes x[2][6])
{
    write_lines(packs->x, p->line[0] + i, x[0]);
    write_lines(packs->x, p->line[1] + i, x[1]);
}

// u += R r of pack k.
TN_INLINE void give_way(const pack_list *packs, int k, int i, const lanes r[3], lanes u[3])
{
    const real *softness = packs->softness + 2 * TN_PACK * (size_t)k + i;
    lanes across = lanes_load(softness + TN_PACK);
    u[0] += lanes_load(softness) * r[0];
    u[1] += across * r[1];
    u[2] += across * r[2];
}

// Groups first..end-1.
TN_INLINE void sweep_law(tn_law law, bool soft, const pack_list *packs, int first, int end)
{
    for (int g = first; g < end; g++) {
        const pack *all = packs->packs + packs->group_start[g];
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6];
            read_bodies(packs, all, i, x);
            for (int k = packs->group_start[g]; k < packs->group_start[g + 1]; k++) {
                pack *p = packs->packs + k;
                real *lambda = packs->lambda + 3 * TN_PACK * (size_t)k;
                lanes u[3], old[3], r[3];
                TN_UNROLL
                for (int row = 0; row < 3; row++) {
                    u[row] = row_velocity(p, i, row, x);
                }
                read_three(lambda, i, old);
                if (soft) {
                    give_way(packs, k, i, old, u);
                }
                solve(law, p, i, u, old, r);
                write_three(lambda, i, r);
                const lanes change[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
                push_bodies(p, i, change, x);
            }
            write_bodies(packs, all, i, x);
        }
    }
}
#endif
