// Hulls for the tests of shapes: a tetrahedron, a cube, a hexagonal prism, a flat tile, a needle, random points, a
// finely cut ball.
#pragma once

#include "reference.h"

#include <stdlib.h>

enum { HULLS = 8 };

typedef struct hull_set {
    tn_arena *arena;
    tn_hull hull[HULLS];
} hull_set;

static inline void hull_of(hull_set *set, int k, int n, const double *points)
{
    double centroid[3];
    tn_error error;
    tn_status status = tn_hull_create(n, points, set->arena, &set->hull[k], centroid, &error);
    if (status != TN_OK) {
        abort();
    }
}

static inline void hull_box(hull_set *set, int k, double x, double y, double z)
{
    double corner[24];
    for (int v = 0; v < 8; ++v) {
        tn_vec3_set(corner + 3 * v, v & 1 ? x : -x, v & 2 ? y : -y, v & 4 ? z : -z);
    }
    hull_of(set, k, 8, corner);
}

static inline void hulls_create(hull_set *set)
{
    static const double simplex[12] = {0.3, 0.0, -0.2, -0.2, 0.3, -0.2, -0.2, -0.3, -0.2, 0.0, 0.0, 0.4};
    double points[3 * 200];
    dice d = {.seed = 17};
    set->arena = tn_arena_create(0);
    hull_of(set, 0, 4, simplex);
    hull_box(set, 1, 0.3, 0.3, 0.3);
    hull_box(set, 2, 0.5, 0.4, 0.001);
    hull_box(set, 3, 0.004, 0.005, 0.6);
    for (int i = 0; i < 12; ++i) {
        double angle = M_PI / 3.0 * i;
        tn_vec3_set(points + 3 * i, 0.3 * cos(angle), 0.3 * sin(angle), i < 6 ? -0.2 : 0.2);
    }
    hull_of(set, 4, 12, points);
    for (int k = 5; k < HULLS; ++k) {
        int n = k == 5 ? 12 : k == 6 ? 40 : 200;
        for (int i = 0; i < n; ++i) {
            roll_direction(&d, points + 3 * i);
            tn_vec3_scale(points + 3 * i, k == 7 ? 0.4 : roll(&d, 0.2, 0.5), points + 3 * i);
        }
        hull_of(set, k, n, points);
    }
}

// Where the support function of the pair has its corners, for polyhedra: their faces' normals and what is across edges
// of both. The largest separation over these is exact where polyhedra overlap.
static inline double corners_distance(const two_shapes *two)
{
    double best = -INFINITY, n[3], back[3], ea[3], eb[3];
    const tn_hull *a = two->a.kind == TN_SHAPE_HULL ? two->a.hull : NULL;
    const tn_hull *b = two->b.kind == TN_SHAPE_HULL ? two->b.hull : NULL;
    for (int f = 0; a && f < a->n_faces; ++f) {
        tn_quat_rotate(n, two->pose_a.quaternion, a->plane + 4 * f);
        best = fmax(best, separation_above(two, n, best));
    }
    for (int f = 0; b && f < b->n_faces; ++f) {
        tn_quat_rotate(n, two->pose_b.quaternion, b->plane + 4 * f);
        tn_vec3_scale(back, -1.0, n);
        best = fmax(best, separation_above(two, back, best));
    }
    // The edges of a box, a capsule or a cylinder are along its axes.
    for (int i = 0; i < (a ? a->n_edges : 3); ++i) {
        tn_vec3_set(ea, i == 0, i == 1, i == 2);
        if (a) {
            tn_vec3_sub(ea, a->vertices + 3 * a->edge[2 * i + 1], a->vertices + 3 * a->edge[2 * i]);
        }
        tn_quat_rotate(ea, two->pose_a.quaternion, ea);
        for (int j = 0; j < (b ? b->n_edges : 3); ++j) {
            tn_vec3_set(eb, j == 0, j == 1, j == 2);
            if (b) {
                tn_vec3_sub(eb, b->vertices + 3 * b->edge[2 * j + 1], b->vertices + 3 * b->edge[2 * j]);
            }
            tn_quat_rotate(eb, two->pose_b.quaternion, eb);
            tn_vec3_cross(n, ea, eb);
            double length = tn_vec3_norm(n);
            for (int sign = -1; length > 1e-12 && sign <= 1; sign += 2) {
                tn_vec3_scale(back, sign / length, n);
                best = fmax(best, separation_above(two, back, best));
            }
        }
    }
    return best;
}
