// Rows of nodes made of tetrahedra (rows.h) for AVX2, and what AVX-512 shares with it.
#if defined(__x86_64__)
#define TET_TARGET __attribute__((target("avx2")))
#include "kernels/tets/rows.h"

const tet_rows tn_tets_rows_avx2 = {forces, scatter, product, scatter_listed, edges, diagonals, block};
const tet_rows tn_tets_rows_avx512 = {
    forces, scatter, product, scatter_listed, tn_tets_edges_avx512, tn_tets_diagonals_avx512, block};
#else
typedef int tets_rows_needs_x86_64; // a file must not be empty
#endif
