// A scene made in code: a tree of the same nodes as a file gives, each part with a place of its own in errors.
#include "scene/builder.h"
#include "base/memory.h"
#include "base/plain.h"
#include "scene/build.h"
#include "scene/file.h"
#include "scene/override.h"
#include "scene/yaml.h"

#include <stdio.h>
#include <string.h>

struct tn_builder {
    tn_arena *arena;
    tn_node *root;
};

tn_builder *tn_builder_create(tn_error *error)
{
    tn_builder *builder = tn_calloc(1, sizeof *builder);
    if (builder && (builder->arena = tn_arena_create(0))) {
        builder->root = tn_node_collection(builder->arena, TN_NODE_MAP, (tn_place){.file = "scene"}, 16);
    }
    if (!builder || !builder->root) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a scene");
        tn_builder_destroy(builder);
        return NULL;
    }
    return builder;
}

void tn_builder_destroy(tn_builder *builder)
{
    if (builder) {
        tn_arena_destroy(builder->arena);
        tn_free(builder);
    }
}

// One call's work: errors, and how the value is called in them.
typedef struct call {
    tn_builder *builder;
    tn_reader reader;
    const char *file; // "bodies.box"
} call;

static call call_of(tn_builder *builder, tn_error *error)
{
    return (call){.builder = builder, .reader = {.storage = builder->arena, .scratch = builder->arena, .error = error}};
}

// "section.name".
static bool name_place(call *c, const char *section, const char *name)
{
    size_t n = strlen(section), more = name ? strlen(name) + 1 : 0;
    char *text = tn_arena_push(c->builder->arena, n + more + 1, 1);
    if (!text) {
        return tn_read_no_memory(&c->reader);
    }
    snprintf(text, n + more + 1, "%s%s%s", section, name ? "." : "", name ? name : "");
    c->file = text;
    return true;
}

// The key, which the scene must know.
static const tn_key *key_of(call *c, const char *name)
{
    tn_place place = {c->file, 1, 1};
    const tn_key *key = tn_section_key(&tn_section_scene, name);
    if (!key) {
        tn_node *node = tn_node_scalar(c->builder->arena, place, name, strlen(name));
        const tn_node map = {.kind = TN_NODE_MAP, .place = place, .n = 1, .key = &node, .item = &node};
        node ? tn_section_check_names(&c->reader, &tn_section_scene, &map) : tn_read_no_memory(&c->reader);
    } else if (strcmp(name, "include") == 0) {
        tn_read_error(&c->reader, place, "files are included by merging a document that includes them");
        key = NULL;
    }
    return key;
}

// The map or list at root's index, or the root itself (-1), with one more child.
static bool append(call *c, int index, tn_node *key, tn_node *item)
{
    tn_node *to = index < 0 ? c->builder->root : c->builder->root->item[index];
    if (!tn_node_grow(c->builder->arena, to)) {
        return tn_read_no_memory(&c->reader);
    }
    tn_node_append(to, key, item);
    return true;
}

static tn_node *scalar(call *c, const char *text)
{
    tn_node *node = tn_node_scalar(c->builder->arena, (tn_place){c->file, 1, 1}, text, strlen(text));
    if (node) {
        node->quoted = true;
    } else {
        tn_read_no_memory(&c->reader);
    }
    return node;
}

static tn_status status_of(const tn_error *error, bool ok)
{
    return ok ? TN_OK : error->status;
}

// What stands at a dotted path, as an override of the command line does.
static bool set_within(call *c, const char *path, const char *value)
{
    size_t size = strlen(path) + strlen(value) + 2;
    char *text = tn_arena_push(c->builder->arena, size, 1);
    if (!text) {
        return tn_read_no_memory(&c->reader);
    }
    snprintf(text, size, "%s=%s", path, value);
    tn_node *root = tn_override_apply(&c->reader, c->builder->root, text, (tn_place){c->file, 1, 1});
    c->builder->root = root ? root : c->builder->root;
    return root;
}

tn_status tn_builder_set(tn_builder *builder, const char *key, const char *value, tn_error *error)
{
    tn_error unused = {0};
    error = error ? error : &unused;
    if (!builder || !key || !value) {
        return tn_error_set(error, TN_BAD_INPUT, "a key of a scene needs a builder, a name and a value");
    }
    call c = call_of(builder, error);
    if (!name_place(&c, key, NULL)) {
        return error->status;
    }
    if (strchr(key, '.')) {
        return status_of(error, set_within(&c, key, value));
    }
    if (!key_of(&c, key)) {
        return error->status;
    }
    tn_node *node = tn_yaml_parse(value, strlen(value), c.file, builder->arena, error);
    int at = tn_node_index(builder->root, key);
    if (!node || at >= 0) {
        if (node) {
            builder->root->item[at] = node;
        }
        return status_of(error, node);
    }
    tn_node *name = scalar(&c, key);
    return status_of(error, name && append(&c, -1, name, node));
}

