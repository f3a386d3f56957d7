// Convex shapes on meshes and height fields: on flat ones as on a plane, on the mesh of a box as on the box.
#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/convex_nearest.h"
#include "shape/facets.h"
#include "shape/heights.h"
#include "shape/hull.h"
#include "shape/triangles.h"
#include "test.h"

#include <math.h>

static const tn_pose at_origin = {.quaternion = {1, 0, 0, 0}};
static const double PI = 3.14159265358979323846;

typedef struct world {
    tn_arena *arena;
    tn_heights heights;
    tn_hull hull;
    tn_triangles box;
    tn_shape bodies[6], floor, mesh, plane, solid;
    uint64_t count;
} world;

static double roll(world *w, double low, double high)
{
    return low + (high - low) * tn_random_uniform(11, 1, w->count++);
}

// Flat, with a pit at each fourth node along x and y, so that no body of 0.2 m sees a plane alone.
static void make_floor(world *w, int cells, bool pits)
{
    static double z[201 * 201];
    for (int i = 0; i < (cells + 1) * (cells + 1); i++) {
        z[i] = pits && i % (cells + 1) % 4 == 2 && i / (cells + 1) % 4 == 2 ? -0.05 : 0.0;
    }
    const int n[2] = {cells + 1, cells + 1};
    const double size[2] = {4, 4};
    tn_error error = {0};
    assert_int_equal(tn_heights_create(n, size, z, w->arena, &w->heights, &error), TN_OK);
    w->floor = (tn_shape){.kind = TN_SHAPE_HEIGHTS, .heights = &w->heights};
}

static world make_world(void)
{
    static const int faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    world w = {.arena = tn_arena_create(0)};
    tn_error error = {0};
    double corners[24], centroid[3];
    for (int v = 0; v < 8; v++) {
        tn_vec3_set(corners + 3 * v, v & 1 ? 0.5 : -0.5, v & 2 ? 0.4 : -0.4, v & 4 ? 0.3 : -0.3);
    }
    assert_int_equal(tn_triangles_create(8, corners, 12, faces, w.arena, &w.box, centroid, &error), TN_OK);
    w.plane.kind = TN_SHAPE_PLANE;
    w.mesh = (tn_shape){.kind = TN_SHAPE_TRIANGLES, .triangles = &w.box};
    w.solid = (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.5, 0.4, 0.3}};
    w.bodies[0] = (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.15, 0.125, 0.1}};
    w.bodies[1] = (tn_shape){.kind = TN_SHAPE_CYLINDER, .size = {0.1, 0.15}};
    w.bodies[2] = (tn_shape){.kind = TN_SHAPE_ELLIPSOID, .size = {0.1, 0.15, 0.2}};
    w.bodies[3] = (tn_shape){.kind = TN_SHAPE_CAPSULE, .size = {0.1, 0.1}};
    w.bodies[4] = (tn_shape){.kind = TN_SHAPE_HULL};
    w.bodies[5] = (tn_shape){.kind = TN_SHAPE_CONE, .size = {0.15, 0.12, 0.05}};
    return w;
}

// The struct is copied out of make_world: the pointers into it are set here.
static void settle(world *w)
{
    tn_error error = {0};
    double points[60], centroid[3];
    for (int i = 0; i < 60; i++) {
        points[i] = roll(w, -0.15, 0.15);
    }
    assert_int_equal(tn_hull_create(20, points, w->arena, &w->hull, centroid, &error), TN_OK);
    w->bodies[4].hull = &w->hull;
    w->mesh.triangles = &w->box;
    make_floor(w, 40, false);
}

// Somewhere, turned somehow, its lowest point at -depth.
static tn_pose place(world *w, const tn_shape *shape, double tilt, double depth)
{
    tn_pose pose = {.position = {roll(w, -1, 1), roll(w, -1, 1), 1}};
    double low[3], high[3], axis[3] = {roll(w, -1, 1), roll(w, -1, 1), roll(w, -1, 1)};
    double up[3] = {0, 0, 1}, turn[4], lean[4];
    if (tilt > 1.0) {
        tn_quat_from_axis_angle(pose.quaternion, axis, roll(w, -tilt, tilt));
    } else { // nearly upright, or lying for what is long along z
        const double side[3] = {0, 1, 0};
        tn_quat_from_axis_angle(lean, side, shape->kind == TN_SHAPE_BOX ? 0.0 : 0.5 * PI);
        tn_quat_from_axis_angle(turn, up, roll(w, -3, 3));
        tn_quat_mul(pose.quaternion, turn, lean);
        tn_quat_from_axis_angle(turn, axis, roll(w, -tilt, tilt));
        tn_quat_mul(pose.quaternion, turn, pose.quaternion);
    }
    tn_shape_bounds(shape, &pose, 0.0, low, high);
    pose.position[2] -= low[2] + depth;
    return pose;
}

