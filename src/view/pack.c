#include "view/pack.h"

#include "base/memory.h"
#include "view/frames.h"

#include <math.h>
#include <string.h>
#define ZLIB_CONST // deflate does not write to next_in
#include <zlib.h>

enum { PERIOD_MAX = 12, PIECE = 1 << 16, BATCH_NUMBERS = 1 << 16, Q_MAX = 32767 };

// How a table is quantised; period 0: stored as it is.
typedef struct coding {
    int period;
    bool delta;
    double low[PERIOD_MAX], high[PERIOD_MAX]; // range of the numbers
    double scale[PERIOD_MAX];
    size_t at, bytes;
} coding;

typedef struct packer {
    tn_arena *arena; // this, too, lies there
    tn_view *view;
    coding coding[TN_VIEW_TABLES];
    z_stream stream;
    unsigned char out[PIECE];
    tn_pack_put put;
    void *context;
    float *rows; // of a batch
    int16_t *last, *now;
    unsigned char *bytes;
} packer;

static int period_of(tn_view_table table)
{
    switch (table) {
    case TN_VIEW_POSES:
    case TN_VIEW_AHEAD:
        return 7;
    case TN_VIEW_NODES:
    case TN_VIEW_JOINT_FORCES:
        return 3;
    case TN_VIEW_STRESS:
        return 1;
    case TN_VIEW_CONTACTS:
        return TN_VIEW_CONTACT_WIDTH;
    case TN_VIEW_PATCHES:
        return TN_VIEW_PATCH_WIDTH;
    default:
        return 0;
    }
}

static size_t number_size(tn_view_type type)
{
    return type == TN_VIEW_FLOAT64 ? 8 : 4;
}

static long batch_rows(const tn_view_info *info)
{
    long n = BATCH_NUMBERS / (info->width > 0 ? info->width : 1);
    return n > 0 ? n : 1;
}

// ---- ranges

static void take_range(coding *c, size_t n, const float *x)
{
    for (size_t k = 0; k < n; k++) {
        int p = (int)(k % (size_t)c->period);
        if (isfinite(x[k])) {
            c->low[p] = fmin(c->low[p], x[k]);
            c->high[p] = fmax(c->high[p], x[k]);
        }
    }
}

static void set_scales(tn_view_table table, coding *c)
{
    for (int p = 0; p < c->period; p++) {
        if (!(c->high[p] >= c->low[p])) {
            c->low[p] = c->high[p] = 0.0;
        }
        if (table == TN_VIEW_PATCHES) { // zero stays zero: no element
            c->high[p] = fmax(c->high[p], -c->low[p]);
            c->low[p] = -c->high[p];
        }
        bool number = table == TN_VIEW_CONTACTS && p < 2 && c->high[p] <= Q_MAX; // of a body: exact
        c->scale[p] = number ? 1.0 : (c->high[p] - c->low[p]) / (2.0 * Q_MAX);
        c->low[p] = number ? 0.0 : 0.5 * (c->low[p] + c->high[p]); // the offset from here on
    }
}

static tn_status find_ranges(packer *p, tn_view_table table, tn_error *error)
{
    tn_view_info info = tn_view_table_info(p->view, table);
    coding *c = &p->coding[table];
    c->period = period_of(table);
    c->delta = c->period > 0 && info.by_frame;
    c->bytes = (size_t)(info.width * info.rows) * (c->period > 0 ? 2 : number_size(info.type));
    c->bytes = (c->bytes + 7) / 8 * 8;
    for (int k = 0; k < c->period; k++) {
        c->low[k] = INFINITY;
        c->high[k] = -INFINITY;
    }
    long batch = batch_rows(&info);
    for (long first = 0; c->period > 0 && first < info.rows; first += batch) {
        long n = info.rows - first < batch ? info.rows - first : batch;
        tn_status status = tn_view_rows(p->view, table, first, n, p->rows, error);
        if (status != TN_OK) {
            return status;
        }
        take_range(c, (size_t)(n * info.width), p->rows);
    }
    set_scales(table, c);
    return TN_OK;
}

// ---- the stream

static tn_status deflate_bytes(packer *p, const void *bytes, size_t n, int flush, tn_error *error)
{
    p->stream.next_in = bytes;
    p->stream.avail_in = (uInt)n;
    int result;
    do {
        p->stream.next_out = p->out;
        p->stream.avail_out = PIECE;
        result = deflate(&p->stream, flush);
        if (result == Z_STREAM_ERROR || !p->put(p->context, p->out, PIECE - p->stream.avail_out)) {
            return tn_error_set(error, TN_IO, "the packed recording cannot be written");
        }
    } while (p->stream.avail_out == 0 || (flush == Z_FINISH && result != Z_STREAM_END));
    return TN_OK;
}

static int16_t quantise(const coding *c, int p, float x)
{
    if (!isfinite(x)) {
        return -Q_MAX - 1;
    }
    double q = c->scale[p] > 0.0 ? nearbyint((x - c->low[p]) / c->scale[p]) : 0.0;
    return (int16_t)fmax(-Q_MAX, fmin(Q_MAX, q));
}

