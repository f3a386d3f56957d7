// Contacts with a plane and distances to an ellipsoid against closed forms, at skew poses.
#include "shape/class.h"
#include "shape/shape.h"

#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static void random_pose(int k, tn_pose *out)
{
    double axis[3];
    for (int i = 0; i < 3; i++) {
        out->position[i] = tn_random_normal(1, 0, 3 * (uint64_t)k + (uint64_t)i);
        axis[i] = tn_random_normal(1, 1, 3 * (uint64_t)k + (uint64_t)i);
    }
    tn_quat_from_axis_angle(out->quaternion, axis, 3.0 * tn_random_uniform(1, 2, (uint64_t)k));
}

static double height(const tn_pose *plane, const double x[3])
{
    double normal[3], up[3] = {0, 0, 1}, d[3];
    tn_quat_rotate(normal, plane->quaternion, up);
    tn_vec3_sub(d, x, plane->position);
    return tn_vec3_dot(normal, d);
}

// n points of b's frame as balls of the radius: those within the margin of the plane, and no others, are contacts, with
// their gap, midway. Returns how many.
static int check_points(const tn_shape *shape, const tn_pose *pose, const tn_pose *plane, double margin, int n,
                        double (*local)[3], double radius)
{
    const tn_shape half_space = {.kind = TN_SHAPE_PLANE};
    tn_contact_point points[TN_MANIFOLD_MAX];
    int found = tn_shape_contact(&half_space, plane, shape, pose, margin, points), wanted = 0;
    for (int i = 0; i < n; i++) {
        double x[3], up[3] = {0, 0, 1}, normal[3], middle[3];
        tn_quat_rotate(x, pose->quaternion, local[i]);
        tn_vec3_add(x, x, pose->position);
        tn_quat_rotate(normal, plane->quaternion, up);
        double gap = height(plane, x) - radius, nearest = INFINITY;
        if (gap > margin) {
            continue;
        }
        wanted++;
        tn_vec3_madd(middle, x, -radius - 0.5 * gap, normal);
        for (int k = 0; k < found; k++) {
            double d[3], turned[3];
            tn_vec3_sub(d, points[k].point, middle);
            tn_vec3_sub(turned, points[k].normal, normal);
            nearest = fmin(nearest, tn_vec3_norm(d) + fabs(points[k].gap - gap) + tn_vec3_norm(turned));
        }
        assert_true(nearest < 1e-13);
    }
    assert_int_equal(found, wanted);
    return found;
}

// Boxes and capsules, long and short, cut through by planes at all angles.
static void corners_on_planes(void **unused)
{
    const tn_shape box = {.kind = TN_SHAPE_BOX, .size = {0.3, 0.5, 0.2}};
    int boxes = 0, capsules = 0;
    for (int k = 0; k < 2000; k++) {
        tn_pose plane, pose;
        double corner[8][3], margin = 0.3 * (k % 4);
        random_pose(2 * k, &plane);
        random_pose(2 * k + 1, &pose);
        tn_vec3_scale(pose.position, 0.3, pose.position);
        tn_vec3_add(pose.position, pose.position, plane.position);
        for (int v = 0; v < 8; v++) {
            tn_vec3_set(corner[v], v & 1 ? 0.3 : -0.3, v & 2 ? 0.5 : -0.5, v & 4 ? 0.2 : -0.2);
        }
        boxes += check_points(&box, &pose, &plane, margin, 8, corner, 0.0);
        double l = k % 2 ? 0.05 : 0.6, end[2][3] = {{0, 0, -l}, {0, 0, l}};
        const tn_shape capsule = {.kind = TN_SHAPE_CAPSULE, .size = {0.1, l}};
        capsules += check_points(&capsule, &pose, &plane, margin, 2, end, 0.1);
    }
    printf("%d corners, %d ends\n", boxes, capsules);
    assert_true(boxes > 5000 && capsules > 1000);
}

// From a point of the surface along its normal, grad of sum (x_i/e_i)^2, outwards and a little inwards: the distance is
// the way, the normal that one.
static void distance_to_ellipsoids(void **unused)
{
    double worst = 0.0;
    for (int k = 0; k < 3000; k++) {
        const double e[3] = {0.2 + 0.3 * (k % 3), 0.5, 0.9 - 0.2 * (k % 4)};
        const tn_shape shape = {.kind = TN_SHAPE_ELLIPSOID, .size = {e[0], e[1], e[2]}};
        tn_pose pose;
        tn_placed placed;
        double u[3], x[3], n[3], got[3];
        random_pose(k, &pose);
        for (int i = 0; i < 3; i++) {
            u[i] = tn_random_normal(2, 0, 3 * (uint64_t)k + (uint64_t)i);
        }
        tn_vec3_scale(u, 1.0 / tn_vec3_norm(u), u);
        for (int i = 0; i < 3; i++) {
            x[i] = e[i] * u[i];
            n[i] = u[i] / e[i];
        }
        tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
        double way = k % 2 ? 2.0 * tn_random_uniform(2, 1, (uint64_t)k) : -0.02;
        tn_vec3_madd(x, x, way, n);
        tn_quat_rotate(x, pose.quaternion, x);
        tn_vec3_add(x, x, pose.position);
        tn_quat_rotate(n, pose.quaternion, n);
        assert_true(tn_placed_set(&placed, &shape, &pose));
        double distance = tn_shape_class_ellipsoid.distance(&placed, x, got);
        tn_vec3_sub(got, got, n);
        worst = fmax(worst, fabs(distance - way) + tn_vec3_norm(got));
    }
    printf("distance and normal off by %.2e, limit 1e-12\n", worst);
    assert_true(worst < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corners_on_planes), cmocka_unit_test(distance_to_ellipsoids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
