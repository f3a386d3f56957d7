// Forces of the joints of trees: what the balance of each body lacks, from the leaves to the base.
#include "discretize/tree_parts.h"

#include "math/blocks.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// The factors by which six columns add up to y, in its place: Gauss with the largest pivots.
static void solve_columns(double columns[6][6], double y[6])
{
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++) {
            best = fabs(columns[k][i]) > fabs(columns[k][best]) ? i : best;
        }
        for (int j = k; j < 6; j++) {
            double swapped = columns[j][k];
            columns[j][k] = columns[j][best];
            columns[j][best] = swapped;
        }
        double swapped = y[k];
        y[k] = y[best];
        y[best] = swapped;
        for (int i = k + 1; i < 6; i++) {
            double factor = columns[k][i] / columns[k][k];
            for (int j = k + 1; j < 6; j++) {
                columns[j][i] -= factor * columns[j][k];
            }
            y[i] -= factor * y[k];
        }
    }
    for (int k = 5; k >= 0; k--) {
        for (int j = k + 1; j < 6; j++) {
            y[k] -= columns[j][k] * y[j];
        }
        y[k] /= columns[k][k];
    }
}

// The holds of a link's joint bear what its body lacks; what they push the other body with is lacking there.
static void bear(const tn_tree_problem *p, int l, double *lacking, double *lambda)
{
    const tn_tree_step *s = p->step;
    const tn_tree_link *link = &s->trees->link[l];
    const tn_rows singles = tn_rows_singles(p->whole->rows);
    int first = p->row_of_joint[link->joint], n_holds = 6 - link->n_rates;
    int block = s->model->bodies[link->body].block;
    double columns[6][6] = {{0.0}}, y[6];
    memcpy(y, lacking + 3 * (size_t)block, sizeof y);
    for (int i = 0; i < n_holds; i++) {
        for (int e = singles.start[first + i]; e < singles.start[first + i + 1]; e++) {
            int at = singles.block[e] - block;
            if (at == 0 || at == 1) {
                tn_vec3_copy(columns[i] + 3 * at, singles.jacobian + 3 * (size_t)e);
            }
        }
    }
    for (int k = 0; k < link->n_rates; k++) { // no force there: what the holds cannot bear is rounding
        tn_tree_column(s, l, block, link->rate + k, columns[n_holds + k]);
        tn_tree_column(s, l, block + 1, link->rate + k, columns[n_holds + k] + 3);
    }
    solve_columns(columns, y);
    double *f = lambda + 3 * (size_t)p->whole->rows->n_triples;
    for (int i = 0; i < n_holds; i++) {
        f[first + i] = y[i];
        tn_single_push(p->whole->rows, first + i, -y[i], lacking);
    }
}

tn_status tn_tree_hold_forces(const tn_tree_problem *p, const double *v, tn_arena *arena, double *lambda)
{
    const tn_tree_step *s = p->step;
    const tn_rows *rows = p->whole->rows;
    size_t n = 3 * (size_t)s->model->n_blocks;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *lacking = TN_PUSH_RAW(arena, double, n), *pushed = TN_PUSH(arena, double, n);
    if (!lacking || !pushed) {
        return TN_NO_MEMORY;
    }
    for (int l = 0; l < s->trees->n_links; l++) {
        const tn_tree_link *link = &s->trees->link[l];
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            memset(lambda + 3 * (size_t)rows->n_triples + p->row_of_joint[link->joint], 0,
                   (size_t)(6 - link->n_rates) * sizeof *lambda);
        }
    }
    tn_blocks_mul(p->whole->A, v, lacking);
    tn_problem_add_contact_force(p->whole, lambda, pushed);
    if (rows->n_singles > 0) {
        tn_singles_add_force(rows, tn_single_forces(rows, lambda), pushed);
    }
    for (size_t i = 0; i < n; i++) {
        lacking[i] -= p->whole->b[i] + pushed[i];
    }
    for (int l = s->trees->n_links - 1; l >= 0; l--) { // children before parents
        const tn_tree_link *link = &s->trees->link[l];
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            bear(p, l, lacking, lambda);
        }
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}
