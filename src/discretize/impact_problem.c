// The problem of the closed contacts and the blocks that they act on, the coupled ones first.
#include "discretize/impact_parts.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "problem/rows.h"

#include <string.h>

// The coupled ones first, both parts in their order.
static bool sort_closed(tn_arena *arena, tn_closed *c)
{
    tn_closed old = *c;
    c->source = TN_PUSH_RAW(arena, int, c->n);
    c->offset = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n);
    c->lambda = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n);
    if (!c->source || !c->offset || !c->lambda) {
        return false;
    }
    int to = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < c->n; k++) {
            if (old.alone[k] == (turn == 1)) {
                c->source[to] = old.source[k];
                tn_vec3_copy(c->offset + 3 * to, old.offset + 3 * k);
                tn_vec3_copy(c->lambda + 3 * to, old.lambda + 3 * k);
                to++;
            }
        }
        c->n_coupled = turn == 0 ? to : c->n_coupled;
    }
    return true;
}

// Numbers the blocks: those that coupled contacts and joints act on ascending, then the others. load becomes number
// + 1.
static void number_blocks(const tn_rows *all, int n_blocks, tn_closed *c, int *block, int *n_coupled, int *n)
{
    memset(c->load, 0, (size_t)n_blocks * sizeof *c->load);
    for (int k = 0; k < c->n_coupled; k++) {
        for (int e = all->start[c->source[k]]; e < all->start[c->source[k] + 1]; e++) {
            c->load[all->block[e]] = 1;
        }
    }
    for (int e = 0; e < tn_closed_joint_entries(c); e++) {
        c->load[c->joints->block[e]] = 1;
    }
    *n = 0;
    for (int i = 0; i < n_blocks && (c->n_coupled > 0 || c->joints); i++) {
        if (c->load[i]) {
            block[(*n)++] = i;
            c->load[i] = *n;
        }
    }
    *n_coupled = *n;
    for (int k = c->n_coupled; k < c->n; k++) {
        int i = all->block[all->start[c->source[k]]];
        block[(*n)++] = i;
        c->load[i] = *n;
    }
}

// The arrays behind tn_rows while they are written.
typedef struct impact_arrays {
    double *frame, *gap, *mu, *preload, *softness, *jacobian;
    int *start, *block;
} impact_arrays;

static bool allocate_contacts(const tn_rows *all, const tn_closed *c, tn_arena *arena, impact_arrays *arrays)
{
    size_t n = (size_t)c->n, entries = 0;
    for (size_t k = 0; k < n; k++) {
        entries += (size_t)(all->start[c->source[k] + 1] - all->start[c->source[k]]);
    }
    *arrays = (impact_arrays){.frame = TN_PUSH_RAW(arena, double, 9 * n),
                              .gap = TN_PUSH_RAW(arena, double, n),
                              .mu = TN_PUSH_RAW(arena, double, 2 * n),
                              .preload = all->preload ? TN_PUSH_RAW(arena, double, n) : NULL,
                              .softness = all->softness ? TN_PUSH_RAW(arena, double, 9 * n) : NULL,
                              .jacobian = TN_PUSH_RAW(arena, double, 9 * entries),
                              .start = TN_PUSH_RAW(arena, int, n + 1),
                              .block = TN_PUSH_RAW(arena, int, entries)};
    return arrays->frame && arrays->gap && arrays->mu && (arrays->preload || !all->preload) &&
           (arrays->softness || !all->softness) && arrays->jacobian && arrays->start && arrays->block;
}

// Entries of blocks that turn freely, from the axes at the step's start to those at its end.
static void turn_entry(const tn_closed *c, int n_rigid_blocks, int block, double entry[9])
{
    if (block < n_rigid_blocks && c->turn[block]) {
        double turn[9], turned[9];
        tn_quat_to_mat3(turn, c->turn[block]);
        tn_mat3_mul(turned, entry, turn);
        memcpy(entry, turned, sizeof turned);
    }
}

static void copy_contact(const tn_rows *from, const tn_closed *c, int n_rigid_blocks, int k, impact_arrays *to)
{
    int m = c->source[k], begin = from->start[m], count = from->start[m + 1] - begin, at = to->start[k];
    memcpy(to->frame + 9 * k, from->frame + 9 * m, 9 * sizeof(double));
    to->gap[k] = from->gap[m];
    memcpy(to->mu + 2 * k, from->mu + 2 * m, 2 * sizeof(double));
    memcpy(to->jacobian + 9 * (size_t)at, from->jacobian + 9 * (size_t)begin, 9 * (size_t)count * sizeof(double));
    for (int e = 0; e < count; e++) {
        turn_entry(c, n_rigid_blocks, from->block[begin + e], to->jacobian + 9 * (size_t)(at + e));
        to->block[at + e] = c->load[from->block[begin + e]] - 1;
    }
    if (to->preload) {
        to->preload[k] = from->preload[m];
    }
    if (to->softness) {
        memcpy(to->softness + 9 * k, from->softness + 9 * m, 9 * sizeof(double));
    }
    to->start[k + 1] = at + count;
}

