#include "base/draft.h"

#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static tn_status cannot_write(tn_error *error, const char *path, int reason)
{
    return tn_error_set(error, TN_IO, "%s cannot be written: %s", path, strerror(reason));
}

tn_status tn_draft_open(tn_draft *draft, const char *place, tn_error *error)
{
    size_t length = strlen(place) + 6;
    *draft = (tn_draft){.place = place, .path = tn_calloc(length, 1)};
    if (!draft->path) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to write %s", place);
    }
    snprintf(draft->path, length, "%s.part", place);
    draft->out = fopen(draft->path, "wb");
    if (!draft->out) {
        tn_status status = cannot_write(error, place, errno);
        tn_free(draft->path);
        return status;
    }
    return TN_OK;
}

tn_status tn_draft_close(tn_draft *draft, tn_status status, size_t *size, tn_error *error)
{
    long end = ftell(draft->out);
    bool failed = ferror(draft->out) != 0;
    failed = fclose(draft->out) != 0 || failed;
    if (size) {
        *size = end > 0 ? (size_t)end : 0;
    }
    if (status == TN_OK && (failed || rename(draft->path, draft->place) != 0)) {
        status = cannot_write(error, draft->place, errno);
    }
    if (status != TN_OK) {
        remove(draft->path);
    }
    tn_free(draft->path);
    return status;
}

void tn_draft_drop(tn_draft *draft)
{
    fclose(draft->out);
    remove(draft->path);
    tn_free(draft->path);
}
