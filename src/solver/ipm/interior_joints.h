// Joint rows in the interior point method (interior.h).
//
// Row i's velocity y = G v + c + R f is z - w, with z >= 0 against the slack s = f - lower and w >= 0 against
// t = upper - f: s z = t w = 0 at the solution; a side without bound has no pair. Linearised, the force's change is
//
//     df = weight (push - G dv),   1 / weight = R + z / s + w / t + 1 / p
//
// with p, 1e7 times the row's effective mass (up to 1e9 where the rows' error hardly falls), a proximal term around the
// present force: rows that depend on one another then leave the matrix positive definite, and what the term holds back
// is made up by the next step.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_interior_joints {
    const tn_rows *rows;   // NULL: none
    int n, n_pairs;        // rows; bounds, which count as complementary pairs
    double *p;             // (n) effective masses
    double stiffness;      // of the proximal term over them
    double error;          // largest |off| of the last evaluation, masses alike
    double *f;             // (n) forces
    double *s, *z, *t, *w; // (n) slacks and their velocities; 0 where there is no bound
    double *off;           // (n) G v + c + R f - z + w
    double *weight, *push; // (n)
    double *df, *dz, *dw;  // (n)
    double *a, *b;         // (n) dz = a - (z / s) df, dw = b + (w / t) df
} tn_interior_joints;

bool tn_interior_joints_create(tn_interior_joints *j, const tn_problem *problem, tn_arena *arena);
// Well inside the bounds: products s z = energy [W], slacks about sqrt(energy rho). Free rows start without force: from
// there rows that depend on one another share it by the least weighted norm.
void tn_interior_joints_start(tn_interior_joints *j, double energy);

double tn_interior_joints_gap(const tn_interior_joints *j); // sum of s z and t w
void tn_interior_joints_evaluate(tn_interior_joints *j, const double *v);
void tn_interior_joints_linearise(tn_interior_joints *j); // weight
// push for s z, t w -> target, with the second-order term of the last step or without; right (n_v) += G^T weight push.
void tn_interior_joints_aim(tn_interior_joints *j, double target, bool correct, double *right);
void tn_interior_joints_follow(tn_interior_joints *j, const double *dv); // df, dz, dw
double tn_interior_joints_reach(const tn_interior_joints *j, double most);
void tn_interior_joints_move(tn_interior_joints *j, double length);
