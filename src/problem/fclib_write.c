// Writer of FCLIB's layout. FCLIB balances impulses: M v = f + H r, u = H^T v + w with r = h lambda, so the global form
// is stored as M = h A, f = h b, H = J^T and the local form as W / h; a reader that takes h = 1 finds the same v and u.
// Every number of a stored block is written, zeros too, so that a problem of step 1 is read back to the last bit.
#include "base/draft.h"
#include "law/law.h"
#include "problem/fclib.h"
#include "problem/hdf5.h"
#include "problem/problem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 96, IMAGE_STEP = 1 << 20 }; // bytes by which a file in memory grows

// Where and how a problem is written. dimension 2 drops each contact's second tangent, n_velocities the padding.
typedef struct writer {
    hid_t file;
    tn_arena *scratch;
    int dimension;
    int n_velocities;
} writer;

// ---- HDF5 pieces; each returns false on failure

// Without the time of writing, so that equal problems give equal files.
static hid_t create_set(const writer *w, const char *name, hid_t type, hid_t space)
{
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plan, false);
    hid_t set = H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    tn_h5_release(plan);
    return set;
}

static bool write_array(const writer *w, const char *name, hid_t type, hsize_t count, const void *values)
{
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = create_set(w, name, type, space);
    bool ok = set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    ok = tn_h5_release(set) && ok;
    tn_h5_release(space);
    return ok;
}

static bool write_doubles(const writer *w, const char *name, hsize_t count, const double *values)
{
    return write_array(w, name, H5T_NATIVE_DOUBLE, count, values);
}

static bool write_int(const writer *w, const char *name, int value)
{
    return write_array(w, name, H5T_NATIVE_INT, 1, &value);
}

static bool write_group(const writer *w, const char *name)
{
    hid_t group = H5Gcreate2(w->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

static bool write_text(const writer *w, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = create_set(w, name, type, space);
    bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    tn_h5_release(set);
    tn_h5_release(space);
    tn_h5_release(type);
    return ok;
}

// FCLIB reads all three texts.
static bool write_info(const writer *w, const char *group, const tn_problem *p, const char *title)
{
    char name[NAME_SIZE], law[NAME_SIZE];
    snprintf(law, sizeof law, "law %s facets %d", tn_law_words[p->law], p->facets);
    snprintf(name, sizeof name, "%s/info", group);
    bool ok = write_group(w, name);
    snprintf(name, sizeof name, "%s/info/title", group);
    ok = ok && write_text(w, name, title ? title : "");
    snprintf(name, sizeof name, "%s/info/description", group);
    ok = ok && write_text(w, name, "one time step's frictional contact problem in impulses, written by tenon");
    snprintf(name, sizeof name, "%s/info/math_info", group);
    return ok && write_text(w, name, law);
}

// ---- matrices and vectors

// Block rows of a matrix (or of H^T) and which scalars of them FCLIB gets.
typedef struct block_rows {
    int n_rows, n_cols; // scalars
    int n_block_rows;
    const int *start, *column;
    const double *value;
    int row_stride, column_stride; // scalars of a block that are written
    bool transpose;                // written with rows and columns exchanged
    double factor;
} block_rows;

typedef struct triplet_arrays {
    int count;
    int *row, *column;
    double *value;
} triplet_arrays;

static void add_block(const block_rows *m, int row, int k, triplet_arrays *t)
{
    for (int i = 0; i < m->row_stride; ++i) {
        for (int j = 0; j < m->column_stride; ++j) {
            int r = m->row_stride * row + i;
            int c = m->column_stride * m->column[k] + j;
            if (r < (m->transpose ? m->n_cols : m->n_rows) && c < (m->transpose ? m->n_rows : m->n_cols)) {
                t->row[t->count] = m->transpose ? c : r;
                t->column[t->count] = m->transpose ? r : c;
                t->value[t->count] = m->factor * m->value[9 * (size_t)k + 3 * (size_t)i + (size_t)j];
                t->count++;
            }
        }
    }
}

static tn_status write_matrix(const writer *w, const char *group, const block_rows *m)
{
    size_t n_blocks = m->n_block_rows > 0 ? (size_t)m->start[m->n_block_rows] : 0;
    if (n_blocks > INT_MAX / 9) {
        return TN_BAD_INPUT;
    }
    triplet_arrays t = {0, TN_PUSH(w->scratch, int, 9 * n_blocks), TN_PUSH(w->scratch, int, 9 * n_blocks),
                        TN_PUSH(w->scratch, double, 9 * n_blocks)};
    if (!t.row || !t.column || !t.value) {
        return TN_NO_MEMORY;
    }
    for (int row = 0; row < m->n_block_rows; ++row) {
        for (int k = m->start[row]; k < m->start[row + 1]; ++k) {
            add_block(m, row, k, &t);
        }
    }
    const char *parts[4] = {"m", "n", "nz", "nzmax"};
    const int sizes[4] = {m->n_rows, m->n_cols, t.count, t.count};
    char name[NAME_SIZE];
    bool ok = write_group(w, group);
    for (int i = 0; ok && i < 4; ++i) {
        snprintf(name, sizeof name, "%s/%s", group, parts[i]);
        ok = write_int(w, name, sizes[i]);
    }
    snprintf(name, sizeof name, "%s/i", group);
    ok = ok && write_array(w, name, H5T_NATIVE_INT, (hsize_t)t.count, t.row);
    snprintf(name, sizeof name, "%s/p", group);
    ok = ok && write_array(w, name, H5T_NATIVE_INT, (hsize_t)t.count, t.column);
    snprintf(name, sizeof name, "%s/x", group);
    return ok && write_doubles(w, name, (hsize_t)t.count, t.value) ? TN_OK : TN_IO;
}

// Each contact's three numbers as `dimension` numbers.
static tn_status write_contact_vector(const writer *w, const char *name, int n, double factor, const double *values)
{
    double *packed = TN_PUSH(w->scratch, double, (size_t)w->dimension *(size_t)n);
    if (!packed) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < w->dimension; ++k) {
            packed[w->dimension * i + k] = factor * values[3 * i + k];
        }
    }
    return write_doubles(w, name, (hsize_t)w->dimension * (hsize_t)n, packed) ? TN_OK : TN_IO;
}

