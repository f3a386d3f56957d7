#include "kernels/nodal/sweep.h"

#include "base/team.h"
#include "kernels/nodal/halves.h"
#include "kernels/processor.h"

enum { LANES = TN_SELL_LANES, AHEAD = 2 }; // slices whose blocks are asked for while one is worked on

// r = A x - b of one slice, or A x.
TN_QUAD_INLINE octet_nodes residual_of(bool wide, const tn_nodal_rows *rows, const float *b, const float *x, int s)
{
    octet_nodes r = octet_product(rows->sell, wide, x, s);
    if (!b) {
        return r;
    }
    octet_nodes f = octet_load_slice(wide, b, s);
    return (octet_nodes){r.x - f.x, r.y - f.y, r.z - f.z};
}

// Push of four contacts that move with u = (u_n, t), |t| = slip: sets the normal push and the part of t that is
// taken away; returns the states.
TN_QUAD_INLINE quad_mask push_of(tn_law law, quad mu, quad u_n, quad slip, quad *normal, quad *taken)
{
    const quad zero = {0.0}, one = zero + 1.0;
    quad safe = quad_larger(slip, zero + 1e-200);
    quad_mask stick;
    if (law == TN_LAW_CONVEX) {
        quad sliding = quad_larger(zero, (mu * slip - u_n) / (one + mu * mu));
        stick = slip <= -(mu * u_n);
        *normal = quad_choose(stick, quad_larger(zero, -u_n), sliding);
        *taken = quad_choose(stick, one, mu * *normal / safe);
    } else {
        quad friction = law == TN_LAW_FRICTIONLESS ? zero : mu;
        *normal = quad_larger(zero, -u_n);
        *taken = friction * *normal / safe;
        stick = *taken >= one;
        *taken = quad_choose(stick, one, *taken);
    }
    quad_mask closed = *normal > zero;
    return (closed & 1) + (closed & ~stick & 1);
}

// Half h of the nodes after the contacts' step; y where there is no contact.
TN_QUAD_INLINE quad_nodes half_contact_step(tn_nodal_contacts *c, int h, tn_law law, quad_nodes r, quad_nodes v,
                                            quad_nodes y)
{
    quad_nodes n = half_three(c->normal, h), offset = half_three(c->offset, h);
    quad_mask mask = half_mask(c->mask, h);
    quad_nodes u = subtract(add_scaled(add(v, offset), -half_of(c->w, h), r), half_three(c->base, h));
    quad u_n = dot(n, u), normal, taken;
    quad_nodes t = add_scaled(u, -u_n, n);
    quad_mask state = push_of(law, half_of(c->mu, h), u_n, quad_root(dot(t, t)), &normal, &taken) & mask;
    quad share = half_of(c->share, h);
    normal *= share;
    taken *= share;
    // The push first, not as a difference of velocities: an open contact's is zero to the last bit. The velocity in
    // parts: a stuck contact's is zero to the last bit.
    quad_nodes push = {normal * n.x - taken * t.x, normal * n.y - taken * t.y, normal * n.z - taken * t.z};
    quad left_n = u_n + normal, left_t = 1.0 - taken;
    quad_nodes z = {left_n * n.x + left_t * t.x, left_n * n.y + left_t * t.y, left_n * n.z + left_t * t.z};
    half_store_three(c->push, h, masked_nodes(mask, push));
    half_store_three(c->slip, h, z);
    memcpy(c->state + HALF * h, &state, sizeof state);
    return choose_nodes(mask, subtract(z, offset), y);
}

TN_QUAD_INLINE octet_nodes contact_step(tn_nodal_contacts *c, tn_law law, octet_nodes r, octet_nodes v, octet_nodes y)
{
    quad_nodes half[2];
    half[0] = half_contact_step(c, 0, law, widen(r, 0), widen(v, 0), widen(y, 0));
    half[1] = half_contact_step(c, 1, law, widen(r, 1), widen(v, 1), widen(y, 1));
    return narrow(half);
}

// v - M r, M (9, 8) lane by lane.
TN_QUAD_INLINE octet_nodes minus_times(octet_nodes v, const float *M, octet_nodes r)
{
    return (octet_nodes){
        v.x - (octet_load(M) * r.x + octet_load(M + 8) * r.y + octet_load(M + 16) * r.z),
        v.y - (octet_load(M + 24) * r.x + octet_load(M + 32) * r.y + octet_load(M + 40) * r.z),
        v.z - (octet_load(M + 48) * r.x + octet_load(M + 56) * r.y + octet_load(M + 64) * r.z),
    };
}

