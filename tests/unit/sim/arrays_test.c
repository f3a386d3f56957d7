// States as arrays: what is read is what single calls tell, what is written is what the next step starts from.
#include "scenario.h"

#include "state/state.h"

#include <string.h>

static const char SCENE[] =
    "gravity: [0, 0, 0]\nstep: 10 ms\n"
    "bodies:\n"
    "  floor: {fixed: true, position: [0, 0, -9], shape: {plane: {}}}\n"
    "  ell: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}, velocity: [1, 2, 3], "
    "angular_velocity: [3, 2, 1], shapes: [{box: [0.4, 0.1, 0.1], position: [0.2, 0, 0]}, "
    "{box: [0.1, 0.4, 0.2], position: [0, 0.2, 0.1]}]}\n"
    "  disk: {position: [5, 0, 0], confine: [0, 1, 0], velocity: [1, 0, 2], angular_velocity: [0, -3, 0], "
    "shapes: [{sphere: 0.1, position: [0.1, 0, 0.1]}]}\n"
    "  arm: {motion: {position: ['t', -7, 0], axis: [0, 0, 1], angle: '2 * t'}, shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  door: {position: [9, 0.5, 0], shape: {box: [0.1, 1, 1]}}\n"
    "joints: {hinge: {type: revolute, b: door, anchor: [9, 0, 0], axis: [0, 0, 1], "
    "turn: {stiffness: 4, damping: 0}}}\n"
    "soft: {mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, position: [-5, 0, 0], young: 1 Pa, "
    "velocity: [0, 0, 1], attach: [{to: arm, where: {nodes: [0]}}]}}\n";

enum { BODIES = 6, NODES = 18 };

typedef struct arrays {
    double pose[BODIES][7], velocity[BODIES][6], x[NODES][3], v[NODES][3], q[1], rate[1];
} arrays;

static void get(const scenario *s, arrays *out)
{
    assert_int_equal(tn_model_body_count(s->model), BODIES);
    assert_int_equal(tn_model_node_total(s->model), NODES);
    tn_state_get_bodies(s->state, out->pose[0], out->velocity[0]);
    tn_state_get_nodes(s->state, out->x[0], out->v[0]);
    tn_state_get_coordinates(s->state, out->q, out->rate);
}

