// A recording as one file for the browser: the page with the data in it, nothing else to load.
#include "view/pack.h"
#include "view/page_file.h"

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

static tn_status put_recording(FILE *out, void *context, tn_error *error)
{
    fputs("<script id=\"tenon-recording\" type=\"application/gzip;base64\">", out);
    base64 encoder = {.out = out};
    tn_status status = tn_view_pack(context, put, &encoder, error);
    if (encoder.n_held > 0) {
        put_group(&encoder);
    }
    fputs("</script>", out);
    return status;
}

tn_status tn_view_write_html(tn_view *view, const char *page, const char *path, size_t *size, tn_error *error)
{
    return tn_page_write(page, TN_VIEW_MARKER, put_recording, view, path, size, error);
}
