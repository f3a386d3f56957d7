// Pictures as PNG (ISO/IEC 15948).
#pragma once

#include "tenon/error.h"

#include <stddef.h>

// rgb (height, width, 3). The file in memory, allocated (tn_free), and its size [bytes]; NULL on failure.
unsigned char *tn_png_encode(int width, int height, const unsigned char *rgb, size_t *size, tn_error *error);
