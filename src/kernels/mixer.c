#include "kernels/mixer.h"

#include "kernels/lanes.h"

#include <float.h>

typedef float half_lanes __attribute__((vector_size(32)));
typedef float wide_half __attribute__((vector_size(64)));

enum { CHUNK = 2048, SUMS = 2 * TN_MIXER_DEPTH_MAX + 3 };

// What a pass over a chunk sums: df . df_k and f . df_k for all k, then these.
enum { FF = 2 * TN_MIXER_DEPTH_MAX, DF_F, DF_DF };

bool tn_mixer_create(tn_mixer *m, int n, int depth, int n_threads, tn_arena *arena)
{
    *m = (tn_mixer){.n = n, .depth = depth, .n_threads = n_threads};
    // Not zeroed: nothing is read before it was written (begun, count).
    m->f = TN_PUSH_RAW(arena, float, n);
    m->dx = TN_PUSH_RAW(arena, float, n);
    m->df = TN_PUSH_RAW(arena, float, (size_t)depth *(size_t)n);
    m->dg = TN_PUSH_RAW(arena, float, (size_t)depth *(size_t)n);
    m->partial = TN_PUSH(arena, double, SUMS *(size_t)(n / CHUNK + 1));
    tn_mixer_clear(m);
    return m->f && m->dx && m->df && m->dg && m->partial;
}

void tn_mixer_clear(tn_mixer *m)
{
    m->count = m->next = 0;
    m->begun = false;
    m->best = INFINITY;
    memset(m->gram, 0, sizeof m->gram);
    memset(m->rhs, 0, sizeof m->rhs);
}

TN_INLINE lanes load_half(const float *p)
{
    half_lanes x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, lanes);
}

// Rounds x in place, so that the sums see what is stored.
TN_INLINE lanes store_half(float *p, lanes x)
{
    half_lanes y = __builtin_convertvector(x, half_lanes);
    memcpy(p, &y, sizeof y);
    return __builtin_convertvector(y, lanes);
}

// df . other and f . other in one pass over other; pairs of sums, as one alone waits for each addition.
TN_INLINE void dot_pair(const float *df, const float *f, const float *other, int first, int end, double out[2])
{
    lanes a[2] = {{0.0}, {0.0}}, b[2] = {{0.0}, {0.0}};
    for (int i = first; i < end; i += 16) {
        lanes even = load_half(other + i), odd = load_half(other + i + 8);
        a[0] += load_half(df + i) * even;
        b[0] += load_half(f + i) * even;
        a[1] += load_half(df + i + 8) * odd;
        b[1] += load_half(f + i + 8) * odd;
    }
    out[0] = sum_of_lanes(a[0] + a[1]);
    out[1] = sum_of_lanes(b[0] + b[1]);
}

// f and the newest differences of numbers first..end-1, and their sums.
TN_INLINE void remember_body(tn_mixer *m, const double *x, const double *g, int first, int end, double *sums)
{
    float *df = m->df + (size_t)m->next * (size_t)m->n, *dg = m->dg + (size_t)m->next * (size_t)m->n;
    lanes ff = {0.0}, df_f = {0.0}, df_df = {0.0};
    for (int i = first; i < end; i += 8) {
        lanes f = load(g + i) - load(x + i);
        if (m->begun) {
            lanes d = store_half(df + i, f - load_half(m->f + i));
            store_half(dg + i, load_half(m->dx + i) + d);
            df_f += d * f;
            df_df += d * d;
        }
        ff += f * f;
        store_half(m->f + i, f);
    }
    sums[FF] = sum_of_lanes(ff);
    sums[DF_F] = sum_of_lanes(df_f);
    sums[DF_DF] = sum_of_lanes(df_df);
    for (int k = 0; k < m->count && m->begun; k++) {
        if (k != m->next) {
            dot_pair(df, m->f, m->df + (size_t)k * (size_t)m->n, first, end, sums + 2 * k);
        }
    }
}

// dG y of sixteen numbers. In float: what it corrects is as small as f.
TN_INLINE wide_half correction(const tn_mixer *m, const float *y, int i)
{
    wide_half sum = {0.0F};
    const float *dg = m->dg + i;
    for (int k = 0; k < m->count; k++, dg += m->n) {
        wide_half d;
        memcpy(&d, dg, sizeof d);
        sum += y[k] * d;
    }
    return sum;
}

// The next start into x and g, from x, g and the differences.
TN_INLINE void mix_body(const tn_mixer *m, const float *y, double *x, double *g, int first, int end)
{
    for (int i = first; i < end; i += 16) {
        wide_half change = correction(m, y, i);
        half_lanes part[2];
        memcpy(part, &change, sizeof part);
        for (int k = 0; k < 2; k++) {
            int at = i + 8 * k;
            lanes next = load(g + at) - __builtin_convertvector(part[k], lanes);
            store_half(m->dx + at, next - load(x + at));
            store(x + at, next);
            store(g + at, next);
        }
    }
}

TN_INLINE void dot_body(int n, const double *x, const double *y, double *out)
{
    lanes even = {0.0}, odd = {0.0};
    for (int i = 0; i < n; i += 16) {
        even += load(x + i) * load(y + i);
        odd += load(x + i + 8) * load(y + i + 8);
    }
    *out = sum_of_lanes(even + odd);
}

TN_VARIANTS(dot, (int n, const double *x, const double *y, double *out), (n, x, y, out))
TN_VARIANTS(remember, (tn_mixer * m, const double *x, const double *g, int first, int end, double *sums),
            (m, x, g, first, end, sums))
TN_VARIANTS(mix, (const tn_mixer *m, const float *y, double *x, double *g, int first, int end),
            (m, y, x, g, first, end))

static int chunk_end(const tn_mixer *m, int c)
{
    return (c + 1) * CHUNK < m->n ? (c + 1) * CHUNK : m->n;
}

// Chunks under which a team of threads costs more than it gains.
enum { WORTH_A_TEAM = 16 };

static void remember_all(tn_mixer *m, const double *x, const double *g, double sums[SUMS])
{
    remember_function *remember = TN_BEST(remember);
    int n_chunks = (m->n + CHUNK - 1) / CHUNK;
#pragma omp parallel for schedule(static) num_threads(m->n_threads) if (m->n_threads > 1 && n_chunks >= WORTH_A_TEAM)
    for (int c = 0; c < n_chunks; c++) {
        remember(m, x, g, c * CHUNK, chunk_end(m, c), m->partial + (size_t)SUMS * (size_t)c);
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

double tn_mixer_advance(tn_mixer *m, double *x, double *g)
{
    double sums[SUMS], y[TN_MIXER_DEPTH_MAX] = {0.0};
    bool had = m->begun;
    remember_all(m, x, g, sums);
    double norm = sqrt(sums[FF]);
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
#pragma omp parallel for schedule(static) num_threads(m->n_threads) if (m->n_threads > 1 && n_chunks >= WORTH_A_TEAM)
    for (int c = 0; c < n_chunks; c++) {
        mix(m, y_half, x, g, c * CHUNK, chunk_end(m, c));
    }
    return norm;
}

double tn_mixer_dot(int n, const double *x, const double *y)
{
    double out;
    TN_BEST(dot)(n, x, y, &out);
    return out;
}
