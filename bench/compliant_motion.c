// The compliant document's springs without contact: Figs. 1 to 3 (spring, mass and damper by three Euler methods),
// Fig. 4 (a pendulum on springs of 1e15 N/m), Fig. 6 (a pendulum with an elastic stop).
#include "compliant.h"

#include "base/memory.h"
#include "papers_lcp.h"

#include <string.h>

static const double GRAVITY = 9.81;

// ---- Figs. 1 to 3

typedef enum euler { EXPLICIT, SEMI_IMPLICIT, IMPLICIT, OURS } euler;
static const char *const EULERS[] = {"explicit Euler", "semi-implicit Euler", "implicit Euler", "ours"};

// One step of x'' = -k x - b x' for the mass 1.
static void euler_step(euler method, double h, double k, double b, double y[2])
{
    double x = y[0], v = y[1];
    if (method == EXPLICIT) {
        y[0] = x + h * v;
        y[1] = v - h * (b * v + k * x);
    } else if (method == SEMI_IMPLICIT) {
        y[1] = (v - h * k * x) / (1.0 + h * b);
        y[0] = x + h * y[1];
    } else {
        y[1] = (v - h * k * x) / (1.0 + h * b + h * h * k);
        y[0] = x + h * y[1];
    }
}

// Largest magnitude of an eigenvalue of the matrix whose columns are a step's images of (1, 0) and (0, 1).
static double spectral_radius(const double columns[2][2])
{
    double half = 0.5 * (columns[0][0] + columns[1][1]);
    double determinant = columns[0][0] * columns[1][1] - columns[0][1] * columns[1][0];
    double square = half * half - determinant;
    return square < 0.0 ? sqrt(determinant) : fabs(half) + sqrt(square);
}

typedef struct oscillation {
    bool ok;
    euler method;
    double h, k, b;
    const char *document;
} oscillation;

enum { OSCILLATION_STEPS = 200000 };

// Largest |x| of the last tenth of 2 s (at most 200000 steps), from x = 1 at rest.
static double oscillate(const bench_options *options, const oscillation *o, double *difference, plot_curve *curve)
{
    int n = (int)fmin(OSCILLATION_STEPS, ceil(2.0 / o->h));
    double y[2] = {1.0, 0.0}, last = 0.0;
    char set[3][PLAY_SET];
    const char *sets[3] = {set[0], set[1], set[2]};
    snprintf(set[0], PLAY_SET, "step=%.17g", o->h);
    snprintf(set[1], PLAY_SET, "joints.spring.slide.stiffness=%.17g", o->k);
    snprintf(set[2], PLAY_SET, "joints.spring.slide.damping=%.17g", o->b);
    play p = {0};
    bool ours = o->method == OURS, ok = !ours || play_file(&p, options, "compliant/spring_mass_damper.yaml", 3, sets);
    *difference = ours ? 0.0 : (double)NAN;
    for (int i = 1; i <= n && ok && fabs(y[0]) < 1e30; i++) {
        euler_step(o->method, o->h, o->k, o->b, y);
        double x = y[0];
        if (ours) {
            ok = play_step(&p);
            x = play_body(&p, "mass").x[0];
            *difference = fmax(*difference, fabs(x - y[0]));
        }
        last = i > n - n / 10 || fabs(y[0]) >= 1e30 ? fmax(last, fabs(x)) : last;
        if (curve && i * o->h <= 0.02) {
            plot_add_point(curve, i * o->h, x);
        }
    }
    play_close(&p);
    return ok ? last : (double)NAN;
}

