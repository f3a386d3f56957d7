// Parts of `tenon bench rigid`; all return the number of failures.
#pragma once

#include "bench.h"

int rigid_speed(const bench_options *options, table *t);    // time and accuracy beside other engines
int rigid_stack(const bench_options *options, table *t);    // a column of 100 spheres, masses doubling upward
int rigid_heap(const bench_options *options, table *t);     // 1000 boxes at rest
int rigid_fclib(const bench_options *options, table *t);    // friction problems of settled piles
int rigid_scaling(const bench_options *options, table *t);  // 10^2 to 10^5 spheres, two threads
int rigid_threads(const bench_options *options, table *t);  // the second half of scaling alone
int rigid_interior(const bench_options *options, table *t); // the convex law by solver ipm's iteration
int rigid_orders(const bench_options *options, table *t);   // error against step of rotation and mechanisms
int rigid_terrain(const bench_options *options, table *t);  // every kind of shape on a height field
int rigid_pairs(const bench_options *options, table *t);    // contact of two shapes beside collision libraries
int rigid_graphs(const bench_options *options, table *t);   // mechanisms of 10 to 10^4 links
int rigid_routes(const bench_options *options, table *t);   // auto beside every single solver
int rigid_islands(const bench_options *options, table *t);  // in company, on threads, asleep
int rigid_granular(const bench_options *options, table *t); // validation cases G01 to G04 in full size

// Exponent of y = c x^p by least squares of the logarithms.
double rigid_exponent(int n, const double *x, const double *y);
