// What is swept one by one, on the same x as the packs: contacts with Omega but for one number along the normal and one
// across, with friction that differs by direction, on more than two lines of bodies or with a singular W_tt - W_tn W_nt
// / W_nn; moments; and joints. The rows of a joint without bounds are solved together, by the inverse of their block of
// G A^-1 G^T + R (regularised by 1e-10, for rows that come twice), its bounded rows one by one.
#pragma once

#include "solver/check.h"
#include "solver/packed/central.h"

// The packs' numbers, in one of both precisions.
typedef struct tn_pack_numbers {
    double *d;
    float *f;
} tn_pack_numbers;

// One of them: its rows' entries, and their block of J A^-1 J^T.
typedef struct tn_rest_item {
    int first_row, n_rows; // 3 of a contact
    int first_at, n_at;
    size_t H; // (n_at, 3, n_rows) column by column
    size_t W; // (n_rows, n_rows) of a contact with Omega; of a joint its inverse
} tn_rest_item;

typedef struct tn_rest {
    const tn_problem *problem;
    int n_contacts, n; // items: contacts, then groups of joint rows
    const tn_rest_item *item;
    const int *id;      // (rows) the contact, or the joint row among single ones
    const int *force;   // (rows) where the row's force lies among all
    const int *pressed; // (n_contacts) of a moment: where the normal force that presses it lies; of a contact: -1
    const double *rho;  // (rows) of the natural map [kg/s]
    double *offset;     // (rows) velocity where x is zero [m/s]
    const int *at;      // first number of an entry's block in x
    const double *H, *W;
} tn_rest;

// Where contacts and joint rows lie among all forces, from which on.
typedef struct tn_rest_place {
    int contacts, joints;
    const int *pressed;        // as above; the caller's
    const tn_central *central; // spins are in its axes; NULL: in their own
} tn_rest_place;

enum { TN_REST_ROWS = 12 }; // most rows of a joint that are solved together; longer ones are cut

// The n contacts id (the caller's) and all joint rows; offsets of v = 0. False: no memory.
bool tn_rest_create(tn_rest *rest, const tn_problem *problem, const tn_lines *lines, int n, const int *id,
                    tn_rest_place place, tn_arena *arena);
void tn_rest_set_offsets(tn_rest *rest, const double *v); // of the velocities v
// x += H^T (lambda - anchor); an anchor of NULLs is zero.
void tn_rest_add(const tn_rest *rest, tn_pack_numbers lambda, tn_pack_numbers anchor, tn_pack_numbers x);
void tn_rest_sweep(const tn_rest *rest, tn_pack_numbers lambda, tn_pack_numbers x);        // one pass
void tn_rest_sweep_joints(const tn_rest *rest, tn_pack_numbers lambda, tn_pack_numbers x); // over these alone
void tn_rest_add_sums(const tn_rest *rest, tn_pack_numbers lambda, tn_pack_numbers x,
                      tn_check_sums *sums); // of its contacts
// The largest velocity that a joint row lacks (tn_single_check_rows).
double tn_rest_joint_error(const tn_rest *rest, tn_pack_numbers lambda, tn_pack_numbers x);