int compliant_oscillator(const bench_options *options, table *t)
{
    const oscillation runs[] = {
        {true, EXPLICIT, 1e-5, 1e6, 1.0, "unstable"},
        {true, EXPLICIT, 1e-5, 1e6, 10.0, "somewhat more stable"},
        {true, EXPLICIT, 1e-5, 1e6, 2e5, "stable"},
        {true, EXPLICIT, 1e-5, 1e6, 2.1e5, "unstable"},
        {true, SEMI_IMPLICIT, 1e-3, 1e6, 1.0, "stable"},
        {true, SEMI_IMPLICIT, 1e-3, 1e7, 1.0, "unstable"},
        {true, IMPLICIT, 1e-5, 1e6, 0.0, "stable"},
        {true, IMPLICIT, 1e-2, 1e6, 0.0, "stable"},
        {true, OURS, 1e-5, 1e6, 0.0, "stable"},
        {true, OURS, 1e-2, 1e6, 0.0, "stable"},
        {true, OURS, 1e-3, 1e7, 1.0, "-"},
        {true, OURS, 1e-2, 1e15, 0.0, "-"},
    };
    const char *heads[] = {"method",        "h s", "k N/m",    "b N s/m",     "radius",
                           "|x| at last m", "",    "document", "off implicit"};
    table_open(t, "compliant, Figs. 1 to 3: spring, mass and damper, from 1 m at rest, 2 s", 9, heads);
    plot *picture = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(picture, "Implicit Euler, k 1e6, b 0", "time [s]", "x [m]");
    int failures = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const oscillation *o = &runs[i];
        double columns[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, difference;
        euler_step(o->method, o->h, o->k, o->b, columns[0]);
        euler_step(o->method, o->h, o->k, o->b, columns[1]);
        char label[PLOT_TEXT];
        snprintf(label, sizeof label, "h %g s", o->h);
        bool shown = panel && o->method == OURS && o->k == 1e6;
        double radius = spectral_radius((const double(*)[2])columns);
        double last = oscillate(options, o, &difference, shown ? plot_add_curve(panel, label) : NULL);
        failures += !(last >= 0.0);
        table_word(t, "%s", EULERS[o->method]);
        table_number(t, "%.0e", o->h);
        table_number(t, "%.0e", o->k);
        table_number(t, "%.2g", o->b);
        table_number(t, "%.6f", radius);
        table_number(t, "%.2e", last);
        table_word(t, "%s", last > 1.5 ? "blows up" : last > 0.99 ? "stays" : "decays");
        table_word(t, "%s", o->document);
        table_number(t, "%.1e", difference);
        table_row(t);
    }
    table_note(
        t,
        "radius: spectral radius of a step; off implicit: largest difference of ours from plain implicit Euler in m");
    table_note(t, "explicit Euler with b 10 sits on the border: |eigenvalue|^2 = 1 - h b/m + h^2 k/m = 1");
    table_close(t);
    return failures + lcp_plot_finish(options, picture, "oscillator");
}

// ---- Fig. 4

typedef struct swing {
    bool ok;
    double deviation, energy; // [m]; of m g L
    double *track;            // (n, 3): x, z, angle; NULL: not asked for
} swing;

#define PIN "type: revolute, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0], stiffness: 1e15, damping: 1"
#define SECOND_PIN "joints={pin: {" PIN "}, copy: {" PIN "}}"

// The document's scheme for this pendulum in its own coordinates x, z, angle, with rigid pins (K infinite): largest
// difference from the track (n, 3).
static double off_plain(double h, int n, const double *track)
{
    double q[3] = {1.0, 0.0, 0.0}, v[3] = {0.0}, worst = 0.0;
    const double inertia = 1.0 / 12.0;
    for (int i = 0; i < n; i++) {
        double r[2] = {-cos(q[2]), sin(q[2])}; // from the body's middle to the pin; the angle turns x to -z
        double gap[2] = {q[0] + r[0], q[1] + r[1]}, J[2] = {r[1], -r[0]};
        v[1] -= h * GRAVITY;
        double a = 1.0 + J[0] * J[0] / inertia, b = J[0] * J[1] / inertia, c = 1.0 + J[1] * J[1] / inertia;
        double s0 = -(v[0] + J[0] * v[2]) - gap[0] / h, s1 = -(v[1] + J[1] * v[2]) - gap[1] / h;
        double l0 = (c * s0 - b * s1) / (a * c - b * b), l1 = (a * s1 - b * s0) / (a * c - b * b);
        v[0] += l0;
        v[1] += l1;
        v[2] += (J[0] * l0 + J[1] * l1) / inertia;
        for (int e = 0; e < 3; e++) {
            q[e] += h * v[e];
            worst = fmax(worst, fabs(q[e] - track[3 * i + e]));
        }
    }
    return worst;
}

