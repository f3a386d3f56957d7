#include "solver/ipm/interior_cone.h"

#include "math/mat3.h"

#include <float.h>
#include <math.h>

// x_0^2 - |x_t|^2, positive for every x that rounding has left inside or on the cone.
static double determinant(const double x[3])
{
    double t = sqrt(x[1] * x[1] + x[2] * x[2]);
    return fmax((x[0] - t) * (x[0] + t), DBL_MIN + DBL_EPSILON * x[0] * x[0]);
}

void tn_interior_product(const double a[3], const double b[3], double out[3])
{
    out[0] = tn_vec3_dot(a, b);
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
}

void tn_interior_divide(const double l[3], const double b[3], double out[3])
{
    out[0] = (l[0] * b[0] - l[1] * b[1] - l[2] * b[2]) / determinant(l);
    out[1] = (b[1] - out[0] * l[1]) / l[0];
    out[2] = (b[2] - out[0] * l[2]) / l[0];
}

void tn_interior_scaling(const double x[3], const double y[3], double W[9], double l[3])
{
    double size_x = sqrt(determinant(x)), size_y = sqrt(determinant(y)), size = sqrt(size_x / size_y);
    double a[3], b[3];
    tn_vec3_scale(a, 1.0 / size_x, x);
    tn_vec3_scale(b, 1.0 / size_y, y);
    double half = 2.0 * sqrt(0.5 * (1.0 + tn_vec3_dot(a, b)));
    double w[3] = {(a[0] + b[0]) / half, (a[1] - b[1]) / half, (a[2] - b[2]) / half};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            W[3 * i + j] = size * (i == 0 ? w[j] : (j == 0 ? w[i] : (i == j) + w[i] * w[j] / (1.0 + w[0])));
        }
    }
    tn_mat3_vec(l, W, y);
}
