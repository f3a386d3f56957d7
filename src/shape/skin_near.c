// Where a skin is nearest to a point.
//
// Of a face, the point nearest to x lies inside, on an edge or at a corner. Inside, it is a local minimum of the
// surface's distance; on an edge only if the neighbour's points are not nearer, that is if x lies behind the plane
// through the edge across the neighbour; at a corner if no edge from it leads towards x.
#include "math/vec3.h"
#include "shape/skin.h"
#include "shape/triangle.h"

static const double *place(const tn_skin_view *view, int node)
{
    return view->x + 3 * (size_t)node;
}

void tn_skin_face_normal(const tn_skin_view *view, int face, double normal[3])
{
    const int *nodes = view->skin->faces + 3 * face;
    tn_triangle_area(normal, place(view, nodes[0]), place(view, nodes[1]), place(view, nodes[2]));
    double length = tn_vec3_norm(normal);
    tn_vec3_scale(normal, length > 0.0 ? 1.0 / length : 0.0, normal);
}

static void normalize(double v[3])
{
    double length = tn_vec3_norm(v);
    tn_vec3_scale(v, length > 0.0 ? 1.0 / length : 0.0, v);
}

// Angle of the face at the node.
static double angle_at(const tn_skin_view *view, const int nodes[3], int node)
{
    int k = nodes[0] == node ? 0 : nodes[1] == node ? 1 : 2;
    double p[3], q[3], turned[3];
    tn_vec3_sub(p, place(view, nodes[(k + 1) % 3]), place(view, node));
    tn_vec3_sub(q, place(view, nodes[(k + 2) % 3]), place(view, node));
    tn_vec3_cross(turned, p, q);
    return atan2(tn_vec3_norm(turned), tn_vec3_dot(p, q));
}

// angle-weighted
static void node_normal(const tn_skin_view *view, int node, double normal[3])
{
    const tn_skin *skin = view->skin;
    tn_vec3_set(normal, 0.0, 0.0, 0.0);
    for (int i = skin->start[node]; i < skin->start[node + 1]; ++i) {
        double n[3];
        int face = skin->node_face[i];
        tn_skin_face_normal(view, face, n);
        tn_vec3_madd(normal, normal, angle_at(view, skin->faces + 3 * face, node), n);
    }
    normalize(normal);
}

void tn_skin_node_facing(const tn_skin_view *view, int node, double normal[3])
{
    const tn_skin *skin = view->skin;
    tn_vec3_set(normal, 0.0, 0.0, 0.0);
    for (int i = skin->start[node]; i < skin->start[node + 1]; ++i) {
        const int *nodes = skin->faces + 3 * skin->node_face[i];
        double area[3];
        tn_triangle_area(area, place(view, nodes[0]), place(view, nodes[1]), place(view, nodes[2]));
        tn_vec3_add(normal, normal, area);
    }
    normalize(normal);
}

static int edge_corner(const tn_skin_point *p, const int nodes[3])
{
    int k = 0;
    while (k < 2 && (p->node[0] != nodes[k] || p->node[1] != nodes[(k + 1) % 3])) {
        k++;
    }
    return k;
}

// Normal of the feature that holds the point, for the sign.
static void feature_normal(const tn_skin_view *view, const tn_skin_point *p, double normal[3])
{
    if (p->n == 1) {
        node_normal(view, p->node[0], normal);
        return;
    }
    tn_skin_face_normal(view, p->face, normal);
    if (p->n == 2) {
        const int *nodes = view->skin->faces + 3 * p->face;
        int other = view->skin->neighbour[3 * p->face + edge_corner(p, nodes)];
        double n[3];
        if (other >= 0) {
            tn_skin_face_normal(view, other, n);
            tn_vec3_add(normal, normal, n);
            normalize(normal);
        }
    }
}

// Nodes of the feature that holds the point of the face with these weights; an edge's in the face's order.
static void set_feature(tn_skin_point *p, const int nodes[3], int face, const double weight[3])
{
    p->face = face;
    p->n = 0;
    int first = weight[2] > 0.0 && weight[0] > 0.0 && !(weight[1] > 0.0) ? 2 : 0;
    for (int i = 0; i < 3; ++i) {
        int k = (first + i) % 3;
        if (weight[k] > 0.0) {
            p->node[p->n] = nodes[k];
            p->weight[p->n++] = weight[k];
        }
    }
}

