// Energy and stress: for records.
#include "kernels/tets/parts.h"

#include <string.h>

void tn_tets_energies(const tn_tets *tets, const tn_tets_elastic *elastic, double *energy)
{
    memcpy(energy, elastic->energy, (size_t)tets->n_tets * sizeof *energy);
}

// Four sums that do not wait for one another.
double tn_tets_energy(const tn_tets *tets, const tn_tets_elastic *elastic)
{
    double sum[4] = {0.0};
    int whole = tets->n_tets / 4 * 4;
    for (int e = 0; e < whole; e += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += elastic->energy[e + k];
        }
    }
    for (int e = whole; e < tets->n_tets; e++) {
        sum[e - whole] += elastic->energy[e];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void tn_tets_stress(const tn_tets *tets, const tn_tets_elastic *elastic, double *stress)
{
    const int at[6] = {0, 3, 5, 4, 2, 1};
    for (int e = 0; e < tets->n_tets; e++) {
        const double *T = elastic->record + RECORD * (size_t)e + RECORD_STRESS;
        for (int k = 0; k < 6; k++) {
            stress[6 * (size_t)e + k] = T[at[k]] / tets->volume[e];
        }
    }
}
