// Rods against beam theory: small bends, torsion and stretch; the elastica; a rod rolled up by a moment; natural
// shapes; frequencies; a helix spring; free flight; order in the number of segments; copies of a run.
#include "scenario.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>

// A round rod along x from the origin: length 1, radius 1 cm, Young 1 MPa, Poisson 0.25 (G = 0.4 MPa).
#define ROD                                                                                                            \
    "  rod: {points: [[0, 0, 0], [1, 0, 0]], segments: %d, radius: 1 cm, young: 1 MPa, poisson: 0.25, density: 1000, " \
    "collides: false, start: clamped%s}\n"
static const double RADIUS = 0.01, YOUNG = 1e6, SHEAR = 4e5;

static double area(void)
{
    return PI * RADIUS * RADIUS;
}
static double second_moment(void)
{
    return 0.25 * PI * pow(RADIUS, 4.0);
}

// Steps so long that inertia is nothing: Newton's method for the equilibrium with this force and torque on a body.
static void settle(scenario *s, int body, const double wrench[6], int n)
{
    double *all = calloc(6 * (size_t)tn_model_body_count(s->model), sizeof *all);
    assert_non_null(all);
    memcpy(all + 6 * (size_t)body, wrench, 6 * sizeof *wrench);
    const tn_input input = {.wrench = all};
    s->input = &input;
    scenario_steps(s, n);
    s->input = NULL;
    free(all);
}

static void pose_of(const scenario *s, int body, double x[3], double q[4])
{
    tn_state_body_pose(s->state, body, x, q);
}

// A force at the tip is a force and a moment on the last segment, whose middle is a quarter of a piece off.
static void test_small_bend(void **unused)
{
    const int counts[] = {2, 20};
    for (int k = 0; k < 2; k++) {
        int n = counts[k];
        scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 100 s\nrods:\n" ROD, n, "");
        double quarter = 0.25 / n, x[3], q[4], tip[3], P = 1e-7, EI = YOUNG * second_moment();
        const double own[3] = {0.0, 0.0, quarter};
        settle(&s, n, (double[6]){0.0, 0.0, P, 0.0, -P * quarter, 0.0}, 30);
        pose_of(&s, n, x, q);
        tn_quat_rotate(tip, q, own);
        double theory = P / (3.0 * EI) + P / (6.0 * 1.25 / 8.5 * SHEAR * area());
        check_near("deflection over P l^3/(3 E I) + P l/(k G A)", (x[2] + tip[2]) / theory, 1.0, 1e-5);
        scenario_close(&s);
    }
}

static void test_torsion_and_stretch(void **unused)
{
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 100 s\nrods:\n" ROD, 20, "");
    double x[3], q[4], turn[3], start[3], still[4], T = 1e-4, F = 1e-3;
    pose_of(&s, 20, start, still);
    settle(&s, 20, (double[6]){F, 0.0, 0.0, T, 0.0, 0.0}, 30);
    pose_of(&s, 20, x, q);
    tn_quat_conjugate(still, still);
    tn_quat_mul(q, q, still);
    tn_quat_log(turn, q);
    check_near("twist over T l/(G J)", turn[0] * SHEAR * 2.0 * second_moment() / T, 1.0, 1e-6);
    check_near("stretch over F l/(E A)", (x[0] - start[0]) * YOUNG * area() / F, 1.0, 1e-6);
    tn_joint_info root;
    tn_sim_joint(s.sim, s.state, 0, &root);
    check_near("force of the root on the rod [N]", root.force[0], -F, 1e-9);
    check_near("moment of the root on the rod [N m]", root.torque[0], -T, 1e-10);
    scenario_close(&s);
}

