#include "mesh/png.h"

#include <png.h>
#include <string.h>

bool tn_png_is(const char *text, size_t size)
{
    return size >= 8 && png_sig_cmp((png_const_bytep)text, 0, 8) == 0;
}

static void fail(png_structp reader, png_const_charp message)
{
    tn_source_fail(png_get_error_ptr(reader), "the image is damaged (%s)", message);
    png_longjmp(reader, 1);
}

static void warn(png_structp reader, png_const_charp message)
{
    (void)reader;
    (void)message;
}

static void take(png_structp reader, png_bytep to, size_t size)
{
    tn_source *source = png_get_io_ptr(reader);
    if (size > tn_source_left(source)) {
        png_error(reader, "it ends within its data");
    }
    memcpy(to, source->at, size);
    source->at += size;
}

bool tn_png_begin(tn_source *source, tn_png *out)
{
    *out = (tn_png){0};
    source->binary = true;
    png_structp reader = out->reader = png_create_read_struct(PNG_LIBPNG_VER_STRING, source, fail, warn);
    png_infop info = out->info = reader ? png_create_info_struct(reader) : NULL;
    if (!info) {
        return tn_source_no_memory(source);
    }
    if (setjmp(png_jmpbuf(reader)) != 0) {
        return false;
    }
    png_set_read_fn(reader, source, take);
    png_read_info(reader, info);
    out->columns = png_get_image_width(reader, info);
    out->rows = png_get_image_height(reader, info);
    return true;
}

bool tn_png_values(tn_source *source, tn_png *png, tn_arena *arena, double *values)
{
    png_structp reader = png->reader;
    png_infop info = png->info;
    if (setjmp(png_jmpbuf(reader)) != 0) {
        return false;
    }
    png_set_expand(reader); // palettes, less than 8 bits a sample
    int passes = png_set_interlace_handling(reader);
    png_read_update_info(reader, info);
    size_t step = png_get_channels(reader, info), bytes = png_get_bit_depth(reader, info) / 8,
           n = png_get_rowbytes(reader, info);
    png_bytep all = tn_arena_push_raw(arena, (size_t)png->rows * n, 1);
    if (!all) {
        return tn_source_no_memory(source);
    }
    for (int pass = 0; pass < passes; pass++) {
        for (size_t y = 0; y < (size_t)png->rows; y++) {
            png_read_row(reader, all + y * n, NULL);
        }
    }
    for (size_t y = 0; y < (size_t)png->rows; y++) {
        png_const_bytep at = all + y * n;
        for (int64_t x = 0; x < png->columns; x++, at += step * bytes) {
            values[(int64_t)y * png->columns + x] = bytes == 1 ? at[0] / 255.0 : (256 * at[0] + at[1]) / 65535.0;
        }
    }
    return true;
}

void tn_png_end(tn_png *png)
{
    png_structp reader = png->reader;
    png_infop info = png->info;
    png_destroy_read_struct(&reader, &info, NULL);
}
