// The compiled scene: names and numbers of what is in it. Immutable; any number of threads may read it.
#pragma once

#include "tenon/scene.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_model tn_model; // immutable; shared by any number of states

// Compiles scene and takes ownership of it (also on failure). NULL on failure.
tn_model *tn_model_create(tn_scene *scene, tn_error *error);
void tn_model_destroy(tn_model *model);
// Bodies are numbered: 0 the world, then rigid bodies, then soft bodies.
int tn_model_body_count(const tn_model *model);                  // rigid ones, with the world
int tn_model_soft_count(const tn_model *model);                  // soft ones
int tn_model_find_body(const tn_model *model, const char *name); // -1: none
const char *tn_model_body_name(const tn_model *model, int body);
double tn_model_body_mass(const tn_model *model, int body); // [kg]; 0 of the world; soft bodies with attached nodes
// Whether forces move it; fixed and kinematic ones they do not. Soft bodies move.
bool tn_model_body_moves(const tn_model *model, int body);
int tn_model_dof(const tn_model *model);
double tn_model_step(const tn_model *model);     // h [s]
double tn_model_duration(const tn_model *model); // of the scene's run [s]
// 64 bits of all that influences results; names, places of files, duration and recording do not. Expressions of time
// enter by their values at a few times: a guard against mixing things up, not a proof.
uint64_t tn_model_hash(const tn_model *model);

// Joints are numbered in the order of the scene.
int tn_model_joint_count(const tn_model *model);
int tn_model_find_joint(const tn_model *model, const char *name); // -1: none
const char *tn_model_joint_name(const tn_model *model, int joint);
const char *tn_model_joint_type(const tn_model *model, int joint); // the scene's word
// Free coordinates of a joint, 0 to 3, and their names in the scene: slide, slide2, turn, turn2.
int tn_model_joint_coordinate_count(const tn_model *model, int joint);
const char *tn_model_joint_coordinate_name(const tn_model *model, int joint, int index);
// Arrays of all joints' coordinates (tn_input): how many numbers they have, and where those of a joint begin.
int tn_model_coordinate_count(const tn_model *model);
int tn_model_first_coordinate(const tn_model *model, int joint);

// Nodes of a soft body, in the order of its mesh; 0: it is none.
int tn_model_node_count(const tn_model *model, int body);
int tn_model_node_total(const tn_model *model);           // of all soft bodies
int tn_model_first_node(const tn_model *model, int body); // where its nodes begin in arrays of all

// Elements (tetrahedra) of a soft body, in the order of its mesh; likewise.
int tn_model_element_count(const tn_model *model, int body);
int tn_model_element_total(const tn_model *model);
int tn_model_first_element(const tn_model *model, int body);
// (tn_model_element_total, 4) nodes of each element, numbered as in arrays of all nodes. The model's memory; NULL:
// there are none.
const int *tn_model_elements(const tn_model *model);

// Shapes that collide, those of a body together, bodies ascending; soft bodies have none.
int tn_model_shape_count(const tn_model *model);
int tn_model_body_shape_count(const tn_model *model, int body);
int tn_model_first_shape(const tn_model *model, int body);
int tn_model_shape_body(const tn_model *model, int shape);
const char *tn_model_shape_kind(const tn_model *model, int shape); // the scene's word: "sphere", "box", ...
// Place in its body's own frame: position [m] and quaternion (w, x, y, z).
void tn_model_shape_pose(const tn_model *model, int shape, double position[3], double quaternion[4]);
// Radius of sphere, disk, capsule and cylinder, then half the length of these; half extents of a box; semi-axes [m].
void tn_model_shape_size(const tn_model *model, int shape, double size[3]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
