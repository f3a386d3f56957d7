// The model and the state of what is awake, on which a step runs while other bodies sleep: shallow copies in which
// sleeping bodies are fixed, so that no stage has to know of sleep. Bodies, shapes and coordinates of joints keep their
// numbers; blocks of v, joints and their rows are numbered anew without those that sleep.
#pragma once

#include "state/sleep.h"

typedef struct tn_awake {
    tn_arena *arena; // what follows lives there, until somebody falls asleep or wakes
    uint64_t key;    // of the sleep that it was made for (tn_sleep)
    bool made;       // for any
    tn_model model;
    tn_state state;             // shares poses and contact memory with the whole one
    int *joint;                 // (model.n_joints) number in the whole model
    int *row;                   // (model.n_joint_rows) likewise
    int n_contacts;             // that sleep, and
    tn_sleep_contact *contacts; // as the state had them
} tn_awake;

// awake->model and state of `state`, in which somebody sleeps; made anew where awake is not of the same sleepers.
// scratch is given back. TN_NO_MEMORY only.
tn_status tn_awake_take(const tn_state *state, tn_arena *scratch, tn_awake *awake, tn_error *error);
// What the step has made of it, to the whole state; after a failed step only the room for contact memory.
void tn_awake_put(const tn_awake *awake, bool stepped, tn_state *state);
// The joint's number in awake->model; -1: it sleeps.
int tn_awake_joint(const tn_awake *awake, int joint);
// Whether a body is kinematic and moves in the step from the state on, or has in the one before.
bool tn_body_is_driven(const tn_state *state, int body);
