// Spheres that settle in an open box: the same pile for several tables.
#pragma once

#include "bench.h"

enum { PILE_SETS = 12 };

typedef struct pile {
    char text[PILE_SETS][96];
    const char *set[PILE_SETS]; // overrides of rigid/balls1000.yaml; points into text
    int n_set;
} pile;

// nx by ny by nz spheres, walls as close around them as around the 1000.
void pile_of(pile *p, int nx, int ny, int nz);
void pile_add(pile *p, const char *override);
