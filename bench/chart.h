// A picture of curves on logarithmic axes, several panels side by side, written as SVG.
#pragma once

#include <stdbool.h>

enum { CHART_PANELS = 9, CHART_LINES = 10, CHART_POINTS = 8, CHART_TEXT = 48 };

typedef struct chart_curve {
    int n;
    double x[CHART_POINTS], y[CHART_POINTS];
} chart_curve;

typedef struct chart {
    const char *x_label, *y_label;
    int n_panels;
    char title[CHART_PANELS][CHART_TEXT];
    char label[CHART_LINES][CHART_TEXT]; // of the lines, the same in all panels
    chart_curve curves[CHART_PANELS][CHART_LINES];
} chart;

void chart_start(chart *c, const char *y_label, const char *x_label);
void chart_panel(chart *c, const char *title); // beyond CHART_PANELS: ignored
// Line number `line` (its colour) of the last panel; points that are not positive are left out.
void chart_line(chart *c, int line, const char *label, int n, const double *x, const double *y);
bool chart_write(const chart *c, const char *path);
