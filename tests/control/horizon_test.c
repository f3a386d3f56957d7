// The controller of a scene's section `mpc` with the simulator as the plant: it holds the pole, repeats to the bit, and
// its figures are in the recording.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/lanes.h"
#include "tenon/lcs_source.h"
#include "tenon/mpc.h"
#include "tenon/record.h"
#include "tenon/sim.h"
#include "test.h"

static tn_error e;

static tn_model *load(int n_set, const char *const *set)
{
    tn_scene *scene = tn_scene_load(TENON_SOURCE_DIR "/scenes/mpc/cart_pole_walls.yaml", n_set, set, &e);
    tn_model *model = scene ? tn_model_create(scene, &e) : NULL;
    if (!model) {
        print_message("%s\n", e.message);
    }
    assert_non_null(model);
    return model;
}

static void begin(const tn_model *model, const double x[4], tn_state *state)
{
    static const char *const names[] = {"rail:slide", "hinge:turn"};
    tn_lcs_options o = tn_lcs_options_default();
    o.n_coordinates = 2;
    o.coordinates = names;
    tn_lcs_source *source = tn_lcs_source_create(model, &o, &e);
    assert_non_null(source);
    assert_int_equal(tn_lcs_source_write(source, x, state, &e), TN_OK);
    tn_lcs_source_destroy(source);
}

// Runs n_steps from x (NULL: as the scene has it); the state's hash, and where cart and pole are.
static uint64_t run_from(const double *start, int n_steps, const tn_model *model, const char *path, double *x)
{
    tn_state *state = tn_state_create(model, &e);
    if (start) {
        begin(model, start, state);
    }
    tn_sim *sim = tn_sim_create(model, &e);
    tn_mpc *mpc = tn_mpc_create(model, &e);
    assert_non_null(mpc);
    assert_null(tn_mpc_plan(mpc));
    tn_recorder *recorder = path ? tn_recorder_create(path, model, &e) : NULL;
    for (int k = 0; k < n_steps; k++) {
        tn_step_report report;
        if (k % 8 == 0) {
            assert_int_equal(tn_mpc_solve(mpc, state, &e), TN_OK);
            assert_true(tn_mpc_plan(mpc)->nodes <= 60);
        }
        if (recorder) {
            assert_int_equal(tn_recorder_plan(recorder, tn_mpc_plan(mpc), tn_mpc_rows(mpc), &e), TN_OK);
        }
        assert_int_equal(tn_sim_step(sim, tn_mpc_input(mpc, state), state, &report, &e), TN_OK);
        if (recorder) {
            assert_int_equal(tn_recorder_append(recorder, sim, state, &report, &e), TN_OK);
        }
    }
    assert_true(tn_mpc_state(mpc, state, x));
    uint64_t hash = tn_state_hash(state);
    assert_int_equal(tn_recorder_close(recorder, &e), TN_OK);
    tn_mpc_destroy(mpc);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    return hash;
}

// 1.6 s.
static uint64_t run(const tn_model *model, const char *path, double x[4])
{
    return run_from(NULL, 320, model, path, x);
}

// From starts where a pole that nothing holds is lost: it leans on a wall, which gives way by more than a thin one has.
static void test_leans(void **unused)
{
    static const double starts[][4] = {{-0.097, 0.077, 0.176, 3.226}, {0.099, -0.206, 0.188, -3.283}};
    const char *still[] = {"mpc.push_impulse=[0, 0, 0]"};
    tn_model *model = load(1, still);
    for (int i = 0; i < 2; i++) {
        double x[4];
        run_from(starts[i], 600, model, NULL, x);
        printf("from %.3g rad/s: cart %.3g m, pole %.3g rad\n", starts[i][3], x[0], x[1]);
        assert_true(fabs(x[0]) < 0.1 && fabs(x[1]) < 0.02);
    }
    tn_model_destroy(model);
}

