// Strict reading of named datasets from an HDF5 file that nobody vouches for.
//
// Sizes are checked against the file's own size before anything is allocated; links that lead out of the file,
// virtual datasets and external storage are refused. HDF5 prints nothing while a file is open here. Every failure
// is TN_BAD_INPUT (TN_IO where the file cannot be opened) and names file, dataset and what was expected.
#pragma once

#include "base/arena.h"
#include "problem/hdf5.h"

typedef struct tn_h5_input {
    hid_t file;
    const char *path; // the caller's
    double file_size; // [bytes]
    tn_error *error;  // the caller's, may be NULL
    tn_h5_quiet quiet;
} tn_h5_input;

// On failure nothing is left open. On success tn_h5_close must follow.
tn_status tn_h5_open(const char *path, tn_error *error, tn_h5_input *out);
void tn_h5_close(tn_h5_input *input);

// Whether the group or dataset is there, reached through hard links only. name: "group/group/dataset".
bool tn_h5_has(const tn_h5_input *input, const char *name);

// One integer in [low, high]: a scalar or an array of one element.
tn_status tn_h5_read_int(const tn_h5_input *input, const char *name, long long low, long long high, long long *value);
// A whole integer or floating-point dataset into the arena. At most INT_MAX elements; doubles are finite.
tn_status tn_h5_read_ints(const tn_h5_input *input, const char *name, tn_arena *arena, long long **values, int *count);
tn_status tn_h5_read_doubles(const tn_h5_input *input, const char *name, tn_arena *arena, double **values, int *count);
// The string `name` of a group, stored as a dataset or an attribute of fixed length; "" where there is none. Never
// fails.
void tn_h5_read_text(const tn_h5_input *input, const char *group, const char *name, size_t size, char *text);
