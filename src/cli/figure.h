// What `tenon plot` can draw: figures by name.
#pragma once

#include "tenon/record.h"

enum { CLI_FIGURE_CURVES = 12, CLI_FIGURE_TITLE = 128 };

typedef struct cli_curve {
    const char *title;
    const char *name; // of tn_recording_read_curve
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
