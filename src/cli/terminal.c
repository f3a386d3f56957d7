#include "cli/terminal.h"

#include "base/timer.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };
static const double redraw_seconds = 0.1;

// A signal handler can reach nothing but a static.
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
}

void cli_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

cli_progress cli_progress_start(const char *of, long total, bool quiet)
{
    double now = tn_timer_now();
    return (cli_progress){.on = !quiet && isatty(STDERR_FILENO) && total > 0, .of = of, .total = total, .started = now};
}

static void print_duration(double seconds)
{
    long whole = (long)(seconds + 0.5);
    if (whole >= 3600) {
        fprintf(stderr, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    } else if (whole >= 60) {
        fprintf(stderr, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        fprintf(stderr, "%ld s", whole);
    }
}

void cli_progress_update(cli_progress *progress, long done)
{
    double now = progress->on ? tn_timer_now() : 0.0;
    if (!progress->on || done <= 0 || now - progress->shown < redraw_seconds) {
        return;
    }
    progress->started = done < progress->done ? now : progress->started; // another pass
    progress->done = done;
    progress->shown = now;
    double rate = (double)done / (now - progress->started + 1e-9);
    int filled = (int)(BAR_WIDTH * done / progress->total);
    fprintf(stderr, "\r[%.*s%*s] %ld/%ld %s, %.3g %s/s, ", filled, "##############################", BAR_WIDTH - filled,
            "", done, progress->total, progress->of, rate, progress->of);
    print_duration((double)(progress->total - done) / rate);
    fprintf(stderr, " left\033[K");
    fflush(stderr);
}

void cli_progress_reading(void *progress, long row, long rows)
{
    cli_progress *p = progress;
    p->total = rows;
    cli_progress_update(p, row);
}

void cli_progress_say(const char *line)
{
    fprintf(stderr, "%s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", line);
    fflush(stderr);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->on) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
        progress->on = false;
    }
}
