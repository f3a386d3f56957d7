// The surfaces of hulls and height fields as recordings keep them: closed or not, of the right volume, read back whole.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/polygons.h"
#include "recorded.h"

static const char scene_text[] = "bodies:\n"
                                 "  hill: {fixed: true, shape: {heights: {size: [2, 2], points: [4, 5], z: x*y}}}\n"
                                 "  egg: {shape: {ellipsoid: [0.1, 0.2, 0.3]}}\n"
                                 "  log: {shape: {cylinder: {radius: 0.1, length: 0.4}}}\n"
                                 "  box: {shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 2, 0], [1, 2, 0],\n"
                                 "                                [0, 0, 3], [1, 0, 3], [0, 2, 3], [1, 2, 3]]}},\n"
                                 "        array: {count: [3, 1, 1], spacing: [4, 0, 0]}}\n";

static tn_recording *record(const char *path)
{
    scenario s = scenario_open(scene_text);
    recorded_steps(&s, path, 0);
    scenario_close(&s);
    return recorded_read(path);
}

// By the divergence theorem; of a height field what is above z = 0.
static double volume(const tn_recorded_shape *shape)
{
    double six = 0.0;
    for (int f = 0; f < shape->n_triangles; f++) {
        const double *x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = shape->shape.points + 3 * shape->triangles[3 * f + k];
        }
        const double *a = x[0], *b = x[1], *c = x[2];
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return six / 6.0;
}

static void surfaces_come_back(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "shapes_test_%d.h5", (int)getpid());
    tn_recording *r = record(path);
    static const tn_shape_kind kinds[4] = {TN_SHAPE_HEIGHTS, TN_SHAPE_ELLIPSOID, TN_SHAPE_CYLINDER, TN_SHAPE_HULL};
    assert_int_equal(r->n_shapes, 6);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(r->shapes[k].shape.kind, kinds[k]);
        assert_int_equal(r->shapes[k].body, k + 1);
    }
    const tn_recorded_shape *hill = &r->shapes[0], *box = &r->shapes[3];
    assert_int_equal(hill->shape.n_points, 20);
    assert_int_equal(hill->n_triangles, 24);
    for (int k = 0; k < 20; k++) {
        const double *x = hill->shape.points + 3 * k;
        assert_true(x[2] == x[0] * x[1] && fabs(x[0]) <= 1.0 && fabs(x[1]) <= 1.0);
    }
    assert_int_equal(box->shape.n_points, 8);
    assert_int_equal(box->n_triangles, 12);
    print_message("volume of the hull %.15g, wanted 6; egg %g %g %g\n", volume(box), r->shapes[1].shape.size[0],
                  r->shapes[1].shape.size[1], r->shapes[1].shape.size[2]);
    assert_true(fabs(volume(box) - 6.0) < 1e-13);
    assert_true(r->shapes[1].shape.size[2] == 0.3 && r->shapes[2].shape.size[1] == 0.2);
    tn_polygons size;
    tn_polygons_size(box, &size);
    assert_true(size.n_points == 8 && size.n_polygons == 12 && size.n_indices == 36);
    for (int k = 4; k < 6; k++) { // copies share
        assert_true(r->shapes[k].shape.points == box->shape.points && r->shapes[k].triangles == box->triangles);
        assert_true(r->shapes[k].shape.n_points == 8 && r->shapes[k].n_triangles == 12);
    }
    tn_recording_close(r);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(surfaces_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
