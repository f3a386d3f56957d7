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