// theta'' = -P cos(theta)/(E I), theta(0) = 0, theta'(1) = 0, by Runge-Kutta and bisection of theta'(0): the tip of an
// inextensible rod under a dead load across.
static void elastica(double load, double tip[2])
{
    double low = 0.0, high = load;
    for (int k = 0; k < 60; k++) {
        enum { N = 2000 };
        double th = 0.0, w = 0.5 * (low + high), h = 1.0 / N, x = 0.0, z = 0.0;
        for (int i = 0; i < N; i++) {
            double a[4], b[4], t = th;
            for (int j = 0; j < 4; j++) {
                double part = j == 0 ? 0.0 : j == 3 ? h : 0.5 * h;
                t = j == 0 ? th : th + part * b[j - 1];
                b[j] = j == 0 ? w : w + part * a[j - 1];
                a[j] = -load * cos(t);
            }
            double middle = th + 0.5 * h * b[1];
            double end = th + h / 6.0 * (b[0] + 2.0 * b[1] + 2.0 * b[2] + b[3]);
            x += h / 6.0 * (cos(th) + 4.0 * cos(middle) + cos(end));
            z += h / 6.0 * (sin(th) + 4.0 * sin(middle) + sin(end));
            w += h / 6.0 * (a[0] + 2.0 * a[1] + 2.0 * a[2] + a[3]);
            th = end;
        }
        tip[0] = x;
        tip[1] = z;
        *(w > 0.0 ? &high : &low) = 0.5 * (low + high);
    }
}

// Error of the tip of a rod so thin that it is hardly stretched or sheared; the load turns it by about a radian.
static double bend_far(int n, const double theory[2], double load)
{
    double E = 1e6, r = 2e-3, P = load * E * 0.25 * PI * pow(r, 4.0), tip[3], x[3], q[4], quarter = 0.25 / n;
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 0.1 s\nrods:\n  rod: {points: [[0, 0, 0], [1, 0, 0]], "
                               "segments: %d, radius: 2 mm, young: %g, density: 1000, collides: false, start: clamped, "
                               "damping: 10 s}\n",
                               n, E);
    const double own[3] = {0.0, 0.0, quarter};
    for (int i = 0; i < 2500; i++) {
        pose_of(&s, n, x, q);
        tn_quat_rotate(tip, q, own);
        settle(&s, n, (double[6]){0.0, 0.0, P, 0.0, -P * tip[0], 0.0}, 1); // of the force about the middle, as it turns
    }
    scenario_close(&s);
    return hypot(x[0] + tip[0] - theory[0], x[2] + tip[2] - theory[1]);
}

static void test_elastica(void **unused)
{
    double theory[2], load = 3.0;
    elastica(load, theory);
    double coarse = bend_far(8, theory, load), fine = bend_far(16, theory, load), finer = bend_far(32, theory, load);
    check_near("order from 8 to 16 segments", log2(coarse / fine), 2.0, 0.1);
    check_near("order from 16 to 32 segments", log2(fine / finer), 2.0, 0.1);
    check_below("off with 32 segments [m]", finer, 2e-4);
}

// S03: the moment 2 pi E I/l makes a closed circle.
static void test_roll_up(void **unused)
{
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 0.1 s\nrods:\n" ROD, 40, ", damping: 1 s");
    double M = 2.0 * PI * YOUNG * second_moment(), x[3], q[4], tip[3];
    const double own[3] = {0.0, 0.0, 0.25 / 40};
    for (int i = 0; i < 800; i++) {
        settle(&s, 40, (double[6]){0.0, 0.0, 0.0, 0.0, -M * fmin(1.0, i / 500.0), 0.0}, 1);
    }
    pose_of(&s, 40, x, q);
    tn_quat_rotate(tip, q, own);
    tn_vec3_add(tip, tip, x);
    check_below("tip off the root [m]", tn_vec3_norm(tip), 1e-9);
    pose_of(&s, 20, x, q);
    check_near("diameter of the circle [m]", x[2], 1.0 / PI, 1e-3);
    scenario_close(&s);
}

// An arc that is naturally straight straightens; a straight rod that is naturally bent becomes the circle's arc. A rod
// that starts in its natural shape stays there.
static void test_natural_shapes(void **unused)
{
    static const char arc[] =
        "gravity: [0, 0, 0]\nstep: 0.1 s\nrods:\n  rod: {curve: [\"sin(t)\", 0, \"1 - cos(t)\"], segments: 40, "
        "radius: 1 cm, young: 1 MPa, density: 1000, damping: 1 s, collides: false, start: {hold: clamped}%s}\n";
    const double tips[][2] = {{sin(1.0), 1.0 - cos(1.0)}, {1.0, 0.0}};
    double x[3], q[4];
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(arc, k ? ", natural_curvature: [0, 0, 0]" : "");
        scenario_run(&s, 120.0);
        pose_of(&s, 40, x, q);
        check_near("x of the tip [m]", x[0], tips[k][0], 0.01); // of the middle of the last half segment: 6 mm short
        check_near("z of the tip [m]", x[2], tips[k][1], 0.01);
        check_below("energy [J]", s.report.energy.elastic, 1e-12);
        scenario_close(&s);
    }
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 0.1 s\nrods:\n" ROD, 40,
                               ", damping: 1 s, natural_curvature: [0, 1, 0]");
    scenario_run(&s, 120.0);
    pose_of(&s, 40, x, q);
    check_near("x of the tip [m]", fabs(x[0]), sin(1.0), 0.01);
    check_near("distance from the axis [m]", hypot(x[1], x[2]), 1.0 - cos(1.0), 0.01);
    check_below("energy [J]", s.report.energy.elastic, 1e-12);
    scenario_close(&s);
}

