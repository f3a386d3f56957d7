// Dry friction of spherical and planar joints: it sticks without creeping, is the same in all directions, stops what
// moves when it should, and takes as much energy as it should.
#include "scenario.h"

#include "state/state.h"

#include "math/quat.h"
#include "math/vec3.h"

#include "base/random.h"

static const char *const HEAD = "step: 1 ms\ngravity: %s\nsolver: {tolerance: {natural: 1e-12, joint: 1e-12}}\n";

static void find_direction(int k, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = tn_random_uniform(5, (uint64_t)k, (uint64_t)i) - 0.5;
    }
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
}

static tn_joint_info look(const scenario *s)
{
    tn_joint_info info;
    tn_sim_joint(s->sim, s->state, 0, &info);
    return info;
}

// ---- sphere

// A weight of 1 kg, 0.2 m beside the joint: its moment is 1.962 N m.
static scenario open_arm(const char *friction)
{
    char text[400];
    snprintf(text, sizeof text, HEAD, "[0, 0, -9.81]");
    return scenario_open("%sbodies: {arm: {position: [0.2, 0, 0], mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
                         "joints: {j: {type: spherical, b: arm, anchor: [0, 0, 0], friction: %s}}\n",
                         text, friction);
}

static void a_pendulum_sticks_within_its_friction(void **state)
{
    scenario s = open_arm("1.963 N m");
    int arm = scenario_body(&s, "arm");
    double off = 0.0, speed = 0.0;
    for (int k = 0; k < 1000; k++) {
        scenario_step(&s);
        off = fmax(off, fabs(scenario_position(&s, arm, 2)));
        speed = fmax(speed, fabs(scenario_velocity(&s, arm, 2)));
    }
    tn_joint_info info = look(&s);
    check_below("moved by [m]", off, 1e-9);
    check_below("speed [m/s]", speed, 1e-11);
    check_near("moment that holds it [N m]", info.torque[1], -1.962, 1e-9);
    assert_int_equal(tn_sim_contact_count(s.sim), 0);
    scenario_close(&s);

    s = open_arm("1.961 N m");
    scenario_steps(&s, 100);
    double beta = (1.962 - 1.961) / (1.0 * 0.2 * 0.2 + 1e-3), fall = 0.2 * 0.5 * beta * 0.1 * 0.1;
    check_near("below its friction's reach it falls by [m]", -scenario_position(&s, arm, 2), fall, 0.02 * fall);
    scenario_close(&s);
}

// A ball on a ball joint at its center stops at I omega / T about whatever axis it spins.
static void it_stops_about_any_axis_in_the_same_time(void **state)
{
    const double I = 0.01, T = 0.05, omega = 3.14159;
    double at_least = 1e9, at_most = 0.0, books = 0.0, aside = 0.0;
    for (int trial = 0; trial < 20; trial++) {
        double axis[3], v[3], w[3];
        char text[400];
        find_direction(trial, axis);
        snprintf(text, sizeof text, HEAD, "[0, 0, 0]");
        scenario s = scenario_open("%sbodies:\n  ball: {mass: 1, inertia: [%g, %g, %g], angular_velocity: "
                                   "[%.17g, %.17g, %.17g]}\n"
                                   "joints: {j: {type: spherical, b: ball, friction: %g N m}}\n",
                                   text, I, I, I, omega * axis[0], omega * axis[1], omega * axis[2], T);
        int ball = scenario_body(&s, "ball");
        double before = 0.5 * I * omega * omega, path = 0.0;
        double speed = omega, stopped = 0.0;
        for (int k = 1; k <= 1000; k++) {
            scenario_step(&s);
            tn_state_body_velocity(s.state, ball, v, w);
            double now = tn_vec3_norm(w);
            path += 0.5e-3 * (speed + now);
            tn_vec3_madd(w, w, -tn_vec3_dot(w, axis), axis);
            aside = fmax(aside, tn_vec3_norm(w));
            // Within the last step it stops: the rest of its speed over its rate.
            stopped = now < 1e-12 && stopped == 0.0 ? 1e-3 * (k - 1) + speed * I / T : stopped;
            speed = now;
        }
        at_least = fmin(at_least, stopped);
        at_most = fmax(at_most, stopped);
        // Of the last step the friction is less, with the same work: what was left.
        books = fmax(books, fabs(s.report.energy.dissipated - before) / before);
        check_near("path [rad]", path, 0.5 * omega * omega * I / T, 1e-3);
        scenario_close(&s);
    }
    check_near("earliest stop [s]", at_least, I * omega / T, 1e-9);
    check_near("latest stop [s]", at_most, I * omega / T, 1e-9);
    check_below("spin beside its axis [rad/s]", aside, 1e-11);
    check_below("dissipated, off by", books, 1e-9);
}

