// Ball: an icosahedron's 20 cells around the center, each cut into layers of tetrahedra, pushed out to spheres.
//
// Layer k of n is a geodesic sphere of frequency k: 12 corners, k - 1 nodes inside each of 30 edges and
// (k - 1)(k - 2) / 2 inside each of 20 faces. Unlike a mapped cube no tetrahedron has two faces on the surface, where
// it would be flat.
#include "math/vec3.h"
#include "mesh/tet.h"

enum { BALL_DIVISIONS_MAX = 200, EDGES = 30, FACES = 20, CORNERS = 12 };

typedef struct ico {
    double corner[CORNERS][3]; // unit
    int face[FACES][3];        // corners, counter-clockwise from outside
    int edge[EDGES][2];        // corners, ascending
    int face_edge[FACES][3];   // edge of corners (0, 1), (1, 2), (2, 0) of each face
} ico;

static int find_edge(ico *s, int n_edges, int a, int b)
{
    for (int e = 0; e < n_edges; e++) {
        if (s->edge[e][0] == a && s->edge[e][1] == b) {
            return e;
        }
    }
    s->edge[n_edges][0] = a;
    s->edge[n_edges][1] = b;
    return n_edges;
}

static void fill_edges(ico *s)
{
    int n_edges = 0;
    for (int f = 0; f < FACES; f++) {
        for (int i = 0; i < 3; i++) {
            int a = s->face[f][i];
            int b = s->face[f][(i + 1) % 3];
            int e = find_edge(s, n_edges, a < b ? a : b, a < b ? b : a);
            n_edges = e == n_edges ? n_edges + 1 : n_edges;
            s->face_edge[f][i] = e;
        }
    }
}

// Poles at corners 0 and 11, two rings of five between them at height 1 / sqrt 5.
static void fill_icosahedron(ico *s)
{
    const double height = 1.0 / sqrt(5.0);
    const double fifth = 2.0 * 3.14159265358979323846 / 5.0;
    tn_vec3_set(s->corner[0], 0.0, 0.0, 1.0);
    tn_vec3_set(s->corner[11], 0.0, 0.0, -1.0);
    for (int i = 0; i < 5; i++) {
        tn_vec3_set(s->corner[1 + i], 2.0 * height * cos(i * fifth), 2.0 * height * sin(i * fifth), height);
        tn_vec3_set(s->corner[6 + i], 2.0 * height * cos((i + 0.5) * fifth), 2.0 * height * sin((i + 0.5) * fifth),
                    -height);
        const int upper = 1 + i, upper_next = 1 + (i + 1) % 5;
        const int lower = 6 + i, lower_next = 6 + (i + 1) % 5;
        const int faces[4][3] = {{0, upper, upper_next},
                                 {upper, lower, upper_next},
                                 {lower, lower_next, upper_next},
                                 {11, lower_next, lower}};
        for (int f = 0; f < 4; f++) {
            for (int k = 0; k < 3; k++) {
                s->face[4 * i + f][k] = faces[f][k];
            }
        }
    }
    fill_edges(s);
}

// Nodes of the layers below layer k: 1 + sum of 10 j^2 + 2.
static int first_of_layer(int k)
{
    return k == 0 ? 0 : 1 + 2 * (k - 1) + 10 * (k - 1) * k * (2 * k - 1) / 6;
}

// Node of layer k at i steps from the face's corner 0 to 1 and j to 2.
static int node_at(const ico *s, int face, int k, int i, int j)
{
    const int w[3] = {k - i - j, i, j}; // steps left to each corner's opposite side
    const int first = first_of_layer(k);
    if (k == 0) {
        return 0;
    }
    for (int c = 0; c < 3; c++) {
        if (w[c] == k) {
            return first + s->face[face][c];
        }
    }
    for (int c = 0; c < 3; c++) {
        int next = (c + 1) % 3;
        if (w[(c + 2) % 3] == 0) { // on the edge from corner c to the next
            int along = s->face[face][c] < s->face[face][next] ? w[next] : w[c];
            return first + CORNERS + s->face_edge[face][c] * (k - 1) + along - 1;
        }
    }
    int inside = (j - 1) * (k - 1) - (j - 1) * j / 2 + i - 1; // rows of k - 2, k - 3, ... nodes
    return first + CORNERS + EDGES * (k - 1) + face * (k - 1) * (k - 2) / 2 + inside;
}

// Point of the unit sphere at weights w (sum k) of the face's corners: angles along the arcs instead of lengths along
// the chords keep the triangles alike.
static void direction(const ico *s, int face, const int w[3], int k, double out[3])
{
    const double arc = acos(1.0 / sqrt(5.0));
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int c = 0; c < 3; c++) {
        tn_vec3_madd(out, out, sin(w[c] * arc / k), s->corner[s->face[face][c]]);
    }
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
}

