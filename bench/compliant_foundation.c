// Tables 1 and 2 of the compliant document: a cube on an elastic foundation of 100 and 900 elements. Times and errors
// of ours, of the document, and of SUNDIALS' integrators on the penalty form of the same model at our accuracy.
#include "compliant.h"

#include "foundation.h"
#include "peer_sundials.h"
#include "peers.h"

#include <string.h>

typedef struct ours {
    bool ok;
    double y[FOUNDATION_STATE], seconds; // velocities are left out
    double iterations, natural;          // mean; worst
} ours;

static ours simulate(const bench_options *options, const foundation_figures *c, double end, double h, int repeats)
{
    char set[5][PLAY_SET];
    const char *sets[5] = {set[0], set[1], set[2], set[3], set[4]};
    snprintf(set[0], PLAY_SET, "step=%.17g", h);
    snprintf(set[1], PLAY_SET, "materials.ground.foundation.elements=%d", c->elements);
    snprintf(set[2], PLAY_SET, "materials.ground.foundation.modulus=%g", c->modulus);
    snprintf(set[3], PLAY_SET, "bodies.cube.force=[0, 0, %g]", -c->force);
    snprintf(set[4], PLAY_SET, "bodies.cube.torque=['%g*sin(10*t)', '%g*cos(10*t)', 0]", -0.5 * c->force,
             0.5 * c->force);
    ours out = {.ok = true, .seconds = INFINITY};
    int n = (int)(end / h + 0.5);
    for (int r = 0; r < repeats && out.ok; r++) {
        play p;
        out.ok = play_file(&p, options, "compliant/foundation.yaml", 5, sets);
        out.iterations = 0.0;
        double start = peer_seconds();
        for (int i = 0; i < n && out.ok; i++) {
            out.ok = play_step(&p);
            out.iterations += (double)p.report.solve.iterations / n;
            out.natural = fmax(out.natural, p.report.solve.certificate.natural);
        }
        out.seconds = fmin(out.seconds, peer_seconds() - start);
        if (out.ok) {
            play_motion m = play_body(&p, "cube");
            double sign = m.q[0] < 0.0 ? -1.0 : 1.0;
            memcpy(out.y, m.x, sizeof m.x);
            for (int i = 0; i < 4; i++) {
                out.y[6 + i] = sign * m.q[i];
            }
        }
        play_close(&p);
    }
    return out;
}

typedef struct answer {
    bool known;
    double y[FOUNDATION_STATE], doubt; // distance from half the steps
    double motion;                     // distance from the start
    double frame;                      // distance from the load at a point of the cube's frame
} answer;

static answer reference(const foundation_figures *c)
{
    int n = c->modulus > 1e10 ? 2000000 : 40000;
    answer a = {.known = true};
    double half[FOUNDATION_STATE], start[FOUNDATION_STATE], turned[FOUNDATION_STATE];
    foundation f = foundation_create(c->force, c->elements, c->modulus), g = f;
    foundation_start(start);
    foundation_start(a.y);
    foundation_start(half);
    foundation_start(turned);
    foundation_solve(&f, 1.0, n, a.y);
    foundation_solve(&f, 1.0, n / 2, half);
    g.body_point = true;
    foundation_solve(&g, 1.0, n / 2, turned);
    a.doubt = foundation_distance(a.y, half);
    a.motion = foundation_distance(a.y, start);
    a.frame = foundation_distance(turned, half);
    return a;
}

#ifdef WITH_SUNDIALS
static void rates_of(void *user, double t, const double *y, double *dy)
{
    foundation_rates(user, t, y, dy);
}

typedef struct rival_time {
    double seconds, error, tolerance;
    bool ok, reached;
} rival_time;

// One run with both tolerances.
static rival_time integrate(ode_method method, const foundation_figures *c, const answer *a, double tolerance,
                            double relative, double budget)
{
    double y[FOUNDATION_STATE];
    foundation f = foundation_create(c->force, c->elements, c->modulus);
    f.plainly = true;
    foundation_start(y);
    const ode_task task = {FOUNDATION_STATE, 1.0, relative, tolerance, rates_of, &f, budget};
    ode_result r = ode_solve(method, &task, y);
    return (rival_time){r.seconds, r.ok ? foundation_distance(y, a->y) : (double)NAN, tolerance, r.ok, false};
}

// The coarsest tolerance, of powers of ten, at which the error is no larger than ours; else the finest that its budget
// allows.
static rival_time at_accuracy(ode_method method, const foundation_figures *c, const answer *a, double error,
                              double budget)
{
    rival_time last = {.seconds = NAN, .error = NAN};
    for (int e = -3; e >= -16; e--) {
        double tolerance = pow(10.0, e);
        rival_time r = integrate(method, c, a, tolerance, fmax(tolerance, 1e-13), budget);
        if (!r.ok) {
            break;
        }
        last = r;
        if (r.error <= error) {
            last.reached = true;
            break;
        }
    }
    return last;
}

