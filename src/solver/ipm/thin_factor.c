#include "solver/ipm/thin_factor.h"

#include <string.h>

static const double WEAK = 0.5;  // C's trace over rho below which a contact is left out
static const double WORTH = 0.8; // share of strong contacts at which a factor without the others pays
static const double STALE = 0.9; // share of the kept contacts that must be strong, else the pattern is made anew

enum { BYTES_A_BLOCK = 160 }; // of K: a pattern takes some 110 of them

static bool allocate(tn_thin_factor *t, tn_arena *arena)
{
    const tn_contacts *c = t->problem->contacts;
    size_t n = (size_t)c->n, n_entries = (size_t)c->start[n];
    t->strong = TN_PUSH(arena, bool, n);
    t->kept = TN_PUSH(arena, bool, n);
    t->C = TN_PUSH_RAW(arena, double, 9 * n);
    int *start = TN_PUSH_RAW(arena, int, n + 1), *block = TN_PUSH_RAW(arena, int, n_entries);
    double *jacobian = TN_PUSH_RAW(arena, double, 9 * n_entries);
    t->contacts = (tn_contacts){.start = start, .block = block, .jacobian = jacobian};
    return t->strong && t->kept && t->C && start && block && jacobian;
}

// Patterns come and go while the caller's arena is marked and released: they have one of their own, in its memory.
bool tn_thin_factor_create(tn_thin_factor *t, const tn_problem *problem, const double *rho, const tn_blocks *K,
                           const tn_body_factor *lender, tn_arena *arena)
{
    size_t bytes = BYTES_A_BLOCK * (size_t)K->start[K->n_rows] + (1 << 16);
    char *memory = TN_PUSH_RAW(arena, char, bytes);
    *t = (tn_thin_factor){.problem = problem, .rho = rho, .lender = lender, .thinned = *problem};
    t->patterns = memory ? tn_arena_create_in("thin factor's pattern", memory, bytes) : NULL;
    t->thinned.contacts = &t->contacts;
    return t->patterns && allocate(t, arena);
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
    for (int m = 0; m < t->problem->contacts->n; ++m) {
        const double *own = C + 9 * (size_t)m;
        t->strong[m] = own[0] + own[4] + own[8] > WEAK * t->rho[m];
        n_strong += t->strong[m];
        *covered = *covered && (t->kept[m] || !t->strong[m]);
    }
    return n_strong;
}

// The kept contacts' part of J.
static void gather(tn_thin_factor *t)
{
    const tn_contacts *c = t->problem->contacts;
    int *start = (int *)t->contacts.start, *block = (int *)t->contacts.block, n = 0, n_entries = 0;
    double *jacobian = (double *)t->contacts.jacobian;
    start[0] = 0;
    for (int m = 0; m < c->n; ++m) {
        t->kept[m] = t->strong[m];
        if (!t->kept[m]) {
            continue;
        }
        int count = c->start[m + 1] - c->start[m];
        memcpy(block + n_entries, c->block + c->start[m], (size_t)count * sizeof *block);
        memcpy(jacobian + 9 * (size_t)n_entries, c->jacobian + 9 * (size_t)c->start[m],
               9 * (size_t)count * sizeof *jacobian);
        n_entries += count;
        start[++n] = n_entries;
    }
    t->n_kept = t->contacts.n = n;
}

static tn_status make_pattern(tn_thin_factor *t, tn_error *error)
{
    tn_arena_reset(t->patterns);
    gather(t);
    if (!tn_contact_matrix_create(&t->K, &t->thinned, t->patterns)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a factor without weak contacts");
    }
    return tn_body_factor_create(&t->factor, &t->K.K, t->lender, t->patterns, error);
}

tn_status tn_thin_factor_values(tn_thin_factor *t, const double *C, bool *single, bool *made, tn_error *error)
{
    bool covered = false;
    int n_strong = judge(t, C, &covered);
    *made = n_strong > 0 && n_strong < WORTH * t->problem->contacts->n;
    if (!*made) {
        return TN_OK;
    }
    if (!covered || n_strong < STALE * t->n_kept) {
        tn_status status = make_pattern(t, error);
        if (status != TN_OK) {
            return status;
        }
    }
    int n = 0;
    for (int m = 0; m < t->problem->contacts->n; ++m) {
        if (t->kept[m]) {
            memcpy(t->C + 9 * (size_t)n++, C + 9 * (size_t)m, 9 * sizeof *C);
        }
    }
    tn_contact_matrix_fill(&t->K, t->C);
    *single = *single && tn_body_factor_values_rough(&t->factor, &t->K.K);
    return *single ? TN_OK : tn_body_factor_values(&t->factor, &t->K.K, error);
}
