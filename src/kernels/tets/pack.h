// Private: the body of tn_tets_packs_*, for the TET_WIDTH that the including file sets. Packs are TN_TET_LANES wide
// whatever the width: a narrower vector takes a pack in parts.
#pragma once

#include "kernels/tets/parts.h"

#include "kernels/tets/polar.h"
#include "kernels/tets/spin.h"

typedef struct pack_material {
    lanes lambda, mu, time, spin; // Pa, Pa, s, s
} pack_material;

LANES_INLINE void load_material(const tn_tets *tets, size_t slot, pack_material *out)
{
    const int *index = tets->material + slot;
    // Runs of one material: all agree if the ends do.
    const tet_material *m = &tets->materials[index[0]];
    out->lambda = lanes_all(m->lambda);
    out->mu = lanes_all(m->mu);
    out->time = lanes_all(m->stiffness_time);
    out->spin = lanes_all(m->geometric_time);
    if (index[0] == index[TET_WIDTH - 1]) {
        return;
    }
    for (int l = 0; l < TET_WIDTH; l++) {
        m = &tets->materials[index[l]];
        out->lambda[l] = m->lambda;
        out->mu[l] = m->mu;
        out->time[l] = m->stiffness_time;
        out->spin[l] = m->geometric_time;
    }
}

// Edges from corner 0 as columns, of nodes at position.
LANES_INLINE void load_edges(const double *position, const int *node, lanes D[9])
{
    lanes column[3];
    LANES_UNROLL
    for (int a = 0; a < 3; a++) {
        lanes_from_rows(position, node + (a + 1) * TN_TET_LANES, node, column);
        D[a] = column[0];
        D[3 + a] = column[1];
        D[6 + a] = column[2];
    }
}

// Columns of the inverse are the cross products of the rows over the determinant: the bits of tn_mat3_inverse.
LANES_INLINE void invert(lanes out[9], const lanes D[9])
{
    lanes det =
        D[0] * (D[4] * D[8] - D[5] * D[7]) - D[1] * (D[3] * D[8] - D[5] * D[6]) + D[2] * (D[3] * D[7] - D[4] * D[6]);
    LANES_UNROLL
    for (int j = 0; j < 3; j++) {
        const lanes *p = D + 3 * ((j + 1) % 3), *q = D + 3 * ((j + 2) % 3);
        out[j] = (p[1] * q[2] - p[2] * q[1]) / det;
        out[3 + j] = (p[2] * q[0] - p[0] * q[2]) / det;
        out[6 + j] = (p[0] * q[1] - p[1] * q[0]) / det;
    }
}

// F = Ds Dm^-1; inverse = Dm^-1. kept: tets->inverse is there; a constant to the compiler.
LANES_INLINE void load_gradient(const tn_tets *tets, const double *position, size_t pack, size_t part, bool kept,
                                lanes inverse[9], lanes F[9])
{
    const int *node = tets->node + 4 * pack * TN_TET_LANES + part;
    lanes D[9];
    if (kept) {
        LANES_UNROLL
        for (int i = 0; i < 9; i++) {
            inverse[i] = lanes_load(tets->inverse + (9 * pack + (size_t)i) * TN_TET_LANES + part);
        }
    } else {
        load_edges(tets->rest, node, D);
        invert(inverse, D);
    }
    load_edges(position, node, D);
    mul(F, D, inverse);
}

LANES_INLINE void store_gradients(const lanes R[9], const lanes inverse[9], double *record)
{
    lanes g[12];
    LANES_UNROLL
    for (int a = 0; a < 3; a++) {
        const lanes *d = inverse + 3 * a;
        g[3 * a + 3] = R[0] * d[0] + R[1] * d[1] + R[2] * d[2];
        g[3 * a + 4] = R[3] * d[0] + R[4] * d[1] + R[5] * d[2];
        g[3 * a + 5] = R[6] * d[0] + R[7] * d[1] + R[8] * d[2];
    }
    LANES_UNROLL
    for (int i = 0; i < 3; i++) {
        g[i] = -(g[3 + i] + g[6 + i] + g[9 + i]);
    }
    lanes_to_rows(g[0], g[1], g[2], g[3], record, RECORD);
    lanes_to_rows(g[4], g[5], g[6], g[7], record + 4, RECORD);
    lanes_to_rows(g[8], g[9], g[10], g[11], record + 8, RECORD);
}

LANES_INLINE void pack_part(const tn_tets *tets, const double *position, size_t pack, size_t part, bool kept,
                            tn_tets_elastic *out)
{
    size_t slot = pack * TN_TET_LANES + part;
    lanes F[9], R[9], W[6], T[6], inverse[9], M[6];
    pack_material m;
    load_gradient(tets, position, pack, part, kept, inverse, F);
    polar(R, W, F);
    if (out->record) {
        store_gradients(R, inverse, out->record + RECORD * slot);
    }

    load_material(tets, slot, &m);
    lanes volume = lanes_load(tets->volume + slot), mu = m.mu * volume, lambda = m.lambda * volume;
    lanes trace = W[0] + W[1] + W[2] - 3.0, pressure = lambda * trace;
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        T[i] = i < 3 ? 2.0 * mu * (W[i] - 1.0) + pressure : 2.0 * mu * W[i];
    }
    lanes x = W[0] - 1.0, y = W[1] - 1.0, z = W[2] - 1.0; // |e|^2 from the strain itself: no cancellation
    lanes square = (x * x + y * y + z * z) + 2.0 * (W[3] * W[3] + W[4] * W[4] + W[5] * W[5]);
    lanes energy = mu * square + 0.5 * (pressure * trace);
    memcpy(out->energy + slot, &energy, sizeof energy);
    if (!out->record) {
        return;
    }
    double *record = out->record + RECORD * slot;
    lanes_to_rows(T[0], T[5], T[4], T[1], record + RECORD_STRESS, RECORD);
    lanes_to_rows(T[3], T[2], m.time * lambda, m.time * mu, record + RECORD_STRESS + 4, RECORD);
    if (out->spin) {
        double *spin = out->spin + SPIN * slot;
        spin_stiffness(W, m.lambda, m.mu, 0.5 * volume * m.spin, M);
        lanes_to_rows(M[0], M[5], M[4], M[0], spin, SPIN);
        lanes_to_rows(M[5], M[1], M[3], M[5], spin + 4, SPIN);
        lanes_to_rows(M[4], M[3], M[2], M[4], spin + 8, SPIN);
    }
}

LANES_INLINE void pack_range(const tn_tets *tets, const double *position, bool kept, tn_tets_elastic *out, int first,
                             int end)
{
    for (int pack = first; pack < end; pack++) {
        for (int part = 0; part < TN_TET_LANES; part += TET_WIDTH) {
            pack_part(tets, position, (size_t)pack, (size_t)part, kept, out);
        }
    }
}

// Apart, so that neither burdens the other's code.
TET_TARGET __attribute__((noinline)) static void packs_anew(const tn_tets *tets, const double *position,
                                                            tn_tets_elastic *out, int first, int end)
{
    pack_range(tets, position, false, out, first, end);
}

LANES_INLINE void packs_body(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first, int end)
{
    if (!tets->inverse) {
        packs_anew(tets, position, out, first, end);
        return;
    }
    pack_range(tets, position, true, out, first, end);
}
