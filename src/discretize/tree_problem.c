// The reduced matrix by composite inertias, rows by their wrenches, forces of the joints from what the balance lacks.
#include "discretize/tree_problem.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 3 * TN_PART_BLOCKS };

// ---- the matrix

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
    double *composite = TN_PUSH(arena, double, 36 * (size_t)tree->n_links);
    if (!to || !composite) {
        return false;
    }
    for (int l = tree->first_link + tree->n_links - 1; l >= tree->first_link; l--) { // children before parents
        double own[36], *sum = composite + 36 * (size_t)(l - tree->first_link);
        int block = s->model->bodies[trees->link[l].body].block;
        tn_tree_link_inertia(s, l, block_of(A, block, block), block_of(A, block, block + 1),
                             block_of(A, block + 1, block + 1), own);
        for (int i = 0; i < 36; i++) {
            sum[i] += own[i];
        }
        tn_tree_add_composite(s, l, sum, to);
        int parent = trees->link[l].parent;
        for (int i = 0; parent >= 0 && i < 36; i++) {
            composite[36 * (size_t)(parent - tree->first_link) + (size_t)i] += sum[i];
        }
    }
    for (int k = tree->n_rates; k < n; k++) { // what fills the last block
        to[k * n + k] = tree->n_rates > 0 ? to[(tree->n_rates - 1) * (n + 1)] : 1.0;
    }
    tn_arena_release(arena, mark);
    add_couplings(p, t, coupled);
    return true;
}

