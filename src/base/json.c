#include "base/json.h"

#include <math.h>

static void print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(out, "\\u%04x", *c);
        } else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) { // U+0080 to U+009F, which terminals obey too
            fprintf(out, "\\u%04x", *++c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

// Comma, line break, indent and key before a member.
static void begin_member(tn_json *json, const char *key)
{
    if (json->depth > 0) {
        fprintf(json->out, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
    }
    json->first = false;
    if (key) {
        print_text(json->out, key);
        fputs(": ", json->out);
    }
}

void tn_json_open(tn_json *json, const char *key, char bracket)
{
    begin_member(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->first = true;
}

void tn_json_close(tn_json *json, char bracket)
{
    json->depth--;
    if (!json->first) {
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->out);
    json->first = false;
    if (json->depth == 0) {
        fputc('\n', json->out);
    }
}

void tn_json_number(tn_json *json, const char *key, double value)
{
    begin_member(json, key);
    if (isfinite(value)) {
        fprintf(json->out, "%.17g", value);
    } else {
        fputs("null", json->out);
    }
}

void tn_json_numbers(tn_json *json, const char *key, int n, const double *values)
{
    tn_json_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        tn_json_number(json, NULL, values[i]);
    }
    tn_json_close(json, ']');
}

void tn_json_row(tn_json *json, const char *key, size_t n, const double *values, int digits)
{
    begin_member(json, key);
    fputc('[', json->out);
    for (size_t i = 0; i < n; i++) {
        const char *comma = i ? "," : "";
        if (isfinite(values[i])) {
            fprintf(json->out, "%s%.*g", comma, digits, values[i]);
        } else {
            fprintf(json->out, "%snull", comma);
        }
    }
    fputc(']', json->out);
}

void tn_json_integer(tn_json *json, const char *key, long value)
{
    begin_member(json, key);
    fprintf(json->out, "%ld", value);
}

void tn_json_text(tn_json *json, const char *key, const char *value)
{
    begin_member(json, key);
    if (value) {
        print_text(json->out, value);
    } else {
        fputs("null", json->out);
    }
}

void tn_json_bool(tn_json *json, const char *key, bool value)
{
    begin_member(json, key);
    fputs(value ? "true" : "false", json->out);
}
