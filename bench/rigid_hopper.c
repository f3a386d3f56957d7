// Grains: case G03, the flow out of a hole.
#include "rigid_grains.h"
#include "rigid_granular.h"

#include <math.h>

static double flow_rate(const bench_options *options, table *t, double width_in_d)
{
    const double d = 0.05;
    double edge = 0.5 * width_in_d * d + 1.0; // the slabs are 2 m wide
    overrides o = {0};
    overrides_add(&o, "bodies.floor_left.position=[%.6g,0,-0.05]", -edge);
    overrides_add(&o, "bodies.floor_right.position=[%.6g,0,-0.05]", edge);
    overrides_add(&o, "bodies.floor_front.position=[0,%.6g,-0.05]", -edge);
    overrides_add(&o, "bodies.floor_back.position=[0,%.6g,-0.05]", edge);
    overrides_add(&o, "bodies.grain.array.count=[24,24,%d]", options->quick ? 4 : 24);
    grains g = grains_open(options, "rigid/hopper.yaml", &o);
    // The flow settles within a second; the two halves of the time tell whether it depends on the filling.
    double times[3] = {1.0, 1.75, 2.5}, left[3] = {0};
    for (int k = 0; k < 3; k++) {
        grains_run(&g, options->quick ? 0.1 * (k + 1) : times[k]);
        left[k] = g.ok ? grains_above(&g, -0.1) : NAN;
        times[k] = g.ok ? tn_state_time(g.state) : NAN;
    }
    double early = (left[0] - left[1]) / (times[1] - times[0]), late = (left[1] - left[2]) / (times[2] - times[1]);
    double rate = (left[0] - left[2]) / (times[2] - times[0]);
    if (g.ok) {
        table_number(t, "%.1f", width_in_d);
        table_number(t, "%.0f", left[0]);
        table_number(t, "%.0f", rate);
        table_number(t, "%.3f", late / early);
        table_number(t, "%.1f", grains_ms(&g));
        table_row(t);
    }
    grains_close(&g);
    return rate;
}

int granular_hopper(const bench_options *options, table *t)
{
    enum { HOLES = 4 };
    const double holes[HOLES] = {5, 6.5, 8, 10};
    const char *heads[] = {"hole / d", "grains at 1 s", "rate 1/s", "late / early", "ms/step"};
    double rate[HOLES], best = INFINITY, k_best = NAN, p_best = NAN, r2 = NAN;
    int n = options->quick ? 2 : HOLES, failures = 0;
    table_open(t, "G03: grains out of a square hole (Beverloo)", 5, heads);
    for (int i = 0; i < n; i++) {
        rate[i] = flow_rate(options, t, holes[i]);
        failures += !(rate[i] >= 0.0);
    }
    // rate = c (D - k d)^p: for each k of the list's range the power by least squares of the logarithms.
    for (double k = 1.3; k <= 2.9 && !failures; k += 0.01) {
        double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, square = 0;
        for (int i = 0; i < n; i++) {
            double x = log(holes[i] - k), y = log(rate[i]);
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
            syy += y * y;
        }
        double p = (n * sxy - sx * sy) / (n * sxx - sx * sx), c = (sy - p * sx) / n;
        for (int i = 0; i < n; i++) {
            double e = log(rate[i]) - c - p * log(holes[i] - k);
            square += e * e;
        }
        if (square < best) {
            best = square;
            k_best = k;
            p_best = p;
            r2 = 1.0 - square / (syy - sy * sy / n);
        }
    }
    table_note(t,
               "rate = c (D - k d)^p with k = %.2f, p = %.2f, R^2 of the logarithms %.4f (asked: k 1.3 to 2.9, p 2.5 "
               "+- 0.3; late / early 1 +- 0.1)",
               k_best, p_best, r2);
    table_close(t);
    return failures;
}
