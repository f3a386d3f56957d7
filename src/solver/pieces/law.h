// The strict law in normal form, one contact: smooth pieces that meet at faces.
//
// z (3) [N] stands for force and velocity at once: lambda = P_K(z), the cone's nearest point, and the shifted velocity
// u' = (lambda - z) / rho, by Moreau's decomposition complementary to it. De Saxce: u = u' - mu |u_t| e_n obeys
// Coulomb's law. Here the shift is (1 - t) mu |u_t| + t s: at t = 1 a convex problem with the shift s held, at t = 0
// the law itself. Three pieces:
//
//     open    z in the polar cone, mu |z_t| <= -z_n    lambda = 0
//     stick   z in the cone, |z_t| <= mu z_n           u' = 0
//     slip    in between
//
// A piece's formulas go on smoothly beyond its faces: where a path crosses one, lambda and u are continuous, their
// slopes jump by a matrix of rank one.
#pragma once

#include <stdbool.h>

typedef enum tn_piece { TN_PIECE_OPEN, TN_PIECE_STICK, TN_PIECE_SLIP } tn_piece;

// The two faces: between stick and slip, and between open and slip.
typedef enum tn_piece_face { TN_FACE_STICK, TN_FACE_OPEN, TN_FACE_NONE } tn_piece_face;

typedef struct tn_piece_law {
    double mu, rho; // [kg/s]
    double t, held; // share and size of the held shift s [m/s]
} tn_piece_law;

typedef struct tn_piece_value {
    double lambda[3]; // [N]
    double u[3];      // [m/s]
    double rate;      // d u_n / d t [m/s]
} tn_piece_value;

tn_piece tn_piece_of(double mu, const double z[3]);
void tn_piece_evaluate(const tn_piece_law *law, tn_piece piece, const double z[3], tn_piece_value *value);
// B = d lambda / d z, C = d u / d z (9 each, row-major)
void tn_piece_slopes(const tn_piece_law *law, tn_piece piece, const double z[3], double *B, double *C);

// The piece beyond a face of this one.
tn_piece tn_piece_beyond(tn_piece piece, tn_piece_face face);
// How far inside z is of a face of the piece [N]: 0 on it. gradient (3): its slope, NULL: not wanted.
double tn_piece_inside(double mu, tn_piece piece, tn_piece_face face, const double z[3], double *gradient);
// Largest distance beyond one of the piece's faces [N]; 0 or less: inside.
double tn_piece_excess(double mu, tn_piece piece, const double z[3]);
// The least a >= 0 at which z + a d leaves the piece, HUGE_VAL: never; and through which face. 0 where z lies beyond
// it already and d leads on.
double tn_piece_leave(double mu, tn_piece piece, const double z[3], const double d[3], tn_piece_face *face);
