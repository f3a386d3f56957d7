#include "mesh/draft.h"

#include "base/memory.h"
#include "mesh/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tn_draft_free(tn_draft *draft)
{
    tn_free(draft->nodes);
    tn_free(draft->tags.tag);
    tn_free(draft->tags.sorted);
    tn_free(draft->tets);
    tn_free(draft->groups);
    tn_free(draft->members);
}

bool tn_draft_reserve_nodes(tn_draft *draft, const tn_source *source, int64_t n)
{
    if (n < 4 || n > TN_MESH_NODES_MAX) {
        return tn_source_fail(source, "a mesh has 4 to %d nodes, not %lld", TN_MESH_NODES_MAX, (long long)n);
    }
    if (draft->nodes) {
        return tn_source_fail(source, "the nodes come a second time");
    }
    draft->n_nodes = (int)n;
    draft->nodes = tn_calloc(3 * (size_t)n, sizeof *draft->nodes);
    draft->tags = (tn_tags){.n = (int)n, .tag = tn_calloc((size_t)n, sizeof *draft->tags.tag)};
    return (draft->nodes && draft->tags.tag) || tn_source_no_memory(source);
}

// qsort has no context argument, so the tags travel with the indices.
typedef struct tagged {
    int64_t tag;
    int index;
} tagged;

static int compare_tagged(const void *a, const void *b)
{
    const tagged *p = a;
    const tagged *q = b;
    return p->tag != q->tag ? (p->tag > q->tag) - (p->tag < q->tag) : (p->index > q->index) - (p->index < q->index);
}

static bool sort_tags(tn_tags *tags, const tn_source *source)
{
    tagged *list = tn_malloc((size_t)tags->n * sizeof *list);
    tags->sorted = tn_malloc((size_t)tags->n * sizeof *tags->sorted);
    if (!list || !tags->sorted) {
        tn_free(list);
        return tn_source_no_memory(source);
    }
    for (int i = 0; i < tags->n; i++) {
        list[i] = (tagged){tags->tag[i], i};
    }
    qsort(list, (size_t)tags->n, sizeof *list, compare_tagged);
    bool ok = true;
    for (int i = 0; i < tags->n; i++) {
        tags->sorted[i] = list[i].index;
        if (ok && i > 0 && list[i].tag == list[i - 1].tag) {
            ok = tn_source_fail(source, "node %lld occurs twice", (long long)list[i].tag);
        }
    }
    tn_free(list);
    return ok;
}

bool tn_draft_index_nodes(tn_draft *draft, const tn_source *source)
{
    tn_tags *tags = &draft->tags;
    tags->in_order = true;
    for (int i = 1; i < tags->n && tags->in_order; i++) {
        tags->in_order = tags->tag[i - 1] < INT64_MAX && tags->tag[i] == tags->tag[i - 1] + 1;
    }
    return tags->in_order || sort_tags(tags, source);
}

static int find_tag(const tn_tags *tags, int64_t tag)
{
    if (tags->in_order) {
        return tag >= tags->tag[0] && tag <= tags->tag[tags->n - 1] ? (int)(tag - tags->tag[0]) : -1;
    }
    int low = 0;
    int high = tags->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (tags->tag[tags->sorted[middle]] < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < tags->n && tags->tag[tags->sorted[low]] == tag ? tags->sorted[low] : -1;
}

int tn_draft_find_node(const tn_draft *draft, const tn_source *source, int64_t tag)
{
    int index = draft->n_nodes ? find_tag(&draft->tags, tag) : -1;
    if (index < 0) {
        tn_source_fail(source, "an element names node %lld, which the file does not have", (long long)tag);
    }
    return index;
}

bool tn_draft_add_tet(tn_draft *draft, const tn_source *source, const int tet[4])
{
    if (draft->n_tets >= TN_MESH_TETS_MAX) {
        return tn_source_fail(source, "more than %d tetrahedra", TN_MESH_TETS_MAX);
    }
    int *tets = tn_grown(draft->tets, draft->n_tets, &draft->room_tets, 4 * sizeof *tets);
    if (!tets) {
        return tn_source_no_memory(source);
    }
    draft->tets = tets;
    memcpy(draft->tets + 4 * (size_t)draft->n_tets++, tet, 4 * sizeof(int));
    return true;
}

int tn_draft_group_of(tn_draft *draft, const tn_source *source, int dimension, int64_t tag)
{
    enum { GROUPS_MAX = 1000 }; // searched one by one
    const int last = draft->last_group;
    if (last < draft->n_groups && draft->groups[last].dimension == dimension && draft->groups[last].tag == tag) {
        return last;
    }
    for (int g = 0; g < draft->n_groups; g++) {
        if (draft->groups[g].dimension == dimension && draft->groups[g].tag == tag) {
            draft->last_group = g;
            return g;
        }
    }
    if (draft->n_groups >= GROUPS_MAX) {
        tn_source_fail(source, "more than %d groups", GROUPS_MAX);
        return -1;
    }
    tn_draft_group *groups = tn_grown(draft->groups, draft->n_groups, &draft->room_groups, sizeof *groups);
    if (!groups) {
        tn_source_no_memory(source);
        return -1;
    }
    draft->groups = groups;
    tn_draft_group *group = &draft->groups[draft->n_groups];
    *group = (tn_draft_group){.dimension = dimension, .tag = tag};
    snprintf(group->name, sizeof group->name, "%lld", (long long)tag);
    return draft->n_groups++;
}

bool tn_draft_add_member(tn_draft *draft, const tn_source *source, int group, int node)
{
    int *members = tn_grown(draft->members, draft->n_members, &draft->room_members, 2 * sizeof *members);
    if (!members) {
        return tn_source_no_memory(source);
    }
    draft->members = members;
    int *pair = draft->members + 2 * (size_t)draft->n_members++;
    pair[0] = group;
    pair[1] = node;
    return true;
}
