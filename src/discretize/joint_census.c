// How many of the rows that joints lock are independent, and whether they can all hold; also of joints whose rates a
// step takes instead.
#include "tenon/check.h"

#include "discretize/joint_law.h"
#include "math/dense.h"
#include "math/sets.h"

#include <math.h>
#include <string.h>

// Rows of a group: a dense factorisation of so many takes seconds.
enum { MOST_ROWS = 1500 };
static const double RANK_TOLERANCE = 1e-9; // of the largest pivot

typedef struct work {
    const tn_rows *rows;
    const double *mass; // (3 n_blocks)
    int n_blocks;
    int *group;  // (n_blocks) of joined blocks: the first one's number
    int *column; // (n_blocks) within its group
    int *member; // rows of the present group
    tn_arena *arena;
} work;

static void join_blocks(work *w)
{
    for (int b = 0; b < w->n_blocks; b++) {
        w->group[b] = b;
    }
    for (int i = 0; i < w->rows->n_singles; i++) {
        int first = w->rows->start[i];
        for (int e = first + 1; e < w->rows->start[i + 1]; e++) {
            tn_sets_join(w->group, w->rows->block[first], w->rows->block[e]);
        }
    }
    for (int b = 0; b < w->n_blocks; b++) {
        w->group[b] = tn_set_of(w->group, b);
    }
}

// Row i of G M^-1/2, scaled to length 1, into a; returns the scale.
static double put_row(const work *w, int i, double *a)
{
    double square = 0.0;
    for (int e = w->rows->start[i]; e < w->rows->start[i + 1]; e++) {
        int block = w->rows->block[e];
        for (int k = 0; k < 3; k++) {
            double entry = w->rows->jacobian[3 * (size_t)e + (size_t)k] / sqrt(w->mass[3 * block + k]);
            a[3 * w->column[block] + k] = entry;
            square += entry * entry;
        }
    }
    return 1.0 / sqrt(square);
}

// Rank of the group's m rows over n velocities, and what is left of what they ask for.
static bool count_group(const work *w, int m, int n, tn_joint_census *out)
{
    double *a = TN_PUSH(w->arena, double, (size_t)m *(size_t)n), *whole = TN_PUSH(w->arena, double, (size_t)m *n);
    double *x = TN_PUSH(w->arena, double, m > n ? m : n);
    if (!a || !whole || !x) {
        return false;
    }
    for (int r = 0; r < m; r++) {
        double *row = a + (size_t)r * (size_t)n, scale = put_row(w, w->member[r], row);
        for (int k = 0; k < n; k++) {
            row[k] *= scale;
        }
        x[r] = -scale * w->rows->offset[w->member[r]];
        memcpy(whole + (size_t)r * (size_t)n, row, (size_t)n * sizeof *row);
    }
    int rank = tn_dense_least_squares(m, n, a, x, RANK_TOLERANCE);
    if (rank < 0) {
        return false;
    }
    out->n_dependent += m - rank;
    for (int r = 0; r < m; r++) {
        double scale = 1.0, left = 0.0;
        for (int k = 0; k < n; k++) {
            left += whole[(size_t)r * (size_t)n + (size_t)k] * x[k];
        }
        memset(a, 0, (size_t)n * sizeof *a);
        scale = put_row(w, w->member[r], a);
        left = fabs(left / scale + w->rows->offset[w->member[r]]);
        if (left > out->contradiction) {
            out->contradiction = left;
            out->joint = w->rows->joint[w->member[r]];
        }
    }
    return true;
}

// Rows that are rigid: the others can give way.
static bool is_rigid(const tn_rows *rows, int i)
{
    return rows->lower[i] == -INFINITY && rows->upper[i] == INFINITY;
}

static bool count_groups(work *w, const tn_joint_step *step, const tn_model *model, tn_joint_census *out)
{
    for (int g = 0; g < w->n_blocks; g++) {
        int m = 0, n = 0;
        if (w->group[g] != g) {
            continue;
        }
        for (int b = g; b < w->n_blocks; b++) {
            if (w->group[b] == g) {
                w->column[b] = n++;
            }
        }
        for (int i = 0; i < w->rows->n_singles; i++) {
            const tn_model_joint_row *row = &model->joint_rows[step->source[i]];
            bool lock = (row->role == TN_ROLE_HOLD || row->role == TN_ROLE_MOTOR) &&
                        tn_joint_softness_of(&model->joints[row->joint], row).compliance == 0.0;
            if (lock && is_rigid(w->rows, i) && w->group[w->rows->block[w->rows->start[i]]] == g) {
                w->member[m++] = i;
            }
        }
        out->n_rows += m;
        if (m > MOST_ROWS) {
            out->n_uncounted += m;
        } else if (m > 0) {
            tn_arena_mark mark = tn_arena_get_mark(w->arena);
            bool ok = count_group(w, m, 3 * n, out);
            tn_arena_release(w->arena, mark);
            if (!ok) {
                return false;
            }
        }
    }
    return true;
}

static tn_status count(const tn_model *model, const tn_state *state, tn_arena *arena, tn_joint_census *out,
                       tn_error *error)
{
    tn_joint_step step;
    size_t n = (size_t)model->n_blocks;
    double *mass = tn_balance_push_mass(model, arena);
    work w = {.mass = mass,
              .n_blocks = model->n_blocks,
              .group = TN_PUSH_RAW(arena, int, n),
              .column = TN_PUSH_RAW(arena, int, n),
              .member = TN_PUSH_RAW(arena, int, model->n_joint_rows),
              .arena = arena};
    if (!mass || !w.group || !w.column || !w.member) {
        return TN_NO_MEMORY;
    }
    tn_balance balance = {.theta = 1.0, .kappa = 1.0, .h = model->settings.step};
    tn_status status = tn_joint_step_build(model, state, &balance, true, arena, &step, error);
    if (status != TN_OK) {
        return status;
    }
    w.rows = &step.rows;
    join_blocks(&w);
    return count_groups(&w, &step, model, out) ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_state_joint_census(const tn_state *state, tn_joint_census *out, tn_error *error)
{
    if (!state || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "no state whose joints are to be counted");
    }
    const tn_model *model = state->model;
    *out = (tn_joint_census){.n_rows = 0};
    if (model->n_joints == 0) {
        return TN_OK;
    }
    tn_model rows = *model;
    rows.trees = NULL;
    tn_arena *arena = tn_arena_create(0);
    tn_status status = arena ? count(&rows, state, arena, out, error) : TN_NO_MEMORY;
    tn_arena_destroy(arena);
    return status == TN_NO_MEMORY
               ? tn_error_set(error, status, "no memory to count the rows of %d joints", model->n_joints)
               : status;
}
