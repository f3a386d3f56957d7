// Forces, products and blocks, by ranges of rows over the threads: every row is summed by one thread in one order.
#include "kernels/tets/parts.h"

#include "base/team.h"

#include <string.h>

enum { ROWS_A_CHUNK = 128 };

typedef struct gathering {
    const tn_tets *tets;
    const tn_tets_elastic *elastic;
    const double *in; // v, inertia
    double *out;
    int team;
} gathering;

static void add_forces(const void *context, int first, int end, int thread)
{
    const gathering *g = context;
    tn_tets_kernels()->rows->forces(g->tets, g->elastic, g->out, first, end);
}

void tn_tets_force(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, double *force)
{
    tn_team_share(tn_tets_team(tets, n_threads), tets->n_nodes, ROWS_A_CHUNK, add_forces,
                  &(gathering){.tets = tets, .elastic = elastic, .out = force});
}

// First element of a thread's range.
static int range_first(const tn_tets *tets, int thread, int n_threads)
{
    return (int)((long long)tets->n_tets * thread / n_threads);
}

static void scatter_ranges(const void *context, int first, int end, int thread)
{
    const gathering *g = context;
    for (int t = first; t < end; t++) {
        tn_tets_kernels()->rows->scatter(g->tets, g->elastic, g->in, g->out, range_first(g->tets, t, g->team),
                                         range_first(g->tets, t + 1, g->team));
    }
}

// Nodes on the seams of ranges.
static void add_seams(const void *context, int first, int end, int thread)
{
    const gathering *g = context;
    const tn_tets *tets = g->tets;
    for (int i = first; i < end; i++) {
        int start = tets->corner_start[i];
        if (start == tets->corner_start[i + 1]) {
            continue;
        }
        int t = (int)((long long)tet_of(tets->corners[start]) * g->team / tets->n_tets);
        t += range_first(tets, t + 1, g->team) <= tet_of(tets->corners[start]); // the quotient rounds down
        if (!tn_tets_all_within(tets, i, range_first(tets, t, g->team), range_first(tets, t + 1, g->team))) {
            tn_tets_kernels()->rows->product(tets, g->elastic, g->in, g->out, i);
        }
    }
}

// Each thread takes a range of elements and the nodes that are its own; the nodes on the seams are summed apart.
void tn_tets_product(const tn_tets *tets, const tn_tets_elastic *elastic, int n_threads, const double *v, double *y)
{
    int team = tn_tets_team(tets, n_threads);
    memset(y, 0, 3 * (size_t)tets->n_nodes * sizeof *y);
    if (team < 2) {
        tn_tets_kernels()->rows->scatter(tets, elastic, v, y, 0, tets->n_tets);
        return;
    }
    const gathering g = {.tets = tets, .elastic = elastic, .in = v, .out = y, .team = team};
    tn_team_share(team, team, 1, scatter_ranges, &g);
    tn_team_share(team, tets->n_nodes, ROWS_A_CHUNK, add_seams, &g);
}

void tn_tets_product_driven(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y)
{
    memset(y, 0, 3 * (size_t)tets->n_nodes * sizeof *y);
    tn_tets_kernels()->rows->scatter_listed(tets, elastic, v, y, tets->driven, tets->n_driven);
}

static void add_edges(const void *context, int first, int end, int thread)
{
    const gathering *g = context;
    tn_tets_kernels()->rows->edges(g->tets, g->elastic, g->out, first, end);
}

static void add_diagonals(const void *context, int first, int end, int thread)
{
    const gathering *g = context;
    tn_tets_kernels()->rows->diagonals(g->tets, g->elastic, g->in, g->out, first, end);
}

void tn_tets_stiffness(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia, int n_threads,
                       double *value)
{
    int team = tn_tets_team(tets, n_threads);
    const gathering g = {.tets = tets, .elastic = elastic, .in = inertia, .out = value};
    tn_team_share(team, tets->n_edges, ROWS_A_CHUNK, add_edges, &g);
    tn_team_share(team, tets->n_diagonals, ROWS_A_CHUNK, add_diagonals, &g);
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