static bool copy_contacts(const tn_model *model, const tn_rows *all, const tn_closed *c, tn_arena *arena, tn_rows *to,
                          tn_impact *out)
{
    impact_arrays arrays;
    if (!allocate_contacts(all, c, arena, &arrays)) {
        return false;
    }
    arrays.start[0] = 0;
    for (int k = 0; k < c->n; k++) {
        copy_contact(all, c, model->n_rigid_blocks, k, &arrays);
    }
    *to = (tn_rows){.n_triples = c->n,
                    .frame = arrays.frame,
                    .offset = c->offset,
                    .gap = arrays.gap,
                    .mu = arrays.mu,
                    .preload = arrays.preload,
                    .softness = arrays.softness,
                    .start = arrays.start,
                    .block = arrays.block,
                    .jacobian = arrays.jacobian};
    out->source = c->source;
    return true;
}

// The joints' rows with the blocks' new numbers.
static bool copy_joints(const tn_closed *c, tn_arena *arena, tn_rows *to)
{
    if (!c->joints) {
        return true;
    }
    int n = tn_closed_joint_entries(c);
    int *block = TN_PUSH_RAW(arena, int, n);
    if (!block) {
        return false;
    }
    for (int e = 0; e < n; e++) {
        block[e] = c->load[c->joints->block[e]] - 1;
    }
    *to = *c->joints;
    to->block = block;
    return true;
}

// Start values of the first n contacts and the joints, in the order of the rows.
static double *push_forces(const tn_closed *c, int n, tn_arena *arena)
{
    size_t n_contact = 3 * (size_t)n, n_joint = c->joints ? (size_t)c->joints->n_singles : 0;
    double *lambda = TN_PUSH_RAW(arena, double, n_contact + n_joint);
    if (lambda) {
        memcpy(lambda, c->lambda, n_contact * sizeof *lambda);
    }
    if (lambda && n_joint > 0) {
        memcpy(lambda + n_contact, c->joint_start, n_joint * sizeof *lambda);
    }
    return lambda;
}

// A = M/h, b and v of n blocks; the coupled ones start as if no force changed.
static bool fill_balance(const tn_closed *c, int n, int n_coupled, tn_arena *arena, tn_impact *out)
{
    double *b = TN_PUSH_RAW(arena, double, 3 * n);
    double *diagonal = TN_PUSH(arena, double, 9 * (size_t)n);
    double *v = TN_PUSH_RAW(arena, double, 3 * n), *start_v = TN_PUSH_RAW(arena, double, 3 * n);
    if (!b || !diagonal || !v || !start_v) {
        return false;
    }
    for (int i = 0; i < 3 * n; i++) {
        int at = 3 * out->block[i / 3] + i % 3;
        b[i] = c->momentum[at];
        diagonal[9 * (i / 3) + 4 * (i % 3)] = c->mass[at] / c->h;
        v[i] = i < 3 * n_coupled ? c->start[at] : out->v[at];
        start_v[i] = out->problem.start_v[at];
    }
    out->problem.start_v = start_v;
    out->solution.v = out->coupled_solution.v = v;
    out->problem.b = b;
    out->problem.A = tn_blocks_from_diagonal(n, diagonal, arena);
    return out->problem.A != NULL;
}

bool tn_closed_build(const tn_model *model, const tn_rows *all, tn_closed *c, tn_arena *arena, tn_impact *out)
{
    int n, n_coupled;
    tn_rows contacts, joints = {.n_singles = 0};
    out->block = TN_PUSH_RAW(arena, int, model->n_blocks);
    if (!out->block || !sort_closed(arena, c)) {
        return false;
    }
    number_blocks(all, model->n_blocks, c, out->block, &n_coupled, &n);
    if (!copy_contacts(model, all, c, arena, &contacts, out) || !copy_joints(c, arena, &joints) ||
        !fill_balance(c, n, n_coupled, arena, out)) {
        return false;
    }
    out->solution.lambda = push_forces(c, c->n, arena);
    out->coupled_solution.lambda = push_forces(c, c->n_coupled, arena);
    if (!out->solution.lambda || !out->coupled_solution.lambda) {
        return false;
    }
    tn_rows coupled = contacts;
    coupled.n_triples = c->n_coupled;
    if (tn_rows_join(&contacts, &joints, arena, &out->rows) != TN_OK ||
        tn_rows_join(&coupled, &joints, arena, &out->coupled_rows) != TN_OK) {
        return false;
    }
    out->problem.rows = &out->rows;
    out->coupled_A = *out->problem.A;
    out->coupled_A.n_rows = out->coupled_A.n_cols = n_coupled;
    out->coupled = out->problem;
    out->coupled.A = &out->coupled_A;
    out->coupled.rows = &out->coupled_rows;
    return true;
}
