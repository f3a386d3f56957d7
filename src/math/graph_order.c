#include "math/graph_order.h"

#include "math/dissection.h"

#include <amd.h>
#include <camd.h>
#include <string.h>

// Above this many multiplications a block row of A, nested dissection is tried beside minimum degree: it saves a fifth
// and more in bodies that are thick in all directions, nothing in slabs (measured: 30 000 in a mat of 1404 nodes, 340
// 000 in a ball of 1863).
static const double TRY_DISSECTION = 100e3;

enum { ARRAYS = 10 }; // of n + 1 numbers: what AMD and CAMD work in

// Room for the graph: AMD needs n more than its neighbours, and is faster with a fifth more.
static size_t graph_room(const tn_blocks *g)
{
    size_t entries = (size_t)g->start[g->n_rows];
    return entries + entries / 5 + (size_t)g->n_rows;
}

size_t tn_graph_order_scratch(const tn_blocks *g)
{
    size_t n = (size_t)g->n_rows + 1, orders = ARRAYS * n + graph_room(g), dissection = tn_dissection_work(g);
    return 2 * n + (orders > dissection ? orders : dissection);
}

// By minimum degree into order, by rank where that is not NULL. Returns the multiplications of a factor of one number a
// node.
static double minimum_degree(const tn_blocks *g, const int *rank, int *order, int *scratch)
{
    size_t n = (size_t)g->n_rows + 1;
    int *array[ARRAYS], used = 0;
    if (g->n_rows < 2) { // AMD takes none
        memset(order, 0, (size_t)g->n_rows * sizeof *order);
        return 0.0;
    }
    for (int i = 0; i < ARRAYS; i++) {
        array[i] = scratch + (size_t)i * n;
    }
    int *start = array[0], *length = array[1], *neighbour = scratch + ARRAYS * n;
    for (int i = 0; i < g->n_rows; i++) {
        start[i] = used;
        for (int k = g->start[i]; k < g->start[i + 1]; k++) {
            if (g->column[k] != i) {
                neighbour[used++] = g->column[k];
            }
        }
        length[i] = used - start[i];
    }
    int room = (int)graph_room(g);
    double info[AMD_INFO > CAMD_INFO ? AMD_INFO : CAMD_INFO];
    if (!rank) {
        amd_2(g->n_rows, start, neighbour, length, room, used, array[2], array[3], order, array[4], array[5], array[6],
              array[7], NULL, info);
        return info[AMD_NDIV] + 2.0 * info[AMD_NMULTSUBS_LDL] + g->n_rows;
    }
    camd_2(g->n_rows, start, neighbour, length, room, used, array[2], array[3], order, array[4], array[5], array[6],
           array[7], NULL, info, rank, array[8]);
    return info[CAMD_NDIV] + 2.0 * info[CAMD_NMULTSUBS_LDL] + g->n_rows;
}

void tn_graph_order(const tn_blocks *g, int size, int *order, int *scratch)
{
    size_t n = (size_t)g->n_rows;
    int *rank = scratch, *other = scratch + n, *work = scratch + 2 * n;
    // A block row of three numbers takes 27 multiplications where one number takes one.
    double each = (double)size * size * size / (size / 3.0), free = minimum_degree(g, NULL, order, work);
    if (each * free <= TRY_DISSECTION * (double)n) {
        return;
    }
    tn_dissection_rank(g, rank, work);
    if (minimum_degree(g, rank, other, work) < free) {
        memcpy(order, other, n * sizeof *order);
    }
}

void tn_graph_order_ranked(const tn_blocks *g, const int *rank, int *order, int *scratch)
{
    minimum_degree(g, rank, order, scratch);
}
