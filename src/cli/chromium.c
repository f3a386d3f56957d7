// Chromium's DevTools protocol over a pipe (--remote-debugging-pipe): JSON messages that end with a zero byte, read by
// it from descriptor 3 and written to 4. Of the answers only strings without escapes are wanted, so that they are
// searched and not parsed.
#include "cli/chromium.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ITS_INPUT = 3, ITS_OUTPUT = 4, ASIDE = 10 }; // ours are moved out of the way of those two

static tn_status gone(tn_error *error)
{
    return tn_error_set(error, TN_IO, "chromium has ended");
}

static int spawn(pid_t *child, const char *const *names, int input, int output, char *const arguments[])
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, input, ITS_INPUT);
    posix_spawn_file_actions_adddup2(&actions, output, ITS_OUTPUT);
    int failed = ENOENT;
    for (; *names && failed == ENOENT; names++) {
        failed = posix_spawnp(child, *names, &actions, NULL, arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

// A pipe whose ends are closed in programs that are started, and are none of those that Chromium wants.
static bool make_pipe(int ends[2])
{
    int low[2];
    if (pipe(low) != 0) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        ends[k] = fcntl(low[k], F_DUPFD_CLOEXEC, ASIDE);
        close(low[k]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static tn_status start(cli_chromium *c, const char *folder, tn_error *error)
{
    char profile[300];
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
    char *arguments[] = {
        (char[]){"chromium"},
        (char[]){"--headless=new"},
        (char[]){"--remote-debugging-pipe"},
        (char[]){"--use-gl=angle"},
        (char[]){"--use-angle=swiftshader"}, // what every machine has; its pictures are the same everywhere
        (char[]){"--enable-unsafe-swiftshader"},
        (char[]){"--disable-background-networking"},
        (char[]){"--no-first-run"},
        (char[]){"--hide-scrollbars"},
        profile,
        geteuid() == 0 ? (char[]){"--no-sandbox"} : NULL,
        NULL};
    const char *said = getenv("CHROMIUM");
    const char *names[] = {said ? said : "chromium", said ? NULL : "chromium-browser", "google-chrome", NULL};
    int there[2], back[2];
    if (!make_pipe(there) || !make_pipe(back)) {
        return tn_error_set(error, TN_IO, "cannot start chromium: %s", strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN); // should it end, its answers do
    int failed = spawn(&c->child, names, there[0], back[1], arguments);
    close(there[0]);
    close(back[1]);
    c->to = fdopen(there[1], "w");
    c->from = fdopen(back[0], "r");
    if (failed) {
        c->child = 0;
        return failed == ENOENT
                   ? tn_error_set(error, TN_BAD_INPUT, "pictures need Chromium; install the package chromium")
                   : tn_error_set(error, TN_IO, "cannot start chromium: %s", strerror(failed));
    }
    return c->to && c->from ? TN_OK : gone(error);
}

// Send the request and read up to its answer: {"id":N,...
static tn_status request(cli_chromium *c, const char *method, const char *parameters, tn_error *error)
{
    char begin[32];
    int n = snprintf(begin, sizeof begin, "{\"id\":%d,", ++c->last);
    fprintf(c->to, "%s\"method\":\"%s\",\"params\":{%s}", begin, method, parameters);
    if (c->session[0]) {
        fprintf(c->to, ",\"sessionId\":\"%s\"", c->session);
    }
    fprintf(c->to, "}%c", '\0');
    fflush(c->to);
    do {
        if (getdelim(&c->answer, &c->room, '\0', c->from) < 0) {
            return gone(error);
        }
    } while (strncmp(c->answer, begin, (size_t)n) != 0);
    const char *wrong = strstr(c->answer, "\"error\":{");
    return wrong && wrong < c->answer + n + 2 ? tn_error_set(error, TN_IO, "chromium: %.200s", wrong) : TN_OK;
}

// The string after "key":" in the last answer; NULL: there is none.
static char *text_of(cli_chromium *c, const char *key, size_t *size)
{
    char *at = strstr(c->answer, key);
    at = at ? at + strlen(key) : NULL;
    char *end = at ? strchr(at, '"') : NULL;
    if (!end) {
        return NULL;
    }
    *size = (size_t)(end - at);
    *end = '\0';
    return at;
}

tn_status cli_chromium_start(cli_chromium *c, const char *folder, long width, long height, tn_error *error)
{
    *c = (cli_chromium){0};
    char text[200];
    size_t size;
    tn_status status = start(c, folder, error);
    status = status == TN_OK ? request(c, "Target.createTarget", "\"url\":\"about:blank\"", error) : status;
    const char *target = status == TN_OK ? text_of(c, "\"targetId\":\"", &size) : NULL;
    if (target) {
        snprintf(text, sizeof text, "\"flatten\":true,\"targetId\":\"%.60s\"", target);
        status = request(c, "Target.attachToTarget", text, error);
    }
    const char *session = target && status == TN_OK ? text_of(c, "\"sessionId\":\"", &size) : NULL;
    if (!session) {
        return status == TN_OK ? gone(error) : status;
    }
    snprintf(c->session, sizeof c->session, "%s", session);
    snprintf(text, sizeof text, "\"width\":%ld,\"height\":%ld,\"deviceScaleFactor\":1,\"mobile\":false", width, height);
    return request(c, "Emulation.setDeviceMetricsOverride", text, error);
}

tn_status cli_chromium_open(cli_chromium *c, const char *address, tn_error *error)
{
    char text[700];
    snprintf(text, sizeof text, "\"url\":\"%s\"", address);
    return request(c, "Page.navigate", text, error);
}

tn_status cli_chromium_ask(cli_chromium *c, const char *expression, const char **value, size_t *size, tn_error *error)
{
    char text[1500];
    snprintf(text, sizeof text, "\"awaitPromise\":true,\"returnByValue\":true,\"expression\":\"%s\"", expression);
    tn_status status = request(c, "Runtime.evaluate", text, error);
    if (status != TN_OK) {
        return status;
    }
    const char *thrown = strstr(c->answer, "\"exceptionDetails\"");
    if (thrown) {
        const char *about = strstr(c->answer, "\"description\":\"");
        return tn_error_set(error, TN_IO, "the page: %.200s", about ? about + strlen("\"description\":\"") : thrown);
    }
    *value = text_of(c, "\"value\":\"", size);
    return *value ? TN_OK : tn_error_set(error, TN_IO, "the page did not answer: %.200s", c->answer);
}

void cli_chromium_stop(cli_chromium *c)
{
    if (c->to) {
        fclose(c->to); // ends it
    }
    if (c->child > 0) {
        kill(c->child, SIGTERM);
        while (waitpid(c->child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (c->from) {
        fclose(c->from);
    }
    free(c->answer);
    *c = (cli_chromium){0};
}
