// Rows between rates of trees: gathered from the step's reduced problem, and one factor of them and their trees.
#include "sim/ties.h"

#include "math/vec3.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

static const tn_trees *trees_of(const tn_step_placing *at)
{
    return at->setup->model->trees;
}

// Of every reduced block the tree; -1: none.
static int *find_trees(const tn_trees *trees, tn_arena *arena)
{
    int *tree = TN_PUSH_RAW(arena, int, trees->n_blocks);
    for (int i = 0; tree && i < trees->n_blocks; i++) {
        tree[i] = -1;
    }
    for (int t = 0; tree && t < trees->n; t++) {
        for (int i = 0; i < trees->tree[t].n_blocks; i++) {
            tree[trees->tree[t].block + i] = t;
        }
    }
    return tree;
}

// Whether row i of the reduced problem is of what a joint holds that closes a loop, all of it on trees.
static bool closes(const tn_step_placing *at, const int *tree, int i)
{
    const tn_model *model = at->setup->model;
    const tn_tree_problem *p = at->answer->reduced;
    const tn_rows rows = tn_rows_singles(&p->rows);
    int rate[2];
    if (p->single[i] >= at->eq->joints.rows.n_singles) {
        return false;
    }
    const tn_model_joint_row *row = &model->joint_rows[at->eq->joints.source[p->single[i]]];
    bool counts = row->role == TN_ROLE_HOLD && rows.compliance[i] == 0.0 &&
                  !tn_trees_gear(model, model->trees, &model->joints[row->joint], rate);
    for (int e = rows.start[i]; e < rows.start[i + 1]; e++) {
        counts = counts && tree[rows.block[e]] >= 0;
    }
    return counts;
}

// ---- rows

typedef struct filling {
    tn_ties *ties;
    const int *tree;
    int *start, *block; // blocks of the reduced problem first
    double *jacobian, *compliance;
} filling;

// A row of the whole problem, whose entries follow.
static int add_row(filling *f, int single, double compliance)
{
    int i = f->ties->n++;
    f->start[i + 1] = f->start[i];
    f->ties->single[i] = single;
    f->compliance[i] = compliance;
    return i;
}

static double *add_entry(filling *f, int i, int block)
{
    int e = f->start[i + 1]++;
    f->block[e] = block;
    f->ties->tree[i] = f->tree[block];
    return f->jacobian + 3 * (size_t)e;
}

static void add_loop(filling *f, const tn_tree_problem *p, int k)
{
    const tn_rows rows = tn_rows_singles(&p->rows);
    int i = add_row(f, p->single[k], 0.0);
    for (int e = rows.start[k]; e < rows.start[k + 1]; e++) {
        tn_vec3_copy(add_entry(f, i, rows.block[e]), rows.jacobian + 3 * (size_t)e);
    }
}

// An entry of one rate.
static void add_rate(filling *f, int i, int rate, double factor)
{
    double *entry = add_entry(f, i, rate / 3);
    tn_vec3_set(entry, 0.0, 0.0, 0.0);
    entry[rate % 3] = factor;
}

static void add_gear(filling *f, const tn_tree_gear *gear, double compliance)
{
    int i = add_row(f, gear->single, compliance);
    add_rate(f, i, gear->rate[0], gear->factor[0]);
    if (gear->rate[1] / 3 != gear->rate[0] / 3) {
        add_rate(f, i, gear->rate[1], gear->factor[1]);
    } else {
        f->jacobian[3 * (size_t)(f->start[i + 1] - 1) + (size_t)(gear->rate[1] % 3)] += gear->factor[1];
    }
}

static bool holds(const tn_step_placing *at, int single)
{
    return at->setup->model->joint_rows[at->eq->joints.source[single]].role == TN_ROLE_HOLD;
}

// Loops, gears that hold, other gears, inertia.
static void fill_rows(const tn_step_placing *at, filling *f)
{
    const tn_tree_problem *p = at->answer->reduced;
    tn_ties *ties = f->ties;
    for (int k = 0; k < p->rows.n_singles; k++) {
        if (closes(at, f->tree, k)) {
            add_loop(f, p, k);
        }
    }
    for (int held = 1; held >= 0; held--) {
        for (int g = 0; g < p->n_gears; g++) {
            if (holds(at, p->gear[g].single) == held) {
                add_gear(f, &p->gear[g], 0.0);
            }
        }
        ties->n_held = held ? ties->n : ties->n_held;
    }
    ties->n_rigid = ties->n;
    for (int g = 0; g < p->n_heavy; g++) {
        add_gear(f, &p->heavy[g], tn_rows_singles(p->whole->rows).compliance[p->heavy[g].single]);
    }
    for (int i = 0; i < ties->n_held; i++) {
        ties->number[i] = at->eq->joints.source[ties->single[i]];
    }
}

