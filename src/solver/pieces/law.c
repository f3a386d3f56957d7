#include "solver/pieces/law.h"

#include <math.h>
#include <string.h>

static double tangent(const double z[3])
{
    return sqrt(z[1] * z[1] + z[2] * z[2]);
}

tn_piece tn_piece_of(double mu, const double z[3])
{
    double t = tangent(z);
    return mu * t <= -z[0] ? TN_PIECE_OPEN : t <= mu * z[0] ? TN_PIECE_STICK : TN_PIECE_SLIP;
}

// |z_t| and its direction.
static double direction(const double z[3], double d[2])
{
    double t = tangent(z);
    d[0] = t > 0.0 ? z[1] / t : 1.0;
    d[1] = t > 0.0 ? z[2] / t : 0.0;
    return t;
}

void tn_piece_evaluate(const tn_piece_law *law, tn_piece piece, const double z[3], tn_piece_value *value)
{
    double mu = law->mu, d[2], t = direction(z, d), shift = 0.0;
    memset(value->lambda, 0, sizeof value->lambda);
    if (piece == TN_PIECE_STICK) {
        memcpy(value->lambda, z, sizeof value->lambda);
    } else if (piece == TN_PIECE_OPEN) {
        shift = mu * t / law->rho;
    } else {
        double normal = (z[0] + mu * t) / (1.0 + mu * mu);
        value->lambda[0] = normal;
        value->lambda[1] = mu * normal * d[0];
        value->lambda[2] = mu * normal * d[1];
        shift = mu * (t - mu * normal) / law->rho;
    }
    for (int k = 0; k < 3; ++k) {
        value->u[k] = (value->lambda[k] - z[k]) / law->rho;
    }
    value->u[0] -= (1.0 - law->t) * shift + law->t * law->held;
    value->rate = shift - law->held;
}

void tn_piece_slopes(const tn_piece_law *law, tn_piece piece, const double z[3], double *B, double *C)
{
    double mu = law->mu, d[2], t = direction(z, d), shift[3] = {0.0, 0.0, 0.0};
    memset(B, 0, 9 * sizeof *B);
    if (piece == TN_PIECE_STICK) {
        B[0] = B[4] = B[8] = 1.0;
    } else if (piece == TN_PIECE_OPEN) {
        shift[1] = d[0];
        shift[2] = d[1];
    } else {
        double over = 1.0 / (1.0 + mu * mu), normal = (z[0] + mu * t) * over, turn = t > 0.0 ? mu * normal / t : 0.0;
        double g[3] = {over, mu * over * d[0], mu * over * d[1]}; // of the normal force
        for (int j = 0; j < 3; ++j) {
            B[j] = g[j];
            B[3 + j] = mu * d[0] * g[j];
            B[6 + j] = mu * d[1] * g[j];
            shift[j] = (j > 0 ? d[j - 1] : 0.0) - mu * g[j];
        }
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) {
                B[3 * (i + 1) + j + 1] += turn * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
            }
        }
    }
    for (int k = 0; k < 9; ++k) {
        C[k] = (B[k] - (k % 4 == 0 ? 1.0 : 0.0)) / law->rho;
    }
    for (int j = 0; j < 3; ++j) {
        C[j] -= (1.0 - law->t) * mu / law->rho * shift[j];
    }
}

tn_piece tn_piece_beyond(tn_piece piece, tn_piece_face face)
{
    if (piece != TN_PIECE_SLIP) {
        return TN_PIECE_SLIP;
    }
    return face == TN_FACE_STICK ? TN_PIECE_STICK : TN_PIECE_OPEN;
}

double tn_piece_inside(double mu, tn_piece piece, tn_piece_face face, const double z[3], double *gradient)
{
    double d[2], t = direction(z, d), sign = piece == TN_PIECE_SLIP ? -1.0 : 1.0;
    bool stick = face == TN_FACE_STICK;
    if (gradient) {
        gradient[0] = sign * (stick ? mu : -1.0);
        gradient[1] = -sign * (stick ? 1.0 : mu) * d[0];
        gradient[2] = -sign * (stick ? 1.0 : mu) * d[1];
    }
    return sign * (stick ? mu * z[0] - t : -z[0] - mu * t);
}

