// What the granular cases share: a scene with overrides, steps, mean forces on bodies.
#pragma once

#include "bench.h"

enum { GRAINS_SETS = 24, GRAINS_SET = 96, GRAINS_BODIES = 8 };

typedef struct overrides {
    int n;
    char text[GRAINS_SETS][GRAINS_SET];
    const char *set[GRAINS_SETS]; // points into text
} overrides;

void overrides_add(overrides *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct grains {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    double seconds; // wall time spent in steps
    long n_steps;
    bool ok;
} grains;

// The natural figure 1e-3 within 100 sweeps, unless the overrides say otherwise.
grains grains_open(const bench_options *options, const char *scene, overrides *o);
void grains_close(grains *g);
void grains_step(grains *g);
void grains_run(grains *g, double time); // until this time [s]
// Mean force of each body on all others of higher number over the next n_steps steps, all at once [N].
void grains_forces(grains *g, int n_steps, int n, const char *const *names, double force[][3]);
int grains_above(const grains *g, double z); // free bodies whose centre is above z [m]
double grains_ms(const grains *g);           // of a step; NaN before the first
