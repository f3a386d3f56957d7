// What contact of two shapes costs by itself, beside Bullet's, FCL's and libccd's narrow phases on the same places:
// pairs that overlap or are apart by up to one percent of their size and creep from frame to frame, as in a step's
// contacts. Then a mesh of 10^5 triangles: how long it takes to build, and to find what touches a ball.
#include "peer_pairs.h"
#include "rigid.h"

#include "base/arena.h"
#include "base/random.h"
#include "base/timer.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/class.h"
#include "shape/hull.h"
#include "shape/manifold.h"
#include "shape/triangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOLIDS = 8, MESH = SOLIDS - 1, FRAMES = 20, MAX_PAIRS = 200 };
static const double REACH = 0.01; // gaps and overlaps of the pairs, of a size of 1 m [m]

typedef struct solid {
    const char *name;
    tn_shape shape;
    peer_solid peer;
} solid;

// Uniform in [-1, 1), another number at each call.
static double toss(uint64_t *counter)
{
    return 2.0 * tn_random_uniform(5, 0, (*counter)++) - 1.0;
}

// A sphere of about 1 m by angles, pushed in and out: 4 n (n - 1) triangles.
static void bumpy_ball(int n, tn_arena *arena, peer_solid *out)
{
    int n_rings = n - 1, n_around = 2 * n;
    double *x = TN_PUSH(arena, double, 3 * (n_rings * n_around + 2));
    int *face = TN_PUSH(arena, int, 3 * 2 * n_rings * n_around), faces = 0;
    for (int ring = 0; ring < n_rings; ring++) {
        double polar = M_PI * (ring + 1) / n;
        for (int k = 0; k < n_around; k++) {
            double turn = 2.0 * M_PI * k / n_around;
            double r = 1.0 + 0.05 * sin(5.0 * turn) * sin(polar) * sin(polar) + 0.03 * cos(7.0 * polar);
            tn_vec3_set(x + 3 * (ring * n_around + k), r * sin(polar) * cos(turn), r * sin(polar) * sin(turn),
                        r * cos(polar));
        }
    }
    int top = n_rings * n_around, bottom = top + 1;
    tn_vec3_set(x + 3 * top, 0.0, 0.0, 1.03);
    tn_vec3_set(x + 3 * bottom, 0.0, 0.0, -0.97);
    for (int ring = -1; ring < n_rings; ring++) {
        for (int k = 0; k < n_around; k++) {
            int next = (k + 1) % n_around, upper = ring * n_around, lower = upper + n_around;
            const int two[2][3] = {{ring < 0 ? top : upper + k, lower + k, lower + next},
                                   {upper + k, ring + 1 < n_rings ? lower + next : bottom, upper + next}};
            for (int half = 0; half < 2; half++) {
                if ((half == 0 && ring + 1 < n_rings) || (half == 1 && ring >= 0)) {
                    memcpy(face + 3 * faces++, two[half], sizeof two[half]);
                }
            }
        }
    }
    *out = (peer_solid){.form = PEER_PAIR_MESH, .n_points = top + 2, .point = x, .n_faces = faces, .face = face};
}

// The hull's vertices and, of its faces, triangles.
static peer_solid hull_peer(const tn_hull *hull, tn_arena *arena)
{
    int *face = TN_PUSH(arena, int, 3 * hull->face_start[hull->n_faces]), n = 0;
    for (int f = 0; f < hull->n_faces; f++) {
        const int *corner = hull->face_vertex + hull->face_start[f];
        for (int k = 2; k < hull->face_start[f + 1] - hull->face_start[f]; k++, n++) {
            face[3 * n] = corner[0];
            face[3 * n + 1] = corner[k - 1];
            face[3 * n + 2] = corner[k];
        }
    }
    return (peer_solid){
        .form = PEER_PAIR_HULL, .n_points = hull->n_vertices, .point = hull->vertices, .n_faces = n, .face = face};
}