static bool find_rows(const tn_step_placing *at, const int *tree, tn_ties *ties)
{
    tn_arena *arena = at->setup->arena;
    const tn_tree_problem *p = at->answer->reduced;
    int gears = p->n_gears + p->n_heavy, most = p->rows.n_singles + gears;
    const tn_rows singles = tn_rows_singles(&p->rows);
    int entries = (p->rows.n_singles > 0 ? singles.start[p->rows.n_singles] - singles.start[0] : 0) + 2 * gears;
    filling f = {.ties = ties,
                 .tree = tree,
                 .start = TN_PUSH(arena, int, (size_t)most + 1),
                 .block = TN_PUSH_RAW(arena, int, entries),
                 .jacobian = TN_PUSH_RAW(arena, double, 3 * (size_t)entries),
                 .compliance = TN_PUSH_RAW(arena, double, most)};
    ties->single = TN_PUSH_RAW(arena, int, most);
    ties->number = TN_PUSH_RAW(arena, int, most);
    ties->tree = TN_PUSH_RAW(arena, int, most);
    if (!f.start || !f.block || !f.jacobian || !f.compliance || !ties->single || !ties->number || !ties->tree) {
        return false;
    }
    fill_rows(at, &f);
    ties->offset = TN_PUSH(arena, double, ties->n);
    ties->force = TN_PUSH(arena, double, ties->n);
    ties->room = TN_PUSH_RAW(arena, tn_joint_geometry, at->setup->model->n_joints);
    double *bound = TN_PUSH_RAW(arena, double, 2 * (size_t)ties->n);
    for (int i = 0; bound && i < 2 * ties->n; i++) {
        bound[i] = i < ties->n ? -INFINITY : INFINITY;
    }
    ties->rows = (tn_rows){.n_singles = ties->n,
                           .start = f.start,
                           .block = f.block,
                           .jacobian = f.jacobian,
                           .offset = ties->offset,
                           .compliance = f.compliance,
                           .lower = bound,
                           .upper = bound ? bound + ties->n : NULL};
    return ties->offset && ties->force && ties->room && bound;
}

// ---- trees

static bool find_groups(const tn_step_placing *at, tn_ties *ties)
{
    const tn_trees *trees = trees_of(at);
    tn_mechanisms mechanisms;
    ties->group = TN_PUSH_RAW(at->setup->arena, int, trees->n);
    if (!ties->group || !tn_mechanisms_find(at->setup->model, at->setup->arena, &mechanisms)) {
        return false;
    }
    ties->n_groups = mechanisms.n;
    for (int t = 0; t < trees->n; t++) {
        ties->group[t] = mechanisms.of_body[trees->link[trees->tree[t].first_link].body];
    }
    return true;
}

// The trees that rows act on, their blocks numbered anew, in the rows too.
static bool number_trees(const tn_step_placing *at, const int *tree, tn_ties *ties)
{
    const tn_trees *trees = trees_of(at);
    int n = 0, *block = (int *)ties->rows.block, n_entries = ties->rows.start[ties->n];
    ties->block = TN_PUSH_RAW(at->setup->arena, int, trees->n);
    if (!ties->block) {
        return false;
    }
    for (int t = 0; t < trees->n; t++) {
        ties->block[t] = -1;
    }
    for (int e = 0; e < n_entries; e++) {
        ties->block[tree[block[e]]] = 0;
    }
    for (int t = 0; t < trees->n; t++) {
        if (ties->block[t] >= 0) {
            ties->block[t] = n;
            n += trees->tree[t].n_blocks;
        }
    }
    ties->A.n_rows = ties->A.n_cols = n;
    for (int e = 0; e < n_entries; e++) {
        const int t = tree[block[e]];
        block[e] += ties->block[t] - trees->tree[t].block;
    }
    return true;
}

// The inertia of a tree.
static void put_tree(const tn_step_placing *at, tn_ties *ties, int t)
{
    const double *dense = at->answer->reduced->inertia[t];
    int n = trees_of(at)->tree[t].n_blocks, *start = ties->A.start;
    for (int i = 0; i < n; i++) {
        int row = ties->block[t] + i;
        start[row + 1] = start[row] + n;
        for (int j = 0; j < n; j++) {
            int e = start[row] + j;
            ties->A.column[e] = ties->block[t] + j;
            for (int k = 0; k < 3; k++) {
                tn_vec3_copy(ties->A.value + 9 * (size_t)e + 3 * (size_t)k,
                             dense + (size_t)(3 * (3 * i + k) * n + 3 * j));
            }
        }
    }
}

