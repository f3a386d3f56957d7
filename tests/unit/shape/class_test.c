// Volume, mass and inertia against integration over a grid of the shape's own signed distance; bounds against supports.
#include "hulls.h"

#include "shape/class.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static hull_set hulls;
static tn_shape solids[] = {
    {.kind = TN_SHAPE_SPHERE, .size = {0.7}},         {.kind = TN_SHAPE_BOX, .size = {0.3, 0.5, 0.8}},
    {.kind = TN_SHAPE_CAPSULE, .size = {0.3, 0.5}},   {.kind = TN_SHAPE_CAPSULE, .size = {0.4, 0.0}},
    {.kind = TN_SHAPE_CYLINDER, .size = {0.4, 0.25}}, {.kind = TN_SHAPE_CONE, .size = {0.4, 0.3, 0.0}},
    {.kind = TN_SHAPE_CONE, .size = {0.2, 0.3, 0.5}}, {.kind = TN_SHAPE_ELLIPSOID, .size = {0.3, 0.7, 0.4}},
    {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[0]}, // tetrahedron
    {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[4]}, // prism
    {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[6]}, // random points
};
enum { SOLIDS = sizeof solids / sizeof solids[0] };

typedef struct moments {
    double volume, first[3], inertia[9];
} moments;

// Midpoint rule on n^3 cells; a cell on the surface counts by how deep its middle lies, in cells.
static moments integrate(const tn_shape *shape, int n)
{
    moments m = {0};
    tn_pose origin = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    double low[3], high[3], cell[3];
    tn_shape_bounds(shape, &origin, 0.05, low, high);
    tn_placed placed;
    assert_true(tn_placed_set(&placed, shape, &origin));
    for (int i = 0; i < 3; ++i) {
        cell[i] = (high[i] - low[i]) / n;
    }
    for (int i = 0; i < n * n * n; ++i) {
        double x[3] = {low[0] + (i % n + 0.5) * cell[0], low[1] + (i / n % n + 0.5) * cell[1],
                       low[2] + (i / n / n + 0.5) * cell[2]};
        double normal[3];
        double depth = -tn_class_of(shape)->distance(&placed, x, normal);
        double width = fabs(normal[0]) * cell[0] + fabs(normal[1]) * cell[1] + fabs(normal[2]) * cell[2];
        double share = fmin(1.0, fmax(0.0, 0.5 + depth / width)) * cell[0] * cell[1] * cell[2];
        double square = tn_vec3_dot(x, x);
        m.volume += share;
        tn_vec3_madd(m.first, m.first, share, x);
        for (int k = 0; k < 9; ++k) {
            m.inertia[k] += share * ((k % 4 == 0 ? square : 0.0) - x[k / 3] * x[k % 3]);
        }
    }
    return m;
}

static void volume_and_inertia(void **state)
{
    const double density = 1200.0; // limits of the 80^3 grid: second order in a cell of 0.02 m, worse in sharp corners
    for (int s = 0; s < SOLIDS; ++s) {
        bool sharp = solids[s].kind == TN_SHAPE_HULL || solids[s].kind == TN_SHAPE_CONE;
        double mass, inertia[9], worst = 0.0, limit = sharp ? 1e-2 : 2e-3;
        moments m = integrate(&solids[s], 80);
        tn_shape_inertia(&solids[s], density, &mass, inertia);
        double volume_error = fabs(tn_shape_volume(&solids[s]) / m.volume - 1.0);
        assert_true(fabs(mass - density * tn_shape_volume(&solids[s])) < 1e-9 * mass);
        for (int k = 0; k < 9; ++k) {
            worst = fmax(worst, fabs(inertia[k] - density * m.inertia[k]) / inertia[0]);
        }
        for (int k = 0; k < 3; ++k) { // the origin is the centroid
            worst = fmax(worst, fabs(m.first[k]) /
                                    (m.volume * solids[s].size[0] == 0.0 ? solids[s].hull->reach : solids[s].size[0]));
        }
        printf("%s: volume off by %.1e, inertia by %.1e of its first entry (limit %.0e, the grid)\n",
               tn_shape_name(solids[s].kind), volume_error, worst, limit);
        assert_true(volume_error < limit && worst < limit);
    }
}

