#include "base/json.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run.h"
#include "tenon/stored.h"
#include "tenon/version.h"

#include <stdio.h>

static void put_list(tn_json *json, const char *key, const char *(*name)(int), int n)
{
    tn_json_open(json, key, '[');
    for (int k = 0; k < n; k++) {
        tn_json_text(json, NULL, name(k));
    }
    tn_json_close(json, ']');
}

static const char *law_name(int k)
{
    return cli_law_name((tn_law)k);
}

static const char *scheme_name(int k)
{
    return cli_scheme_name((tn_scheme)k);
}

static const char *shape_name(int k)
{
    return tn_shape_name((tn_shape_kind)k);
}

// Keys of a soft body that say which mesh it has.
static const char *const meshes[] = {"grid", "ball", "cylinder", "finger", "mesh"};

static const char *mesh_name(int k)
{
    return meshes[k];
}

enum { N_MESHES = sizeof meshes / sizeof *meshes };
enum { N_LAWS = TN_LAW_FRICTIONLESS + 1, N_SCHEMES = TN_SCHEME_IMPLICIT + 1 };

static void print_json(void)
{
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "version", TN_VERSION);
    tn_json_text(&json, "build", TN_BUILD_TYPE);
    tn_json_text(&json, "compiler", TN_COMPILER);
    tn_json_open(&json, "solvers", '[');
    for (int k = 0; tn_solver_name(k); k++) {
        tn_json_text(&json, NULL, tn_solver_name(k));
    }
    tn_json_close(&json, ']');
    put_list(&json, "laws", law_name, N_LAWS);
    put_list(&json, "schemes", scheme_name, N_SCHEMES);
    put_list(&json, "shapes", shape_name, TN_SHAPE_COUNT);
    put_list(&json, "soft_meshes", mesh_name, N_MESHES);
    tn_json_close(&json, '}');
}

static void print_names(const char *title, const char *(*name)(int), int n)
{
    printf("%s", title);
    for (int k = 0; k < n; k++) {
        printf(" %s", name(k));
    }
    printf("\n");
}

static void print_text(void)
{
    printf("tenon %s (%s, %s)\n\nsolvers\n", TN_VERSION, TN_BUILD_TYPE, TN_COMPILER);
    for (int k = 0; tn_solver_name(k); k++) {
        printf("  %-10s %s\n", tn_solver_name(k), tn_solver_summary(k));
    }
    printf("\n");
    print_names("laws   ", law_name, N_LAWS);
    print_names("schemes", scheme_name, N_SCHEMES);
    print_names("shapes ", shape_name, TN_SHAPE_COUNT);
    print_names("soft   ", mesh_name, N_MESHES);
}

static void write_text(void *user, const char *text, size_t length)
{
    fwrite(text, 1, length, user);
}

int cli_info(int argc, char **argv)
{
    bool json = false, reference = false, schema = false;
    const cli_option options[] = {
        {"json", 0, OPTION_FLAG, &json, NULL, "print as one JSON object"},
        {"scene-reference", 0, OPTION_FLAG, &reference, NULL, "print the reference of scene files (Markdown)"},
        {"schema", 0, OPTION_FLAG, &schema, NULL, "print the JSON Schema of scene files, for editors"},
    };
    const cli_syntax syntax = {.command = "info",
                               .arguments = "",
                               .summary =
                                   "Say which solvers, laws, schemes and shapes there are, and how this was built.",
                               .notes = "",
                               .options = options,
                               .n_options = sizeof options / sizeof *options};
    tn_error error = {0};
    int n_arguments;
    bool help;
    if (cli_parse(&syntax, argc, argv, NULL, &n_arguments, &help, &error) != TN_OK) {
        return cli_report(&error);
    }
    if (help) {
        return EXIT_DONE;
    }
    if (reference) {
        tn_scene_reference_markdown(write_text, stdout);
    } else if (schema) {
        tn_scene_schema_json(write_text, stdout);
    } else if (json) {
        print_json();
    } else {
        print_text();
    }
    return EXIT_DONE;
}
