// A mesh while it is read: nodes by the file's numbers, tetrahedra, named groups of nodes.
#pragma once

#include "mesh/mesh.h"
#include "mesh/source.h"

// Node numbers of a file to indices.
typedef struct tn_tags {
    int n;
    int64_t *tag;  // (n) by index
    bool in_order; // tag[i] = tag[0] + i: no search needed
    int *sorted;   // (n) indices by tag, unless in order
} tn_tags;

typedef struct tn_draft_group {
    char name[128];
    int dimension; // 0 to 3, of the physical group
    int64_t tag;
} tn_draft_group;

typedef struct tn_draft {
    int n_nodes;   // n_nodes of room_nodes are there
    double *nodes; // (n_nodes, 3)
    tn_tags tags;
    int n_tets, room_tets;
    int *tets; // (n_tets, 4) indices
    int n_groups, room_groups;
    int last_group; // found last: elements come in runs
    tn_draft_group *groups;
    int n_members, room_members;
    int *members; // (n_members, 2) group, node; may repeat
} tn_draft;

void tn_draft_free(tn_draft *draft);

// Room for n nodes in all; nodes and tags are then filled by index. False with the error set: no memory.
bool tn_draft_reserve_nodes(tn_draft *draft, const tn_source *source, int64_t n);
// After all tags are there: false when a number occurs twice.
bool tn_draft_index_nodes(tn_draft *draft, const tn_source *source);
// Index of the node with this number, -1 with the error set: there is none.
int tn_draft_find_node(const tn_draft *draft, const tn_source *source, int64_t tag);

bool tn_draft_add_tet(tn_draft *draft, const tn_source *source, const int tet[4]);
// Group of this dimension and number, made if it is not there; -1: no memory.
int tn_draft_group_of(tn_draft *draft, const tn_source *source, int dimension, int64_t tag);
bool tn_draft_add_member(tn_draft *draft, const tn_source *source, int group, int node);

// The mesh: scaled, tetrahedra turned, nodes of none dropped, groups by name (those of one name joined), checked.
tn_status tn_draft_finish(const tn_draft *draft, const char *path, double scale, tn_arena *arena, tn_mesh *out,
                          tn_error *error);
