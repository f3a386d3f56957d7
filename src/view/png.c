#include "view/png.h"

#include "base/base64.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static unsigned char *put_word(unsigned char *at, unsigned long word)
{
    for (int k = 0; k < 4; k++) {
        *at++ = (unsigned char)(word >> (24 - 8 * k));
    }
    return at;
}

// Length, name, what was written behind these eight bytes before, checksum.
static unsigned char *end_chunk(unsigned char *begin, const char *name, size_t n)
{
    put_word(begin, (unsigned long)n);
    memcpy(begin + 4, name, 4);
    return put_word(begin + 8 + n, crc32(0, begin + 4, (uInt)n + 4));
}

// Each row less the one above: what lies flat, as most of a picture does, becomes zeros.
static void filter_rows(int width, int height, const unsigned char *rgb, unsigned char *out)
{
    enum { UP = 2 };
    size_t n = 3 * (size_t)width;
    for (int y = 0; y < height; y++) {
        *out++ = UP;
        for (size_t k = 0; k < n; k++) {
            *out++ = (unsigned char)(rgb[k] - (y > 0 ? rgb[k - n] : 0));
        }
        rgb += n;
    }
}

unsigned char *tn_png_encode(int width, int height, const unsigned char *rgb, size_t *size, tn_error *error)
{
    size_t n = (3 * (size_t)width + 1) * (size_t)height;
    uLongf packed = compressBound((uLong)n);
    unsigned char *rows = tn_calloc(n, 1), *file = tn_calloc(packed + 100, 1);
    if (!rows || !file) {
        tn_free(rows);
        tn_free(file);
        tn_error_set(error, TN_NO_MEMORY, "no memory for a picture");
        return NULL;
    }
    filter_rows(width, height, rgb, rows);
    memcpy(file, signature, sizeof signature);
    unsigned char *at = file + sizeof signature, *body = put_word(put_word(at + 8, (unsigned)width), (unsigned)height);
    memcpy(body, (const unsigned char[5]){8, 2, 0, 0, 0}, 5); // eight bits a channel, three channels
    at = end_chunk(at, "IHDR", 13);
    compress2(at + 8, &packed, rows, (uLong)n, 6); // the room is its bound
    at = end_chunk(at, "IDAT", packed);
    at = end_chunk(at, "IEND", 0);
    *size = (size_t)(at - file);
    tn_free(rows);
    return file;
}

static char *data_address(const unsigned char *file, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        tn_base64 encoder = {.out = memory};
        fputs("data:image/png;base64,", memory);
        tn_base64_put(&encoder, file, n);
        tn_base64_end(&encoder);
        bool whole = !ferror(memory);
        if (fclose(memory) != 0 || !whole) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

char *tn_png_address(int width, int height, const unsigned char *rgb, tn_error *error)
{
    size_t size = 0;
    unsigned char *file = tn_png_encode(width, height, rgb, &size, error);
    char *address = file ? data_address(file, size) : NULL;
    if (file && !address) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a picture");
    }
    tn_free(file);
    return address;
}