static void test_holds(void **unused)
{
    const char *still[] = {"mpc.push_impulse=[0, 0, 0]"}, *other[] = {"seed=2"};
    double x[4], y[4];
    tn_model *model = load(1, still);
    uint64_t hash = run(model, NULL, x);
    printf("without pushes: cart %.3g m, pole %.3g rad\n", x[0], x[1]);
    assert_true(fabs(x[0]) < 0.1 && fabs(x[1]) < 0.02);
    assert_true(run(model, NULL, y) == hash);
    tn_model_destroy(model);
    model = load(0, NULL);
    uint64_t pushed = run(model, NULL, x);
    printf("pushed: cart %.3g m, pole %.3g rad\n", x[0], x[1]);
    assert_true(fabs(x[1]) < 0.5 && pushed != hash);
    tn_model_destroy(model);
    model = load(1, other);
    assert_true(run(model, NULL, y) != pushed);
    tn_model_destroy(model);
}

static void test_recorded(void **unused)
{
    char path[] = "/tmp/tenon_mpc_XXXXXX.h5";
    int file = mkstemps(path, 3);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    double x[4], cost[320], bound[320], nodes[320], status[320], mode[320];
    tn_model *model = load(0, NULL);
    run(model, path, x);
    tn_recording *r = tn_recording_open(path, &e);
    assert_non_null(r);
    assert_int_equal(tn_recording_read(r, "plan/cost", 0, 320, cost, &e), TN_OK);
    assert_int_equal(tn_recording_read(r, "plan/bound", 0, 320, bound, &e), TN_OK);
    assert_int_equal(tn_recording_read(r, "plan/nodes", 0, 320, nodes, &e), TN_OK);
    assert_int_equal(tn_recording_read(r, "plan/status", 0, 320, status, &e), TN_OK);
    assert_int_equal(tn_recording_read(r, "plan/mode", 0, 320, mode, &e), TN_OK);
    int optimal = 0;
    for (int k = 0; k < 320; k++) {
        assert_true(bound[k] <= cost[k] + 1e-9 * (1.0 + fabs(cost[k])) && nodes[k] >= 0.0 && nodes[k] <= 60.0);
        assert_true(mode[k] == floor(mode[k]) && mode[k] >= 0.0 && mode[k] < 4.0); // two walls
        assert_true(k % 8 == 0 || cost[k] == cost[k - 1]);                         // held from solve to solve
        optimal += status[k] == TN_PLAN_OPTIMAL;
    }
    assert_true(optimal > 100);
    tn_recording_close(r);
    tn_model_destroy(model);
    unlink(path);
}

// Where the plan has the bodies: the cart along its rail, the pole turned about its hinge on it, as its x says; from
// there into the recording.
static void test_poses(void **unused)
{
    char path[] = "/tmp/tenon_mpc_XXXXXX.h5";
    close(mkstemps(path, 3));
    tn_model *model = load(0, NULL);
    tn_state *state = tn_state_create(model, &e);
    tn_sim *sim = tn_sim_create(model, &e);
    tn_mpc *mpc = tn_mpc_create(model, &e);
    const int n = 7 * tn_model_body_count(model), cart = 7 * tn_model_find_body(model, "cart"),
              pole = 7 * tn_model_find_body(model, "pole");
    double *poses = calloc((size_t)(TN_PLAN_POSES + 1) * (size_t)n, sizeof *poses), *now = poses + TN_PLAN_POSES * n;
    assert_int_equal(tn_mpc_poses(mpc, state, 0, poses, &e), TN_BAD_INPUT);
    begin(model, (const double[]){-0.097, 0.077, 0.176, 2.9}, state);
    assert_int_equal(tn_mpc_solve(mpc, state, &e), TN_OK);
    const tn_plan *plan = tn_mpc_plan(mpc);
    assert_int_equal(tn_mpc_poses(mpc, state, plan->horizon + 1, poses, &e), TN_BAD_INPUT);
    assert_int_equal(tn_mpc_poses(mpc, state, 0, now, &e), TN_OK);
    double farthest = 0.0;
    for (int k = 0; k < TN_PLAN_POSES; k++) {
        const int step = (k + 1) * plan->horizon / TN_PLAN_POSES;
        const double *x = plan->x + step * plan->n_x, *p = poses + k * n;
        assert_int_equal(tn_mpc_poses(mpc, state, step, poses + k * n, &e), TN_OK);
        double along = p[cart] - now[cart], *q = poses + k * n + pole + 3, *was = now + pole + 3;
        double turned = 2.0 * acos(fmin(fabs(q[0] * was[0] + q[1] * was[1] + q[2] * was[2] + q[3] * was[3]), 1.0));
        assert_true(fabs(along - (x[0] - plan->x[0])) < 1e-9);
        assert_true(fabs(turned - fabs(x[1] - plan->x[1])) < 1e-6);
        farthest = fmax(farthest, fabs(along));
    }
    print_message("the plan drives the cart by up to %.3g m\n", farthest);
    assert_true(farthest > 0.01);
    tn_recorder *recorder = tn_recorder_create(path, model, &e);
    assert_int_equal(tn_recorder_append(recorder, sim, state, NULL, &e), TN_OK);
    assert_int_equal(tn_recorder_plan_poses(recorder, poses, &e), TN_OK);
    assert_int_equal(tn_recorder_append(recorder, sim, state, NULL, &e), TN_OK);
    assert_int_equal(tn_recorder_close(recorder, &e), TN_OK);
    tn_recording *r = tn_recording_open(path, &e);
    double *read = calloc(2 * (size_t)TN_PLAN_POSES * (size_t)n, sizeof *read);
    assert_int_equal(tn_recording_read(r, "plan/poses", 0, 2, read, &e), TN_OK);
    for (int i = 0; i < TN_PLAN_POSES * n; i++) {
        assert_true(isnan(read[i])); // before there was a plan
        assert_true(fabs(read[TN_PLAN_POSES * n + i] - poses[i]) <= 1e-7 * fmax(1.0, fabs(poses[i])));
    }
    tn_recording_close(r);
    free(read);
    free(poses);
    tn_mpc_destroy(mpc);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
    unlink(path);
}