static bool make_solids(tn_arena *arena, solid out[SOLIDS])
{
    enum { POINTS = 40 };
    static const solid simple[MESH - 1] = {
        {"sphere", {.kind = TN_SHAPE_SPHERE, .size = {0.5}}, {.form = PEER_PAIR_SPHERE, .size = {0.5}}},
        {"box", {.kind = TN_SHAPE_BOX, .size = {0.5, 0.4, 0.3}}, {.form = PEER_PAIR_BOX, .size = {0.5, 0.4, 0.3}}},
        {"capsule", {.kind = TN_SHAPE_CAPSULE, .size = {0.3, 0.4}}, {.form = PEER_PAIR_CAPSULE, .size = {0.3, 0.4}}},
        {"cylinder", {.kind = TN_SHAPE_CYLINDER, .size = {0.4, 0.3}}, {.form = PEER_PAIR_CYLINDER, .size = {0.4, 0.3}}},
        {"ellipsoid",
         {.kind = TN_SHAPE_ELLIPSOID, .size = {0.5, 0.4, 0.3}},
         {.form = PEER_PAIR_ELLIPSOID, .size = {0.5, 0.4, 0.3}}},
        {"cube as hull", {.kind = TN_SHAPE_HULL}, {.form = PEER_PAIR_HULL}}};
    double cube[24], points[3 * POINTS], centroid[3];
    uint64_t counter = 0;
    for (int v = 0; v < 8; v++) {
        tn_vec3_set(cube + 3 * v, v & 1 ? 0.4 : -0.4, v & 2 ? 0.4 : -0.4, v & 4 ? 0.4 : -0.4);
    }
    for (int i = 0; i < POINTS; i++) {
        tn_vec3_set(points + 3 * i, toss(&counter), toss(&counter), toss(&counter));
        tn_vec3_scale(points + 3 * i, 0.5 / fmax(tn_vec3_norm(points + 3 * i), 1e-9), points + 3 * i);
    }
    memcpy(out, simple, sizeof simple);
    out[MESH - 1] = (solid){.name = "hull of 40", .shape = {.kind = TN_SHAPE_HULL}};
    out[MESH] = (solid){.name = "mesh", .shape = {.kind = TN_SHAPE_TRIANGLES}};
    tn_hull *hull = TN_PUSH(arena, tn_hull, 2);
    tn_triangles *mesh = TN_PUSH(arena, tn_triangles, 1);
    tn_error error;
    if (tn_hull_create(8, cube, arena, &hull[0], centroid, &error) != TN_OK ||
        tn_hull_create(POINTS, points, arena, &hull[1], centroid, &error) != TN_OK) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        out[MESH - 2 + k].shape.hull = &hull[k];
        out[MESH - 2 + k].peer = hull_peer(&hull[k], arena);
    }
    peer_solid *m = &out[MESH].peer;
    bumpy_ball(20, arena, m);
    if (tn_triangles_create(m->n_points, m->point, m->n_faces, m->face, arena, mesh, centroid, &error) != TN_OK) {
        return false;
    }
    m->point = mesh->vertices; // about its centroid
    out[MESH].shape.triangles = mesh;
    return true;
}

static double gap_of(const solid *a, const solid *b, const peer_place *two)
{
    tn_pose pose[2];
    tn_contact_point point[TN_MANIFOLD_MAX];
    double gap = INFINITY;
    for (int side = 0; side < 2; side++) {
        memcpy(pose[side].position, two[side].position, sizeof pose[side].position);
        memcpy(pose[side].quaternion, two[side].quaternion, sizeof pose[side].quaternion);
    }
    int n = tn_shape_contact(&a->shape, &pose[0], &b->shape, &pose[1], 3.0, point);
    for (int i = 0; i < n; i++) {
        gap = fmin(gap, point[i].gap);
    }
    return gap;
}

static void toss_turn(uint64_t *counter, double angle, double out[4])
{
    double v[3] = {toss(counter), toss(counter), toss(counter)};
    tn_quat_from_axis_angle(out, v, angle);
}

// b beside a in a random direction, or above it as it would lie, at a random gap of at most REACH, then drifting.
static void place_pair(const solid *a, const solid *b, bool lying, uint64_t *counter, peer_place *place)
{
    double u[3] = {toss(counter), toss(counter), toss(counter)}, wanted = REACH * toss(counter), drift[3], spin[4];
    static const double up[3] = {0.0, 0.0, 1.0};
    memset(place, 0, 2 * sizeof *place);
    for (int side = 0; side < 2; side++) {
        if (lying) {
            tn_quat_from_axis_angle(place[side].quaternion, up, M_PI * toss(counter));
        } else {
            toss_turn(counter, M_PI * toss(counter), place[side].quaternion);
        }
    }
    tn_vec3_copy(u, lying ? up : u);
    tn_vec3_scale(u, 1.0 / fmax(tn_vec3_norm(u), 1e-9), u);
    double s = 2.5;
    for (int k = 0; k < 60; k++) {
        tn_vec3_scale(place[1].position, s, u);
        s -= 0.7 * (gap_of(a, b, place) - wanted);
    }
    for (int c = 0; c < 3; c++) {
        drift[c] = 0.02 * REACH * toss(counter);
    }
    toss_turn(counter, 0.002, spin);
    for (int k = 1; k < FRAMES; k++) {
        peer_place *now = place + 2 * k;
        memcpy(now, now - 2, 2 * sizeof *now);
        tn_vec3_add(now[1].position, now[1].position, drift);
        tn_quat_mul(now[1].quaternion, spin, now[1].quaternion);
    }
}

