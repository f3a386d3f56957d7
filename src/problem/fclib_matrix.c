#include "problem/fclib_matrix.h"

#include <limits.h>
#include <stdio.h>

enum { NAME_SIZE = 96 };

static tn_status matrix_bad(const tn_fclib_reader *r, const tn_fclib_matrix *m, const char *part, const char *expected)
{
    return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset %s/%s: %s", m->name, part, expected);
}

static tn_status read_size(const tn_fclib_reader *r, const tn_fclib_matrix *m, const char *part, long long expected)
{
    char name[NAME_SIZE];
    long long value = 0;
    snprintf(name, sizeof name, "%s/%s", m->name, part);
    return tn_h5_read_int(&r->input, name, expected, expected, &value);
}

static tn_status read_matrix_arrays(const tn_fclib_reader *r, tn_fclib_matrix *m)
{
    char name[NAME_SIZE];
    tn_status status = read_size(r, m, "m", m->n_rows);
    status = status == TN_OK ? read_size(r, m, "n", m->n_cols) : status;
    if (status == TN_OK) {
        snprintf(name, sizeof name, "%s/nz", m->name);
        status = tn_h5_read_int(&r->input, name, -2, INT_MAX / 2 - 4, &m->nz);
    }
    if (status == TN_OK) {
        snprintf(name, sizeof name, "%s/p", m->name);
        status = tn_h5_read_ints(&r->input, name, r->scratch, &m->p, &m->n_p);
    }
    if (status == TN_OK) {
        snprintf(name, sizeof name, "%s/i", m->name);
        status = tn_h5_read_ints(&r->input, name, r->scratch, &m->i, &m->n_i);
    }
    if (status == TN_OK) {
        snprintf(name, sizeof name, "%s/x", m->name);
        status = tn_h5_read_doubles(&r->input, name, r->scratch, &m->x, &m->n_x);
    }
    return status;
}

static tn_status check_range(const tn_fclib_reader *r, const tn_fclib_matrix *m, const char *part,
                             const long long *values, int count, long long limit)
{
    for (int k = 0; k < count; ++k) {
        if (values[k] < 0 || values[k] >= limit) {
            return tn_error_at(r->input.error, r->input.path, 0, 0,
                               "dataset %s/%s: element %d is %lld, expected an index from 0 to %lld", m->name, part, k,
                               values[k], limit - 1);
        }
    }
    return TN_OK;
}

// Pointers of a compressed matrix: n + 1 of them, from 0, never falling, the last one within i and x.
static tn_status check_pointers(const tn_fclib_reader *r, const tn_fclib_matrix *m, long long n)
{
    if (m->n_p != n + 1) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset %s/p: %d elements, expected %lld", m->name,
                           m->n_p, n + 1);
    }
    if (m->p[0] != 0) {
        return matrix_bad(r, m, "p", "element 0 must be 0");
    }
    for (long long k = 0; k < n; ++k) {
        if (m->p[k + 1] < m->p[k]) {
            return tn_error_at(r->input.error, r->input.path, 0, 0,
                               "dataset %s/p: element %lld is %lld, expected at least the one before, %lld", m->name,
                               k + 1, m->p[k + 1], m->p[k]);
        }
    }
    if (m->n_i != m->n_x || m->p[n] > m->n_i || m->p[n] > INT_MAX / 2 - 4) {
        return tn_error_at(r->input.error, r->input.path, 0, 0,
                           "dataset %s/i: %d elements, and x %d, expected equal and at least %lld (the last of p)",
                           m->name, m->n_i, m->n_x, m->p[n]);
    }
    return TN_OK;
}

static bool buffer_push(tn_fclib_triplets *t, const tn_fclib_reader *r, long long capacity)
{
    t->count = 0;
    t->row = TN_PUSH(r->scratch, int, capacity);
    t->column = TN_PUSH(r->scratch, int, capacity);
    t->value = TN_PUSH(r->scratch, double, capacity);
    return t->row && t->column && t->value;
}

void tn_fclib_triplets_add(tn_fclib_triplets *t, long long row, long long column, double value)
{
    t->row[t->count] = (int)row;
    t->column[t->count] = (int)column;
    t->value[t->count] = value;
    t->count++;
}

static tn_status expand_triplets(const tn_fclib_reader *r, const tn_fclib_matrix *m, int extra, tn_fclib_triplets *t)
{
    if (m->n_p != m->nz || m->n_i != m->nz || m->n_x != m->nz) {
        return tn_error_at(r->input.error, r->input.path, 0, 0,
                           "dataset %s/i: %d elements, p %d and x %d, expected %lld each (nz)", m->name, m->n_i, m->n_p,
                           m->n_x, m->nz);
    }
    tn_status status = check_range(r, m, "i", m->i, m->n_i, m->n_rows);
    status = status == TN_OK ? check_range(r, m, "p", m->p, m->n_p, m->n_cols) : status;
    if (status == TN_OK && !buffer_push(t, r, m->nz + extra)) {
        return tn_error_set(r->input.error, TN_NO_MEMORY, "%s: no memory for %s", r->input.path, m->name);
    }
    for (int k = 0; status == TN_OK && k < m->n_x; ++k) {
        tn_fclib_triplets_add(t, m->i[k], m->p[k], m->x[k]);
    }
    return status;
}

static tn_status expand_compressed(const tn_fclib_reader *r, const tn_fclib_matrix *m, int extra, tn_fclib_triplets *t)
{
    bool by_columns = m->nz == -1;
    long long n = by_columns ? m->n_cols : m->n_rows;
    tn_status status = check_pointers(r, m, n);
    if (status == TN_OK) {
        status = check_range(r, m, "i", m->i, (int)m->p[n], by_columns ? m->n_rows : m->n_cols);
    }
    if (status == TN_OK && !buffer_push(t, r, m->p[n] + extra)) {
        return tn_error_set(r->input.error, TN_NO_MEMORY, "%s: no memory for %s", r->input.path, m->name);
    }
    for (long long major = 0; status == TN_OK && major < n; ++major) {
        for (long long k = m->p[major]; k < m->p[major + 1]; ++k) {
            tn_fclib_triplets_add(t, by_columns ? m->i[k] : major, by_columns ? major : m->i[k], m->x[k]);
        }
    }
    return status;
}

tn_status tn_fclib_read_matrix(const tn_fclib_reader *r, tn_fclib_matrix *m, int extra, tn_fclib_triplets *t)
{
    tn_status status = read_matrix_arrays(r, m);
    if (status != TN_OK) {
        return status;
    }
    return m->nz >= 0 ? expand_triplets(r, m, extra, t) : expand_compressed(r, m, extra, t);
}
