#include "base/memory.h"
#include "cli/command.h"
#include "cli/gnuplot.h"
#include "cli/options.h"
#include "record/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CURVES = 12, TITLE_SIZE = 128 };

// A curve: a one-number column of the recording, or one number of a wider column's rows.
typedef struct curve {
    const char *title;
    const char *column;
    int width, place; // numbers a row and which of them; width 1: the column as it is
} curve;

typedef struct figure {
    const char *name; // WHAT
    const char *summary;
    const char *y_label;
    bool logarithmic;
    int n_curves;
    curve curves[MAX_CURVES];
} figure;

#define SERIES(title, column)                                                                                          \
    {                                                                                                                  \
        title, column, 1, 0                                                                                            \
    }

static const figure figures[] = {
    {"energy",
     "kinetic, gravity, elastic; dissipated and injected since the start",
     "energy [J]",
     false,
     5,
     {SERIES("kinetic", "energy/kinetic"), SERIES("gravity", "energy/gravity"), SERIES("elastic", "energy/elastic"),
      SERIES("dissipated", "energy/dissipated"), SERIES("injected", "energy/injected")}},
    {"penetration",
     "deepest overlap after each step",
     "penetration [m]",
     false,
     1,
     {SERIES("penetration", "certificate/penetration")}},
    {"iterations",
     "the solver's iterations in each step",
     "iterations",
     false,
     1,
     {SERIES("iterations", "iterations")}},
    {"certificate",
     "the relative figures of every step",
     "error",
     true,
     5,
     {SERIES("momentum", "certificate/momentum"), SERIES("natural", "certificate/natural"),
      SERIES("fclib", "certificate/fclib"), SERIES("strict natural", "certificate/strict_natural"),
      SERIES("cone", "certificate/cone")}},
    {"timings",
     "wall time of each stage",
     "time a step [ms]",
     true,
     5,
     {SERIES("collide", "timings/collide"), SERIES("discretize", "timings/discretize"),
      SERIES("solve", "timings/solve"), SERIES("certify", "timings/certify"), SERIES("total", "timings/total")}},
    {"drift",
     "largest error of a joint's positions after each step",
     "drift [m, rad]",
     true,
     1,
     {SERIES("drift", "certificate/drift")}},
    {"contacts", "number of contacts", "contacts", false, 1, {SERIES("contacts", "contacts/offset")}},
    {"balance", "energy balance error of each step", "energy [J]", false, 1, {SERIES("balance", "energy/balance")}},
};
enum { N_FIGURES = sizeof figures / sizeof *figures };

static const char *const components[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                         "vx", "vy", "vz", "wx", "wy", "wz", "height"};
enum { N_COMPONENTS = sizeof components / sizeof *components };
static const char strain_energy[] = "strain_energy"; // of soft bodies, besides these

