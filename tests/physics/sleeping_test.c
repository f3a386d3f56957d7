// Sleeping: islands at rest are left out of the steps, stay to the last bit, and wake of what touches or moves them.
#include "scenario.h"

#include "base/memory.h"
#include "sim/awake.h"
#include "sim/mechanisms.h"
#include "state/sleep.h"

#include <string.h>
#include <unistd.h>

static const char floor_and_box[] = "step: 10 ms\nmargin: 2 mm\nmaterials: {m: {friction: 0.5}}\n"
                                    "defaults: {body: {material: m}}\nbodies:\n"
                                    "  floor: {fixed: true, shape: {plane: {}}}\n"
                                    "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n";

static bool asleep(const scenario *s, const char *name)
{
    return tn_state_asleep(s->state, scenario_body(s, name));
}

static void assert_same_bits(const char *what, double x, double y)
{
    if (memcmp(&x, &y, sizeof x) != 0) {
        fail_msg("%s: %.17g is not %.17g", what, x, y);
    }
}

static void assert_same_places(const scenario *a, const scenario *b)
{
    for (int body = 1; body < tn_model_body_count(a->model); body++) {
        double p[3], q[3], turn[4], other[4];
        tn_state_body_pose(a->state, body, p, turn);
        tn_state_body_pose(b->state, body, q, other);
        for (int k = 0; k < 4; k++) {
            assert_same_bits(tn_model_body_name(a->model, body), k < 3 ? p[k] : 0.0, k < 3 ? q[k] : 0.0);
            assert_same_bits(tn_model_body_name(a->model, body), turn[k], other[k]);
        }
    }
}

// After 0.5 s at rest, not before; then with its contacts, their forces and its energy.
static void test_falls_asleep(void **state)
{
    scenario s = scenario_open("sleep: 0.5 s\n%s", floor_and_box);
    int box = scenario_body(&s, "box");
    scenario_run(&s, 0.49);
    assert_false(asleep(&s, "box"));
    assert_int_equal(s.report.n_asleep, 0);
    tn_energy before = s.report.energy;
    scenario_step(&s);
    assert_true(asleep(&s, "box"));
    assert_int_equal(s.report.n_asleep, 1);
    double z = scenario_position(&s, box, 2), weight = 0.2 * 0.2 * 0.2 * 1000.0 * GRAVITY;
    for (int k = 0; k < 100; k++) {
        scenario_step(&s);
        double force[3];
        assert_same_bits("height", scenario_position(&s, box, 2), z);
        assert_int_equal(s.report.n_asleep, 1);
        assert_int_equal(s.report.n_contacts, 4);
        assert_int_equal(tn_sim_contact_count(s.sim), 4);
        scenario_force(&s, scenario_body(&s, "floor"), box, force);
        check_near("force of a sleeping box's contacts [N]", force[2], weight, 1e-4 * weight);
    }
    tn_error error = {0};
    assert_int_equal(s.state->n_memory, 0);
    assert_int_equal(tn_state_wake(s.state, -1, &error), TN_OK);
    assert_int_equal(s.state->n_memory, 4); // the warm start of the first step awake
    double sum = 0.0;
    for (int c = 0; c < 4; c++) {
        sum += s.state->memory[c].force[2];
        assert_true(s.state->memory[c].force[2] > 0.1 * weight);
        assert_true(c == 0 || s.state->memory[c].key_feature > s.state->memory[c - 1].key_feature);
    }
    check_near("which bear [N]", sum, weight, 1e-4 * weight);
    assert_same_bits("kinetic energy", s.report.energy.kinetic, 0.0);
    check_near("potential [J]", s.report.energy.gravity, before.gravity, 1e-9 * fabs(before.gravity));
    check_near("dissipated [J]", s.report.energy.dissipated, before.dissipated + before.kinetic, 1e-12);
    scenario_close(&s);
}

