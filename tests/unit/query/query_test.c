// Distances, overlaps and rays against sampling with the shapes' own signed distances, which share no code with them;
// the tree against all pieces one by one; Jacobians against differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "query/query.h"
#include "shape/flat.h"
#include "shape/pose.h"
#include "tenon/query.h"
#include "test.h"

#include <string.h>

// One body a shape, so that body b has shape b - 1.
static const char SHAPES[] =
    "bodies:\n"
    "  sphere: {fixed: true, shape: {sphere: 0.3}}\n"
    "  box: {fixed: true, shape: {box: [0.6, 0.4, 0.2]}}\n"
    "  capsule: {fixed: true, shape: {capsule: {radius: 0.15, length: 0.5}}}\n"
    "  cylinder: {fixed: true, shape: {cylinder: {radius: 0.25, length: 0.4}}}\n"
    "  ellipsoid: {fixed: true, shape: {ellipsoid: [0.4, 0.3, 0.15]}}\n"
    "  hull: {fixed: true, shape: {hull: {points: [[0.3, 0, 0], [-0.2, 0.3, 0], [-0.2, -0.3, 0.1], [0, 0, 0.4], "
    "[0.1, 0.2, 0.3]]}}}\n"
    "  cone: {fixed: true, shape: {cone: {radius: 0.3, height: 0.5}}}\n"
    "  plane: {fixed: true, shape: {plane: {}}}\n"
    "  points: {fixed: true, shape: {box: [1, 1, 1]}, contact_points: [[0.3, 0, 0], [-0.2, 0.1, 0.2]]}\n"
    "  hills: {fixed: true, shape: {heights: {size: [2, 2], points: [9, 9], z: '0.2 * sin(3 * x) * cos(2 * y)'}}}\n";
enum { SOLIDS = 7, PLANE = 7, POINTS = 8, HILLS = 9, COUNT = 10, SAMPLES = 200, POSES = 4000 };

typedef struct world {
    tn_model *model;
    tn_state *state;
} world;

static world world_of(const char *text)
{
    tn_error error = {0};
    world w = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    w.model = scene ? tn_model_create(scene, &error) : NULL;
    w.state = w.model ? tn_state_create(w.model, &error) : NULL;
    if (!w.state) {
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    }
    return w;
}

static void close_world(world *w)
{
    tn_state_destroy(w->state);
    tn_model_destroy(w->model);
}

static double uniform(uint64_t *random, double low, double high)
{
    return low + (high - low) * tn_random_uniform(1, 2, (*random)++);
}

static void random_unit(uint64_t *random, double out[3])
{
    double square = 0.0;
    while (!(square > 1e-4 && square < 1.0)) {
        for (int k = 0; k < 3; k++) {
            out[k] = uniform(random, -1.0, 1.0);
        }
        square = tn_vec3_dot(out, out);
    }
    tn_vec3_scale(out, 1.0 / sqrt(square), out);
}

static void random_pose(uint64_t *random, double reach, double out[7])
{
    double turn[3];
    random_unit(random, turn);
    tn_vec3_scale(turn, uniform(random, 0.0, 3.1), turn);
    for (int k = 0; k < 3; k++) {
        out[k] = uniform(random, -reach, reach);
    }
    tn_quat_exp(out + 3, turn);
}

// The shape at a pose of its body.
typedef struct placed {
    const tn_shape *shape;
    tn_pose pose;
} placed;

static placed place(const tn_model *model, int shape, const double pose[7])
{
    const tn_model_shape *s = &model->shapes[shape];
    placed out = {.shape = &s->shape};
    tn_vec3_copy(out.pose.position, pose);
    memcpy(out.pose.quaternion, pose + 3, sizeof out.pose.quaternion);
    tn_pose_join(&out.pose, &out.pose, &model->bodies[s->body].principal);
    tn_pose_join(&out.pose, &out.pose, &s->pose);
    return out;
}

static double signed_distance(const placed *p, const double x[3])
{
    double normal[3], nearest[3];
    return tn_shape_distance(p->shape, &p->pose, x, normal, nearest);
}

