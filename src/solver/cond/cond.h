// cond: velocity fixed point iteration (V-FPI) on contact nodes. What cond_*.c share, and the settings that tests
// and benches vary; everyone else calls the solver "cond" through solver/solver.h.
//
// The iteration never solves with the whole of A. It replaces A by a simpler S^-1 and corrects with the true A:
//
//     v*  = v - S (A v - b - J^T lambda)                   one product with A
//     then contact by contact  lambda+ = P(lambda - u/gamma),  v += S J^T (lambda+ - lambda)
//
// S is diagonal (W of the source) on nodes that elasticity couples, and the exact inverse of A on small components
// (a rigid body): there the contact is "condensed", its virtual node eliminated exactly. Where every contact sits
// alone on its nodes the old lambda cancels and this is Algorithm 1 of the source to the letter.
//
// Source: Lee, Lee, Lee, "Large-Dimensional Multibody Dynamics Simulation Using Contact Nodalization and
// Diagonalization", Algorithms 1-3, equations (15), (39); numbers in brackets in cond_*.c are of that paper.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

typedef enum tn_cond_acceleration {
    TN_COND_PLAIN,
    TN_COND_CHEBYSHEV,        // Algorithm 3, equation (39)
    TN_COND_BARZILAI_BORWEIN, // step length of W adapted each iteration, in the metric of W
    TN_COND_ANDERSON,         // least squares over the last steps (type II)
    TN_COND_ADAPTIVE,         // default: Anderson or Chebyshev, whichever is getting on faster
} tn_cond_acceleration;

typedef struct tn_cond_options {
    tn_cond_acceleration acceleration;
    double relaxation;   // u of (39), 0 < u <= 1, default 1
    int chebyshev_start; // l_s of (39), default 3
    int depth;           // steps that Anderson remembers, default 8, at most TN_MIXER_DEPTH_MAX
    int check_every;     // iterations between two looks at the tolerances, default 4
    bool invert_bodies;  // parts of A that are not SPARSE are inverted, default true; false: all by W
    int single_from;     // A of at least this many nodes is iterated with in single precision, default 256; the
                         // solution is that of doubles all the same
    double uniform_w;    // W = uniform_w I unguarded when > 0 (theorem 2 of the source); default 0: Frobenius norm
} tn_cond_options;

tn_cond_options tn_cond_options_default(void);

// As tn_solver's solve, with cond's own settings.
tn_status tn_cond_solve(const tn_problem *problem, const tn_solve_options *options, const tn_cond_options *cond,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