// Islands that fell asleep at different times wake together as they do one by one.
static void test_wake_many(void **state)
{
    tn_error error = {0};
    scenario s = scenario_open("sleep: 0.1 s\n%s", "materials: {m: {friction: 0.5}}\n"
                                                   "defaults: {body: {material: m}}\nbodies:\n"
                                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                                   "  late: {position: [5, 0, 0.3], shape: {box: [0.2, 0.2, 0.2]},"
                                                   " array: {count: [2, 1, 1], spacing: [1, 0, 0]}}\n"
                                                   "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]},"
                                                   " array: {count: [3, 1, 2], spacing: [1, 0, 0.2]}}\n");
    scenario_run(&s, 1.0);
    assert_int_equal(s.report.n_asleep, 8);
    assert_int_equal(s.state->sleep->n_islands, 5);
    assert_true(s.state->sleep->islands[0].name > s.state->sleep->islands[4].name);
    tn_state *single = tn_state_create(s.model, &error);
    assert_int_equal(tn_state_copy(single, s.state, &error), TN_OK);
    assert_int_equal(tn_state_wake(s.state, -1, &error), TN_OK);
    for (int b = 1; b < tn_model_body_count(s.model); b++) {
        assert_int_equal(tn_state_wake(single, b, &error), TN_OK);
    }
    assert_int_equal(s.state->n_memory, 4 * 8);
    for (int c = 1; c < s.state->n_memory; c++) {
        const tn_contact_memory *before = &s.state->memory[c - 1], *after = &s.state->memory[c];
        bool same_shapes = after->key_shapes == before->key_shapes;
        assert_true(same_shapes ? after->key_feature > before->key_feature : after->key_shapes > before->key_shapes);
    }
    assert_int_equal(s.state->sleep->n_islands + s.state->sleep->n_contacts, 0);
    assert_true(tn_state_hash(s.state) == tn_state_hash(single));
    tn_state_destroy(single);
    scenario_close(&s);
}

// Faster than the threshold is awake, slower is not; both thresholds count.
static void test_thresholds(void **state)
{
    const struct {
        const char *velocity;
        bool sleeps;
    } runs[] = {{"velocity: [0.009, 0, 0]", true},
                {"velocity: [0.011, 0, 0]", false},
                {"angular_velocity: [0, 0, 0.049]", true},
                {"angular_velocity: [0, 0, 0.051]", false}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        scenario s = scenario_open("sleep: 0.1 s\ngravity: [0, 0, 0]\nbodies:\n  a: {shape: {sphere: 0.1}, %s}\n",
                                   runs[i].velocity);
        scenario_run(&s, 0.2);
        assert_int_equal(asleep(&s, "a"), runs[i].sleeps);
        scenario_close(&s);
    }
}

// What is taken from the velocities of a box that slides slowly counts as dissipated: the books stay balanced.
static void test_energy(void **state)
{
    scenario s = scenario_open("sleep: 0.1 s\ngravity: [0, 0, 0]\nbodies:\n"
                               "  a: {mass: 2, inertia: [1, 1, 1], velocity: [0.008, 0, 0],\n"
                               "    angular_velocity: [0, 0.04, 0]}\n");
    scenario_run(&s, 0.05);
    double there = 0.5 * 2.0 * 0.008 * 0.008 + 0.5 * 0.04 * 0.04;
    check_near("kinetic energy awake [J]", s.report.energy.kinetic, there, 1e-12);
    scenario_run(&s, 0.2);
    assert_true(asleep(&s, "a"));
    check_near("kinetic energy asleep [J]", s.report.energy.kinetic, 0.0, 0.0);
    check_near("dissipated [J]", s.report.energy.dissipated, there, 1e-12);
    check_near("momentum [kg m/s]", s.report.energy.momentum[0], 0.0, 0.0);
    check_near("balance of the last step [J]", s.report.energy.balance, 0.0, 1e-15);
    tn_energy whole;
    tn_error error = {0};
    assert_int_equal(tn_state_energy(s.state, &whole, &error), TN_OK);
    check_near("dissipated, of the state [J]", whole.dissipated, there, 1e-12);
    scenario_close(&s);
}

