// Tetrahedra of soft bodies of a frame with stress and strain, a VTK file.
#include "kernels/tets/tets.h"
#include "mesh/tet.h"
#include "record/soft_elements.h"
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

struct tn_vtk_volume {
    const tn_recording *recording;
    tn_tets *elements;
    double *rest_volume; // (n_tets) [m^3]
    int *cell_body;      // (n_tets)
    int *offset;         // (n_tets) VTK's ends of cells
};

tn_status tn_vtk_volume_create(const tn_recording *r, tn_arena *arena, tn_arena *scratch, tn_vtk_volume **out,
                               tn_error *error)
{
    tn_vtk_volume *volume = *out = TN_PUSH(arena, tn_vtk_volume, 1);
    double *rest = TN_PUSH(arena, double, r->n_tets);
    int *body = TN_PUSH(arena, int, r->n_tets), *offset = TN_PUSH(arena, int, r->n_tets);
    if (!volume || !rest || !body || !offset) {
        return tn_vtk_no_memory(error);
    }
    *volume = (tn_vtk_volume){.recording = r, .rest_volume = rest, .cell_body = body, .offset = offset};
    for (int s = 0; s < r->n_softs; s++) {
        const tn_recorded_soft *soft = &r->softs[s];
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            rest[t] = tn_tet_volume(r->rest, r->tets + 4 * (size_t)t);
            body[t] = soft->body;
            offset[t] = 4 * (t + 1);
        }
    }
    return tn_recorded_elements(r, arena, scratch, &volume->elements, error);
}

// Numbers of a frame as VTK takes them.
typedef struct volume_arrays {
    float *position, *displacement, *velocity; // (n_nodes, 3)
    float *von_mises, *energy_density;         // (n_tets)
} volume_arrays;

static tn_status fill_elements(const tn_vtk_volume *volume, const double *x, tn_arena *arena, volume_arrays *out,
                               tn_error *error)
{
    size_t n_tets = (size_t)volume->recording->n_tets;
    tn_tets_elastic *elastic;
    double *stress = TN_PUSH(arena, double, 6 * n_tets), *energy = TN_PUSH(arena, double, n_tets);
    if (!stress || !energy || tn_tets_evaluate(volume->elements, x, 1, arena, &elastic) != TN_OK) {
        return tn_vtk_no_memory(error);
    }
    tn_tets_stress(volume->elements, elastic, stress);
    tn_tets_energies(volume->elements, elastic, energy);
    for (size_t t = 0; t < n_tets; t++) {
        out->von_mises[t] = (float)tn_von_mises(stress + 6 * t);
        out->energy_density[t] = (float)(energy[t] / volume->rest_volume[t]);
    }
    return TN_OK;
}

static tn_status fill(const tn_vtk_volume *volume, const double *x, const double *v, tn_arena *arena,
                      volume_arrays *out, tn_error *error)
{
    const tn_recording *r = volume->recording;
    size_t n = 3 * (size_t)r->n_nodes, n_tets = (size_t)r->n_tets;
    *out = (volume_arrays){.position = TN_PUSH(arena, float, n),
                           .displacement = TN_PUSH(arena, float, n),
                           .velocity = TN_PUSH(arena, float, n),
                           .von_mises = TN_PUSH(arena, float, n_tets),
                           .energy_density = TN_PUSH(arena, float, n_tets)};
    if (!out->position || !out->displacement || !out->velocity || !out->von_mises || !out->energy_density) {
        return tn_vtk_no_memory(error);
    }
    for (size_t k = 0; k < n; k++) {
        out->position[k] = (float)x[k];
        out->displacement[k] = (float)(x[k] - r->rest[k]);
        out->velocity[k] = (float)v[k];
    }
    return fill_elements(volume, x, arena, out, error);
}

tn_status tn_vtk_write_volume(const tn_vtk_volume *volume, const double *x, const double *v, const char *path,
                              tn_arena *arena, tn_error *error)
{
    const tn_recording *r = volume->recording;
    size_t n_nodes = (size_t)r->n_nodes, n_tets = (size_t)r->n_tets;
    volume_arrays arrays;
    tn_status status = fill(volume, x, v, arena, &arrays, error);
    FILE *out = status == TN_OK ? tn_vtk_open(path, error) : NULL;
    if (!out) {
        return status == TN_OK ? TN_IO : status;
    }
    tn_vtk_begin(out, r->n_nodes, r->n_tets);
    fprintf(out, "<PointData Vectors=\"displacement\">\n");
    tn_vtk_array(out, "displacement", TN_VTK_FLOAT32, 3, 3 * n_nodes, arrays.displacement);
    tn_vtk_array(out, "velocity", TN_VTK_FLOAT32, 3, 3 * n_nodes, arrays.velocity);
    fprintf(out, "</PointData>\n<CellData Scalars=\"von_mises\">\n");
    tn_vtk_array(out, "von_mises", TN_VTK_FLOAT32, 1, n_tets, arrays.von_mises);
    tn_vtk_array(out, "energy_density", TN_VTK_FLOAT32, 1, n_tets, arrays.energy_density);
    tn_vtk_array(out, "body", TN_VTK_INT32, 1, n_tets, volume->cell_body);
    fprintf(out, "</CellData>\n");
    tn_vtk_put_points(out, n_nodes, arrays.position);
    tn_vtk_put_cells(out, 4 * n_tets, r->tets, n_tets, volume->offset, TN_VTK_TETRA);
    return tn_vtk_end(out, path, error);
}
