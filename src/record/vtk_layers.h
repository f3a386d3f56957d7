// What one frame of a recording becomes in VTK: a file each for surfaces, contacts, pressures and soft bodies' volumes.
#pragma once

#include "record/recording.h"
#include "record/surface.h"

// Surfaces of all bodies as moved last: point data velocity, cell data body.
tn_status tn_vtk_write_surfaces(const tn_surface_mesh *surface, const char *path, tn_error *error);
// Points with force, normal, velocity, gap and bodies. arena: of the call.
tn_status tn_vtk_write_contacts(const tn_recording *recording, long frame, const char *path, tn_arena *arena,
                                tn_error *error);
// Elements of foundations as quads: cell data pressure [Pa], bodies. Only of recordings with patches.
tn_status tn_vtk_write_patches(const tn_recording *recording, long frame, const char *path, tn_arena *arena,
                               tn_error *error);

// The frame's n contacts in these columns, in the arena.
typedef struct tn_vtk_part {
    const char *path;
    size_t width;
    double **rows; // (n, width)
} tn_vtk_part;
tn_status tn_vtk_read_contacts(const tn_recording *recording, long frame, int n_parts, const tn_vtk_part *parts,
                               tn_arena *arena, size_t *n, tn_error *error);
tn_status tn_vtk_no_memory(tn_error *error);

// The soft bodies' tetrahedra. Stress and energy are worked out anew from the nodes, so every recording has them.
typedef struct tn_vtk_volume tn_vtk_volume;
// In arena; scratch is for the call.
tn_status tn_vtk_volume_create(const tn_recording *recording, tn_arena *arena, tn_arena *scratch,
                               tn_vtk_volume **volume, tn_error *error);
// x, v (n_nodes, 3) of the frame. Point data displacement, velocity; cell data body, von_mises, energy_density.
tn_status tn_vtk_write_volume(const tn_vtk_volume *volume, const double *x, const double *v, const char *path,
                              tn_arena *arena, tn_error *error);
