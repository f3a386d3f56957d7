// The mutable description: what a scene file says, defaults filled in, names resolved to ids, SI units.
// tn_scene_load (tenon/scene.h) fills it; model/ compiles it. Ids index the arrays; -1 means none.
#pragma once

#include "math/drum.h"
#include "mesh/mesh.h"
#include "shape/class.h"
#include "tenon/problem.h"
#include "tenon/scene.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Where the scene says it, for errors found later (by model/).
typedef struct tn_place {
    const char *file;
    int line, column;
} tn_place;

// A remark of a reader: what of a file has no meaning here, or another one.
typedef struct tn_remark {
    tn_place place;
    const char *text;
    struct tn_remark *next;
} tn_remark;

// A number or an expression of time t [s] (grammar in docs/scene.md): program NULL = the constant.
typedef struct tn_expression tn_expression;
typedef struct tn_value {
    double constant;
    const tn_expression *program;
} tn_value;
double tn_value_at(const tn_value *value, double t);
double tn_value_rate(const tn_value *value, double t); // exact time derivative

// How contact points give way along the normal: nothing (rigid) or one of three springs, with dampers. Of a material
// what its own half does, of a pair what both do together; INFINITY: rigid.
typedef enum tn_contact_model {
    TN_CONTACT_RIGID,
    TN_CONTACT_LINEAR,     // f = K d of each point
    TN_CONTACT_HERTZ,      // f = 4/3 E* sqrt(r) d^(3/2)
    TN_CONTACT_FOUNDATION, // f = bedding area d of each element of a face
    TN_CONTACT_MIXED,      // more than one: nobody says which
} tn_contact_model;
typedef struct tn_contact_spring {
    double stiffness;             // K [N/m]
    double modulus;               // E/(1 - nu^2); of a pair E* [Pa]
    double radius;                // of a pair: r, 0: of the shapes [m]
    double bedding;               // modulus/depth of a foundation [N/m^3]
    int elements;                 // along each edge of a face
    double damping;               // [N s/m]
    double hunt_crossley;         // the force of the spring counts 1 + 3/2 of this times the rate of compression [s/m]
    double tangential_damping;    // [N s/m]
    double tangential_stiffness;  // of a spring that lasts as long as the contact [N/m]; INFINITY: none
    double tangential_stiffness2; // the same across friction's direction
    double relaxation;            // rolling length in which it forgets [m]
} tn_contact_spring;
extern const tn_contact_spring tn_contact_spring_rigid;
tn_contact_model tn_contact_spring_model(const tn_contact_spring *spring);
// Springs one behind the other; of dampers and elements the larger counts, tangential dampers are one behind the other.
tn_contact_spring tn_contact_spring_combine(const tn_contact_spring *a, const tn_contact_spring *b);

// As the screen shows it; not said: the viewer chooses.
typedef struct tn_color {
    bool said;
    double rgb[3]; // 0 to 1
} tn_color;

typedef struct tn_material {
    char *name;
    double density;      // [kg/m^3]
    double mu1, mu2;     // friction along and across direction; equal: isotropic
    double direction[3]; // body axis of mu1, zero if isotropic
    double restitution;
    double rolling, torsion; // lengths of rolling and torsional friction [m]
    tn_contact_spring spring;
    tn_color color;
    tn_place place;
} tn_material;

// Overrides the combination rule (mu: geometric mean sqrt(mu_a mu_b); restitution, rolling, torsion: max) for two
// materials.
typedef struct tn_pair {
    int material_a, material_b;
    double mu1, mu2, direction[3]; // direction in the axes of the first material's body,
    bool direction_of_b;           // or of the second one's
    double restitution;
    double rolling, torsion;
    double adhesion; // pull that two bodies bear in all [N]
    tn_contact_spring spring;
    bool collide; // false: these never touch
    tn_place place;
} tn_pair;

typedef enum tn_body_kind { TN_BODY_FREE, TN_BODY_FIXED, TN_BODY_KINEMATIC } tn_body_kind;

