// Delassus operator N = J A^-1 J^T behind one interface, in several realisations.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef enum tn_delassus_kind {
    TN_DELASSUS_COMPONENTS, // A block diagonal by bodies (1 or 2 blocks): matrix free, v kept up to date
    TN_DELASSUS_FACTORED,   // sparse Cholesky of A, two triangular solves an apply
    TN_DELASSUS_EXPLICIT,   // block-sparse matrix: W of a local problem, or built from the factor
    TN_DELASSUS_DENSE,   // dense matrix of all pairs of contacts, built in the cheaper of two ways (delassus_dense.c)
    TN_DELASSUS_COLUMNS, // the same built by solves with all columns of J^T: what the literature's baselines do
} tn_delassus_kind;

enum { TN_DELASSUS_DENSE_CONTACTS = 5000 }; // largest dense matrix: 1.8 GB

typedef struct tn_delassus {
    tn_delassus_kind kind;
    int n;                  // contacts
    const double *q;        // (n, 3) free contact velocity J A^-1 b + w
    const double *free;     // (3 A->n_rows) free velocity A^-1 b; NULL in local form
    const double *diagonal; // (n, 9) own block of each contact (without Omega); NULL in the factored kind
    const tn_blocks *N;     // explicit kind only (with Omega not added)
    const double *dense;    // (3 n square) dense kinds only (with Omega not added)
    // Components: A^-1 J^T per Jacobian entry, so that v += inverse_jt lambda_m keeps v up to date.
    const tn_problem *problem;
    const int *entry_start;      // (n + 1) entries of each contact after A^-1 filled in coupled blocks
    const int *entry_block;      // (entry_start[n])
    const double *entry_inverse; // (entry_start[n], 9) A^-1 J^T: dv_block = entry * dlambda_m (row-major)
    void *factor;                // factored and dense kinds, and explicit where A couples more: tn_cholesky
} tn_delassus;

// Kind that fits the structure: EXPLICIT in local form, COMPONENTS where every component of A has at most 4 blocks,
// else FACTORED.
tn_delassus_kind tn_delassus_choose(const tn_problem *problem, tn_arena *arena);
// Build in arena; destroy frees the factor (if any) only.
tn_status tn_delassus_create(const tn_problem *problem, tn_delassus_kind kind, tn_arena *arena, tn_delassus *out,
                             tn_error *error);
void tn_delassus_destroy(tn_delassus *delassus);
// u = N lambda + q (+ Omega lambda where the contacts carry it); scratch from arena.
tn_status tn_delassus_velocity(const tn_delassus *delassus, const double *lambda, double *u, tn_arena *arena,
                               tn_error *error);
// v = A^-1 (b + J^T lambda); global form only.
tn_status tn_delassus_recover(const tn_delassus *delassus, const double *lambda, double *v, tn_arena *arena,
                              tn_error *error);
