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

// The sides of all faces (side 3 f + k runs from node k of face f to the next), by the nodes where they begin, then
// end.
typedef struct side_list {
    int *side;    // (3 n_faces)
    int *start;   // (n_nodes + 2) first side that begins at a node
    int *next;    // (3 n_faces) of the first of those between two nodes: the first that may still be alone
    int *scratch; // (3 n_faces)
} side_list;

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

static int edge_end(const tn_skin *skin, int side)
{
    return skin->faces[side - side % 3 + (side + 1) % 3];
}

// Stable counting sort of sides by the node where they begin (or end); start (n_nodes + 1): where each node's begin.
static void sort_sides(const tn_skin *skin, bool by_end, const int *from, int *to, int *start)
{
    const int n = 3 * skin->n_faces;
    memset(start, 0, ((size_t)skin->n_nodes + 2) * sizeof *start);
    int *next = start + 1;
    for (int i = 0; i < n; ++i) {
        next[(by_end ? edge_end(skin, from[i]) : skin->faces[from[i]]) + 1]++;
    }
    for (int i = 0; i < skin->n_nodes; ++i) {
        next[i + 1] += next[i];
    }
    for (int i = 0; i < n; ++i) {
        to[next[by_end ? edge_end(skin, from[i]) : skin->faces[from[i]]]++] = from[i];
    }
}

static void list_sides(const tn_skin *skin, side_list *list)
{
    for (int i = 0; i < 3 * skin->n_faces; ++i) {
        list->next[i] = i;
    }
    sort_sides(skin, true, list->next, list->scratch, list->start);
    sort_sides(skin, false, list->scratch, list->side, list->start);
    for (int i = 0; i < 3 * skin->n_faces; ++i) {
        list->next[i] = i;
    }
}

// The side that runs from q to p; where several do (bodies that touch along an edge), the first that is still alone.
// By bisection and without a second look at those that are not, or many faces around one node or edge would take the
// square of their number.
static int find_opposite(const builder *b, side_list *list, int face, int p, int q)
{
    int low = list->start[q], end = list->start[q + 1], high = end;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool before = edge_end(b->skin, list->side[middle]) < p;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    int *first = &list->next[low < end ? low : 0], i = low < end ? *first : end;
    while (i < end && edge_end(b->skin, list->side[i]) == p) {
        bool alone = b->neighbour[list->side[i]] < 0;
        if (alone && list->side[i] / 3 != face) {
            return list->side[i];
        }
        *first += !alone && *first == i;
        i++;
    }
    return -1;
}

static void pair_faces(builder *b, side_list *list)
{
    tn_skin *skin = b->skin;
    double longest = 0.0;
    list_sides(skin, list);
    memset(b->neighbour, -1, 3 * (size_t)skin->n_faces * sizeof *b->neighbour);
    for (int i = 0; i < 3 * skin->n_faces; ++i) {
        int face = i / 3, p = skin->faces[i], q = edge_end(skin, i);
        double d[3];
        if (b->neighbour[i] >= 0) {
            continue;
        }
        int opposite = find_opposite(b, list, face, p, q), edge = skin->n_edges++;
        b->face_edge[i] = edge;
        b->edges[2 * edge] = p;
        b->edges[2 * edge + 1] = q;
        b->edge_face[2 * edge] = face;
        b->edge_face[2 * edge + 1] = opposite >= 0 ? opposite / 3 : -1;
        if (opposite >= 0) {
            b->neighbour[i] = opposite / 3;
            b->neighbour[opposite] = face;
            b->face_edge[opposite] = edge;
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
            double x = b->middle[3 * b->order[i] + k]; // not by fmin and fmax, which are calls
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
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
    side_list list = {.side = enough ? TN_PUSH(arena, int, 3 * (size_t)n_faces) : NULL,
                      .start = enough ? TN_PUSH(arena, int, (size_t)n_nodes + 2) : NULL,
                      .next = enough ? TN_PUSH(arena, int, 3 * (size_t)n_faces) : NULL,
                      .scratch = enough ? TN_PUSH(arena, int, 3 * (size_t)n_faces) : NULL};
    if (!b.middle || !list.side || !list.start || !list.next || !list.scratch) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a surface of %d faces", n_faces);
    }
    list_node_faces(&b);
    pair_faces(&b, &list);
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
