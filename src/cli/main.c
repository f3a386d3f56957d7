// The command `tenon`: finds the subcommand, says what is wrong in the form of compilers, and sees to it that all
// output has been written before it ends with the exit code.
#include "base/nearest.h"
#include "cli/command.h"
#include "tenon/record.h"
#include "tenon/version.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const cli_command commands[] = {
    {"run", "simulate a scene and record it", cli_run},
    {"check", "validate a scene and say what is in it", cli_check},
    {"convert", "write a robot's file or a scene as one scene file", cli_convert},
    {"forces", "forces that hold a scene at rest", cli_forces},
    {"mpc", "simulate a scene under a controller that plans through contact", cli_mpc},
    {"solve", "solve a friction problem from a file", cli_solve},
    {"plan", "plan through contact: an optimal control problem from a file", cli_plan},
    {"view", "show a recording in the browser", cli_view},
    {"export", "turn a recording into VTK, CSV, a web page or friction problems", cli_export},
    {"report", "a web page of figures, plots and statistics, of one or several recordings", cli_report_page},
    {"plot", "draw figures of a recording", cli_plot},
    {"render", "a video or a picture of a recording", cli_render},
    {"sweep", "run a scene for many values of its parameters", cli_sweep},
    {"bench", "run the benchmarks", cli_bench},
    {"info", "solvers, laws, schemes, shapes, build", cli_info},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

int cli_report(const tn_error *error)
{
    char text[1200];
    tn_error_text(error, text, sizeof text);
    fprintf(stderr, "%s%s\n", error->file[0] ? "" : "tenon: ", text);
    return error->status == TN_NUMERICS ? EXIT_NUMERICS : EXIT_BAD_INPUT;
}

void cli_name_step(tn_error *error, long step, double time)
{
    char message[sizeof error->message];
    snprintf(message, sizeof message, "%s", error->message);
    snprintf(error->message, sizeof error->message, "step %ld (t = %.6g s): %.640s", step, time, message);
}

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: tenon COMMAND [OPTION...] [ARGUMENT...]\n\n"
                 "Multibody dynamics with hard frictional contact.\n\nCommands:\n");
    for (int k = 0; k < N_COMMANDS; k++) {
        fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].summary);
    }
    fprintf(out, "\n`tenon COMMAND --help` explains a command; `tenon --version` prints the version.\n"
                 "Exit codes: 0 done, 1 numerical failure, 2 bad input or usage, 130 interrupted.\n");
}

static int unknown_command(const char *name)
{
    const char *names[N_COMMANDS];
    for (int k = 0; k < N_COMMANDS; k++) {
        names[k] = commands[k].name;
    }
    tn_error error;
    const char *near = tn_name_nearest(name, N_COMMANDS, names);
    if (near) {
        tn_error_set(&error, TN_BAD_INPUT, "unknown command '%s'; did you mean '%s'?", name, near);
    } else {
        tn_error_set(&error, TN_BAD_INPUT, "unknown command '%s'; see `tenon --help`", name);
    }
    return cli_report(&error);
}

// Where standard input, output or errors were closed, files would get their numbers, and messages would go into them.
static void fill_closed_streams(void)
{
    int number;
    do {
        number = open("/dev/null", O_RDWR);
    } while (number >= 0 && number <= STDERR_FILENO);
    if (number >= 0) {
        close(number);
    }
}

// Results that did not get out, as on a full disk, are none.
static int flush_results(int code)
{
    bool failed = ferror(stdout) != 0;
    if ((fflush(stdout) != 0 || failed) && code == EXIT_DONE) {
        fprintf(stderr, "tenon: error: cannot write to standard output: %s\n", strerror(errno));
        return EXIT_BAD_INPUT;
    }
    return code;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_BAD_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 && argc > 2) { // of one command
        char help[] = "--help", *of[] = {argv[0], argv[2], help, NULL};
        return run_command(3, of);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("tenon %s\n%s build by %s, Apache License 2.0\n", TN_VERSION, TN_BUILD_TYPE, TN_COMPILER);
        return EXIT_DONE;
    }
    for (int k = 0; k < N_COMMANDS; k++) {
        if (strcmp(name, commands[k].name) == 0) {
            return commands[k].run(argc - 1, argv + 1);
        }
    }
    return unknown_command(name);
}

int main(int argc, char **argv)
{
    fill_closed_streams();
    signal(SIGXFSZ, SIG_IGN); // a file beyond the limit of the shell is an error of writing it
    tn_recording_skip_exit_cleanup();
    return flush_results(run_command(argc, argv));
}
