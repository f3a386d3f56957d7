#include "cli/gnuplot.h"

#include "base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SCREEN_POINTS = 4000 }; // more rows than this are thinned: no screen shows them

// Single quotes protect all but a single quote, which is doubled; control characters would end the line.
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            fputc('\'', out);
        }
        fputc((unsigned char)*c < 0x20 ? ' ' : *c, out);
    }
    fputc('\'', out);
}

static void put_data(FILE *out, const cli_gnuplot_curves *c)
{
    long stride = c->n_rows / SCREEN_POINTS + 1;
    fprintf(out, "$data << END_OF_DATA\n");
    for (long row = 0; row < c->n_rows; row += stride) {
        fprintf(out, "%.9g", c->x[row]);
        for (int k = 0; k < c->n; k++) {
            double y = c->y[k][row];
            if (isfinite(y) && (!c->logarithmic || y > 0.0)) {
                fprintf(out, " %.9g", y);
            } else {
                fprintf(out, " NaN");
            }
        }
        fputc('\n', out);
    }
    fprintf(out, "END_OF_DATA\n");
}

static void put_script(FILE *out, const cli_gnuplot_curves *c, bool svg)
{
    put_data(out, c);
    fprintf(out, svg ? "set terminal svg size 900,540 dynamic font 'sans,14' background rgb 'white'\n"
                     : "set terminal png size 900,540\n");
    fprintf(out, "set title ");
    put_quoted(out, c->title);
    fprintf(out, " noenhanced\nset xlabel 'time [s]'\nset ylabel ");
    put_quoted(out, c->y_label);
    fprintf(out, "\nset grid\nset key outside right top noenhanced\n");
    if (c->logarithmic) {
        fprintf(out, "set logscale y\nset format y '10^{%%L}'\n");
    }
    fprintf(out, "plot ");
    for (int k = 0; k < c->n; k++) {
        fprintf(out, "%s$data using 1:%d with lines linewidth 2 title ", k ? ", " : "", k + 2);
        put_quoted(out, c->titles[k]);
    }
    fprintf(out, "\n");
}

// The picture goes to the open file.
static tn_status start(pid_t *child, FILE **input, FILE *picture, tn_error *error)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return tn_error_set(error, TN_IO, "cannot start gnuplot: %s", strerror(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    char *arguments[] = {(char[]){"gnuplot"}, NULL};
    int failed = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *input = failed ? NULL : fdopen(ends[1], "w");
    if (!*input) {
        close(ends[1]);
    }
    if (failed == ENOENT) {
        return tn_error_set(error, TN_BAD_INPUT, "plotting needs gnuplot; install the package gnuplot-nox");
    }
    return *input ? TN_OK : tn_error_set(error, TN_IO, "cannot start gnuplot: %s", strerror(failed));
}

static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot : "";
}

// Whether the file is there to its last mark: gnuplot does not mind a full disk.
static bool is_whole(FILE *file, bool svg)
{
    char tail[64];
    bool seen = fseek(file, -(long)sizeof tail, SEEK_END) == 0 && fread(tail, sizeof tail, 1, file) == 1;
    const char *mark = svg ? "</svg>" : "IEND";
    for (size_t i = 0; seen && i + strlen(mark) <= sizeof tail; i++) {
        if (memcmp(tail + i, mark, strlen(mark)) == 0) {
            return true;
        }
    }
    return false;
}

tn_status cli_gnuplot_draw(const cli_gnuplot_curves *curves, const char *out, tn_error *error)
{
    bool svg = strcmp(ending(out), ".svg") == 0;
    if (!svg && strcmp(ending(out), ".png") != 0) {
        return tn_error_set(error, TN_BAD_INPUT, "'%s': pictures end in .svg or .png", out);
    }
    tn_draft draft;
    tn_status status = tn_draft_open(&draft, out, error);
    if (status != TN_OK) {
        return status;
    }
    pid_t child = -1;
    FILE *input = NULL;
    status = start(&child, &input, draft.out, error);
    if (status == TN_OK) {
        signal(SIGPIPE, SIG_IGN); // a dead gnuplot is seen by its exit status
        put_script(input, curves, svg);
        fclose(input);
        int result = 0;
        while (waitpid(child, &result, 0) < 0 && errno == EINTR) {
        }
        bool drawn = WIFEXITED(result) && WEXITSTATUS(result) == 0 && (!draft.target || is_whole(draft.out, svg));
        status = drawn ? TN_OK : tn_error_set(error, TN_IO, "gnuplot could not draw %s; is the disk full?", out);
    }
    return tn_draft_close(&draft, status, NULL, error);
}
