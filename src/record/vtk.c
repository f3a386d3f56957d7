// Recordings for ParaView: surfaces, contacts, pressures and volumes of soft bodies, a file for each frame, gathered
// by collections with times.
#include "record/export.h"
#include "record/surface.h"
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 1024 };

// A collection of files each; pressures only where there are foundations, volumes only where there are soft bodies.
typedef enum vtk_layer { LAYER_SURFACES, LAYER_CONTACTS, LAYER_PRESSURE, LAYER_VOLUMES, LAYER_COUNT } vtk_layer;
static const char *const suffixes[LAYER_COUNT] = {"", "_contacts", "_pressure", "_soft"};

typedef struct vtk_export {
    const tn_recording *recording;
    const char *folder, *name;
    tn_arena *arena, *scratch; // scratch: of a file
    tn_surface_mesh surface;
    tn_vtk_volume *volume; // NULL: no soft bodies
    FILE *collection[LAYER_COUNT];
} vtk_export;

static tn_status write_layer(const vtk_export *e, vtk_layer layer, long frame, const char *path, tn_error *error)
{
    tn_arena_reset(e->scratch);
    switch (layer) {
    case LAYER_SURFACES:
        return tn_vtk_write_surfaces(&e->surface, path, error);
    case LAYER_CONTACTS:
        return tn_vtk_write_contacts(e->recording, frame, path, e->scratch, error);
    case LAYER_PRESSURE:
        return tn_vtk_write_patches(e->recording, frame, path, e->scratch, error);
    default:
        return tn_vtk_write_volume(e->volume, e->surface.nodes, e->surface.node_velocities, path, e->scratch, error);
    }
}

static tn_status export_frame(vtk_export *e, long frame, tn_error *error)
{
    char file[PATH_SIZE], path[2 * PATH_SIZE];
    double time;
    tn_status status = tn_recording_rows(e->recording, "time", frame, 1, &time, error);
    status = status == TN_OK ? tn_surface_mesh_move(e->recording, frame, &e->surface, error) : status;
    for (int layer = 0; status == TN_OK && layer < LAYER_COUNT; layer++) {
        if (e->collection[layer]) {
            snprintf(file, sizeof file, "%s%s_%06ld.vtu", e->name, suffixes[layer], frame);
            snprintf(path, sizeof path, "%s/%s", e->folder, file);
            status = write_layer(e, (vtk_layer)layer, frame, path, error);
            if (status == TN_OK) { // the list names whole files only
                tn_vtk_collection_add(e->collection[layer], time, file);
            } else {
                remove(path);
            }
        }
    }
    return status;
}

static tn_status begin_collections(vtk_export *e, tn_error *error)
{
    tn_status status = TN_OK;
    for (int layer = 0; status == TN_OK && layer < LAYER_COUNT; layer++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s%s.pvd", e->folder, e->name, suffixes[layer]);
        bool there = layer == LAYER_VOLUMES ? e->volume != NULL : layer != LAYER_PRESSURE || e->recording->has_patches;
        if (there) {
            status = tn_vtk_collection_begin(path, &e->collection[layer], error);
        }
    }
    return status;
}

static tn_status end_collections(const vtk_export *e, tn_status status, tn_error *error)
{
    for (int layer = 0; layer < LAYER_COUNT; layer++) {
        if (e->collection[layer]) {
            tn_error ignored;
            tn_status closed =
                tn_vtk_collection_end(e->collection[layer], e->folder, status == TN_OK ? error : &ignored);
            status = status == TN_OK ? closed : status;
        }
    }
    return status;
}

static tn_status prepare(vtk_export *e, tn_error *error)
{
    double extent;
    if (mkdir(e->folder, 0777) != 0 && errno != EEXIST) {
        return tn_error_set(error, TN_IO, "cannot write %s: %s", e->folder, strerror(errno));
    }
    e->arena = tn_arena_create(0);
    e->scratch = tn_arena_create(0);
    if (!e->arena || !e->scratch || !tn_surface_mesh_reserve(e->recording, e->arena, &e->surface)) {
        return tn_vtk_no_memory(error);
    }
    tn_status status = tn_surface_mesh_extent(e->recording, &e->surface, &extent, error);
    if (status == TN_OK) {
        tn_surface_mesh_fill(e->recording, extent, &e->surface);
    }
    if (status == TN_OK && e->recording->n_softs > 0) {
        status = tn_vtk_volume_create(e->recording, e->arena, e->scratch, &e->volume, error);
    }
    return status == TN_OK ? begin_collections(e, error) : status;
}

tn_status tn_export_vtk(const tn_recording *recording, const char *folder, const char *name, long every,
                        long *n_written, tn_error *error)
{
    vtk_export e = {.recording = recording, .folder = folder, .name = name};
    tn_status status = prepare(&e, error);
    *n_written = 0;
    for (long frame = 0; status == TN_OK && frame < recording->n_frames; frame += every) {
        status = export_frame(&e, frame, error);
        *n_written += status == TN_OK;
    }
    status = end_collections(&e, status, error);
    tn_arena_destroy(e.arena);
    tn_arena_destroy(e.scratch);
    return status;
}
