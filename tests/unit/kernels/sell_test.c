// The sliced format against the scalar product, its orderings against their definitions.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "kernels/sell.h"
#include "layout.h"
#include "math/blocks.h"
#include "test.h"

enum { PATTERNS = 40 };

// Symmetric pattern with a diagonal: n rows, each with up to `reach` random partners; values are not symmetric, so that
// a transposed block would show. Odd seeds fall apart into components.
static tn_blocks *random_blocks(int n, int reach, uint64_t seed, tn_arena *arena)
{
    tn_blocks_entry *entry = TN_PUSH(arena, tn_blocks_entry, n * (2 * reach + 1));
    int count = 0;
    for (int i = 0; i < n; i++) {
        entry[count++] = (tn_blocks_entry){.row = i, .column = i};
        int partners = (int)(tn_random_uniform(seed, 0, (uint64_t)i) * (reach + 1));
        for (int k = 0; k < partners; k++) {
            int group = seed % 2 ? 7 : n, first = i / group * group, size = first + group > n ? n - first : group;
            int j = first + (int)(tn_random_uniform(seed, 1, (uint64_t)(i * 64 + k)) * size);
            if (j != i) {
                entry[count++] = (tn_blocks_entry){.row = i, .column = j};
                entry[count++] = (tn_blocks_entry){.row = j, .column = i};
            }
        }
    }
    for (int e = 0; e < count; e++) {
        for (int k = 0; k < 9; k++) {
            entry[e].value[k] = tn_random_uniform(seed, 2, (uint64_t)(9 * e + k)) - 0.5;
        }
    }
    return tn_blocks_from_entries(n, n, count, entry, arena);
}

static int size_of(int s)
{
    static const int sizes[8] = {1, 2, 8, 11, 67, 256, 300, 1003};
    return sizes[s % 8];
}

static double *random_vector(int n, tn_arena *arena)
{
    double *x = TN_PUSH(arena, double, n);
    for (int i = 0; i < n; i++) {
        x[i] = tn_random_uniform(77, 3, (uint64_t)i) - 0.5;
    }
    return x;
}