// trace: NULL, none.
TN_QUAD_INLINE void sweep_body(bool wide, const tn_nodal_rows *rows, const float *b, float *x,
                               const tn_nodal_trace *trace, int first, int end)
{
    for (int s = first; s < end; s++) {
        octet_nodes r = residual_of(wide, rows, b, x, s), v = octet_load_slice(wide, x, s);
        octet_nodes far = {rows->relaxation * r.x, rows->relaxation * r.y, rows->relaxation * r.z};
        octet_nodes y = minus_times(v, rows->inverse + 72 * (size_t)s, far);
        tn_nodal_contacts *c = contacts_of(rows, s);
        y = c ? contact_step(c, rows->law, r, v, y) : y;
        octet_store_slice(wide, x, s, y);
        if (trace) {
            octet_store_slice(wide, trace->r, s, r);
            octet_store_slice(wide, trace->change, s, (octet_nodes){y.x - v.x, y.y - v.y, y.z - v.z});
        }
    }
}

// r = A x - b; where a sweep left r of the row's turn and its change, from these. change: NULL, none.
TN_QUAD_INLINE void residual_body(bool wide, const tn_nodal_rows *rows, const float *b, const float *x,
                                  const float *change, float *r, int first, int end)
{
    const tn_ordering *o = rows->sell->order;
    for (int s = end - 1; s >= first; s--) {
        if (!change || s >= o->n_large || (rows->whole && rows->whole[s])) {
            octet_store_slice(wide, r, s, residual_of(wide, rows, b, x, s));
            continue;
        }
        octet_nodes turn = octet_load_slice(wide, r, s);
        octet_nodes since =
            octet_columns(o->later_start[s + 1] - o->later_start[s], rows->sell->single + 72 * (size_t)o->start[s],
                          o->later_place + LANES * (size_t)o->later_start[s], wide, change);
        octet_store_slice(wide, r, s, (octet_nodes){turn.x + since.x, turn.y + since.y, turn.z + since.z});
    }
}

// Inverse of four symmetric blocks (9, 8) by their adjugates; false where one is not positive definite (lanes without
// row, all zero, pass and give zero).
TN_QUAD_INLINE quad_mask invert_half(const double *a, float *inverse)
{
    const quad zero = {0.0};
    quad a00 = quad_load(a), a01 = quad_load(a + 8), a02 = quad_load(a + 16), a11 = quad_load(a + 32);
    quad a12 = quad_load(a + 40), a22 = quad_load(a + 64);
    quad c00 = a11 * a22 - a12 * a12, c01 = a02 * a12 - a01 * a22, c02 = a01 * a12 - a02 * a11;
    quad c11 = a00 * a22 - a02 * a02, c12 = a01 * a02 - a00 * a12, c22 = a00 * a11 - a01 * a01;
    quad determinant = a00 * c00 + a01 * c01 + a02 * c02;
    quad_mask good = (a00 > zero) & (c22 > zero) & (determinant > zero);
    quad scale = quad_choose(good, 1.0 / determinant, zero);
    quad out[9] = {c00, c01, c02, c01, c11, c12, c02, c12, c22};
    for (int k = 0; k < 9; k++) {
        quad_store_single(inverse + 8 * k, scale * out[k]);
    }
    return good;
}

// The diagonal blocks are the first of their rows.
TN_QUAD_INLINE void invert_body(const tn_ordering *o, const tn_blocks *A, float *inverse, int *bad)
{
    *bad = -1;
    for (int s = 0; s < o->n_slices; s++) {
        double block[9 * LANES] = {0.0};
        for (int lane = 0; lane < LANES && s + AHEAD < o->n_slices; lane++) {
            int next = o->source[LANES * (size_t)o->start[s + AHEAD] + (size_t)lane];
            __builtin_prefetch(A->value + 9 * (size_t)(next < 0 ? 0 : next));
            __builtin_prefetch(A->value + 9 * (size_t)(next < 0 ? 0 : next) + 8);
        }
        for (int lane = 0; lane < LANES; lane++) {
            int source = o->source[LANES * (size_t)o->start[s] + (size_t)lane];
            for (int k = 0; k < 9 && source >= 0; k++) {
                block[LANES * k + lane] = A->value[9 * (size_t)source + (size_t)k];
            }
        }
        quad_mask good[2] = {invert_half(block, inverse + 72 * (size_t)s),
                             invert_half(block + HALF, inverse + 72 * (size_t)s + HALF)};
        for (int lane = 0; lane < LANES && *bad < 0; lane++) {
            *bad = !good[lane / HALF][lane % HALF] && o->row[LANES * s + lane] >= 0 ? o->row[LANES * s + lane] : -1;
        }
    }
}

