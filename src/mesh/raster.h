// Grids of numbers from files: grey images (PNG, PGM) and text.
#pragma once

#include "mesh/read.h"

typedef struct tn_raster {
    int n[2];             // columns, rows
    const double *values; // (n[1], n[0]) rows from the top of the file; of an image 0 (black) to 1 (white)
} tn_raster;

// By the content: PNG, PGM (P2 and P5, 8 and 16 bit), or text with a row of numbers in each line, '#' begins a comment.
// At least 2 x 2. TN_BAD_INPUT: message with file and line (or byte). TN_IO: it cannot be read.
tn_status tn_raster_read(const char *path, tn_arena *arena, tn_raster *out, tn_error *error);
tn_status tn_raster_parse(const tn_mesh_file *file, tn_arena *arena, tn_raster *out, tn_error *error);
