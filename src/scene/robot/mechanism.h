// What a robot's file says, whatever its format: a tree of links, each moved by a chain of joints, with geoms and
// inertia. The readers fill it (urdf.c, mjcf.c); then it is placed at its start (start.c), its masses are added up
// (mass.c), and it becomes the map of a scene (emit.c).
#pragma once

#include "scene/names.h"
#include "scene/robot/robot.h"
#include "scene/robot/xml.h"

typedef enum tn_robot_freedom {
    TN_ROBOT_FREE, // six coordinates: position and quaternion in the parent's frame; the only joint of a link
    TN_ROBOT_BALL,
    TN_ROBOT_HINGE,
    TN_ROBOT_SLIDE,
} tn_robot_freedom;

enum { TN_ROBOT_CHAIN_MAX = 16 }; // joints of a link

typedef struct tn_robot_joint {
    const char *name; // "": none
    tn_place place;
    tn_robot_freedom freedom;
    int link;                  // that it moves
    double anchor[3], axis[3]; // in the link's frame; axis unit
    double zero;               // coordinate at which the link has its `pose`
    double low, high;          // limits of the coordinate, infinite where there are none
    double limit_stiffness;    // INFINITY: rigid
    double stiffness, rest;    // spring of one coordinate; BALL, FREE: about `zero`, in all directions
    double settles[2];         // instead of stiffness and damping: time constant [s] and ratio; 0: not said
    double armature;           // inertia of a motor's rotor at the coordinate
    double damping, friction;  // force per rate; dry friction
    double drive[3];           // motors: force = drive[0] - drive[1] q - drive[2] q'
    int n_motors;
    double strength_most;                  // of all motors, as the joint says
    double strength;                       // of the motors together, INFINITY: no bound
    double start, rate;                    // coordinate and rate at the start
    double start_pose[7];                  // FREE: position, quaternion; BALL: quaternion in [3] to [6]
    double start_rates[6];                 // FREE: velocity (world), angular (link axes); BALL: angular in [3] to [5]
    double world_anchor[3], world_axis[3]; // at the start; FREE: anchor where it is at zero
    double world_turn[3];                  // rotation vector from zero to the start, world axes
    double world_spin[3];                  // HINGE, BALL: angular velocity of the start, world axes
    const char *scene_joint, *coordinate;  // where the scene has it: "elbow", "turn"; NULL: nowhere
} tn_robot_joint;

typedef struct tn_robot_inertia {
    double mass, center[3], tensor[9]; // tensor about the center
} tn_robot_inertia;

// A geom's surface; two touch where the type of one meets the affinity of the other, as MJCF has it, which also says
// what counts between two: the larger numbers, or those of the higher priority.
typedef struct tn_robot_surface {
    double mu, torsion, rolling;
    int condim; // 1: no friction; 3: mu alone; 4: torsion too; 6: all
    int priority;
    unsigned type, affinity;
    int own_body, own_geom; // 0, or a number that meetings name
} tn_robot_surface;

typedef struct tn_robot_geom {
    const char *name; // "": none
    tn_place place;
    int link;
    tn_shape shape; // kind and sizes; of a hull tn_robot_load gives the rest
    tn_pose pose;   // in the link's frame
    const char *file;
    double scale[3]; // of a height field from a file [0]
    int n_points;    // of a hull without a file, of a height field
    const double *points;
    int n_faces; // of a hull without a file; 0: not said
    const int *faces;
    bool weighs_as_hull; // whatever its faces enclose
    bool fitted;         // a hull as read; tn_robot_load makes it a shape of the kind `fit` with its inertia, so to say
    tn_shape_kind fit;
    double fit_scale;
    int grid[2]; // of a height field: along x, y
    double extent[3];
    double mass, density; // one of them; both NaN: none
    tn_robot_surface surface;
    bool by_object;       // a file of several objects is several hulls
    bool weighs;          // part of the link's inertia
    bool collides, shown; // neither: mass only; a link that shows what does not collide shows that alone
    bool as_mesh;         // its file can be shown as it is
    tn_color color;
    double centroid[3];     // of a hull, in the file's frame
    tn_robot_inertia solid; // of unit density, what the file's triangles enclose; mass 0: nothing
} tn_robot_geom;

