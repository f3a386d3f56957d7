// Linear complementarity systems of a simulation: what a planner sees of a model near a state.
//
// x = (q, v) of chosen coordinates, which are named
//
//     JOINT:slide, :slide2, :turn, :turn2   of a joint that places a body (tenon/dynamics.h says which) [m, rad]
//     BODY:x :y :z :rx :ry :rz              of a body that no joint holds, or a free base: place of its center of mass
//                                           [m], rotation vector from how it stands at the scene's start [rad], world
//     BODY:1 :2 :turn                       of a body confined to a plane, along the plane's axes and about its normal
//
// All others stand still. Turns of free bodies are right where they turn about one axis, or little. The system is one
// implicit Euler step,
//
//     M (v' - v) = h (B u + forces at (q, v)) + J^T p,    q' = q + h v',    0 <= p perp f(q') >= 0,
//
// linear in x about the state and in u, with impulses p [N s] at contacts (one for each two shapes at their nearest
// points, or several where faces touch, so that they resist turning and tipping), at limits of the coordinates and, as
// a polyhedral cone, of friction; dry friction of the coordinates bears up to a constant. Forces: gravity, inertia, the
// coordinates' springs, dampers and motors, the scene's forces on bodies. Contacts and limits with a spring give way by
// it. Not part of it, and refused: soft bodies, springs between bodies, bushings, gears, prescribed motors, spherical
// joints.
#pragma once

#include "tenon/plan.h"
#include "tenon/state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef enum tn_lcs_level {
    TN_LCS_POSITION, // 0 <= p perp f + J (q' - q) >= 0: over the whole motion
    TN_LCS_VELOCITY, // 0 <= p perp J v' >= 0 where f(q') < 0 without contacts, else p = 0: a guard (tenon/plan.h)
} tn_lcs_level;

typedef struct tn_lcs_options {
    int n_coordinates;              // 0: all
    const char *const *coordinates; // names, in the order of x
    int n_inputs;
    // In the order of u: a coordinate (force along it [N, N m]), a coordinate and ".target" (of its position motor [m,
    // rad]), or a body and ".fx" .fy .fz .tx .ty .tz (force at its center of mass [N], torque [N m], world axes).
    const char *const *inputs;
    double step;              // h [s]; 0: the scene's
    double margin;            // pairs of shapes nearer than this take part [m]; 0: all
    int points;               // of a pair of shapes: the deepest of their contact points; 0 or 1: the nearest points
    int facets;               // of friction: 0: none, or an even number of directions
    double friction;          // coefficient of all contacts; negative: of the scene's materials
    const double *resistance; // (n_coordinates) most that dry friction of each bears [N, N m]; NULL: the scene's
    tn_lcs_level level;       //
    bool inertia_ahead;       // M at the predicted q' rather than at q
} tn_lcs_options;
// Zero but for friction -1.
tn_lcs_options tn_lcs_options_default(void);

typedef struct tn_lcs_source tn_lcs_source; // one thread at a time

// model stays the caller's and must outlive it. NULL on failure: TN_BAD_INPUT names what is wrong.
tn_lcs_source *tn_lcs_source_create(const tn_model *model, const tn_lcs_options *options, tn_error *error);
void tn_lcs_source_destroy(tn_lcs_source *source);                             // NULL is fine
int tn_lcs_source_coordinate_count(const tn_lcs_source *source);               // half the length of x
int tn_lcs_source_input_count(const tn_lcs_source *source);                    // length of u
const char *tn_lcs_source_coordinate_name(const tn_lcs_source *source, int i); // NULL: there is none
// x of a state, and a state that has x: what is not chosen stays as it is, at rest.
tn_status tn_lcs_source_read(tn_lcs_source *source, const tn_state *state, double *x, tn_error *error);
tn_status tn_lcs_source_write(tn_lcs_source *source, const double *x, tn_state *state, tn_error *error);

// The system about a state, into *lcs, which is made anew where its sizes change (begin with {0}). ahead (n
// coordinates): where gaps and their rates are looked at; NULL: at the state.
tn_status tn_lcs_source_linearize(tn_lcs_source *source, const tn_state *state, const double *ahead, tn_lcs *lcs,
                                  tn_error *error);

// What stands in a row of c and w of the last system.
typedef enum tn_lcs_row_kind {
    TN_LCS_NORMAL,   // impulse of a contact and its gap
    TN_LCS_FRICTION, // impulse along one of its directions
    TN_LCS_SLIP,     // speed of its slip, and what friction has left
    TN_LCS_LIMIT,    // of a coordinate
    TN_LCS_DRY,      // the dry friction of a coordinate: impulse above the least, and speed backwards
    TN_LCS_DRY_SLIP, // speed backwards, and impulse below the most
} tn_lcs_row_kind;
typedef struct tn_lcs_row {
    tn_lcs_row_kind kind;
    int shape_a, shape_b; // of contacts, else -1
    int coordinate;       // of limits and dry friction, else -1
} tn_lcs_row;
// TN_BAD_INPUT: there is no such row.
tn_status tn_lcs_source_row(const tn_lcs_source *source, int i, tn_lcs_row *out, tn_error *error);

// One step of the discretisation by Lemke's method: x of its end, from the state, under u (NULL: 0). Gaps are looked at
// at the state, or with iterations > 0 at a predicted q' that is as often replaced by the one found. *off, may be
// NULL: how far the last prediction was from it [m, rad]. TN_NUMERICS: no solution was found.
tn_status tn_lcs_source_step(tn_lcs_source *source, const tn_state *state, const double *u, int iterations, double *x,
                             double *off, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
