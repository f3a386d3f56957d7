// Substitutes the preload of contacts: forces are counted from -a on, and what the pull alone does goes into b, w or q.
#include "problem/preload.h"

#include "math/mat3.h"
#include "math/sums.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

// offset -= R (a e_n), and in local form W (a e_n) as well.
static void shift_offsets(const tn_problem *p, const double *pull, double *offset)
{
    const tn_rows *rows = p->rows;
    double taken[3];
    for (int m = 0; m < rows->n_triples; ++m) {
        double *own = offset + 3 * (size_t)m;
        for (int k = p->W ? p->W->start[m] : 0; p->W && k < p->W->start[m + 1]; ++k) {
            tn_mat3_vec(taken, p->W->value + 9 * (size_t)k, pull + 3 * (size_t)p->W->column[k]);
            tn_vec3_sub(own, own, taken);
        }
        if (rows->softness) {
            tn_mat3_vec(taken, rows->softness + 9 * (size_t)m, pull + 3 * (size_t)m);
            tn_vec3_sub(own, own, taken);
        }
    }
}

tn_status tn_preload_remove(const tn_problem *problem, tn_arena *arena, tn_preload *out)
{
    const tn_rows *rows = problem->rows;
    size_t n = 3 * (size_t)rows->n_triples, all = n + (size_t)rows->n_singles;
    size_t n_v = problem->A ? 3 * (size_t)problem->A->n_rows : 0;
    *out = (tn_preload){.problem = *problem, .rows = *rows, .a = rows->preload, .grown = 1.0};
    double *offset = TN_PUSH_RAW(arena, double, all), *pull = TN_PUSH(arena, double, n);
    double *b = TN_PUSH(arena, double, n_v);
    if (!offset || !pull || !b) {
        return TN_NO_MEMORY;
    }
    memcpy(offset, rows->offset, all * sizeof *offset);
    for (int m = 0; m < rows->n_triples; ++m) {
        pull[3 * (size_t)m] = rows->preload[m];
    }
    shift_offsets(problem, pull, offset);
    out->rows.preload = NULL;
    out->rows.offset = offset;
    out->problem.rows = &out->rows;
    if (problem->A) {
        tn_problem_add_contact_force(problem, pull, b);
        for (size_t i = 0; i < n_v; ++i) {
            b[i] = problem->b[i] - b[i];
        }
        out->problem.b = b;
        double floor = problem->force_scale, was = fmax(sqrt(tn_dot(n_v, problem->b, problem->b)), floor);
        double is = fmax(sqrt(tn_dot(n_v, b, b)), floor);
        out->grown = is > was ? was / is : 1.0;
    }
    return TN_OK;
}

void tn_preload_shift(const tn_preload *preload, double sign, double *lambda)
{
    for (int m = 0; m < preload->rows.n_triples; ++m) {
        lambda[3 * (size_t)m] += sign * preload->a[m];
    }
}
