// The mixer's passes, for one precision of its memory, MIXER_REAL (passes.h). Vectors of 32 bytes: gcc keeps wider ones
// in memory where the processor has none (balls1000 under AVX2: the mixer took 40 % of the step, now 15 %).
#include "kernels/mixer/passes.h"
#include "kernels/processor.h"
#include "kernels/quad.h"

typedef MIXER_REAL real;
TN_VECTOR(TN_QUAD_INLINE, lanes, real, 32)
TN_VECTOR(TN_QUAD_INLINE, four, real, 4 * sizeof(real))

enum {
    BLOCK = 256, // products are summed in memory's precision inside of one
    WIDTH = (int)(sizeof(lanes) / sizeof(real)),
    PAIR = 2 * WIDTH
};

TN_QUAD_INLINE quad widen(const real *p)
{
    return __builtin_convertvector(four_load(p), quad);
}

TN_QUAD_INLINE void narrow(real *p, quad x)
{
    four_store(p, __builtin_convertvector(x, four));
}

TN_QUAD_INLINE double sum_of(lanes even, lanes odd)
{
    real p[PAIR];
    quad sum = {0.0};
    lanes_store(p, even);
    lanes_store(p + WIDTH, odd);
    for (int k = 0; k < PAIR; k += 4) {
        sum += widen(p + k);
    }
    return quad_sum(sum);
}

// Vectors in either precision; `single` is a constant where inlined.
TN_QUAD_INLINE quad four_of(bool single, const void *x, int i)
{
    if (single) {
        return __builtin_convertvector(quad_single_load((const float *)x + i), quad);
    }
    return quad_load((const double *)x + i);
}

TN_QUAD_INLINE void set_four(bool single, void *x, int i, quad value)
{
    if (single) {
        quad_store_single((float *)x + i, value);
    } else {
        quad_store((double *)x + i, value);
    }
}

// Whether such a vector is as precise as memory: no conversions then.
TN_QUAD_INLINE bool as_memory(bool single)
{
    return single == (sizeof(real) == sizeof(float));
}

// g - x
TN_QUAD_INLINE lanes difference(bool single, const void *g, const void *x, int i)
{
    if (as_memory(single)) {
        return lanes_load((const real *)g + i) - lanes_load((const real *)x + i);
    }
    real d[WIDTH];
    for (int k = 0; k < WIDTH; k += 4) {
        narrow(d + k, four_of(single, g, i + k) - four_of(single, x, i + k));
    }
    return lanes_load(d);
}

// out[0], out[1] += df . a and f . a.
TN_QUAD_INLINE void dots(const real *df, const real *f, const real *a, int first, int end, double out[2])
{
    lanes even[2] = {{0}, {0}}, odd[2] = {{0}, {0}};
    for (int i = first; i < end; i += PAIR) {
        lanes u = lanes_load(a + i), v = lanes_load(a + i + WIDTH);
        even[0] += lanes_load(df + i) * u;
        odd[0] += lanes_load(df + i + WIDTH) * v;
        even[1] += lanes_load(f + i) * u;
        odd[1] += lanes_load(f + i + WIDTH) * v;
    }
    out[0] += sum_of(even[0], odd[0]);
    out[1] += sum_of(even[1], odd[1]);
}

// Where the newest difference of g goes. Until it is known the step that was taken, dx, waits there: what the slot held
// has been mixed for the last time.
TN_QUAD_INLINE real *next_dg(const tn_mixer *m)
{
    return (real *)m->dg + (size_t)m->next * (size_t)m->options.n;
}

typedef struct step_sums {
    lanes ff, df_f, df_df;
} step_sums;

// f and the newest differences of numbers i..i+WIDTH-1.
TN_QUAD_INLINE step_sums take_vector(bool single, const tn_mixer *m, const void *x, const void *g, int i, real *df,
                                     step_sums sums)
{
    real *last = m->f, *dg = next_dg(m);
    lanes f = difference(single, g, x, i);
    if (m->begun) {
        lanes d = f - lanes_load(last + i);
        if (df) {
            lanes_store(df + i, d);
        }
        lanes_store(dg + i, lanes_load(dg + i) + d);
        sums.df_f += d * f;
        sums.df_df += d * d;
    }
    sums.ff += f * f;
    lanes_store(last + i, f);
    return sums;
}

