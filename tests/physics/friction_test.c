// Friction's harder cases: the Painleve rod, a tripod that spins, an oscillator that sticks.
// Cases R19 (Stewart 2000; Genot-Brogliato), R26 (Drake's SAP tests), R27 (code_aster SDND100).
#include "scenario.h"

// Uniform rod of length 1 m and mass 1 kg at 60 degrees, lower end on the floor; the whole rod moves at -1 m/s along x
// while its centre of mass lies on the +x side of the tip, which is the sense in which friction presses the tip down.
static scenario painleve(double h, double mu)
{
    double a = 60.0 * PI / 180.0;
    return scenario_open("gravity: [0, 0, -9.81]\nstep: %g\n"
                         "solver: {tolerance: {momentum: 1e-12, natural: 1e-12, fclib: 1e-9}}\n"
                         "materials: {m: {density: 1, friction: %g}}\n"
                         "defaults: {body: {material: m}}\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  rod:\n"
                         "    position: [%.17g, 0, %.17g]\n"
                         "    rotation: {axis: [0, 1, 0], angle: -60 deg}\n"
                         "    velocity: [-1, 0, 0]\n"
                         "    mass: 1\n"
                         "    inertia: [0.0833333333333333, 0.0833333333333333, 0.0833333333333333]\n"
                         "    contact_points: [[-0.5, 0, 0]]\n",
                         h, mu, 0.5 * cos(a), 0.5 * sin(a));
}

static double tip_velocity(const scenario *s, int rod)
{
    double p[3], q[4], v[3], w[3];
    tn_state_body_pose(s->state, rod, p, q);
    tn_state_body_velocity(s->state, rod, v, w);
    double angle = 2 * atan2(q[2], q[0]); // rotation about y
    double rz = 0.5 * sin(angle);         // tip - centre = -0.5 (cos, 0, -sin) of the angle
    return v[0] + w[1] * rz;
}

static void test_r19_regular(void **state)
{
    // mu = 1.30 below the critical 1.347151: sliding goes on, normal force m g / (1 + 3 cos^2 - 3 mu sin cos) = finite.
    const double a = PI / 3, mu = 1.30;
    scenario s = painleve(1e-4, mu);
    int rod = scenario_body(&s, "rod");
    double e0 = 0.5 + GRAVITY * 0.5 * sin(a), force[3];
    scenario_step(&s);
    scenario_force(&s, scenario_body(&s, "floor"), rod, force);
    double wanted = GRAVITY / (1 + 3 * cos(a) * cos(a) - 3 * mu * sin(a) * cos(a));
    check_near("R19 mu 1.30: normal force [N], O(h)", force[2], wanted, 0.02 * wanted);
    check_below("R19 mu 1.30: fclib error", s.report.solve.certificate.fclib, 1e-8);
    check_below("R19 mu 1.30: energy", s.report.energy.kinetic + s.report.energy.gravity, e0 + 1e-9);
    print_message("R19 mu 1.30: tip velocity %.6f m/s, still sliding\n", tip_velocity(&s, rod));
    assert_true(tip_velocity(&s, rod) < -0.5);
    scenario_close(&s);
}

static void test_r19_jam(void **state)
{
    const double h[2] = {1e-3, 1e-4};
    for (int i = 0; i < 2; i++) {
        scenario s = painleve(h[i], 1.40);
        int rod = scenario_body(&s, "rod");
        double e0 = 0.5 + GRAVITY * 0.5 * sin(PI / 3);
        scenario_step(&s);
        check_below("R19 mu 1.40: tip speed after one step [m/s], O(h)", fabs(tip_velocity(&s, rod)), 5 * h[i]);
        check_below("R19 mu 1.40: fclib error", s.report.solve.certificate.fclib, 1e-8);
        check_below("R19 mu 1.40: energy [J]", s.report.energy.kinetic + s.report.energy.gravity, e0 + 1e-9);
        scenario_close(&s);
    }
}

// R26: three points on a circle of 1.5 m; sticks below mu m g R = 22.0725 N m.
static scenario tripod(double torque, double spin)
{
    return scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\n"
                         "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                         "materials: {m: {density: 1, friction: 0.5}}\n"
                         "defaults: {body: {material: m}}\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  tripod:\n"
                         "    mass: 3\n"
                         "    inertia: [6.75, 6.75, 6.75]\n"
                         "    angular_velocity: [0, 0, %g]\n"
                         "    torque: [0, 0, %g]\n"
                         "    contact_points: [[1.5, 0, 0], [-0.75, %.17g, 0], [-0.75, %.17g, 0]]\n",
                         spin, torque, 1.5 * sin(2 * PI / 3), -1.5 * sin(2 * PI / 3));
}

