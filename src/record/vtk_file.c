#include "record/vtk_file.h"

#include "base/memory.h"

#include <errno.h>
#include <string.h>

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Bytes of the header and of the data run through one encoder.
typedef struct base64 {
    FILE *out;
    uint32_t bits;
    int n_bytes; // of bits, 0 to 2
} base64;

static void put_byte(base64 *b, unsigned char byte)
{
    b->bits = b->bits << 8 | byte;
    if (++b->n_bytes == 3) {
        const char text[4] = {base64_digits[b->bits >> 18 & 63], base64_digits[b->bits >> 12 & 63],
                              base64_digits[b->bits >> 6 & 63], base64_digits[b->bits & 63]};
        fwrite(text, 1, 4, b->out);
        b->n_bytes = 0;
        b->bits = 0;
    }
}

static void put_bytes(base64 *b, size_t n, const void *data)
{
    const unsigned char *bytes = data;
    for (size_t k = 0; k < n; k++) {
        put_byte(b, bytes[k]);
    }
}

static void finish(base64 *b)
{
    if (b->n_bytes == 1) {
        fprintf(b->out, "%c%c==", base64_digits[b->bits >> 2 & 63], base64_digits[b->bits << 4 & 63]);
    } else if (b->n_bytes == 2) {
        fprintf(b->out, "%c%c%c=", base64_digits[b->bits >> 10 & 63], base64_digits[b->bits >> 4 & 63],
                base64_digits[b->bits << 2 & 63]);
    }
}

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

void tn_vtk_end(FILE *out)
{
    fprintf(out, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
}

void tn_vtk_array(FILE *out, const char *name, tn_vtk_type type, int n_components, size_t n, const void *data)
{
    static const char *const names[] = {"Float32", "Int32", "UInt8"};
    uint32_t n_bytes = (uint32_t)(n * (type == TN_VTK_UINT8 ? 1u : 4u));
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", names[type], name,
            n_components);
    base64 b = {.out = out};
    put_bytes(&b, sizeof n_bytes, &n_bytes);
    put_bytes(&b, n_bytes, data);
    finish(&b);
    fprintf(out, "\n</DataArray>\n");
}

void tn_vtk_put_points(FILE *out, size_t n_points, const float *position)
{
    fprintf(out, "<Points>\n");
    tn_vtk_array(out, "points", TN_VTK_FLOAT32, 3, 3 * n_points, position);
    fprintf(out, "</Points>\n");
}

bool tn_vtk_put_cells(FILE *out, size_t n_indices, const int *index, size_t n_cells, const int *offset,
                      tn_vtk_cell_type type)
{
    uint8_t *types = tn_malloc(n_cells);
    if (!types) {
        return false;
    }
    memset(types, (int)type, n_cells);
    fprintf(out, "<Cells>\n");
    tn_vtk_array(out, "connectivity", TN_VTK_INT32, 1, n_indices, index);
    tn_vtk_array(out, "offsets", TN_VTK_INT32, 1, n_cells, offset);
    tn_vtk_array(out, "types", TN_VTK_UINT8, 1, n_cells, types);
    fprintf(out, "</Cells>\n");
    tn_free(types);
    return true;
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

tn_status tn_vtk_close(FILE *out, const char *path, tn_error *error)
{
    errno = 0;
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    return ok ? TN_OK : cannot_write(error, path);
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
    return tn_vtk_close(out, path, error);
}
