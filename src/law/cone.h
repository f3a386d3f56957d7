// Coulomb's friction cone of one contact, K = { f : |f_t| <= mu f_n }, and the operators built on it.
//
// A contact vector holds three numbers in the contact frame: [0] along the normal, which points
// from body A to body B, then [1] and [2] along the tangents. f is the force on B (N) and
// u the velocity of B relative to A (m/s). Nothing here allocates, fails or keeps state.
// A NaN in f stays a NaN, so that the solver's own check finds it.
#pragma once

#include "law/local_state.h"

#include <stdbool.h>

typedef enum tn_cone_region {
    TN_CONE_APART, // nearest point is the apex: the bodies come apart
    TN_CONE_STICK, // already inside: unchanged
    TN_CONE_SLIDE, // nearest point is on the boundary: the bodies slide
} tn_cone_region;

// Replace f by the point of K nearest to it. mu >= 0; mu = 0 gives the ray f_n >= 0, f_t = 0.
// Returns where f lay before.
tn_cone_region tn_cone_project(double mu, double f[3]);

// How far (f, u) is from the contact law, in N: out = f - P_K(f - s u'), u' = u + mu |u_t| e_n for the strict law (De
// Saxce's form), u for the associated one. Zero exactly when the law holds, for every s > 0 [N s/m]. Written for speed:
// solvers check every contact with it.
void tn_cone_natural(bool associated, double mu, double s, const double f[3], const double u[3], double out[3]);

// The three operators below take mu (2), friction along t1 and t2. Where the two differ the cone is elliptic,
// K = { f : sqrt((f_1/mu_1)^2 + (f_2/mu_2)^2) <= f_n }; mu_i = 0 means f_i = 0.

// Operator of the convex law: the point of K nearest to f.
tn_cone_region tn_cone_proximal(const double mu[2], double f[3]);

// Operator of the strict law: f_n = max(f_n, 0), then f_t = the nearest point to f_t in K's section at that f_n.
tn_cone_region tn_cone_strict(const double mu[2], double f[3]);

// Operator of the frictionless law: f_n = max(f_n, 0), f_t = 0. Never TN_CONE_SLIDE.
tn_cone_region tn_cone_frictionless(double f[3]);

// The two operators of Newton's methods for round friction with a slope (9, row-major), one element of the generalised
// derivative; slope[0] = 0 exactly when the contact is open. Strict: tn_cone_strict, whose slope is not symmetric while
// sliding (Alart and Curnier); associated: tn_cone_project.
void tn_cone_map(bool associated, double mu, double f[3], double slope[9]);

// One contact solved exactly: r in K [N] and u = W r + q [m/s] that obey the strict law or the associated (convex) one.
// W (3x3) [s/kg] may be singular: a contact in the plane has a zero row and column for its second tangent; of the
// strict law it may be any matrix, the associated law is a convex program only where W is symmetric and positive
// semi-definite. r is always in K to rounding, but where the result is TN_LOCAL_FAILED. W_nn <= 0 gives r = 0 (nothing
// moves, nothing can be pushed). The strict law may have several solutions for odd W: open is preferred, then stick.
tn_local_state tn_cone_solve(bool associated, const double mu[2], const double W[9], const double q[3], double r[3]);
