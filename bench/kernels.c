// Products of a sparse matrix of blocks, and cond's fused iteration, against this machine's read bandwidth, measured in
// the same run.
#include "bandwidth.h"
#include "bench.h"

#include "base/arena.h"
#include "base/random.h"
#include "base/timer.h"
#include "kernels/block_product.h"
#include "kernels/fpi.h"
#include "math/blocks.h"

#include <math.h>
#include <stdlib.h>

// A banded SPD block matrix as a stand-in for a tetrahedral mesh: 13 blocks a row.
static tn_blocks *banded(int n, tn_arena *arena)
{
    enum { REACH = 6 };
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, (size_t)n * (2 * REACH + 1));
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i - REACH; j <= i + REACH; j++) {
            if (j < 0 || j >= n) {
                continue;
            }
            tn_blocks_entry *e = &entries[count++];
            e->row = i;
            e->column = j;
            for (int k = 0; k < 9; k++) {
                e->value[k] =
                    (i == j) * (k % 4 == 0) * 40.0 + tn_random_uniform(1, (uint64_t)(i + j), (uint64_t)k) - 0.5;
            }
        }
    }
    return tn_blocks_from_entries(n, n, count, entries, arena);
}

static void product_row(table *t, int n, int n_threads, int repeats)
{
    tn_arena *arena = tn_arena_create((size_t)n * 13 * 300);
    tn_blocks *A = arena ? banded(n, arena) : NULL;
    double *x = A ? TN_PUSH(arena, double, 3 * n) : NULL, *y = x ? TN_PUSH(arena, double, 3 * n) : NULL;
    double *seconds = malloc((size_t)repeats * sizeof *seconds);
    if (!y || !seconds) {
        fprintf(stderr, "tenon-bench: out of memory\n");
        exit(1);
    }
    for (int i = 0; i < 3 * n; i++) {
        x[i] = tn_random_uniform(2, 0, (uint64_t)i);
    }
    for (int r = -2; r < repeats; r++) {
        double start = tn_timer_now();
        tn_block_product(A, x, y, n_threads);
        if (r >= 0) {
            seconds[r] = tn_timer_now() - start;
        }
    }
    double median = bench_median(repeats, seconds);
    double bytes = (double)A->start[n] * (9 * 8 + 4) + 6.0 * n * 8;
    table_word(t, "%d block rows, %d thread%s", n, n_threads, n_threads > 1 ? "s" : "");
    table_number(t, "%.2f", bytes * 1e-6);
    table_number(t, "%.1f", median * 1e6);
    table_number(t, "%.1f", bytes * 1e-9 / median);
    table_number(t, "%.1f", bandwidth_read(A->value, (size_t)A->start[n] * 9, 20));
    table_row(t);
    free(seconds);
    tn_arena_destroy(arena);
}

// The matrix in the sliced format with a contact on every other row, as the bottom of a mat has.
typedef struct sliced {
    tn_sell sell;
    tn_fpi fpi;
    double *x, *previous, *out; // packed
} sliced;

static bool slice(const tn_blocks *A, bool single, tn_arena *arena, sliced *s)
{
    tn_parts *parts = TN_PUSH(arena, tn_parts, 1);
    tn_layout *layout;
    if (!parts || tn_parts_find(A, arena, parts) != TN_OK ||
        tn_layout_create(A, parts, NULL, arena, &layout) != TN_OK) {
        return false;
    }
    const tn_ordering *order = &layout->plain;
    size_t n = (size_t)tn_sell_packed_size(order);
    double *squares = TN_PUSH(arena, double, n), *b = TN_PUSH(arena, double, 3 * A->n_rows);
    s->x = TN_PUSH(arena, double, n);
    s->previous = TN_PUSH(arena, double, n);
    s->out = TN_PUSH(arena, double, n);
    if (!squares || !b || !s->x || !s->previous || !s->out || tn_sell_create(order, single, arena, &s->sell) != TN_OK ||
        tn_fpi_create(&s->sell, order->n_slices, A->n_rows, TN_LAW_COULOMB, arena, &s->fpi) != TN_OK) {
        return false;
    }
    tn_sell_fill(&s->sell, A, squares, 1);
    for (int i = 0; i < 3 * A->n_rows; i++) {
        b[i] = tn_random_uniform(2, 1, (uint64_t)i) - 0.5;
    }
    tn_fpi_set_b(&s->fpi, b);
    tn_fpi_set_frobenius_w(&s->fpi, squares);
    const double up[3] = {0.0, 0.0, 1.0}, still[3] = {0.0, 0.0, 0.0};
    for (int row = 0; row < A->n_rows; row += 2) {
        tn_fpi_add_contact(&s->fpi, order->lane[row], up, still, 0.3);
    }
    tn_sell_pack(order, b, s->x);
    return true;
}

