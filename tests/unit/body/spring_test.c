// Springs with an end on a body whose motion is prescribed, as end a and as end b: the drift is the velocity of that
// point, its turning included, as a mean over the step.
#include "body/spring.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "state/state.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static void check(const char *what, double value, double wanted, double limit)
{
    printf("%-52s %.12g, wanted %.12g +- %.1g\n", what, value, wanted, limit);
    assert_true(fabs(value - wanted) <= limit);
}

// The spring of the scene with the turning arm as end a (order 0) or b, at t = 0 with h = 0.01.
static tn_spring_element element(int order)
{
    char text[1000];
    snprintf(text, sizeof text,
             "step: 0.01\nbodies:\n"
             "  arm: {motion: {position: ['1 + 2 * t', 0, '-3 * t^2'], axis: [0, 3, 4], angle: '2 * t + 10 * t^2'}}\n"
             "  ball: {position: [1.3, 0.1, 0.9], velocity: [0.4, -0.1, 0.2], shape: {sphere: 0.1}}\n"
             "springs: {s: {a: %s, b: %s, point_%s: [0.3, 0.1, -0.2], stiffness: 50, damping: 7, rest_length: 0.4}}\n",
             order == 0 ? "arm" : "ball", order == 0 ? "ball" : "arm", order == 0 ? "a" : "b");
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    if (!state) {
        fail_msg("%s", error.message);
    }
    tn_spring_element out;
    const tn_spring_instant at = {.poses = state->pose, .v = state->v, .t = 0.0, .h = 0.01};
    tn_spring_linearize(model, model->scene->springs, &at, &out);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return out;
}

static void spring_on_a_turning_arm(void **unused)
{
    // Mean over 10 ms: linear (2, 0, -0.03), a turn by 0.021 about (0, 0.6, 0.8); the end's arm is (0.3, 0.1, -0.2).
    const double linear[3] = {2.0, 0.0, -0.03}, turn[3] = {0.0, 0.0126, 0.0168}, arm[3] = {0.3, 0.1, -0.2};
    double q[4], chord[3], velocity[3];
    tn_quat_exp(q, turn);
    tn_quat_rotate(chord, q, arm);
    tn_vec3_sub(chord, chord, arm);
    tn_vec3_madd(velocity, linear, 1.0 / 0.01, chord);
    // The ends are (1.3, 0.1, -0.2) and (1.3, 0.1, 0.9): 1.1 m along z, 0.7 m stretched.
    for (int order = 0; order < 2; order++) {
        tn_spring_element e = element(order);
        double sign = order == 0 ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++) {
            check(order == 0 ? "drift, the arm is a" : "drift, the arm is b", e.drift[i], sign * velocity[i], 1e-12);
            check("all of it driven", e.driven[i], sign * velocity[i], 1e-12);
        }
        check("force on b along z", e.force[2], sign * 50 * 0.7, 1e-12);
        check("force on b across", fabs(e.force[0]) + fabs(e.force[1]), 0.0, 1e-12);
        check("stiffness along", e.stiffness[8], 50.0, 1e-12);
        check("stiffness across, k (1 - L/|d|)", e.stiffness[0], 50.0 * (1.0 - 0.4 / 1.1), 1e-12);
        check("damping along", e.damping[8], 7.0, 1e-12);
        check("damping across", e.damping[0], 0.0, 1e-12);
        assert_int_equal(e.n, 2); // the ball's blocks alone
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spring_on_a_turning_arm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
