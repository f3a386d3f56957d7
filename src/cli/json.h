// One JSON object on a stream, member by member. Numbers print with 17 digits, NaN and infinity as null.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_json {
    FILE *out;
    int depth;
    bool first; // no comma before the next member
} cli_json;

// key NULL inside arrays and for the outermost object. The outermost end prints the final newline.
void cli_json_open(cli_json *json, const char *key, char bracket); // '{' or '['
void cli_json_close(cli_json *json, char bracket);                 // '}' or ']'
void cli_json_number(cli_json *json, const char *key, double value);
void cli_json_integer(cli_json *json, const char *key, long value);
void cli_json_text(cli_json *json, const char *key, const char *value); // NULL: null
void cli_json_bool(cli_json *json, const char *key, bool value);
