// Energy, stress and rotations: for records.
#include "kernels/tets_parts.h"

#include "math/mat3.h"

// From volume times stress T: V e = dev T/(2 mu) + tr T/(3 (3 lambda + 2 mu)) 1, energy T : e / 2.
static double energy_of(const tn_tets *tets, const tn_tets_elastic *elastic, int e)
{
    const tet_material *m = &tets->materials[tets->material[e]];
    const double *T = elastic->record + RECORD * (size_t)e + RECORD_STRESS;
    double trace = T[0] + T[3] + T[5], x = T[0] - trace / 3.0, y = T[3] - trace / 3.0, z = T[5] - trace / 3.0;
    double deviator = x * x + y * y + z * z + 2.0 * (T[1] * T[1] + T[2] * T[2] + T[4] * T[4]);
    double sum = deviator / (2.0 * m->mu) + trace * trace / (3.0 * (3.0 * m->lambda + 2.0 * m->mu));
    return 0.5 * sum / tets->volume[e];
}

void tn_tets_energies(const tn_tets *tets, const tn_tets_elastic *elastic, double *energy)
{
    for (int e = 0; e < tets->n_tets; e++) {
        energy[e] = energy_of(tets, elastic, e);
    }
}

double tn_tets_energy(const tn_tets *tets, const tn_tets_elastic *elastic)
{
    double sum = 0.0;
    for (int e = 0; e < tets->n_tets; e++) {
        sum += energy_of(tets, elastic, e);
    }
    return sum;
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

// R = sum_a g'_a d_a^T with the rest edges d_a, the columns of Dm: they are dual to the gradients.
void tn_tets_rotations(const tn_tets *tets, const tn_tets_elastic *elastic, double *rotation)
{
    for (int e = 0; e < tets->n_tets; e++) {
        size_t pack = (size_t)e / TN_TET_LANES, lane = (size_t)e % TN_TET_LANES;
        const double *g = elastic->record + RECORD * (size_t)e + 3;
        double inverse[9], edges[9] = {0.0};
        for (int k = 0; tets->inverse && k < 9; k++) {
            inverse[k] = tets->inverse[(9 * pack + k) * TN_TET_LANES + lane];
        }
        if (tets->inverse) {
            tn_mat3_inverse(edges, inverse);
        } else {
            tn_tets_rest_edges(tets, (size_t)e, edges);
        }
        for (int i = 0; i < 9; i++) {
            int r = i / 3, c = 3 * (i % 3);
            rotation[9 * (size_t)e + i] = g[r] * edges[c] + g[3 + r] * edges[c + 1] + g[6 + r] * edges[c + 2];
        }
    }
}
