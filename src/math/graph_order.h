// Order of elimination of a graph whose nodes are small dense blocks, such as rigid bodies.
#pragma once

#include "tenon/problem.h"

#include <stddef.h>

// Numbers of scratch that an order takes.
size_t tn_graph_order_scratch(const tn_blocks *graph);
// order (n_rows): the nodes, first to last, by minimum degree (AMD) or, where that promises less work, by nested
// dissection (dissection.h) and minimum degree inside the pieces (CAMD). graph: its pattern symmetric, without values;
// size: numbers in a node, 3 or more. Nothing is allocated.
void tn_graph_order(const tn_blocks *graph, int size, int *order, int *scratch);
// Nodes of a smaller rank first (n_rows; 0 to n_rows - 1), by minimum degree inside a rank.
void tn_graph_order_ranked(const tn_blocks *graph, const int *rank, int *order, int *scratch);
