// The multifrontal factor (fronts_body.h) in single precision.
#define FRONTS_REAL float
#define FRONTS_KERNELS (s->kernels_single)
#include "kernels/fronts/fronts_body.h"

#include "kernels/fronts/fronts_data.h"

bool tn_fronts_factor_single(tn_fronts *s, const tn_blocks *K)
{
    return factor(s, K);
}

void tn_fronts_solve_single(tn_fronts *s, const double *b, double *x)
{
    solve(s, b, x);
}
