// `tenon convert`: a scene of any format and all its parts as one YAML file.
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/scene_options.h"

#include "tenon/scene.h"

#include <stdio.h>

static tn_status convert(const char *from, const char *to, const cli_list *set, tn_error *error)
{
    tn_scene *scene = tn_scene_load(from, set->n, set->items, error);
    if (!scene) {
        return error->status;
    }
    cli_scene_remarks(scene);
    tn_status status = tn_scene_write(scene, to, error);
    if (status == TN_OK) {
        cli_say("%s: %d bodies, %d joints, %d soft bodies\n", to, tn_scene_count(scene, "bodies"),
                tn_scene_count(scene, "joints"), tn_scene_count(scene, "soft"));
    }
    tn_scene_destroy(scene);
    return status;
}

static int obey(const char *const *arguments, void *user)
{
    tn_error error = {0};
    return convert(arguments[0], arguments[1], user, &error) == TN_OK ? EXIT_DONE : cli_report(&error);
}

int cli_convert(int argc, char **argv)
{
    cli_list set = {0};
    const cli_option options[] = {
        {"set", 0, OPTION_LIST, &set, "PATH=VALUE", "change the scene, e.g. duration=5; repeatable"},
    };
    const cli_syntax syntax = {
        .command = "convert",
        .arguments = "FILE OUT.yaml",
        .summary = "Write a URDF or MJCF file, or a scene with all that it includes, as one scene file.",
        .notes = "What the file says and the scene cannot is listed on standard error.\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 2,
        .n_arguments_max = 2};
    return cli_obey(&syntax, argc, argv, obey, &set);
}
