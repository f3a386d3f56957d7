// What a scene may say, as tables: the one source of the parser, of docs/scene.md and of the JSON Schema.
//
// A section is a map with known keys. Reading it fills a struct: each key names the field by its offset. Defaults are
// texts that are read like the file's own.
#pragma once

#include "scene/node.h"
#include "scene/units.h"

typedef enum tn_key_type {
    TN_KEY_NUMBER,       // double; absent without default: NaN
    TN_KEY_INTEGER,      // int
    TN_KEY_SEED,         // uint64_t
    TN_KEY_FLAG,         // bool
    TN_KEY_TEXT,         // const char *; absent: NULL
    TN_KEY_CHOICE,       // int, index in choices
    TN_KEY_WORD,         // char[32], one of choices
    TN_KEY_NAME,         // const tn_node *, a checked scalar; absent: NULL
    TN_KEY_MEASURE,      // const tn_node *, a number whose unit depends on other keys, or a list (scalar): read by hand
    TN_KEY_NAMES,        // const tn_node *, a scalar or a list of scalars
    TN_KEY_VECTOR,       // double[3]; absent without default: NaN
    TN_KEY_NUMBERS,      // tn_numbers, low_count to high_count of them; absent: n = 0
    TN_KEY_POINTS,       // tn_numbers: list of [x, y, z]; value (n, 3)
    TN_KEY_PLANE_POINTS, // tn_numbers: list of [x, z]; value (n, 2)
    TN_KEY_COUNTS,       // int[3]
    TN_KEY_COLOR,        // tn_color
    TN_KEY_EXPRESSION,   // tn_value; absent without default: constant NaN
    TN_KEY_EXPRESSIONS,  // tn_value[3]
    TN_KEY_GROUP,        // section, fields in the same struct; defaults apply where it is absent
    TN_KEY_SECTION,      // section, pointer to a struct of its own; absent: NULL
    TN_KEY_NAMED,        // const tn_node *, a map of names to sections, read by hand
    TN_KEY_LIST,         // const tn_node *, a list of sections, read by hand
    TN_KEY_ONE,          // const tn_node *, one section, read by hand
    TN_KEY_DEFAULTS,     // const tn_node *, a map of keys of the section, whose names alone are checked
} tn_key_type;

typedef struct tn_numbers {
    int n;
    const double *value;
} tn_numbers;

typedef struct tn_key {
    const char *name;
    tn_key_type type;
    size_t offset;
    tn_dimension unit;
    double low, high;                 // inclusive range; low = high = 0: any
    bool above;                       // low itself is not allowed
    double least;                     // NUMBER with low = 0: 0 or at least this much
    bool required;                    // must be there
    bool scalar;                      // NUMBERS: one number may stand for a list of it
    bool infinite;                    // "infinite" is a value, and "-infinite" where there is no range
    bool nonzero;                     // VECTOR: not the zero vector
    int low_count, high_count;        // NUMBERS, POINTS, NAMES
    const char *fallback;             // default as text: a scalar or "[a, b, c]"
    const char *const *choices;       // ends with NULL
    const struct tn_section *section; // GROUP, SECTION, NAMED, LIST, DEFAULTS
    const char *doc;                  // one or two sentences for the reference
} tn_key;

typedef struct tn_section {
    const char *name;      // heading of the reference
    const char *doc;       // what stands above its table
    size_t size;           // of the struct that it fills
    const char *shorthand; // a value that is no map is read as this key; NULL: none
    int n_keys;
    const tn_key *keys;
} tn_section;

// The structs that the tables fill. NULL and NaN: not said.

typedef struct tn_raw_scene {
    const char *title;
    tn_settings settings;
    int initial_velocities;
    int scheme, law, gap_term, stabilization, coordinates, restitution_law, facets_align, record_precision,
        accuracy; // indices of choices
    const tn_node *mpc, *include, *robots, *materials, *pairs, *bodies, *frames, *springs, *joints, *softs, *rods,
        *sensors, *starts, *views;
    const tn_node *default_material, *default_body, *default_shape, *default_spring, *default_joint, *default_soft;
} tn_raw_scene;

typedef struct tn_raw_rotation {
    double axis[3], angle;
    double euler[3];
    tn_numbers quaternion;
} tn_raw_rotation;

typedef struct tn_raw_robot {
    const char *file, *prefix, *keyframe;
    double position[3];
    tn_raw_rotation *rotation;
    bool fixed;
    const tn_node *set;
} tn_raw_robot;

typedef struct tn_raw_friction {
    double mu, mu1, mu2, direction[3];
} tn_raw_friction;

