#include "math/quat.h"

static void set(double out[4], double w, double x, double y, double z)
{
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

void tn_quat_identity(double out[4])
{
    set(out, 1.0, 0.0, 0.0, 0.0);
}

void tn_quat_mul(double out[4], const double a[4], const double b[4])
{
    set(out, a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2], a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]);
}

void tn_quat_conjugate(double out[4], const double a[4])
{
    set(out, a[0], -a[1], -a[2], -a[3]);
}

void tn_quat_from_mat3(double out[4], const double r[9])
{
    // Shepperd (1978): divide by the largest of the four components, which is at least 1/2.
    double t = r[0] + r[4] + r[8];
    if (t >= r[0] && t >= r[4] && t >= r[8]) {
        set(out, 1.0 + t, r[7] - r[5], r[2] - r[6], r[3] - r[1]);
    } else if (r[0] >= r[4] && r[0] >= r[8]) {
        set(out, r[7] - r[5], 1.0 + 2.0 * r[0] - t, r[1] + r[3], r[2] + r[6]);
    } else if (r[4] >= r[8]) {
        set(out, r[2] - r[6], r[1] + r[3], 1.0 + 2.0 * r[4] - t, r[5] + r[7]);
    } else {
        set(out, r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 + 2.0 * r[8] - t);
    }
    tn_quat_normalize(out);
}

void tn_quat_from_axis_angle(double out[4], const double axis[3], double angle)
{
    double length = tn_vec3_norm(axis);
    if (length == 0.0) {
        tn_quat_identity(out);
        return;
    }
    double s = sin(0.5 * angle) / length;
    set(out, cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]);
}

void tn_quat_exp(double out[4], const double rotation_vector[3])
{
    double s, c;
    tn_quat_halves(tn_vec3_dot(rotation_vector, rotation_vector), &s, &c);
    set(out, c, s * rotation_vector[0], s * rotation_vector[1], s * rotation_vector[2]);
}

void tn_quat_log(double out[3], const double q[4])
{
    tn_vec3_scale(out, tn_quat_log_scale(q), q + 1);
}

void tn_quat_normalize(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (length == 0.0) {
        tn_quat_identity(q);
        return;
    }
    set(q, q[0] / length, q[1] / length, q[2] / length, q[3] / length);
}
