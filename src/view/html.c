#include "base/memory.h"
#include "view/pack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Base64 on a stream, three bytes at a time.
typedef struct base64 {
    FILE *out;
    unsigned char held[3];
    int n_held;
} base64;

static void put_group(base64 *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned word = (unsigned)b->held[0] << 16 | (unsigned)b->held[1] << 8 | b->held[2];
    char text[4];
    for (int k = 0; k < 4; k++) {
        text[k] = k <= b->n_held ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    fwrite(text, 1, 4, b->out);
    memset(b->held, 0, 3);
    b->n_held = 0;
}

static bool put(void *context, const unsigned char *bytes, size_t n)
{
    base64 *b = context;
    for (size_t k = 0; k < n; k++) {
        b->held[b->n_held++] = bytes[k];
        if (b->n_held == 3) {
            put_group(b);
        }
    }
    return !ferror(b->out);
}

static tn_status write_page(tn_view *view, const char *page, FILE *out, tn_error *error)
{
    const char *marker = strstr(page, TN_VIEW_MARKER);
    if (!marker) {
        return tn_error_set(error, TN_BAD_INPUT, "the viewer's page has no place for a recording");
    }
    fwrite(page, 1, (size_t)(marker - page), out);
    fputs("<script id=\"tenon-recording\" type=\"application/gzip;base64\">", out);
    base64 encoder = {.out = out};
    tn_status status = tn_view_pack(view, put, &encoder, error);
    if (encoder.n_held > 0) {
        put_group(&encoder);
    }
    fputs("</script>", out);
    fputs(marker + strlen(TN_VIEW_MARKER), out);
    return status;
}

static tn_status cannot_write(tn_error *error, const char *path, int reason)
{
    return tn_error_set(error, TN_IO, "%s cannot be written: %s", path, strerror(reason));
}

// Beside its place first, so that a full disk leaves no half a file and an older one whole.
tn_status tn_view_write_html(tn_view *view, const char *page, const char *path, size_t *size, tn_error *error)
{
    size_t length = strlen(path) + 6;
    char *draft = tn_calloc(length, 1);
    if (!draft) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to write %s", path);
    }
    snprintf(draft, length, "%s.part", path);
    FILE *out = fopen(draft, "wb");
    tn_status status = out ? write_page(view, page, out, error) : cannot_write(error, path, errno);
    if (out) {
        long end = ftell(out);
        bool failed = ferror(out) != 0;
        failed = fclose(out) != 0 || failed;
        if (size) {
            *size = end > 0 ? (size_t)end : 0;
        }
        if (status == TN_OK && (failed || rename(draft, path) != 0)) {
            status = cannot_write(error, path, errno);
        }
        if (status != TN_OK) {
            remove(draft);
        }
    }
    tn_free(draft);
    return status;
}