static void rival_rows(table *t, const bench_options *options, const ours *mine, const answer *answers)
{
    const char *heads[] = {
        "case",      "error wanted", "ours s",    "BDF order 1 s", "its error", "tolerance",         "BDF free s",
        "its error", "tolerance",    "RK 4(5) s", "its error",     "tolerance", "document ode15s s", "ode45 s"};
    table_open(t, "compliant, Table 1: SUNDIALS' CVODE and ARKODE on the penalty form, at no more than our error", 14,
               heads);
    for (int k = 0; k < FOUNDATIONS; k++) {
        const foundation_figures *c = &FOUNDATION_FIGURES[k];
        if (!answers[k].known) {
            continue;
        }
        double error = foundation_distance(mine[k].y, answers[k].y);
        table_word(t, "%g N, %d, E %.0e", c->force, c->elements * c->elements, c->modulus);
        table_number(t, "%.2e", error);
        table_number(t, "%.4f", mine[k].seconds);
        for (int m = ODE_BDF1; m <= ODE_RK45; m++) {
            rival_time r = at_accuracy((ode_method)m, c, &answers[k], error, options->quick ? 1.0 : 6.0);
            table_word(t, isfinite(r.seconds) ? r.reached ? "%.4f" : "> %.4f" : "-", r.seconds);
            table_number(t, "%.2e", r.error);
            table_number(t, "%.0e", r.tolerance);
        }
        table_number(t, "%.4g", c->bdf_s);
        table_number(t, "%.4g", c->rk45_s);
        table_row(t);
    }
    table_note(t,
               "tolerance: relative and absolute alike, by powers of ten from 1e-3 down until the error at 1 s is no "
               "larger than ours; \">\": none reached it within %d s a run, the last that ended is shown",
               options->quick ? 1 : 6);
    table_close(t);
}

// What MATLAB's integrators do when nothing is said: 1e-3 and 1e-6.
static void default_rows(table *t, const answer *answers)
{
    const char *heads[] = {"case", "motion m", "BDF order 1 error", "RK 4(5) error", "document's error of its own"};
    table_open(t,
               "compliant, Table 2: integrators at tolerances 1e-3 (relative) and 1e-6 (absolute), MATLAB's defaults",
               5, heads);
    for (int k = 0; k < FOUNDATIONS; k++) {
        const foundation_figures *c = &FOUNDATION_FIGURES[k];
        if (answers[k].known) {
            table_word(t, "%g N, %d, E %.0e", c->force, c->elements * c->elements, c->modulus);
            table_number(t, "%.2e", answers[k].motion);
            table_number(t, "%.2e", integrate(ODE_BDF1, c, &answers[k], 1e-6, 1e-3, 6.0).error);
            table_number(t, "%.2e", integrate(ODE_RK45, c, &answers[k], 1e-6, 1e-3, 6.0).error);
            table_number(t, "%.2e", c->absolute);
            table_row(t);
        }
    }
    table_close(t);
}
#else
static void rival_rows(table *t, const bench_options *options, const ours *mine, const answer *answers)
{
    table_open(t, "compliant, Table 1: SUNDIALS on the penalty form", 1, (const char *[]){"rival"});
    table_word(t, "SUNDIALS is not installed");
    table_row(t);
    table_note(t, "tools/install-deps bench, and build again");
    table_close(t);
}

static void default_rows(table *t, const answer *answers)
{
}
#endif

static void time_rows(table *t, const ours *mine)
{
    const char *heads[] = {"force, elements, modulus",
                           "ours s",
                           "document s",
                           "times faster",
                           "iterations",
                           "worst natural",
                           "900 over 100"};
    table_open(t, "compliant, Table 1: cube on an elastic foundation, h 10 ms, 1 s", 7, heads);
    for (int k = 0; k < FOUNDATIONS; k++) {
        const foundation_figures *c = &FOUNDATION_FIGURES[k];
        table_word(t, "%g N, %d, E %.0e", c->force, c->elements * c->elements, c->modulus);
        table_number(t, "%.5f", mine[k].seconds);
        table_number(t, "%.3f", c->ours_s);
        table_number(t, "%.0f", c->ours_s / mine[k].seconds);
        table_number(t, "%.2f", mine[k].iterations);
        table_number(t, "%.1e", mine[k].natural);
        table_number(t, "%.2f", c->elements == 30 ? mine[k].seconds / mine[k - 2].seconds : (double)NAN);
        table_row(t);
    }
    table_note(t,
               "900 over 100: growth of our time with 9 times the elements; 9^1.5 = 27; the document: cubic (729), its "
               "own times grow by 22 to 66");
    table_close(t);
}

