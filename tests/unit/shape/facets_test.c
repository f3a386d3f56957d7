// Triangle meshes and height fields: mass, distance, contact of balls against sampling and formulas; broken meshes.
#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/heights.h"
#include "shape/triangle.h"
#include "shape/triangles.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const tn_pose at_origin = {.quaternion = {1, 0, 0, 0}};

enum { MAX_VERTICES = 20000 };

typedef struct soup {
    int n_vertices, n_faces;
    double x[3 * MAX_VERTICES];
    int faces[6 * MAX_VERTICES];
} soup;

static soup work; // one at a time

static void add_face(soup *s, int a, int b, int c)
{
    int *f = s->faces + 3 * s->n_faces++;
    f[0] = a;
    f[1] = b;
    f[2] = c;
}

static void add_quad(soup *s, int a, int b, int c, int d)
{
    add_face(s, a, b, c);
    add_face(s, a, c, d);
}

static void make_box(soup *s, const double low[3], const double high[3])
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    s->n_vertices = 8;
    s->n_faces = 0;
    for (int v = 0; v < 8; v++) {
        tn_vec3_set(s->x + 3 * v, v & 1 ? high[0] : low[0], v & 2 ? high[1] : low[1], v & 4 ? high[2] : low[2]);
    }
    for (int f = 0; f < 6; f++) {
        add_quad(s, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    }
}

// Rings of a surface of revolution about z, closed around and, for a torus, across.
static void make_torus(soup *s, double large, double small, int n, int m)
{
    s->n_vertices = n * m;
    s->n_faces = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double u = 2 * PI * i / n, v = 2 * PI * j / m, r = large + small * cos(v);
            tn_vec3_set(s->x + 3 * (i * m + j), r * cos(u), r * sin(u), small * sin(v));
            int i2 = (i + 1) % n, j2 = (j + 1) % m;
            add_quad(s, i * m + j, i2 * m + j, i2 * m + j2, i * m + j2);
        }
    }
}

static void make_ball(soup *s, double radius, int n)
{
    int m = 2 * n;
    s->n_vertices = 2 + (n - 1) * m;
    s->n_faces = 0;
    tn_vec3_set(s->x, 0, 0, -radius);
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double u = PI * i / n, v = 2 * PI * j / m;
            tn_vec3_set(s->x + 3 * (1 + (i - 1) * m + j), radius * sin(u) * cos(v), radius * sin(u) * sin(v),
                        -radius * cos(u));
            int a = 1 + (i - 1) * m + j, b = 1 + (i - 1) * m + (j + 1) % m;
            if (i == 1) {
                add_face(s, 0, b, a);
            } else {
                add_quad(s, a - m, b - m, b, a);
            }
            if (i == n - 1) {
                add_face(s, a, b, s->n_vertices - 1);
            }
        }
    }
    tn_vec3_set(s->x + 3 * (s->n_vertices - 1), 0, 0, radius);
}

// A floor of n x n cells of size `cell`, with bumps of a given height.
static void make_floor(soup *s, int n, double cell, double bump)
{
    s->n_vertices = (n + 1) * (n + 1);
    s->n_faces = 0;
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i <= n; i++) {
            double x = (i - 0.5 * n) * cell, y = (j - 0.5 * n) * cell;
            tn_vec3_set(s->x + 3 * (j * (n + 1) + i), x, y, bump * sin(3 * x) * cos(2 * y));
            if (i < n && j < n) {
                int a = j * (n + 1) + i;
                add_quad(s, a, a + 1, a + n + 2, a + n + 1);
            }
        }
    }
}

static void create(const soup *s, tn_arena *arena, tn_triangles *out, double centroid[3])
{
    tn_error error = {0};
    if (tn_triangles_create(s->n_vertices, s->x, s->n_faces, s->faces, arena, out, centroid, &error) != TN_OK) {
        fail_msg("%s", error.message);
    }
}

