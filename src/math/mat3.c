#include "math/mat3.h"

#include <float.h>
#include <string.h>

void tn_mat3_identity(double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    out[0] = out[4] = out[8] = 1.0;
}

// Two of a row's three numbers go side by side.
typedef double pair __attribute__((vector_size(16)));

// Rows of a right-hand matrix: its first two columns, and the third.
typedef struct rows {
    pair two[3];
    double third[3];
} rows;

static inline void row_mul(double out[3], double x, double y, double z, const rows *b)
{
    pair two = x * b->two[0] + y * b->two[1] + z * b->two[2];
    out[2] = x * b->third[0] + y * b->third[1] + z * b->third[2];
    out[0] = two[0];
    out[1] = two[1];
}

static inline rows rows_of(const double b[9])
{
    return (rows){{{b[0], b[1]}, {b[3], b[4]}, {b[6], b[7]}}, {b[2], b[5], b[8]}};
}

void tn_mat3_mul(double out[9], const double a[9], const double b[9])
{
    rows r = rows_of(b);
    row_mul(out, a[0], a[1], a[2], &r);
    row_mul(out + 3, a[3], a[4], a[5], &r);
    row_mul(out + 6, a[6], a[7], a[8], &r);
}

void tn_mat3_mul_tn(double out[9], const double a[9], const double b[9])
{
    rows r = rows_of(b);
    row_mul(out, a[0], a[3], a[6], &r);
    row_mul(out + 3, a[1], a[4], a[7], &r);
    row_mul(out + 6, a[2], a[5], a[8], &r);
}

void tn_mat3_mul_nt(double out[9], const double a[9], const double b[9])
{
    rows r = {{{b[0], b[3]}, {b[1], b[4]}, {b[2], b[5]}}, {b[6], b[7], b[8]}};
    row_mul(out, a[0], a[1], a[2], &r);
    row_mul(out + 3, a[3], a[4], a[5], &r);
    row_mul(out + 6, a[6], a[7], a[8], &r);
}

void tn_mat3_add_point_mass(double out[9], double mass, const double d[3])
{
    double square = tn_vec3_dot(d, d);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] += mass * ((i == j ? square : 0.0) - d[i] * d[j]);
        }
    }
}

void tn_mat3_skew(double out[9], const double x[3])
{
    const double s[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
    memcpy(out, s, sizeof s);
}

double tn_mat3_det(const double a[9])
{
    double c[3];
    tn_vec3_cross(c, a + 3, a + 6);
    return tn_vec3_dot(a, c);
}

// Sum of the absolute values of the determinant's six products: the scale of its rounding error.
static double determinant_scale(const double a[9])
{
    return fabs(a[0]) * (fabs(a[4] * a[8]) + fabs(a[5] * a[7])) + fabs(a[1]) * (fabs(a[5] * a[6]) + fabs(a[3] * a[8])) +
           fabs(a[2]) * (fabs(a[3] * a[7]) + fabs(a[4] * a[6]));
}

bool tn_mat3_inverse(double out[9], const double a[9])
{
    double det = tn_mat3_det(a);
    if (!(fabs(det) > 4.0 * DBL_EPSILON * determinant_scale(a))) { // a NaN is not greater either
        return false;
    }
    // Columns of the inverse are the cross products of the rows over the determinant.
    double c[3];
    for (int j = 0; j < 3; j++) {
        tn_vec3_cross(c, a + 3 * ((j + 1) % 3), a + 3 * ((j + 2) % 3));
        for (int i = 0; i < 3; i++) {
            out[3 * i + j] = c[i] / det;
        }
    }
    return true;
}

// Rotate rows and columns p and q of the symmetric matrix s so that s_pq becomes zero; collect in v.
static void jacobi_rotate(double s[9], double v[9], int p, int q)
{
    double off = s[3 * p + q];
    if (off == 0.0) {
        return;
    }
    // Smaller root of t^2 + 2 theta t - 1 = 0, t the tangent of the angle (Golub, Van Loan, 8.5).
    double theta = (s[4 * q] - s[4 * p]) / (2.0 * off);
    double t = 1.0 / (fabs(theta) + sqrt(1.0 + theta * theta));
    t = theta < 0.0 ? -t : t;
    double c = 1.0 / sqrt(1.0 + t * t), d = t * c;
    int r = 3 - p - q;
    s[4 * p] -= t * off;
    s[4 * q] += t * off;
    s[3 * p + q] = s[3 * q + p] = 0.0;
    double rp = s[3 * r + p], rq = s[3 * r + q];
    s[3 * r + p] = s[3 * p + r] = c * rp - d * rq;
    s[3 * r + q] = s[3 * q + r] = d * rp + c * rq;
    for (int i = 0; i < 3; i++) {
        double vp = v[3 * i + p], vq = v[3 * i + q];
        v[3 * i + p] = c * vp - d * vq;
        v[3 * i + q] = d * vp + c * vq;
    }
}

static void swap_columns(double values[3], double v[9], int p, int q)
{
    double t = values[p];
    values[p] = values[q];
    values[q] = t;
    for (int i = 0; i < 3; i++) {
        t = v[3 * i + p];
        v[3 * i + p] = v[3 * i + q];
        v[3 * i + q] = t;
    }
}

void tn_mat3_eigen(const double a[9], double values[3], double vectors[9])
{
    enum { MAX_SWEEPS = 30 }; // quadratic convergence: 5 or 6 do; the cap is for NaN
    double s[9];
    memcpy(s, a, sizeof s);
    tn_mat3_identity(vectors);
    for (int sweep = 0; sweep < MAX_SWEEPS && (s[1] != 0.0 || s[2] != 0.0 || s[5] != 0.0); sweep++) {
        jacobi_rotate(s, vectors, 0, 1);
        jacobi_rotate(s, vectors, 0, 2);
        jacobi_rotate(s, vectors, 1, 2);
    }
    tn_vec3_set(values, s[0], s[4], s[8]);

    // Sort ascending, then make the frame right-handed.
    for (int pass = 0; pass < 3; pass++) {
        int p = pass % 2;
        if (values[p] > values[p + 1]) {
            swap_columns(values, vectors, p, p + 1);
        }
    }
    if (tn_mat3_det(vectors) < 0.0) {
        for (int i = 0; i < 3; i++) {
            vectors[3 * i + 2] = -vectors[3 * i + 2];
        }
    }
}

void tn_mat3_frame(double out[9], const double n[3])
{
    double x = n[0], y = n[1], z = n[2];
    double r2 = x * x + y * y;
    tn_vec3_copy(out, n);
    if (z < 0.0 && r2 < 1e-300) {
        // The one exception: the shortest turn from +z to -z is not unique.
        tn_vec3_set(out + 3, 1.0, 0.0, 0.0);
        tn_vec3_set(out + 6, 0.0, -1.0, 0.0);
        return;
    }
    // Turn the world's axes by the shortest rotation that takes +z to n. k = 1 / (1 + z), without the cancellation
    // near z = -1.
    double k = z < 0.0 ? (1.0 - z) / r2 : 1.0 / (1.0 + z);
    tn_vec3_set(out + 3, 1.0 - k * x * x, -k * x * y, -x);
    tn_vec3_set(out + 6, -k * x * y, 1.0 - k * y * y, -y);
}
