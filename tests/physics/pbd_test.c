// Scheme pbd: closed forms of free flight, springs, pendulum, impact and friction; order in the substep; momentum; a
// stack; rods; what its certificate shows; what it refuses.
#include "scenario.h"

#include "base/memory.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>
#include <unistd.h>

#define PBD "scheme: pbd\n"

// Falling in parts of h: z = v t - g t (t + h)/2 to rounding.
static void test_free_flight(void **unused)
{
    scenario s = scenario_open(PBD "pbd: 10\nbodies: {ball: {velocity: [1, 0, 5], shape: {sphere: 0.1}}}\n");
    int ball = scenario_body(&s, "ball");
    scenario_run(&s, 1.0);
    check_near("way [m]", scenario_position(&s, ball, 0), 1.0, 1e-12);
    check_near("height [m]", scenario_position(&s, ball, 2), 5.0 - 0.5 * GRAVITY * (1.0 + 1e-3), 1e-11);
    check_near("speed [m/s]", scenario_velocity(&s, ball, 2), 5.0 - GRAVITY, 1e-12);
    check_below("momentum figure", s.report.solve.certificate.momentum, 1e-12);
    double m = tn_model_body_mass(s.model, ball), lost = m * GRAVITY * GRAVITY * 1e-4 / 20.0; // of first order
    check_near("energy of a step that is lost to the scheme [J]", -s.report.energy.balance, lost, 1e-9);
    assert_string_equal(s.report.solve.solver, "pbd");
    assert_int_equal(s.report.solve.iterations, 10);
    scenario_close(&s);
}

// A brick that tumbles freely keeps its energy and angular momentum.
static void test_tumbling(void **unused)
{
    scenario s = scenario_open(
        PBD "gravity: [0, 0, 0]\nbodies: {brick: {angular_velocity: [0.1, 6, 0.1], shape: {box: [0.1, 0.2, 0.3]}}}\n");
    scenario_step(&s);
    tn_energy first = s.report.energy;
    scenario_run(&s, 3.0);
    check_near("kinetic energy", s.report.energy.kinetic / first.kinetic, 1.0, 1e-10);
    for (int i = 0; i < 3; i++) {
        check_near("angular momentum", s.report.energy.angular_momentum[i] / first.angular_momentum[1],
                   first.angular_momentum[i] / first.angular_momentum[1], 1e-10);
    }
    scenario_close(&s);
}

// A weight on a spring comes to rest at m g/k below, whatever the step, the rounds and the stiffness.
static void test_spring_at_rest(void **unused)
{
    const double stiffness[] = {1e2, 1e5, 1e8};
    for (int k = 0; k < 3; k++) {
        double K = stiffness[k], m = 2.0;
        scenario s =
            scenario_open(PBD "pbd: {substeps: 5, iterations: %d}\nbodies: {ball: {position: [0, 0, -1], mass: %g, "
                              "inertia: [1, 1, 1], shape: {sphere: 0.1, collides: false}}}\nsprings: {wire: {a: ball, "
                              "stiffness: %g, damping: %g, rest_length: 1}}\n",
                          k + 1, m, K, 0.5 * sqrt(K * m));
        scenario_run(&s, 20.0);
        double down = -1.0 - scenario_position(&s, scenario_body(&s, "ball"), 2);
        check_near("stretch over m g/k", down * K / (m * GRAVITY), 1.0, 1e-9);
        scenario_close(&s);
    }
}

// theta'' = -m g l/(m l^2 + I) sin(theta), m = l = 1, I = 0.01, by Runge-Kutta.
static double swing(double theta, double time)
{
    enum { N = 20000 };
    double w = 0.0, h = time / N;
    for (int i = 0; i < N; i++) {
        double k[4], a[4], t = theta, v = w;
        for (int j = 0; j < 4; j++) {
            double part = j == 0 ? 0.0 : j == 3 ? h : 0.5 * h;
            t = theta + (j == 0 ? 0.0 : part * k[j - 1]);
            v = w + (j == 0 ? 0.0 : part * a[j - 1]);
            k[j] = v;
            a[j] = -GRAVITY / 1.01 * sin(t);
        }
        theta += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]);
        w += h / 6.0 * (a[0] + 2.0 * a[1] + 2.0 * a[2] + a[3]);
    }
    return theta;
}

