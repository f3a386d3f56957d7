#include "mesh/png.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

static const char SIGNATURE[] = "\x89PNG\r\n\x1a\n";

bool tn_png_is(const char *text, size_t size)
{
    return size >= sizeof SIGNATURE - 1 && memcmp(text, SIGNATURE, sizeof SIGNATURE - 1) == 0;
}

static uint32_t word(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// A piece of the file: length, name, data, checksum of name and data.
typedef struct chunk {
    const char *name, *data;
    uint32_t size;
} chunk;

static bool take_chunk(tn_source *source, chunk *out)
{
    size_t left = tn_source_left(source);
    uint32_t size = left < 12 ? 0 : word(source->at);
    if (left < 12 || size > left - 12) {
        return tn_source_fail(source, "the image ends within its data");
    }
    *out = (chunk){source->at + 4, source->at + 8, size};
    source->at += (size_t)size + 12;
    return crc32(0, (const Bytef *)out->name, size + 4) == word(out->data + size) ||
           tn_source_fail(source, "the image is damaged (a checksum does not match)");
}

bool tn_png_begin(tn_source *source, tn_png *out)
{
    static const int channels[] = {[0] = 1, [2] = 3, [4] = 2, [6] = 4}; // by type of colour
    chunk header;
    source->binary = true;
    source->at += sizeof SIGNATURE - 1;
    if (!take_chunk(source, &header)) {
        return false;
    }
    if (memcmp(header.name, "IHDR", 4) != 0 || header.size != 13) {
        return tn_source_fail(source, "the image has no header");
    }
    const unsigned char *said = (const unsigned char *)header.data + 8; // depth, colour, compression, filter, interlace
    if ((said[0] != 8 && said[0] != 16) || said[1] > 6 || !channels[said[1]] || said[4] != 0) {
        return tn_source_fail(source, "of PNG images those of 8 or 16 bits without palette and interlace are read: "
                                      "save as grey PNG");
    }
    *out = (tn_png){word(header.data), word(header.data + 4), channels[said[1]], said[0] / 8};
    return true;
}

// All IDAT chunks as one stream of so many bytes.
static bool inflate_all(tn_source *source, unsigned char *out, size_t size)
{
    z_stream stream = {.next_out = out};
    chunk piece = {.name = ""};
    int state = inflateInit(&stream);
    if (state != Z_OK) {
        return tn_source_no_memory(source);
    }
    bool good = true;
    size_t done = 0;
    while (good && state == Z_OK && (good = take_chunk(source, &piece)) && memcmp(piece.name, "IEND", 4) != 0) {
        stream.next_in = (const Bytef *)piece.data;
        stream.avail_in = memcmp(piece.name, "IDAT", 4) == 0 ? piece.size : 0;
        while (state == Z_OK && stream.avail_in > 0 && done < size) {
            uInt room = size - done < 1u << 30 ? (uInt)(size - done) : 1u << 30;
            stream.avail_out = room;
            state = inflate(&stream, Z_NO_FLUSH);
            done += room - stream.avail_out;
        }
        state = done < size ? state : Z_STREAM_END;
    }
    inflateEnd(&stream);
    return good && (done == size || tn_source_fail(source, "the image is damaged (its data is not all there)"));
}

static int paeth(int left, int up, int corner)
{
    int a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Each byte is told less what a filter says of those to the left, above (NULL: none) and between.
static void restore(int filter, unsigned char *row, const unsigned char *above, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i++) {
        int left = i >= step ? row[i - step] : 0, up = above ? above[i] : 0,
            corner = i >= step && above ? above[i - step] : 0;
        const int said[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
        row[i] = (unsigned char)(row[i] + said[filter]);
    }
}

const unsigned char *tn_png_samples(tn_source *source, const tn_png *png, tn_arena *arena)
{
    size_t step = (size_t)png->channels * (size_t)png->bytes, n = (size_t)png->columns * step,
           size = (size_t)png->rows * (n + 1);
    unsigned char *all = tn_arena_push_raw(arena, size, 1);
    if (!all) {
        tn_source_no_memory(source);
        return NULL;
    }
    if (!inflate_all(source, all, size)) {
        return NULL;
    }
    unsigned char *above = NULL;
    for (size_t y = 0; y < (size_t)png->rows; y++) { // its filter, then its bytes; packed as they are restored
        unsigned char *told = all + y * (n + 1), *row = all + y * n;
        int filter = told[0];
        if (filter > 4) {
            tn_source_fail(source, "the image is damaged (row %lld has no filter %d)", (long long)y, filter);
            return NULL;
        }
        memmove(row, told + 1, n);
        restore(filter, row, above, n, step);
        above = row;
    }
    return all;
}
