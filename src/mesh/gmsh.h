// What the readers of Gmsh's versions share.
#pragma once

#include "mesh/draft.h"

// An element type: how many nodes, which dimension.
typedef struct tn_gmsh_type {
    int type, n_nodes, dimension, order;
    const char *name;
} tn_gmsh_type;

enum { TN_GMSH_TET = 4 };

const tn_gmsh_type *tn_gmsh_type_find(int64_t type); // NULL: unknown
// False with the error set for solids other than tetrahedra of four nodes. type may be NULL (unknown: an error).
bool tn_gmsh_type_check(const tn_source *source, const tn_gmsh_type *type, int64_t number);

typedef struct tn_gmsh {
    tn_source *source;
    tn_draft *draft;
    bool binary;                     // the file's numbers, within $Nodes, $Elements, $Entities
    int size_bytes;                  // of a size in binary files of version 4.1
    int n_entities;                  // version 4.1: physical groups of entities
    int room_entities;               //
    struct tn_gmsh_entity *entities; // (n_entities) sorted by dimension and tag, then group
} tn_gmsh;

// That the entity belongs to the physical group.
typedef struct tn_gmsh_entity {
    int dimension;
    int64_t tag;
    int group; // of the draft
} tn_gmsh_entity;

// Numbers as the file has them: words or binary.
bool tn_gmsh_int(tn_gmsh *file, const char *what, int64_t *value);   // binary: 4 bytes
bool tn_gmsh_size(tn_gmsh *file, const char *what, int64_t *value);  // binary: size_bytes; not negative
bool tn_gmsh_double(tn_gmsh *file, const char *what, double *value); // binary: 8 bytes
bool tn_gmsh_holds(const tn_gmsh *file, const char *what, int64_t count, size_t words, size_t bytes);

// The sections after their first line, up to their last one.
bool tn_gmsh2_nodes(tn_gmsh *file);
bool tn_gmsh2_elements(tn_gmsh *file);
bool tn_gmsh4_entities(tn_gmsh *file);
bool tn_gmsh4_nodes(tn_gmsh *file);
bool tn_gmsh4_elements(tn_gmsh *file);
