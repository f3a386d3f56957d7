// Kinematic bodies moved by the input: what touches them, hangs from them and is attached to them moves as when the
// scene prescribes the same motion.
#include "scenario.h"

#include <string.h>

static const char SCENE[] =
    "scheme: %s\nstep: 5 ms\nsolver: {tolerance: {natural: 1e-11, joint: 1e-11, momentum: 1e-11}}\n%s"
    "materials: {m: {density: 500, friction: 0.5}}\ndefaults: {body: {material: m}}\n"
    "bodies:\n"
    "  table: {%s, shapes: [{box: [2, 2, 0.1]}]}\n"
    "  box: {position: [0.2, 0.3, 0.151], shape: {box: [0.2, 0.2, 0.2]}}\n"
    "  bob: {position: [1.5, 0, 0], shape: {sphere: 0.1}}\n"
    "joints: {hinge: {type: revolute, a: table, b: bob, anchor: [1.2, 0, 0], axis: [0, 1, 0]}}\n"
    "springs: {s: {a: table, b: bob, point_a: [0, -2, 0], stiffness: 5, damping: 0.5}}\n"
    "soft: {mat: {grid: {size: [0.2, 0.2, 0.2], divisions: [2, 2, 2]}, position: [-0.5, 0, 0.151], young: 30 kPa, "
    "density: 300, material: m, damping: {stiffness: 2 ms}, attach: [{to: table, where: {box: {low: [-1, -1, -0.11], "
    "high: [1, 1, -0.09]}}}]}}\n";

// Along a curve, turning about the upright axis; principal axes of the table are its own.
static void pose_at(double t, double out[7])
{
    double angle = 0.4 * t * t;
    const double pose[7] = {0.3 * t * t,     0.2 * (1.0 - cos(2.0 * t)), 0.1 * t, cos(0.5 * angle), 0.0, 0.0,
                            sin(0.5 * angle)};
    memcpy(out, pose, sizeof pose);
}
static const char SAID[] =
    "motion: {position: ['0.3 * t * t', '0.2 * (1 - cos(2 * t))', '0.1 * t'], axis: [0, 0, 1], angle: '0.4 * t * t'}";

static double apart(const scenario *a, const scenario *b)
{
    double x[2][28], nodes[2][81], most = 0.0;
    const scenario *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        tn_state_get_bodies(both[k]->state, x[k], NULL);
        tn_state_get_nodes(both[k]->state, nodes[k], NULL);
    }
    for (int i = 0; i < 28; i++) {
        most = fmax(most, fabs(x[0][i] - x[1][i]));
    }
    for (int i = 0; i < 81; i++) {
        most = fmax(most, fabs(nodes[0][i] - nodes[1][i]));
    }
    return most;
}

static void test_as_the_scene(void **unused)
{
    static const char *const schemes[] = {"euler", "midpoint", "implicit"};
    for (int k = 0; k < 3; k++) {
        scenario said = scenario_open(SCENE, schemes[k], "", SAID);
        scenario given = scenario_open(SCENE, schemes[k], "", "motion: {position: [0, 0, 0]}");
        int table = scenario_body(&said, "table");
        double motion[4][7], most = 0.0;
        memset(motion, 0, sizeof motion);
        motion[0][0] = motion[2][0] = motion[3][0] = NAN; // theirs count for nothing anyway
        given.input = &(tn_input){.motion = motion[0]};
        for (int n = 1; n <= 200; n++) {
            pose_at(n * 0.005, motion[table]);
            for (int i = 3; i < 7; i++) {
                motion[table][i] *= 3.0; // of any length
            }
            scenario_step(&said), scenario_step(&given);
            most = fmax(most, apart(&said, &given));
        }
        print_message("%s: ", schemes[k]);
        // Midpoint asks the scene for rates at a time; of an input the mean over the step is all there is: second
        // order.
        bool rates = strcmp(schemes[k], "midpoint") == 0;
        check_below("apart from the scene's motion [m]", most, rates ? 1e-4 : 1e-12);
        check_near("injected [J]", given.report.energy.injected, said.report.energy.injected, rates ? 1e-2 : 1e-10);
        assert_true(fabs(scenario_position(&said, 2, 0)) > 0.3);
        given.input = NULL;
        scenario_close(&said), scenario_close(&given);
    }
}

