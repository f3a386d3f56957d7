// The nearest of many unit vectors: against a look at each of them, of random ones, of those of a cube many times over
// and of a fine cylinder, whose axis is as near to many.
#include "base/random.h"
#include "math/vec3.h"
#include "shape/normals.h"
#include "test.h"

#include <math.h>

enum { MOST = 1500, LOOKS = 300 };

static void draw(double out[3], uint64_t seed, uint64_t i)
{
    for (uint64_t k = 0; k < 3; k++) {
        out[k] = tn_random_normal(seed, k, i);
    }
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
}

static int brute(int n, const double *normal, const double d[3], double *cosine)
{
    int best = 0;
    *cosine = -INFINITY;
    for (int i = 0; i < n; i++) {
        const double here = tn_vec3_dot(d, normal + 4 * i);
        best = here > *cosine ? i : best;
        *cosine = here > *cosine ? here : *cosine;
    }
    return best;
}

static void check(int n, const double *normal, tn_arena *arena)
{
    tn_normals tree;
    assert_true(tn_normals_create(n, normal, 4, arena, &tree));
    for (int i = 0; i < LOOKS; i++) {
        double d[3], a, b;
        draw(d, 99, (uint64_t)i);
        if (i < n && i % 3 == 0) { // one of them itself
            tn_vec3_copy(d, normal + 4 * i);
        } else if (i < 6) {
            tn_vec3_set(d, i / 2 == 0, i / 2 == 1, i / 2 == 2);
            tn_vec3_scale(d, i % 2 ? -1.0 : 1.0, d);
        }
        const int wanted = brute(n, normal, d, &a);
        assert_int_equal(tn_normals_nearest(&tree, d, &b), wanted);
        assert_true(a == b);
    }
    tn_arena_reset(arena);
}

static void the_nearest_is_found(void **state)
{
    static double normal[4 * MOST];
    tn_arena *arena = tn_arena_create(0);
    static const int sizes[] = {1, 2, 16, 17, 40, 333, MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int i = 0; i < sizes[k]; i++) {
            draw(normal + 4 * i, k, (uint64_t)i);
        }
        check(sizes[k], normal, arena);
    }
    for (int i = 0; i < MOST; i++) { // sides of a cube
        tn_vec3_set(normal + 4 * i, i % 3 == 0, i % 3 == 1, i % 3 == 2);
        tn_vec3_scale(normal + 4 * i, i % 2 ? -1.0 : 1.0, normal + 4 * i);
    }
    check(MOST, normal, arena);
    for (int i = 0; i < MOST; i++) {
        tn_vec3_set(normal + 4 * i, cos(i * 2 * M_PI / MOST), sin(i * 2 * M_PI / MOST), 0.0);
    }
    check(MOST, normal, arena);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_nearest_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
