#include "kernels/mixer.h"

#include "kernels/lanes.h"
#include "kernels/processor.h"
#include "kernels/sell_rows.h"

#include <float.h>

typedef float wide_half __attribute__((vector_size(64)));

enum { CHUNK = 2048, BLOCK = 256, SUMS = 2 * TN_MIXER_DEPTH_MAX + 5 };

// Settled piles of spheres, cold: cosines of 0.8 to 0.98 and lengths of 0.7 to 0.95 do about as well.
static const double CREEP_COSINE = 0.95, CREEP_LENGTH = 0.85;

// What a pass over a chunk sums: df . df_k and f . df_k for all k, then these.
enum { FF = 2 * TN_MIXER_DEPTH_MAX + 2, DF_F, DF_DF };

bool tn_mixer_create(tn_mixer *m, int n, int depth, int n_threads, tn_arena *arena)
{
    return tn_mixer_create_led(m, n, 0, depth, NULL, n_threads, arena);
}

bool tn_mixer_create_led(tn_mixer *m, int n, int n_led, int depth, float *dg, int n_threads, tn_arena *arena)
{
    *m = (tn_mixer){.n = n, .n_led = n_led, .depth = depth, .n_threads = n_threads};
    // Not zeroed: nothing is read before it was written (begun, count).
    m->f = TN_PUSH_RAW(arena, float, n);
    m->df = TN_PUSH_RAW(arena, float, (size_t)depth *(size_t)(n - n_led));
    m->dg = dg ? dg : TN_PUSH_RAW(arena, float, (size_t)depth *(size_t)n);
    m->partial = TN_PUSH(arena, double, SUMS *(size_t)(n / CHUNK + 1));
    tn_mixer_clear(m);
    return m->f && m->df && m->dg && m->partial;
}

void tn_mixer_clear(tn_mixer *m)
{
    m->count = m->next = 0;
    m->begun = false;
    m->best = INFINITY;
    memset(m->gram, 0, sizeof m->gram);
    memset(m->rhs, 0, sizeof m->rhs);
}

TN_INLINE wide_half load_wide(const float *p)
{
    wide_half x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_INLINE void store_wide(float *p, wide_half x)
{
    memcpy(p, &x, sizeof x);
}

TN_INLINE quad widen_four(const float *p)
{
    quad_single x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, quad);
}

TN_INLINE double sum_of_wide(wide_half x)
{
    float p[16];
    store_wide(p, x);
    return quad_sum((widen_four(p) + widen_four(p + 4)) + (widen_four(p + 8) + widen_four(p + 12)));
}

// Sixteen numbers of g - x, vectors in either precision; `single` is a constant where inlined.
TN_INLINE wide_half difference(bool single, const void *g, const void *x, int i)
{
    if (single) {
        return load_wide((const float *)g + i) - load_wide((const float *)x + i);
    }
    wide_half d;
    for (int k = 0; k < 16; k += 4) {
        quad wide = quad_load((const double *)g + i + k) - quad_load((const double *)x + i + k);
        quad_single four = __builtin_convertvector(wide, quad_single);
        memcpy((char *)&d + sizeof(float) * (size_t)k, &four, sizeof four);
    }
    return d;
}