// Largest difference of each of the plane's contacts from the nearest of the floor's.
static double missing(int n, const tn_contact_point *a, int m, const tn_contact_point *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double best = INFINITY;
        for (int j = 0; j < m; j++) {
            double d = fabs(a[i].gap - b[j].gap);
            for (int k = 0; k < 3; k++) {
                d = fmax(d, fmax(fabs(a[i].point[k] - b[j].point[k]), fabs(a[i].normal[k] - b[j].normal[k])));
            }
            best = fmin(best, d);
        }
        worst = fmax(worst, best);
    }
    return worst;
}

// The same; 1 if there are others besides.
static double difference(int n, const tn_contact_point *a, int m, const tn_contact_point *b)
{
    return n == m ? missing(n, a, m, b) : 1.0;
}

// Does a cell with a pit (of 0.1 m, on a field of 4 m) hold the point?
static bool over_pit(const double x[3])
{
    double i = (x[0] + 2.0) / 0.1, j = (x[1] + 2.0) / 0.1;
    return fabs(i - 4.0 * floor(i / 4.0) - 2.0) < 1.01 && fabs(j - 4.0 * floor(j / 4.0) - 2.0) < 1.01;
}

// The same with pits under the bodies: where no contact of the plane is over one, its contacts are found triangle by
// triangle; there may be others at the pits' rims.
static void lying_over_pits(void **state)
{
    world w = make_world();
    settle(&w);
    make_floor(&w, 40, true);
    for (int k = 0; k < 2; k++) {
        double worst = 0.0;
        int n_poses = 0;
        for (int i = 0; i < 2000; i++) {
            tn_contact_point a[TN_MANIFOLD_MAX], b[TN_MANIFOLD_MAX];
            tn_pose pose = place(&w, &w.bodies[k], 1e-6, 1e-8);
            int n = tn_shape_contact(&w.plane, &at_origin, &w.bodies[k], &pose, 0.002, a);
            int m = tn_shape_contact(&w.floor, &at_origin, &w.bodies[k], &pose, 0.002, b);
            bool over = false;
            for (int c = 0; c < n; c++) {
                over |= over_pit(a[c].point);
            }
            worst = over ? worst : fmax(worst, missing(n, a, m, b));
            n_poses += !over;
        }
        print_message("%s on a field with pits against a plane: worst difference %.2e in %d poses, limit 1e-9\n",
                      tn_shape_name(w.bodies[k].kind), worst, n_poses);
        assert_true(worst < 1e-9 && n_poses > 500);
    }
    tn_arena_destroy(w.arena);
}

// Boxes and cylinders that lie on a floor of many triangles, to within a little tilt: the plane's contacts, no others.
static void lying_on_flat_floors(void **state)
{
    world w = make_world();
    settle(&w);
    for (int k = 0; k < 2; k++) {
        double worst = 0.0;
        for (int i = 0; i < 2000; i++) {
            tn_contact_point a[TN_MANIFOLD_MAX], b[TN_MANIFOLD_MAX];
            tn_pose pose = place(&w, &w.bodies[k], 1e-6, 1e-8);
            int n = tn_shape_contact(&w.plane, &at_origin, &w.bodies[k], &pose, 0.002, a);
            int m = tn_shape_contact(&w.floor, &at_origin, &w.bodies[k], &pose, 0.002, b);
            worst = fmax(worst, difference(n, a, m, b));
        }
        print_message("%s on a flat field against a plane: worst difference %.2e, limit 1e-9\n",
                      tn_shape_name(w.bodies[k].kind), worst);
        assert_true(worst < 1e-9); // measured: 1e-14 and less
    }
    tn_arena_destroy(w.arena);
}

