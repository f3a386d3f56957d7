#include "solver/lemke/system.h"

#include "problem/rows.h"
#include "solver/facets.h"

#include <math.h>
#include <string.h>

double tn_lemke_size(const tn_problem *problem)
{
    double size = 0.0;
    for (int m = 0; m < problem->rows->n_triples; ++m) {
        int n = tn_facets_count(problem, m);
        size += n > 0 ? n + 2.0 : 1.0;
    }
    return size + 2.0 * tn_joint_row_count(problem);
}

static bool two_bounds(const tn_rows *joints, int row)
{
    return isfinite(joints->lower[row]) && isfinite(joints->upper[row]);
}

// ---- unknowns

static tn_lemke_unknown *add(tn_lemke_system *s, int owner, double a, double b, double c)
{
    tn_lemke_unknown *u = &s->unknown[s->lcp.n++];
    *u = (tn_lemke_unknown){.owner = owner, .push = {a, b, c}};
    return u;
}

static void add_contact(tn_lemke_system *s, int m)
{
    const tn_problem *p = s->form->problem;
    int n = tn_facets_count(p, m);
    add(s, m, 1.0, 0.0, 0.0);
    for (int i = 0; i < n; ++i) {
        double d[2];
        tn_facets_direction(p, m, i, d);
        add(s, m, 0.0, d[0], d[1]);
    }
    if (n > 0) {
        add(s, m, 0.0, 0.0, 0.0);
    }
}

static void add_bounded(tn_lemke_system *s, int k)
{
    const tn_rows singles = tn_rows_singles(s->form->problem->rows), *joints = &singles;
    int row = s->form->bounded[k], owner = s->form->problem->rows->n_triples + k;
    bool low = isfinite(joints->lower[row]);
    s->base[k] = low ? joints->lower[row] : joints->upper[row];
    add(s, owner, low ? 1.0 : -1.0, 0.0, 0.0);
    if (two_bounds(joints, row)) {
        add(s, owner, 0.0, 0.0, 0.0);
    }
}

static bool allocate(tn_lemke_system *s, tn_arena *arena)
{
    int most = (int)tn_lemke_size(s->form->problem);
    s->first = TN_PUSH_RAW(arena, int, s->n_owners + 1);
    s->unknown = TN_PUSH_RAW(arena, tn_lemke_unknown, most);
    s->scale = TN_PUSH_RAW(arena, double, s->n_owners);
    s->base = TN_PUSH_RAW(arena, double, s->form->n_bounded);
    s->free = TN_PUSH_RAW(arena, double, s->form->n);
    return s->first && s->unknown && s->scale && s->base && s->free;
}

// ---- numbers

static int row_of(const tn_lemke_system *s, int owner, int *n_rows)
{
    int contacts = s->form->problem->rows->n_triples;
    *n_rows = owner < contacts ? 3 : 1;
    return owner < contacts ? 3 * owner : 2 * contacts + owner;
}

static void find_scales(tn_lemke_system *s)
{
    for (int o = 0; o < s->n_owners; ++o) {
        int n_rows, row = row_of(s, o, &n_rows);
        double own = 0.0;
        for (int r = row; r < row + n_rows; ++r) {
            own = fmax(own, s->form->own[r]);
        }
        s->scale[o] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
}

// Velocities where only the joint rows' base forces act, and their largest in scaled units.
static void find_free(tn_lemke_system *s)
{
    const tn_force_form *form = s->form;
    size_t n = (size_t)form->n, joints = n - (size_t)form->n_bounded;
    memcpy(s->free, form->q, n * sizeof *s->free);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < (size_t)form->n_bounded; ++k) {
            s->free[i] += form->H[i * n + joints + k] * s->base[k];
        }
    }
    s->largest = 0.0;
    for (int o = 0; o < s->n_owners; ++o) {
        int n_rows, row = row_of(s, o, &n_rows);
        for (int r = row; r < row + n_rows; ++r) {
            s->largest = fmax(s->largest, fabs(s->free[r]) * s->scale[o]);
        }
    }
    s->largest = s->largest > 0.0 ? s->largest : 1.0;
}

