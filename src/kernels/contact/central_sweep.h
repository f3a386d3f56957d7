// The kernels of central contacts, once for each instruction set: central_NAME.c says CONTACT_WIDTH, CONTACT_TARGET and
// NAME and includes this file. The variants differ in how many of a pack's sixteen lanes they take at a time.
#pragma once

#define CONTACT_SINGLE
#define CONTACT_CENTRAL

#include <stdbool.h>

#include "base/fetch.h"
#include "kernels/contact/lanes.h"
#include "kernels/contact/variants.h"

typedef tn_contact_packs_single pack_list;

#include "kernels/contact/figures.h"

// Groups of lanes that a sweep takes at a time: four packs with sixteen lanes, both halves of one with eight. ns a
// contact of balls1000 with 1, 2 and 4: 5.9, 4.9, 4.5 and 7.8, 5.8, 5.6.
#if CONTACT_WIDTH == 16
enum { SIDE_BY_SIDE = 4 };
#elif CONTACT_WIDTH == 8
enum { SIDE_BY_SIDE = 2 };
#else
enum { SIDE_BY_SIDE = 1 };
#endif

// Central packs are asked for so far ahead, where so many packs come from memory.
enum { FETCH = 6, MANY_PACKS = 1024 };

typedef struct frame {
    lanes n[3], t[3], s[3]; // s = n x t
} frame;

TN_INLINE lanes dot(const lanes a[3], const lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TN_INLINE frame read_frame(const tn_central_pack *p, int i)
{
    frame f;
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        f.n[k] = lanes_load(p->n[k] + i);
        f.t[k] = lanes_load(p->t[k] + i);
    }
    f.s[0] = f.n[1] * f.t[2] - f.n[2] * f.t[1];
    f.s[1] = f.n[2] * f.t[0] - f.n[0] * f.t[2];
    f.s[2] = f.n[0] * f.t[1] - f.n[1] * f.t[0];
    return f;
}

TN_INLINE void velocity_of(const tn_central_pack *p, int i, const frame *f, const lanes x[2][6], lanes u[3])
{
    lanes d[3], s[3], push[2] = {lanes_load(p->push[0] + i), lanes_load(p->push[1] + i)};
    lanes turn[2] = {lanes_load(p->turn[0] + i), lanes_load(p->turn[1] + i)};
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        d[k] = push[0] * x[0][k] + push[1] * x[1][k];
        s[k] = turn[0] * x[0][3 + k] + turn[1] * x[1][3 + k];
    }
    u[0] = lanes_load(p->offset[0] + i) + dot(f->n, d);
    u[1] = lanes_load(p->offset[1] + i) + (dot(f->t, d) - dot(f->s, s));
    u[2] = lanes_load(p->offset[2] + i) + (dot(f->s, d) + dot(f->t, s));
}

// x += H^T r.
TN_INLINE void push_lines(const tn_central_pack *p, int i, const frame *f, const lanes r[3], lanes x[2][6])
{
    lanes push[2] = {lanes_load(p->push[0] + i), lanes_load(p->push[1] + i)};
    lanes turn[2] = {lanes_load(p->turn[0] + i), lanes_load(p->turn[1] + i)};
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        lanes force = f->n[k] * r[0] + (f->t[k] * r[1] + f->s[k] * r[2]), moment = f->t[k] * r[2] - f->s[k] * r[1];
        x[0][k] += push[0] * force;
        x[1][k] += push[1] * force;
        x[0][3 + k] += turn[0] * moment;
        x[1][3 + k] += turn[1] * moment;
    }
}

// Forces of the pack's lanes from i on, where packs of eight have them.
TN_INLINE void read_forces(const float *from, int i, lanes out[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
#if CONTACT_WIDTH == 16
        __m256 low = _mm256_load_ps(from + TN_PACK * k), high = _mm256_load_ps(from + TN_PACK * (3 + k));
        out[k] = (lanes)_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
#else
        out[k] = lanes_load(from + TN_PACK * (3 * (i / TN_PACK) + k) + i % TN_PACK);
#endif
    }
}

TN_INLINE void write_forces(float *to, int i, const lanes in[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
#if CONTACT_WIDTH == 16
        _mm256_store_ps(to + TN_PACK * k, _mm512_castps512_ps256((__m512)in[k]));
        _mm256_store_ps(to + TN_PACK * (3 + k), _mm512_extractf32x8_ps((__m512)in[k], 1));
#else
        lanes_store(to + TN_PACK * (3 * (i / TN_PACK) + k) + i % TN_PACK, in[k]);
#endif
    }
}

