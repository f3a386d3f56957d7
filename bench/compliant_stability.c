// L-stability and order, measured, of the three kinds of compliant rows: bilateral (a spring between bodies),
// unilateral (a limit of a joint), contact (with friction).
//
// Stability: a step from (x, v) is linear as long as the one-sided kinds stay pressed; two steps from two states give
// its matrix, whose spectral radius must fall to 0 as K grows (L-stable), and as 1/sqrt(1 + h B + h^2 K) exactly.
// Order: error after a bounce against Runge and Kutta's method with tiny steps.
#include "compliant.h"

typedef enum kind { BILATERAL, UNILATERAL, CONTACT, KINDS } kind;
static const double MU = 0.3;

// 1 kg along x (contact: along z over the plane z = 0) at x and speed v; across at 1 m/s where it is to slide.
static bool open_kind(play *p, kind k, double h, double K, double B, double x, double v, bool slides)
{
    const char *head = "gravity: [0, 0, 0]\nstep: %.17g\nmargin: 1 mm\npush_out: infinite\ngain_limit: infinite\n"
                       "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n";
    char opening[300], row[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(opening, sizeof opening, head, h);
#pragma GCC diagnostic pop
    if (k == CONTACT) {
        return play_text(p,
                         "%spairs: [{materials: [default, default], friction: %g, stiffness: %.17g, damping: %.17g}]\n"
                         "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  mass: {position: [0, 0, %.17g], "
                         "velocity: [%d, 0, %.17g], mass: 1, inertia: [1e9, 1e9, 1e9], contact_points: [[0, 0, 0]]}\n",
                         opening, MU, K, B, x, slides, v);
    }
    snprintf(row, sizeof row,
             k == BILATERAL ? "stiffness: %.17g, damping: %.17g"
                            : "limits: [0, infinite], limit_stiffness: %.17g, limit_damping: %.17g",
             K, B);
    return play_text(p,
                     "%sbodies:\n  mass: {position: [%.17g, 0, 0], velocity: [%.17g, 0, 0], mass: 1, inertia: [1, 1, "
                     "1]}\njoints:\n  j: {type: prismatic, b: mass, axis: [1, 0, 0], point_a: [0, 0, 0], point_b: [0, "
                     "0, 0], slack: 1 m, slide: {%s}}\n",
                     opening, x, v, row);
}

static void motion_along(const play *p, kind k, double *x, double *v)
{
    play_motion m = play_body(p, "mass");
    *x = m.x[k == CONTACT ? 2 : 0];
    *v = m.v[k == CONTACT ? 2 : 0];
}

// Of one step, measured: from a pressed spring at rest, and from no length at a speed.
static double measured_radius(kind k, double h, double K, double B)
{
    const double size = 1e-3;
    double a[2][2];
    for (int i = 0; i < 2; i++) {
        play p;
        bool ok = open_kind(&p, k, h, K, B, i == 0 ? -size : 0.0, i == 0 ? 0.0 : -size, false) && play_step(&p);
        if (ok) {
            motion_along(&p, k, &a[i][0], &a[i][1]);
        }
        play_close(&p);
        if (!ok) {
            return NAN;
        }
    }
    double half = -0.5 * (a[0][0] + a[1][1]) / size;
    double determinant = (a[0][0] * a[1][1] - a[0][1] * a[1][0]) / (size * size), square = half * half - determinant;
    return square < 0.0 ? sqrt(determinant) : fabs(half) + sqrt(square);
}

static int stability_table(table *t)
{
    const char *heads[] = {"K N/m",      "bilateral", "unilateral",    "contact", "implicit Euler", "B 1e6: bilateral",
                           "unilateral", "contact",   "implicit Euler"};
    table_open(t, "compliant: spectral radius of a step of 10 ms, measured; B 0, and B 1e6 N s/m", 9, heads);
    int failures = 0;
    for (int e = 0; e <= 15; e += 3) {
        double K = pow(10.0, e), h = 0.01;
        table_number(t, "%.0e", K);
        for (int damped = 0; damped < 2; damped++) {
            double B = damped ? 1e6 : 0.0, a = 1.0 / (1.0 + h * B + h * h * K);
            for (int k = 0; k < KINDS; k++) {
                double radius = measured_radius((kind)k, h, K, B);
                failures += !(radius <= 1.0);
                table_number(t, "%.4e", radius);
            }
            // Of ((1 - h h K a, h a), (-h K a, a)): trace 1 + a - h^2 K a, determinant a.
            double half = 0.5 * (a * (1.0 + h * B) + a), square = half * half - a;
            table_number(t, "%.4e", square < 0.0 ? sqrt(a) : half + sqrt(square));
        }
        table_row(t);
    }
    table_note(
        t, "L-stable: the radius goes to 0 as 1/(h sqrt(K)); with a damper to that of x' = -(K/B) x, 1/(1 + h K/B)");
    table_close(t);
    return failures;
}

// ---- order

// m = 1: along under the spring and damper, one-sided but for the bilateral kind; across under friction.
static void rates(kind k, double K, double B, const double y[4], double d[4])
{
    double f = -K * y[0] - B * y[1];
    f = k == BILATERAL ? f : y[0] < 0.0 ? fmax(0.0, f) : 0.0;
    d[0] = y[1];
    d[1] = f;
    d[2] = y[3];
    d[3] = k == CONTACT ? -MU * f : 0.0; // it slides all the time
}

static void exact_motion(kind k, double K, double B, double T, double y[4])
{
    const int n = 1000000;
    double h = T / n, d[4][4], u[4];
    for (int i = 0; i < n; i++) {
        rates(k, K, B, y, d[0]);
        for (int s = 1; s < 4; s++) {
            for (int j = 0; j < 4; j++) {
                u[j] = y[j] + (s == 3 ? h : 0.5 * h) * d[s - 1][j];
            }
            rates(k, K, B, u, d[s]);
        }
        for (int j = 0; j < 4; j++) {
            y[j] += h / 6.0 * (d[0][j] + 2.0 * d[1][j] + 2.0 * d[2][j] + d[3][j]);
        }
    }
}

enum { HALVINGS = 5 };

static int order_table(table *t)
{
    const double T = 0.5, K = 1e4, B = 4.0, x = 0.1, v = -1.0;
    const char *heads[] = {"h s",   "bilateral m",       "slope", "unilateral m", "slope", "contact m",
                           "slope", "contact, across m", "slope"};
    table_open(t, "compliant: error after 0.5 s, K 1e4 N/m, B 4 N s/m: first order", 9, heads);
    double error[4][HALVINGS], wanted[KINDS][4];
    int failures = 0;
    for (int k = 0; k < KINDS; k++) {
        double start[4] = {x, v, 0.0, k == CONTACT ? 1.0 : 0.0};
        exact_motion((kind)k, K, B, T, start);
        for (int j = 0; j < 4; j++) {
            wanted[k][j] = start[j];
        }
    }
    for (int i = 0; i < HALVINGS; i++) {
        double h = 2e-4 / (1 << i);
        table_number(t, "%.3e", h);
        for (int k = 0; k < KINDS; k++) {
            play p;
            bool ok = open_kind(&p, (kind)k, h, K, B, x, v, k == CONTACT);
            for (int n = (int)(T / h + 0.5); n > 0 && ok; n--) {
                ok = play_step(&p);
            }
            double at = NAN, rate;
            if (ok) {
                motion_along(&p, (kind)k, &at, &rate);
                error[KINDS][i] = k == CONTACT ? fabs(play_body(&p, "mass").x[0] - wanted[k][2]) : 0.0;
            }
            error[k][i] = fabs(at - wanted[k][0]);
            play_close(&p);
            failures += !ok;
        }
        for (int k = 0; k <= KINDS; k++) {
            table_number(t, "%.4e", error[k][i]);
            table_number(t, "%.3f", i ? slope_of(2.0 * h, error[k][i - 1], h, error[k][i]) : (double)NAN);
        }
        table_row(t);
    }
    table_note(t,
               "1 kg from 0.1 m at 1 m/s: along a spring; against a limit; on a plane, sliding at 1 m/s with mu 0.3");
    table_close(t);
    return failures;
}

int compliant_stability(const bench_options *options, table *t)
{
    return stability_table(t) + order_table(t);
}
