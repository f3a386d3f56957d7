#include "cli/scene_options.h"

#include "cli/command.h"

#include <stdio.h>
#include <string.h>

// Everything but the texts has been checked by the option parser; the scene reader checks the rest.
// name: of the option that the override comes from.
static void add(cli_scene_options *options, const char *name, const char *path, const char *value)
{
    options->option[options->n_text] = name;
    char *text = options->text[options->n_text++];
    snprintf(text, CLI_OVERRIDE_SIZE, "%s=%s", path, value);
    options->set.items[options->set.n++] = text;
}

static void add_number(cli_scene_options *options, const char *name, const char *path, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    if (value > 0.0) {
        add(options, name, path, text);
    }
}

static void add_count(cli_scene_options *options, const char *name, const char *path, long value)
{
    char text[40];
    snprintf(text, sizeof text, "%ld", value);
    if (value > 0) {
        add(options, name, path, text);
    }
}

static void add_text(cli_scene_options *options, const char *name, const char *path, const char *value)
{
    if (value) {
        add(options, name, path, value);
    }
}

// A key given twice: the last one wins, as with the options themselves.
static void add_tolerance(void *context, const char *key, double value)
{
    cli_scene_options *options = context;
    char path[64], text[40];
    snprintf(path, sizeof path, "solver.tolerance.%s=", key);
    snprintf(text, sizeof text, "%.17g", value);
    for (int k = 0; k < options->n_text; k++) {
        if (strncmp(options->text[k], path, strlen(path)) == 0) {
            snprintf(options->text[k], CLI_OVERRIDE_SIZE, "%s%s", path, text);
            return;
        }
    }
    path[strlen(path) - 1] = '\0';
    add(options, "--tolerance", path, text);
}

static tn_status check_texts(const cli_scene_options *options, tn_error *error)
{
    const char *const texts[] = {options->solver, options->accuracy, options->law, options->scheme, options->seed};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (texts[k] && strlen(texts[k]) > CLI_OVERRIDE_SIZE / 2) {
            return tn_error_set(error, TN_BAD_INPUT, "option value too long: '%.40s...'", texts[k]);
        }
    }
    for (int k = 0; k < options->set.n; k++) {
        const char *equals = strchr(options->set.items[k], '=');
        if (!equals || equals == options->set.items[k]) {
            return tn_error_set(error, TN_BAD_INPUT, "--set needs PATH=VALUE, not '%s'", options->set.items[k]);
        }
    }
    return TN_OK;
}

// Gather all overrides into options->set, whose items have room for CLI_OVERRIDES_MAX more.
static tn_status take_overrides(cli_scene_options *options, tn_error *error)
{
    tn_status status = check_texts(options, error);
    if (status != TN_OK) {
        return status;
    }
    add_number(options, "--time", "duration", options->time);
    add_number(options, "--step", "step", options->step);
    add_text(options, "--solver", "solver.name", options->solver);
    add_text(options, "--accuracy", "solver.accuracy", options->accuracy);
    add_text(options, "--law", "law", options->law);
    add_text(options, "--scheme", "scheme", options->scheme);
    add_count(options, "--max-iterations", "solver.max_iterations", options->max_iterations);
    add_count(options, "--threads", "solver.threads", options->threads);
    add_text(options, "--seed", "seed", options->seed);
    return options->tolerance ? cli_parse_tolerances(options->tolerance, add_tolerance, options, error) : TN_OK;
}

// The scene's reader knows overrides by their number; who wrote an option reads its name.
static void name_option(const cli_scene_options *options, tn_error *error)
{
    int of_user = options->set.n - options->n_text, number = error->line - of_user;
    if (strcmp(error->file, "--set") == 0 && number > 0 && number <= options->n_text) {
        snprintf(error->file, sizeof error->file, "%s", options->option[number - 1]);
        error->line = error->column = 0;
    }
}

void cli_scene_remarks(const tn_scene *scene)
{
    char text[1024];
    for (int i = 0; tn_scene_remark(scene, i, text, sizeof text); i++) {
        fprintf(stderr, "%s\n", text);
    }
}

tn_model *cli_scene_compile(const char *path, cli_scene_options *options, tn_error *error)
{
    if (take_overrides(options, error) != TN_OK) {
        return NULL;
    }
    tn_scene *scene = tn_scene_load(path, options->set.n, options->set.items, error);
    cli_scene_remarks(scene);
    tn_model *model = scene ? tn_model_create(scene, error) : NULL;
    if (!model) {
        name_option(options, error);
    }
    return model;
}

const char *cli_accuracy_name(const tn_model_method *method)
{
    return method->accuracy ? method->accuracy : "as demanded";
}
