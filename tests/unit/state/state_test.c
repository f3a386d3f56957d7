// States: the body's own frame against the principal one, copies, checkpoints good and bad.
#include "base/memory.h"
#include "math/quat.h"
#include "state/state.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SCENE[] =
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  ell: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}, velocity: [1, 2, 3], "
    "angular_velocity: [3, 2, 1], shapes: [{box: [0.4, 0.1, 0.1], position: [0.2, 0, 0]}, "
    "{box: [0.1, 0.4, 0.2], position: [0, 0.2, 0.1]}]}\n"
    "  disk: {position: [5, 0, 0], confine: [0, 1, 0], velocity: [1, 0, 2], angular_velocity: [0, -3, 0], "
    "shapes: [{sphere: 0.1, position: [0.1, 0, 0.1]}]}\n"
    "  arm: {motion: {position: ['t', 0, 0], axis: [0, 0, 1], angle: '2 * t + 0.5'}, shape: {box: [1, 1, 1]}}\n";

static tn_state *create(const char *text, tn_model **model)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    *model = scene ? tn_model_create(scene, &error) : NULL;
    tn_state *state = *model ? tn_state_create(*model, &error) : NULL;
    if (!state) {
        fail_msg("%s", error.message);
    }
    return state;
}

static double distance(const double a[3], double x, double y, double z)
{
    return sqrt((a[0] - x) * (a[0] - x) + (a[1] - y) * (a[1] - y) + (a[2] - z) * (a[2] - z));
}

// What the scene says comes back through the accessors, although the state holds centers and principal axes.
static void test_accessors_return_the_scene(void **unused)
{
    tn_model *model;
    tn_state *state = create(SCENE, &model);
    double p[3], q[4], v[3], w[3], wanted[4], axis[3] = {1, 2, 3};
    int ell = tn_model_find_body(model, "ell");
    tn_state_body_pose(state, ell, p, q);
    tn_state_body_velocity(state, ell, v, w);
    tn_quat_from_axis_angle(wanted, axis, 40.0 * 3.14159265358979323846 / 180.0);
    double turned = 0.0;
    for (int i = 0; i < 4; i++) {
        turned += q[i] * wanted[i];
    }
    printf("position off %.1e, rotation off %.1e, velocity off %.1e, %.1e (limit 1e-14: rounding)\n",
           distance(p, 1, 2, 3), 1.0 - fabs(turned), distance(v, 1, 2, 3), distance(w, 3, 2, 1));
    assert_true(distance(p, 1, 2, 3) < 1e-14 && 1.0 - fabs(turned) < 1e-14);
    assert_true(distance(v, 1, 2, 3) < 1e-14 && distance(w, 3, 2, 1) < 1e-14);

    int disk = tn_model_find_body(model, "disk");
    tn_state_body_pose(state, disk, p, q);
    tn_state_body_velocity(state, disk, v, w);
    assert_true(distance(p, 5, 0, 0) < 1e-14 && distance(v, 1, 0, 2) < 1e-14 && distance(w, 0, -3, 0) < 1e-14);

    tn_state_body_pose(state, tn_model_find_body(model, "arm"), p, q);
    tn_state_body_velocity(state, tn_model_find_body(model, "arm"), v, w);
    assert_true(fabs(2.0 * atan2(q[3], q[0]) - 0.5) < 1e-14);
    assert_true(distance(v, 1, 0, 0) < 1e-14 && distance(w, 0, 0, 2) < 1e-14);
    tn_state_destroy(state);
    tn_model_destroy(model);
}

static void fill_memory(tn_state *state, int n)
{
    tn_error error = {0};
    assert_int_equal(tn_state_reserve_memory(state, n, &error), TN_OK);
    for (int i = 0; i < n; i++) {
        state->memory[i] = (tn_contact_memory){.key_shapes = (uint64_t)i << 32 | 7,
                                               .key_feature = 3u * (unsigned)i,
                                               .force = {0.1 * i, -1.0, 1.0 / (i + 1)},
                                               .point = {1.0 * i, 0.5, -2.0 / (i + 3)}};
    }
    state->n_memory = n;
    state->step_count = 12;
    state->time = 0.12;
    state->dissipated = 1.0 / 3.0;
}

static void test_copy(void **unused)
{
    tn_model *model, *stranger;
    tn_state *a = create(SCENE, &model), *c = create("bodies: {a: {shape: {sphere: 1}}}\n", &stranger);
    tn_error error = {0};
    tn_state *b = tn_state_create(model, &error);
    fill_memory(a, 100);
    assert_true(tn_state_hash(a) != tn_state_hash(b));
    assert_int_equal(tn_state_copy(b, a, &error), TN_OK);
    assert_true(tn_state_hash(a) == tn_state_hash(b));
    a->memory[99].force[1] = 0.0;
    assert_true(tn_state_hash(a) != tn_state_hash(b));
    assert_int_equal(tn_state_copy(a, a, &error), TN_OK);
    assert_int_equal(tn_state_copy(c, a, &error), TN_BAD_INPUT);
    tn_state_destroy(a);
    tn_state_destroy(b);
    tn_state_destroy(c);
    tn_model_destroy(model);
    tn_model_destroy(stranger);
}

