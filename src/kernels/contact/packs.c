#include "kernels/contact/packs.h"

#include "base/team.h"
#include "kernels/contact/variants.h"
#include "kernels/processor.h"
#include "law/set.h"

#include <string.h>

// The best first.
static const tn_contact_variant *const LIST[] = {
#if defined(__x86_64__)
    &tn_contact_avx512,
    &tn_contact_avx2,
#endif
    &tn_contact_baseline,
};
enum { N_VARIANTS = sizeof LIST / sizeof LIST[0] };

static const tn_contact_variant *variant_named(const char *kind)
{
    for (int k = 0; k < N_VARIANTS; k++) {
        if (strcmp(LIST[k]->kind, kind) == 0 && tn_processor_runs(kind)) {
            return LIST[k];
        }
    }
    return NULL;
}

static const tn_contact_variant *best_variant(void)
{
    for (int k = 0; k < N_VARIANTS - 1; k++) {
        if (tn_processor_runs(LIST[k]->kind)) {
            return LIST[k];
        }
    }
    return LIST[N_VARIANTS - 1]; // the baseline
}

void tn_contact_solve_lane(tn_law law, const tn_contact_pack *p, int lane, const double u[3], double r[3])
{
    double w = 1.0 / p->inverse_w[lane], a = p->c[0][lane], b = p->c[1][lane];
    double across = a * b / w;
    const double W[9] = {w, a, b, a, p->s[0][lane] + a * a / w, across, b, across, p->s[1][lane] + b * b / w};
    const tn_bound cone = tn_set_of_contact(law, 0, (const double[2]){p->mu[lane], p->mu[lane]});
    double q[3];
    for (int i = 0; i < 3; i++) {
        q[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    }
    tn_set_solve(&cone, W, q, r);
}

void tn_contact_packs_prepare(tn_law law, int n, const double *softness, tn_contact_pack *packs, double *turn,
                              bool *regular)
{
    best_variant()->prepare(law, n, softness, packs, turn, regular);
}

static const tn_contact_single_variant *single_variant(void)
{
#if defined(__x86_64__)
    if (tn_processor_runs(tn_contact_single_avx2.kind)) {
        return &tn_contact_single_avx2;
    }
#endif
    return &tn_contact_single_baseline;
}

typedef void single_sweep(const tn_contact_packs_single *packs, int first, int end);

// kind NULL: the best. NULL: the processor lacks it.
static single_sweep *single_sweep_of(const char *kind)
{
#if defined(__x86_64__)
    if ((!kind || strcmp(kind, "avx512") == 0) && tn_processor_has(TN_AVX512)) {
        return tn_contact_single_sweep_avx512;
    }
    if ((!kind || strcmp(kind, "avx2") == 0) && tn_processor_has(TN_AVX2)) {
        return tn_contact_single_avx2.sweep;
    }
#endif
    return !kind || strcmp(kind, "baseline") == 0 ? tn_contact_single_baseline.sweep : NULL;
}

static const tn_central_variant *central_variant(const char *kind)
{
#if defined(__x86_64__)
    static const tn_central_variant *const list[] = {&tn_central_avx512, &tn_central_avx2};
    for (int k = 0; k < 2; k++) {
        if (tn_processor_runs(list[k]->kind) && (!kind || strcmp(kind, list[k]->kind) == 0)) {
            return list[k];
        }
    }
#endif
    return !kind || strcmp(kind, tn_central_baseline.kind) == 0 ? &tn_central_baseline : NULL;
}

void tn_contact_solve_lane_single(tn_law law, const tn_contact_pack_single *p, int lane, const double u[3], double r[3])
{
    tn_contact_pack one;
    one.inverse_w[0] = p->inverse_w[lane];
    one.mu[0] = p->mu[lane];
    for (int k = 0; k < 2; k++) {
        one.c[k][0] = p->c[k][lane];
        one.s[k][0] = p->s[k][lane];
    }
    tn_contact_solve_lane(law, &one, 0, u, r);
}

// Groups first..end-1 of doubles or floats.
typedef void range_function(const void *packs, int first, int end);

static void add_range(const void *packs, int first, int end)
{
    best_variant()->add(packs, first, end);
}

static void sweep_range(const void *packs, int first, int end)
{
    best_variant()->sweep(packs, first, end);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// The central pack that begins with a group: a round has an even number of them.
static int central_of(const tn_contact_packs_single *p, int group)
{
    return group > p->n_full_groups ? (group - p->n_full_groups) / 2 : 0;
}

static void sweep_single_range(const void *packs, int first, int end)
{
    const tn_contact_packs_single *p = packs;
    if (first < p->n_full_groups) {
        single_sweep_of(NULL)(p, first, least(end, p->n_full_groups));
    }
    if (end > p->n_full_groups) {
        central_variant(NULL)->sweep(p, central_of(p, first), central_of(p, end));
    }
}

static void add_single_range(const void *packs, int first, int end)
{
    const tn_contact_packs_single *p = packs;
    if (first < p->n_full_groups) {
        single_variant()->add(p, first, least(end, p->n_full_groups));
    }
    if (end > p->n_full_groups) {
        central_variant(NULL)->add(p, central_of(p, first), central_of(p, end));
    }
}

typedef struct shared_packs {
    range_function *function;
    const void *packs;
    const tn_pack_pieces *pieces;
} shared_packs;

static void go_over_pieces(const void *context, int first, int end, int thread)
{
    const shared_packs *s = context;
    s->function(s->packs, s->pieces->start[first], s->pieces->start[end]);
}

// All groups, round by round, `times` times. Groups of a round share no line, so threads take them as they like. A team
// pays only where rounds are long; that makes no difference to the result.
static void go_over(const tn_pack_pieces *pieces, int n_rounds, int n_threads, range_function *function,
                    const void *packs, int times)
{
    enum { WORTH_A_TEAM = 4 }; // pieces a round
    const tn_team_rounds rounds = {.n = n_rounds, .start = pieces->of_round, .piece = 1, .times = times};
    tn_team_share_rounds(pieces->n < WORTH_A_TEAM * n_rounds ? 1 : n_threads, &rounds, go_over_pieces,
                         &(shared_packs){function, packs, pieces});
}

void tn_contact_packs_add(tn_contact_packs *packs)
{
    go_over(&packs->pieces, packs->n_rounds, packs->n_threads, add_range, packs, 1);
}

void tn_contact_packs_sweep(tn_contact_packs *packs)
{
    go_over(&packs->pieces, packs->n_rounds, packs->n_threads, sweep_range, packs, 1);
}

void tn_contact_packs_single_add(tn_contact_packs_single *single)
{
    go_over(&single->pieces, single->n_rounds, single->n_threads, add_single_range, single, 1);
}

void tn_contact_packs_single_sweep(tn_contact_packs_single *single, int sweeps)
{
    go_over(&single->pieces, single->n_rounds, single->n_threads, sweep_single_range, single, sweeps);
}

bool tn_contact_packs_single_sweep_with(const char *kind, tn_contact_packs_single *single)
{
    const tn_central_variant *central = central_variant(kind);
    single_sweep *full = single_sweep_of(kind);
    if (central && full) {
        full(single, 0, single->n_full_groups);
        central->sweep(single, 0, central_of(single, single->n_groups));
    }
    return central && full;
}

static void round_numbers(const double *from, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)from[i];
    }
}

