// Published mechanisms: loops with redundant rows, singular positions, stiff springs, spatial cranks; the cases J02,
// J05 to J12 of the list of validation cases. Planar ones stand in the xz plane, gravity along -z.
#include "mechanisms.h"

#include <string.h>

enum { STATES = 2 };

typedef struct watch {
    double drift, low, high, first; // worst drift; least and most energy; that at the first step
} watch;

// Steps until a time; tolerances must hold all the way.
static void run(scenario *s, double until, watch *w)
{
    while (tn_state_time(s->state) < until - 5e-7) {
        scenario_step(s);
        if (!s->report.tolerances_held) {
            const tn_certificate *c = &s->report.solve.certificate;
            fail_msg("step %ld: momentum %g, joint %g, drift %g", s->report.step, c->momentum, c->joint, c->drift);
        }
        double energy = s->report.energy.kinetic + s->report.energy.gravity + s->report.energy.elastic;
        if (s->report.step == 1) {
            w->first = w->low = w->high = energy;
        }
        w->drift = fmax(w->drift, s->report.solve.certificate.drift);
        w->low = fmin(w->low, energy);
        w->high = fmax(w->high, energy);
    }
}

// ---- J02: IFToMM benchmark A02, two four-bar loops; singular whenever they lie flat

static double bars_error(const char *scheme, double h, watch *w)
{
    scenario s = open_bars(scheme, h);
    const double tip[3] = {0.0, 0.0, 0.5};
    run(&s, 5.0, w);
    double x = place(&s, "r0", tip, 0) + 0.8113105, z = place(&s, "r0", tip, 2) + 0.5846155;
    double error = sqrt(x * x + z * z);
    run(&s, 10.0, w);
    x = place(&s, "r0", tip, 0) - 0.3284581;
    z = place(&s, "r0", tip, 2) - 0.9445185;
    scenario_close(&s);
    return fmax(error, sqrt(x * x + z * z));
}

static void test_parallelogram_bars(void **unused)
{
    watch w = {.drift = 0.0};
    double coarse = bars_error("midpoint", 2e-3, &w);
    check_below("J02: B0 at 5 and 10 s [m]", coarse, 2e-2);
    check_below("drift [m, rad]", w.drift, 1e-6);
    double scale = 4.0 * 9.81; // potential energy between top and bottom is 2 (3/2 + 2) g: a half of it and more
    check_below("change of energy", (w.high - w.low) / scale, 5e-3);
    double fine = bars_error("midpoint", 1e-3, &w);
    print_message("errors %.3e, %.3e\n", coarse, fine);
    // Passing the singular position shifts the phase, whose sign changes: more than second order is seen.
    check_below("error at half the step over it, second order: 1/4", fine / coarse, 0.3);
}

// ---- J05: IFToMM benchmark A04, Bricard's mechanism: six hinges of which any five would hold it