static void temporary(char path[64])
{
    strcpy(path, "/tmp/tenon-state-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

static size_t slurp(const char *path, unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, size, file);
    fclose(file);
    return n;
}

static void spill(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void test_checkpoint_round_trip(void **unused)
{
    char path[64];
    tn_model *model;
    tn_state *a = create(SCENE, &model);
    tn_error error = {0};
    tn_state *b = tn_state_create(model, &error);
    temporary(path);
    fill_memory(a, 70);
    assert_int_equal(tn_state_save(a, path, &error), TN_OK);
    assert_int_equal(tn_state_load(b, path, &error), TN_OK);
    assert_true(tn_state_hash(a) == tn_state_hash(b));
    remove(path);
    tn_state_destroy(a);
    tn_state_destroy(b);
    tn_model_destroy(model);
}

// Every byte matters: a file with any one changed, or cut anywhere, is refused and the state stays.
static void test_damaged_checkpoints_are_refused(void **unused)
{
    char path[64];
    static unsigned char bytes[65536];
    tn_model *model;
    tn_state *a = create(SCENE, &model);
    tn_error error = {0};
    temporary(path);
    fill_memory(a, 3);
    assert_int_equal(tn_state_save(a, path, &error), TN_OK);
    size_t size = slurp(path, bytes, sizeof bytes);
    uint64_t hash = tn_state_hash(a);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        spill(path, bytes, size);
        assert_int_equal(tn_state_load(a, path, &error), TN_BAD_INPUT);
        bytes[i] ^= 0x10;
    }
    for (size_t cut = 0; cut < size; cut += 7) {
        spill(path, bytes, cut);
        assert_int_equal(tn_state_load(a, path, &error), TN_BAD_INPUT);
    }
    assert_true(tn_state_hash(a) == hash);
    printf("%zu damaged files refused; last: %s\n", size + size / 7 + 1, error.message);
    remove(path);
    tn_state_destroy(a);
    tn_model_destroy(model);
}

static void test_other_files_are_refused(void **unused)
{
    char path[64];
    tn_model *model, *stranger;
    tn_state *a = create(SCENE, &model), *c = create("bodies: {a: {shape: {sphere: 1}}}\n", &stranger);
    tn_error error = {0};
    temporary(path);
    assert_int_equal(tn_state_save(a, path, &error), TN_OK);
    assert_int_equal(tn_state_load(c, path, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "belongs to another model"));
    spill(path, (const unsigned char *)"bodies: {}\n", 11);
    assert_int_equal(tn_state_load(a, path, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "is not a Tenon checkpoint"));
    remove(path);
    assert_int_equal(tn_state_load(a, path, &error), TN_IO);
    assert_int_equal(tn_state_save(a, "/nowhere/at/all", &error), TN_IO);
    tn_state_destroy(a);
    tn_state_destroy(c);
    tn_model_destroy(model);
    tn_model_destroy(stranger);
}

// Of the same world: how it is simulated may change, but not the step.
static void test_other_settings(void **unused)
{
    char path[64];
    tn_model *model, *eased, *slower;
    tn_state *a = create("bodies: {a: {shape: {sphere: 1}}}\n", &model);
    tn_state *b = create("solver: ipm\nlaw: convex\ngravity: [0, 0, 1]\nbodies: {a: {shape: {sphere: 1}}}\n", &eased);
    tn_state *c = create("step: 1 ms\nbodies: {a: {shape: {sphere: 1}}}\n", &slower);
    tn_error error = {0};
    temporary(path);
    a->v[2] = 3.0;
    assert_int_equal(tn_state_save(a, path, &error), TN_OK);
    assert_int_equal(tn_state_load(b, path, &error), TN_OK);
    assert_true(b->v[2] == 3.0);
    assert_int_equal(tn_state_load(c, path, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "step"));
    remove(path);
    tn_state_destroy(a);
    tn_state_destroy(b);
    tn_state_destroy(c);
    tn_model_destroy(model);
    tn_model_destroy(eased);
    tn_model_destroy(slower);
}

static void test_out_of_memory(void **unused)
{
    char path[64];
    tn_model *model;
    tn_state *a = create(SCENE, &model);
    tn_error error = {0};
    tn_state *b = tn_state_create(model, &error);
    temporary(path);
    fill_memory(a, 70);
    int failures = 0;
    for (int k = 0; k < 3; k++) {
        tn_memory_fail_after(k);
        tn_status saved = tn_state_save(a, path, &error);
        tn_memory_fail_after(-1);
        failures += saved == TN_NO_MEMORY;
        assert_int_equal(tn_state_save(a, path, &error), TN_OK);
        tn_memory_fail_after(k);
        tn_status loaded = tn_state_load(b, path, &error);
        tn_memory_fail_after(-1);
        failures += loaded == TN_NO_MEMORY;
        assert_true(loaded == TN_NO_MEMORY || tn_state_hash(a) == tn_state_hash(b));
    }
    tn_memory_fail_after(0);
    tn_state *none = tn_state_create(model, &error);
    tn_memory_fail_after(-1);
    assert_null(none);
    printf("%d failures survived\n", failures);
    assert_true(failures >= 4);
    remove(path);
    tn_state_destroy(a);
    tn_state_destroy(b);
    tn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accessors_return_the_scene),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_checkpoint_round_trip),
        cmocka_unit_test(test_damaged_checkpoints_are_refused),
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_other_settings),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
