#include "model/gyro.h"

#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <stdbool.h>

// Arcs of turns in a step up to FORESEEN are foreseen, of those beyond FLEETING, which do not last, none [rad]. Where
// half a radian is foreseen of all that is more, a ball of 7 kg at 5 m/s on a pinned rod of 40 g ends in a blow-up.
static const double FORESEEN = 0.5, FLEETING = 0.75;

enum { MAX_NEWTON = 30, MAX_HALVING = 12, MAX_PARTS = 1 << 14 };

// What stays fixed during the solve for W.
typedef struct rotation {
    const double *inertia, *omega;
    double momentum[3]; // I w
    double h;
} rotation;

static void angular_momentum(const double inertia[3], const double omega[3], double out[3])
{
    tn_vec3_set(out, inertia[0] * omega[0], inertia[1] * omega[1], inertia[2] * omega[2]);
}

// residual = I (2 W - w) - exp(-h W) I w; turned = exp(-h W) I w. Returns |residual|.
static double evaluate(const rotation *r, const double W[3], double residual[3], double turned[3])
{
    double vector[3], q[4];
    tn_vec3_scale(vector, r->h, W);
    tn_quat_exp(q, vector);
    tn_quat_rotate_inverse(turned, q, r->momentum);
    for (int i = 0; i < 3; i++) {
        residual[i] = r->inertia[i] * (2.0 * W[i] - r->omega[i]) - turned[i];
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

// Newton direction: (2 I - h [turned] Jr) d = -residual.
static bool direction(const rotation *r, const double W[3], const double residual[3], const double turned[3],
                      double d[3])
{
    double vector[3], jacobian[9], skew[9], matrix[9], inverse[9];
    tn_vec3_scale(vector, r->h, W);
    right_jacobian(jacobian, vector);
    tn_mat3_skew(skew, turned);
    tn_mat3_mul(matrix, skew, jacobian);
    for (int i = 0; i < 9; i++) {
        matrix[i] *= -r->h;
    }
    for (int i = 0; i < 3; i++) {
        matrix[4 * i] += 2.0 * r->inertia[i];
    }
    if (!tn_mat3_inverse(inverse, matrix)) {
        return false;
    }
    tn_mat3_vec(d, inverse, residual);
    tn_vec3_scale(d, -1.0, d);
    return true;
}

// Largest of W + d, W + d/2, ... that lowers the residual; false if none does.
static bool line_search(const rotation *r, double W[3], const double d[3], double *norm, double residual[3],
                        double turned[3])
{
    double step = 1.0;
    for (int k = 0; k < MAX_HALVING; k++, step *= 0.5) {
        double trial[3], trial_residual[3], trial_turned[3];
        tn_vec3_madd(trial, W, step, d);
        double trial_norm = evaluate(r, trial, trial_residual, trial_turned);
        if (trial_norm < *norm) {
            tn_vec3_copy(W, trial);
            tn_vec3_copy(residual, trial_residual);
            tn_vec3_copy(turned, trial_turned);
            *norm = trial_norm;
            return true;
        }
    }
    return false;
}

// exp(h W) of the header's first formula; false: Newton's method found no W.
static bool turn_asymmetric(const double inertia[3], const double omega[3], double h, double turn[4])
{
    rotation r = {.inertia = inertia, .omega = omega, .h = h};
    double W[3], residual[3], turned[3];
    angular_momentum(inertia, omega, r.momentum);
    tn_vec3_copy(W, omega);
    double norm = evaluate(&r, W, residual, turned);
    // Rounding of the products is about 3e-16 of the momentum; what Newton reaches below 1e-12 is taken.
    double scale = tn_vec3_norm(r.momentum), good = 4e-16 * scale, enough = 1e-12 * scale;
    for (int k = 0; k < MAX_NEWTON && norm > good; k++) {
        double d[3];
        if (!direction(&r, W, residual, turned, d) || !line_search(&r, W, d, &norm, residual, turned)) {
            break;
        }
    }
    tn_vec3_scale(W, h, W);
    tn_quat_exp(turn, W);
    return norm <= enough;
}

// The same in n parts of the time.
static bool turn_in_parts(const double inertia[3], const double omega[3], double h, int n, double turn[4])
{
    double w[3] = {omega[0], omega[1], omega[2]}, part[4];
    turn[0] = 1.0;
    turn[1] = turn[2] = turn[3] = 0.0;
    for (int i = 0; i < n; i++) {
        if (!turn_asymmetric(inertia, w, h / n, part)) {
            return false;
        }
        tn_gyro_carry(inertia, part, w, w);
        tn_quat_mul(turn, turn, part);
    }
    tn_quat_normalize(turn);
    return true;
}

static bool are_equal(double a, double b) // to rounding of what computes them
{
    return fabs(a - b) <= 1e-14 * a;
}

// The axis whose two others have equal moments; -1: there is none.
static int symmetry_axis(const double inertia[3])
{
    return are_equal(inertia[1], inertia[2])   ? 0
           : are_equal(inertia[2], inertia[0]) ? 1
           : are_equal(inertia[0], inertia[1]) ? 2
                                               : -1;
}

static void turn_symmetric(const double inertia[3], int e, const double omega[3], double h, double turn[4])
{
    double J = inertia[(e + 1) % 3], vector[3], own[3] = {0.0}, spin[4];
    if (inertia[e] == J) { // a sphere, a cube
        tn_vec3_scale(vector, h, omega);
        tn_quat_exp(turn, vector);
        return;
    }
    angular_momentum(inertia, omega, vector);
    tn_vec3_scale(vector, h / J, vector);
    tn_quat_exp(turn, vector);
    own[e] = h * (1.0 - inertia[e] / J) * omega[e];
    tn_quat_exp(spin, own);
    tn_quat_mul(turn, turn, spin);
}

// By the mean angle about the angular momentum, which leaves the velocity as it is.
static void turn_about_momentum(const double inertia[3], const double omega[3], double h, double turn[4])
{
    double momentum[3];
    angular_momentum(inertia, omega, momentum);
    double rate = tn_vec3_dot(momentum, omega) / tn_vec3_dot(momentum, momentum);
    tn_vec3_scale(momentum, h * rate, momentum);
    tn_quat_exp(turn, momentum);
}

int tn_gyro_turn(const double inertia[3], const double omega[3], double h, double turn[4])
{
    int e = symmetry_axis(inertia), n = 1;
    if (e >= 0) {
        turn_symmetric(inertia, e, omega, h, turn);
        return 1;
    }
    while (!turn_in_parts(inertia, omega, h, n, turn)) {
        if (n == MAX_PARTS) {
            turn_about_momentum(inertia, omega, h, turn);
            break;
        }
        n *= 2;
    }
    return n;
}

// Of the turn q by the rotation vector x, p long: c of the inverse right Jacobian 1 + [x]/2 + c [x]^2.
static double second_order(double p, const double q[4])
{
    double square = p * p;
    return square < 0.1 ? 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
                        : (1.0 - 0.5 * p * fabs(q[0]) / tn_vec3_norm(q + 1)) / square;
}

static const double HALF = 3.14159265358979323846;

// The shortest rotation vector x, p long, becomes the one of the same turn nearest to another. Returns its length,
// negative where it points the other way.
static double count_turns(double p, const double near[3], double x[3])
{
    const double NONE = 1e-8; // [rad] of a turn that has no axis of its own beside whole ones
    double most = tn_vec3_norm(near);
    if (p <= NONE && most <= HALF) {
        return p;
    }
    double along = p > NONE ? tn_vec3_dot(x, near) / p : most;
    double length = p + 2.0 * HALF * floor(0.5 * (along - p) / HALF + 0.5);
    tn_vec3_scale(x, p > NONE ? length / p : length / most, p > NONE ? x : near);
    return length;
}

// The rotation vector of q nearest to another one, as count_turns.
static inline double log_near(const double q[4], const double near[3], double x[3])
{
    tn_vec3_scale(x, tn_quat_log_scale(q), q + 1);
    double p = tn_vec3_norm(x);
    return fabs(tn_vec3_dot(x, near) - p * p) < p * HALF ? p : count_turns(p, near, x);
}

// By the turn `own` about e: exp(h I w/J) is what is left of the turn without it. Newton's method on that from omega as
// it is; once a step is so small that its square is rounding, what is left follows to first order. Inline, since of a
// known axis nothing has to lie in memory (a step of a humanoid finds 50 such rates).
static inline __attribute__((always_inline)) void rate_about(const double inertia[3], int e, const double turn[4],
                                                             double h, double omega[3])
{
    const double SMALL = 1e-8; // [rad]
    int a = (e + 1) % 3, b = (e + 2) % 3;
    double J = inertia[a], ratio = (J - inertia[e]) / inertia[e], x[3], near[3], step = INFINITY;
    double own = h * (1.0 - inertia[e] / J) * omega[e];
    angular_momentum(inertia, omega, near);
    tn_vec3_scale(near, h / J, near);
    for (int k = 0; k < MAX_NEWTON && fabs(step) > SMALL; k++) {
        double s, c, sine, left[4];
        tn_quat_halves(own * own, &s, &c);
        sine = s * -own;
        left[0] = turn[0] * c - turn[1 + e] * sine;
        left[1 + e] = turn[1 + e] * c + turn[0] * sine;
        left[1 + a] = turn[1 + a] * c + turn[1 + b] * sine;
        left[1 + b] = turn[1 + b] * c - turn[1 + a] * sine;
        double p = log_near(left, near, x), across = x[a] * x[a] + x[b] * x[b];
        double second = second_order(p, left), along = 1.0 - second * across;
        step = (ratio * x[e] - own) / (1.0 + ratio * along);
        own += step;
        double moved[3];
        moved[e] = along;
        moved[a] = 0.5 * x[b] + second * x[e] * x[a];
        moved[b] = -0.5 * x[a] + second * x[e] * x[b];
        tn_vec3_madd(x, x, -step, moved);
    }
    for (int i = 0; i < 3; i++) {
        omega[i] = J * x[i] / (h * inertia[i]);
    }
}

static void rate_symmetric(const double inertia[3], int e, const double turn[4], double h, double omega[3])
{
    switch (e) {
    case 0:
        rate_about(inertia, 0, turn, h, omega);
        break;
    case 1:
        rate_about(inertia, 1, turn, h, omega);
        break;
    default:
        rate_about(inertia, 2, turn, h, omega);
        break;
    }
}

void tn_gyro_rate(const double inertia[3], const double turn[4], double h, double omega[3])
{
    int e = symmetry_axis(inertia);
    if (e >= 0) {
        rate_symmetric(inertia, e, turn, h, omega);
        return;
    }
    double W[3], momentum[3], half[3], swing[3];
    tn_vec3_scale(half, h, omega);
    log_near(turn, half, W);
    tn_vec3_scale(W, 1.0 / h, W);
    angular_momentum(inertia, W, momentum);
    tn_vec3_scale(half, 1.0 / turn[0], turn + 1); // tan(angle/2) along the axis: 2 (1 + exp(-h W))^-1 = 1 + [half]
    tn_vec3_cross(swing, half, momentum);
    for (int i = 0; i < 3; i++) {
        omega[i] = (momentum[i] + swing[i]) / inertia[i];
    }
}

void tn_gyro_carry(const double inertia[3], const double turn[4], const double omega[3], double out[3])
{
    angular_momentum(inertia, omega, out);
    tn_quat_rotate_inverse(out, turn, out);
    tn_vec3_set(out, out[0] / inertia[0], out[1] / inertia[1], out[2] / inertia[2]);
}

void tn_gyro_swing(const double inertia[3], const double omega[3], double h, double out[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = 0.5 * h * (inertia[j] - inertia[k]) / inertia[i] * omega[j] * omega[k];
    }
}

void tn_gyro_arc(const double omega[3], const double arm[3], double h, double out[3])
{
    double turn[3], along[3], inwards[3];
    tn_vec3_scale(turn, h, omega);
    double square = tn_vec3_dot(turn, turn), part = 1.0;
    if (square > FORESEEN * FORESEEN) {
        part = fmax(0.0, (FLEETING - sqrt(square)) / (FLEETING - FORESEEN));
    }
    double less = square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square / 5040.0)); // sin(theta)/theta - 1
    double bend = 0.5 + square * (-1.0 / 24.0 + square / 720.0);                    // (1 - cos(theta))/theta^2
    tn_vec3_cross(along, turn, arm);
    tn_vec3_cross(inwards, turn, along);
    tn_vec3_scale(out, part * less / h, along);
    tn_vec3_madd(out, out, part * bend / h, inwards);
}
