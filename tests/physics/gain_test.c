// Runs that blow up end: energy from nowhere far beyond what there was. Others go on, whatever moves them.
#include "scenario.h"

#include <string.h>

#define CUBE                                                                                                           \
    "scheme: midpoint\nstep: 10 ms\ngain_limit: %s\n"                                                                  \
    "materials: {rubber: {density: 1000, friction: 0.5}}\n"                                                            \
    "bodies: {floor: {fixed: true, material: rubber, shape: {plane: {}}}}\n"                                           \
    "soft:\n  cube:\n    grid: {size: [10 cm, 10 cm, 10 cm], divisions: [3, 3, 3]}\n    position: [0, 0, 20 cm]\n"     \
    "    velocity: [3, 0, 2]\n    angular_velocity: [5, 3, 1]\n    material: rubber\n    young: 100 kPa\n"             \
    "    poisson: 0.4\n"

// Steps until the run ends by itself or at the time; true: an error, whose text is there.
static bool run(scenario *s, double until, tn_error *error, double *highest)
{
    *highest = 0.0;
    while (tn_state_time(s->state) < until - 1e-9) {
        if (tn_sim_step(s->sim, NULL, s->state, &s->report, error) != TN_OK) {
            return true;
        }
        *highest = fmax(*highest, s->report.energy.kinetic + s->report.energy.elastic + s->report.energy.gravity);
    }
    return false;
}

// A soft cube without damping, thrown at 10 ms with midpoint: its elements' swings gain energy without bound.
static void a_blow_up_ends_the_run(void **unused)
{
    tn_error error = {0};
    scenario s = scenario_open(CUBE, "10");
    tn_energy start;
    double highest;
    assert_int_equal(tn_state_energy(s.state, &start, NULL), TN_OK);
    assert_true(run(&s, 10.0, &error, &highest));
    print_message("after %.2f s: %s\n", tn_state_time(s.state), error.message);
    assert_int_equal(error.status, TN_NUMERICS);
    assert_non_null(strstr(error.message, "have come from nowhere"));
    assert_non_null(strstr(error.message, "body 'cube'"));
    assert_non_null(strstr(error.message, "smaller step"));
    // The state is that before the step: below the limit, ten times and once all there was (kinetic and gravity's).
    check_below("energy of the last good step, over that at the start", highest / (start.kinetic + start.gravity),
                11.5);
    scenario_close(&s);
}

// A run that was stopped and resumed ends where the whole one does.
static void a_resumed_run_ends_alike(void **unused)
{
    const char *path = "gain_test.ckp";
    tn_error error = {0}, again = {0};
    double highest;
    scenario whole = scenario_open(CUBE, "10"), half = scenario_open(CUBE, "10"), rest = scenario_open(CUBE, "10");
    assert_true(run(&whole, 10.0, &error, &highest));
    assert_false(run(&half, 0.8 * tn_state_time(whole.state), NULL, &highest));
    assert_int_equal(tn_state_save(half.state, path, NULL), TN_OK);
    assert_int_equal(tn_state_load(rest.state, path, NULL), TN_OK);
    assert_true(run(&rest, 10.0, &again, &highest));
    print_message("whole: %ld steps, %s\nresumed: %ld steps, %s\n", tn_state_step_count(whole.state), error.message,
                  tn_state_step_count(rest.state), again.message);
    assert_string_equal(error.message, again.message);
    assert_true(tn_state_hash(whole.state) == tn_state_hash(rest.state));
    remove(path);
    scenario_close(&whole), scenario_close(&half), scenario_close(&rest);
}

static void a_user_may_let_it_go_on(void **unused)
{
    tn_error error = {0};
    scenario s = scenario_open(CUBE, "infinite");
    double highest;
    bool ended = run(&s, 1.5, &error, &highest);
    print_message("without a limit: %.3g J\n", highest);
    assert_false(ended);
    assert_true(highest > 100.0);
    scenario_close(&s);
}

// No energy is from nowhere here: what a motor, a hand, a moving body and gravity bring in, and what overlaps gain.
static void others_go_on(void **unused)
{
    static const char *const scenes[] = {
        "bodies: {ball: {shape: {sphere: 0.1}, density: 1000}}\n", // falls without end
        "gravity: [0, 0, 0]\nbodies: {ball: {shape: {sphere: 0.1}, density: 1000, force: [\"100*t\", 0, 0]}}\n",
        "gravity: [0, 0, 0]\nbodies: {wheel: {shape: {sphere: 0.1}, density: 1000}}\n"
        "joints: {axle: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: \"20*t\", strength: "
        "1000}}}}\n",
        "gravity: [0, 0, 0]\nbodies:\n  bat: {shape: {box: [0.1, 1, 1]}, motion: {position: [\"t^2\", 0, 0]}}\n"
        "  ball: {position: [0.2, 0, 0], shape: {sphere: 0.1}, density: 1000}\n",
        "gravity: [0, 0, 0]\nbodies:\n  a: {shape: {sphere: 0.1}, density: 1000}\n"
        "  b: {position: [0.02, 0, 0], shape: {sphere: 0.1}, density: 1000}\n",
        "bodies:\n  floor: {fixed: true, shape: {plane: {}, surface_velocity: [5, 0, 0]}}\n"
        "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}, density: 500}\n",
    };
    static const char *const schemes[3] = {"euler", "midpoint", "implicit"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (int k = 0; k < 3; k++) {
            tn_error error = {0};
            double highest;
            scenario s = scenario_open("scheme: %s\nstep: 10 ms\n%s", schemes[k], scenes[i]);
            bool ended = run(&s, 3.0, &error, &highest);
            print_message("scene %zu, %s: up to %.4g J%s%s\n", i, schemes[k], highest, ended ? ", " : "",
                          error.message);
            assert_false(ended);
            scenario_close(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blow_up_ends_the_run),
        cmocka_unit_test(a_resumed_run_ends_alike),
        cmocka_unit_test(a_user_may_let_it_go_on),
        cmocka_unit_test(others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
