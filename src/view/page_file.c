#include "view/page_file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static tn_status cannot_write(tn_error *error, const char *path, const char *reason)
{
    return tn_error_set(error, TN_IO, "%s cannot be written: %s", path, reason);
}

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

// A draft's path, allocated; NULL: no memory.
static char *draft_of(const char *path, tn_error *error)
{
    size_t length = strlen(path) + 6;
    char *draft = tn_calloc(length, 1);
    if (!draft) {
        tn_error_set(error, TN_NO_MEMORY, "no memory to write %s", path);
        return NULL;
    }
    snprintf(draft, length, "%s.part", path);
    return draft;
}

static FILE *open_draft(const char *path, const char *draft, tn_error *error)
{
    if (!may_overwrite(path)) {
        cannot_write(error, path, "it exists and is no HTML page; remove it or choose another name");
        return NULL;
    }
    FILE *out = fopen(draft, "wb");
    if (!out) {
        cannot_write(error, path, strerror(errno));
    }
    return out;
}

tn_status tn_page_check(const char *path, tn_error *error)
{
    char *draft = draft_of(path, error);
    FILE *out = draft ? open_draft(path, draft, error) : NULL;
    if (out) {
        fclose(out);
        remove(draft);
    }
    tn_free(draft);
    return out ? TN_OK : TN_IO;
}

// Closes the draft and gives it its name, or removes it.
static tn_status finish(FILE *out, const char *draft, const char *path, tn_status status, tn_error *error)
{
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    if (status == TN_OK && (failed || rename(draft, path) != 0)) {
        status = cannot_write(error, path, strerror(errno));
    }
    if (status != TN_OK) {
        remove(draft);
    }
    return status;
}

tn_status tn_page_write(const char *page, const char *marker, tn_page_put put, void *context, const char *path,
                        size_t *size, tn_error *error)
{
    char *draft = draft_of(path, error);
    FILE *out = draft ? open_draft(path, draft, error) : NULL;
    tn_status status = draft ? TN_IO : TN_NO_MEMORY;
    if (out) {
        status = fill(out, page, marker, put, context, error);
        long end = ftell(out);
        if (size) {
            *size = end > 0 ? (size_t)end : 0;
        }
        status = finish(out, draft, path, status, error);
    }
    tn_free(draft);
    return status;
}