// f and the newest differences of numbers first..end-1, and their own sums. df: NULL where they are led.
TN_QUAD_INLINE void take_step(bool single, const tn_mixer *m, const void *x, const void *g, int first, int end,
                              real *df, double *sums)
{
    step_sums even = {{0}, {0}, {0}}, odd = even;
    for (int i = first; i < end; i += PAIR) {
        even = take_vector(single, m, x, g, i, df, even);
        odd = take_vector(single, m, x, g, i + WIDTH, df, odd);
    }
    sums[TN_MIXER_FF] += sum_of(even.ff, odd.ff);
    sums[TN_MIXER_DF_F] += sum_of(even.df_f, odd.df_f);
    sums[TN_MIXER_DF_DF] += sum_of(even.df_df, odd.df_df);
}

TN_QUAD_INLINE void remember_any(bool single, tn_mixer *m, const void *x, const void *g, int first, int end,
                                 double *sums)
{
    int n_own = m->options.n - m->options.n_led;
    real *all = m->df, *df = all + (size_t)m->next * (size_t)n_own;
    memset(sums, 0, TN_MIXER_SUMS * sizeof *sums);
    for (int at = first, stop = first; at < end; at = stop) {
        stop = at + BLOCK < end ? at + BLOCK : end;
        stop = at < n_own && stop > n_own ? n_own : stop;
        double unused[TN_MIXER_SUMS] = {0.0};
        if (at >= n_own) {
            take_step(single, m, x, g, at, stop, NULL, unused);
            continue;
        }
        take_step(single, m, x, g, at, stop, df, sums);
        for (int k = 0; k < m->count && m->begun; k++) {
            dots(df, m->f, all + (size_t)k * (size_t)n_own, at, stop, sums + 2 * k);
        }
    }
}

// dG y of numbers i..i+PAIR-1, or the leap. In memory's precision: what it corrects is as small as f.
TN_QUAD_INLINE void correction(const tn_mixer *m, const real *y, int i, lanes change[2])
{
    lanes even = {0}, odd = {0};
    if (m->leaps) {
        const real *f = (const real *)m->f + i;
        even -= (real)m->leap * lanes_load(f);
        odd -= (real)m->leap * lanes_load(f + WIDTH);
    } else {
        const real *dg = (const real *)m->dg + i;
        for (int k = 0; k < m->count; k++, dg += m->options.n) {
            even += y[k] * lanes_load(dg);
            odd += y[k] * lanes_load(dg + WIDTH);
        }
    }
    change[0] = even;
    change[1] = odd;
}

// x = g = g - change, dx = g - x.
TN_QUAD_INLINE void move(bool single, void *x, void *g, real *dx, int i, lanes change)
{
    if (as_memory(single)) {
        real *to = (real *)x + i, *from = (real *)g + i;
        lanes next = lanes_load(from) - change;
        lanes_store(dx + i, next - lanes_load(to));
        lanes_store(to, next);
        lanes_store(from, next);
        return;
    }
    real part[WIDTH];
    lanes_store(part, change);
    for (int k = 0; k < WIDTH; k += 4) {
        quad next = four_of(single, g, i + k) - widen(part + k);
        narrow(dx + i + k, next - four_of(single, x, i + k));
        set_four(single, x, i + k, next);
        set_four(single, g, i + k, next);
    }
}

TN_QUAD_INLINE void mix_any(bool single, const tn_mixer *m, const real *y, void *x, void *g, int first, int end)
{
    real *dx = next_dg(m);
    for (int i = first; i < end; i += PAIR) {
        lanes change[2];
        correction(m, y, i, change);
        move(single, x, g, dx, i, change[0]);
        move(single, x, g, dx, i + WIDTH, change[1]);
    }
}

TN_QUAD_INLINE void remember_body(bool single, tn_mixer *m, const void *x, const void *g, int first, int end,
                                  double *sums)
{
    if (single) {
        remember_any(true, m, x, g, first, end, sums);
    } else {
        remember_any(false, m, x, g, first, end, sums);
    }
}

TN_QUAD_INLINE void mix_body(bool single, const tn_mixer *m, const double *y, void *x, void *g, int first, int end)
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
