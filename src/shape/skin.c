// Topology and tree of a skin.
#include "shape/skin.h"

#include "math/vec3.h"
#include "shape/triangle.h"

#include <string.h>

enum { LEAF = 4 }; // faces

typedef struct builder {
    tn_skin *skin;
    int *neighbour, *face_edge, *edges, *edge_face, *start, *node_face;
    int *skip, *first, *count, *order, *sharp;
    bool *is_sharp;
    double *middle; // (n_faces, 3) scratch
} builder;

static bool allocate(builder *b, tn_arena *arena)
{
    size_t n_faces = (size_t)b->skin->n_faces, n_nodes = (size_t)b->skin->n_nodes, corners = 3 * n_faces;
    b->neighbour = TN_PUSH(arena, int, corners);
    b->face_edge = TN_PUSH(arena, int, corners);
    b->edges = TN_PUSH(arena, int, 2 * corners);
    b->edge_face = TN_PUSH(arena, int, 2 * corners);
    b->start = TN_PUSH(arena, int, n_nodes + 2);
    b->node_face = TN_PUSH(arena, int, corners);
    b->skip = TN_PUSH(arena, int, 2 * n_faces + 1);
    b->first = TN_PUSH(arena, int, 2 * n_faces + 1);
    b->count = TN_PUSH(arena, int, 2 * n_faces + 1);
    b->order = TN_PUSH(arena, int, n_faces);
    b->sharp = TN_PUSH(arena, int, corners);
    b->is_sharp = TN_PUSH(arena, bool, corners);
    return b->neighbour && b->face_edge && b->edges && b->edge_face && b->start && b->node_face && b->skip &&
           b->first && b->count && b->order && b->sharp && b->is_sharp;
}

// Counting sort of the corners by node.
static void list_node_faces(builder *b)
{
    const tn_skin *skin = b->skin;
    int *next = b->start + 1; // ends up as the starts, shifted by one
    for (int i = 0; i < 3 * skin->n_faces; ++i) {
        next[skin->faces[i] + 1]++;
    }
    for (int i = 0; i < skin->n_nodes; ++i) {
        next[i + 1] += next[i];
    }
    for (int i = 0; i < 3 * skin->n_faces; ++i) {
        b->node_face[next[skin->faces[i]]++] = i / 3;
    }
}

// The face that runs along the edge from p to q the other way round; where several do (bodies that touch along an
// edge), the first that is still alone.
static int find_opposite(const builder *b, int face, int p, int q, int *corner)
{
    for (int i = b->start[q]; i < b->start[q + 1]; ++i) {
        int other = b->node_face[i];
        const int *nodes = b->skin->faces + 3 * other;
        for (int k = 0; k < 3 && other != face; ++k) {
            if (nodes[k] == q && nodes[(k + 1) % 3] == p && b->neighbour[3 * other + k] < 0) {
                *corner = k;
                return other;
            }
        }
    }
    return -1;
}

static void pair_faces(builder *b)
{
    tn_skin *skin = b->skin;
    double longest = 0.0;
    memset(b->neighbour, -1, 3 * (size_t)skin->n_faces * sizeof *b->neighbour);
    for (int i = 0; i < 3 * skin->n_faces; ++i) {
        int face = i / 3, p = skin->faces[i], q = skin->faces[3 * face + (i + 1) % 3], corner;
        double d[3];
        if (b->neighbour[i] >= 0) {
            continue;
        }
        int other = find_opposite(b, face, p, q, &corner), edge = skin->n_edges++;
        b->face_edge[i] = edge;
        b->edges[2 * edge] = p;
        b->edges[2 * edge + 1] = q;
        b->edge_face[2 * edge] = face;
        b->edge_face[2 * edge + 1] = other;
        if (other >= 0) {
            b->neighbour[i] = other;
            b->neighbour[3 * other + corner] = face;
            b->face_edge[3 * other + corner] = edge;
        }
        tn_vec3_sub(d, skin->rest + 3 * (size_t)q, skin->rest + 3 * (size_t)p);
        longest = fmax(longest, tn_vec3_dot(d, d));
    }
    skin->edge_max = sqrt(longest);
}

// Is the edge bent outwards by more than 20 degrees at rest? Open edges count.
static bool bent_out(const tn_skin *skin, const int edge[2], const int faces[2])
{
    const double cosine = 0.94;
    double area[2][3], away[3];
    const double *p = skin->rest + 3 * (size_t)edge[0];
    if (faces[1] < 0) {
        return true;
    }
    int opposite = -1;
    for (int k = 0; k < 2; ++k) {
        const int *nodes = skin->faces + 3 * faces[k];
        tn_triangle_area(area[k], skin->rest + 3 * (size_t)nodes[0], skin->rest + 3 * (size_t)nodes[1],
                         skin->rest + 3 * (size_t)nodes[2]);
        for (int c = 0; c < 3; ++c) {
            opposite = nodes[c] != edge[0] && nodes[c] != edge[1] ? nodes[c] : opposite;
        }
    }
    tn_vec3_sub(away, skin->rest + 3 * (size_t)opposite, p); // of the second face, seen from the first
    return tn_vec3_dot(area[0], away) < 0.0 &&
           tn_vec3_dot(area[0], area[1]) < cosine * tn_vec3_norm(area[0]) * tn_vec3_norm(area[1]);
}

