// Dense linear algebra, row-major, LAPACK behind it.
#pragma once

#include <stdbool.h>

// Lower factor in place, from the lower triangle (what lies above the diagonal is not used); false: not positive
// definite.
bool tn_dense_cholesky(int n, double *a);
void tn_dense_cholesky_solve(int n, const double *factor, double *x); // in place
// a = L^T D^-1 L from the last row to the first, L of unit diagonal in place, D on it: the inertia of a tree whose
// children come after their parents fills nothing in (Featherstone, Rigid body dynamics algorithms, 2008, table 6.3).
bool tn_dense_tree_factor(int n, double *a);
void tn_dense_tree_solve(int n, const double *factor, double *x); // in place
// Half of it, x = D^(1/2) L^-T x in place: zero on the way to the leaves from where x is zero.
void tn_dense_tree_half_solve(int n, const double *factor, double *x);
bool tn_dense_solve(int n, double *a, double *x,
                    int *pivot); // LU, a and x overwritten; pivot (n) scratch; false: singular
// The two halves of it: factor in place, false: singular; then a x = b in place for any b.
bool tn_dense_lu(int n, double *a, int *pivot);
void tn_dense_lu_solve(int n, const double *factor, const int *pivot, double *x);
// Least squares / minimum norm solution of a x = b by QR with column pivoting (rank tolerance rcond).
// a (m, n) overwritten, b (max(m, n)) in, x out in its first n; returns the rank, -1: no memory. A NaN in a: rank 0, x
// NaN.
int tn_dense_least_squares(int m, int n, double *a, double *b, double rcond);
// Eigenvalues ascending of a symmetric matrix; a overwritten by the eigenvectors in its rows. False: no convergence.
bool tn_dense_eigen(int n, double *a, double *values);
