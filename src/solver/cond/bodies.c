#include "solver/cond/bodies.h"

#include "base/assert.h"
#include "problem/problem.h"

#include <string.h>

// Where the inverses of parts go; what is SPARSE is nodes, or all of it where nothing is to be inverted.
static void lay_out(bool invert, tn_cond_bodies *out)
{
    const tn_parts *parts = out->parts;
    for (int c = 0; c < parts->n; c++) {
        int size = tn_part_size(parts, c);
        bool small = invert && tn_part_form_of(parts, c) != TN_PART_SPARSE;
        out->inverse_start[c + 1] = out->inverse_start[c] + (small ? 9 * size * size : 0);
        for (int i = parts->start[c]; i < parts->start[c + 1] && !small; i++) {
            out->is_node[parts->blocks[i]] = true;
            out->n_nodes++;
        }
    }
}

tn_status tn_cond_bodies_create(const tn_problem *problem, bool invert, tn_arena *arena, tn_cond_bodies *out,
                                tn_error *error)
{
    const tn_blocks *A = problem->A;
    const tn_parts *parts = tn_problem_parts(problem, arena);
    *out = (tn_cond_bodies){.parts = parts, .is_node = TN_PUSH(arena, bool, A->n_rows)};
    out->inverse_start = parts ? TN_PUSH(arena, int, parts->n + 1) : NULL;
    if (!out->is_node || !out->inverse_start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the parts of A");
    }
    lay_out(invert, out);
    out->inverse = TN_PUSH(arena, double, out->inverse_start[parts->n]);
    if (!out->inverse) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the inverses of the parts of A");
    }
    for (int c = 0; c < parts->n; c++) {
        if (out->inverse_start[c + 1] > out->inverse_start[c] &&
            !tn_part_invert(A, parts, c, out->inverse + out->inverse_start[c])) {
            return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding at block row %d",
                                parts->blocks[parts->start[c]]);
        }
    }
    return TN_OK;
}

static void solve_one(const tn_cond_bodies *bodies, int c, const double *f, double *v)
{
    const int *rows = bodies->parts->blocks + bodies->parts->start[c];
    int k = tn_part_size(bodies->parts, c), n = 3 * k;
    const double *line = bodies->inverse + bodies->inverse_start[c];
    double x[3 * TN_PART_BLOCKS];
    TN_ASSERT(k > 0);
    for (int i = 0; i < k; i++) {
        memcpy(x + 3 * i, f + 3 * rows[i], 3 * sizeof(double));
    }
    for (int i = 0; i < n; i++, line += n) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += line[j] * x[j];
        }
        v[3 * rows[i / 3] + i % 3] = sum;
    }
}

void tn_cond_bodies_solve(const tn_cond_bodies *bodies, const double *f, double *v)
{
    for (int c = 0; c < bodies->parts->n; c++) {
        if (bodies->inverse_start[c + 1] > bodies->inverse_start[c]) {
            solve_one(bodies, c, f, v);
        }
    }
}