typedef struct tn_scene_shape {
    tn_shape shape;
    tn_pose pose; // in the body's frame
    int material;
    double density;             // [kg/m^3], of the material unless given; 0: no mass
    bool collides;              // false: gives mass only
    double surface_velocity[3]; // of a conveyor, along the surface, shape frame [m/s]
    tn_color color;             // its own, or of its material where the body has none
    tn_place place;
} tn_scene_shape;

// The prescribed motion of a kinematic body.
typedef struct tn_scene_motion {
    tn_value position[3]; // of the origin in time; world
    double axis[3];       // rotation about this world axis...
    tn_value angle;       // ...by this angle [rad] after the initial orientation
    bool teleport;        // jumps have no velocity
} tn_scene_motion;

// What is applied to a free body.
typedef struct tn_scene_push {
    tn_value force[3];      // at the center of mass, world axes [N]
    tn_value force_body[3]; // at the center of mass, body axes [N]
    tn_value torque[3];     // [N m], world axes
} tn_scene_push;

// How a free body moves at the start, world axes.
typedef struct tn_scene_velocity {
    double linear[3];  // of the body frame's origin [m/s]
    double angular[3]; // [rad/s]
} tn_scene_velocity;

// The mass that is given rather than made up by the shapes.
typedef struct tn_scene_inertia {
    double mass;      // [kg]
    double center[3]; // of mass, in the body frame [m]
    double tensor[9]; // about the center of mass, body axes [kg m^2]
} tn_scene_inertia;

typedef struct tn_scene_body {
    char *name; // unique; array copies are name[0], name[1], ...
    tn_body_kind kind;
    int n_shapes;
    tn_scene_shape *shapes;
    int n_visuals;
    tn_scene_shape *visuals; // what is shown in place of the shapes; nothing acts on them
    tn_color color;
    bool checker;
    tn_pose pose; // of the body's frame
    // What few bodies have, and the copies of an array share.
    const tn_scene_velocity *velocity; // NULL: at rest
    const tn_scene_inertia *inertia;   // NULL: from the shapes
    const double *plane_normal;        // (3) of the plane through its origin that it keeps to, world; NULL: none
    const tn_scene_motion *motion;     // NULL: not kinematic
    const tn_scene_push *push;         // NULL: nothing
    tn_place place;
} tn_scene_body;

// Spring-damper between two points: body ids (-1: the world), points in their frames.
typedef struct tn_scene_spring {
    char *name;
    int body_a, body_b;
    double point_a[3], point_b[3];
    double stiffness, damping, rest_length; // [N/m], [N s/m], [m]
    tn_place place;
} tn_scene_spring;

// Joints of two bodies, and gears between joints. The joint's frame stands at the anchor, its first axis along
// `axis`, the second along `axis2` as far as that is across, fixed to both bodies at the start.
typedef enum tn_joint_kind {
    TN_JOINT_REVOLUTE,       // turns about the axis
    TN_JOINT_PRISMATIC,      // slides along the axis
    TN_JOINT_CYLINDRICAL,    // both
    TN_JOINT_SPHERICAL,      // turns about the anchor
    TN_JOINT_UNIVERSAL,      // turns about the axis (fixed to a), then about the second axis (fixed to b)
    TN_JOINT_WELD,           // nothing
    TN_JOINT_PLANAR,         // slides along the second and third axis, turns about the first, the plane's normal
    TN_JOINT_POINT_ON_LINE,  // b's anchor slides along a's axis, turning freely
    TN_JOINT_POINT_ON_PLANE, // b's anchor slides across a's axis, turning freely
    TN_JOINT_DISTANCE,       // the distance of two points
    TN_JOINT_SCREW,          // turns about the axis, and moves on along it by the pitch each turn
    TN_JOINT_ROLLING,        // b, a ball about its anchor, rolls without slipping on a plane of a across the axis
    TN_JOINT_BUSHING,        // nothing is locked: springs and dampers between both frames
    TN_JOINT_GEAR,           // joints' coordinates: the last one less ratio times each other one stays
    TN_JOINT_KINDS,
} tn_joint_kind;

typedef enum tn_motor { TN_MOTOR_NONE, TN_MOTOR_POSITION, TN_MOTOR_VELOCITY } tn_motor;

