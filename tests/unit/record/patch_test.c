// The column contacts/patch: there where the model has a foundation, and the simulation's own numbers; files without it
// read as before, one of another shape is refused.
#include "recorded.h"

#include "record/export.h"
#include "record/h5.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_STEPS = 6, ELEMENTS = 3, MOST = 32 };

// A plate that spins on a foundation beside a ball on the bare floor.
static const char text[] =
    "step: 5 ms\n"
    "materials: {hard: {}, layer: {}}\n"
    "pairs: [{materials: [layer, default], friction: 0.3, damping: 1, foundation: {modulus: 1e6, depth: 1, elements: "
    "3}}]\n"
    "record: {precision: double}\n"
    "bodies:\n"
    "  floor: {fixed: true, material: %s, shape: {plane: {}}}\n"
    "  plate: {position: [0, 0, 0.05], angular_velocity: [0, 0, 2], shape: {box: [0.4, 0.3, 0.1]}}\n"
    "  ball: {position: [1, 0, 0.1], material: hard, shape: {sphere: 0.1}}\n";

static const char path[] = "patch_test.h5";

// N_STEPS frames behind the first; infos (N_STEPS, MOST) and their numbers.
static void record(const char *floor, tn_contact_info *info, int *n)
{
    tn_error error = {0};
    scenario s = scenario_open(text, floor);
    tn_recorder *recorder = recorded_open(&s, path);
    assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, NULL, &error), TN_OK);
    for (int k = 0; k < N_STEPS; k++) {
        recorded_step(&s, recorder);
        n[k] = tn_sim_contact_count(s.sim);
        assert_true(n[k] <= MOST);
        for (int i = 0; i < n[k]; i++) {
            tn_sim_contact(s.sim, i, &info[MOST * k + i]);
        }
    }
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    scenario_close(&s);
}

static void column_of_a_foundation(void **unused)
{
    static tn_contact_info info[N_STEPS * MOST];
    int n[N_STEPS], elements = 0;
    long row = 0;
    tn_error error = {0};
    record("layer", info, n);
    tn_recording *r = recorded_read(path);
    assert_true(r->has_patches);
    for (int k = 0; k < N_STEPS; k++) {
        for (int i = 0; i < n[k]; i++, row++) {
            double patch[6];
            const tn_contact_info *c = &info[MOST * k + i];
            assert_int_equal(tn_recording_rows(r, "contacts/patch", row, 1, patch, &error), TN_OK);
            assert_memory_equal(patch, c->patch, sizeof patch);
            bool element = patch[0] != 0.0;
            assert_int_equal(element, c->body_b == 2);
            elements += element;
        }
    }
    assert_int_equal(elements, N_STEPS * ELEMENTS * ELEMENTS);
    assert_true(row > elements);
    tn_recording_close(r);
    remove(path);
}

static bool there(const char *name)
{
    struct stat info;
    bool found = stat(name, &info) == 0;
    remove(name);
    return found;
}

// All frames to VTK: whether there is a collection of pressures.
static bool exported_pressure(const tn_recording *r)
{
    tn_error error = {0};
    char name[64];
    long n_written;
    assert_int_equal(tn_export_vtk(r, "patch_test", "a", 1, &n_written, &error), TN_OK);
    assert_int_equal(n_written, N_STEPS + 1);
    for (int k = 0; k <= N_STEPS; k++) {
        snprintf(name, sizeof name, "patch_test/a_%06d.vtu", k);
        assert_true(there(name));
        snprintf(name, sizeof name, "patch_test/a_contacts_%06d.vtu", k);
        assert_true(there(name));
        snprintf(name, sizeof name, "patch_test/a_pressure_%06d.vtu", k);
        assert_int_equal(there(name), r->has_patches);
    }
    bool pressure = there("patch_test/a_pressure.pvd");
    assert_true(there("patch_test/a.pvd") && there("patch_test/a_contacts.pvd"));
    assert_int_equal(rmdir("patch_test"), 0);
    return pressure;
}

// How a file is changed before it is read.
static void without(hid_t file)
{
    assert_true(H5Ldelete(file, "contacts/patch", H5P_DEFAULT) >= 0);
}

static void of_another_shape(hid_t file)
{
    const hsize_t dims[2] = {60, 6};
    const double numbers[360] = {0};
    without(file);
    assert_true(tn_h5_put_array(file, "contacts/patch", H5T_NATIVE_DOUBLE, 2, dims, numbers, "m", NULL));
}

static void too_short(hid_t file)
{
    const hsize_t dims[3] = {10, 2, 3};
    const double numbers[60] = {0};
    without(file);
    assert_true(tn_h5_put_array(file, "contacts/patch", H5T_NATIVE_DOUBLE, 3, dims, numbers, "m", NULL));
}

static tn_recording *read_changed(const char *floor, void (*change)(hid_t), tn_error *error)
{
    static tn_contact_info info[N_STEPS * MOST];
    int n[N_STEPS];
    record(floor, info, n);
    if (change) {
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        change(file);
        H5Fclose(file);
    }
    *error = (tn_error){0};
    tn_recording *r = tn_recording_open(path, error);
    remove(path);
    return r;
}

static void with_and_without(void **unused)
{
    tn_error error;
    tn_recording *r = read_changed("layer", NULL, &error);
    assert_non_null(r);
    assert_true(r->has_patches && exported_pressure(r));
    tn_recording_close(r);

    r = read_changed("hard", NULL, &error); // the pair is in the scene all the same, so the column is in the file
    assert_non_null(r);
    tn_recording_close(r);

    r = read_changed("layer", without, &error); // as an older program wrote it
    assert_non_null(r);
    assert_true(!r->has_patches && r->n_frames == N_STEPS + 1 && !exported_pressure(r));
    tn_recording_close(r);

    assert_null(read_changed("layer", of_another_shape, &error));
    assert_non_null(strstr(error.message, "'contacts/patch' is missing, malformed or damaged"));

    r = read_changed("layer", too_short, &error); // rows are missed where they are asked for
    double rows[6 * MOST];
    assert_non_null(r);
    assert_int_equal(tn_recording_rows(r, "contacts/patch", 9, 2, rows, &error), TN_BAD_INPUT);
    tn_recording_close(r);
}

static void none_without_a_foundation(void **unused)
{
    tn_error error = {0};
    scenario s = scenario_open("bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.05], shape: {box: [0.4, 0.3, 0.1]}}\n");
    tn_recorder *recorder = recorded_open(&s, path);
    recorded_step(&s, recorder);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "contacts/force", H5P_DEFAULT) > 0);
    assert_int_equal(H5Lexists(file, "contacts/patch", H5P_DEFAULT), 0);
    H5Fclose(file);
    tn_recording *r = tn_recording_open(path, &error);
    assert_true(r && !r->has_patches);
    tn_recording_close(r);
    remove(path);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(column_of_a_foundation), cmocka_unit_test(with_and_without),
                                       cmocka_unit_test(none_without_a_foundation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