// Fastest product (or fused iteration) of some, by `threads` threads, or by one with a named instruction set [s];
// infinite where the processor lacks it.
static double fastest(sliced *s, bool fused, const char *kind, int threads, int repeats)
{
    const tn_fpi_step step = {.alpha = 1.0, .nu = 1.5, .relaxation = 1.0};
    tn_fpi_sums sums;
    double best = INFINITY;
    for (int r = 0; r < repeats; r++) {
        double start = tn_timer_now();
        bool done = true;
        if (fused && kind) {
            done = tn_fpi_pass_with(kind, &s->fpi, &step, s->x, s->previous, s->out, &sums);
        } else if (fused) {
            tn_fpi_pass(&s->fpi, &step, s->x, s->previous, s->out, threads, &sums);
        } else if (kind) {
            done = tn_sell_product_with(kind, &s->sell, s->x, s->out);
        } else {
            tn_sell_product(&s->sell, s->x, s->out, threads);
        }
        double seconds = tn_timer_now() - start;
        best = done && seconds < best ? seconds : best;
    }
    return best;
}

static void sliced_row(table *t, sliced *s, const char *kind, int threads, int repeats)
{
    double n_columns = s->sell.order->start[s->sell.order->n_slices], n_rows = 8.0 * s->sell.order->n_slices;
    double bytes = n_columns * (72 * (s->sell.single ? 4 : 8) + 32) + n_rows * 64;
    double product = fastest(s, false, kind, threads, repeats), fused = fastest(s, true, kind, threads, repeats);
    if (!(product < INFINITY)) {
        return;
    }
    const void *values = s->sell.single ? (const void *)s->sell.single : s->sell.value;
    table_word(t, "%d rows, %s", s->sell.order->n_rows, s->sell.single ? "single" : "double");
    table_word(t, "%s", kind ? kind : tn_sell_kind());
    table_number(t, "%.0f", threads);
    table_number(t, "%.2f", bytes * 1e-6);
    table_number(t, "%.1f", product * 1e6);
    table_number(t, "%.1f", bytes * 1e-9 / product);
    table_number(t, "%.1f", bandwidth_read(values, (size_t)n_columns * (s->sell.single ? 36 : 72), 20));
    table_number(t, "%.1f", fused * 1e6);
    table_number(t, "%.2f", fused / product);
    table_row(t);
}

static void sliced_rows(table *t, int n, bool single)
{
    static const char *const kinds[] = {"avx512", "avx2", "baseline"};
    tn_arena *arena = tn_arena_create((size_t)n * 13 * 500);
    tn_blocks *A = arena ? banded(n, arena) : NULL;
    sliced s = {0};
    if (!A || !slice(A, single, arena, &s)) {
        fprintf(stderr, "tenon-bench: out of memory\n");
        exit(1);
    }
    int repeats = n > 20000 ? 10 : 200;
    for (int k = 0; k < 3; k++) {
        sliced_row(t, &s, kinds[k], 1, repeats);
    }
    sliced_row(t, &s, NULL, 2, repeats);
    tn_arena_destroy(arena);
}

static void sliced_table(const bench_options *options, table *t)
{
    const char *heads[] = {"sliced, 13 blocks a row", "vectors",      "threads",  "MB", "product us", "GB/s",
                           "plain read GB/s",         "iteration us", "/ product"};
    table_open(t, "kernels: sliced product and cond's fused iteration, every other row in contact", 9, heads);
    const int sizes[3] = {1500, 15000, TN_LAYOUT_PLAIN_MAX}; // larger ones have no plain order
    for (int i = 0; i < (options->quick ? 2 : 3); i++) {
        sliced_rows(t, sizes[i], false);
        sliced_rows(t, sizes[i], true);
    }
    table_note(t,
               "fastest of many; the iteration on single values multiplies in single precision, the product does not");
    table_close(t);
}

int bench_kernels(const bench_options *options, table *t)
{
    if (!bench_knows(options, "kernels", 0, NULL)) {
        return BENCH_UNKNOWN;
    }
    const char *heads[] = {"y = A x, 13 blocks a row", "MB", "us (median)", "GB/s", "plain read GB/s"};
    char title[64];
    snprintf(title, sizeof title, "kernels: 3x3-block sparse product (%s)", tn_block_product_kind());
    table_open(t, title, 5, heads);
    const int sizes[3] = {1500, 15000, 150000};
    for (int i = 0; i < (options->quick ? 2 : 3); i++) {
        for (int threads = 1; threads <= 2; threads++) {
            product_row(t, sizes[i], threads, sizes[i] > 20000 ? 20 : 200);
        }
    }
    table_close(t);
    sliced_table(options, t);
    return 0;
}
