// Signed distances of points to shapes, and to skins, against brute force.
#include "hulls.h"
#include "mesh_skin.h"

#include <stdlib.h>
#include <string.h>

// Of the shape's surface, at the local place that two numbers in [0, 1) and a part say.
static void surface_point(const tn_shape *shape, dice *d, double out[3])
{
    const double *s = shape->size;
    double n[3];
    roll_direction(d, n);
    switch (shape->kind) {
    case TN_SHAPE_BOX: {
        int axis = (int)roll(d, 0.0, 3.0);
        for (int k = 0; k < 3; ++k) {
            out[k] = k == axis ? (n[0] < 0.0 ? -s[k] : s[k]) : roll(d, -s[k], s[k]);
        }
        return;
    }
    case TN_SHAPE_CAPSULE:
        if (roll(d, 0.0, 2.0) < 1.0) {
            tn_vec3_scale(out, s[0], n);
            out[2] += n[2] < 0.0 ? -s[1] : s[1];
        } else {
            double r = sqrt(n[0] * n[0] + n[1] * n[1]);
            tn_vec3_set(out, s[0] * n[0] / r, s[0] * n[1] / r, roll(d, -s[1], s[1]));
        }
        return;
    case TN_SHAPE_CYLINDER: {
        double r = sqrt(n[0] * n[0] + n[1] * n[1]);
        if (roll(d, 0.0, 2.0) < 1.0) {
            tn_vec3_set(out, s[0] * n[0] / r, s[0] * n[1] / r, roll(d, -s[1], s[1]));
        } else {
            double share = sqrt(roll(d, 0.0, 1.0));
            tn_vec3_set(out, share * s[0] * n[0] / r, share * s[0] * n[1] / r, n[2] < 0.0 ? -s[1] : s[1]);
        }
        return;
    }
    case TN_SHAPE_CONE: { // ends and side by their centroid's height, the textbook's
        double a = s[0], b = s[2], h = 2.0 * s[1], r = sqrt(n[0] * n[0] + n[1] * n[1]), share = roll(d, 0.0, 1.0);
        double low = -0.25 * h * (a * a + 2.0 * a * b + 3.0 * b * b) / (a * a + a * b + b * b);
        double end = roll(d, 0.0, 3.0), radius = a + share * (b - a), z = low + share * h;
        if (end < 2.0) {
            radius = sqrt(share) * (end < 1.0 ? a : b);
            z = end < 1.0 ? low : low + h;
        }
        tn_vec3_set(out, radius * n[0] / r, radius * n[1] / r, z);
        return;
    }
    case TN_SHAPE_ELLIPSOID:
        tn_vec3_set(out, s[0] * n[0], s[1] * n[1], s[2] * n[2]);
        return;
    case TN_SHAPE_HULL: { // in a triangle of a face
        const tn_hull *hull = shape->hull;
        int f = (int)roll(d, 0.0, hull->n_faces), first = hull->face_start[f];
        int k = (int)roll(d, 1.0, hull->face_start[f + 1] - first - 1.0);
        double u = roll(d, 0.0, 1.0), v = roll(d, 0.0, 1.0);
        const double *p = hull->vertices + 3 * hull->face_vertex[first];
        const double *q = hull->vertices + 3 * hull->face_vertex[first + k];
        const double *r = hull->vertices + 3 * hull->face_vertex[first + k + 1];
        for (int i = 0; i < 3; ++i) {
            double a = u + v > 1.0 ? 1.0 - u : u, b = u + v > 1.0 ? 1.0 - v : v;
            out[i] = p[i] + a * (q[i] - p[i]) + b * (r[i] - p[i]);
        }
        return;
    }
    case TN_SHAPE_POINTS:
        tn_vec3_scale(out, s[0], n);
        tn_vec3_add(out, out, shape->points + 3 * (int)roll(d, 0.0, shape->n_points));
        return;
    default:
        tn_vec3_scale(out, s[0], n);
    }
}