// y = A x by the scalar product and by the sliced one; returns the largest difference over the largest |y|.
static double product_error(const tn_blocks *A, const tn_ordering *order, bool single, tn_arena *arena)
{
    int n = 3 * A->n_rows, packed = tn_sell_packed_size(order);
    tn_sell sell;
    assert_int_equal(tn_sell_create(order, single, arena, &sell), TN_OK);
    tn_sell_fill(&sell, A, NULL, 1);
    double *x = random_vector(n, arena), *y = TN_PUSH(arena, double, n), *z = TN_PUSH(arena, double, n);
    double *px = TN_PUSH(arena, double, packed), *py = TN_PUSH(arena, double, packed);
    double *pz = TN_PUSH(arena, double, packed);
    tn_blocks_mul(A, x, y);
    tn_sell_pack(order, x, px);
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    assert_false(tn_sell_product_with("none", &sell, px, py));
    assert_true(tn_sell_product_with("baseline", &sell, px, py));
    for (int k = 0; k < 3; k++) {
        if (tn_sell_product_with(kinds[k], &sell, px, pz)) {
            assert_memory_equal(py, pz, (size_t)packed * sizeof *py);
        }
    }
    for (int threads = 1; threads <= 3; threads++) {
        memset(pz, 1, (size_t)packed * sizeof *pz);
        tn_sell_fill(&sell, A, NULL, threads);
        tn_sell_product(&sell, px, pz, threads);
        assert_memory_equal(py, pz, (size_t)packed * sizeof *py);
    }
    tn_sell_unpack(order, py, z);
    double error = 0.0, largest = 0.0;
    for (int i = 0; i < n; i++) {
        error = fmax(error, fabs(y[i] - z[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return error / largest;
}

static void products_agree_with_the_scalar_one(void **state)
{
    double worst[2] = {0.0, 0.0};
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < PATTERNS; s++) {
        tn_arena_reset(arena);
        tn_blocks *A = random_blocks(size_of(s), 1 + s % 9, (uint64_t)s, arena);
        tn_layout *layout = layout_of(A, NULL, arena);
        for (int single = 0; single < 2; single++) {
            worst[single] = fmax(worst[single], product_error(A, &layout->plain, single, arena));
            worst[single] = fmax(worst[single], product_error(A, &layout->coloured, single, arena));
        }
    }
    printf("%s, %d patterns: |dy|/|y| %.1e (limit 1e-14: another order of the sums), of single values %.1e (limit "
           "2e-6: rounding to 6e-8 over some dozen terms that may cancel)\n",
           tn_sell_kind(), PATTERNS, worst[0], worst[1]);
    assert_true(worst[0] < 1e-14 && worst[1] < 2e-6);
    tn_arena_destroy(arena);
}

// Every row has one lane, every block one source, diagonals come first, SPARSE parts before the others.
static void check_ordering(const tn_blocks *A, const tn_layout *layout, const tn_ordering *o, tn_arena *arena)
{
    int n_columns = o->start[o->n_slices];
    int *seen = TN_PUSH(arena, int, A->start[A->n_rows]);
    for (int row = 0; row < A->n_rows; row++) {
        assert_int_equal(o->row[o->lane[row]], row);
        tn_part_form form = tn_part_form_of(layout->parts, layout->parts->of_block[row]);
        assert_true((o->lane[row] / TN_SELL_LANES < o->n_large) == (form == TN_PART_SPARSE));
    }
    for (int s = 0; s < o->n_slices; s++) {
        for (int q = o->start[s]; q < o->start[s + 1]; q++) {
            for (int l = 0; l < TN_SELL_LANES; l++) {
                int row = o->row[TN_SELL_LANES * s + l], at = TN_SELL_LANES * q + l, e = o->source[at];
                if (e < 0) {
                    assert_int_equal(o->place[at], 4 * (TN_SELL_LANES * s + l));
                    continue;
                }
                seen[e]++;
                assert_true(row >= 0 && e >= A->start[row] && e < A->start[row + 1]);
                assert_int_equal(o->place[at], 4 * o->lane[A->column[e]]);
                assert_true((A->column[e] == row) == (q == o->start[s]));
            }
        }
    }
    for (int e = 0; e < A->start[A->n_rows]; e++) {
        assert_int_equal(seen[e], 1);
    }
    assert_true(n_columns <= A->start[A->n_rows]);
}

static void check_colours(const tn_blocks *A, const tn_ordering *o, tn_arena *arena)
{
    int *colour = TN_PUSH(arena, int, A->n_rows);
    assert_int_equal(o->colour_start[0], 0);
    assert_int_equal(o->colour_start[o->n_colours], o->n_large);
    for (int row = 0; row < A->n_rows; row++) {
        int slice = o->lane[row] / TN_SELL_LANES;
        colour[row] = -1;
        for (int c = 0; c < o->n_colours; c++) {
            colour[row] = slice >= o->colour_start[c] && slice < o->colour_start[c + 1] ? c : colour[row];
        }
        assert_true((colour[row] >= 0) == (slice < o->n_large));
    }
    for (int row = 0; row < A->n_rows; row++) {
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            assert_true(A->column[e] == row || colour[row] < 0 || colour[A->column[e]] != colour[row]);
        }
    }
}

// Every number of an ordering's columns is its block's, doubles and rounded, with sums of squares and without.
static void check_values(const tn_blocks *A, const tn_ordering *o, bool single, bool squares, tn_arena *arena)
{
    tn_sell sell;
    double *sums = squares ? TN_PUSH(arena, double, TN_SELL_LANES * o->n_slices) : NULL;
    assert_int_equal(tn_sell_create(o, single, arena, &sell), TN_OK);
    tn_sell_fill(&sell, A, sums, 1);
    for (int at = 0; at < TN_SELL_LANES * o->start[o->n_slices]; at++) {
        size_t column = (size_t)(at / TN_SELL_LANES), lane = (size_t)(at % TN_SELL_LANES);
        for (size_t k = 0; k < 9; k++) {
            double value = o->source[at] < 0 ? 0.0 : A->value[9 * (size_t)o->source[at] + k];
            size_t place = (9 * column + k) * TN_SELL_LANES + lane;
            assert_true(single ? sell.single[place] == (float)value : sell.value[place] == value);
        }
    }
}

static void columns_hold_the_blocks(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 8; s++) {
        tn_arena_reset(arena);
        tn_blocks *A = random_blocks(size_of(s), 5, (uint64_t)s, arena);
        tn_layout *layout = layout_of(A, NULL, arena);
        for (int k = 0; k < 4; k++) {
            check_values(A, &layout->coloured, k & 1, k & 2, arena);
        }
    }
    tn_arena_destroy(arena);
}

// Rows of equal length and colour stand as asked for.
static void check_order(const tn_blocks *A, const tn_ordering *o, const int *rank)
{
    for (int lane = 1; lane < TN_SELL_LANES * o->n_large; lane++) {
        int row = o->row[lane], last = o->row[lane - 1];
        bool new_colour = false;
        for (int c = 0; c < o->n_colours; c++) {
            new_colour = new_colour || lane == TN_SELL_LANES * o->colour_start[c];
        }
        if (row >= 0 && last >= 0 && !new_colour &&
            A->start[row + 1] - A->start[row] == A->start[last + 1] - A->start[last]) {
            assert_true(rank[last] < rank[row]);
        }
    }
}

static void rows_stand_in_the_order_that_is_asked_for(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 7; s++) { // up to 300 rows: one window
        tn_arena_reset(arena);
        int n = size_of(s);
        tn_blocks *A = random_blocks(n, 5, (uint64_t)(2 * s), arena);
        int *near = TN_PUSH(arena, int, n), *rank = TN_PUSH(arena, int, n);
        for (int k = 0; k < n; k++) {
            near[k] = n - 1 - k;
            rank[near[k]] = k;
        }
        tn_layout *layout = layout_of(A, near, arena);
        check_ordering(A, layout, &layout->coloured, arena);
        check_colours(A, &layout->coloured, arena);
        check_order(A, &layout->coloured, rank);
    }
    tn_arena_destroy(arena);
}

