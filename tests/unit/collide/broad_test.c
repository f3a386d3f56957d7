// The broad phase finds exactly the pairs that trying all finds, in the order of their numbers.
#include "test.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

static world w;
static tn_bounds bounds[WORLD_MAX];

// A box whose low end lies above its high end holds nothing.
static bool overlap(const tn_bounds *a, const tn_bounds *b)
{
    bool all = true;
    for (int i = 0; i < 3; ++i) {
        all = all && a->low[i] <= b->high[i] && b->low[i] <= a->high[i];
        all = all && a->low[i] <= a->high[i] && b->low[i] <= b->high[i];
    }
    return all;
}

// Wanted by the rules of the scene, written down anew.
static bool wanted(int a, int b)
{
    const tn_model_body *ba = &w.bodies[w.shapes[a].body], *bb = &w.bodies[w.shapes[b].body];
    return ba != bb && ba->n_blocks + bb->n_blocks > 0 &&
           w.surfaces[2 * w.shapes[a].material + w.shapes[b].material].collide;
}

static tn_status find_pairs(int n_threads, tn_arena *arena, tn_pair_list *list, tn_error *error)
{
    const tn_broad_input input = {.model = &w.model, .bounds = bounds, .n_threads = n_threads};
    return tn_broad_phase(&input, arena, list, error);
}

// Every seventh surface is sought: those of all pairs (sorted) that have one.
static void compare_with_sought(int n_threads, const tn_pair_list *all, tn_arena *arena)
{
    static bool sought[sizeof bounds / sizeof *bounds];
    for (int s = 0; s < w.model.n_shapes; ++s) {
        sought[s] = s % 7 == 3;
    }
    const tn_broad_input input = {.model = &w.model, .bounds = bounds, .sought = sought, .n_threads = n_threads};
    tn_pair_list list;
    int k = 0;
    assert_int_equal(tn_broad_phase(&input, arena, &list, NULL), TN_OK);
    for (int i = 0; i < all->n; ++i) {
        if (sought[all->pairs[i].a] || sought[all->pairs[i].b]) {
            assert_true(k < list.n);
            assert_memory_equal(all->pairs + i, list.pairs + k++, sizeof *list.pairs);
        }
    }
    assert_int_equal(k, list.n);
}

static int compare_with_all(tn_arena *arena)
{
    tn_pair_list list;
    tn_error error;
    int k = 0;
    tn_arena_reset(arena);
    assert_int_equal(find_pairs(1, arena, &list, &error), TN_OK);
    for (int a = 0; a < w.model.n_shapes; ++a) {
        for (int b = a + 1; b < w.model.n_shapes; ++b) {
            if (wanted(a, b) && overlap(bounds + a, bounds + b)) {
                assert_true(k < list.n && list.pairs[k].a == a && list.pairs[k].b == b);
                k++;
            }
        }
    }
    assert_int_equal(k, list.n);
    return k;
}

static void bound_all(void)
{
    for (int s = 0; s < w.model.n_shapes; ++s) {
        tn_pose pose;
        tn_shape_bounds(&w.shapes[s].shape, &(tn_pose){{0}, {1.0, 0.0, 0.0, 0.0}}, 0.0, bounds[s].low, bounds[s].high);
        pose = w.pose[w.shapes[s].body];
        tn_vec3_add(pose.position, pose.position, w.shapes[s].pose.position);
        tn_shape_bounds(&w.shapes[s].shape, &pose, 0.02, bounds[s].low, bounds[s].high);
    }
}

static void finds_what_trying_all_finds(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int trial = 0; trial < 60; ++trial) {
        const int counts[6] = {0, 1, 2, 20, 200, 1000};
        int n = counts[trial % 6];
        world_strew(&w, n, trial % 5 == 0 ? 2.0 : 6.0, (uint64_t)trial);
        w.surfaces[1].collide = trial % 2;
        w.surfaces[2].collide = trial % 2;
        bound_all();
        int pairs = compare_with_all(arena);
        if (trial < 6) {
            printf("%d bodies: %d pairs, as by trying all\n", n, pairs);
        }
    }
    tn_arena_destroy(arena);
}

