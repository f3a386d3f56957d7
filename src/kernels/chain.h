// Chains of 6x6 blocks, each coupled with the next: one linear system by elimination from end to end.
//
//     D_k x_k + U_k x_{k+1} + U_{k-1}^T x_{k-1} = r_k
//
// D may be unsymmetric, as sliding contacts make it: rows of a block change places, blocks do not.
#pragma once

#include <stdbool.h>

enum { TN_CHAIN_ROW = 8, TN_CHAIN_BLOCK = 48 }; // numbers of a row, padded; of six of them

// n blocks: D (n, 6, 8), whose seventh column holds r, overwritten; U (n, 6, 8), the last one zero, columns from the
// seventh on zero; room (n, 6, 8). x (n, 6). *regular false: a block became singular.
void tn_chain_solve(int n, double *D, const double *U, double *room, double *x, bool *regular);
// By a named instruction set, for tests; false: unknown, or the processor lacks it.
bool tn_chain_solve_with(const char *kind, int n, double *D, const double *U, double *room, double *x, bool *regular);
