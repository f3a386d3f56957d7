// Mesh files in memory, written after the formats' own descriptions: what the readers' tests and corpora are made of.
#pragma once

#include "mesh/mesh.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh_text {
    char *data; // data[size] is NUL
    size_t size, room;
    bool binary; // numbers
    bool other;  // numbers in the other byte order than this machine's
} mesh_text;

// Which variant of a format: binary, byte order, numbers of nodes.
typedef struct mesh_variant {
    bool binary, other;
    int base;       // number of the first node
    int stride;     // from one node's number to the next
    int size_bytes; // Gmsh 4.1
    int version;    // VTK: 2 to 5
} mesh_variant;

static inline void put_bytes(mesh_text *t, const void *bytes, size_t n)
{
    if (t->size + n + 1 > t->room) {
        t->room = 2 * (t->size + n + 1);
        t->data = realloc(t->data, t->room);
    }
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
    t->data[t->size] = 0;
}

static inline void put(mesh_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void put(mesh_text *t, const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    put_bytes(t, line, (size_t)n);
}

static inline void put_number(mesh_text *t, const void *number, size_t n)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < n; i++) {
        bytes[i] = ((const unsigned char *)number)[t->other ? n - 1 - i : i];
    }
    put_bytes(t, bytes, n);
}

static inline void put_int(mesh_text *t, int32_t value)
{
    if (t->binary) {
        put_number(t, &value, sizeof value);
    } else {
        put(t, "%d ", value);
    }
}

static inline void put_size(mesh_text *t, int64_t value, int bytes)
{
    if (t->binary && bytes == 8) {
        put_number(t, &value, sizeof value);
    } else {
        put_int(t, (int32_t)value);
    }
}

static inline void put_double(mesh_text *t, double value)
{
    if (t->binary) {
        put_number(t, &value, sizeof value);
    } else {
        put(t, "%.17g ", value);
    }
}

static inline void put_float(mesh_text *t, float value)
{
    if (t->binary) {
        put_number(t, &value, sizeof value);
    } else {
        put(t, "%.9g ", (double)value);
    }
}

static inline void put_line_end(mesh_text *t)
{
    if (!t->binary) {
        put(t, "\n");
    }
}

static inline int node_tag(const mesh_variant *v, int node)
{
    return v->base + v->stride * node;
}

static inline void write_gmsh_head(mesh_text *t, const mesh_variant *v, const char *version)
{
    put(t, "$MeshFormat\n%s %d %d\n", version, v->binary, v->size_bytes ? v->size_bytes : 8);
    t->binary = v->binary;
    t->other = v->other;
    if (v->binary) {
        put_int(t, 1);
        put(t, "\n");
    }
    put(t, "$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"the skin\"\n3 9 \"flesh\"\n$EndPhysicalNames\n");
}

