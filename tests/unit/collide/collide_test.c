// The contact list: nothing missed, order and keys, warm forces, margins that a fast body cannot jump, frames.
#include "collide/motion.h"
#include "collide/view.h"
#include "shape/convex.h"
#include "test.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

static world w;

static tn_contact_list collide(tn_arena *arena)
{
    tn_contact_list list;
    tn_error error = {0};
    tn_arena_reset(arena);
    assert_int_equal(tn_collide(&w.model, &w.state, 1, arena, arena, &list, &error), TN_OK);
    return list;
}

static void same_contact(const tn_contact *a, const tn_contact *b)
{
    assert_true(a->shape_a == b->shape_a && a->shape_b == b->shape_b && a->feature == b->feature);
    assert_true(a->body_a == b->body_a && a->body_b == b->body_b && a->gap == b->gap);
    assert_true(a->soft_a->n == 0 && b->soft_a->n == 0 && a->soft_b->n == 0 && b->soft_b->n == 0);
    assert_memory_equal(a->point, b->point, sizeof a->point);
    assert_memory_equal(a->frame, b->frame, 9 * sizeof *a->frame);
    assert_memory_equal(a->warm, b->warm, 3 * sizeof *a->warm);
}

static tn_pose shape_pose(int s)
{
    const tn_pose *body = &w.pose[w.shapes[s].body];
    tn_pose pose;
    tn_quat_rotate(pose.position, body->quaternion, w.shapes[s].pose.position);
    tn_vec3_add(pose.position, pose.position, body->position);
    tn_quat_mul(pose.quaternion, body->quaternion, w.shapes[s].pose.quaternion);
    return pose;
}

// Of the ball inside a fast body (inner.h), which the narrow phase alone does not know.
static bool is_inner(const tn_contact *c)
{
    return c->feature >> 15 == tn_feature(TN_FEATURE_NEAREST, 0x7fff, 0) >> 15;
}

// Every contact with gap <= margin of every pair that may touch is in the list, as the narrow phase alone gives it;
// what else is there has a gap that the step's motion can close.
static void nothing_is_missed(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    long total = 0, ahead = 0;
    for (int trial = 0; trial < 20; ++trial) {
        world_strew(&w, 150, 3.5, 300 + (uint64_t)trial);
        tn_contact_list list = collide(arena);
        int k = 0;
        for (int a = 0; a < w.model.n_shapes; ++a) {
            for (int b = a + 1; b < w.model.n_shapes; ++b) {
                const tn_model_body *ba = &w.bodies[w.shapes[a].body], *bb = &w.bodies[w.shapes[b].body];
                tn_contact_point points[TN_MANIFOLD_MAX];
                tn_pose pa = shape_pose(a), pb = shape_pose(b);
                int n =
                    ba == bb || ba->n_blocks + bb->n_blocks == 0
                        ? 0
                        : tn_shape_contact(&w.shapes[a].shape, &pa, &w.shapes[b].shape, &pb, w.model.margin, points);
                for (int i = 0; i < n; ++i) {
                    for (; k < list.n && (list.contacts[k].gap > w.model.margin || is_inner(list.contacts + k)); ++k) {
                        ahead++;
                    }
                    assert_true(k < list.n);
                    const tn_contact *c = list.contacts + k++;
                    assert_true(c->shape_a == a && c->shape_b == b && c->feature == points[i].feature);
                    assert_true(c->gap == points[i].gap && memcmp(c->frame, points[i].normal, 24) == 0);
                    assert_true(memcmp(c->point, points[i].point, 24) == 0);
                    assert_true(c->body_a == w.shapes[a].body && c->body_b == w.shapes[b].body);
                    total++;
                }
            }
        }
        for (; k < list.n; ++k) {
            assert_true(list.contacts[k].gap > w.model.margin || is_inner(list.contacts + k));
        }
    }
    printf("%ld contacts within the margin, all in the list; %ld more ahead of time\n", total, ahead);
    assert_true(total > 1000 && ahead > 100);
    tn_arena_destroy(arena);
}

