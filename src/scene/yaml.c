#include "scene/yaml.h"

#include "base/memory.h"
#include "scene/yaml_guard.h"

#include <libfyaml.h>
#include <string.h>

typedef struct anchor {
    struct anchor *next;
    const char *name;
    tn_node *node;
} anchor;

typedef struct reader {
    struct fy_parser *parser;
    struct fy_diag *diag;
    const char *file;
    tn_arena *arena;
    int n_anchors;
    anchor *anchors;
    double weight; // of all nodes so far, aliases expanded
    tn_place last;
    tn_error *error;
} reader;

static tn_node *fail(reader *r, tn_place place, const char *message)
{
    tn_error_at(r->error, r->file, place.line, place.column, "%s", message);
    return NULL;
}

static tn_node *no_memory(reader *r)
{
    tn_error_set(r->error, TN_NO_MEMORY, "no memory for the scene %s", r->file);
    return NULL;
}

// libfyaml's first complaint, with its place.
static void *syntax_error(reader *r)
{
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(r->diag, &iterator);
    if (e && e->msg) {
        int line = e->line >= 0 ? e->line : 0;
        int column = e->column >= 0 ? e->column : 0;
        tn_error_at(r->error, r->file, line, column, "not YAML: %s", e->msg);
    } else {
        tn_error_at(r->error, r->file, r->last.line, r->last.column, "not YAML after this place");
    }
    return NULL;
}

static struct fy_event *next(reader *r)
{
    struct fy_event *event = fy_parser_parse(r->parser);
    if (!event) {
        return syntax_error(r);
    }
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark) {
        r->last = (tn_place){r->file, mark->line + 1, mark->column + 1};
    }
    return event;
}

// Walks the pieces of a token's text: adds their lengths, and copies them to out unless it is NULL. False: no memory.
// Not fy_token_get_text, which in libfyaml 0.7.12 leaks on texts with many escapes.
static bool walk_token(struct fy_token *token, char *out, size_t *length)
{
    struct fy_token_iter *pieces = fy_token_iter_create(token);
    const struct fy_iter_chunk *piece = NULL;
    int failed = 0;
    *length = 0;
    if (!pieces) {
        return false;
    }
    while ((piece = fy_token_iter_chunk_next(pieces, piece, &failed))) {
        if (out) {
            memcpy(out + *length, piece->str, piece->len);
        }
        *length += piece->len;
    }
    fy_token_iter_destroy(pieces);
    return !failed;
}

// A token's text as a node; NULL with the error set.
static tn_node *token_scalar(reader *r, struct fy_token *token, tn_place place)
{
    size_t length = 0;
    if (token && !walk_token(token, NULL, &length)) {
        return no_memory(r);
    }
    tn_node *node = tn_node_reserve(r->arena, place, length);
    char *text = node ? (char *)node->text : NULL; // not yet shared
    if (!node || (token && !walk_token(token, text, &length))) {
        return no_memory(r);
    }
    return memchr(text, 0, length) ? fail(r, place, "NUL character in text") : node;
}

static bool add_anchor(reader *r, struct fy_token *token, tn_node *node)
{
    if (!token || !node) {
        return node != NULL;
    }
    if (++r->n_anchors > TN_SCENE_ANCHORS_MAX) {
        tn_error_at(r->error, r->file, node->place.line, node->place.column, "more than %d anchors",
                    TN_SCENE_ANCHORS_MAX);
        return false;
    }
    tn_node *name = token_scalar(r, token, node->place);
    anchor *a = name ? TN_PUSH(r->arena, anchor, 1) : NULL;
    if (!a) {
        no_memory(r);
        return false;
    }
    *a = (anchor){r->anchors, name->text, node};
    r->anchors = a;
    return true;
}

static tn_node *read_node(reader *r, struct fy_event *event, int depth);

static tn_node *read_alias(reader *r, struct fy_event *event, tn_place place)
{
    tn_node *name = token_scalar(r, event->alias.anchor, place);
    if (!name) {
        return NULL;
    }
    for (anchor *a = r->anchors; a; a = a->next) {
        if (strcmp(a->name, name->text) == 0) {
            return a->node;
        }
    }
    tn_error_at(r->error, r->file, place.line, place.column, "no anchor '&%.60s' before this alias", name->text);
    return NULL;
}

static tn_node *read_scalar(reader *r, struct fy_event *event, tn_place place)
{
    struct fy_token *token = event->scalar.value;
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    // libfyaml's mark stands behind the opening quote.
    place.column -= style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    tn_node *node = token_scalar(r, token, place);
    if (!node || !add_anchor(r, event->scalar.anchor, node)) {
        return NULL;
    }
    node->quoted = style != FYSS_PLAIN;
    return node;
}

// Children as they come, in a growing array outside the arena.
typedef struct children {
    int n, capacity;
    tn_node **node;
} children;

static bool add_child(children *list, tn_node *node)
{
    tn_node **grown = tn_grown(list->node, list->n, &list->capacity, sizeof(tn_node *));
    if (grown) {
        list->node = grown;
        list->node[list->n++] = node;
    }
    return grown != NULL;
}

// Reads up to the end of a map or list; false with the error set.
static bool read_children(reader *r, enum fy_event_type end, int depth, children *list)
{
    for (;;) {
        struct fy_event *event = next(r);
        if (!event) {
            return false;
        }
        if (event->type == end) {
            fy_parser_event_free(r->parser, event);
            return true;
        }
        tn_node *node = read_node(r, event, depth + 1);
        fy_parser_event_free(r->parser, event);
        if (!node) {
            return false;
        }
        bool is_key = end == FYET_MAPPING_END && list->n % 2 == 0;
        if (is_key && node->kind != TN_NODE_SCALAR) {
            fail(r, node->place, "a key must be a plain word");
            return false;
        }
        if (is_key && strcmp(node->text, "<<") == 0 && !node->quoted) {
            fail(r, node->place, "merge keys (<<) are not part of YAML 1.2; use 'defaults'");
            return false;
        }
        if (!add_child(list, node)) {
            no_memory(r);
            return false;
        }
    }
}

