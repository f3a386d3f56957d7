// What the parts of `tenon bench gallery` share: a scene of the gallery under one scheme, and what came of it.
#pragma once

#include "bench.h"

enum { GALLERY_FAILURES = 200 };

// Or what is worth a line though it is none.
typedef struct gallery_failure {
    char where[64]; // scene and scheme
    const char *solver, *what;
    double time, difference, ratio, figure; // ratio, figure: of a single step, else NaN
    char error[160];
} gallery_failure;

typedef struct gallery_failures {
    int n;
    gallery_failure list[GALLERY_FAILURES];
} gallery_failures;

typedef struct gallery_cell {
    char scene[64]; // as the folder has it, without ".yaml"
    const char *scheme;
    gallery_failures *failures;
    bool refused; // the scene does not take the scheme

    // One step from the same state.
    int n_steps, n_unsolved, most_contacts, most_solvers; // steps; of them without a reference
    int n_compared, n_agree, n_loose, n_another, n_missed, n_wrong;
    double worst; // ratio of what counts as agreeing

    // Runs of each solver by itself.
    int n_runs, n_cut, n_short, n_broken, n_gained; // n_short: with steps that stop short of the solvers' aim
    double gain, worst_gain;                        // of the default solver, of the others; relative
    double half_gain; // of the default solver at half the step, where the gain is worth a look; else NaN
    double apart;     // largest way between a body in a solver's run and in the default solver's [m]
} gallery_cell;

// Of the processor time that the parts may take [1].
static inline double gallery_share(const bench_options *options)
{
    return options->quick ? 0.125 : 1.0;
}

bool gallery_wants(const bench_options *options, const char *name); // a solver
void gallery_fail(gallery_cell *cell, gallery_failure failure);
// step [s]; 0: the scene's.
tn_model *gallery_model(const bench_options *options, const gallery_cell *cell, double step, tn_error *error);

// Drive the scene by its default solver and let the others take single steps from its states.
void gallery_steps(const bench_options *options, gallery_cell *cell);
// Scheme implicit without soft bodies: nothing to add to euler's row.
bool gallery_is_euler(const bench_options *options, gallery_cell *cell);
// Times and accuracy of the scene "folder/name" as it stands: rows of a table that is open.
int gallery_speed(const bench_options *options, const char *scene, table *t);
// Let each solver run the scene.
void gallery_runs(const bench_options *options, gallery_cell *cell);
