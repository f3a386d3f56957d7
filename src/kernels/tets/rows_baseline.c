// Rows of nodes made of tetrahedra (rows.h) for any processor.
#define TET_TARGET
#include "kernels/tets/rows.h"

const tet_rows tn_tets_rows_baseline = {forces, scatter, product, scatter_listed, edges, diagonals, block};