static void bounds_are_supports(void **state)
{
    dice d = {.seed = 3};
    double worst = 0.0;
    for (int i = 0; i < 10000; ++i) {
        const tn_shape *shape = &solids[i % SOLIDS];
        tn_pose pose;
        double low[3], high[3], r[9];
        roll_pose(&d, 2.0, &pose);
        tn_quat_to_mat3(r, pose.quaternion);
        tn_shape_bounds(shape, &pose, 0.25, low, high);
        for (int k = 0; k < 3; ++k) {
            double e[3] = {k == 0, k == 1, k == 2};
            double back[3] = {-e[0], -e[1], -e[2]};
            worst = fmax(worst, fabs(high[k] - pose.position[k] - support(shape, r, e) - 0.25));
            worst = fmax(worst, fabs(pose.position[k] - low[k] - support(shape, r, back) - 0.25));
        }
    }
    printf("bounds off their supports by %.1e m (limit 1e-14, rounding)\n", worst);
    assert_true(worst < 1e-14);
}

// The speed at which the support along a fixed direction grows while the shape turns, by central differences.
static void spin_radius_bounds_approach(void **state)
{
    dice d = {.seed = 4};
    for (int s = 0; s < SOLIDS; ++s) {
        double bound = tn_shape_spin_radius(&solids[s]), most = 0.0;
        for (int i = 0; i < 20000; ++i) {
            double n[3], axis[3], turn[4], value[2], r[9];
            tn_pose pose;
            roll_pose(&d, 0.0, &pose);
            roll_direction(&d, n);
            roll_direction(&d, axis);
            for (int k = 0; k < 2; ++k) {
                double q[4];
                tn_quat_from_axis_angle(turn, axis, k ? 1e-6 : -1e-6);
                tn_quat_mul(q, turn, pose.quaternion);
                tn_quat_to_mat3(r, q);
                value[k] = support(&solids[s], r, n);
            }
            most = fmax(most, (value[1] - value[0]) / 2e-6);
        }
        printf("%s: approach by turning %.4f m, bound %.4f m\n", tn_shape_name(solids[s].kind), most, bound);
        assert_true(most <= bound + 1e-8);
    }
}

// Mass and moments of a full cone by the textbook; of one cut off as the difference of two, about its own centroid.
static void cones_by_hand(void **state)
{
    const double big = 0.6, h = 0.9, small = 0.2, cut = 0.3; // the top third of the whole cone is missing
    tn_shape whole = {.kind = TN_SHAPE_CONE, .size = {big, 0.5 * h, 0.0}};
    tn_shape frustum = {.kind = TN_SHAPE_CONE, .size = {big, 0.5 * (h - cut), small}}, turned = frustum;
    double m = M_PI / 3.0 * big * big * h, top = M_PI / 3.0 * small * small * cut, mass, inertia[9], other[9];
    tn_shape_inertia(&whole, 1.0, &mass, inertia);
    assert_true(fabs(mass - m) < 1e-15 && fabs(inertia[8] - 0.3 * m * big * big) < 1e-15);
    assert_true(fabs(inertia[0] - 3.0 / 80.0 * m * (4.0 * big * big + h * h)) < 1e-15);
    assert_true(fabs(tn_cone_centroid(whole.size) - (0.25 * h - 0.5 * h)) < 1e-15);
    double up = (m * 0.25 * h - top * (h - 0.75 * cut)) / (m - top); // of the centroid above the lower end
    double about_end = 3.0 / 80.0 * m * (4.0 * big * big + h * h) + m * 0.0625 * h * h -
                       3.0 / 80.0 * top * (4.0 * small * small + cut * cut) - top * (h - 0.75 * cut) * (h - 0.75 * cut);
    tn_shape_inertia(&frustum, 1.0, &mass, inertia);
    printf("cut cone: %.15g kg m^2, by hand %.15g\n", inertia[0], about_end - (m - top) * up * up);
    assert_true(fabs(mass - (m - top)) < 1e-15 && fabs(inertia[0] - (about_end - (m - top) * up * up)) < 1e-15);
    assert_true(fabs(inertia[8] - 0.3 * (m * big * big - top * small * small)) < 1e-15);
    assert_true(fabs(tn_cone_centroid(frustum.size) - (up - 0.5 * (h - cut))) < 1e-15);
    tn_vec3_set(turned.size, small, frustum.size[1], big); // upside down
    tn_shape_inertia(&turned, 1.0, &mass, other);
    assert_true(fabs(other[0] - inertia[0]) < 1e-15 &&
                tn_cone_centroid(turned.size) == -tn_cone_centroid(frustum.size));
}