// Points of a shape's surface, in its body's frame.
static void sample(const tn_model *model, int shape, uint64_t *random, double out[SAMPLES][3])
{
    static const double home[7] = {0.0, 0.0, 0.0, 1.0};
    placed p = place(model, shape, home);
    for (int i = 0; i < SAMPLES; i++) {
        double x[3], normal[3];
        for (int k = 0; k < 3; k++) {
            x[k] = uniform(random, -1.0, 1.0);
        }
        tn_shape_distance(p.shape, &p.pose, x, normal, out[i]);
    }
}

// Least signed distance of a's samples to b.
static double sampled(const double samples[SAMPLES][3], const double pose[7], const placed *b)
{
    tn_pose own;
    double least = INFINITY;
    tn_vec3_copy(own.position, pose);
    memcpy(own.quaternion, pose + 3, sizeof own.quaternion);
    for (int i = 0; i < SAMPLES; i++) {
        double x[3];
        tn_pose_point(x, &own, samples[i]);
        least = fmin(least, signed_distance(b, x));
    }
    return least;
}

// Farthest of the shape along a world direction.
static double extent(const tn_model *model, int shape, const double pose[7], const double direction[3])
{
    double local[3], x[3], at[3];
    tn_pose own;
    tn_error error = {0};
    tn_vec3_copy(own.position, pose);
    memcpy(own.quaternion, pose + 3, sizeof own.quaternion);
    tn_quat_rotate_inverse(local, own.quaternion, direction);
    assert_int_equal(tn_shape_support(model, shape, 1, local, x, &error), TN_OK);
    tn_pose_point(at, &own, x);
    return tn_vec3_dot(at, direction);
}

static double separation(const tn_model *model, int a, const double pa[7], int b, const double pb[7], const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -extent(model, b, pb, back) - extent(model, a, pa, n);
}

typedef struct worst {
    double above, below, off, surface, apart; // [m]
    int overlaps;
} worst;

// What defines the distance of two convex shapes: nearest points on both surfaces, and a plane that parts them as far;
// where they overlap no direction of many parts them by a shorter way.
static void judge_solids(const tn_model *model, int a, const double pa[7], int b, const double pb[7],
                         const tn_nearest *d, uint64_t *random, worst *w)
{
    w->apart = fmax(w->apart, fabs(separation(model, a, pa, b, pb, d->normal) - d->distance));
    for (int k = 0; k < 10 && d->distance < 0.0; k++) {
        double n[3];
        random_unit(random, n);
        w->apart = fmax(w->apart, separation(model, a, pa, b, pb, n) - d->distance);
    }
}

static void judge(const placed *a, const placed *b, const tn_nearest *d, double least, worst *w)
{
    double way[3];
    w->overlaps += d->distance < 0.0;
    w->above = fmax(w->above, d->distance - least);
    w->below = fmax(w->below, d->distance > 0.0 ? least - d->distance : 0.0);
    tn_vec3_sub(way, d->point_b, d->point_a);
    w->off = fmax(w->off, fabs(tn_vec3_dot(way, d->normal) - d->distance));
    if (d->distance > 0.0) {
        w->surface = fmax(w->surface, fmax(fabs(signed_distance(a, d->point_a)), fabs(signed_distance(b, d->point_b))));
        w->off = fmax(w->off, fabs(tn_vec3_norm(way) - d->distance));
    }
}