// F03 of the validation cases: f1 = 3.5160153/(2 pi) sqrt(E I/(rho A l^4)) of a square bar.
static void test_frequency(void **unused)
{
    scenario s = scenario_open(
        "scheme: midpoint\ngravity: [0, 0, 0]\nstep: 5 ms\nrods:\n  rod: {points: [[0, 0, 0], [1, 0, 0]], segments: "
        "20, "
        "radius: 2.5 cm, section: {area: 2.5e-3, second_moments: [5.2083e-7, 5.2083e-7]}, young: 1e7, poisson: 0, "
        "density: 1000, collides: false, start: clamped}\n");
    double wrench[6] = {0.0, 0.0, 0.05, 0.0, 0.0, 0.0}, last = 0.0, crossing[5], h = 0.005;
    settle(&s, 20, wrench, 60);
    double e0 = 0.0, worst = 0.0;
    int n = 0;
    for (int i = 0; n < 5; i++) {
        scenario_step(&s);
        double z = scenario_position(&s, 20, 2), e = s.report.energy.kinetic + s.report.energy.elastic;
        e0 = i == 0 ? e : e0;
        worst = fmax(worst, fabs(e / e0 - 1.0));
        if (i > 0 && z * last < 0.0) {
            crossing[n++] = tn_state_time(s.state) - h * z / (z - last);
        }
        last = z;
        assert_true(i < 4000);
    }
    check_near("frequency [Hz]", 2.0 / (crossing[4] - crossing[0]), 0.8077003, 0.02 * 0.8077003);
    check_below("energy off, relative", worst, 1e-3);
    scenario_close(&s);
}

// Axial stiffness G r^4/(4 R^3 n) of a close-coiled helix of n turns; the load acts along its axis.
static void test_helix_spring(void **unused)
{
    enum { N = 240 };
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 100 s\nrods:\n  spring: {curve: [\"0.1*cos(20*pi*t)\", "
                               "\"0.1*sin(20*pi*t)\", \"0.1*t\"], segments: %d, radius: 5 mm, young: 1 MPa, poisson: "
                               "0.25, density: 1000, collides: false, start: clamped}\n",
                               N);
    double x[3], q[4], F = 1e-6, before = scenario_position(&s, N, 2);
    pose_of(&s, N, x, q);
    settle(&s, N, (double[6]){0.0, 0.0, F, -F * x[1], F * x[0], 0.0}, 40);
    double stiffness = F / (scenario_position(&s, N, 2) - before), theory = 4e5 * pow(0.005, 4.0) / (4e-3 * 10.0);
    check_near("stiffness over theory", stiffness / theory, 1.0, 0.02);
    scenario_close(&s);
}

// A free rod that vibrates and turns: momentum stays, energy is not gained.
static void test_free_flight(void **unused)
{
    const char *const schemes[] = {"euler", "midpoint"};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(
            "scheme: %s\ngravity: [0, 0, 0]\nstep: 2 ms\nrods:\n  rod: {curve: [\"0.5*sin(2*t)\", \"0.2*t*t\", "
            "\"0.5*cos(2*t)\"], segments: 20, radius: 1 cm, young: 1 MPa, density: 1000, collides: false, velocity: "
            "[1, "
            "2, 3], natural_curvature: [0, 0, 0]}\n",
            schemes[k]);
        tn_energy first = {0};
        tn_error error;
        assert_int_equal(tn_state_energy(s.state, &first, &error), TN_OK);
        double highest = 0.0, moved = 0.0, turned = 0.0, e0 = first.kinetic + first.elastic;
        for (int i = 0; i < 500; i++) {
            scenario_step(&s);
            const tn_energy *e = &s.report.energy;
            highest = fmax(highest, (e->kinetic + e->elastic) / e0 - 1.0);
            for (int j = 0; j < 3; j++) {
                moved = fmax(moved, fabs(e->momentum[j] - first.momentum[j]));
                turned = fmax(turned, fabs(e->angular_momentum[j] - first.angular_momentum[j]));
            }
        }
        print_message("%s: ", schemes[k]);
        check_below("energy gained", highest, k ? 1e-6 : 1e-9);
        check_below("momentum [N s]", moved, 1e-11);
        print_message("angular momentum off by %g of %g\n", turned, tn_vec3_norm(first.angular_momentum));
        scenario_close(&s);
    }
}

