// The few HDF5 calls of a recording, each quiet (HDF5 prints nothing) and true on success.
#pragma once

#include "base/arena.h"
#include "problem/hdf5.h"

#include <stdint.h>

bool tn_h5_put_group(hid_t file, const char *path);
bool tn_h5_attribute_text(hid_t object, const char *name, const char *text);
bool tn_h5_attribute_double(hid_t object, const char *name, double value);
bool tn_h5_attribute_int(hid_t object, const char *name, int64_t value);
bool tn_h5_attribute_uint(hid_t object, const char *name, uint64_t value);

// A text as a scalar dataset; n texts of at most width bytes, width apart, as a one-dimensional dataset.
bool tn_h5_put_text(hid_t file, const char *path, const char *text);
bool tn_h5_put_names(hid_t file, const char *path, int n, size_t width, const char *names);
// An array of n_dims dimensions with its unit and a line about it (both may be NULL).
bool tn_h5_put_array(hid_t file, const char *path, hid_t type, int n_dims, const hsize_t *dims, const void *data,
                     const char *unit, const char *about);

// An empty dataset that grows along its first dimension; chunk[0] rows a chunk; deflate: shuffled and deflated.
bool tn_h5_create_column(hid_t file, const char *path, hid_t type, int n_dims, const hsize_t *chunk, bool deflate,
                         const char *unit, const char *about);
// Append n_rows rows of data (in memory of type) to such a dataset.
bool tn_h5_append_rows(hid_t file, const char *path, hid_t type, hsize_t n_rows, const void *data);

// Text of a scalar or attribute, in the arena; NULL when it is not there.
char *tn_h5_get_text(hid_t file, const char *path, tn_arena *arena);
char *tn_h5_get_attribute_text(hid_t object, const char *name, tn_arena *arena);
// A one-dimensional dataset of fixed-length texts as an array of *n strings; NULL, and *n = 0, when it is not there or
// is another.
char **tn_h5_get_texts(hid_t file, const char *path, tn_arena *arena, int *n);
bool tn_h5_get_attribute(hid_t object, const char *name, hid_t type, void *value);
// Shape of a dataset, unused dimensions 1. false: not there, or of more than three.
bool tn_h5_get_dims(hid_t file, const char *path, hsize_t dims[3]);
bool tn_h5_is_there(hid_t file, const char *path); // a dataset of up to three dimensions
// A whole dataset of numbers, as type; false also where it does not hold n_numbers of them.
bool tn_h5_get_array(hid_t file, const char *path, hid_t type, hsize_t n_numbers, void *out);
// The same into memory of the arena; NULL: false.
void *tn_h5_take_array(hid_t file, const char *path, hid_t type, hsize_t n_numbers, tn_arena *arena);
