// The first k columns and rows of a dense square matrix eliminated with row exchanges among themselves, what they take
// from the rest subtracted from it: a front of an unsymmetric sparse factor. LAPACK and BLAS behind it.
#pragma once

// front (n, n) by columns. In place: P L U of the first k rows and columns, L^-1 P times the rows right of them, the
// columns below times U^-1, the rest less these two's product. pivot (k): row exchanges. Returns the sign of the first
// block's determinant; 0 where it is singular or holds a number that is none.
int tn_partial_lu_factor(int n, int k, double *front, int *pivot);
// y (n): the first k numbers L^-1 P y, the others less what these take from them.
void tn_partial_lu_forward(int n, int k, const double *front, const int *pivot, double *y);
// y (n): the first k numbers from themselves and the others.
void tn_partial_lu_backward(int n, int k, const double *front, double *y);