static void test_bricard(void **unused)
{
    scenario s = open_bricard("midpoint", 2e-3);
    const double end[3] = {0.0, 0.0, 0.5}; // P3 of r3
    watch w = {.drift = 0.0};
    double reach = 0.0;
    while (tn_state_time(s.state) < 10.0 - 1e-6) {
        run(&s, tn_state_time(s.state) + 0.01, &w);
        double d[3] = {place(&s, "r3", end, 0) - 1.0, place(&s, "r3", end, 1) + 1.0, place(&s, "r3", end, 2) - 1.0};
        reach = fmax(reach, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    check_below("J05: drift of loop and axes [m, rad]", w.drift, 1e-6);
    check_below("change of energy over 10 s [J]", w.high - w.low, 0.05);
    check_below("it moves: 1 m over the way of P3", 1.0 / reach, 2.0);
    scenario_close(&s);
}

// ---- J06: IFToMM benchmark A05, the flyball governor with stiff spring-dampers

static void test_governor(void **unused)
{
    scenario s = open_governor("midpoint", 1e-3);
    watch w = {.drift = 0.0};
    scenario_step(&s);
    double first = s.report.energy.angular_momentum[2];
    w.first = w.low = w.high = s.report.energy.kinetic + s.report.energy.gravity + s.report.energy.elastic;
    double turned = 0.0, least = 0.0, most = -1.0;
    while (tn_state_time(s.state) < 10.0 - 1e-6) {
        run(&s, tn_state_time(s.state) + 0.01, &w);
        turned = fmax(turned, fabs(s.report.energy.angular_momentum[2] / first - 1.0));
        least = fmin(least, scenario_position(&s, 2, 2));
        most = fmax(most, scenario_position(&s, 2, 2));
    }
    print_message("the slider moves between %.4f and %.4f m\n", least, most);
    check_below("J06: angular momentum about the shaft", turned, 1e-4);
    check_below("energy gained [J]", w.high - w.first, 1e-3 * fabs(w.first));
    check_below("drift [m, rad]", w.drift, 1e-6);
    check_below("the governor works: 0.05 m over the slider's way", 0.05 / (most - least), 1.0);
    scenario_close(&s);
}

// ---- J07: spatial slider-crank (IFToMM; E. J. Haug 1989); the slider's place as MBDyn has it (P. Masarati)

static void test_slider_crank(void **unused)
{
    scenario s = open_slider_crank("midpoint", 1e-3);
    static const double table[7][2] = {{0.1, 0.2267867}, {0.2, 0.2630368}, {0.272, 0.2901466}, {0.4, 0.2230848},
                                       {0.5, 0.1849586}, {0.8, 0.2718121}, {1.0, 0.2124956}};
    watch w = {.drift = 0.0};
    double worst = 0.0;
    for (int i = 0; i < 7; i++) {
        run(&s, table[i][0], &w);
        worst = fmax(worst, fabs(scenario_position(&s, 3, 0) - table[i][1]));
        if (i == 4 || i == 6) {
            double angle[3], rate[3];
            tn_state_joint(s.state, 0, angle, rate);
            check_near("J07: angle of the crank [rad]", angle[0], i == 4 ? 5.574337 : 10.897621, 2e-2);
        }
    }
    check_below("J07: place of the slider [m]", worst, 1e-3);
    check_below("drift [m, rad]", w.drift, 1e-6);
    scenario_close(&s);
}

// ---- J09: ADAMS' figures as published with Chrono: a slanted axis, a ball joint

static void check_place(scenario *s, double t, const double wanted[3], double tolerance)
{
    watch w = {.drift = 0.0};
    run(s, t, &w);
    for (int k = 0; k < 3; k++) {
        check_near("J09: center of the bar [m]", scenario_position(s, 1, k), wanted[k], tolerance);
    }
}

static void test_slanted_pin(void **unused)
{
    scenario s = open_slanted_pin("midpoint", 1e-3);
    check_place(&s, 1.0, (double[]){1.04210, 3.41390, 1.58610}, 1e-3);
    check_place(&s, 5.0, (double[]){1.20996, 3.40640, 1.59360}, 1e-3);
    tn_joint_info before, after;
    tn_sim_joint(s.sim, s.state, 0, &before);
    scenario_step(&s);
    tn_sim_joint(s.sim, s.state, 0, &after);
    const double wanted[3] = {2.11895, 9.40977, -19.2164};
    for (int k = 0; k < 3; k++) { // a step's force is that of its middle
        check_near("force on the ground [N]", -0.5 * (before.force[k] + after.force[k]), wanted[k], 2e-2);
    }
    scenario_close(&s);
}

static void test_ball_joint(void **unused)
{
    scenario s = open_ball_joint("midpoint", 1e-3);
    check_place(&s, 5.0, (double[]){-1.99967, 0.0, -0.0361929}, 2e-3); // ADAMS itself is 6e-4 off the closed form
    scenario_close(&s);
}

// ---- J11: Chrono's planar pendulums against their own equations, integrated finely here

typedef void derivative(const double y[2 * STATES], double out[2 * STATES]);

// Classical Runge-Kutta, h 1e-4: its error is far below what is asked.
static void integrate(derivative *f, double until, double y[2 * STATES])
{
    const double h = 1e-4;
    enum { N = 2 * STATES };
    for (long k = 0; k < lround(until / h); k++) {
        double slope[4][N], at[N];
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < N; i++) {
                at[i] = y[i] + (stage > 0 ? part * slope[stage - 1][i] : 0.0);
            }
            f(at, slope[stage]);
        }
        for (int i = 0; i < N; i++) {
            y[i] += h / 6.0 * (slope[0][i] + 2.0 * slope[1][i] + 2.0 * slope[2][i] + slope[3][i]);
        }
    }
}

static void solve2(double a, double b, double c, double r, double s, double out[2])
{
    double det = a * c - b * b;
    out[0] = (c * r - b * s) / det;
    out[1] = (a * s - b * r) / det;
}

// Two bars of 1 m, 1 kg, J = 1: angles from the horizontal. y: angles, rates.
static void double_pendulum(const double y[2 * STATES], double out[2 * STATES])
{
    const double g = 10.0;
    double coupling = 0.5 * cos(y[1] - y[0]), twist = 0.5 * sin(y[1] - y[0]);
    out[0] = y[2];
    out[1] = y[3];
    solve2(0.25 + 1.0 + 1.0, coupling, 0.25 + 1.0, twist * y[3] * y[3] - 1.5 * g * cos(y[0]),
           -twist * y[2] * y[2] - 0.5 * g * cos(y[1]), out + 2);
}

// A slider of 1 kg on a spring of 10 N/m, a bar of 1 m, 1 kg, J = 1 on it. y: place and angle, their rates.
static void slider_pendulum(const double y[2 * STATES], double out[2 * STATES])
{
    const double g = 10.0;
    out[0] = y[2];
    out[1] = y[3];
    solve2(2.0, -0.5 * sin(y[1]), 1.25, 0.5 * cos(y[1]) * y[3] * y[3] - 10.0 * y[0], -0.5 * g * cos(y[1]), out + 2);
}

