// How the certificate compares and scales its figures.
#pragma once

#include <math.h>

// The larger of two, NaN if either is NaN.
static inline double tn_certificate_worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

// size relative to scale; a residual that vanishes is 0 even without a scale.
static inline double tn_certificate_ratio(double size, double scale)
{
    return size == 0.0 ? 0.0 : size / scale;
}
