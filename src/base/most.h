// The largest number that may come from outside (scenes, inputs, states), in SI units: squares and products of a few
// such numbers stay finite.
#pragma once

#include <math.h>
#include <stddef.h>

#define TN_MOST 1e30

// Number of the first of n that is no number or beyond +-TN_MOST; -1: none, or no array.
static inline ptrdiff_t tn_first_beyond(const double *array, size_t n)
{
    for (size_t i = 0; array && i < n; i++) {
        if (!(fabs(array[i]) <= TN_MOST)) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}
