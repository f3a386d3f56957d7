#include "kernels/nodal/galerkin.h"

#include "kernels/lanes.h"
#include "kernels/sell_rows.h"

enum { ENTRY = 24, BLOCK = TN_SKYLINE_BLOCK };

// x, y, z of a row of A's block, or of a node; the fourth number has no meaning.
typedef quad three;

// y, z, x.
TN_INLINE three turned(three a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

// Forces on a group's nodes from the three motions x, y, z of one row of A, summed, and their moments, these as z, x,
// y. A is symmetric, so they are the rows of its blocks. (Named, not arrays: they stay in registers.)
typedef struct wrench {
    three fx, fy, fz, mx, my, mz;
} wrench;

// Moment of a force about the group's centre, as z, x, y; other: the arm, turned.
TN_INLINE three moment(three arm, three other, three force)
{
    return arm * turned(force) - other * force;
}

TN_INLINE void add_block(wrench *w, const double *a, three arm)
{
    three other = turned(arm), x = quad_load(a), y = quad_load(a + 3), z = quad_load(a + 5);
    z = __builtin_shufflevector(z, z, 1, 2, 3, 3); // not beyond the block
    w->fx += x;
    w->fy += y;
    w->fz += z;
    w->mx += moment(arm, other, x);
    w->my += moment(arm, other, y);
    w->mz += moment(arm, other, z);
}

// The same for a node that slides: without the parts along its normal, on the diagonal with what stiffens it.
TN_INLINE void add_sliding_block(wrench *w, const double *a, const tn_prolongation *P, int node, bool diagonal)
{
    const double *normal = P->normal + 4 * (size_t)node, *across = P->across + 4 * (size_t)node;
    const double *along = P->along + 4 * (size_t)node;
    double cut[9], stiff = diagonal ? 1.0 : 0.0;
    for (int r = 0; r < 3; r++) {
        const double *row = a + 3 * r;
        double part = row[0] * normal[0] + row[1] * normal[1] + row[2] * normal[2];
        for (int k = 0; k < 3; k++) {
            cut[3 * r + k] = row[k] - part * normal[k] + stiff * (across[r] * across[k] + along[r] * along[k]);
        }
    }
    add_block(w, cut, quad_load(P->arm + 4 * (size_t)node));
}

// A group's six numbers from force and moment.
TN_INLINE lanes join(three force, three moment)
{
    const three none = {0.0};
    return __builtin_shufflevector(__builtin_shufflevector(force, none, 0, 1, 2, 4), moment, 0, 1, 2, 5, 6, 4, 3, 3);
}

// Columns of a block of the coarse matrix: velocities, spins.
typedef struct columns {
    lanes x, y, z, u, v, w;
} columns;

// += the forces times how row j moves with its group.
TN_INLINE void add_motion(columns *C, const wrench *w, const tn_prolongation *P, int j)
{
    lanes x = join(w->fx, w->mx), y = join(w->fy, w->my), z = join(w->fz, w->mz);
    if (P->motion[j] == TN_ROW_SLIDES) {
        const double *n = P->normal + 4 * (size_t)j;
        lanes along = n[0] * x + n[1] * y + n[2] * z;
        x -= n[0] * along;
        y -= n[1] * along;
        z -= n[2] * along;
    }
    const double *e = P->arm + 4 * (size_t)j;
    C->x += x;
    C->y += y;
    C->z += z;
    C->u += e[1] * z - e[2] * y;
    C->v += e[2] * x - e[0] * z;
    C->w += e[0] * y - e[1] * x;
}

TN_INLINE void put_back(tn_skyline *out, int row, int column, const columns *C)
{
    double *block = tn_skyline_block(out, row, column);
    store(block, load(block) + C->x);
    store(block + 8, load(block + 8) + C->y);
    store(block + 16, load(block + 16) + C->z);
    store(block + 24, load(block + 24) + C->u);
    store(block + 32, load(block + 32) + C->v);
    store(block + 40, load(block + 40) + C->w);
}

// The part of rows that move with their groups, or less: block column `group` of the coarse matrix.
TN_INLINE void column_body(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, int group,
                           tn_skyline *out)
{
    const lanes zero = {0.0};
    const three none = {0.0};
    const columns empty = {zero, zero, zero, zero, zero, zero};
    const int *entry = runs->entry + runs->first[group];
    columns C = empty;
    for (int k = runs->start[group]; k < runs->start[group + 1]; k++) {
        const tn_group_run *run = &runs->run[k];
        wrench w = {none, none, none, none, none, none};
        bool moves = P->motion[run->row] <= TN_ROW_SLIDES;
        for (int i = 0; i < run->n && moves; i++) {
            int node = A->column[entry[i]];
            const double *a = A->value + 9 * (size_t)entry[i];
            three arm = quad_load(P->arm + 4 * (size_t)node);
            if (P->motion[node] == TN_ROW_RIGID) {
                add_block(&w, a, arm);
            } else if (P->motion[node] == TN_ROW_SLIDES) {
                add_sliding_block(&w, a, P, node, node == run->row);
            }
        }
        entry += run->n;
        if (moves) {
            add_motion(&C, &w, P, run->row);
        }
        if (k + 1 == runs->start[group + 1] || run[1].group != run->group) {
            put_back(out, run->group, group, &C);
            C = empty;
        }
    }
}

// A row's blocks of P; `own` holds that of a row which moves with its group.
typedef struct row_of_p {
    int n;
    const int *group;
    const double *value;
    double own[ENTRY];
} row_of_p;

TN_INLINE void find_row(const tn_prolongation *P, int row, row_of_p *out)
{
    if (P->motion[row] == TN_ROW_OTHER) {
        int first = P->start[P->place[row]];
        out->n = P->start[P->place[row] + 1] - first;
        out->group = P->group + first;
        out->value = P->value + ENTRY * (size_t)first;
        return;
    }
    const double *e = P->arm + 4 * (size_t)row, *n = P->normal + 4 * (size_t)row;
    const double B[ENTRY] = {1, 0,    0, 0, e[2], -e[1], 0, 0,    0,     1, 0, -e[2],
                             0, e[0], 0, 0, 0,    0,     1, e[1], -e[0], 0, 0, 0};
    out->n = P->motion[row] != TN_ROW_HELD;
    out->group = P->of_row + row;
    out->value = out->own;
    memcpy(out->own, B, sizeof B);
    for (int k = 0; k < 6 && P->motion[row] == TN_ROW_SLIDES; k++) {
        double along = n[0] * B[k] + n[1] * B[8 + k] + n[2] * B[16 + k];
        for (int r = 0; r < 3; r++) {
            out->own[8 * r + k] -= along * n[r];
        }
    }
}

// block += B^T a D, a (3, 3) with strides.
TN_INLINE void add_product(double *block, const double *B, const double *a, int down, int across, const double *D)
{
    lanes b[3] = {load(B), load(B + 8), load(B + 16)}, d[3] = {load(D), load(D + 8), load(D + 16)};
    double X[ENTRY];
    for (int r = 0; r < 3; r++) {
        const double *row = a + down * r;
        store(X + 8 * r, row[0] * d[0] + row[across] * d[1] + row[2 * across] * d[2]);
    }
    for (int c = 0; c < 6; c++) {
        store(block + 8 * c, load(block + 8 * c) + b[0] * X[c] + b[1] * X[8 + c] + b[2] * X[16 + c]);
    }
}

// Row i of other motion and its block with row j, and the block of j with i where j is no such row and does not come
// by itself.
TN_INLINE void add_pair(const tn_prolongation *P, const row_of_p *i, const row_of_p *j, const double *a, bool both,
                        tn_skyline *out)
{
    for (int p = 0; p < i->n; p++) {
        for (int q = 0; q < j->n; q++) {
            int g = i->group[p], h = j->group[q];
            const double *B = i->value + ENTRY * (size_t)p, *D = j->value + ENTRY * (size_t)q;
            if (g >= h) {
                add_product(tn_skyline_block(out, g, h), B, a, 3, 1, D);
            }
            if (both && h >= g) {
                add_product(tn_skyline_block(out, h, g), D, a, 1, 3, B);
            }
        }
    }
}

TN_INLINE void others_body(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out)
{
    for (int k = 0; k < P->n_others; k++) {
        row_of_p own, other;
        find_row(P, P->other[k], &own);
        for (int e = A->start[P->other[k]]; e < A->start[P->other[k] + 1] && own.n > 0; e++) {
            find_row(P, A->column[e], &other);
            add_pair(P, &own, &other, A->value + 9 * (size_t)e, P->motion[A->column[e]] != TN_ROW_OTHER, out);
        }
    }
}

TN_VARIANTS(column,
            (const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, int group, tn_skyline *out),
            (A, P, runs, group, out))
TN_VARIANTS(others, (const tn_blocks *A, const tn_prolongation *P, tn_skyline *out), (A, P, out))

// Groups that a thread takes at a time, and rows from which on a team pays.
enum { PART = 4, WORTH_A_TEAM = 3000 };

void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, tn_skyline *out,
                     int n_threads)
{
    column_function *column = TN_BEST(column);
#pragma omp parallel for schedule(dynamic, PART) num_threads(n_threads) if (n_threads > 1 && A->n_rows >= WORTH_A_TEAM)
    for (int g = 0; g < out->n; g++) {
        column(A, P, runs, g, out);
    }
    TN_BEST(others)(A, P, out);
}