static void take_block(const double *dense, int n, int row, int column, double out[9])
{
    for (int i = 0; i < 9; i++) {
        out[i] = dense[(3 * row + i / 3) * n + 3 * column + i % 3];
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

// One block of A that couples a link to what is not of its tree, and how many blocks of the reduced A it becomes.
typedef struct coupling {
    const tn_tree_problem *p;
    tn_blocks_entry *entry; // NULL: count
    int n;
} coupling;

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

static void add_coupling(coupling *c, int row, int column, const double B[9])
{
    int rows[TN_PART_BLOCKS], columns[TN_PART_BLOCKS];
    double left[TN_PART_BLOCKS][9], right[TN_PART_BLOCKS][9], turned[9];
    int n = reduced_blocks(c->p->step, row, rows, left), m = reduced_blocks(c->p->step, column, columns, right);
    for (int i = 0; i < n; i++) {
        tn_mat3_mul_tn(turned, left[i], B);
        for (int j = 0; j < m; j++, c->n++) {
            if (c->entry) {
                c->entry[c->n] = (tn_blocks_entry){.row = rows[i], .column = columns[j]};
                tn_mat3_mul(c->entry[c->n].value, turned, right[j]);
            }
        }
    }
}

// All blocks of the reduced A: of trees their inertia, of the rest as they are, and what couples both.
static void list_blocks(coupling *c)
{
    const tn_trees *trees = c->p->step->trees;
    const tn_blocks *A = c->p->whole->A;
    c->n = 0;
    for (int t = 0; t < trees->n; t++) {
        const tn_tree *tree = &trees->tree[t];
        for (int e = 0; e < tree->n_blocks * tree->n_blocks; e++, c->n++) {
            int i = e / tree->n_blocks, j = e % tree->n_blocks;
            if (c->entry) {
                c->entry[c->n] = (tn_blocks_entry){.row = tree->block + i, .column = tree->block + j};
                take_block(c->p->inertia[t], 3 * tree->n_blocks, i, j, c->entry[c->n].value);
            }
        }
    }
    for (int row = 0; row < A->n_rows; row++) {
        int l = trees->link_of_block[row];
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            int m = trees->link_of_block[A->column[e]];
            if (l < 0 || m < 0 || trees->link[l].tree != trees->link[m].tree) {
                add_coupling(c, row, A->column[e], A->value + 9 * (size_t)e);
            }
        }
    }
}

static bool fill_coupled(tn_tree_problem *p, tn_arena *arena)
{
    coupling c = {.p = p};
    list_blocks(&c);
    c.entry = TN_PUSH_RAW(arena, tn_blocks_entry, c.n);
    if (!c.entry) {
        return false;
    }
    list_blocks(&c);
    tn_blocks *A = tn_blocks_from_entries(p->step->trees->n_blocks, p->step->trees->n_blocks, c.n, c.entry, arena);
    if (A) {
        p->A = *A;
    }
    return A != NULL;
}

// A tree that nothing is coupled to is one dense part.
static bool find_parts(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    tn_parts found;
    if (tn_parts_find(&p->A, arena, &found) != TN_OK) {
        return false;
    }
    bool *full = TN_PUSH(arena, bool, found.n);
    for (int t = 0; full && t < trees->n; t++) {
        int part = found.of_block[trees->tree[t].block];
        full[part] = tn_part_size(&found, part) == trees->tree[t].n_blocks;
    }
    return full && tn_parts_sort(p->A.n_rows, found.n, found.of_block, full, arena, &p->parts) == TN_OK;
}

static bool fill_matrix(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    bool coupled = false;
    p->inertia = TN_PUSH(arena, double *, trees->n);
    for (int t = 0; p->inertia && t < trees->n; t++) {
        if (!find_inertia(p, t, arena, &coupled)) {
            return false;
        }
    }
    return p->inertia && (coupled ? fill_coupled(p, arena) : fill_alone(p, arena)) && find_parts(p, arena);
}

// ---- rows

// A constraint's entries on trees, gathered: rates of each tree that it acts on.
typedef struct gather {
    const tn_tree_step *step;
    int width;             // rows of the constraint, 3 or 1
    double *rate;          // (3 trees->n_blocks, width), zero between constraints
    unsigned *used;        // (trees->n) blocks of each tree that have entries, likewise
    int n_trees, *touched; // (trees->n) trees
    int only;              // link whose own rates alone count; -1: all on the way to the base
    double moved, most;    // sum of squares of the first row's entries, and what it would be if none cancelled
} gather;

// Rows that the joints of a tree fulfil by themselves: their entries cancel but for rounding.
static const double NOTHING = 1e-20;

static void add_link(gather *g, int l, int block, const double *entry)
{
    const tn_trees *trees = g->step->trees;
    int t = trees->link[l].tree;
    const tn_tree *tree = &trees->tree[t];
    tn_spatial wrench[3];
    for (int i = 0; i < g->width; i++) {
        tn_tree_wrench(g->step, l, block, entry + 3 * i, wrench[i]);
    }
    if (g->used[t] == 0) {
        g->touched[g->n_trees++] = t;
    }
    for (int m = l; m >= 0; m = trees->link[m].parent) {
        for (int k = trees->link[m].rate; k < trees->link[m].rate + trees->link[m].n_rates; k++) {
            g->used[t] |= 1U << (k / 3 - tree->block);
            for (int i = 0; i < g->width; i++) {
                g->rate[g->width * k + i] += tn_spatial_dot(g->step->twist[k], wrench[i]);
            }
            g->most += tn_spatial_dot(g->step->twist[k], g->step->twist[k]) * tn_spatial_dot(wrench[0], wrench[0]);
        }
        if (m == g->only) {
            return;
        }
    }
}

// The next entry: `width` rows of three numbers.
static void put(tn_rows *to, int *at, double **jacobian, int block, int width, const double *entry)
{
    ((int *)to->block)[(*at)++] = block;
    memcpy(*jacobian, entry, 3 * (size_t)width * sizeof **jacobian);
    *jacobian += 3 * width;
}

static void put_trees(gather *g, tn_rows *to, int *at, double **jacobian)
{
    const tn_trees *trees = g->step->trees;
    for (int n = 0; n < g->n_trees; n++) {
        int t = g->touched[n];
        const tn_tree *tree = &trees->tree[t];
        for (int b = 0; b < tree->n_blocks; b++) {
            double entry[9], *rate = g->rate + (size_t)(3 * g->width * (tree->block + b));
            if (!(g->used[t] & 1U << b)) {
                continue;
            }
            for (int i = 0; i < g->width; i++) {
                for (int k = 0; k < 3; k++) {
                    entry[3 * i + k] = rate[g->width * k + i];
                    g->moved += i == 0 ? entry[k] * entry[k] : 0.0;
                }
            }
            put(to, at, jacobian, tree->block + b, g->width, entry);
            memset(rate, 0, 3 * (size_t)g->width * sizeof *rate);
        }
        g->used[t] = 0;
    }
    g->n_trees = 0;
}

// Constraint i of the whole rows. False: nothing moves along it, of a contact along its normal.
static bool reduce_row(gather *g, const tn_rows *whole, int i, tn_rows *to, int *at, double **jacobian)
{
    const tn_trees *trees = g->step->trees;
    int n = whole->n_triples;
    size_t first = n > 0 ? (size_t)whole->start[n] : 0;
    g->moved = g->most = 0.0;
    for (int e = whole->start[i]; e < whole->start[i + 1]; e++) {
        size_t place = i < n ? 9 * (size_t)e : 9 * first + 3 * ((size_t)e - first);
        int block = whole->block[e], l = trees->link_of_block[block];
        if (l < 0) {
            g->moved = INFINITY;
            put(to, at, jacobian, trees->block[block], g->width, whole->jacobian + place);
        } else if (g->only < 0 || l == g->only) {
            add_link(g, l, block, whole->jacobian + place);
        }
    }
    put_trees(g, to, at, jacobian);
    return g->moved > NOTHING * g->most;
}

// The link that hangs from a joint; -1: it is none of a tree's.
static int link_of_joint(const tn_tree_step *s, int j)
{
    const tn_model_joint *joint = &s->model->joints[j];
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? joint->body_a : joint->body_b;
        int l = body >= 0 && body < s->model->n_bodies ? s->trees->link_of[body] : -1;
        if (l >= 0 && s->trees->link[l].joint == j) {
            return l;
        }
    }
    return -1;
}

