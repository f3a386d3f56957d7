// The iterating solvers' own stopping check: natural map and fclib figures by their definitions in tenon/problem.h,
// from a force and a velocity that the solver has at hand. The certificate recomputes them independently.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// Whether a figure of the certificate is demanded; else the length of a step (theta), or nothing.
static inline bool tn_demands_figures(const tn_tolerance *t)
{
    return t->momentum > 0.0 || t->natural > 0.0 || t->fclib > 0.0;
}

// Sums of squares over the contacts.
typedef struct tn_check_sums {
    double natural;  // of the natural map's residual, with rho [N^2]
    double fclib;    // of the strict law's with rho = 1 / h [N^2]
    double force;    // [N^2]
    double velocity; // [m^2/s^2]
} tn_check_sums;

typedef struct tn_check {
    const tn_problem *problem;
    tn_tolerance tolerance;
    const double *rho; // (n) inverse of the largest diagonal of J blockdiag(A)^-1 J^T, or of W's own block [kg/s]
    double q_norm;     // |q|_2 [m/s]
} tn_check;

// q (n, 3): free contact velocity. False: no memory.
bool tn_check_create(tn_check *check, const tn_problem *problem, const double *q, const tn_tolerance *tolerance,
                     tn_arena *arena);

// The same without rho, for a solver that makes the sums itself.
tn_check tn_check_of_sums(const tn_problem *problem, double q_norm, const tn_tolerance *tolerance);
double tn_check_rho(const tn_problem *problem, int m); // of one contact
// The same of the n contacts id in global form without hints, each block of A inverted once. False: no memory.
bool tn_check_rhos(const tn_problem *problem, int n, const int *id, double *rho, tn_arena *arena);
void tn_check_add(const tn_problem *problem, int m, double rho, const double lambda[3], const double u[3],
                  tn_check_sums *sums);
// Of any triple; of friction (tn_rows) pressed by the normal force `pressed` [N].
void tn_check_add_triple(const tn_problem *problem, int m, double rho, double pressed, const double lambda[3],
                         const double u[3], tn_check_sums *sums);
// The same for a score alone: of the sums those of figures that are demanded.
void tn_check_add_demanded(const tn_check *check, int m, double pressed, const double lambda[3], const double u[3],
                           tn_check_sums *sums);
double tn_check_natural(const tn_check *check, const tn_check_sums *sums); // the natural figure
double tn_check_score_sums(const tn_check *check, const tn_check_sums *sums);

// The largest ratio of a demanded figure to its tolerance (<= 1: all hold; without any demand natural against 1e-8).
// lambda, u (n, 3), u with Omega lambda.
double tn_check_score(const tn_check *check, const double *lambda, const double *u);

// |v|_inf [m/s], floored by the velocity scale: what single rows are judged relative to, but for what drives them.
double tn_check_fastest(const tn_problem *problem, const double *v);

// The momentum figure, and that of single rows (`joint` of the certificate).
typedef struct tn_single_check {
    const tn_problem *problem;
    const double *rho; // (n_singles) effective masses (tn_singles_mass)
    double *residual;  // (3 A->n_rows) b + J^T lambda - A v, of all rows, of the last tn_single_check_momentum
    double b_norm;     // |b|, floored by the force scale [N]
} tn_single_check;

bool tn_single_check_create(tn_single_check *check, const tn_problem *problem, tn_arena *arena); // false: no memory
double tn_single_check_momentum(tn_single_check *check, const tn_solution *solution);
double tn_single_check_rows(const tn_single_check *check, const double *v, const double *f); // f (n_singles)
