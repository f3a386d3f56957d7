#include "solver/pieces/system.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static const double COMPLIANCE = 1e-10; // of a contact's own: Newton's next step makes up for it
static const double CLOSE = 1e-4;       // of slopes: those of the factor serve

// Nodes of the order: block rows i and i + 1 that name each other and the same others, a body's velocity and spin, are
// one.
static int find_nodes(const tn_blocks *K, int *of)
{
    int n = 0;
    for (int i = 0; i < K->n_rows; ++i, ++n) {
        int length = K->start[i + 1] - K->start[i];
        of[i] = n;
        if (i + 1 < K->n_rows && K->start[i + 2] - K->start[i + 1] == length && tn_blocks_find(K, i, i + 1) &&
            !memcmp(K->column + K->start[i], K->column + K->start[i + 1], (size_t)length * sizeof *K->column)) {
            of[++i] = n;
        }
    }
    return n;
}

bool tn_piece_system_create(tn_piece_system *s, const tn_problem *problem, double mobility, tn_arena *arena)
{
    size_t n = (size_t)problem->rows->n_triples, n_v = 3 * (size_t)problem->A->n_rows;
    *s = (tn_piece_system){.problem = problem, .n = (int)n, .n_v = (int)n_v, .compliance = COMPLIANCE * mobility};
    s->B = TN_PUSH(arena, double, 9 * n);
    s->C = TN_PUSH(arena, double, 9 * n);
    s->E = TN_PUSH(arena, double, 9 * n);
    s->G = TN_PUSH(arena, double, 9 * n);
    s->kept = TN_PUSH(arena, double, 18 * n);
    s->changed = TN_PUSH(arena, bool, problem->A->n_rows);
    s->f = TN_PUSH(arena, double, n_v);
    s->rest = TN_PUSH(arena, double, 3 * n);
    int *of = TN_PUSH(arena, int, problem->A->n_rows);
    bool ok = s->B && s->C && s->E && s->G && s->kept && s->changed && s->f && s->rest && of;
    return ok && tn_contact_matrix_create(&s->K, problem, arena) &&
           tn_front_lu_create(&s->lu, &s->K.K, find_nodes(&s->K.K, of), of, arena);
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

static void eliminate(tn_piece_system *s, size_t m)
{
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

static bool is_close(const double *a, const double *b)
{
    double apart = 0.0, size = 0.0;
    for (int k = 0; k < 9; ++k) {
        apart += fabs(a[k] - b[k]);
        size += fabs(b[k]);
    }
    return apart <= CLOSE * size;
}

// Takes the present slopes where they differ, notes the rows of K that this changes.
static void take_slopes(tn_piece_system *s)
{
    const tn_rows *c = s->problem->rows;
    memset(s->changed, 0, (size_t)s->problem->A->n_rows * sizeof *s->changed);
    for (size_t m = 0; m < (size_t)s->n; ++m) {
        const double *B = s->B + 9 * m, *C = s->C + 9 * m;
        double *kept = s->kept + 18 * m;
        if (s->factored && is_close(kept, B) && is_close(kept + 9, C)) {
            continue;
        }
        memcpy(kept, B, 9 * sizeof *B);
        memcpy(kept + 9, C, 9 * sizeof *C);
        eliminate(s, m);
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            s->changed[c->block[e]] = true;
        }
    }
}

int tn_piece_system_factor(tn_piece_system *s)
{
    take_slopes(s);
    tn_contact_matrix_fill(&s->K, s->G);
    int sign = tn_front_lu_factor(&s->lu, &s->K.K, s->factored ? s->changed : NULL);
    s->factored = sign != 0;
    s->factorisations++;
    return sign;
}

void tn_piece_system_solve(tn_piece_system *s, const double *f, const double *g, double *dv, double *dz)
{
    if (f) {
        memcpy(s->f, f, (size_t)s->n_v * sizeof *f);
    } else {
        memset(s->f, 0, (size_t)s->n_v * sizeof *s->f);
    }
    for (size_t m = 0; m < (size_t)s->n; ++m) {
        double e[3];
        tn_mat3_vec(e, s->E + 9 * m, g + 3 * m);
        tn_mat3_vec(s->rest + 3 * m, s->kept + 18 * m, e);
    }
    tn_problem_add_contact_force(s->problem, s->rest, s->f);
    tn_front_lu_solve(&s->lu, s->f, dv);
    const tn_rows *c = s->problem->rows;
    for (int m = 0; m < s->n; ++m) {
        double sum[3] = {g[3 * m], g[3 * m + 1], g[3 * m + 2]};
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_vec(sum, c->jacobian + 9 * (size_t)e, dv + 3 * (size_t)c->block[e]);
        }
        tn_mat3_vec(dz + 3 * (size_t)m, s->E + 9 * (size_t)m, sum);
    }
}
