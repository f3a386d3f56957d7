#include "solver/nodal/rate.h"

#include <math.h>

enum { SAMPLES = 64 };

// rho of one row.
static double share_of_mass(const tn_blocks *A, int row)
{
    double sum = 0.0, own = 0.0;
    for (int e = A->start[row]; e < A->start[row + 1]; e++) {
        const double *a = A->value + 9 * (size_t)e;
        double trace = a[0] + a[4] + a[8];
        sum += trace;
        own = A->column[e] == row ? trace : own;
    }
    return fmin(fmax(sum / own, 0.0), 1.0);
}

double tn_nodal_rate_guess(const tn_nodal_system *s)
{
    double rho[SAMPLES] = {0.0};
    int n = 0, n_rows = s->order->n_rows, n_samples = n_rows < SAMPLES ? n_rows : SAMPLES;
    for (int k = 0; k < n_samples; k++) {
        int row = (int)((double)n_rows * (k + 0.5) / n_samples);
        if (s->order->lane[row] >= TN_SELL_LANES * s->order->n_large) {
            continue;
        }
        // Kept sorted.
        double value = share_of_mass(s->problem->A, row);
        int at = n++;
        for (; at > 0 && rho[at - 1] > value; at--) {
            rho[at] = rho[at - 1];
        }
        rho[at] = value;
    }
    // The stiffer part decides, but not the few rows at its edges.
    return n > 0 ? exp(-2.0 * sqrt(rho[n / 4])) : 1.0;
}
