// Groups of nodes that move as rigid bodies or affinely: between six numbers a group (a velocity, a spin) or twelve (a
// velocity, its changes along x, y, z) and a packed vector of single precision (kernels/nodal/sweep.h).
#pragma once

typedef struct tn_rigid_groups {
    int n;            // groups
    const int *start; // (n + 1) first node of each
    const int *place; // (start[n]) where the node's numbers begin in packed vectors
    const float *arm; // (start[n], 4) from the group's centre to the node, any unit of length; the fourth 0
} tn_rigid_groups;

// y (n, 8), for each group: sum of g over its nodes, sum of arm x g, two zeros. g's fourth numbers are finite.
void tn_rigid_groups_sum(const tn_rigid_groups *groups, const float *g, float *y, int n_threads);
// d of each group's nodes: y_0..2 + y_3..5 x arm; of other nodes as it is. Fourth numbers become 0.
void tn_rigid_groups_move(const tn_rigid_groups *groups, const float *y, float *d, int n_threads);

// The same of the first n groups with twelve numbers each; y (n, 16): 0..2 the velocity, 3..5, 8..10 and 11..13 its
// change along x, y, z.
void tn_affine_groups_sum(const tn_rigid_groups *groups, int n, const float *g, float *y, int n_threads);
void tn_affine_groups_move(const tn_rigid_groups *groups, int n, const float *y, float *d, int n_threads);
