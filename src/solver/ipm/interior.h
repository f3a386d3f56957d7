// A primal-dual interior point method for the convex problem of one step, with the strict law's shift held.
//
// With forces lambda = S x and velocities y = S (J v + w + Omega lambda + s e_0), S = diag(1/mu, d_1, d_2) (mu the
// larger friction, d_i = mu_i / mu), friction's cone and its dual both become L (interior_cone.h), and
//
//     A v = b + J^T S x,   x in L, y in L, x . y = 0
//
// is the convex law for s = 0 and the strict law for s = mu |u_t| (De Saxce). Without friction S = diag(1, 0, 0).
// Mehrotra's predictor and corrector with the scaling of Nesterov and Todd, from an infeasible start. One sparse
// Cholesky factor of A + J^T C J a step, in large heaps where possible a cheaper one (rough_factor.h), and further
// correctors (J. Gondzio, Multiple centrality corrections, 1996), as each costs only a solve; redundant contacts are no
// difficulty, since forces far from the cone's boundary are preferred among equals (the analytic centre). Joint rows:
// interior_joints.h.
#pragma once

#include "kernels/cones.h"
#include "solver/body_factor.h"
#include "solver/check.h"
#include "solver/contact_matrix.h"
#include "solver/ipm/interior_joints.h"
#include "solver/ipm/rough_factor.h"

typedef struct tn_interior {
    const tn_problem *problem;
    int n, n_v;
    double energy;  // x . y at the start, a contact, and each bound's product [W]
    double *S;      // (n, 3)
    double start_x; // x_0 at the start [N]
    double start_y; // y_0 likewise [m/s]
    double depth;   // of a heap, in contacts: x_0 starts as many times larger. Saves a quarter of the steps of heaps
    double *x, *y;  // (n, 3) inside L
    double *v;      // (n_v)
    double *lambda; // (n, 3) S x
    tn_interior_joints joints;
    double gap;          // sum of x . y and of the joints' products over their number and energy
    double least_gap;    // that steps aim at; 0 unless set by the caller
    double reach;        // length of the last step, 0 to 1
    double *off_balance; // (n_v) A v - b - J^T lambda
    double *off_law;     // (n, 3) y - S (J v + w + Omega lambda + s e_0)
    double *l;           // (n, 3) W y = W^-1 x
    tn_cones cones;      // W, and all that is done cone by cone, but for P and E
    double *P, *E;       // (n, 9) x changes by P^T a - E (change of y without Omega), a from the wanted x o y; with
                         // Omega and for interior_strict.h, else P = W and E = W W
    double *C;           // (n, 9) S E S
    double *centring, *dx, *dy, *contact; // (n, 3)
    double *dv, *right;                   // (n_v)
    tn_contact_matrix K;                  // A + J^T C J
    tn_body_factor factor;
    double *extra;          // (n, 3) of x o y that a step aims at besides: second-order terms, outliers
    tn_rough_factor *rough; // of large heaps; else NULL
    double *kept;           // (6 n + 2 n_v) a direction dx, dy, dv put aside
    double setup;           // time of analysis and factorisations [s]
} tn_interior;

// velocity [m/s] scales the start: that of contacts without forces, say. Destroy also after a failure.
tn_status tn_interior_create(tn_interior *s, const tn_problem *problem, const tn_check *check, double velocity,
                             tn_arena *arena, tn_error *error);
void tn_interior_destroy(tn_interior *s);

// x, y far inside L; v (n_v) given; then gap and lambda.
void tn_interior_start(tn_interior *s, const double *v);
// One predictor-corrector step with the shift s (n) [m/s] (NULL: none), then gap, reach and lambda. TN_NUMERICS: A +
// J^T C J no longer positive definite to rounding.
tn_status tn_interior_step(tn_interior *s, const double *shift, tn_error *error);

// Parts of it. W, E, C, K at the present point and its residuals; K's factor; lambda and gap of x, y.
void tn_interior_scale(tn_interior *s, const double *shift);
tn_status tn_interior_factor(tn_interior *s, tn_error *error);
void tn_interior_summarise(tn_interior *s);

// The two halves of a step, for iterations that find dv, dx, dy in another way (interior_strict.h). First residuals
// (off_balance, off_law), W, E, C and K's factor; last the step up to `fraction` of the way to the boundary, at most
// all of it.
tn_status tn_interior_linearise(tn_interior *s, const double *shift, tn_error *error);
void tn_interior_move(tn_interior *s, double fraction);

// How far from the solution of the convex problem with the shift held.
typedef struct tn_interior_error {
    double gap;     // sum of x . y and of the joints' products: what the primal function exceeds the dual by [W]
    double balance; // |A v - b - J^T lambda - G^T f| over the largest of its terms
    double law;     // |y - S (J v + w + Omega lambda + s e_0)| over |y|, of joint rows likewise
} tn_interior_error;

tn_interior_error tn_interior_measure(tn_interior *s, const double *shift);