// M between the pushing unknowns of two owners.
static void fill_pair(tn_lemke_system *s, int a, int b)
{
    size_t n = (size_t)s->form->n, size = (size_t)s->lcp.n;
    int a_rows, b_rows, row = row_of(s, a, &a_rows), column = row_of(s, b, &b_rows);
    double scale = s->scale[a] * s->scale[b], size_of = 0.0;
    for (int i = 0; i < a_rows; ++i) {
        for (int j = 0; j < b_rows; ++j) {
            size_of += fabs(s->form->H[(size_t)(row + i) * n + (size_t)(column + j)]);
        }
    }
    if (size_of == 0.0) {
        return;
    }
    for (int k = s->first[a]; k < s->first[a + 1]; ++k) {
        double left[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < b_rows; ++j) {
            for (int i = 0; i < a_rows; ++i) {
                left[j] += s->unknown[k].push[i] * s->form->H[(size_t)(row + i) * n + (size_t)(column + j)];
            }
        }
        for (int l = s->first[b]; l < s->first[b + 1]; ++l) {
            const double *push = s->unknown[l].push;
            s->M[(size_t)k * size + (size_t)l] = scale * (left[0] * push[0] + left[1] * push[1] + left[2] * push[2]);
        }
    }
}

static void fill_free(tn_lemke_system *s, int owner)
{
    int n_rows, row = row_of(s, owner, &n_rows);
    for (int k = s->first[owner]; k < s->first[owner + 1]; ++k) {
        double sum = 0.0;
        for (int i = 0; i < n_rows; ++i) {
            sum += s->unknown[k].push[i] * s->free[row + i];
        }
        s->q[k] = sum * s->scale[owner] / s->largest;
    }
}

// Rows and column of a contact's slip.
static void couple_contact(tn_lemke_system *s, int m)
{
    const tn_problem *p = s->form->problem;
    size_t size = (size_t)s->lcp.n, normal = (size_t)s->first[m], slip = (size_t)s->first[m + 1] - 1;
    double mu = tn_facets_mu(p, m);
    if (slip == normal) {
        return;
    }
    s->M[slip * size + normal] = mu;
    s->M[normal * size + slip] = p->law == TN_LAW_CONVEX ? -mu : 0.0;
    for (size_t k = normal + 1; k < slip; ++k) {
        s->M[slip * size + k] = -1.0;
        s->M[k * size + slip] = 1.0;
    }
}

// A row between two bounds: 0 <= f - lower perp y + slip >= 0, 0 <= slip perp upper - f >= 0.
static void couple_bounded(tn_lemke_system *s, int k)
{
    const tn_rows singles = tn_rows_singles(s->form->problem->rows), *joints = &singles;
    int owner = s->form->problem->rows->n_triples + k, row = s->form->bounded[k];
    size_t size = (size_t)s->lcp.n, own = (size_t)s->first[owner];
    if (two_bounds(joints, row)) {
        s->M[own * size + own + 1] = 1.0;
        s->M[(own + 1) * size + own] = -1.0;
        s->q[own + 1] = (joints->upper[row] - joints->lower[row]) / (s->scale[owner] * s->largest);
    }
}

bool tn_lemke_system_create(const tn_force_form *form, tn_arena *arena, tn_lemke_system *out)
{
    tn_lemke_system *s = out;
    int n_contacts = form->problem->rows->n_triples;
    *s = (tn_lemke_system){.form = form, .n_owners = n_contacts + form->n_bounded};
    if (!allocate(s, arena)) {
        return false;
    }
    for (int o = 0; o < s->n_owners; ++o) {
        s->first[o] = s->lcp.n;
        if (o < n_contacts) {
            add_contact(s, o);
        } else {
            add_bounded(s, o - n_contacts);
        }
    }
    s->first[s->n_owners] = s->lcp.n;
    s->M = TN_PUSH(arena, double, (size_t)s->lcp.n *(size_t)s->lcp.n);
    s->q = TN_PUSH_RAW(arena, double, s->lcp.n);
    if (!s->M || !s->q) {
        return false;
    }
    find_scales(s);
    find_free(s);
    for (int a = 0; a < s->n_owners; ++a) {
        for (int b = 0; b < s->n_owners; ++b) {
            fill_pair(s, a, b);
        }
        fill_free(s, a);
    }
    for (int m = 0; m < n_contacts; ++m) {
        couple_contact(s, m);
    }
    for (int k = 0; k < form->n_bounded; ++k) {
        couple_bounded(s, k);
    }
    s->lcp.M = s->M;
    s->lcp.q = s->q;
    return true;
}

void tn_lemke_system_forces(const tn_lemke_system *system, const double *z, double *lambda, double *f)
{
    const tn_lemke_system *s = system;
    int n_contacts = s->form->problem->rows->n_triples;
    for (int o = 0; o < s->n_owners; ++o) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = s->first[o]; k < s->first[o + 1]; ++k) {
            for (int i = 0; i < 3; ++i) {
                sum[i] += s->unknown[k].push[i] * z[k] * s->scale[o] * s->largest;
            }
        }
        if (o < n_contacts) {
            memcpy(lambda + 3 * (size_t)o, sum, sizeof sum);
        } else {
            f[o - n_contacts] = s->base[o - n_contacts] + sum[0];
        }
    }
}