// What bits of plan/mode and plan/slides stand for; in a catch fingers press the parcel, which slides on them at times.
static void test_lanes(void **unused)
{
    static const char *const names[] = {"floor - parcel",   "floor - left",   "floor - right",    "parcel - left",
                                        "parcel - right",   "left - right",   "lift:slide limit", "west:slide limit",
                                        "east:slide limit", "parcel:x limit", "parcel:z limit"};
    static tn_lane_name name[TN_LANES_MAX];
    static double mode[200], slides[200], x[10];
    tn_scene *scene = tn_scene_load(TENON_SOURCE_DIR "/scenes/mpc/two_finger_catch.yaml", 0, NULL, &e);
    tn_model *model = tn_model_create(scene, &e);
    const int n = tn_model_lane_names(model, name);
    assert_int_equal(n, sizeof names / sizeof *names);
    for (int k = 0; k < n; k++) {
        print_message("%s\n", name[k]);
        assert_string_equal(name[k], names[k]);
    }
    assert_int_equal(tn_model_pair_lane(model, 1, 3), 4);
    assert_int_equal(tn_model_limit_lane(model, 2), 8);
    char path[] = "/tmp/tenon_mpc_XXXXXX.h5";
    close(mkstemps(path, 3));
    unlink(path);
    run_from(NULL, 200, model, path, x);
    tn_recording *r = tn_recording_open(path, &e);
    assert_non_null(r);
    assert_int_equal(tn_recording_read(r, "plan/mode", 0, 200, mode, &e), TN_OK);
    assert_int_equal(tn_recording_read(r, "plan/slides", 0, 200, slides, &e), TN_OK);
    int grips = 0, slid = 0;
    for (int k = 0; k < 200; k++) {
        grips += mode[k] == 24.0; // both fingers and nothing else
        slid += ((unsigned)slides[k] & 24) != 0;
        assert_int_equal((unsigned)slides[k] & ~(unsigned)mode[k], 0);
    }
    print_message("of 200 steps both fingers press in %d, the parcel slides on one in %d\n", grips, slid);
    assert_true(grips > 20 && slid > 0);
    tn_recording_close(r);
    tn_model_destroy(model);
    unlink(path);
}

