#include "scene/read.h"

#include "scene/read_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tn_read_error(tn_reader *reader, tn_place place, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tn_error_at(reader->error, place.file, place.line, place.column, "%s", text);
    return false;
}

void tn_read_remark(tn_reader *reader, tn_place place, const char *format, ...)
{
    enum { REMARKS_MAX = 100 };
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tn_remark **end = reader->remarks;
    int n = 0;
    for (; end && *end && n < REMARKS_MAX; end = &(*end)->next, n++) {
        if (strcmp((*end)->text, text) == 0) {
            return;
        }
    }
    size_t size = strlen(text) + 1;
    tn_remark *remark = end && n < REMARKS_MAX ? tn_arena_push(reader->storage, 1, sizeof *remark + size) : NULL;
    if (remark) {
        *remark = (tn_remark){.place = place, .text = memcpy(remark + 1, text, size)};
        *end = remark;
    }
}

bool tn_read_no_memory(tn_reader *reader)
{
    tn_error_set(reader->error, TN_NO_MEMORY, "no memory for the scene");
    return false;
}

bool tn_read_type_error(tn_reader *reader, const tn_node *node, const char *what, const char *wanted)
{
    char found[80];
    return tn_read_error(reader, node->place, "'%s' must be %s, not %s", what, wanted,
                         tn_node_describe(node, found, sizeof found));
}

const char *tn_read_hint(const char *nearest, char *text, size_t size)
{
    text[0] = 0;
    if (nearest) {
        snprintf(text, size, "; did you mean '%s'?", nearest);
    }
    return text;
}

// All that a section takes, where nothing in it is called nearly so.
static bool unknown_key(tn_reader *reader, const tn_section *section, const tn_node *key)
{
    const char *names[64];
    for (int i = 0; i < section->n_keys; i++) {
        names[i] = section->keys[i].name;
    }
    char hint[512];
    const char *nearest = tn_name_nearest(key->text, section->n_keys, names);
    tn_read_hint(nearest, hint, sizeof hint);
    size_t n = nearest ? 0 : (size_t)snprintf(hint, sizeof hint, "; '%s' takes", section->name);
    for (int i = 0; !nearest && i < section->n_keys && n < sizeof hint; i++) {
        n += (size_t)snprintf(hint + n, sizeof hint - n, "%s %s", i > 0 ? "," : "", names[i]);
    }
    return tn_read_error(reader, key->place, "unknown key '%.60s'%s", key->text, hint);
}

bool tn_section_check_names(tn_reader *reader, const tn_section *section, const tn_node *map)
{
    if (tn_node_is_null(map)) {
        return true;
    }
    if (map->kind != TN_NODE_MAP) {
        return tn_read_type_error(reader, map, section->name, "a map");
    }
    for (int i = 0; i < map->n; i++) {
        if (!tn_section_key(section, map->key[i]->text)) {
            return unknown_key(reader, section, map->key[i]);
        }
    }
    return true;
}

// A default as a node: a scalar, or a list of up to three in brackets. On the stack, because every key that a scene
// does not say has one and nothing keeps it.
typedef struct fallback {
    tn_node node, item[3];
    tn_node *pointer[3];
    char text[64];
} fallback;

static const tn_node *fallback_node(fallback *f, const char *text, tn_place place)
{
    if (text[0] != '[') {
        f->node = (tn_node){.kind = TN_NODE_SCALAR, .place = place, .text = text};
        return &f->node;
    }
    f->node = (tn_node){.kind = TN_NODE_LIST, .place = place, .item = f->pointer};
    snprintf(f->text, sizeof f->text, "%s", text + 1);
    for (char *p = f->text; *p && f->node.n < 3;) {
        size_t length = strcspn(p, ",]");
        bool last = p[length] != ',';
        p[length] = 0;
        f->item[f->node.n] = (tn_node){.kind = TN_NODE_SCALAR, .place = place, .text = p};
        f->pointer[f->node.n] = &f->item[f->node.n];
        f->node.n++;
        p += length + !last;
        p += strspn(p, " ");
    }
    return &f->node;
}

static bool read_group(tn_reader *reader, const tn_key *key, const tn_node *node, void *target)
{
    static const tn_node nothing = {.kind = TN_NODE_MAP};
    return tn_section_read(reader, key->section, node ? node : &nothing, target);
}

static bool read_own_section(tn_reader *reader, const tn_key *key, const tn_node *node, void **field)
{
    void *target = tn_arena_push(reader->scratch, 1, key->section->size);
    if (!target) {
        return tn_read_no_memory(reader);
    }
    *field = target;
    return tn_section_read(reader, key->section, node, target);
}

static bool read_key(tn_reader *reader, const tn_key *key, const tn_node *node, char *target)
{
    switch (key->type) {
    case TN_KEY_GROUP:
        return read_group(reader, key, node, target);
    case TN_KEY_SECTION:
        return read_own_section(reader, key, node, (void **)(void *)(target + key->offset));
    case TN_KEY_NAMED:
        if (node->kind != TN_NODE_MAP && !tn_node_is_null(node)) {
            return tn_read_type_error(reader, node, key->name, "a map of names");
        }
        *(const tn_node **)(void *)(target + key->offset) = node;
        return true;
    case TN_KEY_LIST:
        if (node->kind != TN_NODE_LIST && !tn_node_is_null(node)) {
            return tn_read_type_error(reader, node, key->name, "a list");
        }
        *(const tn_node **)(void *)(target + key->offset) = node;
        return true;
    case TN_KEY_ONE:
        *(const tn_node **)(void *)(target + key->offset) = node;
        return true;
    case TN_KEY_DEFAULTS:
        *(const tn_node **)(void *)(target + key->offset) = node;
        return tn_section_check_names(reader, key->section, node);
    default:
        return tn_read_value(reader, key, node, target + key->offset);
    }
}

// The node as a map: itself, or the shorthand spelt out. NULL with the error set.
static const tn_node *as_map(tn_reader *reader, const tn_section *section, const tn_node *node)
{
    if (node->kind == TN_NODE_MAP) {
        return node;
    }
    bool is_null = tn_node_is_null(node);
    if (!is_null && !section->shorthand) {
        tn_read_type_error(reader, node, section->name, "a map");
        return NULL;
    }
    tn_node *map = tn_node_collection(reader->scratch, TN_NODE_MAP, node->place, 1);
    tn_node *key = map && !is_null
                       ? tn_node_scalar(reader->scratch, node->place, section->shorthand, strlen(section->shorthand))
                       : NULL;
    if (!map || (!is_null && !key)) {
        tn_read_no_memory(reader);
        return NULL;
    }
    if (key) {
        tn_node_append(map, key, (tn_node *)node); // the map is read only
    }
    return map;
}

bool tn_section_read(tn_reader *reader, const tn_section *section, const tn_node *node, void *target)
{
    const tn_node *map = as_map(reader, section, node);
    if (!map || !tn_section_check_names(reader, section, map)) {
        return false;
    }
    for (int i = 0; i < section->n_keys; i++) {
        const tn_key *key = &section->keys[i];
        const tn_node *value = tn_node_find(map, key->name);
        fallback unsaid;
        if (!value && key->required) {
            return tn_read_error(reader, node->place, "'%s' is missing in '%s'", key->name, section->name);
        }
        if (!value && key->fallback) {
            value = fallback_node(&unsaid, key->fallback, node->place);
        }
        bool ok = value || key->type == TN_KEY_GROUP ? read_key(reader, key, value, target)
                                                     : (tn_read_absent(key, (char *)target + key->offset), true);
        if (!ok) {
            return false;
        }
    }
    return true;
}
