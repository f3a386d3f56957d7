// 3x3 matrices as double[9], row-major. out may not alias an input unless said.
#pragma once

#include "math/vec3.h"

#include <stdbool.h>

// The small ones are inline: they sit in the innermost loops of every room.

// a x
static inline void tn_mat3_vec(double out[3], const double a[9], const double x[3])
{
    tn_vec3_set(out, tn_vec3_dot(a, x), tn_vec3_dot(a + 3, x), tn_vec3_dot(a + 6, x));
}

// a^T x
static inline void tn_mat3_tvec(double out[3], const double a[9], const double x[3])
{
    tn_vec3_set(out, a[0] * x[0] + a[3] * x[1] + a[6] * x[2], a[1] * x[0] + a[4] * x[1] + a[7] * x[2],
                a[2] * x[0] + a[5] * x[1] + a[8] * x[2]);
}

// out += a x
static inline void tn_mat3_add_vec(double out[3], const double a[9], const double x[3])
{
    double y[3];
    tn_mat3_vec(y, a, x);
    tn_vec3_add(out, out, y);
}

// out += a^T x
static inline void tn_mat3_add_tvec(double out[3], const double a[9], const double x[3])
{
    double y[3];
    tn_mat3_tvec(y, a, x);
    tn_vec3_add(out, out, y);
}

void tn_mat3_identity(double out[9]);
void tn_mat3_mul(double out[9], const double a[9], const double b[9]);    // a b
void tn_mat3_mul_tn(double out[9], const double a[9], const double b[9]); // a^T b
void tn_mat3_mul_nt(double out[9], const double a[9], const double b[9]); // a b^T
// out += m (|d|^2 1 - d d^T): the parallel axis theorem.
void tn_mat3_add_point_mass(double out[9], double mass, const double d[3]);
void tn_mat3_skew(double out[9], const double x[3]); // [x]: [x] y = x cross y
double tn_mat3_det(const double a[9]);
bool tn_mat3_inverse(double out[9], const double a[9]); // false, out untouched, if singular to rounding

// Eigenvalues ascending and orthonormal right-handed eigenvectors (columns of vectors) of a symmetric matrix, by
// Jacobi.
void tn_mat3_eigen(const double a[9], double values[3], double vectors[9]);

// Right-handed frame rows n, t1, t2 around the unit vector n; continuous except at one direction.
void tn_mat3_frame(double out[9], const double n[3]);
