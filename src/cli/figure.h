// What `tenon plot` can draw: figures by name.
#pragma once

#include "record/recording.h"

enum { CLI_FIGURE_CURVES = 12, CLI_FIGURE_TITLE = 128 };

// A curve: a one-number column of the recording, or one number of a wider column's rows.
typedef struct cli_curve {
    const char *title;
    const char *column;
    int width, place; // numbers a row and which of them; width 1: the column as it is
} cli_curve;

typedef struct cli_figure {
    const char *name; // WHAT
    const char *summary;
    const char *y_label;
    bool logarithmic;
    int n_curves;
    cli_curve curves[CLI_FIGURE_CURVES];
} cli_figure;

// The figure that `what` names; title keeps the name of its curve where it has but one. TN_BAD_INPUT: there is none.
tn_status cli_figure_find(const tn_recording *recording, const char *what, cli_figure *out,
                          char title[CLI_FIGURE_TITLE], tn_error *error);
// The list of figures for the help, a line each.
void cli_figure_notes(size_t size, char *notes);
