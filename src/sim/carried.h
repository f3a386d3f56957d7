// Soft bodies that links of trees carry: where placing the trees changes a link's velocity, the nodes go along, and
// their mass counts as the link's; left behind, a stiff bob loses its swing. So it is with soft bodies that waves, c^2
// = E/rho, cross within the step. Others, and those that are attached to several bodies, stay with the solve: a mat of
// 75 kPa that went along would take a quarter more iterations and be moved into what it lies on.
#pragma once

#include "sim/sim.h"

typedef struct tn_carried_soft {
    int soft, link;
    double inertia[36]; // (6, 6) of the link's two blocks: of what goes along, over h
} tn_carried_soft;

typedef struct tn_carried {
    int n;
    tn_carried_soft *soft; // (n)
} tn_carried;

// In the arena. The trees' matrices of the solve take what goes along for what its elements are there, where their
// other nodes stay. TN_NO_MEMORY only.
tn_status tn_carried_find(const tn_step_placing *at, tn_arena *arena, tn_carried *out);
// What the nodes add to the balance of a tree's links at change (3 n_blocks) of these, added to product (3 n_blocks).
void tn_carried_add_product(const tn_step_placing *at, const tn_carried *carried, int tree, const double *change,
                            double *product);
// The nodes' velocities v (3 n_blocks) and places where those of the links were start and have become v.
void tn_carried_follow(const tn_step_placing *at, const tn_carried *carried, const double *start, double *v);