// out[0], out[1] += df . a and f . a; out[2], out[3]: the same of b.
TN_INLINE void dots(const float *df, const float *f, const float *a, const float *b, int first, int end, double out[4])
{
    wide_half sum[4] = {{0.0F}, {0.0F}, {0.0F}, {0.0F}};
    for (int i = first; i < end; i += 16) {
        wide_half d = load_wide(df + i), g = load_wide(f + i), u = load_wide(a + i), v = load_wide(b + i);
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
TN_INLINE float *next_dg(const tn_mixer *m)
{
    return m->dg + (size_t)m->next * (size_t)m->n;
}

// f and the newest differences of numbers first..end-1, and their own sums.
TN_INLINE void take_step(bool single, bool led, tn_mixer *m, const void *x, const void *g, int first, int end,
                         double *sums)
{
    float *df = m->df + (size_t)m->next * (size_t)(m->n - m->n_led), *dg = next_dg(m);
    float *last = m->f;
    wide_half ff = {0.0F}, df_f = {0.0F}, df_df = {0.0F};
    for (int i = first; i < end; i += 16) {
        wide_half f = difference(single, g, x, i);
        if (m->begun) {
            wide_half d = f - load_wide(last + i);
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
    sums[FF] += sum_of_wide(ff);
    sums[DF_F] += sum_of_wide(df_f);
    sums[DF_DF] += sum_of_wide(df_df);
}

// Numbers first..end-1: what is to be remembered, and all sums. In blocks: products are summed in float inside of one.
TN_INLINE void remember_any(bool single, tn_mixer *m, const void *x, const void *g, int first, int end, double *sums)
{
    size_t n_df = (size_t)(m->n - m->n_led);
    const float *df = m->df + (size_t)m->next * n_df;
    memset(sums, 0, SUMS * sizeof *sums);
    for (int at = first, stop = first; at < end; at = stop) {
        int led = m->n - m->n_led;
        stop = at + BLOCK < end ? at + BLOCK : end;
        stop = at < led && stop > led ? led : stop;
        double unused[SUMS] = {0.0};
        if (at >= led) {
            take_step(single, true, m, x, g, at, stop, unused);
            continue;
        }
        take_step(single, false, m, x, g, at, stop, sums);
        // The others two by two; where their number is odd the last comes twice.
        for (int k = 0; k < m->count && m->begun; k += 2) {
            const float *a = m->df + (size_t)k * n_df, *b = k + 1 < m->count ? a + n_df : a;
            dots(df, m->f, a, b, at, stop, sums + 2 * k);
        }
    }
}

// dG y of sixteen numbers, or the leap. In float: what it corrects is as small as f.
TN_INLINE wide_half correction(const tn_mixer *m, const float *y, int i)
{
    wide_half sum = {0.0F};
    if (m->leaps) {
        return sum - m->leap * load_wide(m->f + i);
    }
    const float *dg = m->dg + i;
    for (int k = 0; k < m->count; k++, dg += m->n) {
        sum += y[k] * load_wide(dg);
    }
    return sum;
}

// The next start into x and g, from x, g and the differences.
TN_INLINE void mix_any(bool single, const tn_mixer *m, const float *y, void *x, void *g, int first, int end)
{
    float *dx = next_dg(m);
    for (int i = first; i < end; i += 16) {
        wide_half change = correction(m, y, i);
        if (single) {
            wide_half next = load_wide((const float *)g + i) - change;
            store_wide(dx + i, next - load_wide((const float *)x + i));
            store_wide((float *)x + i, next);
            store_wide((float *)g + i, next);
            continue;
        }
        float part[16];
        store_wide(part, change);
        for (int k = 0; k < 16; k += 4) {
            double *to = (double *)x + i + k, *from = (double *)g + i + k;
            quad next = quad_load(from) - widen_four(part + k);
            quad_single step = __builtin_convertvector(next - quad_load(to), quad_single);
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

TN_INLINE void mix_body(bool single, const tn_mixer *m, const float *y, void *x, void *g, int first, int end)
{
    if (single) {
        mix_any(true, m, y, x, g, first, end);
    } else {
        mix_any(false, m, y, x, g, first, end);
    }
}

TN_INLINE void dot_body(int n, const float *x, const float *y, double *out)
{
    quad sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int i = 0; i < n; i += 16) {
        for (int k = 0; k < 4; k++) {
            sum[k] += widen_four(x + i + 4 * k) * widen_four(y + i + 4 * k);
        }
    }
    *out = quad_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

TN_VARIANTS(dot, (int n, const float *x, const float *y, double *out), (n, x, y, out))
TN_VARIANTS(remember, (bool single, tn_mixer *m, const void *x, const void *g, int first, int end, double *sums),
            (single, m, x, g, first, end, sums))
TN_VARIANTS(mix, (bool single, const tn_mixer *m, const float *y, void *x, void *g, int first, int end),
            (single, m, y, x, g, first, end))

static int chunk_end(const tn_mixer *m, int c)
{
    return (c + 1) * CHUNK < m->n ? (c + 1) * CHUNK : m->n;
}

// Chunks under which a team of threads costs more than it gains. A team of one costs something too: 0.4 us.
enum { WORTH_A_TEAM = 16 };

static bool needs_team(const tn_mixer *m, int n_chunks)
{
    return m->n_threads > 1 && n_chunks >= WORTH_A_TEAM;
}

static void remember_chunk(tn_mixer *m, bool single, const void *x, const void *g, int c)
{
    TN_BEST(remember)(single, m, x, g, c * CHUNK, chunk_end(m, c), m->partial + (size_t)SUMS * (size_t)c);
}

static void remember_all(tn_mixer *m, bool single, const void *x, const void *g, double sums[SUMS])
{
    int n_chunks = (m->n + CHUNK - 1) / CHUNK;
    if (needs_team(m, n_chunks)) {
#pragma omp parallel for schedule(static) num_threads(m->n_threads)
        for (int c = 0; c < n_chunks; c++) {
            remember_chunk(m, single, x, g, c);
        }
    } else {
        for (int c = 0; c < n_chunks; c++) {
            remember_chunk(m, single, x, g, c);
        }
    }
    memset(sums, 0, SUMS * sizeof *sums);
    for (int c = 0; c < n_chunks; c++) {
        for (int k = 0; k < SUMS; k++) {
            sums[k] += m->partial[(size_t)SUMS * (size_t)c + (size_t)k];
        }
    }
}

// Solve (gram + ridge) y = rhs by Cholesky; false: a pivot vanished.
static bool solve_gram(const tn_mixer *m, double *y)
{
    double l[TN_MIXER_DEPTH_MAX][TN_MIXER_DEPTH_MAX];
    for (int i = 0; i < m->count; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m->gram[i][j] * (i == j ? 1.0 + 1e-9 : 1.0);
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            if (i == j && !(sum > 1e-13 * m->gram[i][i])) {
                return false;
            }
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    for (int i = 0; i < m->count; i++) {
        y[i] = m->rhs[i];
        for (int k = 0; k < i; k++) {
            y[i] -= l[i][k] * y[k];
        }
        y[i] /= l[i][i];
    }
    for (int i = m->count - 1; i >= 0; i--) {
        for (int k = i + 1; k < m->count; k++) {
            y[i] -= l[k][i] * y[k];
        }
        y[i] /= l[i][i];
    }
    return true;
}

// The newest differences' row of the Gram matrix, and the right-hand side of the new f.
static void take_sums(tn_mixer *m, const double *sums)
{
    int slot = m->next;
    for (int k = 0; k < m->count; k++) {
        if (k != slot) {
            m->rhs[k] = sums[2 * k + 1];
            m->gram[k][slot] = m->gram[slot][k] = sums[2 * k];
        }
    }
    m->gram[slot][slot] = sums[DF_DF];
    m->rhs[slot] = sums[DF_F];
    m->count = slot == m->count ? slot + 1 : m->count;
    m->next = (slot + 1) % m->depth;
}

// Whether f is as it was in the step before: its angle to that, and how much of its length is left.
static bool creeps(const double *sums)
{
    double both = sums[FF] - sums[DF_F], before = sums[FF] - 2.0 * sums[DF_F] + sums[DF_DF];
    return both > CREEP_COSINE * sqrt(sums[FF] * before) && sums[FF] > CREEP_LENGTH * CREEP_LENGTH * before;
}

static double advance(tn_mixer *m, bool single, void *x, void *g)
{
    double sums[SUMS], y[TN_MIXER_DEPTH_MAX] = {0.0};
    bool had = m->begun;
    remember_all(m, single, x, g, sums);
    double norm = sqrt(sums[FF]);
    m->leaps = had && m->leap > 0.0F && creeps(sums);
    if (had && norm <= 2.0 * m->best) {
        take_sums(m, sums);
    } else {
        tn_mixer_clear(m);
    }
    if (m->count > 0 && !solve_gram(m, y)) {
        tn_mixer_clear(m);
    }
    m->begun = true;
    m->best = norm < m->best ? norm : m->best;
    mix_function *mix = TN_BEST(mix);
    float y_half[TN_MIXER_DEPTH_MAX];
    for (int k = 0; k < TN_MIXER_DEPTH_MAX; k++) {
        y_half[k] = (float)y[k];
    }
    int n_chunks = (m->n + CHUNK - 1) / CHUNK;
    if (needs_team(m, n_chunks)) {
#pragma omp parallel for schedule(static) num_threads(m->n_threads)
        for (int c = 0; c < n_chunks; c++) {
            mix(single, m, y_half, x, g, c * CHUNK, chunk_end(m, c));
        }
    } else {
        mix(single, m, y_half, x, g, 0, m->n);
    }
    if (m->leaps) {
        tn_mixer_clear(m);
    }
    return norm;
}

double tn_mixer_advance(tn_mixer *m, double *x, double *g)
{
    return advance(m, false, x, g);
}

double tn_mixer_advance_single(tn_mixer *m, float *x, float *g)
{
    return advance(m, true, x, g);
}

double tn_mixer_dot(int n, const float *x, const float *y)
{
    double out;
    TN_BEST(dot)(n, x, y, &out);
    return out;
}
