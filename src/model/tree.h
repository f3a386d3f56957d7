// Mechanisms in reduced coordinates: bodies that hang from one another by rigid joints, as trees. Their velocities are
// the rates of the joints, and where the base is free its own velocity; poses follow from the joints' coordinates
// without error (forward kinematics). Joints that would close a loop are none of a tree's: they stay rows.
//
// A tree's rates are numbered base first, then joint by joint in depth-first order, in blocks of three of their own;
// the last block is filled up with numbers that stay zero.
#pragma once

#include "model/model.h"

enum { TN_TREE_RATES = 6 }; // of one link at most: a free base

typedef struct tn_tree_link {
    int body;
    int joint;   // that it hangs from; -1: a free base
    int from;    // body at the joint's other end; -1: a free base
    int parent;  // link of that body; -1: a body that is no link: the world, a fixed or a kinematic body
    bool is_a;   // it is the joint's first body: it moves against the coordinates
    int tree;    //
    int rate;    // first of its rates, in the numbering of all (three a block)
    int n_rates; // 6 of a free base, 3 of a spherical joint, else the joint's coordinates
} tn_tree_link;

typedef struct tn_tree {
    int first_link, n_links;
    int block, n_blocks; // in the reduced velocity
    int n_rates;         // without filling
} tn_tree;

typedef struct tn_trees {
    int n, n_links;
    bool all;           // every joint but springs is one of a tree's, or a gear between rates
    tn_tree *tree;      // (n)
    tn_tree_link *link; // (n_links) parents before children, trees one after the other
    int *link_of;       // (n_bodies) -1: none
    int *link_of_joint; // (n_joints) that hangs from it; -1: none
    int n_blocks;       // of the reduced velocity
    int *block;         // (model->n_blocks) block there of what belongs to no tree; -1: a link's
    int *link_of_block; // (model->n_blocks) -1: none
    int *source;        // (n_blocks) the model's block; of a tree's -1
    double *hanging;    // (model->n_softs) way from nodes attached to links to the farthest [m]; NULL: no softs
    tn_blocks pattern;  // of the reduced A (value NULL), kept with what follows beside soft bodies alone
    tn_parts parts;     // of it
    const struct tn_layout *layout; // kernels/sell.h; NULL: none of the three is kept
} tn_trees;

// Which bodies are bases of what hangs together freely, and which bodies are trees at all.
typedef enum tn_tree_bases {
    TN_BASES_HEAVIEST, // for steps: what a long one does to positions is borne by what hangs from the base
    TN_BASES_FIRST,    // the first body of the scene that is no joint's b; where each is one, the first
    TN_BASES_LONE,     // likewise, and bodies that no joint holds are trees of one free base
    TN_BASES_CARRIERS  // the heaviest; links alone, without numbers, whatever the coordinates, planar bodies too
} tn_tree_bases;

// Of the model's bodies and joints, with settings.coordinates reduced. *out NULL: there are none. TN_BAD_INPUT: a tree
// of more rates than the step takes.
tn_status tn_trees_find(const tn_model *model, tn_tree_bases bases, tn_arena *arena, tn_trees **out, tn_error *error);

// Whether the joint is a gear between two coordinates of trees' joints; their rates, in its order.
bool tn_trees_gear(const tn_model *model, const tn_trees *trees, const tn_model_joint *joint, int rate[2]);

// Whether the joint's holds are no rows of a step: its bodies have no other motion.
static inline bool tn_trees_hold(const tn_trees *trees, int joint)
{
    return trees && trees->link_of_joint[joint] >= 0;
}

// The pattern of the reduced A, where A has this one; the parts of that. TN_NO_MEMORY only.
tn_status tn_trees_pattern(const tn_model *model, const tn_trees *trees, const tn_blocks *A, tn_arena *arena,
                           tn_blocks *out);
tn_status tn_trees_parts(const tn_trees *trees, const tn_blocks *reduced, tn_arena *arena, tn_parts *out);
// Both of the model's own A, and orders of its rows, in the trees. TN_NO_MEMORY only.
tn_status tn_trees_keep_pattern(const tn_model *model, tn_trees *trees, tn_arena *arena);

// Pose of a joint's frame on b in that on a, at coordinates (n_coordinates); turn: of a spherical joint the quaternion,
// of others not read.
void tn_joint_place(const tn_model_joint *joint, const double *coordinates, const double turn[4], tn_pose *out);

// How the joint's frame on b stands to that on a, bodies at poses (n_bodies).
void tn_joint_turn(const tn_model_joint *joint, const tn_pose *poses, double out[4]);

// Where a link is, given that of the body that it hangs from.
void tn_tree_place(const tn_model *model, const tn_tree_link *link, const tn_pose *from, const double *coordinates,
                   const double turn[4], tn_pose *out);