// Distance and normal of the point as seen from x. Very near to it (against the edge's length) the direction from one
// to the other is but rounding: there the feature's normal counts.
static void look_from(const tn_skin_view *view, const double x[3], tn_skin_point *p)
{
    double d[3], n[3];
    tn_vec3_copy(d, x);
    for (int i = 0; i < p->n; ++i) {
        tn_vec3_madd(d, d, -p->weight[i], place(view, p->node[i]));
    }
    feature_normal(view, p, n);
    double along = tn_vec3_dot(n, d), length = tn_vec3_norm(d);
    if (p->n == 3 || !(length > 1e-9 * view->skin->edge_max)) {
        p->distance = along;
        tn_vec3_copy(p->normal, n);
    } else {
        p->distance = along < 0.0 ? -length : length;
        tn_vec3_scale(p->normal, 1.0 / p->distance, d);
    }
}

void tn_skin_point_at(const tn_skin_view *view, int face, const double weight[3], const double x[3], tn_skin_point *out)
{
    *out = (tn_skin_point){0};
    set_feature(out, view->skin->faces + 3 * face, face, weight);
    look_from(view, x, out);
}

// Is x behind the plane through the edge p q, upright on the face across it, whose third corner is c?
static bool behind_edge(const double p[3], const double q[3], const double c[3], const double x[3], double slack)
{
    double e[3], pc[3], px[3];
    tn_vec3_sub(e, q, p);
    tn_vec3_sub(pc, c, p);
    tn_vec3_sub(px, x, p);
    double square = tn_vec3_dot(e, e), inward = tn_vec3_dot(pc, px) * square - tn_vec3_dot(e, pc) * tn_vec3_dot(e, px);
    return inward <= slack * square * square;
}

