// One JSON object on a stream, member by member. Numbers print with 17 digits, NaN and infinity as null.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct tn_json {
    FILE *out;
    int depth;
    bool first; // no comma before the next member
} tn_json;

// key NULL inside arrays and for the outermost object. The outermost end prints the final newline.
void tn_json_open(tn_json *json, const char *key, char bracket); // '{' or '['
void tn_json_close(tn_json *json, char bracket);                 // '}' or ']'
void tn_json_number(tn_json *json, const char *key, double value);
void tn_json_numbers(tn_json *json, const char *key, int n, const double *values); // an array
// The same on one line, with so many significant digits.
void tn_json_row(tn_json *json, const char *key, size_t n, const double *values, int digits);
void tn_json_integer(tn_json *json, const char *key, long value);
void tn_json_text(tn_json *json, const char *key, const char *value); // NULL: null
void tn_json_bool(tn_json *json, const char *key, bool value);