// Is the local point in the shape? By definition.
static bool in_shape(const tn_shape *shape, const double x[3])
{
    const double *s = shape->size;
    double y[3] = {x[0], x[1], x[2]};
    switch (shape->kind) {
    case TN_SHAPE_BOX:
        return fabs(x[0]) <= s[0] && fabs(x[1]) <= s[1] && fabs(x[2]) <= s[2];
    case TN_SHAPE_CAPSULE:
        y[2] -= fmin(s[1], fmax(-s[1], y[2]));
        return tn_vec3_norm(y) <= s[0];
    case TN_SHAPE_CYLINDER:
        return x[0] * x[0] + x[1] * x[1] <= s[0] * s[0] && fabs(x[2]) <= s[1];
    case TN_SHAPE_CONE: {
        double a = s[0], b = s[2], h = 2.0 * s[1], q = a * a + a * b + b * b;
        double up = (x[2] + 0.25 * h * (a * a + 2.0 * a * b + 3.0 * b * b) / q) / h;
        return up >= 0.0 && up <= 1.0 && sqrt(x[0] * x[0] + x[1] * x[1]) <= a + up * (b - a);
    }
    case TN_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; ++k) {
            y[k] /= s[k];
        }
        return tn_vec3_norm(y) <= 1.0;
    case TN_SHAPE_HULL:
        for (int f = 0; f < shape->hull->n_faces; ++f) {
            if (tn_vec3_dot(shape->hull->plane + 4 * f, x) > shape->hull->plane[4 * f + 3]) {
                return false;
            }
        }
        return true;
    case TN_SHAPE_POINTS:
        for (int p = 0; p < shape->n_points; ++p) {
            tn_vec3_sub(y, x, shape->points + 3 * p);
            if (tn_vec3_norm(y) <= s[0]) {
                return true;
            }
        }
        return false;
    default:
        return tn_vec3_norm(x) <= s[0];
    }
}

// The distance is at most that to any sample of the surface, and the nearest point lies on it at that distance.
static void distance_of_points(void **state)
{
    const double dots[6] = {0.6, 0.0, 0.0, -0.6, 0.2, 0.0}; // apart: the samples are all of the surface
    hull_set hulls;
    hulls_create(&hulls);
    const tn_shape shapes[] = {{.kind = TN_SHAPE_SPHERE, .size = {0.4}},
                               {.kind = TN_SHAPE_BOX, .size = {0.2, 0.3, 0.5}},
                               {.kind = TN_SHAPE_CAPSULE, .size = {0.25, 0.4}},
                               {.kind = TN_SHAPE_POINTS, .size = {0.2}, .n_points = 2, .points = dots},
                               {.kind = TN_SHAPE_CYLINDER, .size = {0.4, 0.3}},
                               {.kind = TN_SHAPE_CONE, .size = {0.5, 0.4, 0.2}},
                               {.kind = TN_SHAPE_CONE, .size = {0.0, 0.3, 0.6}},
                               {.kind = TN_SHAPE_ELLIPSOID, .size = {0.3, 0.7, 0.3}},
                               {.kind = TN_SHAPE_ELLIPSOID, .size = {0.2, 0.4, 0.6}},
                               {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[4]},
                               {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[6]}};
    enum { SAMPLES = 10000, TRIALS = 1000 };
    double *sample = malloc(3 * SAMPLES * sizeof *sample);
    assert_non_null(sample);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
        dice d = {.seed = 70 + (uint64_t)k};
        double worst = 0.0, coarse = 0.0;
        int inside = 0;
        for (int i = 0; i < SAMPLES; ++i) {
            surface_point(&shapes[k], &d, sample + 3 * i);
        }
        for (int t = 0; t < TRIALS; ++t) {
            tn_pose pose;
            double local[3], x[3], normal[3], nearest[3], e[3], least = INFINITY;
            roll_pose(&d, 2.0, &pose);
            for (int i = 0; i < 3; ++i) {
                local[i] = roll(&d, -0.8, 0.8);
            }
            tn_quat_rotate(x, pose.quaternion, local);
            tn_vec3_add(x, x, pose.position);
            double distance = tn_shape_distance(&shapes[k], &pose, x, normal, nearest);
            for (int i = 0; i < SAMPLES; ++i) {
                tn_vec3_sub(e, local, sample + 3 * i);
                least = fmin(least, tn_vec3_norm(e));
            }
            assert_true((distance < 0.0) == in_shape(&shapes[k], local));
            assert_true(fabs(distance) <= least + 1e-12); // no sample is nearer
            coarse = fmax(coarse, least - fabs(distance));
            inside += distance < 0.0;
            tn_vec3_madd(e, nearest, distance, normal);
            tn_vec3_sub(e, e, x);
            worst = fmax(worst, tn_vec3_norm(e));
            // On the surface: just inside and outside differ.
            for (int side = -1; side <= 1; side += 2) {
                tn_vec3_madd(e, nearest, 1e-9 * side, normal);
                tn_vec3_sub(e, e, pose.position);
                tn_quat_rotate_inverse(e, pose.quaternion, e);
                // Below a corner sharper than a right angle the way in may lead out again.
                bool sharp = (shapes[k].kind == TN_SHAPE_HULL || shapes[k].kind == TN_SHAPE_CONE) && distance > 0.0;
                assert_true(in_shape(&shapes[k], e) == (side < 0) || (sharp && side < 0));
            }
        }
        printf("%s: %d of %d inside; samples at most %.3f m farther (their spacing), nearest points off by %.1e "
               "(limit 1e-14)\n",
               tn_shape_name(shapes[k].kind), inside, TRIALS, coarse, worst);
        assert_true(worst < 1e-14 && coarse < 0.05 && inside > 10);
    }
    free(sample);
    tn_arena_destroy(hulls.arena);
}