// What acts on a free coordinate [m or rad, N or N m].
typedef struct tn_scene_drive {
    bool said;                       // the scene says something of it
    const char *called;              // beside "joint:turn"; NULL: nothing
    double low, high;                // limits, -INFINITY and INFINITY where there are none
    double stiffness, rest, damping; // spring-damper
    double armature;                 // inertia of a rotor that goes with the coordinate [kg, kg m^2]
    double limit_compliance;         // of the limits, 0: rigid [m/N, rad/(N m)]; what they do is one-sided
    double limit_damping;            // [N s/m, N m s/rad]
    double friction;                 // most that dry friction bears, and
    double friction_arm;             // so much more per force that the joint held in the step before [1, m]
    tn_motor motor;
    tn_value target;         // of the motor: coordinate or rate in time
    double strength;         // most that the motor gives, INFINITY: as much as it takes
    double motor_compliance; // 0: the target is prescribed; INFINITY: only its rate is followed [m/N, rad/(N m)]
    double motor_damping;    // of a motor that gives way [N s/m, N m s/rad]
} tn_scene_drive;

// Whether the motor moves its coordinate as a prescribed motion does.
static inline bool tn_drive_prescribes(const tn_scene_drive *drive)
{
    return drive->motor != TN_MOTOR_NONE && drive->strength == INFINITY && drive->motor_compliance == 0.0;
}

enum { TN_JOINT_COORDINATES = 3 }; // at most
enum { TN_GEAR_MOST = 16 };        // coordinates that a gear couples, at most

// A coordinate's drive by its name: slide (1st, 2nd), turn (1st, 2nd).
typedef enum tn_joint_axis { TN_AXIS_SLIDE, TN_AXIS_SLIDE2, TN_AXIS_TURN, TN_AXIS_TURN2, TN_AXIS_COUNT } tn_joint_axis;

// Nodes of a soft body that a joint holds as if they were one body: by their mean motion.
typedef struct tn_scene_nodes {
    int soft;
    int n;            // 0: none
    const int *nodes; // (n) ascending
} tn_scene_nodes;

// Of translations along the joint's axes on a and the rotation vector about them, both matrices symmetric and positive
// semidefinite [N/m, N, N m/rad; N s/m, N s, N m s/rad].
typedef struct tn_scene_bushing {
    double stiffness[36], damping[36]; // (6, 6)
    double turned[3];                  // rotation vector that strains it at the start, the joint's axes [rad]
    double piece;                      // length of rod that it stands for: diagonal stiffness, and damping in
                                       // proportion to it [m]; 0: this is no joint of a rod
} tn_scene_bushing;

typedef struct tn_scene_joint {
    char *name;
    tn_joint_kind kind;
    int body_a, body_b;              // ids, -1: the world, or where there are nodes
    tn_scene_nodes nodes_a, nodes_b; // instead of a body
    double point_a[3], point_b[3];   // anchors in the bodies' frames, of nodes: in their mesh's at the start [m]
    double axis[3], axis2[3];        // world axes at the start; unit, at right angles
    double length;                   // distance [m]; NaN: that at the start
    const tn_drum *drum;             // that the distance leads round, in a's frame; NULL: it is straight
    double pitch;                    // of a screw: way of b along the axis in a turn of b about it [m], not 0
    double radius;                   // of a ball that rolls [m]
    double compliance;               // of what holds the points together [m/N], 0: rigid, INFINITY: only dampers
    double turn_compliance;          // of what holds the axes together [rad/(N m)]
    const tn_scene_bushing *bushing; // NULL: this is none
    double damping, turn_damping;    // of both, where they are not rigid [N s/m, N m s/rad]
    double slack;                    // gap of the anchors that is allowed at the start [m]
    bool collide;                    // whether the two bodies touch each other
    tn_scene_drive drive[TN_AXIS_COUNT];
    double friction[2];     // most that dry friction of a sphere's rotation or a plane's slides bears [N m, N], and
    double friction_arm[2]; // so much more per force that the joint held in the step before [m, 1]; a sphere's are
                            // equal, of a plane along slide and slide2
    int n_gear;             // joints that a gear couples
    int gear_joint[TN_GEAR_MOST];          // (n_gear) them
    tn_joint_axis gear_axis[TN_GEAR_MOST]; // (n_gear) by which coordinate of each
    double gear_factor[TN_GEAR_MOST];      // (n_gear) of each in d: 1 of the last one, -ratio of the others [SI units]
    tn_place place;
} tn_scene_joint;

