// Rows along rates: the wrench of each on the links that it acts on, by the twists of the rates from there to the base.
#include "discretize/tree_parts.h"

#include "math/blocks.h"
#include "math/vec3.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// A constraint's entries on trees, gathered: rates of each tree that it acts on.
typedef struct gather {
    const tn_tree_step *step;
    int width;             // rows of the constraint, 3 or 1
    double *rate;          // (3 trees->n_blocks, width), zero between constraints
    double *square;        // (3 trees->n_blocks) of the rates' twists
    unsigned *used;        // (trees->n) blocks of each tree that have entries, likewise
    int n_trees, *touched; // (trees->n) trees
    double moved, most;    // sum of squares of the first row's entries, and what it would be if none cancelled
} gather;

// Rows that the joints of a tree fulfil by themselves: their entries cancel but for rounding.
static const double NOTHING = 1e-20;

// The wrench of each row on a link, along the rates that move it; square: of the first row's, sum over its parts.
static void add_wrench(gather *g, int l, const tn_spatial wrench[3], double square)
{
    const tn_trees *trees = g->step->trees;
    int t = trees->link[l].tree, block = trees->tree[t].block;
    if (g->used[t] == 0) {
        g->touched[g->n_trees++] = t;
    }
    for (int m = l; m >= 0; m = trees->link[m].parent) {
        int end = trees->link[m].rate + trees->link[m].n_rates;
        for (int b = trees->link[m].rate / 3; 3 * b < end; b++) {
            g->used[t] |= 1U << (b - block);
        }
        for (int k = trees->link[m].rate; k < end; k++) {
            for (int i = 0; i < g->width; i++) {
                g->rate[g->width * k + i] += tn_spatial_dot(g->step->twist[k], wrench[i]);
            }
            g->most += g->square[k] * square;
        }
    }
}

// Entries e and, where they are of the same link, those after it; returns how many.
static int add_link(gather *g, int l, const tn_rows *whole, int e, int end, const double *entry)
{
    tn_spatial wrench[3] = {{0.0}}, part;
    double square = 0.0;
    int n = 0;
    for (; e + n < end && g->step->trees->link_of_block[whole->block[e + n]] == l; n++) {
        for (int i = 0; i < g->width; i++, entry += 3) {
            tn_tree_wrench(g->step, l, whole->block[e + n], entry, part);
            for (int k = 0; k < 6; k++) {
                wrench[i][k] += part[k];
            }
            square += i == 0 ? tn_spatial_dot(part, part) : 0.0;
        }
    }
    add_wrench(g, l, wrench, square);
    return n;
}

// The next entry: `width` rows of three numbers.
static void put(tn_rows *to, int *at, double **jacobian, int block, int width, const double *entry)
{
    ((int *)to->block)[(*at)++] = block;
    for (int i = 0; i < 3 * width; i++) {
        *(*jacobian)++ = entry[i];
    }
}

// What rates that are gone do is done by those that move them.
static void pass_on(const tn_tree_problem *p, gather *g)
{
    for (int k = 0; k < p->n_gears; k++) {
        const tn_tree_gear *gear = &p->gear[k];
        if (!gear->gone || g->used[gear->tree] == 0) {
            continue;
        }
        double factor;
        int from = gear->rate[1], to = tn_tree_mover(p, from, &factor);
        for (int i = 0; i < g->width; i++) {
            g->rate[g->width * to + i] += factor * g->rate[g->width * from + i];
            g->rate[g->width * from + i] = 0.0;
        }
        g->used[gear->tree] |= 1U << (to / 3 - p->step->trees->tree[gear->tree].block);
    }
}

