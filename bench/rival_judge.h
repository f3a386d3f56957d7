// Judges what an engine did in a step: overlaps by our geometry, impulses by the laws of momentum and friction.
#pragma once

#include "base/arena.h"
#include "model/model.h"
#include "peers.h"
#include "state/state.h"

typedef struct rival_judge {
    const tn_model *model;
    const peer_scene *scene;
    tn_state *state; // our bodies at the engine's poses
    tn_arena *arena;
    double *unexplained;       // (n_bodies, 3) scratch: change of momentum without a cause [N s]
    double deepest, resting;   // of the timed and of the watched steps [m]
    double momentum, friction; // sums of squares over the watched steps
    int n_watched;
    double speed;         // largest in a watched step [m/s]
    double height, aside; // of the last step seen [m]
} rival_judge;

bool rival_judge_open(rival_judge *j, const tn_model *model, const peer_scene *scene);
void rival_judge_close(rival_judge *j);
peer_watch rival_judge_step; // context: the rival_judge