static bool is_minimum(const tn_skin_view *view, const tn_skin_point *p, const double x[3])
{
    const double slack = 1e-9; // of an edge's square: neither face may lose a point that lies between them
    const tn_skin *skin = view->skin;
    if (p->n == 2) {
        int other = skin->neighbour[3 * p->face + edge_corner(p, skin->faces + 3 * p->face)];
        for (int k = 0; other >= 0 && k < 3; ++k) {
            int c = skin->faces[3 * other + k];
            if (c != p->node[0] && c != p->node[1]) {
                return behind_edge(place(view, p->node[0]), place(view, p->node[1]), place(view, c), x, slack);
            }
        }
    } else if (p->n == 1) {
        int node = p->node[0];
        double d[3];
        tn_vec3_sub(d, x, place(view, node));
        for (int i = skin->start[node]; i < skin->start[node + 1]; ++i) {
            for (int k = 0; k < 3; ++k) {
                double e[3];
                tn_vec3_sub(e, place(view, skin->faces[3 * skin->node_face[i] + k]), place(view, node));
                if (tn_vec3_dot(d, e) > slack * tn_vec3_dot(e, e)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// The points found so far, the nearest `capacity` of them.
typedef struct finding {
    const tn_skin_view *view;
    const tn_skin_search *search;
    const double *x;
    int n, capacity;
    tn_skin_point *points;
    double reach;  // [m] of minima
    double square; // of the nearest of all, at first of the depth [m^2]: no face farther away can be it
    double within; // [m^2] no face farther away matters
    tn_skin_point nearest;
} finding;

static double spacing(const tn_skin_view *view, const tn_skin_point *a, const tn_skin_point *b)
{
    double d[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < a->n; ++i) {
        tn_vec3_madd(d, d, a->weight[i], place(view, a->node[i]));
    }
    for (int i = 0; i < b->n; ++i) {
        tn_vec3_madd(d, d, -b->weight[i], place(view, b->node[i]));
    }
    return tn_vec3_norm(d);
}

// One of two faces' points at one place stays: the simpler, then the lower face's.
static bool merge(finding *f, const tn_skin_point *p)
{
    for (int i = 0; i < f->n; ++i) {
        tn_skin_point *q = f->points + i;
        if (spacing(f->view, p, q) <= 1e-6 * f->view->skin->edge_max) {
            if (p->n < q->n || (p->n == q->n && p->face < q->face)) {
                *q = *p;
            }
            return true;
        }
    }
    return false;
}

static bool nearer(const tn_skin_point *a, const tn_skin_point *b)
{
    double da = fabs(a->distance), db = fabs(b->distance);
    return da < db || (da == db && a->face < b->face);
}

static void keep(finding *f, const tn_skin_point *p)
{
    if (merge(f, p)) {
        return;
    }
    if (f->n < f->capacity) {
        f->points[f->n++] = *p;
        return;
    }
    int worst = 0;
    for (int i = 1; i < f->n; ++i) {
        worst = nearer(f->points + worst, f->points + i) ? i : worst;
    }
    if (f->n > 0 && nearer(p, f->points + worst)) {
        f->points[worst] = *p;
    }
}

static void try_face(finding *f, int face)
{
    const tn_skin_view *view = f->view;
    const tn_skin_search *search = f->search;
    const int *nodes = view->skin->faces + 3 * face;
    double weight[3], reach = f->reach;
    if (search->face_wanted && !search->face_wanted(search->user, face)) {
        return;
    }
    double square =
        tn_triangle_closest(place(view, nodes[0]), place(view, nodes[1]), place(view, nodes[2]), f->x, weight);
    bool nearest = square < f->square;
    if (!nearest && !(square <= reach * reach)) {
        return;
    }
    tn_skin_point p = {0};
    set_feature(&p, nodes, face, weight);
    // The nearest of all is a minimum; of those that are wanted it need not be.
    bool minimum = (search->wanted || square <= reach * reach) && is_minimum(view, &p, f->x);
    nearest &= minimum || !search->wanted;
    minimum &= square <= reach * reach;
    if (!nearest && !minimum) {
        return;
    }
    look_from(view, f->x, &p);
    if (search->wanted && !search->wanted(search->user, &p)) {
        return;
    }
    if (nearest) {
        f->square = square;
        f->within = square > reach * reach ? square : reach * reach;
        f->nearest = p;
    }
    if (minimum && p.distance >= -search->touch && p.distance <= search->reach) {
        keep(f, &p);
    }
}

static void sort_by_face(int n, tn_skin_point *points)
{
    for (int i = 1; i < n; ++i) {
        tn_skin_point p = points[i];
        int j = i;
        for (; j > 0 && points[j - 1].face > p.face; --j) {
            points[j] = points[j - 1];
        }
        points[j] = p;
    }
}

// The nearer of two boxes first, so that the search shrinks soon.
static void search_tree(finding *f)
{
    enum { DEPTH = 64 }; // halves of at most 2^31 faces, and a leaf
    const tn_skin *skin = f->view->skin;
    const tn_skin_box *box = f->view->box;
    int stack[DEPTH], n = 0;
    double square[DEPTH];
    square[n] = tn_skin_box_square(box, f->x);
    stack[n++] = 0;
    while (n > 0) {
        int i = stack[--n];
        if (!(square[n] <= f->within)) {
            continue;
        }
        for (int k = 0; k < skin->count[i]; ++k) {
            try_face(f, skin->order[skin->first[i] + k]);
        }
        if (skin->count[i] == 0) {
            int left = i + 1, right = skin->skip[left];
            double to_left = tn_skin_box_square(box + left, f->x), to_right = tn_skin_box_square(box + right, f->x);
            bool left_first = to_left <= to_right;
            square[n] = left_first ? to_right : to_left;
            stack[n++] = left_first ? right : left;
            square[n] = left_first ? to_left : to_right;
            stack[n++] = left_first ? left : right;
        }
    }
}

int tn_skin_near(const tn_skin_view *view, const tn_skin_search *search, const double x[3], int capacity,
                 tn_skin_point *out)
{
    double reach = fmax(search->reach, search->touch), farthest = fmax(reach, search->depth);
    finding f = {.view = view,
                 .search = search,
                 .x = x,
                 .capacity = capacity,
                 .points = out,
                 .reach = reach,
                 .square = search->depth * search->depth,
                 .within = farthest * farthest};
    if (view->skin->n_boxes > 0) {
        search_tree(&f);
    }
    if (f.nearest.n > 0 && f.nearest.distance < -search->touch) {
        out[0] = f.nearest;
        return capacity > 0 ? 1 : 0;
    }
    sort_by_face(f.n, out);
    return f.n;
}
