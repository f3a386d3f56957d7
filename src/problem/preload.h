// Contacts that pull: a problem with a preload as one without.
//
// With f' = f + a e_n the set {f_n >= -a, |f_t| <= mu (f_n + a)} is the plain cone, and f' solves the problem with
//
//     b' = b - J^T (a e_n),   w' = w - R (a e_n);   local form: q' = q - (W + R) (a e_n)
//
// so every solver takes a preload.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_preload {
    tn_problem problem; // the same without preload; shares what it can with the given one
    tn_rows rows;
    const double *a; // (n_triples)
    double grown;    // |b| over |b'|, both at least the force scale; at most 1
} tn_preload;

// problem with rows->preload; out must stay where it is. TN_NO_MEMORY only.
tn_status tn_preload_remove(const tn_problem *problem, tn_arena *arena, tn_preload *out);
// lambda += sign a e_n: +1 from forces f to f', -1 back.
void tn_preload_shift(const tn_preload *preload, double sign, double *lambda);
