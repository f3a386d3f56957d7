#include "kernels/nodal/galerkin.h"

#include "base/team.h"
#include "kernels/processor.h"
#include "kernels/sell_rows.h"

enum { ENTRY = 24, BLOCK = TN_SKYLINE_BLOCK, AHEAD = 12 }; // blocks of A that are asked for before they are needed

// x, y, z of a row of A's block, or of a node; the fourth number has no meaning.
typedef quad three;

// y, z, x.
TN_QUAD_INLINE three turned(three a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

// Forces on a group's nodes from the three motions x, y, z of one row of A, summed, and their moments, these as z, x,
// y. A is symmetric, so they are the rows of its blocks. (Named, not arrays: they stay in registers.)
typedef struct wrench {
    three fx, fy, fz, mx, my, mz;
} wrench;

// Moment of a force about the group's centre, as z, x, y; other: the arm, turned.
TN_QUAD_INLINE three moment(three arm, three other, three force)
{
    return arm * turned(force) - other * force;
}

// Rows of a block of A: forces on a node from three motions.
typedef struct three_rows {
    three x, y, z;
} three_rows;

TN_QUAD_INLINE three_rows load_rows(const double *a)
{
    three z = quad_load(a + 5);
    return (three_rows){quad_load(a), quad_load(a + 3), __builtin_shufflevector(z, z, 1, 2, 3, 3)}; // not beyond it
}

TN_QUAD_INLINE void add_block(wrench *w, three_rows a, three arm)
{
    three other = turned(arm);
    w->fx += a.x;
    w->fy += a.y;
    w->fz += a.z;
    w->mx += moment(arm, other, a.x);
    w->my += moment(arm, other, a.y);
    w->mz += moment(arm, other, a.z);
}

TN_QUAD_INLINE three without(three force, three normal)
{
    three parts = force * normal, next = turned(parts);
    return force - (parts + next + turned(next)) * normal;
}

// The block of a node that slides: without the parts along its normal, on the diagonal with what stiffens it.
TN_QUAD_INLINE three_rows load_sliding_rows(const double *a, const tn_prolongation *P, int node, bool diagonal)
{
    three normal = quad_load(P->normal + 4 * (size_t)node);
    three_rows rows = load_rows(a);
    rows.x = without(rows.x, normal);
    rows.y = without(rows.y, normal);
    rows.z = without(rows.z, normal);
    if (diagonal) {
        three across = quad_load(P->across + 4 * (size_t)node), along = quad_load(P->along + 4 * (size_t)node);
        rows.x += across[0] * across + along[0] * along;
        rows.y += across[1] * across + along[1] * along;
        rows.z += across[2] * across + along[2] * along;
    }
    return rows;
}

// Half of six columns of a block of the coarse matrix: velocities, spins.
typedef struct half_columns {
    quad x, y, z, u, v, w;
} half_columns;

TN_QUAD_INLINE half_columns no_columns(void)
{
    const quad zero = {0.0};
    return (half_columns){zero, zero, zero, zero, zero, zero};
}

// C += the forces x, y and z, one half of six numbers, times how row j moves with its group.
TN_QUAD_INLINE half_columns add_motion(half_columns C, quad x, quad y, quad z, const tn_prolongation *P, int j)
{
    if (P->motion[j] == TN_ROW_SLIDES) {
        const double *n = P->normal + 4 * (size_t)j;
        quad along = n[0] * x + n[1] * y + n[2] * z;
        x -= n[0] * along;
        y -= n[1] * along;
        z -= n[2] * along;
    }
    const double *e = P->arm + 4 * (size_t)j;
    C.x += x;
    C.y += y;
    C.z += z;
    C.u += e[1] * z - e[2] * y;
    C.v += e[2] * x - e[0] * z;
    C.w += e[0] * y - e[1] * x;
    return C;
}

// A group's six numbers from force and moment, in halves.
TN_QUAD_INLINE quad first_half(three force, three moment)
{
    return __builtin_shufflevector(force, moment, 0, 1, 2, 5);
}

TN_QUAD_INLINE quad second_half(three moment)
{
    const quad none = {0.0};
    return __builtin_shufflevector(moment, none, 2, 0, 4, 4);
}

TN_QUAD_INLINE void add_to(double *p, quad x)
{
    quad_store(p, quad_load(p) + x);
}

TN_QUAD_INLINE void put_back(double *block, const half_columns *C)
{
    add_to(block, C->x);
    add_to(block + 8, C->y);
    add_to(block + 16, C->z);
    add_to(block + 24, C->u);
    add_to(block + 32, C->v);
    add_to(block + 40, C->w);
}

// The part of rows that move with their groups, or less: block column `group` of the coarse matrix.
TN_QUAD_INLINE void column_body(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, int group,
                                tn_skyline *out)
{
    const three none = {0.0};
    const int *entry = runs->entry + runs->first[group];
    half_columns first = no_columns(), second = first;
    for (int k = runs->start[group]; k < runs->start[group + 1]; k++) {
        const tn_group_run *run = &runs->run[k];
        wrench w = {none, none, none, none, none, none};
        bool moves = P->motion[run->row] <= TN_ROW_SLIDES;
        for (int i = 0; i < run->n && moves; i++) {
            int node = A->column[entry[i]];
            const double *a = A->value + 9 * (size_t)entry[i];
            three arm = quad_load(P->arm + 4 * (size_t)node);
            if (P->motion[node] == TN_ROW_RIGID) {
                add_block(&w, load_rows(a), arm);
            } else if (P->motion[node] == TN_ROW_SLIDES) {
                add_block(&w, load_sliding_rows(a, P, node, node == run->row), arm);
            }
        }
        entry += run->n;
        if (moves) {
            first =
                add_motion(first, first_half(w.fx, w.mx), first_half(w.fy, w.my), first_half(w.fz, w.mz), P, run->row);
            second = add_motion(second, second_half(w.mx), second_half(w.my), second_half(w.mz), P, run->row);
        }
        if (k + 1 == runs->start[group + 1] || run[1].group != run->group) {
            double *block =
                tn_skyline_block(out, tn_coarse_block(P->n_affine, run->group), tn_coarse_block(P->n_affine, group));
            put_back(block, &first);
            put_back(block + 4, &second);
            first = second = no_columns();
        }
    }
}

// Affine groups, in single precision: twice as many numbers at once, and the factor is rounded to it anyway. Sums over
// one row's blocks with another group: for each of the row's three motions the forces x, y, z and a fourth number
// without meaning, times 1, arm_x, arm_y and arm_z of the nodes that feel them.
typedef struct affine_forces {
    octet x[2], y[2], z[2]; // times 1 and arm_x; times arm_y and arm_z
} affine_forces;

// Four numbers twice over.
TN_QUAD_INLINE octet twofold(three x)
{
    quad_single y = __builtin_convertvector(x, quad_single);
    return __builtin_shufflevector(y, y, 0, 1, 2, 3, 0, 1, 2, 3);
}

TN_QUAD_INLINE void add_affine_block(affine_forces *sum, three_rows a, const double *arm)
{
    octet e = twofold(quad_load(arm)), x = twofold(a.x), y = twofold(a.y), z = twofold(a.z);
    const octet one = {1.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
    octet first = __builtin_shufflevector(one, e, 0, 0, 0, 0, 8, 8, 8, 8);
    octet second = __builtin_shufflevector(e, e, 1, 1, 1, 1, 2, 2, 2, 2);
    sum->x[0] += first * x;
    sum->x[1] += second * x;
    sum->y[0] += first * y;
    sum->y[1] += second * y;
    sum->z[0] += first * z;
    sum->z[1] += second * z;
}

// Columns of the coarse matrix: half h of those of the weight m and motion c of the row, c[m][c][h].
typedef struct affine_columns {
    octet c[4][3][2];
} affine_columns;

// += half h of the forces times how row j moves with its group.
TN_QUAD_INLINE void add_affine_motion(affine_columns *C, const affine_forces *sum, int h, const tn_prolongation *P,
                                      int j)
{
    const double *e = P->arm + 4 * (size_t)j;
    const float weight[4] = {1.0F, (float)e[0], (float)e[1], (float)e[2]};
    octet x = sum->x[h], y = sum->y[h], z = sum->z[h];
    if (P->motion[j] == TN_ROW_SLIDES) {
        const double *normal = P->normal + 4 * (size_t)j;
        const float n[3] = {(float)normal[0], (float)normal[1], (float)normal[2]};
        octet along = n[0] * x + n[1] * y + n[2] * z;
        x -= n[0] * along;
        y -= n[1] * along;
        z -= n[2] * along;
    }
    for (int m = 0; m < 4; m++) {
        C->c[m][0][h] += weight[m] * x;
        C->c[m][1][h] += weight[m] * y;
        C->c[m][2][h] += weight[m] * z;
    }
}

// To blocks (row, column), (row + 1, column) and so on; above the diagonal they are left out.
TN_QUAD_INLINE void put_affine_back(tn_skyline *out, int row, int column, const affine_columns *C)
{
    for (int m = 0; m < 4; m++) {
        int at = column + m / 2;
        for (int c = 0; c < 3; c++) {
            for (int b = row < at ? 1 : 0; b < 2; b++) {
                octet x = C->c[m][c][b];
                x = __builtin_shufflevector(x, x, 0, 1, 2, 4, 5, 6, 3, 7);
                double *to = tn_skyline_block(out, row + b, at) + 24 * (m % 2) + 8 * c;
                add_to(to, quad_half(x, 0));
                add_to(to + 4, quad_half(x, 1));
            }
        }
    }
}

// As column_body, of an affine group.
TN_QUAD_INLINE void affine_body(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, int group,
                                tn_skyline *out)
{
    const int *entry = runs->entry + runs->first[group], *last = runs->entry + runs->first[group + 1] - 1;
    affine_columns C = {0};
    for (int k = runs->start[group]; k < runs->start[group + 1]; k++) {
        const tn_group_run *run = &runs->run[k];
        affine_forces sum = {0};
        bool moves = P->motion[run->row] <= TN_ROW_SLIDES;
        for (int i = 0; i < run->n && moves; i++) {
            // Blocks come from all over A.
            const double *soon = A->value + 9 * (size_t)(last - entry > i + AHEAD ? entry[i + AHEAD] : *last);
            __builtin_prefetch(soon);
            __builtin_prefetch(soon + 8);
            int node = A->column[entry[i]];
            const double *a = A->value + 9 * (size_t)entry[i], *arm = P->arm + 4 * (size_t)node;
            if (P->motion[node] == TN_ROW_RIGID) {
                add_affine_block(&sum, load_rows(a), arm);
            } else if (P->motion[node] == TN_ROW_SLIDES) {
                add_affine_block(&sum, load_sliding_rows(a, P, node, node == run->row), arm);
            }
        }
        entry += run->n;
        if (moves) {
            add_affine_motion(&C, &sum, 0, P, run->row);
            add_affine_motion(&C, &sum, 1, P, run->row);
        }
        if (k + 1 == runs->start[group + 1] || run[1].group != run->group) {
            if (run->group < P->n_affine) { // else its rows are of other motion
                put_affine_back(out, 2 * run->group, 2 * group, &C);
            }
            C = (affine_columns){0};
        }
    }
}

// A row's blocks of P; `own` holds those of a row which moves with its group.
typedef struct row_of_p {
    int n;
    const int *group;
    const double *value;
    int pair[2];
    double own[2 * ENTRY];
} row_of_p;

// Without the part of the n blocks along the row's normal.
TN_QUAD_INLINE void cut_normal(double *B, int n, const double *normal)
{
    for (int k = 0; k < 6 * n; k++) {
        double *at = B + ENTRY * (k / 6) + k % 6;
        double along = normal[0] * at[0] + normal[1] * at[8] + normal[2] * at[16];
        for (int r = 0; r < 3; r++) {
            at[8 * r] -= along * normal[r];
        }
    }
}

TN_QUAD_INLINE void find_row(const tn_prolongation *P, int row, row_of_p *out)
{
    if (P->motion[row] == TN_ROW_OTHER) {
        int first = P->start[P->place[row]];
        out->n = P->start[P->place[row] + 1] - first;
        out->group = P->group + first;
        out->value = P->value + ENTRY * (size_t)first;
        return;
    }
    bool affine = P->of_row[row] < P->n_affine;
    int n = affine ? 2 : 1;
    out->pair[0] = tn_coarse_block(P->n_affine, P->of_row[row]);
    out->pair[1] = out->pair[0] + 1;
    out->n = P->motion[row] != TN_ROW_HELD ? n : 0;
    out->group = out->pair;
    out->value = out->own;
    tn_coarse_row(affine, P->arm + 4 * (size_t)row, out->own);
    if (P->motion[row] == TN_ROW_SLIDES) {
        cut_normal(out->own, n, P->normal + 4 * (size_t)row);
    }
}

// block += B^T a D, a (3, 3) with strides.
TN_QUAD_INLINE void add_product(double *block, const double *B, const double *a, int down, int across, const double *D)
{
    double X[ENTRY];
    for (int at = 0; at < ENTRY; at += 4) {
        const double *row = a + down * (at / 8), *d = D + at % 8;
        quad_store(X + at,
                   row[0] * quad_load(d) + row[across] * quad_load(d + 8) + row[2 * across] * quad_load(d + 16));
    }
    for (int half = 0; half < 8; half += 4) {
        quad b[3] = {quad_load(B + half), quad_load(B + half + 8), quad_load(B + half + 16)};
        for (int c = 0; c < 6; c++) {
            add_to(block + 8 * c + half, b[0] * X[c] + b[1] * X[8 + c] + b[2] * X[16 + c]);
        }
    }
}

// Row i of other motion and its block with row j, and the block of j with i where j is no such row and does not come
// by itself.
TN_QUAD_INLINE void add_pair(const row_of_p *i, const row_of_p *j, const double *a, bool both, tn_skyline *out)
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

TN_QUAD_INLINE void others_body(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out)
{
    for (int k = 0; k < P->n_others; k++) {
        row_of_p own, other;
        find_row(P, P->other[k], &own);
        for (int e = A->start[P->other[k]]; e < A->start[P->other[k] + 1] && own.n > 0; e++) {
            find_row(P, A->column[e], &other);
            add_pair(&own, &other, A->value + 9 * (size_t)e, P->motion[A->column[e]] != TN_ROW_OTHER, out);
        }
    }
}

TN_VARIANTS(column,
            (const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, int group, tn_skyline *out),
            (A, P, runs, group, out))
TN_VARIANTS(affine,
            (const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, int group, tn_skyline *out),
            (A, P, runs, group, out))
TN_VARIANTS(others, (const tn_blocks *A, const tn_prolongation *P, tn_skyline *out), (A, P, out))

// Groups that a thread takes at a time, and rows from which on a team pays.
enum { PART = 4, WORTH_A_TEAM = 3000 };

typedef struct adding {
    const tn_blocks *A;
    const tn_prolongation *P;
    const tn_group_runs *runs;
    tn_skyline *out;
} adding;

static void add_columns(const void *context, int first, int end, int thread)
{
    const adding *a = context;
    column_function *column = TN_BEST(column);
    affine_function *affine = TN_BEST(affine);
    for (int g = first; g < end; g++) {
        if (g < a->P->n_affine) {
            affine(a->A, a->P, a->runs, g, a->out);
        } else {
            column(a->A, a->P, a->runs, g, a->out);
        }
    }
}

void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, const tn_group_runs *runs, tn_skyline *out,
                     int n_threads)
{
    tn_team_share(A->n_rows < WORTH_A_TEAM ? 1 : n_threads, out->n - P->n_affine, PART, add_columns,
                  &(adding){A, P, runs, out});
    TN_BEST(others)(A, P, out);
}