typedef struct tn_robot_link {
    const char *name;
    tn_place place, inertia_place;
    int parent;   // -1: the world; parents come first
    tn_pose pose; // in the parent's frame, all coordinates at their `zero`
    int first_joint, n_joints;
    bool ground; // geoms of the world: no body of the file
    bool apart;  // without joints, yet a body of its own: a sensor reads its weld, or its weight is taken off otherwise
    bool has_inertia, fixed; // said; moved by nothing in the file
    bool mocap;              // fixed, yet a program moves it: a kinematic body (MJCF)
    tn_robot_inertia inertia;
    double lift; // part of its weight that is taken off it
    tn_pose world;
    double velocity[3], spin[3]; // at the start, world axes
    int body;                    // link whose body it is part of
    int own;                     // 0, or a number for meetings
    const char *held_by;         // joint of the scene that ends its chain; NULL: none
} tn_robot_link;

// A named place on a link (-1: the world), and the box that it fills.
typedef struct tn_robot_site {
    const char *name;
    tn_place place;
    int link;
    tn_pose pose;
    double size[3];
} tn_robot_site;

// What is said of two bodies, or of two geoms alone, by their `own` numbers: whether and how they touch.
typedef struct tn_robot_meeting {
    bool of_geoms;
    int own[2];
    bool collide;
    double mu, torsion, rolling;
    tn_place place;
} tn_robot_meeting;

// q_b - zero_b = offset + ratio (q_a - zero_a).
typedef struct tn_robot_coupling {
    const char *name;
    tn_place place;
    int joint_a, joint_b;
    double ratio, offset;
} tn_robot_coupling;

// A loop: a point, or a point and all axes, of two links (-1: the world) at rest relative to each other.
typedef struct tn_robot_tie {
    const char *name;
    tn_place place;
    bool weld;
    int link_a, link_b;
    double point_a[3], point_b[3];
    double spring[2], turn_spring[2]; // stiffness and damping of the point and of the axes; 0: rigid
    bool round;                       // a way round a drum
    tn_drum drum;                     // in the frame of link_a
} tn_robot_tie;

// Of a tendon's length: a coefficient, not 0, times the coordinate of a joint or the distance of two points.
typedef struct tn_robot_term {
    double coefficient;
    int joint; // -1: between the ends
    tn_robot_tie ends;
} tn_robot_term;

// A coordinate of its own that has forces as one of a joint has: the sum of its parts over the coefficient of the last.
typedef struct tn_robot_tendon {
    int n;
    tn_robot_term term[TN_GEAR_MOST]; // (n)
    bool held;                        // it keeps the length `length`
    double length;
    double spring[2];  // stiffness and damping of what holds it; 0: rigid
    tn_robot_joint of; // without a link
} tn_robot_tendon;

// A sensor of the scene.
typedef struct tn_robot_sensor {
    const char *name;
    tn_place place;
    tn_sensor_kind kind;
    const tn_robot_joint *of; // whose coordinate it reads, a joint or a tendon's; NULL: none
    double scale, offset;     // the reading is offset + scale times it, or times its rate
    int link;      // else: with the mount, and of forces held by the joint that they are read in; -1: the world
    tn_pose mount; // in the link's frame; of several bodies together: of the link and all that hangs on it
    bool seen;     // from a mount on another link
    int seen_link;
    tn_pose seen_mount;
    double pad[3]; // sizes; 0: none
    double reach;  // INFINITY: any
    double noise;
} tn_robot_sensor;

typedef struct tn_robot {
    tn_reader *reader;
    const tn_robot_options *options;
    const char *file;
    const char *title;   // NULL: none
    tn_place settings;   // of the next two
    double step;         // NaN: not said
    double gravity[3];   // NaN: not said
    const char *meshdir; // of meshes, as a URDF file's <mujoco> says it, NULL: none; and whether their own folders go
    bool strips;
    bool touches_support;                         // joints to what is fixed do not keep contacts away (MJCF)
    bool balance;                                 // impossible moments of inertia become their mean
    double least_mass, least_inertia, total_mass; // of bodies; 0: no bound
    int n_links, n_joints, n_geoms, n_meetings, n_couplings, n_ties, n_own, n_sensors, n_sites, n_tendons;
    tn_robot_link *links;
    tn_robot_joint *joints;
    tn_robot_geom *geoms;
    tn_robot_meeting *meetings;
    int meeting_capacity;
    tn_robot_coupling *couplings;
    tn_robot_tie *ties;
    tn_robot_tendon *tendons;
    tn_robot_sensor *sensors;
    tn_robot_site *sites;
} tn_robot;

