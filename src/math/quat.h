// Unit quaternions (w, x, y, z); rotate body axes to world axes.
#pragma once

void tn_quat_identity(double out[4]);
void tn_quat_mul(double out[4], const double a[4],
                 const double b[4]); // a then seen from: R(a b) = R(a) R(b); out may alias
void tn_quat_conjugate(double out[4], const double a[4]);
void tn_quat_rotate(double out[3], const double q[4], const double x[3]);         // R(q) x; out may alias x
void tn_quat_rotate_inverse(double out[3], const double q[4], const double x[3]); // R(q)^T x
void tn_quat_to_mat3(double out[9], const double q[4]);
void tn_quat_from_mat3(double out[4], const double r[9]);
void tn_quat_from_axis_angle(double out[4], const double axis[3],
                             double angle);                       // axis need not be unit; zero axis: identity
void tn_quat_exp(double out[4], const double rotation_vector[3]); // rotation vector [rad] to quaternion
void tn_quat_log(double out[3], const double q[4]);               // shortest rotation vector [rad]
void tn_quat_normalize(double q[4]);