// Where a pendulum that starts level is after a second, less where it ought to be [rad]; *drift of its joint.
static double pendulum(int substeps, double *drift)
{
    scenario s = scenario_open(
        PBD "pbd: %d\nbodies: {bob: {position: [1, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01], shape: {sphere: 0.1, "
            "collides: false}}}\njoints: {pin: {type: revolute, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0]}}\n",
        substeps);
    scenario_run(&s, 1.0);
    int bob = scenario_body(&s, "bob");
    double theta = atan2(scenario_position(&s, bob, 0), -scenario_position(&s, bob, 2));
    *drift = s.report.solve.certificate.drift;
    scenario_close(&s);
    return theta - swing(0.5 * PI, 1.0);
}

static void test_pendulum(void **unused)
{
    double drift, coarse = pendulum(10, &drift), fine = pendulum(20, &drift), finest = pendulum(40, &drift);
    check_below("off with 40 substeps [rad]", fabs(finest), 5e-3);
    check_near("order from 10 to 20 substeps", log2(coarse / fine), 1.0, 0.1);
    check_near("order from 20 to 40 substeps", log2(fine / finest), 1.0, 0.1);
    check_below("drift of the joint [m]", drift, 1e-6);
}

// The force in the pin of a pendulum that hangs is its weight; a limit holds it aside; its spring holds a moment.
static void test_joint_forces(void **unused)
{
    scenario s = scenario_open(
        PBD "bodies:\n  bob: {position: [0, 0, -1], mass: 2, inertia: [0.1, 0.1, 0.1], shape: {sphere: 0.1, collides: "
            "false}}\n  bar: {position: [1, 2, 0], mass: 2, inertia: [0.1, 0.1, 0.1], shape: {sphere: 0.1, collides: "
            "false}}\njoints:\n  pin: {type: spherical, b: bob, anchor: [0, 0, 0]}\n  stop: {type: revolute, b: bar, "
            "anchor: [0, 2, 0], axis: [0, -1, 0], turn: {limits: [-0.1, infinite]}}\n");
    tn_joint_info pin, stop;
    scenario_run(&s, 3.0);
    tn_sim_joint(s.sim, s.state, 0, &pin);
    tn_sim_joint(s.sim, s.state, 1, &stop);
    check_near("force of the pin [N]", pin.force[2], 2.0 * GRAVITY, 1e-9);
    check_near("force of the stopped pin [N]", stop.force[2], 2.0 * GRAVITY, 1e-6);
    double angle[3], rate[3];
    tn_state_joint(s.state, 1, angle, rate);
    check_near("angle of the stop [rad]", angle[0], -0.1, 1e-9);
    scenario_close(&s);
}

// Two rods fly into one another, nothing acts from outside: momentum to rounding, angular momentum as the step says.
static double turned_momentum(double step)
{
    scenario s = scenario_open(
        PBD "gravity: [0, 0, 0]\nstep: %g\nrods:\n  one: {points: [[-0.1, 0, 0], [0.1, 0, 0]], segments: 10, radius: 1 "
            "cm, young: 0.1 MPa, density: 1000, velocity: [0, 0, 1]}\n  two: {points: [[0.05, -0.1, 0.03], [0.05, 0.1, "
            "0.03]], segments: 10, radius: 1 cm, young: 0.1 MPa, density: 1000}\n",
        step);
    double m = 1000.0 * PI * 1e-4 * 0.2, turned = 0.0, most = 0.0, first[3] = {0.0, 0.0, 0.0};
    int touched = 0;
    for (int i = 0; i < 0.12 / step; i++) {
        scenario_step(&s);
        const tn_energy *e = &s.report.energy;
        touched += tn_sim_contact_count(s.sim) > 0;
        tn_vec3_copy(first, i == 0 ? e->angular_momentum : first);
        most = fmax(most, hypot(hypot(e->momentum[0], e->momentum[1]), e->momentum[2] - m));
        for (int k = 0; k < 3; k++) {
            turned = fmax(turned, fabs(e->angular_momentum[k] - first[k]));
        }
    }
    assert_true(touched > 0 && scenario_velocity(&s, scenario_body(&s, "two[5]"), 2) > 0.1);
    check_below("momentum [N s]", most, 1e-14);
    scenario_close(&s);
    return turned / (m * 0.05);
}

