// From the raw structs of the tables to tn_scene: names to ids, lengths to halves, copies to bodies.
#pragma once

#include "scene/names.h"
#include "scene/read.h"

typedef struct tn_build {
    tn_reader reader;
    tn_raw_scene raw;
    tn_scene *scene;
    tn_names materials; // names of scene->materials
    tn_names bodies;    // names of scene->bodies, once they are built
} tn_build;

// Each fills its arrays of build->scene; false with the error set. In this order: bodies need materials, springs
// and soft bodies need bodies, joints need both.
bool tn_build_materials(tn_build *build);
bool tn_build_pairs(tn_build *build);
bool tn_build_bodies(tn_build *build);
bool tn_build_rods(tn_build *build); // their bodies behind the others, their joints before the others
bool tn_build_springs(tn_build *build);
bool tn_build_softs(tn_build *build);
bool tn_build_joints(tn_build *build);
bool tn_build_frames(tn_build *build);
bool tn_build_sensors(tn_build *build); // last: they name bodies and joints
bool tn_build_mpc(tn_build *build);
bool tn_build_views(tn_build *build);

// Name of a map's entry: letters, digits, '_' and '-', at most TN_SCENE_NAME_MAX bytes. False with the error set.
bool tn_build_check_name(tn_build *build, const tn_node *key, const char *what);
// A map of named things, `size` bytes each, into storage, read one by one; *n grows with those that are read. what: "a
// spring"; NULL: the names are those of other things. NULL with the error set.
typedef bool (*tn_build_reader)(tn_build *build, const tn_node *key, const tn_node *node, void *out);
void *tn_build_named(tn_build *build, const tn_node *map, const char *what, size_t size, tn_build_reader read, int *n);
// The entry's map with the keys of defaults that it does not have itself. NULL with the error set.
const tn_node *tn_build_with_defaults(tn_build *build, const tn_node *map, const tn_node *defaults);
// The entry's name in storage. NULL with the error set.
char *tn_build_keep_name(tn_build *build, const char *name);
// Body that `name` says: its id, or -1 for the world (also where name is NULL). False with the error set.
bool tn_build_find_body(tn_build *build, const tn_node *name, int *id);
// Id of a name, -1 with the error set ("no material 'x'; did you mean 'y'?").
int tn_build_lookup(tn_build *build, const tn_names *names, const tn_node *name, const char *what);
// NULL: identity.
bool tn_build_rotation(tn_build *build, const tn_raw_rotation *rotation, tn_place place, double quaternion[4]);
// The geometry of a shape: *n shapes (one, or the parts of a file) into storage, each with what `common` says and its
// own geometry and pose.
bool tn_build_solid(tn_build *build, const tn_raw_shape *raw, const tn_node *node, const tn_scene_shape *common,
                    tn_scene_shape **out, int *n);
// The heights of a height field into storage.
bool tn_build_heights(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out);
// The corners of a planar polygon into storage, the shape's origin in its centroid.
bool tn_build_polygon(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out);
// Confines a free body with planar shapes to their plane, where it does not say one.
bool tn_build_confine(tn_build *build, tn_scene_body *body);
// Path of a file that the node's key names; NULL with the error set.
const char *tn_build_path(tn_build *build, const tn_raw_solid *raw, const tn_node *node);
// Error of a file's reader or of what is made of it, where the scene names it. Always false.
bool tn_build_file_error(tn_build *build, const tn_error *error, tn_place place, const char *what);
// Shapes of a body (description as read) into storage, with materials and densities.
bool tn_build_shapes(tn_build *build, const tn_raw_body *raw, const tn_node *node, tn_scene_body *body);
// What is shown in their place, likewise.
bool tn_build_visuals(tn_build *build, const tn_raw_body *raw, tn_scene_body *body);
// The bodies, nodes and points of a joint of two bodies; own: what the scene says of it without defaults, node: with.
bool tn_build_joint_ends(tn_build *build, const tn_raw_joint *raw, const tn_node *own, const tn_node *node,
                         tn_scene_joint *out);
// How what the joint holds gives way (its kind and drives are there), and so for the limits and the motor of a drive;
// node: the drive's, the motor's.
bool tn_build_joint_softness(tn_build *build, const tn_raw_joint *raw, const tn_node *own, const tn_node *node,
                             tn_scene_joint *out);
bool tn_build_bushing(tn_build *build, const tn_raw_joint *raw, const tn_node *own, const tn_node *node,
                      tn_scene_joint *out);
bool tn_build_limit_softness(tn_build *build, const tn_raw_drive *raw, const tn_node *node, tn_scene_drive *out);
bool tn_build_motor_softness(tn_build *build, const tn_raw_motor *raw, const tn_node *node, tn_scene_drive *out);
bool tn_build_starts(tn_build *build);

// Joint of a name among those built so far: its id, -1 for none.
int tn_build_find_joint(const tn_build *build, const char *name);
// Which of the joint's free coordinates `chosen` names, the first where it is NULL; name: the joint's, for errors.
bool tn_build_joint_axis(tn_build *build, int joint, const tn_node *name, const tn_node *chosen, tn_joint_axis *axis);
// Copies of body i as array or scatter say, at the end of bodies; *n_bodies grows.
bool tn_build_copies(tn_build *build, const tn_raw_body *raw, const tn_scene_body *body, tn_scene_body *out);

// How copies of a body or soft body are placed; one of array and scatter, or none.
typedef struct tn_copies {
    const char *name; // of what is copied: chooses the random numbers
    const tn_raw_array *array;
    const tn_raw_scatter *scatter;
    const double *plane; // unit normal (world) of the plane that what is copied moves in; NULL: none
} tn_copies;
int tn_build_copy_count(const tn_raw_array *array, const tn_raw_scatter *scatter); // -1: beyond TN_SCENE_BODIES_MAX
void tn_build_copy_pose(const tn_build *build, const tn_copies *copies, int index, tn_pose *pose);
// "name[0]", "name[1]", ..., each `size` bytes after the one before. NULL with the error set.
char *tn_build_copy_names(tn_build *build, const char *name, int n, size_t *size);

// Names of scene->bodies into build->bodies, anew.
bool tn_build_index_bodies(tn_build *build);
// Ends (n + 1, 3) of the rod's n segments in the frame of its line, and the length of a piece between their middles
// [m].
bool tn_build_rod_line(tn_build *build, const tn_raw_rod *raw, const tn_node *node, double *ends, double *piece);
bool tn_build_rod_clamped(const tn_raw_rod *raw, int end);

// Nodes of mesh that the region says, ascending, in storage; place: of the region. False with the error set, also when
// there are none.
bool tn_build_region(tn_build *build, const tn_raw_region *region, tn_place place, const tn_mesh *mesh, int *n,
                     const int **nodes);
// The mesh that the soft body's keys say, checked, in storage.
bool tn_build_mesh(tn_build *build, const tn_raw_soft *raw, const tn_node *node, tn_mesh *mesh);
