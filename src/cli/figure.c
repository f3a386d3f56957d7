#include "cli/figure.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#define SERIES(title, column)                                                                                          \
    {                                                                                                                  \
        title, column, 1, 0                                                                                            \
    }

static const cli_figure figures[] = {
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
                        "contacts, balance, drift, body:NAME:COMPONENT, joint:NAME:COMPONENT, sensor:NAME:COMPONENT",
                        what, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

static tn_status choose_component(const tn_recording *r, int body, const char *name, cli_figure *out, tn_error *error)
{
    cli_curve *c = &out->curves[0];
    int first_soft = r->n_bodies - r->n_softs;
    if (strcmp(name, strain_energy) == 0 && body >= first_soft) {
        out->y_label = "strain energy [J]";
        *c = (cli_curve){c->title, "soft/energy", r->n_softs, body - first_soft};
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
            *c = pose ? (cli_curve){c->title, "poses", 7 * r->n_bodies, 7 * body + component}
                      : (cli_curve){c->title, "velocities", 6 * r->n_bodies, 6 * body + component - 7};
            return TN_OK;
        }
    }
    return tn_error_set(
        error, TN_BAD_INPUT,
        "cannot plot component '%s'; there are: x y z qw qx qy qz vx vy vz wx wy wz, and of soft bodies "
        "strain_energy",
        name);
}

static tn_status choose_joint(const tn_recording *r, int joint, const char *name, cli_figure *out, tn_error *error)
{
    static const char *const forces[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    cli_curve *c = &out->curves[0];
    for (int k = 0; k < 6; k++) {
        if (strcmp(name, forces[k]) == 0) {
            out->y_label = k < 3 ? "force on b [N]" : "torque on b [N m]";
            *c = (cli_curve){c->title, k < 3 ? "joints/force" : "joints/torque", 3 * r->n_joints, 3 * joint + k % 3};
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
            *c = (cli_curve){c->title, column, r->n_coordinates, q};
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "cannot plot component '%s' of a joint; there are: fx fy fz tx ty tz and, of its free "
                        "coordinates, slide slide2 turn turn2, each also with .rate and .effort",
                        name);
}

// Components go by number, or x y z of three and w x y z of four.
static tn_status choose_reading(const tn_recording *r, int sensor, const char *name, cli_figure *out, tn_error *error)
{
    static const char *const letters[] = {"w", "x", "y", "z"};
    cli_curve *c = &out->curves[0];
    int first = r->sensor_first[sensor], width = r->sensor_first[sensor + 1] - first;
    for (int k = 0; k < width; k++) {
        char number[12];
        snprintf(number, sizeof number, "%d", k);
        bool letter = width >= 3 && strcmp(name, letters[4 - width + k]) == 0;
        if (letter || strcmp(name, number) == 0) {
            out->y_label = r->sensor_units[sensor][0] ? r->sensor_units[sensor] : r->sensor_types[sensor];
            *c = (cli_curve){c->title, "sensors/reading", r->n_readings, first + k};
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "cannot plot component '%s' of sensor '%s': it reads %d number%s, from 0%s", name,
                        r->sensor_names[sensor], width, width == 1 ? "" : "s",
                        width == 3   ? ", or x y z"
                        : width == 4 ? ", or w x y z"
                                     : "");
}

// NAME and COMPONENT of KIND:NAME:COMPONENT; NAME may hold brackets and dots, but no colon.
static const char *split_name(const char *what, const char *example, char name[256], tn_error *error)
{
    const char *begin = strchr(what, ':') + 1, *colon = strrchr(begin, ':');
    if (!colon || colon == begin || colon - begin >= 256) {
        tn_error_set(error, TN_BAD_INPUT, "cannot plot '%s': write %.*sNAME:COMPONENT, e.g. %s", what,
                     (int)(begin - what), what, example);
        return NULL;
    }
    snprintf(name, 256, "%.*s", (int)(colon - begin), begin);
    return colon + 1;
}

// One curve of one of the recording's things; the curve itself is the caller's to choose.
static void name_curve(const char *what, const char *name, const char *component, cli_figure *out,
                       char title[CLI_FIGURE_TITLE])
{
    snprintf(title, CLI_FIGURE_TITLE, "%.100s %.20s", name, component);
    *out = (cli_figure){.name = what, .n_curves = 1};
    out->curves[0].title = title;
}

static tn_status missing(const char *path, const char *kind, const char *name, int n, char **names, tn_error *error)
{
    const char *near = cli_nearest(name, n, (const char *const *)names);
    return tn_error_set(error, TN_BAD_INPUT, "%s has no %s '%s'%s%s%s", path, kind, name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// What has numbers of its own: KIND:NAME:COMPONENT.
typedef struct thing {
    const char *kind, *example;
    int (*find)(const tn_recording *r, const char *name); // -1: none
    tn_status (*choose)(const tn_recording *r, int which, const char *component, cli_figure *out, tn_error *error);
    int n;
    char **names;
} thing;

static tn_status figure_of(const tn_recording *r, const thing *is, const char *what, cli_figure *out,
                           char title[CLI_FIGURE_TITLE], tn_error *error)
{
    char name[256];
    const char *component = split_name(what, is->example, name, error);
    int which = component ? is->find(r, name) : -1;
    if (which < 0) {
        return component ? missing(r->path, is->kind, name, is->n, is->names, error) : TN_BAD_INPUT;
    }
    name_curve(what, name, component, out, title);
    return is->choose(r, which, component, out, error);
}

tn_status cli_figure_find(const tn_recording *r, const char *what, cli_figure *out, char title[CLI_FIGURE_TITLE],
                          tn_error *error)
{
    const thing things[] = {
        {"body", "body:box:z", tn_recording_find_body, choose_component, r->n_bodies, r->names},
        {"joint", "joint:pin:turn", tn_recording_find_joint, choose_joint, r->n_joints, r->joint_names},
        {"sensor", "sensor:imu:x", tn_recording_find_sensor, choose_reading, r->n_sensors, r->sensor_names},
    };
    for (size_t k = 0; k < sizeof things / sizeof *things; k++) {
        size_t length = strlen(things[k].kind);
        if (strncmp(what, things[k].kind, length) == 0 && what[length] == ':') {
            return figure_of(r, &things[k], what, out, title, error);
        }
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

void cli_figure_notes(size_t size, char *notes)
{
    size_t used = (size_t)snprintf(notes, size, "WHAT:\n");
    for (int k = 0; k < N_FIGURES && used < size; k++) {
        used += (size_t)snprintf(notes + used, size - used, "  %-20s %s\n", figures[k].name, figures[k].summary);
    }
    if (used < size) {
        snprintf(notes + used, size - used,
                 "  body:NAME:COMPONENT  one of x y z qw qx qy qz vx vy vz wx wy wz; a soft\n"
                 "                       body's centre of mass, and its strain_energy\n"
                 "  joint:NAME:COMPONENT one of fx fy fz tx ty tz; or a coordinate, slide slide2\n"
                 "                       turn turn2, also with .rate or .effort\n"
                 "  sensor:NAME:COMPONENT x y z, w x y z of an orientation, or a number from 0\n");
    }
}
