#include "kernels/fronts/fronts.h"

#include "kernels/fronts/fronts_data.h"

bool tn_fronts_create(tn_fronts *s, const tn_blocks *K, const bool *kept, int n_nodes, const int *of,
                      const tn_fronts *lender, tn_arena *arena)
{
    *s = (tn_fronts){.kernels = tn_front_kernels_find(NULL), .kernels_single = tn_front_kernels_find_single(NULL)};
    if (!tn_front_tree_create(&s->tree, K, kept, n_nodes, of, arena)) {
        return false;
    }
    const tn_front_tree *t = &s->tree;
    bool lent = lender && lender->tree.values >= t->values && lender->tree.stack >= t->stack;
    s->value = lent ? lender->value : TN_PUSH_RAW(arena, double, t->values);
    s->rest = lent ? lender->rest : TN_PUSH_RAW(arena, double, t->stack);
    s->packed = TN_PUSH_RAW(arena, double, TN_FRONT_STRIP *TN_FRONT_DEPTH);
    s->y = TN_PUSH(arena, double, tn_front_stride(t->largest));
    s->x = TN_PUSH(arena, double, t->n);
    return s->value && s->rest && s->packed && s->y && s->x;
}

bool tn_fronts_factor(tn_fronts *s, const tn_blocks *K, tn_precision precision)
{
    s->precision = precision;
    return precision == TN_PRECISION_SINGLE ? tn_fronts_factor_single(s, K) : tn_fronts_factor_double(s, K);
}

void tn_fronts_solve(tn_fronts *s, const double *b, double *x)
{
    if (s->precision == TN_PRECISION_SINGLE) {
        tn_fronts_solve_single(s, b, x);
    } else {
        tn_fronts_solve_double(s, b, x);
    }
}
