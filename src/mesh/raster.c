// Grids of numbers: PGM (J. Poskanzer, "PGM format specification", netpbm.sourceforge.net), PNG and plain text.
#include "mesh/raster.h"

#include "mesh/png.h"

#include <string.h>

enum { SIDE_MAX = 100 * 1000, COUNT_MAX = 100 * 1000 * 1000 };

typedef struct reader {
    tn_source *source;
    tn_arena *arena;
    tn_raster *out;
} reader;

static bool check_size(const tn_source *source, int64_t columns, int64_t rows)
{
    return (columns >= 2 && rows >= 2 && columns * rows <= COUNT_MAX) ||
           tn_source_fail(source, "a grid has 2 x 2 to %d values, not %lld x %lld", COUNT_MAX, (long long)columns,
                          (long long)rows);
}

static double *reserve(reader *r, int64_t columns, int64_t rows)
{
    double *values = tn_arena_push_raw(r->arena, (size_t)(columns * rows), sizeof *values);
    if (!values) {
        tn_source_no_memory(r->source);
    }
    *r->out = (tn_raster){.n = {(int)columns, (int)rows}, .values = values};
    return values;
}

static bool header_number(tn_source *source, const char *what, int64_t high, int64_t *value)
{
    tn_source_skip_comments(source);
    return tn_source_integer(source, what, 1, high, value);
}

static bool read_bytes(tn_source *source, int bytes, int64_t count, double white, double *values)
{
    if (tn_source_left(source) < 1 || !tn_source_skip_bytes(source, "the header", 1)) { // one white space
        return tn_source_fail(source, "the file ends behind its header");
    }
    source->binary = true;
    if (!tn_source_holds(source, "values", count, (size_t)bytes)) {
        return false;
    }
    const unsigned char *at = (const unsigned char *)source->at;
    for (int64_t i = 0; i < count; i++, at += bytes) { // big-endian
        values[i] = (bytes == 1 ? at[0] : 256 * at[0] + at[1]) / white;
        if (values[i] > 1.0) {
            return tn_source_fail(source, "value %lld is above white", (long long)i);
        }
    }
    return true;
}

static bool read_words(tn_source *source, int64_t count, int64_t white, double *values)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t value = 0;
        tn_source_skip_comments(source);
        if (!tn_source_integer(source, "a value", 0, white, &value)) {
            return false;
        }
        values[i] = (double)value / (double)white;
    }
    return true;
}

static bool read_pgm(reader *r, bool binary)
{
    int64_t columns = 0, rows = 0, white = 0;
    tn_source *source = r->source;
    source->at += 2; // P2 or P5
    if (!header_number(source, "the width", SIDE_MAX, &columns) ||
        !header_number(source, "the height", SIDE_MAX, &rows) || !header_number(source, "white", 65535, &white) ||
        !check_size(source, columns, rows) || !tn_source_holds(source, "values", columns * rows, 1)) {
        return false;
    }
    double *values = reserve(r, columns, rows);
    return values && (binary ? read_bytes(source, white < 256 ? 1 : 2, columns * rows, (double)white, values)
                             : read_words(source, columns * rows, white, values));
}

// Of colours the red one, as MuJoCo takes it.
static bool read_png(reader *r)
{
    tn_png png;
    bool good = tn_png_begin(r->source, &png) && check_size(r->source, png.columns, png.rows);
    double *values = good ? reserve(r, png.columns, png.rows) : NULL;
    good = values && tn_png_values(r->source, &png, r->arena, values);
    tn_png_end(&png);
    return good;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

// Next number of the line, if there is one.
static bool line_word(tn_source *source, const char **word, size_t *length)
{
    while (source->at < source->end && is_blank(*source->at)) {
        source->at++;
    }
    *word = source->at;
    while (source->at < source->end && !is_blank(*source->at) && *source->at != '\n' && *source->at != '#') {
        source->at++;
    }
    *length = (size_t)(source->at - *word);
    return *length > 0;
}

// One pass counts (values NULL), the next one reads. columns: 0 before the first row.
static bool walk_text(tn_source *source, int64_t *columns, int64_t *rows, double *values)
{
    const char *word;
    size_t length;
    for (*rows = 0; source->at < source->end;) {
        int64_t n = 0;
        for (; line_word(source, &word, &length); n++) {
            double x = 0.0;
            if (!tn_word_number(source, word, length, "a height", &x)) {
                return false;
            }
            if (values) {
                *values++ = x;
            }
        }
        *columns = *columns == 0 ? n : *columns;
        if (n > 0 && n != *columns) {
            return tn_source_fail(source, "this row has %lld numbers, those before it %lld", (long long)n,
                                  (long long)*columns);
        }
        *rows += n > 0;
        tn_source_skip_line(source);
    }
    return true;
}

static bool read_text(reader *r)
{
    int64_t columns = 0, rows = 0;
    const char *start = r->source->at;
    if (!walk_text(r->source, &columns, &rows, NULL) || !check_size(r->source, columns, rows)) {
        return false;
    }
    double *values = reserve(r, columns, rows);
    r->source->at = start;
    r->source->line = 1;
    return values && walk_text(r->source, &columns, &rows, values);
}

tn_status tn_raster_parse(const tn_mesh_file *file, tn_arena *arena, tn_raster *out, tn_error *error)
{
    tn_error found = {0};
    tn_source source = tn_source_create(file->path, file->text, file->size, &found);
    reader r = {&source, arena, out};
    bool image = file->size >= 2 && file->text[0] == 'P';
    bool known = image && (file->text[1] == '2' || file->text[1] == '5');
    bool ok = known   ? read_pgm(&r, file->text[1] == '5')
              : image ? tn_source_fail(&source, "of images PNG and PGM (P2 or P5) are read: save as one of them")
              : tn_png_is(file->text, file->size) ? read_png(&r)
                                                  : read_text(&r);
    tn_source_close(&source);
    if (!ok && error) {
        *error = found;
    }
    return ok ? TN_OK : found.status;
}

tn_status tn_raster_read(const char *path, tn_arena *arena, tn_raster *out, tn_error *error)
{
    tn_mesh_file file;
    tn_status status = tn_mesh_file_load(path, &file, error);
    status = status ? status : tn_raster_parse(&file, arena, out, error);
    tn_mesh_file_unload(&file);
    return status;
}
