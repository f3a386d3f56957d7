// Private: the two precisions of fronts.c.
#pragma once

#include "kernels/fronts/fronts.h"

bool tn_fronts_factor_double(tn_fronts *fronts, const tn_blocks *K);
void tn_fronts_solve_double(tn_fronts *fronts, const double *b, double *x);
bool tn_fronts_factor_single(tn_fronts *fronts, const tn_blocks *K);
void tn_fronts_solve_single(tn_fronts *fronts, const double *b, double *x);
