// The surfaces of all bodies of a recording as one mesh, moved from frame to frame.
#pragma once

#include "record/polygons.h"
#include "record/recording.h"

// Points of the shapes in their own frames, then those of soft bodies, which have nodes instead; polygons likewise.
typedef struct tn_surface_mesh {
    tn_polygons mesh;
    int *first_point;                // (n_shapes + 1)
    int n_vertices;                  // nodes on soft bodies' surfaces: the last points
    int *vertex_node;                // (n_vertices)
    int *vertex_of;                  // (n_nodes) and back; -1: inside
    int *cell_body;                  // (n_polygons)
    float *position, *velocity;      // (n_points, 3) of one frame
    double *poses, *velocities;      // (n_bodies, 7), (n_bodies, 6) of one frame
    double *nodes, *node_velocities; // (n_nodes, 3) of one frame; NULL: no soft bodies
} tn_surface_mesh;

bool tn_surface_mesh_reserve(const tn_recording *r, tn_arena *arena, tn_surface_mesh *s); // false: no memory
// Half the edge of the square that stands for a plane: the scene's reach in the recorded frames [m].
tn_status tn_surface_mesh_extent(const tn_recording *r, tn_surface_mesh *s, double *extent, tn_error *error);
void tn_surface_mesh_fill(const tn_recording *r, double extent, tn_surface_mesh *s);
// Everything of one frame: reads it and moves all points.
tn_status tn_surface_mesh_move(const tn_recording *r, long frame, tn_surface_mesh *s, tn_error *error);
