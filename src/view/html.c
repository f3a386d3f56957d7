// A recording as one file for the browser: the page with the data in it, nothing else to load.
#include "base/base64.h"
#include "view/pack.h"
#include "view/page_file.h"

#include <stdio.h>

static bool put(void *context, const unsigned char *bytes, size_t n)
{
    tn_base64 *b = context;
    tn_base64_put(b, bytes, n);
    return !ferror(b->out);
}

static tn_status put_recording(FILE *out, void *context, tn_error *error)
{
    fputs("<script id=\"tenon-recording\" type=\"application/gzip;base64\">", out);
    tn_base64 encoder = {.out = out};
    tn_status status = tn_view_pack(context, put, &encoder, error);
    tn_base64_end(&encoder);
    fputs("</script>", out);
    return status;
}

tn_status tn_view_write_html(tn_view *view, const char *page, const char *path, size_t *size, tn_error *error)
{
    return tn_page_write(page, TN_VIEW_MARKER, put_recording, view, path, size, error);
}