static void test_r26_tripod(void **state)
{
    scenario sticks = tripod(21.9, 0.0);
    int b = scenario_body(&sticks, "tripod");
    scenario_run(&sticks, 0.5);
    check_below("R26 21.9 N m: angular velocity [rad/s]", fabs(scenario_spin(&sticks, b, 2)), 1e-8);
    scenario_close(&sticks);

    scenario turns = tripod(30.0, 0.0);
    b = scenario_body(&turns, "tripod");
    scenario_run(&turns, 1.0);
    check_near("R26 30 N m: angular acceleration [rad/s^2]", scenario_spin(&turns, b, 2), (30 - 22.0725) / 6.75, 1e-6);
    assert_int_equal(tn_sim_contact_count(turns.sim), 3);
    for (int i = 0; i < 3; i++) {
        tn_contact_info c;
        tn_sim_contact(turns.sim, i, &c);
        check_near("R26 normal force of a foot [N]", c.force[2], GRAVITY, 1e-6 * GRAVITY);
    }
    check_below("R26 centre moves [m]", fabs(scenario_position(&turns, b, 0)) + fabs(scenario_position(&turns, b, 1)),
                1e-8);
    scenario_close(&turns);

    scenario spins = tripod(0.0, 3.0);
    b = scenario_body(&spins, "tripod");
    scenario_run(&spins, 0.5);
    // I = m R^2: deceleration mu m g R / I = mu g / R
    check_near("R26 spin-down [rad/s]", scenario_spin(&spins, b, 2), 3.0 - 0.5 * 0.5 * GRAVITY / 1.5, 1e-6);
    scenario_close(&spins);
}

// R27: m = 1, k = 20, mu N / k = 0.0981, r0 = 1, started along the diagonal of the world axes.
static double oscillator_error(const char *scheme, double h)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: %g\nscheme: %s\n"
                               "solver: {tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
                               "materials: {m: {density: 125, friction: 0.2}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  block: {position: [%.17g, %.17g, 0.1], shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
                               "springs:\n"
                               "  s: {a: world, point_a: [0, 0, 0.1], b: block, stiffness: 20, rest_length: 0}\n",
                               h, scheme, sqrt(0.5), sqrt(0.5));
    int b = scenario_body(&s, "block");
    const double extrema[5] = {-0.8038, 0.6076, -0.4114, 0.2152, -0.0190};
    int n = 0;
    double worst = 0.0, side = 0.0, direction = -1.0, farthest = 1.0, r = 1.0;
    while (tn_state_time(s.state) < 5.0) {
        scenario_step(&s);
        double x = scenario_position(&s, b, 0), y = scenario_position(&s, b, 1);
        double v = (scenario_velocity(&s, b, 0) + scenario_velocity(&s, b, 1)) * sqrt(0.5);
        r = (x + y) * sqrt(0.5);
        side = fmax(side, fabs(x - y));
        if (n < 4 && v * direction < -1e-6) { // turned back
            worst = fmax(worst, fabs(farthest - extrema[n++]));
            direction = -direction;
            farthest = r;
        }
        farthest = direction > 0.0 ? fmax(farthest, r) : fmin(farthest, r);
    }
    worst = fmax(worst, fabs(r - extrema[n++])); // where it stopped
    assert_int_equal(n, 5);
    check_below("R27 isotropy: |x - y| [m]", side, 1e-9);
    double rest = r;
    scenario_run(&s, 10.0);
    double drift = fabs((scenario_position(&s, b, 0) + scenario_position(&s, b, 1)) * sqrt(0.5) - rest);
    check_below("R27 drift over 5 s at rest [m]", drift, 1e-6);
    scenario_close(&s);
    return worst;
}

static void test_r27_oscillator(void **state)
{
    check_below("R27 midpoint: worst extremum error [m]", oscillator_error("midpoint", 1e-3), 5e-3);
    double coarse = oscillator_error("euler", 1e-3), fine = oscillator_error("euler", 5e-4);
    print_message("R27 euler: worst extremum error %.3g at 1 ms, %.3g at 0.5 ms (first order: ratio 1.5 to 3)\n",
                  coarse, fine);
    assert_true(coarse / fine > 1.5 && coarse / fine < 3.0);
    check_below("R27 euler at 0.5 ms: worst extremum error [m]", fine, 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r19_regular),
        cmocka_unit_test(test_r19_jam),
        cmocka_unit_test(test_r26_tripod),
        cmocka_unit_test(test_r27_oscillator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
