// An island as one dense matrix of all its scalar rows, three a contact or moment and one a joint row:
//
//     velocities = W forces + free,   W = [J; G] A^-1 [J; G]^T + diag(Omega, R)
//
// and one semismooth Newton step on the natural map of all laws, forces = P(forces - metric velocities).
#pragma once

#include "law/set.h"
#include "solver/polish/islands.h"

typedef struct tn_polish_system {
    const tn_problem *problem;
    const tn_part_factors *factors; // of A; global form
    const tn_polish_island *island;
    int n, n_joints, size; // contacts with moments, joint rows, 3 n + n_joints
    double *W;             // (size, size) row-major
    double *rho;           // (n + n_joints) effective mass of each row block and joint row
    double *x, *velocity;  // (size) forces, velocities [m/s, rad/s]
    double *p;             // (size) P: forces that obey their bounds
    tn_projection *map;    // (n)
    double *v, *response;  // (3 A->n_rows) velocities of the island's bodies; zeros. Global form
    double force, speed;   // root of the sum of |x - P|^2 over contacts [N], largest |x - P| / rho [m/s]: as the
                           // certificate's natural and joint figures see them
    double norm;           // of x - P, in units that suit heavy and light bodies alike: root of the sum of
                           // |x - P|^2 / rho [root of W]
    double rounding;       // what rounding leaves of it, about
    double *matrix, *step, *trial, *best;
    int *active, *pivot, *place; // (size), (size), (contacts) local number of the problem's row blocks
} tn_polish_system;

// Room for islands of at most `most` rows. False: no memory.
bool tn_polish_room(tn_polish_system *s, const tn_problem *problem, const tn_part_factors *factors, int most,
                    tn_arena *arena);
// W; x from the solution.
void tn_polish_take(tn_polish_system *s, const tn_polish_island *island, const tn_solution *solution);
// One step that lessens norm; false: there is none. free: the whole step whatever becomes of norm; false: it has none.
bool tn_polish_step(tn_polish_system *s, bool free);
// x, and all that is made of it.
void tn_polish_set(tn_polish_system *s, const double *x);
// Into the solution: zero or the bound for each force that is off it by rounding only.
void tn_polish_settle(tn_polish_system *s, tn_solution *solution);
// P and v of it into the solution.
void tn_polish_put(tn_polish_system *s, tn_solution *solution);
