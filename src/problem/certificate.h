// The certificate: distances to cones and products, no projection code of law/ or solver/.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

// All figures (tn_certificate in tenon/problem.h). with_fclib: also the fclib figure in global form, which needs
// the free velocity A^-1 b: cheap when A is block diagonal (by components), NaN when it would need a factorisation.
// In local form fclib is always computed. TN_NO_MEMORY only.
tn_status tn_certificate_compute(const tn_problem *problem, const tn_solution *solution, bool with_fclib,
                                 tn_arena *arena, tn_certificate *certificate);
