// A step's problem with its mechanisms in reduced coordinates, v = S nu + c (model/tree_step.h):
//
//     S^T A S nu = S^T (b - A c) + (J S)^T lambda,   J S nu + w + J c + R f
//
// without the rows by which the joints of trees hold their bodies, which S fulfils (the whole problem has none
// of them). Their forces follow from the solution: they are what the balance
// of each body lacks, from the leaves to the base. Springs, dampers and servos of trees' joints that nothing bounds are
// part of the matrix, f = -(J v + w)/R. Rows that the joints leave nothing to move along are left out too: contacts of
// a turret with the floor that it stands on, redundant holds of loops. They bear nothing, the joints of the tree all.
// A rigid gear between two rates of a tree takes one of them out (tree_gears.c): its place stays, with nothing that
// moves it. Rows of inertia along rates (joint_armature.h) are part of S^T A S and of the right side.
#pragma once

#include "discretize/joints.h"
#include "model/tree_step.h"
#include "problem/hints.h"
#include "solver/solver.h"

// A rigid gear between rates: factor[0] nu[rate[0]] + factor[1] nu[rate[1]] + offset = 0.
typedef struct tn_tree_gear {
    int single; // of the whole problem
    int tree;   // of rate[0]
    int rate[2];
    double factor[2], offset;
    bool gone; // rate[1] follows from rate[0], and this is no row
} tn_tree_gear;

// A single of the whole problem whose law is taken for straight: its velocity is factor times a rate, and offset.
typedef struct tn_tree_loose {
    int single, rate;
    double factor, offset;
    bool idle; // it bears nothing; else what its compliance says
} tn_tree_loose;

typedef struct tn_tree_problem {
    bool all; // set before tn_tree_problem_create: no law is taken for straight that is not
    const tn_tree_step *step;
    const tn_problem *whole;
    const tn_solution *start;
    tn_problem problem;
    tn_rows rows;
    tn_blocks A;
    tn_hints hints;
    tn_parts parts;
    tn_solution solution;
    int *triple;            // (rows.n_triples) number in the whole problem: of contacts, those that can move apart
    int *single;            // (rows.n_singles) likewise
    int n_springs, *spring; // (n_springs) singles of the whole problem that are in the matrix
    int n_loose;            // limits that are left out, bounded servos that are in the matrix
    tn_tree_loose *loose;   // (n_loose)
    int n_gears;
    tn_tree_gear *gear;  // (n_gears)
    int n_heavy;         // differences of two rates that have inertia, which are rows here
    tn_tree_gear *heavy; // (n_heavy)
    int *gear_of_rate;   // (3 trees->n_blocks) the one that is gone with it; -1: none. NULL: no gear is gone
    double *rates;       // (3 trees->n_blocks) nu of the solution
    double *shift;       // (3 trees->n_blocks) of it what gears that are gone prescribe; NULL: no gear is gone
    int n_own;           // rows of coordinates' inertia, which is part of A here
    int *own;            // (n_own) numbers among the whole problem's singles
    int *own_rate;       // (n_own) rates that they are along
    int *own_tree;       // (n_own) of these trees
    double *own_weight, *own_offset; // (n_own) the force is -weight (rate + offset)
    const tn_joint_geometry *joints; // (model->n_joints) at the step's start
    double *hold;     // (model->n_joint_rows) forces of the holds of trees' joints, by the model's rows; others 0
    double *held;     // (3 model->n_blocks) on the bodies, of trees' joints
    double **inertia; // (trees->n) S^T A S of each tree with own inertia, (3 n_blocks) square, without what couples it
                      // to others
    tn_aims aims, *whole_aims; // whole_aims NULL: none
} tn_tree_problem;

// joints: the step's rows, which are the first of the whole problem's singles (others may follow). solution: the start.
// aims may be NULL. What is pointed to must outlive the result. TN_NO_MEMORY only.
tn_status tn_tree_problem_create(const tn_tree_step *step, const tn_problem *whole, const tn_joint_step *joints,
                                 const tn_solution *start, const tn_aims *aims, tn_arena *arena, tn_tree_problem *out);
// Whether the problem is that of `whole` but for the rows' offsets, the start and the scales.
bool tn_tree_problem_serves(const tn_tree_problem *first, const tn_problem *whole);
// That of such a one, with the first one's matrix and rows. TN_NO_MEMORY only.
tn_status tn_tree_problem_again(const tn_tree_problem *first, const tn_problem *whole, const tn_solution *start,
                                const tn_aims *aims, tn_arena *arena, tn_tree_problem *out);
// Whether a law that was taken for straight is not so at the reduced problem's solution.
bool tn_tree_problem_is_beyond(tn_tree_problem *reduced);
// The solution of the whole problem from that of the reduced one, and what became of the aims. TN_NO_MEMORY only.
tn_status tn_tree_problem_finish(tn_tree_problem *reduced, tn_arena *arena, tn_solution *out);
// Forces of coordinates' inertia at v, and of differences', into lambda of the whole problem.
void tn_tree_own_forces(const tn_tree_problem *reduced, const double *v, double *lambda);
// Forces of the joints of trees that make the balance at v whole: hold, held, and what of them are rows into lambda;
// the other forces in it stay as they are.
tn_status tn_tree_hold_forces(const tn_tree_problem *reduced, const double *v, tn_arena *arena, double *lambda);
// The rows of a tree's links of A v (3 model->n_blocks), of the whole problem's A; the others stay as they are.
void tn_tree_product(const tn_tree_problem *reduced, int tree, const double *v, double *out);
