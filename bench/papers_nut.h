// How a large disk, the body "nut", lies among small ones in the body "box".
#pragma once

#include "track.h"

// Sums over the looks of a window.
typedef struct nut_view {
    double above; // share of the small disks whose centre is above the nut's top
    double open;  // share of its width that is free of small disks, seen from above
    int n;        // looks
} nut_view;

// Adds one look at the state after the last step.
void nut_look(const track *t, nut_view *v);
