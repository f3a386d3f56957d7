// Grid, ball, cylinder, finger: volume, convergence of the volume, a closed outward surface, quality.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static void expect_ok(tn_status status, const tn_error *error)
{
    if (status != TN_OK) {
        fail_msg("%s", error->message);
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const int *p = a;
    const int *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// Every edge runs once each way: closed and oriented. Returns the number of edges.
static int check_edges(const tn_mesh_surface *skin)
{
    const int n = 3 * skin->n_faces;
    int(*edges)[2] = malloc((size_t)n * sizeof *edges);
    int(*turned)[2] = malloc((size_t)n * sizeof *turned);
    for (int f = 0; f < skin->n_faces; f++) {
        for (int i = 0; i < 3; i++) {
            int a = skin->faces[3 * f + i];
            int b = skin->faces[3 * f + (i + 1) % 3];
            edges[3 * f + i][0] = turned[3 * f + i][1] = a;
            edges[3 * f + i][1] = turned[3 * f + i][0] = b;
        }
    }
    qsort(edges, (size_t)n, sizeof *edges, compare_pairs);
    qsort(turned, (size_t)n, sizeof *turned, compare_pairs);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += edges[i][0] != turned[i][0] || edges[i][1] != turned[i][1];
        wrong += i > 0 && edges[i][0] == edges[i - 1][0] && edges[i][1] == edges[i - 1][1];
    }
    free(edges);
    free(turned);
    assert_int_equal(wrong, 0);
    return n / 2;
}

// Passes the check; its surface is a closed outward sphere-like one whose enclosed volume is the tetrahedra's.
static void check_mesh(const char *name, const tn_mesh *mesh, double least_quality)
{
    tn_error error = {0};
    expect_ok(tn_mesh_check(mesh, &error), &error);
    tn_arena *arena = tn_arena_create(0);
    tn_mesh_surface skin;
    expect_ok(tn_mesh_get_surface(mesh, arena, &skin, &error), &error);
    double area[3] = {0}, total = 0.0, enclosed = 0.0;
    for (int f = 0; f < skin.n_faces; f++) {
        const double *x[3];
        double e1[3], e2[3], normal[3];
        for (int i = 0; i < 3; i++) {
            x[i] = mesh->nodes + 3 * skin.faces[3 * f + i];
        }
        tn_vec3_sub(e1, x[1], x[0]);
        tn_vec3_sub(e2, x[2], x[0]);
        tn_vec3_cross(normal, e1, e2);
        tn_vec3_madd(area, area, 0.5, normal);
        total += 0.5 * tn_vec3_norm(normal);
        enclosed += tn_vec3_dot(normal, x[0]) / 6.0; // divergence theorem
    }
    double open = tn_vec3_norm(area) / total;
    double volume = tn_mesh_volume(mesh);
    double off = fabs(enclosed / volume - 1.0);
    int euler = skin.n_vertices - check_edges(&skin) + skin.n_faces;
    double quality = tn_mesh_quality(mesh);
    printf("%s: %d nodes, %d tetrahedra, quality %.3f (least %.3f), open area %.1e, volume by surface off %.1e (limits "
           "1e-12: rounding), Euler characteristic %d\n",
           name, mesh->n_nodes, mesh->n_tets, quality, least_quality, open, off, euler);
    assert_true(open < 1e-12 && off < 1e-12);
    assert_int_equal(euler, 2);
    assert_true(quality >= least_quality);
    tn_arena_destroy(arena);
}

// Kuhn's tetrahedra of a cube: 6 sqrt 2 / 6 over the root mean square edge sqrt(10/6) cubed.
static void grid(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_mesh mesh;
    tn_error error = {0};
    expect_ok(tn_mesh_grid((double[3]){0.4, 0.4, 0.01}, (int[3]){26, 26, 1}, arena, &mesh, &error), &error);
    assert_int_equal(mesh.n_nodes, 1458);
    assert_int_equal(mesh.n_tets, 4056);
    check_mesh("mat", &mesh, 0.5);
    assert_true(fabs(tn_mesh_volume(&mesh) / 0.0016 - 1.0) < 1e-12);
    expect_ok(tn_mesh_grid((double[3]){3, 4, 5}, (int[3]){3, 4, 5}, arena, &mesh, &error), &error);
    check_mesh("cubes", &mesh, sqrt(2.0) / pow(10.0 / 6.0, 1.5) * (1.0 - 1e-12));
    // x runs fastest; symmetric to the last bit
    assert_true(mesh.nodes[0] == -1.5 && mesh.nodes[3] == -0.5 && mesh.nodes[4] == -2.0 && mesh.nodes[5] == -2.5);
    for (int i = 0; i < 3 * mesh.n_nodes; i++) {
        assert_true(mesh.nodes[i] == -mesh.nodes[3 * (mesh.n_nodes - 1 - i / 3) + i % 3]);
    }
    tn_arena_destroy(arena);
}

static double order_of(double coarse, double fine)
{
    return log2(coarse / fine);
}

static void ball(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    double off[3];
    for (int i = 0; i < 3; i++) {
        tn_mesh mesh;
        tn_error error = {0};
        expect_ok(tn_mesh_ball(0.05, 4 << i, arena, &mesh, &error), &error);
        // A regular tetrahedron has quality 1, the grid's 0.657; the octahedra's parts are the worst here.
        check_mesh("ball", &mesh, 0.65);
        off[i] = 1.0 - tn_mesh_volume(&mesh) / (4.0 / 3.0 * PI * 0.05 * 0.05 * 0.05);
    }
    tn_mesh mesh;
    tn_error error = {0};
    expect_ok(tn_mesh_ball(0.05, 7, arena, &mesh, &error), &error);
    check_mesh("ball of the paper's size", &mesh, 0.65);
    assert_int_equal(mesh.n_nodes, 1415);
    assert_int_equal(mesh.n_tets, 6860);
    double order = order_of(off[1], off[2]);
    printf("volume below the ball's by %.2e, %.2e, %.2e: order %.3f (2: chords of a sphere; limit 0.05)\n", off[0],
           off[1], off[2], order);
    assert_true(off[2] > 0.0 && fabs(order - 2.0) < 0.05);
    for (int i = 1; i < mesh.n_nodes; i++) {
        assert_true(tn_vec3_norm(mesh.nodes + 3 * i) < 0.05 * (1.0 + 1e-15 * 4));
    }
    tn_arena_destroy(arena);
}

static void cylinder(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    double off[3];
    for (int i = 0; i < 3; i++) {
        tn_mesh mesh;
        tn_error error = {0};
        expect_ok(tn_mesh_cylinder(0.02, 0.08, 4 << i, 8 << i, arena, &mesh, &error), &error);
        check_mesh("cylinder", &mesh, 0.5);
        off[i] = 1.0 - tn_mesh_volume(&mesh) / (PI * 0.02 * 0.02 * 0.08);
    }
    double order = order_of(off[1], off[2]);
    printf("volume below the cylinder's by %.2e, %.2e, %.2e: order %.3f (2: chords of a circle; limit 0.05)\n", off[0],
           off[1], off[2], order);
    assert_true(off[2] > 0.0 && fabs(order - 2.0) < 0.05);
    tn_mesh mesh;
    tn_error error = {0};
    expect_ok(tn_mesh_cylinder(0.02, 0.02, 1, 1, arena, &mesh, &error), &error);
    check_mesh("smallest cylinder", &mesh, 0.3);
    tn_arena_destroy(arena);
}

static void finger(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int notches = 0; notches <= 5; notches += 5) {
        tn_mesh_finger_options options = {.length = 0.11,
                                          .width = 0.03,
                                          .thickness_root = 0.026,
                                          .thickness_tip = 0.016,
                                          .notches = notches,
                                          .notch_depth = 0.5,
                                          .divisions = {6, 8, notches ? 6 : 38}};
        tn_mesh mesh;
        tn_error error = {0};
        expect_ok(tn_mesh_finger(&options, arena, &mesh, &error), &error);
        check_mesh("finger", &mesh, 0.4);
        // Full: length times width times mean thickness, and half the ridges' 4 %. Notches take half the thickness of a
        // third of what is between: of the whole, 0.5 (5/3) / (6 + 5/3), with the thickness that they have. The raised
        // lines are not everywhere: 1 % is left for them.
        double full = 0.11 * 0.03 * 0.021 * 1.02;
        double volume = full - (notches ? 0.5 * full * (5.0 / 3.0) / (6.0 + 5.0 / 3.0) : 0.0);
        double off = tn_mesh_volume(&mesh) / volume - 1.0;
        printf("volume off by %.2e (limit 1e-2)\n", off);
        assert_true(fabs(off) < 1e-2);
        double low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
        for (int i = 0; i < 3 * mesh.n_nodes; i++) {
            low[i % 3] = fmin(low[i % 3], mesh.nodes[i]);
            high[i % 3] = fmax(high[i % 3], mesh.nodes[i]);
        }
        assert_true(low[0] == 0.0 && low[1] == -0.015 && high[1] == 0.015 && low[2] == 0.0 && high[2] == 0.11);
        assert_true(high[0] >= 0.026 && high[0] < 0.026 * 1.04);
    }
    tn_arena_destroy(arena);
}