// Where the holds of trees' joints are; link (n_singles): of other rows of such a joint its link, of holds HELD, else
// -1.
enum { HELD = -2 };
static bool find_holds(tn_tree_problem *p, const tn_joint_step *joints, tn_arena *arena, int **link)
{
    const tn_model *model = p->step->model;
    int n = p->whole->rows->n_singles;
    p->row_of_joint = TN_PUSH_RAW(arena, int, model->n_joints);
    *link = TN_PUSH_RAW(arena, int, n);
    if (!p->row_of_joint || !*link) {
        return false;
    }
    memset(p->row_of_joint, -1, (size_t)model->n_joints * sizeof *p->row_of_joint);
    for (int i = 0; i < n; i++) {
        const tn_model_joint_row *row = i < joints->rows.n_singles ? &model->joint_rows[joints->source[i]] : NULL;
        int l = row ? link_of_joint(p->step, row->joint) : -1;
        (*link)[i] = l;
        if (l >= 0 && row->role == TN_ROLE_HOLD) {
            p->row_of_joint[row->joint] = p->row_of_joint[row->joint] < 0 ? i : p->row_of_joint[row->joint];
            (*link)[i] = HELD;
        }
    }
    return true;
}

// Room for the entries of constraints: at most all blocks of each tree that one touches.
static size_t count_entries(const tn_tree_problem *p, int from, int to)
{
    const tn_trees *trees = p->step->trees;
    const tn_rows *whole = p->whole->rows;
    size_t n = 0;
    for (int e = whole->start[from]; e < whole->start[to]; e++) {
        int l = trees->link_of_block[whole->block[e]];
        n += l < 0 ? 1 : (size_t)trees->tree[trees->link[l].tree].n_blocks;
    }
    return n;
}