static inline bool tn_joint_rubs(const tn_scene_joint *joint)
{
    return joint->friction[0] > 0.0 || joint->friction[1] > 0.0 || joint->friction_arm[0] > 0.0 ||
           joint->friction_arm[1] > 0.0;
}

// Nodes of a soft body tied rigidly to a body: pinned to the world or a fixed body, driven by a kinematic body, or
// moving with a free one (their mass then counts as that body's).
typedef struct tn_scene_attachment {
    int body; // id, -1: the world
    int n;
    const int *nodes; // (n) ascending; no node occurs in two attachments
    tn_place place;
} tn_scene_attachment;

// A force in time, shared evenly by some nodes.
typedef struct tn_scene_pull {
    tn_value force[3]; // of all nodes together, world axes [N]
    int n;
    const int *nodes; // (n) ascending
    tn_place place;
} tn_scene_pull;

// Damping by geometric stiffness (E of the momentum balance, N/m): what a large step needs to stay stable.
typedef enum tn_geometric { TN_GEOMETRIC_NONE, TN_GEOMETRIC_PROJECTED } tn_geometric;

// Elastic body of corotational linear tetrahedra.
typedef struct tn_scene_soft {
    char *name;                 // unique among bodies and soft bodies; array copies are name[0], name[1], ...
    tn_mesh mesh;               // rest shape, checked
    tn_pose pose;               // of the mesh's frame at the start
    double velocity[3];         // of the frame's origin [m/s], world axes
    double angular_velocity[3]; // [rad/s], world axes
    double density;             // [kg/m^3]
    double young, poisson;      // [Pa], [-]
    double mass_damping;        // Rayleigh: alpha of alpha M [1/s]
    double stiffness_damping;   // Rayleigh: beta of beta K [s]
    tn_geometric geometric;
    int material;      // of the surface
    bool collides;     // false: touches nothing
    bool self_contact; // whether its surface touches itself
    int n_attachments, n_pulls;
    tn_scene_attachment *attachments;
    tn_scene_pull *pulls;
    tn_color color;
    tn_place place;
} tn_scene_soft;

// A rod: consecutive bodies, its segments, and bushings. Segments that follow one another so closely along it that they
// would overlap do not touch: those whose numbers differ by no more than `reach`.
typedef struct tn_scene_rod {
    char *name;
    int first_body, n_bodies;
    int first_joint, n_joints;
    int reach;
    bool closed; // a ring: the first segment follows the last one
} tn_scene_rod;

// Where a joint is at the start, instead of where the bodies are drawn.
typedef struct tn_scene_start {
    int joint;
    int first, n;         // which of its free coordinates: all, or one that is called by a name of its own; of a
                          // spherical joint 0, 3: a rotation vector about its axes on a [rad]
    bool placed, moved;   // whether each of the next two is said
    double coordinate[3]; // counted from where the bodies are drawn [m, rad]
    double rate[3];
    tn_place place;
} tn_scene_start;

typedef enum tn_sensor_kind {
    TN_SENSOR_COORDINATE, // of a joint: of one of its free coordinates
    TN_SENSOR_RATE,
    TN_SENSOR_MOTOR,
    TN_SENSOR_EFFORT,
    TN_SENSOR_FORCE, // that the joint exerts on its second body
    TN_SENSOR_TORQUE,
    TN_SENSOR_POSITION, // of a mount on a body, world axes
    TN_SENSOR_ORIENTATION,
    TN_SENSOR_DIRECTION, // of the mount's z
    TN_SENSOR_VELOCITY,
    TN_SENSOR_ANGULAR_VELOCITY,
    TN_SENSOR_ACCELERATION,
    TN_SENSOR_ANGULAR_ACCELERATION,
    TN_SENSOR_VELOCIMETER, // likewise, in the mount's axes
    TN_SENSOR_GYROSCOPE,
    TN_SENSOR_ACCELEROMETER,
    TN_SENSOR_CONTACT_FORCE,
    TN_SENSOR_TOUCH,
    TN_SENSOR_RANGE,
    TN_SENSOR_CENTER, // of several bodies together: center of mass, its velocity, angular momentum about it
    TN_SENSOR_CENTER_VELOCITY,
    TN_SENSOR_ANGULAR_MOMENTUM,
    TN_SENSOR_KINDS,
} tn_sensor_kind;