// u += R r.
TN_INLINE void give_way(const tn_central_softness *softness, int i, const lanes r[3], lanes u[3])
{
    lanes across = lanes_load(softness->t + i);
    u[0] += lanes_load(softness->n + i) * r[0];
    u[1] += across * r[1];
    u[2] += across * r[2];
}

// The force r that solves the contact, u being its velocity with the force r before. W is diagonal, so that normal and
// friction force follow one after the other; under the convex law the nearest point of the cone in W's norm.
TN_INLINE void solve_central(tn_law law, const tn_central_pack *p, int i, const lanes u[3], lanes r[3])
{
    const lanes zero = zeros(), one = zero + 1.0F, tiny = zero + 1e-30F;
    lanes iw = lanes_load(p->inverse_w + i), is = lanes_load(p->inverse_s + i), mu = lanes_load(p->mu + i);
    lanes n = r[0] - iw * u[0];
    if (law == TN_LAW_FRICTIONLESS) {
        r[0] = larger(n, zero);
        r[1] = r[2] = zero;
        return;
    }
    lanes t[2] = {r[1] - is * u[1], r[2] - is * u[2]};
    lanes length = roots(larger(t[0] * t[0] + t[1] * t[1], tiny));
    if (law == TN_LAW_CONVEX) {
        lanes ratio = mu * iw / larger(is, tiny), edge = (n + ratio * length) / (one + mu * ratio);
        n = lanes_choose(length <= mu * n, n, edge);
    }
    n = larger(n, zero);
    lanes scale = smaller(mu * n / length, one);
    r[0] = n;
    r[1] = scale * t[0];
    r[2] = scale * t[1];
}

// Where a pack's forces begin.
TN_INLINE size_t forces_at(const tn_contact_packs_single *packs, int k)
{
    return 3 * TN_PACK * (size_t)(packs->group_start[packs->n_full_groups] + 2 * k);
}

// The pack that comes FETCH later, and its forces, unless it is behind the end.
TN_INLINE void fetch_pack(const tn_contact_packs_single *packs, int k, int end)
{
    if (packs->n >= MANY_PACKS && k + FETCH < end) {
        tn_fetch_many(packs->central + k + FETCH, sizeof *packs->central);
        tn_fetch_many(packs->lambda + forces_at(packs, k + FETCH), 6 * TN_PACK * sizeof *packs->lambda);
    }
}

// New forces of pack k's lanes from i on, u being their velocity with the old ones.
TN_INLINE void solve_forces(tn_law law, bool soft, const tn_contact_packs_single *packs, int k, int i, lanes u[3],
                            lanes change[3])
{
    float *lambda = packs->lambda + forces_at(packs, k);
    lanes old[3], r[3];
    read_forces(lambda, i, old);
    if (soft) {
        give_way(packs->central_softness + k, i, old, u);
    }
    TN_UNROLL
    for (int j = 0; j < 3; j++) {
        r[j] = old[j];
    }
    solve_central(law, packs->central + k, i, u, r);
    write_forces(lambda, i, r);
    TN_UNROLL
    for (int j = 0; j < 3; j++) {
        change[j] = r[j] - old[j];
    }
}

// n times CONTACT_WIDTH lanes that share no line, from pack k's i-th on, stage by stage side by side: a contact's solve
// is a chain of operations, each of which waits for the one before.
TN_INLINE void sweep_lanes(tn_law law, bool soft, const tn_contact_packs_single *packs, int k, int i, int n)
{
    const tn_central_pack *p[SIDE_BY_SIDE];
    int at[SIDE_BY_SIDE];
    frame f[SIDE_BY_SIDE];
    lanes x[SIDE_BY_SIDE][2][6], u[SIDE_BY_SIDE][3], change[SIDE_BY_SIDE][3];
    TN_UNROLL
    for (int g = 0; g < n; g++) {
        p[g] = packs->central + k + (i + g * CONTACT_WIDTH) / TN_CENTRAL;
        at[g] = (i + g * CONTACT_WIDTH) % TN_CENTRAL;
        read_lines(packs->x, p[g]->place[0] + at[g], x[g][0]);
        read_lines(packs->x, p[g]->place[1] + at[g], x[g][1]);
    }
    TN_UNROLL
    for (int g = 0; g < n; g++) {
        f[g] = read_frame(p[g], at[g]);
        velocity_of(p[g], at[g], &f[g], (const lanes(*)[6])x[g], u[g]);
    }
    TN_UNROLL
    for (int g = 0; g < n; g++) {
        solve_forces(law, soft, packs, (int)(p[g] - packs->central), at[g], u[g], change[g]);
    }
    TN_UNROLL
    for (int g = 0; g < n; g++) {
        push_lines(p[g], at[g], &f[g], change[g], x[g]);
    }
    TN_UNROLL
    for (int g = 0; g < n; g++) {
        write_lines(packs->x, p[g]->place[0] + at[g], (const lanes *)x[g][0]);
        write_lines(packs->x, p[g]->place[1] + at[g], (const lanes *)x[g][1]);
    }
}

