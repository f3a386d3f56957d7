// A problem of few rows as one dense matrix of those that have a choice: contacts and friction, three rows each, and
// the singles with a bound. Bilateral rows are eliminated with the bodies (problem/assembly.h):
//
//     velocities = W forces + free,   W = J M J^T + diag(R),   M the upper left part of [A G^T; G -R]^-1
//
// and semismooth Newton steps on the natural map of all laws, forces = P(forces - metric velocities).
#pragma once

#include "kernels/dense_solve.h"
#include "law/set.h"
#include "solver/dense/motion.h"

#include <math.h>

enum { TN_DENSE_ROWS = 600 }; // most rows of W

typedef struct tn_dense {
    const tn_problem *problem;
    tn_rows singles;
    const bool *held;       // (n_singles) bilateral
    const bool *awake;      // (n_triples + n_singles) rows of W though they look as if they bore nothing; NULL: all
    int n, n_bounded, size; // triples and bounded singles that are rows of W, 3 n + n_bounded
    int stride;             // of W: size, rounded up to eight
    int wide;               // rows of a triple that move anything: 2 where all are planar, else 3
    int *triple;            // (n) numbers of the triples
    const int *bounded;     // (n_bounded) of the singles
    tn_bound *bound;        // (n) the triples' laws
    int *row_start;         // (size + 1) entries of each row of J; global form
    int *row_at;            // (entries) where in a vector of the assembly
    double *row_value;      // (entries, 3)
    tn_motion motion;       // global form
    double *W;              // (size, stride)
    double *free;           // (size) so that W x + free is the velocity at the forces of the last motion
    double *rho;            // (size) effective mass of each row, one for both tangents
    double *x, *velocity;   // (size) forces, velocities [m/s, rad/s]
    double *p;              // (size) P: forces that obey their bounds
    tn_projection *map;     // (n)
    int version;            // of p, map and norm: how often they have been found
    double norm;            // of x - P: root of the sum of |x - P|^2 / rho, so that heavy and light count alike
    double fastest;         // velocity of the last motion
    double *matrix, *step, *best, *start;
    bool *pinned;             // (n_bounded)
    bool soft;                // rows are softened
    double *hard, *hard_free; // (size) W's diagonal and free while the rows are softened
    double *sizes;            // (size) scratch
    int *active;              // (size)
    tn_dense_run *runs;       // (size)
} tn_dense;

int tn_dense_row_count(const tn_problem *problem); // of W
// Why it is none of these; NULL: it may be. Static string.
const char *tn_dense_refusal(const tn_problem *problem);
// W of the problem; s->awake is the caller's. Limits that bear nothing and stay far from their end at the velocities of
// `last` are no rows of it unless they are awake (asleep.c); awake NULL: all are. TN_OK with *fits false, NULL: as for
// tn_motion_create. TN_NUMERICS: A is not positive definite.
tn_status tn_dense_create(tn_dense *s, const tn_problem *problem, const bool *awake, const tn_solution *last,
                          tn_arena *arena, bool *fits, tn_error *error);
// The same in two parts: all but W, by which a motion can be had; then W.
tn_status tn_dense_begin(tn_dense *s, const tn_problem *problem, const bool *awake, const tn_solution *last,
                         tn_arena *arena, bool *fits, tn_error *error);
tn_status tn_dense_build(tn_dense *s, tn_arena *arena, tn_error *error);
// Whether bounded single i with force f is no row of W at the velocities v.
bool tn_dense_sleeps(const tn_problem *problem, int i, const bool *awake, const double *v, double f);
// Between both parts, at the motion of tn_dense_start: contacts that bear nothing and stay far from touching are no
// rows of W either, unless they are awake or some press friction.
void tn_dense_leave_out(tn_dense *s);
// Whether no row acts: there are none but limits that are no rows of W.
bool tn_dense_is_free(const tn_problem *problem, const bool *awake, const tn_solution *last);
// What is no row of W and closes at the solution's velocities is awake from now on. True: something is.
bool tn_dense_wake(const tn_dense *s, const tn_problem *problem, const tn_solution *solution, bool *awake);

// x from the solution's forces, and all that follows from them: the motion and velocities that belong to them.
void tn_dense_take(tn_dense *s, const tn_solution *solution);
// The motion at x anew, and with its velocities what W's rounding left is made up for.
void tn_dense_refresh(tn_dense *s);
// Both in two parts: x and the motion, without W; then what follows from them.
void tn_dense_start(tn_dense *s, const tn_solution *solution);
void tn_dense_settle(tn_dense *s);
// Forces that obey their bounds near those of the start, and their motion, without W: for rows of effective masses rho
// (n). False: not where forces are not open, or singles are rows.
bool tn_dense_serves(tn_dense *s, const double *rho);
// The same at P, forces that obey their bounds.
void tn_dense_obey(tn_dense *s);
// Forces and motion of the last refresh.
void tn_dense_put(const tn_dense *s, tn_solution *solution);

// One whole Newton step with a proximal term alpha over the rows' effective masses; false: there is none.
bool tn_dense_step(tn_dense *s, double alpha);
// Before one: contacts that would stick slide on in it where their force is all that friction bears. True: some do.
bool tn_dense_slide_on(tn_dense *s);
double tn_dense_damping(const tn_dense *s); // alpha that does not slow it down
// Of trees: more forces act than there are velocities, so that some of them are open; not while rows are softened.
// Stacks of boxes have such too, but light ones under heavy ones need all digits (physics.mass_ratio).
bool tn_dense_is_open(const tn_dense *s);
// A proximal point step's problem: softness alpha over its effective mass on every row, without force at the present x.
// Until harden. It has one solution where rows share a force in many ways.
void tn_dense_soften(tn_dense *s, double alpha);
void tn_dense_harden(tn_dense *s);
// One Gauss-Seidel sweep of exact solves of the constraints.
void tn_dense_sweep(tn_dense *s);
void tn_dense_set(tn_dense *s, const double *x); // new forces
void tn_dense_judge(tn_dense *s);                // new velocities at the same ones
bool tn_dense_is_exact(const tn_dense *s);       // norm is rounding

// To rounding from forces that are nearly right: at most so many Newton steps from solution, which stays where they do
// not lessen its error; report's iterations are more by their number. TN_NO_MEMORY only.
tn_status tn_dense_finish(tn_dense *s, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                          tn_solve_report *report, tn_error *error);
