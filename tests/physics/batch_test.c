// Batches: states side by side, stepped as single states are; sensors read as in a simulation of one state.
#include "scenario.h"

#include "base/memory.h"
#include "state/state.h"
#include "tenon/batch.h"
#include "tenon/sensor.h"

#include <string.h>

static const char PILE[] = // boxes that slide, and an arm
    "step: 5 ms\n%s\nmaterials: {m: {density: 500, friction: 0.3}}\ndefaults: {body: {material: m}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, 0.1], velocity: [2, 0, 0], shape: {box: [0.2, 0.2, 0.2]}, "
    "array: {count: [2, 2, 2], spacing: [0.3, 0.3, 0.2]}}\n"
    "  arm: {position: [0.5, 2, 1], shape: {box: [1, 0.1, 0.1]}}\n"
    "joints: {hinge: {type: revolute, b: arm, anchor: [0, 2, 1], axis: [0, 1, 0]}}\n"
    "sensors:\n"
    "  swing: {type: rate, joint: hinge, noise: 0.01}\n"
    "  push: {type: contact_force, body: \"box[0]\"}\n"
    "  shake: {type: acceleration, body: arm}\n";

enum { N = 7, BODIES = 11, READINGS = 7 };

static void test_batch(void **unused)
{
    static double wrench[N][BODIES][6], effort[N][1], gravity[N][3], pose[N][BODIES][7], rate[N][1];
    static double reading[N][READINGS], own_reading[READINGS], swing[N];
    static tn_step_report reports[N];
    scenario s = scenario_open(PILE, "");
    assert_int_equal(tn_model_body_count(s.model), BODIES);
    for (int i = 0; i < N; i++) {
        wrench[i][3][0] = 3.0 * i;
        effort[i][0] = 0.5 * i;
        gravity[i][2] = -9.81 - 0.1 * i;
    }
    assert_int_equal(tn_model_reading_count(s.model), READINGS);
    const tn_input all = {.wrench = wrench[0][0], .effort = effort[0], .gravity = gravity[0]};
    for (int threads = 1; threads < 4; threads++) {
        tn_error error = {0};
        tn_batch *batch = tn_batch_create(s.model, N, threads, &error);
        assert_non_null(batch);
        assert_int_equal(tn_batch_count(batch), N);
        tn_batch_get(batch, &(tn_batch_arrays){.reading = reading[0]});
        assert_true(isfinite(reading[1][0]) && isnan(reading[1][1]) && isnan(reading[1][4])); // before any step
        assert_int_equal(tn_batch_step(batch, 20, &all, reports, NULL, &error), TN_OK);
        assert_int_equal(tn_batch_step(batch, 1, &all, reports, NULL, &error), TN_OK);
        tn_batch_get(batch, &(tn_batch_arrays){.pose = pose[0][0], .rate = rate[0], .reading = reading[0]});
        for (int i = 0; i < N; i++) {
            scenario one = scenario_open(PILE, "");
            const tn_input own = {.wrench = wrench[i][0], .effort = effort[i], .gravity = gravity[i]};
            one.input = &own;
            scenario_steps(&one, 21);
            assert_true(tn_state_hash(one.state) == tn_state_hash(tn_batch_state(batch, i)));
            double own_pose[BODIES][7], own_rate;
            tn_state_get_bodies(one.state, own_pose[0], NULL);
            tn_state_get_coordinates(one.state, NULL, &own_rate);
            assert_memory_equal(own_pose, pose[i], sizeof own_pose);
            tn_sensors *sensors = tn_sensors_create(one.model, &error);
            assert_int_equal(tn_sensors_read(sensors, one.sim, one.state, own_reading, &error), TN_OK);
            assert_memory_equal(own_reading + 1, reading[i] + 1, sizeof own_reading - sizeof *own_reading);
            // Noise is each state's own, whatever the threads; that of the first is a single simulation's.
            double noise = reading[i][0] - rate[i][0];
            swing[i] = threads == 1 ? noise : swing[i];
            assert_true(noise == swing[i] && fabs(noise) < 0.05);
            assert_true((own_reading[0] == reading[i][0]) == (i == 0) && (i == 0 || fabs(noise - swing[i - 1]) > 1e-4));
            tn_sensors_destroy(sensors);
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
    assert_int_equal(tn_sim_set(s.sim, 1, (const char *const[]){"law=frictionless"}, &error), TN_OK);
    scenario_step(&s), scenario_step(&s);
    assert_true(tn_state_hash(tn_batch_state(batch, 1)) == tn_state_hash(s.state));
    tn_batch_destroy(batch);
    assert_null(tn_batch_create(s.model, 0, 1, &error));
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batch), cmocka_unit_test(test_batch_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