static const solid *own_a, *own_b; // what touch_ours is asked for

static int touch_ours(const peer_pair *pair, peer_found *found, double *depth)
{
    tn_placed *placed = malloc(2 * (size_t)pair->n_pairs * FRAMES * sizeof *placed);
    *found = (peer_found){0};
    for (int k = 0; placed && k < 2 * pair->n_pairs * FRAMES; k++) {
        tn_pose pose;
        memcpy(pose.position, pair->place[k].position, sizeof pose.position);
        memcpy(pose.quaternion, pair->place[k].quaternion, sizeof pose.quaternion);
        tn_placed_set(&placed[k], k % 2 ? &own_b->shape : &own_a->shape, &pose);
    }
    double start = peer_seconds();
    for (int k = 0; placed && k < pair->n_pairs * FRAMES; k++) {
        tn_contact_point point[TN_MANIFOLD_MAX];
        int n = tn_placed_contact(&placed[2 * k], &placed[2 * k + 1], REACH, NULL, point);
        found->points += n;
        depth[k] = 0.0;
        for (int i = 0; i < n; i++) {
            depth[k] = fmax(depth[k], -point[i].gap);
        }
    }
    found->seconds = peer_seconds() - start;
    free(placed);
    return placed ? 0 : 1;
}

// The fastest of a few: the first one warms up.
static int best_of(peer_touch *touch, const peer_pair *pair, peer_found *found, double *depth)
{
    enum { ROUNDS = 4 };
    found->seconds = INFINITY;
    for (int k = 0; k < ROUNDS; k++) {
        peer_found here;
        if (touch(pair, &here, depth)) {
            return 1;
        }
        *found = here.seconds < found->seconds ? here : *found;
    }
    return 0;
}

typedef struct library {
    const char *name;
    peer_touch *touch;
} library;

static const library LIBRARIES[] = {
#ifdef WITH_BULLET
    {"Bullet", peer_bullet_touch},
#endif
#ifdef WITH_FCL
    {"FCL", peer_fcl_touch},
    {"libccd", peer_ccd_touch},
#endif
    {NULL, NULL}};

// Of frames in which ours overlap: median of how far another library's depth is off [m].
static double median_off(int n, const double *ours, const double *theirs, double *scratch)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (ours[i] > 0.1 * REACH) {
            scratch[count++] = fabs(theirs[i] - ours[i]);
        }
    }
    return count ? bench_median(count, scratch) : NAN;
}

static void pair_row(table *t, const solid *a, const solid *b, int n_pairs)
{
    enum { MOST = MAX_PAIRS * FRAMES };
    static peer_place place[2 * MOST];
    static double ours[MOST], theirs[MOST], scratch[MOST];
    peer_pair pair = {.a = a->peer, .b = b->peer, .n_pairs = n_pairs, .n_frames = FRAMES, .place = place};
    uint64_t counter = 1000;
    for (int i = 0; i < n_pairs; i++) {
        place_pair(a, b, i % 2 && b->peer.form != PEER_PAIR_MESH, &counter, place + 2 * FRAMES * i);
    }
    peer_found found = {.seconds = NAN};
    int n = n_pairs * FRAMES;
    own_a = a;
    own_b = b;
    best_of(touch_ours, &pair, &found, ours);
    table_word(t, "%s, %s", a->name, b->name);
    table_number(t, "%.3f", 1e6 * found.seconds / n);
    table_number(t, "%.1f", found.points / n);
    for (const library *l = LIBRARIES; l->name; l++) {
        peer_found other = {.seconds = NAN};
        if (best_of(l->touch, &pair, &other, theirs) == 0) {
            table_number(t, "%.3f", 1e6 * other.seconds / n);
            table_number(t, "%.2f", found.seconds / other.seconds);
            table_number(t, "%.1e", median_off(n, ours, theirs, scratch));
        } else {
            for (int k = 0; k < 3; k++) {
                table_number(t, "%.0f", NAN);
            }
        }
    }
    table_row(t);
}

static void mesh_row(table *t, const char *name, int n, const double seconds[2], double hits)
{
    table_word(t, "%s", name);
    table_number(t, "%.1f", 1e3 * seconds[0]);
    table_number(t, "%.3f", 1e6 * seconds[1] / n);
    table_number(t, "%.1f", hits / n);
    table_row(t);
}

