// Pictures as PNG (ISO/IEC 15948).
#pragma once

#include "tenon/error.h"

#include <stddef.h>

// rgb (height, width, 3). The file in memory, allocated (tn_free), and its size [bytes]; NULL on failure.
unsigned char *tn_png_encode(int width, int height, const unsigned char *rgb, size_t *size, tn_error *error);
// An address that holds the file whole, "data:image/png;base64,...", allocated (free); NULL on
// failure.
char *tn_png_address(int width, int height, const unsigned char *rgb, tn_error *error);
