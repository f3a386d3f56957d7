// What the bench of robots plays, and how its runs are compared.
#pragma once

#include "table.h"

// The humanoid of `path`, n times, turned at random and in layers above one another, as one MJCF text; the caller frees
// it. NULL: the file cannot be read.
char *robots_heap(const char *path, int n);

enum { ROBOTS_STEPS = 8 };

// An engine's runs of one robot, from the longest step on.
typedef struct robots_curve {
    int n;
    double step[ROBOTS_STEPS];  // [s]
    double error[ROBOTS_STEPS]; // [m]
    double pace[ROBOTS_STEPS];  // simulated seconds a second
} robots_curve;

typedef struct robots_point {
    double step, pace; // NaN: there is none
} robots_point;

// The fastest with an error of at most so much; between two steps along the line of their logarithms.
robots_point robots_at(const robots_curve *curve, double error);

// An open table's rows of one robot: at round errors from the smallest to the largest that an engine has, the step and
// pace of each. curve (3): ours, MuJoCo's, MuJoCo's with its solver tightened.
void robots_open_even(table *t);
void robots_add_even(table *t, const char *robot, const robots_curve curve[3]);
