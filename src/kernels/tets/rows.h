// Private: what is gathered by node and by edge (forces, products, blocks of S), for the instruction set whose
// attribute the including file sets as TET_TARGET. An element's part of the block of corners a and b is
//     lambda g'_a g'_b^T + mu (g'_b g'_a^T + (g'_a . g'_b) 1) + [g'_a] M [g'_b]^T
// (isotropic material, constants times stiffness_time volume), so outer products alone are summed around an edge.
#pragma once

#include "kernels/quad.h"
#include "kernels/tets/parts.h"

#include <string.h>

#define QUAD_INLINE TET_TARGET static inline __attribute__((always_inline))

// Of a vector x, y, z, loaded with the number behind z. (y, z, x): u x w = turned(u * turned(w) - turned(u) * w).
QUAD_INLINE quad turned(quad q)
{
    return __builtin_shufflevector(q, q, 1, 2, 0, 3);
}

QUAD_INLINE void store(const quad row[3], double block[9])
{
    quad low = __builtin_shufflevector(row[0], row[1], 0, 1, 2, 4);
    quad high = __builtin_shufflevector(row[1], row[2], 1, 2, 4, 5);
    memcpy(block, &low, sizeof low);
    memcpy(block + 4, &high, sizeof high);
    block[8] = row[2][2];
}

QUAD_INLINE void transpose(const quad a[3], quad t[3])
{
    quad low = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6), high = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    t[0] = __builtin_shufflevector(low, a[2], 0, 1, 4, 7);
    t[1] = __builtin_shufflevector(high, a[2], 0, 1, 5, 7);
    t[2] = __builtin_shufflevector(low, a[2], 2, 3, 6, 7);
}

// out += T g of the symmetric T = xx xy xz yy yz zz, which is four numbers from each of 0, 1, 2 on.
QUAD_INLINE quad symmetric_times(const double *T, const double *g)
{
    quad c0 = quad_load(T), c1 = quad_load(T + 1), c2 = quad_load(T + 2);
    c1 = __builtin_shufflevector(c1, c1, 0, 2, 3, 3);
    c2 = __builtin_shufflevector(c2, c2, 0, 2, 3, 3);
    return c0 * g[0] + c1 * g[1] + c2 * g[2];
}

TET_TARGET static void forces(const tn_tets *tets, const tn_tets_elastic *elastic, double *force, int first, int end)
{
    for (int i = first; i < end; i++) {
        quad sum = {0.0, 0.0, 0.0, 0.0};
        for (int k = tets->corner_start[i]; k < tets->corner_start[i + 1]; k++) {
            const double *record = elastic->record + RECORD * (size_t)tet_of(tets->corners[k]);
            sum -= symmetric_times(record + RECORD_STRESS, record + 3 * (tets->corners[k] & 3));
        }
        for (int k = 0; k < 3; k++) {
            force[3 * (size_t)i + k] = sum[k];
        }
    }
}

// What an element makes of v: stress of the velocity gradient L = sum_b v_b g'_b^T, less its pressure, and the couple
// of its spin.
typedef struct element_flux {
    quad twice_shear[3]; // rows of L + L^T
    double mu, pressure;
    quad couple;
} element_flux;

QUAD_INLINE void flux_of(const tn_tets *tets, const tn_tets_elastic *elastic, size_t e, const double *v,
                         element_flux *out)
{
    const int *node = tets->node + e / TN_TET_LANES * 4 * TN_TET_LANES + e % TN_TET_LANES;
    const double *record = elastic->record + RECORD * e, *v0 = v + 3 * (size_t)node[0];
    quad L[3] = {{0.0}, {0.0}, {0.0}}, Lt[3];
    for (int b = 1; b < 4; b++) {
        const double *vb = v + 3 * (size_t)node[b * TN_TET_LANES];
        quad gb = quad_load(record + 3 * b);
        L[0] += (vb[0] - v0[0]) * gb;
        L[1] += (vb[1] - v0[1]) * gb;
        L[2] += (vb[2] - v0[2]) * gb;
    }
    transpose(L, Lt);
    out->mu = record[RECORD_MU];
    out->pressure = record[RECORD_LAMBDA] * (L[0][0] + L[1][1] + L[2][2]);
    out->twice_shear[0] = L[0] + Lt[0];
    out->twice_shear[1] = L[1] + Lt[1];
    out->twice_shear[2] = L[2] + Lt[2];
    if (elastic->spin) {
        const double *M = elastic->spin + SPIN * e;
        out->couple = quad_load(M) * (L[2][1] - L[1][2]) + quad_load(M + 4) * (L[0][2] - L[2][0]) +
                      quad_load(M + 8) * (L[1][0] - L[0][1]);
    }
}

