// A recording of single precision: how far its numbers are from those of one of double precision, and that it is much
// smaller.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <math.h>

#include "base/memory.h"
#include "model/model.h"
#include "recorded.h"
#include "tenon/sim.h"

static const char text[] =
    "step: 4 ms\nrecord: {precision: %s}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  ball: {position: [0.3, 0.2, 0.05], velocity: [0.1, 0, 0], angular_velocity: [1, 2, 3], shape: {sphere: 0.05},\n"
    "         array: {count: [3, 3, 2], spacing: [0.1001, 0.1, 0.1], jitter: 1 mm}}\n"
    "soft: {cube: {grid: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}, position: [1, 0, 0.06], young: 1e5}}\n";

enum { STEPS = 40 };

static tn_recording *record(const char *precision, const char *path, double *smallest)
{
    scenario s = scenario_open(text, precision);
    recorded_steps(&s, path, STEPS);
    *smallest = s.model->smallest;
    scenario_close(&s);
    return recorded_read(path);
}

static size_t stored(const tn_recording *r, const char *column, bool *single)
{
    hid_t dataset = H5Dopen2(r->file, column, H5P_DEFAULT), type = H5Dget_type(dataset);
    size_t bytes = (size_t)H5Dget_storage_size(dataset);
    *single = H5Tget_size(type) == sizeof(float);
    H5Tclose(type);
    H5Dclose(dataset);
    return bytes;
}

// All numbers of a column; each is off by a share of itself (single precision's own) and by `off` at most. With off < 0
// by -off times the size of its own three.
static void compare(const tn_recording *exact, const tn_recording *rounded, const char *column, double off)
{
    hsize_t dims[3];
    tn_error error = {0};
    assert_true(tn_h5_get_dims(exact->file, column, dims));
    size_t n = (size_t)(dims[0] * dims[1] * dims[2]);
    double *a = tn_calloc(n, sizeof *a), *b = tn_calloc(n, sizeof *b), worst = 0.0;
    assert_int_equal(tn_recording_rows(exact, column, 0, (long)dims[0], a, &error), TN_OK);
    assert_int_equal(tn_recording_rows(rounded, column, 0, (long)dims[0], b, &error), TN_OK);
    for (size_t k = 0; k < n; k++) {
        const double *three = a + k / 3 * 3;
        double size = off < 0.0 ? -off * sqrt(three[0] * three[0] + three[1] * three[1] + three[2] * three[2]) : off;
        double limit = size + 6e-8 * fabs(a[k]);
        worst = fmax(worst, limit > 0.0 ? fabs(a[k] - b[k]) / limit : 0.0);
        assert_true(fabs(a[k] - b[k]) <= limit);
    }
    bool wide, narrow;
    size_t before = stored(exact, column, &wide), after = stored(rounded, column, &narrow);
    printf("%s: %zu numbers, off by %.2f of the limit, %zu bytes instead of %zu\n", column, n, worst, after, before);
    assert_true(worst > 0.1 && narrow && !wide);
    tn_free(a);
    tn_free(b);
}

static void numbers_are_near(void **state)
{
    char paths[2][40] = {"/tmp/tenon_rounding_XXXXXX", "/tmp/tenon_rounding_XXXXXX"};
    double smallest = 0.0, h = 4e-3;
    close(mkstemp(paths[0]));
    close(mkstemp(paths[1]));
    tn_recording *exact = record("double", paths[0], &smallest), *rounded = record("single", paths[1], &smallest);
    double length = smallest * 1.2e-7, unit = 1.2e-7; // half of 2^-22
    compare(exact, rounded, "poses", fmax(length, unit));
    compare(exact, rounded, "velocities", fmax(length, unit) / h);
    compare(exact, rounded, "soft/positions", length);
    compare(exact, rounded, "soft/velocities", length / h);
    compare(exact, rounded, "contacts/point", length);
    compare(exact, rounded, "contacts/velocity", length / h);
    compare(exact, rounded, "contacts/force", -1e-6);
    // What is no picture stays as it was.
    bool single;
    stored(rounded, "certificate/natural", &single);
    assert_false(single);
    tn_recording_close(exact);
    tn_recording_close(rounded);
    unlink(paths[0]);
    unlink(paths[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
