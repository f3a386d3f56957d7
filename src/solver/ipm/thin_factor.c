#include "solver/ipm/thin_factor.h"

#include <string.h>

static const double WEAK = 4.0;   // C's trace over rho below which a contact is left out
static const double WORTH = 0.95; // share of strong contacts at which a factor without the others pays
static const double STALE = 0.9;  // share of the kept contacts that must be strong, else the pattern is made anew

enum { BYTES_A_BLOCK = 64 }; // of K: a pattern takes some 35 of them

// Patterns come and go while the caller's arena is marked and released: they have one of their own, in its memory.
bool tn_thin_factor_create(tn_thin_factor *t, const tn_contact_matrix *K, const double *rho,
                           const tn_body_factor *lender, tn_arena *arena)
{
    size_t n = (size_t)K->problem->rows->n_triples, n_blocks = (size_t)K->K.start[K->K.n_rows];
    size_t bytes = BYTES_A_BLOCK * n_blocks + (1 << 16);
    char *memory = TN_PUSH_RAW(arena, char, bytes);
    *t = (tn_thin_factor){.K = K, .rho = rho, .lender = lender};
    t->patterns = memory ? tn_arena_create_in(memory, bytes) : NULL;
    t->strong = TN_PUSH(arena, bool, n);
    t->kept = TN_PUSH(arena, bool, n);
    t->blocks = TN_PUSH(arena, bool, n_blocks);
    return t->patterns && t->strong && t->kept && t->blocks;
}

void tn_thin_factor_destroy(tn_thin_factor *t)
{
    tn_arena_destroy(t->patterns);
    *t = (tn_thin_factor){.n_kept = 0};
}

// Which contacts are strong; returns their number. *covered: the pattern holds all of them.
static int judge(tn_thin_factor *t, const double *C, bool *covered)
{
    int n_strong = 0;
    *covered = t->n_kept > 0;
    for (int m = 0; m < t->K->problem->rows->n_triples; ++m) {
        const double *own = C + 9 * (size_t)m;
        t->strong[m] = own[0] + own[4] + own[8] > WEAK * t->rho[m];
        n_strong += t->strong[m];
        *covered = *covered && (t->kept[m] || !t->strong[m]);
    }
    return n_strong;
}

// A's blocks and those of the strong contacts. A block that is left out takes nothing from what a contact adds to the
// bodies' own: the rest stays positive definite.
static void choose_blocks(tn_thin_factor *t)
{
    const tn_rows *c = t->K->problem->rows;
    const tn_blocks *A = t->K->problem->A, *K = &t->K->K;
    const int *pair = t->K->pair;
    memset(t->blocks, !t->K->place, (size_t)K->start[K->n_rows] * sizeof *t->blocks);
    for (int k = 0; t->K->place && k < A->start[A->n_rows]; ++k) {
        t->blocks[t->K->place[k]] = true;
    }
    for (int m = 0; m < c->n_triples; ++m) {
        int n = c->start[m + 1] - c->start[m];
        t->kept[m] = t->strong[m];
        for (int k = 0; k < n * n; ++k, ++pair) {
            t->blocks[*pair] = t->blocks[*pair] || t->kept[m];
        }
    }
}

static tn_status make_pattern(tn_thin_factor *t, int n_strong, tn_error *error)
{
    tn_arena_reset(t->patterns);
    choose_blocks(t);
    t->n_kept = n_strong;
    return tn_body_factor_create_thin(&t->factor, &t->K->K, t->blocks, t->lender, t->patterns, error);
}

tn_status tn_thin_factor_values(tn_thin_factor *t, const double *C, bool *single, bool *made, tn_error *error)
{
    bool covered = false;
    int n_strong = judge(t, C, &covered);
    *made = n_strong > 0 && n_strong < WORTH * t->K->problem->rows->n_triples;
    if (!*made) {
        return TN_OK;
    }
    if (!covered || n_strong < STALE * t->n_kept) {
        tn_status status = make_pattern(t, n_strong, error);
        if (status != TN_OK) {
            return status;
        }
    }
    *single = *single && tn_body_factor_values_rough(&t->factor, &t->K->K);
    return *single ? TN_OK : tn_body_factor_values(&t->factor, &t->K->K, error);
}
