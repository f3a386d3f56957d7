// The reduced matrix: of each tree by composite inertias, beside what A has of other bodies and nodes; what springs and
// elements couple to links goes along their rates.
#include "discretize/tree_parts.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <string.h>

static const double *block_of(const tn_blocks *A, int row, int column)
{
    static const double none[9];
    const double *found = tn_blocks_find(A, row, column);
    return found ? found : none;
}

// S_i^T B S_j of a block between two links of a tree.
static void add_between(const tn_tree_step *s, int row, int column, const double B[9], const tn_tree *tree, double *to)
{
    const tn_trees *trees = s->trees;
    int n = 3 * tree->n_blocks, first = 3 * tree->block;
    for (int l = trees->link_of_block[row]; l >= 0; l = trees->link[l].parent) {
        for (int i = trees->link[l].rate; i < trees->link[l].rate + trees->link[l].n_rates; i++) {
            double left[3], pushed[3], right[3];
            tn_tree_column(s, trees->link_of_block[row], row, i, left);
            tn_mat3_tvec(pushed, B, left);
            for (int m = trees->link_of_block[column]; m >= 0; m = trees->link[m].parent) {
                for (int j = trees->link[m].rate; j < trees->link[m].rate + trees->link[m].n_rates; j++) {
                    tn_tree_column(s, trees->link_of_block[column], column, j, right);
                    to[(i - first) * n + j - first] += tn_vec3_dot(pushed, right);
                }
            }
        }
    }
}

// Blocks of A between links of the same tree; *coupled: some link shares one with what is not of its tree.
static void add_couplings(const tn_tree_problem *p, int t, bool *coupled)
{
    const tn_tree_step *s = p->step;
    const tn_trees *trees = s->trees;
    const tn_tree *tree = &trees->tree[t];
    const tn_blocks *A = p->whole->A;
    for (int l = tree->first_link; l < tree->first_link + tree->n_links; l++) {
        int block = s->model->bodies[trees->link[l].body].block;
        for (int row = block; row < block + 2; row++) {
            for (int e = A->start[row]; e < A->start[row + 1]; e++) {
                int other = trees->link_of_block[A->column[e]];
                if (other < 0 || trees->link[other].tree != t) {
                    *coupled = true;
                } else if (other != l) {
                    add_between(s, row, A->column[e], A->value + 9 * (size_t)e, tree, p->inertia[t]);
                }
            }
        }
    }
}

static bool find_inertia(tn_tree_problem *p, int t, tn_arena *arena, bool *coupled)
{
    const tn_tree_step *s = p->step;
    const tn_trees *trees = s->trees;
    const tn_tree *tree = &trees->tree[t];
    const tn_blocks *A = p->whole->A;
    int n = 3 * tree->n_blocks;
    double *to = p->inertia[t] = TN_PUSH(arena, double, (size_t)n *(size_t)n);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *composite = TN_PUSH_RAW(arena, double, 36 * (size_t)tree->n_links);
    if (!to || !composite) {
        return false;
    }
    for (int i = 0; i < tree->n_links; i++) {
        int l = tree->first_link + i, block = s->model->bodies[trees->link[l].body].block;
        tn_tree_link_inertia(s, l, block_of(A, block, block), block_of(A, block, block + 1),
                             block_of(A, block + 1, block + 1), composite + 36 * (size_t)i);
    }
    for (int i = tree->n_links - 1; i >= 0; i--) { // children before parents
        const double *sum = composite + 36 * (size_t)i;
        int parent = trees->link[tree->first_link + i].parent;
        tn_tree_add_composite(s, tree->first_link + i, sum, to);
        if (parent >= 0) {
            double *whole = composite + 36 * (size_t)(parent - tree->first_link);
            for (int k = 0; k < 36; k++) {
                whole[k] += sum[k];
            }
        }
    }
    for (int k = tree->n_rates; k < n; k++) { // what fills the last block
        to[k * n + k] = tree->n_rates > 0 ? to[(tree->n_rates - 1) * (n + 1)] : 1.0;
    }
    tn_arena_release(arena, mark);
    add_couplings(p, t, coupled);
    return true;
}

// Rows of coordinates' inertia.
static void add_own(tn_tree_problem *p)
{
    for (int r = 0; r < p->n_own; r++) {
        const tn_tree *tree = &p->step->trees->tree[p->own_tree[r]];
        int k = p->own_rate[r] - 3 * tree->block;
        p->inertia[p->own_tree[r]][k * (3 * tree->n_blocks + 1)] += p->own_weight[r];
    }
}

static void take_block(const double *dense, int n, int row, int column, double out[9])
{
    const double *from = dense + (size_t)(3 * row) * (size_t)n + 3 * column;
    for (int i = 0; i < 3; i++, from += n) {
        tn_vec3_copy(out + 3 * i, from);
    }
}