static void compare_pair(const world *w, int a, int b, double samples[COUNT][SAMPLES][3], uint64_t *random)
{
    static double pa[POSES][7], pb[POSES][7];
    static tn_nearest found[POSES];
    tn_error error = {0};
    worst most = {0};
    int known = 0;
    for (int i = 0; i < POSES; i++) {
        random_pose(random, 0.6, pa[i]);
        random_pose(random, 0.1, pb[i]);
    }
    assert_int_equal(tn_shape_distances(w->model, a, b, POSES, pa[0], pb[0], INFINITY, found, &error), TN_OK);
    for (int i = 0; i < POSES; i++) {
        placed one = place(w->model, a, pa[i]), two = place(w->model, b, pb[i]);
        if (a >= SOLIDS && found[i].distance < 0.0) {
            continue;
        }
        known++;
        judge(&one, &two, &found[i], sampled(samples[b], pb[i], &one), &most);
        if (a < SOLIDS && b < SOLIDS) {
            judge_solids(w->model, a, pa[i], b, pb[i], &found[i], random, &most);
        }
    }
    print_message("%-10s %-10s %5d poses, %5d overlap; above samples %.1e, below %.1e; off %.1e, from surfaces %.1e, "
                  "of planes %.1e\n",
                  tn_model_shape_kind(w->model, a), tn_model_shape_kind(w->model, b), known, most.overlaps, most.above,
                  most.below, most.off, most.surface, most.apart);
    assert_true(known > POSES / 20);
    assert_true(most.above < 1e-9); // a sample is no nearer than the nearest point
    assert_true(most.below < 0.25); // and the samples lie that close
    assert_true(most.off < 1e-9 && most.apart < 1e-9);
    // Where the points rest on the search alone it ends at 1e-7 of the extent, and a point that far below a round
    // surface's top is sqrt(1e-7) of its size beside it: they lie within 1e-4 of the surface, the distance is exact.
    assert_true(most.surface < 1e-4);
    assert_true(b >= PLANE || a >= SOLIDS || most.overlaps > POSES / 100);
}

static void test_distances(void **unused)
{
    static double samples[COUNT][SAMPLES][3];
    world w = world_of(SHAPES);
    uint64_t random = 7;
    for (int s = 0; s < SOLIDS; s++) {
        sample(w.model, s, &random, samples[s]);
    }
    for (int b = 0; b < SOLIDS; b++) {
        for (int a = 0; a <= b; a++) {
            compare_pair(&w, a, b, samples, &random);
        }
        compare_pair(&w, PLANE, b, samples, &random);
        compare_pair(&w, POINTS, b, samples, &random);
    }
    close_world(&w);
}

// Beyond the reach there is nothing; the other order is the same turned over.
static void test_reach_and_order(void **unused)
{
    world w = world_of(SHAPES);
    tn_error error = {0};
    double pose[7] = {0.1, 0.2, 1.0, 1.0}, home[7] = {[3] = 2.0};
    for (int b = 0; b < SOLIDS; b++) {
        tn_nearest there, back, none;
        assert_int_equal(tn_shape_distances(w.model, 1, b, 1, home, pose, INFINITY, &there, &error), TN_OK);
        assert_int_equal(tn_shape_distances(w.model, b, 1, 1, pose, NULL, INFINITY, &back, &error), TN_OK);
        assert_true(there.distance > 0.1 && fabs(there.distance - back.distance) < 1e-12);
        double sum[3];
        tn_vec3_add(sum, there.normal, back.normal);
        assert_true(tn_vec3_norm(sum) < 1e-6);
        assert_int_equal(there.shape_b, b);
        double short_of = there.distance * (1.0 - 1e-9);
        assert_int_equal(tn_shape_distances(w.model, 1, b, 1, home, pose, short_of, &none, &error), TN_OK);
        assert_true(none.distance == INFINITY && none.shape_a == -1 && none.normal[2] == 0.0);
    }
    close_world(&w);
}

// ---- rays

// Marching in small steps: where a sample is inside first. INFINITY: none is.
static double marched(const placed *p, const double origin[3], const double direction[3], double step, double reach)
{
    for (double way = 0.0; way < reach; way += step) {
        double x[3];
        tn_vec3_madd(x, origin, way, direction);
        if (signed_distance(p, x) <= 0.0) {
            return way;
        }
    }
    return INFINITY;
}

