// MJCF (mujoco.readthedocs.io/en/stable/XMLreference.html): what its reader's files share. Attributes are looked for in
// an element, then in its default class and in those that the class stands in.
#pragma once

#include "scene/robot/mechanism.h"

enum { TN_MJCF_MODELS_MAX = 1000, TN_MJCF_COPIES_MAX = 200 * 1000 }; // files; elements that all copies have together

typedef enum tn_mjcf_choice { TN_MJCF_NO, TN_MJCF_YES, TN_MJCF_AUTO } tn_mjcf_choice;

// What a file says of how it is to be read (<compiler>): its own elements, those that it includes, and none of a file
// that it attaches.
typedef struct tn_mjcf_rules {
    bool radians, autolimits, strippath;
    bool fits_boxes; // `fitaabb`
    bool global;     // places and axes are the world's, as they were in files before 2023
    const char *euler, *meshdir;
    tn_mjcf_choice from_geoms;
    double groups[2];   // of geoms that have mass
    const char *folder; // in which paths of its meshes begin, from that of the main file: "" or with "/" at its end
    int class;          // its first
    int within;         // model that attaches it; -1: the main one, which nothing does
} tn_mjcf_rules;

typedef struct tn_mjcf_class {
    const char *name;
    int model;  // tn_xml's, within which the name counts
    int parent; // -1: none
    const tn_xml *node;
} tn_mjcf_class;

// What an actuator acts on, or a sensor reads: offset + ratio times a coordinate.
typedef struct tn_mjcf_length {
    tn_robot_joint *of; // a joint, or what a tendon over two is; NULL: nothing
    double ratio, offset;
} tn_mjcf_length;

typedef struct tn_mjcf {
    tn_robot *robot;
    tn_reader *reader;
    const tn_xml *root;
    int n_models;
    tn_mjcf_rules *rules;          // (n_models) of the main file, and of each part of another one that it attaches
    int *link_model;               // (n_links)
    int files_left, elements_left; // that may still be read, or copied
    int n_classes;
    tn_mjcf_class *classes;
    int n_meshes, n_fields, n_materials;
    const tn_xml **meshes, **fields, **materials; // elements, and their names
    tn_names mesh_names, field_names, material_names;
    tn_names links, joints, geoms; // of the robot, once its bodies are read
    const tn_xml *key;             // NULL: none
    int n_controls;
    const double *controls;    // (n_controls) of the key
    tn_mjcf_length *tendons;   // of the file's tendons, in their order
    tn_mjcf_length *actuators; // (n_controls) likewise
    double *activations;       // (n_controls) of the key, of those actuators that have one
    int n_activations;         // so far
    const char **site_list;
    tn_names site_names;
    bool no_springs, no_dampers, no_friction, no_limits, no_equalities, no_motors, no_lift; // switched off by flags
    unsigned idle_groups;                                                                   // of actuators, a bit each
    bool untouchable;                                                                       // contacts are off
    bool pairs_alone;                                                                       // only those of <pair> meet
    bool no_pairs;                                                                          // <pair> does not count
    tn_names body_names, geom_names;                                                        // that the file has
    int n_bodies, n_grounds;                                                                // so far
} tn_mjcf;

// Files: <include> and <attach> of the root become what they stand for, with assets, classes and what else is about an
// attached part at the root.
bool tn_mjcf_read_files(tn_mjcf *m, tn_xml *root);
bool tn_mjcf_check_sections(tn_mjcf *m, const tn_xml *root);
// How names change in a copy: what stands before and behind those of elements, and of references to `known` ones. NULL:
// to all but the world, those to assets too.
typedef struct tn_mjcf_naming {
    const char *prefix, *suffix;
    const tn_names *known;
    const int *model; // (n_models) of a copy's elements, by that of theirs; NULL: the same
} tn_mjcf_naming;
tn_xml *tn_mjcf_copy(tn_mjcf *m, const tn_xml *from, const tn_mjcf_naming *naming); // NULL with the error set
int tn_mjcf_size(const tn_xml *element);                                            // elements, with itself
bool tn_mjcf_refers(const tn_xml *element, const tn_names *known);                  // to one of them, at any depth
bool tn_mjcf_count_copies(tn_mjcf *m, const tn_xml *of, int count, tn_place place); // false: too many, the error set
// Behind the children of a parent that began with none; child NULL: the error is set, as where false comes back.
bool tn_mjcf_append(tn_mjcf *m, tn_xml *parent, tn_xml *child);
int tn_mjcf_list_names(const tn_xml *element, int n, const char **list); // behind n of them; how many then