// A first solve of the catch: pairs of its plan, and how many of them are off.
static int solve_catch(int n_set, const char *const *set, int *off)
{
    tn_model *model =
        tn_model_create(tn_scene_load(TENON_SOURCE_DIR "/scenes/mpc/two_finger_catch.yaml", n_set, set, &e), &e);
    assert_non_null(model);
    tn_state *state = tn_state_create(model, &e);
    tn_mpc *mpc = tn_mpc_create(model, &e);
    assert_int_equal(tn_mpc_solve(mpc, state, &e), TN_OK);
    const tn_plan *plan = tn_mpc_plan(mpc);
    print_message("%s, %d pairs, off by %.1e\n", tn_plan_status_name(plan->status), plan->n_c, plan->residual);
    *off = 0;
    for (int i = 0; plan->cost < INFINITY && i < plan->horizon * plan->n_c; i++) {
        *off += plan->mode[i] == TN_PLAN_OFF;
    }
    const int n_c = plan->n_c;
    tn_mpc_destroy(mpc);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return n_c;
}

// Level and points of the section reach the planner: guards that turn pairs off, and more pairs.
static void test_level_and_points(void **unused)
{
    const char *all[] = {"mpc.margin=0"}, *velocity[] = {"mpc.margin=0", "mpc.level=velocity"};
    const char *points[] = {"mpc.margin=0", "mpc.facets=2", "mpc.points=2"};
    int off;
    const int n_c = solve_catch(1, all, &off);
    assert_int_equal(off, 0);
    assert_int_equal(solve_catch(2, velocity, &off), n_c);
    print_message("%d pairs, at the velocity level %d off in the plan\n", n_c, off);
    assert_true(off > 0);
    assert_true(solve_catch(3, points, &off) > solve_catch(2, points, &off));
}

// The section's methods are those of tn_plan_method, in its order.
static void test_methods(void **unused)
{
    const char *const names[] = {"miqp", "admm", "mpcc"};
    for (int k = 0; k < 2; k++) {
        char set[32];
        const char *sets[] = {set, "mpc.push_impulse=[0, 0, 0]"};
        double x[4];
        assert_int_equal(tn_plan_method_find(names[k]), k);
        snprintf(set, sizeof set, "mpc.method=%s", names[k]);
        tn_model *model = load(2, sets);
        run(model, NULL, x);
        printf("%s: cart %.3g m, pole %.3g rad\n", names[k], x[0], x[1]);
        assert_true(fabs(x[0]) < 0.1 && fabs(x[1]) < 0.02);
        tn_model_destroy(model);
    }
    assert_int_equal(tn_plan_method_find(names[2]), 2);
}

static void refused(const char *set, const char *text)
{
    const char *sets[] = {set};
    tn_scene *scene = tn_scene_load(TENON_SOURCE_DIR "/scenes/mpc/cart_pole_walls.yaml", 1, sets, &e);
    tn_model *model = scene ? tn_model_create(scene, &e) : NULL;
    tn_mpc *mpc = model ? tn_mpc_create(model, &e) : NULL;
    assert_null(mpc);
    if (!strstr(e.message, text)) {
        print_message("'%s' instead of '%s'\n", e.message, text);
    }
    assert_non_null(strstr(e.message, text));
    tn_model_destroy(model);
}

static void test_refused(void **unused)
{
    tn_model *none = tn_model_create(tn_scene_parse("bodies: {a: {shape: {sphere: 1}}}", NULL, 0, NULL, &e), &e);
    assert_null(tn_mpc_create(none, &e));
    assert_non_null(strstr(e.message, "no section 'mpc'"));
    tn_model_destroy(none);
    refused("mpc.step=7 ms", "multiple");
    refused("mpc.facets=3", "even");
    refused("mpc.place=[1, 2, 3]", "'place' has 3 numbers, not one or 2");
    refused("mpc.inputs=rail:turn", "input 'rail:turn'");
    refused("mpc.coordinates=[rail:slide, knee]", "no coordinate 'knee'");
    refused("mpc.method=simplex", "method");
    refused("mpc.push_body=wall", "no body 'wall'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_holds),    cmocka_unit_test(test_leans),
                                       cmocka_unit_test(test_recorded), cmocka_unit_test(test_poses),
                                       cmocka_unit_test(test_lanes),    cmocka_unit_test(test_level_and_points),
                                       cmocka_unit_test(test_methods),  cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
