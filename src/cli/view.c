#include "view/view.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "view/server.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

typedef struct view_options {
    long port, every;
    bool no_browser;
} view_options;

// A window of the desktop's browser, if there is a desktop. Its failure is no failure of ours: the address is printed.
static void open_browser(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
        return;
    }
    pid_t child;
    char *arguments[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)address, NULL};
    posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ);
}

static int serve(tn_view *view, const view_options *o)
{
    tn_error error;
    tn_view_server *server = tn_view_serve(view, (int)o->port, &error);
    if (!server) {
        return cli_report(&error);
    }
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", tn_view_server_port(server));
    printf("Open %s in a browser; Ctrl-C ends.\n", address);
    fflush(stdout);
    cli_interrupt_watch();
    if (!o->no_browser) {
        open_browser(address);
    }
    while (!cli_interrupted()) {
        usleep(50000);
    }
    tn_view_server_stop(server);
    return EXIT_DONE;
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
    tn_error error;
    const char *path;
    int n_arguments;
    bool help = false;
    tn_status status = cli_parse(&syntax, argc, argv, &path, &n_arguments, &help, &error);
    if (status == TN_OK && help) {
        return EXIT_DONE;
    }
    if (status == TN_OK && o.port > 65535) {
        status = tn_error_set(&error, TN_BAD_INPUT, "--port: %ld is no port; the largest is 65535", o.port);
    }
    tn_recording *recording = status == TN_OK ? tn_recording_open(path, &error) : NULL;
    tn_view *view = recording ? tn_view_open(recording, o.every, &error) : NULL;
    int code = view ? serve(view, &o) : cli_report(&error);
    tn_view_close(view);
    tn_recording_close(recording);
    return code;
}
