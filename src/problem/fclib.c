// Reader of FCLIB's layout. The file is not trusted: every size is checked against the vectors that were really read.
#include "problem/fclib.h"

#include "law/law.h"
#include "math/blocks.h"
#include "math/sums.h"
#include "problem/fclib_matrix.h"
#include "problem/triplets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 96 };

// M of a physical step is symmetric up to how it was assembled and printed.
static const double SYMMETRY = 1e-8;

static tn_status no_memory(const tn_fclib_reader *r)
{
    return tn_error_set(r->input.error, TN_NO_MEMORY, "%s: no memory for the problem", r->input.path);
}

// ---- vectors

static tn_status read_vector(const tn_fclib_reader *r, const char *name, long long length, double **values)
{
    int count = 0;
    tn_status status = tn_h5_read_doubles(&r->input, name, r->scratch, values, &count);
    if (status == TN_OK && count != length) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset %s: %d elements, expected %lld", name, count,
                           length);
    }
    return status;
}

static tn_status read_mu(tn_fclib_reader *r, const char *name, tn_rows *contacts)
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
    contacts->n_triples = r->n_contacts;
    contacts->mu = mu;
    return TN_OK;
}

// q or w: dimension numbers a contact in the file, three here.
static tn_status read_offset(const tn_fclib_reader *r, const char *name, tn_rows *contacts)
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

// ---- refusals and the two forms

// Bilateral rows (G, or V and R of the local form) would change the answer: refuse rather than drop them.
static tn_status refuse_bilateral(const tn_fclib_reader *r, const char *group)
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

static tn_status read_local(tn_fclib_reader *r, tn_fclib_problem *out)
{
    tn_status status = refuse_bilateral(r, "fclib_local/V");
    status = status == TN_OK ? read_mu(r, "fclib_local/vectors/mu", &out->contacts) : status;
    status = status == TN_OK ? read_offset(r, "fclib_local/vectors/q", &out->contacts) : status;
    long long n = (long long)r->dimension * r->n_contacts;
    tn_fclib_matrix m = {.name = "fclib_local/W", .n_rows = n, .n_cols = n};
    tn_fclib_triplets t;
    status = status == TN_OK ? tn_fclib_read_matrix(r, &m, 0, &t) : status;
    if (status != TN_OK) {
        return status;
    }
    out->problem.W = tn_triplets_to_blocks(
        &(tn_triplets){t.count, t.row, t.column, t.value},
        (tn_triplets_shape){r->dimension, r->dimension, r->n_contacts, r->n_contacts, false}, r->arena, r->scratch);
    return out->problem.W ? TN_OK : no_memory(r);
}

// M and f, padded with identity rows and zeros to blocks of three.
static tn_status read_balance(tn_fclib_reader *r, tn_fclib_problem *out)
{
    double *f = NULL;
    int nv = 0;
    tn_status status = tn_h5_read_doubles(&r->input, "fclib_global/vectors/f", r->scratch, &f, &nv);
    if (status == TN_OK && nv > INT_MAX / 4) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "dataset fclib_global/vectors/f: too many elements");
    }
    tn_fclib_matrix m = {.name = "fclib_global/M", .n_rows = nv, .n_cols = nv};
    tn_fclib_triplets t;
    status = status == TN_OK ? tn_fclib_read_matrix(r, &m, 2, &t) : status;
    if (status != TN_OK) {
        return status;
    }
    int n_rows = (nv + 2) / 3;
    for (int k = nv; k < 3 * n_rows; ++k) {
        tn_fclib_triplets_add(&t, k, k, 1.0);
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

static tn_status read_global(tn_fclib_reader *r, tn_fclib_problem *out)
{
    tn_status status = refuse_bilateral(r, "fclib_global/G");
    status = status == TN_OK ? read_mu(r, "fclib_global/vectors/mu", &out->contacts) : status;
    status = status == TN_OK ? read_offset(r, "fclib_global/vectors/w", &out->contacts) : status;
    status = status == TN_OK ? read_balance(r, out) : status;
    tn_fclib_matrix m = {
        .name = "fclib_global/H", .n_rows = out->n_velocities, .n_cols = (long long)r->dimension * r->n_contacts};
    tn_fclib_triplets t;
    status = status == TN_OK ? tn_fclib_read_matrix(r, &m, 0, &t) : status;
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

static double largest_diagonal(const tn_blocks *m)
{
    double found = 0.0;
    for (int i = 0; i < m->n_rows; ++i) {
        for (int k = m->start[i]; k < m->start[i + 1]; ++k) {
            const double *x = &m->value[9 * (size_t)k];
            double block = tn_largest(3, (const double[]){x[0], x[4], x[8]});
            found = m->column[k] == i && block > found ? block : found;
        }
    }
    return found;
}

// Floors of the certificate's norms: |w|_inf and |b|_inf. Where b = 0 or in local form, the force that takes |w|_inf
// (|q|_inf) away, by the largest diagonal of A or W.
static void set_scales(tn_problem *p)
{
    p->velocity_scale = tn_largest(3 * (size_t)p->rows->n_triples, p->rows->offset);
    if (p->A) {
        double b = tn_largest(3 * (size_t)p->A->n_rows, p->b);
        p->force_scale = b > 0.0 ? b : largest_diagonal(p->A) * p->velocity_scale;
    } else {
        double w = largest_diagonal(p->W);
        p->force_scale = w > 0.0 ? p->velocity_scale / w : 0.0;
    }
}

// As tn_fclib_write says them, "law WORD facets N"; a text of another form is another program's, whose problems are of
// the strict law.
static tn_status read_law(const tn_fclib_reader *r, const char *info, tn_problem *p)
{
    char text[NAME_SIZE];
    tn_h5_read_text(&r->input, info, "math_info", sizeof text, text);
    char *facets = strstr(text, " facets "), *end;
    if (strncmp(text, "law ", 4) != 0 || !facets) {
        return TN_OK;
    }
    *facets = '\0';
    facets += strlen(" facets ");
    long n = strtol(facets, &end, 10);
    int law = 0;
    while (tn_law_words[law] && strcmp(text + 4, tn_law_words[law]) != 0) {
        law++;
    }
    if (!tn_law_words[law]) {
        return tn_error_at(r->input.error, r->input.path, 0, 0, "text %s/math_info: unknown law '%s'", info, text + 4);
    }
    if (end == facets || *end || (n != 0 && !tn_facets_fit(n))) {
        return tn_error_at(r->input.error, r->input.path, 0, 0,
                           "text %s/math_info: facets '%s', expected 0 (the round cone), " TN_FACETS_EXPECTED, info,
                           facets);
    }
    p->law = (tn_law)law;
    p->facets = (int)n;
    return TN_OK;
}

static tn_status read_problem(tn_fclib_reader *r, tn_fclib_problem *out)
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
    const char *info = local ? "fclib_local/info" : "fclib_global/info";
    tn_h5_read_text(&r->input, info, "title", sizeof out->title, out->title);
    status = read_law(r, info, &out->problem);
    if (status == TN_OK) {
        status = local ? read_local(r, out) : read_global(r, out);
    }
    if (status == TN_OK) {
        out->problem.rows = &out->contacts;
        out->problem.step = 1.0;
        set_scales(&out->problem);
    }
    return status;
}

tn_status tn_fclib_read(const char *path, tn_arena *arena, tn_fclib_problem *out, tn_error *error)
{
    *out = (tn_fclib_problem){0};
    tn_fclib_reader r = {.arena = arena, .scratch = tn_arena_create(0)};
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