// A ball that falls on a sleeping stack wakes it in the step in which it comes near, and it then moves as one that has
// never slept: stacks at rest have no velocity to lose.
static void test_touch(void **state)
{
    const char *scene = "step: 5 ms\nmargin: 2 mm\nmaterials: {m: {friction: 0.5}}\ndefaults: {body: {material: m}}\n"
                        "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                        "  low: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
                        "  top: {position: [0.07, 0, 0.3], shape: {box: [0.2, 0.2, 0.2]}}\n"
                        "  far: {position: [3, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
                        "  ball: {position: [0.15, 0.03, 3], shape: {sphere: 0.1}}\n";
    scenario s = scenario_open("sleep: 0.2 s\n%s", scene), never = scenario_open("%s", scene);
    scenario_run(&s, 0.3);
    assert_true(asleep(&s, "low") && asleep(&s, "top") && asleep(&s, "far") && !asleep(&s, "ball"));
    while (scenario_velocity(&s, scenario_body(&s, "ball"), 2) < -GRAVITY * (tn_state_time(s.state) - 0.006)) {
        scenario_step(&s);
    }
    assert_true(!asleep(&s, "low") && !asleep(&s, "top"));
    assert_true(asleep(&s, "far"));
    scenario_run(&s, 0.9);
    scenario_run(&never, 0.9);
    for (int b = 1; b < tn_model_body_count(s.model); b++) {
        for (int k = 0; k < 3; k++) {
            check_near(tn_model_body_name(s.model, b), scenario_position(&s, b, k), scenario_position(&never, b, k),
                       1e-5); // forces from a warm start or not: within the solver's tolerance
        }
    }
    assert_true(scenario_tilt(&s, scenario_body(&s, "top")) > 1e-3); // something has happened
    scenario_close(&s);
    scenario_close(&never);
}

// The state as it is after n steps of a scene, by any number of threads, straight or saved and loaded on the way.
static uint64_t hash_of(const char *text, int threads, int n, int split)
{
    scenario s = scenario_open("solver: {threads: %d}\n%s", threads, text);
    for (int k = 0; k < n; k++) {
        if (k == split) {
            char path[] = "/tmp/tenon_checkpoint_XXXXXX";
            int file = mkstemp(path);
            tn_error error = {0};
            assert_true(file >= 0 && tn_sleep_count(s.state) > 0);
            close(file);
            assert_int_equal(tn_state_save(s.state, path, &error), TN_OK);
            scenario_close(&s);
            s = scenario_open("solver: {threads: %d}\n%s", threads, text);
            assert_int_equal(tn_state_load(s.state, path, &error), TN_OK);
            unlink(path);
        }
        scenario_step(&s);
    }
    uint64_t hash = tn_state_hash(s.state);
    print_message("%d thread(s)%s: %d asleep, %016llx\n", threads, split < n ? ", saved and loaded" : "",
                  s.report.n_asleep, (unsigned long long)hash);
    scenario_close(&s);
    return hash;
}

static const char heap[] =
    "step: 5 ms\nsleep: {after: 0.1 s, speed: 0.05 m/s, spin: 0.2 rad/s}\nseed: 3\nbodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, 0.11], shape: {box: [0.2, 0.2, 0.2]},\n"
    "    array: {count: [3, 3, 2], spacing: [0.24, 0.24, 0.22], rotation_jitter: 3 deg}}\n"
    "  rod: {position: [2, 0, 0.1], shape: {box: [0.4, 0.1, 0.1]}}\n"
    "  end: {position: [2.4, 0, 0.1], shape: {box: [0.4, 0.1, 0.1]}}\n"
    "  ball: {position: [0.2, 0.2, 4], shape: {sphere: 0.1}}\n"
    "joints:\n  hinge: {type: revolute, a: rod, b: end, anchor: [2.2, 0, 0.1], axis: [0, 1, 0]}\n";

static void test_same_bits(void **state)
{
    enum { STEPS = 240, ASLEEP = 140 };
    static const char *const schemes[] = {"euler", "midpoint"};
    for (int i = 0; i < 2; i++) {
        char scene[2048];
        snprintf(scene, sizeof scene, "scheme: %s\n%s", schemes[i], heap);
        uint64_t one = hash_of(scene, 1, STEPS, STEPS);
        assert_true(one == hash_of(scene, 2, STEPS, STEPS));
        assert_true(one == hash_of(scene, 1, STEPS, ASLEEP));
        assert_true(hash_of(scene, 1, ASLEEP, ASLEEP) != hash_of(scene, 1, ASLEEP + 1, ASLEEP + 1));
    }
}

