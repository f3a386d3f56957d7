// Options changed for a running simulation: from then on as if the scene had said so; batches step as single states do.
#include "scenario.h"

#include "base/memory.h"
#include "state/state.h"
#include "tenon/batch.h"

#include <string.h>

static const char PILE[] = // boxes that slide, and an arm
    "step: 5 ms\n%s\nmaterials: {m: {density: 500, friction: 0.3}}\ndefaults: {body: {material: m}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, 0.1], velocity: [2, 0, 0], shape: {box: [0.2, 0.2, 0.2]}, "
    "array: {count: [2, 2, 2], spacing: [0.3, 0.3, 0.2]}}\n"
    "  arm: {position: [0.5, 2, 1], shape: {box: [1, 0.1, 0.1]}}\n"
    "joints: {hinge: {type: revolute, b: arm, anchor: [0, 2, 1], axis: [0, 1, 0]}}\n";

static void set(scenario *s, int n, const char *const *what)
{
    tn_error error = {0};
    if (tn_sim_set(s->sim, n, what, &error) != TN_OK) {
        scenario_fail("set", &error);
    }
}

// A state of another model, which differs in its options alone.
static void copy(scenario *to, const scenario *from)
{
    tn_error error = {0};
    to->state->model = from->model;
    assert_int_equal(tn_state_copy(to->state, from->state, &error), TN_OK);
    to->state->model = to->model;
}

// The same as a state copied into a simulation whose scene has the option from the start.
static void test_as_the_scene(void **unused)
{
    (void)unused;
    static const char *const options[] = {"law=convex",         "solver.name=ipm", "scheme=midpoint",
                                          "gravity=[1, 0, -5]", "solver.facets=4", "projection=0"};
    static const char *const lines[] = {"law: convex",         "solver: {name: ipm}", "scheme: midpoint",
                                        "gravity: [1, 0, -5]", "solver: {facets: 4}", "projection: 0"};
    for (int o = 0; o < 6; o++) {
        scenario a = scenario_open(PILE, ""), b = scenario_open(PILE, lines[o]), plain = scenario_open(PILE, "");
        scenario_run(&a, 0.05);
        scenario_run(&plain, 0.05);
        copy(&b, &a);
        set(&a, 1, &options[o]);
        scenario_run(&a, 0.1);
        scenario_run(&b, 0.1);
        scenario_run(&plain, 0.1);
        print_message("%s\n", options[o]);
        assert_true(tn_state_hash(a.state) == tn_state_hash(b.state));
        assert_true(tn_state_hash(a.state) != tn_state_hash(plain.state));
        assert_ptr_equal(a.state->model, a.model);
        // Back to what the scene says.
        set(&a, 0, NULL);
        copy(&a, &plain);
        scenario_run(&a, 0.12);
        scenario_run(&plain, 0.12);
        assert_true(tn_state_hash(a.state) == tn_state_hash(plain.state));
        scenario_close(&a), scenario_close(&b), scenario_close(&plain);
    }
}

// Of soft bodies the elements know the scheme.
static void test_soft(void **unused)
{
    (void)unused;
    static const char text[] = "%s\nbodies: {floor: {fixed: true, shape: {plane: {}}}}\n"
                               "soft: {mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, position: [0, 0, "
                               "0.06], young: 20 kPa, density: 500}}\n";
    scenario a = scenario_open(text, "scheme: euler"), b = scenario_open(text, "scheme: midpoint");
    set(&a, 1, (const char *const[]){"scheme=midpoint"});
    scenario_run(&a, 0.3);
    scenario_run(&b, 0.3);
    assert_true(tn_state_hash(a.state) == tn_state_hash(b.state));
    scenario_close(&a), scenario_close(&b);
}

// Sleeping bodies stay asleep.
static void test_sleep(void **unused)
{
    (void)unused;
    scenario s =
        scenario_open("sleep: {after: 0.1}\nbodies: {floor: {fixed: true, shape: {plane: {}}}, box: {position: "
                      "[0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}, ball: {position: [2, 0, 1], shape: {sphere: "
                      "0.1}}}\n");
    scenario_run(&s, 0.3);
    assert_true(tn_state_asleep(s.state, 2));
    set(&s, 1, (const char *const[]){"law=convex"});
    scenario_step(&s);
    assert_true(tn_state_asleep(s.state, 2) && s.report.n_asleep == 1);
    scenario_close(&s);
}

