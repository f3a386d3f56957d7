// A tree as YAML text: block maps, flow lists of short things, every text in a form that reads back the same.
#include "scene/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_scalar(FILE *out, const tn_node *node)
{
    if (is_plain(node)) {
        fputs(node->text, out);
        return;
    }
    if (tn_node_is_null(node)) {
        fputs("null", out);
        return;
    }
    fputs("\"", out);
    for (const char *p = node->text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 32 || c == 127) {
            fprintf(out, "\\x%02x", c);
        } else {
            fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
    }
    fputs("\"", out);
}

static void put_flow(FILE *out, const tn_node *node)
{
    if (node->kind == TN_NODE_SCALAR) {
        put_scalar(out, node);
        return;
    }
    bool is_map = node->kind == TN_NODE_MAP;
    fputs(is_map ? "{" : "[", out);
    for (int i = 0; i < node->n; i++) {
        fputs(i ? ", " : "", out);
        if (is_map) {
            put_scalar(out, node->key[i]);
            fputs(": ", out);
        }
        put_flow(out, node->item[i]);
    }
    fputs(is_map ? "}" : "]", out);
}

// Maps down to the third level get lines of their own: sections, names, their keys.
static void put_block(FILE *out, const tn_node *map, int level)
{
    for (int i = 0; i < map->n; i++) {
        const tn_node *item = map->item[i];
        fprintf(out, "%*s", 2 * level, "");
        put_scalar(out, map->key[i]);
        if (item->kind == TN_NODE_MAP && item->n && level < 2) {
            fputs(":\n", out);
            put_block(out, item, level + 1);
        } else {
            fputs(": ", out);
            put_flow(out, item);
            fputs("\n", out);
        }
    }
}

char *tn_yaml_write(const tn_node *node, tn_arena *arena)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    if (!out) {
        return NULL;
    }
    if (node->kind == TN_NODE_MAP && node->n > 0) {
        put_block(out, node, 0);
    } else {
        put_flow(out, node);
        fputs("\n", out);
    }
    bool whole = !ferror(out);
    whole = fclose(out) == 0 && whole;
    char *text = whole ? tn_arena_push(arena, size + 1, 1) : NULL;
    if (text) {
        memcpy(text, written, size);
    }
    free(written);
    return text;
}
