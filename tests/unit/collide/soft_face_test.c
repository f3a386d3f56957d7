// What vertices miss: balls, capsules, corners and edges of shapes against faces and edges of soft bodies.
#include "soft_world.h"

#include "shape/hull.h"
#include "shape/triangles.h"

static soft_world s;

static int count_kind(const tn_contact_list *list, int n)
{
    int count = 0;
    for (int i = 0; i < list->n; ++i) {
        count += list->contacts[i].soft_b->n == n;
    }
    return count;
}

// A coarse slab, its top at z = 0: cells of 0.1 m. The shape is body 1.
static void slab_below(const tn_shape *shape, const double at[3], const double axis[3], double angle, tn_arena *keep)
{
    soft_begin(&s);
    tn_pose pose = pose_at(at[0], at[1], at[2]);
    tn_quat_from_axis_angle(pose.quaternion, axis, angle);
    world_body(&s.rigid, &pose, 2);
    world_shape(&s.rigid, *shape, NULL, 0);
    soft_grid(&s, (double[3]){0.4, 0.4, 0.1}, (int[3]){4, 4, 1}, (double[3]){0.0, 0.0, -0.05}, keep);
    s.rigid.model.margin = 1e-3;
    s.rigid.model.settings.gravity[2] = -9.81;
}

static const double z_axis[3] = {0.0, 0.0, 1.0};