// A box has its exact mass; of smooth bodies the error falls with the square of the number of faces across.
static void mass_by_exact_integrals(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_triangles t;
    double centroid[3];
    const double low[3] = {99.0, -3.0, 7.0}, high[3] = {101.0, 0.0, 8.0};
    make_box(&work, low, high);
    create(&work, arena, &t, centroid);
    double m = 6.0, expected[3] = {m / 12 * (9 + 1), m / 12 * (4 + 1), m / 12 * (4 + 9)}, worst = fabs(t.volume - m);
    for (int i = 0; i < 3; i++) {
        worst = fmax(worst, fabs(t.inertia[4 * i] - expected[i]));
        worst = fmax(worst, fabs(centroid[i] - 0.5 * (low[i] + high[i])));
    }
    worst = fmax(worst, fmax(fabs(t.inertia[1]), fmax(fabs(t.inertia[2]), fabs(t.inertia[5]))));
    print_message("box far from the origin: worst error of volume, centroid, inertia %.2e, limit 1e-12\n", worst);
    assert_true(worst < 1e-12); // measured: a few 1e-15
    double error[2][2];
    for (int k = 0; k < 2; k++) {
        int n = k ? 64 : 32;
        make_torus(&work, 1.0, 0.25, 2 * n, n);
        create(&work, arena, &t, centroid);
        double mass = 2 * PI * PI * 1.0 * 0.0625, about = mass * (1.0 + 0.75 * 0.0625);
        error[k][0] = fabs(t.volume / mass - 1) + fabs(t.inertia[8] / about - 1);
        make_ball(&work, 2.0, n);
        create(&work, arena, &t, centroid);
        mass = 32.0 / 3.0 * PI;
        about = 0.4 * mass * 4.0;
        error[k][1] = fabs(t.volume / mass - 1) + fabs(t.inertia[0] / about - 1) + fabs(t.inertia[8] / about - 1);
    }
    print_message("torus: relative errors %.2e and %.2e, ball %.2e and %.2e; ratio 4 expected\n", error[0][0],
                  error[1][0], error[0][1], error[1][1]);
    for (int k = 0; k < 2; k++) {
        assert_true(error[1][k] < 0.01 && fabs(error[0][k] / error[1][k] - 4.0) < 0.2);
    }
    tn_arena_destroy(arena);
}

static double roll(uint64_t *count, double low, double high)
{
    return low + (high - low) * tn_random_uniform(7, 1, (*count)++);
}

// The distance to a mesh of a box is the distance to the box, sign and normal too; the distance to a torus is within
// the error of its facets.
static void distance_of_points(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_triangles t;
    double centroid[3], half[3] = {0.5, 1.0, 1.5}, low[3], worst = 0, worst_normal = 0, worst_torus = 0;
    tn_vec3_scale(low, -1.0, half);
    make_box(&work, low, half);
    create(&work, arena, &t, centroid);
    const tn_shape mesh = {.kind = TN_SHAPE_TRIANGLES, .triangles = &t}, box = {TN_SHAPE_BOX, .size = {0.5, 1.0, 1.5}};
    tn_pose pose = {.position = {0.3, -0.2, 5.0}};
    const double axis[3] = {1, 2, -0.5};
    tn_quat_from_axis_angle(pose.quaternion, axis, 0.8);
    uint64_t count = 0;
    for (int i = 0; i < 3000; i++) {
        double x[3] = {roll(&count, -2, 2), roll(&count, -2, 2), roll(&count, 3, 7)}, na[3], nb[3], pa[3], pb[3], d[3];
        double a = tn_shape_distance(&mesh, &pose, x, na, pa), b = tn_shape_distance(&box, &pose, x, nb, pb);
        worst = fmax(worst, fabs(a - b));
        tn_vec3_sub(d, na, nb);
        worst_normal = fmax(worst_normal, tn_vec3_norm(d) * fmin(1.0, fabs(b)));
    }
    print_message("mesh of a box: distances differ by %.2e, normals by %.2e, limits 1e-13, 1e-12\n", worst,
                  worst_normal);
    assert_true(worst < 1e-13 && worst_normal < 1e-12);
    make_torus(&work, 1.0, 0.4, 96, 48);
    create(&work, arena, &t, centroid);
    for (int i = 0; i < 3000; i++) {
        double x[3] = {roll(&count, -2, 2), roll(&count, -2, 2), roll(&count, -1, 1)}, n[3], p[3];
        double r = sqrt(x[0] * x[0] + x[1] * x[1]) - 1.0, exact = sqrt(r * r + x[2] * x[2]) - 0.4;
        worst_torus = fmax(worst_torus, fabs(tn_shape_distance(&mesh, &at_origin, x, n, p) - exact));
    }
    double sagitta = 1.4 * (1 - cos(PI / 96)) + 0.4 * (1 - cos(PI / 48));
    print_message("torus: distances differ by %.2e, limit %.2e (how far its facets are below it)\n", worst_torus,
                  1.1 * sagitta);
    assert_true(worst_torus < 1.1 * sagitta);
    tn_arena_destroy(arena);
}

