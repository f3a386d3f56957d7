// The options that `run`, `check` and `forces` share: which scene, and what to change in it. Each becomes an override
// "path=value" of the scene, so that a recording can note them all.
#pragma once

#include "cli/options.h"
#include "tenon/sim.h"

enum { CLI_OVERRIDES_MAX = CLI_LIST_SPARE, CLI_OVERRIDE_SIZE = 320 };

typedef struct cli_scene_options {
    double time, step;
    long max_iterations, threads;
    const char *solver, *accuracy, *law, *scheme, *tolerance, *seed;
    cli_list set;
    char text[CLI_OVERRIDES_MAX][CLI_OVERRIDE_SIZE];
    const char *option[CLI_OVERRIDES_MAX]; // that each comes from
    int n_text;
} cli_scene_options;

#define CLI_SCENE_OPTIONS(o)                                                                                           \
    {"time", 't', OPTION_POSITIVE, &(o).time, "T", "simulate until this time [s] (default: the scene's duration)"},    \
        {"step", 0, OPTION_POSITIVE, &(o).step, "H", "step length [s]"},                                               \
        {"solver", 's', OPTION_TEXT, &(o).solver, "S", "auto, or another of `tenon info`"},                            \
        {"accuracy", 'a', OPTION_TEXT, &(o).accuracy, "A", "draft, standard (default), tight"},                        \
        {"law", 'l', OPTION_TEXT, &(o).law, "L", "coulomb, convex, frictionless"},                                     \
        {"scheme", 0, OPTION_TEXT, &(o).scheme, "X", "euler, midpoint, implicit, pbd"},                                \
        {"tolerance",    0,           OPTION_TEXT,                                                                     \
         &(o).tolerance, "KEY=V,...", "momentum, natural, fclib, joint, penetration, theta"},                          \
        {"max-iterations", 0, OPTION_COUNT, &(o).max_iterations, "N", "cap on the solver's iterations in a step"},     \
        {"threads", 'j', OPTION_COUNT, &(o).threads, "N", "threads; results are the same for any number"},             \
        {"seed", 0, OPTION_TEXT, &(o).seed, "N", "of all random numbers"},                                             \
    {                                                                                                                  \
        "set", 0, OPTION_LIST, &(o).set, "PATH=VALUE",                                                                 \
            "change the scene, e.g. bodies.box.position=[0,0,1]; repeatable"                                           \
    }

// Print what the reader of a robot's file remarked on standard error.
void cli_scene_remarks(const tn_scene *scene);
// Of what the contact law is solved to: a demanded figure stands instead.
const char *cli_accuracy_name(const tn_model_method *method);
// Read, override, check and compile. NULL on failure.
tn_model *cli_scene_compile(const char *path, cli_scene_options *options, tn_error *error);
