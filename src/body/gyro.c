#include "body/gyro.h"

#include "math/mat3.h"
#include "math/quat.h"

#include <stdbool.h>

enum { MAX_NEWTON = 30, MAX_HALVING = 12 };

// What stays fixed during the solve.
typedef struct rotation {
    const double *inertia, *omega;
    double momentum[3]; // I w_k + impulse
    double h, theta;
} rotation;

// residual = I w_{k+1}(w) - exp(-h w) momentum; turned = exp(-h w) momentum. Returns |residual|.
static double evaluate(const rotation *r, const double w[3], double residual[3], double turned[3])
{
    double vector[3], q[4];
    tn_vec3_scale(vector, r->h, w);
    tn_quat_exp(q, vector);
    tn_quat_rotate_inverse(turned, q, r->momentum);
    for (int i = 0; i < 3; i++) {
        double next = r->omega[i] + (w[i] - r->omega[i]) / r->theta;
        residual[i] = r->inertia[i] * next - turned[i];
    }
    return tn_vec3_norm(residual);
}

// Right Jacobian of the rotation exponential at the rotation vector x:
// 1 - (1 - cos p)/p^2 [x] + (p - sin p)/p^3 [x]^2, p = |x| (series below 1e-3, error p^4/5000).
static void right_jacobian(double out[9], const double x[3])
{
    double square = tn_vec3_dot(x, x), p = sqrt(square), skew[9], skew2[9];
    double a = 0.5 - square / 24.0, b = 1.0 / 6.0 - square / 120.0;
    if (p > 1e-3) {
        a = (1.0 - cos(p)) / square;
        b = (p - sin(p)) / (square * p);
    }
    tn_mat3_skew(skew, x);
    tn_mat3_mul(skew2, skew, skew);
    tn_mat3_identity(out);
    for (int i = 0; i < 9; i++) {
        out[i] += b * skew2[i] - a * skew[i];
    }
}

// Newton direction: (I/theta - h [turned] Jr) d = -residual.
static bool direction(const rotation *r, const double w[3], const double residual[3], const double turned[3],
                      double d[3])
{
    double vector[3], jacobian[9], skew[9], matrix[9], inverse[9];
    tn_vec3_scale(vector, r->h, w);
    right_jacobian(jacobian, vector);
    tn_mat3_skew(skew, turned);
    tn_mat3_mul(matrix, skew, jacobian);
    for (int i = 0; i < 9; i++) {
        matrix[i] *= -r->h;
    }
    for (int i = 0; i < 3; i++) {
        matrix[4 * i] += r->inertia[i] / r->theta;
    }
    if (!tn_mat3_inverse(inverse, matrix)) {
        return false;
    }
    tn_mat3_vec(d, inverse, residual);
    tn_vec3_scale(d, -1.0, d);
    return true;
}

// Largest of w + d, w + d/2, ... that lowers the residual; false if none does.
static bool line_search(const rotation *r, double w[3], const double d[3], double *norm, double residual[3],
                        double turned[3])
{
    double step = 1.0;
    for (int k = 0; k < MAX_HALVING; k++, step *= 0.5) {
        double trial[3], trial_residual[3], trial_turned[3];
        tn_vec3_madd(trial, w, step, d);
        double trial_norm = evaluate(r, trial, trial_residual, trial_turned);
        if (trial_norm < *norm) {
            tn_vec3_copy(w, trial);
            tn_vec3_copy(residual, trial_residual);
            tn_vec3_copy(turned, trial_turned);
            *norm = trial_norm;
            return true;
        }
    }
    return false;
}

// No gyroscopic term: equal moments, and w^ along the momentum (euler, or no impulse). Spheres and cubes.
static bool is_plain(const rotation *r, const double impulse[3])
{
    const double *m = r->inertia;
    double slack = 1e-14 * m[0];
    bool equal = fabs(m[1] - m[0]) <= slack && fabs(m[2] - m[0]) <= slack;
    return equal && (r->theta == 1.0 || (impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0));
}

int tn_gyro_solve(const double inertia[3], const double omega[3], const double impulse[3], double h, double theta,
                  double omega_hat[3])
{
    rotation r = {.inertia = inertia, .omega = omega, .h = h, .theta = theta};
    double plain[3], w[3], residual[3], turned[3];
    for (int i = 0; i < 3; i++) {
        r.momentum[i] = inertia[i] * omega[i] + impulse[i];
        plain[i] = omega[i] + theta * impulse[i] / inertia[i];
        w[i] = plain[i];
    }
    if (is_plain(&r, impulse)) {
        tn_vec3_copy(omega_hat, plain);
        return 0;
    }
    double norm = evaluate(&r, w, residual, turned);
    // Rounding of the products is about 3e-16 of the momentum; what Newton reaches below 1e-12 is taken.
    double scale = tn_vec3_norm(r.momentum), good = 4e-16 * scale, enough = 1e-12 * scale;
    int k = 0;
    for (; k < MAX_NEWTON && norm > good; k++) {
        double d[3];
        if (!direction(&r, w, residual, turned, d) || !line_search(&r, w, d, &norm, residual, turned)) {
            break;
        }
    }
    tn_vec3_copy(omega_hat, norm <= enough ? w : plain);
    return k;
}
