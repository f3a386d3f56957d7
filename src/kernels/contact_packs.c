#include "kernels/contact_packs.h"

#include "kernels/contact_variants.h"
#include "law/local.h"

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

static bool supported(const char *kind)
{
#if defined(__x86_64__)
    if (strcmp(kind, "avx512") == 0) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    }
    if (strcmp(kind, "avx2") == 0) {
        return __builtin_cpu_supports("avx2");
    }
#endif
    return strcmp(kind, "baseline") == 0;
}

static const tn_contact_variant *variant_named(const char *kind)
{
    for (int k = 0; k < N_VARIANTS; k++) {
        if (strcmp(LIST[k]->kind, kind) == 0 && supported(kind)) {
            return LIST[k];
        }
    }
    return NULL;
}

static const tn_contact_variant *best_variant(void)
{
    const tn_contact_variant *const *best = LIST;
    while (!supported((*best)->kind)) {
        best++; // ends at the baseline
    }
    return *best;
}

void tn_contact_solve_lane(tn_law law, const tn_contact_pack *p, int lane, const double u[3], double r[3])
{
    double w = 1.0 / p->inverse_w[lane], a = p->c[0][lane], b = p->c[1][lane];
    double across = a * b / w;
    const double W[9] = {w, a, b, a, p->s[0][lane] + a * a / w, across, b, across, p->s[1][lane] + b * b / w};
    const double mu[2] = {p->mu[lane], p->mu[lane]};
    double q[3];
    for (int i = 0; i < 3; i++) {
        q[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    }
    tn_local_solve(law, mu, W, q, r);
}

void tn_contact_packs_prepare(tn_contact_packs *packs, double *turn, bool *regular)
{
    best_variant()->prepare(packs, 0, packs->n, turn, regular);
}

typedef void range_function(const tn_contact_packs *packs, int first, int end);

// All packs, round by round: those of a round share no body, so threads take them as they like. A team pays only where
// a round is long (a barrier costs about what four packs do); that makes no difference to the result.
static void go_over(const tn_contact_packs *packs, range_function *function)
{
    enum { WORTH_A_TEAM = 48 };
    if (packs->n_threads < 2 || packs->n < WORTH_A_TEAM * packs->n_rounds) {
        function(packs, 0, packs->n);
        return;
    }
#pragma omp parallel num_threads(packs->n_threads)
    for (int c = 0; c < packs->n_rounds; c++) {
        int first = packs->round_start[c], end = packs->round_start[c + 1];
        // The loop's barrier keeps the rounds apart.
#pragma omp for schedule(static)
        for (int k = first; k < end; k += TN_PACK_PART) {
            function(packs, k, k + TN_PACK_PART < end ? k + TN_PACK_PART : end);
        }
    }
}

void tn_contact_packs_add(tn_contact_packs *packs)
{
    go_over(packs, best_variant()->add);
}

void tn_contact_packs_sweep(tn_contact_packs *packs)
{
    go_over(packs, best_variant()->sweep);
}

bool tn_contact_packs_sweep_with(const char *kind, tn_contact_packs *packs)
{
    const tn_contact_variant *variant = variant_named(kind);
    if (variant) {
        variant->sweep(packs, 0, packs->n);
    }
    return variant != NULL;
}

void tn_contact_packs_sums(const tn_contact_packs *packs, double out[TN_PACK_SUMS])
{
    // Sums over chunks of fixed size, added in order.
    enum { CHUNK = 512, CHUNKS = 64 };
    const tn_contact_variant *variant = best_variant();
    memset(out, 0, TN_PACK_SUMS * sizeof *out);
    for (int base = 0; base < packs->n; base += CHUNK * CHUNKS) {
        double sums[CHUNKS][TN_PACK_SUMS];
        int left = (packs->n - base + CHUNK - 1) / CHUNK, n = left < CHUNKS ? left : CHUNKS;
#pragma omp parallel for schedule(static) num_threads(packs->n_threads) if (packs->n_threads > 1 && n > 1)
        for (int c = 0; c < n; c++) {
            int first = base + c * CHUNK, end = first + CHUNK;
            variant->sums(packs, first, end < packs->n ? end : packs->n, sums[c]);
        }
        for (int c = 0; c < n; c++) {
            for (int s = 0; s < TN_PACK_SUMS; s++) {
                out[s] += sums[c][s];
            }
        }
    }
}

void tn_contact_packs_velocity(const tn_contact_packs *packs, double *u)
{
    best_variant()->velocity(packs, 0, packs->n, u);
}