static void test_planar_pendulums(void **unused)
{
    double y[2 * STATES] = {0.0};
    scenario s = open_double_pendulum("midpoint", 1e-3);
    watch w = {.drift = 0.0};
    double angle[3], rate[3];
    run(&s, 2.0, &w);
    integrate(double_pendulum, 2.0, y);
    tn_state_joint(s.state, 0, angle, rate);
    check_near("J11: first angle after 2 s [rad]", angle[0], y[0], 1e-4);
    check_near("its rate [rad/s]", rate[0], y[2], 1e-3);
    tn_state_joint(s.state, 1, angle, rate);
    check_near("second angle, relative [rad]", angle[0], y[1] - y[0], 1e-4);
    scenario_close(&s);

    memset(y, 0, sizeof y);
    s = open_slider_pendulum("midpoint", 1e-3);
    run(&s, 2.0, &w);
    integrate(slider_pendulum, 2.0, y);
    tn_state_joint(s.state, 0, angle, rate);
    check_near("J11: slider after 2 s [m]", angle[0], y[0], 1e-2);
    tn_state_joint(s.state, 1, angle, rate);
    check_near("its bar [rad]", angle[0], y[1], 1e-2);
    scenario_close(&s);
}

// ---- J12: Drake's four-bar linkage, hanging: at rest where it balances

static void test_four_bar_rest(void **unused)
{
    scenario s = open_four_bar("midpoint", 5e-3, 0.0, 0.0);
    watch w = {.drift = 0.0};
    double angle[3], rate[3], worst = 0.0;
    while (tn_state_time(s.state) < 5.0 - 1e-6) {
        run(&s, tn_state_time(s.state) + 0.1, &w);
        tn_state_joint(s.state, 0, angle, rate);
        worst = fmax(worst, fabs(angle[0]));
    }
    check_below("J12: leaves its balance [rad]", worst, 1e-4);
    scenario_close(&s);

    s = open_four_bar("midpoint", 5e-3, 30.0, 2.0);
    double swung = 0.0;
    run(&s, 1.0, &w);
    tn_state_joint(s.state, 0, angle, rate);
    swung = fabs(angle[0]);
    check_below("pushed it moves: 0.02 rad over its swing", 0.02 / swung, 1.0);
    run(&s, 60.0, &w);
    tn_state_joint(s.state, 0, angle, rate);
    check_below("and with dampers comes back [rad]", fabs(angle[0]), 1e-3);
    scenario_close(&s);
}

// ---- A chain of links of 0.8 um swings as one of 0.2 m, in units of its length and of its pendulum's time

// Place of the last link's center over the scale, after a swing of a second where the scale is 1.
static void swing_of_chain(double scale, double place[3])
{
    double time = sqrt(scale);
    scenario s = scenario_open(
        "coordinates: maximal\nstep: %.17g\ndefaults: {body: {mass: 1e-12}, shape: {box: [%.17g, %.17g, %.17g]}}\n"
        "bodies:\n  l: {position: [%.17g, 0, 0], shape: {}, array: {count: [4, 1, 1], spacing: [%.17g, 0, 0]}}\n"
        "joints:\n"
        "  j0: {type: revolute, b: \"l[0]\", anchor: [0, 0, 0], axis: [0, 1, 0], turn: {limits: [-1.2, 1]}}\n"
        "  j1: {type: universal, a: \"l[0]\", b: \"l[1]\", anchor: [%.17g, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0]}\n"
        "  j2: {type: spherical, a: \"l[1]\", b: \"l[2]\", anchor: [%.17g, 0, 0]}\n"
        "  j3: {type: revolute, a: \"l[2]\", b: \"l[3]\", anchor: [%.17g, 0, 0], axis: [0, 1, 0]}\n",
        0.01 * time, 0.2 * scale, 0.05 * scale, 0.05 * scale, 0.1 * scale, 0.2 * scale, 0.2 * scale, 0.4 * scale,
        0.6 * scale);
    scenario_steps(&s, 100);
    for (int k = 0; k < 3; k++) {
        place[k] = scenario_position(&s, scenario_body(&s, "l[3]"), k) / scale;
    }
    scenario_close(&s);
}

static void test_small_chain(void **unused)
{
    double large[3], small[3];
    swing_of_chain(1.0, large);
    swing_of_chain(ldexp(1.0, -18), small);
    check_below("place of the last link over the scale, small less large",
                fmax(fabs(large[0] - small[0]), fabs(large[2] - small[2])), 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallelogram_bars), cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_governor),           cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_slanted_pin),        cmocka_unit_test(test_ball_joint),
        cmocka_unit_test(test_planar_pendulums),   cmocka_unit_test(test_four_bar_rest),
        cmocka_unit_test(test_small_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
