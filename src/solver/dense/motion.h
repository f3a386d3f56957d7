// The motion of bodies under given forces with rows that hold them together:
//
//     A v = push + G^T f,   G v + c + R f = 0 of the rows that are held
//
// both to rounding, with the least forces f (their squares weighted by the rows' mobilities) where rows depend on one
// another, and the motion of least squares where they contradict one another.
#pragma once

#include "problem/assembly.h"

typedef struct tn_motion {
    const tn_problem *problem;
    tn_rows singles;
    const bool *held; // (n_singles) of the rows of the assembly; the force of the others is part of push
    tn_assembly assembly;
    double *mass;      // (n_singles) effective masses
    double *give;      // (n_singles) R and what the factor adds; INFINITY: not held
    bool dependent;    // rows follow from others
    double *push;      // (assembly.size) [N], zero at rows
    double *z, *dz;    // (assembly.size) [v; -f], and a correction
    double *r, *p, *w; // (assembly.size) of sums of corrections: what is left, the direction and what it does
} tn_motion;

// taken (n_singles): the rows of the assembly, NULL: all; held stays the caller's. TN_OK with *fits false: bodies hang
// together in too many ways (problem/assembly.h); fits NULL: the motion is made whatever it costs, of soft bodies too.
tn_status tn_motion_create(tn_motion *s, const tn_problem *problem, const bool *taken, const bool *held,
                           tn_arena *arena, bool *fits);
// Of another problem by the same assembly, in place of the first, whose rows are still there. False, and nothing
// happens: its pattern is another. All rows belong to it.
bool tn_motion_renew(tn_motion *s, const tn_problem *problem, const bool *held);
// After `held` has changed, and at first. False: A is not positive definite to rounding.
bool tn_motion_factor(tn_motion *s);
// z from push.
void tn_motion_find(tn_motion *s);
// The same without corrections: rows are off by what the factor adds to them, the balance of v and f is exact.
void tn_motion_find_rough(tn_motion *s);
// Largest number of the last motion's velocity.
double tn_motion_fastest(const tn_motion *s);
// v (3 A->n_rows), and f (n_singles) of the rows that are held.
void tn_motion_put(const tn_motion *s, double *v, double *f);
