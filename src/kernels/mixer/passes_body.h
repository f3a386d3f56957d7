// The mixer's passes, for one precision of its memory, MIXER_REAL (passes.h). Sixteen numbers at a time.
#include "kernels/lanes.h"
#include "kernels/mixer/passes.h"
#include "kernels/processor.h"
#include "kernels/quad.h"

typedef MIXER_REAL real;
typedef real wide __attribute__((vector_size(16 * sizeof(real))));
typedef real four __attribute__((vector_size(4 * sizeof(real))));
typedef float wide_single __attribute__((vector_size(64)));

enum { BLOCK = 256 }; // products are summed in memory's precision inside of one

TN_INLINE wide load_wide(const real *p)
{
    wide x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_INLINE void store_wide(real *p, wide x)
{
    memcpy(p, &x, sizeof x);
}

TN_INLINE wide load_single(const float *p)
{
    wide_single x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, wide);
}

TN_INLINE quad widen(const real *p)
{
    four x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, quad);
}

TN_INLINE double sum_of_wide(wide x)
{
    real p[16];
    store_wide(p, x);
    return quad_sum((widen(p) + widen(p + 4)) + (widen(p + 8) + widen(p + 12)));
}

// g - x, vectors in either precision; `single` is a constant where inlined.
TN_INLINE wide difference(bool single, const void *g, const void *x, int i)
{
    if (single) {
        return load_single((const float *)g + i) - load_single((const float *)x + i);
    }
    wide d;
    for (int k = 0; k < 16; k += 4) {
        quad all = quad_load((const double *)g + i + k) - quad_load((const double *)x + i + k);
        four part = __builtin_convertvector(all, four);
        memcpy((char *)&d + sizeof(real) * (size_t)k, &part, sizeof part);
    }
    return d;
}

// out[0], out[1] += df . a and f . a; out[2], out[3]: the same of b.
TN_INLINE void dots(const real *df, const real *f, const real *a, const real *b, int first, int end, double out[4])
{
    wide sum[4] = {{0}, {0}, {0}, {0}};
    for (int i = first; i < end; i += 16) {
        wide d = load_wide(df + i), g = load_wide(f + i), u = load_wide(a + i), v = load_wide(b + i);
        sum[0] += d * u;
        sum[1] += g * u;
        sum[2] += d * v;
        sum[3] += g * v;
    }
    for (int k = 0; k < 4; k++) {
        out[k] += sum_of_wide(sum[k]);
    }
}

// Where the newest difference of g goes. Until it is known the step that was taken, dx, waits there: what the slot held
// has been mixed for the last time.
TN_INLINE real *next_dg(const tn_mixer *m)
{
    return (real *)m->dg + (size_t)m->next * (size_t)m->options.n;
}

// f and the newest differences of numbers first..end-1, and their own sums.
TN_INLINE void take_step(bool single, bool led, tn_mixer *m, const void *x, const void *g, int first, int end,
                         double *sums)
{
    real *df = (real *)m->df + (size_t)m->next * (size_t)(m->options.n - m->options.n_led), *dg = next_dg(m);
    real *last = m->f;
    wide ff = {0}, df_f = {0}, df_df = {0};
    for (int i = first; i < end; i += 16) {
        wide f = difference(single, g, x, i);
        if (m->begun) {
            wide d = f - load_wide(last + i);
            if (!led) {
                store_wide(df + i, d);
            }
            store_wide(dg + i, load_wide(dg + i) + d);
            df_f += d * f;
            df_df += d * d;
        }
        ff += f * f;
        store_wide(last + i, f);
    }
    sums[TN_MIXER_FF] += sum_of_wide(ff);
    sums[TN_MIXER_DF_F] += sum_of_wide(df_f);
    sums[TN_MIXER_DF_DF] += sum_of_wide(df_df);
}

TN_INLINE void remember_any(bool single, tn_mixer *m, const void *x, const void *g, int first, int end, double *sums)
{
    int n_own = m->options.n - m->options.n_led;
    const real *all = m->df, *df = all + (size_t)m->next * (size_t)n_own;
    memset(sums, 0, TN_MIXER_SUMS * sizeof *sums);
    for (int at = first, stop = first; at < end; at = stop) {
        stop = at + BLOCK < end ? at + BLOCK : end;
        stop = at < n_own && stop > n_own ? n_own : stop;
        double unused[TN_MIXER_SUMS] = {0.0};
        if (at >= n_own) {
            take_step(single, true, m, x, g, at, stop, unused);
            continue;
        }
        take_step(single, false, m, x, g, at, stop, sums);
        for (int k = 0; k < m->count && m->begun; k += 2) {
            const real *a = all + (size_t)k * (size_t)n_own, *b = k + 1 < m->count ? a + n_own : a;
            dots(df, m->f, a, b, at, stop, sums + 2 * k);
        }
    }
}

// dG y of sixteen numbers, or the leap. In memory's precision: what it corrects is as small as f.
TN_INLINE wide correction(const tn_mixer *m, const real *y, int i)
{
    wide sum = {0};
    if (m->leaps) {
        return sum - (real)m->leap * load_wide((const real *)m->f + i);
    }
    const real *dg = (const real *)m->dg + i;
    for (int k = 0; k < m->count; k++, dg += m->options.n) {
        sum += y[k] * load_wide(dg);
    }
    return sum;
}

TN_INLINE void mix_any(bool single, const tn_mixer *m, const real *y, void *x, void *g, int first, int end)
{
    real *dx = next_dg(m);
    for (int i = first; i < end; i += 16) {
        wide change = correction(m, y, i);
        if (single) {
            float *to = (float *)x + i, *from = (float *)g + i;
            wide next = load_single(from) - change;
            store_wide(dx + i, next - load_single(to));
            wide_single rounded = __builtin_convertvector(next, wide_single);
            memcpy(to, &rounded, sizeof rounded);
            memcpy(from, &rounded, sizeof rounded);
            continue;
        }
        real part[16];
        store_wide(part, change);
        for (int k = 0; k < 16; k += 4) {
            double *to = (double *)x + i + k, *from = (double *)g + i + k;
            quad next = quad_load(from) - widen(part + k);
            four step = __builtin_convertvector(next - quad_load(to), four);
            memcpy(dx + i + k, &step, sizeof step);
            quad_store(to, next);
            quad_store(from, next);
        }
    }
}

TN_INLINE void remember_body(bool single, tn_mixer *m, const void *x, const void *g, int first, int end, double *sums)
{
    if (single) {
        remember_any(true, m, x, g, first, end, sums);
    } else {
        remember_any(false, m, x, g, first, end, sums);
    }
}

TN_INLINE void mix_body(bool single, const tn_mixer *m, const double *y, void *x, void *g, int first, int end)
{
    real weights[TN_MIXER_DEPTH_MAX];
    for (int k = 0; k < TN_MIXER_DEPTH_MAX; k++) {
        weights[k] = (real)y[k];
    }
    if (single) {
        mix_any(true, m, weights, x, g, first, end);
    } else {
        mix_any(false, m, weights, x, g, first, end);
    }
}

TN_VARIANTS(remember, (bool single, tn_mixer *m, const void *x, const void *g, int first, int end, double *sums),
            (single, m, x, g, first, end, sums))
TN_VARIANTS(mix, (bool single, const tn_mixer *m, const double *y, void *x, void *g, int first, int end),
            (single, m, y, x, g, first, end))

tn_mixer_passes MIXER_PASSES(void)
{
    return (tn_mixer_passes){.remember = TN_BEST(remember), .mix = TN_BEST(mix)};
}