// A million tetrahedra: about a second for surface and check is what the readers' callers can wait for.
static void large(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_mesh mesh;
    tn_mesh_surface skin;
    tn_error error = {0};
    expect_ok(tn_mesh_grid((double[3]){1, 1, 1}, (int[3]){55, 55, 55}, arena, &mesh, &error), &error);
    assert_true(mesh.n_tets > 990 * 1000);
    expect_ok(tn_mesh_get_surface(&mesh, arena, &skin, &error), &error);
    assert_int_equal(skin.n_faces, 12 * 55 * 55);
    tn_arena_destroy(arena);
}

static void sizes_out_of_range(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_mesh mesh;
    tn_error error = {0};
    const tn_mesh_finger_options good = {0.1, 0.02, 0.02, 0.02, 2, 0.5, {2, 2, 2}};
    tn_mesh_finger_options bad = good;
    assert_int_equal(tn_mesh_finger(&good, arena, &mesh, &error), TN_OK);
    bad.length = (double)NAN;
    assert_int_equal(tn_mesh_finger(&bad, arena, &mesh, &error), TN_BAD_INPUT);
    bad = good;
    bad.divisions[0] = 1;
    assert_int_equal(tn_mesh_finger(&bad, arena, &mesh, &error), TN_BAD_INPUT);
    bad = good;
    bad.notch_depth = 0.9;
    assert_int_equal(tn_mesh_finger(&bad, arena, &mesh, &error), TN_BAD_INPUT);
    bad = good;
    bad.divisions[1] = bad.divisions[2] = 100000;
    assert_int_equal(tn_mesh_finger(&bad, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_grid((double[3]){1, 0, 1}, (int[3]){1, 1, 1}, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_grid((double[3]){1, 1, 1}, (int[3]){1, 0, 1}, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_grid((double[3]){1, 1, 1}, (int[3]){100000, 100000, 100000}, arena, &mesh, &error),
                     TN_BAD_INPUT);
    assert_int_equal(tn_mesh_ball(0.0, 3, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_ball(1.0, 0, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_ball(1.0, 100000, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_cylinder(1.0, -1.0, 1, 1, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_cylinder(1.0, 1.0, 0, 1, arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_cylinder(1.0, 1.0, 100000, 100000, arena, &mesh, NULL), TN_BAD_INPUT);
    tn_arena_destroy(arena);
}

static tn_status make_all(tn_arena *arena, tn_error *error)
{
    const tn_mesh_finger_options options = {0.1, 0.02, 0.02, 0.02, 2, 0.5, {2, 2, 2}};
    tn_mesh mesh;
    tn_mesh_surface skin;
    tn_status status = tn_mesh_grid((double[3]){1, 1, 1}, (int[3]){9, 9, 9}, arena, &mesh, error);
    status = status == TN_OK ? tn_mesh_cylinder(1.0, 1.0, 9, 9, arena, &mesh, error) : status;
    status = status == TN_OK ? tn_mesh_finger(&options, arena, &mesh, error) : status;
    status = status == TN_OK ? tn_mesh_ball(1.0, 4, arena, &mesh, error) : status;
    status = status == TN_OK ? tn_mesh_check(&mesh, error) : status;
    return status == TN_OK ? tn_mesh_get_surface(&mesh, arena, &skin, error) : status;
}

static void every_request_may_fail(void **state)
{
    int failed = 0;
    int requests = 0;
    for (bool all = false; !all; requests++) {
        tn_arena *arena = tn_arena_create(0);
        tn_error error = {0};
        long before = tn_memory_count();
        tn_memory_fail_after(requests);
        tn_status status = make_all(arena, &error);
        tn_memory_fail_after(-1);
        all = tn_memory_count() - before <= requests;
        assert_true(status == TN_OK || (status == TN_NO_MEMORY && error.message[0]));
        assert_true(status == TN_OK || !all);
        failed += status == TN_NO_MEMORY;
        tn_arena_destroy(arena);
    }
    printf("%d requests failed in turn, %d of them gave TN_NO_MEMORY\n", requests - 1, failed);
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid),
        cmocka_unit_test(ball),
        cmocka_unit_test(cylinder),
        cmocka_unit_test(finger),
        cmocka_unit_test(large),
        cmocka_unit_test(sizes_out_of_range),
        cmocka_unit_test(every_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