// Deep inside ellipsoids and next to their planes of symmetry, where the secular equation's root meets a pole: the
// nearest point lies on the surface with the normal there, and nothing else is nearer.
static void ellipsoids_beside_poles(void **state)
{
    dice d = {.seed = 31};
    double off_surface = 0.0, off_normal = 0.0, nearer = 0.0;
    for (int t = 0; t < 20000; ++t) {
        tn_shape shape = {.kind = TN_SHAPE_ELLIPSOID};
        tn_pose origin = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
        double x[3], n[3], p[3], g[3];
        for (int k = 0; k < 3; ++k) {
            shape.size[k] = t % 5 == 0 && k > 0 ? shape.size[0] : pow(10.0, roll(&d, -2.0, 0.0));
            double small = pow(10.0, roll(&d, -20.0, 0.0));
            x[k] = shape.size[k] * (roll(&d, 0.0, 3.0) < 1.0 ? 0.0 : roll(&d, -1.2, 1.2) * small);
        }
        double distance = tn_shape_distance(&shape, &origin, x, n, p), level = 0.0;
        for (int k = 0; k < 3; ++k) {
            g[k] = p[k] / (shape.size[k] * shape.size[k]);
            level += p[k] * g[k];
        }
        double least = fmin(shape.size[0], fmin(shape.size[1], shape.size[2]));
        off_surface = fmax(off_surface, fabs(level - 1.0));
        tn_vec3_madd(g, n, -1.0 / tn_vec3_norm(g), g);
        off_normal = fmax(off_normal, tn_vec3_norm(g) * least);
        for (int k = 0; k < 20; ++k) {
            double direction[3], d3[3];
            roll_direction(&d, direction);
            for (int i = 0; i < 3; ++i) {
                d3[i] = shape.size[i] * direction[i] - x[i];
            }
            nearer = fmax(nearer, fabs(distance) - tn_vec3_norm(d3));
        }
    }
    printf("ellipsoids: level off by %.1e, normal by %.1e least axes, samples nearer by %.1e m\n", off_surface,
           off_normal, nearer);
    assert_true(off_surface < 1e-10 && off_normal < 1e-10 && nearer < 1e-12);
}

static void special_points(void **state)
{
    const tn_pose origin = {.quaternion = {1.0, 0.0, 0.0, 0.0}}, lost = {{NAN}, {1.0, 0.0, 0.0, 0.0}};
    const tn_shape box = {.kind = TN_SHAPE_BOX, .size = {1.0, 2.0, 3.0}}, plane = {.kind = TN_SHAPE_PLANE},
                   none = {.kind = TN_SHAPE_POINTS}, ball = {.kind = TN_SHAPE_SPHERE, .size = {1.0}};
    double n[3], p[3];
    assert_true(tn_shape_distance(&box, &origin, (double[3]){0.5, 1.0, 1.0}, n, p) == -0.5 && n[0] == 1.0);
    assert_true(p[0] == 1.0 && p[1] == 1.0);
    assert_true(tn_shape_distance(&box, &origin, (double[3]){1.0, 5.0, 7.0}, n, p) == 5.0 && n[1] == 0.6);
    assert_true(tn_shape_distance(&plane, &origin, (double[3]){4.0, 5.0, -7.0}, n, p) == -7.0 && n[2] == 1.0);
    assert_true(p[0] == 4.0 && p[2] == 0.0);
    assert_true(tn_shape_distance(&ball, &origin, (double[3]){0.0}, n, p) == -1.0 && tn_vec3_norm(n) == 1.0);
    assert_true(tn_shape_distance(&none, &origin, (double[3]){0.0}, n, p) == INFINITY && n[0] == 0.0);
    assert_true(tn_shape_distance(&ball, &lost, (double[3]){0.0}, n, p) == INFINITY);
}

