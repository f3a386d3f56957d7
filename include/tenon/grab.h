// A body held by hand: a damped spring from a point of it to a place in the world, as forces of a step's input.
//
//     F = k (target - p) - c v_p,   k = min(m w^2, m_p/(4 h^2)),   c = min(2 m w, m_p/(2 h)),   w = 2 pi 2 Hz
//
// m: mass of the body; m_p: least mass that the point of a rigid body shows in any direction (from below), of a soft
// one the nodes that are held. Half a second's spring whatever the body weighs: drawn 6 cm it carries the weight. The
// bounds keep the force, taken at the step's start, stable for any step length h.
#pragma once

#include "tenon/state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

enum { TN_GRAB_NODES = 24 };
typedef struct tn_grab {
    int body;                // rigid or soft
    double target[3];        // where it is drawn to, the caller's to change [m]
    double arm[3];           // rigid: the point about the center of mass, along the principal axes [m]
    int n;                   // soft: nodes that share the force, those next to the point
    int node[TN_GRAB_NODES]; // numbered as in arrays of all nodes
} tn_grab;
// Takes hold of a body at a point (world), which is the target at first. false: there is no such body, or forces do not
// move it.
bool tn_grab_start(const tn_state *state, int body, const double point[3], tn_grab *out);
// Its forces as the state is, added to arrays of an input: wrench (tn_model_body_count, 6), node_force
// (tn_model_node_total, 3). One that the body does not need may be NULL.
void tn_grab_pull(const tn_grab *grab, const tn_state *state, double *wrench, double *node_force);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