// Two states of the same model, stepped by the same simulation in turns, and a copy.
static void test_turns(void **state)
{
    scenario s = scenario_open("%s", heap), other = scenario_open("%s", heap);
    tn_error error = {0};
    tn_state *copy = tn_state_create(s.model, &error);
    for (int k = 0; k < 240; k++) {
        if (k == 140) {
            assert_int_equal(tn_state_copy(copy, s.state, &error), TN_OK);
            assert_true(tn_state_hash(copy) == tn_state_hash(s.state));
        }
        scenario_step(&s);
        scenario_step(&other);
        if (k >= 140) {
            tn_step_report report;
            assert_int_equal(tn_sim_step(s.sim, NULL, copy, &report, &error), TN_OK);
            assert_true(tn_state_hash(copy) == tn_state_hash(other.state));
        }
    }
    assert_same_places(&s, &other);
    tn_state_destroy(copy);
    scenario_close(&s);
    scenario_close(&other);
}

static void test_no_allocation(void **state)
{
    scenario s = scenario_open("%s", heap);
    scenario_run(&s, 0.75);
    assert_true(s.report.n_asleep > 0);
    long before = tn_memory_count();
    scenario_steps(&s, 10);
    check_below("requests in 10 steps with sleepers", (double)(tn_memory_count() - before), 0.0);
    scenario_close(&s);
}

// Whether `name` sleeps shortly before and after a time at which something happens to it.
static void check_wakes(const char *what, const char *scene, const char *name, double at)
{
    scenario s = scenario_open("sleep: 0.2 s\n%s", scene);
    scenario_run(&s, at - 0.02);
    print_message("%s: asleep at %.2f s: %d\n", what, tn_state_time(s.state), asleep(&s, name));
    assert_true(asleep(&s, name));
    scenario_run(&s, at + 0.02);
    print_message("%s: asleep at %.2f s: %d\n", what, tn_state_time(s.state), asleep(&s, name));
    assert_false(asleep(&s, name));
    scenario_close(&s);
}

#define BOX "  box: {position: [0, 0, 0.3], shape: {box: [0.2, 0.2, 0.2]}}\n"
#define START "step: 10 ms\nmargin: 2 mm\nbodies:\n"

static void test_moving_bodies(void **state)
{
    check_wakes("a support that starts to move",
                START BOX
                "  table: {motion: {position: [0, 0, '0.1 + 0.1 * ramp(t - 0.5)']}, shape: {box: [1, 1, 0.2]}}\n",
                "box", 0.5);
    check_wakes("a support that is taken away at once",
                START BOX "  table: {motion: {position: ['5 * step(t - 0.495)', 0, 0.1], teleport: true},\n"
                          "    shape: {box: [1, 1, 0.2]}}\n",
                "box", 0.5);
    check_wakes("a pusher that comes",
                START BOX "  floor: {fixed: true, position: [0, 0, 0.2], shape: {plane: {}}}\n"
                          "  pusher: {motion: {position: ['-0.7 + t', 0, 0.3]}, shape: {box: [0.2, 0.2, 0.2]}}\n",
                "box", 0.5);
    check_wakes("a pusher that is set there at once",
                START BOX "  floor: {fixed: true, position: [0, 0, 0.2], shape: {plane: {}}}\n"
                          "  pusher: {motion: {position: ['-5 + 4.81 * step(t - 0.495)', 0, 0.3], teleport: true},\n"
                          "    shape: {box: [0.2, 0.2, 0.2]}}\n",
                "box", 0.5);
    check_wakes("a hook that it hangs from",
                START BOX "  hook: {motion: {position: [0, 0, '1 + 0.1 * ramp(t - 0.5)']}}\n"
                          "joints: {j: {type: spherical, a: hook, b: box, anchor: [0, 0, 1]}}\n",
                "box", 0.5);
    check_wakes("a hook that a spring hangs from",
                START BOX "  hook: {motion: {position: [0, 0, '1 + 0.1 * ramp(t - 0.5)']}}\n"
                          "springs: {j: {a: hook, b: box, stiffness: 78.48, damping: 200, rest_length: 0.2 m}}\n"
                          "gravity: [0, 0, -5]\n",
                "box", 0.5);
}

