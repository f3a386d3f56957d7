#include "base/draft.h"

#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BEGIN_MAX = 32 };

static tn_status cannot_write(tn_error *error, const char *path, int reason)
{
    return tn_error_set(error, TN_IO, "%s cannot be written: %s", path, strerror(reason));
}

// Devices, pipes and links must not be replaced by a file.
static bool is_replaceable(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
}

// An empty file begins with anything.
static bool begins_with(const char *path, const char *begin)
{
    char found[BEGIN_MAX];
    size_t wanted = strlen(begin) < BEGIN_MAX ? strlen(begin) : BEGIN_MAX;
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(found, 1, wanted, file) : 0;
    if (file) {
        fclose(file);
    }
    return n == 0 || (n == wanted && strncasecmp(found, begin, wanted) == 0);
}

tn_status tn_draft_refuse(const char *place, const char *kind, tn_error *error)
{
    return tn_error_set(error, TN_IO, "%s cannot be written: it exists and is no %s; remove it or choose another name",
                        place, kind);
}

tn_status tn_draft_check(const char *place, const char *kind, const char *begin, tn_error *error)
{
    struct stat info;
    bool there = stat(place, &info) == 0;
    if (there && S_ISDIR(info.st_mode)) {
        return cannot_write(error, place, EISDIR);
    }
    if (there && !S_ISREG(info.st_mode)) {
        return TN_OK;
    }
    if (!begins_with(place, begin)) {
        return tn_draft_refuse(place, kind, error);
    }
    if (there && access(place, W_OK) != 0) { // a rename would not ask
        return cannot_write(error, place, errno);
    }
    tn_draft draft;
    if (!is_replaceable(place)) {
        return TN_OK;
    }
    tn_status status = tn_draft_open(&draft, place, error);
    if (status == TN_OK) {
        tn_draft_drop(&draft);
    }
    return status;
}

tn_status tn_draft_open(tn_draft *draft, const char *place, tn_error *error)
{
    size_t length = strlen(place) + 6;
    *draft = (tn_draft){.place = place};
    if (is_replaceable(place)) {
        draft->path = tn_calloc(length, 1);
        if (!draft->path) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory to write %s", place);
        }
        snprintf(draft->path, length, "%s.part", place);
    }
    draft->out = fopen(draft->path ? draft->path : place, "wb");
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
    errno = failed ? ENOSPC : errno; // what fwrite met is forgotten by now; nearly always this
    failed = fclose(draft->out) != 0 || failed;
    if (size) {
        *size = end > 0 ? (size_t)end : 0;
    }
    if (failed || (status == TN_OK && draft->path && rename(draft->path, draft->place) != 0)) {
        status = cannot_write(error, draft->place, errno);
    }
    if (status != TN_OK && draft->path) {
        remove(draft->path);
    }
    tn_free(draft->path);
    return status;
}

void tn_draft_drop(tn_draft *draft)
{
    fclose(draft->out);
    if (draft->path) {
        remove(draft->path);
    }
    tn_free(draft->path);
}
