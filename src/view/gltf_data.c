#include "view/gltf_data.h"

#include "base/memory.h"

#include <math.h>

bool gltf_data_open(gltf_data *data)
{
    *data = (gltf_data){.file = tmpfile()};
    return data->file != NULL;
}

void gltf_data_close(gltf_data *data)
{
    if (data->file) {
        fclose(data->file);
    }
    tn_free(data->accessor);
}

static int append(gltf_data *data, const gltf_accessor *what, const void *bytes)
{
    gltf_accessor *grown = tn_grown(data->accessor, data->n, &data->room, sizeof *grown);
    if (!grown) {
        data->failed = true;
        return 0;
    }
    data->accessor = grown;
    gltf_accessor *a = &data->accessor[data->n];
    *a = *what;
    a->offset = data->size;
    data->failed = fwrite(bytes, 1, a->bytes, data->file) != a->bytes || data->failed;
    data->size += a->bytes; // numbers of four bytes: the next one is aligned
    return data->n++;
}

int gltf_add_floats(gltf_data *data, int target, int width, long count, const float *x, bool bounded)
{
    gltf_accessor a = {.bytes = 4 * (size_t)width * (size_t)count,
                       .count = count,
                       .width = width,
                       .type = GLTF_FLOAT,
                       .target = target,
                       .bounded = bounded};
    for (int k = 0; k < width && bounded; k++) {
        a.low[k] = INFINITY;
        a.high[k] = -INFINITY;
        for (long i = 0; i < count; i++) {
            a.low[k] = fmin(a.low[k], (double)x[i * width + k]);
            a.high[k] = fmax(a.high[k], (double)x[i * width + k]);
        }
    }
    return append(data, &a, x);
}

int gltf_add_indices(gltf_data *data, long count, const uint32_t *index)
{
    gltf_accessor a = {
        .bytes = 4 * (size_t)count, .count = count, .width = 1, .type = GLTF_UINT, .target = GLTF_INDICES};
    return append(data, &a, index);
}

int gltf_add_bytes(gltf_data *data, size_t n, const unsigned char *bytes)
{
    gltf_accessor a = {.bytes = n};
    int k = append(data, &a, bytes);
    for (; data->size % 4 != 0; data->size++) { // as the chunk's length
        data->failed = fputc(0, data->file) == EOF || data->failed;
    }
    return k;
}

bool gltf_data_copy(gltf_data *data, FILE *out)
{
    char piece[1 << 15];
    size_t n;
    rewind(data->file);
    while ((n = fread(piece, 1, sizeof piece, data->file)) > 0) {
        fwrite(piece, 1, n, out);
    }
    return !ferror(data->file) && !ferror(out);
}
