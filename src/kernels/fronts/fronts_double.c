// The multifrontal factor (fronts_body.h) in double precision.
#define FRONTS_REAL double
#define FRONTS_KERNELS (s->kernels)
#include "kernels/fronts/fronts_body.h"

#include "kernels/fronts/fronts_data.h"

bool tn_fronts_factor_double(tn_fronts *s, const tn_blocks *K)
{
    return factor(s, K);
}

void tn_fronts_solve_double(tn_fronts *s, const double *b, double *x)
{
    solve(s, b, x);
}
