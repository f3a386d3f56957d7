// Jacobians of a turned body whose principal axes are turned too: velocity of a point and angular velocity along a skew
// frame against v + omega x r, for both signs.
#include "model/rigid.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "state/state.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static void along_a_skew_frame(void **unused)
{
    static const char text[] =
        "bodies:\n"
        "  free: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 0.8}, velocity: [0.3, -0.2, 0.5], "
        "angular_velocity: [2, -1, 0.5], shape: {box: [0.2, 0.5, 0.3], rotation: {axis: [-1, 1, 2], angle: 0.6}}}\n"
        "  flat: {position: [0, 1, 0], confine: [1, 2, 2], velocity: [2, -1, 0], angular_velocity: [1, 2, 2], mass: 2, "
        "inertia: [1, 1, 1]}\n";
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    if (!state) {
        fail_msg("%s", error.message);
    }
    double q[4], frame[9], worst = 0.0;
    const double linear[2][3] = {{0.3, -0.2, 0.5}, {2, -1, 0}}, angular[2][3] = {{2, -1, 0.5}, {1, 2, 2}};
    tn_quat_from_axis_angle(q, (const double[3]){3, 1, -2}, 1.3);
    tn_quat_to_mat3(frame, q);
    for (int b = 1; b <= 2; b++) {
        const tn_model_body *body = model->bodies + b;
        for (int k = 0; k < 2; k++) {
            double sign = k == 0 ? -1.0 : 1.0, entry[2][9], arm[3] = {0.4, -0.3, 0.2}, point[3], u[3] = {0}, w[3] = {0};
            double velocity[3], wanted[3];
            tn_vec3_add(point, state->pose[b].position, arm);
            int n = tn_body_point_jacobian(body, state->pose + b, frame, point, sign, entry);
            for (int i = 0; i < n; i++) {
                tn_mat3_add_vec(u, entry[i], state->v + 3 * (body->block + i));
            }
            tn_vec3_cross(velocity, angular[b - 1], arm);
            tn_vec3_add(velocity, velocity, linear[b - 1]);
            tn_vec3_scale(velocity, sign, velocity);
            tn_mat3_vec(wanted, frame, velocity);
            tn_vec3_sub(u, u, wanted);
            n = tn_body_spin_jacobian(body, state->pose + b, frame, sign, entry);
            for (int i = 0; i < n; i++) {
                tn_mat3_add_vec(w, entry[i], state->v + 3 * (body->block + i));
            }
            tn_vec3_scale(velocity, sign, angular[b - 1]);
            tn_mat3_vec(wanted, frame, velocity);
            tn_vec3_sub(w, w, wanted);
            worst = fmax(worst, tn_vec3_norm(u) + tn_vec3_norm(w));
        }
    }
    printf("off by %.2e, limit 1e-14\n", worst);
    assert_true(worst < 1e-14);
    tn_state_destroy(state);
    tn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(along_a_skew_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
