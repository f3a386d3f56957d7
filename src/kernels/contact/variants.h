// What packs.c chooses from: the contact kernels of one instruction set (sweep.h).
#pragma once

#include "kernels/contact/packs.h"

typedef struct tn_contact_variant {
    const char *kind;
    // Groups first..end-1.
    void (*add)(const tn_contact_packs *packs, int first, int end);
    void (*sweep)(const tn_contact_packs *packs, int first, int end);
    // Packs first..end-1.
    void (*prepare)(tn_law law, int n, const double *softness, tn_contact_pack *packs, double *turn, bool *regular);
    void (*sums)(const tn_contact_packs *packs, bool fclib, int first, int end, double sums[TN_PACK_SUMS]);
} tn_contact_variant;

extern const tn_contact_variant tn_contact_baseline;
#if defined(__x86_64__)
extern const tn_contact_variant tn_contact_avx2, tn_contact_avx512;
#endif

// In single precision; eight floats fill AVX2's registers. AVX-512 has a sweep alone.
typedef struct tn_contact_single_variant {
    const char *kind;
    // Groups first..end-1.
    void (*sweep)(const tn_contact_packs_single *packs, int first, int end);
    void (*add)(const tn_contact_packs_single *packs, int first, int end);
    // Packs first..end-1.
    void (*sums)(const tn_contact_packs_single *packs, bool fclib, int first, int end, double sums[TN_PACK_SUMS]);
} tn_contact_single_variant;

extern const tn_contact_single_variant tn_contact_single_baseline;
#if defined(__x86_64__)
extern const tn_contact_single_variant tn_contact_single_avx2;
void tn_contact_single_sweep_avx512(const tn_contact_packs_single *packs, int first, int end);
#endif

// Central packs first..end-1 (central_sweep.h).
typedef struct tn_central_variant {
    const char *kind;
    void (*sweep)(const tn_contact_packs_single *packs, int first, int end);
    void (*add)(const tn_contact_packs_single *packs, int first, int end);
    void (*sums)(const tn_contact_packs_single *packs, bool fclib, int first, int end, double sums[TN_PACK_SUMS]);
} tn_central_variant;

extern const tn_central_variant tn_central_baseline;
#if defined(__x86_64__)
extern const tn_central_variant tn_central_avx2, tn_central_avx512;
#endif

// One lane by the general solve: from the velocity u with the force r to the new force. Tangents turned.
void tn_contact_solve_lane(tn_law law, const tn_contact_pack *pack, int lane, const double u[3], double r[3]);
void tn_contact_solve_lane_single(tn_law law, const tn_contact_pack_single *pack, int lane, const double u[3],
                                  double r[3]);

// Groups of a round share no line, but for those inside of tiles.
static inline bool tn_contact_is_tiled(const tn_contact_packs_single *packs, int round)
{
    return packs->pieces.tiled[0] == round || packs->pieces.tiled[1] == round;
}