static void error_rows(table *t, const ours *mine, const ours *fine, const answer *answers)
{
    const char *heads[] = {"force, elements, modulus",
                           "motion m",
                           "ours",
                           "of the motion",
                           "document",
                           "ours relative",
                           "document",
                           "ours, h 1 ms",
                           "document",
                           "reference +-",
                           "load's frame"};
    table_open(t, "compliant, Table 2: error of position and quaternion after 1 s, h 10 ms", 11, heads);
    for (int k = 0; k < FOUNDATIONS; k++) {
        const foundation_figures *c = &FOUNDATION_FIGURES[k];
        const answer *a = &answers[k];
        double error = a->known ? foundation_distance(mine[k].y, a->y) : (double)NAN;
        table_word(t, "%g N, %d, E %.0e", c->force, c->elements * c->elements, c->modulus);
        table_number(t, "%.2e", a->known ? a->motion : (double)NAN);
        table_number(t, "%.2e", error);
        table_number(t, "%.3f", error / a->motion);
        table_number(t, "%.2e", c->absolute);
        table_number(t, "%.2e", error / sqrt(1.25));
        table_number(t, "%.2e", c->relative);
        table_number(t, "%.2e", a->known && fine[k].ok ? foundation_distance(fine[k].y, a->y) : (double)NAN);
        table_number(t, "%.2e", c->fine);
        table_number(t, "%.1e", a->known ? a->doubt : (double)NAN);
        table_number(t, "%.1e", a->known ? a->frame : (double)NAN);
        table_row(t);
    }
    table_note(t, "motion: how far the reference is from the start, all that an error can be of while the foundation's "
                  "law holds; load's frame: what the load's point in the cube's frame (document) changes");
    table_note(t,
               "with 100 elements dampers of 100 N s/m in all leave a ring of up to 1e-7 m after 1 s, which steps of "
               "10 and 1 ms have long damped: our error there");
    table_note(t,
               "the document's errors are 2 to 4e8 times the whole motion: no two solutions of this model can be that "
               "far apart (docs/compliant.md)");
    table_close(t);
}

// Steps that resolve the foundation's own 180 Hz: ours is the same model, of first order.
static int order_rows(const bench_options *options, table *t)
{
    const foundation_figures *cases[2] = {&FOUNDATION_FIGURES[0], &FOUNDATION_FIGURES[4]};
    const double end = 0.02;
    double wanted[2][FOUNDATION_STATE], last[2] = {NAN, NAN};
    const char *heads[] = {"h s", "5 N: error", "slope", "50 N: error", "slope"};
    int failures = 0;
    table_open(t, "compliant: the foundation's own motion, 100 elements, E 1e7 Pa, error after 20 ms", 5, heads);
    for (int k = 0; k < 2; k++) {
        foundation f = foundation_create(cases[k]->force, cases[k]->elements, cases[k]->modulus);
        foundation_start(wanted[k]);
        foundation_solve(&f, end, 20000, wanted[k]);
    }
    for (int i = 0; i < 4; i++) {
        double h = 1e-5 / (1 << i);
        table_number(t, "%.3e", h);
        for (int k = 0; k < 2; k++) {
            ours o = simulate(options, cases[k], end, h, 1);
            double error = o.ok ? foundation_distance(o.y, wanted[k]) : (double)NAN;
            failures += !o.ok;
            table_number(t, "%.3e", error);
            table_number(t, "%.3f", slope_of(2.0 * h, last[k], h, error));
            last[k] = error;
        }
        table_row(t);
    }
    table_close(t);
    return failures;
}

int compliant_foundation(const bench_options *options, table *t)
{
    ours mine[FOUNDATIONS], fine[FOUNDATIONS];
    answer answers[FOUNDATIONS] = {0};
    int failures = 0;
    for (int k = 0; k < FOUNDATIONS; k++) {
        const foundation_figures *c = &FOUNDATION_FIGURES[k];
        mine[k] = simulate(options, c, 1.0, 0.01, c->elements == 10 ? 20 : 5);
        fine[k] = simulate(options, c, 1.0, 0.001, 1);
        failures += !mine[k].ok || !fine[k].ok;
        if (!options->quick || c->modulus < 1e10) {
            answers[k] = reference(c);
        }
    }
    time_rows(t, mine);
    error_rows(t, mine, fine, answers);
    failures += order_rows(options, t);
    rival_rows(t, options, mine, answers);
    default_rows(t, answers);
    return failures;
}