// What is driven stays awake though it does not move: by a belt against a stop, by forces and motors in time, by a
// hand.
static void check_stays_awake(const char *what, const char *scene, bool sleeps)
{
    scenario s = scenario_open("sleep: 0.1 s\n" START "%s", scene);
    scenario_run(&s, 0.5);
    print_message("%s: asleep %d, speed %.2g m/s\n", what, asleep(&s, "box"),
                  fabs(scenario_velocity(&s, scenario_body(&s, "box"), 0)));
    assert_int_equal(asleep(&s, "box"), sleeps);
    check_below("speed [m/s]", fabs(scenario_velocity(&s, scenario_body(&s, "box"), 0)), 1e-3);
    scenario_close(&s);
}

#define FLOOR "  floor: {fixed: true, position: [0, 0, 0.2], shape: {plane: {}}}\n"

static void test_driven(void **state)
{
    static const char belt[] = "  stop: {fixed: true, position: [0.2, 0, 0.3], shape: {box: [0.2, 1, 0.2]}}\n"
                               "  floor: {fixed: true, position: [0, 0, 0.1], shape: {box: [4, 4, 0.2],\n"
                               "    surface_velocity: [%s, 0, 0]}}\n" BOX;
    char scene[1024];
    snprintf(scene, sizeof scene, belt, "0.5");
    check_stays_awake("on a belt against a stop", scene, false);
    snprintf(scene, sizeof scene, belt, "0");
    check_stays_awake("the belt stands", scene, true);
    check_stays_awake("pushed in time",
                      FLOOR "  box: {position: [0, 0, 0.3], shape: {box: [0.2, 0.2, 0.2]},\n"
                            "    force: ['0.1 * sin(t)', 0, 0]}\n",
                      false);
    check_stays_awake("pushed always",
                      FLOOR "  box: {position: [0, 0, 0.3], shape: {box: [0.2, 0.2, 0.2]},\n"
                            "    force: [0.1, 0, 0]}\n",
                      true);
    check_stays_awake("a motor in time",
                      BOX "joints: {j: {type: revolute, b: box, anchor: [0, 0, 0.3], axis: [0, 1, 0],\n"
                          "  turn: {motor: {position: '1e-6 * t', strength: 100}}}}\n",
                      false);
    check_stays_awake("a motor that holds",
                      BOX "joints: {j: {type: revolute, b: box, anchor: [0, 0, 0.3],\n"
                          "  axis: [0, 1, 0], turn: {motor: {position: 0, strength: 100}}}}\n",
                      true);
}

static void test_input(void **state)
{
    scenario s = scenario_open("sleep: 0.2 s\n" START BOX FLOOR);
    int box = scenario_body(&s, "box");
    double wrench[3 * 6] = {0.0};
    const tn_input input = {.wrench = wrench};
    scenario_run(&s, 0.5);
    assert_true(asleep(&s, "box"));
    s.input = &input; // which says nothing yet
    scenario_run(&s, 0.6);
    assert_true(asleep(&s, "box"));
    wrench[6 * box + 2] = 1.0; // N: less than its weight
    scenario_run(&s, 1.5);
    assert_false(asleep(&s, "box"));
    wrench[6 * box + 2] = 8.0 * GRAVITY + 8.0; // 1 m/s^2 upwards
    scenario_run(&s, 2.0);
    check_near("height of the lifted box [m]", scenario_position(&s, box, 2), 0.3 + 0.125, 0.01);
    wrench[6 * box + 2] = 0.0;
    scenario_run(&s, 3.5);
    assert_true(asleep(&s, "box"));
    const double gravity[3] = {0.0, 0.0, -1.0};
    const tn_input lighter = {.gravity = gravity};
    s.input = &lighter;
    scenario_run(&s, 4.5);
    assert_false(asleep(&s, "box"));
    s.input = NULL;
    scenario_run(&s, 5.5);
    assert_true(asleep(&s, "box"));
    double velocity[3 * 6]; // somebody writes a state, if only that all stays
    for (int i = 0; i < 3 * 6; i++) {
        velocity[i] = NAN;
    }
    tn_error error = {0};
    assert_int_equal(tn_state_set_bodies(s.state, NULL, velocity, &error), TN_OK);
    assert_false(asleep(&s, "box"));
    scenario_close(&s);
}

