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
// Named frames of the scene (sites and fixed links of robots' files): pose (7) position [m] and quaternion (w, x, y, z)
// in the own frame of the body, whose number is returned; -1: there is none. pose may be NULL.
int tn_model_frame_count(const tn_model *model);
int tn_model_find_frame(const tn_model *model, const char *name); // -1: none
const char *tn_model_frame_name(const tn_model *model, int frame);
int tn_model_frame(const tn_model *model, int frame, double pose[7]);
double tn_model_body_mass(const tn_model *model, int body); // [kg]; 0 of the world; soft bodies with attached nodes
// Where the center of mass lies in the body's own frame [m], and how the principal axes are turned in it (w, x, y, z);
// moments of inertia about these [kg m^2]. Planar bodies: moments[0] alone, about the plane's normal. Nothing is
// written of bodies that forces do not move, and of soft ones.
void tn_model_body_inertia(const tn_model *model, int body, double center[3], double axes[4], double moments[3]);
// Whether forces move it; fixed and kinematic ones they do not. Soft bodies move.
bool tn_model_body_moves(const tn_model *model, int body);
const char *tn_model_body_kind(const tn_model *model, int body); // "free", "fixed", "kinematic" or "soft"
bool tn_model_body_planar(const tn_model *model, int body);      // confined to a plane
int tn_model_dof(const tn_model *model);
double tn_model_mass(const tn_model *model);           // of all that forces move [kg]
double tn_model_step(const tn_model *model);           // h [s]
double tn_model_duration(const tn_model *model);       // of the scene's run [s]
const tn_scene *tn_model_scene(const tn_model *model); // that it was made of; the model's memory

// How the scene is simulated (docs/scene.md); words are the scene's, strings the model's or static.
typedef struct tn_model_method {
    const char *solver, *law, *scheme;
    const char *coordinates;  // what a step takes of joints' trees: "maximal", "reduced" (scene.md, coordinates)
    const char *accuracy;     // "draft", "standard", "tight"; NULL: figures are demanded instead
    double step, duration;    // [s]
    double gravity[3];        // [m/s^2]
    double margin;            // contacts are made within it [m]
    double push_out;          // fastest that overlaps are taken out [m/s]
    double sleep_after;       // [s] that bodies rest before they sleep; 0: never
    int threads;              //
    int record_every;         // steps between the frames of a recording
    uint64_t seed;            // of scattered bodies and noise
    bool projects_velocities; // those at the start are completed to such as joints allow (tn_state_project_velocities)
} tn_model_method;
void tn_model_get_method(const tn_model *model, tn_model_method *out);
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
// The bodies that it joins, of nodes their soft body; -1: a gear, which has none.
void tn_model_joint_bodies(const tn_model *model, int joint, int *body_a, int *body_b);
// Its frames in the bodies' own: position [m] and quaternion (w, x, y, z); the first axis lies along the joint's. Of
// nodes in that of their best fit. Nothing is written of gears.
void tn_model_joint_frames(const tn_model *model, int joint, double frame_a[7], double frame_b[7]);
// Limits of a free coordinate, low and high [m, rad]; -INFINITY and INFINITY: none.
void tn_model_joint_limits(const tn_model *model, int joint, int index, double limits[2]);
// Arrays of all joints' coordinates (tn_input): how many numbers they have, and where those of a joint begin.
int tn_model_coordinate_count(const tn_model *model);
int tn_model_first_coordinate(const tn_model *model, int joint);
// Number among all of a coordinate by "joint:turn", by what the scene says that it is called (robots' files have joints
// of one body that are one here), or by the name of a joint that has one alone; -1: none.
int tn_model_find_coordinate(const tn_model *model, const char *name);

// Nodes of a soft body, in the order of its mesh; 0: it is none.
int tn_model_node_count(const tn_model *model, int body);
int tn_model_node_total(const tn_model *model);           // of all soft bodies
int tn_model_first_node(const tn_model *model, int body); // where its nodes begin in arrays of all

// A soft body at rest.
typedef struct tn_soft_info {
    int n_nodes, n_attached;            // nodes; those of them that are fastened to a rigid body or the world
    int n_elements, n_faces;            // tetrahedra; triangles of its surface
    double volume, mass;                // [m^3], [kg] with attached nodes
    double young, poisson;              // [Pa], [1]
    double shortest_edge, longest_edge; // of its tetrahedra [m]
    double quality;                     // of the worst of them, 1: regular, 0: flat
} tn_soft_info;
// Takes time of the size of the mesh. Of what is no soft body nothing is written.
void tn_model_get_soft(const tn_model *model, int body, tn_soft_info *out);

// Elements (tetrahedra) of a soft body, in the order of its mesh; likewise.
int tn_model_element_count(const tn_model *model, int body);
int tn_model_element_total(const tn_model *model);
int tn_model_first_element(const tn_model *model, int body);
// (tn_model_element_total, 4) nodes of each element, numbered as in arrays of all nodes. The model's memory; NULL:
// there are none.
const int *tn_model_elements(const tn_model *model);
// Triangles of its surface, counter-clockwise from outside; likewise, (tn_model_face_total, 3).
int tn_model_face_count(const tn_model *model, int body);
int tn_model_face_total(const tn_model *model);
int tn_model_first_face(const tn_model *model, int body);
const int *tn_model_faces(const tn_model *model);

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
// Of shapes that sizes do not tell (hull, mesh, height field, polygon, contact points): points and, of the first three,
// triangles. 0: it has none.
int tn_model_shape_point_count(const tn_model *model, int shape);
int tn_model_shape_triangle_count(const tn_model *model, int shape);
// points (tn_model_shape_point_count, 3) in the shape's frame [m], triangles (tn_model_shape_triangle_count, 3) points,
// counter-clockwise from outside. Both are needed where there are any.
void tn_model_shape_geometry(const tn_model *model, int shape, double *points, int *triangles);

// Materials, in the order of the scene; -1 of a shape or a soft body that is not there.
int tn_model_material_count(const tn_model *model);
const char *tn_model_material_name(const tn_model *model, int material);
int tn_model_shape_material(const tn_model *model, int shape);
int tn_model_soft_material(const tn_model *model, int body);
// What two materials do where they meet, by the scene's pairs and its rules for others.
typedef struct tn_material_pair {
    bool collides;
    double friction[2];      // along and across the direction of the material that has one; equal: in all directions
    double restitution;      //
    double rolling, torsion; // lengths of rolling and torsional friction [m]
    double adhesion;         // pull that two bodies bear in all [N]
} tn_material_pair;
// Nothing is written where there is no such material.
void tn_model_get_pair(const tn_model *model, int material_a, int material_b, tn_material_pair *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
