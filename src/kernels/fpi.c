#include "kernels/fpi.h"

#include "base/assert.h"
#include "base/team.h"
#include "kernels/processor.h"
#include "kernels/sell_rows.h"

enum {
    PART = 8, // slices whose sums are one partial sum: fixed, so that the bits do not depend on threads
    BATCH = 8 // slices whose products are formed before the rest of the pass
};

static int n_parts(const tn_fpi *fpi)
{
    return (fpi->n_slices + PART - 1) / PART;
}

tn_status tn_fpi_create(const tn_sell *matrix, int n_slices, int capacity, tn_law law, tn_arena *arena, tn_fpi *out)
{
    TN_ASSERT(n_slices <= matrix->order->n_slices);
    *out = (tn_fpi){.matrix = matrix, .law = law, .n_slices = n_slices};
    capacity = capacity < 2 * n_slices ? capacity : 2 * n_slices;
    out->b = TN_PUSH(arena, double, 3 * TN_SELL_LANES * (size_t)n_slices);
    out->w = TN_PUSH(arena, double, TN_SELL_LANES *(size_t)n_slices);
    out->contacts_of = TN_PUSH(arena, int, 2 * (size_t)n_slices);
    out->contacts = TN_PUSH(arena, tn_fpi_contacts, capacity);
    out->partial = TN_PUSH(arena, double, 2 * n_parts(out));
    if (!out->b || !out->w || !out->contacts_of || !out->contacts || !out->partial) {
        return TN_NO_MEMORY;
    }
    if (matrix->single) {
        size_t n = 4 * TN_SELL_LANES * (size_t)n_slices;
        out->difference = TN_PUSH(arena, float, n);
        out->next = TN_PUSH(arena, float, n);
        out->reference = TN_PUSH(arena, double, n);
        if (!out->difference || !out->next || !out->reference) {
            return TN_NO_MEMORY;
        }
    }
    memset(out->contacts_of, -1, 2 * (size_t)n_slices * sizeof(int));
    return TN_OK;
}

void tn_fpi_set_b(tn_fpi *fpi, const double *b)
{
    const int *row = fpi->matrix->order->row;
    for (int at = 0; at < TN_SELL_LANES * fpi->n_slices; at++) {
        double *to = fpi->b + 3 * (size_t)(at / TN_SELL_LANES * TN_SELL_LANES) + at % TN_SELL_LANES;
        for (int i = 0; i < 3; i++) {
            to[TN_SELL_LANES * i] = row[at] >= 0 ? b[3 * (size_t)row[at] + (size_t)i] : 0.0;
        }
    }
}

void tn_fpi_set_reference(tn_fpi *fpi, const double *b, const double *x, const double *Ax)
{
    tn_fpi_set_b(fpi, b);
    if (!fpi->matrix->single) {
        return;
    }
    memcpy(fpi->reference, x, 4 * TN_SELL_LANES * (size_t)fpi->n_slices * sizeof *x);
    for (int at = 0; at < TN_SELL_LANES * fpi->n_slices; at++) {
        double *to = fpi->b + 3 * (size_t)(at / TN_SELL_LANES * TN_SELL_LANES) + at % TN_SELL_LANES;
        for (int i = 0; i < 3; i++) {
            to[TN_SELL_LANES * i] -= Ax[4 * at + i];
        }
    }
}

static tn_fpi_contacts *contacts_at(const tn_fpi *fpi, int lane)
{
    int index = fpi->contacts_of[lane / TN_FPI_LANES];
    return index < 0 ? NULL : &fpi->contacts[index];
}

static tn_fpi_contacts *need_contacts_at(tn_fpi *fpi, int lane)
{
    int *index = &fpi->contacts_of[lane / TN_FPI_LANES];
    if (*index < 0) {
        *index = fpi->n_contacts++;
    }
    return &fpi->contacts[*index];
}

void tn_fpi_add_contact(tn_fpi *fpi, int lane, const double normal[3], const double shift[3], double mu)
{
    tn_fpi_contacts *c = need_contacts_at(fpi, lane);
    int i = lane % TN_FPI_LANES;
    TN_ASSERT(c->held[i] == 0 && c->stiffness[i] == 0.0);
    c->stiffness[i] = 1.0 / fpi->w[lane];
    c->mu[i] = fpi->law == TN_LAW_FRICTIONLESS ? 0.0 : mu;
    for (int k = 0; k < 3; k++) {
        c->normal[k][i] = normal[k];
        c->shift[k][i] = shift[k];
    }
}

