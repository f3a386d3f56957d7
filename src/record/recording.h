// A finished (or still growing, or crashed) recording, read back. docs/recording.md describes the file.
#pragma once

#include "base/arena.h"
#include "record/columns.h"
#include "shape/shape.h"
#include "tenon/record.h"

#include <stdbool.h>
#include <stdint.h>

// A shape of a body; points and triangles lie in the recording's memory. Of hulls, meshes and height fields these are
// their surface, and the pointers to their own structs are NULL.
typedef struct tn_recorded_shape {
    int body;
    bool visual;  // shown in place of the body's other shapes, and nothing else
    bool seen;    // visual, or its body has no visual shapes
    float rgb[3]; // of the screen, 0 to 1; NaN: the body's
    tn_shape shape;
    tn_pose pose; // in the body's own frame
    int n_triangles;
    const int *triangles; // (n_triangles, 3) points
} tn_recorded_shape;

// A soft body: consecutive nodes, tetrahedra and surface faces of the recording's.
typedef struct tn_recorded_soft {
    int body; // row of names
    int first_node, n_nodes;
    int first_tet, n_tets;
    int first_face, n_faces;
    double young, poisson, density; // [Pa], [1], [kg/m^3]
} tn_recorded_soft;

// A named camera; points from the followed body's origin [m], NaN: the viewer's choice.
typedef struct tn_recorded_view {
    double eye[3], target[3];
    int follow; // row of names, 0: the world
} tn_recorded_view;

// What is known of the run; files of earlier versions say less.
typedef struct tn_recorded_run {
    char *machine;       // NULL: unknown
    char *outcome;       // "done" ..., NULL: not closed by `tenon run` (killed, or still going)
    char *interfered;    // what a live viewer changed; NULL: nothing
    double planned_time; // [s] the run was to reach; NaN: unknown
    double tolerance_momentum, tolerance_natural; // demanded; 0: not, NaN: unknown
    long threads, dof;                            // 0, -1: unknown
    bool has_contacts;                            // whether contacts were to be recorded
} tn_recorded_run;

struct tn_recording {
    tn_arena *arena; // all that follows lies there
    char *path;
    int64_t file;                                   // HDF5 handle
    int64_t *open;                                  // likewise of each column (tn_columns), once it is read
    void (*watch)(void *user, long row, long rows); // tn_recording_set_watch; or NULL
    void *watcher;
    long n_frames;    // complete ones
    int n_bodies;     // with the world, body 0; soft ones come last
    char **names;     // (n_bodies)
    uint8_t *kinds;   // (n_bodies) tn_body_kind, TN_RECORDED_SOFT
    float *rgb;       // (n_bodies, 3) of the screen, 0 to 1; NaN: not said
    uint8_t *checker; // (n_bodies)
    int n_views;
    char **view_names;                     // (n_views)
    tn_recorded_view *views;               // (n_views)
    int n_shapes, n_solid;                 // visual shapes come last, the solid ones before them
    tn_recorded_shape *shapes;             // (n_shapes)
    double *points;                        // of all shapes
    int *triangles;                        // likewise
    int n_softs, n_nodes, n_tets, n_faces; // 0 in recordings without soft bodies
    tn_recorded_soft *softs;               // (n_softs)
    double *rest;                          // (n_nodes, 3) [m]
    int *attached;                         // (n_nodes) body each node is fastened to, -1: none
    int *tets, *faces;                     // (n_tets, 4), (n_faces, 3) nodes
    int n_joints, n_coordinates;           // 0 in recordings without joints
    char **joint_names, **joint_types;     // (n_joints)
    int *joint_first;                      // (n_joints + 1) first free coordinate of each
    int *joint_bodies;                     // (n_joints, 2) body a and b, -1: a gear; NULL: not in the file
    double *joint_frames[2];               // (n_joints, 7) in body a's and b's own frame, the axis is x; NULL likewise
    char **coordinate_names;               // (n_coordinates) "slide", "turn" ...
    int n_sensors, n_readings;             // 0 in recordings without sensors
    char **sensor_names, **sensor_types, **sensor_units; // (n_sensors)
    int *sensor_first;                                   // (n_sensors + 1) first number of each in a reading
    bool has_stress;                                     // whether there is a column soft/stress
    bool has_asleep;                                     // whether there is a column asleep
    bool has_patches;                                    // whether there is a column contacts/patch
    bool has_plans;                                      // whether there are columns plan/...
    bool has_plan_poses;                                 // whether there is a column plan/poses
    int n_lanes;
    char **lane_names; // (n_lanes) what the bits of plan/mode stand for
    char *title, *scene, *scene_path, *version, *solver, *law, *scheme;
    int n_overrides;
    char **overrides; // (n_overrides) "path=value"
    double step;      // h [s]
    uint64_t seed, model_hash;
    int64_t record_every;
    tn_recorded_run run;
};

// Its file's name without folder and ending, as exports are named: out/demo.h5 -> demo. Fit for XML.
void tn_recording_base_name(const tn_recording *recording, size_t size, char *name);

// Whether the recording has a column of one row a frame.
bool tn_recording_has_once(const tn_recording *recording, const tn_column *column);
int tn_recording_find_joint(const tn_recording *recording, const char *name);  // -1: none
int tn_recording_find_sensor(const tn_recording *recording, const char *name); // -1: none

// Rows [first, first + n) of a column as doubles into out (n times the row's width).
tn_status tn_recording_rows(const tn_recording *recording, const char *column, long first, long n, double *out,
                            tn_error *error);
// One row of each of these columns; those without room for it are left out.
typedef struct tn_column_room {
    const char *column;
    double *out; // NULL: left out
} tn_column_room;
tn_status tn_recording_row(const tn_recording *recording, long row, int n, const tn_column_room *rooms,
                           tn_error *error);
