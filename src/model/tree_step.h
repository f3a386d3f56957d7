// Velocities and forces of mechanisms in reduced coordinates (model/tree.h), where their bodies are.
//
//     v = S nu + c
//
// v: the model's velocities, two blocks a body; nu: the reduced ones, in which a tree's bodies have the rates of its
// joints, and a free base its own velocity; c: what kinematic bodies that trees hang from prescribe. A force f on the
// bodies counts as S^T f. Twists and wrenches are about a point of each tree in world axes, so that neither needs to be
// carried from link to link (Featherstone, Rigid body dynamics algorithms, 2008, ch. 2 and 6).
#pragma once

#include "model/joint_geometry.h"
#include "model/tree.h"

// Angular part first.
typedef double tn_spatial[6];

typedef struct tn_tree_step {
    const tn_model *model;
    const tn_trees *trees;
    tn_spatial *twist; // (3 trees->n_blocks) of each rate: angular velocity and that of the tree's point
    tn_spatial *given; // (trees->n) of the body that the tree hangs from; zero unless it is kinematic
    tn_spatial *room;  // (n_links)
    double (*turn)[9]; // (n_links) principal axes to the world's
    double (*arm)[3];  // (n_links) center of mass from the tree's point [m]
    bool any_given;    // some body that a tree hangs from moves
} tn_tree_step;

// At poses, over [t, t + h]; h = 0: at t. joints (n_joints): their geometry there; NULL: it is found. TN_NO_MEMORY
// only.
tn_status tn_tree_step_build(const tn_model *model, const tn_pose *poses, const tn_joint_geometry *joints, double t,
                             double h, tn_arena *arena, tn_tree_step *out);
// v (3 model->n_blocks) = S nu + c.
void tn_tree_velocity(const tn_tree_step *step, const double *nu, double *v);
// The rates nu (3 trees->n_blocks) of v; where its bodies do not move as their joints allow those of the nearest motion
// of each body relative to the one that it hangs from.
void tn_tree_rates(const tn_tree_step *step, const double *v, double *nu);
// S^T force: (3 model->n_blocks) to (3 trees->n_blocks).
void tn_tree_project(const tn_tree_step *step, const double *force, double *out);
void tn_tree_project_one(const tn_tree_step *step, int tree, const double *force, double *out); // its rates alone
// The wrench about its tree's point of a force of three numbers on a block of a link: on the velocity of its center of
// mass, or on its angular velocity.
void tn_tree_wrench(const tn_tree_step *step, int link, int block, const double force[3], tn_spatial out);
// Children before parents, after room has been set to zero: room[link] becomes the wrench of forces on the link and all
// that hangs from it.
void tn_tree_gather(const tn_tree_step *step, int link, const double *force);
// A quadratic form of a link's velocity and spin (principal axes), of blocks (9) each, as one of its twist, (6, 6):
// slide of the velocity with itself, mixed of it with the spin, spin.
void tn_tree_link_inertia(const tn_tree_step *step, int link, const double slide[9], const double mixed[9],
                          const double spin[9], double out[36]);
// The inertia (6, 6) of a link with all that hangs from it, along its rates and those of all that it hangs from: into
// the matrix of its tree, (3 n_blocks) square (composite rigid bodies: Featherstone 2008, table 6.2).
void tn_tree_add_composite(const tn_tree_step *step, int link, const double inertia[36], double *to);
// Column of S of a rate, in one of the link's blocks.
void tn_tree_column(const tn_tree_step *step, int link, int block, int rate, double out[3]);

static inline double tn_spatial_dot(const tn_spatial a, const tn_spatial b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}
