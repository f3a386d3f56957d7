// A picture of curves over time, several panels side by side, written as SVG: linear abscissa, ordinate linear or
// logarithmic.
#pragma once

#include <stdbool.h>

enum { PLOT_PANELS = 6, PLOT_CURVES = 12, PLOT_POINTS = 600, PLOT_TEXT = 64 };

typedef struct plot_curve {
    int n;
    double x[PLOT_POINTS], y[PLOT_POINTS];
    char label[PLOT_TEXT];
} plot_curve;

typedef struct plot_panel {
    char title[PLOT_TEXT], x_label[PLOT_TEXT], y_label[PLOT_TEXT];
    bool logarithmic;
    bool shape;   // both axes in the same scale: curves are outlines
    double floor; // logarithmic: what is smaller is drawn there
    int n;
    plot_curve curves[PLOT_CURVES];
} plot_panel;

typedef struct plot {
    int n;
    plot_panel panels[PLOT_PANELS];
} plot;

// The new panel; NULL: there is no room.
plot_panel *plot_add_panel(plot *p, const char *title, const char *x_label, const char *y_label);
// The new curve; NULL: there is no room.
plot_curve *plot_add_curve(plot_panel *panel, const char *label);
void plot_add_point(plot_curve *curve, double x, double y); // more than PLOT_POINTS: dropped
bool plot_write(const plot *p, const char *path);
