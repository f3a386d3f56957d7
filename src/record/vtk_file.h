// VTK's XML files: arrays in base64, little-endian as the file says, 32-bit header.
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef enum tn_vtk_type { TN_VTK_FLOAT32, TN_VTK_INT32, TN_VTK_UINT8 } tn_vtk_type;

void tn_vtk_begin(FILE *out, long n_points, long n_cells); // to inside <Piece>
void tn_vtk_end(FILE *out);
// n numbers of a named array with n_components a tuple. name must need no escape.
void tn_vtk_array(FILE *out, const char *name, tn_vtk_type type, int n_components, size_t n, const void *data);
