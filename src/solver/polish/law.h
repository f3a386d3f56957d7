// The laws of contacts, moments and joint rows as projections P of force and velocity together, with their slopes.
#pragma once

#include "tenon/problem.h"

// A row block's natural map: p = P(f - metric u); the law holds where p = f.
typedef struct tn_polish_map {
    double p[3];
    double slope[9];   // dP/dz, row-major
    double metric[3];  // [kg/s]
    double pressed[3]; // moments: dP by the force that presses
} tn_polish_map;

// Whether tn_polish_contact knows the problem's law.
bool tn_polish_knows(const tn_problem *problem);
// Contact m with the effective mass rho.
void tn_polish_contact(const tn_problem *problem, int m, double rho, const double f[3], const double u[3],
                       tn_polish_map *out);
// Moment of row block m under the normal force `pressed`.
void tn_polish_moment(const tn_problem *problem, int m, double rho, double pressed, const double f[3],
                      const double u[3], tn_polish_map *out);
