// The reduced problem put together, with the scales and effective masses by which the whole one is judged; its solution
// taken back.
#include "discretize/tree_parts.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/rows.h"
#include "solver/check.h"

#include <math.h>
#include <string.h>

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

// The part w/R of springs in the matrix, on bodies that move with c.
static void push_springs(const tn_tree_problem *p, const double *c, double *push)
{
    const tn_rows *whole = p->whole->rows;
    for (int k = 0; k < p->n_springs; k++) {
        int i = p->spring[k];
        tn_single_push(whole, i, -tn_single_velocity(whole, i, c) / whole->compliance[i], push);
    }
}

// c, what is prescribed; the rows' offsets, and what it leaves of the balance. room (3 trees->n_blocks).
static void give(tn_tree_problem *p, double *room, double *c, double *left)
{
    const tn_blocks *A = p->whole->A;
    memset(room, 0, 3 * (size_t)p->step->trees->n_blocks * sizeof *room);
    if (p->step->any_given) { // gears' own offsets are without what they prescribe
        tn_tree_velocity(p->step, room, c);
        for (int g = 0; g < p->n_gears; g++) {
            p->gear[g].offset = tn_single_velocity(p->whole->rows, p->gear[g].single, c);
        }
    }
    if (p->shift) {
        tn_tree_find_shift(p);
        tn_tree_velocity(p->step, p->shift, c);
    }
    for (int row = 0; row < A->n_rows; row++) { // of most bodies and nodes c is zero
        const double *own = c + 3 * (size_t)row;
        for (int e = A->start[row]; (own[0] != 0.0 || own[1] != 0.0 || own[2] != 0.0) && e < A->start[row + 1]; e++) {
            double pushed[3], *to = left + 3 * (size_t)A->column[e];
            tn_mat3_tvec(pushed, A->value + 9 * (size_t)e, own);
            tn_vec3_sub(to, to, pushed);
        }
    }
    add_given(p, c, (double *)p->rows.offset);
    for (int k = 0; k < p->n_loose; k++) {
        p->loose[k].offset = tn_single_velocity(p->whole->rows, p->loose[k].single, c);
    }
}

static bool fill_vectors(tn_tree_problem *p, const tn_solution *start, tn_arena *arena)
{
    const tn_tree_step *s = p->step;
    size_t n = 3 * (size_t)s->model->n_blocks, m = 3 * (size_t)s->trees->n_blocks;
    double *b = TN_PUSH_RAW(arena, double, m), *start_v = TN_PUSH_RAW(arena, double, m);
    double *left = TN_PUSH_RAW(arena, double, n), *c = TN_PUSH(arena, double, n);
    p->solution.v = TN_PUSH_RAW(arena, double, m);
    p->shift = p->gear_of_rate ? TN_PUSH(arena, double, m) : NULL;
    p->rates = p->gear_of_rate ? TN_PUSH_RAW(arena, double, m) : p->solution.v;
    if (!b || !start_v || !left || !c || !p->solution.v || !p->rates || (p->gear_of_rate && !p->shift)) {
        return false;
    }
    memcpy(left, p->whole->b, n * sizeof *left);
    if (s->any_given || p->shift) {
        give(p, b, c, left);
    }
    push_springs(p, c, left);
    tn_tree_project(s, left, b);
    for (int k = 0; k < p->n_own; k++) {
        double shift = p->shift ? p->shift[p->own_rate[k]] : 0.0;
        b[p->own_rate[k]] -= p->own_weight[k] * (p->own_offset[k] + shift);
    }
    tn_tree_gears_into_rates(p, b);
    tn_tree_rates(s, start->v, p->solution.v);
    for (int g = 0; g < p->n_gears; g++) {
        p->solution.v[p->gear[g].rate[1]] *= p->gear[g].gone ? 0.0 : 1.0;
    }
    p->problem.b = b;
    p->problem.start_v = NULL;
    if (p->whole->start_v) {
        bool same = memcmp(p->whole->start_v, start->v, n * sizeof *left) == 0; // as without restitution
        if (same) {
            memcpy(start_v, p->solution.v, m * sizeof *start_v);
        } else {
            tn_tree_rates(s, p->whole->start_v, start_v);
        }
        p->problem.start_v = start_v;
    }
    p->solution.lambda = take(p, start->lambda, arena);
    p->problem.start_force = take(p, p->whole->start_force, arena);
    return p->solution.lambda && (p->problem.start_force || !p->whole->start_force);
}

