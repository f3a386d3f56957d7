// Contenders on the same problems: a scene is played, and every so many steps all solve the step's problem.
#pragma once

#include "judge.h"

enum { CONTENDERS_MAX = 96 };

typedef struct plan {
    const char *scene;
    int n_steps;    // to play
    int first;      // first step that is sampled, from 1
    int stride;     // steps between samples
    int slow_every; // samples between those that slow contenders get too; 0: none
    int n_threads;
    int repeats; // of a solve that is not slow, the fastest counts; 0: three
    double cap;  // time that a contender may spend in all before it gets no more samples [s]; 0: any
    int n;       // contenders
    const contender *contenders;
} plan;

typedef struct tally {
    int n, capacity;
    verdict *verdicts;    // (n) without their v and lambda
    int n_failed, n_open; // no answer; an answer short of its tolerances
    double spent;         // in solves that count [s]
} tally;

typedef struct comparison {
    tally tallies[CONTENDERS_MAX];
    tally steps;            // of the played steps: dynamics in seconds, iterations
    int n_samples, n_loose; // problems; those whose reference missed 1e-12
    double loosest;         // worst residual of a reference
    double n_contacts;      // sum over samples
} comparison;

// Plays the scene with the overrides and adds the verdicts. false: it could not be played to the end.
bool compare_run(comparison *c, const bench_options *options, const plan *p, int n_set, const char *const *set);
void compare_free(comparison *c);

typedef double figure(const verdict *v);
double verdict_error(const verdict *v);
double verdict_penetration_mm(const verdict *v);
double verdict_internal(const verdict *v); // [N]
double verdict_contact(const verdict *v);  // [N]
double verdict_ms(const verdict *v);       // without set-up
double verdict_setup_ms(const verdict *v);
double verdict_iterations(const verdict *v);

// Of no verdict: NaN.
double tally_mean(const tally *t, figure *f);
double tally_median(const tally *t, figure *f);
double tally_worst(const tally *t, figure *f);

// "N samples, M contacts on average; reference ..." as a note below a table.
void compare_note(const comparison *c, table *t);