// At any angle and depth up to a quarter of a body and a floor much finer than that: the depth of the plane's contact,
// along the normal.
static void sunk_into_flat_floors(void **state)
{
    world w = make_world();
    settle(&w);
    int wrong = 0, skew = 0, n_poses = 0;
    for (int cells = 40; cells <= 200; cells += 160) {
        make_floor(&w, cells, false);
        for (double depth = 1e-4; depth < 0.03; depth *= 4) {
            for (int i = 0; i < 500; i++, n_poses++) {
                const tn_shape *body = &w.bodies[i % 6];
                tn_contact_point a[TN_MANIFOLD_MAX], b[TN_MANIFOLD_MAX];
                tn_pose pose = place(&w, body, 3.0, depth);
                int n = tn_shape_contact(&w.plane, &at_origin, body, &pose, 0.002, a);
                int m = tn_shape_contact(&w.floor, &at_origin, body, &pose, 0.002, b);
                double deep_a = INFINITY, deep_b = INFINITY;
                for (int c = 0; c < n; c++) {
                    deep_a = fmin(deep_a, a[c].gap);
                }
                for (int c = 0; c < m; c++) {
                    deep_b = fmin(deep_b, b[c].gap);
                    skew += b[c].normal[2] < 1.0 - 1e-12;
                }
                wrong += !(fabs(deep_a - deep_b) < 1e-6);
            }
        }
    }
    print_message("%d poses: %d with another depth (limit 0.2 %%), %d contacts off the normal (limit 0)\n", n_poses,
                  wrong, skew);
    assert_true(wrong * 500 <= n_poses && skew == 0);
    tn_arena_destroy(w.arena);
}

// The mesh of a box is the box: where two shapes are apart or overlap by little, their distance is the same.
static void mesh_of_a_box_is_a_box(void **state)
{
    world w = make_world();
    settle(&w);
    for (int k = 0; k < 6; k++) {
        double worst = 0.0;
        int met = 0, lost = 0;
        for (int i = 0; i < 2000; i++) {
            tn_contact_point a[TN_MANIFOLD_MAX], b[TN_MANIFOLD_MAX];
            tn_pose pose = {.position = {roll(&w, -0.8, 0.8), roll(&w, -0.7, 0.7), roll(&w, -0.6, 0.6)}};
            double axis[3] = {roll(&w, -1, 1), roll(&w, -1, 1), roll(&w, -1, 1)};
            tn_quat_from_axis_angle(pose.quaternion, axis, roll(&w, -3, 3));
            int n = tn_shape_contact(&w.solid, &at_origin, &w.bodies[k], &pose, 0.1, a);
            int m = tn_shape_contact(&w.mesh, &at_origin, &w.bodies[k], &pose, 0.1, b);
            double deep_a = INFINITY, deep_b = INFINITY;
            for (int c = 0; c < n; c++) {
                deep_a = fmin(deep_a, a[c].gap);
            }
            for (int c = 0; c < m; c++) {
                deep_b = fmin(deep_b, b[c].gap);
            }
            if (deep_a < -0.02) {
                continue; // the triangles see the body's overlap with the surface, not with the solid
            }
            met += n > 0;
            lost += (n > 0) != (m > 0);
            worst = fmax(worst, n > 0 && m > 0 ? fabs(deep_a - deep_b) : 0.0);
        }
        print_message("%s on the mesh of a box: %d contacts, %d lost or made up (limit 0), depth off by %.2e (1e-9)\n",
                      tn_shape_name(w.bodies[k].kind), met, lost, worst);
        assert_true(lost == 0 && met > 200 && worst < 1e-9);
    }
    tn_arena_destroy(w.arena);
}

