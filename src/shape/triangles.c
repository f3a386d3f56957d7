// Triangle meshes: checks, mass, and what the shape classes and the facets ask.
#include "shape/triangles.h"

#include "base/hash.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/draw.h"
#include "shape/facets.h"
#include "shape/triangle.h"

#include <string.h>

static const double *corner(const tn_triangles *t, int face, int k)
{
    return t->vertices + 3 * (size_t)t->faces[3 * (size_t)face + (size_t)k];
}

static void get(const void *surface, int face, tn_facet *out)
{
    const tn_triangles *t = surface;
    for (int k = 0; k < 3; ++k) {
        out->node[k] = t->faces[3 * (size_t)face + (size_t)k];
        tn_vec3_copy(out->corner[k], corner(t, face, k));
    }
}

static int across(const void *surface, int face, int k)
{
    const tn_triangles *t = surface;
    return t->skin->neighbour[3 * (size_t)face + (size_t)k];
}

static int around(const void *surface, int node, int i)
{
    const tn_skin *skin = ((const tn_triangles *)surface)->skin;
    return i < skin->start[node + 1] - skin->start[node] ? skin->node_face[skin->start[node] + i] : -1;
}

static bool apart(const double low_a[3], const double high_a[3], const double low_b[3], const double high_b[3])
{
    bool any = false; // one branch for all: none alone can be foretold
    for (int i = 0; i < 3; ++i) {
        any |= (low_a[i] > high_b[i]) | (low_b[i] > high_a[i]);
    }
    return any;
}

// Without fmin and fmax, which are calls, and without branches.
static void face_box(const tn_triangles *t, int face, tn_skin_box *box)
{
    const double *a = corner(t, face, 0), *b = corner(t, face, 1), *c = corner(t, face, 2);
    for (int i = 0; i < 3; ++i) {
        double low = a[i], high = a[i];
        low = b[i] < low ? b[i] : low;
        high = b[i] > high ? b[i] : high;
        box->low[i] = c[i] < low ? c[i] : low;
        box->high[i] = c[i] > high ? c[i] : high;
    }
}

static bool face_apart(const tn_triangles *t, int face, const double low[3], const double high[3])
{
    tn_skin_box box;
    face_box(t, face, &box);
    return apart(box.low, box.high, low, high);
}

static void visit(const void *surface, const double low[3], const double high[3], tn_facet_visitor visitor, void *user)
{
    const tn_triangles *t = surface;
    const tn_skin *skin = t->skin;
    for (int i = 0; i < skin->n_boxes;) {
        const tn_skin_box *box = t->view.box + i;
        if (apart(box->low, box->high, low, high)) {
            i = skin->skip[i];
            continue;
        }
        for (int k = 0; k < skin->count[i]; ++k) {
            int face = skin->order[skin->first[i] + k];
            if (!face_apart(t, face, low, high) && !visitor(user, face)) {
                return;
            }
        }
        i++;
    }
}

typedef struct nearest_face {
    int face;
    double square, weight[3]; // [m^2]
} nearest_face;

// The leaf's faces, those whose own boxes may be nearer.
static void try_leaf(const tn_triangles *t, int box, const double x[3], nearest_face *best)
{
    const tn_skin *skin = t->skin;
    for (int k = 0; k < skin->count[box]; ++k) {
        int face = skin->order[skin->first[box] + k];
        tn_skin_box bounds;
        face_box(t, face, &bounds);
        if (!(tn_skin_box_square(&bounds, x) < best->square)) {
            continue;
        }
        double w[3], here = tn_triangle_closest(corner(t, face, 0), corner(t, face, 1), corner(t, face, 2), x, w);
        if (here < best->square) {
            best->square = here;
            best->face = face;
            tn_vec3_copy(best->weight, w);
        }
    }
}

