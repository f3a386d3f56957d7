// Problems from YAML files: a tree of nodes with their places, matrices as lists of rows, every error with line and
// column. Sizes follow from A, B and C.
#include "scene/file.h"
#include "scene/units.h"
#include "scene/yaml.h"
#include "tenon/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const file_keys[] = {"title", "horizon", "step",      "system", "X",
                                        "U",     "weights", "reference", "start"};
static const char *const system_keys[] = {"A", "B", "C", "F", "D", "D0", "H", "E", "offset", "guard", "guard_offset"};
static const char *const set_keys[] = {"low", "high", "G", "g"};
static const char *const weight_keys[] = {"Q", "R", "Qf"};
static const char *const reference_keys[] = {"x", "u"};
#define KEYS_OF(names) (int)(sizeof(names) / sizeof *(names)), names

static bool check_keys(tn_reader *reader, const tn_node *map, const char *what, int n, const char *const *names)
{
    if (map->kind != TN_NODE_MAP) {
        return tn_read_type_error(reader, map, what, "a map");
    }
    for (int i = 0; i < map->n; i++) {
        bool known = false;
        for (int k = 0; k < n && !known; k++) {
            known = strcmp(map->key[i]->text, names[k]) == 0;
        }
        if (!known) {
            char hint[128];
            tn_read_hint(tn_name_nearest(map->key[i]->text, n, names), hint, sizeof hint);
            return tn_read_error(reader, map->key[i]->place, "unknown key '%.60s' in '%s'%s", map->key[i]->text, what,
                                 hint);
        }
    }
    return true;
}

static bool read_number(tn_reader *reader, const char *what, const tn_node *node, double *out)
{
    if (node->kind == TN_NODE_SCALAR && !node->quoted) {
        const bool minus = node->text[0] == '-';
        if (strcmp(node->text + minus, "infinite") == 0 || strcmp(node->text + minus, ".inf") == 0) {
            *out = minus ? -INFINITY : INFINITY;
            return true;
        }
        if (tn_number_parse(node->text, (tn_dimension){0}, out) == TN_NUMBER_OK) {
            return true;
        }
    }
    return tn_read_type_error(reader, node, what, "numbers without unit");
}

static bool read_row(tn_reader *reader, const char *what, const tn_node *node, int n, double *out)
{
    if (node->kind != TN_NODE_LIST || node->n != n) {
        char wanted[48];
        snprintf(wanted, sizeof wanted, "a list of %d", n);
        return tn_read_type_error(reader, node, what, wanted);
    }
    for (int i = 0; i < n; i++) {
        if (!read_number(reader, what, node->item[i], out + i)) {
            return false;
        }
    }
    return true;
}

// m rows of n. Where there is no such key they stay as they are.
static bool read_matrix(tn_reader *reader, const tn_node *map, const char *what, int m, int n, double *out)
{
    const tn_node *node = map ? tn_node_find(map, what) : NULL;
    if (!node) {
        return true;
    }
    if (node->kind != TN_NODE_LIST || node->n != m) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a list of %d rows of %d", m, n);
        return tn_read_type_error(reader, node, what, wanted);
    }
    for (int i = 0; i < m; i++) {
        if (!read_row(reader, what, node->item[i], n, out + (size_t)i * (size_t)n)) {
            return false;
        }
    }
    return true;
}

static bool read_vector(tn_reader *reader, const tn_node *map, const char *what, int n, double *out)
{
    const tn_node *node = map ? tn_node_find(map, what) : NULL;
    return !node || read_row(reader, what, node, n, out);
}

// A matrix, or its diagonal.
static bool read_weight(tn_reader *reader, const tn_node *map, const char *what, int n, double *out)
{
    const tn_node *node = tn_node_find(map, what);
    if (node && node->kind == TN_NODE_LIST && node->n == n && n > 0 && node->item[0]->kind == TN_NODE_SCALAR) {
        for (int i = 0; i < n; i++) {
            if (!read_number(reader, what, node->item[i], out + (size_t)i * (size_t)(n + 1))) {
                return false;
            }
        }
        return true;
    }
    return read_matrix(reader, map, what, n, n, out);
}