static tn_node *collect(reader *r, tn_node_kind kind, tn_place place, const children *list)
{
    int stride = kind == TN_NODE_MAP ? 2 : 1;
    tn_node *node = tn_node_collection(r->arena, kind, place, list->n / stride);
    if (!node) {
        return no_memory(r);
    }
    for (int i = 0; i + stride <= list->n; i += stride) {
        tn_node_append(node, kind == TN_NODE_MAP ? list->node[i] : NULL, list->node[i + stride - 1]);
    }
    if (kind == TN_NODE_MAP) {
        bool out = false;
        const tn_node *twice = tn_node_duplicate(node, &out);
        if (out) {
            return no_memory(r);
        }
        if (twice) {
            tn_error_at(r->error, r->file, twice->place.line, twice->place.column, "'%.60s' occurs twice in this map",
                        twice->text);
            return NULL;
        }
    }
    return node;
}

static tn_node *read_collection(reader *r, struct fy_event *event, tn_place place, int depth)
{
    bool is_map = event->type == FYET_MAPPING_START;
    children list = {0};
    tn_node *node = NULL;
    if (read_children(r, is_map ? FYET_MAPPING_END : FYET_SEQUENCE_END, depth, &list)) {
        if (list.n) {
            place = list.node[0]->place.file == place.file && place.line == 0 ? list.node[0]->place : place;
        }
        node = collect(r, is_map ? TN_NODE_MAP : TN_NODE_LIST, place, &list);
    }
    tn_free(list.node);
    struct fy_token *name = is_map ? event->mapping_start.anchor : event->sequence_start.anchor;
    return node && add_anchor(r, name, node) ? node : NULL;
}

static tn_node *read_node(reader *r, struct fy_event *event, int depth)
{
    tn_place place = r->last;
    if (depth > TN_NODE_DEPTH_MAX) {
        return fail(r, place, "nested too deeply");
    }
    if (fy_event_get_tag_token(event)) {
        const struct fy_mark *mark = fy_token_start_mark(fy_event_get_tag_token(event));
        place = mark ? (tn_place){r->file, mark->line + 1, mark->column + 1} : place;
        return fail(r, place, "tags (!...) are not used in scenes");
    }
    tn_node *node = NULL;
    switch (event->type) {
    case FYET_SCALAR:
        node = read_scalar(r, event, place);
        break;
    case FYET_ALIAS:
        node = read_alias(r, event, place);
        break;
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START:
        node = read_collection(r, event, place, depth);
        break;
    default:
        return fail(r, place, "not a value");
    }
    if (!node) {
        return NULL;
    }
    // Aliases of aliases grow without bound (the "billion laughs"): what counts is the expanded size.
    r->weight += event->type == FYET_ALIAS ? node->weight : 1.0;
    if (r->weight > TN_NODE_WEIGHT_MAX || node->weight > TN_NODE_WEIGHT_MAX) {
        return fail(r, place, "too many values; use 'array' or 'scatter' for many bodies");
    }
    return node;
}

// Skips to the document's first event and reads the rest; a second document is an error.
static tn_node *read_stream(reader *r)
{
    tn_node *root = NULL;
    for (;;) {
        struct fy_event *event = next(r);
        if (!event) {
            return NULL;
        }
        enum fy_event_type type = event->type;
        tn_node *node = NULL;
        bool is_value = type != FYET_STREAM_START && type != FYET_DOCUMENT_START && type != FYET_DOCUMENT_END &&
                        type != FYET_STREAM_END;
        if (is_value && root) {
            fail(r, r->last, "a second document; a scene is one document");
        } else if (is_value) {
            root = node = read_node(r, event, 0);
        }
        fy_parser_event_free(r->parser, event);
        if (is_value && !node) {
            return NULL;
        }
        if (type == FYET_STREAM_END) {
            return root ? root : fail(r, (tn_place){r->file, 1, 1}, "the file is empty");
        }
    }
}

static void drop_output(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    // libfyaml prints unless somebody else takes the text; the errors are collected besides.
}

tn_node *tn_yaml_parse(const char *text, size_t length, const char *file, tn_arena *arena, tn_error *error)
{
    if (length > TN_SCENE_BYTES_MAX) {
        tn_error_at(error, file, 1, 1, "the file is larger than %d MiB", TN_SCENE_BYTES_MAX >> 20);
        return NULL;
    }
    if (length == 0) {
        tn_error_at(error, file, 1, 1, "the file is empty");
        return NULL;
    }
    if (!tn_yaml_guard(text, length, file, error)) {
        return NULL;
    }
    reader r = {.file = file, .arena = arena, .error = error, .last = {file, 1, 1}};
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = drop_output;
    diag_cfg.colorize = false;
    r.diag = fy_diag_create(&diag_cfg);
    tn_node *root = NULL;
    if (r.diag) {
        fy_diag_set_collect_errors(r.diag, true);
        struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DISABLE_RECYCLING, .diag = r.diag};
        r.parser = fy_parser_create(&cfg);
    }
    if (!r.parser || fy_parser_set_string(r.parser, text, length)) {
        no_memory(&r);
    } else {
        root = read_stream(&r);
    }
    fy_parser_destroy(r.parser);
    fy_diag_destroy(r.diag);
    return root;
}