static tn_status unknown_figure(const char *what, tn_error *error)
{
    const char *names[N_FIGURES];
    for (int k = 0; k < N_FIGURES; k++) {
        names[k] = figures[k].name;
    }
    const char *near = cli_nearest(what, N_FIGURES, names);
    return tn_error_set(error, TN_BAD_INPUT,
                        "cannot plot '%s'; %s%s%sthere are: energy, penetration, iterations, certificate, timings, "
                        "contacts, balance, drift, body:NAME:COMPONENT, joint:NAME:COMPONENT",
                        what, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

static tn_status choose_component(const tn_recording *r, int body, const char *name, figure *out, tn_error *error)
{
    curve *c = &out->curves[0];
    int first_soft = r->n_bodies - r->n_softs;
    if (strcmp(name, strain_energy) == 0 && body >= first_soft) {
        out->y_label = "strain energy [J]";
        *c = (curve){c->title, "soft/energy", r->n_softs, body - first_soft};
        return TN_OK;
    }
    for (int k = 0; k < N_COMPONENTS; k++) {
        if (strcmp(name, components[k]) == 0) {
            int component = k == N_COMPONENTS - 1 ? 2 : k;
            bool pose = component < 7;
            out->y_label = component < 3    ? "position [m]"
                           : pose           ? "quaternion"
                           : component < 10 ? "velocity [m/s]"
                                            : "angular velocity [rad/s]";
            *c = pose ? (curve){c->title, "poses", 7 * r->n_bodies, 7 * body + component}
                      : (curve){c->title, "velocities", 6 * r->n_bodies, 6 * body + component - 7};
            return TN_OK;
        }
    }
    return tn_error_set(
        error, TN_BAD_INPUT,
        "cannot plot component '%s'; there are: x y z qw qx qy qz vx vy vz wx wy wz, and of soft bodies "
        "strain_energy",
        name);
}

// body:NAME:COMPONENT; NAME may hold brackets and dots, but no colon.
static tn_status body_figure(const tn_recording *r, const char *what, figure *out, char title[TITLE_SIZE],
                             tn_error *error)
{
    char name[256];
    const char *begin = what + strlen("body:"), *colon = strrchr(begin, ':');
    if (!colon || colon == begin || (size_t)(colon - begin) >= sizeof name) {
        return tn_error_set(error, TN_BAD_INPUT, "cannot plot '%s': write body:NAME:COMPONENT, e.g. body:box:z", what);
    }
    snprintf(name, sizeof name, "%.*s", (int)(colon - begin), begin);
    int body = tn_recording_find_body(r, name);
    if (body < 0) {
        const char *near = cli_nearest(name, r->n_bodies, (const char *const *)r->names);
        return tn_error_set(error, TN_BAD_INPUT, "%s has no body '%s'%s%s%s", r->path, name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    snprintf(title, TITLE_SIZE, "%.100s %.20s", name, colon + 1);
    *out = (figure){.name = what, .n_curves = 1};
    out->curves[0].title = title;
    return choose_component(r, body, colon + 1, out, error);
}

static tn_status choose_joint(const tn_recording *r, int joint, const char *name, figure *out, tn_error *error)
{
    static const char *const forces[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    curve *c = &out->curves[0];
    for (int k = 0; k < 6; k++) {
        if (strcmp(name, forces[k]) == 0) {
            out->y_label = k < 3 ? "force on b [N]" : "torque on b [N m]";
            *c = (curve){c->title, k < 3 ? "joints/force" : "joints/torque", 3 * r->n_joints, 3 * joint + k % 3};
            return TN_OK;
        }
    }
    for (int q = r->joint_first[joint]; q < r->joint_first[joint + 1]; q++) {
        size_t length = strlen(r->coordinate_names[q]);
        const char *rest = name + length;
        bool slide = r->coordinate_names[q][0] == 's';
        if (strncmp(name, r->coordinate_names[q], length) != 0) {
            continue;
        }
        const char *column = !*rest                         ? "joints/coordinate"
                             : strcmp(rest, ".rate") == 0   ? "joints/rate"
                             : strcmp(rest, ".effort") == 0 ? "joints/effort"
                                                            : NULL;
        if (column) {
            out->y_label = slide ? "coordinate [m, m/s, N]" : "coordinate [rad, rad/s, N m]";
            *c = (curve){c->title, column, r->n_coordinates, q};
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "cannot plot component '%s' of a joint; there are: fx fy fz tx ty tz and, of its free "
                        "coordinates, slide slide2 turn turn2, each also with .rate and .effort",
                        name);
}

// joint:NAME:COMPONENT
static tn_status joint_figure(const tn_recording *r, const char *what, figure *out, char title[TITLE_SIZE],
                              tn_error *error)
{
    char name[256];
    const char *begin = what + strlen("joint:"), *colon = strrchr(begin, ':');
    if (!colon || colon == begin || (size_t)(colon - begin) >= sizeof name) {
        return tn_error_set(error, TN_BAD_INPUT, "cannot plot '%s': write joint:NAME:COMPONENT, e.g. joint:pin:turn",
                            what);
    }
    snprintf(name, sizeof name, "%.*s", (int)(colon - begin), begin);
    int joint = tn_recording_find_joint(r, name);
    if (joint < 0) {
        const char *near = cli_nearest(name, r->n_joints, (const char *const *)r->joint_names);
        return tn_error_set(error, TN_BAD_INPUT, "%s has no joint '%s'%s%s%s", r->path, name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    snprintf(title, TITLE_SIZE, "%.100s %.20s", name, colon + 1);
    *out = (figure){.name = what, .n_curves = 1};
    out->curves[0].title = title;
    return choose_joint(r, joint, colon + 1, out, error);
}

static tn_status find_figure(const tn_recording *r, const char *what, figure *out, char title[TITLE_SIZE],
                             tn_error *error)
{
    if (strncmp(what, "body:", 5) == 0) {
        return body_figure(r, what, out, title, error);
    }
    if (strncmp(what, "joint:", 6) == 0) {
        return joint_figure(r, what, out, title, error);
    }
    if (strcmp(what, "drift") == 0 && r->n_joints == 0) {
        return tn_error_set(error, TN_BAD_INPUT, "%s has no joints", r->path);
    }
    for (int k = 0; k < N_FIGURES; k++) {
        if (strcmp(what, figures[k].name) == 0) {
            *out = figures[k];
            return TN_OK;
        }
    }
    return unknown_figure(what, error);
}

// One number of each frame's row.
static double *row_series(const tn_recording *r, const curve *c, tn_error *error)
{
    double *row = tn_calloc((size_t)c->width, sizeof *row);
    double *values = row ? tn_calloc((size_t)r->n_frames, sizeof *values) : NULL;
    tn_status status = TN_OK;
    if (!values) {
        tn_free(row);
        tn_error_set(error, TN_NO_MEMORY, "no memory left");
        return NULL;
    }
    for (long frame = 0; status == TN_OK && frame < r->n_frames; frame++) {
        status = tn_recording_rows(r, c->column, frame, 1, row, error);
        values[frame] = row[c->place];
    }
    tn_free(row);
    if (status != TN_OK) {
        tn_free(values);
        return NULL;
    }
    return values;
}

// Contacts of each frame from the offsets; times in ms.
static double *curve_values(const tn_recording *r, const curve *c, tn_error *error)
{
    if (c->width > 1) {
        return row_series(r, c, error);
    }
    bool contacts = strcmp(c->column, "contacts/offset") == 0;
    double *values = tn_recording_series(r, c->column, error);
    if (values && strncmp(c->column, "timings/", 8) == 0) {
        for (long k = 0; k < r->n_frames; k++) {
            values[k] *= 1e3;
        }
    }
    if (values && contacts && r->n_frames > 0) {
        double last;
        if (tn_recording_rows(r, c->column, r->n_frames, 1, &last, error) != TN_OK) {
            tn_free(values);
            return NULL;
        }
        for (long k = 0; k < r->n_frames; k++) {
            values[k] = (k + 1 < r->n_frames ? values[k + 1] : last) - values[k];
        }
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

static tn_status draw(const tn_recording *r, const figure *f, const char *out, tn_error *error)
{
    double *values[MAX_CURVES + 1] = {NULL};
    const char *titles[MAX_CURVES];
    cli_gnuplot_curves curves = {.n_rows = r->n_frames, .titles = titles, .y = (const double *const *)values};
    double *time = tn_recording_series(r, "time", error);
    tn_status status = time ? TN_OK : TN_BAD_INPUT;
    for (int k = 0; status == TN_OK && k < f->n_curves; k++) {
        double *series = curve_values(r, &f->curves[k], error);
        status = series ? TN_OK : TN_BAD_INPUT;
        if (series && worth_drawing(series, r->n_frames, f->logarithmic, curves.n, values)) {
            titles[curves.n] = f->curves[k].title;
            values[curves.n++] = series;
        } else {
            tn_free(series);
        }
    }
    curves.x = time;
    curves.title = r->title;
    curves.y_label = f->y_label;
    curves.logarithmic = f->logarithmic;
    if (status == TN_OK && curves.n == 0) {
        status = tn_error_set(error, TN_BAD_INPUT, "%s holds nothing to draw for '%s'", r->path, f->name);
    }
    status = status == TN_OK ? cli_gnuplot_draw(&curves, out, error) : status;
    for (int k = 0; k < curves.n; k++) {
        tn_free(values[k]);
    }
    tn_free(time);
    return status;
}

static tn_status parse(int argc, char **argv, const char **arguments, const char **out, bool *help, tn_error *error)
{
    const cli_option options[] = {
        {"out", 'o', OPTION_TEXT, out, "F.svg|png", "the picture"},
    };
    char notes[2048] = "WHAT:\n";
    for (int k = 0; k < N_FIGURES; k++) {
        size_t used = strlen(notes);
        snprintf(notes + used, sizeof notes - used, "  %-20s %s\n", figures[k].name, figures[k].summary);
    }
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof notes - used,
             "  body:NAME:COMPONENT  one of x y z qw qx qy qz vx vy vz wx wy wz; a soft\n"
             "                       body's centre of mass, and its strain_energy\n"
             "  joint:NAME:COMPONENT one of fx fy fz tx ty tz; or a coordinate, slide slide2\n"
             "                       turn turn2, also with .rate or .effort\n");
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
    int n_arguments;
    tn_status status = cli_parse(&syntax, argc, argv, arguments, &n_arguments, help, error);
    if (status == TN_OK && !*help && !*out) {
        return tn_error_set(error, TN_BAD_INPUT, "say where the picture goes: -o F.svg or -o F.png");
    }
    return status;
}

int cli_plot(int argc, char **argv)
{
    const char *arguments[2] = {NULL, NULL}, *out = NULL;
    char title[TITLE_SIZE];
    figure f = {0};
    tn_error error = {0};
    bool help = false;
    if (parse(argc, argv, arguments, &out, &help, &error) != TN_OK) {
        return cli_report(&error);
    }
    if (help) {
        return EXIT_DONE;
    }
    tn_recording *recording = tn_recording_open(arguments[0], &error);
    tn_status status = recording ? find_figure(recording, arguments[1], &f, title, &error) : TN_BAD_INPUT;
    status = status == TN_OK ? draw(recording, &f, out, &error) : status;
    tn_recording_close(recording);
    if (status != TN_OK) {
        return cli_report(&error);
    }
    printf("%s\n", out);
    return EXIT_DONE;
}
