// Contact rows of the step's problem: which contacts take part, their Jacobians, velocity offsets and parameters.
//
// With w the velocity of kinematic surfaces, u = J v^ + w, g the gap and u- = J v_k + w the velocity before the step,
// a contact asks u_n + phi >= 0:
//
//   it bounces when its restitution eps > 0, it would close within the step (g + h u_n(predicted) < 0, or g <= touch)
//   and it approaches faster than the restitution threshold (u-_n < -threshold). The body is left where it is rather
//   than landed first, which makes eps = 1 reversible in time: no drift of energy over any number of bounces. With the
//   acceleration a >= 0 towards touch (from the prediction) tn_rebound gives the speed that a bounce at g = 0 by
//   Newton's law leaves at the present gap; without gravity that is -eps u-_n. Then
//     euler     phi = min(gap term, -(rebound - h a/2)): v_k is half a step of a ahead of the position
//     euler with Poisson's law   phi = min(gap term, h a/2): the contact comes to rest (decompression.h goes on)
//     midpoint  phi = min(gap term, -(1 - eps)/2 u-_n): no penetration and not less than Newton's law in terms of v^;
//               impact.h then sets v_{k+1}.
//   otherwise phi is the gap term, with overlaps counted as at most the margin and push_out h: full g/h; baumgarte beta
//   g/h for g < 0 and g/h for g >= 0; none 0.
//
// Contacts that close only because of another impact in the same step do not bounce in it (Moreau's simultaneous
// impacts): a cradle passes its impulse on one by one if a gap takes more than a step.
//
// A contact with a spring (point_spring.h) has its row and softness by that, at the force it bore in the step before or
// the depth it has; one without either begins as if it were rigid. sim/yield.c goes on from there where the law is no
// straight line.
//
// Gap term `none` works on velocities: a contact takes part once g <= touch (1e-4 of the margin: it must persist while
// rounding moves the gap about zero), or when it bounces. The other terms take every contact of the list.
#pragma once

#include "collide/collide.h"
#include "discretize/balance.h"
#include "discretize/joints.h"
#include "discretize/point_spring.h"

// Rolling and torsional friction: the contacts of rigid bodies that ask for it are followed by their moments. Behind
// these comes dry friction of spherical and planar joints (joint_ball.h).

typedef struct tn_contact_rows {
    tn_rows contacts;        // for tn_problem; arrays in the arena
    int n_balls;             // how many of the last triples are joints' friction
    int *source;             // (n) index in the contact list; of a moment that of its contact; of a ball its joint
    double *surface;         // (n) w_n: normal offset without phi [m/s]
    double *before;          // (n) u-_n [m/s]; 0 where the surfaces have no restitution. NULL: none has; likewise
    double *pull;            // (n) predicted acceleration towards touch, >= 0 [m/s^2], and
    double *restitution;     // (n) eps where Newton's law applies (u-_n < -threshold), else 0
    tn_point_spring *spring; // (n) of contacts that give way; power 0: rigid. NULL: all are
    double *bend;            // (n, 2) what the offset's tangents have because ways bend (bends.h) [m/s]
    double *softness;        // contacts.softness, to be written again; NULL likewise
} tn_contact_rows;

// w of contact m: its offset without phi and bends [m/s].
void tn_contact_rows_surface(const tn_contact_rows *rows, int m, double w[3]);

// Contact m overlaps: by how much faster the scheme's first solve parts it than it bounces [m/s]. 0: it does not.
double tn_contact_rows_push(const tn_contact_rows *rows, const tn_settings *settings, int m);

// Row m, which has a spring, along the tangent of its law at the depth; depth 0: as if it were rigid. offset: its three
// numbers of the problem's.
void tn_contact_rows_spring(const tn_contact_rows *rows, const tn_settings *settings, int m, double depth,
                            double *offset);

double tn_contact_touch(const tn_model *model); // gap below which a contact counts as closed [m]

// Normal speed after a bounce at g = 0 by Newton's law, of a contact that approaches with `speed` at gap `from` under
// the acceleration `pull` and is seen at gap `to` afterwards; 0 if it does not come back so far.
double tn_rebound(double restitution, double speed, double pull, double from, double to);

// With facets_align: slip the list's tangents turn too. joints: the step's rows; NULL: without their friction.
tn_status tn_contact_rows_build(const tn_model *model, const tn_state *state, const tn_contact_list *list,
                                const tn_balance *balance, const tn_joint_step *joints, tn_arena *arena,
                                tn_contact_rows *out, tn_error *error);

// Triple of the joint's friction; -1: it has none in this step.
int tn_contact_rows_ball(const tn_contact_rows *rows, int joint);

// Warm start of the solver: forces of the contacts in the last step in the contact frames into lambda (n, 3).
void tn_contact_rows_warm(const tn_contact_rows *rows, const tn_contact_list *list, int n_threads, double *lambda);
