// What the files that make joint rows share: what rows are made of, and the laws of a row. Not for others.
#pragma once

#include "discretize/joints.h"

// What rows are made of. v of a row is c + R f + G v.
typedef struct tn_joint_rows_work {
    const tn_model *model;
    const double *coordinates;       // (n_joint_coordinates)
    const double *bend;              // (n_joint_coordinates) as the state's
    const tn_joint_geometry *errors; // (n_joints) violations
    const tn_joint_geometry *ahead;  // (n_joints) at q_k (+) h v; NULL: no curvature
    bool rates_only;                 // holds keep what they are off by
    double span;                     // prescribed velocities are means over [t, t + span]; 0: those at t
    double t, h, kappa;              //
    double end;                      // when positions count [s]
    const double *v;                 // (3 n_blocks) what v^ will be about
    const double *swing;             // (3 n_blocks) of the balance; or NULL
    const double *force;             // (n_joint_rows) of the first solve; NULL: this is it
    const bool *closed;              // (n_joint_rows) limits that press in the first solve
    const double *last;              // (n_joint_rows) of the last step's
    const double *taut;              // (n_joints) stiffness across distances (taut.h); NULL: none
    const double *rates_before;      // (n_joint_coordinates) of those with inertia (joint_armature.h); NULL: none
    const tn_input *input;           // targets of motors that are not the scene's; or NULL
    bool elastic;                    // at rest: what gives way bears what its deformation makes
    bool looked;                     // out->geometry is there
    bool near;                       // limits that are far away are left out
    tn_joint_step *out;
} tn_joint_rows_work;

// A row but for its Jacobian.
typedef struct tn_joint_law {
    double offset, compliance, lower, upper;
    double push; // of the offset: what takes out passed limits and errors of the start, and is not kept as velocity
} tn_joint_law;

// The law of row `number` of the model in this solve; false: it has no say there.
typedef bool tn_joint_law_of(const tn_joint_rows_work *work, int number, tn_joint_law *out);
tn_joint_law_of tn_joint_law_first;    // the first solve
tn_joint_law_of tn_joint_law_end;      // midpoint's second one
tn_joint_law_of tn_joint_law_start;    // velocities at the start
tn_joint_law_of tn_joint_law_position; // a correction of positions
tn_joint_law_of tn_joint_law_rest;     // a system at rest

// Error of what hold i of the joint locks [m, rad]. at: unused of a gear.
double tn_joint_violation(const tn_model_joint *joint, const tn_joint_geometry *at, const double *coordinates, int i);
// What hold i gives way by, 0: rigid [m/N, rad/(N m)].
double tn_joint_hold_compliance(const tn_model_joint *joint, int i);

// The force that holds the joint's points, of the forces of all rows (n_joint_rows) [N].
double tn_joint_load(const tn_model_joint *joint, const double *force);

// A spring and damper behind a row, implicit. compliance: inverse of the stiffness, 0: rigid, INFINITY: only a damper.
typedef struct tn_joint_softness {
    double compliance; // [m/N, rad/(N m)]
    double damping;    // [N s/m, N m s/rad]
} tn_joint_softness;
tn_joint_softness tn_joint_softness_of(const tn_model_joint *joint, const tn_model_joint_row *row);

// Room of a coordinate q to the limit that the row is of [m, rad].
double tn_joint_room(const tn_scene_drive *drive, tn_joint_role role, double q);