// Dissipated is torque times angle, step by step, and the books close, for a body of any shape.
static void books_of_a_tumbling_body_close(void **state)
{
    char text[400];
    snprintf(text, sizeof text, HEAD, "[0, 0, -9.81]");
    scenario s = scenario_open("%sbodies: {arm: {position: [0.2, 0, 0], mass: 1, inertia: [2e-3, 3e-3, 4e-3], "
                               "velocity: [0, 0.6, 0], angular_velocity: [2, 0, 3]}}\n"
                               "joints: {j: {type: spherical, b: arm, anchor: [0, 0, 0], friction: 0.1 N m}}\n",
                               text);
    double worst = 0.0, lost = 0.0, before[3], v[3];
    int arm = scenario_body(&s, "arm");
    tn_state_body_velocity(s.state, arm, v, before);
    for (int k = 0; k < 500; k++) {
        double after[3], mean[3];
        scenario_step(&s);
        tn_state_body_velocity(s.state, arm, v, after);
        tn_vec3_add(mean, before, after);
        tn_joint_info info = look(&s);
        lost -= 0.5e-3 * tn_vec3_dot(info.torque, mean);
        tn_vec3_copy(before, after);
        worst = fmax(worst, fabs(tn_vec3_norm(info.torque) - 0.1));
    }
    check_below("friction, off by [N m]", worst, 1e-9);
    check_near("dissipated [J]", s.report.energy.dissipated, lost, 1e-5 * lost);
    scenario_close(&s);
}

// coefficient and radius: the weight hangs on the joint, 9.81 N at a radius of 0.1 m with 0.5 bears 0.4905 N m more.
static void it_grows_with_the_load(void **state)
{
    const char *const frictions[] = {"{coefficient: 0.5, radius: 0.1}",
                                     "{torque: 0.2 N m, coefficient: 0.5, radius: 0.1}"};
    const double least[] = {0.0, 0.2};
    for (int i = 0; i < 2; i++) {
        scenario s =
            scenario_open("step: 1 ms\nsolver: {tolerance: {natural: 1e-12, joint: 1e-12}}\n"
                          "bodies: {ball: {mass: 1, inertia: [0.01, 0.01, 0.01], angular_velocity: [30, 40, 120]}}\n"
                          "joints: {j: {type: spherical, b: ball, friction: %s}}\n",
                          frictions[i]);
        scenario_steps(&s, 10);
        check_near("friction [N m]", tn_vec3_norm(look(&s).torque), least[i] + 0.5 * 0.1 * 9.81, 1e-9);
        check_near("force [N]", look(&s).force[2], 9.81, 1e-9);
        scenario_close(&s);
    }
}

// ---- plane

