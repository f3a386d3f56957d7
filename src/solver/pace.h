// How a loop of sweeps goes on: blocks of five sweeps mixed by Anderson, plain blocks for a while when that stalls.
#pragma once

#include "solver/gauss_seidel.h"

enum { TN_PACE_BLOCK = 5 }; // sweeps between two judgements

typedef struct tn_pace {
    double milestone; // score at the last progress
    int last;         // sweeps done then
    int since, plain; // blocks since then or since mixing was given up; plain blocks still to come
} tn_pace;

typedef enum tn_pace_next {
    TN_PACE_STOP,  // run->stall_sweeps without progress
    TN_PACE_PLAIN, // no mixing after this block
    TN_PACE_CLEAR, // nor any memory of earlier ones
    TN_PACE_MIX,
} tn_pace_next;

static inline tn_pace tn_pace_start(double score)
{
    return (tn_pace){.milestone = score};
}

// After a block: run->sweeps and run->score are up to date.
static inline tn_pace_next tn_pace_go_on(tn_pace *pace, const tn_gauss_seidel_run *run)
{
    enum { STALL_BLOCKS = 40, PLAIN_BLOCKS = 6 };
    const double progress = 0.7;
    pace->since++;
    if (run->score < progress * pace->milestone) {
        *pace = (tn_pace){.milestone = run->score, .last = run->sweeps, .plain = pace->plain};
    }
    if (run->stall_sweeps > 0 && run->sweeps - pace->last >= run->stall_sweeps) {
        return TN_PACE_STOP;
    }
    if (run->plain || pace->plain > 0) {
        pace->plain--;
        return TN_PACE_PLAIN;
    }
    if (pace->since >= STALL_BLOCKS) {
        pace->since = 0;
        pace->plain = PLAIN_BLOCKS;
        return TN_PACE_CLEAR;
    }
    return TN_PACE_MIX;
}
