// The surfaces of all shapes of a recording as one mesh, moved from frame to frame.
#pragma once

#include "record/polygons.h"
#include "record/recording.h"

// All surfaces of a scene as one mesh in the shapes' frames, and where each shape's points begin.
typedef struct tn_surface_mesh {
    tn_polygons mesh;
    int *first_point;           // (n_shapes + 1)
    int *cell_body;             // (n_polygons)
    float *position, *velocity; // (n_points, 3) of one frame
    double *poses, *velocities; // (n_bodies, 7), (n_bodies, 6) of one frame
} tn_surface_mesh;

bool tn_surface_mesh_reserve(const tn_recording *r, tn_surface_mesh *s); // false: no memory; free in any case
void tn_surface_mesh_free(tn_surface_mesh *s);
// Half the edge of the square that stands for a plane: the scene's reach in the recorded frames [m]. poses: scratch.
tn_status tn_surface_mesh_extent(const tn_recording *r, double *poses, double *extent, tn_error *error);
void tn_surface_mesh_fill(const tn_recording *r, double extent, tn_surface_mesh *s);
// position and velocity in the frame that poses and velocities hold.
void tn_surface_mesh_move(const tn_recording *r, tn_surface_mesh *s);
