// What is read of HDF5 files.
#include "record/h5.h"

#include "base/memory.h"

#include <string.h>

// Texts of fixed length, as tn_h5_put_text writes them; anything else counts as not there.
static size_t fixed_text_size(hid_t type)
{
    return type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;
}

char *tn_h5_get_text(hid_t file, const char *path)
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset < 0) {
        return NULL;
    }
    hid_t type = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset);
    size_t size = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 ? fixed_text_size(type) : 0;
    char *text = size ? tn_calloc(size + 1, 1) : NULL;
    if (text && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        tn_free(text);
        text = NULL;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    H5Dclose(dataset);
    return text;
}

char *tn_h5_get_attribute_text(hid_t object, const char *name)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) {
        return NULL;
    }
    hid_t type = H5Aget_type(attribute);
    size_t size = fixed_text_size(type);
    char *text = size ? tn_calloc(size + 1, 1) : NULL;
    if (text && H5Aread(attribute, type, text) < 0) {
        tn_free(text);
        text = NULL;
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    H5Aclose(attribute);
    return text;
}

bool tn_h5_get_attribute(hid_t object, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) {
        return false;
    }
    hid_t space = H5Aget_space(attribute);
    bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, value) >= 0;
    if (space >= 0) {
        H5Sclose(space);
    }
    H5Aclose(attribute);
    return ok;
}

bool tn_h5_get_dims(hid_t file, const char *path, hsize_t dims[3])
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    int n_dims = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    dims[0] = dims[1] = dims[2] = 1;
    bool ok = n_dims >= 1 && n_dims <= 3 && H5Sget_simple_extent_dims(space, dims, NULL) == n_dims;
    if (space >= 0) {
        H5Sclose(space);
    }
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    return ok;
}

bool tn_h5_get_array(hid_t file, const char *path, hid_t type, hsize_t n_numbers, void *out)
{
    hsize_t dims[3];
    if (!tn_h5_get_dims(file, path, dims) || dims[0] * dims[1] * dims[2] != n_numbers) {
        return false;
    }
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    bool ok = n_numbers == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    H5Dclose(dataset);
    return ok;
}

void tn_h5_free_texts(int n, char **texts)
{
    for (int k = 0; texts && k < n; k++) {
        tn_free(texts[k]);
    }
    tn_free(texts);
}

char **tn_h5_get_texts(hid_t file, const char *path, int *n)
{
    hsize_t dims[3];
    *n = 0;
    if (!tn_h5_get_dims(file, path, dims) || dims[0] > INT32_MAX || dims[1] != 1) {
        return NULL;
    }
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    size_t width = fixed_text_size(type), count = (size_t)dims[0];
    char *block = width ? tn_calloc(count, width) : NULL;
    char **texts = block ? tn_calloc(count, sizeof *texts) : NULL;
    bool ok = texts && (!count || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0);
    for (size_t k = 0; ok && k < count; k++) {
        texts[k] = tn_calloc(width + 1, 1);
        ok = texts[k] != NULL;
        if (ok) {
            memcpy(texts[k], block + k * width, width);
        }
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    H5Dclose(dataset);
    tn_free(block);
    if (!ok) {
        tn_h5_free_texts((int)count, texts);
        return NULL;
    }
    *n = (int)count;
    return texts;
}
