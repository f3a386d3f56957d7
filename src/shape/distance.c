// Signed distance of a point to a shape of any kind.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/class.h"

// The nearest of the balls, the first on a tie.
static double distance_to_balls(const tn_placed *placed, const double x[3], double normal[3])
{
    const tn_shape *shape = placed->shape;
    double d[3], local[3], best[3] = {0}, square = INFINITY;
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    for (int p = 0; p < shape->n_points; ++p) {
        tn_vec3_sub(d, local, shape->points + 3 * p);
        if (tn_vec3_dot(d, d) < square) {
            square = tn_vec3_dot(d, d);
            tn_vec3_copy(best, d);
        }
    }
    double length = sqrt(square);
    if (!(length < INFINITY)) {
        tn_vec3_set(normal, 0.0, 0.0, 0.0);
        return INFINITY;
    }
    if (length > 0.0) {
        tn_vec3_set(best, best[0] / length, best[1] / length, best[2] / length);
        tn_mat3_vec(normal, placed->rotation, best);
    } else { // at a centre every direction is as good
        tn_vec3_set(normal, 0.0, 0.0, 1.0);
    }
    return length - shape->size[0];
}

double tn_placed_distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const tn_shape_class *kind = tn_class_of(placed->shape);
    return kind->distance ? kind->distance(placed, x, normal) : distance_to_balls(placed, x, normal);
}

double tn_shape_distance(const tn_shape *shape, const tn_pose *pose, const double x[3], double normal[3],
                         double nearest[3])
{
    tn_placed placed;
    double distance = INFINITY;
    tn_vec3_set(normal, 0.0, 0.0, 0.0);
    tn_vec3_set(nearest, 0.0, 0.0, 0.0);
    if (tn_placed_set(&placed, shape, pose)) {
        distance = tn_placed_distance(&placed, x, normal);
    }
    if (distance < INFINITY) {
        tn_vec3_madd(nearest, x, -distance, normal);
    }
    return distance;
}
