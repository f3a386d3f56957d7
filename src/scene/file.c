#include "scene/file.h"

#include "scene/build.h"
#include "scene/names.h"
#include "scene/override.h"
#include "scene/robot/robot.h"
#include "scene/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INCLUDES_MAX = 100, PATH_CAP = 4096 };

// Files open or read so far, by their identity on disk.
typedef struct file_id {
    dev_t device;
    ino_t inode;
    bool open; // being read: an include of it is a cycle
} file_id;

typedef struct includer {
    tn_reader *reader;
    int n;
    file_id files[INCLUDES_MAX];
} includer;

static char *file_error(tn_reader *reader, const char *path, const tn_place *place, const char *why)
{
    if (place) {
        tn_read_error(reader, *place, "cannot read '%.200s': %s", path, why);
    } else {
        tn_error_set(reader->error, TN_IO, "cannot read '%.200s': %s", path, why);
    }
    return NULL;
}

static char *read_all(tn_reader *reader, int fd, size_t size, size_t *length)
{
    char *text = tn_arena_push(reader->scratch, size + 1, 1);
    if (!text) {
        tn_read_no_memory(reader);
        return NULL;
    }
    *length = 0;
    while (*length < size) {
        ssize_t got = read(fd, text + *length, size - *length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break; // shorter than it was: what is there is the file
        }
        *length += (size_t)got;
    }
    return text;
}

char *tn_scene_file(tn_reader *reader, const char *path, const tn_place *place, size_t *length)
{
    // O_NONBLOCK: opening a pipe must not wait for its writer.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return file_error(reader, path, place, strerror(errno));
    }
    struct stat status;
    char *text = NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        file_error(reader, path, place, "not a regular file");
    } else if (status.st_size > TN_SCENE_BYTES_MAX) {
        file_error(reader, path, place, "larger than 64 MiB");
    } else {
        text = read_all(reader, fd, (size_t)status.st_size, length);
    }
    close(fd);
    return text;
}

// path relative to the folder of the file that says it.
static bool join_path(const char *from, const char *path, char *out, size_t size)
{
    const char *slash = strrchr(from, '/');
    int folder = path[0] == '/' || !slash ? 0 : (int)(slash - from) + 1;
    return snprintf(out, size, "%.*s%s", folder, from, path) < (int)size;
}

static void add_children(tn_node *into, const tn_node *from)
{
    for (int i = 0; i < from->n; i++) {
        tn_node_append(into, NULL, from->item[i]);
    }
}

static const tn_section *named_section(const tn_section *section, const char *key)
{
    const tn_key *k = section ? tn_section_key(section, key) : NULL;
    return k && (k->type == TN_KEY_NAMED || k->type == TN_KEY_GROUP || k->type == TN_KEY_DEFAULTS) ? k->section : NULL;
}

static bool is_named(const tn_section *section, const char *key)
{
    const tn_key *k = section ? tn_section_key(section, key) : NULL;
    return k && k->type == TN_KEY_NAMED;
}

static bool is_list(const tn_section *section, const char *key)
{
    const tn_key *k = section ? tn_section_key(section, key) : NULL;
    return k && k->type == TN_KEY_LIST;
}

static bool index_keys(tn_reader *reader, const tn_node *map, tn_names *index)
{
    const char **names = TN_PUSH(reader->scratch, const char *, map->n);
    for (int i = 0; names && i < map->n; i++) {
        names[i] = map->key[i]->text;
    }
    return names && tn_names_create(index, map->n, names, reader->scratch);
}

