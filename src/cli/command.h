// A subcommand: one row of the table in main.c, one file.
#pragma once

#include "tenon/error.h"

// Documented in docs/cli.md; scripts rely on them.
enum {
    EXIT_DONE = 0,
    EXIT_NUMERICS = 1,      // diverged, or a demanded tolerance was not reached
    EXIT_BAD_INPUT = 2,     // input, usage, files, memory
    EXIT_INTERRUPTED = 130, // Ctrl-C or SIGTERM: as a shell reports it
};

typedef struct cli_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); // argv[0] is the subcommand's name; returns the exit code
} cli_command;

int cli_run(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_forces(int argc, char **argv);
int cli_mpc(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_view(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_report_page(int argc, char **argv); // `tenon report`
int cli_plot(int argc, char **argv);
int cli_render(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_info(int argc, char **argv);

// Print the error on standard error ("tenon: ..." where no place is known) and return its exit code.
int cli_report(const tn_error *error);
// Puts the step that failed and its end [s] before the error's message.
void cli_name_step(tn_error *error, long step, double time);
