// Contacts between rigid bodies in packs of eight that share no body: sweeps of block Gauss-Seidel, eight contacts at
// once, each solved exactly for its own force. Packs that touch the same bodies lane by lane (a box stands on four
// points) form a group: their bodies' velocities are read and written once for all of them.
//
// Velocities are scaled, x = L^T v with a body's part A_b = L L^T of the mass matrix, six numbers in a line of eight.
// A contact touches at most two lines:
//
//     u = H x + w,   x += H^T dlambda,   H = J L^-T,   W = H H^T
//
// Contacts may give way, u = H x + w + R f with one R along the normal and one across, in arrays of their own: what is
// rigid reads nothing of it. W's diagonal has R then.
//
// Tangents are turned within each contact so that S = W_tt - W_tn W_nt / W_nn is diagonal. Lanes without contact have
// H = 0; so has a side that nothing moves. Their line is one of the pack's own at the end of x, which stays zero.
//
// The same bits for every instruction set and any number of threads.
#pragma once

#include "kernels/contact/central_packs.h"
#include "tenon/problem.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    TN_PACK = 8,      // contacts in a pack, and numbers of a line
    TN_PACK_SUMS = 4, // tn_pack_sum
};

typedef struct tn_contact_pack {
    double H[3][2][6][TN_PACK];   // rows n, t1, t2; first and second line [kg^-1/2]
    double offset[3][TN_PACK];    // w [m/s]
    double inverse_w[TN_PACK];    // 1 / W_nn [kg/s]
    double c[2][TN_PACK];         // W_nt [s/kg]; 0 without friction
    double s[2][TN_PACK];         // S [s/kg]
    double inverse_s[2][TN_PACK]; // 1 / S; 0 without friction, or where nothing moves
    double mu[TN_PACK];           //
    double relax[TN_PACK];        // over-relaxation of a contact that sticks, 1 to 2
    double rho[TN_PACK];          // of the natural map [kg/s]
    double slide[TN_PACK];        // |u_t| / |lambda_t| of the last sliding solve: where Newton starts [s/kg]
    int line[2][TN_PACK];         //
} tn_contact_pack;

// What threads share of the rounds: pieces of neighbouring groups. In two of the rounds, those of tiles, the groups of
// a piece are to be taken in turn; but for these no groups of a round share a line.
typedef struct tn_pack_pieces {
    int n;
    const int *start;    // (n + 1) first group of each
    const int *of_round; // (n_rounds + 1) first piece of each round
    int tiled[2];        // rounds; -1: none
} tn_pack_pieces;

typedef struct tn_contact_packs {
    tn_law law;
    double step;            // h [s] of the fclib figure
    int n;                  // packs
    int n_lines;            // lines of bodies; then comes one for each pack
    int n_groups;           // neighbouring packs with the same lines
    const int *group_start; // (n_groups + 1) first pack
    int n_rounds;           // groups that share no line
    const int *round_start; // (n_rounds + 1) first group
    tn_pack_pieces pieces;
    tn_contact_pack *packs; // (n)
    const double *softness; // (n, 2, 8) R along the normal and across [m/(s N)]; NULL: nothing gives way
    double *lambda;         // (n, 3, 8) forces, tangents turned [N]
    double *x;              // (n_lines + n, 8) scaled velocities
    int n_threads;
} tn_contact_packs;

// Sums of squares over all contacts: the natural map's residual, fclib's in N, forces, velocities.
typedef enum tn_pack_sum {
    TN_PACK_NATURAL,
    TN_PACK_FCLIB,
    TN_PACK_FORCE,
    TN_PACK_VELOCITY,
} tn_pack_sum;

// What setting up a pack leaves to do: H, offset and mu are given with J's own tangents, softness (n, 2, 8) or NULL.
// Everything else follows; J A^-1 J^T's largest diagonal number in rho^-1 unless rho is given (> 0). turn (n, 2, 8):
// cosine and sine of each contact's tangents, t1' = cosine t1 + sine t2. regular (n, 8): false where S is singular in
// lanes with friction, so that the pack's solve does not hold; a tangent along which nothing moves, as in the plane,
// does no harm.
void tn_contact_packs_prepare(tn_law law, int n, const double *softness, tn_contact_pack *packs, double *turn,
                              bool *regular);

void tn_contact_packs_add(tn_contact_packs *packs);   // x += H^T lambda
void tn_contact_packs_sweep(tn_contact_packs *packs); // one pass
void tn_contact_packs_sums(const tn_contact_packs *packs,
                           double sums[TN_PACK_SUMS]); // by definition, at lambda and x

// The same in single precision, twice as fast, on the change of x since a point where the velocities are known in full:
// offset is u there, x the change. Rounding is that of the change.
typedef struct tn_contact_pack_single {
    float H[3][2][6][TN_PACK];
    float offset[3][TN_PACK];
    float inverse_w[TN_PACK];
    float c[2][TN_PACK];
    float s[2][TN_PACK];
    float inverse_s[2][TN_PACK];
    float mu[TN_PACK];
    float relax[TN_PACK];
    float slide[TN_PACK];
    float rho[TN_PACK];
    int line[2][TN_PACK];
} tn_contact_pack_single;

typedef struct tn_contact_packs_single {
    tn_law law;
    double step;
    int n; // packs of eight
    int n_lines;
    int n_groups, n_full_groups; // from n_full_groups on two groups of a pack each are one central pack
    const int *group_start;      // (n_groups + 1)
    int n_rounds;
    const int *round_start; // (n_rounds + 1)
    tn_pack_pieces pieces;
    tn_contact_pack_single *packs; // (group_start[n_full_groups])
    tn_central_pack *central;      // ((n_groups - n_full_groups) / 2)
    const float *softness;         // (group_start[n_full_groups], 2, 8); NULL: nothing gives way, central packs neither
    const tn_central_softness *central_softness; // ((n_groups - n_full_groups) / 2)
    float *lambda;                               // (n, 3, 8)
    const float *anchor;                         // (n, 3, 8) forces at the point
    float *x;                                    // (n_lines + n, 8)
    int n_threads;
} tn_contact_packs_single;

void tn_contact_pack_round(const tn_contact_pack *pack, tn_contact_pack_single *single);
void tn_contact_packs_single_add(tn_contact_packs_single *single); // x += H^T (lambda - anchor)
void tn_contact_packs_single_sweep(tn_contact_packs_single *single, int sweeps);
// As above, of single precision. fclib: false leaves its sum zero.
void tn_contact_packs_single_sums(const tn_contact_packs_single *single, bool fclib, double sums[TN_PACK_SUMS]);
// By one thread with the named instruction set, as below. For tests.
bool tn_contact_packs_single_sweep_with(const char *kind, tn_contact_packs_single *single);

// A sweep by one thread with the named instruction set ("avx512", "avx2", "baseline"); false (nothing touched) where
// the processor lacks it. For tests.
bool tn_contact_packs_sweep_with(const char *kind, tn_contact_packs *packs);