// Entries of the constraints that stay: all that something moves along, but holds of trees' joints.
static bool fill_entries(tn_tree_problem *p, const int *link, tn_arena *arena, tn_rows *to)
{
    const tn_trees *trees = p->step->trees;
    const tn_rows *whole = p->whole->rows;
    int n = whole->n_triples, n_all = n + whole->n_singles, at = 0;
    int contacts = n - whole->n_frictions, *number = TN_PUSH_RAW(arena, int, n);
    size_t triples = n > 0 ? count_entries(p, 0, n) : 0, singles = n_all > n ? count_entries(p, n, n_all) : 0;
    int *start = TN_PUSH(arena, int, (size_t)n_all + 1), *block = TN_PUSH_RAW(arena, int, triples + singles);
    double *jacobian = TN_PUSH_RAW(arena, double, 9 * triples + 3 * singles), *next = jacobian;
    gather g = {.step = p->step,
                .rate = TN_PUSH(arena, double, 9 * (size_t)trees->n_blocks),
                .used = TN_PUSH(arena, unsigned, trees->n),
                .touched = TN_PUSH(arena, int, trees->n)};
    p->triple = TN_PUSH_RAW(arena, int, n);
    p->single = TN_PUSH_RAW(arena, int, n_all - n);
    if (!number || !start || !block || !jacobian || !g.rate || !g.used || !g.touched || !p->triple || !p->single) {
        return false;
    }
    *to = (tn_rows){.start = start, .block = block, .jacobian = jacobian};
    for (int i = 0; i < n_all; i++) {
        double *before = next;
        int kept = to->n_triples + to->n_singles, by = i >= contacts && i < n ? whole->pressed_by[i - contacts] : -1;
        g.width = i < n ? 3 : 1;
        g.only = i < n ? -1 : link[i - n];
        bool stays = g.only != HELD && (by < 0 || number[by] >= 0);
        stays = stays && (reduce_row(&g, whole, i, to, &at, &next) || (i >= contacts && i < n && by < 0));
        if (i < n) {
            number[i] = stays ? to->n_triples : -1;
        }
        if (!stays) {
            at = start[kept];
            next = before;
        } else if (i < n) {
            p->triple[to->n_triples++] = i;
        } else {
            p->single[to->n_singles++] = i - n;
        }
        start[kept + stays] = at;
    }
    return true;
}

// What prescribed motion c adds to the rows' velocities.
static void add_given(const tn_tree_problem *p, const double *c, double *offset)
{
    const tn_rows *whole = p->whole->rows;
    for (int m = 0; m < p->rows.n_triples; m++) {
        for (int e = whole->start[p->triple[m]]; e < whole->start[p->triple[m] + 1]; e++) {
            tn_mat3_add_vec(offset + 3 * (size_t)m, whole->jacobian + 9 * (size_t)e, c + 3 * (size_t)whole->block[e]);
        }
    }
    for (int i = 0; i < p->rows.n_singles; i++) {
        offset[3 * (size_t)p->rows.n_triples + (size_t)i] = tn_single_velocity(whole, p->single[i], c);
    }
}

static bool fill_rows(tn_tree_problem *p, const tn_joint_step *joints, tn_arena *arena)
{
    tn_rows entries;
    int *link;
    if (!find_holds(p, joints, arena, &link) || !fill_entries(p, link, arena, &entries) ||
        !tn_rows_choose(p->whole->rows, entries.n_triples, p->triple, entries.n_singles, p->single, arena, &p->rows)) {
        return false;
    }
    p->rows.start = entries.start;
    p->rows.block = entries.block;
    p->rows.jacobian = entries.jacobian;
    return true;
}

static double *take(const tn_tree_problem *p, const double *from, tn_arena *arena)
{
    return tn_rows_gather(p->whole->rows, from, p->rows.n_triples, p->triple, p->rows.n_singles, p->single, arena);
}

// A constraint's number in the whole problem.
static int number_of(const tn_tree_problem *p, int i)
{
    int n = p->rows.n_triples;
    return i < n ? p->triple[i] : p->whole->rows->n_triples + p->single[i - n];
}

// ---- the problem

// What b counts for in the scales of an island: of a tree the largest of its bodies, whose forces along rates would add
// up.
static bool weigh(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    double *weight = TN_PUSH(arena, double, trees->n_blocks);
    for (int row = 0; weight && row < p->whole->A->n_rows; row++) {
        int l = trees->link_of_block[row], to = l < 0 ? trees->block[row] : trees->tree[trees->link[l].tree].block;
        for (int i = 0; i < 3; i++) {
            weight[to] = fmax(weight[to], fabs(p->whole->b[3 * (size_t)row + (size_t)i]));
        }
    }
    for (int t = 0; weight && t < trees->n; t++) {
        for (int i = 1; i < trees->tree[t].n_blocks; i++) {
            weight[trees->tree[t].block + i] = weight[trees->tree[t].block];
        }
    }
    p->hints.weight = weight;
    return weight != NULL;
}

