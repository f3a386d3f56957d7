// What is read of HDF5 files.
#include "record/h5.h"

#include <string.h>

// Texts of fixed length, as tn_h5_put_text writes them; anything else counts as not there.
static size_t fixed_text_size(hid_t type)
{
    return type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;
}

char *tn_h5_get_text(hid_t file, const char *path, tn_arena *arena)
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset < 0) {
        return NULL;
    }
    hid_t type = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset);
    size_t size = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 ? fixed_text_size(type) : 0;
    char *text = size ? TN_PUSH(arena, char, size + 1) : NULL;
    bool ok = text && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    tn_h5_release(space);
    tn_h5_release(type);
    tn_h5_release(dataset);
    return ok ? text : NULL;
}

char *tn_h5_get_attribute_text(hid_t object, const char *name, tn_arena *arena)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) {
        return NULL;
    }
    hid_t type = H5Aget_type(attribute);
    size_t size = fixed_text_size(type);
    char *text = size ? TN_PUSH(arena, char, size + 1) : NULL;
    bool ok = text && H5Aread(attribute, type, text) >= 0;
    tn_h5_release(type);
    tn_h5_release(attribute);
    return ok ? text : NULL;
}

bool tn_h5_get_attribute(hid_t object, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) {
        return false;
    }
    hid_t space = H5Aget_space(attribute);
    bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, value) >= 0;
    tn_h5_release(space);
    tn_h5_release(attribute);
    return ok;
}

bool tn_h5_get_dims(hid_t file, const char *path, hsize_t dims[3])
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    int n_dims = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    dims[0] = dims[1] = dims[2] = 1;
    bool ok = n_dims >= 1 && n_dims <= 3 && H5Sget_simple_extent_dims(space, dims, NULL) == n_dims;
    tn_h5_release(space);
    tn_h5_release(dataset);
    return ok;
}

bool tn_h5_is_there(hid_t file, const char *path)
{
    hsize_t dims[3];
    return tn_h5_get_dims(file, path, dims);
}

static bool read_whole(hid_t file, const char *path, hid_t type, void *out)
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    bool ok = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    tn_h5_release(dataset);
    return ok;
}

bool tn_h5_get_array(hid_t file, const char *path, hid_t type, hsize_t n_numbers, void *out)
{
    hsize_t dims[3];
    return tn_h5_get_dims(file, path, dims) && dims[0] * dims[1] * dims[2] == n_numbers &&
           (n_numbers == 0 || read_whole(file, path, type, out));
}

void *tn_h5_take_array(hid_t file, const char *path, hid_t type, hsize_t n_numbers, tn_arena *arena)
{
    void *out = tn_arena_push_raw(arena, n_numbers, H5Tget_size(type));
    return out && tn_h5_get_array(file, path, type, n_numbers, out) ? out : NULL;
}

char **tn_h5_get_texts(hid_t file, const char *path, tn_arena *arena, int *n)
{
    hsize_t dims[3];
    *n = 0;
    if (!tn_h5_get_dims(file, path, dims) || dims[0] > INT32_MAX || dims[1] != 1) {
        return NULL;
    }
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    size_t width = fixed_text_size(type), count = (size_t)dims[0];
    char *block = width ? tn_arena_push_raw(arena, count, width) : NULL;
    char *ended = width ? tn_arena_push_raw(arena, count, width + 1) : NULL;
    char **texts = width ? TN_PUSH_RAW(arena, char *, count) : NULL;
    bool ok = block && ended && texts && (!count || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0);
    for (size_t k = 0; ok && k < count; k++) {
        texts[k] = memcpy(ended + k * (width + 1), block + k * width, width);
        texts[k][width] = '\0';
    }
    tn_h5_release(type);
    tn_h5_release(dataset);
    *n = ok ? (int)count : 0;
    return ok ? texts : NULL;
}
