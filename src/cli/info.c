// `tenon info`: names of solvers, laws, schemes, shapes and meshes; the reference and the JSON schema of scenes.
#include "base/json.h"
#include "cli/command.h"
#include "cli/options.h"
#include "tenon/scene.h"
#include "tenon/stored.h"
#include "tenon/version.h"

#include <stdio.h>

// Until name says that there are no more.
static void put_list(tn_json *json, const char *key, const char *(*name)(int))
{
    tn_json_open(json, key, '[');
    for (int k = 0; name(k); k++) {
        tn_json_text(json, NULL, name(k));
    }
    tn_json_close(json, ']');
}

// Keys of a soft body that say which mesh it has.
static const char *mesh_name(int k)
{
    static const char *const meshes[] = {"grid", "ball", "cylinder", "finger", "mesh", NULL};
    return meshes[k];
}

static void print_json(void)
{
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "version", TN_VERSION);
    tn_json_text(&json, "build", TN_BUILD_TYPE);
    tn_json_text(&json, "compiler", TN_COMPILER);
    put_list(&json, "solvers", tn_solver_name);
    put_list(&json, "laws", tn_law_name);
    put_list(&json, "schemes", tn_scheme_name);
    put_list(&json, "shapes", tn_shape_kind_name);
    put_list(&json, "soft_meshes", mesh_name);
    tn_json_close(&json, '}');
}

static void print_names(const char *title, const char *(*name)(int))
{
    printf("%s", title);
    for (int k = 0; name(k); k++) {
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
    print_names("laws   ", tn_law_name);
    print_names("schemes", tn_scheme_name);
    print_names("shapes ", tn_shape_kind_name);
    print_names("soft   ", mesh_name);
}

static void write_text(void *user, const char *text, size_t length)
{
    fwrite(text, 1, length, user);
}

typedef struct info_options {
    bool json, reference, schema;
} info_options;

static int print(const char *const *arguments, void *user)
{
    const info_options *o = user;
    if (o->reference) {
        tn_scene_reference_markdown(write_text, stdout);
    } else if (o->schema) {
        tn_scene_schema_json(write_text, stdout);
    } else if (o->json) {
        print_json();
    } else {
        print_text();
    }
    return EXIT_DONE;
}

int cli_info(int argc, char **argv)
{
    info_options o = {0};
    const cli_option options[] = {
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print as one JSON object"},
        {"scene-reference", 0, OPTION_FLAG, &o.reference, NULL, "print the reference of scene files (Markdown)"},
        {"schema", 0, OPTION_FLAG, &o.schema, NULL, "print the JSON Schema of scene files, for editors"},
    };
    const cli_syntax syntax = {.command = "info",
                               .arguments = "",
                               .summary =
                                   "Say which solvers, laws, schemes and shapes there are, and how this was built.",
                               .notes = "",
                               .options = options,
                               .n_options = sizeof options / sizeof *options};
    return cli_obey(&syntax, argc, argv, print, &o);
}