static bool fill_vectors(tn_tree_problem *p, const tn_solution *start, tn_arena *arena)
{
    const tn_tree_step *s = p->step;
    size_t n = 3 * (size_t)s->model->n_blocks, m = 3 * (size_t)s->trees->n_blocks;
    double *b = TN_PUSH_RAW(arena, double, m), *start_v = TN_PUSH_RAW(arena, double, m);
    double *left = TN_PUSH_RAW(arena, double, n), *c = TN_PUSH(arena, double, n);
    p->solution.v = TN_PUSH_RAW(arena, double, m);
    if (!b || !start_v || !left || !c || !p->solution.v) {
        return false;
    }
    memcpy(left, p->whole->b, n * sizeof *left);
    if (s->any_given) {
        memset(b, 0, m * sizeof *b);
        tn_tree_velocity(s, b, c);
        tn_blocks_mul(p->whole->A, c, left);
        for (size_t i = 0; i < n; i++) {
            left[i] = p->whole->b[i] - left[i];
        }
        add_given(p, c, (double *)p->rows.offset);
    }
    tn_tree_project(s, left, b);
    tn_tree_rates(s, start->v, p->solution.v);
    p->problem.b = b;
    p->problem.start_v = NULL;
    if (p->whole->start_v) {
        tn_tree_rates(s, p->whole->start_v, start_v);
        p->problem.start_v = start_v;
    }
    p->solution.lambda = take(p, start->lambda, arena);
    p->problem.start_force = take(p, p->whole->start_force, arena);
    return p->solution.lambda && (p->problem.start_force || !p->whole->start_force);
}

// Constraints are judged as the whole problem's are.
static bool judge(tn_tree_problem *p, tn_arena *arena)
{
    const tn_rows *whole = p->whole->rows;
    int n = p->rows.n_triples, n_all = n + p->rows.n_singles;
    double *rho = TN_PUSH_RAW(arena, double, n_all), *singles = TN_PUSH_RAW(arena, double, whole->n_singles);
    if (!rho || !singles) {
        return false;
    }
    tn_singles_mass(whole, p->whole->A, singles);
    for (int i = 0; i < n_all; i++) {
        rho[i] = i < n ? tn_check_rho(p->whole, p->triple[i]) : singles[p->single[i - n]];
    }
    p->hints.rho = rho;
    return true;
}

static bool fill_aims(tn_tree_problem *p, const tn_aims *aims, tn_arena *arena)
{
    if (!aims) {
        return true;
    }
    int n_all = p->rows.n_triples + p->rows.n_singles;
    p->aims = (tn_aims){
        .free = aims->free, .due = TN_PUSH_RAW(arena, bool, n_all), .part = TN_PUSH_RAW(arena, double, n_all)};
    for (int i = 0; p->aims.due && p->aims.part && i < n_all; i++) {
        p->aims.due[i] = aims->due[number_of(p, i)];
        p->aims.part[i] = aims->part[number_of(p, i)];
    }
    return p->aims.due && p->aims.part;
}

tn_status tn_tree_problem_create(const tn_tree_step *step, const tn_problem *whole, const tn_joint_step *joints,
                                 const tn_solution *start, const tn_aims *aims, tn_arena *arena, tn_tree_problem *out)
{
    *out = (tn_tree_problem){.step = step, .whole = whole, .whole_aims = (tn_aims *)aims, .problem = *whole};
    if (!fill_matrix(out, arena) || !fill_rows(out, joints, arena) || !fill_vectors(out, start, arena) ||
        !weigh(out, arena) || !judge(out, arena) || !fill_aims(out, aims, arena)) {
        return TN_NO_MEMORY;
    }
    out->hints.parts = &out->parts;
    out->problem.A = &out->A;
    out->problem.rows = &out->rows;
    out->problem.hints = &out->hints;
    return TN_OK;
}

// ---- back

// The factors by which six columns add up to y, in its place: Gauss with the largest pivots.
static void solve_columns(double columns[6][6], double y[6])
{
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++) {
            best = fabs(columns[k][i]) > fabs(columns[k][best]) ? i : best;
        }
        for (int j = k; j < 6; j++) {
            double swapped = columns[j][k];
            columns[j][k] = columns[j][best];
            columns[j][best] = swapped;
        }
        double swapped = y[k];
        y[k] = y[best];
        y[best] = swapped;
        for (int i = k + 1; i < 6; i++) {
            double factor = columns[k][i] / columns[k][k];
            for (int j = k + 1; j < 6; j++) {
                columns[j][i] -= factor * columns[j][k];
            }
            y[i] -= factor * y[k];
        }
    }
    for (int k = 5; k >= 0; k--) {
        for (int j = k + 1; j < 6; j++) {
            y[k] -= columns[j][k] * y[j];
        }
        y[k] /= columns[k][k];
    }
}

