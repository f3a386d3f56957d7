#include "scene/rebase.h"

#include <string.h>

// Bytes of the folder in front of the file's name, with the slash.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static const char *saying_file(const tn_node *file, const char *scene)
{
    return strcmp(file->place.file, "--set") == 0 ? scene : file->place.file;
}

static tn_node *join(tn_arena *arena, const tn_node *file, const char *folder, size_t length)
{
    tn_node *joined = tn_node_reserve(arena, file->place, length + strlen(file->text));
    if (joined) {
        char *text = (char *)joined->text; // just made
        memcpy(text, folder, length);
        memcpy(text + length, file->text, strlen(file->text));
        joined->quoted = true; // a folder's name may need it
    }
    return joined;
}

const char *tn_scene_path_beside(tn_arena *arena, const tn_node *file, const char *scene)
{
    const char *from = saying_file(file, scene);
    const tn_node *joined = join(arena, file, from, file->text[0] == '/' ? 0 : folder_length(from));
    return joined ? joined->text : NULL;
}

// Each of these gives the node itself when nothing changes, NULL without memory.
typedef tn_node *rebase(tn_arena *arena, tn_node *node, const char *scene);

static tn_node *rebase_child(tn_arena *arena, tn_node *map, int index, const char *scene, rebase *change)
{
    tn_node *item = change(arena, map->item[index], scene);
    if (!item || item == map->item[index]) {
        return item ? map : NULL;
    }
    tn_node *copy = tn_node_copy(arena, map, 0);
    if (copy) {
        copy->item[index] = item;
    }
    return copy;
}

static tn_node *rebase_key(tn_arena *arena, tn_node *map, const char *key, const char *scene, rebase *change)
{
    int index = map->kind == TN_NODE_MAP ? tn_node_index(map, key) : -1;
    return index < 0 ? map : rebase_child(arena, map, index, scene, change);
}

// Included files' paths begin with the main file's folder, because they were joined to it, or are absolute.
static tn_node *rebase_file(tn_arena *arena, tn_node *file, const char *scene)
{
    const char *from = file->kind == TN_NODE_SCALAR ? saying_file(file, scene) : scene;
    size_t length = folder_length(from);
    size_t skip = folder_length(scene);
    bool same = length == skip && strncmp(from, scene, skip) == 0;
    if (same || file->text[0] == '/') {
        return file;
    }
    skip = length >= skip && strncmp(from, scene, skip) == 0 ? skip : 0;
    return join(arena, file, from + skip, length - skip);
}

// A map with the key `file`, or that file's name alone.
static tn_node *rebase_mesh(tn_arena *arena, tn_node *mesh, const char *scene)
{
    return mesh->kind == TN_NODE_SCALAR ? rebase_file(arena, mesh, scene)
                                        : rebase_key(arena, mesh, "file", scene, rebase_file);
}

static tn_node *rebase_soft(tn_arena *arena, tn_node *soft, const char *scene)
{
    return rebase_key(arena, soft, "mesh", scene, rebase_mesh);
}

static tn_node *rebase_shape(tn_arena *arena, tn_node *shape, const char *scene)
{
    static const char *const keys[] = {"hull", "hulls", "mesh", "heights"};
    for (size_t i = 0; shape && i < sizeof keys / sizeof *keys; i++) {
        shape = rebase_key(arena, shape, keys[i], scene, rebase_mesh);
    }
    return shape;
}

// Every item of a map or list.
static tn_node *rebase_all(tn_arena *arena, tn_node *node, const char *scene, rebase *change)
{
    for (int i = 0; node && node->kind != TN_NODE_SCALAR && i < node->n; i++) {
        node = rebase_child(arena, node, i, scene, change);
    }
    return node;
}

static tn_node *rebase_shapes(tn_arena *arena, tn_node *shapes, const char *scene)
{
    return rebase_all(arena, shapes, scene, rebase_shape);
}

static tn_node *rebase_body(tn_arena *arena, tn_node *body, const char *scene)
{
    body = rebase_key(arena, body, "shape", scene, rebase_shape);
    body = body ? rebase_key(arena, body, "visual", scene, rebase_shapes) : NULL;
    return body ? rebase_key(arena, body, "shapes", scene, rebase_shapes) : NULL;
}

static tn_node *rebase_bodies(tn_arena *arena, tn_node *bodies, const char *scene)
{
    return rebase_all(arena, bodies, scene, rebase_body);
}

static tn_node *rebase_softs(tn_arena *arena, tn_node *softs, const char *scene)
{
    return rebase_all(arena, softs, scene, rebase_soft);
}

static tn_node *rebase_defaults(tn_arena *arena, tn_node *defaults, const char *scene)
{
    defaults = rebase_key(arena, defaults, "soft", scene, rebase_soft);
    defaults = defaults ? rebase_key(arena, defaults, "body", scene, rebase_body) : NULL;
    return defaults ? rebase_key(arena, defaults, "shape", scene, rebase_shape) : NULL;
}

const tn_node *tn_scene_rebase(tn_arena *arena, const tn_node *root, const char *scene)
{
    tn_node *node = rebase_key(arena, (tn_node *)root, "soft", scene, rebase_softs); // root itself is only read
    node = node ? rebase_key(arena, node, "bodies", scene, rebase_bodies) : NULL;
    return node ? rebase_key(arena, node, "defaults", scene, rebase_defaults) : NULL;
}