// weak's keys under strong's: maps of names must not share one, groups merge, lists are joined, else strong counts.
// section: what the maps are, NULL for a map of names (names: true).
static tn_node *merge(tn_reader *reader, const tn_section *section, bool names, tn_node *strong, tn_node *weak)
{
    tn_node *out = tn_node_copy(reader->scratch, strong, weak->n);
    tn_names index;
    if (!out || !index_keys(reader, strong, &index)) {
        tn_read_no_memory(reader);
        return NULL;
    }
    for (int i = 0; i < weak->n; i++) {
        const char *key = weak->key[i]->text;
        int at = tn_names_find(&index, key);
        if (at < 0) {
            tn_node_append(out, weak->key[i], weak->item[i]);
            continue;
        }
        if (names) {
            tn_read_error(reader, strong->key[at]->place, "'%.100s' is also defined in %.200s:%d", key,
                          weak->key[i]->place.file, weak->key[i]->place.line);
            return NULL;
        }
        tn_node *a = strong->item[at];
        tn_node *b = weak->item[i];
        if (a->kind == TN_NODE_MAP && b->kind == TN_NODE_MAP && named_section(section, key)) {
            out->item[at] = merge(reader, named_section(section, key), is_named(section, key), a, b);
        } else if (a->kind == TN_NODE_LIST && b->kind == TN_NODE_LIST && is_list(section, key)) {
            out->item[at] = tn_node_collection(reader->scratch, TN_NODE_LIST, a->place, a->n + b->n);
            if (!out->item[at]) {
                tn_read_no_memory(reader);
            } else {
                add_children(out->item[at], b);
                add_children(out->item[at], a);
            }
        }
        if (!out->item[at]) {
            return NULL;
        }
    }
    return out;
}

static tn_node *expand(includer *in, tn_node *root);

static tn_node *parse(tn_reader *reader, const char *text, size_t length, const char *file)
{
    const tn_robot_options plain = tn_robot_default();
    return tn_robot_is_xml(text, length) ? tn_robot_tree(reader, text, length, file, &plain)
                                         : tn_yaml_parse(text, length, file, reader->scratch, reader->error);
}

static tn_node *load(includer *in, const tn_node *name)
{
    tn_reader *reader = in->reader;
    char path[PATH_CAP];
    if (!join_path(name->place.file, name->text, path, sizeof path)) {
        tn_read_error(reader, name->place, "path too long");
        return NULL;
    }
    size_t length = 0;
    char *text = tn_scene_file(reader, path, &name->place, &length);
    struct stat status;
    if (!text || stat(path, &status) != 0) {
        return text ? (tn_node *)(void *)file_error(reader, path, &name->place, strerror(errno)) : NULL;
    }
    for (int i = 0; i < in->n; i++) {
        if (in->files[i].device == status.st_dev && in->files[i].inode == status.st_ino) {
            if (in->files[i].open) {
                tn_read_error(reader, name->place, "'%.200s' includes itself", path);
                return NULL;
            }
            return tn_node_collection(reader->scratch, TN_NODE_MAP, name->place, 0); // read once is enough
        }
    }
    char *file = tn_arena_push(reader->storage, strlen(path) + 1, 1);
    if (in->n == INCLUDES_MAX || !file) {
        tn_read_error(reader, name->place, "more than %d files included", INCLUDES_MAX);
        return NULL;
    }
    memcpy(file, path, strlen(path) + 1);
    int index = in->n++;
    in->files[index] = (file_id){status.st_dev, status.st_ino, true};
    tn_node *root = parse(reader, text, length, file);
    root = root ? expand(in, root) : NULL;
    in->files[index].open = false;
    return root;
}

// root without one of its keys, with room for more. NULL with the error set.
static tn_node *without(tn_reader *reader, const tn_node *root, int at)
{
    tn_node *own = tn_node_collection(reader->scratch, TN_NODE_MAP, root->place, root->n);
    for (int i = 0; own && i < root->n; i++) {
        if (i != at) {
            tn_node_append(own, root->key[i], root->item[i]);
        }
    }
    if (!own) {
        tn_read_no_memory(reader);
    }
    return own;
}

// root with its includes merged in.
static tn_node *expand(includer *in, tn_node *root)
{
    if (root->kind != TN_NODE_MAP) {
        tn_read_type_error(in->reader, root, "scene", "a map of keys");
        return NULL;
    }
    int at = tn_node_index(root, "include");
    if (at < 0) {
        return root;
    }
    const tn_node *list = root->item[at];
    tn_node *own = without(in->reader, root, at);
    bool several = list->kind == TN_NODE_LIST;
    int n = several ? list->n : 1;
    // Backwards: what is merged first is stronger, and later files go before earlier ones.
    for (int i = n - 1; own && i >= 0; i--) {
        const tn_node *name = several ? list->item[i] : list;
        if (name->kind != TN_NODE_SCALAR || !name->text[0]) {
            tn_read_type_error(in->reader, name, "include", "a file name or a list of file names");
            return NULL;
        }
        tn_node *part = load(in, name);
        own = part ? merge(in->reader, &tn_section_scene, false, own, part) : NULL;
        if (!own) {
            return NULL;
        }
    }
    return own;
}

