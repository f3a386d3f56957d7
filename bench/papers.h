// The documents' tables, one function each; all return the number of failures.
#pragma once

#include "bench.h"

int papers_soft_tables(const bench_options *options, table *t); // II to VII, IX
int papers_invertible(const bench_options *options, table *t);  // Fig. 13
int papers_cable(const bench_options *options, table *t);       // VIII, Figs. 9 and 12
int papers_lemma(const bench_options *options, table *t);       // Lemma 3, Fig. 5
int papers_rolling(const bench_options *options, table *t);     // the outlook's nonholonomic constraint
int papers_scaling(const bench_options *options, table *t);     // Fig. 11

// lcp: drift of a pendulum, an ellipse, 21 disks, the Brazil nut (and case G05). --svg F.svg: pictures F_NAME.svg.
int papers_lcp_pendulum(const bench_options *options, table *t);
int papers_lcp_ellipse(const bench_options *options, table *t);
int papers_lcp_disks(const bench_options *options, table *t);
int papers_lcp_nut(const bench_options *options, table *t);
int papers_g05(const bench_options *options, table *t);

// ccp: the convex law's hover; a heap; a chain over a drum.
int papers_gliding(const bench_options *options, table *t);
int papers_ccp_heap(const bench_options *options, table *t);
int papers_ccp_chain(const bench_options *options, table *t);

// compliant: the document's QP and QCQP as they are printed, beside the law.
int papers_compliant_document(const bench_options *options, table *t);
