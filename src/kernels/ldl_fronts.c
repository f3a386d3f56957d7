// Vectors of four: gcc keeps sums of eight in memory where the processor has no vectors that wide.
#include "kernels/ldl_fronts.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

#include <string.h>

// ---- factorisation

// Row i of a front, to be read and written from column i on.
TN_QUAD_INLINE double *row_of(const tn_ldl *s, const tn_front *f, int i)
{
    return i < f->n ? s->value + f->at + (size_t)i * (size_t)f->stride
                    : s->rests + f->rest + (size_t)(i - f->n) * (size_t)f->stride;
}

// What a child leaves on its border, into its parent.
TN_QUAD_INLINE void add_child(const tn_ldl *s, const tn_front *child, const tn_front *parent)
{
    int n = child->width - child->n;
    for (int i = 0; i < n; i++) {
        const double *from = row_of(s, child, child->n + i) + child->n;
        double *row = row_of(s, parent, child->into[i]);
        for (int j = i; j < n; j++) {
            row[child->into[j]] += from[j];
        }
    }
}

// Row i of a front loses `factor` times row t, from column i on: whole lanes, those left of the diagonal are not used.
TN_QUAD_INLINE void subtract_row(double *row, const double *pivot, double factor, int i, int stride)
{
    for (int j = i & ~3; j < stride; j += 4) {
        quad_store(row + j, quad_load(row + j) - quad_load(pivot + j) * factor);
    }
}

TN_QUAD_INLINE bool eliminate_front(tn_ldl *s, const tn_front *f)
{
    double *F = s->value + f->at, *rests = s->rests + f->rest;
    size_t stride = (size_t)f->stride;
    bool good = true;
    for (int t = 0; t < f->n; t++) {
        double *row = F + (size_t)t * stride, *other = row + stride, pivot = row[t];
        good = good && (t < f->positive ? pivot > 0.0 : pivot < 0.0) && pivot - pivot == 0.0;
        double inverse = s->inverse[f->first + t] = 1.0 / pivot;
        for (int i = t + 1; i < f->width; i++, other += stride) {
            other = i == f->n ? rests : other;
            double factor = row[i] * inverse;
            if (factor != 0.0) {
                subtract_row(other, row, factor, i, f->stride);
            }
        }
        for (int j = t & ~3; j < f->stride; j += 4) {
            quad_store(row + j, quad_load(row + j) * inverse);
        }
    }
    return good;
}

TN_QUAD_INLINE void factor_body(tn_ldl *s, bool *good)
{
    *good = true;
    for (int k = 0; k < s->n && *good; k++) {
        const tn_front *f = &s->front[k];
        memset(s->rests + f->rest, 0, (size_t)(f->width - f->n) * (size_t)f->stride * sizeof *s->rests);
        for (int c = f->child; c >= 0; c = s->front[c].next) {
            add_child(s, &s->front[c], f);
        }
        *good = eliminate_front(s, f);
    }
}

// ---- one right-hand side

