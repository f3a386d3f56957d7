#include "cli/options.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32, MAX_WORD = 64 };

static tn_status parse_positive(const char *text, const char *what, double *value, tn_error *error)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || number <= 0.0) {
        return tn_error_set(error, TN_BAD_INPUT, "%s needs a number above 0, not '%s'", what, text);
    }
    *value = number;
    return TN_OK;
}

static tn_status parse_count(const char *text, const char *what, long *value, tn_error *error)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number <= 0) {
        return tn_error_set(error, TN_BAD_INPUT, "%s needs a whole number above 0, not '%s'", what, text);
    }
    *value = number;
    return TN_OK;
}

static const char *const tolerance_keys[] = {"momentum", "natural", "fclib", "joint", "penetration", "theta"};
enum { N_TOLERANCE_KEYS = sizeof tolerance_keys / sizeof *tolerance_keys };

static tn_status parse_tolerance(char *item, void (*set)(void *, const char *, double), void *context, tn_error *error)
{
    char *equals = strchr(item, '=');
    if (!equals) {
        return tn_error_set(error, TN_BAD_INPUT, "--tolerance needs KEY=VALUE,..., not '%s'", item);
    }
    *equals = '\0';
    for (int k = 0; k < N_TOLERANCE_KEYS; k++) {
        if (strcmp(item, tolerance_keys[k]) == 0) {
            char *end;
            double value = strtod(equals + 1, &end);
            if (end == equals + 1 || *end || !isfinite(value) || value < 0.0) {
                return tn_error_set(error, TN_BAD_INPUT,
                                    "--tolerance %s needs a number >= 0 (0: not demanded), not '%s'", item, equals + 1);
            }
            set(context, tolerance_keys[k], value);
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "--tolerance: unknown key '%s'; keys: momentum, natural, fclib, joint, penetration, theta",
                        item);
}

tn_status cli_parse_tolerances(const char *text, void (*set)(void *context, const char *key, double value),
                               void *context, tn_error *error)
{
    char copy[256];
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        return tn_error_set(error, TN_BAD_INPUT, "--tolerance: text too long");
    }
    char *rest = copy;
    for (char *item = strsep(&rest, ","); item; item = strsep(&rest, ",")) {
        tn_status status = parse_tolerance(item, set, context, error);
        if (status != TN_OK) {
            return status;
        }
    }
    return TN_OK;
}

static tn_status store(const cli_option *option, const char *text, tn_error *error)
{
    char what[MAX_WORD];
    snprintf(what, sizeof what, "--%s", option->name);
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)option->value = true;
        return TN_OK;
    case OPTION_TEXT:
        if (!*text) {
            return tn_error_set(error, TN_BAD_INPUT, "%s needs %s, not an empty text", what, option->metavar);
        }
        *(const char **)option->value = text;
        return TN_OK;
    case OPTION_POSITIVE:
        return parse_positive(text, what, option->value, error);
    case OPTION_COUNT:
        return parse_count(text, what, option->value, error);
    case OPTION_LIST: {
        cli_list *list = option->value;
        list->items[list->n++] = text;
        return TN_OK;
    }
    }
    return TN_OK;
}

static tn_status unknown_option(const cli_syntax *syntax, const char *word, tn_error *error)
{
    const char *names[MAX_OPTIONS];
    for (int k = 0; k < syntax->n_options; k++) {
        names[k] = syntax->options[k].name;
    }
    const char *near = word[1] == '-' ? tn_name_nearest(word + 2, syntax->n_options, names) : NULL;
    if (near) {
        return tn_error_set(error, TN_BAD_INPUT, "unknown option '%s'; did you mean '--%s'?", word, near);
    }
    return tn_error_set(error, TN_BAD_INPUT, "unknown option '%s'; see `tenon %s --help`", word, syntax->command);
}

// The option that word names, NULL: none; *inline_value is the text after '=' or the letter, or NULL.
static const cli_option *find_option(const cli_syntax *syntax, const char *word, const char **inline_value)
{
    *inline_value = NULL;
    for (int k = 0; k < syntax->n_options; k++) {
        const cli_option *option = &syntax->options[k];
        size_t length = strlen(option->name);
        if (word[1] == '-' && strncmp(word + 2, option->name, length) == 0) {
            if (!word[2 + length]) {
                return option;
            }
            if (word[2 + length] == '=') {
                *inline_value = word + 3 + length;
                return option;
            }
        }
        if (word[1] != '-' && option->letter && word[1] == option->letter) {
            *inline_value = word[2] ? word + 2 : NULL;
            return option;
        }
    }
    return NULL;
}