// All faces by brute force.
static double brute_distance(const soup *s, const double x[3])
{
    double square = INFINITY, w[3];
    for (int f = 0; f < s->n_faces; f++) {
        const int *c = s->faces + 3 * f;
        square = fmin(square, tn_triangle_closest(s->x + 3 * c[0], s->x + 3 * c[1], s->x + 3 * c[2], x, w));
    }
    return sqrt(square);
}

static void field_of(const soup *s, int n, double size, tn_arena *arena, tn_heights *out)
{
    static double z[MAX_VERTICES];
    for (int v = 0; v < s->n_vertices; v++) {
        z[v] = s->x[3 * v + 2];
    }
    const int points[2] = {n + 1, n + 1};
    const double extent[2] = {size, size};
    tn_error error = {0};
    assert_int_equal(tn_heights_create(points, extent, z, arena, out, &error), TN_OK);
}

// A bumpy floor as a mesh and as a height field: the same distances, which are those of brute force.
static void floors_agree(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_triangles t;
    tn_heights h;
    double centroid[3], worst = 0, worst_brute = 0;
    make_floor(&work, 30, 0.1, 0.2);
    create(&work, arena, &t, centroid);
    assert_false(t.closed);
    field_of(&work, 30, 3.0, arena, &h);
    const tn_shape mesh = {.kind = TN_SHAPE_TRIANGLES, .triangles = &t},
                   field = {.kind = TN_SHAPE_HEIGHTS, .heights = &h};
    uint64_t count = 0;
    int below = 0;
    for (int i = 0; i < 2000; i++) {
        double x[3] = {roll(&count, -1.7, 1.7), roll(&count, -1.7, 1.7), roll(&count, -0.6, 0.6)}, na[3], nb[3], p[3];
        double a = tn_shape_distance(&mesh, &at_origin, x, na, p), b = tn_shape_distance(&field, &at_origin, x, nb, p);
        worst = fmax(worst, fabs(a - b));
        worst_brute = fmax(worst_brute, fabs(fabs(a) - brute_distance(&work, x)));
        below += a < 0;
    }
    print_message("mesh and height field: distances differ by %.2e, from brute force by %.2e, limit 1e-14; %d below\n",
                  worst, worst_brute, below);
    assert_true(worst < 1e-14 && worst_brute < 1e-14 && below > 500);
    tn_arena_destroy(arena);
}

