// Every new point of the difference C is part of the next simplex, so only the sub-simplices that hold it are looked
// at, all of them: no case of regions that rounding could miss.
#include "shape/gjk.h"

#include "math/vec3.h"

enum { STEPS = 64 };

tn_gjk_pair tn_gjk_pair_of(const tn_convex *a, const tn_convex *b)
{
    tn_gjk_pair pair = {.a = a, .b = b};
    tn_vec3_sub(pair.between, b->centre, a->centre);
    pair.scale = a->extent + b->extent;
    return pair;
}

void tn_gjk_support(const tn_gjk_pair *pair, const double n[3], tn_gjk_vertex *out)
{
    double back[3] = {-n[0], -n[1], -n[2]};
    out->of_a = tn_convex_support(pair->a, n, out->a);
    out->of_b = tn_convex_support(pair->b, back, out->b);
    tn_vec3_add(out->b, out->b, pair->between);
    tn_vec3_sub(out->w, out->a, out->b);
}

static bool segment_within(const double p[3], const double q[3], double weight[3])
{
    double d[3];
    tn_vec3_sub(d, q, p);
    double square = tn_vec3_dot(d, d), along = -tn_vec3_dot(p, d);
    if (!(along > 0.0 && along < square)) {
        return false;
    }
    weight[1] = along / square;
    weight[0] = 1.0 - weight[1];
    return true;
}

static bool triangle_within(const double p[3], const double q[3], const double r[3], double weight[3])
{
    double pq[3], pr[3], n[3];
    tn_vec3_sub(pq, q, p);
    tn_vec3_sub(pr, r, p);
    tn_vec3_cross(n, pq, pr);
    double square = tn_vec3_dot(n, n);
    if (!(square > 1e-26 * tn_vec3_dot(pq, pq) * tn_vec3_dot(pr, pr))) {
        return false;
    }
    const double *corner[3] = {p, q, r};
    const double *next[3] = {q, r, p};
    for (int k = 0; k < 3; ++k) { // area of the triangle opposite to corner k
        double cross[3];
        const double *u = next[k], *v = corner[(k + 2) % 3];
        tn_vec3_cross(cross, u, v);
        weight[k] = tn_vec3_dot(cross, n);
        if (!(weight[k] > 0.0)) {
            return false;
        }
    }
    double sum = weight[0] + weight[1] + weight[2];
    tn_vec3_scale(weight, 1.0 / sum, weight);
    return true;
}

bool tn_gjk_within(int n, const tn_gjk_vertex *const *vertex, double weight[3])
{
    return n == 2 ? segment_within(vertex[0]->w, vertex[1]->w, weight)
                  : triangle_within(vertex[0]->w, vertex[1]->w, vertex[2]->w, weight);
}

// The best sub-simplex yet.
typedef struct nearest {
    int n, index[3];
    double weight[3];
    double v[3], square; // its point nearest to the origin
} nearest;

// False: its point nearest to the origin lies on its border.
static bool try_simplex(const tn_gjk_vertex *vertex, int n, int i, int j, int k, nearest *best)
{
    double weight[3] = {1.0}, v[3] = {0.0, 0.0, 0.0};
    const tn_gjk_vertex *corner[3] = {vertex + i, vertex + j, vertex + k};
    if (n > 1 && !tn_gjk_within(n, corner, weight)) {
        return false;
    }
    for (int c = 0; c < n; ++c) {
        tn_vec3_madd(v, v, weight[c], corner[c]->w);
    }
    double square = tn_vec3_dot(v, v);
    if (square < best->square) {
        *best = (nearest){.n = n, .index = {i, j, k}, .square = square};
        tn_vec3_copy(best->weight, weight);
        tn_vec3_copy(best->v, v);
    }
    return true;
}

