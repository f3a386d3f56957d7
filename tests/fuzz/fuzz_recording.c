// A recording with some datasets and attributes replaced: the reader takes it or refuses it, and what it takes can be
// read through to the end.
//
// As with problems (fuzz_problem.c) our reader is tested more than libhdf5's of a damaged container, whose checksums
// would stop nearly all inputs: the input says what to replace in a sound recording of joints, a soft body and planar
// shapes. One replacement is
//     byte: which of the file's objects, in the order in which HDF5 visits them   byte: low bits what to do (see below)
//     byte: how many values                                                      then one byte a value
// With bit 4 of what to do it is an attribute of the file instead, with bit 5 bytes of the file after all of these.
#include "fuzz.h"

#include "base/memory.h"
#include "model/model.h"
#include "record/columns.h"
#include "record/recording.h"
#include "tenon/record.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 256, REPLACED_MAX = 8, BYTES_MAX = 1 << 22 };

static const char scene_text[] =
    "step: 10 ms\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  arm: {position: [0, 0, 1], shape: {box: [0.1, 0.1, 0.4]}}\n"
    "  fore: {position: [0, 0, 0.5], shape: {capsule: {radius: 0.05, length: 0.4}}}\n"
    "joints:\n"
    "  shoulder: {type: revolute, a: world, b: arm, anchor: [0, 0, 1.2], axis: [0, 1, 0]}\n"
    "  elbow: {type: universal, a: arm, b: fore, anchor: [0, 0, 0.75], axis: [0, 1, 0], axis2: [1, 0, 0]}\n"
    "soft:\n"
    "  cube: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, position: [1, 0, 0.1], young: 1e5, density: 100}\n";

typedef struct base {
    char path[64], copy[64];
    char *bytes; // of the sound recording
    size_t size;
    char *names[NAMES_MAX];
    int n_names;
    char *attributes[NAMES_MAX];
    int n_attributes;
} base;

static herr_t note_attribute(hid_t file, const char *name, const H5A_info_t *info, void *user)
{
    base *b = user;
    (void)file;
    (void)info;
    if (b->n_attributes < NAMES_MAX) {
        b->attributes[b->n_attributes++] = strdup(name);
    }
    return 0;
}

static herr_t note_name(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    base *b = user;
    (void)file;
    if (info->type == H5O_TYPE_DATASET && b->n_names < NAMES_MAX) {
        b->names[b->n_names++] = strdup(name);
    }
    return 0;
}