typedef struct tn_raw_foundation {
    double modulus, depth;
    int elements;
} tn_raw_foundation;

// How contacts give way; a pair says the moduli of both together, and the radius.
typedef struct tn_raw_spring_law {
    double stiffness, damping, hunt_crossley, tangential_damping;
    double tangential_stiffness, tangential_stiffness2, relaxation;
    double young, poisson, contact_modulus, radius;
    tn_raw_foundation *foundation;
} tn_raw_spring_law;

typedef struct tn_raw_material {
    double density, restitution, rolling, torsion;
    tn_raw_friction *friction;
    tn_raw_spring_law spring;
    tn_color color;
} tn_raw_material;

typedef struct tn_raw_pair {
    const tn_node *materials;
    tn_raw_friction *friction;
    double restitution, rolling, torsion, adhesion;
    tn_raw_spring_law spring;
    bool collide;
} tn_raw_pair;

// Sizes as the file says them: radius, full edges, length between the centers of a capsule's caps or along a cylinder.
typedef struct tn_raw_solid {
    double normal[3], offset; // plane
    double radius, length;    // sphere, capsule, cylinder, cone, disk, polygon
    double top_radius;        // cone
    double size[3];           // box: edges; ellipsoid: semi-axes
    const char *file;         // hull, hulls, mesh, heights
    double scale;             // of what the file or the values say
    tn_numbers points;        // hull: (n, 3), polygon: (n, 2)
    tn_numbers extent;        // heights, polygon, ellipse: two numbers
    tn_numbers count;         // heights: two numbers
    tn_numbers values;        // heights
    const tn_node *z;         // heights: an expression of x and y
} tn_raw_solid;

typedef struct tn_raw_shape {
    tn_raw_solid *solid[TN_SHAPE_COUNT]; // by kind
    tn_raw_solid *hulls;                 // several of kind HULL
    double density, mass;
    const tn_node *material;
    double position[3];
    tn_raw_rotation *rotation;
    bool collides;
    double surface_velocity[3];
    tn_color color;
} tn_raw_shape;

typedef struct tn_raw_motion {
    tn_value position[3];
    double axis[3];
    tn_value angle;
    bool teleport;
} tn_raw_motion;

typedef struct tn_raw_array {
    int count[3];
    double spacing[3], jitter, rotation_jitter;
} tn_raw_array;

typedef struct tn_raw_scatter {
    int count;
    double low[3], high[3];
    bool turn;
} tn_raw_scatter;

typedef struct tn_raw_confine {
    double normal[3];
} tn_raw_confine;

typedef struct tn_raw_body {
    bool fixed;
    double position[3];
    tn_raw_rotation *rotation;
    double velocity[3], angular_velocity[3];
    const tn_node *shape, *shapes, *visual, *material;
    tn_color color;
    int texture; // index of choice
    double density, mass, center[3];
    tn_numbers inertia, contact_points;
    double contact_radius;
    tn_raw_confine *confine;
    tn_value force[3], force_body[3], torque[3];
    tn_raw_motion *motion;
    tn_raw_array *array;
    tn_raw_scatter *scatter;
} tn_raw_body;

typedef struct tn_raw_spring {
    const tn_node *a, *b;
    double point_a[3], point_b[3];
    double stiffness, damping, rest_length;
} tn_raw_spring;

typedef struct tn_raw_motor {
    tn_value position, velocity;
    double strength, stiffness, damping; // damping: NaN where it is not said
} tn_raw_motor;

// Nodes of a mesh: one of these is said.
typedef struct tn_raw_region_box {
    double low[3], high[3];
} tn_raw_region_box;

typedef struct tn_raw_region_ball {
    double center[3], radius;
} tn_raw_region_ball;

typedef struct tn_raw_region {
    tn_raw_region_box *box;
    tn_raw_region_ball *ball;
    const tn_node *group;
    tn_numbers nodes;
    bool surface, all;
} tn_raw_region;

typedef struct tn_raw_bearing {
    double least, coefficient, radius; // radius: of a rotation
} tn_raw_bearing;

typedef struct tn_raw_ball {
    double torque, radius;         // NaN: not said
    tn_numbers force, coefficient; // one, or along slide and slide2
} tn_raw_ball;

typedef struct tn_raw_drive {
    tn_numbers limits;
    double stiffness, rest, damping, armature, limit_stiffness, limit_damping;
    tn_raw_bearing *friction;
    tn_raw_motor *motor;
    const tn_node *called;
} tn_raw_drive;

typedef struct tn_raw_round {
    double center[3], axis[3], side[3], radius;
} tn_raw_round;

