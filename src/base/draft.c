#include "base/draft.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BEGIN_MAX = 32, SUFFIX_MAX = 32 };
#define OPEN_FILES "/proc/self/fd"

static tn_status cannot_write(tn_error *error, const char *path, int reason)
{
    return tn_error_set(error, TN_IO, "%s cannot be written: %s", path, strerror(reason));
}

// Devices, pipes and links to nowhere must not be replaced by a file.
static bool is_replaceable(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) : lstat(path, &info) != 0;
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

// target and path. False: no memory.
static bool name_target(tn_draft *draft)
{
    size_t room = PATH_MAX + strlen(draft->place) + 1; // place itself may be longer than any path
    draft->target = tn_calloc(room, 1);
    draft->path = tn_calloc(room + SUFFIX_MAX, 1);
    if (!draft->target || !draft->path) {
        return false;
    }
    if (!realpath(draft->place, draft->target)) { // no file yet
        strcpy(draft->target, draft->place);
    }
    snprintf(draft->path, room + SUFFIX_MAX, "%s.%ld.part", draft->target, (long)getpid());
    return true;
}

// A file without a name in the folder of target, or -1: the file system has none, or nothing could name it later.
static int open_nameless(const tn_draft *draft)
{
    const char *slash = strrchr(draft->target, '/');
    char folder[PATH_MAX] = ".";
    if (access(OPEN_FILES, X_OK) != 0 || (slash && slash - draft->target >= PATH_MAX - 1)) {
        return -1;
    }
    if (slash) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - draft->target) + 1, draft->target);
    }
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

static void close_names(tn_draft *draft)
{
    tn_free(draft->target);
    tn_free(draft->path);
    draft->target = draft->path = NULL;
}

tn_status tn_draft_open(tn_draft *draft, const char *place, tn_error *error)
{
    *draft = (tn_draft){.place = place};
    if (is_replaceable(place) && !name_target(draft)) {
        close_names(draft);
        return tn_error_set(error, TN_NO_MEMORY, "no memory to write %s", place);
    }
    int file = draft->target ? open_nameless(draft) : -1;
    draft->named = draft->target && file < 0;
    draft->out = file >= 0 ? fdopen(file, "w+b") : draft->named ? fopen(draft->path, "w+b") : fopen(place, "wb");
    if (!draft->out) {
        tn_status status = cannot_write(error, place, errno);
        if (file >= 0) {
            close(file);
        }
        close_names(draft);
        return status;
    }
    return TN_OK;
}

// Gives the draft its name; one of that name is left over from a killed program.
static bool name_draft(tn_draft *draft)
{
    char file[64];
    snprintf(file, sizeof file, OPEN_FILES "/%d", fileno(draft->out));
    draft->named = linkat(AT_FDCWD, file, AT_FDCWD, draft->path, AT_SYMLINK_FOLLOW) == 0 ||
                   (errno == EEXIST && remove(draft->path) == 0 &&
                    linkat(AT_FDCWD, file, AT_FDCWD, draft->path, AT_SYMLINK_FOLLOW) == 0);
    return draft->named;
}

tn_status tn_draft_close(tn_draft *draft, tn_status status, size_t *size, tn_error *error)
{
    long end = ftell(draft->out);
    bool failed = ferror(draft->out) != 0;
    errno = failed ? ENOSPC : errno; // what fwrite met is forgotten by now; nearly always this
    failed = fflush(draft->out) != 0 || failed;
    bool wanted = status == TN_OK && !failed && draft->target;
    failed = (wanted && !draft->named && !name_draft(draft)) || failed;
    failed = fclose(draft->out) != 0 || failed;
    if (size) {
        *size = end > 0 ? (size_t)end : 0;
    }
    if (failed || (wanted && rename(draft->path, draft->target) != 0)) {
        status = cannot_write(error, draft->place, errno);
    }
    if (status != TN_OK && draft->named) {
        remove(draft->path);
    }
    close_names(draft);
    return status;
}

void tn_draft_drop(tn_draft *draft)
{
    fclose(draft->out);
    if (draft->named) {
        remove(draft->path);
    }
    close_names(draft);
}
