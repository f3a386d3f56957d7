// Edges and diagonals where elements around them share one ratio lambda/mu and have no spins: a block's first eight
// numbers in one vector and the ninth beside it, as they are stored. All else is four wide (rows_avx2.c).
#if defined(__x86_64__)
#include "kernels/quad.h"
#include "kernels/tets/parts.h"

#define OCTET_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define OCTET_INLINE OCTET_TARGET static inline __attribute__((always_inline))

TN_VECTOR(OCTET_INLINE, octet, double, 64)

// Block, row by row: numbers 0..7 and 8.
typedef struct octet_block {
    octet first;
    double last;
} octet_block;

OCTET_INLINE octet flip(octet a)
{
    return __builtin_shufflevector(a, a, 0, 3, 6, 1, 4, 7, 2, 5);
}

OCTET_INLINE void put(octet first, double last, double *block)
{
    octet_store(block, first);
    block[8] = last;
}

// block_rows of elements with one ratio.
OCTET_INLINE octet_block octet_rows(const tn_tets *tets, const tn_tets_elastic *elastic, const tet_corners *codes,
                                    int n)
{
    octet mu = {0.0};
    quad products = {0.0, 0.0, 0.0, 0.0}; // the diagonal of mu
    for (int k = 0; k < n; k++) {
        const double *record = elastic->record + RECORD * (size_t)tet_of(codes[k]);
        quad a = quad_load(record + 3 * (codes[k] >> 2 & 3)),
             b = record[RECORD_MU] * quad_load(record + 3 * (codes[k] & 3));
        mu += __builtin_shufflevector(a, a, 0, 0, 0, 1, 1, 1, 2, 2) *
              __builtin_shufflevector(b, b, 0, 1, 2, 0, 1, 2, 0, 1);
        products += a * b;
    }
    double ratio = n > 0 ? tets->materials[tets->material[tet_of(codes[0])]].ratio : 0.0;
    double trace = products[0] + products[1] + products[2];
    octet diagonal = {trace, 0.0, 0.0, 0.0, trace, 0.0, 0.0, 0.0};
    return (octet_block){ratio * mu + flip(mu) + diagonal, ratio * products[2] + products[2] + trace};
}

OCTET_TARGET void tn_tets_edges_avx512(const tn_tets *tets, const tn_tets_elastic *elastic, double *value, int first,
                                       int end)
{
    if (!tets->one_ratio || elastic->spin) {
        tn_tets_rows_avx2.edges(tets, elastic, value, first, end);
        return;
    }
    for (int k = first; k < end; k++) {
        const tet_edge *edge = &tets->edges[k];
        octet_block b = octet_rows(tets, elastic, tets->around + edge->first, edge->end - edge->first);
        put(b.first, b.last, value + 9 * (size_t)edge->upper);
        put(flip(b.first), b.last, value + 9 * (size_t)edge->lower);
    }
}

OCTET_TARGET void tn_tets_diagonals_avx512(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia,
                                           double *value, int first, int end)
{
    if (!tets->one_ratio || elastic->spin) {
        tn_tets_rows_avx2.diagonals(tets, elastic, inertia, value, first, end);
        return;
    }
    for (int d = first; d < end; d++) {
        int node = tets->diagonal_node[d], start = tets->corner_start[node];
        octet_block b = octet_rows(tets, elastic, tets->corners + start, tets->corner_start[node + 1] - start);
        double own = inertia[node];
        octet symmetric = 0.5 * (b.first + flip(b.first)) + (octet){own, 0.0, 0.0, 0.0, own, 0.0, 0.0, 0.0};
        put(symmetric, b.last + own, value + 9 * (size_t)tets->diagonal_block[d]);
    }
}
#else
typedef int tets_rows_needs_x86_64; // a file must not be empty
#endif
