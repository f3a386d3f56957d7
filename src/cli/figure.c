#include "cli/figure.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const cli_figure figures[] = {
    {"energy",
     "kinetic, gravity, elastic; dissipated and injected since the start",
     "energy [J]",
     false,
     5,
     {{"kinetic", "energy/kinetic"},
      {"gravity", "energy/gravity"},
      {"elastic", "energy/elastic"},
      {"dissipated", "energy/dissipated"},
      {"injected", "energy/injected"}}},
    {"penetration",
     "deepest overlap after each step",
     "penetration [m]",
     false,
     1,
     {{"penetration", "certificate/penetration"}}},
    {"iterations", "the solver's iterations in each step", "iterations", false, 1, {{"iterations", "iterations"}}},
    {"certificate",
     "the relative figures of every step",
     "error",
     true,
     5,
     {{"momentum", "certificate/momentum"},
      {"natural", "certificate/natural"},
      {"fclib", "certificate/fclib"},
      {"strict natural", "certificate/strict_natural"},
      {"cone", "certificate/cone"}}},
    {"timings",
     "wall time of each stage",
     "time a step [ms]",
     true,
     5,
     {{"collide", "timings/collide"},
      {"discretize", "timings/discretize"},
      {"solve", "timings/solve"},
      {"certify", "timings/certify"},
      {"total", "timings/total"}}},
    {"drift",
     "largest error of a joint's positions after each step",
     "drift [m, rad]",
     true,
     1,
     {{"drift", "certificate/drift"}}},
    {"contacts", "number of contacts", "contacts", false, 1, {{"contacts", "contacts"}}},
    {"balance", "energy balance error of each step", "energy [J]", false, 1, {{"balance", "energy/balance"}}},
};
enum { N_FIGURES = sizeof figures / sizeof *figures };

static tn_status unknown_figure(const char *what, tn_error *error)
{
    const char *names[N_FIGURES];
    for (int k = 0; k < N_FIGURES; k++) {
        names[k] = figures[k].name;
    }
    const char *near = tn_name_nearest(what, N_FIGURES, names);
    return tn_error_set(error, TN_BAD_INPUT,
                        "cannot plot '%s'; %s%s%sthere are: energy, penetration, iterations, certificate, timings, "
                        "contacts, balance, drift, body:NAME:COMPONENT, joint:NAME:COMPONENT, sensor:NAME:COMPONENT",
                        what, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

// "body:box:z" as its title: "box z".
static tn_status one_curve(const tn_recording *r, const char *what, cli_figure *out, char title[CLI_FIGURE_TITLE],
                           tn_error *error)
{
    tn_curve curve;
    tn_status status = tn_recording_find_curve(r, what, &curve, error);
    if (status == TN_OK) {
        const char *name = strchr(what, ':') + 1, *component = strrchr(what, ':') + 1;
        snprintf(title, CLI_FIGURE_TITLE, "%.*s %.20s", (int)(component - name < 100 ? component - name - 1 : 100),
                 name, component);
        *out = (cli_figure){.name = what, .y_label = curve.label, .n_curves = 1, .curves = {{title, what}}};
    }
    return status;
}

tn_status cli_figure_find(const tn_recording *r, const char *what, cli_figure *out, char title[CLI_FIGURE_TITLE],
                          tn_error *error)
{
    tn_curve drift;
    if (strchr(what, ':')) {
        return one_curve(r, what, out, title, error);
    }
    if (strcmp(what, "drift") == 0 && tn_recording_find_curve(r, "certificate/drift", &drift, NULL) != TN_OK) {
        return tn_error_set(error, TN_BAD_INPUT, "the recording has no joints");
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
