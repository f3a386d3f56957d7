// ccs' penalty rho: what differences of successive iterates say of the stiffness of A and of the contacts moves it, so
// that neither of its two residuals stays behind.
#include "solver/ccs/system.h"

#include "math/sums.h"

#include <math.h>

// Balancing: rho moves when it is off by more than WORTH, by at most LARGEST at once.
static const double WORTH = 2.0, LARGEST = 30.0;
static const double CORRELATION = 0.2; // of two differences, below which their quotient says nothing

// Stiffness dy/dx of a monotone map from one pair of differences, by the two Barzilai-Borwein quotients; 0: none to
// see.
static double stiffness(int n, const double *dx, const double *dy)
{
    double xx = tn_dot((size_t)n, dx, dx), xy = tn_dot((size_t)n, dx, dy), yy = tn_dot((size_t)n, dy, dy);
    if (!(xy > CORRELATION * sqrt(xx) * sqrt(yy))) {
        return 0.0;
    }
    double steepest = yy / xy, least = xy / xx;
    return 2.0 * least > steepest ? least : steepest - 0.5 * least;
}

// Dimensionless: velocities times sqrt(s), forces over it, s the inverse mobility.
void tn_ccs_remember(tn_ccs *s)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        double root = sqrt(s->check.rho[i / 3]);
        s->velocity_then[i] = root * s->u_split[i];
        s->force_then[i] = s->held[i] / root;
    }
}

// Spectral balancing (Xu, Figueiredo, Goldstein 2017), of the balance alone, since the strict law's map is not
// monotone. The classic comparison of the two residuals fails here: it depends on scales, and sliding speeds and
// prescribed motion hide the velocities that matter.
tn_status tn_ccs_rebalance(tn_ccs *s, bool damped, tn_error *error)
{
    int n = 3 * s->n;
    for (int i = 0; i < n; ++i) {
        double root = sqrt(s->check.rho[i / 3]);
        s->velocity_then[i] = root * s->u_split[i] - s->velocity_then[i];
        s->force_then[i] = s->held[i] / root - s->force_then[i];
    }
    double rho = stiffness(n, s->velocity_then, s->force_then);
    double ratio = rho > 0.0 ? rho / s->factor_of_rho : 1.0;
    ratio = damped ? sqrt(ratio) : ratio;
    ratio = fmin(fmax(ratio, 1.0 / LARGEST), LARGEST);
    if (ratio < WORTH && ratio > 1.0 / WORTH) {
        return TN_OK;
    }
    s->factor_of_rho *= ratio;
    return tn_ccs_factor(s, error);
}