// Puts the shapes of bodies without blocks apart, as of a model.
static void part_fixed(tn_fixed_shape *fixed)
{
    w.model.fixed = fixed;
    w.model.n_movers = 0;
    for (int b = 0; b < w.model.n_bodies; ++b) {
        if (w.bodies[b].n_blocks > 0) {
            w.mover[w.model.n_movers++] = b;
        }
    }
    for (int s = 0; s < w.model.n_shapes; ++s) {
        if (w.bodies[w.shapes[s].body].n_blocks == 0) {
            tn_fixed_shape *to = fixed + w.model.n_fixed++;
            to->shape = s;
            tn_shape_rest_box(&w.state, s, to->box);
        }
    }
}

// A step looks at fixed shapes only where something moves, and finds the same contacts.
static void fixed_shapes_far_away_are_left_out(void **state)
{
    static tn_fixed_shape fixed[WORLD_MAX];
    tn_arena *arena = tn_arena_create(0), *second = tn_arena_create(0);
    enum { FAR = 2000 };
    world_strew(&w, 150, 3.5, 301);
    int near = w.model.n_shapes;
    for (int i = 0; i < FAR; ++i) {
        tn_pose pose = pose_at(10.0 + i % 50, i / 50.0, 0.0);
        world_body(&w, &pose, 0);
        world_shape(&w, (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.4, 0.4, 0.4}}, NULL, 0);
    }
    tn_contact_list all = collide(arena);
    part_fixed(fixed);
    tn_contact_list parted = collide(second);
    assert_true(all.n == parted.n && all.n > 100);
    for (int i = 0; i < all.n; ++i) {
        same_contact(all.contacts + i, parted.contacts + i);
    }
    tn_error error = {0};
    tn_collide_view view = {.model = &w.model, .state = &w.state, .arena = second, .n_threads = 1};
    assert_int_equal(tn_collide_view_set(&view, &error), TN_OK);
    printf("%d contacts; %d of %d shapes looked at\n", parted.n, view.n_listed, w.model.n_shapes);
    assert_int_equal(view.n_listed, near);
    for (int k = 1; k < view.n_listed; ++k) {
        assert_true(view.listed[k - 1] < view.listed[k]);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(second);
}

static void sorted_by_key_and_frames_orthonormal(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    double worst = 0.0;
    world_strew(&w, 1000, 6.0, 11);
    tn_contact_list list = collide(arena);
    assert_true(list.n > 1000);
    for (int i = 0; i < list.n; ++i) {
        const tn_contact *c = list.contacts + i;
        assert_true(c->body_a < c->body_b && c->shape_a < c->shape_b);
        if (i > 0) {
            const tn_contact *p = c - 1;
            assert_true(p->shape_a < c->shape_a ||
                        (p->shape_a == c->shape_a &&
                         (p->shape_b < c->shape_b || (p->shape_b == c->shape_b && p->feature < c->feature))));
        }
        double cross[3];
        tn_vec3_cross(cross, c->frame, c->frame + 3);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(cross[k] - c->frame[6 + k]));
            worst = fmax(worst, fabs(tn_vec3_norm(c->frame + 3 * k) - 1.0));
        }
    }
    printf("%d contacts; frames off right-handed orthonormal by %.1e (limit 1e-14, rounding)\n", list.n, worst);
    assert_true(worst < 1e-14);
    tn_arena_destroy(arena);
}

// The same bodies numbered backwards give the same contacts, turned round.
static void numbering_does_not_matter(void **state)
{
    tn_arena *arena = tn_arena_create(0), *second = tn_arena_create(0);
    enum { N = 200 };
    double gaps[2] = {0.0, 0.0};
    int counts[2];
    for (int pass = 0; pass < 2; ++pass) {
        world_begin(&w);
        for (int i = 0; i < N; ++i) {
            int k = pass ? N - 1 - i : i;
            tn_pose pose = pose_at(0.0, 0.0, 0.0);
            for (int j = 0; j < 3; ++j) {
                pose.position[j] = 2.5 * tn_random_uniform(21, (uint64_t)k, (uint64_t)j);
            }
            world_body(&w, &pose, 2);
            world_shape(&w, (tn_shape){.kind = k % 2 ? TN_SHAPE_SPHERE : TN_SHAPE_BOX, .size = {0.2, 0.15, 0.1}}, NULL,
                        0);
        }
        tn_contact_list list = collide(pass ? second : arena);
        counts[pass] = list.n;
        for (int i = 0; i < list.n; ++i) {
            gaps[pass] += list.contacts[i].gap;
        }
    }
    printf("%d and %d contacts, sums of gaps differ by %.1e m (limit 1e-10, order of summation)\n", counts[0],
           counts[1], fabs(gaps[0] - gaps[1]));
    assert_int_equal(counts[0], counts[1]);
    assert_true(counts[0] > 200 && fabs(gaps[0] - gaps[1]) < 1e-10);
    tn_arena_destroy(arena);
    tn_arena_destroy(second);
}

