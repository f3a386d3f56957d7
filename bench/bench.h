// What the benchmarks share: where scenes are, options of the command line, medians.
#pragma once

#include "table.h"
#include "tenon/sim.h"

typedef struct bench_options {
    const char *only; // NULL: everything
    const char *svg;  // NULL: no chart
    const char *html; // NULL: no page
    int trials;       // randomised runs; 0: the table's own number
    bool quick;
    const char *json;   // file that keeps the tables; "-": standard output, instead of the text; NULL: none
    const char *scenes; // folder of the scene files
    const char *data;   // folder of FCLIB files
} bench_options;

// Each prints its tables and returns the number of failures (0: all ran), or BENCH_UNKNOWN.
enum { BENCH_UNKNOWN = -1 };
int bench_papers(const bench_options *options, table *t);
int bench_soft(const bench_options *options, table *t);
int bench_kernels(const bench_options *options, table *t);
int bench_rigid(const bench_options *options, table *t);
int bench_robots(const bench_options *options, table *t);
int bench_plan(const bench_options *options, table *t);
int bench_gallery(const bench_options *options, table *t);
int bench_siconos(const bench_options *options, table *t);

double bench_median(int n, double *values); // sorts values
// Whether name is one of the comma-separated words of list.
bool bench_listed(const char *list, const char *name);
// Whether every word of --only, a list with commas, is one of the n names of the suite; else says what there is.
bool bench_knows(const bench_options *options, const char *suite, int n, const char *const names[]);

// Scene file of the gallery with overrides, compiled; prints the error and returns NULL on failure.
tn_model *bench_model(const bench_options *options, const char *scene, int n_set, const char *const *set);
