// compliant: the document's own programs against the law that they are to solve (compliant_document.h): the forces of
// single steps, and a mass on a slope over a second.
#include "compliant_document.h"
#include "papers.h"

#include <math.h>

static const double SLOPE = 15.0 * 0.01745329251994329577;

// Law and program of one problem; the forces of two rows of interest and what the document's text says of the first.
static bool forces_row(table *t, const char *name, const compliant_problem *p, int one, int two, const double said[2])
{
    compliant_answer law, document;
    bool ok = compliant_law(p, &law) && compliant_document(p, &document);
    if (!ok) {
        return false;
    }
    table_word(t, "%s", name);
    table_number(t, "%.4g", law.force[one]);
    table_number(t, "%.4g", law.force[two]);
    table_number(t, "%.4g", document.force[one]);
    table_number(t, "%.4g", document.force[two]);
    table_number(t, "%.4g", said[0]);
    table_number(t, "%.4g", said[1]);
    table_number(t, "%.3g", law.v[0]);
    table_number(t, "%.3g", document.v[0]);
    table_number(t, "%.3g", law.v[1]);
    table_number(t, "%.3g", document.v[1]);
    table_number(t, "%.0e", document.residual);
    table_row(t);
    return true;
}

static int forces_table(table *t)
{
    const char *heads[] = {"one step",  "law f1 N",   "law f2 N",   "program f1 N", "program f2 N", "expected law f1",
                           "program's", "law v1 m/s", "program v1", "law v2",       "program v2",   "residual"};
    compliant_problem rows = compliant_two_rows(), rest = compliant_slope(SLOPE, 0.125, 0.0),
                      moving = compliant_slope(SLOPE, 0.125, 1.0), held = compliant_slope(SLOPE, 0.3, 0.0);
    table_open(t, "compliant: the document's programs (83)-(85) and (181)-(182), literally", 12, heads);
    int failures = !forces_row(t, "two coupled rows, S_12 0.095", &rows, 0, 1, (const double[2]){97.3, 85.4});
    failures += !forces_row(t, "1 kg on 15 deg, mu 0.125", &rest, 0, 1, (const double[2]){9.48, 20.31});
    failures += !forces_row(t, "the same at 1 m/s", &moving, 0, 1, (const double[2]){9.48, 820.0});
    failures += !forces_row(t, "mu 0.3, which holds it", &held, 0, 1, (const double[2]){9.48, 9.48});
    table_note(t, "rows: 1 and 2; slope: normal and down the slope. h 10 ms, normal K 1e12, tangents B 1e6/h");
    table_note(t, "program: its optimum, not the law's; residual: of its own conditions (docs/compliant-document.md)");
    table_close(t);
    return failures;
}

typedef struct slide {
    double way, height; // after 1 s; greatest [m]
    double worst;       // residual
} slide;

// A second of steps; a contact that is apart has no row.
static bool slide_on(double mu, double speed, bool (*solve)(const compliant_problem *, compliant_answer *), slide *out)
{
    compliant_problem p = compliant_slope(SLOPE, mu, speed);
    *out = (slide){.way = 0.0};
    for (int k = 0; k < 100; k++) {
        compliant_answer answer = {.residual = 0.0};
        p.n_contacts = p.phi[0] <= 1e-9;
        if (p.n_contacts > 0 && !solve(&p, &answer)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            double f = p.f[i] + (p.n_contacts > 0 ? answer.force[i] : 0.0);
            p.v[i] += p.h * f;
        }
        p.phi[0] += p.h * p.v[0];
        out->way += p.h * p.v[1];
        out->height = fmax(out->height, p.phi[0]);
        out->worst = fmax(out->worst, answer.residual);
    }
    return true;
}

static int slope_table(table *t)
{
    const char *heads[] = {"mu",           "speed m/s",       "exact way m",      "law way m",
                           "law height m", "program's way m", "program's height", "residual"};
    const double mus[] = {0.01, 0.0625, 0.125, 0.25, 0.3, 0.375};
    int failures = 0;
    table_open(t, "compliant, Fig. 9: 1 kg on 15 degrees for 1 s at 10 ms", 8, heads);
    for (int k = 0; k < 12; k++) {
        double mu = mus[k % 6], speed = k / 6, a = 9.81 * (sin(SLOPE) - mu * cos(SLOPE)), exact = 0.0, v = speed;
        slide law, document;
        for (int i = 0; i < 100; i++) {
            v = fmax(0.0, v + 0.01 * a);
            exact += 0.01 * v;
        }
        bool ok = slide_on(mu, speed, compliant_law, &law) && slide_on(mu, speed, compliant_document, &document);
        failures += !ok;
        table_word(t, "%g", mu);
        table_number(t, "%g", speed);
        table_number(t, "%.6g", exact);
        table_number(t, "%.6g", ok ? law.way : NAN);
        table_number(t, "%.2g", ok ? law.height : NAN);
        table_number(t, "%.4g", ok ? document.way : NAN);
        table_number(t, "%.3g", ok ? document.height : NAN);
        table_number(t, "%.0e", ok ? document.worst : NAN);
        table_row(t);
    }
    table_note(t, "exact: discrete Coulomb friction; the program has contacts only while they touch (phi <= 1e-9 m)");
    table_close(t);
    return failures;
}

int papers_compliant_document(const bench_options *options, table *t)
{
    return forces_table(t) + slope_table(t);
}
