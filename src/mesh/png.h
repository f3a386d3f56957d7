// PNG images (W3C, Portable Network Graphics, second edition, 2003): samples as they stand, of those that are not
// interlaced and have 8 or 16 bits a sample, without palette.
#pragma once

#include "mesh/draft.h"

typedef struct tn_png {
    int64_t columns, rows;
    int channels; // grey, grey and alpha, RGB, RGBA: 1 to 4
    int bytes;    // of a sample, 1 or 2 (big-endian)
} tn_png;

bool tn_png_is(const char *text, size_t size);     // by how it begins
bool tn_png_begin(tn_source *source, tn_png *out); // the header; false with the source's error set
// (rows, columns, channels, bytes), after the header. NULL with the source's error set.
const unsigned char *tn_png_samples(tn_source *source, const tn_png *png, tn_arena *arena);
