// What of soft bodies' velocities follows an arc: scheme `euler`.
//
// The elements take S v of the balance (soft.h) for rates of strain, in axes held at x_k. A body that turns at the rate
// omega moves its points by the chords of their arcs: at right angles to r across omega by sin(theta) r, and by
// (1 - cos(theta)) r inwards, theta = h omega. Of the part inwards, w = -(1 - cos(theta)) r/h, the elements would make
// a strain, and the body would spin swollen by theta^2/2, with the energy of that. So S acts on v - w.
//
// Only a whole body's turning counts, not that of its parts: by its own angular momentum where nothing holds it, else
// that of the one body that all its attached nodes go with. Attached to several bodies, or to what stays, none counts.
// It is that at t_k; where the step changes it, as an impact does, that of the step's end (sim/arcs.c).
#pragma once

#include "model/model.h"
#include "state/state.h"

// How a soft body turns in a step.
typedef struct tn_arc {
    double axis[3], center[3]; // unit, or zero; [m]
    double cosine;             // of theta
    double along;              // sin(theta)/h - omega, where attached nodes move by omega and then by the arc [rad/s]
    bool carried;              // they do, and hold no chord
} tn_arc;

// The only body of the model that nodes are attached to, -1 without any, -2: several.
int tn_soft_carrier(const tn_scene_soft *said);
// Of each soft body, at v (3 n_blocks).
void tn_arcs_find(const tn_model *model, const tn_state *state, const double *v, double h, tn_arc *arcs);
// w (n_nodes, 3) [m/s]. Returns whether any of it counts; if not, w is left as it is.
bool tn_arcs_velocities(const tn_model *model, const tn_state *state, double h, const tn_arc *arcs, double *w);
// Whether bodies that move by v but whose elements were told other arcs than theirs are left strained by that: with
// more energy than a hundredth of their kinetic energy.
bool tn_arcs_strain(const tn_model *model, const tn_state *state, const double *v, const tn_arc *told,
                    const tn_arc *theirs);