QUAD_INLINE quad flux_at(const element_flux *flux, const double *g, bool spins)
{
    quad shear = flux->twice_shear[0] * g[0] + flux->twice_shear[1] * g[1] + flux->twice_shear[2] * g[2];
    quad sum = flux->mu * shear + flux->pressure * quad_load(g);
    if (spins) {
        sum += turned(flux->couple * turned(quad_load(g)) - turned(flux->couple) * quad_load(g));
    }
    return sum;
}

// Elements first..end-1, each once, onto the nodes whose elements are all among them; those nodes' y is zero before.
// Elements ascend, as they do around a node: the bits are those of product.
TET_TARGET static void scatter(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y,
                               int first, int end)
{
    for (int e = first; e < end; e++) {
        element_flux flux;
        flux_of(tets, elastic, (size_t)e, v, &flux);
        for (int a = 0; a < 4; a++) {
            int i = tets->node[(e / TN_TET_LANES * 4 + a) * TN_TET_LANES + e % TN_TET_LANES];
            if (!tn_tets_all_within(tets, i, first, end)) {
                continue;
            }
            quad f = flux_at(&flux, elastic->record + RECORD * (size_t)e + 3 * a, elastic->spin != NULL);
            double *yi = y + 3 * (size_t)i;
            yi[0] += f[0];
            yi[1] += f[1];
            yi[2] += f[2];
        }
    }
}

TET_TARGET static void scatter_listed(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y,
                                      const int *listed, int n)
{
    for (int k = 0; k < n; k++) {
        size_t e = (size_t)listed[k];
        const int *node = tets->node + e / TN_TET_LANES * 4 * TN_TET_LANES + e % TN_TET_LANES;
        element_flux flux;
        flux_of(tets, elastic, e, v, &flux);
        for (int a = 0; a < 4; a++) {
            quad f = flux_at(&flux, elastic->record + RECORD * e + 3 * a, elastic->spin != NULL);
            double *yi = y + 3 * (size_t)node[a * TN_TET_LANES];
            yi[0] += f[0];
            yi[1] += f[1];
            yi[2] += f[2];
        }
    }
}

// Row of one node, all its elements.
TET_TARGET static void product(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y, int i)
{
    quad sum = {0.0, 0.0, 0.0, 0.0};
    for (int k = tets->corner_start[i]; k < tets->corner_start[i + 1]; k++) {
        size_t e = (size_t)tet_of(tets->corners[k]);
        element_flux flux;
        flux_of(tets, elastic, e, v, &flux);
        sum += flux_at(&flux, elastic->record + RECORD * e + 3 * (tets->corners[k] & 3), elastic->spin != NULL);
    }
    for (int k = 0; k < 3; k++) {
        y[3 * (size_t)i + k] = sum[k];
    }
}

// turned_rows += [a] M [b]^T with turned rows: row r of M [b]^T is b x M_r.
QUAD_INLINE void add_spin(const double *M, const double *a, quad b, quad turned_rows[3])
{
    quad bt = turned(b);
    quad n0 = b * quad_load(M + 1) - bt * quad_load(M), n1 = b * quad_load(M + 5) - bt * quad_load(M + 4);
    quad n2 = b * quad_load(M + 9) - bt * quad_load(M + 8);
    turned_rows[0] += a[1] * n2 - a[2] * n1;
    turned_rows[1] += a[2] * n0 - a[0] * n2;
    turned_rows[2] += a[0] * n1 - a[1] * n0;
}

