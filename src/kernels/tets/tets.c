#include "kernels/tets/parts.h"

#include "math/mat3.h"

#include <limits.h>
#include <string.h>

int tn_tets_tied_pairs(const tn_tets *tets, const tn_tets_pair **pairs)
{
    *pairs = tets->pairs;
    return tets->n_pairs;
}

static tet_material material_of(const tn_tets_input *input, int e)
{
    return (tet_material){.lambda = input->lambda[e],
                          .mu = input->mu[e],
                          .stiffness_time = input->stiffness_time[e],
                          .geometric_time = input->geometric_time[e],
                          .ratio = input->lambda[e] / input->mu[e]};
}

static bool same_material(const tet_material *a, const tet_material *b)
{
    return a->lambda == b->lambda && a->mu == b->mu && a->stiffness_time == b->stiffness_time &&
           a->geometric_time == b->geometric_time;
}

// Runs of equal materials in the elements' order; a body has one, so the list stays short.
static bool list_materials(const tn_tets_input *input, tn_tets *tets, tn_arena *arena)
{
    int n = 0;
    for (int e = 0; e < input->n_tets; e++) {
        tet_material m = material_of(input, e), before = material_of(input, e > 0 ? e - 1 : 0);
        n += e == 0 || !same_material(&m, &before);
    }
    tets->materials = TN_PUSH(arena, tet_material, n);
    tets->material = TN_PUSH(arena, int, (size_t)tets->n_packs *TN_TET_LANES);
    if (!tets->materials || !tets->material) {
        return false;
    }
    for (int e = 0; e < input->n_tets; e++) {
        tet_material m = material_of(input, e);
        if (tets->n_materials == 0 || !same_material(&m, &tets->materials[tets->n_materials - 1])) {
            tets->materials[tets->n_materials++] = m;
        }
        tets->material[e] = tets->n_materials - 1;
        tets->geometric = tets->geometric || m.geometric_time > 0.0;
    }
    return true;
}

// Dm^-1 and volume of element e.
static tn_status rest_shape(const tn_tets_input *input, int e, double inverse[9], double *volume, tn_error *error)
{
    const int *node = input->tets + 4 * (size_t)e;
    double edges[9];
    for (int a = 0; a < 4; a++) {
        if (node[a] < 0 || node[a] >= input->n_nodes) {
            return tn_error_set(error, TN_BAD_INPUT, "tetrahedron %d: no node %d", e, node[a]);
        }
    }
    const double *origin = input->rest + 3 * (size_t)node[0];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) {
            edges[3 * i + a] = input->rest[3 * (size_t)node[a + 1] + i] - origin[i];
        }
    }
    *volume = tn_mat3_det(edges) / 6.0;
    if (!(*volume > 0.0) || !tn_mat3_inverse(inverse, edges)) {
        return tn_error_set(error, TN_BAD_INPUT, "tetrahedron %d: volume %g m^3 is not positive", e, *volume);
    }
    return TN_OK;
}

enum { INVERSE_BELOW = 200000 };

// Dm^-1 as long as caches are likely to hold it; a mesh beyond them keeps its nodes instead.
static bool allocate_rest(const tn_tets_input *input, tn_tets *tets, tn_arena *arena)
{
    if (tets->n_tets < (input->inverse_below ? input->inverse_below : INVERSE_BELOW)) {
        tets->inverse = TN_PUSH_RAW(arena, double, 9 * (size_t)tets->n_packs * TN_TET_LANES);
        return tets->inverse != NULL;
    }
    tets->rest = TN_PUSH(arena, double, 4 * (size_t)tets->n_nodes);
    for (int i = 0; tets->rest && i < tets->n_nodes; i++) {
        memcpy(tets->rest + 4 * (size_t)i, input->rest + 3 * (size_t)i, 3 * sizeof *tets->rest);
    }
    return tets->rest != NULL;
}

static tn_status fill_packs(const tn_tets_input *input, tn_tets *tets, tn_error *error)
{
    for (int slot = 0; slot < tets->n_packs * TN_TET_LANES; slot++) {
        int e = slot < input->n_tets ? slot : input->n_tets - 1;
        int pack = slot / TN_TET_LANES, lane = slot % TN_TET_LANES;
        double inverse[9] = {0.0};
        tn_status status = rest_shape(input, e, inverse, &tets->volume[slot], error);
        if (status) {
            return status;
        }
        for (int k = 0; tets->inverse && k < 9; k++) {
            tets->inverse[((size_t)pack * 9 + k) * TN_TET_LANES + lane] = inverse[k];
        }
        for (int a = 0; a < 4; a++) {
            tets->node[((size_t)pack * 4 + a) * TN_TET_LANES + lane] = input->tets[4 * (size_t)e + a];
        }
        tets->material[slot] = tets->material[e];
    }
    return TN_OK;
}

static bool has_one_ratio(const tn_tets *tets)
{
    for (int i = 0; i < tets->n_nodes; i++) {
        for (int k = tets->corner_start[i] + 1; k < tets->corner_start[i + 1]; k++) {
            int e = tet_of(tets->corners[k]), before = tet_of(tets->corners[k - 1]);
            if (tets->materials[tets->material[e]].ratio != tets->materials[tets->material[before]].ratio) {
                return false;
            }
        }
    }
    return true;
}

tn_status tn_tets_create(const tn_tets_input *input, tn_arena *arena, tn_tets **out, tn_error *error)
{
    if (input->n_tets > INT_MAX / 16) {
        return tn_error_set(error, TN_BAD_INPUT, "%d tetrahedra are too many", input->n_tets);
    }
    tn_tets *tets = TN_PUSH(arena, tn_tets, 1);
    if (!tets) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for tetrahedra");
    }
    tets->n_nodes = input->n_nodes;
    tets->n_tets = input->n_tets;
    tets->n_packs = (input->n_tets + TN_TET_LANES - 1) / TN_TET_LANES;
    size_t slots = (size_t)tets->n_packs * TN_TET_LANES;
    tets->node = TN_PUSH(arena, int, 4 * slots);
    tets->volume = TN_PUSH(arena, double, slots);
    if (!tets->node || !tets->volume || !allocate_rest(input, tets, arena) || !list_materials(input, tets, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d tetrahedra", input->n_tets);
    }
    tn_status status = fill_packs(input, tets, error);
    if (!status) {
        status = tn_tets_tables(input, tets, arena, error);
    }
    tets->one_ratio = !status && has_one_ratio(tets);
    *out = status ? NULL : tets;
    return status;
}
