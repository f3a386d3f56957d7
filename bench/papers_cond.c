// What the cond document says without figures: its Lemma 3, which the strict operator does not obey (Fig. 5), and
// nonholonomic constraints, which it names in its outlook.
#include "base/random.h"
#include "law/cone.h"
#include "papers.h"
#include "track.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 1000000 };

typedef struct pair {
    double x[2][3]; // before the operator
} pair;

// (xi_1 - xi_2) . (lambda_1 - lambda_2), xi = x - lambda, over |lambda_1 - lambda_2|^2: Lemma 3 says never below 0.
static double product(tn_cone_region operate(const double *, double *), double mu, const pair *p)
{
    const double both[2] = {mu, mu};
    double l[2][3], sum = 0.0, square = 0.0;
    memcpy(l, p->x, sizeof l);
    operate(both, l[0]);
    operate(both, l[1]);
    for (int i = 0; i < 3; i++) {
        double apart = l[0][i] - l[1][i];
        sum += (p->x[0][i] - l[0][i] - p->x[1][i] + l[1][i]) * apart;
        square += apart * apart;
    }
    return square > 0.0 ? sum / square : 0.0;
}

static pair draw(int sample)
{
    pair p;
    for (int k = 0; k < 6; k++) {
        p.x[k / 3][k % 3] = 4.0 * tn_random_uniform(3, (uint64_t)sample, (uint64_t)k) - 2.0;
    }
    return p;
}

static void operator_row(table *t, const char *name, tn_cone_region operate(const double *, double *), double mu,
                         int samples)
{
    double least = INFINITY;
    int below = 0, worst = 0;
    for (int s = 0; s < samples; s++) {
        pair p = draw(s);
        double value = product(operate, mu, &p);
        below += value < -1e-12;
        worst = value < least ? s : worst;
        least = fmin(least, value);
    }
    pair p = draw(worst);
    table_word(t, "%s, friction %g", name, mu);
    table_number(t, "%.4f", least);
    table_number(t, "%.4f", 100.0 * below / samples);
    for (int k = 0; k < 6; k++) {
        table_number(t, "%.3f", p.x[k / 3][k % 3]);
    }
    table_row(t);
}

int papers_lemma(const bench_options *options, table *t)
{
    const char *heads[] = {"operator", "least product", "% below 0", "x1 n", "x1 t1",
                           "x1 t2",    "x2 n",          "x2 t1",     "x2 t2"};
    const double mu[] = {0.2, 0.5, 1.0};
    int samples = options->quick ? SAMPLES / 10 : SAMPLES;
    table_open(t, "cond, Lemma 3 and Fig. 5: (xi1 - xi2) . (lambda1 - lambda2) over |lambda1 - lambda2|^2", 9, heads);
    for (int k = 0; k < 3; k++) {
        operator_row(t, "proximal", tn_cone_proximal, mu[k], samples);
        operator_row(t, "strict", tn_cone_strict, mu[k], samples);
    }
    table_note(t,
               "%d pairs at random in [-2, 2]^3; last columns: the pair with the least product, the strict "
               "operator's counter-example",
               samples);
    table_note(t,
               "document: never below 0 for the proximal operator, a picture of a counter-example for the strict one");
    table_close(t);
    return 0;
}

// A ball rolls on a table that turns at W: joint rolling. It goes round at 2/7 W.
static bool roll(const bench_options *options, const char *scheme, double step, double *off, double *us)
{
    char set_scheme[64], set_step[64];
    snprintf(set_scheme, sizeof set_scheme, "scheme=%s", scheme);
    snprintf(set_step, sizeof set_step, "step=%.17g", step);
    const char *set[2] = {set_scheme, set_step};
    const double W = 2.0, w = 2.0 * W / 7.0, r = 0.4, p = 0.7, duration = 10.0;
    track t;
    bool ok = track_open(&t, options, "joints/turntable.yaml", 2, set);
    int ball = ok ? tn_model_find_body(t.model, "ball") : 0;
    *off = *us = 0.0;
    int n = 0;
    for (; ok && tn_state_time(t.state) < duration - 1e-9; n++) {
        double x[3], q[4];
        ok = track_step(&t);
        tn_state_body_pose(t.state, ball, x, q);
        double time = tn_state_time(t.state);
        *off = fmax(*off, hypot(x[0] - (p - r + r * cos(w * time)), x[1] - r * sin(w * time)));
        *us += 1e6 * t.report.total_s;
    }
    *us /= fmax(n, 1);
    track_close(&t);
    return ok;
}

int papers_rolling(const bench_options *options, table *t)
{
    const char *heads[] = {"scheme", "h ms", "off m", "order", "us a step"};
    static const char *const schemes[] = {"euler", "implicit", "pbd"};
    int failures = 0;
    table_open(t, "cond, outlook: a nonholonomic constraint, a ball on a turntable, 10 s", 5, heads);
    for (int k = 0; k < 3; k++) {
        double before = NAN;
        for (double h = 20e-3; h > 2e-3; h *= 0.5) {
            double off, us;
            failures += !roll(options, schemes[k], h, &off, &us);
            table_word(t, "%s", schemes[k]);
            table_number(t, "%g", 1e3 * h);
            table_number(t, "%.2e", off);
            table_number(t, "%.2f", log2(before / off));
            table_number(t, "%.2f", us);
            table_row(t);
            before = off;
        }
    }
    table_note(t, "closed form: it goes round at 2/7 of the table's speed, here with radius 0.4 m; off: the most over "
                  "the run");
    table_close(t);
    return failures;
}
