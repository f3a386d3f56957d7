// Reader of FCLIB's layout. The file is not trusted: every size is checked against the vectors that were really read.
#include "problem/fclib.h"

#include "math/blocks.h"
#include "problem/hdf5_input.h"
#include "problem/triplets.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { NAME_SIZE = 96 };

// M of a physical step is symmetric up to how it was assembled and printed.
static const double SYMMETRY = 1e-8;

// What one reading passes around. scratch lives as long as the call.
typedef struct reader {
    tn_h5_input input;
    tn_arena *arena, *scratch;
    int dimension;  // 2 or 3
    int n_contacts; // from mu
} reader;

static tn_status no_memory(const reader *r)
{
    return tn_error_set(r->input.error, TN_NO_MEMORY, "%s: no memory for the problem", r->input.path);
}

// ---- vectors

static tn_status read_vector(const reader *r, const char *name, long long length, double **values)
{
    int count = 0;
    tn_status status = tn_h5_read_doubles(&r->input, name, r->scratch, values, &count);
    if (status == TN_OK && count != length) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset %s: %d elements, expected %lld", name, count,
                           length);
    }
    return status;
}

static tn_status read_mu(reader *r, const char *name, tn_contacts *contacts)
{
    double *file_mu = NULL;
    tn_status status = tn_h5_read_doubles(&r->input, name, r->scratch, &file_mu, &r->n_contacts);
    if (status != TN_OK) {
        return status;
    }
    double *mu = TN_PUSH(r->arena, double, 2 * (size_t)r->n_contacts);
    if (!mu) {
        return no_memory(r);
    }
    for (int i = 0; i < r->n_contacts; ++i) {
        if (file_mu[i] < 0.0) {
            return tn_error_at(r->input.error, r->input.path, 0, 0,
                               "dataset %s: element %d is %g, expected a friction coefficient of at least 0", name, i,
                               file_mu[i]);
        }
        mu[2 * i] = mu[2 * i + 1] = file_mu[i];
    }
    contacts->n = r->n_contacts;
    contacts->mu = mu;
    return TN_OK;
}

// q or w: dimension numbers a contact in the file, three here.
static tn_status read_offset(const reader *r, const char *name, tn_contacts *contacts)
{
    double *values = NULL;
    tn_status status = read_vector(r, name, (long long)r->dimension * r->n_contacts, &values);
    if (status != TN_OK) {
        return status;
    }
    double *offset = TN_PUSH(r->arena, double, 3 * (size_t)r->n_contacts);
    if (!offset) {
        return no_memory(r);
    }
    for (int i = 0; i < r->n_contacts; ++i) {
        for (int k = 0; k < r->dimension; ++k) {
            offset[3 * (size_t)i + (size_t)k] = values[(size_t)r->dimension * (size_t)i + (size_t)k];
        }
    }
    contacts->offset = offset;
    return TN_OK;
}

// ---- matrices

// Raw arrays of one matrix group and the size that it must have.
typedef struct matrix {
    const char *name;
    long long n_rows, n_cols; // expected
    long long nz;             // >= 0: triplets; -1: compressed columns; -2: compressed rows
    long long *p, *i;
    double *x;
    int n_p, n_i, n_x;
} matrix;

static tn_status matrix_bad(const reader *r, const matrix *m, const char *part, const char *expected)
{
    return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset %s/%s: %s", m->name, part, expected);
}

static tn_status read_size(const reader *r, const matrix *m, const char *part, long long expected)
{
    char name[NAME_SIZE];
    long long value = 0;
    snprintf(name, sizeof name, "%s/%s", m->name, part);
    return tn_h5_read_int(&r->input, name, expected, expected, &value);
}

