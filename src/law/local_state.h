// How the exact solution of one constraint ends.
#pragma once

typedef enum tn_local_state {
    TN_LOCAL_OPEN,   // no force, or no more than a limit's bound: nothing touches
    TN_LOCAL_STICK,  // inside the set, y = 0 as far as W allows
    TN_LOCAL_SLIDE,  // on the border
    TN_LOCAL_FAILED, // nothing obeys the law (W far from positive definite): the force is the best of a safe iteration
} tn_local_state;
