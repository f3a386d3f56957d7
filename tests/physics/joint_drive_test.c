// What acts on the coordinates of joints: motors, limits, friction, springs, gears, each against its closed form, in
// both schemes; the energy that they bring in and take; joints together with contacts.
#include "scenario.h"

#include "state/state.h"

#include <string.h>

static const char *const SCHEMES[2] = {"euler", "midpoint"};

static double coordinate(const scenario *s, int joint, int k)
{
    double q[3], rate[3];
    tn_state_joint(s->state, joint, q, rate);
    return q[k];
}

static double rate(const scenario *s, int joint, int k)
{
    double q[3], r[3];
    tn_state_joint(s->state, joint, q, r);
    return r[k];
}

static tn_joint_info look(const scenario *s, int joint)
{
    tn_joint_info info;
    tn_sim_joint(s->sim, s->state, joint, &info);
    return info;
}

// A wheel of 0.5 kg m^2 on the axis (1, 2, 2)/3, with what acts on it.
static scenario open_wheel(const char *scheme, double h, const char *turn)
{
    return scenario_open("scheme: %s\nstep: %.17g\n"
                         "bodies: {wheel: {position: [1, 2, 3], mass: 2, inertia: [0.5, 0.5, 0.5]}}\n"
                         "joints: {pin: {type: revolute, b: wheel, axis: [1, 2, 2], turn: {%s}}}\n",
                         scheme, h, turn);
}

// A motor of 2 N m takes 0.5 kg m^2 to 30 rad/s in 7.5 s; at 10 s it has turned 112.5 + 75 rad.
static void test_motor_strength(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = open_wheel(SCHEMES[i], 0.01, "motor: {velocity: 30, strength: 2}");
        scenario_run(&s, 5.0);
        tn_joint_info info = look(&s, 0);
        check_near("torque while it cannot follow [N m]", info.effort[0], 2.0, 1e-9);
        assert_int_equal(info.condition[0], TN_JOINT_SATURATED);
        check_near("rate at 5 s [rad/s]", rate(&s, 0, 0), 20.0, 1e-6);
        scenario_run(&s, 10.0);
        info = look(&s, 0);
        check_near("rate at 10 s [rad/s]", rate(&s, 0, 0), 30.0, 1e-6);
        check_near("angle with its turns [rad]", coordinate(&s, 0, 0), 187.5, i == 0 ? 0.2 : 1e-3); // euler: 30 h/2
        check_near("torque that is left [N m]", info.effort[0], 0.0, 1e-6);
        check_near("work of the motor [J]", s.report.energy.injected, 225.0, 1e-3);
        check_near("lost [J]", s.report.energy.dissipated, 0.0, 1e-9);
        scenario_close(&s);
    }
}

// q = 0.8 sin 5 t: the torque is 0.5 q''.
static void test_motor_position(void **unused)
{
    for (int i = 0; i < 2; i++) {
        double h = 1e-3, worst = 0.0, torque = 0.0, last = NAN;
        scenario s = open_wheel(SCHEMES[i], h, "motor: {position: 0.8*sin(5*t)}");
        for (int n = 1; n <= 2000; n++) {
            scenario_step(&s);
            double t = n * h, effort = look(&s, 0).effort[0];
            worst = fmax(worst, fabs(coordinate(&s, 0, 0) - 0.8 * sin(5.0 * t)));
            if (n > 5) {                             // it starts with a jolt: at rest, to 4 rad/s
                double mean = 0.5 * (effort + last); // of the steps before and after t - h
                torque = fmax(torque, fabs(mean + 0.5 * 20.0 * sin(5.0 * (t - h))));
            }
            last = effort;
        }
        check_below("off the prescribed angle [rad]", worst, 1e-6); // rigid rows yield by a millionth
        check_below("torque off I q'' of 10 N m [N m]", torque, i == 0 ? 0.06 : 0.02);
        scenario_close(&s);
    }
}

// Friction of 0.3 N m stops 6 rad/s in 10 s after 30 rad, and then holds against 0.2 N m, not against 0.4.
static void test_friction(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s =
            scenario_open("scheme: %s\nstep: 10 ms\ngravity: [0, 0, 0]\n"
                          "bodies: {wheel: {angular_velocity: [0, 0, 6], mass: 2, inertia: [0.5, 0.5, 0.5], "
                          "torque: [0, 0, 'if(t - 15, if(t - 20, 0.4, 0.2), 0)']}}\n"
                          "joints: {pin: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {friction: 0.3}}}\n",
                          SCHEMES[i]);
        scenario_run(&s, 5.0);
        check_near("torque while it slides [N m]", look(&s, 0).effort[0], -0.3, 1e-9);
        assert_int_equal(look(&s, 0).condition[0], TN_JOINT_FREE);
        scenario_run(&s, 14.0);
        check_near("angle where it stops [rad]", coordinate(&s, 0, 0), 30.0, 0.05); // 6 h/2
        check_near("lost [J]", s.report.energy.dissipated, 9.0, 1e-6 + (i == 0 ? 0.02 : 0.0));
        scenario_run(&s, 20.0 - 0.01);
        assert_int_equal(look(&s, 0).condition[0], TN_JOINT_STUCK);
        check_near("torque while it holds [N m]", look(&s, 0).effort[0], -0.2, 1e-6);
        check_below("rate while it holds [rad/s]", fabs(rate(&s, 0, 0)), 1e-9);
        scenario_run(&s, 25.0);
        check_near("rate after 5 s of 0.1 N m more [rad/s]", rate(&s, 0, 0), 1.0, 0.01);
        scenario_close(&s);
    }
}

