// Mechanisms: joints that the bodies which they hold, or gears, tie to one another.
#pragma once

#include "sim/sim.h"

typedef struct tn_mechanisms {
    int n;         // numbers are below; not all of them are some mechanism's
    int *of_joint; // (n_joints)
    int *of_body;  // (n_bodies) of those that move; alone where no joint holds them
} tn_mechanisms;

// In the arena. False: no memory.
bool tn_mechanisms_find(const tn_model *model, tn_arena *arena, tn_mechanisms *out);
