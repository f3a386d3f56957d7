#include "kernels/contact/products.h"

#include "base/fetch.h"
#include "base/team.h"
#include "kernels/processor.h"
#include "kernels/quad.h"

#include <limits.h>
#include <string.h>

enum { U = 1, FORCE = 2, SCALE = 4, FREE = 8 };

// What one thread does: velocities of the contacts first..end-1, forces on the blocks low..low+n_blocks-1.
typedef struct share {
    int first, end;
    unsigned low, n_blocks;
} share;

// The three rows of a contact (or the three numbers of a block), and one of no meaning.
TN_QUAD_INLINE quad load_three(const double *p)
{
    return (quad){p[0], p[1], p[2], 0.0};
}

TN_QUAD_INLINE void store_three(double *p, quad x)
{
    memcpy(p, &x, 2 * sizeof *p);
    p[2] = x[2];
}

// A 3x3 block's columns. All loads stay inside its nine numbers. wide: the set has vectors of 32 bytes; without them
// shuffles go through memory and wait for it.
typedef struct columns {
    quad x[3];
} columns;

TN_QUAD_INLINE columns columns_of(bool wide, const double *J)
{
    if (!wide) {
        return (columns){{{J[0], J[3], J[6], J[6]}, {J[1], J[4], J[7], J[7]}, {J[2], J[5], J[8], J[8]}}};
    }
    quad low = quad_load(J), middle = quad_load(J + 4), high = quad_load(J + 5);
    return (columns){{__builtin_shufflevector(low, middle, 0, 3, 6, 6),
                      __builtin_shufflevector(low, middle, 1, 4, 7, 7),
                      __builtin_shufflevector(low, high, 2, 4, 7, 7)}};
}

TN_QUAD_INLINE quad times(const columns *c, const double *v)
{
    return c->x[0] * v[0] + c->x[1] * v[1] + c->x[2] * v[2];
}

// force += J^T f
TN_QUAD_INLINE void add_force(const double *J, const double *f, double *force)
{
    quad last = {J[6], J[7], J[8], J[8]};
    store_three(force, load_three(force) + (quad_load(J) * f[0] + quad_load(J + 3) * f[1] + last * f[2]));
}

// The diagonal of J B J^T.
TN_QUAD_INLINE quad answer(bool diagonal, const columns *c, const double *B)
{
    const quad *x = c->x;
    if (diagonal) {
        return x[0] * x[0] * B[0] + x[1] * x[1] * B[4] + x[2] * x[2] * B[8];
    }
    return x[0] * (x[0] * B[0] + x[1] * B[1] + x[2] * B[2]) + x[1] * (x[0] * B[3] + x[1] * B[4] + x[2] * B[5]) +
           x[2] * (x[0] * B[6] + x[1] * B[7] + x[2] * B[8]);
}

TN_QUAD_INLINE double largest(quad x)
{
    double most = x[0] > x[1] ? x[0] : x[1];
    return most > x[2] ? most : x[2];
}

TN_QUAD_INLINE bool is_mine(const share *s, int block)
{
    return (unsigned)block - s->low < s->n_blocks;
}

// Where contacts come from memory: what the one AHEAD needs.
TN_QUAD_INLINE void fetch_ahead(const tn_rows *c, const tn_contact_products *p, size_t i)
{
    enum { MANY = 8192, AHEAD = 8 };
    if (c->n_triples < MANY || i + AHEAD >= (size_t)c->n_triples) {
        return;
    }
    int first = c->start[i + AHEAD], end = c->start[i + AHEAD + 1];
    tn_fetch(c->jacobian + 9 * (size_t)first, 9 * (size_t)(end - first) * sizeof *c->jacobian);
    for (int e = first; e < end; e += 2) { // a body's blocks lie side by side
        size_t at = 3 * (size_t)c->block[e];
        if (p->u) {
            tn_fetch(p->v + at, 1);
        }
        if (p->force) {
            tn_fetch(p->force + at, 1);
        }
    }
}

// J^T lambda of the contacts first..end-1 on the share's blocks.
TN_QUAD_INLINE void push_range(const tn_rows *c, const tn_contact_products *p, const share *s, int first, int end)
{
    for (size_t i = (size_t)first; i < (size_t)end; i++) {
        const double *f = p->lambda + 3 * i;
        fetch_ahead(c, p, i);
        if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) {
            continue;
        }
        for (int e = c->start[i]; e < c->start[i + 1]; e++) {
            if (is_mine(s, c->block[e])) {
                add_force(c->jacobian + 9 * (size_t)e, f, p->force + 3 * (size_t)c->block[e]);
            }
        }
    }
}