// A 3-4-5 prism and a cube off its place by hand; points inside change nothing; single precision merges into faces.
static void hulls_by_hand(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_hull hull;
    tn_error error;
    double centroid[3], cube[3 * 12], prism[18] = {0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 2, 3, 0, 2, 0, 4, 2};
    assert_int_equal(tn_hull_create(6, prism, arena, &hull, centroid, &error), TN_OK);
    assert_true(hull.n_vertices == 6 && hull.n_faces == 5 && hull.n_edges == 9);
    assert_true(fabs(hull.volume - 12.0) < 1e-13 && fabs(centroid[0] - 1.0) < 1e-14 &&
                fabs(centroid[1] - 4.0 / 3.0) < 1e-14);
    // Second moments of the triangle about its centroid: 12 (b^2 / 18) along x, 12 (h^2 / 18) along y, 12 d^2 / 12.
    assert_true(fabs(hull.inertia[8] - 12.0 * (9.0 + 16.0) / 18.0) < 1e-12);
    assert_true(fabs(hull.inertia[0] - 12.0 * (16.0 / 18.0 + 4.0 / 12.0)) < 1e-12);
    assert_true(fabs(hull.inertia[1] + 12.0 * (-3.0 * 4.0 / 36.0)) < 1e-12); // minus the mixed moment, -b h / 36
    for (int v = 0; v < 8; ++v) {
        tn_vec3_set(cube + 3 * v, (float)(v & 1 ? 0.7 : 0.1), (float)(v & 2 ? 0.9 : 0.3), (float)(v & 4 ? 1.1 : 0.5));
        tn_vec3_scale(cube + 3 * v, 1.0 + 1e-8 * v, cube + 3 * v);
    }
    for (int i = 8; i < 12; ++i) { // inside, twice, and in a face
        tn_vec3_set(cube + 3 * i, i < 11 ? 0.4 : 0.1, 0.5, 0.8);
    }
    cube[3 * 11] = (float)0.1;
    assert_int_equal(tn_hull_create(12, cube, arena, &hull, centroid, &error), TN_OK);
    printf("cube in single precision: %d vertices, %d edges, %d faces\n", hull.n_vertices, hull.n_edges, hull.n_faces);
    assert_true(hull.n_vertices == 8 && hull.n_faces == 6 && hull.n_edges == 12);
    assert_true(fabs(hull.volume - 0.216) < 1e-7);
    for (int e = 0; e < hull.n_edges; ++e) { // left and right: the edge runs that way in the one, back in the other
        for (int side = 0; side < 2; ++side) {
            int f = hull.edge_face[2 * e + side], found = 0, first = hull.face_start[f];
            int n = hull.face_start[f + 1] - first;
            for (int k = 0; k < n; ++k) {
                found += hull.face_vertex[first + k] == hull.edge[2 * e + side] &&
                         hull.face_vertex[first + (k + 1) % n] == hull.edge[2 * e + 1 - side];
            }
            assert_int_equal(found, 1);
        }
    }
    tn_arena_destroy(arena);
}