static tn_status put_row(packer *p, const coding *c, size_t width, const float *row, tn_error *error)
{
    for (size_t k = 0; k < width; k++) {
        p->now[k] = quantise(c, (int)(k % (size_t)c->period), row[k]);
        int16_t change = (int16_t)(uint16_t)(p->now[k] - (c->delta ? p->last[k] : 0));
        uint16_t zigzag = (uint16_t)((uint16_t)change << 1) ^ (uint16_t)(change < 0 ? 0xffff : 0);
        p->bytes[k] = (unsigned char)(zigzag >> 8);
        p->bytes[width + k] = (unsigned char)(zigzag & 0xff);
        p->last[k] = p->now[k];
    }
    return deflate_bytes(p, p->bytes, 2 * width, Z_NO_FLUSH, error);
}

static tn_status put_table(packer *p, tn_view_table table, tn_error *error)
{
    static const unsigned char blanks[8] = {0};
    tn_view_info info = tn_view_table_info(p->view, table);
    const coding *c = &p->coding[table];
    long batch = batch_rows(&info);
    tn_status status = TN_OK;
    if (c->delta) {
        memset(p->last, 0, (size_t)info.width * sizeof *p->last);
    }
    for (long first = 0; first < info.rows && status == TN_OK; first += batch) {
        long n = info.rows - first < batch ? info.rows - first : batch;
        status = tn_view_rows(p->view, table, first, n, p->rows, error);
        if (c->period == 0 && status == TN_OK) {
            status = deflate_bytes(p, p->rows, (size_t)(n * info.width) * number_size(info.type), Z_NO_FLUSH, error);
        }
        for (long k = 0; c->period > 0 && k < n && status == TN_OK; k++) {
            status = put_row(p, c, (size_t)info.width, p->rows + k * info.width, error);
        }
    }
    size_t plain = (size_t)(info.width * info.rows) * (c->period > 0 ? 2 : number_size(info.type));
    return status == TN_OK ? deflate_bytes(p, blanks, c->bytes - plain, Z_NO_FLUSH, error) : status;
}

// ---- the header's member `packed`

static void list_tables(tn_json *json, const void *context)
{
    const packer *p = context;
    tn_json_open(json, "packed", '[');
    for (int t = 0; t < TN_VIEW_TABLES; t++) {
        const coding *c = &p->coding[t];
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", tn_view_table_info(p->view, (tn_view_table)t).name);
        tn_json_integer(json, "at", (long)c->at);
        if (c->period > 0) {
            tn_json_integer(json, "period", c->period);
            tn_json_bool(json, "delta", c->delta);
            tn_json_numbers(json, "offset", c->period, c->low);
            tn_json_numbers(json, "scale", c->period, c->scale);
        }
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static tn_status put_header(packer *p, tn_error *error)
{
    char *header = tn_view_header(p->view, list_tables, p, error);
    if (!header) {
        return TN_NO_MEMORY;
    }
    size_t n = strlen(header), padded = (n + 4 + 7) / 8 * 8 - 4;
    unsigned char length[4] = {(unsigned char)padded, (unsigned char)(padded >> 8), (unsigned char)(padded >> 16),
                               (unsigned char)(padded >> 24)};
    tn_status status = deflate_bytes(p, length, 4, Z_NO_FLUSH, error);
    status = status == TN_OK ? deflate_bytes(p, header, n, Z_NO_FLUSH, error) : status;
    status = status == TN_OK ? deflate_bytes(p, "        ", padded - n, Z_NO_FLUSH, error) : status;
    tn_free(header);
    return status;
}

static tn_status allocate(packer *p, tn_error *error)
{
    long width = 1, numbers = BATCH_NUMBERS;
    for (int t = 0; t < TN_VIEW_TABLES; t++) {
        tn_view_info info = tn_view_table_info(p->view, (tn_view_table)t);
        width = info.width > width ? info.width : width;
    }
    numbers = width > numbers ? width : numbers;
    p->rows = tn_arena_push(p->arena, (size_t)numbers, sizeof(double));
    p->last = TN_PUSH(p->arena, int16_t, width);
    p->now = TN_PUSH(p->arena, int16_t, width);
    p->bytes = TN_PUSH(p->arena, unsigned char, 2 * width);
    return p->rows && p->last && p->now && p->bytes
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory to pack the recording");
}

static tn_status pack(packer *p, tn_error *error)
{
    size_t at = 0;
    tn_status status = allocate(p, error);
    for (int t = 0; t < TN_VIEW_TABLES && status == TN_OK; t++) {
        status = find_ranges(p, (tn_view_table)t, error);
        p->coding[t].at = at;
        at += p->coding[t].bytes;
    }
    status = status == TN_OK ? put_header(p, error) : status;
    for (int t = 0; t < TN_VIEW_TABLES && status == TN_OK; t++) {
        status = put_table(p, (tn_view_table)t, error);
    }
    return status == TN_OK ? deflate_bytes(p, "", 0, Z_FINISH, error) : status;
}

tn_status tn_view_pack(tn_view *view, tn_pack_put put, void *context, tn_error *error)
{
    tn_arena *arena = tn_arena_create(0);
    packer *p = arena ? TN_PUSH(arena, packer, 1) : NULL;
    // 15 + 16: a window of 32 KB and a gzip header.
    if (!p || deflateInit2(&p->stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        tn_arena_destroy(arena);
        return tn_error_set(error, TN_NO_MEMORY, "no memory to pack the recording");
    }
    p->arena = arena;
    p->view = view;
    p->put = put;
    p->context = context;
    tn_status status = pack(p, error);
    deflateEnd(&p->stream);
    tn_arena_destroy(arena);
    return status;
}
