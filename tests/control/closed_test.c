// Tasks of scenes/mpc in closed loop, with friction that the planner does not believe in and pushes: the goal is
// reached, by what the planner knows of contact, with the same bits each time.
#include "control_closed.h"
#include "test.h"

static tn_status plan_law(void *user, tn_mpc *hand, const tn_state *state, const double *x, const double **u,
                          tn_error *error)
{
    tn_status status = tn_mpc_solve(hand, state, error);
    const tn_plan *plan = tn_mpc_plan(hand);
    *u = plan && isfinite(plan->cost) ? plan->u : NULL;
    return status;
}

static tn_status still_law(void *user, tn_mpc *hand, const tn_state *state, const double *x, const double **u,
                           tn_error *error)
{
    *u = user;
    return tn_mpc_hold(hand, user, error);
}

static control_result run(const control_task *task, int start, const char *set, control_law law, void *user)
{
    control_errors errors = {.friction = 0.2, .pushed = true};
    control_result result;
    tn_error e = {0};
    tn_model *plant = control_plant(task, TENON_SOURCE_DIR "/scenes", start, errors, set ? 1 : 0, &set, &e);
    if (!plant || control_run(task, plant, start, law, user, &result, &e) != TN_OK) {
        fail_msg("%s", e.message);
    }
    tn_model_destroy(plant);
    printf("%s from start %d%s%s: cost %.4g, goal %s\n", task->name, start, set ? ", " : "", set ? set : "",
           result.cost, result.reached ? "reached" : "missed");
    return result;
}

static void test_catch(void **unused)
{
    const control_task *task = control_task_find("catch");
    control_result seen[2];
    for (int start = 0; start < 2; start++) {
        seen[start] = run(task, start, NULL, plan_law, NULL);
        assert_true(seen[start].reached);
    }
    control_result again = run(task, 0, NULL, plan_law, NULL);
    assert_memory_equal(again.x, seen[0].x, sizeof again.x);
    control_result blind = run(task, 0, "mpc.margin=1e-9", plan_law, NULL); // nothing is as near when the hand closes
    assert_true(!blind.reached && blind.cost > 10.0 * seen[0].cost);
}

static void test_push(void **unused)
{
    enum { START = 2 }; // from 0 it is rounding that decides whether the blind one gets there
    const control_task *task = control_task_find("push");
    control_result seen = run(task, START, NULL, plan_law, NULL);
    assert_true(seen.reached);
    control_result blind = run(task, START, "mpc.margin=1e-9", plan_law, NULL);
    assert_true(!blind.reached && blind.cost > 3.0 * seen.cost);
}

// Inputs of another controller act as they are.
static void test_hold(void **unused)
{
    double weight[3] = {0, 0, 0}, up[3] = {30, 0, 0}, bad[3] = {0, NAN, 0};
    const control_task *task = control_task_find("catch");
    control_result falls = run(task, 0, "duration=0.1", still_law, weight),
                   rises = run(task, 0, "duration=0.1", still_law, up);
    assert_true(fabs(rises.x[5] - falls.x[5] - 0.1 * 30.0 / 1.6) < 1e-6); // rate of the lift, 1.6 kg
    tn_error e = {0};
    tn_model *plant = control_plant(task, TENON_SOURCE_DIR "/scenes", 0, (control_errors){0}, 0, NULL, &e);
    tn_mpc *mpc = tn_mpc_create(plant, &e);
    assert_int_equal(tn_mpc_hold(mpc, bad, &e), TN_BAD_INPUT);
    assert_int_equal(tn_mpc_hold(mpc, NULL, &e), TN_BAD_INPUT);
    tn_mpc_destroy(mpc);
    tn_model_destroy(plant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_catch), cmocka_unit_test(test_push),
                                       cmocka_unit_test(test_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
