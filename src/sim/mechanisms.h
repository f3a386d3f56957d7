// Mechanisms: joints that the bodies which they hold, gears, or soft bodies attached to these tie to one another.
#pragma once

#include "sim/sim.h"

typedef struct tn_mechanisms {
    int n;         // numbers are below; not all of them are some mechanism's
    int *of_joint; // (n_joints)
    int *of_body;  // (n_bodies) of those that move; alone where nothing ties them
    int *of_soft;  // (n_softs) likewise
} tn_mechanisms;

// In the arena. False: no memory.
bool tn_mechanisms_find(const tn_model *model, tn_arena *arena, tn_mechanisms *out);
