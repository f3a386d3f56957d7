// What follows from the faces of a convex hull: planes, edges, neighbours, mass properties.
#include "math/vec3.h"
#include "shape/hull.h"
#include "shape/hull_facets.h"

#include <string.h>

// Neighbouring facets closer to a common plane than this share of the extent are one face: points as STL files hold
// them, in single precision.
static const double coplanar = 3e-7;
static const double flat = 1e-9; // of the extent

// Extents of the points: along the longest line, and from the plane of three spread ones [m].
static void measure(int n, const double *points, double *length, double *height)
{
    double far[2][3], best = -1.0, line[3], normal[3] = {0};
    tn_vec3_copy(far[0], points);
    for (int round = 0; round < 2; ++round) { // farthest from the first point, then from that one
        double square = -1.0, d[3];
        const double *found = points;
        for (int i = 0; i < n; ++i) {
            tn_vec3_sub(d, points + 3 * (size_t)i, far[round]);
            if (tn_vec3_dot(d, d) > square) {
                square = tn_vec3_dot(d, d);
                found = points + 3 * (size_t)i;
            }
        }
        tn_vec3_copy(far[1 - round], found);
    }
    tn_vec3_sub(line, far[1], far[0]);
    *length = tn_vec3_norm(line);
    *height = 0.0;
    for (int i = 0; i < n; ++i) {
        double d[3], across[3];
        tn_vec3_sub(d, points + 3 * (size_t)i, far[0]);
        tn_vec3_cross(across, line, d);
        if (tn_vec3_dot(across, across) > best) {
            best = tn_vec3_dot(across, across);
            tn_vec3_copy(normal, across);
        }
    }
    for (int i = 0; best > 0.0 && i < n; ++i) {
        double d[3];
        tn_vec3_sub(d, points + 3 * (size_t)i, far[0]);
        *height = fmax(*height, fabs(tn_vec3_dot(d, normal)) / sqrt(best));
    }
}

typedef struct builder {
    tn_hull *hull;
    const tn_hull_facets *facets;
    double *vertices, *plane;
    int *number; // (n) of an input point among the vertices, -1: none
    int *face_start, *face_vertex, *edge, *edge_face, *near_start, *near;
    int *near_face; // (near_start[n_vertices]) the face on the left of the edge to this neighbour
} builder;

static bool allocate(builder *b, int n, tn_arena *arena)
{
    size_t corners = (size_t)b->facets->n_corners, faces = (size_t)b->facets->n_faces;
    b->vertices = TN_PUSH(arena, double, 3 * corners);
    b->plane = TN_PUSH(arena, double, 4 * faces);
    b->face_start = TN_PUSH(arena, int, faces + 1);
    b->face_vertex = TN_PUSH(arena, int, corners);
    b->edge = TN_PUSH(arena, int, corners);
    b->edge_face = TN_PUSH(arena, int, corners);
    b->near_start = TN_PUSH(arena, int, corners + 2);
    b->near = TN_PUSH(arena, int, corners);
    b->near_face = TN_PUSH(arena, int, corners);
    b->number = TN_PUSH(arena, int, n);
    return b->vertices && b->plane && b->face_start && b->face_vertex && b->edge && b->edge_face && b->near_start &&
           b->near && b->near_face && b->number;
}

// Vertices in the order of the input.
static void number_vertices(builder *b, int n, const double *points)
{
    memset(b->number, -1, (size_t)n * sizeof *b->number);
    for (int k = 0; k < b->facets->n_corners; ++k) {
        b->number[b->facets->corner[k]] = 0;
    }
    for (int i = 0; i < n; ++i) {
        if (b->number[i] == 0) {
            b->number[i] = b->hull->n_vertices;
            tn_vec3_copy(b->vertices + 3 * (size_t)b->hull->n_vertices++, points + 3 * (size_t)i);
        }
    }
}

// Area vector of a polygon (Newell), twice.
static void face_area(const builder *b, int face, double out[3])
{
    int first = b->face_start[face], n = b->face_start[face + 1] - first;
    const double *p = b->vertices + 3 * b->face_vertex[first];
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int k = 1; k + 1 < n; ++k) {
        double u[3], v[3], cross[3];
        tn_vec3_sub(u, b->vertices + 3 * b->face_vertex[first + k], p);
        tn_vec3_sub(v, b->vertices + 3 * b->face_vertex[first + k + 1], p);
        tn_vec3_cross(cross, u, v);
        tn_vec3_add(out, out, cross);
    }
}

