// The compiled scene: immutable, shared by any number of states and threads.
//
// Bodies are numbered: 0 the world, then rigid bodies, then soft bodies (number n_bodies + s). Surfaces likewise:
// shapes of rigid bodies, then the surfaces of soft bodies (number n_shapes + s). Contacts and reports use these
// numbers.
//
// Body 0 is the world (fixed, at the origin). A free body owns two blocks of v: linear velocity of its center
// of mass in world axes, then angular velocity in its principal axes. A planar body owns one: (v . e1, v . e2, omega .
// normal) with e1, e2 = plane_axes rows. Fixed and kinematic bodies own none.
#pragma once

#include "kernels/tets/tets.h"
#include "math/parts.h"
#include "math/pencil.h"
#include "scene/scene.h"
#include "shape/class.h"

#include <stdlib.h>

// What the stages of a step read for every contact comes first, in one cache line.
typedef struct tn_model_body {
    tn_body_kind kind;
    bool planar;
    bool pushed;                      // its description has forces
    bool asleep, driven;              // only in the model of what is awake (sim/awake.h): asleep, and so fixed;
                                      // kinematic and about to move, or just moved
    int block;                        // first block in v, -1 if none
    int n_blocks;                     // 2, 1 (planar) or 0
    double mass;                      // [kg]
    double inertia[3];                // principal moments [kg m^2]; planar: about the plane's normal in [0]
    const tn_scene_body *description; // name, start, forces, motion; lives in model->scene. NULL: the world
    const double *plane_axes;         // (9) rows e1, e2, normal (world); NULL if not planar
    tn_pose principal;                // pose of the principal frame (center of mass, principal axes) in the body's own
    int first_shape, n_shapes;
    const tn_scene_rod *rod;             // that it is a segment of; NULL: none
    int link;                            // then: its number along it
    int island;                          // of a sleeping body: number in sleep_box
    const struct tn_given_motion *given; // in a step whose input moves this kinematic body (model/motion.h); else NULL
} tn_model_body;

typedef struct tn_model_shape {
    int body;
    int material;
    tn_shape shape;
    tn_pose pose;       // in the body's principal frame
    const double *belt; // (3) surface velocity of a conveyor, along the surface, shape frame [m/s]; NULL: none
} tn_model_shape;

// A node of a soft body: a block of v (its velocity, world axes), or a point of a rigid body.
typedef struct tn_model_node {
    int block;     // -1: attached
    int body;      // attached to this body; -1 where it has its own block
    double arm[3]; // attached: place in the body's principal frame [m]
} tn_model_node;

// A soft body: consecutive nodes, tetrahedra and surface faces of the model's arrays.
typedef struct tn_model_soft {
    const char *name;
    int first_node, n_nodes;
    int first_tet, n_tets;
    int first_face, n_faces;
    int first_vertex, n_vertices;
    int material;
    double volume, mass; // at rest [m^3], [kg], with attached nodes
    bool collides, self_contact;
    const tn_scene_soft *description;
} tn_model_soft;

// Nodes of a soft body that a joint holds by their best fit (model/node_set.h).
typedef struct tn_model_set {
    int soft, n;
    const int *node;      // (n) model nodes, ascending
    const double *weight; // (n) share of the set's mass
    const double *arm;    // (n, 3) from the center of mass at the start, world axes [m]
    double center[3];     // at the start, world [m]
    double mass;          // [kg]
    bool turns;           // they do not lie on a line: there is a rotation
} tn_model_set;

// A joint. Its frames have the first axis along the joint's axis; at the start they coincide but for what the scene's
// slack allows. A gear has no bodies of its own (-1) and couples coordinates of the model.
//
// Those of rods are part of A in the schemes that take forces at the step's start: they have no rows.
typedef struct tn_model_elastic {
    double stiffness[6]; // along and about the frame's axes [N/m, N m/rad]
    double length;       // of rod that the joint stands for [m]
    double lag;          // damping over stiffness [s]
} tn_model_elastic;