static void remember(const tn_contact_list *list)
{
    w.state.n_memory = list->n;
    for (int i = 0; i < list->n; ++i) {
        const tn_contact *c = list->contacts + i;
        w.memory[i] = (tn_contact_memory){.key_shapes = (uint64_t)c->shape_a << 32 | (uint64_t)c->shape_b,
                                          .key_feature = c->feature,
                                          .force = {i + 1.0, -0.5 * i, 7.0},
                                          .point = {c->point[0], c->point[1], c->point[2]}};
    }
}

// Boxes, capsules and a ball in a heap that moves by 1e-5 m and rad: nearly all contacts find their force again.
static void keys_are_stable_and_forces_found(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    world_strew(&w, 300, 4.0, 31);
    memset(w.v, 0, sizeof w.v);
    tn_contact_list list = collide(arena);
    remember(&list);
    tn_contact_list again = collide(arena);
    for (int i = 0; i < again.n; ++i) {
        assert_true(memcmp(again.contacts[i].warm, w.memory[i].force, 24) == 0);
    }
    int found = 0;
    for (int b = 0; b < w.model.n_bodies; ++b) {
        double axis[3], turn[4];
        for (int k = 0; w.bodies[b].n_blocks > 0 && k < 3; ++k) {
            w.pose[b].position[k] += 1e-5 * (tn_random_uniform(77, (uint64_t)b, (uint64_t)k) - 0.5);
            axis[k] = tn_random_uniform(77, (uint64_t)b, 3 + (uint64_t)k) - 0.5;
        }
        if (w.bodies[b].n_blocks > 0) {
            tn_quat_from_axis_angle(turn, axis, 1e-5);
            tn_quat_mul(w.pose[b].quaternion, turn, w.pose[b].quaternion);
        }
    }
    again = collide(arena);
    for (int i = 0; i < again.n; ++i) {
        found += again.contacts[i].warm[2] == 7.0;
        assert_true(again.contacts[i].warm[2] == 7.0 || again.contacts[i].warm[2] == 0.0);
    }
    printf("after a motion of 1e-5: %d of %d contacts found again (limit 98 %%: some features appear)\n", found,
           again.n);
    assert_true(again.n > 300 && found > 0.98 * again.n);
    tn_arena_destroy(arena);
}

// Contacts whose name has changed find the force that was nearest, where it was of the same pair.
static void forces_of_lost_names_stay_where_they_were(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    world_strew(&w, 300, 4.0, 31);
    memset(w.v, 0, sizeof w.v);
    tn_contact_list list = collide(arena);
    remember(&list);
    int renamed = 0;
    for (int i = 0; i + 1 < list.n; ++i) { // in the order of keys still
        bool last = w.memory[i].key_shapes != w.memory[i + 1].key_shapes;
        if (last || w.memory[i].key_feature + 1 < w.memory[i + 1].key_feature) {
            w.memory[i].key_feature++;
            renamed++;
        }
    }
    tn_contact_list again = collide(arena);
    assert_int_equal(again.n, list.n);
    for (int i = 0; i < again.n; ++i) {
        assert_memory_equal(again.contacts[i].warm, w.memory[i].force, sizeof w.memory[i].force);
    }
    printf("%d of %d contacts renamed, all keep their force\n", renamed, list.n);
    assert_true(renamed > 0.5 * list.n);
    tn_arena_destroy(arena);
}

// Any number of threads makes the same list, last step's forces included; scratch is given back.
static void threads_do_not_matter(void **state)
{
    tn_arena *arena = tn_arena_create(0), *other = tn_arena_create(0);
    tn_arena *scratch = tn_arena_create(0);
    world_strew(&w, 1500, 6.0, 41);
    tn_contact_list list = collide(arena), threaded;
    remember(&list);
    list = collide(arena);
    for (int n_threads = 2; n_threads <= 7; ++n_threads) {
        tn_arena_reset(other);
        assert_int_equal(tn_collide(&w.model, &w.state, n_threads, other, scratch, &threaded, NULL), TN_OK);
        assert_int_equal(tn_arena_get_mark(scratch), 0);
        assert_int_equal(threaded.n, list.n);
        for (int i = 0; i < list.n; ++i) {
            assert_true(list.contacts[i].warm[2] == 7.0);
            same_contact(list.contacts + i, threaded.contacts + i);
        }
    }
    printf("%d contacts, the same by 1 to 7 threads\n", list.n);
    assert_true(list.n > 1000);
    tn_arena_destroy(arena);
    tn_arena_destroy(other);
    tn_arena_destroy(scratch);
}