TN_QUAD_INLINE quad gather_four(const double *x, const int *at)
{
    return (quad){x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
}

TN_QUAD_INLINE void scatter_four(double *x, const int *at, quad four)
{
    for (int k = 0; k < 4; k++) {
        x[at[k]] = four[k];
    }
}

// The border's numbers lose L^T times the front's own: four at a time, what is left over one by one.
TN_QUAD_INLINE void pass_on(const tn_front *f, const double *F, const double *own, double *x)
{
    size_t stride = (size_t)f->stride;
    int m = f->width - f->n, k = 0;
    const double *L = F + f->n;
    for (; k + 4 <= m; k += 4) {
        quad sum = gather_four(x, f->border + k);
        for (int t = 0; t < f->n; t++) {
            sum -= quad_load(L + (size_t)t * stride + (size_t)k) * own[t];
        }
        scatter_four(x, f->border + k, sum);
    }
    for (; k < m; k++) {
        double sum = x[f->border[k]];
        for (int t = 0; t < f->n; t++) {
            sum -= L[(size_t)t * stride + (size_t)k] * own[t];
        }
        x[f->border[k]] = sum;
    }
}

// The front's own numbers over their pivots, less L times the border's.
TN_QUAD_INLINE void take_back(const tn_front *f, const double *F, const double *inverse, double *own, const double *x)
{
    size_t stride = (size_t)f->stride;
    int m = f->width - f->n, k = 0;
    const double *L = F + f->n;
    for (int t = 0; t < f->n; t++) {
        own[t] *= inverse[t];
    }
    for (; k + 4 <= m; k += 4) {
        quad border = gather_four(x, f->border + k);
        for (int t = 0; t < f->n; t++) {
            own[t] -= quad_sum(quad_load(L + (size_t)t * stride + (size_t)k) * border);
        }
    }
    for (; k < m; k++) {
        double border = x[f->border[k]];
        for (int t = 0; t < f->n; t++) {
            own[t] -= L[(size_t)t * stride + (size_t)k] * border;
        }
    }
}

// Front k, which comes in a while: each begins a page or so, where the processor's own look ahead ends (four-bars of
// 10^4 links, 24 MB: 7.5 to 4.5 ms a solve).
TN_QUAD_INLINE void fetch(const tn_ldl *s, int k)
{
    if (k < 0 || k >= s->n) {
        return;
    }
    const double *F = s->value + s->front[k].at, *end = F + (size_t)s->front[k].n * (size_t)s->front[k].stride;
    for (; F < end; F += 8) {
        __builtin_prefetch(F);
    }
}

TN_QUAD_INLINE void solve_body(const tn_ldl *s, double *x)
{
    enum { AHEAD = 4 };
    for (int k = 0; k < s->n; k++) {
        const tn_front *f = &s->front[k];
        fetch(s, k + AHEAD);
        const double *F = s->value + f->at;
        double *own = x + f->first;
        for (int t = 0; t < f->n; t++) {
            for (int i = t + 1; i < f->n; i++) {
                own[i] -= F[(size_t)t * (size_t)f->stride + (size_t)i] * own[t];
            }
        }
        pass_on(f, F, own, x);
    }
    for (int k = s->n - 1; k >= 0; k--) {
        const tn_front *f = &s->front[k];
        fetch(s, k - AHEAD);
        const double *F = s->value + f->at;
        double *own = x + f->first;
        take_back(f, F, s->inverse + f->first, own, x);
        for (int t = f->n - 2; t >= 0; t--) {
            for (int i = t + 1; i < f->n; i++) {
                own[t] -= F[(size_t)t * (size_t)f->stride + (size_t)i] * own[i];
            }
        }
    }
}

// ---- a panel: two quads a scalar

typedef struct pair {
    quad a, b;
} pair;

TN_QUAD_INLINE pair pair_at(const double *x)
{
    return (pair){quad_load(x), quad_load(x + 4)};
}

TN_QUAD_INLINE void pair_put(double *x, pair p)
{
    quad_store(x, p.a);
    quad_store(x + 4, p.b);
}

// p - x factor.
TN_QUAD_INLINE pair pair_less(pair p, const double *x, double factor)
{
    return (pair){p.a - quad_load(x) * factor, p.b - quad_load(x + 4) * factor};
}

// Are all numbers zero? Of most columns the right-hand side is, but on the way from a few blocks to the root.
TN_QUAD_INLINE bool is_zero(const double *x, int n)
{
    quad sum = {0.0};
    for (int i = 0; i < n; i += 4) {
        sum += quad_abs(quad_load(x + i));
    }
    return quad_sum(sum) == 0.0;
}

TN_QUAD_INLINE void panel_body(const tn_ldl *s, double *x)
{
    for (int k = 0; k < s->n; k++) {
        const tn_front *f = &s->front[k];
        const double *F = s->value + f->at;
        double *own = x + 8 * (size_t)f->first;
        if (is_zero(own, 8 * f->n)) {
            continue;
        }
        for (int i = 1; i < f->width; i++) {
            double *to = i < f->n ? own + 8 * (size_t)i : x + 8 * (size_t)f->border[i - f->n];
            pair sum = pair_at(to);
            for (int t = 0; t < (i < f->n ? i : f->n); t++) {
                sum = pair_less(sum, own + 8 * (size_t)t, F[(size_t)t * (size_t)f->stride + (size_t)i]);
            }
            pair_put(to, sum);
        }
    }
    for (int k = s->n - 1; k >= 0; k--) {
        const tn_front *f = &s->front[k];
        double *own = x + 8 * (size_t)f->first;
        for (int t = f->n - 1; t >= 0; t--) {
            const double *L = s->value + f->at + (size_t)t * (size_t)f->stride;
            double *to = own + 8 * (size_t)t, inverse = s->inverse[f->first + t];
            pair sum = {quad_load(to) * inverse, quad_load(to + 4) * inverse};
            for (int i = t + 1; i < f->n; i++) {
                sum = pair_less(sum, own + 8 * (size_t)i, L[i]);
            }
            for (int i = f->n; i < f->width; i++) {
                sum = pair_less(sum, x + 8 * (size_t)f->border[i - f->n], L[i]);
            }
            pair_put(to, sum);
        }
    }
}

TN_QUAD_INLINE void multiply_body(int n, const int *start, const int *at, const double *value, const double *panel,
                                  size_t stride, double *out)
{
    for (int r = 0; r < n; r++) {
        pair sum = {{0.0}, {0.0}};
        for (int e = start[r]; e < start[r + 1]; e++) {
            const double *g = value + 3 * (size_t)e, *x = panel + 8 * (size_t)at[e];
            sum.a += quad_load(x) * g[0] + quad_load(x + 8) * g[1] + quad_load(x + 16) * g[2];
            sum.b += quad_load(x + 4) * g[0] + quad_load(x + 12) * g[1] + quad_load(x + 20) * g[2];
        }
        pair_put(out + (size_t)r * stride, sum);
    }
}

TN_VARIANTS(factor, (tn_ldl * s, bool *good), (s, good))
TN_VARIANTS(solve, (const tn_ldl *s, double *x), (s, x))
TN_VARIANTS(panel, (const tn_ldl *s, double *x), (s, x))

TN_VARIANTS(multiply,
            (int n, const int *start, const int *at, const double *value, const double *panel, size_t stride,
             double *out),
            (n, start, at, value, panel, stride, out))

bool tn_ldl_factor(tn_ldl *s)
{
    bool good;
    TN_BEST(factor)(s, &good);
    return good;
}

void tn_ldl_solve(const tn_ldl *s, double *x)
{
    TN_BEST(solve)(s, x);
}

void tn_ldl_solve_panel(const tn_ldl *s, double *x)
{
    TN_BEST(panel)(s, x);
}

void tn_panel_multiply(int n, const int *start, const int *at, const double *value, const double *panel, size_t stride,
                       double *out)
{
    TN_BEST(multiply)(n, start, at, value, panel, stride, out);
}

bool tn_ldl_with(const char *kind, tn_ldl *s, double *x, double *panel, bool *definite)
{
    factor_function *factor = TN_NAMED(factor, kind);
    if (!factor) {
        return false;
    }
    factor(s, definite);
    TN_NAMED(solve, kind)(s, x);
    TN_NAMED(panel, kind)(s, panel);
    return true;
}