typedef struct tn_model_joint {
    const char *name;
    tn_joint_kind kind;
    int body_a, body_b;                       // of nodes: their soft body's number
    int set_a, set_b;                         // nodes instead of a rigid body; -1: a rigid body or the world
    tn_pose frame_a, frame_b;                 // in the bodies' principal frames, of sets in the frame of best fit
    double off[6];                            // (n_holds) errors at the start, within the slack [m, rad]
    double length;                            // of a distance [m]; of a gear what it holds at the start [m, rad]; of
                                              // a screw its way a radian, of a ball that rolls its radius [m]
    int n_holds;                              // rows that lock what is not free
    int n_coordinates;                        // free ones
    tn_joint_axis axis[TN_JOINT_COORDINATES]; // (n_coordinates) their names, ascending
    int first_coordinate;                     // in the model's numbering, as in the state
    int first_row, n_rows;                    // in joint_rows
    int n_gear;                               // coordinates that a gear couples
    int gear[TN_GEAR_MOST];                   // (n_gear) them
    int ball;                                 // which of the model's dry frictions in all directions it has; -1: none
    const tn_drum *drum;                      // of a distance, in the frame on a; NULL: it is straight
    const tn_pencil *bushing;                 // of a bushing: its rows, of all it does; NULL: this is none
    const tn_model_elastic *elastic;          // of a bushing that is part of A instead; NULL: this is none
    const tn_scene_joint *description;
} tn_model_joint;

typedef enum tn_joint_role {
    TN_ROLE_HOLD,     // holds what the joint locks
    TN_ROLE_SPRING,   // spring and damper of a coordinate
    TN_ROLE_ARMATURE, // inertia of a coordinate
    TN_ROLE_MOTOR,    //
    TN_ROLE_FRICTION, //
    TN_ROLE_LOW,      // limits
    TN_ROLE_HIGH,
    TN_ROLE_ACROSS, // of a distance: what its force does across it as it turns (discretize/taut.h)
} tn_joint_role;

// A scalar row that a joint may have in a step.
typedef struct tn_model_joint_row {
    int joint;
    tn_joint_role role;
    int index; // which hold, else which coordinate of the joint; across: which direction
} tn_model_joint_row;

// A sensor; its numbers follow those of the sensors before it.
typedef struct tn_model_sensor {
    const tn_scene_sensor *description;
    int first, width;
    char unit[16];
    int body;      // that the mount is on
    tn_pose mount; // in the body's own frame
    int seen_body; // that sees it; -1: the world does
    int joint;     // -1: none
    int index;     // which of the joint's coordinates
} tn_model_sensor;

// Contact parameters of a pair of materials.
typedef struct tn_surface {
    double mu1, mu2, direction[3]; // direction: axis of mu1; zero: isotropic
    bool direction_of_b;           // it is fixed to body b rather than a
    double restitution;
    double rolling, torsion; // [m]
    double adhesion;         // pull that two bodies bear in all [N]
    bool collide;
    tn_contact_model contact; // what gives way along the normal; 0: nothing
    tn_contact_spring spring; // unless rigid
} tn_surface;

// A shape of a body that never moves.
typedef struct tn_fixed_shape {
    int shape;
    double box[6]; // low and high corners of what bounds it [m]
} tn_fixed_shape;

