// A run in one page of numbers: what `tenon run` prints, from the reports of its steps.
//
//     tn_summarizer *sums = tn_summarizer_create(&error);
//     tn_summarizer_start(sums, state, &error);                    before the first step
//     every step: tn_summarizer_add(sums, &report, &error);
//     tn_summary s;
//     tn_summarizer_finish(sums, &s);
#pragma once

#include "tenon/sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

enum { TN_SUMMARY_SOLVERS = 8 };

// Of all steps; medians of runs of more than 16384 steps are those of each second, fourth, ... step.
typedef struct tn_statistic {
    double max, median, mean; // NaN entries are left out; all NaN when none is left
} tn_statistic;

// A joint that gives way by much; those that contradict one another go before others.
typedef struct tn_summary_joint {
    long n_steps; // in which any does
    int joint;
    bool contradicts;
    double speed, time; // of the worst step [m/s or rad/s, s]
} tn_summary_joint;

typedef struct tn_summary {
    long n_steps;
    double time;                               // simulated in this run [s]
    tn_statistic contacts, iterations, asleep; // asleep: bodies
    int asleep_final;
    // Per step; other: what total has beyond the stages before it, so that means add up.
    tn_statistic collide_ms, discretize_ms, solve_ms, certify_ms, other_ms, total_ms;
    tn_statistic certificate[TN_N_FIGURES];
    double energy_initial, energy_final; // kinetic + gravity + elastic [J]
    double energy_max_gain;              // largest rise of the total above the initial plus what was injected [J]
    double momentum_final[3];
    double joint_yield;          // largest velocity by which rigid joints gave way [m/s, rad/s]
    tn_summary_joint yielding;   // where that was much
    long n_far;                  // steps that missed something by far, and
    tn_step_miss far;            // the furthest of it,
    long far_step;               // in this step
    double far_time;             // at its end [s]
    long n_jumping;              // steps in which a prescribed motion jumps, and
    tn_step_jump jump;           // the largest of it
    long n_gaining;              // steps whose energy, without what was injected, is above an earlier one by far
    double gain, gain_time;      // most of that [J], when [s]
    long n_short;                // steps that ended short of what they aim at, demanded or not
    long n_missed, first_missed; // steps that did not reach a demanded tolerance; the first one's number
    int n_solvers;
    const char *solvers[TN_SUMMARY_SOLVERS]; // that did the work (auto chooses by step), in order of first use
} tn_summary;

typedef struct tn_summarizer tn_summarizer; // 3 MB at most; one thread at a time

tn_summarizer *tn_summarizer_create(tn_error *error);  // NULL: no memory
void tn_summarizer_destroy(tn_summarizer *summarizer); // NULL is fine
// From a state on, which gives the energy at the start; what was added before is forgotten. Without it the summary
// knows no such energy.
tn_status tn_summarizer_start(tn_summarizer *summarizer, const tn_state *state, tn_error *error);
// The step just taken; TN_NO_MEMORY: it is not counted.
tn_status tn_summarizer_add(tn_summarizer *summarizer, const tn_step_report *report, tn_error *error);
// So far; more steps may follow. Sorts all it has.
void tn_summarizer_finish(const tn_summarizer *summarizer, tn_summary *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