static void test_momentum(void **unused)
{
    double coarse = turned_momentum(2e-3), fine = turned_momentum(0.25e-3);
    check_below("angular momentum at 2 ms, of what there is", coarse, 2e-3);
    check_below("that at 0.25 ms over it", fine / coarse, 0.25);
}

// e^2 of the height; the rebound of a ball that rolls on an edge is left to the gallery.
static void test_bounce(void **unused)
{
    scenario s = scenario_open(
        PBD "step: 1 ms\nmaterials: {rubber: {restitution: 0.5}}\nbodies:\n  floor: {fixed: true, material: rubber, "
            "shape: {plane: {}}}\n  ball: {position: [0, 0, 1.1], material: rubber, shape: {sphere: 0.1}}\n");
    int ball = scenario_body(&s, "ball");
    double top = 0.0;
    bool up = false;
    for (int i = 0; i < 800; i++) {
        scenario_step(&s);
        up = up || scenario_velocity(&s, ball, 2) > 0.0;
        top = up ? fmax(top, scenario_position(&s, ball, 2) - 0.1) : 0.0;
    }
    check_near("height of the bounce [m]", top, 0.25, 0.005);
    scenario_close(&s);
}

// A box on a slope of friction 0.3, alone in a second. Below its angle it creeps by a part of what gravity adds in a
// substep, as friction knows places of the substep alone; above it goes at g (sin - mu cos).
static double slide(double angle, int substeps, double *speed)
{
    scenario s = scenario_open(PBD "pbd: %d\ngravity: [%.17g, 0, %.17g]\nmaterials: {wood: {friction: 0.3}}\nbodies:\n "
                                   " floor: {fixed: true, material: wood, shape: {plane: {}}}\n  box: {position: [0, "
                                   "0, 0.05], material: wood, shape: {box: [0.4, 0.4, 0.1]}}\n",
                               substeps, GRAVITY * sin(angle), -GRAVITY * cos(angle));
    int box = scenario_body(&s, "box");
    double force[3];
    scenario_run(&s, 1.0);
    scenario_force(&s, 1, box, force);
    check_near("normal force over weight", force[2] / (16.0 * GRAVITY * cos(angle)), 1.0, 0.01);
    *speed = scenario_velocity(&s, box, 0);
    double way = scenario_position(&s, box, 0);
    scenario_close(&s);
    return way;
}

static void test_friction(void **unused)
{
    double speed, a = GRAVITY * (sin(0.5) - 0.3 * cos(0.5)), way = slide(0.5, 20, &speed);
    check_near("speed of what slides [m/s]", speed, a, 0.01 * a);
    check_near("its way [m]", way, 0.5 * a, 0.01 * a);
    double coarse = slide(0.2, 20, &speed), fine = slide(0.2, 80, &speed);
    check_below("creep, 20 substeps, over g h", coarse / (GRAVITY * 5e-4), 0.3);
    check_below("creep of 80 substeps over it", fine / coarse, 0.5);
}

// Ten boxes stand for five seconds.
static void test_stack(void **unused)
{
    char boxes[4096] = "";
    for (int i = 0; i < 10; i++) {
        size_t used = strlen(boxes);
        snprintf(boxes + used, sizeof boxes - used, "  box%d: {position: [0, 0, %g], shape: {box: [0.2, 0.2, 0.2]}}\n",
                 i, 0.1 + 0.2 * i);
    }
    scenario s = scenario_open(PBD "pbd: 40\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n%s", boxes);
    scenario_run(&s, 5.0);
    int top = scenario_body(&s, "box9"), bottom = scenario_body(&s, "box0");
    double force[3];
    scenario_force(&s, 1, bottom, force);
    check_near("height of the top box [m]", scenario_position(&s, top, 2), 1.9, 1e-3);
    check_below("its speed [m/s]", fabs(scenario_velocity(&s, top, 2)), 1e-3);
    check_below("its tilt [rad]", scenario_tilt(&s, top), 1e-3);
    check_near("force on the floor over the weight", force[2] / (10.0 * 8.0 * GRAVITY), 1.0, 0.02);
    check_below("deepest overlap [m]", s.report.solve.certificate.penetration, 1e-4);
    scenario_close(&s);
}

