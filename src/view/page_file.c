#include "view/page_file.h"

#include "base/draft.h"

#include <string.h>

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

tn_status tn_page_check(const char *path, tn_error *error)
{
    return tn_draft_check(path, "HTML page", "<!doctype html", error);
}

tn_status tn_page_write(const char *page, const char *marker, tn_page_put put, void *context, const char *path,
                        size_t *size, tn_error *error)
{
    tn_draft draft = {0};
    tn_status status = tn_page_check(path, error);
    status = status == TN_OK ? tn_draft_open(&draft, path, error) : status;
    return status == TN_OK ? tn_draft_close(&draft, fill(draft.out, page, marker, put, context, error), size, error)
                           : status;
}
