// VTK's XML files: arrays in base64, little-endian as the file says, 32-bit header.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum tn_vtk_type { TN_VTK_FLOAT32, TN_VTK_INT32, TN_VTK_UINT8 } tn_vtk_type;

typedef enum tn_vtk_cell_type {
    TN_VTK_VERTEX = 1,
    TN_VTK_POLYGON = 7,
    TN_VTK_QUAD = 9,
    TN_VTK_TETRA = 10
} tn_vtk_cell_type;

// path opened for writing; NULL with an error.
FILE *tn_vtk_open(const char *path, tn_error *error);
void tn_vtk_begin(FILE *out, long n_points, long n_cells);          // to inside <Piece>
tn_status tn_vtk_end(FILE *out, const char *path, tn_error *error); // and closes it; says whether all was written
// n numbers of a named array with n_components a tuple. name must need no escape.
void tn_vtk_array(FILE *out, const char *name, tn_vtk_type type, int n_components, size_t n, const void *data);
void tn_vtk_put_points(FILE *out, size_t n_points, const float *position); // (n_points, 3)
// Cells of one type: index (n_indices) points, offset (n_cells) each cell's end in it.
void tn_vtk_put_cells(FILE *out, size_t n_indices, const int *index, size_t n_cells, const int *offset,
                      tn_vtk_cell_type type);

// A collection, the list of files that ParaView opens; entries with tn_vtk_collection_add.
tn_status tn_vtk_collection_begin(const char *path, FILE **out, tn_error *error);
void tn_vtk_collection_add(FILE *out, double time, const char *file);
tn_status tn_vtk_collection_end(FILE *out, const char *path, tn_error *error);