// Counter-clockwise seen from outside, where middle is inside. False for a face without area.
static bool orient_face(builder *b, int face, const double middle[3])
{
    int first = b->face_start[face], last = b->face_start[face + 1] - 1;
    double area[3], out[3];
    face_area(b, face, area);
    tn_vec3_sub(out, b->vertices + 3 * b->face_vertex[first], middle);
    for (; tn_vec3_dot(area, out) < 0.0 && first < last; ++first, --last) {
        int swap = b->face_vertex[first];
        b->face_vertex[first] = b->face_vertex[last];
        b->face_vertex[last] = swap;
    }
    return tn_vec3_norm(area) > 0.0;
}

static bool copy_faces(builder *b)
{
    double middle[3] = {0.0, 0.0, 0.0};
    b->hull->n_faces = b->facets->n_faces;
    for (int v = 0; v < b->hull->n_vertices; ++v) {
        tn_vec3_madd(middle, middle, 1.0 / b->hull->n_vertices, b->vertices + 3 * v);
    }
    memcpy(b->face_start, b->facets->start, ((size_t)b->facets->n_faces + 1) * sizeof *b->face_start);
    for (int k = 0; k < b->facets->n_corners; ++k) {
        b->face_vertex[k] = b->number[b->facets->corner[k]];
    }
    for (int f = 0; f < b->hull->n_faces; ++f) {
        if (b->face_start[f + 1] - b->face_start[f] < 3 || !orient_face(b, f, middle)) {
            return false;
        }
    }
    return true;
}

// Neighbours of each vertex: where the edges go that leave it, each with the face on its left.
static void list_neighbours(builder *b)
{
    int *next = b->near_start + 1;
    for (int k = 0; k < b->facets->n_corners; ++k) {
        next[b->face_vertex[k] + 1]++;
    }
    for (int v = 0; v < b->hull->n_vertices; ++v) {
        next[v + 1] += next[v];
    }
    for (int f = 0; f < b->hull->n_faces; ++f) {
        int first = b->face_start[f], n = b->face_start[f + 1] - first;
        for (int k = 0; k < n; ++k) {
            int slot = next[b->face_vertex[first + k]]++;
            b->near[slot] = b->face_vertex[first + (k + 1) % n];
            b->near_face[slot] = f;
        }
    }
}