// Is the origin on the inner side of the face opposite to vertex k? A flat tetrahedron holds nothing.
static bool is_inner(const tn_gjk_vertex *v, int k)
{
    static const int corner[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const double *p = v[corner[k][0]].w;
    double pq[3], pr[3], ps[3], n[3];
    tn_vec3_sub(pq, v[corner[k][1]].w, p);
    tn_vec3_sub(pr, v[corner[k][2]].w, p);
    tn_vec3_sub(ps, v[k].w, p);
    tn_vec3_cross(n, pq, pr);
    return -tn_vec3_dot(n, ps) * tn_vec3_dot(n, p) > 0.0;
}

// Of the simplex what holds its point nearest to the origin, n = 0: all of it holds the origin itself. The newest
// vertex is the last. Where that of a part lies inside of it, nothing of its border is nearer.
static nearest best_part(const tn_gjk_result *simplex)
{
    nearest best = {.square = INFINITY};
    int last = simplex->n - 1;
    const tn_gjk_vertex *vertex = simplex->vertex;
    bool beyond[3] = {false, false, false}, any = false; // edges to the newest of triangles that hold their own
    bool inner[3] = {false, false, false};               // faces opposite to a vertex that need not be looked at
    for (int k = 0; last == 3 && k < 3; ++k) {
        inner[k] = is_inner(vertex, k);
    }
    if (inner[0] && inner[1] && inner[2]) {
        if (is_inner(vertex, 3)) {
            return best;
        }
        inner[0] = inner[1] = inner[2] = false; // rounding
    }
    for (int i = 0; i < last; ++i) {
        for (int j = i + 1; j < last; ++j) {
            bool holds = !inner[3 - i - j] && try_simplex(vertex, 3, i, j, last, &best);
            beyond[i] |= holds;
            beyond[j] |= holds;
            any |= holds;
        }
    }
    for (int i = 0; i < last; ++i) {
        any |= !beyond[i] && try_simplex(vertex, 2, i, last, 0, &best);
    }
    if (!any) {
        try_simplex(vertex, 1, last, 0, 0, &best);
    }
    return best;
}

static void keep(tn_gjk_result *simplex, const nearest *part)
{
    simplex->n = part->n;
    for (int c = 0; c < part->n; ++c) { // the indices ascend: none is overwritten before its turn
        if (part->index[c] != c) {
            simplex->vertex[c] = simplex->vertex[part->index[c]];
        }
        simplex->weight[c] = part->weight[c];
    }
}

static bool is_old(const tn_gjk_result *simplex, const tn_gjk_vertex *vertex)
{
    for (int i = 0; i < simplex->n; ++i) {
        const double *w = simplex->vertex[i].w;
        if (w[0] == vertex->w[0] && w[1] == vertex->w[1] && w[2] == vertex->w[2]) {
            return true;
        }
    }
    return false;
}

// low: the separation along v that is proved. Stuck beside the origin without proof, the cores may overlap.
static tn_gjk_outcome finish(const tn_gjk_pair *pair, const double v[3], double length, double low, tn_gjk_result *out)
{
    if (low < -pair->tolerance) {
        return TN_GJK_OVERLAP;
    }
    tn_vec3_scale(out->normal, -1.0 / length, v);
    out->distance = length;
    return TN_GJK_APART;
}

static void start(const tn_gjk_pair *pair, tn_gjk_result *out)
{
    double n[3];
    tn_vec3_copy(n, pair->between);
    if (tn_vec3_dot(n, n) == 0.0) {
        n[2] = 1.0;
    }
    tn_gjk_support(pair, n, &out->vertex[0]);
    out->n = 1;
    out->weight[0] = 1.0;
}

tn_gjk_outcome tn_gjk_distance(const tn_gjk_pair *pair, double reach, tn_gjk_result *out)
{
    double v[3] = {0.0, 0.0, 0.0}, n[3], low = -INFINITY;
    if (out->n == 0) {
        start(pair, out);
    }
    for (int i = 0; i < out->n; ++i) {
        tn_vec3_madd(v, v, out->weight[i], out->vertex[i].w);
    }
    double length = tn_vec3_norm(v);
    for (int step = 0; step < STEPS; ++step) {
        tn_gjk_vertex *next = &out->vertex[out->n]; // in place: it is read at once
        if (!(length > 1e-12 * pair->scale)) {
            return TN_GJK_OVERLAP;
        }
        tn_vec3_scale(n, -1.0 / length, v);
        tn_gjk_support(pair, n, next);
        low = -tn_vec3_dot(n, next->w); // no point of C is nearer than this
        if (low > reach) {
            return TN_GJK_FAR;
        }
        if (length - low <= pair->tolerance || is_old(out, next)) {
            return finish(pair, v, length, low, out);
        }
        out->n++;
        nearest part = best_part(out);
        if (part.n == 0) {
            return TN_GJK_OVERLAP;
        }
        double shorter = tn_vec3_norm(part.v);
        if (!(shorter < length)) { // as near as rounding allows
            out->n--;
            return finish(pair, v, length, low, out);
        }
        keep(out, &part);
        tn_vec3_copy(v, part.v);
        length = shorter;
    }
    return finish(pair, v, length, low, out);
}