static void fill_nodes(const ico *s, double radius, int n, double *nodes)
{
    for (int k = 1; k <= n; k++) {
        for (int f = 0; f < FACES; f++) {
            for (int j = 0; j <= k; j++) {
                for (int i = 0; i + j <= k; i++) {
                    const int w[3] = {k - i - j, i, j};
                    double *x = nodes + 3 * (size_t)node_at(s, f, k, i, j);
                    direction(s, f, w, k, x);
                    tn_vec3_scale(x, radius * k / n, x);
                }
            }
        }
    }
}

static int *add(int *tets, int a, int b, int c, int d)
{
    tets[0] = a;
    tets[1] = b;
    tets[2] = c;
    tets[3] = d;
    return tets + 4;
}

static double distance_square(const double *nodes, int a, int b)
{
    double d[3];
    tn_vec3_sub(d, nodes + 3 * (size_t)a, nodes + 3 * (size_t)b);
    return tn_vec3_dot(d, d);
}

// Octahedron with axes (v[0], v[1]), (v[2], v[3]), (v[4], v[5]), v[0] v[2] v[4] right-handed: four tetrahedra around
// the shortest axis.
static int *add_octahedron(int *tets, const double *nodes, const int v[6])
{
    int axis = 0;
    for (int i = 1; i < 3; i++) {
        double best = distance_square(nodes, v[2 * axis], v[2 * axis + 1]);
        axis = distance_square(nodes, v[2 * i], v[2 * i + 1]) < (1.0 - 1e-9) * best ? i : axis;
    }
    const int a = v[2 * axis], b = v[2 * axis + 1];
    const int *p = v + 2 * ((axis + 1) % 3);
    const int *q = v + 2 * ((axis + 2) % 3);
    const int ring[5] = {p[0], q[0], p[1], q[1], p[0]};
    for (int i = 0; i < 4; i++) {
        tets = add(tets, b, ring[i], ring[i + 1], a);
    }
    return tets;
}

// What lies between layers k and k + 1 over one face: under each triangle of the outer layer.
static int *fill_layer(const ico *s, int f, int k, const double *nodes, int *tets)
{
#define IN(i, j) node_at(s, f, k, (i), (j))
#define OUT(i, j) node_at(s, f, k + 1, (i), (j))
    for (int j = 0; j <= k; j++) {
        for (int i = 0; i + j <= k; i++) {
            // Outer triangle that points like the face, with its tip on the inner layer.
            tets = add(tets, OUT(i, j), OUT(i, j + 1), OUT(i + 1, j), IN(i, j));
            if (i + j < k) { // octahedron between the layers
                const int v[6] = {OUT(i + 1, j), IN(i, j + 1),  OUT(i + 1, j + 1),
                                  IN(i, j),      OUT(i, j + 1), IN(i + 1, j)};
                tets = add_octahedron(tets, nodes, v);
            }
            if (i + j < k - 1) { // inner triangle that points against the face, with its tip on the outer layer
                tets = add(tets, IN(i + 1, j), IN(i + 1, j + 1), IN(i, j + 1), OUT(i + 1, j + 1));
            }
        }
    }
#undef IN
#undef OUT
    return tets;
}

tn_status tn_mesh_ball(double radius, int divisions, tn_arena *arena, tn_mesh *out, tn_error *error)
{
    if (!(radius > 0.0) || !isfinite(radius)) {
        return tn_error_set(error, TN_BAD_INPUT, "the radius of a ball must be positive, not %g", radius);
    }
    if (divisions < 1 || divisions > BALL_DIVISIONS_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "a ball has 1 to %d divisions, not %d", BALL_DIVISIONS_MAX, divisions);
    }
    int n_nodes = first_of_layer(divisions + 1);
    int n_tets = FACES * divisions * divisions * divisions;
    double *nodes = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    int *tets = TN_PUSH(arena, int, 4 * (size_t)n_tets);
    if (!nodes || !tets) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a ball of %d nodes", n_nodes);
    }
    ico s = {0};
    fill_icosahedron(&s);
    fill_nodes(&s, radius, divisions, nodes);
    int *end = tets;
    for (int k = 0; k < divisions; k++) {
        for (int f = 0; f < FACES; f++) {
            end = fill_layer(&s, f, k, nodes, end);
        }
    }
    *out = (tn_mesh){.n_nodes = n_nodes, .nodes = nodes, .n_tets = n_tets, .tets = tets};
    return TN_OK;
}