static void test_rays(void **unused)
{
    enum { RAYS = 3000 };
    const double step = 5e-3, reach = 2.5;
    uint64_t random = 3;
    for (int s = 0; s < COUNT; s++) {
        world w = world_of(SHAPES);
        int hits = 0, grazed = 0;
        double surface = 0.0;
        for (int i = 0; i < RAYS; i++) {
            double pose[7], origin[3], direction[3], normal[3], x[3], n[3], nearest[3], way = reach;
            random_pose(&random, 0.3, pose);
            random_unit(&random, origin);
            random_unit(&random, direction);
            tn_vec3_madd(direction, direction, -1.2, origin);
            placed p = place(w.model, s, pose);
            tn_placed at;
            tn_ray ray;
            tn_placed_set(&at, p.shape, &p.pose);
            if (s == HILLS) { // from above: below its border a height field has no surface
                p = place(w.model, s, (const double[7]){[3] = 1.0});
                tn_placed_set(&at, p.shape, &p.pose);
                direction[2] += 1.2 * (origin[2] - 1.0);
                origin[2] = 1.0;
            }
            tn_ray_set(&ray, origin, direction);
            bool found = tn_piece_ray(&(tn_piece){.placed = &at}, &ray, &way, normal);
            double seen = marched(&p, ray.origin, ray.direction, step, reach);
            tn_vec3_madd(x, ray.origin, seen < INFINITY ? seen : 0.0, ray.direction);
            if (s == HILLS && seen < INFINITY && signed_distance(&p, x) < -2.0 * step) {
                continue; // it came in at the side
            }
            hits += found;
            if (found) {
                tn_vec3_madd(x, ray.origin, way, ray.direction);
                double off = tn_shape_distance(p.shape, &p.pose, x, n, nearest);
                surface = fmax(surface, way > 0.0 ? fabs(off) : 0.0);
                assert_true(way > seen - step - 1e-9 || seen == INFINITY);
                assert_true(seen == INFINITY || way <= seen + 1e-9);
                assert_true(way == 0.0 || tn_vec3_dot(normal, ray.direction) < 1e-9);
                grazed += seen == INFINITY;
            } else {
                assert_true(seen == INFINITY);
            }
        }
        print_message("%-10s %d of %d rays hit, %d between two samples; off the surface %.1e m\n",
                      tn_model_shape_kind(w.model, s), hits, RAYS, grazed, surface);
        assert_true(s == POINTS ? hits == 0 : hits > RAYS / 20 && hits < RAYS && grazed < hits / 10);
        assert_true(surface < 1e-9);
        close_world(&w);
    }
}

// ---- the tree

static const char CROWD[] =
    "seed: 5\nsoft: {mat: {grid: {size: [5, 5, 0.2], divisions: [4, 4, 1]}, position: [0, 0, 3], young: 1 kPa}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  balls: {shape: {sphere: 0.2}, scatter: {count: 60, low: [-3, -3, 0], high: [3, 3, 5]}}\n"
    "  bones: {shapes: [{capsule: {radius: 0.1, length: 0.5}}, {box: [0.2, 0.3, 0.4], position: [0, 0, 0.4]}], "
    "scatter: {count: 40, low: [-3, -3, 0], high: [3, 3, 5]}}\n";

