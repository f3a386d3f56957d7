// Cylinder: disks of hexagonal rings, stacked; each prism between two disks cut into three tetrahedra.
#include "math/vec3.h"
#include "mesh/limits.h"
#include "mesh/mesh.h"

#include <stdbool.h>

typedef struct disk {
    int n_rings;
    int n_nodes; // 1 + 3 n (n + 1)
} disk;

// Node `step` of the 6 r nodes of ring r, counted from the center outwards.
static int ring_node(int r, int step)
{
    return r == 0 ? 0 : 1 + 3 * r * (r - 1) + step % (6 * r);
}

static void fill_nodes(const disk *d, double radius, double length, int along, double *x)
{
    const double turn = 2.0 * 3.14159265358979323846;
    for (int k = 0; k <= along; k++) {
        double z = (2 * k - along) * length / (2 * along);
        tn_vec3_set(x, 0.0, 0.0, z);
        x += 3;
        for (int r = 1; r <= d->n_rings; r++) {
            for (int step = 0; step < 6 * r; step++) {
                double angle = turn * step / (6 * r);
                double distance = radius * r / d->n_rings;
                tn_vec3_set(x, distance * cos(angle), distance * sin(angle), z);
                x += 3;
            }
        }
    }
}

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

// The prism over the triangle abc (counter-clockwise from above) of the disk that begins at node `first`. The diagonal
// of each side goes up from the lower to the higher node of the disk, so that neighbours agree.
static int *add_prism(int *tets, const disk *d, int first, int a, int b, int c)
{
    int p[3] = {a, b, c};
    bool odd = false;
    for (int pass = 0; pass < 3; pass++) {
        int i = pass % 2;
        if (p[i] > p[i + 1]) {
            swap(&p[i], &p[i + 1]);
            odd = !odd;
        }
    }
    int low[3], top[3];
    for (int i = 0; i < 3; i++) {
        low[i] = first + p[i];
        top[i] = first + p[i] + d->n_nodes;
    }
    const int cut[3][4] = {
        {low[0], low[1], low[2], top[2]}, {low[0], low[1], top[2], top[1]}, {low[0], top[0], top[1], top[2]}};
    for (int t = 0; t < 3; t++) {
        tets[0] = cut[t][0];
        tets[1] = cut[t][1];
        tets[2] = cut[t][odd ? 3 : 2];
        tets[3] = cut[t][odd ? 2 : 3];
        tets += 4;
    }
    return tets;
}

// Between rings r and r + 1, in six sectors.
static int *fill_ring(int *tets, const disk *d, int first, int r)
{
    for (int sector = 0; sector < 6; sector++) {
        for (int i = 0; i <= r; i++) {
            int outer = ring_node(r + 1, sector * (r + 1) + i);
            int outer_next = ring_node(r + 1, sector * (r + 1) + i + 1);
            int inner = ring_node(r, sector * r + i);
            tets = add_prism(tets, d, first, inner, outer, outer_next);
            if (i < r) {
                tets = add_prism(tets, d, first, inner, outer_next, ring_node(r, sector * r + i + 1));
            }
        }
    }
    return tets;
}

static tn_status check(double radius, double length, int across, int along, tn_error *error)
{
    if (!(radius > 0.0) || !(length > 0.0) || !isfinite(radius) || !isfinite(length)) {
        return tn_error_set(error, TN_BAD_INPUT, "the sizes of a cylinder must be positive, not %g and %g", radius,
                            length);
    }
    if (across < 1 || along < 1) {
        return tn_error_set(error, TN_BAD_INPUT, "a cylinder has at least 1 division across and along, not %d and %d",
                            across, along);
    }
    double rings = 0.5 * across + 0.5;
    double tets = 18.0 * rings * rings * along;
    double nodes = (1.0 + 3.0 * rings * (rings + 1.0)) * (along + 1.0);
    if (tets > TN_MESH_TETS_MAX || nodes > TN_MESH_NODES_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "a cylinder of %.3g tetrahedra is too large: at most %d", tets,
                            TN_MESH_TETS_MAX);
    }
    return TN_OK;
}

tn_status tn_mesh_cylinder(double radius, double length, int divisions_across, int divisions_along, tn_arena *arena,
                           tn_mesh *out, tn_error *error)
{
    tn_status status = check(radius, length, divisions_across, divisions_along, error);
    if (status != TN_OK) {
        return status;
    }
    disk d = {.n_rings = (divisions_across + 1) / 2};
    d.n_nodes = 1 + 3 * d.n_rings * (d.n_rings + 1);
    int n_nodes = d.n_nodes * (divisions_along + 1);
    int n_tets = 18 * d.n_rings * d.n_rings * divisions_along;
    double *nodes = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    int *tets = TN_PUSH(arena, int, 4 * (size_t)n_tets);
    if (!nodes || !tets) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a cylinder of %d nodes", n_nodes);
    }
    fill_nodes(&d, radius, length, divisions_along, nodes);
    int *end = tets;
    for (int k = 0; k < divisions_along; k++) {
        for (int r = 0; r < d.n_rings; r++) {
            end = fill_ring(end, &d, k * d.n_nodes, r);
        }
    }
    *out = (tn_mesh){.n_nodes = n_nodes, .nodes = nodes, .n_tets = n_tets, .tets = tets};
    return TN_OK;
}
