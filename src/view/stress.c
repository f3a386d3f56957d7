#include "view/stress.h"

#include "base/memory.h"
#include "mesh/tet.h"
#include "record/soft_elements.h"

struct tn_node_stress {
    const tn_recording *recording;
    tn_arena *arena, *scratch;
    tn_tets *elements;
    double *volume; // (n_tets) at rest [m^3]
    double *around; // (n_nodes) of the elements of each node
};

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the stress of soft bodies");
}

static tn_status create(tn_node_stress *s, tn_error *error)
{
    const tn_recording *r = s->recording;
    s->arena = tn_arena_create(0);
    s->scratch = tn_arena_create(0);
    if (!s->arena || !s->scratch) {
        return no_memory(error);
    }
    s->volume = TN_PUSH(s->arena, double, r->n_tets);
    s->around = TN_PUSH(s->arena, double, r->n_nodes);
    if (!s->volume || !s->around) {
        return no_memory(error);
    }
    for (int t = 0; t < r->n_tets; t++) {
        const int *tet = r->tets + 4 * (size_t)t;
        s->volume[t] = tn_tet_volume(r->rest, tet);
        for (int k = 0; k < 4; k++) {
            s->around[tet[k]] += s->volume[t];
        }
    }
    return tn_recorded_elements(r, s->arena, s->scratch, &s->elements, error);
}

tn_node_stress *tn_node_stress_create(const tn_recording *recording, tn_error *error)
{
    tn_node_stress *s = tn_calloc(1, sizeof *s);
    if (!s) {
        no_memory(error);
        return NULL;
    }
    s->recording = recording;
    if (create(s, error) != TN_OK) {
        tn_node_stress_destroy(s);
        return NULL;
    }
    return s;
}

void tn_node_stress_destroy(tn_node_stress *s)
{
    if (s) {
        tn_arena_destroy(s->arena);
        tn_arena_destroy(s->scratch);
        tn_free(s);
    }
}

tn_status tn_node_stress_at(tn_node_stress *s, const double *x, float *out, tn_error *error)
{
    const tn_recording *r = s->recording;
    tn_tets_elastic *elastic;
    tn_arena_reset(s->scratch);
    double *stress = TN_PUSH(s->scratch, double, 6 * (size_t)r->n_tets);
    double *sum = TN_PUSH(s->scratch, double, r->n_nodes);
    if (!stress || !sum || tn_tets_evaluate(s->elements, x, 1, s->scratch, &elastic) != TN_OK) {
        return no_memory(error);
    }
    tn_tets_stress(s->elements, elastic, stress);
    for (int t = 0; t < r->n_tets; t++) {
        double part = s->volume[t] * tn_von_mises(stress + 6 * (size_t)t);
        for (int k = 0; k < 4; k++) {
            sum[r->tets[4 * (size_t)t + (size_t)k]] += part;
        }
    }
    for (int i = 0; i < r->n_nodes; i++) {
        out[i] = s->around[i] > 0.0 ? (float)(sum[i] / s->around[i]) : 0.0F;
    }
    return TN_OK;
}