static void orderings_are_what_they_say(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < PATTERNS; s++) {
        tn_arena_reset(arena);
        tn_blocks *A = random_blocks(size_of(s), 1 + s % 9, (uint64_t)s, arena);
        tn_layout *layout = layout_of(A, NULL, arena);
        check_ordering(A, layout, &layout->plain, arena);
        check_ordering(A, layout, &layout->coloured, arena);
        check_colours(A, &layout->coloured, arena);
        assert_int_equal(layout->plain.n_colours, 0);
    }
    tn_arena_destroy(arena);
}

// More colours than the greedy colouring counts: 70 rows that all see each other.
static void a_full_pattern_gets_a_colour_a_row(void **state)
{
    enum { N = 70 };
    tn_arena *arena = tn_arena_create(0);
    tn_blocks_entry *entry = TN_PUSH(arena, tn_blocks_entry, N * N);
    for (int k = 0; k < N * N; k++) {
        entry[k] = (tn_blocks_entry){.row = k / N, .column = k % N, .value = {1.0}};
    }
    tn_blocks *A = tn_blocks_from_entries(N, N, N * N, entry, arena);
    tn_layout *layout = layout_of(A, NULL, arena);
    assert_int_equal(layout->coloured.n_colours, N);
    check_colours(A, &layout->coloured, arena);
    tn_arena_destroy(arena);
}

// Rows that stand alone, as many as a layout keeps a plain ordering of, and one more.
static void a_large_layout_saves_the_plain_ordering(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int n = TN_LAYOUT_PLAIN_MAX; n <= TN_LAYOUT_PLAIN_MAX + 1; n++) {
        tn_arena_reset(arena);
        tn_blocks A = {.n_rows = n, .n_cols = n};
        A.start = TN_PUSH(arena, int, n + 1);
        A.column = TN_PUSH(arena, int, n);
        for (int i = 0; i < n; i++) {
            A.start[i + 1] = i + 1;
            A.column[i] = i;
        }
        tn_layout *layout = layout_of(&A, NULL, arena);
        assert_int_equal(layout->plain.n_rows, n <= TN_LAYOUT_PLAIN_MAX ? n : 0);
        assert_int_equal(layout->coloured.n_rows, n);
    }
    tn_arena_destroy(arena);
}

// Slab of 24 x 24 x 3 nodes, each coupled to its 26 neighbours: what meshes look like. Padding is wasted bandwidth.
static void a_mesh_needs_little_padding_and_few_colours(void **state)
{
    enum { N = 24, H = 3 };
    tn_arena *arena = tn_arena_create(0);
    tn_blocks_entry *entry = TN_PUSH(arena, tn_blocks_entry, N * N * H * 27);
    int count = 0;
    for (int i = 0; i < N * N * H; i++) {
        for (int j = 0; j < N * N * H; j++) {
            bool near = abs(i / H / N - j / H / N) < 2 && abs(i / H % N - j / H % N) < 2 && abs(i % H - j % H) < 2;
            if (near) {
                entry[count++] = (tn_blocks_entry){.row = i, .column = j};
            }
        }
    }
    tn_blocks *A = tn_blocks_from_entries(N * N * H, N * N * H, count, entry, arena);
    tn_layout *layout = layout_of(A, NULL, arena);
    double plain = 8.0 * layout->plain.start[layout->plain.n_slices] / count - 1.0;
    double coloured = 8.0 * layout->coloured.start[layout->coloured.n_slices] / count - 1.0;
    printf("padding: plain %.3f, coloured %.3f (limit 0.1); %d colours (8 are needed, limit 16)\n", plain, coloured,
           layout->coloured.n_colours);
    assert_true(plain < 0.1 && coloured < 0.1 && layout->coloured.n_colours <= 16);
    tn_arena_destroy(arena);
}

static void running_out_of_memory_is_reported(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = random_blocks(67, 3, 2, arena);
    tn_parts parts;
    assert_int_equal(tn_parts_find(A, arena, &parts), TN_OK);
    int failures = 0;
    for (long n = 0; n < 40; n++) {
        tn_arena *scratch = tn_arena_create(64);
        tn_layout *layout;
        tn_memory_fail_after(n);
        tn_status status = tn_layout_create(A, &parts, NULL, scratch, &layout);
        tn_memory_fail_after(-1);
        tn_arena_destroy(scratch);
        assert_true(status == TN_OK || status == TN_NO_MEMORY);
        failures += status == TN_NO_MEMORY;
    }
    printf("out of memory reported %d times\n", failures);
    assert_true(failures > 0);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_the_scalar_one),
        cmocka_unit_test(columns_hold_the_blocks),
        cmocka_unit_test(orderings_are_what_they_say),
        cmocka_unit_test(rows_stand_in_the_order_that_is_asked_for),
        cmocka_unit_test(a_full_pattern_gets_a_colour_a_row),
        cmocka_unit_test(a_large_layout_saves_the_plain_ordering),
        cmocka_unit_test(a_mesh_needs_little_padding_and_few_colours),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
