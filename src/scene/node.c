#include "scene/node.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tn_node *tn_node_reserve(tn_arena *arena, tn_place place, size_t length)
{
    // One block for node and text: arenas round every block up.
    tn_node *node = tn_arena_push(arena, 1, sizeof *node + length + 1);
    if (node) {
        *node = (tn_node){.kind = TN_NODE_SCALAR, .place = place, .text = (char *)(node + 1), .weight = 1.0};
    }
    return node;
}

tn_node *tn_node_scalar(tn_arena *arena, tn_place place, const char *text, size_t length)
{
    tn_node *node = tn_node_reserve(arena, place, length);
    if (node) {
        memcpy((char *)node->text, text, length);
    }
    return node;
}

tn_node *tn_node_collection(tn_arena *arena, tn_node_kind kind, tn_place place, int capacity)
{
    size_t n = (size_t)capacity;
    tn_node *node = tn_arena_push(arena, 1, sizeof *node + 2 * n * sizeof(tn_node *));
    if (!node) {
        return NULL;
    }
    *node = (tn_node){.kind = kind, .place = place, .weight = 1.0};
    node->item = (tn_node **)(node + 1);
    node->key = node->item + n;
    return node;
}

tn_node *tn_node_copy(tn_arena *arena, const tn_node *node, int more)
{
    if (node->kind == TN_NODE_SCALAR) {
        tn_node *copy = tn_node_scalar(arena, node->place, node->text, strlen(node->text));
        if (copy) {
            copy->quoted = node->quoted;
        }
        return copy;
    }
    tn_node *copy = tn_node_collection(arena, node->kind, node->place, node->n + more);
    for (int i = 0; copy && i < node->n; i++) {
        tn_node_append(copy, node->kind == TN_NODE_MAP ? node->key[i] : NULL, node->item[i]);
    }
    return copy;
}

bool tn_node_grow(tn_arena *arena, tn_node *collection)
{
    if (collection->n < collection->key - collection->item) {
        return true;
    }
    const tn_node *wider = tn_node_copy(arena, collection, collection->n + 4);
    if (wider) {
        collection->item = wider->item;
        collection->key = wider->key;
    }
    return wider;
}

void tn_node_append(tn_node *collection, tn_node *key, tn_node *item)
{
    collection->key[collection->n] = key;
    collection->item[collection->n++] = item;
    collection->weight += item->weight;
}

int tn_node_index(const tn_node *map, const char *key)
{
    for (int i = 0; map && map->kind == TN_NODE_MAP && i < map->n; i++) {
        if (strcmp(map->key[i]->text, key) == 0) {
            return i;
        }
    }
    return -1;
}

tn_node *tn_node_find(const tn_node *map, const char *key)
{
    int i = tn_node_index(map, key);
    return i < 0 ? NULL : map->item[i];
}

tn_place tn_node_place_of(const tn_node *map, const char *key)
{
    const tn_node *item = tn_node_find(map, key);
    return item ? item->place : map->place;
}

bool tn_node_is_null(const tn_node *node)
{
    return node->kind == TN_NODE_SCALAR && !node->quoted &&
           (!node->text[0] || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

typedef struct ranked_key {
    const char *text;
    int index;
} ranked_key;

static int compare_keys(const void *a, const void *b)
{
    const ranked_key *x = a;
    const ranked_key *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

const tn_node *tn_node_duplicate(const tn_node *map, bool *no_memory)
{
    // Nearly all maps are small. Not the arena: it takes stock at a release, which would be once for every map.
    ranked_key few[32];
    bool small = map->n <= (int)(sizeof few / sizeof *few);
    ranked_key *keys = small ? few : tn_malloc((size_t)map->n * sizeof *keys);
    *no_memory = !keys;
    if (!keys) {
        return NULL;
    }
    for (int i = 0; i < map->n; i++) {
        keys[i] = (ranked_key){map->key[i]->text, i};
    }
    qsort(keys, (size_t)map->n, sizeof *keys, compare_keys);
    int first = map->n;
    for (int i = 1; i < map->n; i++) {
        if (strcmp(keys[i - 1].text, keys[i].text) == 0 && keys[i].index < first) {
            first = keys[i].index;
        }
    }
    if (!small) {
        tn_free(keys);
    }
    return first < map->n ? map->key[first] : NULL;
}

const char *tn_node_describe(const tn_node *node, char *text, size_t size)
{
    if (node->kind != TN_NODE_SCALAR) {
        if (node->kind == TN_NODE_MAP) {
            snprintf(text, size, "a map");
        } else {
            snprintf(text, size, "a list of %d", node->n);
        }
    } else if (tn_node_is_null(node)) {
        snprintf(text, size, "nothing");
    } else {
        size_t length = strlen(node->text);
        snprintf(text, size, "'%.*s%s'", 40, node->text, length > 40 ? "..." : "");
    }
    return text;
}
