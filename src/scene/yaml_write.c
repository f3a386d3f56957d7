// A tree as YAML text: block maps, flow lists of short things, every text in a form that reads back the same.
#include "base/memory.h"
#include "scene/yaml.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t n, capacity;
    bool failed;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    if (w->failed || w->n + length + 1 > w->capacity) {
        size_t capacity = 2 * (w->n + length + 1) + 1024;
        char *grown = w->failed ? NULL : tn_realloc(w->text, capacity);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->text = grown;
        w->capacity = capacity;
    }
    memcpy(w->text + w->n, text, length);
    w->n += length;
    w->text[w->n] = 0;
}

static void put_text(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

// Words, numbers and units need no quotes; everything else gets them.
static bool is_plain(const tn_node *node)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+^/";
    const char *text = node->text;
    size_t length = strlen(text);
    size_t inside = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-^/ ");
    bool starts = length && (strchr(harmless, text[0]) || (text[0] == '-' && length > 1 && strchr(harmless, text[1])));
    return !node->quoted && starts && inside == length && text[length - 1] != ' ' && strncmp(text, "...", 3) != 0;
}

static void put_scalar(writer *w, const tn_node *node)
{
    if (is_plain(node)) {
        put_text(w, node->text);
        return;
    }
    if (tn_node_is_null(node)) {
        put_text(w, "null");
        return;
    }
    put_text(w, "\"");
    for (const char *p = node->text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        char escape[8];
        if (c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", c);
        } else if (c < 32 || c == 127) {
            snprintf(escape, sizeof escape, "\\x%02x", c);
        } else {
            snprintf(escape, sizeof escape, "%c", c);
        }
        put_text(w, escape);
    }
    put_text(w, "\"");
}

static void put_flow(writer *w, const tn_node *node)
{
    if (node->kind == TN_NODE_SCALAR) {
        put_scalar(w, node);
        return;
    }
    bool is_map = node->kind == TN_NODE_MAP;
    put_text(w, is_map ? "{" : "[");
    for (int i = 0; i < node->n; i++) {
        put_text(w, i ? ", " : "");
        if (is_map) {
            put_scalar(w, node->key[i]);
            put_text(w, ": ");
        }
        put_flow(w, node->item[i]);
    }
    put_text(w, is_map ? "}" : "]");
}

// Maps down to the third level get lines of their own: sections, names, their keys.
static void put_block(writer *w, const tn_node *map, int level)
{
    for (int i = 0; i < map->n; i++) {
        const tn_node *item = map->item[i];
        put(w, "      ", 2 * (size_t)level);
        put_scalar(w, map->key[i]);
        if (item->kind == TN_NODE_MAP && item->n && level < 2) {
            put_text(w, ":\n");
            put_block(w, item, level + 1);
        } else {
            put_text(w, ": ");
            put_flow(w, item);
            put_text(w, "\n");
        }
    }
}

char *tn_yaml_write(const tn_node *node, tn_arena *arena)
{
    writer w = {0};
    if (node->kind == TN_NODE_MAP && node->n > 0) {
        put_block(&w, node, 0);
    } else {
        put_flow(&w, node);
        put_text(&w, "\n");
    }
    char *text = w.failed ? NULL : tn_arena_push(arena, w.n + 1, 1);
    if (text) {
        memcpy(text, w.text, w.n + 1);
    }
    tn_free(w.text);
    return text;
}
