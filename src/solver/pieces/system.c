#include "solver/pieces/system.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static const double COMPLIANCE = 1e-10; // of a contact's own: refined away

// Cuthill and McKee's order: breadth first, each row's neighbours by their number of neighbours. Starts at `root`,
// appends to order[n..]; returns the new length.
static int walk(const tn_blocks *K, int root, bool *seen, int *order, int n)
{
    int head = n;
    seen[root] = true;
    order[n++] = root;
    while (head < n) {
        int row = order[head++], from = n;
        for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
            int q = K->column[e], degree = K->start[q + 1] - K->start[q], at = n;
            if (seen[q]) {
                continue;
            }
            seen[q] = true;
            for (; at > from && K->start[order[at - 1] + 1] - K->start[order[at - 1]] > degree; --at) {
                order[at] = order[at - 1];
            }
            order[at] = q;
            ++n;
        }
    }
    return n;
}

// Each piece from the far end of a walk from its first row.
static bool make_order(const tn_blocks *K, int *place, tn_arena *arena)
{
    bool *seen = TN_PUSH(arena, bool, K->n_rows);
    int *order = TN_PUSH(arena, int, K->n_rows), n = 0;
    if (!seen || !order) {
        return false;
    }
    for (int root = 0; root < K->n_rows; ++root) {
        if (!seen[root]) {
            int last = walk(K, root, seen, order, n), end = order[last - 1];
            for (int k = n; k < last; ++k) {
                seen[order[k]] = false;
            }
            n = walk(K, end, seen, order, n);
        }
    }
    for (int k = 0; k < n; ++k) {
        place[order[k]] = k;
    }
    return true;
}

static int band_width(const tn_blocks *K, const int *place)
{
    int width = 0;
    for (int row = 0; row < K->n_rows; ++row) {
        for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
            int apart = place[row] - place[K->column[e]];
            width = apart > width ? apart : width;
        }
    }
    return 3 * width + 2;
}

bool tn_piece_system_create(tn_piece_system *s, const tn_problem *problem, double mobility, tn_arena *arena)
{
    size_t n = (size_t)problem->contacts->n, n_v = 3 * (size_t)problem->A->n_rows;
    *s = (tn_piece_system){.problem = problem, .n = (int)n, .n_v = (int)n_v, .compliance = COMPLIANCE * mobility};
    s->B = TN_PUSH(arena, double, 9 * n);
    s->C = TN_PUSH(arena, double, 9 * n);
    s->E = TN_PUSH(arena, double, 9 * n);
    s->G = TN_PUSH(arena, double, 9 * n);
    s->place = TN_PUSH(arena, int, problem->A->n_rows);
    s->x = TN_PUSH(arena, double, n_v);
    s->f = TN_PUSH(arena, double, n_v);
    s->g = TN_PUSH(arena, double, 3 * n);
    s->rest = TN_PUSH(arena, double, 3 * n);
    bool ok = s->B && s->C && s->E && s->G && s->place && s->x && s->f && s->g && s->rest;
    return ok && tn_contact_matrix_create(&s->K, problem, arena) && make_order(&s->K.K, s->place, arena) &&
           tn_band_lu_create(&s->band, (int)n_v, band_width(&s->K.K, s->place), arena);
}

// The inverse by cofactors; C - delta B of any piece has one.
static void invert(double out[9], const double a[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            out[3 * j + i] = a[3 * i1 + j1] * a[3 * i2 + j2] - a[3 * i1 + j2] * a[3 * i2 + j1];
        }
    }
    double over = 1.0 / (a[0] * out[0] + a[1] * out[3] + a[2] * out[6]);
    for (int k = 0; k < 9; ++k) {
        out[k] *= over;
    }
}

static void eliminate(tn_piece_system *s)
{
    for (size_t m = 0; m < (size_t)s->n; ++m) {
        double soft[9];
        for (int k = 0; k < 9; ++k) {
            soft[k] = s->C[9 * m + k] - s->compliance * s->B[9 * m + k];
        }
        invert(s->E + 9 * m, soft);
        tn_mat3_mul(s->G + 9 * m, s->B + 9 * m, s->E + 9 * m);
        for (int k = 0; k < 9; ++k) {
            s->G[9 * m + k] = -s->G[9 * m + k];
        }
    }
}

static void fill_band(tn_piece_system *s)
{
    const tn_blocks *K = &s->K.K;
    tn_band_lu_clear(&s->band);
    for (int row = 0; row < K->n_rows; ++row) {
        for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
            int i = 3 * s->place[row], j = 3 * s->place[K->column[e]];
            for (int k = 0; k < 9; ++k) {
                *tn_band_lu_at(&s->band, i + k / 3, j + k % 3) = K->value[9 * (size_t)e + k];
            }
        }
    }
}

int tn_piece_system_factor(tn_piece_system *s)
{
    eliminate(s);
    tn_contact_matrix_fill(&s->K, s->G);
    fill_band(s);
    s->factorisations++;
    return tn_band_lu_factor(&s->band);
}

// One solve with the compliance. f (n_v), g (n, 3) are overwritten.
static void solve_once(tn_piece_system *s, double *f, const double *g, double *dv, double *dz)
{
    for (size_t m = 0; m < (size_t)s->n; ++m) {
        double e[3];
        tn_mat3_vec(e, s->E + 9 * m, g + 3 * m);
        tn_mat3_vec(s->rest + 3 * m, s->B + 9 * m, e);
    }
    tn_problem_add_contact_force(s->problem, s->rest, f);
    for (int row = 0; row < s->n_v / 3; ++row) {
        memcpy(s->x + 3 * (size_t)s->place[row], f + 3 * (size_t)row, 3 * sizeof *f);
    }
    tn_band_lu_solve(&s->band, s->x);
    for (int row = 0; row < s->n_v / 3; ++row) {
        memcpy(dv + 3 * (size_t)row, s->x + 3 * (size_t)s->place[row], 3 * sizeof *dv);
    }
    const tn_contacts *c = s->problem->contacts;
    for (int m = 0; m < s->n; ++m) {
        double sum[3] = {g[3 * m], g[3 * m + 1], g[3 * m + 2]};
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_vec(sum, c->jacobian + 9 * (size_t)e, dv + 3 * (size_t)c->block[e]);
        }
        tn_mat3_vec(dz + 3 * (size_t)m, s->E + 9 * (size_t)m, sum);
    }
}

void tn_piece_system_solve(tn_piece_system *s, const double *f, const double *g, double *dv, double *dz)
{
    size_t n_v = (size_t)s->n_v, n = (size_t)s->n;
    if (f) {
        memcpy(s->f, f, n_v * sizeof *f);
    } else {
        memset(s->f, 0, n_v * sizeof *s->f);
    }
    solve_once(s, s->f, g, dv, dz);
    // What the compliance leaves open: delta B dz in the second equation.
    for (size_t m = 0; m < n; ++m) {
        tn_mat3_vec(s->g + 3 * m, s->B + 9 * m, dz + 3 * m);
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        s->g[i] *= -s->compliance;
    }
    double *more_v = s->f; // overwritten by its own solution
    memset(s->f, 0, n_v * sizeof *s->f);
    double *more_z = s->rest;
    solve_once(s, s->f, s->g, more_v, more_z);
    for (size_t i = 0; i < n_v; ++i) {
        dv[i] += more_v[i];
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        dz[i] += more_z[i];
    }
}