// A plate of 2 kg on the plane z = 0 at 3 m/s with a friction of 4 N: straight on, 2 m/s^2.
static void a_plate_slides_straight_whatever_its_direction(void **state)
{
    double bent = 0.0, off = 0.0, books = 0.0, rest = 0.0;
    static const char *const kinds[] = {"planar", "point_on_plane"};
    for (int trial = 0; trial < 20; trial++) {
        double angle = 2.0 * PI * tn_random_uniform(6, (uint64_t)trial, 0), c = cos(angle), d = sin(angle);
        char text[400];
        snprintf(text, sizeof text, HEAD, "[0, 0, -9.81]");
        scenario s = scenario_open("%sbodies: {plate: {mass: 2, inertia: [1, 1, 1], velocity: [%.17g, %.17g, 0]}}\n"
                                   "joints: {j: {type: %s, b: plate, axis: [0, 0, 1], friction: {force: 4 N}}}\n",
                                   text, 3.0 * c, 3.0 * d, kinds[trial % 2]);
        int plate = scenario_body(&s, "plate");
        for (int k = 1; k <= 2000; k++) {
            scenario_step(&s);
            double x = scenario_position(&s, plate, 0), y = scenario_position(&s, plate, 1);
            double u = scenario_velocity(&s, plate, 0), v = scenario_velocity(&s, plate, 1), t = 1e-3 * k;
            bent = fmax(bent, fabs(y * c - x * d));
            off = fmax(off, fabs(u * c + v * d - fmax(0.0, 3.0 - 2.0 * t)));
            tn_joint_info info = look(&s);
            rest = k > 1600 ? fmax(rest, sqrt(u * u + v * v)) : rest;
            if (k == 1000) {
                check_near("effort [N]", sqrt(info.effort[0] * info.effort[0] + info.effort[1] * info.effort[1]), 4.0,
                           1e-9);
                check_near("force along its way [N]", info.force[0] * c + info.force[1] * d, -4.0, 1e-9);
                assert_int_equal(info.condition[0], TN_JOINT_FREE);
            } else if (k == 2000) {
                assert_int_equal(info.condition[0], TN_JOINT_STUCK);
                assert_int_equal(info.condition[1], TN_JOINT_STUCK);
            }
        }
        books = fmax(books, fabs(s.report.energy.dissipated - 9.0) / 9.0);
        scenario_close(&s);
    }
    check_below("beside its straight way [m]", bent, 1e-11);
    check_below("speed, off by [m/s]", off, 1e-9);
    check_below("speed once it has stopped [m/s]", rest, 1e-11);
    check_below("dissipated, off by", books, 1e-9);
}

// On a plane of 30 degrees a block's coefficient decides whether it slides; the first step knows no load yet.
static void a_plate_on_a_slope_obeys_its_coefficient(void **state)
{
    const double mu[] = {0.6, 0.5};
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open("step: 1 ms\nsolver: {tolerance: {natural: 1e-12, joint: 1e-12}}\n"
                                   "bodies: {plate: {mass: 2, inertia: [1, 1, 1]}}\n"
                                   "joints: {j: {type: planar, b: plate, axis: [-0.5, 0, 0.86602540378443865], "
                                   "friction: {coefficient: %g}}}\n",
                                   mu[i]);
        int plate = scenario_body(&s, "plate");
        double g = 9.81, slope = g * (0.5 - mu[i] * sqrt(0.75));
        scenario_steps(&s, 1000);
        double v = hypot(scenario_velocity(&s, plate, 0), scenario_velocity(&s, plate, 2));
        check_near("speed after 1 s [m/s]", v, slope > 0.0 ? slope * 0.999 + 1e-3 * g * 0.5 : 0.0, 1e-9);
        scenario_close(&s);
    }
}

