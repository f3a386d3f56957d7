// Rigid rotation through the whole step: a free tumbling body, a spinning rod, a heavy top on its joint, a body-fixed
// torque; errors against independent integrations, orders of convergence down to rounding, spin and momentum kept.
#include "scenario.h"

#include "math/quat.h"

#include <string.h>

static const char *const SCHEMES[] = {"euler", "midpoint", "implicit"};

// ---- references: Runge and Kutta's method of fourth order, x = (q, w), the torque in body axes

typedef void torque_of(const double q[4], double torque[3]);

static void slope(const double inertia[3], torque_of *torque_of_q, const double x[7], double out[7])
{
    const double *w = x + 4;
    double half[4] = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]}, torque[3] = {0.0, 0.0, 0.0};
    tn_quat_mul(out, x, half);
    if (torque_of_q) {
        torque_of_q(x, torque);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[4 + i] = ((inertia[j] - inertia[k]) * w[j] * w[k] + torque[i]) / inertia[i];
    }
}

static void integrate(const double inertia[3], torque_of *torque_of_q, double time, double x[7])
{
    const double share[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    int n = (int)(time / 2e-5 + 0.5);
    double h = time / n;
    for (int step = 0; step < n; step++) {
        double k[4][7], sum[7] = {0.0};
        for (int stage = 0; stage < 4; stage++) {
            double at[7];
            for (int i = 0; i < 7; i++) {
                at[i] = x[i] + (stage > 0 ? share[stage] * h * k[stage - 1][i] : 0.0);
            }
            slope(inertia, torque_of_q, at, k[stage]);
            for (int i = 0; i < 7; i++) {
                sum[i] += weight[stage] * k[stage][i];
            }
        }
        for (int i = 0; i < 7; i++) {
            x[i] += h * sum[i];
        }
    }
}

// Angle between the body's attitude and that of x [rad].
static double angle_off(const scenario *s, int body, const double x[7])
{
    double position[3], q[4], between[4], vector[3];
    tn_state_body_pose(s->state, body, position, q);
    tn_quat_conjugate(between, q);
    tn_quat_mul(between, between, x);
    tn_quat_log(vector, between);
    return tn_vec3_norm(vector);
}

// ---- free bodies

static const double BRICK[3] = {0.04, 0.03, 0.02};

static double tumbling_error(const char *scheme, double h, double *gain)
{
    scenario s = scenario_open("scheme: %s\nstep: %.17g\ngravity: [0, 0, 0]\n"
                               "bodies: {brick: {mass: 1, inertia: [0.04, 0.03, 0.02], angular_velocity: [1, 8, 3]}}\n",
                               scheme, h);
    double x[7] = {1.0, 0.0, 0.0, 0.0, 1.0, 8.0, 3.0}, e0 = 0.5 * (0.04 + 0.03 * 64.0 + 0.02 * 9.0);
    integrate(BRICK, NULL, 1.0, x);
    *gain = 0.0;
    for (int k = 0; k < (int)(1.0 / h + 0.5); k++) {
        scenario_step(&s);
        *gain = fmax(*gain, fabs(s.report.energy.kinetic / e0 - 1.0));
    }
    double off = angle_off(&s, 1, x);
    scenario_close(&s);
    return off;
}

// Second order in every scheme over three decades, until 1e-10 rad of rounding. Energy to rounding: 1e4 steps of 1e-15.
static void test_tumbling(void **unused)
{
    for (int i = 0; i < 3; i++) {
        double gain, last = tumbling_error(SCHEMES[i], 0.02, &gain);
        for (double h = 0.01; h > 5e-5; h *= 0.5) {
            double off = tumbling_error(SCHEMES[i], h, &gain);
            print_message("%-9s h %.3e: %.3e rad, order %.3f (2 +- 0.1), energy %.1e (limit 1e-11)\n", SCHEMES[i], h,
                          off, log2(last / off), gain);
            assert_true(fabs(log2(last / off) - 2.0) < 0.1 && gain < 1e-11);
            last = off;
        }
    }
}

// About a principal axis, nearly: the axial spin is a constant of the motion of bodies with two equal moments.
static void test_spin_is_not_damped(void **unused)
{
    for (int i = 0; i < 3; i++) {
        scenario s = scenario_open("scheme: %s\nstep: 10 ms\ngravity: [0, 0, 0]\nbodies:\n"
                                   "  rod: {mass: 1, inertia: [0.04, 0.04, 0.004], angular_velocity: [0.5, 0, 20]}\n"
                                   "  slab: {mass: 1, position: [9, 0, 0], inertia: [0.03, 0.04, 0.06], "
                                   "angular_velocity: [0.5, 0, 20]}\n",
                                   SCHEMES[i]);
        double e0 = 0.0, energy = 0.0;
        for (int k = 0; k < 3000; k++) {
            scenario_step(&s);
            e0 = k == 0 ? s.report.energy.kinetic : e0;
            energy = fmax(energy, fabs(s.report.energy.kinetic / e0 - 1.0));
        }
        check_near("axial spin after 30 s [rad/s]", s.state->v[5], 20.0, 1e-10);
        check_near("slab: about its stiff axis [rad/s]", s.state->v[11], 20.0, 0.01); // it nutates
        check_below("relative change of energy", energy, 1e-11);
        scenario_close(&s);
    }
}

// ---- a heavy top: 15 kg, its centre 1 m from the point (the benchmark of Bruls and Cardona 2010)

static const double TIP[3] = {15.234375, 0.46875, 15.234375}; // moments about the point [kg m^2]

static void weight_torque(const double q[4], double torque[3])
{
    const double down[3] = {0.0, 0.0, -15.0 * 9.81}, arm[3] = {0.0, 1.0, 0.0};
    double force[3];
    tn_quat_rotate_inverse(force, q, down);
    tn_vec3_cross(torque, arm, force);
}

// Distance of the centre from the reference after 1 s [m].
static double top_error(const char *scheme, int projection, double h, double *spin, double *energy)
{
    scenario s = scenario_open("scheme: %s\nstep: %.17g\nprojection: %d\n"
                               "bodies: {top: {position: [0, 1, 0], mass: 15, inertia: [0.234375, 0.46875, 0.234375], "
                               "velocity: [4.61538, 0, 0], angular_velocity: [0, 150, -4.61538]}}\n"
                               "joints: {tip: {type: spherical, b: top, anchor: [0, 0, 0]}}\n",
                               scheme, h, projection);
    double x[7] = {1.0, 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538}, center[3], position[3], q[4];
    const double arm[3] = {0.0, 1.0, 0.0}, e0 = 0.5 * (0.46875 * 150.0 * 150.0 + 15.234375 * 4.61538 * 4.61538);
    integrate(TIP, weight_torque, 1.0, x);
    scenario_run(&s, 1.0);
    tn_quat_rotate(center, x, arm);
    tn_state_body_pose(s.state, 1, position, q);
    tn_vec3_sub(position, position, center);
    *spin = s.state->v[4];
    *energy = (s.report.energy.kinetic + s.report.energy.gravity) / e0 - 1.0;
    scenario_close(&s);
    return tn_vec3_norm(position);
}

// midpoint is of second order without a kink; what is left at 1e-8 m is the joint's tolerance.
static void test_heavy_top_midpoint(void **unused)
{
    double spin, energy, last = top_error("midpoint", 0, 5e-4, &spin, &energy);
    for (double h = 2.5e-4; h > 2e-5; h *= 0.5) {
        double off = top_error("midpoint", 0, h, &spin, &energy);
        print_message("midpoint h %.3e: %.3e m, order %.3f (2 +- 0.1)\n", h, off, log2(last / off));
        assert_true(fabs(log2(last / off) - 2.0) < 0.1);
        check_near("spin [rad/s]", spin, 150.0, 2e-8);
        check_below("relative change of energy", fabs(energy), 0.01 * h); // of second order: 2e-7 at most
        last = off;
    }
}

// euler is of first order and loses neither spin nor much energy. Its joints hold by forces (sim/shake.c): moving the
// body alone to where it should be, as was done, is 200 times as far off (0.33 m at 1 ms, 0.04 m at 0.1 ms).
static void test_heavy_top_euler(void **unused)
{
    for (double h = 1e-3; h > 2e-5; h *= 0.25) {
        double spin, energy, off = top_error("euler", 1, h, &spin, &energy);
        print_message("euler h %.3e: %.3e m (limit 2 m/s h)\n", h, off);
        assert_true(off < 2.0 * h);
        check_near("spin [rad/s]", spin, 150.0, 1e-3 * h); // no torque acts along the axis
        check_below("relative change of energy", fabs(energy), 0.5 * h);
    }
}

// ---- gyroscopes that spin by up to 2 rad a step, in both coordinates

// The angle by which the centre of the last body goes round the vertical in 1 s [rad]; *off: the most by which its
// height is off z [m].
static double precession(scenario *s, double z, double *off)
{
    int b = s->model->n_bodies - 1;
    double angle = 0.0, last = atan2(scenario_position(s, b, 1), scenario_position(s, b, 0));
    *off = 0.0;
    while (s->state->time < 1.0 - 1e-6) {
        scenario_step(s);
        double now = atan2(scenario_position(s, b, 1), scenario_position(s, b, 0));
        angle += remainder(now - last, 2.0 * acos(-1.0));
        last = now;
        *off = fmax(*off, fabs(scenario_position(s, b, 2) - z));
    }
    scenario_close(s);
    return angle;
}

// A top in steady precession O, J cos(t) O^2 - I w O + m g l = 0 with J about the point, inclined by t = 60 degrees;
// before, it fell from 0.5 rad a step on (100 degrees in 1 s), and with 0.4 rad was 1.6 % too fast in maximal
// coordinates.
static void test_fast_top(void **unused)
{
    const double l = 0.1, I = 1.25e-3, J = 6.35e-4, w = 200.0, s = sin(M_PI / 3.0), c = 0.5, g = 9.81;
    const double inertia = J + l * l,
                 turn = (I * w - sqrt(I * w * I * w - 4.0 * inertia * c * g * l)) / (2.0 * inertia * c);
    const double spin = w - turn * c, steps[] = {2e-3, 5e-3, 1e-2};
    for (int i = 0; i < 6; i++) {
        double h = steps[i / 2], off;
        scenario top = scenario_open(
            "step: %g\ncoordinates: %s\nbodies: {top: {position: [%.17g, 0, %.17g], rotation: {axis: [0, 1, 0], "
            "angle: 60 deg}, mass: 1, inertia: [%.17g, %.17g, %.17g], velocity: [0, %.17g, 0], "
            "angular_velocity: [%.17g, 0, %.17g]}}\njoints: {tip: {type: spherical, b: top, anchor: [0, 0, 0]}}\n",
            h, i % 2 ? "reduced" : "maximal", l * s, l * c, J, J, I, turn * l * s, spin * s, spin * c + turn);
        double angle = precession(&top, l * c, &off);
        print_message("%g rad a step, %s: ", w * h, i % 2 ? "reduced" : "maximal");
        check_near("precession over the formula's", angle / turn, 1.0, 1e-2); // measured: 2e-4, 9e-4, 6e-4; it nutates
        check_below("off its height [m]", off, 5e-3);
    }
}

// A rotor of 1 kg in two rings, its centre 5 cm from where their axes meet; 1.9685 rad at 0.004 rad a step (it nutates,
// by 2.6 degrees).
static void test_gimbals(void **unused)
{
    for (int i = 0; i < 4; i++) {
        double h = i < 2 ? 2e-3 : 1e-2, off;
        scenario s =
            scenario_open("step: %g\ncoordinates: %s\nbodies:\n  outer: {position: [0, 0, 0], mass: 0.1, inertia: "
                          "[1e-4, 1e-4, 1e-4]}\n"
                          "  inner: {position: [0, 0, 0], mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}\n"
                          "  rotor: {position: [0, 0.04, 0.03], rotation: {axis: [1, 0, 0], angle: %.17g}, mass: 1, "
                          "inertia: [7e-4, 1.25e-3, 7e-4], angular_velocity: [0, 160, 120]}\n"
                          "joints:\n  a: {type: revolute, b: outer, anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
                          "  b: {type: revolute, a: outer, b: inner, anchor: [0, 0, 0], axis: [1, 0, 0]}\n"
                          "  c: {type: revolute, a: inner, b: rotor, anchor: [0, 0.04, 0.03], axis: [0, 4, 3]}\n",
                          h, i % 2 ? "reduced" : "maximal", atan2(3.0, 4.0));
        double angle = precession(&s, 0.03, &off);
        print_message("%g rad a step, %s: ", 200.0 * h, i % 2 ? "reduced" : "maximal");
        check_near("precession [rad]", angle, 1.9685, 0.05);
        check_below("off its height [m]", off, 5e-3);
    }
}

// ---- joints and spins that a step does not resolve: a wheel of 150 to 1000 rad/s on a swinging axle at 10 ms

static void test_fast_wheel_on_a_swing(void **unused)
{
    const double spins[] = {30.0, 60.0, 150.0, 250.0, 400.0, 1000.0};
    for (int i = 0; i < 6; i++) {
        scenario s = scenario_open(
            "bodies:\n  car: {position: [0, 0, 0.5], mass: 10, shape: {box: {size: [0.5, 0.5, 0.2]}, "
            "collides: false}}\n"
            "  wheel: {position: [0.5, 0, 0.5], rotation: {axis: [0, 1, 0], angle: 90 deg}, mass: 5, "
            "angular_velocity: [%g, 0, 0], shape: {cylinder: {radius: 0.3, length: 0.05}, collides: false}}\n"
            "joints:\n  axle: {type: revolute, a: car, b: wheel, anchor: [0.5, 0, 0.5], axis: [1, 0, 0]}\n"
            "  pin: {type: spherical, b: car, anchor: [0, 0, 1.2]}\n",
            spins[i]);
        double first = 0.0, most = -INFINITY;
        for (int k = 0; k < 500; k++) {
            scenario_step(&s);
            double total = s.report.energy.kinetic + s.report.energy.gravity;
            first = k == 0 ? total : first;
            most = fmax(most, total);
        }
        print_message("%g rad/s: ", spins[i]);
        check_below("energy gained of what swings, 75 J [J]", most - first,
                    1.2); // of first order: to and fro; 1.15 at 1000
        check_near("spin kept [rad/s]", fabs(s.state->v[11]), spins[i], 1e-6);
        scenario_close(&s);
    }
}

// ---- chains that whip: n links of 0.2 m, each with three times the mass of the one before, go round by 0.5 and 1.2
// rad a step and fold. Before, the first gained 7.3 times its energy; the second gains 1.4 times its energy where
// corrections may leap (TN_SIM_LEAP).

static void test_whips(void **unused)
{
    for (int i = 0; i < 2; i++) {
        int n = i ? 3 : 5;
        double w = i ? 120.0 : 50.0, first = 0.0, most = -INFINITY, mass = 1.0;
        char bodies[2048] = "", joints[1024] = "";
        for (int k = 0; k < n; k++, mass *= 3.0) {
            size_t b = strlen(bodies), j = strlen(joints);
            char before[16];
            snprintf(before, sizeof before, "b%d", k - 1);
            snprintf(bodies + b, sizeof bodies - b,
                     "  b%d: {position: [%g, 0, 0], mass: %g, inertia: [%g, %g, %g], velocity: [0, %g, 0], "
                     "angular_velocity: [0, 0, %g]}\n",
                     k, 0.2 * k + 0.1, mass, 1e-4 * mass, 4e-3 * mass, 4e-3 * mass, w * (0.2 * k + 0.1), w);
            snprintf(joints + j, sizeof joints - j, "  j%d: {type: %s, a: %s, b: b%d, anchor: [%g, 0, 0]%s}\n", k,
                     i ? "revolute" : "spherical", k ? before : "world", k, 0.2 * k,
                     i ? (k % 2 ? ", axis: [0, 1, 0]" : ", axis: [0, 0, 1]") : "");
        }
        scenario s = scenario_open("coordinates: maximal\nbodies:\n%sjoints:\n%s", bodies, joints);
        for (int k = 0; k < 100; k++) {
            scenario_step(&s);
            double total = s.report.energy.kinetic + s.report.energy.gravity;
            first = k == 0 ? total : first;
            most = fmax(most, total);
        }
        check_below("energy that a whip gains, relative", most / first - 1.0, 1e-3);
        scenario_close(&s);
    }
}

// ---- forces that go with a body: a push along its own axis while it turns about another

static double follower_error(const char *scheme, double h)
{
    scenario s = scenario_open("scheme: %s\nstep: %.17g\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1, 1, 1], "
                               "angular_velocity: [0, 0, 3], force_body: [1, 0, 0]}}\n",
                               scheme, h);
    scenario_run(&s, 1.0);
    double off = fabs(scenario_position(&s, 1, 0) - (1.0 - cos(3.0)) / 9.0); // x'' = cos 3 t
    scenario_close(&s);
    return off;
}

static void test_forces_go_with_the_body(void **unused)
{
    const double orders[] = {1.0, 2.0};
    for (int i = 0; i < 2; i++) {
        double coarse = follower_error(SCHEMES[i], 0.01), fine = follower_error(SCHEMES[i], 0.005);
        check_near("order under a force that turns with the body", log2(coarse / fine), orders[i], 0.1);
    }
}

// Two bodies that three stiff springs tie together spin as one: their arms turn by arcs, and the springs are not
// stretched by 30 mm of chords, which would be 10^4 times the energy there is. It is kept to that of chords,
// (theta/2)^2.
static void test_tied(void **state)
{
    const double steps[2] = {0.01, 0.005}, within[2] = {2.5e-2, 6e-3};
    for (int k = 0; k < 2; k++) {
        scenario s =
            scenario_open("gravity: [0, 0, 0]\nstep: %g\n"
                          "defaults: {body: {shape: {box: [0.2, 0.1, 0.1], collides: false}},\n"
                          "           spring: {a: left, b: right, stiffness: 1e8}}\n"
                          "bodies:\n"
                          "  left: {position: [-0.1, 0, 0], velocity: [0, -3, 0], angular_velocity: [0, 0, 30]}\n"
                          "  right: {position: [0.1, 0, 0], velocity: [0, 3, 0], angular_velocity: [0, 0, 30]}\n"
                          "springs:\n"
                          "  s1: {point_a: [0.1, 0.04, 0], point_b: [-0.1, 0.04, 0]}\n"
                          "  s2: {point_a: [0.1, -0.04, 0.04], point_b: [-0.1, -0.04, 0.04]}\n"
                          "  s3: {point_a: [0.1, -0.04, -0.04], point_b: [-0.1, -0.04, -0.04]}\n",
                          steps[k]);
        tn_energy start;
        assert_int_equal(tn_state_energy(s.state, &start, NULL), TN_OK);
        scenario_run(&s, 1.0);
        const tn_energy *e = &s.report.energy;
        print_message("step %g s: kinetic %.4f of %.4f J, in the springs %.2e J\n", steps[k], e->kinetic, start.kinetic,
                      e->elastic);
        check_near("energy over the start's", (e->kinetic + e->elastic) / start.kinetic, 1.0, within[k]);
        check_below("in the springs [J]", e->elastic, 1e-3);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tied),
        cmocka_unit_test(test_tumbling),
        cmocka_unit_test(test_spin_is_not_damped),
        cmocka_unit_test(test_heavy_top_midpoint),
        cmocka_unit_test(test_heavy_top_euler),
        cmocka_unit_test(test_fast_top),
        cmocka_unit_test(test_gimbals),
        cmocka_unit_test(test_fast_wheel_on_a_swing),
        cmocka_unit_test(test_whips),
        cmocka_unit_test(test_forces_go_with_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
