// A scene file as a tree: maps, lists and scalars, each with the place where the file says it.
//
// What libfyaml reads becomes this tree; includes, defaults, overrides and the table reader work on it. Nodes live in
// one arena and are shared freely (an alias is a second pointer to one node), so a node is not changed once it is
// built, except by the functions below that say so.
#pragma once

#include "base/arena.h"
#include "base/nearest.h"
#include "scene/scene.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum tn_node_kind { TN_NODE_SCALAR, TN_NODE_LIST, TN_NODE_MAP } tn_node_kind;

typedef struct tn_node {
    tn_node_kind kind;
    bool quoted;           // scalar in quotes: text, never a number
    tn_place place;        // of the scalar, or of a map's or list's first character
    const char *text;      // scalar
    int n;                 // children
    struct tn_node **item; // (n) list items or map values
    struct tn_node **key;  // (n) map keys, scalars
    double weight;         // nodes below and including this one, each alias counted anew
} tn_node;

enum {
    TN_NODE_DEPTH_MAX = 32,        // maps and lists inside each other
    TN_NODE_WEIGHT_MAX = 1 << 22,  // nodes of a file with its aliases expanded
    TN_SCENE_BYTES_MAX = 64 << 20, // of one file
    TN_SCENE_NAME_MAX = 100,       // bytes of a name
    TN_SCENE_ANCHORS_MAX = 1000,   // of one file: they are searched one by one
    TN_SCENE_MATERIALS_MAX = 1000, // the model holds a surface for each two
    TN_SCENE_PAIRS_MAX = 10 * 1000,
    TN_SCENE_BODIES_MAX = 1000 * 1000, // with array copies
    TN_SCENE_SOFTS_MAX = 10 * 1000,    // likewise
};

// All return NULL when there is no memory.
tn_node *tn_node_scalar(tn_arena *arena, tn_place place, const char *text, size_t length);
tn_node *tn_node_reserve(tn_arena *arena, tn_place place, size_t length); // a scalar of length NULs
tn_node *tn_node_collection(tn_arena *arena, tn_node_kind kind, tn_place place, int capacity); // n = 0
bool tn_node_grow(tn_arena *arena, tn_node *collection); // room for one child more, in what nobody shares yet
tn_node *tn_node_copy(tn_arena *arena, const tn_node *node, int more); // shallow, with room for more children
void tn_node_append(tn_node *collection, tn_node *key, tn_node *item); // changes collection; key NULL in lists

int tn_node_index(const tn_node *map, const char *key); // -1: not there
tn_node *tn_node_find(const tn_node *map, const char *key);
tn_place tn_node_place_of(const tn_node *map, const char *key); // of the key's value, else of the map
bool tn_node_is_null(const tn_node *node);                      // nothing, ~ or null, not in quotes

// A key that occurs twice in a map: its second place, or NULL. O(n log n). no_memory is set where it applies.
const tn_node *tn_node_duplicate(const tn_node *map, bool *no_memory);

// "a map", "a list of 3" or "'abc'" for messages.
const char *tn_node_describe(const tn_node *node, char *text, size_t size);