// A trap door of 0.5 kg m^2 about its hinge falls to its lower limit and stays there, all its energy lost.
static void test_limits(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open("scheme: %s\nstep: 5 ms\n"
                                   "bodies: {door: {position: [0.5, 0, 0], mass: 2, inertia: [0.01, 0.1, 0.1]}}\n"
                                   "joints: {hinge: {type: revolute, b: door, anchor: [0, 0, 0], axis: [0, -1, 0], "
                                   "turn: {limits: [-60 deg, 20 deg]}}}\n",
                                   SCHEMES[i]);
        scenario_run(&s, 2.0);
        tn_joint_info info = look(&s, 0);
        check_near("rests at its limit [rad]", coordinate(&s, 0, 0), -PI / 3.0, 1e-6);
        assert_int_equal(info.condition[0], TN_JOINT_AT_LOW);
        check_near("torque of the limit [N m]", info.effort[0], 2.0 * GRAVITY * 0.5 * cos(PI / 3.0), 1e-3);
        double energy = s.report.energy.kinetic + s.report.energy.gravity;
        check_near("energy lost [J]", energy, -2.0 * GRAVITY * 0.5 * sin(PI / 3.0), 1e-4);
        check_below("beyond the limit [rad]", s.report.solve.certificate.drift, 1e-6);
        check_below("rate [rad/s]", fabs(rate(&s, 0, 0)), 1e-6);
        scenario_close(&s);
    }
}

static double spring_end(const char *scheme, double h)
{
    scenario s = open_wheel(scheme, h, "stiffness: 50, damping: 0.2, rest: 0.4");
    scenario_run(&s, 1.0);
    double end = coordinate(&s, 0, 0);
    scenario_close(&s);
    return end;
}

// 0.5 q'' + 0.2 q' + 50 (q - 0.4) = 0; and a damped spring of 1e12 N m/rad, which no step could
// follow, goes where it rests.
static void test_spring(void **unused)
{
    double decay = 0.2, w = sqrt(100.0 - decay * decay);
    double exact = 0.4 - 0.4 * exp(-decay) * (cos(w) + decay / w * sin(w));
    for (int i = 0; i < 2; i++) {
        double coarse = fabs(spring_end(SCHEMES[i], 2e-3) - exact), fine = fabs(spring_end(SCHEMES[i], 1e-3) - exact);
        print_message("%s: errors %.3e, %.3e\n", SCHEMES[i], coarse, fine);
        check_near("order of convergence", log2(coarse / fine), i + 1.0, 0.1);
        scenario s = open_wheel(SCHEMES[i], 0.01, "stiffness: 1e12, damping: 1e10, rest: 1e-3");
        double most = 0.0;
        for (int n = 0; n < 1000; n++) {
            scenario_step(&s);
            most = fmax(most, fabs(coordinate(&s, 0, 0)));
        }
        check_below("stiff spring: largest angle [rad]", most, 1.001e-3);
        scenario_close(&s);
    }
}

// Energy of a spring with its damper: what is gone is in `dissipated`.
static void test_spring_energy(void **unused)
{
    scenario s = scenario_open("scheme: midpoint\nstep: 1 ms\ngravity: [0, 0, 0]\n"
                               "bodies: {m: {velocity: [2, 0, 0], mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints: {rail: {type: prismatic, b: m, axis: [1, 0, 0], slide: {stiffness: 40, "
                               "damping: 0.5}}}\n");
    double worst = 0.0;
    for (int n = 0; n < 2000; n++) {
        scenario_step(&s);
        const tn_energy *e = &s.report.energy;
        worst = fmax(worst, fabs(e->kinetic + e->elastic + e->dissipated - 2.0));
    }
    check_below("energy of 2 J that is nowhere [J]", worst, 1e-4);
    check_near("lost [J]", s.report.energy.dissipated, 2.0 * (1.0 - exp(-0.5 * 2.0)), 0.05);
    scenario_close(&s);
}

