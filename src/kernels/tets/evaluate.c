// Rotations, forces and energies of all tetrahedra at given places, pack by pack, by the kernels of this processor.
#include "kernels/tets/parts.h"

// Room for an evaluation; NULL: no memory.
static tn_tets_elastic *create(const tn_tets *tets, bool records, tn_arena *arena)
{
    size_t slots = (size_t)tets->n_packs * TN_TET_LANES;
    tn_tets_elastic *elastic = TN_PUSH(arena, tn_tets_elastic, 1);
    if (!elastic || !(elastic->energy = TN_PUSH_RAW(arena, double, slots))) {
        return NULL;
    }
    bool spins = records && tets->geometric;
    elastic->record = records ? TN_PUSH_RAW(arena, double, RECORD *slots) : NULL;
    elastic->spin = spins ? TN_PUSH_RAW(arena, double, SPIN *slots + 4) : NULL;
    return (elastic->record || !records) && (elastic->spin || !spins) ? elastic : NULL;
}

static tn_status evaluate(const tn_tets *tets, const double *x, int n_threads, bool records, tn_arena *arena,
                          tn_tets_elastic **out)
{
    *out = NULL;
    tn_tets_elastic *elastic = create(tets, records, arena);
    if (!elastic) {
        return TN_NO_MEMORY;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *position = TN_PUSH_RAW(arena, double, 4 * (size_t)tets->n_nodes);
    if (!position) {
        return TN_NO_MEMORY;
    }
    enum { PACKS = 16 };
    int n_chunks = (tets->n_packs + PACKS - 1) / PACKS;
    const tet_kernels *kernels = tn_tets_kernels();
#pragma omp parallel num_threads(tn_tets_team(tets, n_threads))
    {
#pragma omp for schedule(static)
        for (int i = 0; i < tets->n_nodes; i++) {
            for (int k = 0; k < 3; k++) {
                position[4 * (size_t)i + k] = x[3 * (size_t)i + k];
            }
        }
#pragma omp for schedule(static)
        for (int c = 0; c < n_chunks; c++) {
            kernels->packs(tets, position, elastic, c * PACKS, c + 1 < n_chunks ? (c + 1) * PACKS : tets->n_packs);
        }
    }
    tn_arena_release(arena, mark);
    *out = elastic;
    return TN_OK;
}

tn_status tn_tets_evaluate(const tn_tets *tets, const double *x, int n_threads, tn_arena *arena, tn_tets_elastic **out)
{
    return evaluate(tets, x, n_threads, true, arena, out);
}

tn_status tn_tets_evaluate_energy(const tn_tets *tets, const double *x, int n_threads, tn_arena *arena,
                                  tn_tets_elastic **out)
{
    return evaluate(tets, x, n_threads, false, arena, out);
}