// Room for so many; false with the error set.
bool tn_robot_reserve(tn_robot *robot, int links, int joints, int geoms, int couplings, int ties);
tn_robot_joint tn_robot_joint_default(void);

// What counts between two: mu, torsion, rolling and condim of the higher priority, else the larger ones.
tn_robot_surface tn_robot_surface_between(const tn_robot_surface *a, const tn_robot_surface *b);
bool tn_robot_add_meeting(tn_robot *robot, const tn_robot_meeting *meeting);
bool tn_robot_part(tn_robot *robot, int a, int b, tn_place place); // two links do not touch
// Links of one robot that overlap at the start do not touch, with a remark (overlaps.c).
bool tn_robot_part_overlaps(tn_robot *robot);

// A text of printf's in scratch; NULL with the error set.
const char *tn_robot_text(tn_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tn_robot_relative(tn_pose *pose, const tn_pose *frame, const tn_pose *of); // compose(frame, pose) = of

bool tn_robot_read_urdf(tn_robot *robot, const tn_xml *root);
bool tn_robot_read_mjcf(tn_robot *robot, tn_xml *root); // files that it includes are put into root

// Where links and joints are at the start, how they move, whose body each link is.
void tn_robot_start(tn_robot *robot);
// Whether nothing moves the link, no program either; -1: the world.
bool tn_robot_stands(const tn_robot *robot, int link);
bool tn_robot_hangs_on(const tn_robot *robot, int link, int on); // or is it; on -1: all do
// Between the ends of a tie, as links stand.
double tn_robot_distance(const tn_robot *robot, const tn_robot_tie *ends);
// The coordinate of a tendon, as links stand. One over points counts from 0 in the scene, one over joints from there.
double tn_robot_tendon_length(const tn_robot *robot, const tn_robot_tendon *tendon);
// The link where it is, as fast as its first n joints make it alone.
tn_robot_link tn_robot_link_behind(const tn_robot *robot, const tn_robot_link *link, int n);
// Hulls and meshes of files, then masses of links from geoms that weigh, and bounds; false with the error set.
bool tn_robot_load(tn_robot *robot);
void tn_robot_weigh(tn_robot *robot);
// Whether a file's triangles can be shown; a remark where they cannot.
bool tn_robot_picture(tn_robot *robot, const tn_robot_geom *geom);
bool tn_robot_scale_is_one(const tn_robot_geom *geom); // the same along all axes, and no mirror
void tn_robot_add_inertia(tn_robot_inertia *sum, const tn_robot_inertia *part, const tn_pose *pose);
// What the joint moves, about or along it, as the links stand (kg m^2, kg); false with the error set.
bool tn_robot_joint_inertia(const tn_robot *robot, const tn_robot_joint *joint, double *inertia);
// What joints and bodies of a tree of links give way by as these stand, armature included (response.c); root: its first
// link that moves. NULL with the error set.
typedef struct tn_robot_response tn_robot_response;
int tn_robot_root(const tn_robot *robot, int link);
tn_robot_response *tn_robot_respond(const tn_robot *robot, int root);
// Acceleration at a coordinate of the joint by its own unit force, the mean of them (1/kg, 1/(kg m^2)); at the link's
// center of mass by a force there, and turning by a torque, the mean of all directions. 0: it does not move, or is
// of another tree, or there is no mass.
double tn_robot_joint_gives(const tn_robot *robot, const tn_robot_response *response, int joint);
void tn_robot_link_gives(const tn_robot *robot, const tn_robot_response *response, int link, double gives[2]);
// Of the bodies, each in the frame of the link that heads it; sum (n_links) is zero at first.
void tn_robot_gather_inertia(const tn_robot *robot, tn_robot_inertia *sum);