static void record(const char *path)
{
    tn_error error = {0};
    tn_step_report report = {0};
    tn_scene *scene = tn_scene_parse(scene_text, "fuzz", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    if (!model) {
        fprintf(stderr, "%s:%d: %s\n", error.file, error.line, error.message);
    }
    demand(model != NULL, "the sound scene is none");
    tn_state *state = tn_state_create(model, &error);
    tn_sim *sim = tn_sim_create(model, &error);
    tn_recorder *recorder = tn_recorder_create(path, model, &error);
    demand(state && sim && recorder && tn_recorder_append(recorder, sim, state, NULL, &error) == TN_OK, error.message);
    for (int k = 0; k < 3; k++) {
        demand(tn_sim_step(sim, NULL, state, &report, &error) == TN_OK, error.message);
        demand(tn_recorder_append(recorder, sim, state, &report, &error) == TN_OK, error.message);
    }
    demand(tn_recorder_close(recorder, &error) == TN_OK, error.message);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
}

static const base *prepare(void)
{
    static base b;
    if (b.size > 0) {
        return &b;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    tn_recording_skip_exit_cleanup(); // libhdf5 1.10.8 keeps something of a file with a damaged superblock
    snprintf(b.path, sizeof b.path, "/dev/shm/tenon_fuzz_base_%ld.h5", (long)getpid());
    snprintf(b.copy, sizeof b.copy, "/dev/shm/tenon_fuzz_copy_%ld.h5", (long)getpid());
    record(b.path);
    hid_t file = H5Fopen(b.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_name, &b);
    H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, &b);
    H5Fclose(file);
    FILE *in = fopen(b.path, "rb");
    b.bytes = malloc(BYTES_MAX);
    b.size = fread(b.bytes, 1, BYTES_MAX, in);
    fclose(in);
    unlink(b.path);
    demand(b.size > 0 && b.size < BYTES_MAX && b.n_names > 20 && b.n_attributes > 10,
           "the sound recording is too large or too small");
    return &b;
}

static double value(uint8_t byte)
{
    int x = (int8_t)byte;
    return x == 127 ? 1e300 : x == 126 ? 2147483647.0 : x == 125 ? (double)NAN : x == -128 ? -9e15 : x;
}

// what & 3: 0 remove, 1 a list, 2 a table of one column more or less, 3 in place; what & 4: integers; what & 8: texts.
static void replace(hid_t file, const char *name, int what, int n, const uint8_t *values)
{
    double numbers[256];
    for (int k = 0; k < 256; k++) {
        numbers[k] = k < n ? value(values[k]) : 0.0;
    }
    if ((what & 3) == 3) { // the first n values of what is there
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
        hssize_t have = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
        double *all = have > 0 && have < 4096 ? calloc((size_t)have, sizeof *all) : NULL;
        if (all && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0) {
            memcpy(all, numbers, sizeof *all * (size_t)(n < have ? n : (int)have));
            H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
        }
        free(all);
        H5Sclose(space);
        H5Dclose(set);
        return;
    }
    H5Ldelete(file, name, H5P_DEFAULT);
    if ((what & 3) == 0) {
        return;
    }
    hsize_t shape[2] = {(hsize_t)n, (what & 3) == 2 ? 3 : 1};
    if ((what & 3) == 2) {
        shape[0] /= 3;
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    hid_t space = H5Screate_simple((what & 3) == 2 ? 2 : 1, shape, NULL);
    hid_t type = what & 8 ? text : what & 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && shape[0] > 0) {
        H5Dwrite(set, what & 8 ? text : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    }
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(text);
}

// what & 3: 0 remove, 1 a number, 2 a list, 3 a text.
static void replace_attribute(hid_t file, const char *name, int what, int n, const uint8_t *values)
{
    double numbers[256] = {0};
    hsize_t shape[1] = {(hsize_t)(n > 0 ? n : 1)};
    for (int k = 0; k < n; k++) {
        numbers[k] = value(values[k]);
    }
    H5Adelete(file, name);
    if ((what & 3) == 0) {
        return;
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, shape[0]);
    bool is_text = (what & 3) == 3;
    hid_t space = (what & 3) == 2 ? H5Screate_simple(1, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, is_text ? text : H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && n > 0) {
        H5Awrite(attribute, is_text ? text : H5T_NATIVE_DOUBLE, is_text ? (const void *)values : numbers);
    }
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(text);
}

// Three values a byte: where (of 65536 parts of the file), and which bits; none: the file ends there.
static void damage(const char *path, size_t size, int n, const uint8_t *values)
{
    for (int k = 0; k + 3 <= n; k += 3) {
        size_t at = (size_t)(values[k] << 8 | values[k + 1]) * size >> 16;
        FILE *file = fopen(path, "r+b");
        demand(file != NULL, "the copy is gone");
        int byte = fseek(file, (long)at, SEEK_SET) == 0 ? fgetc(file) : EOF;
        if (byte != EOF && fseek(file, (long)at, SEEK_SET) == 0) {
            fputc(byte ^ values[k + 2], file);
        }
        fclose(file);
        if (values[k + 2] == 0 && truncate(path, (off_t)at) != 0) {
            return;
        }
    }
}

static void write_copy(const base *b, const uint8_t *data, size_t size)
{
    FILE *out = fopen(b->copy, "wb");
    demand(out && fwrite(b->bytes, 1, b->size, out) == b->size && fclose(out) == 0, "no room in /dev/shm");
    hid_t file = H5Fopen(b->copy, H5F_ACC_RDWR, H5P_DEFAULT);
    demand(file >= 0, "the sound recording cannot be opened");
    int done = 0;
    for (size_t at = 0; at + 3 <= size && done < REPLACED_MAX; done++) {
        size_t n = data[at + 2];
        n = n < size - at - 3 ? n : size - at - 3;
        int what = data[at + 1];
        if (what & 16) {
            replace_attribute(file, b->attributes[data[at] % b->n_attributes], what, (int)n, data + at + 3);
        } else if (!(what & 32)) {
            replace(file, b->names[data[at] % b->n_names], what, (int)n, data + at + 3);
        }
        at += 3 + n;
    }
    H5Fclose(file);
    for (size_t at = 0, k = 0; at + 3 <= size && k < REPLACED_MAX; k++) {
        size_t n = data[at + 2];
        n = n < size - at - 3 ? n : size - at - 3;
        if ((data[at + 1] & 48) == 32) {
            damage(b->copy, b->size, (int)n, data + at + 3);
        }
        at += 3 + n;
    }
}

// All that an export would read.
static void read_through(const tn_recording *r)
{
    double sum = 0.0;
    for (int k = 0; k < r->n_shapes; k++) {
        const tn_recorded_shape *shape = &r->shapes[k];
        demand(shape->body >= 0 && shape->body < r->n_bodies, "a shape of no body");
        for (int i = 0; i < 3 * shape->n_triangles; i++) {
            sum += shape->shape.points[3 * shape->triangles[i]];
        }
        for (int i = 0; i < 3 * shape->shape.n_points; i++) {
            sum += shape->shape.points[i];
        }
    }
    for (int k = 0; k < r->n_joints; k++) {
        sum += (double)(strlen(r->joint_names[k]) + strlen(r->joint_types[k]));
        for (int c = r->joint_first[k]; c < r->joint_first[k + 1]; c++) {
            sum += (double)strlen(r->coordinate_names[c]);
        }
    }
    for (int k = 0; k < 4 * r->n_tets; k++) {
        sum += r->rest[3 * (size_t)r->tets[k]];
    }
    for (int k = 0; k < 3 * r->n_faces; k++) {
        sum += r->rest[3 * (size_t)r->faces[k]];
    }
    tn_error error = {0};
    double *time = malloc(sizeof *time * (size_t)r->n_frames + 1);
    tn_status read = tn_recording_rows(r, "time", 0, r->n_frames, time, &error);
    demand(read == TN_OK || error.message[0] != 0, "no times and no reason");
    free(time);
    double *poses = malloc(sizeof *poses * 7 * (size_t)r->n_bodies);
    for (long k = 0; k < r->n_frames && k < 8; k++) {
        tn_status status = tn_recording_rows(r, "poses", k, 1, poses, &error);
        demand(status == TN_OK || error.message[0] != 0, "no poses and no reason");
    }
    free(poses);
    volatile double keep = sum;
    (void)keep;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const base *b = prepare();
    write_copy(b, data, size);
    tn_error error = {0};
    tn_recording *recording = tn_recording_open(b->copy, &error);
    if (recording) {
        read_through(recording);
    } else {
        demand(error.message[0] != 0, "refused without a reason");
    }
    tn_recording_close(recording);
    unlink(b->copy);
    return 0;
}