// Two wheels in mesh, 0.5 and 0.1 kg m^2, ratio -3; 2 N m on the first: (0.5 + 9 0.1) a = 2.
static void test_gear(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open("scheme: %s\nstep: 10 ms\ngravity: [0, 0, 0]\n"
                                   "bodies:\n"
                                   "  one: {mass: 1, inertia: [0.5, 0.5, 0.5], torque: [0, 0, 2]}\n"
                                   "  two: {position: [2, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                                   "joints:\n"
                                   "  a: {type: revolute, b: one, axis: [0, 0, 1]}\n"
                                   "  b: {type: revolute, b: two, axis: [0, 0, 1]}\n"
                                   "  mesh: {type: gear, joints: [a, b], ratio: -3}\n",
                                   SCHEMES[i]);
        scenario_run(&s, 4.0);
        double a = 2.0 / 1.4;
        check_near("rate of the first [rad/s]", rate(&s, 0, 0), 4.0 * a, 1e-4);
        check_near("ratio of the angles", coordinate(&s, 1, 0) / coordinate(&s, 0, 0), -3.0, 1e-8);
        check_near("torque of the mesh on the second [N m]", look(&s, 2).effort[0], -0.1 * 3.0 * a, 1e-4);
        check_below("drift [rad]", s.report.solve.certificate.drift, 1e-6);
        scenario_close(&s);
    }
}

// A rack of 3 kg falls beside a pinion of radius 0.2 m, 0.06 kg m^2: a = m g/(m + I/r^2) = 2 g/3.
static void test_rack(void **unused)
{
    scenario s = scenario_open("scheme: midpoint\nstep: 10 ms\n"
                               "bodies:\n"
                               "  pinion: {mass: 1, inertia: [0.06, 0.06, 0.06]}\n"
                               "  rack: {position: [0.2, 0, 0], mass: 3, inertia: [1, 1, 1]}\n"
                               "joints:\n"
                               "  axle: {type: revolute, b: pinion, axis: [0, -1, 0]}\n"
                               "  rail: {type: prismatic, b: rack, axis: [0, 0, 1]}\n"
                               "  mesh: {type: gear, joints: [axle, rail], ratio: 0.2}\n");
    scenario_run(&s, 1.0);
    check_near("fall [m]", coordinate(&s, 1, 0), -0.5 * 2.0 / 3.0 * GRAVITY, 1e-4);
    check_near("turn [rad]", coordinate(&s, 0, 0), coordinate(&s, 1, 0) / 0.2, 1e-6);
    scenario_close(&s);
}

static double unaccounted(double h, double *drift)
{
    scenario s =
        scenario_open("scheme: midpoint\nstep: %.17g\n"
                      "bodies:\n"
                      "  cart: {motion: {position: ['0.3*sin(4*t)', 0, 0], angle: '0.5*sin(3*t)', axis: [0, 1, 0]}}\n"
                      "  bob: {position: [0, 0, -1], mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [1.2, 0, 0]}\n"
                      "  flat: {position: [0, 0, -2], confine: [0, 1, 0], mass: 1, inertia: [0.1, 0.1, 0.1], "
                      "velocity: [1.2, 0, 0]}\n"
                      "joints:\n"
                      "  pin: {type: revolute, a: cart, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
                      "  low: {type: revolute, a: bob, b: flat, anchor: [0, 0, -1.5], axis: [0, 1, 0]}\n",
                      h);
    double low = INFINITY, high = -INFINITY;
    while (tn_state_time(s.state) < 3.0 - 1e-9) {
        scenario_step(&s);
        const tn_energy *e = &s.report.energy;
        double energy = e->kinetic + e->gravity - e->injected + e->dissipated;
        low = fmin(low, energy);
        high = fmax(high, energy);
        *drift = fmax(*drift, s.report.solve.certificate.drift);
    }
    scenario_close(&s);
    return high - low;
}

// A double pendulum on a cart that moves and tilts as prescribed, the lower bar confined to the plane: the energy that
// the cart brings in is accounted for, to third order: that of what velocities lose at the end of a step.
static void test_driven_and_planar(void **unused)
{
    double drift = 0.0, coarse = unaccounted(2e-3, &drift), fine = unaccounted(1e-3, &drift);
    check_below("energy that is nowhere, of 2.6 J brought in [J]", coarse, 1e-3);
    check_near("its order", log2(coarse / fine), 3.0, 0.3);
    check_below("drift [m, rad]", drift, 1e-6);
}