// Sections of the file: false with the error set.
bool tn_mjcf_read_settings(tn_mjcf *m); // compiler, option, default
bool tn_mjcf_replicate(tn_mjcf *m);     // <replicate> of the tree becomes what it stands for, as do its users elsewhere
bool tn_mjcf_expand_composites(tn_mjcf *m, tn_xml *root); // <composite> of the tree likewise
bool tn_mjcf_read_assets(tn_mjcf *m);
bool tn_mjcf_read_bodies(tn_mjcf *m);
bool tn_mjcf_read_geom(tn_mjcf *m, const tn_xml *element, int link, const tn_pose *frame, const char *childclass);
bool tn_mjcf_settle_springs(tn_mjcf *m); // `springdamper`, once links stand and weigh; before the keyframe
bool tn_mjcf_read_contacts(tn_mjcf *m);
bool tn_mjcf_read_equalities(tn_mjcf *m);
bool tn_mjcf_read_key(tn_mjcf *m);
bool tn_mjcf_is_within(const tn_mjcf *m, int model, int of); // or is it, or is attached to what is
bool tn_mjcf_read_tendons(tn_mjcf *m);                       // before the keyframe moves the start
// The one of a section's elements, all of which have a length, that an attribute of the element names; NULL with the
// error set where there is none. out->of NULL: it has no length here.
const tn_xml *tn_mjcf_length_of(tn_mjcf *m, const tn_xml *element, int class, const char *section,
                                const char *attribute, const tn_mjcf_length *lengths, tn_mjcf_length *out);
bool tn_mjcf_read_actuators(tn_mjcf *m);
bool tn_mjcf_read_sensors(tn_mjcf *m);
bool tn_mjcf_mark_apart(tn_mjcf *m); // links that are welded, not one with their parent; before they are placed

// The element's own class, else childclass, else the first; -1 with the error set.
int tn_mjcf_class_of(tn_mjcf *m, const tn_xml *element, const char *childclass);
bool tn_mjcf_is_actuator(const tn_xml *element);
// Who says the attribute: the element, or a default of its kind; NULL: nobody.
const tn_xml *tn_mjcf_holder(const tn_mjcf *m, const tn_xml *element, int class, const char *attribute);
const char *tn_mjcf_get(const tn_mjcf *m, const tn_xml *element, int class, const char *attribute);
// Values that nobody says stay as they are.
bool tn_mjcf_numbers(tn_mjcf *m, const tn_xml *element, int class, const char *attribute, int low, int high,
                     double *value, int *n);
bool tn_mjcf_number(tn_mjcf *m, const tn_xml *element, int class, const char *attribute, double *value);
// Whether a range holds: by its own word, or where it is said at all (0 0 says nothing).
bool tn_mjcf_limited(tn_mjcf *m, const tn_xml *element, int class, const char *word, const char *range, bool *limited);
// Flags that switch forces off: what of a joint's or tendon's own then is none.
void tn_mjcf_switch_off(const tn_mjcf *m, double *stiffness, double *damping, double *friction, double range[2]);
// z runs from the second of two ends to the first, which are *half apart from the middle; false: they are one point.
bool tn_mjcf_stretch(const double ends[6], tn_pose *pose, double *half);
// pos and orientation, after `frame`.
bool tn_mjcf_pose(tn_mjcf *m, const tn_xml *element, int class, const tn_pose *frame, tn_pose *pose);
// The world's frame as seen from a link, all coordinates at their zero.
tn_pose tn_mjcf_world(const tn_mjcf *m, int link);
double tn_mjcf_angle(const tn_mjcf *m, const tn_xml *element, double value);
// Of angles as the element's file counts them, in its order.
void tn_mjcf_euler(const tn_mjcf *m, const tn_xml *element, const double angle[3], double q[4]);
// Stiffness and damping by which what holds gives way in MuJoCo: with d = solimp[0] its force is d / (1 - d) / A of
// what solref asks for, k r + b r', where A is what a force changes the rate r' by. As they are where it is rigid;
// false with the error set.
bool tn_mjcf_give_way(tn_mjcf *m, const tn_xml *element, int class, double A, double spring[2]);
// Only attributes that MJCF knows for this kind of element (NULL: the element's name); remarks on those without effect.
bool tn_mjcf_check(tn_mjcf *m, const tn_xml *element, const char *kind);
// Elements of one name in all sections of another: the next after *at, or NULL. Start with at = {0, 0}.
typedef struct tn_mjcf_cursor {
    int section, child;
} tn_mjcf_cursor;
const tn_xml *tn_mjcf_next(const tn_mjcf *m, const char *section, tn_mjcf_cursor *at);
// Id of a name that an attribute says; -1 with the error set.
int tn_mjcf_lookup(tn_mjcf *m, const tn_xml *element, const char *attribute, const tn_names *names, const char *what);
bool tn_mjcf_fail(tn_mjcf *m, const tn_xml *element, const char *format, const char *text); // always false
