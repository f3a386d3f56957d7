// The parts of tn_model_create; private to this room.
#pragma once

#include "base/arena.h"
#include "model/inertia.h"
#include "model/model.h"

// Soft bodies: softs, nodes (which body they are attached to), masses, tetrahedra, surfaces. Before the rigid bodies.
tn_status tn_model_compile_softs(tn_model *model, tn_arena *arena, tn_error *error);
// Adds the mass of the nodes attached to a body; pose of the body's own frame at the start.
void tn_model_add_attached_mass(const tn_model *model, int body, const tn_pose *pose, tn_inertia *inertia);
// Blocks of free nodes and arms of attached ones. After the rigid bodies.
void tn_model_number_nodes(tn_model *model);
// An order of the block rows, (n_blocks) rows: rigid bodies first, then nodes, near ones on one side of a surface
// together (near.c). NULL: no memory.
int *tn_model_order_near(const tn_model *model, tn_arena *arena);
tn_status tn_model_compile_pattern(tn_model *model, tn_arena *arena, tn_error *error);
// Its pattern alone, into *out. False: no memory.
bool tn_model_find_pattern(const tn_model *model, tn_arena *scratch, tn_arena *arena, tn_blocks *out);
// Orders of the rows of a model with soft bodies: its own, or where there are trees those of their reduced pattern.
tn_status tn_model_find_layout(const tn_model *model, const struct tn_trees *trees, const tn_blocks *pattern,
                               const tn_parts *parts, tn_arena *arena, const struct tn_layout **out);
// What the element kernels read. After the pattern.
tn_status tn_model_compile_elements(tn_model *model, tn_arena *arena, tn_error *error);

// Body b of the scene (number b + 1 here) into model->bodies (block numbers left to the caller); checks what the reader
// cannot see.
tn_status tn_model_compile_body(tn_model *model, int b, tn_arena *arena, tn_error *error);

// Joints with their rows, checked at the start; who does not touch whom. After the bodies.
tn_status tn_model_compile_joints(tn_model *model, tn_arena *arena, tn_error *error);

// Sensors, after the joints.
tn_status tn_model_compile_sensors(tn_model *model, tn_arena *arena, tn_error *error);

// Mechanisms in reduced coordinates; their joints fit without error from now on. After joints and pattern.
tn_status tn_model_compile_trees(tn_model *model, tn_arena *arena, tn_error *error);

// start_pose, start_v and joint_start, where the scene says coordinates of joints. After the trees.
tn_status tn_model_place_start(tn_model *model, tn_arena *arena, tn_error *error);

// The nodes that a joint holds: masses and arms at the start. False: no memory.
bool tn_model_compile_set(const tn_model *model, const tn_scene_nodes *nodes, tn_model_set *out, tn_arena *arena);

// Contact parameters of every ordered pair of materials into surfaces (n_materials, n_materials).
void tn_model_compile_surfaces(const tn_scene *scene, tn_surface *surfaces);

// Refuses shapes that collide with planar ones but do not lie in their plane. After shapes and surfaces.
tn_status tn_model_check_flat(const tn_model *model, tn_arena *arena, tn_error *error);

// Bodies that move apart from shapes that never do. After the shapes.
tn_status tn_model_compile_fixed(tn_model *model, tn_arena *arena, tn_error *error);

// Refuses springs of contacts that a pair of shapes cannot have, or that the step cannot. After shapes and surfaces.
tn_status tn_model_check_springs(const tn_model *model, tn_arena *arena, tn_error *error);

// Refuses what scheme pbd does not know. After joints and surfaces.
tn_status tn_model_check_pbd(const tn_model *model, tn_error *error);

// Least length that matters for contact [m]; INFINITY where no shape has one.
double tn_model_smallest(const tn_model *model);
// Automatic values: margin [m], restitution threshold [m/s].
double tn_model_margin(const tn_model *model);
double tn_model_restitution_threshold(const tn_model *model);
int tn_model_threads(const tn_model *model);
tn_tolerance tn_model_aim(const tn_tolerance *demanded); // what solvers aim at, given what every step must reach
double tn_model_enough(const tn_tolerance *demanded);    // natural figure that large heaps may end with; 0: none
double tn_model_moving(const tn_settings *settings);     // natural figure where contacts move; 0: as elsewhere

// Of what is simulated, not how: all but settings and what is made of them.
uint64_t tn_model_hash_world(const tn_model *model, uint64_t hash);
// Of what states depend on: the world, the step, whether anything may sleep.
uint64_t tn_model_hash_states(const tn_model *model);
