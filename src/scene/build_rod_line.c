// The centre line of a rod, points or expressions, and where its segments end. The line is cut into pieces of equal
// length; a segment goes from the middle of one to the middle of the next, at an end that is not clamped up to it.
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>

enum { SAMPLES = 64 }; // of a curve for each segment: its length is then good to 1e-4 of what its bend adds

// Points along the line and how far along it they are.
typedef struct line {
    int n;
    double *point; // (n, 3)
    double *along; // (n) [m]
} line;

static bool curve_at(tn_build *build, const tn_raw_rod *raw, const tn_node *node, double t, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = tn_value_at(&raw->curve[k], t);
    }
    return (isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2])) ||
           tn_read_error(&build->reader, tn_node_place_of(node, "curve"), "'curve' is not finite at t = %g", t);
}

static bool sample(tn_build *build, const tn_raw_rod *raw, const tn_node *node, line *out)
{
    bool curved = raw->points.n == 0;
    out->n = curved ? SAMPLES * raw->segments + 1 : raw->points.n;
    out->point = TN_PUSH(build->reader.scratch, double, 3 * (size_t)out->n);
    out->along = TN_PUSH(build->reader.scratch, double, out->n);
    if (!out->point || !out->along) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < out->n; i++) {
        double *x = out->point + 3 * (size_t)i, step[3];
        if (curved && !curve_at(build, raw, node, (double)i / (out->n - 1), x)) {
            return false;
        }
        if (!curved) {
            tn_vec3_copy(x, raw->points.value + 3 * (size_t)i);
        }
        if (i > 0) {
            tn_vec3_sub(step, x, x - 3);
            out->along[i] = out->along[i - 1] + tn_vec3_norm(step);
        }
    }
    return true;
}

static bool point_at(tn_build *build, const tn_raw_rod *raw, const tn_node *node, const line *l, double along,
                     double out[3])
{
    int k = 0, high = l->n - 1; // along[k] <= along, which is before along[high]
    while (high - k > 1) {
        int middle = (k + high) / 2;
        *(l->along[middle] <= along ? &k : &high) = middle;
    }
    double part = fmin(1.0, (along - l->along[k]) / (l->along[k + 1] - l->along[k]));
    if (raw->points.n == 0) {
        return curve_at(build, raw, node, (k + part) / (l->n - 1), out);
    }
    tn_vec3_scale(out, 1.0 - part, l->point + 3 * (size_t)k);
    tn_vec3_madd(out, out, part, l->point + 3 * (size_t)k + 3);
    return true;
}

bool tn_build_rod_line(tn_build *build, const tn_raw_rod *raw, const tn_node *node, double *ends, double *piece)
{
    line l;
    if ((raw->points.n > 0) == !isnan(raw->curve[0].constant)) {
        return tn_read_error(&build->reader, node->place, "a rod needs its line by one of 'points' and 'curve'");
    }
    if (!sample(build, raw, node, &l)) {
        return false;
    }
    int n = raw->segments, before = tn_build_rod_clamped(raw, 0),
        pieces = n - 1 + before + tn_build_rod_clamped(raw, 1);
    double whole = l.along[l.n - 1], first = before - 0.5;
    if (raw->closed) {
        pieces = n;
        first = 0.0;
    }
    if (!(whole > 0.0)) {
        return tn_read_error(&build->reader, node->place, "the rod's line has no length");
    }
    *piece = whole / pieces;
    for (int i = 0; i <= n; i++) {
        double along = *piece * fmin(fmax(first + i, 0.0), pieces);
        if (!point_at(build, raw, node, &l, fmin(along, whole), ends + 3 * (size_t)i)) {
            return false;
        }
    }
    return true;
}
