// What the certificate needs of A^-1: inverses of the diagonal blocks that contacts touch.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_certificate_blocks {
    double *inverse; // (n_rows, 9) where touched
    bool *touched;   // (n_rows)
    bool regular;    // none of them is singular
    bool alone;      // nor coupled to another block: then inverse holds blocks of A^-1
} tn_certificate_blocks;

// Global form. TN_NO_MEMORY only.
tn_status tn_certificate_blocks_create(const tn_blocks *A, const tn_contacts *contacts, tn_arena *arena,
                                       tn_certificate_blocks *out);
// Scale m_m of contact m: the largest diagonal of J_m blockdiag(A)^-1 J_m^T [s/kg].
double tn_certificate_blocks_scale(const tn_certificate_blocks *blocks, const tn_contacts *contacts, int m);

// Velocities without the contact forces and with them, right where contacts act.
typedef struct tn_certificate_motion {
    bool known;     // else they would need a factorisation of A
    double *free;   // (3 n_rows) A^-1 b
    double *loaded; // (3 n_rows) A^-1 (b + push); NULL: the solution's v is that
} tn_certificate_motion;

// push (3 n_rows) = J^T lambda; balanced: v is A^-1 (b + push) to rounding.
tn_status tn_certificate_find_motion(const tn_problem *problem, const tn_certificate_blocks *blocks, const double *push,
                                     bool balanced, tn_arena *arena, tn_certificate_motion *out);