void tn_contact_pack_round(const tn_contact_pack *p, tn_contact_pack_single *q)
{
    round_numbers(p->H[0][0][0], q->H[0][0][0], sizeof p->H / sizeof(double));
    round_numbers(p->offset[0], q->offset[0], sizeof p->offset / sizeof(double));
    round_numbers(p->inverse_w, q->inverse_w, TN_PACK);
    round_numbers(p->c[0], q->c[0], sizeof p->c / sizeof(double));
    round_numbers(p->s[0], q->s[0], sizeof p->s / sizeof(double));
    round_numbers(p->inverse_s[0], q->inverse_s[0], sizeof p->inverse_s / sizeof(double));
    round_numbers(p->mu, q->mu, TN_PACK);
    round_numbers(p->relax, q->relax, TN_PACK);
    round_numbers(p->slide, q->slide, TN_PACK);
    round_numbers(p->rho, q->rho, TN_PACK);
    memcpy(q->line, p->line, sizeof q->line);
}

bool tn_contact_packs_sweep_with(const char *kind, tn_contact_packs *packs)
{
    const tn_contact_variant *variant = variant_named(kind);
    if (variant) {
        variant->sweep(packs, 0, packs->n_groups);
    }
    return variant != NULL;
}

// Packs whose sums are wanted: in double; in single precision, full or central.
typedef struct summed {
    const tn_contact_packs *packs;
    const tn_contact_packs_single *single;
    bool fclib, central;
} summed;

static void sum_chunk(const summed *s, int first, int end, double sums[TN_PACK_SUMS])
{
    if (s->packs) {
        best_variant()->sums(s->packs, true, first, end, sums);
    } else if (s->central) {
        central_variant(NULL)->sums(s->single, s->fclib, first, end, sums);
    } else {
        single_variant()->sums(s->single, s->fclib, first, end, sums);
    }
}

enum { CHUNK = 512, CHUNKS = 64 };

typedef struct summing {
    const summed *s;
    int base, n;
    double (*sums)[TN_PACK_SUMS];
} summing;

static void sum_chunks(const void *context, int first, int end, int thread)
{
    const summing *u = context;
    for (int c = first; c < end; c++) {
        int from = u->base + c * CHUNK;
        sum_chunk(u->s, from, least(from + CHUNK, u->n), u->sums[c]);
    }
}

// Of n packs, onto out: sums over chunks of fixed size, added in order.
static void sum_all(const summed *s, int n, int n_threads, double out[TN_PACK_SUMS])
{
    for (int base = 0; base < n; base += CHUNK * CHUNKS) {
        double sums[CHUNKS][TN_PACK_SUMS];
        int left = (n - base + CHUNK - 1) / CHUNK, count = least(left, CHUNKS);
        tn_team_share(n_threads, count, 1, sum_chunks, &(summing){s, base, n, sums});
        for (int c = 0; c < count; c++) {
            for (int k = 0; k < TN_PACK_SUMS; k++) {
                out[k] += sums[c][k];
            }
        }
    }
}

void tn_contact_packs_sums(const tn_contact_packs *packs, double sums[TN_PACK_SUMS])
{
    const summed s = {.packs = packs};
    memset(sums, 0, TN_PACK_SUMS * sizeof *sums);
    sum_all(&s, packs->n, packs->n_threads, sums);
}

void tn_contact_packs_single_sums(const tn_contact_packs_single *single, bool fclib, double sums[TN_PACK_SUMS])
{
    int n_full = single->group_start[single->n_full_groups];
    summed s = {.single = single, .fclib = fclib};
    memset(sums, 0, TN_PACK_SUMS * sizeof *sums);
    sum_all(&s, n_full, single->n_threads, sums);
    s.central = true;
    sum_all(&s, central_of(single, single->n_groups), single->n_threads, sums);
}
