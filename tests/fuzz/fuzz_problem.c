// Any datasets in FCLIB's layout: the reader takes them or refuses them, and what it takes is sound.
//
// The input is a list of datasets (name, type, shape, values), which this file writes as HDF5 and hands to the reader.
// So what is tested is our reader, not libhdf5's of a damaged container: Debian 12's libhdf5 1.10.8 itself reads beyond
// a buffer of its own on about one in 4000 FCLIB files with a few bytes changed. One dataset is
//     byte: name, as a number in `names`       byte: type (0 int, 1 double, 2 long, 3 float, 4 text), + 8:
//     two-dimensional byte: number of values; 255: claims 2^40 and stores none     then one byte a value; see value()
#include "fuzz.h"

#include "problem/fclib.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
    "fclib_local/spacedim",   "fclib_local/vectors/mu",
    "fclib_local/vectors/q",  "fclib_local/W/m",
    "fclib_local/W/n",        "fclib_local/W/nz",
    "fclib_local/W/nzmax",    "fclib_local/W/p",
    "fclib_local/W/i",        "fclib_local/W/x",
    "fclib_local/V/n",        "fclib_local/info/title",
    "fclib_global/spacedim",  "fclib_global/vectors/mu",
    "fclib_global/vectors/w", "fclib_global/vectors/f",
    "fclib_global/M/m",       "fclib_global/M/n",
    "fclib_global/M/nz",      "fclib_global/M/nzmax",
    "fclib_global/M/p",       "fclib_global/M/i",
    "fclib_global/M/x",       "fclib_global/H/m",
    "fclib_global/H/n",       "fclib_global/H/nz",
    "fclib_global/H/nzmax",   "fclib_global/H/p",
    "fclib_global/H/i",       "fclib_global/H/x",
    "fclib_global/G/n",       "fclib_local/vectors",
    "fclib_global/M",         "fclib_local",
};
enum { N_NAMES = (int)(sizeof names / sizeof *names), CLAIM = 255 };

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

// Small numbers are themselves, in quarters where they are doubles; the ends of the range stand for the extremes.
static double value(uint8_t byte, int type)
{
    int x = (int8_t)byte;
    bool whole = type == 0 || type == 2;
    switch (x) {
    case 127:
        return whole ? (double)INT_MAX : 1e308;
    case -128:
        return whole ? (double)INT_MIN : (double)NAN;
    case 126:
        return whole ? 65536.0 : (double)INFINITY;
    case 125:
        return whole ? 46341.0 : 1e-308;
    default:
        return whole ? x : 0.25 * x;
    }
}

static void write_dataset(hid_t file, hid_t plan, const char *name, int code, int count, const uint8_t *bytes)
{
    const hid_t types[] = {H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, H5T_NATIVE_LLONG, H5T_NATIVE_FLOAT, H5T_C_S1};
    int type = (code & 7) % 5;
    hsize_t shape[2] = {count == CLAIM ? (hsize_t)1 << 40 : (hsize_t)count, 1};
    hid_t space = H5Screate_simple(code & 8 ? 2 : 1, shape, NULL);
    hid_t set = H5Dcreate2(file, name, types[type], space, plan, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && count > 0 && count != CLAIM && type != 4) {
        double values[CLAIM];
        for (int i = 0; i < count; i++) {
            values[i] = value(bytes[i], type);
        }
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5Dclose(set);
    H5Sclose(space);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    hid_t memory = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(memory, 1 << 16, 1); // built in memory, stored at close
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, memory);
    hid_t plan = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(plan, 1);
    for (size_t at = 0; file >= 0 && at + 3 <= size;) {
        int count = data[at + 2];
        size_t stored = count == CLAIM ? 0 : (size_t)count;
        if (at + 3 + stored > size) {
            break;
        }
        write_dataset(file, plan, names[data[at] % N_NAMES], data[at + 1], count, data + at + 3);
        at += 3 + stored;
    }
    H5Pclose(plan);
    H5Fclose(file);
    H5Pclose(memory);
}

static void check_blocks(const tn_blocks *A)
{
    for (int i = 0; i < A->n_rows; i++) {
        demand(A->start[i] <= A->start[i + 1], "rows of blocks overlap");
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            demand(A->column[e] >= 0 && A->column[e] < A->n_cols, "a block outside its matrix");
            for (int k = 0; k < 9; k++) {
                demand(isfinite(A->value[9 * (size_t)e + (size_t)k]), "a number that is not finite");
            }
        }
    }
}

static void check_problem(const tn_problem *p)
{
    const tn_rows *c = p->rows;
    demand((p->A == NULL) != (p->W == NULL), "neither local nor global");
    check_blocks(p->A ? p->A : p->W);
    demand(!p->W || (p->W->n_rows == c->n_triples && p->W->n_cols == c->n_triples), "W does not fit its contacts");
    for (int i = 0; i < 3 * c->n_triples; i++) {
        demand(isfinite(c->offset[i]), "an offset that is not finite");
    }
    for (int i = 0; i < 2 * c->n_triples; i++) {
        demand(c->mu[i] >= 0.0 && isfinite(c->mu[i]), "a friction that is none");
    }
    for (int e = 0; p->A && c->n_triples && e < c->start[c->n_triples]; e++) {
        demand(c->block[e] >= 0 && c->block[e] < p->A->n_rows, "a Jacobian outside v");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!path[0]) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        snprintf(path, sizeof path, "/dev/shm/tenon_fuzz_%ld.h5", (long)getpid());
    }
    write_file(path, data, size);
    tn_arena *arena = tn_arena_create(0);
    tn_fclib_problem problem;
    tn_error error = {0};
    tn_status status = arena ? tn_fclib_read(path, arena, &problem, &error) : TN_NO_MEMORY;
    if (status == TN_OK) {
        check_problem(&problem.problem);
    } else {
        demand(error.message[0] != 0 || !arena, "an error without message");
    }
    tn_arena_destroy(arena);
    unlink(path);
    return 0;
}
