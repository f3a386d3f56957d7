// Everything that influences the next step: configuration, velocity, contact memory, time.
#pragma once

#include "model/model.h"
#include "tenon/state.h"

#include <stdint.h>

// Contact of the last step, for the warm start; key orders and identifies (bodies, shapes, feature).
typedef struct tn_contact_memory {
    uint64_t key_shapes; // shape a << 32 | shape b
    uint32_t key_feature;
    double force[3]; // lambda in world axes [N], on body b
    double point[3]; // where it acted [m]
} tn_contact_memory;

// Energy that has been seen, where a run is watched for what comes from nowhere (sim/gain.c) [J].
typedef struct tn_energy_watch {
    double kinetic, elastic, gravity, injected; // before the first step of those that followed one another
    double kinetic_left, gravity_left;          // after the last; NaN: nothing has been seen
} tn_energy_watch;

struct tn_state {
    const tn_model *model;
    double time; // [s] = step_count * h, recomputed to avoid drift
    long step_count;
    tn_pose *pose;        // (n_bodies) principal frames in the world
    double *x;            // (3 n_nodes) nodes of soft bodies in the world, attached ones too [m]
    double *v;            // (3 n_blocks) velocity v_k
    double *v_hat;        // (3 n_blocks) last representative velocity: warm start of the next step
    double *v_hat_before; // (3 n_blocks) the one before that, where there are soft bodies; else empty
    double dissipated;    // by contacts and dampers since the start [J]; influences reports only, so that they continue
    double injected;      // by applied forces and kinematic bodies since the start [J]
    double joint_elastic; // of springs in joints, as the last step's law has them [J]; reports only. NaN: somebody has
                          // moved what they hold
    tn_energy_watch watch;    // influences only whether a run ends
    double *joint_coordinate; // (n_joint_coordinates) turns counted [m, rad]
    double *joint_bend;  // (n_joint_coordinates) by how much faster they went in the last step than their rates along
                         // its start: what the rows of the next one allow for (discretize/joints.h) [m/s, rad/s]
    double *joint_force; // (tn_model_joint_force_count) of the last step's first solve: warm start [N, N m]
    int n_memory, memory_capacity;
    tn_contact_memory *memory; // sorted by key
    struct tn_sleep *sleep;    // who is asleep (state/sleep.h); NULL: nobody ever in this model
    tn_arena *arena;           // where all of it lies but memory; only of states that were created
};

// Numbers in v_hat_before.
static inline size_t tn_state_before_size(const tn_model *model)
{
    return model->n_softs > 0 ? 3 * (size_t)model->n_blocks : 0;
}

// The arrays whose sizes the model says, in the order of checkpoints: they are copied, hashed and saved alike.
typedef struct tn_state_array {
    double *at;
    size_t n;
} tn_state_array;
enum { TN_STATE_ARRAYS = 8 };
void tn_state_arrays(const tn_state *state, tn_state_array out[TN_STATE_ARRAYS]);

// Room for n contacts in memory (contents kept); grows geometrically, so that a steady simulation allocates nothing.
tn_status tn_state_reserve_memory(tn_state *state, int n, tn_error *error);

// Linear velocity of the center of mass [m/s] and angular velocity [rad/s], world axes, of a body with blocks, given
// velocities v (3 n_blocks) in the model's layout.
void tn_state_center_velocity(const tn_state *state, int body, const double *v, double linear[3], double angular[3]);

// Place in the world of a frame that is fixed to a rigid body, given in the body's own; velocity of its origin [m/s]
// and angular velocity [rad/s], world axes.
void tn_state_frame_pose(const tn_state *state, int body, const tn_pose *frame, tn_pose *out);
void tn_state_frame_velocity(const tn_state *state, int body, const tn_pose *frame, double linear[3],
                             double angular[3]);

// Nodes that are attached to bodies, at the bodies' poses, into x (n_nodes, 3).
void tn_state_place_attached(const tn_model *model, const tn_pose *poses, double *x);
// Velocity of a node [m/s], given velocities v (3 n_blocks); attached to a kinematic body: the body's at state's time.
void tn_state_node_velocity(const tn_state *state, int node, const double *v, double out[3]);