// Slot of the edge from p to q, or -1: none or several.
static int find_slot(const builder *b, int p, int q)
{
    int found = -1;
    for (int i = b->near_start[p]; i < b->near_start[p + 1]; ++i) {
        if (b->near[i] == q) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

// False unless the faces close to one surface: every edge twice, V - E + F = 2.
static bool pair_edges(builder *b)
{
    tn_hull *hull = b->hull;
    for (int p = 0; p < hull->n_vertices; ++p) {
        for (int i = b->near_start[p]; i < b->near_start[p + 1]; ++i) {
            int q = b->near[i], back = find_slot(b, q, p);
            if (back < 0 || find_slot(b, p, q) != i) {
                return false;
            }
            if (p < q) {
                int e = hull->n_edges++;
                b->edge[2 * e] = p;
                b->edge[2 * e + 1] = q;
                b->edge_face[2 * e] = b->near_face[i];
                b->edge_face[2 * e + 1] = b->near_face[back];
            }
        }
    }
    return hull->n_vertices - hull->n_edges + hull->n_faces == 2;
}

// Volume, centroid and second moments from the tetrahedra between the first vertex and the faces' triangles.
static bool find_moments(builder *b, double centroid[3])
{
    const double *origin = b->vertices;
    double volume = 0.0, first[3] = {0.0, 0.0, 0.0}, second[9] = {0.0};
    for (int f = 0; f < b->hull->n_faces; ++f) {
        const int *corner = b->face_vertex + b->face_start[f];
        for (int k = 1; k + 1 < b->face_start[f + 1] - b->face_start[f]; ++k) {
            double x[4][3], cross[3];
            for (int c = 0; c < 3; ++c) {
                tn_vec3_sub(x[c], b->vertices + 3 * corner[c == 0 ? 0 : k + c - 1], origin);
            }
            tn_vec3_cross(cross, x[1], x[2]);
            double part = tn_vec3_dot(x[0], cross) / 6.0;
            tn_vec3_add(x[3], x[0], x[1]);
            tn_vec3_add(x[3], x[3], x[2]);
            volume += part;
            tn_vec3_madd(first, first, part / 4.0, x[3]);
            for (int i = 0; i < 9; ++i) { // integral of x x^T over a tetrahedron: V/20 (sum x x^T + sum x sum x^T)
                for (int c = 0; c < 4; ++c) {
                    second[i] += part / 20.0 * x[c][i / 3] * x[c][i % 3];
                }
            }
        }
    }
    if (!(volume > 0.0)) {
        return false;
    }
    b->hull->volume = volume;
    tn_vec3_scale(first, 1.0 / volume, first);
    for (int i = 0; i < 9; ++i) {
        second[i] -= volume * first[i / 3] * first[i % 3];
    }
    double trace = second[0] + second[4] + second[8];
    for (int i = 0; i < 9; ++i) {
        b->hull->inertia[i] = (i % 4 == 0 ? trace : 0.0) - second[i];
    }
    tn_vec3_add(centroid, origin, first);
    return true;
}

static void find_planes(builder *b)
{
    for (int f = 0; f < b->hull->n_faces; ++f) {
        double *plane = b->plane + 4 * f, most = -INFINITY;
        face_area(b, f, plane);
        tn_vec3_scale(plane, 1.0 / tn_vec3_norm(plane), plane);
        for (int v = 0; v < b->hull->n_vertices; ++v) {
            most = fmax(most, tn_vec3_dot(plane, b->vertices + 3 * v));
        }
        plane[3] = most;
        b->hull->least = f == 0 ? most : fmin(b->hull->least, most);
    }
    for (int v = 0; v < b->hull->n_vertices; ++v) {
        b->hull->reach = fmax(b->hull->reach, tn_vec3_norm(b->vertices + 3 * v));
    }
}

// False where qhull's faces do not make a closed surface.
static bool build(builder *b, int n, const double *points, double centroid[3])
{
    number_vertices(b, n, points);
    if (!copy_faces(b)) {
        return false;
    }
    list_neighbours(b);
    if (!pair_edges(b) || !find_moments(b, centroid)) {
        return false;
    }
    for (int v = 0; v < b->hull->n_vertices; ++v) {
        tn_vec3_sub(b->vertices + 3 * v, b->vertices + 3 * v, centroid);
    }
    find_planes(b);
    return true;
}

static tn_status check_points(int n, const double *points, double *tolerance, tn_error *error)
{
    double length, height;
    if (n < 4) {
        return tn_error_set(error, TN_BAD_INPUT, "a hull needs at least four points, not %d", n);
    }
    for (int i = 0; i < 3 * n; ++i) {
        if (!isfinite(points[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "point %d of the hull is not finite", i / 3);
        }
    }
    measure(n, points, &length, &height);
    if (!(height > flat * length)) {
        return tn_error_set(error, TN_BAD_INPUT, "the points of the hull lie in one plane");
    }
    *tolerance = fmin(coplanar * length, 1e-3 * height);
    return TN_OK;
}

tn_status tn_hull_create(int n, const double *points, tn_arena *arena, tn_hull *out, double centroid[3],
                         tn_error *error)
{
    double tolerance = 0.0;
    tn_status status = check_points(n, points, &tolerance, error);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool done = false, enough = true;
    // Without the merged faces, and at last with triangles only, where merging left no proper surface.
    for (int attempt = 0; status == TN_OK && attempt < 3 && enough && !done; ++attempt) {
        tn_hull_facets facets;
        *out = (tn_hull){0};
        tn_arena_release(arena, mark);
        if (tn_hull_facets_find(n, points, attempt == 0 ? tolerance : 0.0, attempt == 2, &facets)) {
            builder b = {.hull = out, .facets = &facets};
            enough = allocate(&b, n, arena);
            done = enough && build(&b, n, points, centroid);
            enough = enough && (!done || tn_normals_create(out->n_faces, b.plane, 4, arena, &out->normals));
            done = done && enough;
            out->vertices = b.vertices;
            out->face_start = b.face_start;
            out->face_vertex = b.face_vertex;
            out->plane = b.plane;
            out->edge = b.edge;
            out->edge_face = b.edge_face;
            out->near_start = b.near_start;
            out->near = b.near;
        }
        tn_hull_facets_free(&facets);
    }
    if (status != TN_OK || done) {
        return status;
    }
    return enough ? tn_error_set(error, TN_BAD_INPUT, "no convex hull: the points lie too close to one plane")
                  : tn_error_set(error, TN_NO_MEMORY, "no memory for a hull of %d points", n);
}
