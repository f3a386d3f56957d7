// Cholesky factor of the rows and columns of a symmetric matrix that an active set method works with: rows are appended
// and taken out one by one.
//
// Each row counts from its first number that is not zero on (an envelope): an order in which coupled rows are near one
// another makes it cheap.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_working_factor {
    int n, capacity;
    size_t stride;
    double *L;    // (capacity, stride) lower, row-major; nothing is written left of first
    int *first;   // (capacity) column of each row's first number
    double *turn; // (2, capacity) scratch
} tn_working_factor;

bool tn_working_factor_create(int capacity, tn_arena *arena, tn_working_factor *out);
// x (n) = L^-1 x and L^-T x.
void tn_working_factor_forward(const tn_working_factor *s, double *x);
void tn_working_factor_backward(const tn_working_factor *s, double *x);
// Append a row: x (n) = L^-1 of its column, pivot > 0 what is left of its diagonal entry. n < capacity.
void tn_working_factor_append(tn_working_factor *s, const double *x, double pivot);
void tn_working_factor_remove(tn_working_factor *s, int row);
