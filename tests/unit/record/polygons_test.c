// Surface meshes: closed, outward, and of the volume and extent that geometry demands.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/polygons.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static tn_polygons build(const tn_shape *shape)
{
    tn_polygons size, mesh;
    const tn_recorded_shape recorded = {.shape = *shape};
    tn_polygons_size(&recorded, &size);
    mesh.points = calloc(3 * (size_t)size.n_points + 1, sizeof(double));
    mesh.index = calloc((size_t)size.n_indices + 1, sizeof(int));
    mesh.offset = calloc((size_t)size.n_polygons + 1, sizeof(int));
    assert_true(mesh.points && mesh.index && mesh.offset);
    tn_polygons_fill(&recorded, 7.0, 0.01, &mesh);
    assert_int_equal(mesh.n_points, size.n_points);
    assert_int_equal(mesh.n_polygons, size.n_polygons);
    assert_int_equal(mesh.n_indices, size.n_indices);
    return mesh;
}

static void drop(tn_polygons *mesh)
{
    free(mesh->points);
    free(mesh->index);
    free(mesh->offset);
}

// Each edge is used once in each direction: the surface is closed and oriented.
static void assert_closed(const tn_polygons *mesh)
{
    size_t n = (size_t)mesh->n_points;
    int *used = calloc(n * n, sizeof *used);
    assert_non_null(used);
    for (int p = 0, first = 0; p < mesh->n_polygons; first = mesh->offset[p++]) {
        int count = mesh->offset[p] - first;
        for (int k = 0; k < count; k++) {
            used[(size_t)mesh->index[first + k] * n + (size_t)mesh->index[first + (k + 1) % count]]++;
        }
    }
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            assert_true(used[a * n + b] <= 1 && used[a * n + b] == used[b * n + a]);
        }
    }
    free(used);
}

// By the divergence theorem, polygons as fans; positive when they face outwards.
static double volume(const tn_polygons *mesh)
{
    double six_volumes = 0.0;
    for (int p = 0, first = 0; p < mesh->n_polygons; first = mesh->offset[p++]) {
        const double *a = mesh->points + 3 * mesh->index[first];
        for (int k = first + 1; k + 1 < mesh->offset[p]; k++) {
            const double *b = mesh->points + 3 * mesh->index[k], *c = mesh->points + 3 * mesh->index[k + 1];
            six_volumes += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    }
    return six_volumes / 6.0;
}

static void check_volume(const char *what, const tn_shape *shape, double exact, double share)
{
    tn_polygons mesh = build(shape);
    assert_closed(&mesh);
    double got = volume(&mesh) / exact;
    print_message("%s: volume %.4f of the exact one, limits %.2f and 1\n", what, got, share);
    assert_true(got > share && got <= 1.0 + 1e-12);
    drop(&mesh);
}

// An inscribed polyhedron has less volume; 24 by 8 facets lose 4 to 5 %.
static void test_volumes(void **context)
{
    check_volume("box", &(tn_shape){.kind = TN_SHAPE_BOX, .size = {1, 2, 3}}, 48.0, 1.0 - 1e-12);
    check_volume("sphere", &(tn_shape){.kind = TN_SHAPE_SPHERE, .size = {2}}, 32.0 / 3.0 * PI, 0.93);
    check_volume("capsule", &(tn_shape){.kind = TN_SHAPE_CAPSULE, .size = {0.5, 2}}, (0.5 / 3.0 + 1.0) * PI, 0.95);
    check_volume("cylinder", &(tn_shape){.kind = TN_SHAPE_CYLINDER, .size = {0.5, 2}}, PI, 0.98);
    check_volume("cone", &(tn_shape){.kind = TN_SHAPE_CONE, .size = {0.5, 1.5, 0.0}}, 0.25 * PI, 0.98);
    check_volume("cut cone", &(tn_shape){.kind = TN_SHAPE_CONE, .size = {0.5, 1.5, 1.0}}, 1.75 * PI, 0.98);
    check_volume("ellipsoid", &(tn_shape){.kind = TN_SHAPE_ELLIPSOID, .size = {0.5, 1, 2}}, 4.0 / 3.0 * PI, 0.93);
}

// Half the least width thick, round corners included.
static void test_prisms(void **context)
{
    const double square[12] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1}, line[6] = {-1, 0, 0, 1, 0, 0};
    check_volume("disk", &(tn_shape){.kind = TN_SHAPE_DISK, .size = {2}}, 4.0 * PI, 0.99);
    check_volume("ellipse", &(tn_shape){.kind = TN_SHAPE_ELLIPSE, .size = {2, 1}}, PI, 0.99);
    check_volume("polygon", &(tn_shape){.kind = TN_SHAPE_POLYGON, .n_points = 4, .points = square}, 2.0, 1.0 - 1e-12);
    check_volume("round polygon", &(tn_shape){.kind = TN_SHAPE_POLYGON, .size = {1}, .n_points = 4, .points = square},
                 12.0 + PI, 0.99);
    check_volume("segment", &(tn_shape){.kind = TN_SHAPE_POLYGON, .size = {0.5}, .n_points = 2, .points = line},
                 0.25 * (2.0 + 0.25 * PI), 0.98);
}

// Three marks: octahedra of the points' radius, or of the mark where they have none; 4/3 r^3 each.
static void test_points(void **context)
{
    const double points[9] = {0, 0, 0, 1, 0, 0, 0, 5, 0};
    check_volume("points", &(tn_shape){.kind = TN_SHAPE_POINTS, .n_points = 3, .points = points}, 3 * 4.0 / 3.0 * 1e-6,
                 1.0 - 1e-9);
    check_volume("points with radius",
                 &(tn_shape){.kind = TN_SHAPE_POINTS, .size = {0.2}, .n_points = 3, .points = points},
                 3 * 4.0 / 3.0 * 8e-3, 1.0 - 1e-9);
}

static void test_plane(void **context)
{
    tn_polygons mesh = build(&(tn_shape){.kind = TN_SHAPE_PLANE});
    assert_int_equal(mesh.n_polygons, 1);
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(mesh.points[3 * k]) == 7.0 && fabs(mesh.points[3 * k + 1]) == 7.0 &&
                    mesh.points[3 * k + 2] == 0.0);
    }
    drop(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
