#include "kernels/tets_parts.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// The rotations' own stiffness, per unit of geometric_time volume / 2, in the element's axes: eigenvectors of the
// symmetric S = R^T F, twist k turning the two others:
//     tau_k = 2 mu - 2 (2 mu - lambda tr e)/(s_i + s_j), negative ones dropped.
// At the maximising rotation s_i + s_j >= 0. It vanishes where two singular values cancel; the quotient then goes to
// minus infinity, harmless, unless tr e > 2 mu/lambda: so the sum counts as LEAST_SUM at least, which only blunts E.
static void spin_stiffness(const tet_material *m, const double S[9], double M[9])
{
    const double LEAST_SUM = 0.0625;
    double s[3], V[9];
    tn_mat3_eigen(S, s, V);
    double sum = s[0] + s[1] + s[2], shear = 2.0 * (2.0 * m->mu - m->lambda * (sum - 3.0));
    memset(M, 0, 9 * sizeof *M);
    for (int k = 0; k < 3; k++) {
        double tau = 2.0 * m->mu - shear / fmax(sum - s[k], LEAST_SUM);
        for (int i = 0; i < 9 && tau > 0.0; i++) {
            M[i] += tau * V[3 * (i / 3) + k] * V[3 * (i % 3) + k];
        }
    }
}

// out = scale (R A R^T), xx yy zz yz xz xy of it.
static void to_world(const double R[9], const double A[9], double scale, double out[6])
{
    double B[9], C[9];
    tn_mat3_mul(B, R, A);
    tn_mat3_mul_nt(C, B, R);
    const int at[6] = {0, 4, 8, 5, 2, 1};
    for (int k = 0; k < 6; k++) {
        out[k] = scale * C[at[k]];
    }
}

static void evaluate(const tn_tets *tets, const double *x, int slot, tn_tets_elastic *out)
{
    size_t pack = (size_t)slot / TN_TET_LANES, lane = (size_t)slot % TN_TET_LANES;
    const tet_material *m = &tets->materials[tets->material[slot]];
    double *record = out->record + RECORD * (size_t)slot, volume = tets->volume[slot];
    double D[9], Dm[9], F[9], R[9], S[9];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) {
            const int *node = tets->node + 4 * pack * TN_TET_LANES + lane;
            D[3 * i + a] = x[3 * (size_t)node[(a + 1) * TN_TET_LANES] + i] - x[3 * (size_t)node[0] + i];
            Dm[3 * i + a] = tets->inverse[(9 * pack + 3 * i + a) * TN_TET_LANES + lane];
        }
    }
    tn_mat3_mul(F, D, Dm);
    tn_tet_rotation(F, R);
    tn_mat3_mul_tn(S, R, F);
    S[1] = S[3] = 0.5 * (S[1] + S[3]);
    S[2] = S[6] = 0.5 * (S[2] + S[6]);
    S[5] = S[7] = 0.5 * (S[5] + S[7]);

    for (int a = 1; a < 4; a++) {
        tn_mat3_vec(record + 3 * a, R, Dm + 3 * (a - 1));
    }
    for (int i = 0; i < 3; i++) {
        record[i] = -(record[3 + i] + record[6 + i] + record[9 + i]);
    }
    double stress[9], pressure = m->lambda * (S[0] + S[4] + S[8] - 3.0);
    for (int k = 0; k < 9; k++) {
        stress[k] = 2.0 * m->mu * S[k] + (k % 4 == 0) * (pressure - 2.0 * m->mu);
    }
    to_world(R, stress, volume, record + RECORD_STRESS);
    record[RECORD_LAMBDA] = m->stiffness_time * volume * m->lambda;
    record[RECORD_MU] = m->stiffness_time * volume * m->mu;
    if (m->geometric_time > 0.0) {
        double M[9];
        spin_stiffness(m, S, M);
        to_world(R, M, 0.5 * m->geometric_time * volume, out->spin + SPIN * (size_t)slot);
    }
}

tn_status tn_tets_evaluate(const tn_tets *tets, const double *x, int n_threads, tn_arena *arena, tn_tets_elastic **out)
{
    *out = NULL;
    int slots = tets->n_packs * TN_TET_LANES;
    tn_tets_elastic *elastic = TN_PUSH(arena, tn_tets_elastic, 1);
    if (!elastic) {
        return TN_NO_MEMORY;
    }
    elastic->record = TN_PUSH(arena, double, RECORD *(size_t)slots);
    elastic->spin = tets->geometric ? TN_PUSH(arena, double, SPIN *(size_t)slots) : NULL;
    if (!elastic->record || (tets->geometric && !elastic->spin)) {
        return TN_NO_MEMORY;
    }
#pragma omp parallel for schedule(static) num_threads(n_threads) if (slots >= TET_WORTH_A_TEAM)
    for (int slot = 0; slot < slots; slot++) {
        evaluate(tets, x, slot, elastic);
    }
    *out = elastic;
    return TN_OK;
}
