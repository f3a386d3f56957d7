// Two bars of 1 m, 1 kg, J = 1 about their middles, hinged at (0, 0, 0) and at each other, under g = 10: angles from
// the horizontal and their rates by Runge and Kutta's method, beside which double pendulums are held.
#pragma once

#include <math.h>

// rotors (2): armature of the first and the second joint [kg m^2].
static inline void bars_slope(const double rotors[2], const double y[4], double out[4])
{
    double twist = 0.5 * sin(y[1] - y[0]), both = 0.5 * cos(y[1] - y[0]) - rotors[1];
    double first = 2.25 + rotors[0] + rotors[1], second = 1.25 + rotors[1], det = first * second - both * both;
    double r = twist * y[3] * y[3] - 15.0 * cos(y[0]), s = -twist * y[2] * y[2] - 5.0 * cos(y[1]);
    out[0] = y[2];
    out[1] = y[3];
    out[2] = (second * r - both * s) / det;
    out[3] = (first * s - both * r) / det;
}

// From y to where they are `until` [s] later.
static inline void bars_fall(const double rotors[2], double until, double y[4])
{
    const double h = 1e-4;
    for (long n = 0; n < lround(until / h); n++) {
        double slope[4][4], at[4];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 4; i++) {
                at[i] = y[i] + (stage > 0 ? (stage == 3 ? h : 0.5 * h) * slope[stage - 1][i] : 0.0);
            }
            bars_slope(rotors, at, slope[stage]);
        }
        for (int i = 0; i < 4; i++) {
            y[i] += h / 6.0 * (slope[0][i] + 2.0 * slope[1][i] + 2.0 * slope[2][i] + slope[3][i]);
        }
    }
}