static void hulls_that_are_none(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_hull hull;
    tn_error error;
    double centroid[3], points[3 * 50];
    for (int kind = 0; kind < 5; ++kind) {
        for (int i = 0; i < 50; ++i) {
            double u = cos(i), v = sin(3.0 * i), w = kind == 2 ? 1e-11 * cos(7.0 * i) : 0.0;
            tn_vec3_set(points + 3 * i, kind == 0 ? 0.1 : u, kind < 2 ? 2.0 * u : v, kind < 2 ? 0.0 : u + v + w);
        }
        points[21] = kind == 3 ? NAN : points[21];
        int n = kind == 4 ? 3 : 50;
        assert_int_equal(tn_hull_create(n, points, arena, &hull, centroid, &error), TN_BAD_INPUT);
        printf("%s\n", error.message);
    }
    for (int i = 0; i < 50; ++i) { // thin, but not flat
        points[3 * i + 2] = points[3 * i] + points[3 * i + 1] + 1e-6 * cos(7.0 * i);
    }
    points[21] = cos(7);
    assert_int_equal(tn_hull_create(50, points, arena, &hull, centroid, &error), TN_OK);
    tn_arena_destroy(arena);
}

static int set_up(void **state)
{
    hulls_create(&hulls);
    return 0;
}

static int tear_down(void **state)
{
    tn_arena_destroy(hulls.arena);
    return 0;
}

static void plane_and_points(void **state)
{
    const double at[6] = {1.0, 0.0, 0.0, 0.0, -2.0, 0.5};
    const tn_shape plane = {.kind = TN_SHAPE_PLANE};
    const tn_shape dots = {.kind = TN_SHAPE_POINTS, .size = {0.1}, .n_points = 2, .points = at};
    const tn_pose pose = {{5.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, lost = {{NAN, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    double low[3], high[3], mass = 1.0, inertia[9];
    tn_shape_bounds(&plane, &pose, 0.0, low, high);
    assert_true(low[0] == -INFINITY && high[2] == INFINITY);
    tn_shape_bounds(&dots, &pose, 0.0, low, high);
    assert_true(fabs(low[0] - 4.9) < 1e-15 && fabs(high[0] - 6.1) < 1e-15 && fabs(low[1] + 2.1) < 1e-15);
    tn_shape_bounds(&dots, &lost, 0.0, low, high);
    assert_true(isnan(low[0]) && isnan(high[2]));
    assert_true(tn_shape_volume(&plane) == 0.0 && tn_shape_volume(&dots) == 0.0);
    tn_shape_inertia(&dots, 1000.0, &mass, inertia);
    assert_true(mass == 0.0 && inertia[0] == 0.0);
    tn_shape_inertia(&plane, 1000.0, &mass, inertia);
    assert_true(mass == 0.0 && inertia[8] == 0.0);
    assert_true(fabs(tn_shape_spin_radius(&dots) - sqrt(4.25)) < 1e-15 && tn_shape_spin_radius(&plane) == 0.0);
    assert_true(tn_shape_spin_radius(&solids[0]) == 0.0 && tn_shape_spin_radius(&solids[2]) == 0.5);
    assert_true(fabs(tn_shape_spin_radius(&solids[1]) - sqrt(0.98)) < 1e-15);
}

static void names(void **state)
{
    const char *expected[TN_SHAPE_COUNT] = {"plane", "sphere", "box",     "capsule", "points",  "cylinder", "ellipsoid",
                                            "hull",  "mesh",   "heights", "disk",    "ellipse", "polygon",  "cone"};
    for (int k = 0; k < TN_SHAPE_COUNT; ++k) {
        assert_string_equal(tn_shape_name((tn_shape_kind)k), expected[k] ? expected[k] : "unknown");
    }
    assert_string_equal(tn_shape_name(TN_SHAPE_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_and_inertia),
        cmocka_unit_test(bounds_are_supports),
        cmocka_unit_test(spin_radius_bounds_approach),
        cmocka_unit_test(cones_by_hand),
        cmocka_unit_test(hulls_by_hand),
        cmocka_unit_test(hulls_that_are_none),
        cmocka_unit_test(plane_and_points),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
