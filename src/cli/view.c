// `tenon view`: a recording in the browser, served until Ctrl-C.
#include "tenon/view.h"
#include "cli/browser.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct view_options {
    long port, every;
    bool no_browser;
} view_options;

static int serve(const tn_viewer *viewer, const view_options *o)
{
    cli_interrupt_watch();
    cli_show_page(stdout, tn_viewer_port(viewer), "Ctrl-C ends", !o->no_browser);
    while (!cli_interrupted()) {
        usleep(50000);
    }
    return EXIT_DONE;
}

static int view(const char *const *arguments, void *user)
{
    const view_options *o = user;
    tn_error error = {0};
    if (o->port > 65535) {
        tn_error_set(&error, TN_BAD_INPUT, "--port: %ld is no port; the largest is 65535", o->port);
        return cli_report(&error);
    }
    tn_recording *recording = tn_recording_open(arguments[0], &error);
    tn_viewer *viewer = recording ? tn_viewer_start(recording, o->every, (int)o->port, &error) : NULL;
    int code = viewer ? serve(viewer, o) : cli_report(&error);
    tn_viewer_stop(viewer);
    tn_recording_close(recording);
    return code;
}

int cli_view(int argc, char **argv)
{
    view_options o = {.every = 1};
    const cli_option options[] = {
        {"port", 'p', OPTION_COUNT, &o.port, "N", "port of 127.0.0.1 to listen on; default: a free one"},
        {"every", 'e', OPTION_COUNT, &o.every, "N", "only every N-th frame; default 1"},
        {"no-browser", 0, OPTION_FLAG, &o.no_browser, NULL, "do not open the desktop's browser"},
    };
    const cli_syntax syntax = {
        .command = "view",
        .arguments = "F.h5",
        .summary = "Show a recording in the browser.",
        .notes = "Serves the viewer and the recording on this machine only, until Ctrl-C. `tenon export --html` makes\n"
                 "one file of both that can be sent around.\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1,
    };
    return cli_obey(&syntax, argc, argv, view, &o);
}