// A rod whose end is drawn away by a hundredth pulls with E A e; one round a substep finds it to first order in the
// substep, as dampers feel the rates of rounds that are not finished.
static double pulled(int substeps)
{
    scenario s =
        scenario_open(PBD "pbd: %d\ngravity: [0, 0, 0]\nbodies: {hand: {shape: {sphere: 1 cm, collides: false}, "
                          "motion: {position: [\"1 + 0.01*clamp(t, 0, 1)\", 0, 0]}}}\nrods: {rod: {points: [[0, 0, 0], "
                          "[1, 0, 0]], segments: 20, radius: 1 cm, young: 1 MPa, density: 1000, collides: false, "
                          "damping: 1 ms, start: clamped, end: {hold: clamped, to: hand}}}\n",
                      substeps);
    scenario_run(&s, 5.0);
    tn_joint_info root;
    tn_sim_joint(s.sim, s.state, 0, &root);
    scenario_close(&s);
    return fabs(root.force[0]) / (1e6 * PI * 1e-4 * 0.01) - 1.0;
}

static void test_rod(void **unused)
{
    double coarse = pulled(50), fine = pulled(200);
    check_near("pull over E A e, less 1, 200 substeps", fine, 0.0, 0.03);
    check_near("order from 50 to 200 substeps", 0.5 * log2(coarse / fine), 1.0, 0.15);
}

// A cantilever under a force at its tip: P l^3/(3 E I) + P l/(k G A), as in rod_test.c.
static double bent(int substeps)
{
    int n = 5;
    double P = 1e-4, EI = 1e6 * 0.25 * PI * 1e-8, quarter = 0.25 / n, x[3], q[4], tip[3];
    const double own[3] = {0.0, 0.0, quarter};
    scenario s = scenario_open(
        PBD "pbd: %d\ngravity: [0, 0, 0]\nrods: {rod: {points: [[0, 0, 0], [1, 0, 0]], segments: %d, radius: 1 cm, "
            "young: 1 MPa, poisson: 0.25, density: 10, collides: false, damping: 50 ms, start: clamped}}\n",
        substeps, n);
    double *wrench = calloc(6 * (size_t)tn_model_body_count(s.model), sizeof *wrench);
    assert_non_null(wrench);
    wrench[6 * n + 2] = P;
    wrench[6 * n + 4] = -P * quarter;
    const tn_input input = {.wrench = wrench};
    s.input = &input;
    scenario_run(&s, 12.0);
    tn_state_body_pose(s.state, scenario_body(&s, "rod[4]"), x, q);
    tn_quat_rotate(tip, q, own);
    free(wrench);
    scenario_close(&s);
    return (x[2] + tip[2]) / (P / (3.0 * EI) + P / (6.0 * 1.25 / 8.5 * 4e5 * PI * 1e-4)) - 1.0;
}

static void test_cantilever(void **unused)
{
    double coarse = bent(40), fine = bent(160);
    check_near("deflection over theory, less 1, 160 substeps", fine, 0.0, 0.06);
    check_near("order from 40 to 160 substeps", 0.5 * log2(coarse / fine), 1.0, 0.15);
}

// What a step does not hold its certificate does not claim: few rounds on a heavy chain.
static double hanging(int substeps, bool *held)
{
    char links[4096] = "", joints[4096] = "";
    for (int i = 0; i < 8; i++) {
        size_t used = strlen(links);
        snprintf(links + used, sizeof links - used,
                 "  link%d: {position: [%g, 0, 0], mass: %g, inertia: [0.01, 0.01, 0.01], shape: {sphere: 1 cm, "
                 "collides: false}}\n",
                 i, 0.1 + 0.2 * i, i == 7 ? 100.0 : 1.0);
        used = strlen(joints);
        char before[16] = "world";
        if (i > 0) {
            snprintf(before, sizeof before, "link%d", i - 1);
        }
        snprintf(joints + used, sizeof joints - used,
                 "  pin%d: {type: spherical, a: %s, b: link%d, anchor: [%g, 0, 0]}\n", i, before, i, 0.2 * i);
    }
    scenario s = scenario_open(PBD "pbd: %d\nsolver: {tolerance: {joint: 1e-6}}\nbodies:\n%sjoints:\n%s", substeps,
                               links, joints);
    double worst = 0.0;
    *held = true;
    for (int i = 0; i < 100; i++) {
        scenario_step(&s);
        worst = fmax(worst, s.report.solve.certificate.joint);
        *held = *held && s.report.tolerances_held;
    }
    scenario_close(&s);
    return worst;
}

