#include "kernels/nodal_sweep.h"

#include "kernels/node_lanes.h"

enum { LANES = TN_SELL_LANES };

// r = A x - b of one slice.
TN_INLINE node_lanes residual_of(const tn_nodal_rows *rows, const double *b, const double *x, int s)
{
    node_lanes r = rows_times(rows->sell, x, s), f = load_slice(b, s);
    return (node_lanes){r.x - f.x, r.y - f.y, r.z - f.z};
}

TN_INLINE lanes dot(node_lanes a, node_lanes b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a + s b
TN_INLINE node_lanes madd(node_lanes a, lanes s, node_lanes b)
{
    return (node_lanes){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

TN_INLINE node_lanes choose_nodes(lane_masks mask, node_lanes yes, node_lanes no)
{
    return (node_lanes){choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}

TN_INLINE node_lanes load_three(const double p[3][LANES])
{
    return (node_lanes){load(p[0]), load(p[1]), load(p[2])};
}

TN_INLINE void store_three(double p[3][LANES], node_lanes v)
{
    store(p[0], v.x);
    store(p[1], v.y);
    store(p[2], v.z);
}

TN_INLINE lane_masks load_masks(const int64_t *p)
{
    lane_masks m;
    memcpy(&m, p, sizeof m);
    return m;
}

// Push of eight contacts that move with u = (u_n, t), |t| = slip: sets the normal push and the part of t that is
// taken away; returns the states.
TN_INLINE lane_masks push_of(tn_law law, lanes mu, lanes u_n, lanes slip, lanes *normal, lanes *taken)
{
    const lanes zero = {0.0}, one = zero + 1.0;
    lanes safe = larger(slip, zero + 1e-200);
    lane_masks stick;
    if (law == TN_LAW_CONVEX) {
        lanes sliding = larger(zero, (mu * slip - u_n) / (one + mu * mu));
        stick = slip <= -(mu * u_n);
        *normal = choose(stick, larger(zero, -u_n), sliding);
        *taken = choose(stick, one, mu * *normal / safe);
    } else {
        lanes friction = law == TN_LAW_FRICTIONLESS ? zero : mu;
        *normal = larger(zero, -u_n);
        *taken = friction * *normal / safe;
        stick = *taken >= one;
        *taken = choose(stick, one, *taken);
    }
    lane_masks closed = *normal > zero;
    return (closed & 1) + (closed & ~stick & 1);
}

// y = the nodes after the contacts' step, where there are contacts.
TN_INLINE node_lanes contact_step(tn_nodal_contacts *c, tn_law law, node_lanes r, node_lanes v, node_lanes y)
{
    const lanes zero = {0.0};
    node_lanes n = load_three(c->normal), offset = load_three(c->offset);
    lane_masks mask = load_masks(c->mask);
    node_lanes u = madd(v, -load(c->w), r);
    u = madd(u, zero + 1.0, offset);
    lanes u_n = dot(n, u), normal, taken;
    node_lanes t = madd(u, -u_n, n);
    lane_masks state = push_of(law, load(c->mu), u_n, roots(dot(t, t)), &normal, &taken) & mask;
    lanes share = load(c->share);
    normal *= share;
    taken *= share;
    // The push first, not as a difference of velocities: an open contact's is zero to the last bit. The velocity in
    // parts: a stuck contact's is zero to the last bit.
    node_lanes push = {normal * n.x - taken * t.x, normal * n.y - taken * t.y, normal * n.z - taken * t.z};
    lanes left_n = u_n + normal, left_t = 1.0 - taken;
    node_lanes z = {left_n * n.x + left_t * t.x - offset.x, left_n * n.y + left_t * t.y - offset.y,
                    left_n * n.z + left_t * t.z - offset.z};
    store_three(c->push, choose_nodes(mask, push, (node_lanes){zero, zero, zero}));
    memcpy(c->state, &state, sizeof state);
    return choose_nodes(mask, z, y);
}

// M r, M (9, 8) lane by lane.
TN_INLINE node_lanes times(const double *M, node_lanes r)
{
    return (node_lanes){load(M) * r.x + load(M + 8) * r.y + load(M + 16) * r.z,
                        load(M + 24) * r.x + load(M + 32) * r.y + load(M + 40) * r.z,
                        load(M + 48) * r.x + load(M + 56) * r.y + load(M + 64) * r.z};
}

TN_INLINE void sweep_body(const tn_nodal_rows *rows, const double *b, double *x, int first, int end)
{
    for (int s = first; s < end; s++) {
        node_lanes r = residual_of(rows, b, x, s), v = load_slice(x, s);
        node_lanes d = times(rows->inverse + 72 * (size_t)s, r);
        node_lanes y = {v.x - d.x, v.y - d.y, v.z - d.z};
        if (rows->contact_of_slice[s] >= 0) {
            y = contact_step(rows->contacts + rows->contact_of_slice[s], rows->law, r, v, y);
        }
        store_slice(x, s, y);
    }
}

TN_INLINE void residual_body(const tn_nodal_rows *rows, const double *b, const double *x, double *r, int first, int end)
{
    for (int s = first; s < end; s++) {
        store_slice(r, s, residual_of(rows, b, x, s));
    }
}

// Inverse of eight symmetric blocks by their adjugates; false where one is not positive definite (lanes without row,
// all zero, pass and give zero).
TN_INLINE lane_masks invert_block(const double *a, double *inverse)
{
    const lanes zero = {0.0};
    lanes a00 = load(a), a01 = load(a + 8), a02 = load(a + 16), a11 = load(a + 32), a12 = load(a + 40);
    lanes a22 = load(a + 64);
    lanes c00 = a11 * a22 - a12 * a12, c01 = a02 * a12 - a01 * a22, c02 = a01 * a12 - a02 * a11;
    lanes c11 = a00 * a22 - a02 * a02, c12 = a01 * a02 - a00 * a12, c22 = a00 * a11 - a01 * a01;
    lanes determinant = a00 * c00 + a01 * c01 + a02 * c02;
    lane_masks good = (a00 > zero) & (c22 > zero) & (determinant > zero);
    lanes scale = choose(good, 1.0 / determinant, zero);
    lanes out[9] = {c00, c01, c02, c01, c11, c12, c02, c12, c22};
    for (int k = 0; k < 9; k++) {
        store(inverse + 8 * k, scale * out[k]);
    }
    return good;
}

TN_INLINE void invert_body(const tn_sell *sell, double *inverse, int *bad)
{
    const tn_ordering *o = sell->order;
    *bad = -1;
    for (int s = 0; s < o->n_slices; s++) {
        lane_masks good = invert_block(sell->value + 72 * (size_t)o->start[s], inverse + 72 * (size_t)s);
        for (int lane = 0; lane < LANES && *bad < 0; lane++) {
            *bad = !good[lane] && o->row[LANES * s + lane] >= 0 ? o->row[LANES * s + lane] : -1;
        }
    }
}

TN_INLINE void balance_body(const tn_nodal_rows *rows, const double *r, double *square)
{
    lanes sum = {0.0};
    for (int s = 0; s < rows->sell->order->n_slices; s++) {
        node_lanes v = load_slice(r, s);
        if (rows->contact_of_slice[s] >= 0) {
            const tn_nodal_contacts *c = rows->contacts + rows->contact_of_slice[s];
            v = madd(v, -1.0 / load(c->w), load_three(c->push));
        }
        sum += dot(v, v);
    }
    *square = sum_of_lanes(sum);
}

TN_INLINE node_lanes masked(lane_masks mask, node_lanes v)
{
    const lanes zero = {0.0};
    return choose_nodes(mask, v, (node_lanes){zero, zero, zero});
}

// Velocity of sliding, its length (never 0) apart.
TN_INLINE node_lanes slip_of(const tn_nodal_contacts *c, node_lanes n, node_lanes v, lanes *length)
{
    const lanes zero = {0.0};
    node_lanes u = madd(v, zero + 1.0, load_three(c->offset));
    node_lanes t = madd(u, -dot(n, u), n);
    *length = larger(roots(dot(t, t)), zero + 1e-200);
    return t;
}

TN_INLINE void truncation_body(const tn_nodal_rows *rows, const double *x, double *r)
{
    const lanes zero = {0.0};
    for (int s = 0; s < rows->sell->order->n_large; s++) {
        if (rows->contact_of_slice[s] < 0) {
            continue;
        }
        tn_nodal_contacts *c = rows->contacts + rows->contact_of_slice[s];
        lane_masks state = load_masks(c->state), closed = state != TN_NODAL_OPEN, slides = state == TN_NODAL_SLIDE;
        node_lanes n = load_three(c->normal), g = load_slice(r, s);
        lanes reaction = dot(n, g), length;
        node_lanes t = slip_of(c, n, load_slice(x, s), &length);
        lanes friction = rows->law == TN_LAW_FRICTIONLESS ? zero : load(c->mu) * larger(zero, reaction);
        friction = choose(slides, friction, zero);
        store(c->friction, friction);
        node_lanes sliding = madd(madd(g, -reaction, n), friction / length, t);
        store_slice(r, s, choose_nodes(closed, masked(slides, sliding), g));
    }
}

// Eight contacts' part of tn_nodal_apply: v - d with its limits; returns the lanes that turned back.
TN_INLINE lane_masks apply_contacts(const tn_nodal_contacts *c, node_lanes v, node_lanes d, node_lanes *out)
{
    const lanes zero = {0.0};
    lane_masks mask = load_masks(c->mask), state = load_masks(c->state);
    lane_masks closed = state != TN_NODAL_OPEN, slides = state == TN_NODAL_SLIDE;
    node_lanes n = load_three(c->normal), offset = load_three(c->offset);
    lanes d_n = choose(closed, dot(n, d), zero), length;
    d = masked(~closed | slides, madd(d, -d_n, n));
    node_lanes t = slip_of(c, n, v, &length);
    lane_masks turned = slides & (dot(madd(t, zero - 1.0, d), t) < zero);
    node_lanes y = madd(v, zero - 1.0, d);
    lanes u_n = dot(n, madd(y, zero + 1.0, offset));
    lanes depth = choose(mask & ~closed & (u_n < zero), u_n, zero);
    *out = madd(y, -depth, n);
    return turned;
}

TN_INLINE void apply_body(const tn_nodal_rows *rows, double *x, double *d, bool *any)
{
    lane_masks turned = {0};
    for (int s = 0; s < rows->sell->order->n_slices; s++) {
        node_lanes v = load_slice(x, s), step = load_slice(d, s);
        node_lanes y = {v.x - step.x, v.y - step.y, v.z - step.z};
        if (rows->contact_of_slice[s] >= 0) {
            turned |= apply_contacts(rows->contacts + rows->contact_of_slice[s], v, step, &y);
        }
        store_slice(x, s, y);
        store_slice(d, s, (node_lanes){y.x - v.x, y.y - v.y, y.z - v.z});
    }
    *any = false;
    for (int lane = 0; lane < LANES; lane++) {
        *any = *any || turned[lane];
    }
}

TN_INLINE void slope_body(const tn_nodal_rows *rows, const double *x, const double *d, double alpha, double *out)
{
    const lanes zero = {0.0};
    lanes sum = zero;
    for (int s = 0; s < rows->sell->order->n_large; s++) {
        if (rows->contact_of_slice[s] < 0) {
            continue;
        }
        const tn_nodal_contacts *c = rows->contacts + rows->contact_of_slice[s];
        node_lanes n = load_three(c->normal), change = load_slice(d, s), v = load_slice(x, s);
        lanes before, after;
        node_lanes t = slip_of(c, n, madd(v, zero - 1.0, change), &before);
        node_lanes moved = slip_of(c, n, madd(v, zero + (alpha - 1.0), change), &after);
        sum += load(c->friction) * (dot(moved, change) / after - dot(t, change) / before);
    }
    *out = sum_of_lanes(sum);
}

TN_VARIANTS(slope, (const tn_nodal_rows *rows, const double *x, const double *d, double alpha, double *out),
            (rows, x, d, alpha, out))
TN_VARIANTS(truncation, (const tn_nodal_rows *rows, const double *x, double *r), (rows, x, r))
TN_VARIANTS(apply, (const tn_nodal_rows *rows, double *x, double *d, bool *any), (rows, x, d, any))
TN_VARIANTS(sweep, (const tn_nodal_rows *rows, const double *b, double *x, int first, int end),
            (rows, b, x, first, end))
TN_VARIANTS(residual, (const tn_nodal_rows *rows, const double *b, const double *x, double *r, int first, int end),
            (rows, b, x, r, first, end))
TN_VARIANTS(invert, (const tn_sell *sell, double *inverse, int *bad), (sell, inverse, bad))
TN_VARIANTS(balance, (const tn_nodal_rows *rows, const double *r, double *square), (rows, r, square))

int tn_nodal_invert(const tn_sell *sell, double *inverse)
{
    int bad;
    TN_BEST(invert)(sell, inverse, &bad);
    return bad;
}

double tn_nodal_balance(const tn_nodal_rows *rows, const double *r)
{
    double square;
    TN_BEST(balance)(rows, r, &square);
    return square;
}

void tn_nodal_truncate(const tn_nodal_rows *rows, const double *x, double *r)
{
    TN_BEST(truncation)(rows, x, r);
}

double tn_nodal_friction_slope(const tn_nodal_rows *rows, const double *x, const double *d, double alpha)
{
    double out;
    TN_BEST(slope)(rows, x, d, alpha, &out);
    return out;
}

bool tn_nodal_apply(const tn_nodal_rows *rows, double *x, double *d)
{
    bool any;
    TN_BEST(apply)(rows, x, d, &any);
    return any;
}

// A team of threads pays with this many slices a colour (a barrier costs about what four slices do). PART: slices that
// a thread takes at a time. Neither changes the result.
enum { WORTH_A_TEAM = 48, PART = 8 };

void tn_nodal_sweep(const tn_nodal_rows *rows, const double *b, double *x, int n_threads)
{
    const tn_ordering *o = rows->sell->order;
    sweep_function *sweep = TN_BEST(sweep);
    if (n_threads < 2 || o->n_large < WORTH_A_TEAM * o->n_colours) {
        sweep(rows, b, x, 0, o->n_large);
        return;
    }
#pragma omp parallel num_threads(n_threads)
    for (int c = 0; c < o->n_colours; c++) {
        int first = o->colour_start[c], end = o->colour_start[c + 1];
        // The loop's barrier keeps the colours apart.
#pragma omp for schedule(static)
        for (int s = first; s < end; s += PART) {
            sweep(rows, b, x, s, s + PART < end ? s + PART : end);
        }
    }
}

bool tn_nodal_sweep_with(const char *kind, const tn_nodal_rows *rows, const double *b, double *x)
{
    sweep_function *sweep = strcmp(kind, "baseline") == 0 ? sweep_baseline : NULL;
#if defined(__x86_64__)
    if (strcmp(kind, "avx2") == 0 && __builtin_cpu_supports("avx2")) {
        sweep = sweep_avx2;
    }
    if (strcmp(kind, "avx512") == 0 && __builtin_cpu_supports("avx512f")) {
        sweep = sweep_avx512;
    }
#endif
    if (sweep) {
        sweep(rows, b, x, 0, rows->sell->order->n_large);
    }
    return sweep != NULL;
}

void tn_nodal_residual(const tn_nodal_rows *rows, const double *b, const double *x, double *r, int n_threads)
{
    int n = rows->sell->order->n_slices;
    residual_function *residual = TN_BEST(residual);
    if (n_threads < 2 || n < 4 * WORTH_A_TEAM) {
        residual(rows, b, x, r, 0, n);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int s = 0; s < n; s += PART) {
        residual(rows, b, x, r, s, s + PART < n ? s + PART : n);
    }
}