// One row for all steps, or one for each of m.
static bool read_reference(tn_reader *reader, const tn_node *map, const char *what, int m, int n, double *out)
{
    const tn_node *node = map ? tn_node_find(map, what) : NULL;
    if (!node || node->kind != TN_NODE_LIST || node->n == 0 || node->item[0]->kind == TN_NODE_LIST) {
        return read_matrix(reader, map, what, m, n, out);
    }
    for (int i = 0; i < m; i++) {
        if (!read_row(reader, what, node, n, out + (size_t)i * (size_t)n)) {
            return false;
        }
    }
    return true;
}

static const tn_node *need(tn_reader *reader, const tn_node *map, const char *key, tn_node_kind kind)
{
    const tn_node *node = tn_node_find(map, key);
    if (!node) {
        tn_read_error(reader, map->place, "'%s' is missing", key);
    } else if (node->kind != kind) {
        tn_read_type_error(reader, node, key,
                           kind == TN_NODE_LIST  ? "a list"
                           : kind == TN_NODE_MAP ? "a map"
                                                 : "a number");
        return NULL;
    }
    return node;
}

// Columns of a matrix that gives a size; 0 where it is missing. -1: its first row is none.
static int columns_of(tn_reader *reader, const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_find(map, key);
    if (!node) {
        return 0;
    }
    if (node->kind != TN_NODE_LIST || node->n == 0 || node->item[0]->kind != TN_NODE_LIST) {
        tn_read_type_error(reader, node, key, "a list of rows");
        return -1;
    }
    return node->item[0]->n;
}

static int rows_of(const tn_node *map)
{
    const tn_node *node = map ? tn_node_find(map, "G") : NULL;
    return node && node->kind == TN_NODE_LIST ? node->n : 0;
}

static bool read_system(tn_reader *reader, const tn_node *map, tn_lcs *s)
{
    for (int i = 0; i < s->n_c && tn_node_find(map, "guard"); i++) {
        s->guard_offset[i] = 0.0; // where it is not said
    }
    return read_matrix(reader, map, "A", s->n_x, s->n_x, s->A) && read_matrix(reader, map, "B", s->n_x, s->n_u, s->B) &&
           read_matrix(reader, map, "C", s->n_x, s->n_c, s->C) && read_vector(reader, map, "F", s->n_x, s->F) &&
           read_matrix(reader, map, "D", s->n_c, s->n_x, s->D) &&
           read_matrix(reader, map, "D0", s->n_c, s->n_x, s->D0) &&
           read_matrix(reader, map, "H", s->n_c, s->n_u, s->H) && read_matrix(reader, map, "E", s->n_c, s->n_c, s->E) &&
           read_vector(reader, map, "offset", s->n_c, s->offset) &&
           read_matrix(reader, map, "guard", s->n_c, s->n_x, s->guard) &&
           read_vector(reader, map, "guard_offset", s->n_c, s->guard_offset);
}

static bool read_set(tn_reader *reader, const tn_node *map, const char *what, tn_polytope *set)
{
    return !map ||
           (check_keys(reader, map, what, KEYS_OF(set_keys)) && read_vector(reader, map, "low", set->n, set->low) &&
            read_vector(reader, map, "high", set->n, set->high) &&
            read_matrix(reader, map, "G", set->n_rows, set->n, set->G) &&
            read_vector(reader, map, "g", set->n_rows, set->g));
}

static bool create(tn_reader *reader, const tn_node *root, const tn_node *system, tn_plan_problem *p)
{
    const tn_node *node = need(reader, root, "horizon", TN_NODE_SCALAR);
    double horizon = 0.0;
    if (!node || !read_number(reader, "horizon", node, &horizon)) {
        return false;
    }
    if (!(horizon >= 1.0 && horizon <= 1000.0) || horizon != floor(horizon)) {
        return tn_read_error(reader, node->place, "'horizon' must be a whole number from 1 to 1000, not %.40s",
                             node->text);
    }
    const tn_node *A = need(reader, system, "A", TN_NODE_LIST);
    const int n_u = A ? columns_of(reader, system, "B") : -1, n_c = n_u >= 0 ? columns_of(reader, system, "C") : -1;
    tn_error why = {0};
    tn_status status = n_c < 0 ? TN_BAD_INPUT
                               : tn_plan_problem_create(A->n, n_u, n_c, (int)horizon, rows_of(tn_node_find(root, "X")),
                                                        rows_of(tn_node_find(root, "U")), p, &why);
    if (n_c >= 0 && status != TN_OK) {
        tn_read_error(reader, A->place, "%s", why.message);
        reader->error->status = status;
    }
    return status == TN_OK;
}

