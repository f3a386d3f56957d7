// A path of solutions from a convex problem to the strict law's, piece by piece.
//
// The unknowns are v and every contact's z (law.h); the equations A v = b + J^T lambda(z), u(z, t) = J v + w. At t = 1
// De Saxce's shift is held and the problem is convex, with one velocity; at t = 0 it is the strict law's. Where every
// problem in between has a solution and these stay bounded, the path that starts at t = 1 cannot come back there (its
// solution is the only one) and ends at t = 0. On the way t rises and falls: at a turn, two solutions meet and end.
//
// Inside a piece (every contact open, sticking or slipping) the path is smooth: a step along the tangent, then Newton's
// corrections across it. A step ends at the first contact that leaves its piece, exactly on the face, and that contact
// changes over. Which way the path goes on is told by the sign of the determinant: sign(dt) times it never changes.
#pragma once

#include "solver/pieces/law.h"
#include "solver/pieces/system.h"

typedef struct tn_piece_point {
    double *v, *z; // (n_v), (n, 3)
    double t;
} tn_piece_point;

typedef struct tn_piece_walk {
    const tn_problem *problem;
    int n, n_v;
    double rho;          // of all contacts' z [kg/s]
    double speed, force; // units of residuals [m/s] and of z [N]
    const double *held;  // (n) shift at t = 1 [m/s]
    int *piece;          // (n) tn_piece
    tn_piece_point at, from;
    tn_piece_system system;
    double *dv, *dz, dt;       // unit tangent at `from`
    double *cv, *cz;           // a correction
    double *nv, *nz;           // tangent of the system's present slopes, dt = 1
    double *R_v, *R_u;         // residuals (n_v), (n, 3)
    double *rate;              // (n, 3) d u / d t
    double *lambda;            // (n, 3) of `at`
    double residual;           // of the last evaluation, in units
    int orientation;           // sign of dt times determinant
    double reach;              // longest step tried next
    int steps, turns, changes; // counts: changes of pieces
} tn_piece_walk;

// speed: of a contact [m/s]; mobility: a contact's own [m/s/N]. False: no memory.
bool tn_piece_walk_create(tn_piece_walk *walk, const tn_problem *problem, double speed, double mobility,
                          tn_arena *arena);
// At t = 1, from forces and velocities that solve the problem with the shift `held` (n), about. False: Newton's
// method does not find its exact solution.
bool tn_piece_walk_start(tn_piece_walk *walk, const double *held, const double *v, const double *lambda);
typedef enum tn_piece_end { TN_PIECE_ARRIVED, TN_PIECE_LOST, TN_PIECE_TIRED } tn_piece_end;
// On to t = 0; at most so many factorisations in all. The forces are in walk->lambda.
tn_piece_end tn_piece_walk_go(tn_piece_walk *walk, int most);
