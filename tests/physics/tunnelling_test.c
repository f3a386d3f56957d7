// Fast bodies at sensible steps: nothing passes through anything, and nothing is stopped by what it flies past.
#include "scenario.h"

static const double STEPS[2] = {5e-3, 10e-3};

// A steel ball of 5 mm at 100 m/s, half a metre to a metre a step, against a plate of 2 mm. However the flight falls
// into steps, it ends on the near side; a plate that can move takes the ball's momentum along.
static void ball_against_plate(void **state)
{
    for (int k = 0; k < 2; k++) {
        for (int offset = 0; offset < 10; offset++) {
            scenario s = scenario_open("gravity: [0, 0, 0]\n"
                                       "step: %g\n"
                                       "materials: {default: {density: 7800, friction: 0}}\n"
                                       "bodies:\n"
                                       "  plate: {fixed: true, shape: {box: {size: [2 mm, 0.5, 0.5]}}}\n"
                                       "  ball: {position: [%.17g, 0.01, 0.02], velocity: [100, 0, 0],\n"
                                       "         shape: {sphere: {radius: 2.5 mm}}}\n",
                                       STEPS[k], -1.2 - 0.0937 * offset);
            int ball = scenario_body(&s, "ball");
            scenario_run(&s, 0.05);
            double x = scenario_position(&s, ball, 0);
            if (offset == 0) {
                print_message("step %g ms: ", 1e3 * STEPS[k]);
                check_near("ball rests on the plate, x [m]", x, -3.5e-3, 1e-6);
            }
            assert_true(fabs(x + 3.5e-3) < 1e-6);
            scenario_close(&s);
        }
    }
}

// Ellipsoids of 8, 4 and 2 mm, turned and turning, at 50 to 200 m/s against a plate of 1 mm: they touch in one point,
// mostly off their centre, and leave it spinning many times round in a step. None comes through, none gains energy.
static void ellipsoid_against_plate(void **state)
{
    int through = 0, faster = 0;
    for (int trial = 0; trial < 96; trial++) {
        double step = trial % 2 ? 5e-3 : 1e-3, speed = 50.0 * (1 << trial / 2 % 3), slant = 0.5 * (trial / 6 % 3);
        scenario s =
            scenario_open("gravity: [0, 0, 0]\n"
                          "step: %g\n"
                          "materials: {default: {density: 7800, friction: %g}}\n"
                          "bodies:\n"
                          "  plate: {fixed: true, shape: {box: [1 mm, 8, 8]}}\n"
                          "  egg: {position: [%.17g, 0.01, 0.02], velocity: [%.17g, %.17g, 0],\n"
                          "        rotation: {axis: [1, 2, 3], angle: %g}, angular_velocity: [1, 3, %g],\n"
                          "        shape: {ellipsoid: [4 mm, 2 mm, 1 mm]}}\n",
                          step, trial / 3 % 2 ? 0.5 : 0.0, -speed * step * (1.3 + 0.071 * (trial % 11)),
                          speed * cos(slant), speed * sin(slant), 0.3 * (trial % 13), trial / 5 % 2 ? 40.0 : 0.0);
        int egg = scenario_body(&s, "egg");
        scenario_step(&s); // still in flight
        double first = s.report.energy.kinetic, most = 0.0;
        for (int n = 0; n < 8; n++) {
            scenario_step(&s);
            most = fmax(most, s.report.energy.kinetic);
        }
        through += scenario_position(&s, egg, 0) > 0.0;
        faster += most > first * (1.0 + 1e-9);
        scenario_close(&s);
    }
    check_below("ellipsoids that came through, of 96", through, 0.0);
    check_below("ellipsoids that gained energy", faster, 0.0);
}

