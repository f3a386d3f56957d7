// The compliant document's experiments: what its tables share, one function for each part. All return the number of
// failures. --svg F.svg: pictures F_NAME.svg.
#pragma once

#include "bench.h"

#include <math.h>

int compliant_oscillator(const bench_options *options, table *t); // Figs. 1 to 3
int compliant_pendulum(const bench_options *options, table *t);   // Fig. 4
int compliant_limit(const bench_options *options, table *t);      // Fig. 6
int compliant_foundation(const bench_options *options, table *t); // Tables 1 and 2
int compliant_incline(const bench_options *options, table *t);    // Fig. 9
int compliant_spheres(const bench_options *options, table *t);    // Fig. 10
int compliant_stability(const bench_options *options, table *t);  // L-stability and order of the three kinds
int compliant_mixed(const bench_options *options, table *t);      // elastic beside rigid: robot, car, heap
int compliant_figures(const bench_options *options, table *t);    // the document's figures and where they are from

// A scene played without more than it needs.
typedef struct play {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    tn_step_report report;
} play;

enum { PLAY_SET = 200 }; // characters of an override

// false: the error is printed. Close also after a failure.
bool play_file(play *p, const bench_options *options, const char *scene, int n_set, const char *const *set);
bool play_text(play *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool play_step(play *p);
void play_close(play *p);
// What a body does: x, q, v, w (world).
typedef struct play_motion {
    double x[3], q[4], v[3], w[3];
} play_motion;
play_motion play_body(const play *p, const char *name);

// Slope of log(y) over log(x) between two points; NaN where there are none.
static inline double slope_of(double x0, double y0, double x1, double y1)
{
    return y0 > 0.0 && y1 > 0.0 ? log(y1 / y0) / log(x1 / x0) : (double)NAN;
}

// What the document prints of the box on a foundation.
typedef struct foundation_figures {
    double force;                 // [N]
    int elements;                 // along an edge
    double modulus;               // [Pa]
    double ours_s, bdf_s, rk45_s; // Table 1: constraint-based, ode15s of first order, ode45 [s]
    double absolute, relative;    // Table 2, h 0.01
    double fine;                  // below Table 2, h 0.001: absolute; NaN: none
} foundation_figures;
enum { FOUNDATIONS = 8 };
extern const foundation_figures FOUNDATION_FIGURES[FOUNDATIONS];