typedef struct tn_scene_frame {
    char *name;
    int body;     // id, -1: the world
    tn_pose pose; // in the body's frame
} tn_scene_frame;

typedef struct tn_scene_sensor {
    char *name;
    tn_sensor_kind kind;
    int joint;          // id, -1: none
    tn_joint_axis axis; // of COORDINATE, RATE, EFFORT
    bool mounted;       // else FORCE and TORQUE are told in the joint's own frame
    int body;           // id that the mount is on, -1: the world
    tn_pose mount;      // in the body's frame
    bool seen;          // POSITION to ANGULAR_VELOCITY are told as seen from another mount
    int seen_body;      // that it is on
    tn_pose seen_mount;
    int n_bodies, *bodies; // (n_bodies) of CENTER and its neighbours
    double pad[3];         // half extents of the box that contacts must lie in, about the mount; 0: anywhere [m]
    double reach;          // of RANGE [m], INFINITY: any
    double scale, offset;  // of COORDINATE, RATE, EFFORT: the reading is offset + scale times it
    double noise;          // standard deviation of each number, in the kind's unit
    tn_place place;
} tn_scene_sensor;

const char *tn_sensor_type(tn_sensor_kind kind); // the scene's word
int tn_sensor_width(tn_sensor_kind kind);        // numbers of a reading, 1 to 4

typedef enum tn_initial { TN_INITIAL_GIVEN, TN_INITIAL_PROJECT, TN_INITIAL_RATES } tn_initial; // velocities

typedef enum tn_scheme { TN_SCHEME_EULER, TN_SCHEME_MIDPOINT, TN_SCHEME_IMPLICIT, TN_SCHEME_PBD } tn_scheme;
typedef enum tn_restitution_law { TN_RESTITUTION_NEWTON, TN_RESTITUTION_POISSON } tn_restitution_law;
typedef enum tn_facets_align { TN_FACETS_FIXED, TN_FACETS_SLIP } tn_facets_align;
// Unknowns of bodies that joints hold together: each body's own, or those of the joints (model/tree.h).
typedef enum tn_coordinates { TN_COORDINATES_AUTO, TN_COORDINATES_MAXIMAL, TN_COORDINATES_REDUCED } tn_coordinates;

// How exact a step is where nothing is demanded of it (solver.accuracy).
const char *tn_accuracy_name(int i); // as tn_law_name
typedef enum tn_accuracy { TN_ACCURACY_DRAFT, TN_ACCURACY_STANDARD, TN_ACCURACY_TIGHT } tn_accuracy;

typedef enum tn_gap_term { TN_GAP_NONE, TN_GAP_FULL, TN_GAP_BAUMGARTE } tn_gap_term;