static bool query_ours(const peer_solid *mesh, double radius, int n, const double *points, double seconds[2],
                       double *hits)
{
    tn_arena *arena = tn_arena_create(0);
    tn_triangles built;
    tn_error error;
    double centroid[3], start = peer_seconds();
    bool ok = arena && tn_triangles_create(mesh->n_points, mesh->point, mesh->n_faces, mesh->face, arena, &built,
                                           centroid, &error) == TN_OK;
    seconds[0] = peer_seconds() - start;
    const tn_shape surface = {.kind = TN_SHAPE_TRIANGLES, .triangles = &built}, ball = tn_shape_ball(radius);
    tn_pose pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    tn_placed on, placed;
    tn_placed_set(&on, &surface, &pose);
    start = peer_seconds();
    *hits = 0.0;
    for (int i = 0; ok && i < n; i++) {
        tn_contact_point point[TN_MANIFOLD_MAX];
        tn_vec3_sub(pose.position, points + 3 * i, centroid);
        tn_placed_set(&placed, &ball, &pose);
        *hits += tn_placed_contact(&on, &placed, 0.0, NULL, point);
    }
    seconds[1] = peer_seconds() - start;
    tn_arena_destroy(arena);
    return ok;
}

// Balls about the height of the surface, half as wide again as a triangle.
static int mesh_table(table *t, tn_arena *arena)
{
    enum { HALF = 160, BALLS = 10000 };
    static const char *const heads[] = {"mesh", "build ms", "us a ball", "found"};
    static double points[3 * BALLS];
    double seconds[2], hits, radius = 0.03;
    uint64_t counter = 0;
    peer_solid mesh;
    bumpy_ball(HALF, arena, &mesh);
    for (int i = 0; i < BALLS; i++) {
        double *x = points + 3 * i;
        tn_vec3_set(x, toss(&counter), toss(&counter), toss(&counter));
        tn_vec3_scale(x, 1.0 / fmax(tn_vec3_norm(x), 1e-9), x);
    }
    table_open(t, "rigid: a mesh and 10 000 balls about its surface, one thread", 4, heads);
    bool ok = query_ours(&mesh, radius, BALLS, points, seconds, &hits);
    mesh_row(t, "Tenon, contact points", BALLS, seconds, hits);
#ifdef WITH_BULLET
    ok = peer_bullet_query(&mesh, radius, BALLS, points, seconds, &hits) == 0 && ok;
    mesh_row(t, "Bullet, triangles in the box", BALLS, seconds, hits);
#endif
#ifdef WITH_FCL
    ok = peer_fcl_query(&mesh, radius, BALLS, points, seconds, &hits) == 0 && ok;
    mesh_row(t, "FCL, triangles that overlap", BALLS, seconds, hits);
#endif
    table_note(t, "%d triangles", mesh.n_faces);
    table_close(t);
    return ok ? 0 : 1;
}

// The heads of the table of pairs: ours, then three of each library.
static int head_texts(char text[][TABLE_CELL], const char *heads[])
{
    static const char *const own[] = {"pair", "us", "points"};
    int n = 0;
    for (; n < 3; n++) {
        heads[n] = own[n];
    }
    for (const library *l = LIBRARIES; l->name; l++, n += 3) {
        snprintf(text[n], TABLE_CELL, "%s us", l->name);
        heads[n] = text[n];
        heads[n + 1] = "ours/theirs";
        heads[n + 2] = "depth off [m]";
    }
    return n;
}

int rigid_pairs(const bench_options *options, table *t)
{
    const char *heads[TABLE_COLUMNS];
    char text[TABLE_COLUMNS][TABLE_CELL];
    tn_arena *arena = tn_arena_create(0);
    solid solids[SOLIDS];
    if (!arena || !make_solids(arena, solids)) {
        fprintf(stderr, "tenon-bench: cannot make the shapes\n");
        tn_arena_destroy(arena);
        return 1;
    }
    int n_pairs = options->quick ? MAX_PAIRS / 10 : MAX_PAIRS;
    table_open(t, "rigid: contact of two shapes by itself, one thread", head_texts(text, heads), heads);
    for (int i = 0; i < MESH; i++) {
        for (int k = i; k < SOLIDS; k++) {
            pair_row(t, &solids[i], &solids[k], n_pairs);
        }
    }
    table_note(t,
               "shapes about 1 m wide, %d places of each pair, every other one lying (not on the mesh), overlaps and "
               "gaps up to %g m, %d frames in a row; Bullet keeps its manifolds between frames; libccd by portal "
               "refinement; depth off: median of overlaps",
               n_pairs, REACH, FRAMES);
    table_close(t);
    int failures = mesh_table(t, arena);
    tn_arena_destroy(arena);
    return failures;
}