static void put_trees(gather *g, tn_rows *to, int *at, double **jacobian)
{
    const tn_trees *trees = g->step->trees;
    for (int n = 0; n < g->n_trees; n++) {
        int t = g->touched[n];
        const tn_tree *tree = &trees->tree[t];
        for (int b = 0; b < tree->n_blocks; b++) {
            double *entry = *jacobian, *rate = g->rate + (size_t)(3 * g->width * (tree->block + b));
            if (!(g->used[t] & 1U << b)) {
                continue;
            }
            for (int i = 0; i < g->width; i++) {
                for (int k = 0; k < 3; k++) {
                    entry[3 * i + k] = rate[g->width * k + i];
                    rate[g->width * k + i] = 0.0;
                }
            }
            g->moved += tn_vec3_dot(entry, entry);
            ((int *)to->block)[(*at)++] = tree->block + b;
            *jacobian += 3 * (ptrdiff_t)g->width;
        }
        g->used[t] = 0;
    }
    g->n_trees = 0;
}

// Constraint i of the whole rows. False: nothing moves along it, of a contact along its normal.
static bool reduce_row(const tn_tree_problem *p, gather *g, int i, tn_rows *to, int *at, double **jacobian)
{
    const tn_rows *whole = p->whole->rows;
    const tn_trees *trees = g->step->trees;
    int n = whole->n_triples;
    size_t first = n > 0 ? (size_t)whole->start[n] : 0;
    g->moved = g->most = 0.0;
    for (int e = whole->start[i]; e < whole->start[i + 1];) {
        const double *entry = whole->jacobian + (i < n ? 9 * (size_t)e : 9 * first + 3 * ((size_t)e - first));
        int block = whole->block[e], l = trees->link_of_block[block];
        if (l < 0) {
            g->moved = INFINITY;
            put(to, at, jacobian, trees->block[block], g->width, entry);
            e++;
        } else {
            e += add_link(g, l, whole, e, whole->start[i + 1], entry);
        }
    }
    pass_on(p, g);
    put_trees(g, to, at, jacobian);
    return g->moved > NOTHING * g->most;
}

// The entries of a row along rates of trees.
static void put_along(const tn_tree_problem *p, const tn_tree_along *along, tn_rows *to, int *at, double **jacobian)
{
    static const double none[3];
    for (int i = 0, first = -1; i < along->n; i++) {
        double factor;
        int rate = tn_tree_mover(p, along->rate[i], &factor);
        if (rate / 3 != first) {
            put(to, at, jacobian, rate / 3, 1, none);
        }
        first = i == 0 ? rate / 3 : first;
        (*jacobian - 3)[rate % 3] += factor * along->factor[i];
    }
}

// A row of a coordinate's inertia, which is part of A here.
static void take_own(tn_tree_problem *p, int i, int joint, int rate, double driven)
{
    const tn_trees *trees = p->step->trees;
    p->own[p->n_own] = i;
    p->own_rate[p->n_own] = rate;
    p->own_tree[p->n_own] = trees->link[trees->link_of_joint[joint]].tree;
    p->own_weight[p->n_own] = 1.0 / tn_rows_singles(p->whole->rows).compliance[i];
    p->own_offset[p->n_own++] = tn_rows_singles(p->whole->rows).offset[i] - driven; // which is in the rate
}

static void take_heavy(tn_tree_problem *p, int i, const tn_tree_along *along)
{
    tn_tree_gear *heavy = &p->heavy[p->n_heavy++];
    *heavy = (tn_tree_gear){.single = i};
    memcpy(heavy->rate, along->rate, sizeof heavy->rate);
    memcpy(heavy->factor, along->factor, sizeof heavy->factor);
}

enum { GONE = -1 }; // n of inertia

// A row of a tree's joint, whose holds are none, and a gear between two of them, by the rates of their coordinates.
static tn_tree_along find_along(const tn_tree_step *s, const tn_model_joint_row *row)
{
    const tn_model_joint *joint = &s->model->joints[row->joint];
    int l = s->trees->link_of_joint[row->joint], rate[2];
    double factor = row->role == TN_ROLE_HIGH ? -1.0 : 1.0;
    if (l >= 0) {
        return (tn_tree_along){.n = 1, .rate = {s->trees->link[l].rate + row->index}, .factor = {factor}};
    }
    if (l < 0 && tn_trees_gear(s->model, s->trees, joint, rate)) {
        return (tn_tree_along){
            .n = 2, .rate = {rate[0], rate[1]}, .factor = {factor * joint->description->gear_factor[0], factor}};
    }
    return (tn_tree_along){.n = 0};
}

