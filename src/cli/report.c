// `tenon report`: a recording as a page with figures and plots.
#include "tenon/report.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

enum { RECORDINGS = CLI_ARGUMENTS_MAX, NAME_SIZE = 512 };

// out/demo.h5 -> demo_report.html, in the current folder; of several: report.html.
static void default_out(int n, const char *const *paths, char name[NAME_SIZE])
{
    const char *slash = strrchr(paths[0], '/');
    const char *file = slash ? slash + 1 : paths[0];
    const char *dot = strrchr(file, '.');
    int length = dot && dot > file ? (int)(dot - file) : (int)strlen(file);
    if (n == 1) {
        snprintf(name, NAME_SIZE, "%.*s_report.html", length < 400 ? length : 400, file);
    } else {
        snprintf(name, NAME_SIZE, "report.html");
    }
}

// All are opened before anything is written.
static tn_status write_report(int n, const char *const *paths, const char *out, tn_error *error)
{
    tn_recording *recordings[RECORDINGS] = {NULL};
    tn_status status = TN_OK;
    size_t size = 0;
    cli_progress progress = cli_progress_start("rows", 1, false);
    for (int k = 0; k < n && status == TN_OK; k++) {
        recordings[k] = tn_recording_open(paths[k], error);
        status = recordings[k] ? TN_OK : error->status;
        tn_recording_set_watch(recordings[k], cli_progress_reading, &progress);
    }
    status = status == TN_OK ? tn_report_write(n, (const tn_recording *const *)recordings, out, &size, error) : status;
    cli_progress_end(&progress);
    for (int k = 0; k < n; k++) {
        tn_recording_close(recordings[k]);
    }
    if (status == TN_OK) {
        cli_say("%s: %.1f MB; open it in a browser\n", out, 1e-6 * (double)size);
    }
    return status;
}

static int report(const char *const *paths, void *user)
{
    const char *out = *(const char **)user;
    char name[NAME_SIZE];
    tn_error error = {0};
    int n = 0;
    while (paths[n]) {
        n++;
    }
    default_out(n, paths, name);
    return write_report(n, paths, out ? out : name, &error) == TN_OK ? EXIT_DONE : cli_report(&error);
}

int cli_report_page(int argc, char **argv)
{
    const char *out = NULL;
    const cli_option options[] = {
        {"out", 'o', OPTION_TEXT, &out, "FILE.html", "the page; default: NAME_report.html, of several report.html"},
    };
    const cli_syntax syntax = {
        .command = "report",
        .arguments = "F.h5 [G.h5 ...] [-o FILE.html]",
        .summary = "Make a web page of one recording, or of several side by side: pictures, what was simulated, every\n"
                   "quantity over time, the certificate's statistics, where the time went.",
        .notes =
            "The page needs no network and no other file. Of several recordings (of one scene by different solvers\n"
            "or laws, say) it compares medians and extremes with the first one's.\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = RECORDINGS,
    };
    return cli_obey(&syntax, argc, argv, report, &out);
}
