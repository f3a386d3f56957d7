#include "cli/browser.h"

#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

// Its failure is no failure of ours: the address is printed.
static void open_window(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
        return;
    }
    pid_t child;
    char program[] = "xdg-open", place[128];
    snprintf(place, sizeof place, "%s", address);
    char *arguments[] = {program, place, NULL};
    posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ);
}

void cli_show_page(FILE *out, int port, const char *how_it_ends, bool window)
{
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", port);
    fprintf(out, "Open %s in a browser; %s.\n", address, how_it_ends);
    fflush(out);
    if (window) {
        open_window(address);
    }
}