// Solid angle of a closed surface over 4 pi: 1 inside, 0 outside (Van Oosterom and Strackee 1983).
static double winding(const tn_skin_view *view, const double x[3])
{
    double sum = 0.0;
    for (int f = 0; f < view->skin->n_faces; ++f) {
        double r[3][3], cross[3], l[3];
        for (int k = 0; k < 3; ++k) {
            tn_vec3_sub(r[k], view->x + 3 * view->skin->faces[3 * f + k], x);
            l[k] = tn_vec3_norm(r[k]);
        }
        tn_vec3_cross(cross, r[1], r[2]);
        double below = l[0] * l[1] * l[2] + tn_vec3_dot(r[0], r[1]) * l[2] + tn_vec3_dot(r[1], r[2]) * l[0] +
                       tn_vec3_dot(r[2], r[0]) * l[1];
        sum += 2.0 * atan2(tn_vec3_dot(r[0], cross), below);
    }
    return sum / (4.0 * M_PI);
}

// Distance to a triangle by its own definition: the plane's foot if inside, else the least over sampled edges refined.
static double face_distance(const tn_skin_view *view, int f, const double x[3])
{
    const double *p[3];
    double best = INFINITY, n[3], d[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = view->x + 3 * view->skin->faces[3 * f + k];
    }
    for (int k = 0; k < 3; ++k) {
        double e[3], px[3];
        tn_vec3_sub(e, p[(k + 1) % 3], p[k]);
        tn_vec3_sub(px, x, p[k]);
        double s = fmin(1.0, fmax(0.0, tn_vec3_dot(e, px) / tn_vec3_dot(e, e)));
        tn_vec3_madd(d, px, -s, e);
        best = fmin(best, tn_vec3_norm(d));
    }
    tn_skin_face_normal(view, f, n);
    tn_vec3_sub(d, x, p[0]);
    double height = tn_vec3_dot(n, d), foot[3];
    tn_vec3_madd(foot, x, -height, n);
    bool over = true;
    for (int k = 0; k < 3; ++k) {
        double e[3], px[3], turned[3];
        tn_vec3_sub(e, p[(k + 1) % 3], p[k]);
        tn_vec3_sub(px, foot, p[k]);
        tn_vec3_cross(turned, e, px);
        over &= tn_vec3_dot(turned, n) > 0.0;
    }
    return over ? fabs(height) : best;
}

// Bent, dented, twisted boxes: the nearest point found is that of all faces, its sign that of the winding number.
static void distance_of_skins(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    dice d = {.seed = 5};
    double worst = 0.0;
    int inside = 0, total = 0, several = 0;
    for (int trial = 0; trial < 6; ++trial) {
        tn_arena_reset(arena);
        mesh_skin mesh = mesh_skin_grid((double[3]){1.0, 0.8, 0.3}, (int[3]){7, 6, 2}, arena);
        double twist = roll(&d, -1.5, 1.5), bend = roll(&d, -0.5, 0.5), dent = roll(&d, 0.0, 0.03);
        for (int i = 0; i < mesh.skin.n_nodes; ++i) {
            double *x = mesh.x + 3 * i, a = twist * x[0], y = x[1], z = x[2];
            tn_vec3_set(x, x[0] + roll(&d, -dent, dent), cos(a) * y - sin(a) * z + roll(&d, -dent, dent),
                        sin(a) * y + cos(a) * z + bend * x[0] * x[0] + roll(&d, -dent, dent));
        }
        tn_skin_view view;
        assert_true(tn_skin_view_set(&view, &mesh.skin, mesh.x, arena));
        for (int t = 0; t < (REFERENCE_SLOW ? 100 : 1000); ++t) {
            double x[3] = {roll(&d, -0.8, 0.8), roll(&d, -0.6, 0.6), roll(&d, -0.4, 0.4)}, least = INFINITY;
            tn_skin_search search = {.reach = 2.0, .depth = 2.0};
            tn_skin_point points[8];
            int n = tn_skin_near(&view, &search, x, 8, points), best = 0;
            assert_true(n > 0);
            for (int i = 1; i < n; ++i) {
                best = fabs(points[i].distance) < fabs(points[best].distance) ? i : best;
            }
            for (int f = 0; f < mesh.skin.n_faces; ++f) {
                least = fmin(least, face_distance(&view, f, x));
            }
            bool is_inside = winding(&view, x) > 0.5;
            assert_true((points[best].distance < 0.0) == is_inside);
            worst = fmax(worst, fabs(fabs(points[best].distance) - least));
            inside += is_inside;
            several += n > 1;
            total++;
        }
    }
    printf("%d points, %d inside, %d with several places: off by %.1e m (limit 1e-12)\n", total, inside, several,
           worst);
    assert_true(worst < 1e-12 && inside > total / 20 && several > total / 20);
    tn_arena_destroy(arena);
}