// Whether z is on the side of the apex where that face of a slipping contact is.
static bool faces(tn_piece piece, tn_piece_face face, double normal)
{
    return piece != TN_PIECE_SLIP || (face == TN_FACE_STICK ? normal > 0.0 : normal < 0.0);
}

static bool has(tn_piece piece, tn_piece_face face)
{
    return piece == TN_PIECE_SLIP || (piece == TN_PIECE_STICK) == (face == TN_FACE_STICK);
}

double tn_piece_excess(double mu, tn_piece piece, const double z[3])
{
    double excess = -HUGE_VAL;
    for (tn_piece_face face = TN_FACE_STICK; face <= TN_FACE_OPEN; ++face) {
        if (has(piece, face) && faces(piece, face, z[0])) {
            excess = fmax(excess, -tn_piece_inside(mu, piece, face, z, NULL));
        }
    }
    return excess;
}

// The least positive root of c0 + c1 a + c2 a^2 where z + a d is on the face's side of the apex and the sum has the
// sign of leaving (falling, or rising from a slipping contact).
static double root(const double c[3], double leaving, double side, double normal, double rate)
{
    double square = c[1] * c[1] - 4.0 * c[2] * c[0], best = HUGE_VAL;
    if (!(square >= 0.0)) {
        return best;
    }
    double q = -0.5 * (c[1] + copysign(sqrt(square), c[1])), roots[2] = {q / c[2], c[0] / q};
    for (int k = 0; k < 2; ++k) {
        double a = roots[k];
        bool fits = isfinite(a) && a > 0.0 && side * (normal + a * rate) > 0.0;
        if (fits && leaving * (c[1] + 2.0 * c[2] * a) > 0.0 && a < best) {
            best = a;
        }
    }
    return best;
}

static double leave_by(double mu, tn_piece piece, tn_piece_face face, const double z[3], const double d[3])
{
    double gradient[3], inside = tn_piece_inside(mu, piece, face, z, gradient);
    double rate = gradient[0] * d[0] + gradient[1] * d[1] + gradient[2] * d[2];
    if (inside < 0.0 && rate < 0.0 && faces(piece, face, z[0])) {
        return 0.0;
    }
    if (mu == 0.0 && face == TN_FACE_OPEN) { // a plane: its square has a double root
        return rate < 0.0 ? -inside / rate : HUGE_VAL;
    }
    // The squares of both sides of the face's equation: mu^2 n^2 - t^2 or n^2 - mu^2 t^2, negative between the faces.
    double n2 = face == TN_FACE_STICK ? mu * mu : 1.0, t2 = face == TN_FACE_STICK ? 1.0 : mu * mu;
    double c[3] = {n2 * z[0] * z[0] - t2 * (z[1] * z[1] + z[2] * z[2]),
                   2.0 * (n2 * z[0] * d[0] - t2 * (z[1] * d[1] + z[2] * d[2])),
                   n2 * d[0] * d[0] - t2 * (d[1] * d[1] + d[2] * d[2])};
    return root(c, piece == TN_PIECE_SLIP ? 1.0 : -1.0, face == TN_FACE_STICK ? 1.0 : -1.0, z[0], d[0]);
}

double tn_piece_leave(double mu, tn_piece piece, const double z[3], const double d[3], tn_piece_face *face)
{
    double best = HUGE_VAL;
    for (tn_piece_face k = TN_FACE_STICK; k <= TN_FACE_OPEN; ++k) {
        double a = has(piece, k) ? leave_by(mu, piece, k, z, d) : HUGE_VAL;
        if (a < best) {
            best = a;
            *face = k;
        }
    }
    return best;
}