static tn_status write_mu(const writer *w, const char *name, const tn_rows *c)
{
    double *mu = TN_PUSH(w->scratch, double, c->n_triples);
    if (!mu) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < c->n_triples; ++i) {
        mu[i] = c->mu[2 * i];
    }
    return write_doubles(w, name, (hsize_t)c->n_triples, mu) ? TN_OK : TN_IO;
}

// ---- the two forms

static tn_status write_local(const writer *w, const tn_problem *p, const char *title)
{
    const tn_rows *c = p->rows;
    if (!write_group(w, "fclib_local") || !write_info(w, "fclib_local", p, title) ||
        !write_int(w, "fclib_local/spacedim", w->dimension) || !write_group(w, "fclib_local/vectors")) {
        return TN_IO;
    }
    int n = w->dimension * c->n_triples;
    tn_status status = write_matrix(w, "fclib_local/W",
                                    &(block_rows){n, n, c->n_triples, p->W->start, p->W->column, p->W->value,
                                                  w->dimension, w->dimension, false, 1.0 / p->step});
    status = status == TN_OK ? write_mu(w, "fclib_local/vectors/mu", c) : status;
    return status != TN_OK ? status : write_contact_vector(w, "fclib_local/vectors/q", c->n_triples, 1.0, c->offset);
}

static tn_status write_impulse(const writer *w, const tn_problem *p)
{
    double *f = TN_PUSH(w->scratch, double, w->n_velocities);
    if (!f) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < w->n_velocities; ++i) {
        f[i] = p->step * p->b[i];
    }
    return write_doubles(w, "fclib_global/vectors/f", (hsize_t)w->n_velocities, f) ? TN_OK : TN_IO;
}

static tn_status write_global(const writer *w, const tn_problem *p, const char *title)
{
    const tn_rows *c = p->rows;
    if (!write_group(w, "fclib_global") || !write_info(w, "fclib_global", p, title) ||
        !write_int(w, "fclib_global/spacedim", w->dimension) || !write_group(w, "fclib_global/vectors")) {
        return TN_IO;
    }
    int nv = w->n_velocities;
    tn_status status =
        write_matrix(w, "fclib_global/M",
                     &(block_rows){nv, nv, p->A->n_rows, p->A->start, p->A->column, p->A->value, 3, 3, false, p->step});
    if (status == TN_OK) {
        status = write_matrix(w, "fclib_global/H",
                              &(block_rows){nv, w->dimension * c->n_triples, c->n_triples, c->start, c->block,
                                            c->jacobian, w->dimension, 3, true, 1.0});
    }
    status = status == TN_OK ? write_impulse(w, p) : status;
    status = status == TN_OK ? write_mu(w, "fclib_global/vectors/mu", c) : status;
    return status != TN_OK ? status : write_contact_vector(w, "fclib_global/vectors/w", c->n_triples, 1.0, c->offset);
}

