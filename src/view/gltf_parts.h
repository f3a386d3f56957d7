// A glTF file between its two halves: what the numbers are (gltf.c) and what the JSON says of them (gltf_json.c).
#pragma once

#include "view/frames.h"
#include "view/gltf_data.h"

enum { GLTF_COLORS = 7, GLTF_SURFACES = GLTF_COLORS + 1 }; // of moving bodies, and one for what stands still

typedef struct gltf_soft {
    int positions, indices;      // accessors of the first frame
    int first_target, n_targets; // accessors of the other frames' displacements
    int weights;                 // accessor of the animation
} gltf_soft;

typedef struct gltf {
    tn_view *view;
    const tn_recording *r;
    gltf_data data;
    int *positions, *indices;    // (geometries) accessors
    int *translation, *rotation; // (rigid bodies) accessors of those that move, else -1
    float *start;                // (rigid bodies, 7) poses of the first frame, quaternion x y z w
    gltf_soft *soft;             // (n_softs)
    int times;                   // accessor
    int *mesh_of;                // (geometries, GLTF_SURFACES) number of the mesh, -1: not used
    int n_meshes;                // of shapes; soft bodies' follow
} gltf;

// The JSON chunk. Numbers the meshes on the way.
void gltf_put_asset(tn_json *json, gltf *g);