static void test_tree(void **unused)
{
    enum { RAYS = 2000, MOST = 4096 };
    static double origin[RAYS][3], direction[RAYS][3], distance[RAYS], point[RAYS][3], normal[RAYS][3];
    static int body[RAYS], shape[RAYS], pairs[MOST][2];
    world w = world_of(CROWD);
    tn_error error = {0};
    uint64_t random = 11;
    tn_query *query = tn_query_create(w.model, &error);
    assert_non_null(query);
    assert_int_equal(tn_query_rays(query, 0, NULL, NULL, NULL, NULL, &error), TN_BAD_INPUT); // not updated yet
    assert_int_equal(tn_query_update(query, w.state, &error), TN_OK);
    for (int i = 0; i < RAYS; i++) {
        random_unit(&random, direction[i]);
        for (int k = 0; k < 3; k++) {
            origin[i][k] = uniform(&random, -6.0, 6.0);
        }
        origin[i][2] = fabs(origin[i][2]);
        direction[i][i % 3] = i % 7 == 0 ? 0.0 : direction[i][i % 3];
    }
    const tn_ray_results out = {body, shape, distance, point[0], normal[0]};
    assert_int_equal(tn_query_rays(query, RAYS, origin[0], direction[0], NULL, &out, &error), TN_OK);
    int hits[3] = {0};
    for (int i = 0; i < RAYS; i++) {
        tn_ray ray;
        double way = INFINITY, n[3];
        int best = -1;
        tn_ray_set(&ray, origin[i], direction[i]);
        for (int p = 0; p < query->n_pieces; p++) {
            tn_piece piece = tn_query_piece(query, p);
            best = tn_piece_ray(&piece, &ray, &way, n) ? p : best;
        }
        assert_true(distance[i] == way);
        assert_int_equal(body[i], best < 0 ? -1 : tn_query_body_of(query, best));
        assert_int_equal(shape[i], best < w.model->n_shapes ? best : -1);
        hits[body[i] < 0 ? 0 : shape[i] < 0 ? 1 : 2]++;
    }
    print_message("%d rays hit nothing, %d the mat, %d shapes\n", hits[0], hits[1], hits[2]);
    assert_true(hits[0] > 100 && hits[1] > 10 && hits[2] > 100);

    // All pairs nearer than 10 cm.
    int n = 0, wanted = 0, bodies = w.model->n_bodies + w.model->n_softs;
    assert_int_equal(tn_query_pairs(query, 0.1, MOST, pairs[0], &n, &error), TN_OK);
    for (int a = 0; a < bodies; a++) {
        for (int b = a + 1; b < bodies; b++) {
            tn_nearest d, back;
            assert_int_equal(tn_query_distance(query, a, b, INFINITY, &d, &error), TN_OK);
            assert_int_equal(tn_query_distance(query, b, a, INFINITY, &back, &error), TN_OK);
            assert_true(d.distance == back.distance || fabs(d.distance - back.distance) < 1e-9);
            if (d.distance < 0.1) {
                assert_true(wanted < n && pairs[wanted][0] == a && pairs[wanted][1] == b);
                wanted++;
            }
        }
    }
    print_message("%d pairs nearer than 10 cm\n", n);
    assert_int_equal(wanted, n);
    assert_true(n > 20 && n < MOST);
    int some[2][2] = {{-1, -1}, {-1, -1}}, all = 0;
    assert_int_equal(tn_query_pairs(query, 0.1, 1, some[0], &all, &error), TN_OK);
    assert_true(all == n && some[0][0] == pairs[0][0] && some[1][0] == -1);

    // Rays pass through what is left out, end at their reach, and threads change nothing.
    static int other[RAYS];
    for (int i = 0; i < RAYS; i++) {
        tn_ray_options options = {.leave_out = body[i], .reach = 4.0};
        assert_int_equal(
            tn_query_rays(query, 1, origin[i], direction[i], &options, &(tn_ray_results){.body = other}, &error),
            TN_OK);
        assert_true(other[0] != body[i] || body[i] < 0);
        options = (tn_ray_options){.leave_out = -1, .reach = fmin(distance[i] * 0.999, 1e9)};
        tn_query_rays(query, 1, origin[i], direction[i], &options, &(tn_ray_results){.body = other}, &error);
        assert_true(distance[i] == 0.0 || other[0] == -1);
    }
    tn_ray_options two = {.leave_out = -1, .n_threads = 2};
    assert_int_equal(
        tn_query_rays(query, RAYS, origin[0], direction[0], &two, &(tn_ray_results){.body = other}, &error), TN_OK);
    assert_memory_equal(other, body, sizeof body);
    tn_query_destroy(query);
    close_world(&w);
}

static double between(const tn_query *query, int a, int b, const char *what)
{
    tn_error error = {0};
    tn_nearest d;
    assert_int_equal(tn_query_distance(query, a, b, INFINITY, &d, &error), TN_OK);
    print_message("%-20s %.12f m\n", what, d.distance);
    return d.distance;
}

static tn_query *query_of(const world *w)
{
    tn_error error = {0};
    tn_query *query = tn_query_create(w->model, &error);
    assert_int_equal(tn_query_update(query, w->state, &error), TN_OK);
    return query;
}

