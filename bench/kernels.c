// Block product against this machine's read bandwidth, measured in the same run.
#include "bandwidth.h"
#include "bench.h"

#include "base/arena.h"
#include "base/random.h"
#include "base/timer.h"
#include "kernels/block_product.h"
#include "math/blocks.h"

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
    tn_arena *arena = tn_arena_create("bench", (size_t)n * 13 * 300);
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

int bench_kernels(const bench_options *options, table *t)
{
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
    return 0;
}
