// What the tables of the lcp document share: their pictures. --svg F.svg: each experiment draws F_NAME.svg.
#pragma once

#include "bench.h"
#include "plot.h"

plot *lcp_plot_start(const bench_options *options); // NULL: nothing is drawn
plot_panel *lcp_panel(plot *p, const char *title, const char *x, const char *y);
// Writes and frees it; 1: it cannot be written.
int lcp_plot_finish(const bench_options *options, plot *p, const char *name);
