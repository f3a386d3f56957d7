// A glTF file between its two halves: what the numbers are (gltf.c) and what the JSON says of them (gltf_json.c).
#pragma once

#include "view/frames.h"
#include "view/gltf_data.h"

typedef struct gltf_soft {
    int positions, indices;      // accessors of the first frame
    int first_target, n_targets; // accessors of the other frames' displacements
    int weights;                 // accessor of the animation
} gltf_soft;

typedef struct gltf_material {
    float rgb[3]; // of the screen
    bool checker;
} gltf_material;

typedef struct gltf_mesh {
    int geometry, material;
    int next; // of the same geometry; -1: none
} gltf_mesh;

// Of a geometry whose triangles have corners of their own: accessors; positions -1: it is not needed.
typedef struct gltf_checker {
    int positions, places, indices;
} gltf_checker;

typedef struct gltf_looks {
    int n_materials, n_meshes; // of shapes; soft bodies' meshes follow
    gltf_material *material;
    gltf_mesh *mesh;
    int *first;            // (geometries) mesh; -1: none
    gltf_checker *checker; // (geometries)
    int *mesh_of;          // (n_shapes); -1: it is not seen
    int *soft_material;    // (n_softs)
    int image;             // bufferView of the checker; -1: none
} gltf_looks;

typedef struct gltf {
    tn_view *view;
    const tn_recording *r;
    tn_arena *arena; // of all arrays
    gltf_data data;
    int *positions, *indices;    // (geometries) accessors
    int *translation, *rotation; // (rigid bodies) accessors of those that move, else -1
    float *start;                // (rigid bodies, 7) poses of the first frame, quaternion x y z w
    gltf_soft *soft;             // (n_softs)
    int times;                   // accessor
    gltf_looks looks;
} gltf;

// The JSON chunk.
void gltf_put_asset(tn_json *json, const gltf *g);
