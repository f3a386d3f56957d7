#include "record/vtk_file.h"

#include "base/base64.h"

#include <errno.h>
#include <string.h>

void tn_vtk_begin(FILE *out, long n_points, long n_cells)
{
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt32\">\n"
            "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%ld\">\n",
            little ? "LittleEndian" : "BigEndian", n_points, n_cells);
}

// Header and data of an array run through one encoder.
static tn_base64 begin_array(FILE *out, const char *name, tn_vtk_type type, int n_components, size_t n)
{
    static const char *const names[] = {"Float32", "Int32", "UInt8"};
    uint32_t n_bytes = (uint32_t)(n * (type == TN_VTK_UINT8 ? 1u : 4u));
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", names[type], name,
            n_components);
    tn_base64 b = {.out = out};
    tn_base64_put(&b, &n_bytes, sizeof n_bytes);
    return b;
}

static void end_array(tn_base64 *b)
{
    tn_base64_end(b);
    fprintf(b->out, "\n</DataArray>\n");
}

void tn_vtk_array(FILE *out, const char *name, tn_vtk_type type, int n_components, size_t n, const void *data)
{
    tn_base64 b = begin_array(out, name, type, n_components, n);
    tn_base64_put(&b, data, n * (type == TN_VTK_UINT8 ? 1 : 4));
    end_array(&b);
}

void tn_vtk_put_points(FILE *out, size_t n_points, const float *position)
{
    fprintf(out, "<Points>\n");
    tn_vtk_array(out, "points", TN_VTK_FLOAT32, 3, 3 * n_points, position);
    fprintf(out, "</Points>\n");
}

void tn_vtk_put_cells(FILE *out, size_t n_indices, const int *index, size_t n_cells, const int *offset,
                      tn_vtk_cell_type type)
{
    const unsigned char byte = (unsigned char)type;
    fprintf(out, "<Cells>\n");
    tn_vtk_array(out, "connectivity", TN_VTK_INT32, 1, n_indices, index);
    tn_vtk_array(out, "offsets", TN_VTK_INT32, 1, n_cells, offset);
    tn_base64 types = begin_array(out, "types", TN_VTK_UINT8, 1, n_cells);
    for (size_t k = 0; k < n_cells; k++) {
        tn_base64_put(&types, &byte, 1);
    }
    end_array(&types);
    fprintf(out, "</Cells>\n");
}

static tn_status cannot_write(tn_error *error, const char *path)
{
    return tn_error_set(error, TN_IO, "cannot write %s: %s", path, errno ? strerror(errno) : "disk full?");
}

FILE *tn_vtk_open(const char *path, tn_error *error)
{
    errno = 0;
    FILE *out = fopen(path, "wb");
    if (!out) {
        cannot_write(error, path);
    }
    return out;
}

// Says whether all was written.
static tn_status finish(FILE *out, const char *path, tn_error *error)
{
    errno = 0;
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    return ok ? TN_OK : cannot_write(error, path);
}

tn_status tn_vtk_end(FILE *out, const char *path, tn_error *error)
{
    fprintf(out, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return finish(out, path, error);
}

tn_status tn_vtk_collection_begin(const char *path, FILE **out, tn_error *error)
{
    *out = tn_vtk_open(path, error);
    if (!*out) {
        return TN_IO;
    }
    fprintf(*out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    return TN_OK;
}

void tn_vtk_collection_add(FILE *out, double time, const char *file)
{
    fprintf(out, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n", time, file);
}

tn_status tn_vtk_collection_end(FILE *out, const char *path, tn_error *error)
{
    fprintf(out, "</Collection>\n</VTKFile>\n");
    return finish(out, path, error);
}
