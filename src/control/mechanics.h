// Mass, forces and Jacobians of the coordinates that an LCS is made of (tenon/lcs_source.h), at places of its own copy
// of a state. Private to this room.
#pragma once

#include "base/arena.h"
#include "state/state.h"
#include "tenon/dynamics.h"
#include "tenon/lcs_source.h"

// A rate of the model: of a joint's coordinate, of a free base (which: 0 to 5) or of a body in a plane (0 to 2).
typedef struct tn_rate {
    int coordinate; // in the numbering of all joints; -1: of a body
    int body, which;
    bool planar;
    int number;     // among those of tn_dynamics; -1: planar
    char name[128]; // of a joint or body, and which of its coordinates
} tn_rate;

// What an input is: a force along a rate, the target of its servo, or a wrench's component.
typedef struct tn_lcs_input {
    int rate;    // among all rates; -1: a wrench
    double gain; // force for one of it: 1, or the stiffness of a servo
    bool servo;
    int body, which;
} tn_lcs_input;

typedef struct tn_mechanics {
    const tn_model *model;
    tn_dynamics *dynamics;
    tn_state *state; // the copy
    int n_tree, n_all;
    tn_rate *rate;                        // (n_all)
    double *coordinate, *coordinate_rate; // (n_joint_coordinates)
    int n, *chosen;                       // of x
    int n_inputs;
    tn_lcs_input *input;
    double *wide, *mass_all; // (6, n_all) scratch, (n_all, n_all)
} tn_mechanics;

tn_status tn_mechanics_init(tn_mechanics *m, const tn_model *model, tn_arena *keep, tn_error *error);
void tn_mechanics_finish(tn_mechanics *m);
// The rate of that name; -1: none.
int tn_mechanics_find(const tn_mechanics *m, const char *name, size_t length);

// (q, v) of the chosen coordinates of a state.
void tn_mechanics_read(const tn_mechanics *m, const tn_state *state, double *x);
// The copy to that state, but the chosen coordinates at x (2 n), and all others at rest.
tn_status tn_mechanics_place(tn_mechanics *m, const tn_state *state, const double *x, tn_error *error);

// At the copy: the mass (n, n) and the forces along the chosen coordinates without contacts and inputs, v' - v = h
// mass^-1 force, where springs, dampers and motors of the coordinates act by the place and velocity of the step's end.
tn_status tn_mechanics_mass(tn_mechanics *m, double h, double *mass, tn_error *error);
tn_status tn_mechanics_force(tn_mechanics *m, double h, double *force, tn_error *error);
// Of a point of a body, world: (6, n) velocity and angular velocity, world axes.
tn_status tn_mechanics_jacobian(tn_mechanics *m, int body, const double point[3], double *out, tn_error *error);
// Forces of one of each input: (n, n_inputs).
tn_status tn_mechanics_inputs(tn_mechanics *m, double *out, tn_error *error);
// The drive of a chosen coordinate; NULL: it has none.
const tn_scene_drive *tn_mechanics_drive(const tn_mechanics *m, int i);

// Where input k acts: rate the number of a joint's coordinate, or -1 and a component of a body's wrench.
tn_lcs_input tn_lcs_source_input(const tn_lcs_source *source, int k);
