// How well one contact's law holds on the scale of its own bodies.
//
// The natural map's residual e [N] is divided by the forces that its own bodies would need: with the effective mass m
// of the contact [kg/s], the velocity v that they bring along (that of A^-1 b, the larger one's) and the change dv that
// gravity makes in a step,
//
//     max(m dv, min(|lambda|, m v))
//
// A light body that bears a weight a million times its own has |lambda| >> m v = m dv, what slides has m v >> |lambda|,
// and what is hit has |lambda| and m v alike: the least of both is what the motion of these bodies depends on.
#pragma once

#include "tenon/problem.h"

// Contact m of the global form with its effective mass, force and velocity u (3, with Omega lambda). 0 where nothing
// is known to compare with. Up to `allowed` it may be said too large, which is cheaper. Not for moments.
double tn_own_error(const tn_problem *problem, int m, double mass, const double lambda[3], const double u[3],
                    double allowed);