// A search with an end: the same to the last bit for what is inside or within it, and else nothing nearer; over hills
// steeper than 45 degrees, over their border and beyond it.
static void short_search(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_heights h;
    make_floor(&work, 30, 0.1, 1.0);
    field_of(&work, 30, 3.0, arena, &h);
    tn_facets facets = tn_heights_facets(&h);
    uint64_t count = 0;
    int counts[3] = {0};
    for (int i = 0; i < 20000; i++) {
        double x[3] = {roll(&count, -1.7, 1.7), roll(&count, -1.7, 1.7), roll(&count, -1.5, 2.5)}, n[2][3];
        double most = i % 2 ? roll(&count, 0.0, 0.3) : roll(&count, 0.0, 3.0);
        double all = tn_facets_distance(&facets, x, INFINITY, n[0]);
        double some = tn_facets_distance(&facets, x, i % 5 ? most : fabs(all), n[1]);
        bool within = all <= most || i % 5 == 0;
        counts[within ? all < 0.0 : 2]++;
        assert_true(within ? some == all && memcmp(n[0], n[1], sizeof n[0]) == 0 : some == all || some == INFINITY);
    }
    print_message("%d within reach, %d inside, %d farther\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 1000);
    tn_arena_destroy(arena);
}

// On flat floors, wherever the triangles' borders are, a ball has the one contact that it has with a plane.
static void ball_on_flat_floors(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_triangles t;
    tn_heights h;
    double centroid[3], worst = 0;
    make_floor(&work, 20, 0.1, 0.0);
    create(&work, arena, &t, centroid);
    field_of(&work, 20, 2.0, arena, &h);
    const tn_shape floors[2] = {{.kind = TN_SHAPE_TRIANGLES, .triangles = &t},
                                {.kind = TN_SHAPE_HEIGHTS, .heights = &h}};
    const tn_shape ball = {.kind = TN_SHAPE_SPHERE, .size = {0.15}}, plane = {.kind = TN_SHAPE_PLANE};
    uint64_t count = 0;
    unsigned name = 0;
    for (int i = 0; i < 3000; i++) {
        tn_contact_point a[TN_MANIFOLD_MAX], b[TN_MANIFOLD_MAX];
        tn_pose pose = {.position = {roll(&count, -0.9, 0.9), roll(&count, -0.9, 0.9), roll(&count, 0.12, 0.17)},
                        .quaternion = {1, 0, 0, 0}};
        if (i % 3 == 0) { // over an edge or a corner
            pose.position[0] = 0.1 * floor(10 * pose.position[0]);
            pose.position[1] = i % 2 ? pose.position[1] : pose.position[0];
        }
        assert_int_equal(tn_shape_contact(&plane, &at_origin, &ball, &pose, 0.1, b), 1);
        for (int k = 0; k < 2; k++) {
            int n = tn_shape_contact(&floors[k], &at_origin, &ball, &pose, 0.1, a);
            assert_int_equal(n, 1);
            name = i ? name : a[0].feature;
            assert_int_equal(a[0].feature, name);
            worst = fmax(worst, fabs(a[0].gap - b[0].gap));
            for (int c = 0; c < 3; c++) {
                worst = fmax(worst, fmax(fabs(a[0].normal[c] - b[0].normal[c]), fabs(a[0].point[c] - b[0].point[c])));
            }
        }
    }
    print_message("ball on flat floors against a plane: worst difference %.2e, limit 1e-15; one name\n", worst);
    assert_true(worst < 1e-15);
    tn_arena_destroy(arena);
}

// In a groove a ball touches both sides, on a ridge its edge, in a pit of three planes all of them.
static void ball_in_corners(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const int n[2] = {3, 2};
    const double size[2] = {2.0, 2.0}, groove[6] = {1, 0, 1, 1, 0, 1}, ridge[6] = {-1, 0, -1, -1, 0, -1};
    tn_heights h;
    tn_error error = {0};
    tn_contact_point points[TN_MANIFOLD_MAX];
    const tn_shape field = {.kind = TN_SHAPE_HEIGHTS, .heights = &h}, ball = {.kind = TN_SHAPE_SPHERE, .size = {0.5}};
    tn_pose pose = {.position = {0.0, 0.1, 0.5 * sqrt(2.0)}, .quaternion = {1, 0, 0, 0}};
    assert_int_equal(tn_heights_create(n, size, groove, arena, &h, &error), TN_OK);
    assert_int_equal(tn_shape_contact(&field, &at_origin, &ball, &pose, 0.05, points), 2);
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(points[k].gap) < 1e-15 && fabs(points[k].normal[2] - sqrt(0.5)) < 1e-15);
    }
    assert_int_equal(tn_heights_create(n, size, ridge, arena, &h, &error), TN_OK);
    pose.position[2] = 0.52;
    assert_int_equal(tn_shape_contact(&field, &at_origin, &ball, &pose, 0.05, points), 1);
    assert_true(fabs(points[0].gap - 0.02) < 1e-15 && points[0].normal[2] == 1.0);
    pose.position[2] = -0.01; // its centre is below the ridge
    assert_int_equal(tn_shape_contact(&field, &at_origin, &ball, &pose, 0.05, points), 1);
    print_message("sunk by 0.51 on a ridge of 45 degrees: gap %.6f, expected %.6f\n", points[0].gap,
                  -0.5 - 0.01 * sqrt(0.5));
    assert_true(fabs(points[0].gap + 0.5 + 0.01 * sqrt(0.5)) < 1e-12);
    tn_arena_destroy(arena);
}

static void expect_broken(const char *part)
{
    tn_arena *arena = tn_arena_create(0);
    tn_triangles t;
    tn_error error = {0};
    double centroid[3];
    tn_status status =
        tn_triangles_create(work.n_vertices, work.x, work.n_faces, work.faces, arena, &t, centroid, &error);
    print_message("%s\n", error.message);
    assert_int_equal(status, TN_BAD_INPUT);
    assert_non_null(strstr(error.message, part));
    tn_arena_destroy(arena);
}