// A base on which something swings stays awake as long as that does; told to, a sleeping motor wakes with its joint.
static void test_joined(void **state)
{
    scenario s = scenario_open(
        "sleep: 0.2 s\n" START FLOOR BOX
        "  arm: {position: [0.3, 0.2, 0.5], shape: {box: [0.6, 0.05, 0.05]}, mass: 0.01}\n"
        "  free: {position: [5, 0, 0.3], shape: {box: [0.2, 0.2, 0.2]}}\n"
        "joints: {hinge: {type: revolute, a: box, b: arm, anchor: [0, 0.2, 0.5], axis: [0, 1, 0], collide: false,\n"
        "  turn: {motor: {velocity: 0.5, strength: 0.5}}}}\n");
    scenario_run(&s, 0.5);
    check_below("speed of the base [m/s]", fabs(scenario_velocity(&s, scenario_body(&s, "box"), 0)), 1e-3);
    assert_true(asleep(&s, "free") && !asleep(&s, "box") && !asleep(&s, "arm"));
    double rate = 0.0, effort = 0.0;
    const tn_input stop = {.target_rate = &rate}, push = {.effort = &effort};
    s.input = &stop;
    scenario_run(&s, 1.5);
    assert_false(asleep(&s, "arm")); // a controller speaks of it
    scenario_close(&s);
    s = scenario_open("sleep: 0.2 s\n" START BOX
                      "joints: {j: {type: prismatic, b: box, anchor: [0, 0, 0.3], axis: [1, 0, 0]}}\n");
    s.input = &push;
    scenario_run(&s, 0.5);
    assert_true(asleep(&s, "box")); // it says nothing
    effort = 4.0;
    scenario_run(&s, 1.0);
    check_near("way of the box that the effort drives [m]", scenario_position(&s, scenario_body(&s, "box"), 0), 0.0625,
               2e-3);
    scenario_close(&s);
}

// Beside what sleeps a motor still holds the rate of its coordinate (physics.trees, test_mean_rates): 0.308 m were gone
// without what the last step says of it.
static void test_motor_beside_sleepers(void **state)
{
    scenario s = scenario_open(
        "sleep: 0.1 s\nstep: 10 ms\ngravity: [0, 0, 0]\ninitial: {velocities: project}\nbodies:\n"
        "  hub: {mass: 5, inertia: [10, 10, 10], angular_velocity: [0, 0, 2]}\n"
        "  slider: {position: [0.3, 0, 0], shape: {sphere: 0.05}}\n  still: {position: [5, 0, 0], shape: {sphere: "
        "0.1}}\n"
        "joints: {j: {type: prismatic, a: hub, b: slider, axis: [1, 0, 0], slide: {motor: {velocity: 0.3}}}}\n");
    scenario_run(&s, 1.0);
    assert_true(asleep(&s, "still") && !asleep(&s, "slider"));
    check_near("way at a prescribed rate [m]", s.state->joint_coordinate[0], 0.3, 2e-4);
    scenario_close(&s);
}

