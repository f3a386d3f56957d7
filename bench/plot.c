#include "plot.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 430, HEIGHT = 300, LEFT = 66, BOTTOM = 46, TOP = 28, RIGHT = 14, COLUMNS = 2, TICKS = 5 };
static const char *const COLOURS[PLOT_CURVES] = {"#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b",
                                                 "#e377c2", "#17becf", "#bcbd22", "#7f7f7f", "#000000", "#393b79"};

plot_panel *plot_add_panel(plot *p, const char *title, const char *x_label, const char *y_label)
{
    if (p->n == PLOT_PANELS) {
        return NULL;
    }
    plot_panel *panel = &p->panels[p->n++];
    snprintf(panel->title, PLOT_TEXT, "%s", title);
    snprintf(panel->x_label, PLOT_TEXT, "%s", x_label);
    snprintf(panel->y_label, PLOT_TEXT, "%s", y_label);
    return panel;
}

plot_curve *plot_add_curve(plot_panel *panel, const char *label)
{
    if (!panel || panel->n == PLOT_CURVES) {
        return NULL;
    }
    plot_curve *curve = &panel->curves[panel->n++];
    snprintf(curve->label, PLOT_TEXT, "%s", label);
    return curve;
}

void plot_add_point(plot_curve *curve, double x, double y)
{
    if (curve && curve->n < PLOT_POINTS && isfinite(x) && isfinite(y)) {
        curve->x[curve->n] = x;
        curve->y[curve->n++] = y;
    }
}

typedef struct bounds {
    double low, high;
} bounds;

typedef struct view {
    bounds x, y; // the ordinate in decades where it is logarithmic
    bool logarithmic;
    double floor;
} view;

static double ordinate(const view *v, double y)
{
    return v->logarithmic ? log10(fmax(y, v->floor)) : y;
}

static view view_of(const plot_panel *panel)
{
    view v = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, panel->logarithmic, panel->floor};
    for (int k = 0; k < panel->n; k++) {
        for (int i = 0; i < panel->curves[k].n; i++) {
            double x = panel->curves[k].x[i], y = ordinate(&v, panel->curves[k].y[i]);
            v.x = (bounds){fmin(v.x.low, x), fmax(v.x.high, x)};
            v.y = (bounds){fmin(v.y.low, y), fmax(v.y.high, y)};
        }
    }
    v.x = v.x.low < v.x.high ? v.x : (bounds){0, 1};
    v.y = v.y.low < v.y.high ? v.y : (bounds){v.y.low - 1, v.y.low + 1};
    if (v.logarithmic) {
        v.y = (bounds){floor(v.y.low), ceil(v.y.high)};
    }
    const double across = WIDTH - LEFT - RIGHT, up = HEIGHT - BOTTOM - TOP;
    if (panel->shape) { // widen one of the two
        double scale = fmax((v.x.high - v.x.low) / across, (v.y.high - v.y.low) / up);
        double x = 0.5 * (scale * across - v.x.high + v.x.low), y = 0.5 * (scale * up - v.y.high + v.y.low);
        v.x = (bounds){v.x.low - x, v.x.high + x};
        v.y = (bounds){v.y.low - y, v.y.high + y};
    }
    return v;
}

static double at_x(const view *v, double x)
{
    return LEFT + (x - v->x.low) / (v->x.high - v->x.low) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const view *v, double y)
{
    return HEIGHT - BOTTOM - (y - v->y.low) / (v->y.high - v->y.low) * (HEIGHT - BOTTOM - TOP);
}

static void write_axes(const plot_panel *panel, const view *v, FILE *file)
{
    double first = v->y.low, step = (v->y.high - v->y.low) / (TICKS - 1);
    if (v->logarithmic) {
        step = fmax(1.0, ceil((v->y.high - v->y.low) / 8.0));
    }
    for (double y = first; y <= v->y.high + 1e-9 * step; y += step) {
        fprintf(file, "<path class='g' d='M%d %.1f H%d'/><text x='%d' y='%.1f' text-anchor='end'>", LEFT, at_y(v, y),
                WIDTH - RIGHT, LEFT - 5, at_y(v, y) + 4);
        fprintf(file, v->logarithmic ? "1e%.0f</text>\n" : "%.3g</text>\n", y);
    }
    for (int k = 0; k < TICKS; k++) {
        double x = v->x.low + k * (v->x.high - v->x.low) / (TICKS - 1);
        fprintf(file, "<path class='g' d='M%.1f %d V%d'/><text x='%.1f' y='%d' text-anchor='middle'>%.3g</text>\n",
                at_x(v, x), TOP, HEIGHT - BOTTOM, at_x(v, x), HEIGHT - BOTTOM + 15, x);
    }
    fprintf(file, "<text x='%d' y='17' text-anchor='middle' font-weight='bold'>%s</text>\n", WIDTH / 2, panel->title);
    fprintf(file, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", WIDTH / 2, HEIGHT - 12, panel->x_label);
    fprintf(file, "<text transform='translate(14 %d) rotate(-90)' text-anchor='middle'>%s</text>\n", HEIGHT / 2,
            panel->y_label);
}

static void write_panel(const plot_panel *panel, int place, FILE *file)
{
    view v = view_of(panel);
    fprintf(file, "<g transform='translate(%d %d)'>\n", place % COLUMNS * WIDTH, place / COLUMNS * HEIGHT);
    write_axes(panel, &v, file);
    int row = 0;
    for (int k = 0; k < panel->n; k++) {
        const plot_curve *curve = &panel->curves[k];
        for (int i = 0; i < curve->n; i++) {
            fprintf(file, "%s%.1f %.1f", i ? " L" : "<path fill='none' stroke-width='1.2' d='M", at_x(&v, curve->x[i]),
                    at_y(&v, ordinate(&v, curve->y[i])));
        }
        if (curve->n > 0) {
            fprintf(file, "' stroke='%s'/>\n", COLOURS[k]);
        }
        if (curve->n > 0 && curve->label[0]) {
            int y = TOP + 14 + 13 * row++;
            fprintf(file, "<path d='M%d %d h16' stroke='%s' stroke-width='2'/><text x='%d' y='%d'>%s</text>\n",
                    LEFT + 8, y, COLOURS[k], LEFT + 28, y + 4, curve->label);
        }
    }
    fprintf(file, "</g>\n");
}

bool plot_write(const plot *p, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='11'>\n"
            "<style>.g{stroke:#ddd;fill:none}</style><rect width='100%%' height='100%%' fill='white'/>\n",
            (p->n < COLUMNS ? p->n : COLUMNS) * WIDTH, (p->n + COLUMNS - 1) / COLUMNS * HEIGHT);
    for (int k = 0; k < p->n; k++) {
        write_panel(&p->panels[k], k, file);
    }
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}
