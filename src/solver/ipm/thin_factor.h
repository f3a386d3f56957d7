// Factor of A + J^T C J without the contacts that weigh next to nothing, for interior point methods late in a solve.
//
// As the gap shrinks a contact's C grows towards infinity where it carries force and towards nothing where it opens. In
// a settled heap nearly half of the contacts open: the graph that is left has a third of the factor's operations. What
// is left out, at most a tenth of the bodies' own inertia a contact, is made up for by conjugate gradients with this
// factor, two to four products.
#pragma once

#include "solver/body_factor.h"
#include "solver/contact_matrix.h"

typedef struct tn_thin_factor {
    tn_arena *patterns; // of K and factor, which are made anew inside a solve
    const tn_problem *problem;
    const tn_body_factor *lender; // whose values are overwritten
    const double *rho;            // (contacts) what a contact's C is compared to [kg/s], tn_check's
    bool *strong;                 // (contacts) at the present C
    bool *kept;                   // (contacts) in the pattern
    int n_kept;                   // 0: no pattern yet
    tn_contacts contacts;
    tn_problem thinned; // problem with the kept contacts alone
    double *C;          // (n_kept, 9)
    tn_contact_matrix K;
    tn_body_factor factor;
} tn_thin_factor;

// problem without joint rows, K of all its contacts; problem, rho and lender (body_factor.h) stay the caller's. Destroy
// also after a failure. False: no memory.
bool tn_thin_factor_create(tn_thin_factor *thin, const tn_problem *problem, const double *rho, const tn_blocks *K,
                           const tn_body_factor *lender, tn_arena *arena);
void tn_thin_factor_destroy(tn_thin_factor *thin);
// *made: whether enough contacts are weak at C (contacts, 9) for a factor without them, which is made then.
// *single: in single precision; false afterwards where that was not enough.
tn_status tn_thin_factor_values(tn_thin_factor *thin, const double *C, bool *single, bool *made, tn_error *error);
