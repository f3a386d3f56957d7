#include "solver/ipm/rough_factor.h"

#include "kernels/block_product.h"
#include "math/sums.h"

#include <string.h>

// K's own factor in single precision makes 6e10 operations a second; a product with K, with its incomplete factor and
// the vectors' sums takes 0.1 us a contact. A step solves three to five times, and needs two to three times as many
// products as the one before.
static const double OWN_RATE = 6e10, PRODUCT = 1e-7, SOLVES = 4.0, GROWTH = 2.5;
enum { FEWEST = 4, THIN_PRODUCTS = 25, SINGLE_PRODUCTS = 12 };

bool tn_rough_factor_create(tn_rough_factor *s, const tn_contact_matrix *K, const double *rho, tn_body_factor *own,
                            tn_arena *arena)
{
    size_t n_v = 3 * (size_t)K->K.n_rows;
    *s = (tn_rough_factor){.kind = TN_ROUGH_NONE, .own = own, .single = true};
    s->most = (int)(own->flops / OWN_RATE / (SOLVES * PRODUCT * K->problem->rows->n_triples));
    s->far = s->most >= FEWEST;
    return (!s->far || tn_incomplete_create(&s->incomplete, &K->K, arena)) &&
           TN_PUSH_EACH(arena, n_v, &s->b, &s->r, &s->z, &s->p, &s->Kp) &&
           tn_thin_factor_create(&s->thin, K, rho, own, arena);
}

void tn_rough_factor_destroy(tn_rough_factor *s)
{
    tn_thin_factor_destroy(&s->thin);
}

tn_status tn_rough_factor_values(tn_rough_factor *s, const tn_blocks *K, const double *C, tn_error *error)
{
    s->kind = TN_ROUGH_NONE;
    s->begun = false;
    if (s->far) {
        s->far = tn_incomplete_values(&s->incomplete, K);
        s->kind = s->far ? TN_ROUGH_INCOMPLETE : TN_ROUGH_NONE;
    }
    if (s->far) {
        return TN_OK;
    }
    bool made = false;
    tn_status status = tn_thin_factor_values(&s->thin, C, &s->single, &made, error);
    if (status == TN_OK && made) {
        s->kind = TN_ROUGH_THIN;
    } else if (status == TN_OK && s->single) {
        s->single = tn_body_factor_values_rough(s->own, K);
        s->kind = s->single ? TN_ROUGH_SINGLE : TN_ROUGH_NONE;
    }
    return status == TN_NUMERICS ? TN_OK : status; // too near the cones' boundary: K's own, then
}

static void precondition(tn_rough_factor *s)
{
    if (s->kind == TN_ROUGH_INCOMPLETE) {
        tn_incomplete_solve(&s->incomplete, s->r, s->z);
    } else {
        tn_body_factor_solve(s->kind == TN_ROUGH_THIN ? &s->thin.factor : s->own, s->r, s->z);
    }
}

static void add(int n, double factor, const double *from, double *to)
{
    for (int i = 0; i < n; ++i) {
        to[i] += factor * from[i];
    }
}

// Conjugate gradients. Returns the products, -1 where `most` did not do.
static int iterate(tn_rough_factor *s, const tn_blocks *K, int most, double goal, double *x)
{
    size_t n = 3 * (size_t)K->n_rows;
    double now = 0.0;
    for (int k = 0; k <= most; ++k) {
        if (tn_dot(n, s->r, s->r) <= goal * goal) {
            return k;
        }
        precondition(s);
        double before = now;
        now = tn_dot(n, s->r, s->z);
        for (size_t i = 0; i < n; ++i) {
            s->p[i] = s->z[i] + (k > 0 ? now / before * s->p[i] : 0.0);
        }
        tn_block_product(K, s->p, s->Kp, 1);
        double step = now / tn_dot(n, s->p, s->Kp);
        add((int)n, step, s->p, x);
        add((int)n, -step, s->Kp, s->r);
    }
    return -1;
}

// r = b - K x for x of the solve before, or x = 0.
static void begin(tn_rough_factor *s, size_t n, const double *b, double *x)
{
    if (s->begun) {
        add((int)n, -1.0, s->b, s->r);
        add((int)n, 1.0, b, s->r);
    } else {
        memcpy(s->r, b, n * sizeof *b);
        memset(x, 0, n * sizeof *x);
    }
    memcpy(s->b, b, n * sizeof *b);
}

// One solve with the factor at hand. Returns the products, -1 where they were too many.
static int try_solve(tn_rough_factor *s, const tn_blocks *K, const double *b, double goal, double *x)
{
    int most = s->kind == TN_ROUGH_THIN ? THIN_PRODUCTS : s->kind == TN_ROUGH_SINGLE ? SINGLE_PRODUCTS : 2 * s->most;
    begin(s, 3 * (size_t)K->n_rows, b, x);
    int products = iterate(s, K, most, goal, x);
    s->begun = products >= 0;
    s->products += products < 0 ? most : products;
    return products;
}

bool tn_rough_factor_solve(tn_rough_factor *s, const tn_blocks *K, const double *b, double goal, double *x)
{
    int products = try_solve(s, K, b, goal, x);
    if (s->kind == TN_ROUGH_INCOMPLETE) {
        s->far = s->far && products >= 0 && GROWTH * products <= s->most; // else the next step tries something else
        if (products < 0 && s->single && tn_body_factor_values_rough(s->own, K)) {
            s->kind = TN_ROUGH_SINGLE;
            products = try_solve(s, K, b, goal, x);
        }
    }
    s->single = s->single && products >= 0;
    return products >= 0;
}
