// Rigid gears between the rates of a tree: one rate goes with the other, nu = T z + shift, so that neither the row nor
// the rate is left to solve for. Solvers that meet joint rows by dampers and rounds (solver/multipliers.h) are spared
// them by that: a hand with coupled fingers beside a soft body. Gears that follow on one another, or join two trees,
// stay rows.
#include "discretize/tree_parts.h"

#include "math/blocks.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

static int tree_of_rate(const tn_trees *trees, int rate)
{
    int t = 0;
    while (rate / 3 < trees->tree[t].block || rate / 3 >= trees->tree[t].block + trees->tree[t].n_blocks) {
        t++;
    }
    return t;
}

// Whether the gear may be gone; leads: the rates by which others go.
static bool goes(const tn_tree_problem *p, const tn_tree_gear *gear, const bool *leads)
{
    const int *gone = p->gear_of_rate;
    return gear->tree == tree_of_rate(p->step->trees, gear->rate[1]) && gear->rate[0] != gear->rate[1] &&
           gone[gear->rate[0]] < 0 && gone[gear->rate[1]] < 0 && !leads[gear->rate[1]];
}

// Rigid, and with no bound: what a gear holds or is made to do, not its limits.
static bool is_rigid(const tn_rows *singles, const tn_tree_along *along, int i)
{
    return along[i].n == 2 && singles->compliance[i] == 0.0 && singles->lower[i] == -INFINITY &&
           singles->upper[i] == INFINITY;
}

bool tn_tree_find_gears(tn_tree_problem *p, const tn_tree_along *along, tn_arena *arena)
{
    const tn_rows singles = tn_rows_singles(p->whole->rows);
    int n_rates = 3 * p->step->trees->n_blocks, n_gone = 0;
    for (int i = 0; i < singles.n_singles; i++) {
        p->n_gears += is_rigid(&singles, along, i);
    }
    if (p->n_gears == 0) {
        return true;
    }
    p->gear = TN_PUSH_RAW(arena, tn_tree_gear, p->n_gears);
    p->gear_of_rate = TN_PUSH_RAW(arena, int, n_rates);
    bool *leads = TN_PUSH(arena, bool, n_rates);
    if (!p->gear || !p->gear_of_rate || !leads) {
        return false;
    }
    memset(p->gear_of_rate, -1, (size_t)n_rates * sizeof *p->gear_of_rate);
    for (int i = 0, g = 0; i < singles.n_singles; i++) {
        if (is_rigid(&singles, along, i)) {
            tn_tree_gear *gear = &p->gear[g];
            *gear = (tn_tree_gear){
                .single = i, .tree = tree_of_rate(p->step->trees, along[i].rate[0]), .offset = singles.offset[i]};
            memcpy(gear->rate, along[i].rate, sizeof gear->rate);
            memcpy(gear->factor, along[i].factor, sizeof gear->factor);
            gear->gone = goes(p, gear, leads);
            if (gear->gone) {
                leads[gear->rate[0]] = true;
                p->gear_of_rate[gear->rate[1]] = g;
                n_gone++;
            }
            g++;
        }
    }
    p->gear_of_rate = n_gone > 0 ? p->gear_of_rate : NULL;
    return true;
}

// How fast rate[1] goes where rate[0] goes by one.
static double ratio_of(const tn_tree_gear *gear)
{
    return -gear->factor[0] / gear->factor[1];
}

int tn_tree_mover(const tn_tree_problem *p, int rate, double *factor)
{
    int g = p->gear_of_rate ? p->gear_of_rate[rate] : -1;
    *factor = g < 0 ? 1.0 : ratio_of(&p->gear[g]);
    return g < 0 ? rate : p->gear[g].rate[0];
}

// The column and the row of rate `from` are added to those of `to` and become zero, but for the diagonal.
static void add_rate(tn_blocks *A, int from, int to, double ratio)
{
    double own = tn_blocks_find(A, from / 3, from / 3)[4 * (from % 3)];
    for (int e = A->start[from / 3]; e < A->start[from / 3 + 1]; e++) { // the pattern is symmetric
        double *left = tn_blocks_find(A, A->column[e], from / 3), *right = tn_blocks_find(A, A->column[e], to / 3);
        for (int i = 0; i < 3; i++) {
            right[3 * i + to % 3] += ratio * left[3 * i + from % 3];
            left[3 * i + from % 3] = 0.0;
        }
    }
    for (int e = A->start[from / 3]; e < A->start[from / 3 + 1]; e++) {
        double *below = tn_blocks_find(A, from / 3, A->column[e]), *above = tn_blocks_find(A, to / 3, A->column[e]);
        for (int j = 0; j < 3; j++) {
            above[3 * (to % 3) + j] += ratio * below[3 * (from % 3) + j];
            below[3 * (from % 3) + j] = 0.0;
        }
    }
    tn_blocks_find(A, from / 3, from / 3)[4 * (from % 3)] = own;
}

void tn_tree_gears_into_matrix(tn_tree_problem *p)
{
    for (int g = 0; g < p->n_gears; g++) {
        if (p->gear[g].gone) {
            add_rate(&p->A, p->gear[g].rate[1], p->gear[g].rate[0], ratio_of(&p->gear[g]));
        }
    }
}

void tn_tree_gears_into_rates(const tn_tree_problem *p, double *b)
{
    for (int g = 0; g < p->n_gears; g++) {
        const tn_tree_gear *gear = &p->gear[g];
        if (gear->gone) {
            b[gear->rate[0]] += ratio_of(gear) * b[gear->rate[1]];
            b[gear->rate[1]] = 0.0;
        }
    }
}

void tn_tree_find_shift(tn_tree_problem *p)
{
    for (int g = 0; g < p->n_gears; g++) {
        const tn_tree_gear *gear = &p->gear[g];
        if (gear->gone) {
            p->shift[gear->rate[1]] = -gear->offset / gear->factor[1];
        }
    }
}

void tn_tree_find_rates(tn_tree_problem *p)
{
    if (!p->gear_of_rate) {
        p->rates = p->solution.v;
        return;
    }
    memcpy(p->rates, p->solution.v, 3 * (size_t)p->step->trees->n_blocks * sizeof *p->rates);
    for (int g = 0; g < p->n_gears; g++) {
        const tn_tree_gear *gear = &p->gear[g];
        if (gear->gone) {
            p->rates[gear->rate[1]] = ratio_of(gear) * p->rates[gear->rate[0]] + p->shift[gear->rate[1]];
        }
    }
}

bool tn_tree_gear_forces(const tn_tree_problem *p, tn_arena *arena, double *singles, double *lacking)
{
    if (!p->gear_of_rate) {
        return true;
    }
    double *along = TN_PUSH_RAW(arena, double, 3 * (size_t)p->step->trees->n_blocks);
    if (!along) {
        return false;
    }
    tn_tree_project(p->step, lacking, along);
    for (int g = 0; g < p->n_gears; g++) {
        const tn_tree_gear *gear = &p->gear[g];
        if (gear->gone) {
            singles[gear->single] = along[gear->rate[1]] / gear->factor[1];
            tn_single_push(p->whole->rows, gear->single, -singles[gear->single], lacking);
        }
    }
    return true;
}
