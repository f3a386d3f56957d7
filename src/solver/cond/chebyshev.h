// Chebyshev's combination of V-FPI steps, the factor that comes between one and the next.
#pragma once

// (39): x+ = nu (u (F(x) - x) + x - x_previous) + x_previous, with the spectral radius r estimated from the last two
// step lengths. nu = 1 is the plain step.
typedef struct tn_cond_chebyshev {
    int step;    // steps since the last restart
    double nu;   // nu_l
    double last; // |x_l - x_{l-1}|, 0: none yet [m/s]
    double rate; // r
} tn_cond_chebyshev;

void tn_cond_chebyshev_restart(tn_cond_chebyshev *c);
// nu of the next step.
double tn_cond_chebyshev_factor(tn_cond_chebyshev *c, int start);
// Tell it the length of the step taken.
void tn_cond_chebyshev_tell(tn_cond_chebyshev *c, double theta);