// A body that would pass through a thin wall within the step is announced, one that flies by or away is not.
static void fast_bodies_are_announced(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int k = 0; k < 4; ++k) {
        tn_pose wall = pose_at(0.0, 0.0, 0.0), bullet = pose_at(0.0, 0.0, 1.5);
        world_begin(&w);
        world_body(&w, &wall, 0);
        world_shape(&w, (tn_shape){.kind = TN_SHAPE_BOX, .size = {5.0, 5.0, 0.01}}, NULL, 0);
        world_body(&w, &bullet, 2);
        world_shape(&w, (tn_shape){.kind = TN_SHAPE_SPHERE, .size = {0.1}}, NULL, 0);
        w.v[2] = k == 0 ? -300.0 : k == 1 ? -65.0 : 0.0; // ways of 3 m and 0.65 m in a step of 10 ms; they count twice
        if (k == 3) {
            w.model.settings.gravity[2] = -14000.0; // falls 1.4 m from rest in h^2
        }
        tn_contact_list list = collide(arena);
        printf("gap 1.39 m, way %.2f m: %d contacts\n", k == 3 ? 1.4 : fabs(w.v[2]) * 0.01, list.n);
        assert_int_equal(list.n, k == 0 || k == 3 ? 1 : 0);
        if (list.n) {
            assert_true(fabs(list.contacts[0].gap - 1.39) < 1e-12);
        }
    }
    tn_arena_destroy(arena);
}

// A long box spinning fast over a plane: its ends come down within the step.
static void spinning_ends_are_announced(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int k = 0; k < 2; ++k) {
        tn_pose ground = pose_at(0.0, 0.0, 0.0), rod = pose_at(0.0, 0.0, 0.5);
        world_begin(&w);
        world_body(&w, &ground, 0);
        world_shape(&w, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
        world_body(&w, &rod, 2);
        world_shape(&w, (tn_shape){.kind = TN_SHAPE_BOX, .size = {1.0, 0.05, 0.05}}, NULL, 0);
        w.v[4] = k ? 50.0 : 0.0; // 0.5 rad in the step
        tn_contact_list list = collide(arena);
        assert_int_equal(list.n > 0, k);
    }
    tn_arena_destroy(arena);
}

// Two boxes fall as one, touching along an edge: the far edge, 6 mm open, is listed too, for when the lower one lands.
// At rest it is not, nor is a pair that stays 6 mm apart while it falls.
static void touching_pairs_bring_their_manifold(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const int expected[3] = {4, 2, 0};
    for (int k = 0; k < 3; ++k) {
        tn_pose low = pose_at(0.0, 0.0, 5.0), high = pose_at(0.0, 0.0, 5.203 + (k == 2 ? 0.015 : 0.0));
        world_begin(&w);
        w.model.margin = 0.001;
        w.model.settings.step = 0.005;
        tn_quat_from_axis_angle(high.quaternion, (double[3]){1.0, 0.0, 0.0}, 0.03);
        for (int i = 0; i < 2; ++i) {
            world_body(&w, i ? &high : &low, 2);
            world_shape(&w, (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.1, 0.1, 0.1}}, NULL, 0);
            w.v[6 * i + 2] = k == 1 ? 0.0 : -0.5;
        }
        tn_contact_list list = collide(arena);
        printf("%d contacts (expected %d), gaps", list.n, expected[k]);
        for (int i = 0; i < list.n; ++i) {
            printf(" %.4f", list.contacts[i].gap);
        }
        printf(" m\n");
        assert_int_equal(list.n, expected[k]);
    }
    tn_arena_destroy(arena);
}

static void allocates_nothing_when_warm(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    world_strew(&w, 1000, 5.0, 17);
    collide(arena);
    collide(arena);
    long before = tn_memory_count();
    int n = collide(arena).n;
    printf("%d contacts, %ld requests for memory (limit 0)\n", n, tn_memory_count() - before);
    assert_int_equal(tn_memory_count(), before);
    tn_arena_destroy(arena);
}