// Without the input the body goes back to where the scene has it, in one step, and what it holds with it.
static void test_back(void **unused)
{
    scenario s =
        scenario_open("gravity: [0, 0, 0]\nbodies: {hand: {motion: {position: ['t', 0, 0]}, shape: {box: [1, 1, 1]}},"
                      " bob: {position: [2, 0, 0], shape: {sphere: 0.1}}}\n"
                      "joints: {j: {type: weld, a: hand, b: bob, anchor: [1, 0, 0]}}\n");
    double motion[3][7];
    memset(motion, 0, sizeof motion);
    motion[0][0] = motion[2][0] = NAN;
    motion[1][1] = 0.05, motion[1][3] = 1.0;
    const tn_input input = {.motion = motion[0]};
    s.input = &input;
    scenario_step(&s), scenario_step(&s);
    check_near("moved [m]", scenario_position(&s, 1, 1), 0.05, 0.0);
    check_near("what it holds [m]", scenario_position(&s, 2, 1), 0.05, 1e-9);
    motion[1][0] = NAN;
    scenario_step(&s);
    check_near("back [m]", scenario_position(&s, 1, 1), 0.0, 0.0);
    check_near("on its way [m]", scenario_position(&s, 1, 0), 0.03, 0.0);
    check_near("what it holds [m]", scenario_position(&s, 2, 1), 0.0, 1e-9);
    s.input = NULL;
    scenario_step(&s);
    check_near("on its way [m]", scenario_position(&s, 1, 0), 0.04, 0.0);
    scenario_close(&s);
}

// A sleeping box wakes when what it lies on is moved.
static void test_sleep(void **unused)
{
    scenario s =
        scenario_open("sleep: {after: 0.1}\nbodies: {table: {motion: {position: [0, 0, 0]}, shape: {box: [1, 1, 1]}}, "
                      "box: {position: [0, 0, 0.6], shape: {box: [0.2, 0.2, 0.2]}}, far: {position: [5, 0, 0], "
                      "shape: {sphere: 1}}}\n");
    scenario_run(&s, 0.3);
    assert_true(tn_state_asleep(s.state, 2));
    double motion[4][7];
    memset(motion, 0, sizeof motion);
    motion[0][0] = motion[2][0] = motion[3][0] = NAN;
    motion[1][3] = 1.0;
    s.input = &(tn_input){.motion = motion[0]};
    scenario_step(&s);
    assert_true(tn_state_asleep(s.state, 2)); // it is held where it was
    for (int n = 1; n < 5; n++) {
        motion[1][2] = 0.002 * n;
        scenario_step(&s);
    }
    assert_true(!tn_state_asleep(s.state, 2));
    check_near("lifted [m]", scenario_position(&s, 2, 2), 0.608, 1e-6);
    scenario_close(&s);
}

static void test_refused(void **unused)
{
    scenario s = scenario_open("bodies: {hand: {motion: {position: [0, 0, 0]}, shape: {box: [1, 1, 1]}}}\n");
    uint64_t before = tn_state_hash(s.state);
    double bad[3][2][7] = {{{0}, {0.0, NAN, 0.0, 1.0}}, {{0}, {0.0, 0.0, 0.0, 0.0}}, {{0}, {INFINITY, 0.0, 0.0, 1.0}}};
    for (int i = 0; i < 3; i++) {
        tn_error error = {0};
        assert_int_equal(tn_sim_step(s.sim, &(tn_input){.motion = bad[i][0]}, s.state, NULL, &error), TN_BAD_INPUT);
        print_message("%s\n", error.message);
    }
    assert_true(tn_state_hash(s.state) == before);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_scene),
        cmocka_unit_test(test_back),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