static bool read_problem(tn_reader *reader, const tn_node *root, tn_plan_problem *p)
{
    if (!check_keys(reader, root, "the file", KEYS_OF(file_keys))) {
        return false;
    }
    const tn_node *system = need(reader, root, "system", TN_NODE_MAP);
    const tn_node *weights = system ? need(reader, root, "weights", TN_NODE_MAP) : NULL;
    const tn_node *start = weights ? need(reader, root, "start", TN_NODE_LIST) : NULL;
    const tn_node *reference = tn_node_find(root, "reference"), *step = tn_node_find(root, "step");
    if (!start || !check_keys(reader, system, "system", KEYS_OF(system_keys)) ||
        !check_keys(reader, weights, "weights", KEYS_OF(weight_keys)) ||
        (reference && !check_keys(reader, reference, "reference", KEYS_OF(reference_keys))) ||
        !create(reader, root, system, p)) {
        return false;
    }
    const int n_x = p->lcs.n_x, n_u = p->lcs.n_u;
    return (!step || read_number(reader, "step", step, &p->lcs.step)) && read_system(reader, system, &p->lcs) &&
           read_set(reader, tn_node_find(root, "X"), "X", &p->X) &&
           read_set(reader, tn_node_find(root, "U"), "U", &p->U) && read_weight(reader, weights, "Q", n_x, p->Q) &&
           read_weight(reader, weights, "R", n_u, p->R) && read_weight(reader, weights, "Qf", n_x, p->Qf) &&
           read_reference(reader, reference, "x", p->horizon + 1, n_x, p->x_ref) &&
           read_reference(reader, reference, "u", p->horizon, n_u, p->u_ref) &&
           read_row(reader, "start", start, n_x, p->x0);
}

// What a check's message begins with ("Q is not symmetric", "x_ref: entry 3 ..."): where the file says it.
static void find_place(const tn_node *root, tn_error *said)
{
    static const char *const other[][2] = {{"x0", "start"}, {"x_ref", "reference"}, {"u_ref", "reference"}};
    enum { MAPS = 3 };
    const tn_node *maps[MAPS] = {root, tn_node_find(root, "system"), tn_node_find(root, "weights")};
    char word[32] = "";
    sscanf(said->message, "%31[A-Za-z0-9_]", word);
    const char *key = word;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        key = strcmp(word, other[i][0]) == 0 ? other[i][1] : key;
    }
    for (size_t i = 0; i < MAPS && said->line == 0; i++) {
        const tn_node *node = maps[i] ? tn_node_find(maps[i], key) : NULL;
        said->line = node ? node->place.line : 0;
        said->column = node ? node->place.column : 0;
    }
}

tn_status tn_plan_problem_load(const char *path, tn_plan_problem *problem, tn_error *error)
{
    if (!path || !problem) {
        return tn_error_set(error, TN_BAD_INPUT, "no path of a problem's file, or no place for it");
    }
    *problem = (tn_plan_problem){0};
    tn_error said = {0};
    tn_arena *arena = tn_arena_create(0);
    tn_reader reader = {.storage = arena, .scratch = arena, .error = &said};
    size_t length;
    const char *text = arena ? tn_scene_file(&reader, path, NULL, &length) : NULL;
    const tn_node *root = text ? tn_yaml_parse(text, length, path, arena, &said) : NULL;
    tn_status status = arena ? TN_OK : tn_error_set(&said, TN_NO_MEMORY, "no memory for '%s'", path);
    if (root && read_problem(&reader, root, problem)) {
        status = tn_plan_problem_check(problem, &said);
        find_place(root, &said);
        snprintf(said.file, sizeof said.file, "%s", path);
    } else if (status == TN_OK) {
        status = said.status;
    }
    tn_arena_destroy(arena);
    if (status != TN_OK) {
        tn_plan_problem_destroy(problem);
        if (error) {
            *error = said;
        }
    }
    return status;
}
