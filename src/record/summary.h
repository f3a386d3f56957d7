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

typedef struct tn_summary {
    long n_steps;
    double time; // simulated in this run [s]
    tn_statistic contacts, iterations;
    tn_statistic collide_ms, discretize_ms, solve_ms, certify_ms, total_ms; // per step
    tn_statistic certificate[TN_N_FIGURES];
    double energy_initial, energy_final; // kinetic + gravity + elastic [J]
    double energy_max_gain;              // largest rise of the total above the initial plus what was injected [J]
    double momentum_final[3];
    double joint_yield;          // largest velocity by which rigid joints gave way [m/s, rad/s]
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
// energy_initial: of the state before the first step [J].
void tn_summarizer_start(tn_summarizer *summarizer, double energy_initial);
tn_status tn_summarizer_add(tn_summarizer *summarizer, const tn_step_report *report, tn_error *error);
void tn_summarizer_finish(tn_summarizer *summarizer, double step, tn_summary *out); // step: h [s]