// Packs from k on, before end, that share no line: those of its round, which is *round or a later one.
TN_INLINE int count_apart(const tn_contact_packs_single *packs, int k, int end, int *round)
{
    while (packs->round_start[*round + 1] <= packs->n_full_groups + 2 * k) {
        ++*round;
    }
    int last = (packs->round_start[*round + 1] - packs->n_full_groups) / 2;
    return tn_contact_is_tiled(packs, *round) ? 1 : (last < end ? last : end) - k;
}

TN_INLINE void sweep_law(tn_law law, bool soft, const tn_contact_packs_single *packs, int first, int end)
{
    const int many = SIDE_BY_SIDE * CONTACT_WIDTH / TN_CENTRAL, part = many > 1 ? 1 : SIDE_BY_SIDE;
    for (int k = first, round = 0, n = 1; k < end; k += n) {
        n = many > 1 && count_apart(packs, k, end, &round) >= many ? many : 1;
        for (int q = k; q < k + n; q++) {
            fetch_pack(packs, q, end);
        }
        if (n > 1) {
            sweep_lanes(law, soft, packs, k, 0, SIDE_BY_SIDE);
        }
        for (int i = 0; n == 1 && i < TN_CENTRAL; i += part * CONTACT_WIDTH) {
            sweep_lanes(law, soft, packs, k, i, part);
        }
    }
}

TN_INLINE void sums_law(tn_law law, bool fclib, bool soft, const tn_contact_packs_single *packs, int first, int end,
                        double out[TN_PACK_SUMS])
{
    lanes total[TN_PACK_SUMS][TN_CENTRAL / CONTACT_WIDTH] = {0};
    for (int k = first; k < end; k++) {
        const tn_central_pack *p = packs->central + k;
        const float *lambda = packs->lambda + forces_at(packs, k);
        fetch_pack(packs, k, end);
        for (int i = 0; i < TN_CENTRAL; i += CONTACT_WIDTH) {
            lanes x[2][6], u[3], r[3], part[TN_PACK_SUMS];
            read_lines(packs->x, p->place[0] + i, x[0]);
            read_lines(packs->x, p->place[1] + i, x[1]);
            frame f = read_frame(p, i);
            velocity_of(p, i, &f, (const lanes(*)[6])x, u);
            read_forces(lambda, i, r);
            lanes rho = lanes_load((soft ? packs->central_softness[k].rho : p->inverse_s) + i);
            if (soft) {
                give_way(packs->central_softness + k, i, r, u);
            }
            figures_of(law, fclib, lanes_load(p->mu + i), rho, 1.0 / packs->step, r, u, part);
            TN_UNROLL
            for (int s = 0; s < TN_PACK_SUMS; s++) {
                total[s][i / CONTACT_WIDTH] += part[s];
            }
        }
    }
    for (int s = 0; s < TN_PACK_SUMS; s++) {
        float lane[TN_CENTRAL];
        double wide[TN_PACK];
        memcpy(lane, total[s], sizeof lane);
        for (int i = 0; i < TN_PACK; i++) {
            wide[i] = (double)lane[i] + (double)lane[TN_PACK + i];
        }
        out[s] = sum_of_lanes(wide);
    }
}

TN_INLINE bool is_soft(const pack_list *packs)
{
    return packs->central_softness;
}

#include "kernels/contact/by_law.h"

CONTACT_TARGET static void add(const tn_contact_packs_single *packs, int first, int end)
{
    for (int k = first; k < end; k++) {
        const tn_central_pack *p = packs->central + k;
        size_t at = forces_at(packs, k);
        fetch_pack(packs, k, end);
        for (int i = 0; i < TN_CENTRAL; i += CONTACT_WIDTH) {
            lanes x[2][6], r[3], old[3];
            read_lines(packs->x, p->place[0] + i, x[0]);
            read_lines(packs->x, p->place[1] + i, x[1]);
            frame f = read_frame(p, i);
            read_forces(packs->lambda + at, i, r);
            read_forces(packs->anchor + at, i, old);
            const lanes change[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
            push_lines(p, i, &f, change, x);
            write_lines(packs->x, p->place[0] + i, (const lanes *)x[0]);
            write_lines(packs->x, p->place[1] + i, (const lanes *)x[1]);
        }
    }
}

const tn_central_variant CONTACT_NAME = {CONTACT_KIND, sweep, add, sums};
