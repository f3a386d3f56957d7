// Parts of `tenon bench soft`; all return the number of failures.
#pragma once

#include "bench.h"

int soft_speed(const bench_options *options, table *t);    // stages of a step beside this machine's read bandwidth
int soft_stiff(const bench_options *options, table *t);    // 10 MPa dragged over the ground; finer meshes
int soft_accuracy(const bench_options *options, table *t); // true error against time, every solver
int soft_lifted(const bench_options *options, table *t);   // the sheet of the comparison with MuJoCo
int soft_slab(const bench_options *options, table *t);     // a million degrees of freedom

// Medians over some steps of a scene that is played by itself.
typedef struct soft_run {
    int n_steps, first_counted; // steps from 1
    int last_counted;           // 0: the last
} soft_run;
typedef struct soft_figures {
    bool ok;
    int n_nodes, n_dof;
    double dynamics, solver, certify, total; // medians, wall time [s]
    double processor;                        // median of the whole step, this thread's processor time [s]
    double worst_solver, worst_total;        // [s]
    double iterations, contacts;             // means
    double momentum, natural, penetration;   // worst
    double allocations;                      // requests of memory in the counted steps
    int open;                                // counted steps short of their tolerances
} soft_figures;
soft_figures soft_play(const bench_options *options, const char *scene, int n_set, const char *const *set,
                       soft_run run);
