// One step of the mixer: a pass over the vectors that remembers and sums (passes.h), the small normal equations by
// Cholesky, and a pass that mixes. Here are the decisions in between: when memory is cleared, when to leap.
#include "kernels/mixer/mixer.h"

#include "base/assert.h"
#include "base/team.h"
#include "kernels/mixer/passes.h"
#include "kernels/processor.h"
#include "kernels/quad.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 2048 };

// Settled piles of spheres, cold: cosines of 0.8 to 0.98 and lengths of 0.7 to 0.95 do about as well.
static const double CREEP_COSINE = 0.95, CREEP_LENGTH = 0.85;

// Of dF^T dF's diagonal: what rounding of the memory leaves open.
static const double RIDGE_FLOAT = 1e-9, RIDGE_DOUBLE = 1e-12;

static void *push_numbers(const tn_mixer *m, size_t n, tn_arena *arena)
{
    // Not zeroed: nothing is read before it was written (begun, count).
    return m->options.doubles ? (void *)TN_PUSH_RAW(arena, double, n) : (void *)TN_PUSH_RAW(arena, float, n);
}

bool tn_mixer_create(tn_mixer *m, const tn_mixer_options *options, tn_arena *arena)
{
    TN_ASSERT(options->n % 16 == 0 && options->n_led % 16 == 0);
    TN_ASSERT(options->depth >= (options->n > 0 ? 1 : 0) && options->depth <= TN_MIXER_DEPTH_MAX);
    *m = (tn_mixer){.options = *options};
    size_t n = (size_t)options->n, depth = (size_t)options->depth;
    m->f = push_numbers(m, n, arena);
    m->df = push_numbers(m, depth * (n - (size_t)options->n_led), arena);
    m->dg = options->dg ? options->dg : push_numbers(m, depth * n, arena);
    m->partial = TN_PUSH(arena, double, TN_MIXER_SUMS *(n / CHUNK + 1));
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

static int chunk_end(const tn_mixer *m, int c)
{
    return (c + 1) * CHUNK < m->options.n ? (c + 1) * CHUNK : m->options.n;
}

// Threads; with few chunks more cost more than they gain.
static int team(const tn_mixer *m)
{
    enum { WORTH_A_TEAM = 16 * CHUNK };
    return m->options.n < WORTH_A_TEAM ? 1 : m->options.n_threads;
}

static tn_mixer_passes passes_of(const tn_mixer *m)
{
    return m->options.doubles ? tn_mixer_passes_double() : tn_mixer_passes_float();
}

static void remember_chunk(tn_mixer *m, bool single, const void *x, const void *g, int c)
{
    passes_of(m).remember(single, m, x, g, c * CHUNK, chunk_end(m, c), m->partial + (size_t)TN_MIXER_SUMS * (size_t)c);
}

typedef struct remembering {
    tn_mixer *m;
    bool single;
    const void *x, *g;
} remembering;

static void remember_chunks(const void *context, int first, int end, int thread)
{
    const remembering *r = context;
    for (int c = first; c < end; c++) {
        remember_chunk(r->m, r->single, r->x, r->g, c);
    }
}

static void remember(tn_mixer *m, bool single, const void *x, const void *g, double sums[TN_MIXER_SUMS])
{
    int n_chunks = (m->options.n + CHUNK - 1) / CHUNK;
    tn_team_share(team(m), n_chunks, 1, remember_chunks, &(remembering){m, single, x, g});
    memset(sums, 0, TN_MIXER_SUMS * sizeof *sums);
    for (int c = 0; c < n_chunks; c++) {
        for (int k = 0; k < TN_MIXER_SUMS; k++) {
            sums[k] += m->partial[(size_t)TN_MIXER_SUMS * (size_t)c + (size_t)k];
        }
    }
}

typedef struct mixing {
    const tn_mixer *m;
    bool single;
    const double *y;
    void *x, *g;
} mixing;

static void mix_range(const void *context, int first, int end, int thread)
{
    const mixing *i = context;
    passes_of(i->m).mix(i->single, i->m, i->y, i->x, i->g, first, end);
}

static void mix(const tn_mixer *m, bool single, const double *y, void *x, void *g)
{
    tn_team_share(team(m), m->options.n, CHUNK, mix_range, &(mixing){m, single, y, x, g});
}

// Solve (gram + ridge) y = rhs by Cholesky; false: a pivot vanished.
static bool solve_gram(const tn_mixer *m, double *y)
{
    double l[TN_MIXER_DEPTH_MAX][TN_MIXER_DEPTH_MAX], ridge = m->options.doubles ? RIDGE_DOUBLE : RIDGE_FLOAT;
    for (int i = 0; i < m->count; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m->gram[i][j] * (i == j ? 1.0 + ridge : 1.0);
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
    m->gram[slot][slot] = sums[TN_MIXER_DF_DF];
    m->rhs[slot] = sums[TN_MIXER_DF_F];
    m->count = slot == m->count ? slot + 1 : m->count;
    m->next = (slot + 1) % m->options.depth;
}

// Whether f is as it was in the step before: its angle to that, and how much of its length is left.
static bool creeps(const double *sums)
{
    double ff = sums[TN_MIXER_FF], df_f = sums[TN_MIXER_DF_F];
    double both = ff - df_f, before = ff - 2.0 * df_f + sums[TN_MIXER_DF_DF];
    return both > CREEP_COSINE * sqrt(ff * before) && ff > CREEP_LENGTH * CREEP_LENGTH * before;
}

static double advance(tn_mixer *m, bool single, void *x, void *g)
{
    double sums[TN_MIXER_SUMS], y[TN_MIXER_DEPTH_MAX] = {0.0};
    bool had = m->begun;
    remember(m, single, x, g, sums);
    double norm = sqrt(sums[TN_MIXER_FF]);
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
    mix(m, single, y, x, g);
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

TN_QUAD_INLINE quad widen(const float *p)
{
    return __builtin_convertvector(quad_single_load(p), quad);
}

TN_QUAD_INLINE void dot_body(int n, const float *x, const float *y, double *out)
{
    quad sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int i = 0; i < n; i += 16) {
        for (int k = 0; k < 4; k++) {
            sum[k] += widen(x + i + 4 * k) * widen(y + i + 4 * k);
        }
    }
    *out = quad_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

TN_VARIANTS(dot, (int n, const float *x, const float *y, double *out), (n, x, y, out))

double tn_mixer_dot(int n, const float *x, const float *y)
{
    double out;
    TN_BEST(dot)(n, x, y, &out);
    return out;
}
