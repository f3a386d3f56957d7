// The binary half of a glTF file: accessors, each with a stretch of the buffer of its own; view/gltf.c writes the rest.
#pragma once

#include "view/view.h"

// Numbers of the specification (Khronos glTF 2.0, 3.6 and 5.1).
enum { GLTF_UINT = 5125, GLTF_FLOAT = 5126, GLTF_VERTICES = 34962, GLTF_INDICES = 34963 };

typedef struct gltf_accessor {
    size_t offset, bytes; // in the buffer
    long count;
    int width;  // numbers an element: 1 to 4
    int type;   // GLTF_UINT or GLTF_FLOAT; 0: bytes, no numbers
    int target; // GLTF_VERTICES, GLTF_INDICES; 0: animation
    bool bounded;
    double low[3], high[3]; // where bounded
} gltf_accessor;

typedef struct gltf_data {
    FILE *file; // the buffer, while it grows
    size_t size;
    int n, room;
    gltf_accessor *accessor; // (n)
    bool failed;             // no memory, or the disk is full
} gltf_data;

bool gltf_data_open(gltf_data *data);
void gltf_data_close(gltf_data *data);
// Appends count elements and returns the accessor's number. bounded: with the least and largest of each of the first
// three numbers, as positions and times need.
int gltf_add_floats(gltf_data *data, int target, int width, long count, const float *x, bool bounded);
int gltf_add_indices(gltf_data *data, long count, const uint32_t *index);
// Bytes that are no numbers; the last thing to be added. Returns the number of their bufferView.
int gltf_add_bytes(gltf_data *data, size_t n, const unsigned char *bytes);
// The whole buffer to out.
bool gltf_data_copy(gltf_data *data, FILE *out);
