#include "solver/qp/set.h"

#include <math.h>
#include <string.h>

static const double NEAR = 0.1; // of the largest velocity: rows that are faster are looked at seldom
// Before the first working set is read from the forces: sweeps a round, while more than a few rows change in it.
enum { SWEEPS = 30, MAX_ROUNDS = 20, FEW = 16 };

bool tn_qp_set_create(tn_qp_set *s, const tn_qp_rows *rows, int capacity, tn_arena *arena)
{
    *s = (tn_qp_set){.rows = rows};
    size_t n = (size_t)rows->n;
    s->f = TN_PUSH_RAW(arena, double, n);
    s->y = TN_PUSH_RAW(arena, double, n);
    s->set = TN_PUSH_RAW(arena, int, n + 1);
    s->watched = TN_PUSH_RAW(arena, int, n);
    s->near = TN_PUSH(arena, bool, n);
    s->order = TN_PUSH_RAW(arena, int, n);
    s->working = TN_PUSH(arena, bool, n);
    s->given_up = TN_PUSH(arena, bool, n);
    s->along = TN_PUSH_RAW(arena, double, n + 1);
    s->column = TN_PUSH_RAW(arena, double, n);
    bool ok = tn_working_factor_create(capacity, arena, &s->factor);
    ok = ok && s->f && s->y && s->set && s->watched && s->near && s->order && s->working && s->given_up && s->along &&
         s->column;
    for (size_t i = 0; ok && i < n; ++i) {
        s->scale = fmax(s->scale, fabs(rows->c[i]));
    }
    return ok && tn_qp_rows_order(rows, arena, s->order);
}

// ---- the rows that are looked at

bool tn_qp_set_is_near(const tn_qp_set *s, int i)
{
    bool contact = s->rows->lower[i] == 0.0 && s->rows->upper[i] == INFINITY;
    return !contact || s->y[i] <= NEAR * s->scale;
}

void tn_qp_set_watch(tn_qp_set *s, bool all)
{
    s->n_watched = 0;
    for (int i = 0; i < s->rows->n; ++i) {
        if (all || s->near[i]) {
            s->watched[s->n_watched++] = i;
        }
    }
}

void tn_qp_set_refresh(tn_qp_set *s)
{
    for (int k = 0; k < s->n_watched; ++k) {
        s->y[s->watched[k]] = s->rows->c[s->watched[k]];
    }
    tn_qp_rows_add(s->rows, s->rows->n, NULL, s->f, s->n_watched, s->watched, s->y);
}

// ---- the working set

void tn_qp_set_leave(tn_qp_set *s, int at)
{
    s->working[s->set[at]] = false;
    tn_working_factor_remove(&s->factor, at);
    memmove(s->set + at, s->set + at + 1, (size_t)(s->factor.n - at) * sizeof *s->set);
    ++s->changes;
}

double tn_qp_set_reduce(tn_qp_set *s, int p)
{
    int n = s->factor.n;
    double left = 0.0;
    s->set[n] = p;
    tn_qp_rows_column(s->rows, p, n + 1, s->set, s->column);
    left = s->column[n];
    tn_working_factor_forward(&s->factor, s->column);
    for (int i = 0; i < n; ++i) {
        left -= s->column[i] * s->column[i];
    }
    return left;
}

void tn_qp_set_enter(tn_qp_set *s, int p, double left)
{
    s->set[s->factor.n] = p;
    s->working[p] = true;
    tn_working_factor_append(&s->factor, s->column, left);
    ++s->changes;
}

void tn_qp_set_factorise(tn_qp_set *s)
{
    int changes = s->changes;
    s->factor.n = 0;
    for (int k = 0; k < s->rows->n; ++k) {
        int i = s->order[k];
        if (!s->working[i]) {
            continue;
        }
        double left = tn_qp_set_has_room(s) ? tn_qp_set_reduce(s, i) : 0.0;
        if (left > TN_QP_DEPENDENT) {
            tn_qp_set_enter(s, i, left);
        } else {
            s->working[i] = false;
        }
    }
    s->changes = changes;
}

static bool between(const tn_qp_set *s, int i)
{
    return s->f[i] > s->rows->lower[i] && s->f[i] < s->rows->upper[i];
}

// The rows that sweeps have to look at.
static void watch_pressed(tn_qp_set *s)
{
    tn_qp_set_watch(s, true);
    tn_qp_set_refresh(s);
    s->n_watched = 0;
    for (int i = 0; i < s->rows->n; ++i) {
        if (s->f[i] != 0.0 || tn_qp_set_is_near(s, i)) {
            s->watched[s->n_watched++] = i;
        }
    }
}

// Forces near enough to the solution's that few rows have to enter or leave afterwards.
static void approach(tn_qp_set *s)
{
    int changed = FEW + 1;
    for (int round = 0; round < MAX_ROUNDS && changed > FEW; ++round) {
        changed = 0;
        watch_pressed(s);
        for (int k = 0; k < s->n_watched; ++k) {
            s->near[s->watched[k]] = between(s, s->watched[k]);
        }
        tn_qp_rows_sweep(s->rows, SWEEPS, s->n_watched, s->watched, s->f);
        for (int k = 0; k < s->n_watched; ++k) {
            changed += s->near[s->watched[k]] != between(s, s->watched[k]);
            s->near[s->watched[k]] = false;
        }
    }
}

void tn_qp_set_start(tn_qp_set *s, bool sweeps)
{
    if (sweeps) {
        approach(s);
    }
    for (int i = 0; i < s->rows->n; ++i) {
        s->working[i] = between(s, i);
    }
    tn_qp_set_factorise(s);
}