// A box over a ramp, a ball in the ground below it; planar bodies in their plane and off it.
static void test_special(void **unused)
{
    world w = world_of("bodies:\n"
                       "  ramp: {fixed: true, shape: {heights: {size: [4, 4], points: [5, 5], z: '0.5 * x'}}}\n"
                       "  box: {position: [0, 0, 1], shape: {box: [0.2, 0.2, 0.2]}}\n"
                       "  deep: {position: [0, 0, -1], shape: {sphere: 0.1}}\n"
                       "  wall: {fixed: true, position: [12, 0, 0], rotation: {axis: [0, 1, 0], angle: -90 deg}, "
                       "shape: {plane: {}}}\n");
    tn_query *query = query_of(&w);
    // The corner (0.1, +-0.1, 0.9) over z = x/2.
    assert_true(fabs(between(query, 1, 2, "box over the ramp") - (0.9 - 0.05) / sqrt(1.25)) < 1e-9);
    assert_true(fabs(between(query, 3, 1, "ball in the ground") + 1.0 / sqrt(1.25)) < 1e-9); // its middle
    assert_true(fabs(between(query, 4, 2, "wall and box") - 11.9) < 1e-9);
    assert_true(between(query, 1, 4, "ramp and wall") == INFINITY);
    assert_true(between(query, 0, 1, "the world has nothing") == INFINITY);
    tn_query_destroy(query);
    close_world(&w);

    w = world_of("bodies:\n"
                 "  disk: {position: [9, 5, 1], confine: [0, 1, 0], shape: {disk: 0.25}}\n"
                 "  tile: {position: [10, 5, 1], shape: {polygon: [[-0.5, -0.1], [0.5, -0.1], [0.5, 0.1], [-0.5, "
                 "0.1]]}}\n"
                 "  egg: {position: [10, 5, 2], shape: {ellipse: [0.3, 0.2]}}\n"
                 "  wall: {fixed: true, position: [12, 0, 0], rotation: {axis: [0, 1, 0], angle: -90 deg}, shape: "
                 "{plane: {}}}\n");
    query = query_of(&w);
    assert_true(fabs(between(query, 1, 2, "disk and tile") - 0.25) < 1e-9);
    assert_true(fabs(between(query, 2, 3, "tile and egg") - 0.7) < 1e-9);
    assert_true(fabs(between(query, 4, 2, "wall and tile") - 1.5) < 1e-9);
    assert_true(fabs(between(query, 3, 4, "egg and wall") - 1.7) < 1e-9);
    tn_query_destroy(query);
    close_world(&w);
}

// ---- Jacobians

static const char ARM[] =
    "gravity: [0, 0, 0]\nbodies:\n"
    "  free: {position: [5, 0, 0], rotation: {axis: [1, 2, 3], angle: 50 deg}, shape: {box: [0.1, 0.2, 0.3]}}\n"
    "  upper: {position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}\n"
    "  lower: {position: [1.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}\n"
    "  hand: {position: [2.2, 0, 0], shape: {box: [0.4, 0.1, 0.1]}}\n"
    "joints:\n"
    "  shoulder: {type: universal, b: upper, anchor: [0, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
    "  elbow: {type: revolute, a: lower, b: upper, anchor: [1, 0, 0], axis: [0, 1, 0]}\n"
    "  slider: {type: cylindrical, a: lower, b: hand, anchor: [2, 0, 0], axis: [1, 0, 0]}\n";