static swing swing_through(const bench_options *options, double h, bool twice, bool tracked, plot_curve *curve)
{
    char step[PLAY_SET];
    snprintf(step, sizeof step, "step=%.17g", h);
    const char *set[] = {step, SECOND_PIN};
    int n = (int)(1.0 / h + 0.5);
    play p;
    swing out = {.track = tracked ? tn_calloc((size_t)n, 3 * sizeof(double)) : NULL};
    out.ok = play_file(&p, options, "compliant/pendulum.yaml", twice ? 2 : 1, set) && (!tracked || out.track);
    for (int i = 0; i < n && out.ok; i++) {
        out.ok = play_step(&p);
        play_motion m = play_body(&p, "bob");
        double turn = 2.0 * atan2(m.q[2], m.q[0]); // the pin in the world: x - R(turn) (1, 0, 0)
        double off = sqrt(pow(m.x[0] - cos(turn), 2.0) + pow(m.x[2] + sin(turn), 2.0));
        double energy = 0.5 * (m.v[0] * m.v[0] + m.v[2] * m.v[2] + m.w[1] * m.w[1] / 12.0) + GRAVITY * m.x[2];
        out.deviation = fmax(out.deviation, off);
        out.energy = fmax(out.energy, fabs(energy) / GRAVITY);
        if (out.track) {
            memcpy(out.track + 3 * (size_t)i, (double[]){m.x[0], m.x[2], turn}, 3 * sizeof(double));
        }
        if (curve && (i + 1) % (n / 10 > 500 ? n / 500 : 1) == 0) {
            plot_add_point(curve, (i + 1) * h, off);
        }
    }
    play_close(&p);
    return out;
}

int compliant_pendulum(const bench_options *options, table *t)
{
    const double steps[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4},
                 expected[] = {0.77, NAN, NAN, NAN, 1.3e-3, NAN, 1.3e-4};
    const char *heads[] = {"h s",   "deviation m", "slope",          "energy, m g L",
                           "slope", "expected",    "pin twice: off", "off the scheme"};
    table_open(t, "compliant, Fig. 4: pendulum on springs of 1e15 N/m, 1 s", 8, heads);
    plot *picture = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(picture, "Pendulum, K 1e15 N/m", "time [s]", "deviation of the pin [m]");
    if (panel) {
        panel->logarithmic = true;
        panel->floor = 1e-12;
    }
    int failures = 0;
    swing last = {0};
    for (int k = 0; k < 7; k++) {
        char label[PLOT_TEXT];
        snprintf(label, sizeof label, "h %g s", steps[k]);
        swing one = swing_through(options, steps[k], false, true, k % 2 == 0 ? plot_add_curve(panel, label) : NULL);
        swing two = swing_through(options, steps[k], true, true, NULL);
        double apart = 0.0;
        for (int i = 0; i < 3 * (int)(1.0 / steps[k] + 0.5) && one.ok && two.ok; i++) {
            apart = fmax(apart, fabs(one.track[i] - two.track[i]));
        }
        failures += !one.ok || !two.ok;
        table_number(t, "%.0e", steps[k]);
        table_number(t, "%.4e", one.deviation);
        table_number(t, "%.3f", k ? slope_of(steps[k - 1], last.deviation, steps[k], one.deviation) : NAN);
        table_number(t, "%.4g", one.energy);
        table_number(t, "%.3f", k ? slope_of(steps[k - 1], last.energy, steps[k], one.energy) : NAN);
        table_number(t, "%.2g", expected[k]);
        table_number(t, "%.1e", apart);
        table_number(t, "%.1e", one.ok ? off_plain(steps[k], (int)(1.0 / steps[k] + 0.5), one.track) : (double)NAN);
        table_row(t);
        last = one;
        tn_free(one.track);
        tn_free(two.track);
    }
    table_note(t, "energy: largest |kinetic + gravity| over m g L, 0 at the start; the document: \"precisely zero\", "
                  "which a deviation of order h^2 a step rules out");
    table_note(t,
               "off the scheme: from the document's scheme written out plainly for three coordinates and rigid pins; "
               "the 0.77 expected at 0.1 s is neither's");
    table_close(t);
    return failures + lcp_plot_finish(options, picture, "pendulum");
}

// ---- Fig. 6

// Inertia about the hinge of 1 kg at 1 m with that of a rod; the stop's frequency [rad/s].
static const double INERTIA = 1.0 + 1.0 / 12.0, STOP = 1e12;

typedef struct stop {
    bool ok;
    double rebound; // largest speed away from the stop over that towards it
    double gained;  // largest energy over that at the start, relative
    double deepest; // [rad]
} stop;