// Root's index of the section, empty at first. -1: failed.
static int section_at(call *c, const char *section, const char *name)
{
    const tn_key *key = key_of(c, section);
    tn_place place = {c->file, 1, 1};
    tn_key_type type = name ? TN_KEY_NAMED : TN_KEY_LIST;
    if (!key) {
        return -1;
    }
    if (key->type != type) {
        tn_read_error(&c->reader, place, name ? "'%.100s' is no section of named things" : "'%.100s' is no list",
                      section);
        return -1;
    }
    tn_node_kind kind = name ? TN_NODE_MAP : TN_NODE_LIST;
    int at = tn_node_index(c->builder->root, section);
    if (at < 0) {
        tn_node *empty = tn_node_collection(c->builder->arena, kind, place, 8), *own = scalar(c, section);
        return empty && own && append(c, -1, own, empty) ? c->builder->root->n - 1 : -1;
    }
    const tn_node *there = c->builder->root->item[at];
    if (there->kind != kind) {
        tn_read_type_error(&c->reader, there, section, name ? "a map of names" : "a list");
        return -1;
    }
    return at;
}

static bool add(call *c, const char *section, const char *name, const char *value)
{
    int at = name_place(c, section, name) ? section_at(c, section, name) : -1;
    if (at < 0) {
        return false;
    }
    const tn_node *all = c->builder->root->item[at];
    if (name && tn_node_index(all, name) >= 0) {
        return tn_read_error(&c->reader, (tn_place){c->file, 1, 1}, "'%.100s' is there already", name);
    }
    tn_node *node = tn_yaml_parse(value, strlen(value), c->file, c->builder->arena, c->reader.error);
    const tn_section *known = tn_section_key(&tn_section_scene, section)->section;
    if (!node || (node->kind == TN_NODE_MAP && !tn_section_check_names(&c->reader, known, node))) {
        return false;
    }
    tn_node *key = name ? scalar(c, name) : NULL;
    return (key || !name) && append(c, at, key, node);
}

tn_status tn_builder_add(tn_builder *builder, const char *section, const char *name, const char *value, tn_error *error)
{
    tn_error unused = {0};
    error = error ? error : &unused;
    if (!builder || !section || !value) {
        return tn_error_set(error, TN_BAD_INPUT, "a part of a scene needs a builder, a section and a value");
    }
    call c = call_of(builder, error);
    return status_of(error, add(&c, section, name, value));
}

tn_status tn_builder_merge(tn_builder *builder, const char *text, const char *name, tn_error *error)
{
    tn_error unused = {0};
    error = error ? error : &unused;
    if (!builder || !text) {
        return tn_error_set(error, TN_BAD_INPUT, "merging needs a builder and a text");
    }
    call c = call_of(builder, error);
    if (!name_place(&c, name ? name : "scene", NULL)) {
        return error->status;
    }
    int n_files;
    const tn_plain plain = tn_plain_begin();
    tn_node *tree = tn_scene_tree(&c.reader, text, strlen(text), c.file, &n_files);
    tree = tree ? tn_scene_merge(&c.reader, builder->root, tree) : NULL;
    tn_plain_end(plain);
    builder->root = tree ? tree : builder->root;
    return status_of(error, tree);
}

// ---- to a scene

// A copy in the scene's memory; neighbours share the name of their file.
typedef struct copy {
    tn_build *build;
    const char *from, *to;
} copy;

static bool adopt_place(copy *c, tn_place *place)
{
    if (place->file != c->from) {
        size_t size = strlen(place->file) + 1;
        char *text = tn_arena_push(c->build->reader.storage, size, 1);
        if (!text) {
            return false;
        }
        c->from = place->file;
        c->to = memcpy(text, place->file, size);
    }
    place->file = c->to;
    return true;
}

static tn_node *adopt(copy *c, const tn_node *node)
{
    tn_node *out = tn_node_copy(c->build->reader.scratch, node, 0);
    if (!out || !adopt_place(c, &out->place)) {
        return NULL;
    }
    for (int i = 0; node->kind != TN_NODE_SCALAR && i < node->n; i++) {
        out->item[i] = adopt(c, node->item[i]);
        out->key[i] = node->kind == TN_NODE_MAP ? adopt(c, node->key[i]) : NULL;
        if (!out->item[i] || (node->kind == TN_NODE_MAP && !out->key[i])) {
            return NULL;
        }
    }
    return out;
}

tn_node *tn_builder_tree(const tn_builder *builder, tn_build *build)
{
    copy c = {.build = build};
    tn_node *root = adopt(&c, builder->root);
    if (!root) {
        tn_read_no_memory(&build->reader);
    }
    return root;
}
