// How the ways of bodies bend within a step: of what turning tables and swinging arms carry.
//
// Rows of contacts hold velocities at the step's start. What goes round as one with another body so moves along the
// tangent, farther out by (omega h)^2/2 of the radius a step: a box on a turning table spirals outwards, and a gripper
// on a swinging arm loses what it holds. With a(x) how the velocity of a body's material at x changes as long as free
// bodies and joints keep theirs, the mean over the step of what sticks is
//
//     u_t = J v^ + s h/2 (a_b - a_a),     s = 1 - |omega_b - omega_a|^2/(omega_a . omega_b), at least 0
//
// where two rigid bodies go round by the mean of their omega, so that all their contacts can stick at once. s: what
// rolls or spins against the other touches with other points at the step's end, and is left as it is; 1 of
// nodes of soft bodies, which are the same. Along the normal so too where contacts pull (adhesion): elsewhere the gap
// of the next step does as well.
#pragma once

#include "collide/collide.h"
#include "collide/motion.h"
#include "state/state.h"

typedef struct tn_bend {
    tn_body_motion motion;     // at the step's start
    double bent[3], turned[3]; // rates of both velocities [m/s^2, rad/s^2]
} tn_bend;

// (n_bodies) in the arena, of bodies that are not fixed and those of contacts; NULL: no memory.
const tn_bend *tn_bends_find(const tn_model *model, const tn_state *state, const tn_contact_list *list,
                             tn_arena *arena);
// s h/2 (a_b - a_a) in the contact's frame [m/s].
void tn_bends_motion(const tn_state *state, const tn_bend *bends, const tn_contact *contact, double out[3]);
