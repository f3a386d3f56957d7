// `tenon plot`: a curve of a recording, or several, as a picture by gnuplot.
#include "base/memory.h"
#include "cli/command.h"
#include "cli/figure.h"
#include "cli/gnuplot.h"
#include "cli/options.h"
#include "cli/say.h"
#include "tenon/record.h"

#include <math.h>
#include <string.h>

// Allocated; times in ms.
static double *curve_values(const tn_recording *r, const char *name, tn_error *error)
{
    long n = tn_recording_frame_count(r);
    double *values = tn_calloc((size_t)n, sizeof *values);
    if (!values) {
        tn_error_set(error, TN_NO_MEMORY, "no memory left to read '%s'", name);
        return NULL;
    }
    if (tn_recording_read_curve(r, name, values, error) != TN_OK) {
        tn_free(values);
        return NULL;
    }
    for (long k = 0; k < n && strncmp(name, "timings/", 8) == 0; k++) {
        values[k] *= 1e3;
    }
    return values;
}

// A curve without numbers, or on a logarithmic axis without positive ones, would only clutter the key; so would one
// that lies on an earlier one (the strict law's figure when that is the law) or at zero beside others.
static bool worth_drawing(const double *values, long n, bool logarithmic, int n_others, double *const *others)
{
    for (int k = 0; k < n_others; k++) {
        if (memcmp(values, others[k], (size_t)n * sizeof *values) == 0) {
            return false;
        }
    }
    for (long k = 0; k < n; k++) {
        if (isfinite(values[k]) && (values[k] > 0.0 || (!logarithmic && (values[k] < 0.0 || n_others == 0)))) {
            return true;
        }
    }
    return false;
}

static tn_status draw(const tn_recording *r, const cli_figure *f, const char *out, tn_error *error)
{
    double *values[CLI_FIGURE_CURVES + 1] = {NULL};
    const char *titles[CLI_FIGURE_CURVES];
    cli_gnuplot_curves curves = {
        .n_rows = tn_recording_frame_count(r), .titles = titles, .y = (const double *const *)values};
    double *time = curve_values(r, "time", error);
    tn_status status = time ? TN_OK : TN_BAD_INPUT;
    for (int k = 0; status == TN_OK && k < f->n_curves; k++) {
        double *series = curve_values(r, f->curves[k].name, error);
        status = series ? TN_OK : TN_BAD_INPUT;
        if (series && worth_drawing(series, curves.n_rows, f->logarithmic, curves.n, values)) {
            titles[curves.n] = f->curves[k].title;
            values[curves.n++] = series;
        } else {
            tn_free(series);
        }
    }
    curves.x = time;
    curves.title = tn_recording_title(r);
    curves.y_label = f->y_label;
    curves.logarithmic = f->logarithmic;
    if (status == TN_OK && curves.n == 0) {
        status = tn_error_set(error, TN_BAD_INPUT, "the recording holds nothing to draw for '%s'", f->name);
    }
    status = status == TN_OK ? cli_gnuplot_draw(&curves, out, error) : status;
    for (int k = 0; k < curves.n; k++) {
        tn_free(values[k]);
    }
    tn_free(time);
    return status;
}

static int plot(const char *const *arguments, void *user)
{
    const char *out = *(const char **)user;
    char title[CLI_FIGURE_TITLE];
    cli_figure f = {0};
    tn_error error = {0};
    if (!out) {
        tn_error_set(&error, TN_BAD_INPUT, "say where the picture goes: -o F.svg or -o F.png");
        return cli_report(&error);
    }
    tn_recording *recording = tn_recording_open(arguments[0], &error);
    tn_status status = recording ? cli_figure_find(recording, arguments[1], &f, title, &error) : TN_BAD_INPUT;
    status = status == TN_OK ? draw(recording, &f, out, &error) : status;
    tn_recording_close(recording);
    if (status != TN_OK) {
        return cli_report(&error);
    }
    cli_say("%s\n", out);
    return EXIT_DONE;
}

int cli_plot(int argc, char **argv)
{
    const char *out = NULL;
    const cli_option options[] = {
        {"out", 'o', OPTION_TEXT, &out, "F.svg|png", "the picture"},
    };
    char notes[2048];
    cli_figure_notes(sizeof notes, notes);
    const cli_syntax syntax = {
        .command = "plot",
        .arguments = "F.h5 WHAT -o F.svg|png",
        .summary = "Draw a figure of a recording over time, with gnuplot.",
        .notes = notes,
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 2,
        .n_arguments_max = 2,
    };
    return cli_obey(&syntax, argc, argv, plot, &out);
}
