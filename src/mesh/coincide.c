#include "mesh/coincide.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// A node's place in units of 1e-9 of the mesh's size.
typedef struct place {
    int64_t x[3];
    int node;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a;
    const place *q = b;
    for (int i = 0; i < 3; i++) {
        if (p->x[i] != q->x[i]) {
            return p->x[i] < q->x[i] ? -1 : 1;
        }
    }
    return (p->node > q->node) - (p->node < q->node);
}

static bool same_place(const place *a, const place *b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

static double mesh_size(const tn_mesh *mesh, double low[3])
{
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        double high = mesh->nodes[k];
        low[k] = mesh->nodes[k];
        for (int i = 1; i < mesh->n_nodes; i++) {
            low[k] = fmin(low[k], mesh->nodes[3 * (size_t)i + (size_t)k]);
            high = fmax(high, mesh->nodes[3 * (size_t)i + (size_t)k]);
        }
        size = fmax(size, high - low[k]);
    }
    return size;
}

// first[i]: the lowest vertex at the place of vertex i; the others keep their own number. Returns the number of
// vertices that share a place, -1: no memory.
static int find_twins(const tn_mesh *mesh, const tn_mesh_surface *surface, int *first)
{
    place *places = tn_malloc((size_t)surface->n_vertices * sizeof *places);
    if (!places) {
        return -1;
    }
    double low[3];
    const double unit = 1e-9 * mesh_size(mesh, low);
    for (int v = 0; v < surface->n_vertices; v++) {
        places[v].node = surface->vertices[v];
        const double *x = mesh->nodes + 3 * (size_t)surface->vertices[v];
        for (int k = 0; k < 3; k++) {
            places[v].x[k] = llround((x[k] - low[k]) / unit);
        }
    }
    qsort(places, (size_t)surface->n_vertices, sizeof *places, compare_places);
    int n = 0;
    for (int v = 0; v < surface->n_vertices; v++) {
        bool twin = v > 0 && same_place(&places[v], &places[v - 1]);
        first[places[v].node] = twin ? first[places[v - 1].node] : places[v].node;
        n += twin;
    }
    tn_free(places);
    return n;
}

typedef struct triple {
    int node[3], face;
} triple;

static int compare_triples(const void *a, const void *b)
{
    const triple *p = a, *q = b;
    int order = tn_order_lists(3, p->node, q->node);
    return order ? order : TN_ORDER(p->face, q->face);
}

// Two faces with the same first vertices.
static tn_status check_faces(const tn_mesh_surface *surface, const int *first, tn_error *error)
{
    triple *triples = tn_malloc((size_t)surface->n_faces * sizeof *triples);
    if (!triples) {
        return TN_NO_MEMORY;
    }
    for (int f = 0; f < surface->n_faces; f++) {
        for (int i = 0; i < 3; i++) {
            triples[f].node[i] = first[surface->faces[3 * (size_t)f + (size_t)i]];
        }
        qsort(triples[f].node, 3, sizeof(int), tn_order_ints);
        triples[f].face = f;
    }
    qsort(triples, (size_t)surface->n_faces, sizeof *triples, compare_triples);
    tn_status status = TN_OK;
    for (int i = 1; i < surface->n_faces && status == TN_OK; i++) {
        const triple *a = &triples[i - 1];
        const triple *b = &triples[i];
        if (a->node[0] == b->node[0] && a->node[1] == b->node[1] && a->node[2] == b->node[2]) {
            const int *p = surface->faces + 3 * (size_t)a->face;
            const int *q = surface->faces + 3 * (size_t)b->face;
            status = tn_error_set(error, TN_BAD_INPUT,
                                  "two faces lie on each other with nodes of their own, %d %d %d and %d %d %d: merge "
                                  "the nodes that stand at one place",
                                  p[0], p[1], p[2], q[0], q[1], q[2]);
        }
    }
    tn_free(triples);
    return status;
}

tn_status tn_mesh_check_coincident(const tn_mesh *mesh, tn_error *error)
{
    tn_arena *scratch = tn_arena_create(0);
    tn_mesh_surface surface;
    tn_status status = TN_NO_MEMORY;
    if (scratch && tn_mesh_get_surface(mesh, scratch, &surface, NULL) == TN_OK) {
        int *first = TN_PUSH(scratch, int, mesh->n_nodes);
        int n = first ? find_twins(mesh, &surface, first) : -1;
        status = n < 0 ? TN_NO_MEMORY : n == 0 ? TN_OK : check_faces(&surface, first, error);
    }
    tn_arena_destroy(scratch);
    return status == TN_NO_MEMORY ? tn_error_set(error, status, "no memory to check the mesh") : status;
}
