// The unknowns of the LCP, its matrix from the dense form of the rows that have a choice.
#include "solver/lemke/system.h"

#include "math/sums.h"
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

// W's number (r, c).
static double entry(const tn_dense *form, int r, int c)
{
    return form->W[(size_t)r * (size_t)form->stride + (size_t)c];
}

static void add(tn_lemke_system *s, int row, int n_rows, double a, double b, double c)
{
    double most = 0.0;
    for (int r = row; r < row + n_rows; ++r) {
        most = fmax(most, entry(s->form, r, r));
    }
    double scale = most > 0.0 ? 1.0 / sqrt(most) : 1.0;
    s->unknown[s->lcp.n++] = (tn_lemke_unknown){.row = row, .n_rows = n_rows, .scale = scale, .push = {a, b, c}};
}

static void add_contact(tn_lemke_system *s, int m)
{
    const tn_problem *p = s->form->problem;
    int n = tn_facets_count(p, m);
    add(s, 3 * m, 3, 1.0, 0.0, 0.0);
    for (int i = 0; i < n; ++i) {
        double d[2];
        tn_facets_direction(p, m, i, d);
        add(s, 3 * m, 3, 0.0, d[0], d[1]);
    }
    if (n > 0) {
        add(s, 3 * m, 3, 0.0, 0.0, 0.0);
    }
}

static void add_bounded(tn_lemke_system *s, int k)
{
    const tn_rows *singles = &s->form->singles;
    int number = s->form->bounded[k], row = 3 * s->form->n + k;
    bool low = isfinite(singles->lower[number]);
    s->base[row] = low ? singles->lower[number] : singles->upper[number];
    add(s, row, 1, low ? 1.0 : -1.0, 0.0, 0.0);
    if (two_bounds(singles, number)) {
        add(s, row, 1, 0.0, 0.0, 0.0);
    }
}

static bool list_unknowns(tn_lemke_system *s, tn_arena *arena)
{
    int most = (int)tn_lemke_size(s->form->problem);
    s->first = TN_PUSH_RAW(arena, int, s->n_owners + 1);
    s->unknown = TN_PUSH_RAW(arena, tn_lemke_unknown, most);
    s->base = TN_PUSH(arena, double, s->form->size);
    s->free = TN_PUSH_RAW(arena, double, s->form->size);
    if (!s->first || !s->unknown || !s->base || !s->free) {
        return false;
    }
    for (int o = 0; o < s->n_owners; ++o) {
        s->first[o] = s->lcp.n;
        if (o < s->form->n) {
            add_contact(s, o);
        } else {
            add_bounded(s, o - s->form->n);
        }
    }
    s->first[s->n_owners] = s->lcp.n;
    return true;
}

// ---- numbers

// Velocities where only the single rows' base forces act, and their largest in scaled units.
static void find_free(tn_lemke_system *s)
{
    const tn_dense *form = s->form;
    for (int r = 0; r < form->size; ++r) {
        s->free[r] = form->free[r] + tn_dot((size_t)form->size, form->W + (size_t)r * (size_t)form->stride, s->base);
    }
    s->largest = 0.0;
    for (int k = 0; k < s->lcp.n; ++k) {
        const tn_lemke_unknown *u = &s->unknown[k];
        for (int i = 0; i < u->n_rows; ++i) {
            s->largest = fmax(s->largest, fabs(s->free[u->row + i]) * u->scale);
        }
    }
    s->largest = s->largest > 0.0 ? s->largest : 1.0;
}

// Row k of M between pushing unknowns, and of q.
static void fill_row(tn_lemke_system *s, int k)
{
    const tn_lemke_unknown *a = &s->unknown[k];
    double *M = s->M + (size_t)k * (size_t)s->lcp.n, free = 0.0;
    for (int l = 0; l < s->lcp.n; ++l) {
        const tn_lemke_unknown *b = &s->unknown[l];
        double sum = 0.0;
        for (int i = 0; i < a->n_rows; ++i) {
            for (int j = 0; j < b->n_rows; ++j) {
                sum += a->push[i] * entry(s->form, a->row + i, b->row + j) * b->push[j];
            }
        }
        M[l] = sum * a->scale * b->scale;
    }
    for (int i = 0; i < a->n_rows; ++i) {
        free += a->push[i] * s->free[a->row + i];
    }
    s->q[k] = free * a->scale / s->largest;
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
    const tn_rows *singles = &s->form->singles;
    int number = s->form->bounded[k];
    size_t size = (size_t)s->lcp.n, own = (size_t)s->first[s->form->n + k];
    if (two_bounds(singles, number)) {
        s->M[own * size + own + 1] = 1.0;
        s->M[(own + 1) * size + own] = -1.0;
        s->q[own + 1] = (singles->upper[number] - singles->lower[number]) / (s->unknown[own].scale * s->largest);
    }
}

bool tn_lemke_system_create(const tn_dense *form, tn_arena *arena, tn_lemke_system *out)
{
    tn_lemke_system *s = out;
    *s = (tn_lemke_system){.form = form, .n_owners = form->n + form->n_bounded};
    if (!list_unknowns(s, arena)) {
        return false;
    }
    s->lcp.of = s->form->problem;
    s->lcp.M = s->M = TN_PUSH_RAW(arena, double, (size_t)s->lcp.n *(size_t)s->lcp.n);
    s->lcp.q = s->q = TN_PUSH_RAW(arena, double, s->lcp.n);
    if (!s->M || !s->q) {
        return false;
    }
    find_free(s);
    for (int k = 0; k < s->lcp.n; ++k) {
        fill_row(s, k);
    }
    for (int m = 0; m < form->n; ++m) {
        couple_contact(s, m);
    }
    for (int k = 0; k < form->n_bounded; ++k) {
        couple_bounded(s, k);
    }
    return true;
}

void tn_lemke_system_forces(const tn_lemke_system *s, const double *z, double *x)
{
    memcpy(x, s->base, (size_t)s->form->size * sizeof *x);
    for (int k = 0; k < s->lcp.n; ++k) {
        const tn_lemke_unknown *u = &s->unknown[k];
        for (int i = 0; i < u->n_rows; ++i) {
            x[u->row + i] += u->push[i] * z[k] * u->scale * s->largest;
        }
    }
}
