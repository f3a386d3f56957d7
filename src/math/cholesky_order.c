// Orders of a block matrix for its factorisation, found on the graph of block rows: a ninth of the scalar graph.
#include "base/memory.h"
#include "math/cholesky_data.h"

// Above this many multiplications a block row of A, METIS' order is tried beside AMD's: it takes about 4 us a block row
// and saves a quarter and more in bodies that are thick in all directions, nothing in slabs (measured: 30 000 in a mat
// of 1404 nodes, 340 000 in a ball of 1863).
static const double TRY_METIS = 100e3;

// Lower triangle of A's pattern, a row of A as a column.
static cholmod_sparse *block_graph(const tn_blocks *A, cholmod_common *common)
{
    size_t n = (size_t)A->n_rows, most = n > 0 ? (size_t)A->start[A->n_rows] : 0;
    cholmod_sparse *G = cholmod_allocate_sparse(n, n, most, 1, 1, -1, CHOLMOD_PATTERN, common);
    if (!G) {
        return NULL;
    }
    int *p = G->p, *i = G->i, used = 0;
    for (int row = 0; row < A->n_rows; row++) {
        p[row] = used;
        for (int k = A->start[row]; k < A->start[row + 1]; k++) {
            if (A->column[k] >= row) {
                i[used++] = A->column[k];
            }
        }
    }
    p[A->n_rows] = used;
    return G;
}

// Multiplications that factoring the graph in the given order takes, or -1: no memory.
static double work_of(cholmod_sparse *G, int *order, cholmod_common *common)
{
    cholmod_factor *L = cholmod_analyze_p(G, order, NULL, 0, common);
    if (!L) {
        return -1.0;
    }
    double work = common->fl;
    cholmod_free_factor(&L, common);
    return 27.0 * work; // each block is 3 x 3
}

// The better of AMD and METIS into order. METIS may be missing from CHOLMOD: AMD's order stands.
static bool order_free(cholmod_sparse *G, int *order, int *other, cholmod_common *common)
{
    if (!cholmod_amd(G, NULL, 0, order, common)) {
        return false;
    }
    double work = work_of(G, order, common);
    if (work < TRY_METIS * (double)G->nrow) {
        return work >= 0.0;
    }
    if (cholmod_metis(G, NULL, 0, 1, other, common)) {
        double metis = work_of(G, other, common);
        for (size_t i = 0; metis >= 0.0 && metis < work && i < G->nrow; i++) {
            order[i] = other[i];
        }
    }
    common->status = CHOLMOD_OK;
    return true;
}

bool tn_cholesky_order(const tn_blocks *A, int *is_last, int *order, cholmod_common *common)
{
    size_t n = (size_t)A->n_rows;
    cholmod_sparse *G = block_graph(A, common);
    int *blocks = tn_calloc(2 * n + 1, sizeof *blocks);
    bool ok = G && blocks;
    if (ok) {
        ok = is_last ? cholmod_camd(G, NULL, 0, is_last, blocks, common) : order_free(G, blocks, blocks + n, common);
    }
    for (size_t i = 0; ok && i < 3 * n; i++) {
        order[i] = 3 * blocks[i / 3] + (int)(i % 3);
    }
    tn_free(blocks);
    cholmod_free_sparse(&G, common);
    return ok;
}
