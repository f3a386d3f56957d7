// The polyhedral friction cone (law/polygon.h) of a problem's contacts; without facets that of a problem in the plane.
#pragma once

#include "tenon/problem.h"

// Number of directions in which contact m can be pushed: 0 without friction, 2 where only t1 counts.
int tn_facets_count(const tn_problem *problem, int m);
// Largest of the two coefficients: |lambda_t| <= mu lambda_n in the sense of tn_facets_direction's coefficients.
double tn_facets_mu(const tn_problem *problem, int m);
// Direction i of contact m in (t1, t2); of length 1 where friction is isotropic, else on the ellipse mu / max mu.
// Opposite directions are exactly opposite.
void tn_facets_direction(const tn_problem *problem, int m, int i, double d[2]);
// Edge i of the cone, (1, mu d) with the direction d; (1, 0, 0) without friction.
void tn_facets_ray(const tn_problem *problem, int m, int i, double ray[3]);
// Contact m's tangent 2 does not move: a problem in the plane of n and t1. Global form: its Jacobian row is zero.
bool tn_facets_planar(const tn_problem *problem, int m);
// NULL, or why a problem without facets has no polyhedral cone that is exact.
const char *tn_facets_refusal(const tn_problem *problem);
