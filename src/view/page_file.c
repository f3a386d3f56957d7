#include "view/page_file.h"

#include "base/draft.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

// Nothing there, an empty file or a page. Anything else, a recording say, would be a mistyped name.
static bool may_overwrite(const char *path)
{
    static const char doctype[] = "<!doctype html";
    char begin[sizeof doctype] = "";
    FILE *old = fopen(path, "rb");
    size_t n = old ? fread(begin, 1, sizeof doctype - 1, old) : 0;
    if (old) {
        fclose(old);
    }
    return n == 0 || strncasecmp(begin, doctype, sizeof doctype - 1) == 0;
}

static tn_status fill(FILE *out, const char *page, const char *marker, tn_page_put put, void *context, tn_error *error)
{
    const char *place = strstr(page, marker);
    if (!place) {
        return tn_error_set(error, TN_BAD_INPUT, "the page has no place for its data");
    }
    fwrite(page, 1, (size_t)(place - page), out);
    tn_status status = put(out, context, error);
    fputs(place + strlen(marker), out);
    return status;
}

// The draft of a page, unless something else would be overwritten.
static tn_status open_draft(tn_draft *draft, const char *path, tn_error *error)
{
    if (!may_overwrite(path)) {
        return tn_error_set(error, TN_IO,
                            "%s cannot be written: it exists and is no HTML page; remove it or choose another name",
                            path);
    }
    return tn_draft_open(draft, path, error);
}

tn_status tn_page_check(const char *path, tn_error *error)
{
    tn_draft draft;
    tn_status status = open_draft(&draft, path, error);
    if (status == TN_OK) {
        tn_draft_drop(&draft);
    }
    return status;
}

tn_status tn_page_write(const char *page, const char *marker, tn_page_put put, void *context, const char *path,
                        size_t *size, tn_error *error)
{
    tn_draft draft = {NULL};
    tn_status status = open_draft(&draft, path, error);
    return status == TN_OK ? tn_draft_close(&draft, fill(draft.out, page, marker, put, context, error), size, error)
                           : status;
}