// Best first along the tree: the nearer child, then the other if it still may be nearer.
static int nearest(const void *surface, const double x[3], double most, double weight[3])
{
    enum { DEPTH = 64 };
    (void)most; // the tree finds it soon
    const tn_triangles *t = surface;
    struct {
        int box;
        double square;
    } stack[DEPTH];
    nearest_face best = {.face = -1, .square = INFINITY};
    int n = 0;
    stack[n].box = 0;
    stack[n++].square = 0.0;
    while (n > 0) {
        int i = stack[--n].box;
        if (!(stack[n].square < best.square)) {
            continue;
        }
        if (t->skin->count[i] > 0) {
            try_leaf(t, i, x, &best);
            continue;
        }
        int left = i + 1, right = t->skin->skip[left];
        double of_left = tn_skin_box_square(t->view.box + left, x),
               of_right = tn_skin_box_square(t->view.box + right, x);
        bool left_first = of_left <= of_right;
        stack[n].box = left_first ? right : left;
        stack[n++].square = left_first ? of_right : of_left;
        stack[n].box = left_first ? left : right;
        stack[n++].square = left_first ? of_left : of_right;
    }
    tn_vec3_copy(weight, best.weight);
    return best.face;
}

static tn_facets facets_of(const tn_triangles *t)
{
    return (tn_facets){.surface = t,
                       .n_faces = t->n_faces,
                       .closed = t->closed,
                       .patch = t->patch,
                       .turn = t->turn,
                       .get = get,
                       .across = across,
                       .around = around,
                       .visit = visit,
                       .nearest = nearest};
}

static tn_status fail_face(tn_error *error, int face, const char *why)
{
    return tn_error_set(error, TN_BAD_INPUT, "face %d (numbered from 0) %s", face, why);
}

static tn_status check_faces(const tn_triangles *t, tn_error *error)
{
    if (t->n_faces < 1) {
        return tn_error_set(error, TN_BAD_INPUT, "the mesh has no triangles");
    }
    for (int f = 0; f < t->n_faces; ++f) {
        for (int k = 0; k < 3; ++k) {
            int v = t->faces[3 * (size_t)f + (size_t)k];
            if (v < 0 || v >= t->n_vertices) {
                return fail_face(error, f, "names a vertex that is not there");
            }
        }
    }
    for (size_t i = 0; i < 3 * (size_t)t->n_vertices; ++i) {
        if (!isfinite(t->vertices[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "vertex %d (numbered from 0) is not finite", (int)(i / 3));
        }
    }
    for (int f = 0; f < t->n_faces; ++f) {
        double area[3], longest = 0.0;
        tn_triangle_area(area, corner(t, f, 0), corner(t, f, 1), corner(t, f, 2));
        for (int k = 0; k < 3; ++k) {
            double e[3];
            tn_vec3_sub(e, corner(t, f, k), corner(t, f, (k + 1) % 3));
            double square = tn_vec3_dot(e, e);
            longest = square > longest ? square : longest;
        }
        if (!(tn_vec3_norm(area) > 1e-9 * longest)) {
            return fail_face(error, f, "has no area: its corners are on a line; remove it or mesh again");
        }
    }
    return TN_OK;
}

// Corner of face f that begins the edge from p to q; -1: it has none in this direction.
static int directed_edge(const int *nodes, int p, int q)
{
    for (int k = 0; k < 3; ++k) {
        if (nodes[k] == p && nodes[(k + 1) % 3] == q) {
            return k;
        }
    }
    return -1;
}

// Along each edge at most one face a direction, and where there is none the other way round the edge is a border.
static tn_status check_edges(tn_triangles *t, tn_error *error)
{
    const tn_skin *skin = t->skin;
    t->closed = true;
    for (int i = 0; i < 3 * t->n_faces; ++i) {
        int face = i / 3, p = t->faces[i], q = t->faces[3 * face + (i + 1) % 3], same = 0, other = 0;
        for (int j = skin->start[p]; j < skin->start[p + 1]; ++j) {
            const int *nodes = t->faces + 3 * (size_t)skin->node_face[j];
            same += directed_edge(nodes, p, q) >= 0;
            other += directed_edge(nodes, q, p) >= 0;
        }
        if (same + other > 2) {
            return fail_face(error, face, "has an edge that three faces share: separate the parts that touch there");
        }
        if (same == 2) {
            return fail_face(error, face, "and its neighbour face opposite ways: turn the order of one's corners");
        }
        t->closed &= other == 1;
    }
    return TN_OK;
}

// moment[0]: volume; moment[1..3]: its first moments about the origin; second (3, 3): integral of x x^T. Exact sums
// over the tetrahedra from the origin to each face (Tonon, Journal of Mathematics and Statistics 1, 2005).
static void integrate(const tn_triangles *t, double moment[4], double second[9])
{
    memset(moment, 0, 4 * sizeof *moment);
    memset(second, 0, 9 * sizeof *second);
    for (int f = 0; f < t->n_faces; ++f) {
        const double *x[3] = {corner(t, f, 0), corner(t, f, 1), corner(t, f, 2)};
        double turned[3], sum[3];
        tn_vec3_cross(turned, x[1], x[2]);
        double six = tn_vec3_dot(x[0], turned);
        tn_vec3_add(sum, x[0], x[1]);
        tn_vec3_add(sum, sum, x[2]);
        moment[0] += six / 6.0;
        for (int i = 0; i < 3; ++i) {
            moment[1 + i] += six / 24.0 * sum[i];
            for (int j = 0; j < 3; ++j) {
                double own = x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j];
                second[3 * i + j] += six / 120.0 * (sum[i] * sum[j] + own);
            }
        }
    }
}