// All that is asked for of the share's own contacts.
TN_QUAD_INLINE void run_range(bool wide, int parts, bool diagonal, const tn_rows *c, const tn_contact_products *p,
                              const share *s)
{
    for (size_t i = (size_t)s->first; i < (size_t)s->end; i++) {
        const double *f = parts & FORCE ? p->lambda + 3 * i : NULL;
        fetch_ahead(c, p, i);
        bool pushes = f && !(f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0);
        quad offset = load_three(c->offset + 3 * i), u = offset, u_free = offset, scale = {0.0};
        for (int e = c->start[i]; e < c->start[i + 1]; e++) {
            const double *J = c->jacobian + 9 * (size_t)e;
            size_t block = (size_t)c->block[e];
            if (pushes && is_mine(s, c->block[e])) {
                add_force(J, f, p->force + 3 * block);
            }
            columns column = columns_of(wide, J);
            u += times(&column, p->v + 3 * block);
            if (parts & FREE) {
                u_free += times(&column, p->v_free + 3 * block);
            }
            if (parts & SCALE) {
                scale += answer(diagonal, &column, p->inverse + 9 * block);
            }
        }
        store_three(p->u + 3 * i, u);
        if (parts & FREE) {
            store_three(p->u_free + 3 * i, u_free);
        }
        if (parts & SCALE) {
            p->scale[i] = largest(scale);
        }
    }
}

TN_QUAD_INLINE void run_asked(bool wide, int parts, bool diagonal, const tn_rows *c, const tn_contact_products *p,
                              const share *s)
{
    if (parts == FORCE) {
        push_range(c, p, s, 0, c->n_triples);
        return;
    }
    if (parts & FORCE) {
        push_range(c, p, s, 0, s->first);
    }
    run_range(wide, parts, diagonal, c, p, s);
    if (parts & FORCE) {
        push_range(c, p, s, s->end, c->n_triples);
    }
}

// What is asked for is a constant in each of the copies.
TN_QUAD_INLINE void run_body(bool wide, const tn_rows *c, const tn_contact_products *p, const share *s)
{
    if (!p->u) {
        if (p->force) {
            run_asked(wide, FORCE, false, c, p, s);
        }
    } else if (!p->force) {
        run_asked(wide, U, false, c, p, s);
    } else if (!p->scale) {
        run_asked(wide, U | FORCE, false, c, p, s);
    } else if (!p->u_free) {
        p->diagonal ? run_asked(wide, U | FORCE | SCALE, true, c, p, s)
                    : run_asked(wide, U | FORCE | SCALE, false, c, p, s);
    } else if (p->diagonal) {
        run_asked(wide, U | FORCE | SCALE | FREE, true, c, p, s);
    } else {
        run_asked(wide, U | FORCE | SCALE | FREE, false, c, p, s);
    }
}

TN_WIDE_VARIANTS(run, (const tn_rows *c, const tn_contact_products *p, const share *s), c, p, s)

// Contacts under which a team of threads costs more than it gains.
enum { WORTH_A_TEAM = 1024 };

static share share_of(const tn_rows *c, const tn_contact_products *p, int part, int n_parts)
{
    if (n_parts == 1) {
        return (share){.end = c->n_triples, .n_blocks = INT_MAX};
    }
    long long n = c->n_triples, blocks = p->n_blocks, low = blocks * part / n_parts;
    return (share){.first = (int)(n * part / n_parts),
                   .end = (int)(n * (part + 1) / n_parts),
                   .low = (unsigned)low,
                   .n_blocks = (unsigned)(blocks * (part + 1) / n_parts - low)};
}

typedef struct parted {
    run_function *run;
    const tn_rows *contacts;
    const tn_contact_products *products;
    int n_parts;
} parted;

static void run_parts(const void *context, int first, int end, int thread)
{
    const parted *p = context;
    for (int part = first; part < end; part++) {
        const share own = share_of(p->contacts, p->products, part, p->n_parts);
        p->run(p->contacts, p->products, &own);
    }
}

static void run_all(run_function *run, const tn_rows *contacts, const tn_contact_products *products)
{
    bool alone = products->n_threads < 2 || products->n_blocks < 1 || contacts->n_triples < WORTH_A_TEAM;
    const parted p = {run, contacts, products, alone ? 1 : products->n_threads};
    tn_team_share(p.n_parts, p.n_parts, 1, run_parts, &p);
}

void tn_contact_products_run(const tn_rows *contacts, const tn_contact_products *products)
{
    run_all(TN_BEST(run), contacts, products);
}

bool tn_contact_products_with(const char *kind, const tn_rows *contacts, const tn_contact_products *products)
{
    run_function *run = TN_NAMED(run, kind);
    if (run) {
        run_all(run, contacts, products);
    }
    return run != NULL;
}