// Sums over codes (n): lambda (unless the mesh has one ratio), mu times outer products, spins.
QUAD_INLINE void sum_outer(const tn_tets_elastic *elastic, const tet_corners *codes, int n, bool one_ratio, bool spins,
                           quad lambda[3], quad mu[3], quad spin[3])
{
    for (int k = 0; k < n; k++) {
        size_t e = (size_t)tet_of(codes[k]);
        const double *record = elastic->record + RECORD * e, *a = record + 3 * (codes[k] >> 2 & 3);
        quad b = quad_load(record + 3 * (codes[k] & 3)), mu_b = record[RECORD_MU] * b;
        mu[0] += a[0] * mu_b;
        mu[1] += a[1] * mu_b;
        mu[2] += a[2] * mu_b;
        if (!one_ratio) {
            quad lambda_b = record[RECORD_LAMBDA] * b;
            lambda[0] += a[0] * lambda_b;
            lambda[1] += a[1] * lambda_b;
            lambda[2] += a[2] * lambda_b;
        }
        if (spins) {
            add_spin(elastic->spin + SPIN * e, a, b, spin);
        }
    }
}

// Rows of the sum of blocks over codes (n).
QUAD_INLINE void block_rows(const tn_tets *tets, const tn_tets_elastic *elastic, const tet_corners *codes, int n,
                            quad rows[3])
{
    const quad zero = {0.0, 0.0, 0.0, 0.0};
    quad lambda[3] = {zero, zero, zero}, mu[3] = {zero, zero, zero}, spin[3] = {zero, zero, zero}, flipped[3];
    if (!tets->one_ratio) {
        sum_outer(elastic, codes, n, false, elastic->spin != NULL, lambda, mu, spin);
    } else {
        if (elastic->spin) {
            sum_outer(elastic, codes, n, true, true, lambda, mu, spin);
        } else {
            sum_outer(elastic, codes, n, true, false, lambda, mu, spin);
        }
        double ratio = n > 0 ? tets->materials[tets->material[tet_of(codes[0])]].ratio : 0.0;
        lambda[0] = ratio * mu[0];
        lambda[1] = ratio * mu[1];
        lambda[2] = ratio * mu[2];
    }
    double trace = mu[0][0] + mu[1][1] + mu[2][2];
    transpose(mu, flipped);
    rows[0] = lambda[0] + flipped[0] + (quad){trace, 0.0, 0.0, 0.0};
    rows[1] = lambda[1] + flipped[1] + (quad){0.0, trace, 0.0, 0.0};
    rows[2] = lambda[2] + flipped[2] + (quad){0.0, 0.0, trace, 0.0};
    if (elastic->spin) {
        rows[0] += turned(spin[0]);
        rows[1] += turned(spin[1]);
        rows[2] += turned(spin[2]);
    }
}

TET_TARGET static void block(const tn_tets *tets, const tn_tets_elastic *elastic, const tet_corners *codes, int n,
                             double block[9])
{
    quad rows[3];
    block_rows(tets, elastic, codes, n, rows);
    store(rows, block);
}

TET_TARGET static void edges(const tn_tets *tets, const tn_tets_elastic *elastic, double *value, int first, int end)
{
    for (int k = first; k < end; k++) {
        const tet_edge *edge = &tets->edges[k];
        quad rows[3], columns[3];
        block_rows(tets, elastic, tets->around + edge->first, edge->end - edge->first, rows);
        transpose(rows, columns);
        store(rows, value + 9 * (size_t)edge->upper);
        store(columns, value + 9 * (size_t)edge->lower);
    }
}

TET_TARGET static void diagonals(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia,
                                 double *value, int first, int end)
{
    for (int d = first; d < end; d++) {
        int node = tets->diagonal_node[d], start = tets->corner_start[node];
        quad rows[3], columns[3];
        block_rows(tets, elastic, tets->corners + start, tets->corner_start[node + 1] - start, rows);
        transpose(rows, columns);
        for (int i = 0; i < 3; i++) { // symmetric to the bit: the spin's part is so to rounding only
            rows[i] = 0.5 * (rows[i] + columns[i]);
            rows[i][i] += inertia[node];
        }
        store(rows, value + 9 * (size_t)tets->diagonal_block[d]);
    }
}
