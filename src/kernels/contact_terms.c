// A 3x3 block in row-major order is a sum of three products of vectors of nine, eight in lanes and the last by itself:
// (J_e^T C_m J_f)_rc = sum over k of L_kr J_f,kc with L = C_m J_e.
#include "kernels/contact_terms.h"

#include "kernels/lanes.h"
#include "kernels/processor.h"

enum { GROUP = 8 }; // entries of a contact whose parts are kept: four for two rigid bodies

// One entry's parts: rows k of L with each number three times, rows k of J three times over.
typedef struct term {
    lanes left[3], right[3];
    double last_left[3], last_right[3]; // of the ninth entry: L_k2 and J_k2
} term;

// Numbers r, r, r, r + 1, ... of row 3 k of a 3x3 matrix whose last number is `last`.
TN_INLINE void spread_rows(lanes a, lanes last, lanes out[3])
{
    out[0] = __builtin_shufflevector(a, a, 0, 0, 0, 1, 1, 1, 2, 2);
    out[1] = __builtin_shufflevector(a, a, 3, 3, 3, 4, 4, 4, 5, 5);
    out[2] = __builtin_shufflevector(a, last, 6, 6, 6, 7, 7, 7, 8, 8);
}

TN_INLINE void repeat_rows(lanes a, lanes last, lanes out[3])
{
    out[0] = __builtin_shufflevector(a, a, 0, 1, 2, 0, 1, 2, 0, 1);
    out[1] = __builtin_shufflevector(a, a, 3, 4, 5, 3, 4, 5, 3, 4);
    out[2] = __builtin_shufflevector(a, last, 6, 7, 8, 6, 7, 8, 6, 7);
}

TN_INLINE void make_term(const double *J, const double *C, term *out)
{
    lanes a = load(J), last = J[8] - (lanes){0}, row[3];
    spread_rows(a, last, row);
    repeat_rows(a, last, out->right);
    for (int k = 0; k < 3; k++) {
        out->left[k] = C[k] * row[0] + C[3 + k] * row[1] + C[6 + k] * row[2];
        out->last_left[k] = J[2] * C[k] + J[5] * C[3 + k] + J[8] * C[6 + k];
        out->last_right[k] = J[3 * k + 2];
    }
}

TN_INLINE void add_pair(const term *e, const term *f, double *block)
{
    lanes sum = e->left[0] * f->right[0] + e->left[1] * f->right[1] + e->left[2] * f->right[2];
    store(block, load(block) + sum);
    block[8] +=
        e->last_left[0] * f->last_right[0] + e->last_left[1] * f->last_right[1] + e->last_left[2] * f->last_right[2];
}

TN_INLINE void add_body(const tn_rows *c, const double *C, const int *pair, double *value)
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
