#include "problem/hdf5_input.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_NAME = 128, MAX_TEXT = 1 << 12 };

// deflate cannot shrink data by more than 1032 (zlib's documentation); a chunked dataset that claims more is broken.
static const double MAX_COMPRESSION = 1032.0;

static tn_status bad(const tn_h5_input *input, const char *name, const char *expected)
{
    return tn_error_at(input->error, input->path, 0, 0, "dataset %s: %s", name, expected);
}

tn_status tn_h5_open(const char *path, tn_error *error, tn_h5_input *out)
{
    struct stat about;
    *out = (tn_h5_input){.file = -1, .path = path, .error = error};
    if (stat(path, &about) != 0) {
        return tn_error_set(error, TN_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return tn_error_set(error, TN_IO, "%s: not a regular file", path);
    }
    out->file_size = (double)about.st_size;
    out->quiet = tn_h5_quiet_begin();
    out->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (out->file < 0) {
        tn_h5_quiet_end(out->quiet);
        return tn_error_at(error, path, 0, 0, "not a readable HDF5 file (damaged, or of another kind)");
    }
    return TN_OK;
}

void tn_h5_close(tn_h5_input *input)
{
    H5Fclose(input->file);
    tn_h5_quiet_end(input->quiet);
    input->file = -1;
}

// Each part of the path is asked for in turn: H5Lexists fails when a part before the last is missing, and soft or
// external links could lead to another file.
bool tn_h5_has(const tn_h5_input *input, const char *name)
{
    char part[MAX_NAME];
    for (size_t i = 0; i < MAX_NAME; ++i) {
        if (name[i] == '/' || name[i] == '\0') {
            part[i] = '\0';
            H5L_info_t link;
            if (H5Lexists(input->file, part, H5P_DEFAULT) <= 0 ||
                H5Lget_info(input->file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
                return false;
            }
        }
        if (name[i] == '\0') {
            return true;
        }
        part[i] = name[i];
    }
    return false;
}

// Whether the bytes that the dataset claims can lie in this file at all.
static bool claim_is_possible(const tn_h5_input *input, hid_t dataset, double bytes)
{
    hid_t plan = H5Dget_create_plist(dataset);
    if (plan < 0) {
        return false;
    }
    bool possible = bytes == 0.0 || H5Dget_storage_size(dataset) > 0;
    switch (H5Pget_layout(plan)) {
    case H5D_COMPACT:
        possible = possible && bytes <= input->file_size;
        break;
    case H5D_CONTIGUOUS:
        possible = possible && bytes <= input->file_size && H5Pget_external_count(plan) == 0;
        break;
    case H5D_CHUNKED: {
        hsize_t chunk[H5S_MAX_RANK];
        int rank = H5Pget_chunk(plan, H5S_MAX_RANK, chunk);
        double chunk_bytes = 64.0; // the widest number that is accepted
        for (int i = 0; i < rank; ++i) {
            chunk_bytes *= (double)chunk[i];
        }
        double limit = MAX_COMPRESSION * input->file_size;
        possible = possible && rank > 0 && bytes <= limit && chunk_bytes <= 64.0 * limit;
        break;
    }
    default:
        possible = false;
    }
    tn_h5_release(plan);
    return possible;
}

// Number of elements of an open dataset of the wanted class, or -1 with *expected saying what is wrong.
static long long count_elements(const tn_h5_input *input, hid_t dataset, H5T_class_t wanted, const char **expected)
{
    hid_t type = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset);
    long long count = -1;
    if (type < 0 || space < 0 || H5Tget_class(type) != wanted || H5Tget_size(type) > 64) {
        *expected = wanted == H5T_INTEGER ? "wrong type, expected integers" : "wrong type, expected floating point";
    } else if (H5Sget_simple_extent_type(space) == H5S_NULL || H5Sget_simple_extent_ndims(space) > 1) {
        *expected = "wrong shape, expected one dimension";
    } else {
        hssize_t points = H5Sget_simple_extent_npoints(space);
        double bytes = (double)points * (double)H5Tget_size(type);
        if (points < 0 || points > INT_MAX) {
            *expected = "too many elements, expected fewer than 2^31";
        } else if (!claim_is_possible(input, dataset, bytes)) {
            *expected = "claims more values than the file holds";
        } else {
            count = points;
        }
    }
    tn_h5_release(type);
    tn_h5_release(space);
    return count;
}

// Read the dataset as memory_type (of 8 bytes) into the arena.
static tn_status read_array(const tn_h5_input *input, const char *name, H5T_class_t wanted, tn_arena *arena,
                            void **values, int *count)
{
    if (!tn_h5_has(input, name)) {
        return bad(input, name, "missing");
    }
    hid_t dataset = H5Dopen2(input->file, name, H5P_DEFAULT);
    if (dataset < 0) {
        return bad(input, name, "expected a dataset, found something else or damage");
    }
    const char *expected = "";
    long long points = count_elements(input, dataset, wanted, &expected);
    tn_status status = TN_OK;
    if (points < 0) {
        status = bad(input, name, expected);
    } else if (!(*values = tn_arena_push(arena, (size_t)points, 8))) {
        status = tn_error_set(input->error, TN_NO_MEMORY, "%s: no memory for dataset %s", input->path, name);
    } else {
        hid_t memory_type = wanted == H5T_INTEGER ? H5T_NATIVE_LLONG : H5T_NATIVE_DOUBLE;
        if (points > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0) {
            status = bad(input, name, "cannot be read: the file is damaged");
        }
        *count = (int)points;
    }
    tn_h5_release(dataset);
    return status;
}

tn_status tn_h5_read_ints(const tn_h5_input *input, const char *name, tn_arena *arena, long long **values, int *count)
{
    void *raw = NULL;
    tn_status status = read_array(input, name, H5T_INTEGER, arena, &raw, count);
    *values = raw;
    return status;
}

tn_status tn_h5_read_doubles(const tn_h5_input *input, const char *name, tn_arena *arena, double **values, int *count)
{
    void *raw = NULL;
    tn_status status = read_array(input, name, H5T_FLOAT, arena, &raw, count);
    *values = raw;
    if (!raw) {
        return status; // failed before there was room
    }
    for (int i = 0; status == TN_OK && i < *count; ++i) {
        if (!isfinite((*values)[i])) {
            return tn_error_at(input->error, input->path, 0, 0,
                               "dataset %s: element %d is %g, expected a finite number", name, i, (*values)[i]);
        }
    }
    return status;
}

tn_status tn_h5_read_int(const tn_h5_input *input, const char *name, long long low, long long high, long long *value)
{
    tn_arena *scratch = tn_arena_create(256);
    if (!scratch) {
        return tn_error_set(input->error, TN_NO_MEMORY, "%s: no memory", input->path);
    }
    long long *values = NULL;
    int count = 0;
    tn_status status = tn_h5_read_ints(input, name, scratch, &values, &count);
    if (status == TN_OK && count != 1) {
        status = tn_error_at(input->error, input->path, 0, 0, "dataset %s: %d elements, expected 1", name, count);
    } else if (status == TN_OK && low == high && values[0] != low) {
        status = tn_error_at(input->error, input->path, 0, 0, "dataset %s: %lld, expected %lld", name, values[0], low);
    } else if (status == TN_OK && (values[0] < low || values[0] > high)) {
        status = tn_error_at(input->error, input->path, 0, 0, "dataset %s: %lld, expected %lld to %lld", name,
                             values[0], low, high);
    } else if (status == TN_OK) {
        *value = values[0];
    }
    tn_arena_destroy(scratch);
    return status;
}

// One string of fixed length from an open dataset (attribute false) or attribute. Strings of variable length lie in the
// file's global heap, and HDF5 1.10 does not come back from a damaged one: a title is not worth that.
static void read_string(hid_t object, bool attribute, size_t size, char *text)
{
    hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
    hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
    if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Tget_size(type) < MAX_TEXT && H5Sget_simple_extent_npoints(space) == 1) {
        char stored[MAX_TEXT] = {0};
        herr_t read =
            attribute ? H5Aread(object, type, stored) : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored);
        if (read >= 0) {
            snprintf(text, size, "%s", stored);
        }
    }
    tn_h5_release(type);
    tn_h5_release(space);
}

void tn_h5_read_text(const tn_h5_input *input, const char *group, const char *name, size_t size, char *text)
{
    char path[MAX_NAME];
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/%s", group, name);
    if (tn_h5_has(input, path)) {
        hid_t dataset = H5Dopen2(input->file, path, H5P_DEFAULT);
        if (dataset >= 0) {
            read_string(dataset, false, size, text);
            tn_h5_release(dataset);
        }
    } else if (tn_h5_has(input, group) && H5Aexists_by_name(input->file, group, name, H5P_DEFAULT) > 0) {
        hid_t attribute = H5Aopen_by_name(input->file, group, name, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute >= 0) {
            read_string(attribute, true, size, text);
            tn_h5_release(attribute);
        }
    }
}
