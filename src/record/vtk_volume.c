#include "base/arena.h"
#include "base/memory.h"
#include "kernels/tets.h"
#include "mesh/tet.h"
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

#include <math.h>

struct tn_vtk_volume {
    const tn_recording *recording;
    tn_arena *arena;   // the elements
    tn_arena *scratch; // of a frame
    tn_tets *elements;
    double *rest_volume; // (n_tets) [m^3]
    int *cell_body;      // (n_tets)
    int *offset;         // (n_tets) VTK's ends of cells
};

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the export");
}

// Elements for stresses alone: no block of theirs goes into a matrix.
static tn_status create_elements(tn_vtk_volume *volume, tn_error *error)
{
    const tn_recording *r = volume->recording;
    size_t n_nodes = (size_t)r->n_nodes, n_tets = (size_t)r->n_tets;
    double *lambda = TN_PUSH(volume->scratch, double, n_tets), *mu = TN_PUSH(volume->scratch, double, n_tets);
    double *no_time = TN_PUSH(volume->scratch, double, n_tets);
    int *block = TN_PUSH(volume->scratch, int, n_nodes);
    bool *tied = TN_PUSH(volume->scratch, bool, n_nodes);
    if (!lambda || !mu || !no_time || !block || !tied) {
        return no_memory(error);
    }
    for (int s = 0; s < r->n_softs; s++) {
        const tn_recorded_soft *soft = &r->softs[s];
        double shear = soft->young / (2.0 * (1.0 + soft->poisson));
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            mu[t] = shear;
            lambda[t] = 2.0 * shear * soft->poisson / (1.0 - 2.0 * soft->poisson);
        }
    }
    for (size_t i = 0; i < n_nodes; i++) {
        block[i] = -1;
    }
    const tn_blocks empty = {0};
    const tn_tets_input input = {.n_nodes = r->n_nodes,
                                 .rest = r->rest,
                                 .n_tets = r->n_tets,
                                 .tets = r->tets,
                                 .lambda = lambda,
                                 .mu = mu,
                                 .stiffness_time = no_time,
                                 .geometric_time = no_time,
                                 .block = block,
                                 .tied = tied,
                                 .pattern = &empty};
    return tn_tets_create(&input, volume->arena, &volume->elements, error);
}

static tn_status fill_cells(tn_vtk_volume *volume, tn_error *error)
{
    const tn_recording *r = volume->recording;
    volume->rest_volume = TN_PUSH(volume->arena, double, r->n_tets);
    volume->cell_body = TN_PUSH(volume->arena, int, r->n_tets);
    volume->offset = TN_PUSH(volume->arena, int, r->n_tets);
    if (!volume->rest_volume || !volume->cell_body || !volume->offset) {
        return no_memory(error);
    }
    for (int s = 0; s < r->n_softs; s++) {
        const tn_recorded_soft *soft = &r->softs[s];
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            volume->rest_volume[t] = tn_tet_volume(r->rest, r->tets + 4 * (size_t)t);
            volume->cell_body[t] = soft->body;
            volume->offset[t] = 4 * (t + 1);
        }
    }
    return TN_OK;
}

tn_vtk_volume *tn_vtk_volume_create(const tn_recording *recording, tn_error *error)
{
    tn_vtk_volume *volume = tn_calloc(1, sizeof *volume);
    if (!volume) {
        no_memory(error);
        return NULL;
    }
    volume->recording = recording;
    volume->arena = tn_arena_create("elements", 0);
    volume->scratch = tn_arena_create("export", 0);
    tn_status status = volume->arena && volume->scratch ? create_elements(volume, error) : no_memory(error);
    status = status == TN_OK ? fill_cells(volume, error) : status;
    if (status != TN_OK) {
        tn_vtk_volume_destroy(volume);
        return NULL;
    }
    return volume;
}

void tn_vtk_volume_destroy(tn_vtk_volume *volume)
{
    if (volume) {
        tn_arena_destroy(volume->arena);
        tn_arena_destroy(volume->scratch);
        tn_free(volume);
    }
}

// Numbers of a frame as VTK takes them.
typedef struct volume_arrays {
    float *position, *displacement, *velocity; // (n_nodes, 3)
    float *von_mises, *energy_density;         // (n_tets)
} volume_arrays;

// From xx yy zz yz xz xy.
static double von_mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

static tn_status fill_elements(tn_vtk_volume *volume, const double *x, volume_arrays *out, tn_error *error)
{
    size_t n_tets = (size_t)volume->recording->n_tets;
    tn_tets_elastic *elastic;
    double *stress = TN_PUSH(volume->scratch, double, 6 * n_tets), *energy = TN_PUSH(volume->scratch, double, n_tets);
    if (!stress || !energy || tn_tets_evaluate(volume->elements, x, 1, volume->scratch, &elastic) != TN_OK) {
        return no_memory(error);
    }
    tn_tets_stress(volume->elements, elastic, stress);
    tn_tets_energies(volume->elements, elastic, energy);
    for (size_t t = 0; t < n_tets; t++) {
        out->von_mises[t] = (float)von_mises(stress + 6 * t);
        out->energy_density[t] = (float)(energy[t] / volume->rest_volume[t]);
    }
    return TN_OK;
}

static tn_status fill(tn_vtk_volume *volume, const double *x, const double *v, volume_arrays *out, tn_error *error)
{
    const tn_recording *r = volume->recording;
    size_t n = 3 * (size_t)r->n_nodes, n_tets = (size_t)r->n_tets;
    tn_arena_reset(volume->scratch);
    *out = (volume_arrays){.position = TN_PUSH(volume->scratch, float, n),
                           .displacement = TN_PUSH(volume->scratch, float, n),
                           .velocity = TN_PUSH(volume->scratch, float, n),
                           .von_mises = TN_PUSH(volume->scratch, float, n_tets),
                           .energy_density = TN_PUSH(volume->scratch, float, n_tets)};
    if (!out->position || !out->displacement || !out->velocity || !out->von_mises || !out->energy_density) {
        return no_memory(error);
    }
    for (size_t k = 0; k < n; k++) {
        out->position[k] = (float)x[k];
        out->displacement[k] = (float)(x[k] - r->rest[k]);
        out->velocity[k] = (float)v[k];
    }
    return fill_elements(volume, x, out, error);
}

tn_status tn_vtk_write_volume(tn_vtk_volume *volume, const double *x, const double *v, const char *path,
                              tn_error *error)
{
    const tn_recording *r = volume->recording;
    size_t n_nodes = (size_t)r->n_nodes, n_tets = (size_t)r->n_tets;
    volume_arrays arrays;
    tn_status status = fill(volume, x, v, &arrays, error);
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
    bool whole = tn_vtk_put_cells(out, 4 * n_tets, r->tets, n_tets, volume->offset, TN_VTK_TETRA);
    tn_vtk_end(out);
    status = tn_vtk_close(out, path, error);
    return status == TN_OK && !whole ? no_memory(error) : status;
}