void tn_fpi_hold(tn_fpi *fpi, int lane)
{
    tn_fpi_contacts *c = need_contacts_at(fpi, lane);
    TN_ASSERT(c->stiffness[lane % TN_FPI_LANES] == 0.0);
    if (c->held[lane % TN_FPI_LANES] == 0) {
        c->held[lane % TN_FPI_LANES] = -1;
        c->n_held++;
    }
}

void tn_fpi_get_push(const tn_fpi *fpi, int lane, double push[3])
{
    const tn_fpi_contacts *c = contacts_at(fpi, lane);
    for (int k = 0; k < 3; k++) {
        push[k] = c ? c->push[k][lane % TN_FPI_LANES] : 0.0;
    }
}

// The push of the law on four contacts whose nodes would move with z relative to what they touch.
TN_QUAD_INLINE quad_nodes push_of(bool convex, quad_nodes n, quad mu, quad_nodes z)
{
    const quad zero = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
    quad approach = -dot(n, z);
    quad_nodes t = add_scaled(z, approach, n);
    quad slip = quad_root(dot(t, t));
    quad p;
    if (convex) {
        p = quad_larger(zero, (approach + mu * slip) / (one + mu * mu));
        p = quad_choose(slip <= mu * approach, approach, p);
    } else {
        p = quad_larger(zero, approach);
    }
    // What friction takes of t: all of it, or mu p. The choice comes before the division: without slip, 0 of 1.
    quad most = mu * p;
    quad_mask sticks = most >= slip;
    quad taken = quad_choose(sticks, one, most) / quad_choose(sticks, one, slip);
    return (quad_nodes){p * n.x - taken * t.x, p * n.y - taken * t.y, p * n.z - taken * t.z};
}

// Half a slice with contacts: u becomes F, s the residual with the contacts' forces; push is recorded on demand. Free
// lanes have n = c = 0, mu = 0 and come out as they were, but for t that "sticks" where it is zero.
TN_QUAD_INLINE void contact_step(tn_fpi_contacts *c, bool convex, const tn_fpi_step *step, quad_nodes *u, quad_nodes *s)
{
    quad_nodes n = load_three(c->normal[0], TN_FPI_LANES), shift = load_three(c->shift[0], TN_FPI_LANES);
    quad_nodes z = add(*u, shift);
    quad_nodes push = push_of(convex, n, quad_load(c->mu), z);
    if (step->record) {
        store_three(c->push[0], TN_FPI_LANES, push);
    }
    // F = (z + push) - shift, so that n.(F + shift) is zero to the last bit of z and not of shift.
    u->x = (z.x + push.x) - shift.x;
    u->y = (z.y + push.y) - shift.y;
    u->z = (z.z + push.z) - shift.z;
    *s = add_scaled(*s, quad_load(c->stiffness) / -step->alpha, push);
}

TN_QUAD_INLINE quad_mask held_lanes(const tn_fpi_contacts *c)
{
    quad_mask held;
    memcpy(&held, c->held, sizeof held);
    return held;
}

TN_QUAD_INLINE tn_fpi_contacts *contacts_of_half(const tn_fpi *fpi, int slice, int h)
{
    int index = fpi->contacts_of[2 * slice + h];
    return index < 0 ? NULL : &fpi->contacts[index];
}

// s = A v - b and u = v - alpha w s of half a slice; s comes in as A v.
TN_QUAD_INLINE quad_nodes damped_step(const tn_fpi *fpi, const tn_fpi_step *step, bool wide, const double *v, int slice,
                                      int h, quad_nodes *s)
{
    size_t own = TN_SELL_LANES * (size_t)slice + (size_t)(4 * h);
    *s = subtract(*s, load_three(fpi->b + 24 * (size_t)slice + 4 * h, TN_SELL_LANES));
    return add_scaled(quad_load_nodes(wide, v + half_place(slice, h)), -step->alpha * quad_load(fpi->w + own), *s);
}

