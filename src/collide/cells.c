#include "collide/cells.h"

#include "base/assert.h"
#include "base/team.h"

#include <math.h>

enum {
    SAMPLES = 63, // boxes from which the usual width and the crowd's extent are guessed
    USUAL_LEVEL = 32,
    FEW = 8,         // so many boxes are best in a single cell
    CELLS_A_BOX = 8, // at most
};

static const double width_slack = 1.002;    // of a cell over its boxes: covers the rounding of their centres ...
static const double farthest = 0x1p40;      // ... up to so many cells from the origin
static const double alike = 1.5;            // widths within this share the usual level
static const double crowd_part = 1.0 / 0.9; // the samples between 5 % and 95 % span this part of the crowd

static double width_of(const tn_bounds *b)
{
    double x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    double most = x > y ? x : y;
    return most > z ? most : z;
}

static void sort(int n, double *values)
{
    for (int i = 1; i < n; ++i) {
        double x = values[i];
        int j = i;
        for (; j > 0 && values[j - 1] > x; --j) {
            values[j] = values[j - 1];
        }
        values[j] = x;
    }
}

// From a sample: the width that most boxes keep to, and the extent of the place where most are.
static double sample(const tn_bounds *bounds, int n, const int *ids, double extent[3])
{
    int n_samples = n < SAMPLES ? n : SAMPLES;
    double value[4][SAMPLES];
    for (int k = 0; k < n_samples; ++k) {
        const tn_bounds *box = bounds + ids[(long)k * n / n_samples];
        value[3][k] = width_of(box);
        for (int i = 0; i < 3; ++i) {
            value[i][k] = tn_cell_centre(box, i);
        }
    }
    for (int i = 0; i < 4; ++i) {
        sort(n_samples, value[i]);
    }
    int outer = n_samples / 20, last = n_samples - 1;
    for (int i = 0; i < 3; ++i) {
        extent[i] = crowd_part * (value[i][last - outer] - value[i][outer]);
    }
    double middle = value[3][n_samples / 2], usual = middle;
    for (int k = n_samples / 2; k < n_samples && value[3][k] <= alike * middle; ++k) {
        usual = value[3][k];
    }
    return usual > 0.0 ? usual : 1.0;
}

// The lowest level with cells wider than the box, -1 if there is none or the box is too far away.
static int level_of_box(const tn_cells *cells, const tn_bounds *box)
{
    double width = width_slack * width_of(box);
    int level = USUAL_LEVEL;
    while (level < TN_CELL_LEVELS && width > cells->level[level].side) {
        level++;
    }
    while (level > 0 && width <= cells->level[level - 1].side) {
        level--;
    }
    double reach = 0.0;
    for (int i = 0; i < 3; ++i) {
        reach = fmax(reach, fabs(tn_cell_centre(box, i)));
    }
    return level < TN_CELL_LEVELS && reach < farthest * cells->level[level].side ? level : -1;
}

// Powers of two along the axes: as many cells as the crowd's extent has, but not many more than boxes.
static void choose_torus(tn_cell_level *level, const double extent[3])
{
    double most = level->n_boxes <= FEW ? 1.0 : (double)CELLS_A_BOX * level->n_boxes, total = 1.0;
    int bits[3];
    for (int i = 0; i < 3; ++i) {
        bits[i] = 0;
        while (bits[i] < 30 && ldexp(level->side, bits[i]) < extent[i]) {
            bits[i]++;
        }
        total *= ldexp(1.0, bits[i]);
    }
    while (total > most) { // at least 1: some axis has a bit left
        int longest = bits[0] >= bits[1] ? 0 : 1;
        longest = bits[longest] >= bits[2] ? longest : 2;
        TN_ASSERT(bits[longest] > 0);
        bits[longest]--;
        total *= 0.5;
    }
    level->shift[0] = 0;
    level->shift[1] = bits[0];
    level->shift[2] = bits[0] + bits[1];
    for (int i = 0; i < 3; ++i) {
        level->mask[i] = (1 << bits[i]) - 1;
    }
}

typedef struct levels {
    const tn_cells *cells;
    const tn_bounds *bounds;
    const int *ids;
    signed char *of;
} levels;

static void find_levels(const void *context, int first, int end, int thread)
{
    const levels *l = context;
    for (int k = first; k < end; ++k) {
        l->of[k] = (signed char)level_of_box(l->cells, l->bounds + l->ids[k]);
    }
}

void tn_cells_choose(tn_cells *cells, const tn_bounds *bounds, int n, const int *ids, int n_threads,
                     signed char *level_of)
{
    double extent[3];
    *cells = (tn_cells){0};
    if (n == 0) {
        return;
    }
    double usual = width_slack * sample(bounds, n, ids, extent);
    for (int l = 0; l < TN_CELL_LEVELS; ++l) {
        cells->level[l].side = ldexp(usual, l - USUAL_LEVEL);
        cells->level[l].inverse = 1.0 / cells->level[l].side;
    }
    tn_team_share(n_threads, n, 512, find_levels, &(levels){cells, bounds, ids, level_of});
    for (int k = 0; k < n; ++k) {
        if (level_of[k] >= 0) {
            cells->level[level_of[k]].n_boxes++;
        }
    }
    for (int l = 0; l < TN_CELL_LEVELS; ++l) {
        tn_cell_level *level = cells->level + l;
        level->first = cells->n_cells;
        if (level->n_boxes > 0) {
            cells->top = l;
            choose_torus(level, extent);
            cells->n_cells += (level->mask[0] + 1) * (level->mask[1] + 1) * (level->mask[2] + 1);
        }
    }
}