static void anisotropic_and_planar_frames(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_pose ground = pose_at(0.0, 0.0, 0.0), box = pose_at(0.0, 0.0, 0.5);
    world_begin(&w);
    world_body(&w, &ground, 0);
    world_shape(&w, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
    tn_quat_from_axis_angle(box.quaternion, (double[3]){0.0, 0.0, 1.0}, 0.3);
    int b = world_body(&w, &box, 2);
    world_shape(&w, (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}}, NULL, 1);
    // the direction of body b, tilted out of the plane; b's principal axes are turned against its own by 0.1
    w.surfaces[1] = (tn_surface){.mu1 = 0.2,
                                 .mu2 = 0.6,
                                 .direction = {1.0, 0.0, 0.5},
                                 .direction_of_b = true,
                                 .restitution = 0.25,
                                 .collide = true};
    tn_quat_from_axis_angle(w.bodies[b].principal.quaternion, (double[3]){0.0, 0.0, 1.0}, 0.1);
    tn_contact_list list = collide(arena);
    assert_int_equal(list.n, 4);
    const tn_contact *c = list.contacts;
    assert_true(fabs(c->frame[3] - cos(0.2)) < 1e-14 && fabs(c->frame[4] - sin(0.2)) < 1e-14 && c->frame[5] == 0.0);
    assert_true(c->surface->mu1 == 0.2 && c->surface->mu2 == 0.6 && c->surface->restitution == 0.25);
    w.surfaces[1].direction_of_b = false; // of the ground
    list = collide(arena);
    assert_true(list.contacts[0].frame[3] == 1.0 && list.contacts[0].frame[4] == 0.0);
    tn_vec3_set(w.surfaces[1].direction, 0.0, 0.0, 1.0); // along the normal: no direction, any frame serves
    list = collide(arena);
    assert_true(fabs(tn_vec3_norm(list.contacts[0].frame + 3) - 1.0) < 1e-14);
    w.surfaces[1].collide = false;
    assert_int_equal(collide(arena).n, 0);

    // a planar body in the x-z plane, normal -y: t1 in the plane, t2 its normal
    world_begin(&w);
    world_body(&w, &ground, 0);
    world_shape(&w, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
    tn_pose disk = pose_at(0.0, 0.0, 0.5);
    b = world_body(&w, &disk, 1);
    world_shape(&w, (tn_shape){.kind = TN_SHAPE_SPHERE, .size = {0.5}}, NULL, 1);
    list = collide(arena);
    assert_int_equal(list.n, 1);
    assert_true(list.contacts[0].frame[4] == 0.0 && fabs(list.contacts[0].frame[3]) == 1.0);
    assert_true(list.contacts[0].frame[7] == -1.0);
    tn_arena_destroy(arena);
}

// Contacts of a sphere with another convex shape: at most one a pair. Its gap (INFINITY: more than `reach`), and how it
// changes within the step as the bodies go.
static double ball_gap(int a, int b, double reach, double *change, double *alone)
{
    tn_contact_point p[TN_MANIFOLD_MAX];
    tn_body_motion ma, mb;
    tn_pose pa = shape_pose(a), pb = shape_pose(b);
    double va[3], vb[3], h = w.model.settings.step;
    if (tn_shape_contact(&w.shapes[a].shape, &pa, &w.shapes[b].shape, &pb, reach, p) != 1) {
        return INFINITY;
    }
    tn_body_motion_of(&ma, &w.state, w.shapes[a].body);
    tn_body_motion_of(&mb, &w.state, w.shapes[b].body);
    tn_motion_velocity_at(va, &ma, p->point);
    tn_motion_velocity_at(vb, &mb, p->point);
    double of_a = h * tn_vec3_dot(p->normal, va), of_b = h * tn_vec3_dot(p->normal, vb);
    *change = of_b - of_a;
    *alone = fmax(of_a, -of_b);
    return p->gap;
}

static bool lists(const tn_contact_list *list, int a, int b)
{
    bool found = false;
    for (int i = 0; i < list->n; ++i) {
        found = found || (list->contacts[i].shape_a == a && list->contacts[i].shape_b == b);
    }
    return found;
}

static bool is_ball_pair(int a, int b)
{
    const tn_model_body *ba = &w.bodies[w.shapes[a].body], *bb = &w.bodies[w.shapes[b].body];
    bool any = w.shapes[a].shape.kind == TN_SHAPE_SPHERE || w.shapes[b].shape.kind == TN_SHAPE_SPHERE;
    return any && w.shapes[a].shape.kind != TN_SHAPE_PLANE && ba != bb && ba->n_blocks + bb->n_blocks > 0;
}

// Balls, some off their bodies' centres, that go towards each other or towards what may be stopped are in the list. Of
// other velocities, a list that joins the first one has what these close.
static void balls_that_close_are_found(void **state)
{
    tn_arena *arena = tn_arena_create(0), *second = tn_arena_create(0);
    long ahead = 0, joined = 0;
    for (int trial = 0; trial < 10; ++trial) {
        static bool sought[WORLD_MAX];
        double change, alone, gap;
        world_strew(&w, 300, 5.0, 700 + (uint64_t)trial);
        tn_contact_list list = collide(arena), more;
        int n = w.model.n_shapes;
        for (int a = 0; a < n; ++a) {
            for (int b = a + 1; b < n; ++b) {
                gap = is_ball_pair(a, b) ? ball_gap(a, b, 1.0, &change, &alone) : INFINITY;
                bool closes = gap < w.model.margin + fmax(alone, -change);
                assert_true(!closes || lists(&list, a, b));
                ahead += closes && gap > w.model.margin;
            }
        }
        memset(w.v, 0, sizeof w.v); // not so fast that bodies pass by each other
        list = collide(arena);
        for (int i = 0; i < 3 * w.model.n_blocks; ++i) {
            w.v[i] = tn_random_normal(900, (uint64_t)trial, (uint64_t)i);
        }
        for (int s = 0; s < n; ++s) {
            sought[s] = s % 3 > 0;
        }
        tn_error error = {0};
        tn_arena_reset(second);
        assert_int_equal(tn_collide_joining(&w.model, &w.state, sought, 1, second, &more, &error), TN_OK);
        for (int a = 0; a < n; ++a) {
            for (int b = a + 1; b < n; ++b) {
                bool asked = (sought[a] || sought[b]) && is_ball_pair(a, b);
                gap = asked ? ball_gap(a, b, 1.0, &change, &alone) : INFINITY;
                bool closes = gap + change < w.model.margin && !lists(&list, a, b);
                assert_true(!closes || lists(&more, a, b));
                joined += closes;
            }
        }
    }
    printf("%ld contacts of balls ahead of time, %ld that join\n", ahead, joined);
    assert_true(ahead > 100 && joined > 50);
    tn_arena_destroy(arena);
    tn_arena_destroy(second);
}

static void broken_poses_and_no_memory(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    world_strew(&w, 50, 2.0, 3);
    w.pose[7].position[1] = NAN;
    tn_contact_list list = collide(arena);
    for (int i = 0; i < list.n; ++i) {
        assert_true(list.contacts[i].body_a != 7 && list.contacts[i].body_b != 7);
    }
    tn_arena_destroy(arena);
    int failures = 0;
    for (long k = 0; k < 100; ++k) {
        tn_error error = {0};
        arena = tn_arena_create(0);
        world_strew(&w, 2000, 6.0, 3);
        tn_memory_fail_after(k);
        tn_status status = tn_collide(&w.model, &w.state, 1, arena, arena, &list, &error);
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        if (status == TN_OK) { // the last ones
            continue;
        }
        assert_true(status == TN_NO_MEMORY && error.message[0] && list.n == 0);
        failures++;
    }
    printf("%d requests for memory, each failed once and reported\n", failures);
    assert_true(failures > 2 && failures < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missed),
        cmocka_unit_test(fixed_shapes_far_away_are_left_out),
        cmocka_unit_test(sorted_by_key_and_frames_orthonormal),
        cmocka_unit_test(numbering_does_not_matter),
        cmocka_unit_test(keys_are_stable_and_forces_found),
        cmocka_unit_test(forces_of_lost_names_stay_where_they_were),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(fast_bodies_are_announced),
        cmocka_unit_test(spinning_ends_are_announced),
        cmocka_unit_test(touching_pairs_bring_their_manifold),
        cmocka_unit_test(allocates_nothing_when_warm),
        cmocka_unit_test(anisotropic_and_planar_frames),
        cmocka_unit_test(balls_that_close_are_found),
        cmocka_unit_test(broken_poses_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
