// Chebyshev's factor from step to step. It starts at 1, and follows the source's recurrence in the estimated spectral
// radius from step `start` on; that estimate, the quotient of two step lengths, is kept at 1 or below.
#include "solver/cond/chebyshev.h"

#include <math.h>

void tn_cond_chebyshev_restart(tn_cond_chebyshev *c)
{
    *c = (tn_cond_chebyshev){.nu = 1.0};
}

double tn_cond_chebyshev_factor(tn_cond_chebyshev *c, int start)
{
    double square = c->rate * c->rate;
    if (c->step == start) {
        c->nu = 2.0 / (2.0 - square);
    } else if (c->step > start) {
        c->nu = 4.0 / (4.0 - square * c->nu);
    }
    return c->nu;
}

void tn_cond_chebyshev_tell(tn_cond_chebyshev *c, double theta)
{
    c->rate = c->last > 0.0 ? fmin(theta / c->last, 1.0) : 0.0;
    c->last = theta;
    c->step++;
}
