// Order of elimination of a graph whose nodes are small dense blocks, such as rigid bodies.
#pragma once

#include "tenon/problem.h"

#include <stdbool.h>
#include <stddef.h>

// order (n_rows): the nodes, first to last, by minimum degree or, where that promises less work, by nested dissection
// (dissection.h). graph: a symmetric pattern without values; size: numbers in a node, 3 or more. work
// (tn_graph_order_work) is scratch; CHOLMOD allocates besides, and frees. False: no memory.
bool tn_graph_order(const tn_blocks *graph, int size, int *order, int *work);
size_t tn_graph_order_work(const tn_blocks *graph); // integers
