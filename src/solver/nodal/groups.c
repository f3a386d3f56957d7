#include "solver/nodal/groups.h"

#include "kernels/nodal/galerkin.h"
#include "math/vec3.h"

#include <math.h>

enum { MANY_NODES = 3000 };

// Per group: sum of the places, then the centre; number of nodes, then the inverse radius.
typedef struct circle {
    double centre[3];
    double scale;
} circle;

static void set_arms(const tn_groups *groups, int n_rows, const double *place, circle *circles, double *arm)
{
    for (int i = 0; i < n_rows; i++) {
        if (groups->unit[i] < 0) {
            circle *c = &circles[groups->of_row[i]];
            tn_vec3_add(c->centre, c->centre, place + 3 * (size_t)i);
            c->scale += 1.0;
        }
    }
    for (int g = 0; g < groups->n; g++) {
        tn_vec3_scale(circles[g].centre, 1.0 / fmax(circles[g].scale, 1.0), circles[g].centre);
        circles[g].scale = 0.0;
    }
    for (int i = 0; i < n_rows; i++) {
        if (groups->unit[i] < 0) {
            circle *c = &circles[groups->of_row[i]];
            double *d = arm + 4 * (size_t)i, square;
            tn_vec3_sub(d, place + 3 * (size_t)i, c->centre);
            square = tn_vec3_dot(d, d);
            c->scale = square > c->scale ? square : c->scale;
        }
    }
    for (int g = 0; g < groups->n; g++) {
        circles[g].scale = circles[g].scale > 0.0 ? 1.0 / sqrt(circles[g].scale) : 0.0;
    }
    for (int i = 0; i < n_rows; i++) {
        if (groups->unit[i] < 0) {
            tn_vec3_scale(arm + 4 * (size_t)i, circles[groups->of_row[i]].scale, arm + 4 * (size_t)i);
        }
    }
}

// Nodes group by group, in the order of the rows.
static tn_status sort_nodes(const tn_groups *groups, const tn_ordering *order, const double *arm, tn_arena *arena,
                            tn_rigid_groups *out)
{
    int *start = TN_PUSH(arena, int, groups->n + 2), *place = TN_PUSH(arena, int, order->n_rows);
    float *arms = TN_PUSH(arena, float, 4 * (size_t)order->n_rows);
    if (!start || !place || !arms) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < order->n_rows; i++) {
        start[groups->of_row[i] + 2] += groups->unit[i] < 0;
    }
    for (int g = 0; g < groups->n; g++) {
        start[g + 2] += start[g + 1];
    }
    for (int i = 0; i < order->n_rows; i++) {
        if (groups->unit[i] < 0) {
            int at = start[groups->of_row[i] + 1]++;
            place[at] = 4 * order->lane[i];
            for (int k = 0; k < 3; k++) {
                arms[4 * (size_t)at + (size_t)k] = (float)arm[4 * (size_t)i + (size_t)k];
            }
        }
    }
    *out = (tn_rigid_groups){.n = groups->n, .start = start, .place = place, .arm = arms};
    return TN_OK;
}

// Solid bodies move affinely, by groups of so many nodes: half as many steps to a tolerance on a finger of 7 x 9 x 39
// nodes. Thin ones do not: there rotations are most of what sweeps leave.
static int count_affine(const tn_blocks *A, const tn_groups *groups, const double *place)
{
    static const double solid = 11.5; // blocks a row
    int n_nodes = 0, n_groups = 0, n_blocks = 0;
    for (int i = 0; i < A->n_rows && place; i++) {
        if (groups->unit[i] < 0) {
            n_nodes++;
            n_blocks += A->start[i + 1] - A->start[i];
            n_groups = groups->of_row[i] >= n_groups ? groups->of_row[i] + 1 : n_groups;
        }
    }
    return n_nodes >= MANY_NODES && n_blocks > solid * n_nodes ? n_groups : 0;
}

// The envelope of groups in blocks.
static int *make_envelope(const tn_groups *groups, int n_affine, int n_blocks, tn_arena *arena)
{
    int *first = TN_PUSH_RAW(arena, int, n_blocks);
    for (int g = 0; first && g < groups->n; g++) {
        int at = tn_coarse_block(n_affine, g);
        first[at] = tn_coarse_block(n_affine, groups->first[g]);
        if (g < n_affine) {
            first[at + 1] = first[at];
        }
    }
    return first;
}

tn_status tn_nodal_groups_create(const tn_blocks *A, const tn_layout *layout, const double *place, int size,
                                 tn_arena *arena, tn_nodal_groups *out)
{
    tn_groups own;
    const tn_groups *groups = layout->groups;
    double *arm = TN_PUSH(arena, double, 4 * (size_t)A->n_rows);
    if (!arm) {
        return TN_NO_MEMORY;
    }
    if (!groups || size > 0) {
        if (tn_groups_create(A, layout, place, size, arena, arena, &own) != TN_OK) {
            return TN_NO_MEMORY;
        }
        groups = &own;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    circle *circles = TN_PUSH(arena, circle, groups->n);
    if (!circles) {
        return TN_NO_MEMORY;
    }
    if (place) {
        set_arms(groups, A->n_rows, place, circles, arm);
    }
    tn_arena_release(arena, mark);
    int n_affine = count_affine(A, groups, place), n_blocks = groups->n + n_affine;
    int *first = make_envelope(groups, n_affine, n_blocks, arena);
    if (!first) {
        return TN_NO_MEMORY;
    }
    *out = (tn_nodal_groups){.n = groups->n,
                             .n_affine = n_affine,
                             .n_blocks = n_blocks,
                             .of_row = groups->of_row,
                             .unit = groups->unit,
                             .first = first,
                             .arm = arm,
                             .runs = groups->runs};
    return sort_nodes(groups, &layout->coloured, arm, arena, &out->rigid);
}