// Very unlike sizes, all in one place, all in one line, not a number, empty, huge.
static void finds_them_in_odd_scenes(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int trial = 0; trial < 40; ++trial) {
        world_strew(&w, 300, 6.0, 1000 + (uint64_t)trial);
        bound_all();
        for (int s = 0; s < w.model.n_shapes; ++s) {
            tn_bounds *b = bounds + s;
            double size = pow(10.0, -4.0 * tn_random_uniform(9, (uint64_t)trial, (uint64_t)s));
            for (int i = 0; i < 3; ++i) {
                switch (trial % 5) {
                case 0: // sizes from 1e-4 to 1 of the scene
                    b->high[i] = b->low[i] + 6.0 * size;
                    break;
                case 1: // all in one place
                    b->low[i] = -1.0;
                    b->high[i] = 1.0;
                    break;
                case 2: // in a line, each touching the next
                    b->low[i] = i == trial % 3 ? s : 0.0;
                    b->high[i] = b->low[i] + 1.0;
                    break;
                case 3: // broken ones among the others
                    b->low[i] = s % 11 == 3 ? NAN : s % 11 == 5 ? INFINITY : b->low[i];
                    b->high[i] = s % 11 == 5 ? -INFINITY : b->high[i];
                    break;
                default: // far away, and half infinite
                    b->high[i] = s % 50 == 7 && i == 0 ? INFINITY : b->high[i] + (s % 13 == 0 ? 1e15 : 0.0);
                    break;
                }
            }
        }
        compare_with_all(arena);
    }
    tn_arena_destroy(arena);
}

// Widths of 1 mm to 1 m, small ones most, on the move for many steps; some fly away for good. Any number of threads
// finds the same.
static void finds_them_on_the_move(void **state)
{
    enum { N = 1200, STEPS = 40 };
    static double place[N][3], speed[N][3], half[N];
    tn_arena *arena = tn_arena_create(0), *second = tn_arena_create(0);
    long total = 0;
    world_strew(&w, N - 200, 1.0, 77); // some bodies have two shapes
    for (int s = 0; s < w.model.n_shapes; ++s) {
        half[s] = 0.5e-3 * pow(1000.0, pow(tn_random_uniform(5, 0, (uint64_t)s), 3.0));
        for (int i = 0; i < 3; ++i) {
            place[s][i] = 3.0 * tn_random_uniform(5, 1 + (uint64_t)i, (uint64_t)s);
            speed[s][i] = (s % 100 == 7 ? 1e4 : 1.0) * tn_random_normal(5, 4 + (uint64_t)i, (uint64_t)s);
        }
    }
    for (int k = 0; k < STEPS; ++k) {
        for (int s = 0; s < w.model.n_shapes; ++s) {
            for (int i = 0; i < 3; ++i) {
                place[s][i] += 0.05 * speed[s][i];
                bounds[s].low[i] = place[s][i] - half[s];
                bounds[s].high[i] = place[s][i] + half[s];
            }
        }
        total += compare_with_all(arena);
        tn_pair_list one, more;
        for (int n_threads = 2; n_threads <= 5; ++n_threads) {
            tn_arena_reset(arena);
            tn_arena_reset(second);
            assert_int_equal(find_pairs(1, arena, &one, NULL), TN_OK);
            assert_int_equal(find_pairs(n_threads, second, &more, NULL), TN_OK);
            assert_int_equal(one.n, more.n);
            assert_memory_equal(one.pairs, more.pairs, (size_t)one.n * sizeof *one.pairs);
            compare_with_sought(n_threads - 1, &one, second);
        }
    }
    printf("%d surfaces, %d steps: %ld pairs, as by trying all and by 1 to 5 threads\n", w.model.n_shapes, STEPS,
           total);
    assert_true(total > 10000);
    tn_arena_destroy(arena);
    tn_arena_destroy(second);
}

