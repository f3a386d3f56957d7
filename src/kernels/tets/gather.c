// Forces, products and blocks, by ranges of rows over the threads: every row is summed by one thread in one order.
#include "kernels/tets/parts.h"

#include <string.h>

enum { ROWS_A_CHUNK = 128 };

static int n_chunks(int n)
{
    return (n + ROWS_A_CHUNK - 1) / ROWS_A_CHUNK;
}

static int chunk_end(int chunk, int n)
{
    return n - chunk * ROWS_A_CHUNK < ROWS_A_CHUNK ? n : (chunk + 1) * ROWS_A_CHUNK;
}

void tn_tets_force(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, double *force)
{
    const tet_rows *rows = tn_tets_kernels()->rows;
    int n = tets->n_nodes;
#pragma omp parallel for schedule(static) num_threads(tn_tets_team(tets, n_threads))
    for (int c = 0; c < n_chunks(n); c++) {
        rows->forces(tets, elastic, force, c * ROWS_A_CHUNK, chunk_end(c, n));
    }
}

// First element of a thread's range.
static int range_first(const tn_tets *tets, int thread, int n_threads)
{
    return (int)((long long)tets->n_tets * thread / n_threads);
}

// Each thread takes a range of elements and the nodes that are its own; the nodes on the seams are summed apart.
void tn_tets_product(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, const double *v, double *y)
{
    const tet_rows *rows = tn_tets_kernels()->rows;
    int team = tn_tets_team(tets, n_threads);
    memset(y, 0, 3 * (size_t)tets->n_nodes * sizeof *y);
    if (team < 2) {
        rows->scatter(tets, elastic, v, y, 0, tets->n_tets);
        return;
    }
#pragma omp parallel num_threads(team)
    {
#pragma omp for schedule(static) nowait
        for (int t = 0; t < team; t++) {
            rows->scatter(tets, elastic, v, y, range_first(tets, t, team), range_first(tets, t + 1, team));
        }
#pragma omp for schedule(static)
        for (int i = 0; i < tets->n_nodes; i++) {
            int start = tets->corner_start[i];
            if (start == tets->corner_start[i + 1]) {
                continue;
            }
            int t = (int)((long long)tet_of(tets->corners[start]) * team / tets->n_tets);
            t += range_first(tets, t + 1, team) <= tet_of(tets->corners[start]); // the quotient rounds down
            if (!tn_tets_all_within(tets, i, range_first(tets, t, team), range_first(tets, t + 1, team))) {
                rows->product(tets, elastic, v, y, i);
            }
        }
    }
}

void tn_tets_product_driven(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y)
{
    memset(y, 0, 3 * (size_t)tets->n_nodes * sizeof *y);
    tn_tets_kernels()->rows->scatter_listed(tets, elastic, v, y, tets->driven, tets->n_driven);
}

void tn_tets_stiffness(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia, int n_threads,
                       double *value)
{
    const tet_rows *rows = tn_tets_kernels()->rows;
    int n_edges = tets->n_edges, n_diagonals = tets->n_diagonals;
#pragma omp parallel num_threads(tn_tets_team(tets, n_threads))
    {
#pragma omp for schedule(static) nowait
        for (int c = 0; c < n_chunks(n_edges); c++) {
            rows->edges(tets, elastic, value, c * ROWS_A_CHUNK, chunk_end(c, n_edges));
        }
#pragma omp for schedule(static)
        for (int c = 0; c < n_chunks(n_diagonals); c++) {
            rows->diagonals(tets, elastic, inertia, value, c * ROWS_A_CHUNK, chunk_end(c, n_diagonals));
        }
    }
}

void tn_tets_tied(const tn_tets *tets, const tn_tets_elastic *elastic, double *value)
{
    const tet_rows *rows = tn_tets_kernels()->rows;
    for (int k = 0; k < tets->n_pairs; k++) {
        bool same = tets->pairs[k].node[0] == tets->pairs[k].node[1];
        tet_range range = tets->pair_range[k];
        rows->block(tets, elastic, (same ? tets->corners : tets->around) + range.first, range.end - range.first,
                    value + 9 * (size_t)k);
    }
}
