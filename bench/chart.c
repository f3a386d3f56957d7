#include "chart.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 340, HEIGHT = 280, LEFT = 62, BOTTOM = 44, TOP = 26, RIGHT = 12, COLUMNS = 3 };
static const char *const COLOURS[CHART_LINES] = {"#000000", "#d62728", "#1f77b4", "#17becf", "#2ca02c",
                                                 "#ff7f0e", "#9467bd", "#e377c2", "#8c564b", "#7f7f7f"};

void chart_start(chart *c, const char *y_label, const char *x_label)
{
    *c = (chart){.x_label = x_label, .y_label = y_label};
}

void chart_panel(chart *c, const char *title)
{
    if (c->n_panels < CHART_PANELS) {
        snprintf(c->title[c->n_panels++], CHART_TEXT, "%s", title);
    }
}

void chart_line(chart *c, int line, const char *label, int n, const double *x, const double *y)
{
    if (line >= CHART_LINES || c->n_panels == 0) {
        return;
    }
    chart_curve *curve = &c->curves[c->n_panels - 1][line];
    snprintf(c->label[line], CHART_TEXT, "%s", label);
    for (int i = 0; i < n && curve->n < CHART_POINTS; i++) {
        if (x[i] > 0.0 && y[i] > 0.0 && isfinite(x[i]) && isfinite(y[i])) {
            curve->x[curve->n] = log10(x[i]);
            curve->y[curve->n++] = log10(y[i]);
        }
    }
}

typedef struct bounds {
    double low, high; // decades
} bounds;

static void widen(bounds *b, double value)
{
    b->low = fmin(b->low, floor(value));
    b->high = fmax(b->high, ceil(value));
}

static void find_bounds(const chart *c, int panel, bounds *x, bounds *y)
{
    *x = *y = (bounds){INFINITY, -INFINITY};
    for (int k = 0; k < CHART_LINES; k++) {
        const chart_curve *curve = &c->curves[panel][k];
        for (int i = 0; i < curve->n; i++) {
            widen(x, curve->x[i]);
            widen(y, curve->y[i]);
        }
    }
    *x = x->low < x->high ? *x : (bounds){-1, 1};
    *y = y->low < y->high ? *y : (bounds){-1, 1};
}

static double place_x(bounds b, double value)
{
    return LEFT + (value - b.low) / (b.high - b.low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(bounds b, double value)
{
    return HEIGHT - BOTTOM - (value - b.low) / (b.high - b.low) * (HEIGHT - BOTTOM - TOP);
}

static void write_axes(const chart *c, int panel, bounds x, bounds y, FILE *file)
{
    for (double v = x.low; v <= x.high; v += 1.0) {
        double at = place_x(x, v);
        fprintf(file, "<path class='g' d='M%.1f %d V%d'/><text x='%.1f' y='%d' text-anchor='middle'>1e%.0f</text>\n",
                at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 15, v);
    }
    for (double v = y.low; v <= y.high; v += 1.0) {
        double at = place_y(y, v);
        fprintf(file, "<path class='g' d='M%d %.1f H%d'/><text x='%d' y='%.1f' text-anchor='end'>1e%.0f</text>\n", LEFT,
                at, WIDTH - RIGHT, LEFT - 5, at + 4, v);
    }
    fprintf(file, "<text x='%d' y='16' text-anchor='middle' font-weight='bold'>%s</text>\n", WIDTH / 2,
            c->title[panel]);
    fprintf(file, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", WIDTH / 2, HEIGHT - 12, c->x_label);
    fprintf(file, "<text transform='translate(14 %d) rotate(-90)' text-anchor='middle'>%s</text>\n", HEIGHT / 2,
            c->y_label);
}

static void write_panel(const chart *c, int panel, FILE *file)
{
    bounds x, y;
    find_bounds(c, panel, &x, &y);
    fprintf(file, "<g transform='translate(%d %d)'>\n", panel % COLUMNS * WIDTH, panel / COLUMNS * HEIGHT);
    write_axes(c, panel, x, y, file);
    for (int k = 0; k < CHART_LINES; k++) {
        const chart_curve *curve = &c->curves[panel][k];
        for (int i = 0; i < curve->n; i++) {
            fprintf(file, "%s%.1f %.1f", i ? " L" : "<path fill='none' stroke-width='1.5' d='M",
                    place_x(x, curve->x[i]), place_y(y, curve->y[i]));
        }
        if (curve->n > 0) {
            fprintf(file, "' stroke='%s'/>\n", COLOURS[k]);
        }
    }
    fprintf(file, "</g>\n");
}

bool chart_write(const chart *c, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    int rows = (c->n_panels + COLUMNS - 1) / COLUMNS, columns = COLUMNS;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='11'>\n"
            "<style>.g{stroke:#ddd;fill:none}</style><rect width='100%%' height='100%%' fill='white'/>\n",
            columns * WIDTH, rows * HEIGHT + 44);
    for (int k = 0; k < c->n_panels; k++) {
        write_panel(c, k, file);
    }
    for (int k = 0; k < CHART_LINES; k++) {
        if (c->label[k][0]) {
            int x = 20 + k % 5 * (columns * WIDTH / 5), y = rows * HEIGHT + 14 + k / 5 * 18;
            fprintf(file, "<path d='M%d %d h22' stroke='%s' stroke-width='2'/><text x='%d' y='%d'>%s</text>\n", x, y,
                    COLOURS[k], x + 27, y + 4, c->label[k]);
        }
    }
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}
