// Reports: recordings or tables as JSON inside a page.
#include "tenon/report.h"
#include "base/plain.h"
#include "view/page.h"
#include "view/page_file.h"
#include "view/report_recording.h"

#include <stdlib.h>

typedef struct recordings {
    int n;
    const tn_recording *const *recording;
} recordings;

// JSON inside HTML: a "<" would begin a tag, and occurs in texts only, where \u003c is the same.
static void put_block(FILE *out, const char *json)
{
    fputs("<script id=\"tenon-report\" type=\"application/json\">", out);
    for (; *json; json++) {
        if (*json == '<') {
            fputs("\\u003c", out);
        } else {
            fputc(*json, out);
        }
    }
    fputs("</script>", out);
}

static tn_status put_recordings(tn_json *json, const recordings *r, tn_error *error)
{
    tn_json_open(json, NULL, '{');
    tn_json_text(json, "format", "tenon report");
    tn_json_integer(json, "version", 1);
    tn_json_open(json, "recordings", '[');
    tn_status status = TN_OK;
    for (int k = 0; status == TN_OK && k < r->n; k++) {
        status = tn_report_put_recording(json, r->recording[k], error);
    }
    tn_json_close(json, ']');
    tn_json_close(json, '}');
    return status;
}

static tn_status put_report(FILE *out, void *context, tn_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the report");
    }
    tn_json json = {.out = memory, .first = true};
    tn_status status = put_recordings(&json, context, error);
    bool whole = !ferror(memory);
    whole = fclose(memory) == 0 && whole && text;
    if (status == TN_OK && !whole) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for the report");
    }
    if (status == TN_OK) {
        put_block(out, text);
    }
    free(text);
    return status;
}

tn_status tn_report_write(int n, const tn_recording *const *recording, const char *path, size_t *size, tn_error *error)
{
    for (int k = 0; k < n || k == 0; k++) {
        if (n < 1 || !recording || !recording[k]) {
            return tn_error_set(error, TN_BAD_INPUT, "a report needs recordings");
        }
    }
    if (!path) {
        return tn_error_set(error, TN_BAD_INPUT, "a report needs a path");
    }
    recordings all = {n, recording};
    const tn_plain plain = tn_plain_begin();
    tn_status status = tn_page_write(tn_report_page, TN_REPORT_MARKER, put_report, &all, path, size, error);
    tn_plain_end(plain);
    return status;
}

static tn_status put_tables(FILE *out, void *context, tn_error *error)
{
    put_block(out, *(const char **)context);
    return TN_OK;
}

tn_status tn_report_write_tables(const char *tables, const char *path, size_t *size, tn_error *error)
{
    if (!tables || !path) {
        return tn_error_set(error, TN_BAD_INPUT, "a report needs tables and a path");
    }
    return tn_page_write(tn_report_page, TN_REPORT_MARKER, put_tables, &tables, path, size, error);
}
