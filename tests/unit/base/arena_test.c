// The arena: zeroed, aligned, without allocation once warm, honest about its peak and about missing memory.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "test.h"

static void blocks_are_zeroed_aligned_and_apart(void **state)
{
    enum { N = 1000 };
    tn_arena *arena = tn_arena_create(128);
    unsigned char *block[N];
    size_t size[N];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            size[i] = (size_t)(tn_random_u64(1, 0, (uint64_t)i) % 1000);
            block[i] = TN_PUSH(arena, unsigned char, size[i]);
            assert_non_null(block[i]);
            assert_int_equal((uintptr_t)block[i] % 64, 0);
            for (size_t k = 0; k < size[i]; k++) {
                assert_int_equal(block[i][k], 0);
            }
            memset(block[i], i % 255 + 1, size[i]);
        }
        for (int i = 0; i < N; i++) {
            for (size_t k = 0; k < size[i]; k++) {
                assert_int_equal(block[i][k], i % 255 + 1);
            }
        }
        tn_arena_reset(arena);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(NULL);
}

// A step as stages make it: kept blocks, scratch inside, sizes that differ from step to step below the peak.
static void step(tn_arena *arena, int number)
{
    for (int stage = 0; stage < 4; stage++) {
        assert_non_null(TN_PUSH(arena, double, 5000));
        tn_arena_mark mark = tn_arena_get_mark(arena);
        for (int i = 0; i < 10; i++) {
            assert_non_null(TN_PUSH(arena, double, 1000 + 4000 * (size_t)((number + i) % 7 == 0)));
        }
        tn_arena_release(arena, mark);
    }
}

static void a_warm_arena_does_not_allocate(void **state)
{
    for (int with_reset = 0; with_reset < 2; with_reset++) {
        tn_arena *arena = tn_arena_create(0);
        assert_non_null(TN_PUSH(arena, char, with_reset ? 0 : 1000)); // something that stays
        tn_arena_mark mark = tn_arena_get_mark(arena);
        long before = 0;
        for (int n = 0; n < 100; n++) {
            before = n == 20 ? tn_memory_count() : before;
            step(arena, n);
            if (with_reset) {
                tn_arena_reset(arena);
            } else {
                tn_arena_release(arena, mark);
            }
        }
        long requests = tn_memory_count() - before;
        printf("%ld requests in 80 warm steps with %s, limit 0\n", requests, with_reset ? "reset" : "release");
        assert_int_equal(requests, 0);
        tn_arena_destroy(arena);
    }
}

// What fits into the caller's memory costs no request; what does not is had as ever.
static void lent_memory_comes_first(void **state)
{
    _Alignas(64) static char memory[1 << 14];
    for (int reset = 0; reset < 2; reset++) {
        long before = tn_memory_count();
        tn_arena *arena = tn_arena_create_in(memory, sizeof memory);
        for (int k = 0; k < 5; k++) {
            tn_arena_mark mark = tn_arena_get_mark(arena);
            char *a = TN_PUSH(arena, char, 5000), *b = TN_PUSH(arena, char, 4000);
            assert_true(a >= memory && b >= a + 5000 && b + 4000 <= memory + sizeof memory);
            assert_true(a[0] == 0 && b[3999] == 0 && (uintptr_t)b % 64 == 0);
            memset(a, 1, 5000);
            tn_arena_release(arena, mark);
        }
        long requests = tn_memory_count() - before;
        printf("%ld requests for what fits, limit 0\n", requests);
        assert_int_equal(requests, 0);
        for (int k = 0; k < 200; k++) {
            int *a = TN_PUSH(arena, int, 100);
            assert_true(a && a[99] == 0);
            a[0] = k;
        }
        assert_true(tn_memory_count() > before && tn_arena_peak(arena) >= 200 * 400);
        if (reset) {
            tn_arena_reset(arena);
            assert_non_null(TN_PUSH(arena, char, 80000));
        }
        tn_arena_destroy(arena);
    }
}

// Filled to the last byte in blocks of every size, it takes nothing beyond its memory.
static void lent_memory_is_not_left(void **state)
{
    enum { SIZE = 1 << 14, GUARD = 4096 };
    _Alignas(64) static char memory[SIZE + GUARD];
    for (size_t block = 1; block < 700; block += 21) {
        memset(memory, 0x5a, sizeof memory);
        tn_arena *arena = tn_arena_create_in(memory, SIZE);
        int within = 0;
        for (int k = 0; k < SIZE / 64; k++) {
            char *a = tn_arena_push(arena, 1, block);
            within += a >= memory && a < memory + SIZE;
            memset(a, 1, block);
        }
        for (int i = 0; i < GUARD; i++) {
            assert_int_equal(memory[SIZE + i], 0x5a);
        }
        assert_true(within > 0 && within < SIZE / 64);
        tn_arena_destroy(arena);
    }
}

static void absurd_sizes_are_refused(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    assert_null(tn_arena_push(arena, SIZE_MAX / 8, 16));
    assert_null(tn_arena_push(arena, SIZE_MAX / 5, 1));
    assert_non_null(tn_arena_push(arena, 0, 8));
    assert_int_equal(tn_arena_peak(arena), 64);
    tn_arena_destroy(arena);
}

// Whatever request fails: no leak, no crash (the sanitizer build looks), and the arena works afterwards.
static void every_request_may_fail(void **state)
{
    int refused = 0;
    for (long n = 0; n < 100; n++) {
        tn_memory_fail_after(n);
        tn_arena *arena = tn_arena_create(0);
        bool all = arena != NULL;
        for (int round = 0; arena && round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                all = TN_PUSH(arena, double, 1000) && all;
            }
            tn_arena_reset(arena);
        }
        tn_memory_fail_after(-1);
        refused += !all;
        if (arena) {
            assert_non_null(TN_PUSH(arena, double, 100000));
        }
        tn_arena_destroy(arena);
    }
    printf("%d of 100 failures refused a push\n", refused);
    assert_true(refused >= 5 && refused < 100);
}

// What one thread's arena has held has room in the others', before they are asked for it.
static void arenas_of_a_team_are_level(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    assert_non_null(tn_arena_beside(arena, 3));
    for (int most = 1000; most < 1000000; most *= 10) {
        tn_arena *busy = tn_arena_beside(arena, 2);
        tn_arena_mark mark = tn_arena_get_mark(busy);
        assert_true(TN_PUSH(busy, double, most) && TN_PUSH(busy, double, most));
        tn_arena_release(busy, mark);
        size_t peak = tn_arena_peak(busy);
        for (int round = 0; round < 3; round++) { // it does not creep
            assert_true(tn_arena_level(arena, 3));
            tn_arena_reset(arena);
        }
        long before = tn_memory_count();
        for (int k = 1; k <= 3; k++) {
            assert_true(tn_arena_level(arena, 3) && tn_arena_peak(tn_arena_beside(arena, k)) == peak);
            assert_non_null(TN_PUSH(tn_arena_beside(arena, k), double, most));
            assert_non_null(TN_PUSH(tn_arena_beside(arena, k), double, most));
        }
        assert_int_equal(tn_memory_count() - before, 0);
        tn_arena_reset(arena);
    }
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
        cmocka_unit_test(a_warm_arena_does_not_allocate),
        cmocka_unit_test(lent_memory_comes_first),
        cmocka_unit_test(lent_memory_is_not_left),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(arenas_of_a_team_are_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