// Two such balls at 200 m/s of approach, head on and 1 mm off centre: they meet. Head on they stay on their sides. Off
// centre 4 m/s of each one's 100 m/s along x would be left, 100 sin^2 of the normal's angle; as the look ahead takes
// the line of centres at the step's start for the normal, how they part is not exact: 4 to 18 m/s measured.
static void ball_against_ball(void **state)
{
    for (int trial = 0; trial < 40; trial++) {
        double step = STEPS[trial % 2], off = trial / 2 % 2 ? 1e-3 : 0.0, more = 0.117 * (trial / 4);
        scenario s = scenario_open("gravity: [0, 0, 0]\n"
                                   "step: %g\nsolver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                                   "materials: {default: {density: 7800, friction: 0}}\n"
                                   "bodies:\n"
                                   "  a: {position: [%.17g, 0, 0], velocity: [100, 0, 0],\n"
                                   "      shape: {sphere: {radius: 2.5 mm}}}\n"
                                   "  b: {position: [%.17g, %g, 0], velocity: [-100, 0, 0],\n"
                                   "      shape: {sphere: {radius: 2.5 mm}}}\n",
                                   step, -0.9 - more, 1.0 + more, off);
        int a = scenario_body(&s, "a"), b = scenario_body(&s, "b");
        scenario_run(&s, 0.06);
        double va = scenario_velocity(&s, a, 0), vb = scenario_velocity(&s, b, 0);
        double apart = scenario_position(&s, b, 0) - scenario_position(&s, a, 0);
        if (trial < 4) {
            print_message("step %g ms, %g mm off centre: ", 1e3 * step, 1e3 * off);
            check_below("speed left of 100 m/s", fmax(fabs(va), fabs(vb)), off > 0.0 ? 25.0 : 1e-6);
        }
        assert_true(fabs(va + vb) < 1e-9 && fabs(va) < (off > 0.0 ? 25.0 : 1e-6));
        assert_true(off > 0.0 || fabs(apart - 5e-3) < 1e-6);
        scenario_close(&s);
    }
}

// Balls that pass by each other at 3 mm go on as if alone; without the look ahead each would stop the other.
static void balls_pass_by(void **state)
{
    for (int k = 0; k < 2; k++) {
        double worst = 0.0;
        for (int offset = 0; offset < 10; offset++) {
            scenario s = scenario_open(
                "gravity: [0, 0, 0]\n"
                "step: %g\n"
                "materials: {default: {density: 7800, friction: 0.5}}\n"
                "bodies:\n"
                "  a: {position: [%.17g, 0, 0], velocity: [100, 0, 0], shape: {sphere: {radius: 2.5 mm}}}\n"
                "  b: {position: [%.17g, 8 mm, 0], velocity: [-100, 0, 0], shape: {sphere: {radius: 2.5 mm}}}\n",
                STEPS[k], -0.9 - 0.117 * offset, 1.0 + 0.117 * offset);
            int a = scenario_body(&s, "a"), b = scenario_body(&s, "b");
            scenario_run(&s, 0.05);
            for (int axis = 0; axis < 3; axis++) {
                double start = axis == 0 ? 100.0 : 0.0;
                worst = fmax(worst, fabs(scenario_velocity(&s, a, axis) - start));
                worst = fmax(worst, fabs(scenario_velocity(&s, b, axis) + start));
            }
            scenario_close(&s);
        }
        check_below("change of velocity in passing [m/s]", worst, 1e-12);
    }
}

// A rod of 1 m turns at 25 rad/s, an eighth to a quarter of a radian a step: its ends do 12.5 m/s. A post of 1 cm,
// fixed or free, is in the way of one end. Seen from the rod it stays ahead wherever the rod is: it may leave past the
// end only.
static void rod_end_against_post(void **state)
{
    for (int trial = 0; trial < 32; trial++) {
        double angle = 0.7 + 0.05 * (trial % 8), step = STEPS[trial / 8 % 2];
        scenario s = scenario_open("gravity: [0, 0, 0]\n"
                                   "step: %g\n"
                                   "materials: {default: {density: 1000, friction: 0}}\n"
                                   "bodies:\n"
                                   "  post: {fixed: %s, position: [%.17g, %.17g, 0],\n"
                                   "         shape: {box: {size: [1 cm, 1 cm, 0.2]}}}\n"
                                   "  rod: {angular_velocity: [0, 0, 25], shape: {box: {size: [1, 1 cm, 1 cm]}}}\n",
                                   step, trial / 16 ? "false" : "true", 0.48 * cos(angle), 0.48 * sin(angle));
        int rod = scenario_body(&s, "rod"), post = scenario_body(&s, "post");
        int met = 0, jumps = 0;
        double last_along = 0.0, last_ahead = 1.0;
        for (int n = 0; n < 20; n++) {
            scenario_step(&s);
            double at[3], q[4], to[3], post_q[4];
            tn_state_body_pose(s.state, rod, at, q);
            tn_state_body_pose(s.state, post, to, post_q);
            double turn = 2.0 * atan2(q[3], q[0]), x = to[0] - at[0], y = to[1] - at[1];
            double along = cos(turn) * x + sin(turn) * y, ahead = cos(turn) * y - sin(turn) * x;
            met |= tn_sim_contact_count(s.sim) > 0;
            bool between = fmin(along, last_along) > 0.0 && fmax(along, last_along) < 0.5;
            jumps += between && last_ahead > 0.0 && ahead < 0.0;
            last_along = along;
            last_ahead = ahead;
        }
        if (trial % 8 == 0) {
            print_message("step %g ms, post %s: ", 1e3 * step, trial / 16 ? "free" : "fixed");
            check_below("times that the post came through", jumps, 0.0);
        }
        assert_true(met && jumps == 0);
        scenario_close(&s);
    }
}