// Where nodes are, as the whole problem knows it.
static bool fill_places(tn_tree_problem *p, tn_arena *arena)
{
    const tn_trees *trees = p->step->trees;
    const double *from = p->whole->hints ? p->whole->hints->place : NULL;
    p->hints.place = from ? TN_PUSH_RAW(arena, double, 3 * (size_t)trees->n_blocks) : NULL;
    for (int i = 0; p->hints.place && i < trees->n_blocks; i++) {
        if (trees->source[i] >= 0) {
            tn_vec3_copy(p->hints.place + 3 * (size_t)i, from + 3 * (size_t)trees->source[i]);
        } else {
            p->hints.place[3 * (size_t)i] = NAN;
        }
    }
    return p->hints.place || !from;
}

// Constraints are judged as the whole problem's are.
static bool judge(tn_tree_problem *p, tn_arena *arena)
{
    const tn_rows *whole = p->whole->rows;
    int n = p->rows.n_triples, n_all = n + p->rows.n_singles;
    double *rho = TN_PUSH_RAW(arena, double, n_all), *singles = TN_PUSH_RAW(arena, double, whole->n_singles);
    bool *stays = TN_PUSH(arena, bool, whole->n_singles);
    if (!rho || !singles || !stays || !tn_check_rhos(p->whole, n, p->triple, rho, arena)) {
        return false;
    }
    for (int k = 0; k < p->rows.n_singles; k++) {
        stays[p->single[k]] = true;
    }
    tn_singles_mass_of(whole, p->whole->A, stays, singles);
    for (int k = 0; k < p->rows.n_singles; k++) {
        rho[n + k] = singles[p->single[k]];
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
    p->aims = (tn_aims){.free = aims->free,
                        .due = TN_PUSH_RAW(arena, bool, n_all),
                        .part = TN_PUSH_RAW(arena, double, n_all),
                        .motion = TN_PUSH_RAW(arena, double, n_all)};
    bool ok = p->aims.due && p->aims.part && p->aims.motion;
    for (int i = 0; ok && i < n_all; i++) {
        p->aims.due[i] = aims->due[number_of(p, i)];
        p->aims.part[i] = aims->part[number_of(p, i)];
        p->aims.motion[i] = aims->motion[number_of(p, i)];
    }
    return ok;
}

// Vectors and aims once all else is there.
static bool pose(tn_tree_problem *p, const tn_solution *start, const tn_aims *aims, tn_arena *arena)
{
    const tn_model *model = p->step->model;
    p->start = start;
    p->whole_aims = (tn_aims *)aims;
    p->hold = TN_PUSH(arena, double, model->n_joint_rows);
    p->held = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks);
    p->hints.parts = &p->parts;
    p->problem.A = &p->A;
    p->problem.rows = &p->rows;
    p->problem.hints = &p->hints;
    return p->hold && p->held && fill_vectors(p, start, arena) && fill_aims(p, aims, arena);
}

tn_status tn_tree_problem_create(const tn_tree_step *step, const tn_problem *whole, const tn_joint_step *joints,
                                 const tn_solution *start, const tn_aims *aims, tn_arena *arena, tn_tree_problem *out)
{
    tn_tree_along *along;
    *out = (tn_tree_problem){
        .all = out->all, .step = step, .whole = whole, .start = start, .problem = *whole, .joints = joints->geometry};
    if (!tn_tree_find_holds(out, joints, arena, &along) || !tn_tree_fill_matrix(out, arena)) {
        return TN_NO_MEMORY;
    }
    tn_tree_gears_into_matrix(out);
    return tn_tree_fill_rows(out, along, arena) && weigh(out, arena) && fill_places(out, arena) && judge(out, arena) &&
                   pose(out, start, aims, arena)
               ? TN_OK
               : TN_NO_MEMORY;
}

bool tn_tree_problem_serves(const tn_tree_problem *p, const tn_problem *whole)
{
    return p->whole->A->value == whole->A->value && p->whole->rows->jacobian == whole->rows->jacobian &&
           p->whole->rows->n_triples == whole->rows->n_triples && p->whole->b == whole->b;
}

