#include "solver/nodal_groups.h"

#include "math/vec3.h"

#include <math.h>

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
            double *d = arm + 3 * (size_t)i, square;
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
            tn_vec3_scale(arm + 3 * (size_t)i, circles[groups->of_row[i]].scale, arm + 3 * (size_t)i);
        }
    }
}

tn_status tn_nodal_groups_create(const tn_blocks *A, const tn_layout *layout, const double *place, int size,
                                 tn_arena *arena, tn_nodal_groups *out)
{
    tn_groups own;
    const tn_groups *groups = layout->groups;
    double *arm = TN_PUSH(arena, double, 3 * (size_t)A->n_rows);
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
    *out = (tn_nodal_groups){
        .n = groups->n, .of_row = groups->of_row, .unit = groups->unit, .first = groups->first, .arm = arm};
    return TN_OK;
}
