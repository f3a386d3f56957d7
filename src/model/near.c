// The order in which solvers number the nodes of soft bodies: those on one side of a body's surface stand together, and
// among them near ones.
//
// Kernels take eight nodes at a time, and what contacts need is worked on for all eight if one of them has a contact.
// In this order the nodes of a patch of contact fill few such eights: of a sheet's lower side, a third of it on the
// floor, 46 to 50 instead of all 88.
#include "model/compile.h"

#include "math/vec3.h"

#include <math.h>

enum { LEAF = 8, SIDES = 7 };

typedef struct near_node {
    double at; // along the axis of the cut [m]
    int node;
} near_node;

static bool before(const near_node *a, const near_node *b)
{
    return a->at < b->at || (a->at == b->at && a->node < b->node);
}

static void swap(near_node *a, near_node *b)
{
    near_node c = *a;
    *a = *b;
    *b = c;
}

// The k smallest first (Hoare's selection; all nodes differ).
static void select_first(near_node *nodes, int n, int k)
{
    for (int low = 0, high = n - 1; low < high;) {
        near_node pivot = nodes[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (before(&nodes[i], &pivot)) {
                i++;
            }
            while (before(&pivot, &nodes[j])) {
                j--;
            }
            if (i <= j) {
                swap(&nodes[i++], &nodes[j--]);
            }
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            return;
        }
    }
}

// The longest edge of the box around the nodes; its length.
static double longest(const double *place, int n, const near_node *nodes, int *axis)
{
    double most = -1.0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; i++) {
            double x = place[3 * (size_t)nodes[i].node + (size_t)k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > most * (1.0 + 1e-9)) {
            most = high - low;
            *axis = k;
        }
    }
    return most;
}

// Halves across the longest edge, and so on down to leaves.
static void halve(const double *place, int n, near_node *nodes)
{
    int axis = 0;
    while (n > LEAF && longest(place, n, nodes, &axis) > 0.0) {
        int half = (n + 1) / 2;
        for (int i = 0; i < n; i++) {
            nodes[i].at = place[3 * (size_t)nodes[i].node + (size_t)axis];
        }
        select_first(nodes, n, half);
        halve(place, half, nodes);
        nodes += half;
        n -= half;
    }
    for (int i = 1; i < n && n <= LEAF; i++) {
        for (int j = i; j > 0 && nodes[j].node < nodes[j - 1].node; j--) {
            swap(&nodes[j], &nodes[j - 1]);
        }
    }
}

// Which way the surface looks at a node: 0 inside, else the nearest of the world's axes and their opposites.
static int side_of(const double normal[3])
{
    int most = 0;
    for (int k = 1; k < 3; k++) {
        most = fabs(normal[k]) > fabs(normal[most]) ? k : most;
    }
    return normal[most] == 0.0 ? 0 : 1 + 2 * most + (normal[most] < 0.0);
}

// (n_nodes, 3) sums of the areas of the faces around each node [m^2]; NULL: no memory.
static double *normals_at_rest(const tn_model *model, tn_arena *arena)
{
    double *normal = TN_PUSH(arena, double, 3 * (size_t)model->n_nodes);
    for (int f = 0; normal && f < model->n_faces; f++) {
        const int *corner = model->faces + 3 * (size_t)f;
        const double *a = model->node_rest + 3 * (size_t)corner[0];
        double u[3], v[3], area[3];
        tn_vec3_sub(u, model->node_rest + 3 * (size_t)corner[1], a);
        tn_vec3_sub(v, model->node_rest + 3 * (size_t)corner[2], a);
        tn_vec3_cross(area, u, v);
        for (int k = 0; k < 3; k++) {
            double *to = normal + 3 * (size_t)corner[k];
            tn_vec3_madd(to, to, 0.5, area);
        }
    }
    return normal;
}

int *tn_model_order_near(const tn_model *model, tn_arena *arena)
{
    int *order = TN_PUSH(arena, int, model->n_blocks), at = 0;
    near_node *nodes = TN_PUSH(arena, near_node, model->n_nodes);
    double *normal = normals_at_rest(model, arena);
    if (!order || !nodes || !normal) {
        return NULL;
    }
    for (; at < model->n_rigid_blocks; at++) {
        order[at] = at;
    }
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        for (int side = 0; side < SIDES; side++) {
            int n = 0;
            for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
                if (model->nodes[i].block >= 0 && side_of(normal + 3 * (size_t)i) == side) {
                    nodes[n++] = (near_node){.node = i};
                }
            }
            halve(model->node_rest, n, nodes);
            for (int k = 0; k < n; k++) {
                order[at++] = model->nodes[nodes[k].node].block;
            }
        }
    }
    return order;
}
