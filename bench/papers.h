// The documents' tables, one function each; all return the number of failures.
#pragma once

#include "bench.h"

int papers_soft_tables(const bench_options *options, table *t); // II, III, IV, VI, VII, IX
int papers_invertible(const bench_options *options, table *t);  // Fig. 13
int papers_scaling(const bench_options *options, table *t);     // Fig. 11

// ccp: the convex law's hover; a heap; a chain over a drum.
int papers_gliding(const bench_options *options, table *t);
int papers_ccp_heap(const bench_options *options, table *t);
int papers_ccp_chain(const bench_options *options, table *t);
