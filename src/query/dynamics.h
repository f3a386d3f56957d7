// Inside of tn_dynamics, private to this room.
#pragma once

#include "base/arena.h"
#include "model/arrive.h"
#include "state/state.h"
#include "tenon/dynamics.h"

struct tn_dynamics {
    const tn_model *model;
    tn_trees *trees; // NULL: there are no mechanisms
    tn_model view;   // the model with these trees
    tn_arena *keep, *scratch;
    int n;      // rates
    int *place; // (n) of each among the trees' numbering, which has filled-up blocks
    bool updated;
    tn_tree_step step;     // in scratch
    tn_pose *pose;         // (n_bodies)
    double *nu, *v;        // (3 trees->n_blocks), (3 n_blocks)
    double *full;          // (3 trees->n_blocks) scratch
    double *mass;          // (n, n) of the state
    double (*inertia)[36]; // (n_links) of each link alone, about its tree's point
};

tn_dynamics *tn_dynamics_create_with(const tn_model *model, tn_tree_bases bases, tn_error *error);