// Velocities of bodies that move with one joint's rate alone, by a small turn of all beyond it.
static void test_jacobians(void **unused)
{
    world w = world_of(ARM);
    tn_error error = {0};
    const double at[3] = {0.2, 0.03, -0.04};
    int n = tn_model_coordinate_count(w.model), hand = tn_model_find_body(w.model, "hand");
    assert_int_equal(n, 5);
    double J[6][5], own[36], velocity[5][6];
    // Any motion of the bodies that the joints allow: the rates of its coordinates give the hand's velocity.
    const double spin[3] = {0.0, 0.7, -0.4}, bend = 0.6, roll = 1.1, slide = -0.3;
    memset(velocity, 0, sizeof velocity);
    double *upper = velocity[2], *lower = velocity[3], *end = velocity[4];
    tn_vec3_copy(upper + 3, spin);
    tn_vec3_cross(upper, spin, (const double[3]){0.5, 0.0, 0.0});
    tn_vec3_set(lower + 3, spin[0], spin[1] + bend, spin[2]);
    double elbow[3];
    tn_vec3_cross(elbow, spin, (const double[3]){1.0, 0.0, 0.0});
    tn_vec3_cross(lower, lower + 3, (const double[3]){0.5, 0.0, 0.0});
    tn_vec3_add(lower, lower, elbow);
    tn_vec3_set(end + 3, lower[3] + roll, lower[4], lower[5]);
    tn_vec3_cross(end, lower + 3, (const double[3]){1.2, 0.0, 0.0}); // of the lower arm's material there
    tn_vec3_add(end, end, elbow);
    end[0] += slide;
    assert_int_equal(tn_state_set_bodies(w.state, NULL, velocity[0], &error), TN_OK);
    double rate[5];
    tn_state_get_coordinates(w.state, NULL, rate);
    assert_int_equal(tn_state_point_jacobian(w.state, hand, at, own, &error), TN_OK);
    assert_int_equal(tn_state_joint_jacobian(w.state, hand, at, J[0], &error), TN_OK);
    double most = 0.0;
    for (int i = 0; i < 6; i++) {
        double by_body = 0.0, by_joints = 0.0;
        for (int k = 0; k < 6; k++) {
            by_body += own[6 * i + k] * end[k];
        }
        for (int c = 0; c < n; c++) {
            by_joints += J[i][c] * rate[c];
        }
        most = fmax(most, fabs(by_body - by_joints));
    }
    print_message("velocity by joints off by %.1e\n", most);
    assert_true(most < 1e-14);

    // A body's own: against the way of the point in a short time.
    double pose[7], moved[3], before[3], after[3], h = 1e-6, turn[3], q[4];
    const double v[6] = {1.0, -2.0, 0.5, 0.3, 0.2, -0.7};
    assert_int_equal(tn_state_point_jacobian(w.state, 1, at, own, &error), TN_OK);
    tn_state_body_pose(w.state, 1, pose, pose + 3);
    for (int side = 0; side < 2; side++) {
        double s = side ? h : -h;
        tn_vec3_scale(turn, s, v + 3);
        tn_quat_exp(q, turn);
        tn_quat_mul(q, q, pose + 3);
        tn_quat_rotate(moved, q, at);
        tn_vec3_add(moved, moved, pose);
        tn_vec3_madd(side ? after : before, moved, s, v);
    }
    for (int i = 0; i < 3; i++) {
        double rate_i = 0.0;
        for (int k = 0; k < 6; k++) {
            rate_i += own[6 * i + k] * v[k];
        }
        assert_true(fabs((after[i] - before[i]) / (2.0 * h) - rate_i) < 1e-9);
    }
    assert_int_equal(tn_state_joint_jacobian(w.state, 1, at, J[0], &error), TN_BAD_INPUT); // it hangs from nothing
    close_world(&w);

    world loop = world_of("bodies: {a: {position: [1, 0, 0], shape: {sphere: 0.1}}}\n"
                          "joints: {one: {type: revolute, b: a, anchor: [0, 0, 0], axis: [0, 1, 0]},\n"
                          "  two: {type: revolute, b: a, anchor: [0, 1, 0], axis: [0, 1, 0]}}\n");
    assert_int_equal(tn_state_joint_jacobian(loop.state, 1, at, J[0], &error), TN_BAD_INPUT);
    print_message("%s\n", error.message);
    close_world(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances), cmocka_unit_test(test_reach_and_order), cmocka_unit_test(test_rays),
        cmocka_unit_test(test_tree),      cmocka_unit_test(test_special),         cmocka_unit_test(test_jacobians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
