// Spheres that settle in an open box: the same pile for several tables.
#pragma once

#include "bench.h"

enum { PILE_SETS = 12, PILES = 4 };

// Cubes of 64 to 1000 spheres, and the steps after which they stand still where each step is solved to PILE_STILL, but
// for single spheres that roll, as nothing brakes them. Errors of 1e-6 keep hundreds of contacts slipping.
static const int PILE_SIDE[PILES] = {4, 6, 8, 10}, PILE_STILL_STEPS[PILES] = {1500, 2000, 3000, 3000};
#define PILE_STILL "solver.tolerance.natural=1e-8"

typedef struct pile {
    char text[PILE_SETS][96];
    const char *set[PILE_SETS]; // overrides of rigid/balls1000.yaml; points into text
    int n_set;
} pile;

// nx by ny by nz spheres, walls as close around them as around the 1000.
void pile_of(pile *p, int nx, int ny, int nz);
void pile_add(pile *p, const char *override);