// Grooves along x: 2 N along, 6 N across. Pushed by a force it takes the direction that the ellipse's normal has: f_i =
// -b_i^2 y_i / |(b_1 y_1, b_2 y_2)|, and sticks where the force is within the ellipse.
static void a_plate_in_grooves_slides_along_them(void **state)
{
    const char *const text =
        "step: 1 ms\ngravity: [0, 0, -9.81]\n"
        "solver: {tolerance: {natural: 1e-12, joint: 1e-12}}\n"
        "bodies: {plate: {mass: 2, inertia: [1, 1, 1], velocity: [%.17g, %.17g, 0], force: [%.17g, "
        "%.17g, 0]}}\n"
        "joints: {j: {type: planar, b: plate, axis: [0, 0, 1], axis2: [1, 0, 0], friction: {%s}}}\n";
    const char *const frictions[] = {"force: [2 N, 6 N]", "coefficient: [%.17g, %.17g]"};
    double off = 0.0, books = 0.0;
    for (int trial = 0; trial < 20; trial++) {
        double angle = 2.0 * PI * tn_random_uniform(7, (uint64_t)trial, 0), c = cos(angle), d = sin(angle);
        char by_load[200];
        snprintf(by_load, sizeof by_load, frictions[1], 2.0 / 19.62, 6.0 / 19.62);
        scenario s = scenario_open(text, 3.0 * c, 3.0 * d, 0.0, 0.0, trial % 2 ? by_load : frictions[0]);
        int plate = scenario_body(&s, "plate");
        double lost = 0.0;
        for (int k = 1; k <= 500; k++) {
            double before[2] = {scenario_velocity(&s, plate, 0), scenario_velocity(&s, plate, 1)};
            scenario_step(&s);
            double u = scenario_velocity(&s, plate, 0), v = scenario_velocity(&s, plate, 1);
            double size = sqrt(4.0 * u * u + 36.0 * v * v);
            tn_joint_info info = look(&s);
            lost -= 0.5e-3 * (info.force[0] * (before[0] + u) + info.force[1] * (before[1] + v));
            if (size > 1e-6 && (k > 1 || trial % 2 == 0)) { // the first step knows no load yet
                off = fmax(off, fabs(info.force[0] + 4.0 * u / size));
                off = fmax(off, fabs(info.force[1] + 36.0 * v / size));
                off = fmax(off, fabs(info.effort[0] - info.force[0]) + fabs(info.effort[1] - info.force[1]));
            }
        }
        books = fmax(books, fabs(s.report.energy.dissipated - lost) / lost);
        scenario_close(&s);

        for (int inside = 0; inside < 2; inside++) {
            double part = inside ? 1.0 - 1e-6 : 1.0 + 1e-6;
            s = scenario_open(text, 0.0, 0.0, part * 2.0 * c, part * 6.0 * d, frictions[0]);
            plate = scenario_body(&s, "plate");
            scenario_steps(&s, 100);
            double way = hypot(scenario_position(&s, plate, 0), scenario_position(&s, plate, 1));
            assert_true(inside ? way < 1e-15 : way > 1e-9);
            assert_int_equal(look(&s).condition[0], inside ? TN_JOINT_STUCK : TN_JOINT_FREE);
            scenario_close(&s);
        }
    }
    check_below("friction, off the ellipse's normal [N]", off, 1e-8);
    check_below("dissipated, off by", books, 1e-9);
}

// ---- in company

// The joint is carried by a kinematic body that turns: friction drags the ball along, and the drive brings in the work.
static void a_drive_drags_the_ball_along(void **state)
{
    char text[400];
    snprintf(text, sizeof text, HEAD, "[0, 0, 0]");
    scenario s = scenario_open("%sbodies:\n"
                               "  hand: {motion: {angle: 2 * t}}\n"
                               "  ball: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
                               "joints: {j: {type: spherical, a: hand, b: ball, friction: 0.05 N m}}\n",
                               text);
    int ball = scenario_body(&s, "ball");
    double v[3], w[3];
    scenario_steps(&s, 200);
    tn_state_body_velocity(s.state, ball, v, w);
    check_near("spin half-way [rad/s]", w[2], 1.0, 1e-9);
    scenario_steps(&s, 400);
    tn_state_body_velocity(s.state, ball, v, w);
    check_near("spin at the end [rad/s]", w[2], 2.0, 1e-9);
    // T 2 rad/s 0.4 s go in, half becomes motion.
    check_near("injected [J]", s.report.energy.injected, 0.04, 1e-9);
    check_near("dissipated [J]", s.report.energy.dissipated, 0.02, 1e-9);
    scenario_close(&s);
}

// Besides contacts and their rolling friction, with every law: the joint's friction comes last and is no contact.
static void it_goes_with_contacts(void **state)
{
    static const char *const settings[] = {"", "law: convex\n", "law: frictionless\n", "solver: {facets: 8}\n",
                                           "restitution_law: poisson\n"};
    for (int i = 0; i < 5; i++) {
        scenario s = scenario_open("step: 1 ms\n%s"
                                   "materials: {m: {density: 1000, friction: 0.5, restitution: 0.5%s}}\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {normal: [0, 0, 1]}}, material: m}\n"
                                   "  ball: {position: [0, 0, 0.1], shape: {sphere: {radius: 0.1}}, material: m}\n"
                                   "  drop: {position: [3, 0, 0.2], shape: {sphere: {radius: 0.1}}, material: m}\n"
                                   "  arm: {position: [0.2, 0, 2], mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n"
                                   "joints: {j: {type: spherical, b: arm, anchor: [0, 0, 2], friction: 1.97 N m}}\n",
                                   settings[i], i == 0 ? ", rolling: 1 mm" : "");
        int arm = scenario_body(&s, "arm"), most = 0;
        double off = 0.0;
        for (int k = 0; k < 500; k++) {
            scenario_step(&s);
            off = fmax(off, fabs(scenario_position(&s, arm, 2) - 2.0));
            most = tn_sim_contact_count(s.sim) > most ? tn_sim_contact_count(s.sim) : most;
        }
        printf("%s", settings[i]);
        check_below("arm moved by [m]", off, 1e-6);
        assert_int_equal(most, 2);
        scenario_close(&s);
    }
}

