// Vectors of three as plain arrays: double[3]. Output last argument first in name order is avoided: out comes first.
#pragma once

#include <math.h>

static inline void tn_vec3_set(double out[3], double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void tn_vec3_copy(double out[3], const double a[3])
{
    tn_vec3_set(out, a[0], a[1], a[2]);
}

static inline void tn_vec3_add(double out[3], const double a[3], const double b[3])
{
    tn_vec3_set(out, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}

static inline void tn_vec3_sub(double out[3], const double a[3], const double b[3])
{
    tn_vec3_set(out, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

static inline void tn_vec3_scale(double out[3], double s, const double a[3])
{
    tn_vec3_set(out, s * a[0], s * a[1], s * a[2]);
}

// out = a + s b
static inline void tn_vec3_madd(double out[3], const double a[3], double s, const double b[3])
{
    tn_vec3_set(out, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}

static inline double tn_vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tn_vec3_cross(double out[3], const double a[3], const double b[3])
{
    tn_vec3_set(out, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

static inline double tn_vec3_norm(const double a[3])
{
    return sqrt(tn_vec3_dot(a, a));
}
