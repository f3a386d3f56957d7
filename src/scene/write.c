// A scene's text into a file: YAML whose paths lead from that file's folder.
#include "base/draft.h"
#include "base/printable.h"
#include "scene/rebase.h"
#include "scene/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CAP = 4096 };

const char *tn_scene_remark(const tn_scene *scene, int i, char *text, size_t size)
{
    const tn_remark *remark = scene ? scene->remarks : NULL;
    for (; remark && i > 0; i--) {
        remark = remark->next;
    }
    if (!remark || i < 0) {
        return NULL;
    }
    snprintf(text, size, "%s:%d: %s", remark->place.file, remark->place.line, remark->text);
    return tn_text_printable(text);
}

// The folder of a file that may not be there yet, without links and dots, and with a slash at the end.
static bool folder_of(const char *path, char out[PATH_CAP])
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_CAP];
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".") >= PATH_CAP) {
        return false;
    }
    char *real = realpath(folder, NULL);
    bool whole = real && snprintf(out, PATH_CAP, "%s%s", real, strcmp(real, "/") == 0 ? "" : "/") < PATH_CAP;
    free(real);
    return whole;
}

// The way from one folder to a file called scene in another: "../" for each level that they do not share, then the
// rest.
static bool way_between(const char *from, const char *to, char out[PATH_CAP])
{
    size_t same = 0, n = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++) {
        same = from[i] == '/' ? i + 1 : same;
    }
    for (const char *p = from + same; *p && n + 4 < PATH_CAP; p++) {
        if (*p == '/') {
            memcpy(out + n, "../", 4);
            n += 3;
        }
    }
    return snprintf(out + n, PATH_CAP - n, "%sscene", to + same) < (int)(PATH_CAP - n);
}

// What was remarked stands in front, as comments.
static tn_status write_text(const tn_scene *scene, const char *path, const char *text, tn_error *error)
{
    static const char begin[] = "# Made by tenon";
    tn_draft draft = {0};
    char line[1024];
    tn_status status = tn_draft_check(path, "scene that tenon wrote", begin, error);
    status = status == TN_OK ? tn_draft_open(&draft, path, error) : status;
    if (status != TN_OK) {
        return status;
    }
    const char *slash = strrchr(scene->path, '/');
    snprintf(line, sizeof line, "%s", slash ? slash + 1 : scene->path);
    fprintf(draft.out, "%s from %s\n", begin, tn_text_printable(line));
    for (int i = 0; tn_scene_remark(scene, i, line, sizeof line); i++) {
        line[strcspn(line, "\n")] = 0;
        fprintf(draft.out, "# %s\n", line);
    }
    fputs(text, draft.out);
    return tn_draft_close(&draft, TN_OK, NULL, error);
}

tn_status tn_scene_write(const tn_scene *scene, const char *path, tn_error *error)
{
    char from[PATH_CAP], to[PATH_CAP], name[PATH_CAP];
    if (!scene || !path) {
        return tn_error_set(error, TN_BAD_INPUT, "writing needs a scene and a path");
    }
    if (!folder_of(path, to)) {
        return tn_error_set(error, TN_IO, "cannot write '%.200s': %s", path, strerror(errno));
    }
    if (!folder_of(scene->path, from) || !way_between(to, from, name)) {
        return tn_error_set(error, TN_IO, "cannot tell the way from '%.200s' to the files of the scene", path);
    }
    // As if a file beside the scene said all, included from the new place.
    tn_arena *arena = tn_arena_create(0);
    tn_error unused;
    const tn_node *root =
        arena ? tn_yaml_parse(scene->text, strlen(scene->text), name, arena, error ? error : &unused) : NULL;
    root = root ? tn_scene_rebase(arena, root, "scene") : NULL;
    const char *text = root ? tn_yaml_write(root, arena) : NULL;
    tn_status status = text ? write_text(scene, path, text, error)
                            : tn_error_set(error, TN_NO_MEMORY, "no memory for the text of the scene");
    tn_arena_destroy(arena);
    return status;
}
