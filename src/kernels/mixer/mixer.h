// Anderson acceleration (type II) of a fixed point iteration x <- G(x), its vector work fused.
//
//     x+ = g - dG y,   (dF^T dF + ridge) y = dF^T f,   f = g - x
//
// over the last `depth` differences of f and g (Walker and Ni 2011). dF^T dF gets its new row, not more, and dF^T f
// comes along in the same pass. Sums run over chunks of fixed size: the same bits for any number of threads.
//
// Memory in float halves what is read, and its rounding shrinks with the iteration as f does (dg = dx + df is formed of
// small numbers only); but differences that are nearly dependent are told apart only down to some 1e-4. Stiff problems
// of few numbers want doubles.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum { TN_MIXER_DEPTH_MAX = 10 };

// Room for vectors of so many numbers, those beyond n being 0.
static inline int tn_mixer_room(int n)
{
    return (n + 15) / 16 * 16;
}

typedef struct tn_mixer_options {
    int n;         // numbers, a multiple of 16 (tn_mixer_room)
    int n_led;     // the last of them, a multiple of 16 too, mixed like the others but not in |f| and dF^T dF
    int depth;     // differences remembered, at most TN_MIXER_DEPTH_MAX
    int n_threads; // 0: 1
    bool doubles;  // memory in double, else in float
    void *dg;      // (depth, n) its room; NULL: from the arena
} tn_mixer_options;

typedef struct tn_mixer {
    tn_mixer_options options;
    // Steps f by which x goes on at once where f hardly changes from step to step; 0 unless set after creation: never.
    // Some iterations creep along at a steady pace until a state switches (a contact opens); differences cannot see
    // that.
    float leap;
    int count;       // differences held
    int next;        // slot of the next one
    bool leaps;      // in the last step
    bool begun;      // f is that of the last step, and dx lies in dg's next slot
    double best;     // smallest |f| since the last clear
    void *f;         // (n) of the last step
    void *df;        // (depth, n - n_led)
    void *dg;        // (depth, n); in the next slot dx, by which the last step moved x
    double *partial; // (chunks, sums of a chunk)
    double gram[TN_MIXER_DEPTH_MAX][TN_MIXER_DEPTH_MAX];
    double rhs[TN_MIXER_DEPTH_MAX]; // dF^T f
} tn_mixer;

bool tn_mixer_create(tn_mixer *mixer, const tn_mixer_options *options, tn_arena *arena); // false: no memory
void tn_mixer_clear(tn_mixer *mixer);

// x (n): start of the step; g (n) = G(x). Both become the next start. Returns |f|. The memory is cleared, and the next
// start is g, when |f| exceeds twice the best; it is cleared after a leap, too. Both may be shifted alike between
// steps: the memory is of differences.
double tn_mixer_advance(tn_mixer *mixer, double *x, double *g);

// The same on vectors of single precision.
double tn_mixer_advance_single(tn_mixer *mixer, float *x, float *g);

// x . y, n a multiple of 16.
double tn_mixer_dot(int n, const float *x, const float *y);
