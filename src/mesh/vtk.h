// What the parts of the VTK reader share.
#pragma once

#include "mesh/draft.h"

typedef struct tn_vtk_type {
    const char *name;
    int bytes; // in a binary file
    bool real;
} tn_vtk_type;

typedef struct tn_vtk {
    tn_source *source;
    tn_draft *draft;
    bool binary;
    int n_cells;
    int64_t *start; // (n_cells + 1) first node of each cell in nodes
    int *nodes;     // of all cells, one after the other
    int *kind;      // (n_cells)
} tn_vtk;

// Words.
bool tn_vtk_expect(tn_vtk *file, const char *text);
bool tn_vtk_type_of(tn_vtk *file, const tn_vtk_type **type);
// The data of a keyword's line: binary numbers begin behind the line's end; words again after the data.
bool tn_vtk_begin_data(tn_vtk *file);
void tn_vtk_end_data(tn_vtk *file);
// A whole number of the data, of 4 or 8 bytes.
bool tn_vtk_whole(tn_vtk *file, const char *what, int bytes, int64_t *value);
bool tn_vtk_holds(const tn_vtk *file, const char *what, int64_t n, int bytes);

// Sections after their keyword.
bool tn_vtk_cells(tn_vtk *file);
bool tn_vtk_kinds(tn_vtk *file);
// The tetrahedra among the cells, once all sections are read.
bool tn_vtk_add_tets(tn_vtk *file);
