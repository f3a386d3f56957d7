// A state: configuration, velocities, what the next step starts from. One thread at a time may write it.
#pragma once

#include "tenon/model.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_state tn_state;

tn_state *tn_state_create(const tn_model *model, tn_error *error); // initial state
void tn_state_destroy(tn_state *state);
tn_status tn_state_copy(tn_state *to, const tn_state *from, tn_error *error); // of the same model
double tn_state_time(const tn_state *state);                                  // [s]
long tn_state_step_count(const tn_state *state); // steps that led to it, those before a checkpoint included
// Pose of the body's own frame as the scene places it: position [m] and quaternion (w, x, y, z). Soft bodies: center
// of mass, without rotation.
void tn_state_body_pose(const tn_state *state, int body, double position[3], double quaternion[4]);
// The same of a named frame (tn_model_frame).
void tn_state_frame(const tn_state *state, int frame, double position[3], double quaternion[4]);
// Velocity of the body's frame's origin [m/s] and angular velocity [rad/s], world axes.
void tn_state_body_velocity(const tn_state *state, int body, double linear[3], double angular[3]);
// Places of a soft body's nodes in the world (tn_model_node_count, 3) [m]; NULL: it is none. The state's memory.
const double *tn_state_nodes(const tn_state *state, int body);
// Free coordinates of a joint [m, rad], angles with their full turns, and rates; the first as many as it has.
void tn_state_joint(const tn_state *state, int joint, double coordinate[3], double rate[3]);
bool tn_state_asleep(const tn_state *state, int body); // left out of the steps until something wakes it
// Wakes a sleeping body, and those that rest with it; -1: all. Awake ones stay so. TN_BAD_INPUT: no such body;
// TN_NO_MEMORY: it sleeps on.
tn_status tn_state_wake(tn_state *state, int body, tn_error *error);
// Checkpoint: continues to the last bit; TN_BAD_INPUT when path is not a checkpoint of this model, or of one that
// differs in how it is simulated alone (solver, tolerances, law, gravity ...; not step, not whether anything may
// sleep). Saving replaces a checkpoint and nothing else (TN_IO); the check says ahead of a long run whether it will
// find room at path.
tn_status tn_state_save_check(const char *path, tn_error *error);
tn_status tn_state_save(const tn_state *state, const char *path, tn_error *error);
tn_status tn_state_load(tn_state *state, const char *path, tn_error *error);

// The same of all at once, into arrays of the caller; what is NULL is left out.
// Rigid bodies, with the world: pose (tn_model_body_count, 7) position [m] and quaternion (w, x, y, z), velocity
// (tn_model_body_count, 6) linear [m/s] and angular [rad/s].
void tn_state_get_bodies(const tn_state *state, double *pose, double *velocity);
// Nodes of all soft bodies: x (tn_model_node_total, 3) [m], v likewise [m/s].
void tn_state_get_nodes(const tn_state *state, double *x, double *v);
// Coordinates of all joints (tn_model_coordinate_count) [m, rad], and rates.
void tn_state_get_coordinates(const tn_state *state, double *coordinate, double *rate);
// Elements of all soft bodies (tn_model_element_total, 6): xx yy zz yz xz xy in world axes, tension positive: stress
// [Pa], strain that it comes from [-]. Works with memory of its own: TN_NO_MEMORY, and what was written is undefined.
tn_status tn_state_get_elements(const tn_state *state, double *stress, double *strain, tn_error *error);

// Write them: bodies and nodes that forces move take the row, others and rows that begin with NaN stay; who sleeps
// wakes. The time stays, angles of joints go on to the nearest turn. TN_BAD_INPUT, and nothing is written: a number
// that is not finite or beyond 1e30, a quaternion of length 0 (others are normalised), or a place or a velocity of a
// planar body off its plane by more than 1e-9 m or m/s, rad/s. That joints hold is the caller's care (tn_state_overlaps
// finds what is off): errors are taken out by the next step, however fast.
tn_status tn_state_set_bodies(tn_state *state, const double *pose, const double *velocity, tn_error *error);
tn_status tn_state_set_nodes(tn_state *state, const double *x, const double *v, tn_error *error);

// 64 bits of everything that influences the next step: equal for equal states, on any machine.
uint64_t tn_state_hash(const tn_state *state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
