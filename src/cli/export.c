// `tenon export`: a recording as VTK files, CSV tables, problems of steps as FCLIB files, a page for the browser or
// GLB; several at once.
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "tenon/record.h"

#include <stdio.h>
#include <string.h>

typedef struct export_options {
    const char *vtk, *csv, *fclib, *html, *gltf;
    long every;
} export_options;

static bool has(const tn_recording *recording, const char *quantity)
{
    tn_quantity q;
    return tn_recording_find(recording, quantity, &q, NULL) == TN_OK;
}

// NAME of out/NAME.h5, as the exported files have it.
static void say_vtk(const tn_recording *recording, const char *from, const char *folder, long n)
{
    const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from, *dot = strrchr(name, '.');
    int size = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    cli_say("%ld frames: open %s/%.*s.pvd (and %.*s_contacts.pvd", n, folder, size, name, size, name);
    if (has(recording, "contacts/patch")) {
        cli_say(", %.*s_pressure.pvd", size, name);
    }
    if (has(recording, "soft/energy")) {
        cli_say(", %.*s_soft.pvd", size, name);
    }
    cli_say(") in ParaView\n");
}

static void say(const tn_recording *recording, const char *from, tn_export_format format, const char *path, long n)
{
    switch (format) {
    case TN_EXPORT_VTK:
        say_vtk(recording, from, path, n);
        break;
    case TN_EXPORT_CSV:
        cli_say("%s: %ld rows\n", path, n);
        break;
    case TN_EXPORT_FCLIB:
        cli_say("%s: %ld problems; solve one with `tenon solve`\n", path, n);
        break;
    default:
        cli_say("%s: %.1f MB; open it in %s\n", path, 1e-6 * (double)n,
                format == TN_EXPORT_GLTF ? "Blender or any viewer of glTF 2.0" : "a browser");
    }
}

static tn_status export_recording(tn_recording *recording, const char *from, const export_options *o, tn_error *error)
{
    const struct {
        const char *path;
        tn_export_format format;
    } all[] = {{o->vtk, TN_EXPORT_VTK},
               {o->csv, TN_EXPORT_CSV},
               {o->html, TN_EXPORT_HTML},
               {o->gltf, TN_EXPORT_GLTF},
               {o->fclib, TN_EXPORT_FCLIB}};
    tn_status status = TN_OK;
    for (size_t k = 0; status == TN_OK && k < sizeof all / sizeof *all; k++) {
        long n = 0;
        cli_progress progress = cli_progress_start("rows", 1, !all[k].path);
        tn_recording_set_watch(recording, cli_progress_reading, &progress);
        status = all[k].path ? tn_recording_export(recording, all[k].format, all[k].path, o->every, &n, error) : TN_OK;
        tn_recording_set_watch(recording, NULL, NULL);
        cli_progress_end(&progress);
        if (all[k].path && status == TN_OK) {
            say(recording, from, all[k].format, all[k].path, n);
        }
    }
    return status;
}

// Two exports would write the same file: one would be lost.
static tn_status check_targets(const export_options *o, tn_error *error)
{
    const char *files[] = {o->csv, o->html, o->gltf};
    const char *names[] = {"--csv", "--html", "--gltf"};
    for (int a = 0; a < 3; a++) {
        for (int b = a + 1; b < 3; b++) {
            if (files[a] && files[b] && strcmp(files[a], files[b]) == 0) {
                return tn_error_set(error, TN_BAD_INPUT, "%s and %s both name %s; give each a file of its own",
                                    names[a], names[b], files[a]);
            }
        }
    }
    return TN_OK;
}

static int export(const char *const *arguments, void *user)
{
    const export_options *o = user;
    tn_error error = {0};
    if (!o->vtk && !o->csv && !o->html && !o->gltf && !o->fclib) {
        tn_error_set(&error, TN_BAD_INPUT,
                     "say what to export: --vtk DIR, --csv FILE, --html FILE, --gltf FILE.glb or --fclib DIR");
        return cli_report(&error);
    }
    tn_status status = check_targets(o, &error);
    tn_recording *recording = status == TN_OK ? tn_recording_open(arguments[0], &error) : NULL;
    status = recording ? export_recording(recording, arguments[0], o, &error) : TN_BAD_INPUT;
    tn_recording_close(recording);
    return status == TN_OK ? EXIT_DONE : cli_report(&error);
}

int cli_export(int argc, char **argv)
{
    export_options o = {.every = 1};
    const cli_option options[] = {
        {"vtk", 0, OPTION_TEXT, &o.vtk, "DIR", "surfaces, contacts, soft bodies for ParaView: DIR/NAME.pvd, .vtu"},
        {"csv", 0, OPTION_TEXT, &o.csv, "FILE", "a table: a row a frame"},
        {"fclib", 0, OPTION_TEXT, &o.fclib, "DIR", "each step's friction problem in FCLIB's layout"},
        {"html", 0, OPTION_TEXT, &o.html, "FILE", "one page that plays in any browser, without this program"},
        {"gltf", 0, OPTION_TEXT, &o.gltf, "FILE.glb", "surfaces and their motion as binary glTF 2.0"},
        {"every", 'e', OPTION_COUNT, &o.every, "N", "only every N-th frame (--fclib: step); default 1"},
    };
    const cli_syntax syntax = {
        .command = "export",
        .arguments = "F.h5 --vtk DIR | --csv FILE | --html FILE | --gltf FILE.glb | --fclib DIR",
        .summary = "Turn a recording into files for other programs.",
        .notes = "--fclib repeats the run from the scene in the recording and stops with an error should it not\n"
                 "reproduce the recorded states to the last bit (another version or another machine).\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1,
    };
    return cli_obey(&syntax, argc, argv, export, &o);
}
