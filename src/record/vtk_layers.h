// What one frame of a recording becomes in VTK: a file each for surfaces, contacts, pressures and soft bodies' volumes.
#pragma once

#include "record/recording.h"
#include "record/surface.h"

// Surfaces of all bodies as moved last: point data velocity, cell data body.
tn_status tn_vtk_write_surfaces(const tn_surface_mesh *surface, const char *path, tn_error *error);
// Points with force, normal, velocity, gap and bodies.
tn_status tn_vtk_write_contacts(const tn_recording *recording, long frame, const char *path, tn_error *error);

// Elements of foundations as quads: cell data pressure [Pa], bodies. Only of recordings with patches.
tn_status tn_vtk_write_patches(const tn_recording *recording, long frame, const char *path, tn_error *error);
// The frame's rows of the contacts' columns: [*first, *first + *n).
tn_status tn_vtk_contact_range(const tn_recording *recording, long frame, long *first, long *n, tn_error *error);

// The soft bodies' tetrahedra. Stress and energy are worked out anew from the nodes, so every recording has them.
typedef struct tn_vtk_volume tn_vtk_volume;
tn_vtk_volume *tn_vtk_volume_create(const tn_recording *recording, tn_error *error); // NULL on failure
void tn_vtk_volume_destroy(tn_vtk_volume *volume);
// x, v (n_nodes, 3) of the frame. Point data displacement, velocity; cell data body, von_mises, energy_density.
tn_status tn_vtk_write_volume(tn_vtk_volume *volume, const double *x, const double *v, const char *path,
                              tn_error *error);
