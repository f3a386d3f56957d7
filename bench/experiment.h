// The experiments of the cond document with soft bodies and rods: scene, ranges of its trials, its figures.
#pragma once

#include <stdbool.h>

enum { EXPERIMENT_SETS = 8, EXPERIMENT_SET = 96 };

typedef struct range {
    double low, high;
} range;

typedef struct document_row {
    const char *label;
    double penetration, force, dynamics, solver, setup, iterations;
} document_row;

typedef struct experiment {
    const char *name, *title, *scene;
    const char *young, *poisson; // paths of the overrides
    const char *friction[3];     // all that follow the trial's friction
    range youngs, poissons, mus; // the document's
    double theta;                // the document's threshold [m/s]
    bool contact_force;          // force error of the contact force instead
    const char *force_head;
    double force_unit; // of the table, in N
    document_row document[3];
    double plain, chebyshev; // Table IX
    int stride;              // steps between samples
    int steps;               // that are played
    int cap;                 // iterations of what stops by theta
} experiment;

extern const experiment EXPERIMENT_MAT, EXPERIMENT_BALL, EXPERIMENT_GRIPPER, EXPERIMENT_CABLE;

// Overrides of one trial: material drawn at random from the document's ranges, the same for the same number. Returns
// their number; set points into text.
int experiment_draw(const experiment *e, int trial, char text[EXPERIMENT_SETS][EXPERIMENT_SET],
                    const char *set[EXPERIMENT_SETS]);