// Everything about how to simulate; overridable on the command line (`--set path=value`).
typedef struct tn_settings {
    double gravity[3];             // [m/s^2], default 0 0 -9.81
    double step;                   // h [s], default 10 ms
    double duration;               // [s], default 1
    tn_scheme scheme;              // default euler
    tn_law law;                    // default coulomb
    int facets;                    // of a polyhedral friction cone, default 0 = round
    tn_facets_align align;         // whether they turn along the slip, default none
    tn_gap_term gap_term;          // default full
    double push_out;               // fastest that overlaps are taken out [m/s], default 3
    tn_initial initial_velocities; // default given
    double gain_limit;             // energy from nowhere that ends a run, of what there was [1], default 10
    double baumgarte;              // beta of gap term baumgarte, default 0.2
    tn_gap_term stabilization;     // the same of joints, default full
    tn_coordinates coordinates;    // of mechanisms
    int projection;                // most corrections of joints' positions after a step, default 1
    double margin; // contacts are made for gaps up to this [m]; default 0 = automatic (0.02 of the smallest shape or
                   // the way of a step)
    tn_restitution_law restitution_law; // default newton
    double restitution_threshold;       // slower approach does not bounce [m/s]; default 0 = automatic (2 |g| h)
    int max_newton;                     // scheme implicit: most Newton steps, default 20
    double newton_tolerance;            // scheme implicit: relative residual of the balance to stop at, default 1e-8
    int pbd_substeps, pbd_iterations;   // scheme pbd: parts of a step, default 20; rounds of each, default 1
    double omega;                       // invertible contact [s/kg], default 0 = off
    double k_v;                         // damper between a body and its contact points [N s/m], default INFINITY = none
    double sleep_after;             // bodies slower than the next two for so long fall asleep [s]; default 0 = never
    double sleep_speed, sleep_spin; // default 0.01 m/s, 0.05 rad/s
    char solver[32];                // default auto
    tn_accuracy accuracy;           // where nothing is demanded, default standard
    tn_tolerance demanded;          // figures that every step must reach; 0: not demanded. The model turns it into
                                    // solve.tolerance, what solvers aim at
    tn_solve_options solve;
    uint64_t seed;
    int record_every;     // steps between recorded frames, default 1
    bool record_contacts; // default true
    bool record_stress;   // of soft bodies' tetrahedra, default false
    bool record_double;   // bodies, nodes and contacts are not rounded to single precision, default false
} tn_settings;

// A camera. Both points are counted from the followed body's origin, along the world's axes.
typedef struct tn_scene_view {
    char *name;
    double eye[3], target[3]; // NaN: the viewer's choice
    int follow;               // body of the model, soft ones too; 0: the world, which stands
    tn_place place;
} tn_scene_view;

// Receding horizon (`tenon mpc`): n numbers each of coordinates, of inputs; NULL: not said.
typedef struct tn_scene_mpc {
    int n_coordinates, n_inputs;
    const char **coordinates, **inputs; // names, as in tenon/lcs_source.h
    double step;                        // of the planner's system, and from one solve to the next [s]
    int horizon, method;                // of tn_plan_method
    bool riccati;                       // the last state costs what the regulator without contact pays
    const double *goal;                 // of the coordinates [m, rad]
    const double *place, *rate, *input; // weights
    const double *final_place, *final_rate;
    const double *place_low, *place_high, *rate_low, *rate_high, *input_low, *input_high;
    const double *resistance;
    int level; // of tn_lcs_level
    int facets, points;
    double friction, margin; // friction NaN: of the materials
    double budget;           // [s]; 0: none
    int nodes;               // 0: any
    int threads;             // of a solve
    int motions;             // tried first
    int push_body;           // id of a body that is pushed at random; -1: none
    double push_impulse[3];  // standard deviations [N s]
    double push_every;       // [s]
    tn_place place_said;
} tn_scene_mpc;

struct tn_scene {
    char *path; // of the file, or "" when built in memory
    char *text; // the file's text, includes expanded in order; kept in recordings
    char *title;
    tn_settings settings;
    int n_materials, n_pairs, n_bodies, n_frames, n_springs, n_joints, n_softs, n_rods, n_sensors, n_starts, n_views;
    tn_material *materials;
    tn_pair *pairs;
    tn_scene_body *bodies; // body id b here is body b + 1 in the model (0 is the world)
    tn_scene_frame *frames;
    tn_scene_spring *springs;
    tn_scene_joint *joints;
    tn_scene_soft *softs; // soft body s is body n_bodies + 1 + s in the model's numbering
    tn_scene_rod *rods;
    tn_scene_sensor *sensors;
    tn_scene_start *starts; // (n_starts)
    tn_scene_view *views;
    tn_scene_mpc *mpc;  // NULL: none
    tn_remark *remarks; // NULL: none
    int n_overrides;
    char **overrides; // (n_overrides) "path=value" that the text has in it
    void *storage;    // owns strings, expressions and arrays
};