typedef struct tn_raw_joint {
    int type;
    const tn_node *a, *b;
    tn_raw_region *where_a, *where_b;
    double anchor[3], point_a[3], point_b[3], axis[3], axis2[3], turned[3];
    double length, pitch, radius, compliance, turn_compliance, slack;
    tn_numbers stiffness, damping, turn_stiffness, turn_damping; // one of a hold, 3 or 9 of a bushing
    tn_numbers stiffness_matrix, damping_matrix;
    bool collide;
    tn_raw_round *round;
    tn_raw_drive *drive[TN_AXIS_COUNT];
    tn_raw_ball *friction;
    const tn_node *joints, *coordinates;
    tn_numbers ratio;
} tn_raw_joint;

// Sizes of a generated mesh, or a file; each generator takes some of them.
typedef struct tn_raw_mesh {
    double size[3];    // grid
    int divisions[3];  // grid, finger
    int across, along; // ball (across), cylinder
    double radius, length, width, thickness_root, thickness_tip, notch_depth;
    int notches;
    const char *file;
    double scale;
} tn_raw_mesh;

typedef enum tn_mesh_kind {
    TN_MESH_GRID,
    TN_MESH_BALL,
    TN_MESH_CYLINDER,
    TN_MESH_FINGER,
    TN_MESH_FILE,
    TN_MESH_KINDS,
} tn_mesh_kind;

typedef struct tn_raw_attach {
    const tn_node *to;
    tn_raw_region *where;
} tn_raw_attach;

typedef struct tn_raw_pull {
    tn_value force[3];
    tn_raw_region *where;
} tn_raw_pull;

typedef struct tn_raw_soft {
    tn_raw_mesh *mesh[TN_MESH_KINDS];
    double position[3];
    tn_raw_rotation *rotation;
    double velocity[3], angular_velocity[3];
    const tn_node *material;
    double density, young, poisson;
    double mass_damping, stiffness_damping;
    int geometric; // index of choice
    bool collides, self_contact;
    const tn_node *attach, *pull;
    tn_raw_array *array;
    tn_color color;
} tn_raw_soft;

// A cross-section of a rod, and how an end of it is held.
typedef struct tn_raw_profile {
    double area, torsion, shear_factor; // torsion: NaN where it is not said
    tn_numbers second_moments;
} tn_raw_profile;

typedef struct tn_raw_rod_end {
    int hold; // index of choice
    const tn_node *to;
} tn_raw_rod_end;

typedef struct tn_raw_rod {
    tn_numbers points;
    tn_value curve[3];
    bool closed, collides, self_contact;
    double position[3], velocity[3];
    tn_raw_rotation *rotation;
    int segments;
    double radius, young, poisson, density, damping, natural[3];
    tn_raw_profile *profile;
    tn_raw_rod_end *end[2];
    const tn_node *material;
    tn_color color;
} tn_raw_rod;

tn_dimension tn_sensor_dimension(tn_sensor_kind kind, bool turns); // turns: of a rotation's coordinate

typedef struct tn_raw_start {
    const tn_node *coordinate, *rate; // numbers in the units of the joint's coordinates
} tn_raw_start;

typedef struct tn_raw_mount {
    const tn_node *body;
    double position[3];
    tn_raw_rotation *rotation;
} tn_raw_mount;

typedef struct tn_raw_sensor {
    int type; // index of choice
    const tn_node *body, *joint, *coordinate, *bodies;
    double position[3];
    tn_raw_rotation *rotation;
    tn_raw_mount *seen_from;
    double pad[3], reach;
    double scale;
    const tn_node *offset, *noise; // their unit is the type's
} tn_raw_sensor;

typedef struct tn_raw_view {
    double eye[3], target[3]; // NaN: not said
    const tn_node *follow;
} tn_raw_view;

typedef struct tn_raw_mpc {
    const tn_node *coordinates, *inputs, *push_body;
    double step, friction, margin, budget, push_impulse[3], push_every;
    int horizon, method, terminal, level, facets, points, nodes, threads, motions;
    tn_numbers goal, place, rate, input, final_place, final_rate, resistance;
    tn_numbers place_low, place_high, rate_low, rate_high, input_low, input_high;
} tn_raw_mpc;

extern const tn_section tn_section_mpc, tn_section_scene, tn_section_material, tn_section_pair, tn_section_body,
    tn_section_shape, tn_section_frame, tn_section_spring, tn_section_joint, tn_section_rotation, tn_section_array,
    tn_section_soft, tn_section_attach, tn_section_region, tn_section_pull, tn_section_robot, tn_section_rod,
    tn_section_sensor, tn_section_start, tn_section_view;

const tn_key *tn_section_key(const tn_section *section, const char *name); // NULL: none
