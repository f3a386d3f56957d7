// The numbers of an assembly's factor: A and the rows into the fronts.
#include "problem/assembly.h"

#include "problem/assembly_fronts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static void scatter_blocks(const tn_blocks *A, tn_assembly_fronts *s)
{
    for (int k = 0; k < A->start[A->n_rows]; k++) {
        if (s->block_to[k] == SIZE_MAX) {
            continue;
        }
        double *to = s->ldl.value + s->block_to[k];
        const double *from = A->value + 9 * (size_t)k;
        for (int d = 0; d < 3; d++, to += s->block_stride[k], from += 3) {
            memcpy(to, from, 3 * sizeof *to);
        }
    }
}

static void scatter_row(const tn_rows *rows, int i, double give, tn_assembly_fronts *s)
{
    bool out = give == INFINITY;
    s->ldl.value[s->row_to[i]] = out ? -1.0 : -give;
    for (int e = rows->start[i]; !out && e < rows->start[i + 1]; e++) {
        double *to = s->ldl.value + s->entry_to[e];
        size_t stride = (size_t)s->entry_stride[e];
        const double *g = rows->jacobian + 3 * (size_t)e;
        to[0] = g[0];
        to[stride] = g[1];
        to[2 * stride] = g[2];
    }
}

bool tn_assembly_factor(tn_assembly *assembly, const tn_blocks *A, const tn_rows *rows, const double *give)
{
    tn_assembly_fronts *s = assembly->fronts;
    memset(s->ldl.value, 0, s->ldl.n_values * sizeof *s->ldl.value);
    scatter_blocks(A, s);
    for (int i = 0; i < rows->n_singles; i++) {
        if (s->row_to[i] != SIZE_MAX) {
            scatter_row(rows, i, give[i], s);
        }
    }
    return tn_ldl_factor(&s->ldl);
}

double tn_assembly_pivot(const tn_assembly *assembly, int i)
{
    return 1.0 / assembly->fronts->ldl.inverse[assembly->row_at[i]];
}

void tn_assembly_solve(const tn_assembly *assembly, double *x)
{
    tn_ldl_solve(&assembly->fronts->ldl, x);
}

void tn_assembly_solve_panel(const tn_assembly *assembly, double *x)
{
    tn_ldl_solve_panel(&assembly->fronts->ldl, x);
}

void tn_assembly_multiply_panel(int n, const int *start, const int *at, const double *value, const double *panel,
                                size_t stride, double *out)
{
    tn_panel_multiply(n, start, at, value, panel, stride, out);
}
