// Rotations, forces and energies of all tetrahedra at given places, pack by pack, by the kernels of this processor.
#include "kernels/tets/parts.h"

#include "base/team.h"

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

typedef struct evaluating {
    const tn_tets *tets;
    const double *x;  // three numbers a node
    double *position; // four
    tn_tets_elastic *elastic;
} evaluating;

static void spread(const void *context, int first, int end, int thread)
{
    const evaluating *e = context;
    for (int i = first; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            e->position[4 * (size_t)i + k] = e->x[3 * (size_t)i + k];
        }
    }
}

static void evaluate_packs(const void *context, int first, int end, int thread)
{
    const evaluating *e = context;
    tn_tets_kernels()->packs(e->tets, e->position, e->elastic, first, end);
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
    const evaluating e = {.tets = tets, .x = x, .position = position, .elastic = elastic};
    int team = tn_tets_team(tets, n_threads);
    tn_team_share(team, tets->n_nodes, 1024, spread, &e);
    tn_team_share(team, tets->n_packs, 16, evaluate_packs, &e);
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
