// Algebra of the second-order cone L = { x : x_0 >= |(x_1, x_2)| }, for interior point methods.
//
// Jordan product: a o b = (a . b, a_0 b_t + b_0 a_t). Two points x, y of L obey x o y = 0 exactly when they are
// orthogonal. Source: M. Andersen, J. Dahl, Z. Liu, L. Vandenberghe, Interior-point methods for large-scale cone
// programming, in: Optimization for Machine Learning, MIT Press 2011; scaling of Nesterov and Todd 1997.
#pragma once

// out = a o b. out may not alias.
void tn_interior_product(const double a[3], const double b[3], double out[3]);
// out with l o out = b; l inside L. out may not alias.
void tn_interior_divide(const double l[3], const double b[3], double out[3]);
// Symmetric positive definite W (row-major) with W y = W^-1 x = l; x and y inside L.
void tn_interior_scaling(const double x[3], const double y[3], double W[9], double l[3]);