static void move(tn_triangles *t, double *vertices, const double by[3])
{
    for (int v = 0; v < t->n_vertices; ++v) {
        tn_vec3_sub(vertices + 3 * (size_t)v, vertices + 3 * (size_t)v, by);
    }
}

// Twice: about the first centroid the second is found without the digits that a far origin costs.
static tn_status find_mass(tn_triangles *t, double *vertices, double centroid[3], tn_error *error)
{
    double moment[4], second[9], by[3];
    tn_vec3_set(centroid, 0.0, 0.0, 0.0);
    for (int pass = 0; pass < 2; ++pass) {
        integrate(t, moment, second);
        if (!(moment[0] > 0.0)) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "the mesh is inside out, its volume is %g m^3: turn the order of every face's corners",
                                moment[0]);
        }
        tn_vec3_scale(by, 1.0 / moment[0], moment + 1);
        tn_vec3_add(centroid, centroid, by);
        move(t, vertices, by);
    }
    integrate(t, moment, second);
    t->volume = moment[0];
    double trace = second[0] + second[4] + second[8];
    for (int i = 0; i < 9; ++i) {
        t->inertia[i] = (i % 4 == 0 ? trace : 0.0) - second[i];
    }
    return TN_OK;
}

static void find_extent(tn_triangles *t)
{
    tn_vec3_set(t->low, INFINITY, INFINITY, INFINITY);
    tn_vec3_set(t->high, -INFINITY, -INFINITY, -INFINITY);
    for (int v = 0; v < t->n_vertices; ++v) {
        const double *x = t->vertices + 3 * (size_t)v;
        t->radius = fmax(t->radius, tn_vec3_norm(x));
        for (int i = 0; i < 3; ++i) {
            t->low[i] = fmin(t->low[i], x[i]);
            t->high[i] = fmax(t->high[i], x[i]);
        }
    }
}

static tn_status no_memory(int n_faces, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for a mesh of %d triangles", n_faces);
}