// Of spheres whose boxes overlap those stay whose larger spheres do; of all others the boxes count.
static void leaves_out_balls_apart(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    long kept = 0, left_out = 0;
    for (int trial = 0; trial < 20; ++trial) {
        const double far = trial % 2 ? 1e6 : 0.0, grown = 0.02;
        world_strew(&w, 400, 4.0, 50 + (uint64_t)trial);
        bound_all();
        for (int s = 0; s < w.model.n_shapes; ++s) {
            for (int i = 0; i < 3; ++i) {
                bounds[s].low[i] += far;
                bounds[s].high[i] += far;
            }
        }
        tn_arena_reset(arena);
        tn_pair_list all, list;
        const tn_broad_input input = {.model = &w.model, .bounds = bounds, .has_balls = true, .n_threads = 1};
        assert_int_equal(find_pairs(1, arena, &all, NULL), TN_OK);
        assert_int_equal(tn_broad_phase(&input, arena, &list, NULL), TN_OK);
        int k = 0;
        for (int i = 0; i < all.n; ++i) {
            const tn_shape_pair *pair = all.pairs + i;
            const tn_model_shape *a = w.shapes + pair->a, *b = w.shapes + pair->b;
            bool listed = k < list.n && !memcmp(pair, list.pairs + k, sizeof *pair);
            k += listed;
            double d[3], reach = a->shape.size[0] + b->shape.size[0] + 2.0 * grown;
            for (int c = 0; c < 3; ++c) {
                d[c] = 0.5 * (bounds[pair->a].low[c] + bounds[pair->a].high[c] - bounds[pair->b].low[c] -
                              bounds[pair->b].high[c]);
            }
            bool balls = a->shape.kind == TN_SHAPE_SPHERE && b->shape.kind == TN_SHAPE_SPHERE;
            double apart = balls ? tn_vec3_norm(d) - reach : 0.0;
            assert_true(listed || apart > 0.0);                 // none is lost
            assert_true(!listed || apart < 1e-9 + 1e-13 * far); // and few are too many
            kept += balls && listed;
            left_out += !listed;
        }
        assert_int_equal(k, list.n);
    }
    printf("%ld pairs of spheres left out, %ld kept\n", left_out, kept);
    assert_true(kept > 100 && left_out > 100);
    tn_arena_destroy(arena);
}

// A surface without bounds pairs only with what reaches into its half space.
static void half_spaces_leave_out_what_is_above(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_pair_list list;
    int expected = 0, found = 0;
    world_strew(&w, 500, 6.0, 8);
    bound_all();
    const tn_half_space ground = {.surface = 0, .normal = {0.0, 0.6, 0.8}, .level = 0.3};
    const tn_broad_input input = {
        .model = &w.model, .bounds = bounds, .n_half_spaces = 1, .half_spaces = &ground, .n_threads = 2};
    assert_int_equal(tn_broad_phase(&input, arena, &list, NULL), TN_OK);
    for (int s = 1; s < w.model.n_shapes; ++s) {
        expected += wanted(0, s) && 0.6 * bounds[s].low[1] + 0.8 * bounds[s].low[2] <= 0.3;
    }
    for (int k = 0; k < list.n; ++k) {
        found += list.pairs[k].a == 0;
    }
    printf("%d of %d surfaces reach into the half space, %d found\n", expected, w.model.n_shapes - 1, found);
    assert_true(expected > 50 && expected < 450);
    assert_int_equal(found, expected);
    tn_arena_destroy(arena);
}

static int count_pairs(tn_arena *arena, int n, double side)
{
    tn_pair_list list;
    world_strew(&w, n, side, 5);
    bound_all();
    tn_arena_reset(arena);
    assert_int_equal(find_pairs(1, arena, &list, NULL), TN_OK);
    return list.n;
}

static void reports_no_memory(void **state)
{
    int failures = 0;
    for (long k = 0; k < 100; ++k) {
        tn_arena *arena = tn_arena_create(0);
        tn_pair_list list;
        tn_error error = {0};
        world_strew(&w, 1000, 1.0, 5); // all near each other: lists that must grow
        bound_all();
        tn_memory_fail_after(k);
        tn_status status = find_pairs(1, arena, &list, &error);
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        if (status == TN_OK) { // the last ones
            continue;
        }
        assert_int_equal(status, TN_NO_MEMORY);
        assert_true(error.message[0] != 0);
        failures++;
    }
    printf("%d requests for memory, each failed once and reported\n", failures);
    assert_true(failures > 2 && failures < 100);
}

// A warm arena serves the second run without a request.
static void allocates_nothing_when_warm(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    count_pairs(arena, 1000, 6.0);
    tn_arena_reset(arena);
    long before = tn_memory_count();
    int n = count_pairs(arena, 1000, 6.0);
    printf("%d pairs, %ld requests for memory (limit 0)\n", n, tn_memory_count() - before);
    assert_int_equal(tn_memory_count(), before);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_trying_all_finds),
        cmocka_unit_test(finds_them_in_odd_scenes),
        cmocka_unit_test(finds_them_on_the_move),
        cmocka_unit_test(leaves_out_balls_apart),
        cmocka_unit_test(half_spaces_leave_out_what_is_above),
        cmocka_unit_test(reports_no_memory),
        cmocka_unit_test(allocates_nothing_when_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
