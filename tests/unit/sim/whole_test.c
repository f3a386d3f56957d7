// A state of everything - joints with motors on moving bodies, soft bodies, nodes on a free body, contacts, springs -
// after a few steps: a checkpoint brings all of it back; velocities of attached nodes and rates of joints by hand.
#include "scenario.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "state/state.h"

#include <stdlib.h>
#include <unistd.h>

static scenario everything(void)
{
    return scenario_open(
        "step: 5 ms\n"
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: {}}}\n"
        "  arm: {motion: {position: [0, 0, '1 + 0.2 * t'], axis: [0, 3, 4], angle: '2 * t + t^2'}}\n"
        "  head: {position: [2, 0, 0.3], velocity: [0.5, 0, 0], angular_velocity: [1, 2, 3], shape: {box: [0.2, 0.3, "
        "0.1]}}\n"
        "  disk: {position: [-1, 0, 0.1], confine: [0, 1, 0], velocity: [1, 0, 0], shape: {sphere: 0.1}}\n"
        "  weight: {position: [0.5, 0, 1], shape: {box: [0.2, 0.1, 0.1]}}\n"
        "springs: {s: {a: disk, point_b: [-2, 0, 0.1], stiffness: 100, damping: 3}}\n"
        "joints: {hinge: {type: revolute, a: arm, b: weight, anchor: [0, 0, 1], axis: [0, 3, 4], turn: {friction: 0.3, "
        "limits: [-0.5, 0.5]}}}\n"
        "soft: {tail: {grid: {size: [0.1, 0.3, 0.2], divisions: [1, 2, 1]}, young: 1e5, position: [2, 0, 0.45], "
        "attach: "
        "[{to: head, where: {box: {low: [-1, -1, -1], high: [1, 1, -0.09]}}}]}}\n");
}

static void checkpoint(void **unused)
{
    char path[64];
    tn_error error = {0};
    scenario s = everything(), fresh = everything();
    snprintf(path, sizeof path, "whole_test_%d.ckpt", (int)getpid());
    scenario_steps(&s, 80);
    double moved[4] = {0.0, s.state->dissipated, s.state->injected, s.state->joint_coordinate[0]};
    for (int i = 0; i < s.model->n_joint_rows; i++) {
        moved[0] = fmax(moved[0], fabs(s.state->joint_force[i]));
    }
    print_message("force %g N, dissipated %g J, injected %g J, angle %g rad, %d contacts kept\n", moved[0], moved[1],
                  moved[2], moved[3], s.state->n_memory);
    assert_true(moved[0] > 0.1 && moved[1] > 0.01 && moved[2] != 0.0 && moved[3] != 0.0 && s.state->n_memory > 0);
    assert_true(tn_state_hash(s.state) != tn_state_hash(fresh.state));
    assert_int_equal(tn_state_save(s.state, path, &error), TN_OK);
    assert_int_equal(tn_state_load(fresh.state, path, &error), TN_OK);
    assert_true(tn_state_hash(s.state) == tn_state_hash(fresh.state));
    for (int i = 0; i < s.model->n_joint_rows; i++) {
        assert_true(s.state->joint_force[i] == fresh.state->joint_force[i]);
    }
    assert_true(s.state->joint_coordinate[0] == fresh.state->joint_coordinate[0]);
    for (int k = 0; k < 20; k++) {
        scenario_step(&s);
        scenario_step(&fresh);
    }
    assert_true(tn_state_hash(s.state) == tn_state_hash(fresh.state)); // and they go on alike to the last bit
    remove(path);
    scenario_close(&s);
    scenario_close(&fresh);
}

static void velocities(void **unused)
{
    scenario s = everything();
    scenario_steps(&s, 10);
    int head = scenario_body(&s, "head"), n_attached = 0;
    double position[3], quaternion[4], linear[3], angular[3], worst = 0.0;
    tn_state_body_pose(s.state, head, position, quaternion);
    tn_state_body_velocity(s.state, head, linear, angular);
    for (int i = 0; i < s.model->n_nodes; i++) {
        if (s.model->nodes[i].body == head) {
            double arm[3], wanted[3], got[3];
            tn_vec3_sub(arm, s.state->x + 3 * i, position);
            tn_vec3_cross(wanted, angular, arm);
            tn_vec3_add(wanted, wanted, linear);
            tn_state_node_velocity(s.state, i, s.state->v, got);
            tn_vec3_sub(got, got, wanted);
            worst = fmax(worst, tn_vec3_norm(got));
            n_attached++;
        }
    }
    print_message("%d nodes on the head: ", n_attached);
    assert_int_equal(n_attached, 6);
    check_below("their velocity", worst, 1e-13);
    // Rate of the hinge: of the weight relative to the arm, which turns at 2 + 2 t about (0, 0.6, 0.8).
    double q[3], rate[3], spin[3], weight[3], t = tn_state_time(s.state);
    tn_state_joint(s.state, 0, q, rate);
    tn_state_body_velocity(s.state, scenario_body(&s, "weight"), weight, spin);
    check_near("rate of the hinge", rate[0], 0.6 * spin[1] + 0.8 * spin[2] - (2.0 + 2.0 * t), 1e-9);
    assert_true(fabs(rate[0]) > 1e-3);
    scenario_close(&s);
}

// What a step leaves for the next one's start: the force of each contact on b, in world axes, on a slope that is
// turned.
static void warm_start(void **unused)
{
    scenario s =
        scenario_open("bodies:\n  slope: {fixed: true, rotation: {axis: [1, 2, 0], angle: 0.3}, shape: {plane: {}}}\n"
                      "  box: {rotation: {axis: [1, 2, 0], angle: 0.3}, velocity: [0.5, 0.3, -0.1], position: [0.0264, "
                      "-0.0132, 0.0955], shape: {box: [0.2, 0.3, 0.2]}}\n");
    scenario_steps(&s, 3);
    int n = tn_sim_contact_count(s.sim), kept = 0;
    double worst = 0.0, most = 0.0;
    for (int k = 0; k < n; k++) {
        tn_contact_info c;
        tn_sim_contact(s.sim, k, &c);
        double size = tn_vec3_norm(c.force), difference[3];
        if (size > 0.0) {
            assert_true(kept < s.state->n_memory);
            tn_vec3_sub(difference, s.state->memory[kept++].force, c.force);
            worst = fmax(worst, tn_vec3_norm(difference));
            most = fmax(most, fabs(c.force[0]) + fabs(c.force[1]));
        }
    }
    print_message("%d contacts, up to %g N across z: ", kept, most);
    assert_true(kept >= 3 && kept == s.state->n_memory && most > 1.0);
    check_below("kept forces", worst, 1e-12);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checkpoint), cmocka_unit_test(velocities),
                                       cmocka_unit_test(warm_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
