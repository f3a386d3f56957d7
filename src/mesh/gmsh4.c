// Gmsh's format 4.1: blocks of nodes and elements by entity; entities carry the physical groups.
#include "base/memory.h"
#include "mesh/gmsh.h"

#include <stdlib.h>

enum { NODES_MAX = 125, ENTITY_GROUPS_MAX = 100 };

static bool add_entity(tn_gmsh *file, int dimension, int64_t tag, int64_t physical)
{
    tn_gmsh_entity *longer = tn_grown(file->entities, file->n_entities, &file->room_entities, sizeof *longer);
    if (!longer) {
        return tn_source_no_memory(file->source);
    }
    file->entities = longer;
    // A negative number means the reversed orientation of the same group.
    int group = tn_draft_group_of(file->draft, file->source, dimension, physical < 0 ? -physical : physical);
    file->entities[file->n_entities++] = (tn_gmsh_entity){dimension, tag, group};
    return group >= 0;
}

// tag, corners of the bounding box (points: the point), physical groups, bounding entities (not of points).
static bool read_entity(tn_gmsh *file, int dimension)
{
    int64_t tag = 0, n = 0, number = 0;
    double x = 0.0;
    if (!tn_gmsh_int(file, "the number of an entity", &tag)) {
        return false;
    }
    for (int i = 0; i < (dimension ? 6 : 3); i++) {
        if (!tn_gmsh_double(file, "a coordinate of an entity", &x)) {
            return false;
        }
    }
    if (!tn_gmsh_size(file, "the number of an entity's groups", &n)) {
        return false;
    }
    if (n > ENTITY_GROUPS_MAX) {
        return tn_source_fail(file->source, "an entity of %lld physical groups: at most %d", (long long)n,
                              ENTITY_GROUPS_MAX);
    }
    for (int64_t i = 0; i < n; i++) {
        if (!tn_gmsh_int(file, "a physical group", &number) || !add_entity(file, dimension, tag, number)) {
            return false;
        }
    }
    if (dimension == 0) {
        return true;
    }
    if (!tn_gmsh_size(file, "the number of bounding entities", &n)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        if (!tn_gmsh_int(file, "a bounding entity", &number)) {
            return false;
        }
    }
    return true;
}

static int compare_entities(const void *a, const void *b)
{
    const tn_gmsh_entity *p = a;
    const tn_gmsh_entity *q = b;
    if (p->dimension != q->dimension) {
        return p->dimension < q->dimension ? -1 : 1;
    }
    if (p->tag != q->tag) {
        return p->tag < q->tag ? -1 : 1;
    }
    return (p->group > q->group) - (p->group < q->group);
}

bool tn_gmsh4_entities(tn_gmsh *file)
{
    int64_t count[4];
    for (int d = 0; d < 4; d++) {
        if (!tn_gmsh_size(file, "a number of entities", &count[d])) {
            return false;
        }
    }
    for (int d = 0; d < 4; d++) {
        for (int64_t i = 0; i < count[d]; i++) {
            if (!read_entity(file, d)) {
                return false;
            }
        }
    }
    if (file->n_entities) {
        qsort(file->entities, (size_t)file->n_entities, sizeof *file->entities, compare_entities);
    }
    return true;
}

// Header of a section: blocks, items in all, smallest and largest number (not used).
static bool read_counts(tn_gmsh *file, const char *what, int64_t *n_blocks, int64_t *n)
{
    int64_t low = 0, high = 0;
    return tn_gmsh_size(file, "the number of blocks", n_blocks) && tn_gmsh_size(file, what, n) &&
           tn_gmsh_size(file, "the lowest number", &low) && tn_gmsh_size(file, "the highest number", &high);
}

static bool too_many(const tn_gmsh *file, const char *what, int64_t count, int64_t left)
{
    return tn_source_fail(file->source, "a block of %lld %s where the section has %lld left", (long long)count, what,
                          (long long)left);
}

