#include "scene/override.h"

#include "scene/yaml.h"

#include <stdlib.h>
#include <string.h>

typedef struct override {
    tn_reader *reader;
    const char *text;
    tn_place start; // of the text
    tn_node *value;
} override;

static tn_place place_at(const override *o, const char *p)
{
    return (tn_place){o->start.file, o->start.line, o->start.column + (int)(p - o->text)};
}

static tn_node *out_of_memory(const override *o)
{
    tn_read_no_memory(o->reader);
    return NULL;
}

// The section of what stands at key in a map of this section (NULL: a map of names, whose entries are `entries`).
typedef struct level {
    const tn_section *section; // of this map; NULL: names, or nothing known
    const tn_section *entries; // of the entries of a map of names or list
} level;

static level level_below(level here, const char *name)
{
    if (here.entries) {
        return (level){here.entries, NULL};
    }
    const tn_key *key = here.section ? tn_section_key(here.section, name) : NULL;
    if (!key) {
        return (level){NULL, NULL};
    }
    bool many = key->type == TN_KEY_NAMED || key->type == TN_KEY_LIST;
    return many ? (level){NULL, key->section} : (level){key->section, NULL};
}

static tn_node *unknown(const override *o, const char *p, const char *name, const tn_node *map)
{
    char hint[160];
    const char *const *none = NULL;
    const char **names = TN_PUSH(o->reader->scratch, const char *, map->n);
    for (int i = 0; names && i < map->n; i++) {
        names[i] = map->key[i]->text;
    }
    const char *nearest = tn_name_nearest(name, names ? map->n : 0, names ? (const char *const *)names : none);
    tn_read_error(o->reader, place_at(o, p), "no '%.100s' in the scene%s", name,
                  tn_read_hint(nearest, hint, sizeof hint));
    return NULL;
}

static tn_node *set_in(const override *o, tn_node *node, const char *p, level here);

static tn_node *set_in_list(const override *o, tn_node *list, const char *p, const char *end, level here)
{
    char *rest = NULL;
    long index = *p >= '0' && *p <= '9' ? strtol(p, &rest, 10) : -1;
    if (index < 0 || rest != end || index >= list->n) {
        tn_read_error(o->reader, place_at(o, p), "a number from 0 to %d must stand here", list->n - 1);
        return NULL;
    }
    tn_node *copy = tn_node_copy(o->reader->scratch, list, 0);
    tn_node *item = copy ? set_in(o, copy->item[index], *end == '.' ? end + 1 : NULL, level_below(here, "")) : NULL;
    if (!copy) {
        return out_of_memory(o);
    }
    copy->item[index] = item;
    return item ? copy : NULL;
}

// A value that stands for a map (solver: cond) becomes that map.
static tn_node *spell_out(const override *o, tn_node *node, const char *p, level here)
{
    bool is_null = tn_node_is_null(node);
    if (!is_null && (!here.section || !here.section->shorthand)) {
        tn_read_error(o->reader, place_at(o, p), "what stands before this is no map");
        return NULL;
    }
    tn_node *map = tn_node_collection(o->reader->scratch, TN_NODE_MAP, node->place, 1);
    if (!map) {
        return out_of_memory(o);
    }
    if (!is_null) {
        const char *name = here.section->shorthand;
        tn_node *key = tn_node_scalar(o->reader->scratch, node->place, name, strlen(name));
        if (!key) {
            return out_of_memory(o);
        }
        tn_node_append(map, key, node);
    }
    return map;
}

// The map less its entry at i; -1: less none.
static tn_node *without(tn_node *map, int i)
{
    for (map->n -= i >= 0; i >= 0 && i < map->n; i++) {
        map->key[i] = map->key[i + 1];
        map->item[i] = map->item[i + 1];
    }
    return map;
}

// node (NULL: nothing yet) with the value put at the rest of the path; p NULL: here. A null takes away what is there.
static tn_node *set_in(const override *o, tn_node *node, const char *p, level here)
{
    if (!p) {
        return o->value;
    }
    const char *end = p + strcspn(p, ".=");
    if (node && node->kind == TN_NODE_LIST) {
        return set_in_list(o, node, p, end, here);
    }
    node = node ? node : tn_node_collection(o->reader->scratch, TN_NODE_MAP, place_at(o, p), 0);
    node = node && node->kind == TN_NODE_SCALAR ? spell_out(o, node, p, here) : node;
    tn_node *key = node ? tn_node_scalar(o->reader->scratch, place_at(o, p), p, (size_t)(end - p)) : NULL;
    tn_node *copy = key ? tn_node_copy(o->reader->scratch, node, 1) : NULL;
    if (!copy) {
        return node ? out_of_memory(o) : NULL;
    }
    int at = tn_node_index(copy, key->text);
    // What one value says whole (initial.joints) may be added; other entries must be there.
    if (at < 0 && here.entries && !here.entries->shorthand) {
        return unknown(o, p, key->text, node);
    }
    if (here.section && !tn_section_key(here.section, key->text)) {
        tn_section_check_names(o->reader, here.section,
                               &(tn_node){.kind = TN_NODE_MAP, .n = 1, .key = &key, .item = &key});
        return NULL;
    }
    if (*end != '.' && tn_node_is_null(o->value)) {
        return without(copy, at);
    }
    tn_node *value =
        set_in(o, at < 0 ? NULL : copy->item[at], *end == '.' ? end + 1 : NULL, level_below(here, key->text));
    if (!value) {
        return NULL;
    }
    if (at < 0) {
        tn_node_append(copy, key, value);
    } else {
        copy->item[at] = value;
    }
    return copy;
}

// The value after the first `skip` bytes of the text. It is parsed behind as many empty lines and spaces as give its
// nodes the places that errors name.
static tn_node *parse_value(const override *o, size_t skip)
{
    size_t lines = (size_t)o->start.line - 1, before = lines + (size_t)o->start.column - 1;
    size_t length = before + strlen(o->text);
    char *padded = tn_arena_push(o->reader->scratch, length + 1, 1);
    if (!padded) {
        return out_of_memory(o);
    }
    memset(padded, '\n', lines);
    memset(padded + lines, ' ', before - lines + skip);
    memcpy(padded + before + skip, o->text + skip, length - before - skip);
    return tn_yaml_parse(padded, length, o->start.file, o->reader->scratch, o->reader->error);
}

tn_node *tn_override_apply(tn_reader *reader, tn_node *root, const char *text, tn_place start)
{
    override o = {.reader = reader, .text = text, .start = start};
    const char *equals = strchr(text, '=');
    size_t depth = 0;
    for (const char *p = text; equals && p < equals; p++) {
        depth += *p == '.';
    }
    if (!equals || equals == text || depth > TN_NODE_DEPTH_MAX) {
        tn_read_error(reader, place_at(&o, text), "an override is path=value, e.g. solver.max_iterations=50");
        return NULL;
    }
    if (!equals[1 + strspn(equals + 1, " ")]) {
        tn_read_error(reader, place_at(&o, equals + 1), "a value must follow '='");
        return NULL;
    }
    if (strncmp(text, "include", 7) == 0 && (text[7] == '=' || text[7] == '.')) {
        tn_read_error(reader, place_at(&o, text), "a file cannot be included by an override");
        return NULL;
    }
    o.value = parse_value(&o, (size_t)(equals - text) + 1);
    if (!o.value) {
        return NULL;
    }
    return set_in(&o, root, text, (level){&tn_section_scene, NULL});
}
