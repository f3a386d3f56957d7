#include "kernels/contact/products.h"

#include <string.h>

// Four lanes: the three rows of a contact (or the three numbers of a block), and one of no meaning.
typedef double lanes __attribute__((vector_size(32)));

#define TN_INLINE static inline __attribute__((always_inline))

enum { U = 1, FORCE = 2, SCALE = 4, FREE = 8 };

TN_INLINE lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_INLINE lanes load_three(const double *p)
{
    return (lanes){p[0], p[1], p[2], 0.0};
}

TN_INLINE void store_three(double *p, lanes x)
{
    memcpy(p, &x, 2 * sizeof *p);
    p[2] = x[2];
}

// A 3x3 block's columns. All loads stay inside its nine numbers. wide: the set has vectors of 32 bytes; without them
// shuffles go through memory and wait for it.
typedef struct columns {
    lanes x[3];
} columns;

TN_INLINE columns columns_of(bool wide, const double *J)
{
    if (!wide) {
        return (columns){{{J[0], J[3], J[6], J[6]}, {J[1], J[4], J[7], J[7]}, {J[2], J[5], J[8], J[8]}}};
    }
    lanes low = load(J), middle = load(J + 4), high = load(J + 5);
    return (columns){{__builtin_shufflevector(low, middle, 0, 3, 6, 6),
                      __builtin_shufflevector(low, middle, 1, 4, 7, 7),
                      __builtin_shufflevector(low, high, 2, 4, 7, 7)}};
}

TN_INLINE lanes times(const columns *c, const double *v)
{
    return c->x[0] * v[0] + c->x[1] * v[1] + c->x[2] * v[2];
}

// force += J^T f
TN_INLINE void add_force(const double *J, const double *f, double *force)
{
    lanes last = {J[6], J[7], J[8], J[8]};
    store_three(force, load_three(force) + (load(J) * f[0] + load(J + 3) * f[1] + last * f[2]));
}

// The diagonal of J B J^T.
TN_INLINE lanes answer(bool diagonal, const columns *c, const double *B)
{
    const lanes *x = c->x;
    if (diagonal) {
        return x[0] * x[0] * B[0] + x[1] * x[1] * B[4] + x[2] * x[2] * B[8];
    }
    return x[0] * (x[0] * B[0] + x[1] * B[1] + x[2] * B[2]) + x[1] * (x[0] * B[3] + x[1] * B[4] + x[2] * B[5]) +
           x[2] * (x[0] * B[6] + x[1] * B[7] + x[2] * B[8]);
}

TN_INLINE double largest(lanes x)
{
    double most = x[0] > x[1] ? x[0] : x[1];
    return most > x[2] ? most : x[2];
}

TN_INLINE void run_body(bool wide, int parts, bool diagonal, const tn_contacts *c, const tn_contact_products *p)
{
    for (size_t i = 0; i < (size_t)c->n; i++) {
        const double *f = parts & FORCE ? p->lambda + 3 * i : NULL;
        bool pushes = f && !(f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0);
        if (parts == FORCE && !pushes) {
            continue;
        }
        lanes offset = load_three(c->offset + 3 * i), u = offset, u_free = offset, scale = {0.0};
        for (int e = c->start[i]; e < c->start[i + 1]; e++) {
            const double *J = c->jacobian + 9 * (size_t)e;
            size_t block = (size_t)c->block[e];
            if (pushes) {
                add_force(J, f, p->force + 3 * block);
            }
            if (parts == FORCE) {
                continue;
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
        if (parts & U) {
            store_three(p->u + 3 * i, u);
        }
        if (parts & FREE) {
            store_three(p->u_free + 3 * i, u_free);
        }
        if (parts & SCALE) {
            p->scale[i] = largest(scale);
        }
    }
}

// What is asked for is a constant in each of the copies.
TN_INLINE void run_parts(bool wide, const tn_contacts *c, const tn_contact_products *p)
{
    if (!p->u) {
        if (p->force) {
            run_body(wide, FORCE, false, c, p);
        }
    } else if (!p->force) {
        run_body(wide, U, false, c, p);
    } else if (!p->scale) {
        run_body(wide, U | FORCE, false, c, p);
    } else if (!p->u_free) {
        p->diagonal ? run_body(wide, U | FORCE | SCALE, true, c, p) : run_body(wide, U | FORCE | SCALE, false, c, p);
    } else if (p->diagonal) {
        run_body(wide, U | FORCE | SCALE | FREE, true, c, p);
    } else {
        run_body(wide, U | FORCE | SCALE | FREE, false, c, p);
    }
}

static void run_baseline(const tn_contacts *c, const tn_contact_products *p)
{
    run_parts(false, c, p);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void run_avx2(const tn_contacts *c, const tn_contact_products *p)
{
    run_parts(true, c, p);
}

// Vectors are as wide as with AVX2, but a shuffle of two is one instruction.
__attribute__((target("avx512f,avx512vl"))) static void run_avx512(const tn_contacts *c, const tn_contact_products *p)
{
    run_parts(true, c, p);
}
#endif

// What was compiled, the best first.
typedef struct variant {
    const char *kind;
    void (*run)(const tn_contacts *c, const tn_contact_products *p);
} variant;

static const variant variants[] = {
#if defined(__x86_64__)
    {"avx512", run_avx512},
    {"avx2", run_avx2},
#endif
    {"baseline", run_baseline},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static bool processor_has(const variant *v)
{
#if defined(__x86_64__)
    if (v->run == run_avx512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    }
    if (v->run == run_avx2) {
        return __builtin_cpu_supports("avx2");
    }
#endif
    return true;
}

void tn_contact_products_run(const tn_contacts *contacts, const tn_contact_products *products)
{
    const variant *v = variants;
    while (!processor_has(v)) {
        v++; // ends at the baseline
    }
    v->run(contacts, products);
}

bool tn_contact_products_with(const char *kind, const tn_contacts *contacts, const tn_contact_products *products)
{
    for (const variant *v = variants; v < variants + N_VARIANTS; v++) {
        if (strcmp(v->kind, kind) == 0 && processor_has(v)) {
            v->run(contacts, products);
            return true;
        }
    }
    return false;
}