// Every vertex that stands over the inside of a triangle of rough ground, whatever of its body is nearer to that
// triangle's border: before, of a box that leans on one corner only the corner had a contact.
static void vertices_over_rough_ground(void **state)
{
    enum { N = 41 };
    static double z[N * N];
    world w = make_world();
    settle(&w);
    tn_heights rough;
    tn_error error = {0};
    const double size[2] = {4, 4}, margin = 0.03;
    for (int i = 0; i < N * N; i++) {
        z[i] = 0.1 * sin(0.3 * (i % N)) * cos(0.2 * (i / N));
    }
    assert_int_equal(tn_heights_create((int[2]){N, N}, size, z, w.arena, &rough, &error), TN_OK);
    tn_shape ground = {.kind = TN_SHAPE_HEIGHTS, .heights = &rough};
    tn_facets facets = tn_facets_of(&ground);
    int over = 0, missed = 0;
    for (int k = 0; k < 400; k++) {
        const tn_shape *shape = &w.bodies[0];
        tn_pose pose = place(&w, shape, k % 2 ? 0.3 : 7.0, -0.1);
        double least = INFINITY, vertex[3], foot[3];
        tn_placed placed;
        assert_true(tn_placed_set(&placed, shape, &pose));
        tn_convex body = tn_convex_of(&placed);
        for (int pass = 0; pass < 2; pass++) { // down to the ground, then the question
            tn_contact_point points[TN_MANIFOLD_MAX];
            int n = pass ? tn_shape_contact(&ground, &at_origin, shape, &pose, margin, points) : 0;
            for (int v = 0; v < body.n_vertices && n < TN_MANIFOLD_MAX; v++) {
                double weight[3];
                tn_convex_vertex(&body, (unsigned)v, vertex);
                tn_vec3_add(vertex, vertex, pose.position);
                int face = facets.nearest(facets.surface, vertex, INFINITY, weight);
                double gap = tn_facets_distance(&facets, vertex, INFINITY, foot);
                least = pass ? least : fmin(least, gap);
                if (!pass || face < 0 || fmin(fmin(weight[0], weight[1]), weight[2]) < 1e-3 || gap < 1e-4 ||
                    gap > 0.9 * margin) {
                    continue;
                }
                bool found = false;
                for (int c = 0; c < n; c++) {
                    double d[3];
                    tn_vec3_sub(d, points[c].point, vertex);
                    found = found || (fabs(points[c].gap - gap) < 1e-6 && tn_vec3_norm(d) < 0.5 * gap + 1e-6);
                }
                over++;
                missed += !found;
                if (!found)
                    print_message("k %d vertex %d gap %g n %d\n", k, v, gap, n);
            }
            pose.position[2] -= pass ? 0.0 : least - 5e-4;
        }
    }
    print_message("%d vertices over rough ground, %d without a contact (limit 0)\n", over, missed);
    assert_true(over > 300 && missed == 0);
    tn_arena_destroy(w.arena);
}

// Hills with heights off by up to the roughness.
static tn_shape make_hills(world *w, double roughness, tn_heights *hills)
{
    enum { N = 41 };
    static double z[N * N];
    const double size[2] = {8, 8};
    tn_error error = {0};
    for (int i = 0; i < N * N; i++) {
        z[i] = 0.15 * sin(0.32 * (i % N)) * cos(0.2 * (i / N)) + roll(w, -roughness, roughness);
    }
    assert_int_equal(tn_heights_create((int[2]){N, N}, size, z, w->arena, hills, &error), TN_OK);
    return (tn_shape){.kind = TN_SHAPE_HEIGHTS, .heights = hills};
}

// Distance to the nearest of all triangles, by search.
static double searched(const tn_facets *facets, const tn_shape *shape, const tn_pose *pose, double most)
{
    tn_placed placed;
    assert_true(tn_placed_set(&placed, shape, pose));
    tn_convex body = tn_convex_of(&placed);
    double least = most;
    for (int f = 0; f < facets->n_faces; f++) {
        tn_facet facet;
        tn_convex_pair near;
        double corners[9];
        facets->get(facets->surface, f, &facet);
        for (int k = 0; k < 9; k++) {
            corners[k] = facet.corner[k / 3][k % 3];
        }
        tn_convex triangle = tn_convex_triangle(corners);
        if (tn_convex_nearest(&triangle, &body, least, &near)) {
            least = fmin(least, near.near.distance - near.radius);
        }
    }
    return least;
}