static tn_status read_matrix_arrays(const reader *r, matrix *m)
{
    char name[NAME_SIZE];
    tn_status status = read_size(r, m, "m", m->n_rows);
    if (status == TN_OK) {
        status = read_size(r, m, "n", m->n_cols);
    }
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

static tn_status check_range(const reader *r, const matrix *m, const char *part, const long long *values, int count,
                             long long limit)
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
static tn_status check_pointers(const reader *r, const matrix *m, long long n)
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

// row, column: (count + extra) in scratch; the caller may append `extra` triplets.
typedef struct triplet_buffer {
    int count;
    int *row, *column;
    double *value;
} triplet_buffer;

static bool buffer_push(triplet_buffer *t, const reader *r, long long capacity)
{
    t->count = 0;
    t->row = TN_PUSH(r->scratch, int, capacity);
    t->column = TN_PUSH(r->scratch, int, capacity);
    t->value = TN_PUSH(r->scratch, double, capacity);
    return t->row && t->column && t->value;
}

static void buffer_add(triplet_buffer *t, long long row, long long column, double value)
{
    t->row[t->count] = (int)row;
    t->column[t->count] = (int)column;
    t->value[t->count] = value;
    t->count++;
}

static tn_status expand_triplets(const reader *r, const matrix *m, int extra, triplet_buffer *t)
{
    if (m->n_p != m->nz || m->n_i != m->nz || m->n_x != m->nz) {
        return tn_error_at(r->input.error, r->input.path, 0, 0,
                           "dataset %s/i: %d elements, p %d and x %d, expected %lld each (nz)", m->name, m->n_i, m->n_p,
                           m->n_x, m->nz);
    }
    tn_status status = check_range(r, m, "i", m->i, m->n_i, m->n_rows);
    if (status == TN_OK) {
        status = check_range(r, m, "p", m->p, m->n_p, m->n_cols);
    }
    if (status == TN_OK && !buffer_push(t, r, m->nz + extra)) {
        return no_memory(r);
    }
    for (int k = 0; status == TN_OK && k < m->n_x; ++k) {
        buffer_add(t, m->i[k], m->p[k], m->x[k]);
    }
    return status;
}

static tn_status expand_compressed(const reader *r, const matrix *m, int extra, triplet_buffer *t)
{
    bool by_columns = m->nz == -1;
    long long n = by_columns ? m->n_cols : m->n_rows;
    tn_status status = check_pointers(r, m, n);
    if (status == TN_OK) {
        status = check_range(r, m, "i", m->i, (int)m->p[n], by_columns ? m->n_rows : m->n_cols);
    }
    if (status == TN_OK && !buffer_push(t, r, m->p[n] + extra)) {
        return no_memory(r);
    }
    for (long long major = 0; status == TN_OK && major < n; ++major) {
        for (long long k = m->p[major]; k < m->p[major + 1]; ++k) {
            buffer_add(t, by_columns ? m->i[k] : major, by_columns ? major : m->i[k], m->x[k]);
        }
    }
    return status;
}

// A matrix group as triplets, all indices in range, with room for `extra` more.
static tn_status read_matrix(const reader *r, matrix *m, int extra, triplet_buffer *t)
{
    tn_status status = read_matrix_arrays(r, m);
    if (status != TN_OK) {
        return status;
    }
    return m->nz >= 0 ? expand_triplets(r, m, extra, t) : expand_compressed(r, m, extra, t);
}

// Bilateral rows (G, or V and R of the local form) would change the answer: refuse rather than drop them.
static tn_status refuse_bilateral(const reader *r, const char *group)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s/n", group);
    if (!tn_h5_has(&r->input, name)) {
        return TN_OK;
    }
    long long n = 0;
    tn_status status = tn_h5_read_int(&r->input, name, 0, INT_MAX, &n);
    if (status == TN_OK && n > 0) {
        return tn_error_at(r->input.error, r->input.path, 0, 0,
                           "group %s: %lld bilateral rows are not supported yet; only contacts are", group, n);
    }
    return status;
}

// ---- the two forms

static tn_status read_local(reader *r, tn_fclib_problem *out)
{
    tn_status status = refuse_bilateral(r, "fclib_local/V");
    if (status == TN_OK) {
        status = read_mu(r, "fclib_local/vectors/mu", &out->contacts);
    }
    if (status == TN_OK) {
        status = read_offset(r, "fclib_local/vectors/q", &out->contacts);
    }
    long long n = (long long)r->dimension * r->n_contacts;
    matrix m = {.name = "fclib_local/W", .n_rows = n, .n_cols = n};
    triplet_buffer t;
    if (status == TN_OK) {
        status = read_matrix(r, &m, 0, &t);
    }
    if (status != TN_OK) {
        return status;
    }
    out->problem.W = tn_triplets_to_blocks(
        &(tn_triplets){t.count, t.row, t.column, t.value},
        (tn_triplets_shape){r->dimension, r->dimension, r->n_contacts, r->n_contacts, false}, r->arena, r->scratch);
    return out->problem.W ? TN_OK : no_memory(r);
}

// M and f, padded with identity rows and zeros to blocks of three.
static tn_status read_balance(reader *r, tn_fclib_problem *out)
{
    double *f = NULL;
    int nv = 0;
    tn_status status = tn_h5_read_doubles(&r->input, "fclib_global/vectors/f", r->scratch, &f, &nv);
    if (status == TN_OK && nv > INT_MAX / 4) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset fclib_global/vectors/f: too many elements");
    }
    matrix m = {.name = "fclib_global/M", .n_rows = nv, .n_cols = nv};
    triplet_buffer t;
    if (status == TN_OK) {
        status = read_matrix(r, &m, 2, &t);
    }
    if (status != TN_OK) {
        return status;
    }
    int n_rows = (nv + 2) / 3;
    for (int k = nv; k < 3 * n_rows; ++k) {
        buffer_add(&t, k, k, 1.0);
    }
    double *b = TN_PUSH(r->arena, double, 3 * (size_t)n_rows);
    tn_blocks *A = tn_triplets_to_blocks(&(tn_triplets){t.count, t.row, t.column, t.value},
                                         (tn_triplets_shape){3, 3, n_rows, n_rows, true}, r->arena, r->scratch);
    if (!b || !A) {
        return no_memory(r);
    }
    if (!tn_blocks_is_symmetric(A, SYMMETRY)) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset fclib_global/M/x: M must be symmetric");
    }
    for (int k = 0; k < nv; ++k) {
        b[k] = f[k];
    }
    out->problem.A = A;
    out->problem.b = b;
    out->n_velocities = nv;
    return TN_OK;
}