static void list_sharp(builder *b)
{
    tn_skin *skin = b->skin;
    for (int e = 0; e < skin->n_edges; ++e) {
        b->is_sharp[e] = bent_out(skin, b->edges + 2 * (size_t)e, b->edge_face + 2 * (size_t)e);
        if (b->is_sharp[e]) {
            b->sharp[skin->n_sharp++] = e;
        }
    }
}

// Rearranges order[low..high) so that the one at middle is where sorting along the axis would put it (Hoare's
// selection); ties by face number make it the same everywhere.
static void select_middle(const builder *b, int axis, int low, int high, int middle)
{
    high--;
    while (low < high) {
        int pivot = b->order[low + (high - low) / 2], i = low, j = high;
        double level = b->middle[3 * pivot + axis];
        while (i <= j) {
            while (b->middle[3 * b->order[i] + axis] < level) {
                i++;
            }
            while (b->middle[3 * b->order[j] + axis] > level) {
                j--;
            }
            if (i <= j) {
                int swap = b->order[i];
                b->order[i++] = b->order[j];
                b->order[j--] = swap;
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int widest_axis(const builder *b, int first, int n)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = first; i < first + n; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], b->middle[3 * b->order[i] + k]);
            high[k] = fmax(high[k], b->middle[3 * b->order[i] + k]);
        }
    }
    int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

// Halves of equal number: the depth is at most log2 of the faces.
static void grow_tree(builder *b, int first, int n)
{
    int box = b->skin->n_boxes++;
    if (n <= LEAF) {
        b->first[box] = first;
        b->count[box] = n;
    } else {
        int half = n / 2;
        select_middle(b, widest_axis(b, first, n), first, first + n, first + half);
        grow_tree(b, first, half);
        grow_tree(b, first + half, n - half);
    }
    b->skip[box] = b->skin->n_boxes;
}

static void build_tree(builder *b)
{
    tn_skin *skin = b->skin;
    for (int f = 0; f < skin->n_faces; ++f) {
        b->order[f] = f;
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 3; ++c) {
                b->middle[3 * f + k] += skin->rest[3 * (size_t)skin->faces[3 * f + c] + (size_t)k] / 3.0;
            }
        }
    }
    if (skin->n_faces > 0) {
        grow_tree(b, 0, skin->n_faces);
    }
}

tn_status tn_skin_create(int n_nodes, const double *rest, int n_faces, const int *faces, tn_arena *arena, tn_skin *out,
                         tn_error *error)
{
    builder b = {.skin = out};
    *out = (tn_skin){.n_nodes = n_nodes, .rest = rest, .n_faces = n_faces, .faces = faces};
    bool enough = allocate(&b, arena);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    b.middle = enough ? TN_PUSH(arena, double, 3 * (size_t)n_faces) : NULL;
    if (!b.middle) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a surface of %d faces", n_faces);
    }
    list_node_faces(&b);
    pair_faces(&b);
    list_sharp(&b);
    build_tree(&b);
    tn_arena_release(arena, mark);
    out->neighbour = b.neighbour;
    out->face_edge = b.face_edge;
    out->edges = b.edges;
    out->edge_face = b.edge_face;
    out->start = b.start;
    out->node_face = b.node_face;
    out->skip = b.skip;
    out->first = b.first;
    out->count = b.count;
    out->order = b.order;
    out->sharp = b.sharp;
    out->is_sharp = b.is_sharp;
    return TN_OK;
}

// A bare loop over min and max: NaN places leave the box as it is.
static void box_add(tn_skin_box *box, const double low[3], const double high[3])
{
    for (int k = 0; k < 3; ++k) {
        box->low[k] = low[k] < box->low[k] ? low[k] : box->low[k];
        box->high[k] = high[k] > box->high[k] ? high[k] : box->high[k];
    }
}

static void refit(tn_skin_view *view)
{
    const tn_skin *skin = view->skin;
    for (int i = skin->n_boxes - 1; i >= 0; --i) {
        tn_skin_box *box = view->box + i;
        tn_vec3_set(box->low, INFINITY, INFINITY, INFINITY);
        tn_vec3_set(box->high, -INFINITY, -INFINITY, -INFINITY);
        for (int k = 0; k < 3 * skin->count[i]; ++k) {
            const double *x = view->x + 3 * (size_t)skin->faces[3 * skin->order[skin->first[i] + k / 3] + k % 3];
            box_add(box, x, x);
        }
        if (skin->count[i] == 0) {
            const tn_skin_box *left = box + 1, *right = view->box + skin->skip[i + 1];
            box_add(box, left->low, left->high);
            box_add(box, right->low, right->high);
        }
    }
}

bool tn_skin_view_set(tn_skin_view *view, const tn_skin *skin, const double *x, tn_arena *arena)
{
    *view = (tn_skin_view){.skin = skin, .x = x};
    view->box = TN_PUSH(arena, tn_skin_box, skin->n_boxes);
    if (!view->box) {
        return false;
    }
    refit(view);
    return true;
}