// A plate comes up by 2.2 radii a step under balls at rest, one above the other, half a radius apart: within its first
// step it must push the first into the second, that one into the third. Nobody could know of these pairs at the step's
// start. They end one on the other, at the plate's speed. Slower, without new pairs, a step is solved once.
static void balls_thrown_against_balls(void **state)
{
    static const double SPEEDS[2] = {22.0, 0.4};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("gravity: [0, 0, 0]\n"
                                   "step: 10 ms\n"
                                   "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                                   "materials: {default: {density: 1000, friction: 0.5}}\n"
                                   "bodies:\n"
                                   "  plate: {motion: {position: [0, 0, \"%g*t - 0.11\"]},\n"
                                   "          shape: {box: {size: [1, 1, 0.2]}}}\n"
                                   "  ball: {position: [0, 0, 0.1], shape: {sphere: {radius: 0.1}},\n"
                                   "         array: {count: [1, 1, 4], spacing: [1, 1, 0.25]}}\n",
                                   SPEEDS[k]);
        int ball = scenario_body(&s, "plate") + 1, rounds = 0;
        double worst = 0.0;
        for (int n = 0; n < 3; n++) {
            scenario_step(&s);
            rounds = s.report.rounds > rounds ? s.report.rounds : rounds;
            for (int b = ball; b < ball + 3; b++) {
                worst = fmax(worst, 0.2 - (scenario_position(&s, b + 1, 2) - scenario_position(&s, b, 2)));
            }
        }
        print_message("plate at %g m/s: ", SPEEDS[k]);
        check_below("overlap of the balls [m]", worst, 1e-9);
        if (k == 0) {
            check_near("speed of the third ball [m/s]", scenario_velocity(&s, ball + 2, 2), SPEEDS[k], 1e-6);
        }
        assert_true(k == 0 ? rounds > 1 : rounds == 1);
        scenario_close(&s);
    }
}

// The same beside a top that torsional friction slows and an arm whose ball joint rubs: what is solved again must leave
// them their forces, moments too. The certificate of the whole step says so, and the work of friction.
static void bystanders_keep_their_forces(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\n"
                               "step: 10 ms\n"
                               "solver: {tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
                               "materials: {default: {density: 1000, friction: 0.5, torsion: 0.02}}\n"
                               "bodies:\n"
                               "  plate: {motion: {position: [0, 0, \"22*t - 0.11\"]},\n"
                               "          shape: {box: {size: [1, 1, 0.2]}}}\n"
                               "  slab: {fixed: true, position: [9, 0, -0.1], shape: {box: {size: [1, 1, 0.2]}}}\n"
                               "  top: {position: [9, 0, 0.1], angular_velocity: [0, 0, 30],\n"
                               "        shape: {sphere: {radius: 0.1}}}\n"
                               "  arm: {position: [5, 0, -0.3], angular_velocity: [1, 0, 3],\n"
                               "        shape: {box: {size: [0.1, 0.1, 0.6]}}}\n"
                               "  ball: {position: [0, 0, 0.1], shape: {sphere: {radius: 0.1}},\n"
                               "         array: {count: [1, 1, 4], spacing: [1, 1, 0.25]}}\n"
                               "joints:\n"
                               "  hook: {type: spherical, a: arm, b: world, point_a: [0, 0, 0.3], friction: 0.5}\n");
    scenario_step(&s);
    const double h = 0.01, mass = 1000.0 * 4.0 / 3.0 * PI * 1e-3, inertia = 0.4 * mass * 0.01;
    check_near("spin of the top [rad/s]", scenario_spin(&s, scenario_body(&s, "top"), 2),
               30.0 - 0.02 * mass * GRAVITY * h / inertia, 1e-9);
    assert_true(s.report.rounds > 1);
    check_below("natural figure", s.report.solve.certificate.natural, 1e-10);
    check_below("momentum", s.report.solve.certificate.momentum, 1e-10);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_against_plate),
        cmocka_unit_test(ellipsoid_against_plate),
        cmocka_unit_test(ball_against_ball),
        cmocka_unit_test(balls_pass_by),
        cmocka_unit_test(rod_end_against_post),
        cmocka_unit_test(balls_thrown_against_balls),
        cmocka_unit_test(bystanders_keep_their_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
