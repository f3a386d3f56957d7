// Factor of A + J^T C J without the couplings of contacts that weigh next to nothing, for interior point methods late
// in a solve.
//
// As the gap shrinks a contact's C grows towards infinity where it carries force and towards nothing where it opens. In
// a settled heap nearly half of the contacts open: the graph that is left has a third of the factor's operations. What
// such contacts add to their own bodies' blocks stays; the blocks between bodies, of at most four times the bodies' own
// inertia, are left out and made up for by conjugate gradients with this factor, one to seven products.
#pragma once

#include "solver/body_factor.h"
#include "solver/contact_matrix.h"

typedef struct tn_thin_factor {
    tn_arena *patterns; // of factor, which is made anew inside a solve
    const tn_contact_matrix *K;
    const tn_body_factor *lender; // whose values are overwritten
    const double *rho;            // (contacts) what a contact's C is compared to [kg/s], tn_check's
    bool *strong;                 // (contacts) at the present C
    bool *kept;                   // (contacts) in the pattern
    int n_kept;                   // 0: no pattern yet
    bool *blocks;                 // (blocks of K) in the pattern
    tn_body_factor factor;
} tn_thin_factor;

// K of a problem without joint rows; K, rho and lender (body_factor.h), by fronts, stay the caller's. Destroy also
// after a failure. False: no memory.
bool tn_thin_factor_create(tn_thin_factor *thin, const tn_contact_matrix *K, const double *rho,
                           const tn_body_factor *lender, tn_arena *arena);
void tn_thin_factor_destroy(tn_thin_factor *thin);
// Of K's values, made of C (contacts, 9). *made: whether enough contacts are weak for a factor without them, which is
// made then. *single: in single precision; false afterwards where that was not enough.
tn_status tn_thin_factor_values(tn_thin_factor *thin, const double *C, bool *single, bool *made, tn_error *error);
