// Sections of a body: its nodes cut into boxes of about as many nodes, as near to cubes as the body allows. Part of
// grouping.
#pragma once

#include <stdbool.h>

typedef struct tn_section_node {
    double at; // along the axis of the cut
    int row;
} tn_section_node;

// Cut the nodes (n, their rows; overwritten) by planes across the axes of the box around them, the longest first, into
// boxes of about `size` nodes. Planes go where the distance between nodes is large: between the layers of a grid. place
// (rows, 3). of_row of each becomes the number of its section, from `first` on. Returns how many there are.
int tn_sections_cut(int n, tn_section_node *nodes, const double *place, int size, int first, int *of_row);
