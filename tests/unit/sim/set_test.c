// Options changed for a running simulation: from then on as if the scene had said so.
#include "scenario.h"

#include "state/state.h"

#include <string.h>

static const char PILE[] = // boxes that slide, and an arm
    "step: 5 ms\ncoordinates: maximal\n%s\nmaterials: {m: {density: 500, friction: 0.3}}\ndefaults: {body: {material: "
    "m}}\n"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_scene),
        cmocka_unit_test(test_soft),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
