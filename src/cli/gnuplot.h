// gnuplot behind one call: a child process without a shell, script and data through its standard input.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>

typedef struct cli_gnuplot_curves {
    int n;
    long n_rows;
    const double *x;             // (n_rows) time [s]
    const double *const *y;      // (n) of (n_rows)
    const char *const *titles;   // (n)
    const char *title, *y_label; // title may be ""
    bool logarithmic;
} cli_gnuplot_curves;

// out ends in .svg or .png. TN_BAD_INPUT: another ending, or gnuplot is not installed; TN_IO: it failed.
tn_status cli_gnuplot_draw(const cli_gnuplot_curves *curves, const char *out, tn_error *error);
