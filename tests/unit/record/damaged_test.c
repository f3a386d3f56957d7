// Recordings with a damaged byte or a missing end are refused with a reason, or read as what was recorded; reading them
// ends. Likewise those that a killed writer left marked as being written, which are read in HDF5's single-writer mode.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/columns.h"
#include "recorded.h"
#include "tenon/sim.h"

#include <hdf5.h>

static const char scene_text[] =
    "step: 10 ms\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  arm: {position: [0, 0, 1], shape: {box: [0.1, 0.1, 0.4]}}\n"
    "  ball: {position: [0.5, 0, 0.05], shape: {sphere: 0.05}}\n"
    "joints:\n"
    "  shoulder: {type: revolute, a: world, b: arm, anchor: [0, 0, 1.2], axis: [0, 1, 0]}\n"
    "soft:\n"
    "  cube: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, position: [1, 0, 0.1], young: 1e5, density: 100}\n";

enum { N_STEPS = 30, COLUMN_MAX = 1 << 14 }; // numbers of a column that are read

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

typedef struct fixture {
    char path[64];
    bytes closed, marked;
    double *columns[TN_COLUMN_COUNT]; // as recorded
    size_t n[TN_COLUMN_COUNT];
} fixture;

static bytes load(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    bytes b = {.size = (size_t)ftell(file)};
    b.data = malloc(b.size);
    rewind(file);
    assert_int_equal(fread(b.data, 1, b.size, file), b.size);
    fclose(file);
    return b;
}

static void save(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void record(const char *path)
{
    scenario s = scenario_open(scene_text);
    recorded_steps(&s, path, N_STEPS);
    scenario_close(&s);
}

// Numbers of a column of a frame each; 0: there are none.
static size_t read_column(const tn_recording *r, int id, double *out)
{
    const tn_column *column = &tn_columns[id];
    const size_t width = (size_t)column->width;
    size_t items = column->per == TN_PER_FRAME  ? 1
                   : column->per == TN_PER_BODY ? (size_t)r->n_bodies
                   : column->per == TN_PER_NODE ? (size_t)r->n_nodes
                                                : 0;
    size_t n = items * width * (size_t)r->n_frames;
    tn_error error = {0};
    if (n == 0 || n > COLUMN_MAX) {
        return 0;
    }
    return tn_recording_rows(r, column->path, 0, r->n_frames, out, &error) == TN_OK ? n : 0;
}

static int setup(void **context)
{
    fixture *f = calloc(1, sizeof *f);
    snprintf(f->path, sizeof f->path, "damaged_test_%d.h5", (int)getpid());
    record(f->path);
    f->closed = load(f->path);

    hid_t access = tn_recording_access();
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access);
    assert_true(file >= 0);
    f->marked = load(f->path); // as if killed now
    H5Fclose(file);
    H5Pclose(access);

    tn_error error = {0};
    tn_recording *r = tn_recording_open(f->path, &error);
    assert_non_null(r);
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        f->columns[id] = malloc(COLUMN_MAX * sizeof(double));
        f->n[id] = read_column(r, id, f->columns[id]);
    }
    tn_recording_close(r);
    *context = f;
    return 0;
}

static int teardown(void **context)
{
    fixture *f = *context;
    remove(f->path);
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        free(f->columns[id]);
    }
    free(f->closed.data);
    free(f->marked.data);
    free(f);
    return 0;
}

typedef struct outcome {
    int refused, partly, read, wrong; // files; wrong: other numbers than were recorded, without a word
} outcome;

static void judge(const fixture *f, outcome *out)
{
    tn_error error = {0};
    static double rows[COLUMN_MAX];
    tn_recording *r = tn_recording_open(f->path, &error);
    if (!r) {
        assert_int_equal(error.status, TN_BAD_INPUT);
        assert_true(error.message[0] != 0);
        out->refused++;
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
        return;
    }
    bool whole = true, wrong = false;
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        size_t n = read_column(r, id, rows);
        whole = whole && n == f->n[id];
        wrong = wrong || memcmp(rows, f->columns[id], (n < f->n[id] ? n : f->n[id]) * sizeof(double)) != 0;
    }
    out->read += whole && !wrong;
    out->partly += !whole && !wrong;
    out->wrong += wrong;
    tn_recording_close(r);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

// The bytes that HDF5 reads first one after the other, then one in so many; a bit of each and all of its bits.
static outcome flip(const fixture *f, const bytes *sound, size_t stride)
{
    outcome out = {0};
    char *data = malloc(sound->size);
    for (size_t at = 0, k = 0; at < sound->size; at += at < 48 ? 1 : stride, k++) {
        memcpy(data, sound->data, sound->size);
        data[at] ^= k % 2 ? (char)0xff : (char)(1 << (k / 2 % 8));
        save(f->path, data, sound->size);
        judge(f, &out);
    }
    free(data);
    return out;
}

static outcome cut(const fixture *f, const bytes *sound)
{
    outcome out = {0};
    for (size_t k = 0; k < 60; k++) {
        save(f->path, sound->data, k < 20 ? 5 * k : k < 40 ? sound->size - (k - 19) * 7 : sound->size / 60 * k);
        judge(f, &out);
    }
    return out;
}

static void show(const char *what, outcome out)
{
    print_message("%s: %d refused, %d read in part, %d read as recorded, %d read as something else (limit 0)\n", what,
                  out.refused, out.partly, out.read, out.wrong);
}

static void test_bytes(void **context)
{
    const fixture *f = *context;
    outcome closed = flip(f, &f->closed, 1499), marked = flip(f, &f->marked, 1499);
    show("a damaged byte", closed);
    show("a damaged byte, killed while writing", marked);
    assert_true(closed.refused > 40 && marked.refused > 40); // the first 48 bytes carry a sum
    assert_true(closed.partly > 20);
    assert_int_equal(closed.wrong + marked.wrong, 0);
}

static void test_lengths(void **context)
{
    const fixture *f = *context;
    outcome closed = cut(f, &f->closed), marked = cut(f, &f->marked);
    show("cut short", closed);
    show("cut short, killed while writing", marked);
    assert_int_equal(closed.refused, 60);
    assert_int_equal(marked.refused, 60);
}

int main(void)
{
    tn_recording_skip_exit_cleanup(); // libhdf5 1.10.8 keeps something of a file with a damaged superblock and says so
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_lengths)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