// Trees that nothing of A couples to anything else: rows in their order.
static bool fill_alone(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    const tn_blocks *A = p->whole->A;
    int n = trees->n_blocks, *start = TN_PUSH(arena, int, (size_t)n + 1);
    for (int t = 0; start && t < trees->n; t++) {
        for (int i = 0; i < trees->tree[t].n_blocks; i++) {
            start[trees->tree[t].block + i + 1] = trees->tree[t].n_blocks;
        }
    }
    for (int i = 0; start && i < n; i++) {
        int from = trees->source[i];
        start[i + 1] = start[i] + (from >= 0 ? A->start[from + 1] - A->start[from] : start[i + 1]);
    }
    int *column = start ? TN_PUSH_RAW(arena, int, start[n]) : NULL;
    double *value = start ? TN_PUSH_RAW(arena, double, 9 * (size_t)start[n]) : NULL;
    if (!column || !value) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        int from = trees->source[i];
        for (int e = from >= 0 ? A->start[from] : 0, to = start[i]; from >= 0 && e < A->start[from + 1]; e++, to++) {
            column[to] = trees->block[A->column[e]];
            memcpy(value + 9 * (size_t)to, A->value + 9 * (size_t)e, 9 * sizeof *value);
        }
    }
    for (int t = 0; t < trees->n; t++) {
        const tn_tree *tree = &trees->tree[t];
        for (int e = 0, at = start[tree->block]; e < tree->n_blocks * tree->n_blocks; e++, at++) {
            column[at] = tree->block + e % tree->n_blocks;
            take_block(p->inertia[t], 3 * tree->n_blocks, e / tree->n_blocks, e % tree->n_blocks,
                       value + 9 * (size_t)at);
        }
    }
    p->A = (tn_blocks){.n_rows = n, .n_cols = n, .start = start, .column = column, .value = value};
    return true;
}

// S_i of a block: reduced block and 3x3; a block of no link stands for itself.
static int reduced_blocks(const tn_tree_step *s, int block, int out[TN_PART_BLOCKS], double (*S)[9])
{
    const tn_trees *trees = s->trees;
    int l = trees->link_of_block[block], n = 0;
    if (l < 0) {
        out[0] = trees->block[block];
        tn_mat3_identity(S[0]);
        return 1;
    }
    const tn_tree *tree = &trees->tree[trees->link[l].tree];
    memset(S, 0, (size_t)tree->n_blocks * sizeof *S);
    for (; n < tree->n_blocks; n++) {
        out[n] = tree->block + n;
    }
    for (int m = l; m >= 0; m = trees->link[m].parent) {
        for (int k = trees->link[m].rate; k < trees->link[m].rate + trees->link[m].n_rates; k++) {
            double column[3], *to = S[k / 3 - tree->block];
            tn_tree_column(s, l, block, k, column);
            for (int i = 0; i < 3; i++) {
                to[3 * i + k % 3] = column[i];
            }
        }
    }
    return n;
}

// A block of A that couples a link to what is not of its tree.
static void add_coupling(tn_tree_problem *p, int row, int column, const double B[9])
{
    int rows[TN_PART_BLOCKS], columns[TN_PART_BLOCKS];
    double left[TN_PART_BLOCKS][9], right[TN_PART_BLOCKS][9], turned[9], product[9];
    int n = reduced_blocks(p->step, row, rows, left), m = reduced_blocks(p->step, column, columns, right);
    for (int i = 0; i < n; i++) {
        tn_mat3_mul_tn(turned, left[i], B);
        for (int j = 0; j < m; j++) {
            double *to = tn_blocks_find(&p->A, rows[i], columns[j]);
            tn_mat3_mul(product, turned, right[j]);
            for (int k = 0; k < 9; k++) {
                to[k] += product[k];
            }
        }
    }
}

// The pattern with zeros: the model's, where A has its own.
static bool take_pattern(tn_tree_problem *p, tn_arena *arena)
{
    const tn_tree_step *s = p->step;
    bool kept = s->trees->layout && p->whole->A->column == s->model->pattern.column;
    p->A = s->trees->pattern;
    if (!kept && tn_trees_pattern(s->model, s->trees, p->whole->A, arena, &p->A) != TN_OK) {
        return false;
    }
    p->hints.layout = kept ? s->trees->layout : NULL;
    p->A.value = TN_PUSH(arena, double, 9 * (size_t)p->A.start[p->A.n_rows]);
    return p->A.value != NULL;
}

// Of trees their inertia, of the rest the blocks as they are, and what couples both.
static bool fill_coupled(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    const tn_blocks *A = p->whole->A;
    if (!take_pattern(p, arena)) {
        return false;
    }
    for (int t = 0; t < trees->n; t++) {
        const tn_tree *tree = &trees->tree[t];
        for (int e = 0; e < tree->n_blocks * tree->n_blocks; e++) {
            int i = e / tree->n_blocks, j = e % tree->n_blocks;
            take_block(p->inertia[t], 3 * tree->n_blocks, i, j,
                       tn_blocks_find(&p->A, tree->block + i, tree->block + j));
        }
    }
    for (int row = 0; row < A->n_rows; row++) {
        int l = trees->link_of_block[row], at = l < 0 ? p->A.start[trees->block[row]] : 0;
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            int m = trees->link_of_block[A->column[e]];
            if (l < 0 && m < 0) {
                for (; p->A.column[at] != trees->block[A->column[e]]; at++) { // both ascend
                }
                memcpy(p->A.value + 9 * (size_t)at, A->value + 9 * (size_t)e, 9 * sizeof *A->value);
            } else if (l < 0 || m < 0 || trees->link[l].tree != trees->link[m].tree) {
                add_coupling(p, row, A->column[e], A->value + 9 * (size_t)e);
            }
        }
    }
    return true;
}

static bool find_parts(tn_tree_problem *p, tn_arena *arena)
{
    if (p->hints.layout) {
        p->parts = p->step->trees->parts;
        return true;
    }
    return tn_trees_parts(p->step->trees, &p->A, arena, &p->parts) == TN_OK;
}

bool tn_tree_fill_matrix(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    bool coupled = false;
    p->inertia = TN_PUSH(arena, double *, trees->n);
    for (int t = 0; p->inertia && t < trees->n; t++) {
        if (!find_inertia(p, t, arena, &coupled)) {
            return false;
        }
    }
    if (p->inertia) {
        add_own(p);
    }
    return p->inertia && (coupled ? fill_coupled(p, arena) : fill_alone(p, arena)) && find_parts(p, arena);
}