static bool find_patches(tn_triangles *t, tn_arena *arena)
{
    int *patch = TN_PUSH(arena, int, t->n_faces);
    float *turn = TN_PUSH(arena, float, t->n_faces);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    int *queue = TN_PUSH(arena, int, t->n_faces);
    double *normals = TN_PUSH(arena, double, 3 * (size_t)t->n_faces);
    bool ok = patch && turn && queue && normals;
    if (ok) {
        tn_facets facets = facets_of(t);
        tn_facets_patches(&facets, patch, queue);
        tn_facets_turns(&facets, normals, turn);
        t->patch = patch;
        t->turn = turn;
    }
    tn_arena_release(arena, mark);
    return ok;
}

tn_status tn_triangles_create(int n_vertices, const double *vertices, int n_faces, const int *faces, tn_arena *arena,
                              tn_triangles *out, double centroid[3], tn_error *error)
{
    double *x = TN_PUSH(arena, double, 3 * (size_t)n_vertices);
    int *corners = TN_PUSH(arena, int, 3 * (size_t)n_faces);
    tn_skin *skin = TN_PUSH(arena, tn_skin, 1);
    if (!x || !corners || !skin) {
        return no_memory(n_faces, error);
    }
    memcpy(x, vertices, 3 * (size_t)n_vertices * sizeof *x);
    memcpy(corners, faces, 3 * (size_t)n_faces * sizeof *corners);
    *out = (tn_triangles){.n_vertices = n_vertices, .vertices = x, .n_faces = n_faces, .faces = corners, .skin = skin};
    tn_vec3_set(centroid, 0.0, 0.0, 0.0);
    tn_status status = check_faces(out, error);
    status = status ? status : tn_skin_create(n_vertices, x, n_faces, corners, arena, skin, error);
    status = status ? status : check_edges(out, error);
    status = status || !out->closed ? status : find_mass(out, x, centroid, error);
    if (status) {
        return status;
    }
    find_extent(out);
    return find_patches(out, arena) && tn_skin_view_set(&out->view, skin, x, arena) ? TN_OK : no_memory(n_faces, error);
}

static double volume(const tn_shape *shape)
{
    return shape->triangles->volume;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    *mass = density * shape->triangles->volume;
    for (int i = 0; i < 9; ++i) {
        out[i] = density * shape->triangles->inertia[i];
    }
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const tn_triangles *t = placed->shape->triangles;
    tn_facets_bounds(placed, t->low, t->high, low, high);
}

static double spin_radius(const tn_shape *shape)
{
    return shape->triangles->radius;
}

static tn_facets facets(const tn_shape *shape)
{
    return facets_of(shape->triangles);
}

static void geometry(const tn_shape *shape, tn_geometry *out)
{
    const tn_triangles *t = shape->triangles;
    *out = (tn_geometry){.n_points = (size_t)t->n_vertices, .n_triangles = (size_t)t->n_faces, .shared = t};
}

static void fill(const tn_shape *shape, double *points, int32_t *triangles)
{
    const tn_triangles *t = shape->triangles;
    memcpy(points, t->vertices, 24 * (size_t)t->n_vertices);
    for (size_t i = 0; i < 3 * (size_t)t->n_faces; i++) {
        triangles[i] = t->faces[i];
    }
}

static uint64_t hash(uint64_t from, const tn_shape *shape)
{
    const tn_triangles *t = shape->triangles;
    from = tn_hash_doubles(from, t->vertices, 3 * (size_t)t->n_vertices);
    return tn_hash_bytes(from, t->faces, 3 * (size_t)t->n_faces * sizeof *t->faces);
}

const tn_shape_class tn_shape_class_triangles = {
    .name = "mesh",
    .form = TN_FORM_SURFACE,
    .fixed_only = "a mesh collides only on a body that is fixed or has a motion: give a free body a convex "
                  "decomposition ('hulls'), and the mesh with 'collides: false' if its mass is wanted",
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = tn_facets_distance_placed,
    .facets = facets,
    .geometry = geometry,
    .fill = fill,
    .hash = hash,
    .draw = tn_draw_triangles,
};