// By how much directions that the surface allows at the face's corners and in the middle of its edges lean more than
// the face's turn says [rad].
static double lean_beyond_turn(const tn_facets *facets, int face, uint64_t *count, int *n_leaning)
{
    double worst = 0;
    tn_facet facet;
    facets->get(facets->surface, face, &facet);
    for (int i = 0; i < 6 * 300; i++) {
        double weight[3] = {0}, normal[3], d[3], edge[3];
        weight[i % 3] = i % 2 ? 1.0 : 0.5;
        weight[(i + 1) % 3] += i % 2 ? 0.0 : 0.5;
        tn_facet_point point = tn_facet_point_of(&facet, face, weight, 1e-6);
        tn_facet_normal(&facet, normal);
        for (int k = 0; k < 3; k++) {
            d[k] = normal[k] + roll(count, -1.5, 1.5);
        }
        if (point.n == 2) { // what is nearest to an edge lies across it
            tn_vec3_sub(edge, facet.corner[(point.k + 1) % 3], facet.corner[point.k]);
            tn_vec3_madd(d, d, -tn_vec3_dot(d, edge) / tn_vec3_dot(edge, edge), edge);
        }
        tn_vec3_scale(d, 1.0 / tn_vec3_norm(d), d);
        if (tn_facet_point_allows(facets, &facet, &point, d, 1e-4)) {
            double lean = acos(fmin(1.0, fmax(0.0, tn_vec3_dot(d, normal)))); // a right angle at most
            worst = fmax(worst, lean - (double)facets->turn[face]);
            *n_leaning += lean > 0.1;
        }
    }
    return worst;
}

// Away from the border of a height field of n by n points, where faces count as turned by a right angle.
static bool inside(int n, int face)
{
    int i = face / 2 % (n - 1), j = face / 2 / (n - 1);
    return i > 1 && j > 1 && i < n - 3 && j < n - 3;
}

// What searches at a face's border take for granted: no direction that is allowed there leans more than its turn. At a
// valley's faces none does.
static void turns_of_faces(void **state)
{
    enum { N = 30 };
    tn_arena *arena = tn_arena_create(0);
    tn_heights h;
    tn_error error;
    uint64_t count = 0;
    int n_leaning = 0, n[2] = {N, N};
    double z[N * N], bowl[N * N], size[2] = {3, 3}, worst = 0, most = 0;
    for (int i = 0; i < N * N; i++) {
        z[i] = roll(&count, 0.0, 0.4);
        bowl[i] = 0.01 * ((i % N - 15) * (i % N - 15) + (i / N - 15) * (i / N - 15));
    }
    assert_int_equal(tn_heights_create(n, size, z, arena, &h, &error), TN_OK);
    tn_facets facets = tn_heights_facets(&h);
    for (int f = 0; f < facets.n_faces; f++) {
        worst = inside(N, f) ? fmax(worst, lean_beyond_turn(&facets, f, &count, &n_leaning)) : worst;
    }
    assert_int_equal(tn_heights_create(n, size, bowl, arena, &h, &error), TN_OK);
    facets = tn_heights_facets(&h);
    for (int f = 0; f < facets.n_faces; f++) {
        most = inside(N, f) ? fmax(most, (double)facets.turn[f]) : most;
    }
    print_message("%d directions lean: by %.1e rad more than foreseen (limit 1e-3); in a bowl by %.1e (1e-3)\n",
                  n_leaning, worst, most);
    assert_true(worst < 1e-3 && n_leaning > 1000 && most < 1e-3);
    tn_arena_destroy(arena);
}

static void broken_meshes(void **state)
{
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    make_box(&work, low, high);
    work.faces[7] = 8;
    expect_broken("face 2 (numbered from 0) names a vertex that is not there");
    make_box(&work, low, high);
    work.faces[7] = work.faces[6];
    expect_broken("face 2 (numbered from 0) has no area");
    make_box(&work, low, high);
    work.x[5] = NAN;
    expect_broken("vertex 1 (numbered from 0) is not finite");
    make_box(&work, low, high);
    add_face(&work, 0, 1, 7);
    expect_broken("three faces share");
    make_box(&work, low, high);
    work.faces[0] = 2;
    work.faces[1] = 0;
    expect_broken("opposite ways");
    make_box(&work, high, low);
    expect_broken("inside out");
    work.n_faces = 0;
    expect_broken("no triangles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_by_exact_integrals),
        cmocka_unit_test(distance_of_points),
        cmocka_unit_test(floors_agree),
        cmocka_unit_test(short_search),
        cmocka_unit_test(ball_on_flat_floors),
        cmocka_unit_test(ball_in_corners),
        cmocka_unit_test(turns_of_faces),
        cmocka_unit_test(broken_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