static tn_status write_solution(const writer *w, const tn_problem *p, const tn_solution *s)
{
    const tn_rows *c = p->rows;
    double *u = TN_PUSH(w->scratch, double, 3 * (size_t)c->n_triples);
    if (!u) {
        return TN_NO_MEMORY;
    }
    tn_problem_velocity(p, s->v, s->lambda, u);
    if (!write_group(w, "solution")) {
        return TN_IO;
    }
    if (p->A && !write_doubles(w, "solution/v", (hsize_t)w->n_velocities, s->v)) {
        return TN_IO;
    }
    tn_status status = write_contact_vector(w, "solution/u", c->n_triples, 1.0, u);
    return status != TN_OK ? status : write_contact_vector(w, "solution/r", c->n_triples, p->step, s->lambda);
}

// ---- files

// What FCLIB's layout has no place for.
static tn_status check_kinds(const tn_rows *c, tn_error *error)
{
    if (c->n_frictions > 0) {
        return tn_error_set(error, TN_BAD_INPUT, "FCLIB files cannot hold friction of rolling, torsion and joints");
    }
    if (c->preload) {
        return tn_error_set(error, TN_BAD_INPUT, "FCLIB files cannot hold contacts that pull (adhesion)");
    }
    if (c->n_singles > 0) {
        return tn_error_set(error, TN_BAD_INPUT, "FCLIB files of ours cannot hold joints");
    }
    if (c->softness) {
        return tn_error_set(error, TN_BAD_INPUT, "FCLIB files cannot hold invertible contacts (omega)");
    }
    return TN_OK;
}

static tn_status check_friction(const tn_rows *c, tn_error *error)
{
    for (int i = 0; i < c->n_triples; ++i) {
        if (c->mu[2 * i] != c->mu[2 * i + 1]) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "FCLIB files hold one friction coefficient a contact; contact %d has %g and %g", i,
                                c->mu[2 * i], c->mu[2 * i + 1]);
        }
    }
    return TN_OK;
}

static tn_status write_groups(const writer *w, const tn_problem *p, const char *title, const tn_solution *solution)
{
    tn_status status = p->A ? write_global(w, p, title) : write_local(w, p, title);
    return status == TN_OK && solution ? write_solution(w, p, solution) : status;
}

// The file is made in memory, as HDF5 writes to names alone.
static tn_status create_image(writer *w)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, IMAGE_STEP, false);
    w->file = H5Fcreate("problem", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    tn_h5_release(access);
    return w->file < 0 ? TN_NO_MEMORY : TN_OK;
}

static tn_status copy_image(const writer *w, FILE *out)
{
    ssize_t size = H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(w->file, NULL, 0);
    char *image = size > 0 ? TN_PUSH(w->scratch, char, size) : NULL;
    if (!image || H5Fget_file_image(w->file, image, (size_t)size) != size) {
        return TN_NO_MEMORY;
    }
    return fwrite(image, 1, (size_t)size, out) == (size_t)size ? TN_OK : TN_IO;
}

static tn_status write_file(writer *w, const tn_problem *p, const char *title, const tn_solution *solution, FILE *out)
{
    tn_status status = create_image(w);
    if (status != TN_OK) {
        return status;
    }
    status = write_groups(w, p, title, solution);
    status = status == TN_OK ? copy_image(w, out) : status;
    H5Fclose(w->file);
    return status;
}

static tn_status write_checked(writer *w, const char *path, const tn_problem *p, const char *title,
                               const tn_solution *solution, tn_error *error)
{
    tn_status status = check_kinds(p->rows, error);
    status = status == TN_OK ? tn_problem_check(p, error) : status;
    status = status == TN_OK ? check_friction(p->rows, error) : status;
    status = status == TN_OK ? tn_fclib_write_check(path, error) : status;
    if (status != TN_OK) {
        return status;
    }
    tn_draft draft;
    status = tn_draft_open(&draft, path, error);
    if (status != TN_OK) {
        return status;
    }
    w->scratch = tn_arena_create(0);
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    status = w->scratch ? write_file(w, p, title, solution, draft.out) : TN_NO_MEMORY;
    tn_h5_quiet_end(quiet);
    tn_arena_destroy(w->scratch);
    if (status != TN_OK) {
        tn_error_set(error, status, "%s: %s", path,
                     status == TN_BAD_INPUT ? "the problem has more entries than FCLIB's integers can count"
                                            : "no memory");
    }
    return tn_draft_close(&draft, status, NULL, error);
}

tn_status tn_fclib_write(const char *path, const tn_problem *problem, const char *title, tn_error *error)
{
    writer w = {.dimension = 3, .n_velocities = problem->A ? 3 * problem->A->n_rows : 0};
    return write_checked(&w, path, problem, title, NULL, error);
}

tn_status tn_fclib_write_solution(const char *path, const tn_fclib_problem *problem, const tn_solution *solution,
                                  tn_error *error)
{
    writer w = {.dimension = problem->space_dimension, .n_velocities = problem->n_velocities};
    return write_checked(&w, path, &problem->problem, problem->title, solution, error);
}