static void test_refused(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"step=1 ms",        "law=odd",   "bodies.arm.mass=3", "materials.m.friction=0.4",
                                      "solver.name=none", "nothing=1", "gravity",           "joints=null"};
    scenario s = scenario_open(PILE, ""), same = scenario_open(PILE, "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tn_error error = {0};
        const char *both[2] = {"law=convex", bad[i]};
        assert_int_equal(tn_sim_set(s.sim, 2, both, &error), TN_BAD_INPUT);
        print_message("%s: %s\n", bad[i], error.message);
    }
    scenario_run(&s, 0.05);
    scenario_run(&same, 0.05);
    assert_true(tn_state_hash(s.state) == tn_state_hash(same.state)); // nothing has changed
    scenario_close(&s), scenario_close(&same);
}

// ---- batches

enum { N = 7, BODIES = 11 };

static void test_batch(void **unused)
{
    (void)unused;
    static double wrench[N][BODIES][6], effort[N][1], gravity[N][3], pose[N][BODIES][7], rate[N][1];
    static tn_step_report reports[N];
    scenario s = scenario_open(PILE, "");
    assert_int_equal(tn_model_body_count(s.model), BODIES);
    for (int i = 0; i < N; i++) {
        wrench[i][3][0] = 3.0 * i;
        effort[i][0] = 0.5 * i;
        gravity[i][2] = -9.81 - 0.1 * i;
    }
    const tn_input all = {.wrench = wrench[0][0], .effort = effort[0], .gravity = gravity[0]};
    for (int threads = 1; threads < 4; threads++) {
        tn_error error = {0};
        tn_batch *batch = tn_batch_create(s.model, N, threads, &error);
        assert_non_null(batch);
        assert_int_equal(tn_batch_count(batch), N);
        assert_int_equal(tn_batch_step(batch, 20, &all, reports, NULL, &error), TN_OK);
        assert_int_equal(tn_batch_step(batch, 1, &all, reports, NULL, &error), TN_OK);
        tn_batch_get(batch, &(tn_batch_arrays){.pose = pose[0][0], .rate = rate[0]});
        for (int i = 0; i < N; i++) {
            scenario one = scenario_open(PILE, "");
            const tn_input own = {.wrench = wrench[i][0], .effort = effort[i], .gravity = gravity[i]};
            one.input = &own;
            for (int k = 0; k < 21; k++) {
                scenario_step(&one);
            }
            assert_true(tn_state_hash(one.state) == tn_state_hash(tn_batch_state(batch, i)));
            double own_pose[BODIES][7], own_rate;
            tn_state_get_bodies(one.state, own_pose[0], NULL);
            tn_state_get_coordinates(one.state, NULL, &own_rate);
            assert_memory_equal(own_pose, pose[i], sizeof own_pose);
            assert_true(own_rate == rate[i][0] && reports[i].step == 21);
            scenario_close(&one);
        }
        long before = tn_memory_count();
        assert_int_equal(tn_batch_step(batch, 5, &all, NULL, NULL, &error), TN_OK);
        print_message("%d threads: %ld requests for memory in 35 steps\n", threads, tn_memory_count() - before);
        tn_batch_destroy(batch);
    }
    scenario_close(&s);
}

// One state cannot go on: the others do, and the error says which it was.
static void test_batch_failure(void **unused)
{
    (void)unused;
    static double gravity[3][3] = {{0.0, 0.0, -9.81}, {0.0, NAN, 0.0}, {0.0, 0.0, -9.81}};
    scenario s = scenario_open(PILE, "");
    tn_error error = {0};
    tn_status statuses[3];
    tn_batch *batch = tn_batch_create(s.model, 3, 2, &error);
    uint64_t before = tn_state_hash(s.state);
    assert_int_equal(tn_batch_step(batch, 2, &(tn_input){.gravity = gravity[0]}, NULL, statuses, &error), TN_BAD_INPUT);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "state 1"));
    assert_true(statuses[0] == TN_OK && statuses[1] == TN_BAD_INPUT && statuses[2] == TN_OK);
    assert_true(tn_state_hash(tn_batch_state(batch, 1)) == before);
    assert_true(tn_state_hash(tn_batch_state(batch, 2)) != before);
    assert_null(tn_batch_state(batch, 3));
    // Options for all.
    assert_int_equal(tn_batch_set(batch, 1, (const char *const[]){"law=frictionless"}, &error), TN_OK);
    assert_int_equal(tn_batch_step(batch, 2, NULL, NULL, NULL, &error), TN_OK);
    set(&s, 1, (const char *const[]){"law=frictionless"});
    scenario_step(&s), scenario_step(&s);
    assert_true(tn_state_hash(tn_batch_state(batch, 1)) == tn_state_hash(s.state));
    tn_batch_destroy(batch);
    assert_null(tn_batch_create(s.model, 0, 1, &error));
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_scene), cmocka_unit_test(test_soft),  cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_batch), cmocka_unit_test(test_batch_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
