#include "view/stress.h"

#include "mesh/tet.h"
#include "record/soft_elements.h"

struct tn_node_stress {
    const tn_recording *recording;
    tn_tets *elements;
    double *volume; // (n_tets) at rest [m^3]
    double *around; // (n_nodes) of the elements of each node
};

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the stress of soft bodies");
}

tn_status tn_node_stress_create(const tn_recording *r, tn_arena *arena, tn_arena *scratch, tn_node_stress **out,
                                tn_error *error)
{
    tn_node_stress *s = *out = TN_PUSH(arena, tn_node_stress, 1);
    double *volume = TN_PUSH(arena, double, r->n_tets), *around = TN_PUSH(arena, double, r->n_nodes);
    if (!s || !volume || !around) {
        return no_memory(error);
    }
    *s = (tn_node_stress){.recording = r, .volume = volume, .around = around};
    for (int t = 0; t < r->n_tets; t++) {
        const int *tet = r->tets + 4 * (size_t)t;
        volume[t] = tn_tet_volume(r->rest, tet);
        for (int k = 0; k < 4; k++) {
            around[tet[k]] += volume[t];
        }
    }
    return tn_recorded_elements(r, arena, scratch, &s->elements, error);
}

tn_status tn_node_stress_at(const tn_node_stress *s, const double *x, tn_arena *scratch, float *out, tn_error *error)
{
    const tn_recording *r = s->recording;
    tn_tets_elastic *elastic;
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    double *stress = TN_PUSH(scratch, double, 6 * (size_t)r->n_tets);
    double *sum = TN_PUSH(scratch, double, r->n_nodes);
    if (!stress || !sum || tn_tets_evaluate(s->elements, x, 1, scratch, &elastic) != TN_OK) {
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
    tn_arena_release(scratch, mark);
    return TN_OK;
}