// A mechanism sleeps as a whole: with its joints' coordinates, forces and energy, which it still has when it wakes.
static void test_mechanism(void **state)
{
    static const char scene[] =
        "step: 10 ms\nbodies:\n"
        "  arm: {position: [0.5, 0, 1], shape: {box: [1, 0.1, 0.1]}, mass: 2}\n"
        "  bob: {position: [1, 0, 0.5], shape: {sphere: 0.1}, mass: 1}\n"
        "  other: {position: [0.5, 5, 1], shape: {box: [1, 0.1, 0.1]}, mass: 2}\n"
        "joints:\n"
        "  free: {type: revolute, b: other, anchor: [0, 5, 1], axis: [0, 1, 0]}\n"
        "  base: {type: revolute, b: arm, anchor: [0, 0, 1], axis: [0, 1, 0],\n"
        "    turn: {stiffness: 400, damping: 60}}\n"
        "  hang: {type: revolute, a: arm, b: bob, anchor: [1, 0, 1], axis: [0, 1, 0], turn: {damping: 1}}\n";
    scenario s = scenario_open("sleep: {after: 0.2 s, speed: 1 mm/s, spin: 0.001 rad/s}\n%s", scene);
    int base = tn_model_find_joint(s.model, "base");
    tn_joint_info awake, now;
    double q[3], at[3], rate[3];
    tn_energy before = {0};
    while (!asleep(&s, "arm") && tn_state_time(s.state) < 20.0) {
        tn_sim_joint(s.sim, s.state, base, &awake);
        before = s.report.energy;
        scenario_step(&s);
    }
    tn_state_joint(s.state, base, q, rate);
    print_message("asleep at %.2f s, turned by %.4f rad\n", tn_state_time(s.state), q[0]);
    assert_true(asleep(&s, "arm") && asleep(&s, "bob") && !asleep(&s, "other"));
    check_near("energy as it falls asleep [J]",
               s.report.energy.kinetic + s.report.energy.gravity + s.report.energy.elastic,
               before.kinetic + before.gravity + before.elastic, 1e-2);
    double total = s.report.energy.gravity + s.report.energy.elastic + s.report.energy.kinetic;
    for (int k = 0; k < 20; k++) {
        scenario_step(&s);
        tn_sim_joint(s.sim, s.state, base, &now);
        tn_state_joint(s.state, base, at, rate);
        assert_same_bits("coordinate", at[0], q[0]);
        check_near("effort of the sleeping joint [N m]", now.effort[0], awake.effort[0], 1e-2);
        assert_true(s.report.n_asleep == 2);
    }
    check_near("energy, while `other` swings [J]",
               s.report.energy.kinetic + s.report.energy.gravity + s.report.energy.elastic, total, 0.3);
    tn_energy asleep_whole, awake_whole;
    tn_error error = {0};
    assert_int_equal(tn_state_energy(s.state, &asleep_whole, &error), TN_OK);
    assert_int_equal(tn_state_wake(s.state, -1, &error), TN_OK);
    assert_int_equal(tn_state_energy(s.state, &awake_whole, &error), TN_OK);
    check_near("elastic energy after waking [J]", awake_whole.elastic, asleep_whole.elastic, 1e-12);
    double work = s.report.energy.dissipated;
    scenario_step(&s);
    assert_false(asleep(&s, "arm"));
    check_near("balance of the step after waking [J]", s.report.energy.balance, 0.0, 1e-2);
    check_near("dissipated in it [J]", s.report.energy.dissipated, work, 1e-2);
    tn_state_joint(s.state, base, at, rate);
    check_near("angle after a step awake [rad]", at[0], q[0], 1e-4);
    scenario_close(&s);
}

// Contacts with springs: their energy sleeps with them.
static void test_springs_of_contacts(void **state)
{
    scenario s =
        scenario_open("sleep: 0.2 s\n" START BOX FLOOR "materials: {default: {stiffness: 20 kN/m, damping: 200 N s/m,\n"
                      "  tangential_stiffness: 10 kN/m}}\n");
    scenario_run(&s, 3.0);
    assert_true(asleep(&s, "box"));
    double force = 8.0 * GRAVITY / 4.0, elastic = 4.0 * 0.5 * force * force / 10e3;
    check_near("elastic energy asleep [J]", s.report.energy.elastic, elastic, 1e-3 * elastic);
    tn_energy whole;
    tn_error error = {0};
    assert_int_equal(tn_state_energy(s.state, &whole, &error), TN_OK);
    check_near("the same of the state [J]", whole.elastic, s.report.energy.elastic, 1e-12);
    assert_int_equal(tn_state_wake(s.state, -1, &error), TN_OK);
    scenario_step(&s);
    check_near("elastic energy awake [J]", s.report.energy.elastic, elastic, 1e-3 * elastic);
    check_near("balance of the step after waking [J]", s.report.energy.balance, 0.0, 1e-6);
    scenario_close(&s);
}