// A chain of thirty links that stands out stiffly to the side, its solves good to the usual tolerance.
static void a_long_chain_is_solved(void **state)
{
    char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text, "step: 1 ms\nbodies:\n");
    for (int i = 0; i < 30; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  l%d: {position: [%g, 0, 0], mass: 0.1, inertia: [1e-5, 1e-4, 1e-4]}\n", i,
                                 0.1 * i + 0.05);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
    for (int i = 0; i < 30; i++) {
        char a[8] = "world";
        if (i > 0) {
            snprintf(a, sizeof a, "l%d", i - 1);
        }
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  j%d: {type: spherical, a: %s, b: l%d, anchor: [%g, 0, 0], friction: 0.5 N m}\n", i,
                                 a, i, 0.1 * i);
    }
    scenario s = scenario_open("%s", text);
    double before = -1e9, gained = 0.0;
    for (int k = 0; k < 200; k++) {
        scenario_step(&s);
        const tn_energy *e = &s.report.energy;
        double now = e->kinetic + e->gravity;
        gained = k > 0 ? fmax(gained, now - before) : 0.0;
        before = now;
    }
    check_below("natural", s.worst_natural, 1e-6);
    check_below("energy gained in a step [J]", gained, 1e-6);
    scenario_close(&s);
}

// Fifteen capsules on a string whose joints rub fall on a floor: sweeps over joints alone miss by 0.08.
static void a_chain_on_the_floor_is_solved(void **state)
{
    char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "step: 2 ms\nmaterials: {m: {density: 1000, friction: 0.5}}\nbodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {normal: [0, 0, 1]}}, material: m}\n");
    for (int i = 0; i < 15; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  l%d: {position: [%g, 0, %g], shape: {capsule: {radius: 0.02, length: 0.06}}, "
                                 "rotation: {axis: [0, 1, 0], angle: 90 deg}, material: m}\n",
                                 i, 0.1 * i + 0.05, 0.2 + 0.01 * i);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
    for (int i = 1; i < 15; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  j%d: {type: spherical, a: l%d, b: l%d, anchor: [%g, 0, %g], friction: 0.02 N m}\n",
                                 i, i - 1, i, 0.1 * i, 0.195 + 0.01 * i);
    }
    scenario s = scenario_open("%s", text);
    scenario_run(&s, 1.0);
    check_below("natural", s.worst_natural, 1e-3);
    scenario_close(&s);
}

// A step after a checkpoint is the step that would have been.
static void a_checkpoint_goes_on(void **state)
{
    scenario s = open_arm("1 N m");
    scenario_steps(&s, 20);
    tn_error error = {0};
    scenario other = {
        .model = s.model, .state = tn_state_create(s.model, &error), .sim = tn_sim_create(s.model, &error)};
    assert_non_null(other.state);
    assert_non_null(other.sim);
    assert_int_equal(tn_state_copy(other.state, s.state, &error), TN_OK);
    for (int k = 0; k < 20; k++) {
        scenario_step(&s);
        scenario_step(&other);
    }
    assert_true(tn_state_hash(s.state) == tn_state_hash(other.state));
    tn_sim_destroy(other.sim);
    tn_state_destroy(other.state);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_sticks_within_its_friction),
        cmocka_unit_test(it_stops_about_any_axis_in_the_same_time),
        cmocka_unit_test(books_of_a_tumbling_body_close),
        cmocka_unit_test(it_grows_with_the_load),
        cmocka_unit_test(a_plate_slides_straight_whatever_its_direction),
        cmocka_unit_test(a_plate_on_a_slope_obeys_its_coefficient),
        cmocka_unit_test(a_plate_in_grooves_slides_along_them),
        cmocka_unit_test(a_drive_drags_the_ball_along),
        cmocka_unit_test(it_goes_with_contacts),
        cmocka_unit_test(a_long_chain_is_solved),
        cmocka_unit_test(a_chain_on_the_floor_is_solved),
        cmocka_unit_test(a_checkpoint_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