// On smooth and rough hills the nearest contact is as far away as the nearest triangle, for all that is told about
// directions without a search.
static void nearest_on_hills(void **state)
{
    world w = make_world();
    settle(&w);
    for (int rough = 0; rough < 3; rough++) {
        tn_heights hills;
        double worst = 0.0;
        int n_poses = 0;
        tn_shape ground = make_hills(&w, 0.012 * rough * rough, &hills);
        tn_facets facets = tn_facets_of(&ground);
        for (int i = 0; i < 600; i++) {
            const tn_shape *shape = &w.bodies[i % 6];
            tn_contact_point points[TN_MANIFOLD_MAX];
            tn_pose pose = place(&w, shape, i % 4 ? 0.2 : 7.0, -0.25);
            for (int k = 0; k < 4; k++) { // down until 2 mm are left
                pose.position[2] -= searched(&facets, shape, &pose, 0.5) - 2e-3;
            }
            double least = INFINITY, gap = searched(&facets, shape, &pose, 0.5);
            int n = tn_shape_contact(&ground, &at_origin, shape, &pose, 0.01, points);
            for (int c = 0; c < n; c++) {
                least = fmin(least, points[c].gap);
            }
            if (gap > 1e-4 && gap < 8e-3) {
                worst = fmax(worst, fabs(least - gap) / gap);
                n_poses++;
            }
        }
        print_message("hills %d: the least gap is off by %.2e of it in %d poses (limit 1e-9)\n", rough, worst, n_poses);
        assert_true(worst < 1e-9 && n_poses > 500);
    }
    tn_arena_destroy(w.arena);
}

// Over an edge between faces that lean by less than 0.02 rad a wheel has one contact, not one a face; but its ends keep
// theirs.
static void edges_that_are_none(void **state)
{
    world w = make_world();
    settle(&w);
    tn_heights hills;
    tn_shape ground = make_hills(&w, 0.0, &hills);
    tn_facets facets = tn_facets_of(&ground);
    int n_contacts = 0, doubled = 0, edges = 0;
    for (int i = 0; i < 300; i++) {
        tn_contact_point points[TN_MANIFOLD_MAX];
        tn_pose pose = place(&w, &w.bodies[1], 0.1, -0.25);
        for (int k = 0; k < 4; k++) {
            pose.position[2] -= searched(&facets, &w.bodies[1], &pose, 0.5) - 1e-4;
        }
        int n = tn_shape_contact(&ground, &at_origin, &w.bodies[1], &pose, 0.01, points);
        for (int c = 0; c < n; c++) {
            for (int k = 0; k < c; k++) {
                double apart[3], turn[3];
                tn_vec3_sub(apart, points[c].point, points[k].point);
                tn_vec3_sub(turn, points[c].normal, points[k].normal);
                double angle = tn_vec3_norm(turn); // by that the wheel's lowest points on the two differ
                bool together = tn_vec3_norm(apart) < 0.09 * angle;
                doubled += together && angle < 0.0199;
                edges += together;
            }
        }
        n_contacts += n;
    }
    print_message("%d contacts, %d in one place, %d of them with normals less than 0.02 apart (limit 5 %%)\n",
                  n_contacts, edges, doubled);
    assert_true(n_contacts > 600 && 20 * doubled < n_contacts);
    tn_arena_destroy(w.arena);
}