// Where all sleep, the rounding of the springs' energy is no blow-up: it was held against no moving mass.
static void test_elastic_gear(void **state)
{
    for (int soft = 0; soft < 2; soft++) { // which of them rounds upwards is chance
        scenario s = scenario_open(
            "step: 10 ms\nsleep: 0.3 s\npairs: [{materials: [default, default], collide: false}]\nbodies:\n"
            "  b0: {mass: 0.5, shape: {sphere: 0.03}}\n  b1: {mass: 1.7, shape: {sphere: 0.045}}\njoints:\n"
            "  j0: {type: revolute, b: b0, anchor: [0.02, 0.01, 0.33], axis: [-0.99, -0.1, 0],\n"
            "    turn: {stiffness: 11, damping: 3}}\n"
            "  j1: {type: revolute, b: b1, anchor: [-0.16, -0.03, 0.38], axis: [0.8, -0.46, -0.39]}\n"
            "  gear: {type: gear, joints: [j1, j0], ratio: 1.25, turn_stiffness: %d, turn_damping: 0.5}\n",
            soft ? 2000 : 6700);
        scenario_run(&s, 4.0);
        assert_true(asleep(&s, "b0") && asleep(&s, "b1"));
        scenario_close(&s);
    }
}

// Joints are numbered anew without those that sleep, also for gears: which joints a gear ties to one another was asked
// by the scene's numbers (memory beyond the joints awake, here twelve numbers off).
static void test_gear_beside_sleepers(void **state)
{
    scenario s =
        scenario_open("step: 10 ms\ngravity: [0, 0, 0]\nsleep: 0.05 s\n"
                      "defaults: {body: {shape: {box: [0.1, 0.1, 0.5]}}, joint: {type: revolute, axis: [0, 1, 0]}}\n"
                      "bodies:\n  still: {position: [5, 0, 0], array: {count: [12, 1, 1], spacing: [1, 0, 0]}}\n"
                      "  one: {angular_velocity: [0, 1, 0]}\n"
                      "  two: {position: [2, 0, 0], angular_velocity: [0, 2, 0]}\njoints:\n"
                      "  s0: {b: 'still[0]'}\n  s1: {b: 'still[1]'}\n  s2: {b: 'still[2]'}\n"
                      "  s3: {b: 'still[3]'}\n  s4: {b: 'still[4]'}\n  s5: {b: 'still[5]'}\n"
                      "  s6: {b: 'still[6]'}\n  s7: {b: 'still[7]'}\n  s8: {b: 'still[8]'}\n"
                      "  s9: {b: 'still[9]'}\n  s10: {b: 'still[10]'}\n  s11: {b: 'still[11]'}\n"
                      "  j1: {b: one}\n  j2: {b: two}\n  gear: {type: gear, joints: [j1, j2], ratio: 2}\n");
    scenario_run(&s, 0.2);
    assert_int_equal(s.report.n_asleep, 12);
    tn_arena *arena = tn_arena_create(0), *scratch = tn_arena_create(0);
    tn_awake awake = {.arena = arena};
    tn_mechanisms found;
    tn_error error;
    assert_int_equal(tn_awake_take(s.state, scratch, &awake, &error), TN_OK);
    assert_int_equal(awake.model.n_joints, 3);
    assert_true(tn_mechanisms_find(&awake.model, scratch, &found));
    assert_int_equal(found.of_joint[2], found.of_joint[0]);
    assert_int_equal(found.of_joint[2], found.of_joint[1]);
    assert_int_equal(found.of_body[scenario_body(&s, "one")], found.of_joint[2]);
    assert_int_equal(found.of_body[scenario_body(&s, "two")], found.of_joint[2]);
    tn_arena_destroy(arena), tn_arena_destroy(scratch);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_falls_asleep),
                                       cmocka_unit_test(test_wake_many),
                                       cmocka_unit_test(test_thresholds),
                                       cmocka_unit_test(test_energy),
                                       cmocka_unit_test(test_touch),
                                       cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_no_allocation),
                                       cmocka_unit_test(test_moving_bodies),
                                       cmocka_unit_test(test_driven),
                                       cmocka_unit_test(test_input),
                                       cmocka_unit_test(test_joined),
                                       cmocka_unit_test(test_motor_beside_sleepers),
                                       cmocka_unit_test(test_mechanism),
                                       cmocka_unit_test(test_elastic_gear),
                                       cmocka_unit_test(test_gear_beside_sleepers),
                                       cmocka_unit_test(test_springs_of_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