static inline void write_gmsh22_element(mesh_text *t, const mesh_variant *v, int number, int n, const int *nodes)
{
    if (!v->binary) {
        put(t, "%d %d 2 %d 1 ", number, n == 3 ? 2 : 4, n == 3 ? 7 : 9);
    } else {
        const int head[3] = {number, n == 3 ? 7 : 9, 1};
        for (int i = 0; i < 3; i++) {
            put_int(t, head[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        put_int(t, node_tag(v, nodes[i]));
    }
    put_line_end(t);
}

// Surface triangles are in the group "the skin", tetrahedra in "flesh".
static inline void write_gmsh22(mesh_text *t, const mesh_variant *v, const tn_mesh *mesh, const tn_mesh_surface *skin)
{
    write_gmsh_head(t, v, "2.2");
    put(t, "$Nodes\n%d\n", mesh->n_nodes);
    for (int i = 0; i < mesh->n_nodes; i++) {
        put_int(t, node_tag(v, i));
        for (int k = 0; k < 3; k++) {
            put_double(t, mesh->nodes[3 * i + k]);
        }
        put_line_end(t);
    }
    put(t, "\n$EndNodes\n$Elements\n%d\n", skin->n_faces + mesh->n_tets);
    const int counts[2] = {skin->n_faces, mesh->n_tets};
    for (int kind = 0, number = 1; kind < 2; kind++) {
        if (v->binary) {
            put_int(t, kind ? 4 : 2);
            put_int(t, counts[kind]);
            put_int(t, 2);
        }
        for (int e = 0; e < counts[kind]; e++) {
            write_gmsh22_element(t, v, number++, 3 + kind, kind ? mesh->tets + 4 * e : skin->faces + 3 * e);
        }
    }
    put(t, "\n$EndElements\n");
}

static inline void write_gmsh41_entity(mesh_text *t, const mesh_variant *v, int dimension, int tag, int physical)
{
    put_int(t, tag);
    for (int i = 0; i < 6; i++) {
        put_double(t, 0.5);
    }
    put_size(t, 1, v->size_bytes);
    put_int(t, physical);
    put_size(t, dimension == 3, v->size_bytes);
    if (dimension == 3) {
        put_int(t, 1);
    }
    put_line_end(t);
}

static inline void write_gmsh41(mesh_text *t, const mesh_variant *v, const tn_mesh *mesh, const tn_mesh_surface *skin)
{
    const int n[2] = {skin->n_faces, mesh->n_tets};
    const int b = v->size_bytes;
    write_gmsh_head(t, v, "4.1");
    put(t, "$Entities\n");
    for (int d = 0; d < 4; d++) {
        put_size(t, d >= 2, b);
    }
    write_gmsh41_entity(t, v, 2, 1, 7);
    write_gmsh41_entity(t, v, 3, 1, 9);
    put(t, "\n$EndEntities\n$Nodes\n");
    const int first = mesh->n_nodes / 2; // two blocks, the first one with a parameter behind each node
    const int64_t head[4] = {2, mesh->n_nodes, node_tag(v, 0), node_tag(v, mesh->n_nodes - 1)};
    for (int i = 0; i < 4; i++) {
        put_size(t, head[i], b);
    }
    put_line_end(t);
    for (int block = 0; block < 2; block++) {
        int from = block ? first : 0;
        int to = block ? mesh->n_nodes : first;
        put_int(t, block ? 3 : 1);
        put_int(t, 1);
        put_int(t, !block);
        put_size(t, to - from, b);
        put_line_end(t);
        for (int i = from; i < to; i++) {
            put_size(t, node_tag(v, i), b);
            put_line_end(t);
        }
        for (int i = from; i < to; i++) {
            for (int k = 0; k < (block ? 3 : 4); k++) {
                put_double(t, k < 3 ? mesh->nodes[3 * i + k] : 0.25);
            }
            put_line_end(t);
        }
    }
    put(t, "\n$EndNodes\n$Elements\n");
    const int64_t counts[4] = {2, n[0] + n[1], 1, n[0] + n[1]};
    for (int i = 0; i < 4; i++) {
        put_size(t, counts[i], b);
    }
    put_line_end(t);
    for (int kind = 0, number = 1; kind < 2; kind++) {
        put_int(t, 2 + kind);
        put_int(t, 1);
        put_int(t, kind ? 4 : 2);
        put_size(t, n[kind], b);
        put_line_end(t);
        for (int e = 0; e < n[kind]; e++) {
            put_size(t, number++, b);
            for (int i = 0; i < 3 + kind; i++) {
                put_size(t, node_tag(v, kind ? mesh->tets[4 * e + i] : skin->faces[3 * e + i]), b);
            }
            put_line_end(t);
        }
    }
    put(t, "\n$EndElements\n");
}

// Nodes with an attribute and a marker, 5 on the surface; comments here and there.
static inline void write_tetgen(mesh_text *nodes, mesh_text *tets, const mesh_variant *v, const tn_mesh *mesh,
                                const tn_mesh_surface *skin)
{
    put(nodes, "# nodes of a test\n%d 3 1 1\n", mesh->n_nodes);
    for (int i = 0, s = 0; i < mesh->n_nodes; i++) {
        bool outside = s < skin->n_vertices && skin->vertices[s] == i;
        s += outside;
        put(nodes, "  %d  %.17g %.17g %.17g  1.5 %d%s\n", node_tag(v, i), mesh->nodes[3 * i], mesh->nodes[3 * i + 1],
            mesh->nodes[3 * i + 2], outside ? 5 : 0, i == 2 ? " # the third" : "");
    }
    put(tets, "%d 4 1\n", mesh->n_tets);
    for (int e = 0; e < mesh->n_tets; e++) {
        const int *tet = mesh->tets + 4 * e;
        put(tets, "%d %d %d %d %d 12\n", v->base + e, node_tag(v, tet[0]), node_tag(v, tet[1]), node_tag(v, tet[2]),
            node_tag(v, tet[3]));
    }
    put(tets, "# the end\n");
}

// Points in float for version 2, else double. A triangle comes first; a field and attributes stand around.
static inline void write_vtk(mesh_text *t, const mesh_variant *v, const tn_mesh *mesh, const tn_mesh_surface *skin)
{
    const int n = mesh->n_tets + 1;
    const uint16_t probe = 1;
    put(t, "# vtk DataFile Version %d.%d\na title\n%s\nDATASET UNSTRUCTURED_GRID\n", v->version, v->version == 5,
        v->binary ? "BINARY" : "ASCII");
    t->binary = v->binary;
    t->other = *(const unsigned char *)&probe == 1;
    put(t, "FIELD FieldData 1\nTIME 1 2 double\n");
    put_double(t, 0.5);
    put_double(t, 1.5);
    put(t, "\nPOINTS %d %s\n", mesh->n_nodes, v->version == 2 ? "float" : "double");
    for (int i = 0; i < 3 * mesh->n_nodes; i++) {
        if (v->version == 2) {
            put_float(t, (float)mesh->nodes[i]);
        } else {
            put_double(t, mesh->nodes[i]);
        }
    }
    put(t, "\n%s", v->version == 5 ? "METADATA\nINFORMATION 0\n\n" : "");
    if (v->version == 5) {
        put(t, "CELLS %d %d\nOFFSETS vtktypeint64\n", n + 1, 3 + 4 * mesh->n_tets);
        for (int c = 0; c <= n; c++) {
            put_size(t, c ? 3 + 4 * (c - 1) : 0, 8);
        }
        put(t, "\nCONNECTIVITY vtktypeint64\n");
    } else {
        put(t, "CELLS %d %d\n", n, 4 + 5 * mesh->n_tets);
    }
    for (int c = 0; c < n; c++) {
        if (v->version != 5) {
            put_int(t, c ? 4 : 3);
        }
        for (int i = 0; i < (c ? 4 : 3); i++) {
            put_size(t, c ? mesh->tets[4 * (c - 1) + i] : skin->faces[i], v->version == 5 ? 8 : 4);
        }
    }
    put(t, "\nCELL_TYPES %d\n", n);
    for (int c = 0; c < n; c++) {
        put_int(t, c ? 10 : 5);
    }
    put(t, "\nCELL_DATA %d\nSCALARS a int 1\nLOOKUP_TABLE default\n", n);
}