// The combination of F, v and previous to out. Adds to the sums.
TN_QUAD_INLINE void combine(const tn_fpi *fpi, const tn_fpi_step *step, bool wide, const double *v,
                            const double *previous, double *out, int slice, int h, quad_nodes F, quad_nodes s,
                            quad sums[2])
{
    const quad zero = {0.0, 0.0, 0.0, 0.0};
    const quad_nodes none = {zero, zero, zero};
    size_t at = half_place(slice, h);
    quad_nodes here = quad_load_nodes(wide, v + at), next = F, change = subtract(F, here);
    if (!step->plain) {
        quad_nodes before = quad_load_nodes(wide, previous + at);
        quad_nodes far = add_scaled(subtract(here, before), step->relaxation + zero, change);
        next = add_scaled(before, step->nu + zero, far);
        change = subtract(next, here);
    }
    const tn_fpi_contacts *contacts = contacts_of_half(fpi, slice, h);
    if (contacts && contacts->n_held > 0) {
        quad_mask held = held_lanes(contacts);
        next = choose_nodes(held, F, next);
        change = choose_nodes(held, none, change);
        s = choose_nodes(held, none, s);
    }
    quad_store_nodes(wide, out + at, next);
    sums[0] += dot(change, change);
    sums[1] += dot(s, s);
}

// What single precision multiplies: v - reference, numbers first..end-1, a multiple of four.
TN_QUAD_INLINE void difference_body(const tn_fpi *fpi, const double *v, size_t first, size_t end, float *to)
{
    for (size_t i = first; i < end; i += 4) {
        quad_store_single(to + i, quad_load(v + i) - quad_load(fpi->reference + i));
    }
}

// The rest of a slice's pass after its product, without contacts: all in registers.
TN_QUAD_INLINE void free_slice(const tn_fpi *fpi, const tn_fpi_step *step, bool wide, const double *v,
                               const double *previous, double *out, int slice, slice_nodes s, quad sums[2])
{
    for (int h = 0; h < 2; h++) {
        quad_nodes F = damped_step(fpi, step, wide, v, slice, h, &s.half[h]);
        combine(fpi, step, wide, v, previous, out, slice, h, F, s.half[h], sums);
    }
}

// Slices with contacts in three more loops over a few slices: in one, every half would wait for the roots and divisions
// of its contacts.
TN_QUAD_INLINE void batch_body(const tn_fpi *fpi, bool single, bool convex, bool wide, const tn_fpi_step *step,
                               const double *v, const double *previous, double *out, int first, int n, quad sums[2])
{
    slice_nodes s[BATCH], F[BATCH];
    int slice[BATCH], m = 0;
    for (int i = first; i < first + n; i++) {
        slice_nodes product = single ? slice_product_single(fpi->matrix, wide, fpi->difference, i)
                                     : slice_product(fpi->matrix, false, wide, v, i);
        if (fpi->contacts_of[2 * i] < 0 && fpi->contacts_of[2 * i + 1] < 0) {
            free_slice(fpi, step, wide, v, previous, out, i, product, sums);
        } else {
            slice[m] = i;
            s[m++] = product;
        }
    }
    for (int i = 0; i < 2 * m; i++) {
        F[i / 2].half[i % 2] = damped_step(fpi, step, wide, v, slice[i / 2], i % 2, &s[i / 2].half[i % 2]);
    }
    for (int i = 0; i < 2 * m; i++) {
        tn_fpi_contacts *contacts = contacts_of_half(fpi, slice[i / 2], i % 2);
        if (contacts) {
            contact_step(contacts, convex, step, &F[i / 2].half[i % 2], &s[i / 2].half[i % 2]);
        }
    }
    for (int i = 0; i < 2 * m; i++) {
        combine(fpi, step, wide, v, previous, out, slice[i / 2], i % 2, F[i / 2].half[i % 2], s[i / 2].half[i % 2],
                sums);
    }
    if (single) {
        difference_body(fpi, out, half_place(first, 0), half_place(first + n, 0), fpi->next);
    }
}

TN_QUAD_INLINE void pass_body(const tn_fpi *fpi, bool single, bool convex, bool wide, const tn_fpi_step *step,
                              const double *v, const double *previous, double *out, int part)
{
    quad sums[2] = {{0.0}, {0.0}};
    int end = (part + 1) * PART < fpi->n_slices ? (part + 1) * PART : fpi->n_slices;
    for (int first = part * PART; first < end; first += BATCH) {
        batch_body(fpi, single, convex, wide, step, v, previous, out, first, end - first < BATCH ? end - first : BATCH,
                   sums);
    }
    fpi->partial[2 * part] = quad_sum(sums[0]);
    fpi->partial[2 * part + 1] = quad_sum(sums[1]);
}

TN_QUAD_INLINE void part_body(bool wide, const tn_fpi *fpi, const tn_fpi_step *step, const double *v,
                              const double *previous, double *out, int part)
{
    bool convex = fpi->law == TN_LAW_CONVEX;
    if (fpi->matrix->single) {
        pass_body(fpi, true, convex, wide, step, v, previous, out, part);
    } else {
        pass_body(fpi, false, convex, wide, step, v, previous, out, part);
    }
}