// What becomes of a robot's file, with the changes of `set`.
static tn_node *change_robot(tn_reader *reader, tn_node *robot, const tn_node *set)
{
    int n = !set ? 0 : set->kind == TN_NODE_LIST ? set->n : 1;
    for (int i = 0; robot && i < n; i++) {
        const tn_node *text = set->kind == TN_NODE_LIST ? set->item[i] : set;
        robot = tn_override_apply(reader, robot, text->text, text->place);
    }
    return robot;
}

static tn_node *load_robot(tn_reader *reader, const tn_node *node)
{
    char path[PATH_CAP];
    size_t length = 0;
    tn_raw_robot raw = {0};
    if (!tn_section_read(reader, &tn_section_robot, node, &raw)) {
        return NULL;
    }
    tn_build build = {.reader = *reader};
    tn_place place = tn_node_place_of(node, "file");
    tn_robot_options options = {.prefix = raw.prefix ? raw.prefix : "", .keyframe = raw.keyframe, .fixed = raw.fixed};
    memcpy(options.pose.position, raw.position, sizeof raw.position);
    if (!tn_build_rotation(&build, raw.rotation, tn_node_place_of(node, "rotation"), options.pose.quaternion)) {
        return NULL;
    }
    if (!join_path(place.file, raw.file, path, sizeof path)) {
        tn_read_error(reader, place, "path too long");
        return NULL;
    }
    char *text = tn_scene_file(reader, path, &place, &length);
    char *file = text ? tn_arena_push(reader->storage, strlen(path) + 1, 1) : NULL;
    if (!file) {
        return text ? (tn_node *)(void *)file_error(reader, path, &place, "no memory") : NULL;
    }
    memcpy(file, path, strlen(path) + 1);
    if (!tn_robot_is_xml(text, length)) {
        tn_read_error(reader, place, "'%.200s' is no URDF or MJCF file; 'include' adds scenes", path);
        return NULL;
    }
    return change_robot(reader, tn_robot_tree(reader, text, length, file, &options), raw.set);
}

tn_node *tn_scene_robots(tn_reader *reader, tn_node *root)
{
    int at = tn_node_index(root, "robots");
    if (at < 0) {
        return root;
    }
    const tn_node *list = root->item[at], *coordinates = tn_node_find(root, "coordinates");
    if (!reader->coordinates && coordinates && coordinates->kind == TN_NODE_SCALAR) {
        reader->coordinates = coordinates->text;
    }
    if (list->kind != TN_NODE_LIST) {
        tn_read_type_error(reader, list, "robots", "a list");
        return NULL;
    }
    tn_node *own = without(reader, root, at);
    for (int i = 0; own && i < list->n; i++) {
        int said = tn_node_index(own, "gravity");
        reader->gravity = said >= 0 ? own->item[said] : NULL;
        tn_node *robot = load_robot(reader, list->item[i]);
        own = robot ? merge(reader, &tn_section_scene, false, own, robot) : NULL;
        if (robot && !own && reader->error->status == TN_BAD_INPUT) {
            const tn_error taken = *reader->error;
            tn_read_error(reader, list->item[i]->place, "%.400s: a 'prefix' keeps names apart", taken.message);
        }
    }
    return own;
}

tn_node *tn_scene_tree(tn_reader *reader, const char *text, size_t length, const char *name, int *n_files)
{
    includer in = {.reader = reader};
    struct stat status;
    if (stat(name, &status) == 0) { // so that an include of the file itself is found
        in.files[in.n++] = (file_id){status.st_dev, status.st_ino, true};
    }
    int own = in.n;
    tn_node *root = parse(reader, text, length, name);
    root = root ? expand(&in, root) : NULL;
    *n_files = in.n - own + tn_robot_is_xml(text, length) + (root && tn_node_index(root, "robots") >= 0);
    return root ? tn_scene_robots(reader, root) : NULL;
}

tn_node *tn_scene_merge(tn_reader *reader, tn_node *strong, tn_node *weak)
{
    return merge(reader, &tn_section_scene, false, strong, weak);
}
