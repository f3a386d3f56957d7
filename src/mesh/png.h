// Grey pictures from PNG files (ISO/IEC 15948), by libpng.
#pragma once

#include "mesh/draft.h"

typedef struct tn_png {
    int64_t columns, rows;
    void *reader, *info; // libpng's
} tn_png;

bool tn_png_is(const char *text, size_t size); // by how it begins
// The header; false with the source's error set. Whatever comes of it, tn_png_end.
bool tn_png_begin(tn_source *source, tn_png *out);
// values (rows, columns) of 0 to 1: the grey, or of colours the red one. After the header, once.
bool tn_png_values(tn_source *source, tn_png *png, tn_arena *arena, double *values);
void tn_png_end(tn_png *png);
