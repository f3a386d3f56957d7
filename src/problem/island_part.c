// An island as a problem: its rows of A and of the constraints gathered in their order, blocks numbered anew.
#include "math/sums.h"
#include "problem/islands.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// What b is where nothing moves or pulls: the weight of the heaviest.
static double heaviest(const tn_blocks *A)
{
    double most = 0.0;
    for (int i = 0; i < A->n_rows; i++) {
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            most = A->column[e] == i ? fmax(most, A->value[9 * (size_t)e]) : most;
        }
    }
    return most;
}

void tn_island_set_scales(tn_problem *p)
{
    size_t n = 3 * (size_t)p->A->n_rows;
    if (!p->start_v) {
        return;
    }
    bool weighed = p->hints && p->hints->weight;
    double force = weighed ? tn_largest((size_t)p->A->n_rows, p->hints->weight) : tn_largest(n, p->b);
    force = force > 0.0 ? force : p->change_scale * heaviest(p->A);
    p->force_scale = p->start_force ? fmax(force, tn_largest(3 * (size_t)p->rows->n_triples, p->start_force)) : force;
    p->velocity_scale = p->change_scale + tn_largest(n, p->start_v);
}

// Which of the problem's things an island has.
typedef struct part {
    const tn_problem *of;
    const int *place;           // of block rows
    const int *block;           // (n_blocks)
    const int *triple, *single; //
    int n_blocks, n_triples, n_singles;
    bool whole; // A as it is
} part;

static part part_of(const tn_problem *problem, const tn_islands *all, int k)
{
    return (part){.of = problem,
                  .place = all->place,
                  .block = all->block + all->block_start[k],
                  .triple = all->triple + all->triple_start[k],
                  .single = all->single + all->single_start[k],
                  .n_blocks = all->block_start[k + 1] - all->block_start[k],
                  .n_triples = all->triple_start[k + 1] - all->triple_start[k],
                  .n_singles = all->single_start[k + 1] - all->single_start[k],
                  .whole = k == all->whole};
}

// Three numbers of each block row; with the whole A zeros where the island has no part.
static bool gather_blocks(const part *p, const double *from, tn_arena *arena, double **out)
{
    size_t n = 3 * (size_t)(p->whole ? p->of->A->n_rows : p->n_blocks);
    double *to = from ? TN_PUSH_RAW(arena, double, n) : NULL;
    if (to && p->whole) {
        memset(to, 0, n * sizeof *to);
    }
    for (int i = 0; to && i < p->n_blocks; i++) {
        memcpy(to + 3 * (size_t)(p->whole ? p->block[i] : i), from + 3 * (size_t)p->block[i], 3 * sizeof *to);
    }
    *out = to;
    return !from || to;
}

static bool take_matrix(const part *p, tn_arena *arena, tn_blocks *out)
{
    const tn_blocks *A = p->of->A;
    if (p->whole) {
        *out = *A;
        return true;
    }
    int n = p->n_blocks, *start = TN_PUSH(arena, int, (size_t)n + 1);
    for (int i = 0; start && i < n; i++) {
        start[i + 1] = start[i] + A->start[p->block[i] + 1] - A->start[p->block[i]];
    }
    int *column = start ? TN_PUSH_RAW(arena, int, start[n]) : NULL;
    double *value = start ? TN_PUSH_RAW(arena, double, 9 * (size_t)start[n]) : NULL;
    if (!column || !value) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        int first = A->start[p->block[i]], count = start[i + 1] - start[i];
        for (int e = 0; e < count; e++) {
            column[start[i] + e] = p->place[A->column[first + e]];
        }
        memcpy(value + 9 * (size_t)start[i], A->value + 9 * (size_t)first, 9 * (size_t)count * sizeof *value);
    }
    *out = (tn_blocks){.n_rows = n, .n_cols = n, .start = start, .column = column, .value = value};
    return true;
}

// Jacobians: of the triples, then of the singles.
static bool take_entries(const part *p, tn_arena *arena, tn_rows *out)
{
    const tn_rows *rows = p->of->rows, singles = tn_rows_singles(rows);
    int n = p->n_triples, n_all = n + p->n_singles, *start = TN_PUSH_RAW(arena, int, (size_t)n_all + 1);
    if (!start) {
        return false;
    }
    start[0] = 0;
    for (int i = 0; i < n_all; i++) {
        int from = i < n ? p->triple[i] : rows->n_triples + p->single[i - n];
        start[i + 1] = start[i] + rows->start[from + 1] - rows->start[from];
    }
    int *block = TN_PUSH_RAW(arena, int, start[n_all]);
    double *jacobian = TN_PUSH_RAW(arena, double, 9 * (size_t)start[n] + 3 * (size_t)(start[n_all] - start[n]));
    if (!block || !jacobian) {
        return false;
    }
    double *to = jacobian;
    for (int i = 0; i < n_all; i++) {
        int from = i < n ? p->triple[i] : p->single[i - n], width = i < n ? 9 : 3;
        const tn_rows *of = i < n ? rows : &singles;
        size_t first = (size_t)of->start[from], count = (size_t)(of->start[from + 1] - of->start[from]);
        for (size_t e = 0; e < count; e++) {
            block[(size_t)start[i] + e] = p->place[of->block[first + e]];
        }
        memcpy(to, of->jacobian + (size_t)width * first, (size_t)width * count * sizeof *to);
        to += (size_t)width * count;
    }
    out->start = start;
    out->block = block;
    out->jacobian = jacobian;
    return true;
}

