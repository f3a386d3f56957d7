// Which cell a box lies in: cubes of sides that double from level to level, a box on the level whose cells are
// just wider than it, in the cell of its centre. The cells of a level are a torus: coordinates count modulo a power of
// two along each axis, so space has no end and a level has as many cells as it has use for. That far cells share a
// place costs time, never a pair.
#pragma once

#include "collide/broad.h"

#include <stdint.h>

enum { TN_CELL_LEVELS = 64 };

typedef struct tn_cell_level {
    double side, inverse; // [m], [1/m]
    int n_boxes;
    int mask[3];  // cells along each axis less 1
    int shift[3]; // cell number = first + (x << shift[0] | y << shift[1] | z << shift[2]); shift[0] = 0
    int first;    // number of the level's first cell
} tn_cell_level;

typedef struct tn_cells {
    tn_cell_level level[TN_CELL_LEVELS];
    int n_cells; // of all levels
    int top;     // highest level in use
} tn_cells;

// Cells for the n boxes in ids; level_of (n): each one's level, -1 where there is none for it.
void tn_cells_choose(tn_cells *cells, const tn_bounds *bounds, int n, const int *ids, int n_threads,
                     signed char *level_of);

static inline double tn_cell_centre(const tn_bounds *box, int axis)
{
    return 0.5 * (box->low[axis] + box->high[axis]);
}

// floor(x) for |x| < 2^62; the library's floor is a call.
static inline int64_t tn_cell_floor(double x)
{
    int64_t whole = (int64_t)x;
    return whole - ((double)whole > x);
}

// Number of the cell that holds the box.
static inline int tn_cell_of(const tn_cell_level *level, const tn_bounds *box)
{
    int number = level->first;
    for (int i = 0; i < 3; ++i) {
        number += (int)(tn_cell_floor(tn_cell_centre(box, i) * level->inverse) & level->mask[i]) << level->shift[i];
    }
    return number;
}