// A ball of 2 cm between vertices 10 cm apart, from above the face to deep inside it.
static void ball_between_vertices(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const tn_shape ball = {.kind = TN_SHAPE_SPHERE, .size = {0.02}};
    for (double height = 0.0209; height > -0.02; height -= 0.004) {
        tn_arena_reset(keep);
        slab_below(&ball, (double[3]){0.02, 0.07, height}, z_axis, 0.0, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        assert_int_equal(list.n, 1);
        const tn_contact *c = list.contacts;
        assert_true(c->soft_b->n == 3 && c->soft_a->n == 0 && fabs(c->gap - (height - 0.02)) < 1e-15);
        assert_true(c->frame[2] == -1.0 && fabs(c->point[0] - 0.02) + fabs(c->point[1] - 0.07) < 1e-15);
        s.rigid.pose[1].position[2] += 1e-4;
        s.rigid.pose[1].position[0] += 1e-2;
        assert_true(fabs(soft_gap(&s, c) - (height + 1e-4 - 0.02)) < 1e-15);
    }
    // Over an edge and over a vertex: one contact each.
    slab_below(&ball, (double[3]){0.05, 0.0, 0.02}, z_axis, 0.0, keep);
    tn_contact_list list = soft_collide(&s, 1, arena);
    assert_true(list.n == 1 && list.contacts[0].soft_b->n == 2);
    slab_below(&ball, (double[3]){0.1, 0.1, 0.02}, z_axis, 0.0, keep);
    list = soft_collide(&s, 1, arena);
    assert_true(list.n == 1 && list.contacts[0].soft_b->n == 1 && list.contacts[0].feature < 0x80000000u);
    // A ball that the vertices hold: they alone.
    const tn_shape large = {.kind = TN_SHAPE_SPHERE, .size = {5.0}};
    slab_below(&large, (double[3]){0.02, 0.07, 4.999}, z_axis, 0.0, keep);
    list = soft_collide(&s, 1, arena);
    printf("ball of 5 m: %d contacts\n", list.n);
    assert_true(list.n > 0 && count_kind(&list, 1) == list.n);
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Slowly sliding, the ball always has a contact, whose gap is that of the plane.
static void ball_slides(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const tn_shape ball = {.kind = TN_SHAPE_SPHERE, .size = {0.02}};
    double worst = 0.0;
    int most = 0;
    slab_below(&ball, (double[3]){0.0, 0.0, 0.02}, z_axis, 0.0, keep);
    for (int i = 0; i < 4000; ++i) {
        double *p = s.rigid.pose[1].position, height = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1e-9 : -1e-9;
        // along a grid line, a diagonal, and askew
        tn_vec3_set(p, -0.18 + 0.36 * (i % 1000) / 1000.0, i < 1000 ? 0.1 : 0.0, 0.02 + height);
        p[1] = i >= 3000 ? 0.05 + 0.3 * p[0] : i >= 2000 ? p[0] : p[1];
        tn_contact_list list = soft_collide(&s, 1, arena);
        assert_true(list.n >= 1);
        most = list.n > most ? list.n : most;
        double least = INFINITY;
        for (int k = 0; k < list.n; ++k) {
            least = fmin(least, list.contacts[k].gap);
        }
        worst = fmax(worst, fabs(least - height));
    }
    printf("4000 places: 1 to %d contacts, least gap off by %.1e m (limit 1e-15)\n", most, worst);
    assert_true(worst < 1e-15 && most <= 3);
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// A box stands on one corner, on an edge, and flat, on the coarse slab; a capsule lies.
static void corners_and_edges(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const tn_shape box = {.kind = TN_SHAPE_BOX, .size = {0.03, 0.03, 0.03}};
    const double axis[3] = {sqrt(0.5), -sqrt(0.5), 0.0}, tilt = atan(sqrt(2.0)), reach = 0.03 * sqrt(3.0);
    slab_below(&box, (double[3]){0.02, 0.06, reach - 1e-4}, axis, tilt, keep);
    tn_contact_list list = soft_collide(&s, 1, arena);
    soft_check_list(&s, &list);
    assert_int_equal(list.n, 1);
    printf("on a corner: gap %.3e (expected -1e-4)\n", list.contacts[0].gap);
    assert_true(fabs(list.contacts[0].gap + 1e-4) < 1e-15 && list.contacts[0].soft_b->n == 3);
    assert_true(fabs(soft_gap(&s, list.contacts) + 1e-4) < 1e-15);

    const double y_axis[3] = {0.0, 1.0, 0.0};
    const tn_shape bar = {.kind = TN_SHAPE_BOX, .size = {0.03, 0.15, 0.03}};
    slab_below(&bar, (double[3]){0.03, 0.0, 0.03 * sqrt(2.0) - 1e-4}, y_axis, M_PI / 4.0, keep);
    list = soft_collide(&s, 1, arena);
    soft_check_list(&s, &list);
    double worst = 0.0;
    for (int i = 0; i < list.n; ++i) {
        worst = fmax(worst, fabs(list.contacts[i].gap + 1e-4));
        worst = fmax(worst, fabs(soft_gap(&s, list.contacts + i) + 1e-4));
        worst = fmax(worst, fabs(list.contacts[i].frame[2] + 1.0));
    }
    printf("on an edge: %d corners in faces, %d crossings of edges, off by %.1e\n", count_kind(&list, 3),
           count_kind(&list, 2), worst);
    assert_true(count_kind(&list, 3) == 2 && count_kind(&list, 2) >= 6 && worst < 1e-14);
    // Moved aside, the edges have passed each other's ends: their lines still overlap, the bodies do not.
    s.rigid.pose[1].position[0] += 1.0;
    for (int i = 0; i < list.n; ++i) {
        assert_true(list.contacts[i].soft_b->n != 2 || soft_gap(&s, list.contacts + i) > 0.5);
    }

    slab_below(&box, (double[3]){0.03, 0.06, 0.03}, z_axis, 0.3, keep);
    list = soft_collide(&s, 1, arena);
    soft_check_list(&s, &list);
    printf("flat: %d corners, %d crossings\n", count_kind(&list, 3), count_kind(&list, 2));
    assert_true(count_kind(&list, 3) == 4);

    const tn_shape rod = {.kind = TN_SHAPE_CAPSULE, .size = {0.02, 0.12}};
    slab_below(&rod, (double[3]){0.03, 0.01, 0.02}, y_axis, M_PI / 2.0, keep);
    list = soft_collide(&s, 1, arena);
    soft_check_list(&s, &list);
    printf("capsule: %d ends, %d crossings\n", count_kind(&list, 3), count_kind(&list, 2));
    assert_true(count_kind(&list, 3) == 2 && count_kind(&list, 2) >= 2);
    for (int i = 0; i < list.n; ++i) {
        assert_true(fabs(list.contacts[i].gap) < 1e-15 && list.contacts[i].frame[2] < -1.0 + 1e-15);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// The same shape as a hull and as a mesh: the same contacts as the box that it is; the mesh's diagonals make none. A
// cylinder standing: its rims in the faces and across the edges.
static void hulls_and_cylinders(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const tn_shape bar = {.kind = TN_SHAPE_BOX, .size = {0.03, 0.15, 0.03}};
    double corners[24], centroid[3], gaps[3][64], tilts[2] = {M_PI / 4.0, 0.0};
    const double y_axis[3] = {0.0, 1.0, 0.0};
    tn_hull hull;
    tn_error error;
    for (int v = 0; v < 8; ++v) {
        tn_vec3_set(corners + 3 * v, v & 1 ? 0.03 : -0.03, v & 2 ? 0.15 : -0.15, v & 4 ? 0.03 : -0.03);
    }
    assert_int_equal(tn_hull_create(8, corners, keep, &hull, centroid, &error), TN_OK);
    const int faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    tn_triangles triangles;
    assert_int_equal(tn_triangles_create(8, corners, 12, faces, keep, &triangles, centroid, &error), TN_OK);
    const tn_shape same[3] = {
        bar, {.kind = TN_SHAPE_HULL, .hull = &hull}, {.kind = TN_SHAPE_TRIANGLES, .triangles = &triangles}};
    for (int k = 0; k < 2; ++k) {
        double height = (k ? 0.03 : 0.03 * sqrt(2.0)) - 1e-4;
        int n[3], kinds[3][2];
        for (int h = 0; h < 3; ++h) {
            slab_below(same + h, (double[3]){0.031, 0.0, height}, y_axis, tilts[k], keep);
            tn_contact_list list = soft_collide(&s, 1, arena);
            soft_check_list(&s, &list);
            n[h] = list.n;
            kinds[h][0] = count_kind(&list, 3);
            kinds[h][1] = count_kind(&list, 2);
            assert_true(list.n <= 64);
            for (int i = 0; i < list.n; ++i) {
                gaps[h][i] = list.contacts[i].gap;
                assert_true(fabs(soft_gap(&s, list.contacts + i) - list.contacts[i].gap) < 1e-14);
            }
        }
        for (int h = 1; h < 3; ++h) {
            printf("box %d and %s %d contacts: %d and %d corners, %d and %d crossings\n", n[0],
                   h == 1 ? "hull" : "mesh", n[h], kinds[0][0], kinds[h][0], kinds[0][1], kinds[h][1]);
            assert_true(n[0] == n[h] && kinds[0][0] == kinds[h][0] && kinds[0][1] == kinds[h][1]);
            for (int i = 0; i < n[0]; ++i) {
                assert_true(fabs(gaps[0][i] - gaps[h][i]) < 1e-9 || k == 1);
            }
        }
    }
    const tn_shape coin = {.kind = TN_SHAPE_CYLINDER, .size = {0.021, 0.005}};
    slab_below(&coin, (double[3]){0.031, 0.052, 0.005 - 1e-4}, z_axis, 0.2, keep);
    tn_contact_list list = soft_collide(&s, 1, arena);
    soft_check_list(&s, &list);
    printf("cylinder: %d points of its rim\n", count_kind(&list, 3));
    assert_int_equal(count_kind(&list, 3), 12);
    for (int i = 0; i < list.n; ++i) {
        assert_true(fabs(list.contacts[i].gap + 1e-4) < 1e-14 || list.contacts[i].soft_b->n != 3);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// A mesh stands on its tip and lies on its side's three corners; the node in the middle of the side is none of them.
static void corners_of_a_mesh(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const double corners[15] = {0.0,  0.0,    -0.06,  0.03, 0.0, 0.02, -0.015, 0.025,
                                0.02, -0.015, -0.025, 0.02, 0.0, 0.0,  0.02};
    const int faces[18] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 4, 1, 2, 4, 2, 3, 4, 3, 1};
    double centroid[3];
    tn_triangles triangles;
    tn_error error = {0};
    int status = tn_triangles_create(5, corners, 6, faces, keep, &triangles, centroid, &error);
    assert_int_equal(status, TN_OK);
    const tn_shape mesh = {.kind = TN_SHAPE_TRIANGLES, .triangles = &triangles};
    const double x_axis[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
        double lowest = k ? centroid[2] - 0.02 : -0.06 - centroid[2];
        slab_below(&mesh, (double[3]){0.02, 0.06, -lowest - 1e-4}, x_axis, k ? M_PI : 0.0, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        printf("mesh: %d corners in faces of %d contacts\n", count_kind(&list, 3), list.n);
        assert_int_equal(count_kind(&list, 3) + count_kind(&list, 2), k ? 3 : 1);
        for (int i = 0; i < list.n; ++i) {
            assert_true(list.contacts[i].soft_b->n == 1 || fabs(list.contacts[i].gap + 1e-4) < 1e-15);
            assert_true(list.contacts[i].soft_b->n == 1 || fabs(soft_gap(&s, list.contacts + i) + 1e-4) < 1e-15);
        }
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// An ellipsoid between the vertices: its point farthest towards the face.
static void ellipsoid_between_vertices(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const tn_shape egg = {.kind = TN_SHAPE_ELLIPSOID, .size = {0.03, 0.02, 0.04}};
    const double half[3] = {0.04, 0.03, 0.02}, y_axis[3] = {0.0, 1.0, 0.0}, x_axis[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        slab_below(&egg, (double[3]){0.02, 0.06, half[k] - 1e-3}, k == 1 ? y_axis : x_axis, k ? M_PI / 2.0 : 0.3 * k,
                   keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        double deepest = INFINITY;
        for (int i = 0; i < list.n; ++i) {
            assert_true(fabs(soft_gap(&s, list.contacts + i) - list.contacts[i].gap) < 1e-14);
            deepest = fmin(deepest, list.contacts[i].gap);
        }
        printf("ellipsoid 1 mm deep: %d contacts, deepest %.2e m\n", list.n, deepest);
        assert_true(list.n == 1 && fabs(deepest + 1e-3) < 1e-12);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// A lying cylinder on edges far from its ends, and one on the rims of its two ends, which touch the slab's edges at
// places in between their points: all gaps are those of the plane.
static void sides_and_rims(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const double x_axis[3] = {1.0, 0.0, 0.0};
    const struct {
        double radius, half, tilt;
    } cases[] = {{0.03, 0.25, M_PI / 2.0}, {0.25, 0.01, M_PI / 2.0}, {0.25, 0.1, 1.0}, {0.19, 0.02, 0.0}};
    for (int i = 0; i < 4; ++i) {
        double radius = cases[i].radius, half = cases[i].half, tilt = cases[i].tilt;
        const tn_shape drum = {.kind = TN_SHAPE_CYLINDER, .size = {radius, half}};
        double height = radius * sin(tilt) + half * cos(tilt) - 1e-4;
        slab_below(&drum, (double[3]){0.013, 0.021, height}, x_axis, tilt, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        double deepest = INFINITY, off = 0.0;
        int upright = 0;
        for (int k = 0; k < list.n; ++k) {
            const tn_contact *c = list.contacts + k;
            off = fmax(off, fabs(soft_gap(&s, c) - c->gap));
            deepest = fmin(deepest, c->gap);
            upright += c->frame[2] < -1.0 + 1e-9;
        }
        printf(
            "cylinder of %g x %g m tilted by %g: %d in faces, %d on edges, %d upright, deepest %.3e, gap off by %.1e\n",
            radius, 2.0 * half, tilt, count_kind(&list, 3), count_kind(&list, 2), upright, deepest, off);
        assert_true(fabs(deepest + 1e-4) < 1e-9 && upright > 0 && off < 1e-9);
        assert_true(count_kind(&list, 2) > 0 || i == 2);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Cones that stand on an end or the apex, lie on the side, lean on a rim: all gaps are those of the plane.
static void cones(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const double x_axis[3] = {1.0, 0.0, 0.0};
    const struct {
        double size[3], tilt;
    } cases[] = {
        {{0.17, 0.1, 0.05}, 0.0},                     // on the end
        {{0.03, 0.1, 0.0}, M_PI},                     // on the apex
        {{0.05, 0.15, 0.0}, M_PI / 2 + atan(1. / 6)}, // on the side, z of the side's normal down
        {{0.08, 0.15, 0.02}, M_PI / 2 + atan(0.2)},   // the same, cut off
        {{0.1, 0.08, 0.05}, 0.8},                     // on the rim
    };
    for (int i = 0; i < 5; ++i) {
        const double *size = cases[i].size, a = size[0], b = size[2], h = 2.0 * size[1], tilt = cases[i].tilt;
        const tn_shape cone = {.kind = TN_SHAPE_CONE, .size = {a, size[1], b}};
        double up = 0.25 * h * (a * a + 2.0 * a * b + 3.0 * b * b) / (a * a + a * b + b * b);
        double reach = fmax(a * sin(tilt) + up * cos(tilt), b * sin(tilt) - (h - up) * cos(tilt));
        slab_below(&cone, (double[3]){0.013, 0.021, reach - 1e-4}, x_axis, tilt, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        double deepest = INFINITY, off = 0.0;
        int upright = 0;
        for (int k = 0; k < list.n; ++k) {
            const tn_contact *c = list.contacts + k;
            off = fmax(off, fabs(soft_gap(&s, c) - c->gap));
            deepest = fmin(deepest, c->gap);
            upright += c->frame[2] < -1.0 + 1e-9;
        }
        printf("cone tilted by %.3g: %d in faces, %d on edges, %d upright, deepest %.3e, gap off by %.1e\n", tilt,
               count_kind(&list, 3), count_kind(&list, 2), upright, deepest, off);
        assert_true(fabs(deepest + 1e-4) < 1e-9 && upright > 0 && off < 1e-9);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

static void points_of_shapes(void **state)
{
    const double dots[9] = {0.03, 0.01, 0.0, 0.1, 0.1, 0.0, -0.13, 0.02, 0.0};
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    for (int k = 0; k < 2; ++k) {
        const tn_shape points = {.kind = TN_SHAPE_POINTS, .size = {0.01 * k}, .n_points = 3, .points = dots};
        slab_below(&points, (double[3]){0.0, 0.0, 0.01 * k - 1e-5}, z_axis, 0.0, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        assert_int_equal(list.n, 3);
        assert_true(list.contacts[0].soft_b->n == 3 && list.contacts[1].soft_b->n == 1);
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(list.contacts[i].gap + 1e-5) < 1e-15 && list.contacts[i].frame[2] < -1.0 + 1e-15);
            assert_true(fabs(soft_gap(&s, list.contacts + i) + 1e-5) < 1e-15);
        }
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Faces that hang on the shape's own body touch it not.
static void attached_faces(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const tn_shape ball = {.kind = TN_SHAPE_SPHERE, .size = {0.02}};
    slab_below(&ball, (double[3]){0.02, 0.07, 0.02}, z_axis, 0.0, keep);
    tn_contact_list list = soft_collide(&s, 1, arena);
    assert_int_equal(list.n, 1);
    int node = list.contacts[0].soft_b->node[1];
    tn_model_node free_node = s.nodes[node];
    s.nodes[node] = (tn_model_node){.block = -1, .body = 1};
    assert_int_equal(soft_collide(&s, 1, arena).n, 0);
    s.nodes[node] = (tn_model_node){.block = -1, .body = 0};
    assert_int_equal(soft_collide(&s, 1, arena).n, 1);
    s.nodes[node] = free_node;
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_between_vertices), cmocka_unit_test(ball_slides),
        cmocka_unit_test(corners_and_edges),     cmocka_unit_test(hulls_and_cylinders),
        cmocka_unit_test(corners_of_a_mesh),     cmocka_unit_test(ellipsoid_between_vertices),
        cmocka_unit_test(sides_and_rims),        cmocka_unit_test(cones),
        cmocka_unit_test(points_of_shapes),      cmocka_unit_test(attached_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