static bool take_rows(const part *p, tn_arena *arena, tn_rows *out)
{
    return tn_rows_choose(p->of->rows, p->n_triples, p->triple, p->n_singles, p->single, arena, out) &&
           take_entries(p, arena, out);
}

static bool take_vectors(const part *p, tn_arena *arena, tn_problem *out)
{
    double *b, *start_v;
    const tn_problem *of = p->of;
    if (!gather_blocks(p, of->b, arena, &b) || !gather_blocks(p, of->start_v, arena, &start_v)) {
        return false;
    }
    out->b = b;
    out->start_v = start_v;
    return true;
}

// The island's parts, in the order of all of them; of the whole A all are.
static bool take_parts(const part *p, const tn_parts *all, tn_arena *arena, tn_parts *out)
{
    if (p->whole) {
        *out = *all;
        return true;
    }
    int n = 0, *of_block = TN_PUSH_RAW(arena, int, p->n_blocks);
    bool *full = all->full ? TN_PUSH_RAW(arena, bool, p->n_blocks) : NULL;
    for (int i = 0; of_block && (full || !all->full) && i < p->n_blocks; i++) {
        int k = all->of_block[p->block[i]], first = all->blocks[all->start[k]];
        of_block[i] = first == p->block[i] ? n++ : of_block[p->place[first]];
        if (full) {
            full[of_block[i]] = all->full[k];
        }
    }
    return of_block && (full || !all->full) && tn_parts_sort(p->n_blocks, n, of_block, full, arena, out) == TN_OK;
}

static bool take_hints(const part *p, const tn_parts *parts, tn_arena *arena, tn_hints *out)
{
    const tn_hints *of = p->of->hints;
    *out = (tn_hints){.parts = parts};
    if (!of) {
        return true;
    }
    out->layout = p->whole ? of->layout : NULL;
    out->place = of->place;
    if (of->weight) {
        double *weight = TN_PUSH_RAW(arena, double, p->whole ? p->of->A->n_rows : p->n_blocks);
        for (int i = 0; weight && i < (p->whole ? p->of->A->n_rows : p->n_blocks); i++) {
            weight[i] = of->weight[p->whole ? i : p->block[i]];
        }
        out->weight = weight;
    }
    if (of->rho) {
        int n = p->n_triples;
        double *rho = TN_PUSH_RAW(arena, double, (size_t)n + (size_t)p->n_singles);
        for (int i = 0; rho && i < n + p->n_singles; i++) {
            rho[i] = of->rho[i < n ? p->triple[i] : p->of->rows->n_triples + p->single[i - n]];
        }
        out->rho = rho;
    }
    return (out->rho || !of->rho) && gather_blocks(p, of->known_v, arena, &out->known_v) &&
           gather_blocks(p, of->known_product, arena, &out->known_product) &&
           (p->whole || gather_blocks(p, of->place, arena, &out->place)) && (out->weight || !of->weight);
}

tn_status tn_island_take(const tn_problem *problem, const tn_islands *islands, int k, const tn_solution *solution,
                         tn_arena *arena, tn_island *out)
{
    part p = part_of(problem, islands, k);
    *out = (tn_island){.problem = *problem};
    if (!take_matrix(&p, arena, &out->A) || !take_rows(&p, arena, &out->rows) ||
        !take_vectors(&p, arena, &out->problem) || !take_parts(&p, islands->parts, arena, &out->parts) ||
        !take_hints(&p, &out->parts, arena, &out->hints) || !gather_blocks(&p, solution->v, arena, &out->solution.v)) {
        return TN_NO_MEMORY;
    }
    const tn_rows *rows = problem->rows;
    out->solution.lambda = tn_rows_gather(rows, solution->lambda, p.n_triples, p.triple, p.n_singles, p.single, arena);
    out->problem.start_force =
        tn_rows_gather(rows, problem->start_force, p.n_triples, p.triple, p.n_singles, p.single, arena);
    if (!out->solution.lambda || (problem->start_force && !out->problem.start_force)) {
        return TN_NO_MEMORY;
    }
    out->problem.A = &out->A;
    out->problem.rows = &out->rows;
    out->problem.hints = &out->hints;
    tn_island_set_scales(&out->problem);
    return TN_OK;
}

void tn_island_put(const tn_problem *problem, const tn_islands *islands, int k, const tn_island *island,
                   tn_solution *solution)
{
    part p = part_of(problem, islands, k);
    const double *v = island->solution.v, *lambda = island->solution.lambda;
    for (int i = 0; i < p.n_blocks; i++) {
        memcpy(solution->v + 3 * (size_t)p.block[i], v + 3 * (size_t)(p.whole ? p.block[i] : i), 3 * sizeof *v);
    }
    for (int i = 0; i < p.n_triples; i++) {
        memcpy(solution->lambda + 3 * (size_t)p.triple[i], lambda + 3 * (size_t)i, 3 * sizeof *lambda);
    }
    for (int i = 0; i < p.n_singles; i++) {
        solution->lambda[3 * problem->rows->n_triples + p.single[i]] = lambda[3 * p.n_triples + i];
    }
}