// A pendulum of four links swings into the ground and comes to rest there: joints and contacts in one problem. Links
// overlap where they are joined, which must not matter.
static void test_chain_and_floor(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open(
            "scheme: %s\nstep: 2 ms\n"
            "defaults: {body: {shape: {box: [0.5, 0.1, 0.1]}}, joint: {type: revolute, axis: [0, 1, 0]}}\n"
            "bodies:\n"
            "  floor: {fixed: true, shape: {plane: {}}, position: [0, 0, -1.2]}\n"
            "  a: {position: [0.25, 0, 0]}\n  b: {position: [0.75, 0, 0]}\n"
            "  c: {position: [1.25, 0, 0]}\n  d: {position: [1.75, 0, 0]}\n"
            "joints:\n"
            "  wa: {b: a, anchor: [0, 0, 0]}\n  ab: {a: a, b: b, anchor: [0.5, 0, 0]}\n"
            "  bc: {a: b, b: c, anchor: [1, 0, 0]}\n  cd: {a: c, b: d, anchor: [1.5, 0, 0]}\n",
            SCHEMES[i]);
        double natural = 0.0, joint = 0.0, momentum = 0.0, drift = 0.0, deepest = 0.0;
        double dissipated = 0.0, gained = 0.0;
        int most = 0;
        for (int n = 0; n < 2000; n++) {
            scenario_step(&s);
            const tn_certificate *c = &s.report.solve.certificate;
            natural = fmax(natural, c->natural);
            joint = fmax(joint, c->joint);
            momentum = fmax(momentum, c->momentum);
            drift = fmax(drift, c->drift);
            deepest = fmax(deepest, c->penetration);
            most = s.report.n_contacts > most ? s.report.n_contacts : most;
            gained = fmax(gained, dissipated - s.report.energy.dissipated);
            dissipated = s.report.energy.dissipated;
        }
        print_message("%s, at most %d contacts\n", SCHEMES[i], most);
        assert_true(most >= 2);
        check_below("natural map", natural, 1e-5); // solvers aim at 1e-6
        check_below("joints' rows", joint, 1e-6);
        check_below("balance", momentum, 1e-5);
        check_below("gained from contacts in a step, of 150 J [J]", gained, 0.1); // overlaps that come out
        check_below("drift [m, rad]", drift, 1e-5); // corrections take the lever arms of impacts
        check_below("penetration [m]", deepest, 2e-3);
        check_below("speed at the end [m/s]", sqrt(s.report.energy.kinetic), 0.2);
        scenario_close(&s);
    }
}

// A wheel on a level axle slows down by mu r m g/I whatever turns, a slider on a level rail by mu g; both come to rest
// and stay. The force held is that of the step before: the first step has no friction, which leaves mu g h.
static void test_bearing(void **unused)
{
    static const char *const schemes[] = {"euler", "midpoint"};
    for (int k = 0; k < 2; k++) {
        const double h = 2e-3, mu = 0.2, r = 0.05;
        scenario s =
            scenario_open("scheme: %s\nstep: %g\n"
                          "bodies:\n  wheel: {mass: 3, inertia: [0.1, 0.2, 0.1], angular_velocity: [0, 2, 0]}\n"
                          "  slider: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n"
                          "joints:\n"
                          "  axle: {type: revolute, b: wheel, axis: [0, 1, 0],\n"
                          "         turn: {friction: {coefficient: %g, radius: %g}}}\n"
                          "  rail: {type: prismatic, b: slider, axis: [1, 0, 0],\n"
                          "         slide: {friction: {coefficient: %g, force: 0.5}}}\n",
                          schemes[k], h, mu, r, mu);
        double turning = mu * r * 3.0 * GRAVITY / 0.2, slowing = mu * GRAVITY + 0.25, q[3], rate[3], off[2] = {0.0};
        for (int i = 1; i * h < 0.35; i++) {
            scenario_step(&s);
            tn_state_joint(s.state, 0, q, rate);
            off[0] = fmax(off[0], fabs(rate[0] - (2.0 - turning * i * h)));
            tn_state_joint(s.state, 1, q, rate);
            off[1] = fmax(off[1], fabs(rate[0] - (1.0 - slowing * i * h)));
        }
        print_message("%s: ", schemes[k]);
        check_below("wheel off its slowing down [rad/s]", off[0], 1.001 * turning * h);
        check_below("slider off its own [m/s]", off[1], 1.001 * slowing * h);
        scenario_run(&s, 2.0);
        for (int i = 0; i < 2; i++) {
            tn_state_joint(s.state, i, q, rate);
            check_below("rate at rest", fabs(rate[0]), 1e-9);
        }
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, 0, &info);
        assert_int_equal(info.condition[0], TN_JOINT_STUCK);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor_strength),
        cmocka_unit_test(test_motor_position),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_bearing),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_spring),
        cmocka_unit_test(test_spring_energy),
        cmocka_unit_test(test_gear),
        cmocka_unit_test(test_rack),
        cmocka_unit_test(test_driven_and_planar),
        cmocka_unit_test(test_chain_and_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