// Of a wheel that rolls, what it cannot come to within the step is left out, and nothing else.
static void what_a_wheel_rolls_onto(void **state)
{
    world w = make_world();
    settle(&w);
    tn_heights hills;
    tn_shape ground = make_hills(&w, 0.02, &hills);
    const double still = 1e-3, time = 2e-3, margin = 0.05;
    int kept = 0, lost = 0, left_out = 0;
    for (int i = 0; i < 400; i++) {
        tn_contact_point all[TN_MANIFOLD_MAX], some[TN_MANIFOLD_MAX];
        tn_pose pose = place(&w, &w.bodies[1], 0.2, -0.25);
        tn_placed a, b;
        tn_facets facets = tn_facets_of(&ground);
        for (int k = 0; k < 4; k++) {
            pose.position[2] -= searched(&facets, &w.bodies[1], &pose, 0.5) - 1e-4;
        }
        assert_true(tn_placed_set(&a, &ground, &at_origin) && tn_placed_set(&b, &w.bodies[1], &pose));
        tn_sweep sweep = {.still = still, .time = time};
        tn_vec3_copy(sweep.body[1].position, pose.position);
        tn_vec3_set(sweep.body[1].linear, roll(&w, -2, 2), roll(&w, -2, 2), 0.0);
        tn_vec3_set(sweep.body[1].angular, sweep.body[1].linear[1] / -0.1, sweep.body[1].linear[0] / 0.1, 0.0);
        int n = tn_placed_contact(&a, &b, margin, NULL, all), m = tn_placed_contact(&a, &b, margin, &sweep, some);
        for (int c = 0; c < n; c++) {
            double arm[3], v[3];
            tn_vec3_sub(arm, all[c].point, pose.position);
            tn_vec3_cross(v, sweep.body[1].angular, arm);
            tn_vec3_add(v, v, sweep.body[1].linear);
            bool within = all[c].gap < 0.9 * (still + time * tn_vec3_norm(v)), found = false;
            for (int k = 0; k < m; k++) {
                found = found || (some[k].gap == all[c].gap && some[k].feature == all[c].feature);
            }
            kept += within && found;
            lost += within && !found;
        }
        left_out += n - m;
    }
    print_message("%d contacts kept, %d lost (limit 0), %d left out\n", kept, lost, left_out);
    assert_true(kept > 400 && lost == 0 && left_out > 100);
    tn_arena_destroy(w.arena);
}

// Of a hull with more vertices over a plane than are reported, those that come down first when it turns by as much as
// its farthest points move by the margin: what a turn shows below them is a thousandth of the hull.
static void vertices_that_come_down_first(void **state)
{
    world w = make_world();
    settle(&w);
    enum { N = 100 };
    const double margin = 0.02;
    double worst = 0.0, points[3 * N], centroid[3];
    int many = 0;
    tn_hull lens;
    tn_error error = {0};
    for (int i = 0; i < N; i++) { // spread over a lens
        double *x = points + 3 * i, up = roll(&w, -1, 1), angle = roll(&w, -PI, PI), out = sqrt(1.0 - up * up);
        tn_vec3_set(x, 0.15 * out * cos(angle), 0.15 * out * sin(angle), 0.05 * up);
    }
    assert_int_equal(tn_hull_create(N, points, w.arena, &lens, centroid, &error), TN_OK);
    const tn_shape shape = {.kind = TN_SHAPE_HULL, .hull = &lens};
    for (int k = 0; k < 400; k++) {
        tn_pose pose = place(&w, &shape, 7.0, -1e-3), turned;
        tn_contact_point seen[TN_MANIFOLD_MAX];
        int n = tn_shape_contact(&w.plane, &at_origin, &shape, &pose, margin, seen);
        double axis[3] = {roll(&w, -1, 1), roll(&w, -1, 1), 0.0}, turn[4], low = INFINITY, known = INFINITY;
        tn_quat_from_axis_angle(turn, axis, margin / lens.reach);
        turned = pose;
        tn_quat_mul(turned.quaternion, turn, pose.quaternion);
        for (unsigned v = 0; v < (unsigned)lens.n_vertices; v++) {
            double before[3], x[3];
            bool reported = false;
            tn_quat_rotate(before, pose.quaternion, lens.vertices + 3 * v);
            tn_quat_rotate(x, turned.quaternion, lens.vertices + 3 * v);
            for (int c = 0; c < n; c++) {
                reported = reported || seen[c].feature == v;
            }
            if (before[2] + pose.position[2] <= margin) {
                low = fmin(low, x[2] + turned.position[2]);
                known = reported ? fmin(known, x[2] + turned.position[2]) : known;
            }
        }
        worst = fmax(worst, known - low);
        many += n >= 7;
    }
    print_message("of %d times a turn shows a vertex below the seven reported by %.2e m at most (limit 2e-3)\n", many,
                  worst);
    assert_true(many > 40 && worst < 2e-3);
    tn_arena_destroy(w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lying_on_flat_floors),       cmocka_unit_test(lying_over_pits),
        cmocka_unit_test(sunk_into_flat_floors),      cmocka_unit_test(mesh_of_a_box_is_a_box),
        cmocka_unit_test(vertices_over_rough_ground), cmocka_unit_test(vertices_that_come_down_first),
        cmocka_unit_test(nearest_on_hills),           cmocka_unit_test(what_a_wheel_rolls_onto),
        cmocka_unit_test(edges_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