// A block's numbers, then its coordinates, with as many parameters behind as the entity has dimensions.
static bool read_node_block(tn_gmsh *file, int64_t first, int64_t n, int64_t *count)
{
    int64_t dimension = 0, tag = 0, parametric = 0;
    if (!tn_gmsh_int(file, "the dimension of an entity", &dimension) ||
        !tn_gmsh_int(file, "the number of an entity", &tag) ||
        !tn_gmsh_int(file, "whether nodes have parameters", &parametric) ||
        !tn_gmsh_size(file, "a number of nodes", count)) {
        return false;
    }
    if (*count > n - first) {
        return too_many(file, "nodes", *count, n - first);
    }
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
        return tn_source_fail(file->source, "an entity of dimension %lld: the file is damaged", (long long)dimension);
    }
    for (int64_t i = first; i < first + *count; i++) {
        if (!tn_gmsh_size(file, "the number of a node", &file->draft->tags.tag[i])) {
            return false;
        }
    }
    for (int64_t i = first; i < first + *count; i++) {
        for (int k = 0; k < 3 + (parametric ? (int)dimension : 0); k++) {
            double x = 0.0;
            if (!tn_gmsh_double(file, "a coordinate", &x)) {
                return false;
            }
            if (k < 3) {
                file->draft->nodes[3 * i + k] = x;
            }
        }
    }
    return true;
}

bool tn_gmsh4_nodes(tn_gmsh *file)
{
    int64_t n_blocks = 0, n = 0, first = 0;
    if (!read_counts(file, "the number of nodes", &n_blocks, &n) ||
        !tn_gmsh_holds(file, "nodes", n, 4, 24 + (size_t)file->size_bytes) ||
        !tn_draft_reserve_nodes(file->draft, file->source, n)) {
        return false;
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t count = 0;
        if (!read_node_block(file, first, n, &count)) {
            return false;
        }
        first += count;
    }
    if (first != n) {
        return tn_source_fail(file->source, "the blocks have %lld nodes, the section claims %lld", (long long)first,
                              (long long)n);
    }
    return tn_draft_index_nodes(file->draft, file->source);
}

// The entity's first row; *count rows.
static const tn_gmsh_entity *find_groups(const tn_gmsh *file, int dimension, int64_t tag, int *count)
{
    int low = 0;
    int high = file->n_entities;
    const tn_gmsh_entity wanted = {dimension, tag, -1};
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare_entities(&file->entities[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const tn_gmsh_entity *first = file->entities + low;
    *count = 0;
    while (low + *count < file->n_entities && first[*count].dimension == dimension && first[*count].tag == tag) {
        ++*count;
    }
    return first;
}

static bool read_element(tn_gmsh *file, const tn_gmsh_type *type, const tn_gmsh_entity *groups, int n_groups)
{
    int64_t tag = 0;
    int node[NODES_MAX];
    if (!tn_gmsh_size(file, "the number of an element", &tag)) {
        return false;
    }
    for (int i = 0; i < type->n_nodes; i++) {
        if (!tn_gmsh_size(file, "a node of an element", &tag)) {
            return false;
        }
        node[i] = tn_draft_find_node(file->draft, file->source, tag);
        if (node[i] < 0) {
            return false;
        }
        for (int g = 0; g < n_groups; g++) {
            if (!tn_draft_add_member(file->draft, file->source, groups[g].group, node[i])) {
                return false;
            }
        }
    }
    return type->type != TN_GMSH_TET || tn_draft_add_tet(file->draft, file->source, node);
}

static bool read_element_block(tn_gmsh *file, int64_t left, int64_t *count)
{
    int64_t dimension = 0, tag = 0, kind = 0;
    if (!tn_gmsh_int(file, "the dimension of an entity", &dimension) ||
        !tn_gmsh_int(file, "the number of an entity", &tag) || !tn_gmsh_int(file, "the type of elements", &kind) ||
        !tn_gmsh_size(file, "a number of elements", count)) {
        return false;
    }
    const tn_gmsh_type *type = tn_gmsh_type_find(kind);
    if (!tn_gmsh_type_check(file->source, type, kind)) {
        return false;
    }
    if (*count > left) {
        return too_many(file, "elements", *count, left);
    }
    int n_groups = 0;
    const tn_gmsh_entity *groups = NULL;
    if (file->n_entities) {
        groups = find_groups(file, (int)dimension, tag, &n_groups);
    }
    for (int64_t i = 0; i < *count; i++) {
        if (!read_element(file, type, groups, n_groups)) {
            return false;
        }
    }
    return true;
}

bool tn_gmsh4_elements(tn_gmsh *file)
{
    int64_t n_blocks = 0, n = 0, done = 0;
    if (!read_counts(file, "the number of elements", &n_blocks, &n) ||
        !tn_gmsh_holds(file, "elements", n, 2, 2 * (size_t)file->size_bytes)) {
        return false;
    }
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t count = 0;
        if (!read_element_block(file, n - done, &count)) {
            return false;
        }
        done += count;
    }
    return done == n || tn_source_fail(file->source, "the blocks have %lld elements, the section claims %lld",
                                       (long long)done, (long long)n);
}