// All the way from the horizontal.
static stop fall_to_stop(const bench_options *options, double h, plot_curve *curve)
{
    char step[PLAY_SET];
    snprintf(step, sizeof step, "step=%.17g", h);
    const char *set[] = {step, "projection=0"};
    play p;
    stop out = {.ok = play_file(&p, options, "compliant/pendulum_limit.yaml", 2, set)};
    double fastest = 0.0, back = 0.0;
    bool hit = false;
    int n = (int)(1.0 / h + 0.5), every = n > 500 ? n / 500 : 1;
    for (int i = 1; i <= n && out.ok; i++) {
        out.ok = play_step(&p);
        double turn[3] = {0.0}, rate[3] = {0.0};
        tn_state_joint(p.state, 0, turn, rate);
        hit = hit || (fastest > 0.0 && rate[0] < 0.5 * fastest);
        fastest = fmax(fastest, rate[0]);
        back = hit ? fmax(back, -rate[0]) : back;
        out.deepest = fmax(out.deepest, turn[0] - 0.5 * M_PI);
        if (curve && i % every == 0) {
            plot_add_point(curve, i * h, 0.5 * M_PI - turn[0]);
        }
    }
    out.rebound = back / fastest;
    play_close(&p);
    return out;
}

// Hanging, at the speed of the fall, some steps before the stop.
static stop meet_stop(double h)
{
    double speed = sqrt(2.0 * GRAVITY / INERTIA), frequency = sqrt(STOP / INERTIA);
    play p;
    stop out = {
        .ok = play_text(&p,
                        "step: %.17g\nbodies:\n  bob: {confine: [0, 1, 0], position: [0, 0, -1], mass: 1, velocity: "
                        "[%.17g, 0, 0], angular_velocity: [0, %.17g, 0], inertia: [1e-3, %.17g, %.17g]}\n"
                        "joints:\n  hinge: {type: revolute, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0], turn: "
                        "{limits: [-infinite, %.17g], limit_stiffness: %g}}\n",
                        h, -speed, speed, 1.0 / 12.0, 1.0 / 12.0, 3.3 * h * speed, STOP)};
    int n = 20 + (int)fmin(1e6, 2.0 * M_PI / (frequency * h));
    double first = 0.5 * INERTIA * speed * speed, back = 0.0;
    for (int i = 0; i < n && out.ok; i++) {
        out.ok = play_step(&p);
        double turn[3] = {0.0}, rate[3] = {0.0};
        tn_state_joint(p.state, 0, turn, rate);
        back = fmax(back, -rate[0]);
        double beyond = turn[0] - 3.3 * h * speed;
        double energy = 0.5 * INERTIA * rate[0] * rate[0] + GRAVITY * (1.0 - cos(turn[0]));
        energy += beyond > 0.0 ? 0.5 * STOP * beyond * beyond : 0.0;
        out.gained = fmax(out.gained, energy / first - 1.0);
        out.deepest = fmax(out.deepest, beyond);
    }
    out.rebound = back / speed;
    play_close(&p);
    return out;
}

int compliant_limit(const bench_options *options, table *t)
{
    const char *heads[] = {"h s",        "from",        "rebound",       "1 - rebound", "slope",
                           "pi h w / 2", "deepest rad", "energy gained", "document"};
    table_open(t, "compliant, Fig. 6: pendulum with a stop of 1e12 N m/rad", 9, heads);
    plot *picture = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(picture, "Pendulum with a stop", "time [s]", "angle above the stop [rad]");
    int failures = 0;
    double frequency = sqrt(STOP / INERTIA), before = NAN;
    for (int k = 1; k <= 9; k++) {
        double h = pow(10.0, -k);
        bool whole = k <= (options->quick ? 3 : 5);
        char label[PLOT_TEXT];
        snprintf(label, sizeof label, "h %g s", h);
        stop s = whole ? fall_to_stop(options, h, plot_add_curve(panel, label)) : meet_stop(h);
        failures += !s.ok;
        table_number(t, "%.0e", h);
        table_word(t, whole ? "horizontal" : "before the stop");
        table_number(t, "%.5f", s.rebound);
        table_number(t, "%.3e", 1.0 - s.rebound);
        table_number(t, "%.3f", slope_of(10.0 * h, before, h, 1.0 - s.rebound));
        table_number(t, "%.3e", 0.5 * M_PI * h * frequency);
        table_number(t, "%.2e", s.deepest);
        table_number(t, "%.1e", whole ? (double)NAN : s.gained);
        table_word(t, k <= 5 ? "dead" : k <= 8 ? "ever more elastic" : "-");
        table_row(t);
        before = 1.0 - s.rebound;
    }
    table_note(t,
               "rebound: speed after the stop over that before; backward Euler loses pi h w/2 of it for small h, w "
               "the stop's frequency, %.3g rad/s; horizontal: projection 0",
               frequency);
    table_close(t);
    return failures + lcp_plot_finish(options, picture, "limit");
}
