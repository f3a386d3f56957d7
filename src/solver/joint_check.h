// The solvers' own stopping check of problems with joint rows: momentum and joint figures by their definitions in
// tenon/problem.h, from a velocity and forces at hand. The certificate recomputes them independently.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_joint_check {
    const tn_problem *problem;
    const double *rho; // (joint rows) effective masses (tn_singles_mass)
    double *residual;  // (3 A->n_rows) b + J^T lambda + G^T f - A v of the last check
    double b_norm;     // |b|, floored by the force scale [N]
} tn_joint_check;

// False: no memory.
bool tn_joint_check_create(tn_joint_check *check, const tn_problem *problem, tn_arena *arena);
double tn_joint_check_momentum(tn_joint_check *check, const tn_solution *solution);        // the momentum figure
double tn_joint_check_rows(const tn_joint_check *check, const double *v, const double *f); // the joint figure
