// Contact frames where friction depends on direction: right-handed, t1 along the direction as the body that carries it
// is turned, for a and for b; principal axes that are not the body's own.
#include "collide/frame.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static void along_the_grain(void **unused)
{
    static const char text[] = "bodies:\n"
                               "  one: {rotation: {axis: [1, 2, 3], angle: 0.8}, shape: {box: [0.2, 0.5, 0.3], "
                               "rotation: {axis: [-1, 1, 2], angle: "
                               "0.6}}}\n"
                               "  two: {position: [1, 0, 0], rotation: {axis: [3, -1, 1], angle: 1.9}, shape: {box: "
                               "[0.4, 0.1, 0.3], rotation: "
                               "{axis: [2, 1, 0], angle: 1.1}}}\n";
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    if (!state) {
        fail_msg("%s", error.message);
    }
    const double axes[2][3] = {{1, 2, 3}, {3, -1, 1}}, angles[2] = {0.8, 1.9};
    double worst = 0.0;
    for (int k = 0; k < 200; k++) {
        bool of_b = k % 2;
        tn_surface surface = {.mu1 = 0.5, .mu2 = 0.2, .direction = {0.3, -1.0, 0.5}, .direction_of_b = of_b};
        double n[3] = {sin(k), cos(2.3 * k), sin(1.7 * k + 1.0)}, turn[4], grain[3], frame[9], cross[3];
        tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
        tn_contact_frame(frame, state, &surface, 1, 2, n);
        tn_quat_from_axis_angle(turn, axes[of_b], angles[of_b]);
        tn_quat_rotate(grain, turn, surface.direction);
        tn_vec3_madd(grain, grain, -tn_vec3_dot(grain, n), n);
        tn_vec3_scale(grain, 1.0 / tn_vec3_norm(grain), grain);
        tn_vec3_cross(cross, n, grain);
        for (int i = 0; i < 3; i++) {
            worst = fmax(worst, fabs(frame[i] - n[i]));
            worst = fmax(worst, fabs(frame[3 + i] - grain[i]));
            worst = fmax(worst, fabs(frame[6 + i] - cross[i]));
        }
    }
    printf("rows off by %.2e, limit 1e-13\n", worst);
    assert_true(worst < 1e-13);
    tn_state_destroy(state);
    tn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(along_the_grain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
