// What the command prints for people.
#pragma once

// printf to standard output, without what would steer the terminal: titles, names and paths come from files of others.
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
