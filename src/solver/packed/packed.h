// The contacts of bodies, ready for fast Gauss-Seidel sweeps: in packs of eight (kernels/contact/packs.h), and the few
// that do not fit one by one (rest.h). No matrix is formed; scaled velocities follow the forces.
//
// Packs are made in single precision first (single.h), which is all that most solves need; in double, with what
// is below, by tn_packed_complete.
#pragma once

#include "kernels/contact/packs.h"
#include "solver/check.h"
#include "solver/packed/fill.h"
#include "solver/packed/rest.h"

typedef struct tn_packed {
    const tn_problem *problem;
    int n_threads;
    tn_lines lines;
    tn_pack_filler filler;
    tn_pack_order order;
    int n_turned; // packs whose tangents are turned: the full ones
    double *turn; // (n_turned, 2, 8) cosine and sine of each lane's tangents: t1' = cosine t1 + sine t2
    // NULL in double; offset: J v + w.
    tn_contact_pack_single *single; // (full packs)
    tn_central_pack *central;       // (central packs)
    float *single_softness;         // as in tn_contact_packs_single
    tn_central_softness *central_softness;
    double *forces, *v; // the solution's lambda and v; of the start, then of the anchor
    tn_rest rest;       // contacts left and joints
    // All forces: packs' (n, 3, 8), the rest's contacts' (n, 3), zeros up to n_contact_numbers, joint rows'; both
    // counts are multiples of 16.
    int n_numbers, n_contact_numbers;
    // In double; single is NULL then.
    double *lambda; // (n_numbers) [N]
    tn_contact_packs packs;
    double *x;            // the packs' x
    const double *x_free; // (8 lines.n) of lambda = 0
} tn_packed;

// TN_BAD_INPUT when A does not fall into components of at most four blocks; TN_NUMERICS when it is not positive
// definite (the error names the block). It starts from the solution's forces, and may use lambda and v as room.
tn_status tn_packed_create(tn_packed *packed, const tn_problem *problem, const tn_solution *solution, int n_threads,
                           tn_arena *arena, tn_error *error);
// The packs in double, with x of lambda, unless they are there. False: no memory.
bool tn_packed_complete(tn_packed *packed, tn_arena *arena);

// Cosines and sines (2, 8) of a pack's tangents.
static inline const double *tn_packed_turn(const tn_packed *packed, int pack)
{
    static const double straight[2 * TN_PACK] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    return pack < packed->n_turned ? packed->turn + 2 * TN_PACK * (size_t)pack : straight;
}

// Three numbers of the contact in lane i of all, its tangents turned as the pack's, no friction where there is none;
// and back. out may be r.
void tn_packed_turn_in(const tn_packed *packed, int i, const double r[3], double out[3]);
void tn_packed_turn_out(const tn_packed *packed, int i, const double r[3], double out[3]);

void tn_packed_get(const tn_packed *packed, double *lambda); // forces to those of the problem's rows

// Forces of the rest, of those of the problem's rows, to their places among all; and back.
void tn_packed_put_rest(const tn_packed *packed, const double *lambda, tn_pack_numbers to);
void tn_packed_get_rest(const tn_packed *packed, const double *from, const float *single, double *lambda);

// Of a complete one:
void tn_packed_set(tn_packed *packed, const double *lambda); // forces of the problem's rows; x follows
void tn_packed_refresh(tn_packed *packed);                   // x of packed->lambda
void tn_packed_sweep(tn_packed *packed);                     // one pass; lambda and x follow
// The figures' sums of the present forces and x (solver/check.h).
void tn_packed_sums(const tn_packed *packed, tn_check_sums *sums);

// Of the packs alone.
tn_check_sums tn_packed_check_sums(const double sums[TN_PACK_SUMS]);
// v (3 A->n_rows) = A^-1 (b + J^T lambda), from the forces of the problem's rows alone.
void tn_packed_recover(const tn_packed *packed, const double *lambda, double *v);
// Sweeps over joints alone, contacts held, until the largest velocity that a joint row lacks is at most tolerance
// [m/s], which is returned; solution's forces and v of these. NAN: no memory.
double tn_packed_settle_joints(const tn_packed *packed, double tolerance, tn_solution *solution, tn_arena *arena);
