#include "kernels/tets_parts.h"

#include "math/vec3.h"

// out = T g of the symmetric T (xx yy zz yz xz xy).
static void symmetric_times(const double T[6], const double g[3], double out[3])
{
    tn_vec3_set(out, T[0] * g[0] + T[5] * g[1] + T[4] * g[2], T[5] * g[0] + T[1] * g[1] + T[3] * g[2],
                T[4] * g[0] + T[3] * g[1] + T[2] * g[2]);
}

void tn_tets_force(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, double *force)
{
#pragma omp parallel for schedule(static) num_threads(n_threads) if (tets->n_tets >= TET_WORTH_A_TEAM)
    for (int i = 0; i < tets->n_nodes; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = tets->corner_start[i]; k < tets->corner_start[i + 1]; k++) {
            const double *record = elastic->record + RECORD * (size_t)tet_of(tets->corners[k]);
            double f[3];
            symmetric_times(record + RECORD_STRESS, record + 3 * (tets->corners[k] & 3), f);
            tn_vec3_sub(sum, sum, f);
        }
        tn_vec3_copy(force + 3 * (size_t)i, sum);
    }
}

// y += the row of element e at corner a, applied to v: stress of the velocity gradient sum_b v_b g'_b^T, and the
// couple of its spin.
static void add_row(const tn_tets *tets, const tn_tets_elastic *elastic, tet_corners code, const double *v, double *y)
{
    size_t e = (size_t)tet_of(code);
    const int *node = tets->node + e / TN_TET_LANES * 4 * TN_TET_LANES + e % TN_TET_LANES;
    const double *record = elastic->record + RECORD * e, *g = record + 3 * (code & 3);
    double L[9] = {0.0}, part[3];
    for (int b = 0; b < 4; b++) {
        const double *vb = v + 3 * (size_t)node[b * TN_TET_LANES], *gb = record + 3 * b;
        for (int i = 0; i < 9; i++) {
            L[i] += vb[i / 3] * gb[i % 3];
        }
    }
    double pressure = record[RECORD_LAMBDA] * (L[0] + L[4] + L[8]), mu = record[RECORD_MU];
    const double T[6] = {2.0 * mu * L[0] + pressure, 2.0 * mu * L[4] + pressure, 2.0 * mu * L[8] + pressure,
                         mu * (L[5] + L[7]),         mu * (L[2] + L[6]),         mu * (L[1] + L[3])};
    symmetric_times(T, g, part);
    tn_vec3_add(y, y, part);
    if (elastic->spin) {
        const double turn[3] = {L[7] - L[5], L[2] - L[6], L[3] - L[1]};
        double couple[3];
        symmetric_times(elastic->spin + SPIN * e, turn, couple);
        tn_vec3_cross(part, couple, g);
        tn_vec3_add(y, y, part);
    }
}

void tn_tets_product(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, const double *v, double *y)
{
#pragma omp parallel for schedule(static) num_threads(n_threads) if (tets->n_tets >= TET_WORTH_A_TEAM)
    for (int i = 0; i < tets->n_nodes; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = tets->corner_start[i]; k < tets->corner_start[i + 1]; k++) {
            add_row(tets, elastic, tets->corners[k], v, sum);
        }
        tn_vec3_copy(y + 3 * (size_t)i, sum);
    }
}