// S01: a thin rod of 1.5 m between pins 1 m apart hangs as a catenary, sag 0.50263 m, pins bear 0.81087 of its weight a
// metre.
static void test_catenary(void **unused)
{
    scenario s = scenario_open(
        "rods:\n"
        "  rod: {points: [[-0.5, 0, 0], [0, 0, -0.559017], [0.5, 0, 0]], segments: 61, radius: 1 mm, young: 5 "
        "MPa, density: 1000, collides: false, natural_curvature: [0, 0, 0], damping: 20 ms, start: pinned, "
        "end: pinned}\n");
    double weight = 1000.0 * PI * 1e-6 * GRAVITY;
    tn_joint_info pin;
    scenario_run(&s, 30.0);
    check_near("sag [m]", -scenario_position(&s, 31, 2), 0.50263326, 0.01 * 0.50263326);
    tn_sim_joint(s.sim, s.state, 0, &pin);
    check_near("force of a pin over the weight of a metre", tn_vec3_norm(pin.force) / weight, 0.8108697,
               0.01 * 0.8108697);
    check_below("off its place [m]", s.report.solve.certificate.drift, 1e-8);
    scenario_close(&s);
}

// A string 0.5 mm thick between pins, drawn out by 1 % to the length l: so taut that bending is nothing beside it, N =
// 1600 E I/L^2 with 20 segments. Plucked at `place` of its length.
static scenario open_string(int segments, double step, double place)
{
    scenario s = scenario_open("step: %.17g\ngravity: [0, 0, 0]\nbodies:\n"
                               "  peg: {motion: {position: [\"1 + 0.01*min(4*t, 1)\", 0, 0]}, shape: {sphere: 1e-3}}\n"
                               "rods:\n  string: {points: [[0, 0, 0], [1, 0, 0]], segments: %d, radius: 0.25 mm, "
                               "young: 10 MPa, density: 1000, "
                               "collides: false, start: pinned, end: {hold: pinned, to: peg}, damping: 1 ms}\n",
                               step, segments);
    double wrench[6] = {0.0, 0.0, 1e-4, 0.0, 0.0, 0.0};
    scenario_run(&s, 1.0);
    settle(&s, 1 + (int)lround(place * (segments - 1)), wrench, (int)lround(0.05 / step));
    return s;
}

// Mode 1 from the middle, mode 2 from the difference of both quarters, which the odd ones leave as it is: ten
// crossings.
static double string_frequency(int segments, int mode)
{
    scenario s = open_string(segments, 1e-3, 0.5 / mode);
    double last = 0.0, first = 0.0, crossed = 0.0;
    int middle = 1 + (int)lround(0.5 / mode * (segments - 1));
    for (int n = 0; n < 41;) {
        scenario_step(&s);
        double z = scenario_position(&s, middle, 2), t = tn_state_time(s.state);
        z -= mode == 2 ? scenario_position(&s, segments + 1 - middle, 2) : 0.0;
        if (z * last < 0.0) {
            crossed = t - 1e-3 * z / (z - last);
            first = n++ == 0 ? crossed : first;
        }
        last = z;
        assert_true(t < 10.0);
    }
    scenario_close(&s);
    return 20.0 / (crossed - first);
}