static void print_help(const cli_syntax *syntax)
{
    printf("Usage: tenon %s %s%s\n\n%s\n", syntax->command, syntax->n_options ? "[OPTION...] " : "", syntax->arguments,
           syntax->summary);
    if (syntax->n_options) {
        printf("\nOptions:\n");
    }
    for (int k = 0; k < syntax->n_options; k++) {
        const cli_option *option = &syntax->options[k];
        char left[MAX_WORD];
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                 option->letter ? ", " : "  ", option->name, option->metavar ? " " : "",
                 option->metavar ? option->metavar : "");
        printf("  %-30s %s\n", left, option->help);
    }
    printf("  -h, --help                     show this and stop\n");
    if (*syntax->notes) {
        printf("\n%s", syntax->notes);
    }
}

static tn_status parse_option(const cli_syntax *syntax, char **argv, int argc, int *index, tn_error *error)
{
    const char *word = argv[*index];
    const char *value;
    const cli_option *option = find_option(syntax, word, &value);
    if (!option) {
        return unknown_option(syntax, word, error);
    }
    if (option->kind == OPTION_FLAG && value) {
        return tn_error_set(error, TN_BAD_INPUT, "option '--%s' takes no value", option->name);
    }
    if (option->kind != OPTION_FLAG && !value) {
        if (*index + 1 >= argc) {
            return tn_error_set(error, TN_BAD_INPUT, "option '%s' needs %s", word, option->metavar);
        }
        value = argv[++*index];
    }
    return store(option, value, error);
}

static tn_status parse(const cli_syntax *syntax, int argc, char **argv, const char **arguments, bool *help,
                       tn_error *error)
{
    int n_arguments = 0;
    bool options_end = false;
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(syntax);
            *help = true;
            return TN_OK;
        } else if (!options_end && word[0] == '-' && word[1]) {
            tn_status status = parse_option(syntax, argv, argc, &k, error);
            if (status != TN_OK) {
                return status;
            }
        } else if (n_arguments < syntax->n_arguments_max) {
            arguments[n_arguments++] = word;
        } else {
            return tn_error_set(error, TN_BAD_INPUT, "unexpected argument '%s'; usage: tenon %s %s", word,
                                syntax->command, syntax->arguments);
        }
    }
    if (n_arguments < syntax->n_arguments_min) {
        return tn_error_set(error, TN_BAD_INPUT, "missing argument; usage: tenon %s %s", syntax->command,
                            syntax->arguments);
    }
    return TN_OK;
}

// The list that option k fills; NULL: it fills none.
static cli_list *list_of(const cli_syntax *syntax, int k)
{
    return syntax->options[k].kind == OPTION_LIST ? syntax->options[k].value : NULL;
}

static tn_status make_lists(const cli_syntax *syntax, int argc, tn_error *error)
{
    for (int k = 0; k < syntax->n_options; k++) {
        cli_list *list = list_of(syntax, k);
        if (list && !(list->items = tn_calloc((size_t)argc + CLI_LIST_SPARE, sizeof *list->items))) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory left");
        }
    }
    return TN_OK;
}

int cli_obey(const cli_syntax *syntax, int argc, char **argv, cli_action *action, void *user)
{
    const char *arguments[CLI_ARGUMENTS_MAX + 1] = {NULL};
    bool help = false;
    tn_error error = {0};
    tn_status status = make_lists(syntax, argc, &error);
    status = status == TN_OK ? parse(syntax, argc, argv, arguments, &help, &error) : status;
    int code = status != TN_OK ? cli_report(&error) : help ? EXIT_DONE : action(arguments, user);
    for (int k = 0; k < syntax->n_options; k++) {
        if (list_of(syntax, k)) {
            tn_free(list_of(syntax, k)->items);
        }
    }
    return code;
}

int cli_index_of(const char *name, const char *(*names)(int))
{
    int k = 0;
    while (names(k) && strcmp(names(k), name) != 0) {
        k++;
    }
    return names(k) ? k : -1;
}
