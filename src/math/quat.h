// Unit quaternions (w, x, y, z); rotate body axes to world axes.
#pragma once

#include "math/vec3.h"

void tn_quat_identity(double out[4]);
void tn_quat_mul(double out[4], const double a[4],
                 const double b[4]); // a then seen from: R(a b) = R(a) R(b); out may alias
void tn_quat_conjugate(double out[4], const double a[4]);
void tn_quat_from_mat3(double out[4], const double r[9]);
void tn_quat_from_axis_angle(double out[4], const double axis[3],
                             double angle);                       // axis need not be unit; zero axis: identity
void tn_quat_exp(double out[4], const double rotation_vector[3]); // rotation vector [rad] to quaternion
void tn_quat_log(double out[3], const double q[4]);               // shortest rotation vector [rad]
void tn_quat_normalize(double q[4]);

// Of a rotation vector of the squared length `square`: sin(p/2)/p and cos(p/2), p its length.
static inline void tn_quat_halves(double square, double *sine, double *cosine)
{
    double y = 0.25 * square;
    if (y < 1e-2) { // Taylor, to rounding
        const double by6 = 1.0 / 6.0, by20 = 1.0 / 20.0, by42 = 1.0 / 42.0, by72 = 1.0 / 72.0;
        const double by12 = 1.0 / 12.0, by30 = 1.0 / 30.0, by56 = 1.0 / 56.0;
        *sine = 0.5 * (1.0 - by6 * y * (1.0 - by20 * y * (1.0 - by42 * y * (1.0 - by72 * y))));
        *cosine = 1.0 - 0.5 * y * (1.0 - by12 * y * (1.0 - by30 * y * (1.0 - by56 * y)));
    } else {
        double angle = sqrt(square);
        *sine = sin(0.5 * angle) / angle;
        *cosine = cos(0.5 * angle);
    }
}

// What q's vector is to be multiplied by to be its shortest rotation vector.
static inline double tn_quat_log_scale(const double q[4])
{
    // q and -q are the same rotation; w >= 0 is the one with the angle up to pi.
    double w = fabs(q[0]), sign = q[0] < 0.0 ? -1.0 : 1.0;
    double square = tn_vec3_dot(q + 1, q + 1), y = square / (w * w);
    if (y < 2e-3) { // Taylor of atan, to rounding
        return sign *
               (2.0 / w *
                (1.0 - y * (1.0 / 3.0 - y * (1.0 / 5.0 - y * (1.0 / 7.0 - y * (1.0 / 9.0 - y * (1.0 / 11.0)))))));
    }
    double s = sqrt(square);
    return sign * (2.0 * atan2(s, w) / s);
}

// x + 2 w (v cross x) + 2 v cross (v cross x): R(q) x for q = (w, v); out may alias x. Inline for the innermost loops.
static inline void tn_quat_rotate_by(double out[3], double w, const double v[3], const double x[3])
{
    double c[3], d[3];
    tn_vec3_cross(c, v, x);
    tn_vec3_scale(c, 2.0, c);
    tn_vec3_cross(d, v, c);
    tn_vec3_set(out, x[0] + w * c[0] + d[0], x[1] + w * c[1] + d[1], x[2] + w * c[2] + d[2]);
}

// R(q) x; out may alias x
static inline void tn_quat_rotate(double out[3], const double q[4], const double x[3])
{
    tn_quat_rotate_by(out, q[0], q + 1, x);
}

// R(q)^T x; out may alias x. -w, v is the conjugate up to the sign, which does not matter.
static inline void tn_quat_rotate_inverse(double out[3], const double q[4], const double x[3])
{
    tn_quat_rotate_by(out, -q[0], q + 1, x);
}

static inline void tn_quat_to_mat3(double out[9], const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    tn_vec3_set(out, 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y));
    tn_vec3_set(out + 3, 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x));
    tn_vec3_set(out + 6, 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y));
}
