// A 3x3 block in row-major order is a sum of three products of vectors of nine, twice four in lanes and the last by
// itself: (J_e^T C_m J_f)_rc = sum over k of L_kr J_f,kc with L = C_m J_e.
#include "kernels/contact_terms.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

enum { GROUP = 8 }; // entries of a contact whose parts are kept: four for two rigid bodies

// Numbers 0 to 7 of a block, or what is multiplied to them.
typedef struct eight {
    quad low, high;
} eight;

// One entry's parts: rows k of L with each number three times, rows k of J three times over.
typedef struct term {
    eight left[3], right[3];
    double last_left[3], last_right[3]; // of the ninth entry: L_k2 and J_k2
} term;

// A row's numbers 0, 0, 0, 1, 1, 1, 2, 2.
TN_QUAD_INLINE eight each_thrice(const double *row)
{
    return (eight){{row[0], row[0], row[0], row[1]}, {row[1], row[1], row[2], row[2]}};
}

// A row's numbers 0, 1, 2, 0, 1, 2, 0, 1.
TN_QUAD_INLINE eight three_times(const double *row)
{
    return (eight){{row[0], row[1], row[2], row[0]}, {row[1], row[2], row[0], row[1]}};
}

TN_QUAD_INLINE void make_term(const double *J, const double *C, term *out)
{
    const eight first = each_thrice(J), second = each_thrice(J + 3), third = each_thrice(J + 6);
    for (int k = 0; k < 3; k++) {
        out->right[k] = three_times(J + 3 * k);
        out->last_right[k] = J[3 * k + 2];
    }
    for (int k = 0; k < 3; k++) {
        out->left[k].low = C[k] * first.low + C[3 + k] * second.low + C[6 + k] * third.low;
        out->left[k].high = C[k] * first.high + C[3 + k] * second.high + C[6 + k] * third.high;
        out->last_left[k] = J[2] * C[k] + J[5] * C[3 + k] + J[8] * C[6 + k];
    }
}

TN_QUAD_INLINE void add_pair(const term *e, const term *f, double *block)
{
    quad low = e->left[0].low * f->right[0].low + e->left[1].low * f->right[1].low + e->left[2].low * f->right[2].low;
    quad high =
        e->left[0].high * f->right[0].high + e->left[1].high * f->right[1].high + e->left[2].high * f->right[2].high;
    quad_store(block, quad_load(block) + low);
    quad_store(block + 4, quad_load(block + 4) + high);
    block[8] +=
        e->last_left[0] * f->last_right[0] + e->last_left[1] * f->last_right[1] + e->last_left[2] * f->last_right[2];
}

TN_QUAD_INLINE void add_body(const tn_rows *c, const double *C, const int *pair, double *value)
{
    for (int m = 0; m < c->n_triples; m++) {
        const double *J = c->jacobian + 9 * (size_t)c->start[m], *own = C + 9 * (size_t)m;
        int n = c->start[m + 1] - c->start[m];
        term terms[GROUP];
        for (int f = 0; f < n && f < GROUP; f++) {
            make_term(J + 9 * (size_t)f, own, &terms[f]);
        }
        for (int e = 0; e < n; e++) {
            term row, column;
            if (e >= GROUP) {
                make_term(J + 9 * (size_t)e, own, &row);
            }
            for (int f = 0; f < n; f++) {
                if (f >= GROUP) {
                    make_term(J + 9 * (size_t)f, own, &column);
                }
                add_pair(e < GROUP ? &terms[e] : &row, f < GROUP ? &terms[f] : &column, value + 9 * (size_t)*pair++);
            }
        }
    }
}

TN_VARIANTS(add, (const tn_rows *c, const double *C, const int *pair, double *value), (c, C, pair, value))

void tn_contact_terms_add(const tn_rows *contacts, const double *C, const int *pair, double *value)
{
    TN_BEST(add)(contacts, C, pair, value);
}
