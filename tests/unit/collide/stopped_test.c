// Pairs that go along with each other (stopped.h): each of the two conditions alone, both sides of the limit, and a
// case where nothing else keeps the pair in the list.
#include "collide/stopped.h"
#include "test.h"
#include "world.h"

#include <math.h>
#include <stdio.h>

static world w;

// Two balls of radius 0.1 side by side along x, `gap` apart, with these velocities along x.
static void balls(double gap, double a, double b)
{
    world_begin(&w);
    const double speed[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        tn_pose pose = pose_at(i * (0.2 + gap), 0.0, 0.0);
        world_body(&w, &pose, 2);
        world_shape(&w, (tn_shape){.kind = TN_SHAPE_SPHERE, .size = {0.1}}, NULL, 0);
        w.v[6 * i] = speed[i];
    }
}

static bool runs_up(double gap, double a, double b, int n)
{
    tn_body_motion motion[2] = {{.position = {0, 0, 0}, .linear = {a, 0, 0}},
                                {.position = {0.2 + gap, 0, 0}, .linear = {b, 0, 0}}};
    balls(gap, a, b);
    tn_collide_view view = {.model = &w.model, .state = &w.state, .step = 0.01, .fall = 1e-3, .motion = motion};
    tn_contact_point points[2] = {{.normal = {1, 0, 0}, .point = {0.1 + 0.5 * gap, 0, 0}, .gap = 1.0},
                                  {.normal = {1, 0, 0}, .point = {0.1 + 0.5 * gap, 0, 0}, .gap = gap}};
    return tn_pair_runs_up(&view, &(tn_shape_pair){0, 1}, n, points);
}

// Margin 10 mm, fall 1 mm, h = 10 ms: the limit is 11 mm and 10 ms times the speed of one towards the other.
static void each_condition(void **unused)
{
    assert_true(runs_up(0.060, 5.0, 5.0, 2));   // a runs up against a stopped b: 61 mm
    assert_false(runs_up(0.062, 5.0, 5.0, 2));  //
    assert_true(runs_up(0.060, -5.0, -5.0, 2)); // b against a stopped a
    assert_false(runs_up(0.062, -5.0, -5.0, 2));
    assert_true(runs_up(0.030, 2.0, 7.0, 2)); // only a's counts: b flies off
    assert_false(runs_up(0.032, 2.0, 7.0, 2));
    assert_true(runs_up(0.030, -7.0, -2.0, 2)); // only b's
    assert_false(runs_up(0.032, -7.0, -2.0, 2));
    assert_false(runs_up(0.012, -1.0, 1.0, 2)); // both fly off
    assert_false(runs_up(0.060, 5.0, 5.0, 1));  // the far point alone
}

static int found(double gap, double a, double b)
{
    tn_arena *arena = tn_arena_create(0);
    tn_contact_list list;
    tn_error error = {0};
    balls(gap, a, b);
    assert_int_equal(tn_collide(&w.model, &w.state, 1, arena, arena, &list, &error), TN_OK);
    int n = list.n;
    tn_arena_destroy(arena);
    return n;
}

// Balls and, by the general way, boxes that fly together, far beyond the margin: a third body may stop the one in
// front.
static void flying_together(void **unused)
{
    assert_int_equal(found(0.040, 5.0, 5.0), 1);
    assert_int_equal(found(0.040, -5.0, -5.0), 1);
    assert_int_equal(found(0.040, 0.0, 0.0), 0);
    assert_int_equal(found(0.200, 5.0, 5.0), 0);
    for (int i = 0; i < 2; i++) {
        tn_arena *arena = tn_arena_create(0);
        tn_contact_list list;
        tn_error error = {0};
        balls(0.040, 5.0 * i, 5.0 * i);
        for (int k = 0; k < 2; k++) {
            w.shapes[k].shape = (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.1, 0.1, 0.1}};
        }
        assert_int_equal(tn_collide(&w.model, &w.state, 1, arena, arena, &list, &error), TN_OK);
        printf("boxes at %g m/s: %d contacts\n", 5.0 * i, list.n);
        assert_true(i == 0 ? list.n == 0 : list.n >= 4); // all corners of the faces
        tn_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_condition), cmocka_unit_test(flying_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
