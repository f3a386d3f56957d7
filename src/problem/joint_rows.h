// Joint rows of a problem (tn_joint_rows in tenon/problem.h): products, and the law of one row.
#pragma once

#include "tenon/problem.h"

#include <math.h>

static inline int tn_joint_row_count(const tn_problem *problem)
{
    return problem->joints ? problem->joints->n : 0;
}

// Row i of G v + c, without the compliance's part.
double tn_joint_row_velocity(const tn_joint_rows *joints, int i, const double *v);
// force (3 A->n_rows) += G_i^T f.
void tn_joint_row_push(const tn_joint_rows *joints, int i, double f, double *force);

// y (n) = G v + c + R f; f NULL is none.
void tn_joint_rows_velocity(const tn_joint_rows *joints, const double *v, const double *f, double *y);
// force (3 A->n_rows) += G^T f.
void tn_joint_rows_add_force(const tn_joint_rows *joints, const double *f, double *force);

// The force within row i's bounds that is nearest to f.
static inline double tn_joint_row_clamp(const tn_joint_rows *joints, int i, double f)
{
    f = f > joints->lower[i] ? f : joints->lower[i];
    return f < joints->upper[i] ? f : joints->upper[i];
}

// rho (n): inverse of each row's G blockdiag(A)^-1 G^T + R, its effective mass [kg/s, kg m^2/s]; 1 where nothing that
// moves answers.
void tn_joint_rows_mass(const tn_joint_rows *joints, const tn_blocks *A, double *rho);

// A force leaves rounding in the balance, 1e-16 of itself, and in its row's velocity. Where everything rests (b and v
// nearly zero, but a motor presses against a stop) that would be all there is: figures relative to b and v count this
// part of what drives and friction bear as well; not of forces without bounds, which grow where rows contradict.
#define TN_JOINT_SCALE 1e-6
static inline double tn_joint_row_driven(const tn_joint_rows *joints, int i, double f)
{
    return joints->lower[i] > -INFINITY && joints->upper[i] < INFINITY ? TN_JOINT_SCALE * fabs(f) : 0.0;
}
// Root of the sum of the squares of that as generalized forces [N]; joints, f NULL: none.
double tn_joint_rows_driven(const tn_joint_rows *joints, const double *f);

// Sizes, index ranges, finite numbers, bounds in order.
tn_status tn_joint_rows_check(const tn_joint_rows *joints, int n_blocks, tn_error *error);
