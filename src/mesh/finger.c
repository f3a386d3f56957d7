// Finger: a tapered block of cells; the notches' cells are left out, every second line of the palm is raised.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/limits.h"
#include "mesh/tet.h"

#include <stdbool.h>

// Part of a solid section's length that a notch is wide.
static const double NOTCH_WIDTH = 1.0 / 3.0;
// Height of a ridge as a part of the thickness, and at most as a part of the cell below it.
static const double RIDGE_HEIGHT = 0.04, RIDGE_CELL = 0.25;

// The block with its notches still full. Along z, solid sections of n[1] cells and notches of n_notch cells alternate.
typedef struct block {
    const tn_mesh_finger_options *options;
    int n[3];      // cells along x, y, z
    int back;      // cells along x that a notch takes
    int n_notch;   // cells along z of a notch
    double *z;     // (n[2] + 1) lines [m]
    bool *notched; // (n[2]) cells along z inside a notch
} block;

static tn_status check(const tn_mesh_finger_options *o, tn_error *error)
{
    const double size[4] = {o->length, o->width, o->thickness_root, o->thickness_tip};
    for (int i = 0; i < 4; i++) {
        if (!(size[i] > 0.0) || !isfinite(size[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "the sizes of a finger must be positive, not %g", size[i]);
        }
    }
    if (o->divisions[0] < 1 || o->divisions[1] < 1 || o->divisions[2] < 1 || o->notches < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "a finger has at least 1 division along each axis, and 0 notches");
    }
    if (o->notches > 0 && (!(o->notch_depth > 0.0 && o->notch_depth <= 0.7) || o->divisions[0] < 2)) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "notches need a depth above 0 and up to 0.7 of the thickness, and 2 divisions along x");
    }
    double cells = (double)o->divisions[0] * o->divisions[1] * o->divisions[2] * (2.0 * o->notches + 1.0);
    if (12.0 * cells > TN_MESH_NODES_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "a finger of %.3g cells is too large", cells);
    }
    return TN_OK;
}

static bool layout(const tn_mesh_finger_options *o, block *b)
{
    *b = (block){.options = o, .n = {o->divisions[0], o->divisions[1], 0}};
    b->n_notch = (o->divisions[2] + 2) / 3;
    b->n[2] = (o->notches + 1) * o->divisions[2] + o->notches * b->n_notch;
    if (o->notches > 0) {
        int back = (int)floor(o->divisions[0] * o->notch_depth + 0.5);
        b->back = back < 1 ? 1 : back > o->divisions[0] - 1 ? o->divisions[0] - 1 : back;
    }
    b->z = tn_malloc(((size_t)b->n[2] + 1) * sizeof *b->z);
    b->notched = tn_malloc((size_t)b->n[2] * sizeof *b->notched);
    if (!b->z || !b->notched) {
        return false;
    }
    double solid = o->length / (o->notches + 1 + NOTCH_WIDTH * o->notches);
    double start = 0.0;
    int line = 0;
    for (int section = 0; section <= 2 * o->notches; section++) {
        bool notch = section % 2 == 1;
        int cells = notch ? b->n_notch : o->divisions[2];
        double length = notch ? NOTCH_WIDTH * solid : solid;
        for (int i = 0; i < cells; i++, line++) {
            b->z[line] = start + i * length / cells;
            b->notched[line] = notch;
        }
        start += length;
    }
    b->z[line] = o->length;
    return true;
}

// Whether cell i of layer k belongs to a notch.
static bool is_open(const block *b, int i, int k)
{
    return b->notched[k] && i < b->back;
}

// x of grid line i at height z: the notches' bottom is a grid line.
static double line_x(const block *b, int i, int k)
{
    const tn_mesh_finger_options *o = b->options;
    double thickness = o->thickness_root + (o->thickness_tip - o->thickness_root) * b->z[k] / o->length;
    double depth = b->back ? o->notch_depth : 0.0;
    double cell = (1.0 - depth) / (b->n[0] - b->back);
    double part = i < b->back ? depth * i / b->back : depth + (i - b->back) * cell;
    if (i == b->n[0]) {
        bool ridge = k % 2 == 1 && k < b->n[2];
        part = 1.0 + (ridge ? fmin(RIDGE_HEIGHT, RIDGE_CELL * cell) : 0.0);
    }
    return thickness * part;
}

static int node_number(const block *b, int i, int j, int k)
{
    return i + (b->n[0] + 1) * (j + (b->n[1] + 1) * k);
}

// Tetrahedra with the block's node numbers; tets NULL: only counted.
static int cut(const block *b, int *tets)
{
    int n = 0;
    for (int k = 0; k < b->n[2]; k++) {
        for (int j = 0; j < b->n[1]; j++) {
            for (int i = is_open(b, 0, k) ? b->back : 0; i < b->n[0]; i++, n += 6) {
                int corner[8];
                for (int c = 0; c < 8; c++) {
                    corner[c] = node_number(b, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                }
                if (tets) {
                    tn_cell_cut(corner, tets + 4 * (size_t)n);
                }
            }
        }
    }
    return n;
}

// A node is there when one of the cells around it is.
static bool is_used(const block *b, int i, int k)
{
    bool below = k > 0 && !is_open(b, i, k - 1);
    bool above = k < b->n[2] && !is_open(b, i, k);
    return below || above;
}

// number (block's nodes) gets the new numbers; nodes NULL: only counted.
static int place_nodes(const block *b, int *number, double *nodes)
{
    int n = 0;
    for (int k = 0; k <= b->n[2]; k++) {
        for (int j = 0; j <= b->n[1]; j++) {
            for (int i = 0; i <= b->n[0]; i++) {
                if (!is_used(b, i, k)) {
                    continue;
                }
                if (nodes) {
                    double y = (2 * j - b->n[1]) * b->options->width / (2 * b->n[1]);
                    tn_vec3_set(nodes + 3 * (size_t)n, line_x(b, i, k), y, b->z[k]);
                }
                number[node_number(b, i, j, k)] = n++;
            }
        }
    }
    return n;
}

static tn_status fill(const block *b, tn_arena *arena, tn_mesh *out)
{
    size_t all = (size_t)(b->n[0] + 1) * (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1);
    int *number = tn_malloc(all * sizeof *number);
    if (!number) {
        return TN_NO_MEMORY;
    }
    int n_nodes = place_nodes(b, number, NULL);
    int n_tets = cut(b, NULL);
    double *nodes = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    int *tets = TN_PUSH(arena, int, 4 * (size_t)n_tets);
    if (nodes && tets) {
        place_nodes(b, number, nodes);
        cut(b, tets);
        for (int i = 0; i < 4 * n_tets; i++) {
            tets[i] = number[tets[i]];
        }
    }
    tn_free(number);
    *out = (tn_mesh){.n_nodes = n_nodes, .nodes = nodes, .n_tets = n_tets, .tets = tets};
    return nodes && tets ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_mesh_finger(const tn_mesh_finger_options *options, tn_arena *arena, tn_mesh *out, tn_error *error)
{
    block b;
    tn_status status = check(options, error);
    if (status != TN_OK) {
        return status;
    }
    status = layout(options, &b) ? fill(&b, arena, out) : TN_NO_MEMORY;
    tn_free(b.z);
    tn_free(b.notched);
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for a finger");
}
