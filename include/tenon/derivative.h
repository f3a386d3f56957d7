// Derivatives of a step: d(next state)/d(state, input, parameters).
//
// They are those of the certified step: its problem is differentiated implicitly on the active set (which contacts are
// open, stick or slide, which limits press, which motors give all they have), all else of it by central differences
// with that set held; so they are right to about 1e-8 of the largest entry, in every scheme, soft bodies too. Where a
// contact is just about to open, close or slide they are those of one side. Bounces are those of Newton's law, also
// where a step would lessen them (docs/physics.md, Impact).
//
// A change of a state is a vector dx of tn_linearization_state_count numbers:
//
//     (n_bodies, 6)  of poses: way of the body's own frame [m], rotation vector [rad], world axes
//     (n_nodes, 3)   of places of nodes [m]
//     (n_bodies, 6)  of velocities: of the frame's origin [m/s], angular [rad/s]
//     (n_nodes, 3)   of velocities of nodes [m/s]
//
// with all bodies of tn_state_get_bodies and all nodes of tn_state_get_nodes, one behind the other. Bodies and nodes
// that forces do not move stay: their numbers count for nothing and come out as zero, or as what their motion says. Of
// planar bodies only the part in the plane counts. That joints hold is the caller's care: a change that breaks one is
// taken out by the step, as it does with every error.
//
// The step differentiated is that of a state whose bodies and nodes have just been written (tn_state_set_bodies): all
// awake, and what the last step left behind its velocities forgotten, but the forces from which contacts and joints
// start.
#pragma once

#include "tenon/sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_linearization tn_linearization; // works with memory of its own; one thread at a time

// A parameter of the scene: two models of it in which the parameter is a little less and a little more than in the
// state's, all else alike, and the difference between both. A millionth of the parameter is a good one.
typedef struct tn_parameter {
    const tn_model *less, *more;
    double difference;
} tn_parameter;

// Of the step that sim would take from state with input: both are only read, and sim's last step is still there to ask.
// Until it is destroyed sim keeps its options (no tn_sim_set) and what it is made of outlives it: models, sim. Columns
// of inputs are the numbers of the arrays that input gives, in the order wrench, node_force, effort, target,
// target_rate, gravity; those of targets that are NaN are zero. n_parameters may be 0. NULL on failure: as tn_sim_step,
// or TN_BAD_INPUT: a model of a parameter has other bodies, joints or meshes.
tn_linearization *tn_sim_linearize(const tn_sim *sim, const tn_input *input, const tn_state *state, int n_parameters,
                                   const tn_parameter *parameters, tn_error *error);
void tn_linearization_destroy(tn_linearization *lin); // NULL is fine
int tn_linearization_state_count(const tn_linearization *lin);
int tn_linearization_input_count(const tn_linearization *lin);

// The step it is the derivative of, to ask for contacts (condition: open, stuck, sliding) and joints; NULL: lin is.
// The second: the state it leads to.
const tn_sim *tn_linearization_sim(const tn_linearization *lin);
const tn_state *tn_linearization_next(const tn_linearization *lin);

// Whether the laws leave no choice of forces that moves the bodies. They do where more points than needed slide at
// once, as the feet of a box that turns while it slides: then the step itself depends on the forces its solver came to,
// and derivatives are those of one choice.
bool tn_linearization_is_unique(const tn_linearization *lin);

// How a derivative was found.
typedef enum tn_smoothness {
    TN_SMOOTH_NOT,  // on both sides another set of contacts: there is none, and NaN stands for it
    TN_SMOOTH_SIDE, // on one side: the derivative of the other one
    TN_SMOOTH_BOTH,
} tn_smoothness;

// dx' (state_count) for a change dx of the state, du (input_count) of the input, dp (n_parameters); each may be NULL.
// *smooth: the worst of them; may be NULL. Takes two steps without their solves, and two for each parameter that is not
// zero.
tn_status tn_linearization_push(tn_linearization *lin, const double *dx, const double *du, const double *dp,
                                double *out, tn_smoothness *smooth, tn_error *error);
// All of it: A (state_count, state_count), B (state_count, input_count), P (state_count, n_parameters), row-major;
// what is NULL is left out. *n_rough: columns that are TN_SMOOTH_SIDE or NOT; may be NULL.
tn_status tn_linearization_matrices(tn_linearization *lin, double *A, double *B, double *P, int *n_rough,
                                    tn_error *error);
// The transpose: from g (state_count), d(loss)/d(next state), to gx, gu, gp, sized as dx, du, dp of push; what is NULL
// is left out. Columns are found one by one and none is kept, so that large scenes need no matrix; columns that are
// TN_SMOOTH_NOT give NaN.
tn_status tn_linearization_pull(tn_linearization *lin, const double *g, double *gx, double *gu, double *gp,
                                tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