static bool fill_matrix(const tn_step_placing *at, tn_ties *ties)
{
    const tn_trees *trees = trees_of(at);
    tn_arena *arena = at->setup->arena;
    int n = ties->A.n_rows, n_tied = 0;
    size_t entries = 0;
    for (int t = 0; t < trees->n; t++) {
        size_t size = ties->block[t] >= 0 ? (size_t)trees->tree[t].n_blocks : 0;
        entries += size * size;
    }
    int *part = TN_PUSH_RAW(arena, int, n);
    bool *full = TN_PUSH_RAW(arena, bool, trees->n);
    ties->change = TN_PUSH_RAW(arena, double, 3 * (size_t)n);
    ties->A.start = TN_PUSH(arena, int, (size_t)n + 1);
    ties->A.column = TN_PUSH_RAW(arena, int, entries);
    ties->A.value = TN_PUSH_RAW(arena, double, 9 * entries);
    if (!part || !full || !ties->change || !ties->A.start || !ties->A.column || !ties->A.value) {
        return false;
    }
    for (int t = 0; t < trees->n; t++) {
        if (ties->block[t] >= 0) {
            put_tree(at, ties, t);
            full[n_tied] = true;
            for (int i = 0; i < trees->tree[t].n_blocks; i++) {
                part[ties->block[t] + i] = n_tied;
            }
            n_tied++;
        }
    }
    return tn_parts_sort(n, n_tied, part, full, arena, &ties->parts) == TN_OK;
}

tn_status tn_ties_create(const tn_step_placing *at, tn_ties *ties)
{
    tn_arena *arena = at->setup->arena;
    const int *tree = find_trees(trees_of(at), arena);
    *ties = (tn_ties){.n = 0};
    if (!tree || !find_rows(at, tree, ties)) {
        return TN_NO_MEMORY;
    }
    if (ties->n == 0) {
        return TN_OK;
    }
    bool *held = TN_PUSH_RAW(arena, bool, ties->n);
    if (!held || !find_groups(at, ties) || !number_trees(at, tree, ties) || !fill_matrix(at, ties)) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < ties->n; i++) {
        held[i] = true;
    }
    ties->hints.parts = &ties->parts;
    ties->problem = (tn_problem){.A = &ties->A, .rows = &ties->rows, .hints = &ties->hints, .step = 1.0};
    tn_status status = tn_motion_create(&ties->motion, &ties->problem, NULL, held, arena, NULL);
    return status == TN_OK && !tn_motion_factor(&ties->motion) ? TN_NUMERICS : status;
}

// ---- rounds

void tn_ties_look(const tn_step_placing *at, tn_ties *ties)
{
    const tn_model *model = at->setup->model;
    const tn_joint_sides sides = {at->next->pose, at->next->x};
    double h = at->eq->balance.h, end = (double)(at->state->step_count + 1) * model->settings.step;
    if (model->settings.projection == 0) {
        return;
    }
    for (int j = 0; j < model->n_joints; j++) { // gears may be of any of them
        const tn_model_joint *joint = &model->joints[j];
        if (joint->n_coordinates > 0 && model->trees->link_of_joint[j] < 0) {
            tn_joint_coordinates(model, joint, &sides, at->state->joint_coordinate + joint->first_coordinate,
                                 at->next->coordinate + joint->first_coordinate);
        }
    }
    tn_joint_hold_errors(model, &sides, at->next->coordinate, end, ties->n_held, ties->number, ties->room,
                         ties->offset);
    for (int i = 0; i < ties->n_held; i++) {
        ties->offset[i] /= h;
    }
}

// What lacks, with the forces so far, in the places of the motion.
static void gather(const tn_step_placing *at, tn_ties *ties, const bool *moves, const double *lacking)
{
    const tn_trees *trees = trees_of(at);
    tn_motion *m = &ties->motion;
    memset(m->push, 0, (size_t)m->assembly.size * sizeof *m->push);
    for (int t = 0; t < trees->n; t++) {
        for (int i = 0; moves[t] && ties->block[t] >= 0 && i < trees->tree[t].n_blocks; i++) {
            tn_vec3_copy(m->push + m->assembly.block_at[ties->block[t] + i],
                         lacking + 3 * (size_t)(trees->tree[t].block + i));
        }
    }
    for (int i = 0; i < ties->n; i++) {
        for (int e = ties->rows.start[i]; moves[ties->tree[i]] && e < ties->rows.start[i + 1]; e++) {
            double *to = m->push + m->assembly.block_at[ties->rows.block[e]];
            tn_vec3_madd(to, to, ties->force[i], ties->rows.jacobian + 3 * (size_t)e);
        }
        ties->offset[i] = moves[ties->tree[i]] ? ties->offset[i] : 0.0;
    }
}

void tn_ties_change(const tn_step_placing *at, tn_ties *ties, const bool *moves, double *lacking, double *more)
{
    const tn_trees *trees = trees_of(at);
    gather(at, ties, moves, lacking);
    tn_motion_find_rough(&ties->motion); // the next round takes what it leaves
    tn_motion_put(&ties->motion, ties->change, more);
    for (int t = 0; t < trees->n; t++) {
        if (moves[t] && ties->block[t] >= 0) {
            memcpy(lacking + 3 * (size_t)trees->tree[t].block, ties->change + 3 * (size_t)ties->block[t],
                   3 * (size_t)trees->tree[t].n_blocks * sizeof *lacking);
        }
    }
}
