// Gmsh's format 2.2: nodes and elements; an element carries its physical group itself.
//
// An element of several physical groups stands in the file once for each, so a tetrahedron that was read with another
// group before is dropped.
#include "base/memory.h"
#include "base/order.h"
#include "mesh/gmsh.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 125, TAGS_MAX = 1000 };

// Physical groups of the tetrahedra as they are read.
typedef struct solid_list {
    int n, room;
    int *group; // (n) of each tetrahedron, -1: none
    bool mixed; // more than one group: some may be there twice
} solid_list;

// The counts are words also in binary files, with the binary numbers behind their line.
static bool read_count(tn_gmsh *file, const char *what, int64_t *n)
{
    return tn_source_integer(file->source, what, 0, INT32_MAX, n) &&
           (!file->binary || tn_source_end_line(file->source));
}

bool tn_gmsh2_nodes(tn_gmsh *file)
{
    int64_t n = 0;
    if (!read_count(file, "the number of nodes", &n)) {
        return false;
    }
    file->source->binary = file->binary;
    if (!tn_gmsh_holds(file, "nodes", n, 4, 28) || !tn_draft_reserve_nodes(file->draft, file->source, n)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        double *x = file->draft->nodes + 3 * i;
        if (!tn_gmsh_int(file, "the number of a node", &file->draft->tags.tag[i]) ||
            !tn_gmsh_double(file, "a coordinate", &x[0]) || !tn_gmsh_double(file, "a coordinate", &x[1]) ||
            !tn_gmsh_double(file, "a coordinate", &x[2])) {
            return false;
        }
    }
    return tn_draft_index_nodes(file->draft, file->source);
}

static bool note_group(tn_gmsh *file, solid_list *solids, int group)
{
    int *longer = tn_grown(solids->group, solids->n, &solids->room, sizeof *longer);
    if (!longer) {
        return tn_source_no_memory(file->source);
    }
    solids->group = longer;
    solids->mixed = solids->mixed || (solids->n > 0 && group != solids->group[0]);
    solids->group[solids->n++] = group;
    return true;
}

// What follows the element's number and type: tags (the first is the physical group) and nodes.
static bool read_element(tn_gmsh *file, const tn_gmsh_type *type, int64_t n_tags, solid_list *solids)
{
    int64_t physical = 0;
    int node[NODES_MAX];
    for (int64_t i = 0; i < n_tags; i++) {
        int64_t tag = 0;
        if (!tn_gmsh_int(file, "a tag of an element", &tag)) {
            return false;
        }
        physical = i == 0 ? tag : physical;
    }
    for (int i = 0; i < type->n_nodes; i++) {
        int64_t tag = 0;
        if (!tn_gmsh_int(file, "a node of an element", &tag)) {
            return false;
        }
        node[i] = tn_draft_find_node(file->draft, file->source, tag);
        if (node[i] < 0) {
            return false;
        }
    }
    int group = -1;
    if (physical != 0) {
        group = tn_draft_group_of(file->draft, file->source, type->dimension, physical);
        for (int i = 0; group >= 0 && i < type->n_nodes; i++) {
            if (!tn_draft_add_member(file->draft, file->source, group, node[i])) {
                return false;
            }
        }
        if (group < 0) {
            return false;
        }
    }
    return type->type != TN_GMSH_TET ||
           (note_group(file, solids, group) && tn_draft_add_tet(file->draft, file->source, node));
}

// number type n_tags tags nodes
static bool read_words(tn_gmsh *file, int64_t n, solid_list *solids)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t number = 0, kind = 0, n_tags = 0;
        if (!tn_gmsh_int(file, "the number of an element", &number) ||
            !tn_gmsh_int(file, "the type of an element", &kind) ||
            !tn_source_integer(file->source, "the number of tags", 0, TAGS_MAX, &n_tags)) {
            return false;
        }
        const tn_gmsh_type *type = tn_gmsh_type_find(kind);
        if (!tn_gmsh_type_check(file->source, type, kind) || !read_element(file, type, n_tags, solids)) {
            return false;
        }
    }
    return true;
}

// Blocks: type, number of elements, number of tags; then number, tags, nodes of each.
static bool read_blocks(tn_gmsh *file, int64_t n, solid_list *solids)
{
    for (int64_t i = 0; i < n;) {
        int64_t kind = 0, count = 0, n_tags = 0, number = 0;
        if (!tn_gmsh_int(file, "the type of elements", &kind) || !tn_gmsh_int(file, "a number of elements", &count) ||
            !tn_gmsh_int(file, "a number of tags", &n_tags)) {
            return false;
        }
        const tn_gmsh_type *type = tn_gmsh_type_find(kind);
        if (!tn_gmsh_type_check(file->source, type, kind)) {
            return false;
        }
        if (count < 1 || count > n - i || n_tags < 0 || n_tags > TAGS_MAX) {
            return tn_source_fail(file->source, "a block of %lld elements with %lld tags: the file is damaged",
                                  (long long)count, (long long)n_tags);
        }
        for (int64_t end = i + count; i < end; i++) {
            if (!tn_gmsh_int(file, "the number of an element", &number) || !read_element(file, type, n_tags, solids)) {
                return false;
            }
        }
    }
    return true;
}

// A tetrahedron's nodes ascending, with its place in the file.
typedef struct key {
    int node[4], tet;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *p = a, *q = b;
    int order = tn_order_lists(4, p->node, q->node);
    return order ? order : TN_ORDER(p->tet, q->tet);
}

// Drops tetrahedra that were read before with another group. Those of the same group stay for the check to find.
static bool drop_repeats(tn_gmsh *file, const solid_list *solids)
{
    tn_draft *draft = file->draft;
    const int first = draft->n_tets - solids->n; // this section's
    int *tets = draft->tets + 4 * (size_t)first;
    key *keys = tn_malloc((size_t)solids->n * sizeof *keys);
    bool *drop = tn_calloc((size_t)solids->n, sizeof *drop);
    if (!keys || !drop) {
        tn_free(keys);
        tn_free(drop);
        return tn_source_no_memory(file->source);
    }
    for (int t = 0; t < solids->n; t++) {
        memcpy(keys[t].node, tets + 4 * (size_t)t, sizeof keys[t].node);
        qsort(keys[t].node, 4, sizeof *keys[t].node, tn_order_ints);
        keys[t].tet = t;
    }
    qsort(keys, (size_t)solids->n, sizeof *keys, compare_keys);
    for (int i = 1; i < solids->n; i++) {
        bool same = memcmp(keys[i].node, keys[i - 1].node, sizeof keys[i].node) == 0;
        drop[keys[i].tet] = same && solids->group[keys[i].tet] != solids->group[keys[i - 1].tet];
    }
    int kept = 0;
    for (int t = 0; t < solids->n; t++) {
        if (!drop[t]) {
            memmove(tets + 4 * (size_t)kept++, tets + 4 * (size_t)t, 4 * sizeof *tets);
        }
    }
    draft->n_tets = first + kept;
    tn_free(keys);
    tn_free(drop);
    return true;
}

bool tn_gmsh2_elements(tn_gmsh *file)
{
    int64_t n = 0;
    if (!read_count(file, "the number of elements", &n)) {
        return false;
    }
    file->source->binary = file->binary;
    if (!tn_gmsh_holds(file, "elements", n, 4, 8)) {
        return false;
    }
    solid_list solids = {0};
    bool ok = file->binary ? read_blocks(file, n, &solids) : read_words(file, n, &solids);
    ok = ok && (!solids.mixed || drop_repeats(file, &solids));
    tn_free(solids.group);
    return ok;
}