TN_WIDE_VARIANTS(part,
                 (const tn_fpi *fpi, const tn_fpi_step *step, const double *v, const double *previous, double *out,
                  int part),
                 fpi, step, v, previous, out, part)

static tn_fpi_sums add_partial_sums(const tn_fpi *fpi)
{
    tn_fpi_sums sums = {0.0, 0.0};
    for (int part = 0; part < n_parts(fpi); part++) {
        sums.theta += fpi->partial[2 * part];
        sums.residual += fpi->partial[2 * part + 1];
    }
    return sums;
}

TN_VARIANTS(difference, (const tn_fpi *fpi, const double *v, size_t first, size_t end, float *to),
            (fpi, v, first, end, to))

// The difference of v in parts first..end-1. Rounding is the same for any instruction set.
static void set_difference(const tn_fpi *fpi, const double *v, int first, int end)
{
    size_t width = 4 * TN_SELL_LANES, last = (size_t)(end * PART < fpi->n_slices ? end * PART : fpi->n_slices);
    if (fpi->matrix->single) {
        TN_BEST(difference)(fpi, v, width * (size_t)(first * PART), width * last, fpi->difference);
    }
}

// The difference of v, unless the last pass left it. Returns whether it is to be formed.
static bool begin_pass(tn_fpi *fpi, const tn_fpi_step *step)
{
    float *next = fpi->next;
    fpi->next = fpi->difference;
    fpi->difference = next;
    return fpi->matrix->single && !step->goes_on;
}

typedef struct passing {
    tn_fpi *fpi;
    const tn_fpi_step *step;
    const double *v, *previous;
    double *out;
} passing;

static void set_differences(const void *context, int first, int end, int thread)
{
    const passing *p = context;
    set_difference(p->fpi, p->v, first, end);
}

static void pass_parts(const void *context, int first, int end, int thread)
{
    const passing *p = context;
    part_function *pass = TN_BEST(part);
    for (int part = first; part < end; part++) {
        pass(p->fpi, p->step, p->v, p->previous, p->out, part);
    }
}

void tn_fpi_pass(tn_fpi *fpi, const tn_fpi_step *step, const double *v, const double *previous, double *out,
                 int n_threads, tn_fpi_sums *sums)
{
    const passing p = {.fpi = fpi, .step = step, .v = v, .previous = previous, .out = out};
    if (begin_pass(fpi, step)) {
        tn_team_share(n_threads, n_parts(fpi), 1, set_differences, &p);
    }
    tn_team_share(n_threads, n_parts(fpi), 1, pass_parts, &p);
    *sums = add_partial_sums(fpi);
}

void tn_fpi_rewrite(tn_fpi *fpi, int lane, const double v[3])
{
    size_t at = 4 * (size_t)lane;
    for (size_t i = 0; fpi->matrix->single && lane < TN_SELL_LANES * fpi->n_slices && i < 3; i++) {
        fpi->next[at + i] = (float)(v[i] - fpi->reference[at + i]);
    }
}

bool tn_fpi_pass_with(const char *kind, tn_fpi *fpi, const tn_fpi_step *step, const double *v, const double *previous,
                      double *out, tn_fpi_sums *sums)
{
    part_function *pass = TN_NAMED(part, kind);
    set_difference(fpi, v, 0, begin_pass(fpi, step) ? n_parts(fpi) : 0);
    for (int part = 0; pass && part < n_parts(fpi); part++) {
        pass(fpi, step, v, previous, out, part);
    }
    if (pass) {
        *sums = add_partial_sums(fpi);
    }
    return pass != NULL;
}

void tn_fpi_set_frobenius_w(tn_fpi *fpi, const double *squares)
{
    const tn_sell *m = fpi->matrix;
    for (int at = 0; at < TN_SELL_LANES * fpi->n_slices; at++) {
        size_t own = 72 * (size_t)m->order->start[at / TN_SELL_LANES] + (size_t)(at % TN_SELL_LANES);
        double trace = 0.0;
        for (size_t k = own; squares[at] > 0.0 && k < own + 72; k += (size_t)(4 * TN_SELL_LANES)) {
            trace += m->single ? (double)m->single[k] : m->value[k];
        }
        fpi->w[at] = squares[at] > 0.0 ? trace / squares[at] : 0.0;
    }
}