// The holds of a link's joint bear what its body lacks; what they push the other body with is lacking there.
static void bear(const tn_tree_problem *p, int l, double *lacking, double *lambda)
{
    const tn_tree_step *s = p->step;
    const tn_tree_link *link = &s->trees->link[l];
    const tn_rows singles = tn_rows_singles(p->whole->rows);
    int first = p->row_of_joint[link->joint], n_holds = 6 - link->n_rates;
    int block = s->model->bodies[link->body].block;
    double columns[6][6] = {{0.0}}, y[6];
    memcpy(y, lacking + 3 * (size_t)block, sizeof y);
    for (int i = 0; i < n_holds; i++) {
        for (int e = singles.start[first + i]; e < singles.start[first + i + 1]; e++) {
            int at = singles.block[e] - block;
            if (at == 0 || at == 1) {
                tn_vec3_copy(columns[i] + 3 * at, singles.jacobian + 3 * (size_t)e);
            }
        }
    }
    for (int k = 0; k < link->n_rates; k++) { // no force there: what the holds cannot bear is rounding
        tn_tree_column(s, l, block, link->rate + k, columns[n_holds + k]);
        tn_tree_column(s, l, block + 1, link->rate + k, columns[n_holds + k] + 3);
    }
    solve_columns(columns, y);
    double *f = lambda + 3 * (size_t)p->whole->rows->n_triples;
    for (int i = 0; i < n_holds; i++) {
        f[first + i] = y[i];
        tn_single_push(p->whole->rows, first + i, -y[i], lacking);
    }
}

tn_status tn_tree_hold_forces(const tn_tree_problem *p, const double *v, tn_arena *arena, double *lambda)
{
    const tn_tree_step *s = p->step;
    const tn_rows *rows = p->whole->rows;
    size_t n = 3 * (size_t)s->model->n_blocks;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *lacking = TN_PUSH_RAW(arena, double, n), *pushed = TN_PUSH(arena, double, n);
    if (!lacking || !pushed) {
        return TN_NO_MEMORY;
    }
    for (int l = 0; l < s->trees->n_links; l++) {
        const tn_tree_link *link = &s->trees->link[l];
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            memset(lambda + 3 * (size_t)rows->n_triples + p->row_of_joint[link->joint], 0,
                   (size_t)(6 - link->n_rates) * sizeof *lambda);
        }
    }
    tn_blocks_mul(p->whole->A, v, lacking);
    tn_problem_add_contact_force(p->whole, lambda, pushed);
    if (rows->n_singles > 0) {
        tn_singles_add_force(rows, tn_single_forces(rows, lambda), pushed);
    }
    for (size_t i = 0; i < n; i++) {
        lacking[i] -= p->whole->b[i] + pushed[i];
    }
    for (int l = s->trees->n_links - 1; l >= 0; l--) { // children before parents
        const tn_tree_link *link = &s->trees->link[l];
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            bear(p, l, lacking, lambda);
        }
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}

tn_status tn_tree_problem_finish(tn_tree_problem *p, tn_arena *arena, tn_solution *out)
{
    const double *lambda = p->solution.lambda;
    int n = p->rows.n_triples, n_all = n + p->rows.n_singles;
    size_t before = 3 * (size_t)p->whole->rows->n_triples;
    tn_tree_velocity(p->step, p->solution.v, out->v);
    memset(out->lambda, 0, tn_row_count(p->whole->rows) * sizeof *lambda);
    for (int i = 0; i < n; i++) {
        tn_vec3_copy(out->lambda + 3 * (size_t)p->triple[i], lambda + 3 * (size_t)i);
    }
    for (int i = 0; i < p->rows.n_singles; i++) {
        out->lambda[before + (size_t)p->single[i]] = lambda[3 * (size_t)n + (size_t)i];
    }
    for (int i = 0; p->whole_aims && i < n_all; i++) {
        p->whole_aims->due[number_of(p, i)] = p->aims.due[i];
        p->whole_aims->part[number_of(p, i)] = p->aims.part[i];
    }
    return tn_tree_hold_forces(p, out->v, arena, out->lambda);
}