// Topology of a grid's surface: closed, every edge with two faces; Euler's formula.
static void topology(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    mesh_skin mesh = mesh_skin_grid((double[3]){1.0, 1.0, 1.0}, (int[3]){3, 4, 5}, arena);
    const tn_skin *skin = &mesh.skin;
    int n_vertices = 0;
    for (int i = 0; i < skin->n_nodes; ++i) {
        n_vertices += skin->start[i + 1] > skin->start[i];
    }
    assert_int_equal(n_vertices - skin->n_edges + skin->n_faces, 2);
    for (int f = 0; f < skin->n_faces; ++f) {
        for (int k = 0; k < 3; ++k) {
            int other = skin->neighbour[3 * f + k], edge = skin->face_edge[3 * f + k];
            assert_true(other >= 0 && other != f);
            assert_true(skin->edge_face[2 * edge] < skin->edge_face[2 * edge + 1]);
            assert_true(skin->edge_face[2 * edge] == (f < other ? f : other));
        }
    }
    assert_true(fabs(skin->edge_max - sqrt(1.0 / 9.0 + 1.0 / 16.0)) < 1e-15);
    tn_arena_destroy(arena);
}

// From over a flat face one place, from a groove one on either side, from inside the nearest alone.
static void local_minima(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    mesh_skin mesh = mesh_skin_grid((double[3]){1.0, 1.0, 0.25}, (int[3]){4, 4, 1}, arena);
    tn_skin_view view;
    tn_skin_point p[8];
    tn_skin_search search = {.reach = 0.2, .depth = 0.2, .touch = 1e-5};
    assert_true(tn_skin_view_set(&view, &mesh.skin, mesh.x, arena));
    // over a face, an edge, a vertex, beside the rim, off a corner
    const double at[5][3] = {{0.1, 0.05, 0.2}, {0.1, 0.0, 0.2}, {0.25, 0.25, 0.2}, {0.1, 0.6, 0.2}, {0.6, 0.6, 0.2}};
    const int nodes[5] = {3, 2, 1, 2, 1};
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(tn_skin_near(&view, &search, at[i], 8, p), 1);
        assert_int_equal(p[0].n, nodes[i]);
        assert_true(p[0].distance > 0.07 && p[0].normal[2] > 0.4);
    }
    assert_int_equal(tn_skin_near(&view, &search, (double[3]){0.1, 0.05, 0.12}, 8, p), 1);
    assert_true(fabs(p[0].distance + 0.005) < 1e-15 && p[0].normal[2] == 1.0);
    search.touch = 0.01;
    assert_int_equal(tn_skin_near(&view, &search, (double[3]){0.1, 0.05, 0.12}, 8, p), 1);
    // Fold the mat up along y = 0 on both sides: a groove of a right angle.
    for (int i = 0; i < mesh.skin.n_nodes; ++i) {
        mesh.x[3 * i + 2] += fabs(mesh.x[3 * i + 1]);
    }
    assert_true(tn_skin_view_set(&view, &mesh.skin, mesh.x, arena));
    search.touch = 1e-5;
    assert_int_equal(tn_skin_near(&view, &search, (double[3]){0.1, 0.02, 0.295}, 8, p), 2);
    assert_true(p[0].normal[1] * p[1].normal[1] < -0.49);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_of_points), cmocka_unit_test(ellipsoids_beside_poles),
        cmocka_unit_test(special_points),     cmocka_unit_test(topology),
        cmocka_unit_test(local_minima),       cmocka_unit_test(distance_of_skins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
