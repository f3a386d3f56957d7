// Blocks of S. An element's part of the block of corners a and b is
//     lambda g'_a g'_b^T + mu (g'_b g'_a^T + (g'_a . g'_b) 1) + [g'_a] M [g'_b]^T
// (isotropic material, constants times stiffness_time volume), so the outer products are summed around an edge first.
#include "kernels/tets_parts.h"

#include "math/mat3.h"

#include <string.h>

static void add_spin(const double M[6], const double a[3], const double b[3], double block[9])
{
    const double full[9] = {M[0], M[5], M[4], M[5], M[1], M[3], M[4], M[3], M[2]};
    double A[9], B[9], AM[9], AMB[9];
    tn_mat3_skew(A, a);
    tn_mat3_skew(B, b);
    tn_mat3_mul(AM, A, full);
    tn_mat3_mul_nt(AMB, AM, B);
    for (int k = 0; k < 9; k++) {
        block[k] += AMB[k];
    }
}

void tn_tets_block(const tn_tets_elastic *elastic, const tet_corners *codes, int n, double block[9])
{
    double lambda[9] = {0.0}, mu[9] = {0.0};
    memset(block, 0, 9 * sizeof *block);
    for (int k = 0; k < n; k++) {
        size_t e = (size_t)tet_of(codes[k]);
        const double *record = elastic->record + RECORD * e;
        const double *a = record + 3 * (codes[k] >> 2 & 3), *b = record + 3 * (codes[k] & 3);
        for (int i = 0; i < 9; i++) {
            double outer = a[i / 3] * b[i % 3];
            lambda[i] += record[RECORD_LAMBDA] * outer;
            mu[i] += record[RECORD_MU] * outer;
        }
        if (elastic->spin) {
            add_spin(elastic->spin + SPIN * e, a, b, block);
        }
    }
    double trace = mu[0] + mu[4] + mu[8];
    for (int i = 0; i < 9; i++) {
        block[i] += lambda[i] + mu[3 * (i % 3) + i / 3] + (i % 4 == 0) * trace;
    }
}

static void edge_blocks(const tn_tets *tets, const tn_tets_elastic *elastic, const tet_edge *edge, double *value)
{
    double *upper = value + 9 * (size_t)edge->upper, *lower = value + 9 * (size_t)edge->lower;
    tn_tets_block(elastic, tets->around + edge->first, edge->end - edge->first, upper);
    for (int i = 0; i < 9; i++) {
        lower[i] = upper[3 * (i % 3) + i / 3];
    }
}

static void diagonal_block(const tn_tets *tets, const tn_tets_elastic *elastic, int d, const double *inertia,
                           double *value)
{
    int node = tets->diagonal_node[d], first = tets->corner_start[node];
    double *block = value + 9 * (size_t)tets->diagonal_block[d];
    tn_tets_block(elastic, tets->corners + first, tets->corner_start[node + 1] - first, block);
    // Symmetric to the bit: the spin's product is so to rounding only.
    block[1] = block[3] = 0.5 * (block[1] + block[3]);
    block[2] = block[6] = 0.5 * (block[2] + block[6]);
    block[5] = block[7] = 0.5 * (block[5] + block[7]);
    for (int i = 0; i < 3; i++) {
        block[4 * i] += inertia[node];
    }
}

void tn_tets_stiffness(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia, int n_threads,
                       double *value)
{
#pragma omp parallel num_threads(n_threads) if (tets->n_tets >= TET_WORTH_A_TEAM)
    {
#pragma omp for schedule(static) nowait
        for (int k = 0; k < tets->n_edges; k++) {
            edge_blocks(tets, elastic, &tets->edges[k], value);
        }
#pragma omp for schedule(static)
        for (int d = 0; d < tets->n_diagonals; d++) {
            diagonal_block(tets, elastic, d, inertia, value);
        }
    }
}

void tn_tets_tied(const tn_tets *tets, const tn_tets_elastic *elastic, double *value)
{
    for (int k = 0; k < tets->n_pairs; k++) {
        bool same = tets->pairs[k].node[0] == tets->pairs[k].node[1];
        tet_range range = tets->pair_range[k];
        tn_tets_block(elastic, (same ? tets->corners : tets->around) + range.first, range.end - range.first,
                      value + 9 * (size_t)k);
    }
}