tn_status tn_tree_problem_again(const tn_tree_problem *first, const tn_problem *whole, const tn_solution *start,
                                const tn_aims *aims, tn_arena *arena, tn_tree_problem *out)
{
    const double *offset = tn_rows_singles(whole->rows).offset;
    *out = *first;
    out->whole = whole;
    out->problem = *whole;
    out->gear = TN_PUSH_RAW(arena, tn_tree_gear, out->n_gears);
    out->loose = TN_PUSH_RAW(arena, tn_tree_loose, out->n_loose);
    out->rows.offset = take(out, whole->rows->offset, arena);
    if (!out->gear || !out->loose || !out->rows.offset) {
        return TN_NO_MEMORY;
    }
    for (int g = 0; g < out->n_gears; g++) {
        out->gear[g] = first->gear[g];
        out->gear[g].offset = offset[out->gear[g].single];
    }
    for (int k = 0; k < out->n_loose; k++) {
        out->loose[k] = first->loose[k];
        out->loose[k].offset = offset[out->loose[k].single];
    }
    return pose(out, start, aims, arena) ? TN_OK : TN_NO_MEMORY;
}

bool tn_tree_problem_is_beyond(tn_tree_problem *p)
{
    tn_tree_find_rates(p);
    const tn_rows rows = tn_rows_singles(p->whole->rows);
    for (int k = 0; k < p->n_loose; k++) {
        const tn_tree_loose *loose = &p->loose[k];
        int i = loose->single;
        double rate = p->rates[loose->rate] - (p->shift ? p->shift[loose->rate] : 0.0); // that is in the offset
        double y = loose->factor * rate + loose->offset;
        double force = loose->idle ? 0.0 : -y / rows.compliance[i];
        if (loose->idle ? y < 0.0 : force != tn_single_clamp(&rows, i, force)) {
            return true;
        }
    }
    return false;
}

void tn_tree_own_forces(const tn_tree_problem *p, const double *v, double *lambda)
{
    double *f = lambda + 3 * (size_t)p->whole->rows->n_triples;
    for (int k = 0; k < p->n_own; k++) {
        f[p->own[k]] = -p->own_weight[k] * tn_single_velocity(p->whole->rows, p->own[k], v);
    }
    for (int k = 0; k < p->n_heavy; k++) {
        int i = p->heavy[k].single;
        f[i] = -tn_single_velocity(p->whole->rows, i, v) / tn_rows_singles(p->whole->rows).compliance[i];
    }
}

tn_status tn_tree_problem_finish(tn_tree_problem *p, tn_arena *arena, tn_solution *out)
{
    const double *lambda = p->solution.lambda;
    int n = p->rows.n_triples, n_all = n + p->rows.n_singles;
    size_t before = 3 * (size_t)p->whole->rows->n_triples;
    tn_tree_find_rates(p);
    tn_tree_velocity(p->step, p->rates, out->v);
    memset(out->lambda, 0, tn_row_count(p->whole->rows) * sizeof *lambda);
    for (int i = 0; i < n; i++) {
        tn_vec3_copy(out->lambda + 3 * (size_t)p->triple[i], lambda + 3 * (size_t)i);
    }
    for (int i = 0; i < p->rows.n_singles; i++) {
        out->lambda[before + (size_t)p->single[i]] = lambda[3 * (size_t)n + (size_t)i];
    }
    tn_tree_own_forces(p, out->v, out->lambda);
    const tn_rows *whole = p->whole->rows;
    for (int k = 0; k < p->n_springs; k++) {
        int i = p->spring[k];
        out->lambda[before + (size_t)i] = -tn_single_velocity(whole, i, out->v) / whole->compliance[i];
    }
    for (int i = 0; p->whole_aims && i < n_all; i++) {
        p->whole_aims->due[number_of(p, i)] = p->aims.due[i];
        p->whole_aims->part[number_of(p, i)] = p->aims.part[i];
        p->whole_aims->motion[number_of(p, i)] = p->aims.motion[i];
    }
    return tn_tree_hold_forces(p, out->v, arena, out->lambda);
}
