// One row of the table of sets, for the files of this room that make it up.
#pragma once

#include "law/set.h"

#include <math.h>
#include <stddef.h>

// Sets with a preload see f_n + a instead of f_n and no preload.
typedef struct tn_set_class {
    int rows;
    bool one_metric; // rho[0] = rho[1]
    bool contact;    // a section that grows with f_n, a preload, a shift
    const char *(*refusal)(const tn_bound *b);
    double (*support)(const tn_bound *b, const double y[3]); // NULL: 0
    void (*project)(const tn_bound *b, double *f);
    void (*map)(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out);
    tn_local_state (*solve)(const tn_bound *b, const double *W, const double *q, double *f);
} tn_set_class;

extern const tn_set_class tn_set_free, tn_set_ray, tn_set_box, tn_set_friction; // set_row.c
extern const tn_set_class tn_set_cone, tn_set_polyhedron, tn_set_moment, tn_set_ball, tn_set_ellipse;

// Radius of FRICTION and BALL, and the part of it that grows with what presses.
static inline double tn_set_radius(const tn_bound *b)
{
    return b->bound[0] + (b->pressed > 0.0 ? b->bound[1] * b->pressed : 0.0);
}

static inline double tn_set_radius_slope(const tn_bound *b)
{
    return b->pressed > 0.0 ? b->bound[1] : 0.0;
}

// Neither negative nor infinite.
static inline bool tn_set_is_size(double x)
{
    return x >= 0.0 && x < HUGE_VAL;
}

// The refusal of sets with two such numbers.
static inline const char *tn_set_refuse_sizes(const tn_bound *b)
{
    return tn_set_is_size(b->bound[0]) && tn_set_is_size(b->bound[1]) ? NULL : "friction is finite and not negative";
}

// P's slope and value for y = D^-1 z when value and slope of a scaled P(D y) = D P'(y) are at hand.
static inline void tn_set_scale_back(const double D[3], tn_projection *out)
{
    bool scaled = D[1] != 1.0 || D[2] != 1.0; // nine divisions
    for (int i = 0; scaled && i < 3; i++) {
        out->p[i] *= D[i];
        for (int j = 0; j < 3; j++) {
            out->slope[3 * i + j] *= D[j] > 0.0 ? D[i] / D[j] : 0.0;
        }
    }
}
