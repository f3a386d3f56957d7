#include "record/h5.h"

#include <string.h>

enum { DEFLATE_LEVEL = 4 };
enum { COMPACT_BYTES = 32 << 10, CHUNK_BYTES_MAX = 1 << 30 }; // HDF5's limits are 64 KiB and 4 GiB

bool tn_h5_put_group(hid_t file, const char *path)
{
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

// Fixed-length UTF-8; an empty text takes one byte, because HDF5 has no text of size 0.
static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, size ? size : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
                      H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        tn_h5_release(type);
        return -1;
    }
    return type;
}

static bool put_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? -1 : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    tn_h5_release(attribute);
    tn_h5_release(space);
    return ok;
}

bool tn_h5_attribute_text(hid_t object, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text));
    bool ok = type >= 0 && put_attribute(object, name, type, text);
    tn_h5_release(type);
    return ok;
}

bool tn_h5_attribute_double(hid_t object, const char *name, double value)
{
    return put_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

bool tn_h5_attribute_int(hid_t object, const char *name, int64_t value)
{
    return put_attribute(object, name, H5T_NATIVE_INT64, &value);
}

bool tn_h5_attribute_uint(hid_t object, const char *name, uint64_t value)
{
    return put_attribute(object, name, H5T_NATIVE_UINT64, &value);
}

static bool describe(hid_t object, const char *unit, const char *about)
{
    return (!unit || tn_h5_attribute_text(object, "unit", unit)) &&
           (!about || tn_h5_attribute_text(object, "about", about));
}

// Creates the dataset at path with its groups; creation is a property list or H5P_DEFAULT.
static hid_t create_dataset(hid_t file, const char *path, hid_t type, hid_t space, hid_t creation)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t dataset = -1;
    if (links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0) {
        dataset = H5Dcreate2(file, path, type, space, links, creation, H5P_DEFAULT);
    }
    tn_h5_release(links);
    return dataset;
}

// How an array of that many bytes is stored so that damage is noticed when it is read: small ones in the object's
// header, which HDF5 sums anyway, large ones in one chunk with a sum. A large text has neither.
static hid_t summed_layout(int n_dims, const hsize_t *dims, size_t bytes)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = creation >= 0;
    if (ok && bytes <= COMPACT_BYTES) {
        ok = H5Pset_layout(creation, H5D_COMPACT) >= 0;
    } else if (ok && n_dims > 0 && bytes < CHUNK_BYTES_MAX) {
        ok = H5Pset_chunk(creation, n_dims, dims) >= 0 && H5Pset_fletcher32(creation) >= 0;
    }
    if (!ok && creation >= 0) {
        tn_h5_release(creation);
        creation = -1;
    }
    return creation;
}

bool tn_h5_put_array(hid_t file, const char *path, hid_t type, int n_dims, const hsize_t *dims, const void *data,
                     const char *unit, const char *about)
{
    hid_t space = n_dims ? H5Screate_simple(n_dims, dims, NULL) : H5Screate(H5S_SCALAR);
    hssize_t n = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    hid_t creation = summed_layout(n_dims, dims, (size_t)n * H5Tget_size(type));
    hid_t dataset = space < 0 || creation < 0 ? -1 : create_dataset(file, path, type, space, creation);
    bool ok = dataset >= 0 && describe(dataset, unit, about);
    bool empty = n == 0;
    ok = ok && (empty || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    tn_h5_release(dataset);
    tn_h5_release(creation);
    tn_h5_release(space);
    return ok;
}

bool tn_h5_put_text(hid_t file, const char *path, const char *text)
{
    hid_t type = text_type(strlen(text));
    bool ok = type >= 0 && tn_h5_put_array(file, path, type, 0, NULL, text, NULL, NULL);
    tn_h5_release(type);
    return ok;
}

bool tn_h5_put_names(hid_t file, const char *path, int n, size_t width, const char *names)
{
    hid_t type = text_type(width);
    hsize_t dims[1] = {(hsize_t)n};
    bool ok = type >= 0 && tn_h5_put_array(file, path, type, 1, dims, names, NULL, NULL);
    tn_h5_release(type);
    return ok;
}

bool tn_h5_create_column(hid_t file, const char *path, hid_t type, int n_dims, const hsize_t *chunk, bool deflate,
                         const char *unit, const char *about)
{
    hsize_t dims[3] = {0, n_dims > 1 ? chunk[1] : 0, n_dims > 2 ? chunk[2] : 0};
    hsize_t limits[3] = {H5S_UNLIMITED, dims[1], dims[2]};
    hid_t space = H5Screate_simple(n_dims, dims, limits);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = space >= 0 && creation >= 0 && H5Pset_chunk(creation, n_dims, chunk) >= 0;
    ok = ok && (!deflate || (H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, DEFLATE_LEVEL) >= 0));
    ok = ok && H5Pset_fletcher32(creation) >= 0; // damage is noticed when it is read
    hid_t dataset = ok ? create_dataset(file, path, type, space, creation) : -1;
    ok = dataset >= 0 && describe(dataset, unit, about);
    ok = tn_h5_release(dataset) && ok;
    tn_h5_release(creation);
    tn_h5_release(space);
    return ok;
}

// Writes the rows [first, first + n_rows) of an open dataset whose file space (after extension) is at hand.
static bool write_rows(hid_t dataset, hid_t space, int n_dims, const hsize_t *dims, hsize_t n_rows, hid_t type,
                       const void *data)
{
    hsize_t start[3] = {dims[0], 0, 0};
    hsize_t count[3] = {n_rows, dims[1], dims[2]};
    hid_t memory = H5Screate_simple(n_dims, count, NULL);
    bool ok = memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data) >= 0;
    tn_h5_release(memory);
    return ok;
}

// Rows are written once and left alone: a cache of chunks would only copy them once more.
static hid_t open_to_append(hid_t file, const char *path)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t dataset = -1;
    if (access >= 0 && H5Pset_chunk_cache(access, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, 1.0) >= 0) {
        dataset = H5Dopen2(file, path, access);
    }
    tn_h5_release(access);
    return dataset;
}

bool tn_h5_append_rows(hid_t file, const char *path, hid_t type, hsize_t n_rows, const void *data)
{
    if (n_rows == 0) {
        return true;
    }
    hid_t dataset = open_to_append(file, path);
    if (dataset < 0) {
        return false;
    }
    hsize_t dims[3] = {0, 0, 0};
    hid_t space = H5Dget_space(dataset);
    int n_dims = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    bool ok = n_dims > 0;
    tn_h5_release(space);
    hsize_t grown[3] = {dims[0] + n_rows, dims[1], dims[2]};
    space = ok && H5Dset_extent(dataset, grown) >= 0 ? H5Dget_space(dataset) : -1;
    ok = space >= 0 && write_rows(dataset, space, n_dims, dims, n_rows, type, data);
    tn_h5_release(space);
    return tn_h5_release(dataset) && ok;
}