TN_QUAD_INLINE void balance_body(bool wide, const tn_nodal_rows *rows, const float *r, double *square)
{
    quad sum[2] = {{0.0}, {0.0}};
    for (int s = 0; s < rows->sell->order->n_slices; s++) {
        octet_nodes own = octet_load_slice(wide, r, s);
        const tn_nodal_contacts *c = contacts_of(rows, s);
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            quad_nodes v = widen(own, h);
            if (c) {
                quad_nodes change = subtract(half_three(c->base, h), half_three(c->push, h));
                v = add_scaled(v, 1.0 / half_of(c->w, h), change);
            }
            sum[h] += dot(v, v);
        }
    }
    *square = quad_sum(sum[0] + sum[1]);
}

TN_WIDE_VARIANTS(sweep,
                 (const tn_nodal_rows *rows, const float *b, float *x, const tn_nodal_trace *trace, int first, int end),
                 rows, b, x, trace, first, end)
TN_WIDE_VARIANTS(residual,
                 (const tn_nodal_rows *rows, const float *b, const float *x, const float *change, float *r, int first,
                  int end),
                 rows, b, x, change, r, first, end)
TN_VARIANTS(invert, (const tn_ordering *order, const tn_blocks *A, float *inverse, int *bad), (order, A, inverse, bad))
TN_WIDE_VARIANTS(balance, (const tn_nodal_rows *rows, const float *r, double *square), rows, r, square)

int tn_nodal_invert(const tn_ordering *order, const tn_blocks *A, float *inverse)
{
    int bad;
    TN_BEST(invert)(order, A, inverse, &bad);
    return bad;
}

double tn_nodal_balance(const tn_nodal_rows *rows, const float *r)
{
    double square;
    TN_BEST(balance)(rows, r, &square);
    return square;
}

// A team of threads pays with this many slices a colour. It does not change the result. A thread's share of a colour
// is always the same, so near rows stay with one thread.
enum { WORTH_A_TEAM = 48, PIECE = 8 };

typedef struct sweeping {
    sweep_function *sweep;
    const tn_nodal_rows *rows;
    const float *b;
    float *x;
    const tn_nodal_trace *trace;
} sweeping;

static void sweep_some(const void *context, int first, int end, int thread)
{
    const sweeping *s = context;
    s->sweep(s->rows, s->b, s->x, s->trace, first, end);
}

void tn_nodal_sweep_traced(const tn_nodal_rows *rows, const float *b, float *x, const tn_nodal_trace *trace,
                           int n_threads)
{
    const tn_ordering *o = rows->sell->order;
    sweep_function *sweep = TN_BEST(sweep);
    if (o->n_large == 0) {
        return;
    }
    const tn_team_rounds colours = {.n = o->n_colours, .start = o->colour_start, .piece = PIECE, .times = 1};
    tn_team_share_rounds(o->n_large < WORTH_A_TEAM * o->n_colours ? 1 : n_threads, &colours, sweep_some,
                         &(sweeping){sweep, rows, b, x, trace});
}

void tn_nodal_sweep(const tn_nodal_rows *rows, const float *b, float *x, int n_threads)
{
    tn_nodal_sweep_traced(rows, b, x, NULL, n_threads);
}

bool tn_nodal_sweep_with(const char *kind, const tn_nodal_rows *rows, const float *b, float *x)
{
    sweep_function *sweep = TN_NAMED(sweep, kind);
    if (sweep) {
        sweep(rows, b, x, NULL, 0, rows->sell->order->n_large);
    }
    return sweep != NULL;
}

typedef struct remaining {
    residual_function *residual;
    const tn_nodal_rows *rows;
    const float *b, *x, *change;
    float *r;
    int from;
} remaining;

static void find_some(const void *context, int first, int end, int thread)
{
    const remaining *s = context;
    s->residual(s->rows, s->b, s->x, s->change, s->r, s->from + first, s->from + end);
}

static void find_residual(const tn_nodal_rows *rows, const float *b, const float *x, const float *change, float *r,
                          int n_threads)
{
    int n = rows->sell->order->n_slices;
    residual_function *residual = TN_BEST(residual);
    if (n_threads < 2 || n < 4 * WORTH_A_TEAM) {
        residual(rows, b, x, change, r, 0, n);
        return;
    }
    // Colour by colour as in a sweep, for the same reason; then the rows of small components.
    const tn_ordering *o = rows->sell->order;
    for (int c = o->n_colours; c >= 0; c--) {
        int from = o->colour_start[c], end = c < o->n_colours ? o->colour_start[c + 1] : n;
        tn_team_share(n_threads, end - from, PIECE, find_some, &(remaining){residual, rows, b, x, change, r, from});
    }
}

void tn_nodal_residual(const tn_nodal_rows *rows, const float *b, const float *x, float *r, int n_threads)
{
    find_residual(rows, b, x, NULL, r, n_threads);
}

void tn_nodal_residual_traced(const tn_nodal_rows *rows, const float *b, const float *x, const tn_nodal_trace *trace,
                              int n_threads)
{
    find_residual(rows, b, x, trace->change, trace->r, n_threads);
}
