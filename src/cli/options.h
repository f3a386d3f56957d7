// Command lines: a table of options a subcommand, one parser, one help text.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>

typedef enum cli_option_kind {
    OPTION_FLAG,     // bool *
    OPTION_TEXT,     // const char **
    OPTION_POSITIVE, // double *, > 0 and finite
    OPTION_COUNT,    // long *, > 0
    OPTION_LIST,     // cli_list *, may be given again
} cli_option_kind;

enum { CLI_ARGUMENTS_MAX = 16, CLI_LIST_SPARE = 16 };

typedef struct cli_list {
    int n;
    const char **items; // with room for CLI_LIST_SPARE that a command adds itself
} cli_list;

typedef struct cli_option {
    const char *name; // without "--"
    char letter;      // of the short form, 0: none
    cli_option_kind kind;
    void *value;
    const char *metavar; // NULL for flags
    const char *help;
} cli_option;

typedef struct cli_syntax {
    const char *command;   // "run"
    const char *arguments; // "SCENE"
    const char *summary;   // one line
    const char *notes;     // further lines of the help, or ""
    const cli_option *options;
    int n_options;
    int n_arguments_min, n_arguments_max; // at most CLI_ARGUMENTS_MAX
} cli_syntax;

// What a command does once its options are read; arguments end with NULL. Returns the exit code.
typedef int cli_action(const char *const *arguments, void *user);

// Read argv[1..] into the options and take the action. -h, --help prints the help instead; what is wrong is said with
// what would be right. Returns the exit code.
int cli_obey(const cli_syntax *syntax, int argc, char **argv, cli_action *action, void *user);

// k where names(k) is `name`; -1: it is none of them (they end with NULL).
int cli_index_of(const char *name, const char *(*names)(int));

// "key=value,key=value" of tolerances: calls set(key, value) for each. Keys: momentum natural fclib penetration theta.
tn_status cli_parse_tolerances(const char *text, void (*set)(void *context, const char *key, double value),
                               void *context, tn_error *error);
