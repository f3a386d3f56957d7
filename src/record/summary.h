// A run in one page of numbers: what `tenon run` prints and its --json object holds.
#pragma once

#include "tenon/sim.h"

enum {
    TN_N_FIGURES = 13, // numbers of a tn_certificate
    TN_FIGURE_MOMENTUM = 0,
    TN_SUMMARY_SOLVERS = 8,
};

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
    long n_missed, first_missed; // steps that did not reach a demanded tolerance; the first one's number
    int n_solvers;
    const char *solvers[TN_SUMMARY_SOLVERS]; // that did the work (auto chooses by step), in order of first use
} tn_summary;

const char *tn_figure_name(int figure); // "momentum" ...
const char *tn_figure_unit(int figure); // "1", "m/s" ...
double tn_figure_of(const tn_certificate *certificate, int figure);

typedef struct tn_summarizer tn_summarizer; // remembers a few numbers of every step
tn_summarizer *tn_summarizer_create(void);  // NULL: no memory
void tn_summarizer_destroy(tn_summarizer *summarizer);
// What a scheme of first order may gain for a moment: where bodies of the mass m start to rise at v, gravity's work is
// that of the step's end, off by m g h v / 2 <= fall sqrt(2 m K) / 2 with fall = g h, K their kinetic energy.
typedef struct tn_gain_scale {
    double floor; // least energy that gains are compared with [J]
    double pull;  // fall sqrt(2 m) of all bodies [sqrt(J)]
} tn_gain_scale;
// energy_initial: of the state before the first step [J].
void tn_summarizer_start(tn_summarizer *summarizer, double energy_initial, const tn_gain_scale *scale);
tn_status tn_summarizer_add(tn_summarizer *summarizer, const tn_step_report *report, tn_error *error);
void tn_summarizer_finish(tn_summarizer *summarizer, double step, tn_summary *out); // step: h [s]