static void test_certificate(void **unused)
{
    bool held, fine_held;
    double coarse = hanging(5, &held), fine = hanging(100, &fine_held);
    print_message("joint figure: %g with 5 substeps, %g with 100\n", coarse, fine);
    assert_true(!held && coarse > 1e-3);
    check_below("100 substeps over 5", fine / coarse, 0.2);
}

// A box, a pendulum and a rod on a floor: same bits after a checkpoint, read into a new state and stepped by a new
// simulation with two threads; no requests for memory once it is warm.
static void test_again(void **unused)
{
    static const char scene[] =
        PBD "solver: {threads: %d}\nmaterials: {wood: {friction: 0.4}}\ndefaults: {body: {material: wood}}\nbodies:\n  "
            "floor: {fixed: true, shape: {plane: {}}}\n  box: {position: [0, 0, 0.4], velocity: [1, 0, 0], "
            "angular_velocity: [3, 2, 1], shape: {box: [0.2, 0.3, 0.4]}}\n  bob: {position: [1.2, 0, 0.9], shape: "
            "{sphere: 0.1}}\njoints: {pin: {type: spherical, b: bob, anchor: [0.6, 0, 0.9]}}\nrods: {rope: {points: "
            "[[0, 1, 0.1], [1, 1, 0.2]], segments: 12, radius: 1 cm, young: 1 MPa, density: 1000, material: wood}}\n";
    char path[] = "/tmp/tenon_pbd_XXXXXX";
    int file = mkstemp(path);
    tn_error error = {0};
    assert_true(file >= 0);
    close(file);
    unlink(path);
    scenario one = scenario_open(scene, 1), two = scenario_open(scene, 2);
    scenario_run(&one, 1.0);
    assert_int_equal(tn_state_save(one.state, path, &error), TN_OK);
    assert_int_equal(tn_state_load(two.state, path, &error), TN_OK);
    unlink(path);
    long before = tn_memory_count();
    scenario_run(&one, 1.5);
    check_below("requests in 50 warm steps", (double)(tn_memory_count() - before), 0.0);
    scenario_run(&two, 1.5);
    assert_true(tn_sim_contact_count(one.sim) > 4);
    for (int b = 1; b < tn_model_body_count(one.model); b++) {
        double x[2][3], q[2][4];
        tn_state_body_pose(one.state, b, x[0], q[0]);
        tn_state_body_pose(two.state, b, x[1], q[1]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(q[0], q[1], sizeof q[0]);
    }
    scenario_close(&one);
    scenario_close(&two);
}

static void check_refused(const char *text, const char *says)
{
    tn_error error = {0};
    char all[4096];
    snprintf(all, sizeof all, PBD "%s", text);
    tn_scene *scene = tn_scene_parse(all, "test", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    assert_null(model);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, says));
    assert_true(error.line > 0);
}

static void test_refusals(void **unused)
{
    check_refused("law: convex\n", "coulomb");
    check_refused("gap: none\n", "gap: full");
    check_refused("coordinates: reduced\n", "maximal");
    check_refused(
        "soft: {mat: {grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1e5, poisson: 0.3, density: 1}}\n",
        "is soft");
    check_refused("materials: {felt: {rolling: 1 mm}}\n", "rolling");
    check_refused("bodies: {a: {shape: {sphere: 1}}}\njoints: {pin: {type: revolute, b: a, axis: [0, 0, 1], turn: "
                  "{motor: {velocity: 1}}}}\n",
                  "has a motor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flight), cmocka_unit_test(test_tumbling),     cmocka_unit_test(test_spring_at_rest),
        cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_joint_forces), cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_bounce),      cmocka_unit_test(test_friction),     cmocka_unit_test(test_stack),
        cmocka_unit_test(test_rod),         cmocka_unit_test(test_cantilever),   cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_again),       cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
