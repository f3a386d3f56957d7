// An order of a block matrix for its factorisation, found on the graph of block rows: a ninth of the scalar graph.
#include "base/memory.h"
#include "math/cholesky_data.h"
#include "math/graph_order.h"

bool tn_cholesky_order(const tn_blocks *A, const int *is_last, int *order)
{
    size_t n = (size_t)A->n_rows;
    int *blocks = tn_calloc(n + tn_graph_order_scratch(A), sizeof *blocks);
    if (!blocks) {
        return false;
    }
    if (is_last) {
        tn_graph_order_ranked(A, is_last, blocks, blocks + n);
    } else {
        tn_graph_order(A, 3, blocks, blocks + n);
    }
    for (size_t i = 0; i < 3 * n; i++) {
        order[i] = 3 * blocks[i / 3] + (int)(i % 3);
    }
    tn_free(blocks);
    return true;
}
