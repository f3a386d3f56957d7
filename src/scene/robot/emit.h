// The nodes of a scene that a robot becomes: maps with keys, texts and numbers.
#pragma once

#include "scene/robot/mechanism.h"

typedef struct tn_robot_emitter {
    tn_robot *robot;
    tn_place place;    // of what is made from here on
    double gravity[3]; // that the scene will have
    bool failed;       // no memory
} tn_robot_emitter;

// Empty; they grow. NULL without memory, which the functions below take.
tn_node *tn_emit_map(tn_robot_emitter *emit);
tn_node *tn_emit_list(tn_robot_emitter *emit);
void tn_emit_put(tn_robot_emitter *emit, tn_node *map, const char *key, tn_node *item);
void tn_emit_add(tn_robot_emitter *emit, tn_node *list, tn_node *item);
void tn_emit_text(tn_robot_emitter *emit, tn_node *map, const char *key, const char *text);
void tn_emit_word(tn_robot_emitter *emit, tn_node *map, const char *key, const char *text); // without quotes
void tn_emit_number(tn_robot_emitter *emit, tn_node *map, const char *key, double value);
void tn_emit_numbers(tn_robot_emitter *emit, tn_node *map, const char *key, int n, const double *value);
void tn_emit_names(tn_robot_emitter *emit, tn_node *map, const char *key, int n, const char *const *name);
void tn_emit_pose(tn_robot_emitter *emit, tn_node *map, const tn_pose *pose); // position, rotation
tn_node *tn_emit_list_of(tn_robot_emitter *emit, int n, const double *value);

// The name with the robot's prefix, in letters that names have; NUL-terminated, in scratch. "" without memory.
const char *tn_emit_name(tn_robot_emitter *emit, const char *name, const char *suffix, int number);

// The same, with a number behind it where the map has it already: MJCF's kinds of elements share no names, their joints
// here do.
const char *tn_emit_free_name(tn_robot_emitter *emit, const tn_node *map, const char *name);

// What joints of the scene do for a link's chain of joints: the first n of the chain together.
typedef struct tn_robot_group {
    const char *type; // of the joint
    int n;
    bool flipped; // PLANAR: the second slide is the scene's first
} tn_robot_group;

// Part of a body's mass that each frame between two joints of its chain carries, as it cannot be without. In maximal
// coordinates the humanoid of scenes/robots/models is off by 5e-6 m for it after 0.5 s in the air; a tenth of it costs
// digits of the contact forces. Reduced ones have no mass that is the frame's alone; but positions of loops are
// corrected body by body, which a billionth would not stand where rows are redundant. What the scene leaves open is
// reduced in nearly all cases; in the others a millionth leaves 7e-11 of the velocities in joint rows.
double tn_robot_share(const tn_robot *robot);

// Groups of the link's chain, at most TN_ROBOT_CHAIN_MAX. Between two of them is a body of its own.
int tn_robot_groups(const tn_robot *robot, const tn_robot_link *link, tn_robot_group *group);
tn_node *tn_emit_body(tn_robot_emitter *emit, const tn_robot_link *link, const tn_robot_inertia *inertia, double part,
                      double lifted);

// Sections: materials and pairs (false with the error set), bodies, joints. material (n_geoms) and body (n_links) get
// the names of materials and bodies; body: NULL where a link is no body of its own.
bool tn_emit_surfaces(tn_robot_emitter *emit, tn_node *root, const char **material);
void tn_emit_bodies(tn_robot_emitter *emit, tn_node *bodies, const tn_robot_inertia *inertia, const char **material,
                    const char **body);
void tn_emit_joints(tn_robot_emitter *emit, tn_node *joints, tn_node *bodies, const tn_robot_inertia *inertia,
                    const char **body);
// Of sites, and of links that are part of another body or of the world.
tn_node *tn_emit_frames(tn_robot_emitter *emit, const char **body);
void tn_emit_sensors(tn_robot_emitter *emit, tn_node *sensors, const char **body);
tn_node *tn_robot_emit(tn_robot *robot);