typedef struct tn_model {
    const tn_scene *scene; // owned
    tn_settings settings;
    int n_bodies;           // with the world
    tn_model_body *bodies;  // (n_bodies)
    bool any_planar;        // any of them is confined to a plane
    bool any_pushed;        // any of them has forces
    bool any_kinematic;     // any of them is kinematic
    bool any_oblong;        // any free one has moments of inertia that differ
    bool any_asleep;        // any of them is asleep
    double (*sleep_box)[6]; // then: low and high corners that bound the shapes of each sleeping island [m]
    int n_shapes;
    tn_model_shape *shapes; // (n_shapes), by body ascending
    int n_planes;           // of the shapes
    int n_movers, *mover;   // (n_movers) bodies that are not fixed by the scene, ascending
    int n_fixed;
    tn_fixed_shape *fixed; // (n_fixed) shapes of the others, ascending
    bool any_belt;         // any of them has a surface velocity
    int n_softs;
    tn_model_soft *softs; // (n_softs)
    int n_nodes;
    tn_model_node *nodes; // (n_nodes)
    double *node_rest;    // (n_nodes, 3) place at the start in the world, unless attached elsewhere [m]
    double *node_mass;    // (n_nodes) lumped [kg]; attached nodes' mass is part of their body's
    int *node_soft;       // (n_nodes) soft body of each node
    int n_tets;
    const int *tets; // (n_tets, 4) model nodes; of one soft body: its mesh's
    int n_faces;
    int *faces; // (n_faces, 3) model nodes, counter-clockwise from outside
    int n_vertices;
    int *vertices;         // (n_vertices) model nodes on surfaces, ascending
    struct tn_skin *skins; // (n_softs) what contact with faces needs (model/skins.h); NULL: made in each step
    tn_tets *elements;     // what the element kernels read; NULL without soft bodies
    int n_joints;
    tn_model_joint *joints; // (n_joints)
    bool any_elastic;       // any of them is part of A
    bool any_armature;      // any of their coordinates has inertia of its own
    int n_joint_coordinates;
    double *joint_start; // (n_joint_coordinates) coordinates at the start [m, rad]
    tn_pose *start_pose; // (n_bodies) at the start, where the scene says joints' coordinates; NULL: as drawn
    double *start_v;     // (3 n_blocks) then: of the blocks of bodies that have two, as a step leaves them (arrive.h)
    double *start_along; // (3 n_blocks) likewise, along the joints
    int n_joint_rows, n_joint_entries; // entries of all rows at most
    tn_model_joint_row *joint_rows;    // (n_joint_rows) joints ascending
    int n_joint_balls, n_ball_entries; // joints with dry friction in all directions; entries of it at most
    int n_sets;
    tn_model_set *sets;              // (n_sets) nodes that joints hold
    bool joints_move_nodes;          // some do, or hold free bodies that nodes are attached to
    int *joined_start;               // (n_bodies + n_softs + 1) and
    int *joined;                     // bodies that do not touch the body though they could: joined to it; ascending
    int n_sensors, n_readings;       // numbers of all sensors
    tn_model_sensor *sensors;        // (n_sensors)
    tn_blocks pattern;               // of A (value NULL): constant over the simulation
    tn_parts parts;                  // of the pattern
    const struct tn_trees *trees;    // mechanisms in reduced coordinates (model/tree.h); NULL: none
    const struct tn_trees *carriers; // which body hangs from which, whatever the coordinates; NULL: none does
    const struct tn_layout *layout;  // kernels/sell.h; NULL without soft bodies
    int n_prescribed;
    struct tn_prescribed *prescribed; // (n_prescribed) expressions of time (model/prescribed.h)
    int n_materials;
    tn_surface *surfaces;         // (n_materials, n_materials): [a * n_materials + b], shapes a (lower body id) and b
    bool any_foundation;          // any of them is Winkler's
    bool any_spring, any_rolling; // any of them gives way; bears moments
    bool any_bounce, any_pull;    // has restitution; adhesion
    int n_blocks;                 // of v
    int n_rigid_blocks;           // the first of them: of rigid bodies
    int n_dof;                    // degrees of freedom, without padding
    double total_mass;            // of bodies with blocks [kg]
    double margin;                // resolved [m]
    double smallest;              // least length that matters for contact, of all shapes; INFINITY: none has one [m]
    double restitution_threshold; // resolved [m/s]
    uint64_t hash;                // of everything above that influences results; guards checkpoints
    void *storage;
} tn_model;

// Forces of joints that a state keeps: of their rows, then three of each dry friction in all directions.
static inline size_t tn_model_joint_force_count(const tn_model *model)
{
    return (size_t)model->n_joint_rows + 3 * (size_t)model->n_joint_balls;
}

// Where those of a joint's dry friction begin.
static inline size_t tn_model_ball_force(const tn_model *model, int joint)
{
    return (size_t)model->n_joint_rows + 3 * (size_t)model->joints[joint].ball;
}

// Whether they are segments of one rod that follow one another too closely to touch.
static inline bool tn_model_are_neighbours(const tn_model_body *a, const tn_model_body *b)
{
    int apart = abs(a->link - b->link);
    return a->rod && a->rod == b->rod &&
           (apart <= a->rod->reach || (a->rod->closed && a->rod->n_bodies - apart <= a->rod->reach));
}

// Whether a joint, or a rod, keeps two bodies, rigid or soft, from touching each other.
static inline bool tn_model_joined(const tn_model *model, int body_a, int body_b)
{
    if (!model->joined_start) {
        return false;
    }
    if (body_a < model->n_bodies && body_b < model->n_bodies &&
        tn_model_are_neighbours(&model->bodies[body_a], &model->bodies[body_b])) {
        return true;
    }
    const int *start = model->joined_start;
    bool longer = start[body_a + 1] - start[body_a] > start[body_b + 1] - start[body_b];
    int one = longer ? body_b : body_a, other = longer ? body_a : body_b;
    for (int k = start[one]; k < start[one + 1]; k++) {
        if (model->joined[k] == other) {
            return true;
        }
    }
    return false;
}