static double apart(const double *a, const double *b, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void test_get(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    arrays a;
    scenario_run(&s, 0.1);
    get(&s, &a);
    for (int b = 0; b < BODIES; b++) {
        double x[3], q[4], v[3], w[3];
        tn_state_body_pose(s.state, b, x, q);
        tn_state_body_velocity(s.state, b, v, w);
        assert_memory_equal(a.pose[b], x, sizeof x);
        assert_memory_equal(a.pose[b] + 3, q, sizeof q);
        assert_memory_equal(a.velocity[b], v, sizeof v);
        assert_memory_equal(a.velocity[b] + 3, w, sizeof w);
    }
    assert_memory_equal(a.x, tn_state_nodes(s.state, BODIES), sizeof a.x);
    check_near("speed of the arm, along [m/s]", a.velocity[scenario_body(&s, "arm")][0], 1.0, 1e-12);
    // Node 0 is the arm's.
    check_below("nodes' speeds apart", apart(a.v[1], s.state->v + 3 * (size_t)s.model->nodes[1].block, 3 * (NODES - 1)),
                0.0);
    assert_true(tn_model_body_moves(s.model, 2) && !tn_model_body_moves(s.model, 1) &&
                !tn_model_body_moves(s.model, 4));
    assert_true(tn_model_body_moves(s.model, BODIES));
    check_near("step [s]", tn_model_step(s.model), 0.01, 0.0);
    scenario_close(&s);
}

// What was read, written: the same places and velocities to rounding. Rows of NaN stay to the bit.
static void test_round_trip(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    arrays a, b;
    tn_error error = {0};
    scenario_run(&s, 0.1);
    get(&s, &a);
    assert_int_equal(tn_state_set_bodies(s.state, a.pose[0], a.velocity[0], &error), TN_OK);
    assert_int_equal(tn_state_set_nodes(s.state, a.x[0], a.v[0], &error), TN_OK);
    get(&s, &b);
    check_below("apart after the round trip", apart(a.pose[0], b.pose[0], (sizeof a - sizeof a.q - sizeof a.rate) / 8),
                1e-14);
    uint64_t before = tn_state_hash(s.state);
    for (int i = 0; i < BODIES; i++) {
        a.pose[i][0] = a.velocity[i][0] = NAN;
    }
    a.x[0][0] = a.v[0][0] = NAN;
    assert_int_equal(tn_state_set_bodies(s.state, a.pose[0], a.velocity[0], &error), TN_OK);
    assert_int_equal(tn_state_set_bodies(s.state, NULL, NULL, &error), TN_OK);
    assert_int_equal(tn_state_set_nodes(s.state, NULL, NULL, &error), TN_OK);
    assert_true(tn_state_hash(s.state) == before);
    scenario_close(&s);
}

// A body put elsewhere keeps the velocity of its frame unless it gets another, and flies on from there.
static void test_set(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    arrays a, b;
    tn_error error = {0};
    int ell = scenario_body(&s, "ell"), disk = scenario_body(&s, "disk"), door = scenario_body(&s, "door"),
        arm = scenario_body(&s, "arm");
    get(&s, &a);
    const double turned[7] = {4.0, 5.0, 6.0, 2.0, 0.0, 0.0, 2.0}; // a quarter turn about z, not normalised
    memcpy(a.pose[ell], turned, sizeof turned);
    a.velocity[ell][0] = NAN;
    a.pose[disk][2] = 0.25, a.velocity[disk][4] = 1.5;
    // The door opened by 1 rad about its hinge, at 2 rad/s.
    a.pose[door][0] = 9.0 - 0.5 * sin(1.0), a.pose[door][1] = 0.5 * cos(1.0);
    a.pose[door][3] = cos(0.5), a.pose[door][6] = sin(0.5);
    a.velocity[door][0] = -2.0 * a.pose[door][1], a.velocity[door][1] = 2.0 * (a.pose[door][0] - 9.0);
    a.velocity[door][5] = 2.0;
    a.pose[arm][0] = 77.0;                                                // does not move freely: not taken
    a.x[NODES - 1][2] += 0.01, a.v[NODES - 1][1] = 0.3, a.x[0][0] += 1.0; // node 0 is the arm's
    assert_int_equal(tn_state_set_bodies(s.state, a.pose[0], a.velocity[0], &error), TN_OK);
    assert_int_equal(tn_state_set_nodes(s.state, a.x[0], a.v[0], &error), TN_OK);
    get(&s, &b);
    const double wanted[4] = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    check_below("place", apart(b.pose[ell], turned, 3), 1e-15);
    check_below("orientation", apart(b.pose[ell] + 3, wanted, 4), 1e-15);
    check_near("speed kept [m/s]", b.velocity[ell][1], 2.0, 1e-14);
    check_near("spin kept [rad/s]", b.velocity[ell][3], 3.0, 1e-14);
    check_near("disk's place [m]", b.pose[disk][2], 0.25, 1e-15);
    check_near("disk's spin [rad/s]", b.velocity[disk][4], 1.5, 1e-15);
    check_near("angle of the joint [rad]", b.q[0], 1.0, 1e-14);
    check_near("its rate [rad/s]", b.rate[0], 2.0, 1e-14);
    check_near("the arm stays", b.pose[arm][0], 0.0, 0.0);
    check_near("node's place [m]", b.x[NODES - 1][2], a.x[NODES - 1][2], 0.0);
    check_near("node's speed [m/s]", b.v[NODES - 1][1], 0.3, 0.0);
    check_near("attached node [m]", b.x[0][0], a.x[0][0] - 1.0, 0.0);
    // The spring of the joint is in the books of the next step as it is strained now.
    scenario_step(&s);
    double elastic = s.report.energy.elastic;
    check_near("elastic energy, mat and joint [J]", elastic, 0.5 * 4.0 * pow(1.02, 2), 2e-3);
    check_below("energy from nowhere [J]", fabs(s.report.energy.balance),
                1e-2); // of the scheme; 2 J without the strain
    scenario_close(&s);
}

static void test_refused(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    int ell = scenario_body(&s, "ell"), disk = scenario_body(&s, "disk");
    uint64_t before = tn_state_hash(s.state);
    for (int i = 0; i < 8; i++) {
        arrays a;
        tn_error error = {0};
        get(&s, &a);
        a.pose[ell][0] += 1.0, a.x[4][0] += 1.0; // what is right is not written either
        const char *said[] = {"body 'ell'",
                              "body 'ell'",
                              "body 'ell'",
                              "body 'disk'",
                              "body 'disk'",
                              "body 'disk'",
                              "node 3 of soft body 'mat'",
                              "node 3 of soft body 'mat'"};
        switch (i) {
        case 0:
            a.pose[ell][2] = INFINITY;
            break;
        case 1:
            memset(a.pose[ell] + 3, 0, 4 * sizeof(double));
            break;
        case 2:
            a.velocity[ell][4] = NAN;
            break;
        case 3:
            a.pose[disk][1] = 1e-6;
            break;
        case 4:
            a.pose[disk][4] = 1e-3;
            break;
        case 5:
            a.velocity[disk][5] = 1e-3;
            break;
        case 6:
            a.x[3][1] = NAN;
            break;
        default:
            a.v[3][2] = -INFINITY;
        }
        tn_status status = i < 6 ? tn_state_set_bodies(s.state, a.pose[0], a.velocity[0], &error)
                                 : tn_state_set_nodes(s.state, a.x[0], a.v[0], &error);
        print_message("%s\n", error.message);
        assert_int_equal(status, TN_BAD_INPUT);
        assert_non_null(strstr(error.message, said[i]));
        assert_true(tn_state_hash(s.state) == before);
    }
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
