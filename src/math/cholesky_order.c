// Orders of a block matrix for its factorisation, found on the graph of block rows: a ninth of the scalar graph.
#include "base/memory.h"
#include "math/cholesky_data.h"
#include "math/dissection.h"
#include "math/graph_order.h"

// Above this many multiplications a block row of A, nested dissection is tried beside minimum degree: it saves a fifth
// and more in bodies that are thick in all directions, nothing in slabs (measured: 30 000 in a mat of 1404 nodes, 340
// 000 in a ball of 1863).
static const double TRY_DISSECTION = 100e3;

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

// Multiplications that factoring the graph, one number an edge, takes in the given order, or -1: no memory.
static double work_of(cholmod_sparse *G, int *order, cholmod_common *common)
{
    cholmod_factor *L = cholmod_analyze_p(G, order, NULL, 0, common);
    if (!L) {
        return -1.0;
    }
    double work = common->fl;
    cholmod_free_factor(&L, common);
    return work;
}

// The better of minimum degree and nested dissection into order; work (tn_graph_order_work) is scratch. each:
// multiplications of a row where the graph's takes one.
static bool order_free(const tn_blocks *A, cholmod_sparse *G, double each, int *order, int *work,
                       cholmod_common *common)
{
    size_t n = G->nrow;
    if (!cholmod_amd(G, NULL, 0, order, common)) {
        return false;
    }
    double amd = work_of(G, order, common);
    if (each * amd < TRY_DISSECTION * (double)n) {
        return amd >= 0.0;
    }
    int *rank = work, *other = work + n;
    tn_dissection_rank(A, rank, work + 2 * n);
    if (!cholmod_camd(G, NULL, 0, rank, other, common)) {
        return false;
    }
    double dissected = work_of(G, other, common);
    for (size_t i = 0; dissected < amd && i < n; i++) {
        order[i] = other[i];
    }
    return dissected >= 0.0;
}

bool tn_cholesky_order(const tn_blocks *A, int *is_last, int *order, cholmod_common *common)
{
    size_t n = (size_t)A->n_rows;
    cholmod_sparse *G = block_graph(A, common);
    int *blocks = tn_calloc(n + tn_graph_order_work(A), sizeof *blocks);
    bool ok = G && blocks;
    if (ok) {
        ok = is_last ? cholmod_camd(G, NULL, 0, is_last, blocks, common)
                     : order_free(A, G, 27.0, blocks, blocks + n, common);
    }
    for (size_t i = 0; ok && i < 3 * n; i++) {
        order[i] = 3 * blocks[i / 3] + (int)(i % 3);
    }
    tn_free(blocks);
    cholmod_free_sparse(&G, common);
    return ok;
}

size_t tn_graph_order_work(const tn_blocks *graph)
{
    return 2 * (size_t)graph->n_rows + tn_dissection_work(graph);
}

bool tn_graph_order(const tn_blocks *graph, int size, int *order, int *work)
{
    cholmod_common common;
    cholmod_start(&common);
    common.error_handler = NULL;
    common.print = 0;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    cholmod_sparse *G = block_graph(graph, &common);
    bool ok = G && order_free(graph, G, (double)size * size * size / (size / 3.0), order, work, &common);
    cholmod_free_sparse(&G, &common);
    cholmod_finish(&common);
    return ok;
}
