// Which of many unit vectors is nearest to a direction: a k-d tree over them (Bentley 1975).
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tn_normals {
    int n;
    const int *number;   // (n) in the tree's order: of the caller
    const double *at;    // (n, 3) likewise
    const uint8_t *axis; // (n) along which the range is split that has its middle here
    const double *value; // (n) and where
} tn_normals;

// normal: the first three of every `stride` numbers. False: no memory.
bool tn_normals_create(int n, const double *normal, int stride, tn_arena *arena, tn_normals *out);
// Number of the one with the largest product with the unit vector d, of several the lowest; *cosine: the product.
// n >= 1.
int tn_normals_nearest(const tn_normals *normals, const double d[3], double *cosine);