// f_n = n/(2 l) sqrt(N/mu), mu of what is drawn out.
static void test_string(void **unused)
{
    for (int mode = 1; mode <= 2; mode++) {
        double theory = mode * 0.5 * sqrt(1e7 * 0.01 / 1000.0 / 1.01);
        check_near("frequency with 20 segments [Hz]", string_frequency(20, mode), theory, 0.02 * theory);
        check_near("frequency with 40 segments [Hz]", string_frequency(40, mode), theory, 0.005 * theory);
    }
    const double steps[2] = {1e-3, 1e-2}; // it stays so however often it swings, at long steps too
    for (int k = 0; k < 2; k++) {
        scenario s = open_string(20, steps[k], 0.5);
        double most[2] = {0.0, 0.0};
        for (int i = 0; i < 10000; i++) {
            scenario_step(&s);
            most[i >= 5000] = fmax(most[i >= 5000], fabs(scenario_position(&s, 11, 2)));
        }
        check_below("middle off the line in 5000 steps, and then [m]", most[1], most[0]);
        scenario_close(&s);
    }
}

// Clamped to a hub that turns at omega: N = 1/2 rho A omega^2 (l^2 - r^2) of the centrifugal force, whose energy is the
// integral of N^2/(2 E A). A turn of 0.1 and 0.2 in a step adds next to nothing to it; of what chords stretch it was
// 390 and 6400 times as much.
static void spin(double h, double within)
{
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: %g\n"
                               "bodies:\n  hub: {shape: {cylinder: {radius: 5 cm, length: 10 cm}}, "
                               "motion: {angle: \"if(t - 1, 20*t - 10, 10*t^2)\"}}\n"
                               "rods:\n  rod: {points: [[0.06, 0, 0], [0.5, 0, 0]], segments: 20, radius: 1 cm, "
                               "young: 80 MPa, density: 1000, damping: 1 ms, start: {to: hub}}\n",
                               h);
    const double omega = 20.0, line = 1000.0 * area(), out = 0.5, in = 0.06, EA = 80e6 * area();
    double elastic = 0.0, kinetic = line * omega * omega * (pow(out, 3.0) - pow(in, 3.0)) / 6.0;
    for (int i = 0; i < 1000; i++) {
        double r = in + (out - in) * (i + 0.5) / 1000.0, N = 0.5 * line * omega * omega * (out * out - r * r);
        elastic += N * N / (2.0 * EA) * (out - in) / 1000.0;
    }
    while (tn_state_time(s.state) < 4.0 - 1e-6) {
        scenario_step(&s);
    }
    print_message("spinning rod, step %g s: kinetic %.5f J of %.5f J, strain %.6f J of %.6f J\n", h,
                  s.report.energy.kinetic, kinetic, s.report.energy.elastic, elastic);
    check_near("kinetic energy over theory", s.report.energy.kinetic / kinetic, 1.0, 5e-3);
    check_near("strain energy over theory", s.report.energy.elastic / elastic, 1.0, within);
    scenario_close(&s);
}

static void test_spin(void **unused)
{
    spin(0.01, 10.0);
    spin(0.005, 0.1);
    spin(0.002, 0.02);
}

// Neighbours along a rod that is thicker than its segments are long do not touch, those farther on do.
static void test_neighbours(void **unused)
{
    scenario s = scenario_open(
        "rods:\n"
        "  rod: {points: [[0, 0, 0], [1, 0, 0], [1, 0.05, 0], [0, 0.05, 0]], segments: 80, radius: 3 cm, young: "
        "1 MPa, density: 1000}\n"
        "  ring: {curve: [\"cos(2*pi*t)\", \"sin(2*pi*t)\", 3], closed: true, segments: 30, "
        "radius: 20 cm, young: 1 MPa, density: 1000, self_contact: false}\n");
    scenario_step(&s);
    int n = tn_sim_contact_count(s.sim), reach = 1000;
    assert_true(n > 0); // the two halves overlap
    for (int i = 0; i < n; i++) {
        tn_contact_info c;
        tn_sim_contact(s.sim, i, &c);
        assert_true(c.body_b <= 80);
        reach = abs(c.body_b - c.body_a) < reach ? abs(c.body_b - c.body_a) : reach;
    }
    assert_int_equal(reach, 4 + 1); // pi 3 cm is 3.55 pieces of 2.66 cm
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_bend),     cmocka_unit_test(test_torsion_and_stretch),
        cmocka_unit_test(test_elastica),       cmocka_unit_test(test_roll_up),
        cmocka_unit_test(test_natural_shapes), cmocka_unit_test(test_frequency),
        cmocka_unit_test(test_helix_spring),   cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_spin),           cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_string),         cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
