// Products of tn_qp_rows with N, and sweeps over its rows.
#include "solver/qp/parts.h"

#include <math.h>
#include <string.h>

// The contact of row i, -1: a joint row.
static int contact_of(const tn_qp_rows *s, int i)
{
    int n = s->problem->rows->n_triples, low = 0, high = n;
    if (i >= s->first[n]) {
        return -1;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->first[middle] <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void tn_qp_rows_column(const tn_qp_rows *s, int p, int n_of, const int *of, double *out)
{
    int m = contact_of(s, p);
    for (int k = s->start[p]; k < s->start[p + 1]; ++k) {
        s->mark[s->component[k]] = k;
    }
    for (int l = 0; l < n_of; ++l) {
        int i = of[l];
        double sum = 0.0;
        for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
            int other = s->mark[s->component[k]];
            if (other >= 0) {
                sum += tn_qp_dot(tn_qp_part_size(s, s->component[k]), s->g + s->at[k], s->w + s->at[other]);
            }
        }
        bool together = m < 0 ? i == p : i >= s->first[m] && i < s->first[m + 1];
        out[l] = together ? sum + tn_qp_own_answer(s, m, i, p) * s->scale[i] * s->scale[p] : sum;
    }
    for (int k = s->start[p]; k < s->start[p + 1]; ++k) {
        s->mark[s->component[k]] = -1;
    }
}

static void add_own(const tn_qp_rows *s, int i, double change, double *y)
{
    int m = s->problem->rows->softness || i >= s->first[s->problem->rows->n_triples] ? contact_of(s, i) : 0;
    if (m < 0) {
        y[i] += tn_qp_own_answer(s, m, i, i) * s->scale[i] * s->scale[i] * change;
        return;
    }
    for (int j = s->first[m]; s->problem->rows->softness && j < s->first[m + 1]; ++j) {
        y[j] += tn_qp_own_answer(s, m, j, i) * s->scale[i] * s->scale[j] * change;
    }
}

// number += w of row i times change.
static void add_response(const tn_qp_rows *s, int i, double change)
{
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        double *to = s->number + s->offset[s->component[k]];
        const double *w = s->w + s->at[k];
        for (int j = 0; j < tn_qp_part_size(s, s->component[k]); ++j) {
            to[j] += w[j] * change;
        }
    }
}

// y plus the velocity that `number` gives row i.
static double with_velocity(const tn_qp_rows *s, int i, double y)
{
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        int component = s->component[k];
        y += tn_qp_dot(tn_qp_part_size(s, component), s->g + s->at[k], s->number + s->offset[component]);
    }
    return y;
}

void tn_qp_rows_add(const tn_qp_rows *s, int n_of, const int *of, const double *change, int n_at, const int *at,
                    double *y)
{
    memset(s->number, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->number);
    for (int l = 0; l < n_of; ++l) {
        if (change[l] != 0.0) {
            int i = of ? of[l] : l;
            add_response(s, i, change[l]);
            add_own(s, i, change[l], y);
        }
    }
    for (int l = 0; l < n_at; ++l) {
        y[at[l]] = with_velocity(s, at[l], y[at[l]]);
    }
}

void tn_qp_rows_sweep(const tn_qp_rows *s, int sweeps, int n_at, const int *at, double *f)
{
    int joints = s->first[s->problem->rows->n_triples];
    memset(s->number, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->number);
    for (int i = 0; i < s->n; ++i) {
        if (f[i] != 0.0) {
            add_response(s, i, f[i]);
        }
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int l = 0; l < n_at; ++l) {
            int i = at[l];
            double y = with_velocity(s, i, s->c[i]);
            if (i >= joints) {
                y += tn_qp_own_answer(s, -1, i, i) * s->scale[i] * s->scale[i] * f[i];
            }
            double moved = fmax(s->lower[i], fmin(s->upper[i], f[i] - y)), change = moved - f[i];
            if (change != 0.0) {
                f[i] = moved;
                add_response(s, i, change);
            }
        }
    }
}