bool tn_tree_find_holds(tn_tree_problem *p, const tn_joint_step *joints, tn_arena *arena, tn_tree_along **along)
{
    const tn_model *model = p->step->model;
    int n = p->whole->rows->n_singles;
    p->own = TN_PUSH_RAW(arena, int, n);
    p->own_rate = TN_PUSH_RAW(arena, int, n);
    p->own_tree = TN_PUSH_RAW(arena, int, n);
    p->own_weight = TN_PUSH_RAW(arena, double, n);
    p->own_offset = TN_PUSH_RAW(arena, double, n);
    p->heavy = TN_PUSH_RAW(arena, tn_tree_gear, n);
    *along = TN_PUSH(arena, tn_tree_along, n);
    if (!p->heavy || !p->own || !p->own_rate || !p->own_tree || !p->own_weight || !p->own_offset || !*along) {
        return false;
    }
    for (int i = 0; i < joints->rows.n_singles; i++) {
        const tn_model_joint_row *row = &model->joint_rows[joints->source[i]];
        tn_tree_along *to = &(*along)[i];
        *to = find_along(p->step, row);
        if (to->n == 1 && row->role == TN_ROLE_ARMATURE) {
            take_own(p, i, row->joint, to->rate[0], joints->driven[i]);
            to->n = GONE;
        } else if (to->n == 2 && row->role == TN_ROLE_ARMATURE) {
            take_heavy(p, i, to);
        }
    }
    return tn_tree_find_gears(p, *along, arena);
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

// The same of singles, of which most are along rates.
static size_t count_singles(const tn_tree_problem *p, const tn_tree_along *along)
{
    const tn_rows *whole = p->whole->rows;
    size_t n = 0;
    for (int i = 0; i < whole->n_singles; i++) {
        int row = whole->n_triples + i;
        n += along[i].n == 0 ? count_entries(p, row, row + 1) : along[i].n > 0 ? (size_t)along[i].n : 0;
    }
    return n;
}

// Change of a rate in a step that is taken for possible [m/s, rad/s]: limits that it would not reach are left out.
// Where one is reached all the same everything is solved again: of 100 humanoids that fall in a heap in 118 of 240
// steps if nothing is allowed for, in 10 with 10 rad/s, in 2 with 20.
static const double LEAP = 20.0;

// Whether a row at a rate takes part with a straight law, that of where the step starts: a limit that bears nothing, or
// what gives way within its bounds. *idle: it bears nothing.
static bool is_straight(const tn_tree_problem *p, int single, bool *idle)
{
    const tn_rows *whole = p->whole->rows;
    double low = whole->lower[single], high = whole->upper[single], R = whole->compliance[single];
    *idle = false;
    if (p->all || (low == -INFINITY && high == INFINITY)) {
        return low == -INFINITY && high == INFINITY;
    }
    double y = tn_single_velocity(whole, single, p->start->v), f = p->start->lambda[3 * whole->n_triples + single];
    *idle = low == 0.0 && high == INFINITY && f == 0.0 && y > LEAP;
    return *idle || (R > 0.0 && R < INFINITY && low < f && f < high && low * R < -y && -y < high * R);
}

// A row that is g times a rate, which nothing bounds and which gives way, becomes part of the matrix. Not one so stiff
// that little would be left of the inertia's digits.
static bool fold_spring(tn_tree_problem *p, int single, int rate, double g)
{
    const double STIFFEST = 1e3;
    double R = p->whole->rows->compliance[single];
    double *own = tn_blocks_find(&p->A, rate / 3, rate / 3) + 4 * (size_t)(rate % 3);
    if (!(R > 0.0 && R < INFINITY) || g * g > STIFFEST * R * *own) {
        return false;
    }
    *own += g * g / R;
    p->spring[p->n_springs++] = single;
    return true;
}

// Whether a row along one rate needs to be one of the problem's.
static bool stays_along(tn_tree_problem *p, const tn_tree_along *along, int single)
{
    const tn_rows *whole = p->whole->rows;
    bool idle;
    double factor;
    int rate = tn_tree_mover(p, along->rate[0], &factor);
    if (!is_straight(p, single, &idle) || (!idle && !fold_spring(p, single, rate, factor * along->factor[0]))) {
        return true;
    }
    if (tn_single_is_bounded(whole, single)) {
        p->loose[p->n_loose++] = (tn_tree_loose){.single = single,
                                                 .rate = along->rate[0],
                                                 .factor = along->factor[0],
                                                 .offset = tn_rows_singles(whole).offset[single],
                                                 .idle = idle};
    }
    return false;
}

static bool is_gone(const tn_tree_problem *p, int single)
{
    bool gone = false;
    for (int g = 0; g < p->n_gears; g++) {
        gone = gone || (p->gear[g].single == single && p->gear[g].gone);
    }
    return gone;
}

// Entries of the constraints that stay: all that something moves along, but what is gone and what becomes part of the
// matrix.
static bool fill_entries(tn_tree_problem *p, const tn_tree_along *along, tn_arena *arena, tn_rows *to)
{
    const tn_trees *trees = p->step->trees;
    const tn_rows *whole = p->whole->rows;
    int n = whole->n_triples, n_all = n + whole->n_singles, at = 0;
    int contacts = n - whole->n_frictions, *number = TN_PUSH_RAW(arena, int, n);
    size_t triples = n > 0 ? count_entries(p, 0, n) : 0, singles = count_singles(p, along);
    int *start = TN_PUSH(arena, int, (size_t)n_all + 1), *block = TN_PUSH_RAW(arena, int, triples + singles);
    double *jacobian = TN_PUSH_RAW(arena, double, 9 * triples + 3 * singles), *next = jacobian;
    gather g = {.step = p->step,
                .rate = TN_PUSH(arena, double, 9 * (size_t)trees->n_blocks),
                .square = TN_PUSH_RAW(arena, double, 3 * (size_t)trees->n_blocks),
                .used = TN_PUSH(arena, unsigned, trees->n),
                .touched = TN_PUSH(arena, int, trees->n)};
    p->triple = TN_PUSH_RAW(arena, int, n);
    p->single = TN_PUSH_RAW(arena, int, n_all - n);
    p->spring = TN_PUSH_RAW(arena, int, n_all - n);
    p->loose = TN_PUSH_RAW(arena, tn_tree_loose, n_all - n);
    if (!number || !start || !block || !jacobian || !g.rate || !g.square || !g.used || !g.touched || !p->triple ||
        !p->single || !p->spring || !p->loose) {
        return false;
    }
    for (int k = 0; k < 3 * trees->n_blocks; k++) {
        g.square[k] = tn_spatial_dot(p->step->twist[k], p->step->twist[k]);
    }
    *to = (tn_rows){.start = start, .block = block, .jacobian = jacobian};
    for (int i = 0; i < n_all; i++) {
        double *before = next;
        int kept = to->n_triples + to->n_singles, by = i >= contacts && i < n ? whole->pressed_by[i - contacts] : -1;
        int along_rates = i < n ? 0 : along[i - n].n;
        g.width = i < n ? 3 : 1;
        bool stays = along_rates != GONE && (by < 0 || number[by] >= 0) && !(along_rates > 1 && is_gone(p, i - n));
        if (along_rates == 1) {
            stays = stays_along(p, &along[i - n], i - n);
        }
        if (stays && along_rates > 0) {
            put_along(p, &along[i - n], to, &at, &next);
        } else if (stays) {
            stays = reduce_row(p, &g, i, to, &at, &next) || (i >= contacts && i < n && by < 0);
        }
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

bool tn_tree_fill_rows(tn_tree_problem *p, const tn_tree_along *along, tn_arena *arena)
{
    tn_rows entries;
    if (!fill_entries(p, along, arena, &entries) ||
        !tn_rows_choose(p->whole->rows, entries.n_triples, p->triple, entries.n_singles, p->single, arena, &p->rows)) {
        return false;
    }
    p->rows.start = entries.start;
    p->rows.block = entries.block;
    p->rows.jacobian = entries.jacobian;
    return true;
}