static tn_status read_global(reader *r, tn_fclib_problem *out)
{
    tn_status status = refuse_bilateral(r, "fclib_global/G");
    if (status == TN_OK) {
        status = read_mu(r, "fclib_global/vectors/mu", &out->contacts);
    }
    if (status == TN_OK) {
        status = read_offset(r, "fclib_global/vectors/w", &out->contacts);
    }
    if (status == TN_OK) {
        status = read_balance(r, out);
    }
    matrix m = {
        .name = "fclib_global/H", .n_rows = out->n_velocities, .n_cols = (long long)r->dimension * r->n_contacts};
    triplet_buffer t;
    if (status == TN_OK) {
        status = read_matrix(r, &m, 0, &t);
    }
    if (status != TN_OK) {
        return status;
    }
    // The Jacobian is H^T: rows and columns change places.
    tn_blocks *J = tn_triplets_to_blocks(
        &(tn_triplets){t.count, t.column, t.row, t.value},
        (tn_triplets_shape){r->dimension, 3, r->n_contacts, out->problem.A->n_rows, false}, r->arena, r->scratch);
    double *frame = TN_PUSH(r->arena, double, 9 * (size_t)r->n_contacts);
    if (!J || !frame) {
        return no_memory(r);
    }
    for (int i = 0; i < r->n_contacts; ++i) {
        frame[9 * (size_t)i] = frame[9 * (size_t)i + 4] = frame[9 * (size_t)i + 8] = 1.0;
    }
    out->contacts.frame = frame;
    out->contacts.start = J->start;
    out->contacts.block = J->column;
    out->contacts.jacobian = J->value;
    return TN_OK;
}

static double largest(long long count, const double *x)
{
    double norm = 0.0;
    for (long long i = 0; i < count; ++i) {
        norm = fabs(x[i]) > norm ? fabs(x[i]) : norm;
    }
    return norm;
}

static double largest_diagonal(const tn_blocks *m)
{
    double found = 0.0;
    for (int i = 0; i < m->n_rows; ++i) {
        for (int k = m->start[i]; k < m->start[i + 1]; ++k) {
            const double *x = &m->value[9 * (size_t)k];
            double block = largest(3, (const double[]){x[0], x[4], x[8]});
            found = m->column[k] == i && block > found ? block : found;
        }
    }
    return found;
}

// Floors of the certificate's norms: |w|_inf and |b|_inf. Where b = 0 or in local form, the force that takes |w|_inf
// (|q|_inf) away, by the largest diagonal of A or W.
static void set_scales(tn_problem *p)
{
    p->velocity_scale = largest(3LL * p->contacts->n, p->contacts->offset);
    if (p->A) {
        double b = largest(3LL * p->A->n_rows, p->b);
        p->force_scale = b > 0.0 ? b : largest_diagonal(p->A) * p->velocity_scale;
    } else {
        double w = largest_diagonal(p->W);
        p->force_scale = w > 0.0 ? p->velocity_scale / w : 0.0;
    }
}

static tn_status read_problem(reader *r, tn_fclib_problem *out)
{
    bool local = tn_h5_has(&r->input, "fclib_local");
    bool global = tn_h5_has(&r->input, "fclib_global");
    if (local == global) {
        return tn_error_at(r->input.error, r->input.path, 0, 0,
                           local ? "holds both groups fclib_local and fclib_global, expected one of them"
                                 : "group fclib_local or fclib_global is missing: not an FCLIB problem");
    }
    long long dimension = 0;
    tn_status status =
        tn_h5_read_int(&r->input, local ? "fclib_local/spacedim" : "fclib_global/spacedim", 2, 3, &dimension);
    if (status != TN_OK) {
        return status;
    }
    r->dimension = out->space_dimension = (int)dimension;
    tn_h5_read_text(&r->input, local ? "fclib_local/info" : "fclib_global/info", "title", sizeof out->title,
                    out->title);
    status = local ? read_local(r, out) : read_global(r, out);
    if (status == TN_OK) {
        out->problem.contacts = &out->contacts;
        out->problem.law = TN_LAW_COULOMB;
        out->problem.step = 1.0;
        set_scales(&out->problem);
    }
    return status;
}

tn_status tn_fclib_read(const char *path, tn_arena *arena, tn_fclib_problem *out, tn_error *error)
{
    *out = (tn_fclib_problem){0};
    reader r = {.arena = arena, .scratch = tn_arena_create("fclib", 0)};
    if (!r.scratch) {
        return tn_error_set(error, TN_NO_MEMORY, "%s: no memory", path);
    }
    tn_status status = tn_h5_open(path, error, &r.input);
    if (status == TN_OK) {
        status = read_problem(&r, out);
        tn_h5_close(&r.input);
    }
    tn_arena_destroy(r.scratch);
    return status;
}
