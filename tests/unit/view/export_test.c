// A recording written and read by public calls alone: quantities by name, frames by time, exports.
#include "recorded.h"

#include "tenon/tenon.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tn_error e;
static char folder[] = "/tmp/tenon_export_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][256];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

enum { STEPS = 20 };

// A box that falls onto a floor, its height after each step.
static void record(double height[STEPS + 1])
{
    scenario s = scenario_open("step: 10 ms\n"
                               "record: {precision: double}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.11], shape: {box: [0.2, 0.2, 0.2]}}\n");
    tn_recorder *recorder = recorded_open(&s, in_folder("run.h5"));
    assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, NULL, &e), TN_OK);
    for (int k = 0; k <= STEPS; k++) {
        height[k] = scenario_position(&s, scenario_body(&s, "box"), 2);
        if (k < STEPS) {
            recorded_step(&s, recorder);
        }
    }
    assert_int_equal(tn_recorder_close(recorder, &e), TN_OK);
    scenario_close(&s);
}

static void test_read(void **unused)
{
    double height[STEPS + 1], poses[(STEPS + 1) * 3 * 7], offset[STEPS + 2], forces[3 * 4 * (STEPS + 1)];
    record(height);
    tn_recording *r = recorded_read(in_folder("run.h5"));
    tn_quantity q;
    assert_int_equal(tn_recording_frame_count(r), STEPS + 1);
    assert_int_equal(tn_recording_find(r, "poses", &q, &e), TN_OK);
    assert_int_equal(q.rows, STEPS + 1);
    assert_int_equal(q.width, 3 * 7);
    assert_string_equal(q.unit, "m, 1");
    assert_int_equal(tn_recording_read(r, "poses", 0, q.rows, poses, &e), TN_OK);
    for (int k = 0; k <= STEPS; k++) {
        assert_true(poses[7 * (3 * k + 2) + 2] == height[k]);
    }
    // Contacts of a frame.
    assert_int_equal(tn_recording_find(r, "contacts/offset", &q, &e), TN_OK);
    assert_int_equal(q.rows, STEPS + 2);
    assert_int_equal(tn_recording_read(r, "contacts/offset", 0, STEPS + 2, offset, &e), TN_OK);
    assert_int_equal(tn_recording_read(r, "contacts/force", (long)offset[STEPS], 4, forces, &e), TN_OK);
    check_near("weight on the floor", forces[2] + forces[5] + forces[8] + forces[11], 8.0 * 1000.0 * 1e-3 * 9.81, 1e-6);
    // All of them can be read.
    int n = tn_recording_quantity_count(r);
    assert_true(n > 25);
    for (int i = 0; i < n; i++) {
        assert_int_equal(tn_recording_quantity(r, i, &q, &e), TN_OK);
        double *all = calloc((size_t)q.rows * (size_t)q.width + 1, sizeof *all);
        assert_int_equal(tn_recording_read(r, q.name, 0, q.rows, all, &e), TN_OK);
        free(all);
    }
    tn_recording_close(r);
}

static void test_frames_by_time(void **unused)
{
    tn_recording *r = recorded_read(in_folder("run.h5"));
    assert_int_equal(tn_recording_frame_at(r, -1e-9), -1);
    assert_int_equal(tn_recording_frame_at(r, 0.0), 0);
    assert_int_equal(tn_recording_frame_at(r, 0.0999), 9);
    assert_int_equal(tn_recording_frame_at(r, 0.1), 10);
    assert_int_equal(tn_recording_frame_at(r, 1e9), STEPS);
    tn_recording_close(r);
}

static void test_exports(void **unused)
{
    static const struct {
        tn_export_format format;
        const char *path, *file; // what is to be there
        long least, most;
    } all[] = {{TN_EXPORT_VTK, "vtk", "vtk/run.pvd", 11, 11},
               {TN_EXPORT_CSV, "run.csv", "run.csv", 11, 11},
               {TN_EXPORT_HTML, "run.html", "run.html", 10000, 100000000},
               {TN_EXPORT_GLTF, "run.glb", "run.glb", 1000, 1000000},
               {TN_EXPORT_FCLIB, "fclib", "fclib/step_000020.hdf5", 5, 10}};
    tn_recording *r = recorded_read(in_folder("run.h5"));
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        long written = -1;
        struct stat info;
        assert_int_equal(tn_recording_export(r, all[k].format, in_folder(all[k].path), 2, &written, &e), TN_OK);
        print_message("%s: %ld\n", all[k].path, written);
        assert_true(written >= all[k].least && written <= all[k].most);
        assert_int_equal(stat(in_folder(all[k].file), &info), 0);
    }
    tn_recording_close(r);
}

int main(void)
{
    if (!mkdtemp(folder)) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_frames_by_time),
        cmocka_unit_test(test_exports),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || failed;
}
