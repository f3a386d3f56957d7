#include "solver/ipm/interior_local.h"

static bool is_frictionless(const tn_problem *p, int m)
{
    const double *mu = p->rows->mu + 2 * (size_t)m;
    return p->law == TN_LAW_FRICTIONLESS || !(mu[0] > 0.0 && mu[1] > 0.0);
}

// W's block (row, column) without the rows and columns of tangents that carry no force.
static void fill_block(const tn_problem *p, int row, int column, const double *W, double *out)
{
    const double *softness = p->rows->softness;
    bool cut_row = is_frictionless(p, row), cut_column = is_frictionless(p, column);
    for (int i = 0; i < 9; ++i) {
        bool cut = (cut_row && i / 3 > 0) || (cut_column && i % 3 > 0);
        double value = W[i] + (softness && row == column ? softness[9 * (size_t)row + (size_t)i] : 0.0);
        out[i] = !cut ? value : row == column && i % 4 == 0 ? W[0] : 0.0;
    }
}

bool tn_interior_local_create(tn_interior_local *local, const tn_problem *p, tn_arena *arena)
{
    const tn_blocks *W = p->W;
    size_t n = (size_t)p->rows->n_triples, n_blocks = n > 0 ? (size_t)W->start[n] : 0;
    double *value = TN_PUSH(arena, double, 9 * n_blocks), *jacobian = TN_PUSH(arena, double, 9 * n);
    double *offset = TN_PUSH(arena, double, 3 * n), *mu = TN_PUSH(arena, double, 2 * n);
    int *start = TN_PUSH(arena, int, n + 1), *block = TN_PUSH(arena, int, n);
    local->b = TN_PUSH(arena, double, 3 * n);
    if (!value || !jacobian || !offset || !mu || !start || !block || !local->b) {
        return false;
    }
    for (size_t m = 0; m < n; ++m) {
        for (int k = W->start[m]; k < W->start[m + 1]; ++k) {
            fill_block(p, (int)m, W->column[k], W->value + 9 * (size_t)k, value + 9 * (size_t)k);
        }
        bool none = is_frictionless(p, (int)m);
        for (size_t i = 0; i < 3; ++i) {
            jacobian[9 * m + 4 * i] = 1.0;
            local->b[3 * m + i] = none && i > 0 ? 0.0 : -p->rows->offset[3 * m + i];
        }
        for (size_t i = 0; i < 2; ++i) {
            mu[2 * m + i] = none ? 1.0 : 1.0 / p->rows->mu[2 * m + i];
        }
        start[m] = block[m] = (int)m;
    }
    start[n] = (int)n;
    local->A = (tn_blocks){.n_rows = W->n_rows, .n_cols = W->n_cols, .start = W->start, .column = W->column};
    local->A.value = value;
    local->contacts = (tn_rows){.n_triples = (int)n, .offset = offset, .mu = mu, .start = start, .block = block};
    local->contacts.jacobian = jacobian;
    local->problem = (tn_problem){.A = &local->A, .b = local->b, .rows = &local->contacts};
    local->problem.law = TN_LAW_CONVEX;
    local->problem.step = p->step;
    return true;
}
