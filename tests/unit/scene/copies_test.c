// Arrays and random placement: the same for the same seed, independent of the rest of the scene.
#include <math.h>

#include "math/quat.h"
#include "math/vec3.h"
#include "parse.h"
#include "test.h"

static void grid(void **state)
{
    tn_scene *scene = parse("bodies:\n"
                            "  b: {position: [1, 1, 1], shape: {sphere: 1}, velocity: [0, 0, 5],\n"
                            "    array: {count: [3, 2, 2], spacing: [10, 20, 30]}}\n"
                            "  c: {shape: {sphere: 1}}\n");
    assert_int_equal(scene->n_bodies, 13);
    assert_string_equal(scene->bodies[0].name, "b[0]");
    assert_string_equal(scene->bodies[11].name, "b[11]");
    assert_string_equal(scene->bodies[12].name, "c");
    assert_vector(scene->bodies[0].pose.position, 1.0, 1.0, 1.0, 0.0);
    assert_vector(scene->bodies[1].pose.position, 11.0, 1.0, 1.0, 0.0); // x runs fastest
    assert_vector(scene->bodies[3].pose.position, 1.0, 21.0, 1.0, 0.0);
    assert_vector(scene->bodies[6].pose.position, 1.0, 1.0, 31.0, 0.0);
    assert_vector(scene->bodies[11].pose.position, 21.0, 21.0, 31.0, 0.0);
    assert_vector(scene->bodies[11].velocity->linear, 0.0, 0.0, 5.0, 0.0);
    tn_scene_destroy(scene);
}

static void jitter_stays_within_and_fills(void **state)
{
    tn_scene *scene = parse("bodies: {b: {shape: {sphere: 1}, array: {count: [1000, 1, 1], spacing: [1, 0, 0],\n"
                            "  jitter: 0.1, rotation_jitter: 20 deg}}}");
    double low = 0.0, high = 0.0, turn = 0.0, mean = 0.0;
    for (int i = 0; i < 1000; i++) {
        const tn_pose *pose = &scene->bodies[i].pose;
        double shift = pose->position[0] - i, rotation[3];
        low = fmin(low, shift);
        high = fmax(high, shift);
        mean += shift / 1000.0;
        tn_quat_log(rotation, pose->quaternion);
        turn = fmax(turn, tn_vec3_norm(rotation));
    }
    // 1000 uniform numbers: the mean's deviation is 0.1 / sqrt(3000) = 1.8e-3, five of them 9e-3.
    printf("jitter %.4f to %.4f (limit 0.1, filled beyond 0.099), mean %.1e (limit 9e-3), turn %.3f deg (limit 20)\n",
           low, high, mean, turn * 57.29577951308232);
    assert_true(low >= -0.1 && high <= 0.1 && low < -0.099 && high > 0.099 && fabs(mean) < 9e-3);
    assert_true(turn <= 20.0 / 57.29577951308232 + 1e-12 && turn > 19.0 / 57.29577951308232);
    tn_scene_destroy(scene);
}

static void same_poses(const tn_scene *a, const tn_scene *b, const char *prefix, int expected)
{
    int same = 0, compared = 0;
    for (int i = 0; i < a->n_bodies; i++) {
        const tn_scene_body *other = find_body(b, a->bodies[i].name);
        if (other && strncmp(a->bodies[i].name, prefix, strlen(prefix)) == 0) {
            compared++;
            same += memcmp(&a->bodies[i].pose, &other->pose, sizeof(tn_pose)) == 0;
        }
    }
    printf("%d of %d poses equal to the last bit (expected %d)\n", same, compared, expected);
    assert_true(same == expected && compared == 50);
}

#define SCATTER "{shape: {sphere: 1}, scatter: {count: 50, low: [-1, 0, 1], high: [1, 0, 3], turn: true}}"

static void random_places_depend_on_seed_and_name_alone(void **state)
{
    tn_scene *first = parse("seed: 5\nbodies:\n  b: " SCATTER "\n");
    tn_scene *again = parse("seed: 5\nstep: 1 ms\nbodies:\n  a: " SCATTER "\n  b: " SCATTER "\n");
    tn_scene *other = parse("seed: 6\nbodies:\n  b: " SCATTER "\n");
    same_poses(first, again, "b", 50);
    same_poses(first, other, "b", 0);
    double low = 9.0, high = 0.0;
    for (int i = 0; i < 50; i++) {
        const double *x = first->bodies[i].pose.position;
        assert_true(x[0] >= -1.0 && x[0] <= 1.0 && x[1] == 0.0);
        low = fmin(low, x[2]);
        high = fmax(high, x[2]);
        double n = 0.0;
        for (int k = 0; k < 4; k++) {
            n += first->bodies[i].pose.quaternion[k] * first->bodies[i].pose.quaternion[k];
        }
        assert_true(fabs(n - 1.0) < 1e-15 * 4);
    }
    assert_true(low >= 1.0 && high <= 3.0 && low < 1.3 && high > 2.7);
    // a and b have streams of their own
    assert_true(find_body(again, "a[0]")->pose.position[0] != find_body(again, "b[0]")->pose.position[0]);
    tn_scene_destroy(first);
    tn_scene_destroy(again);
    tn_scene_destroy(other);
}

static void kinematic_copies_stand_at_their_places(void **state)
{
    tn_scene *scene = parse("bodies: {b: {motion: {angle: t}, position: [1, 0, 0], shape: {sphere: 1},\n"
                            "  array: {count: [2, 1, 1], spacing: [3, 0, 0]}}}");
    assert_true(tn_value_at(&scene->bodies[1].motion->position[0], 7.0) == 4.0);
    tn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid),
        cmocka_unit_test(jitter_stays_within_and_fills),
        cmocka_unit_test(random_places_depend_on_seed_and_name_alone),
        cmocka_unit_test(kinematic_copies_stand_at_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
