// What was read becomes a mesh: only the nodes in use, tetrahedra turned to positive volume, groups by name.
#include "base/memory.h"
#include "base/order.h"
#include "mesh/draft.h"
#include "mesh/tet.h"

#include <stdlib.h>
#include <string.h>

// number (n_nodes) gets each used node's new number, -1 for the others. Returns how many are used.
static int number_nodes(const tn_draft *draft, int *number)
{
    for (int i = 0; i < draft->n_nodes; i++) {
        number[i] = -1;
    }
    for (size_t i = 0; i < 4 * (size_t)draft->n_tets; i++) {
        number[draft->tets[i]] = 0;
    }
    int n = 0;
    for (int i = 0; i < draft->n_nodes; i++) {
        number[i] = number[i] == 0 ? n++ : -1;
    }
    return n;
}

static void fill_nodes(const tn_draft *draft, const int *number, double scale, double *nodes)
{
    for (int i = 0; i < draft->n_nodes; i++) {
        for (int k = 0; k < 3 && number[i] >= 0; k++) {
            nodes[3 * (size_t)number[i] + (size_t)k] = scale * draft->nodes[3 * (size_t)i + (size_t)k];
        }
    }
}

static void fill_tets(const tn_draft *draft, const int *number, const double *nodes, int *tets)
{
    for (int t = 0; t < draft->n_tets; t++, tets += 4) {
        for (int i = 0; i < 4; i++) {
            tets[i] = number[draft->tets[4 * (size_t)t + (size_t)i]];
        }
        if (tn_tet_volume(nodes, tets) < 0.0) {
            int corner = tets[2];
            tets[2] = tets[3];
            tets[3] = corner;
        }
    }
}

// Group `as` of several with one name: the first of them.
static int first_of_name(const tn_draft *draft, int group)
{
    int first = 0;
    while (strcmp(draft->groups[first].name, draft->groups[group].name) != 0) {
        first++;
    }
    return first;
}

// Members sorted by group and node, each once. Returns their number; pairs (n_members, 2) is scratch.
static int sort_members(const tn_draft *draft, const int *number, const int *as, int *start, int *nodes)
{
    const int n_groups = draft->n_groups;
    memset(start, 0, ((size_t)n_groups + 1) * sizeof *start);
    for (int m = 0; m < draft->n_members; m++) {
        start[as[draft->members[2 * (size_t)m]] + 1] += number[draft->members[2 * (size_t)m + 1]] >= 0;
    }
    for (int g = 0; g < n_groups; g++) {
        start[g + 1] += start[g];
    }
    for (int m = 0; m < draft->n_members; m++) {
        int node = number[draft->members[2 * (size_t)m + 1]];
        if (node >= 0) {
            nodes[start[as[draft->members[2 * (size_t)m]]]++] = node;
        }
    }
    // The filling moved each start to its end; sort and drop repeats.
    int n = 0;
    for (int g = 0, from = 0; g < n_groups; g++) {
        int end = start[g];
        qsort(nodes + from, (size_t)(end - from), sizeof *nodes, tn_order_ints);
        start[g] = n;
        for (int i = from; i < end; i++) {
            if (i == from || nodes[i] != nodes[i - 1]) {
                nodes[n++] = nodes[i];
            }
        }
        from = end;
    }
    start[n_groups] = n;
    return n;
}

static bool copy_groups(const tn_draft *draft, const int *start, const int *nodes, tn_arena *arena, tn_mesh *out)
{
    tn_mesh_group *groups = TN_PUSH(arena, tn_mesh_group, draft->n_groups);
    int *all = TN_PUSH(arena, int, start[draft->n_groups]);
    if (!groups || !all) {
        return false;
    }
    memcpy(all, nodes, (size_t)start[draft->n_groups] * sizeof *all);
    for (int g = 0; g < draft->n_groups; g++) {
        int n = start[g + 1] - start[g];
        if (n == 0) {
            continue; // without nodes of tetrahedra, or joined to another group
        }
        size_t size = strlen(draft->groups[g].name) + 1;
        char *name = tn_arena_push(arena, size, 1);
        if (!name) {
            return false;
        }
        memcpy(name, draft->groups[g].name, size);
        groups[out->n_groups++] = (tn_mesh_group){name, n, all + start[g]};
    }
    out->groups = groups;
    return true;
}

static bool fill_groups(const tn_draft *draft, const int *number, tn_arena *arena, tn_mesh *out)
{
    int *as = tn_malloc((2 * (size_t)draft->n_groups + 1 + (size_t)draft->n_members) * sizeof *as);
    if (!as) {
        return false;
    }
    int *start = as + draft->n_groups;
    int *nodes = start + draft->n_groups + 1;
    for (int g = 0; g < draft->n_groups; g++) {
        as[g] = first_of_name(draft, g);
    }
    sort_members(draft, number, as, start, nodes);
    bool ok = copy_groups(draft, start, nodes, arena, out);
    tn_free(as);
    return ok;
}

static tn_status fill(const tn_draft *draft, double scale, int *number, tn_arena *arena, tn_mesh *out)
{
    int n_nodes = number_nodes(draft, number);
    double *nodes = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    int *tets = TN_PUSH(arena, int, 4 * (size_t)draft->n_tets);
    if (!nodes || !tets) {
        return TN_NO_MEMORY;
    }
    fill_nodes(draft, number, scale, nodes);
    fill_tets(draft, number, nodes, tets);
    *out = (tn_mesh){.n_nodes = n_nodes, .nodes = nodes, .n_tets = draft->n_tets, .tets = tets};
    return draft->n_groups == 0 || fill_groups(draft, number, arena, out) ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_draft_finish(const tn_draft *draft, const char *path, double scale, tn_arena *arena, tn_mesh *out,
                          tn_error *error)
{
    if (draft->n_tets == 0) {
        return tn_error_at(error, path, 0, 0,
                           "the file has no tetrahedra: mesh the volume (Gmsh: Mesh 3D, and save all elements)");
    }
    int *number = tn_malloc((size_t)draft->n_nodes * sizeof *number);
    tn_status status = number ? fill(draft, scale, number, arena, out) : TN_NO_MEMORY;
    tn_free(number);
    if (status != TN_OK) {
        return tn_error_set(error, status, "no memory for the mesh '%.200s'", path);
    }
    tn_error found = {0};
    status = tn_mesh_check(out, &found);
    if (status == TN_BAD_INPUT) {
        return tn_error_at(error, path, 0, 0, "%s (numbered from 0, unused nodes left out)", found.message);
    }
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "%s", found.message);
}
