#include "base/machine.h"
#include "table_page.h"
#include "tenon/version.h"

#include <math.h>
#include <stdarg.h>

static bool is_text(const table *t)
{
    return t->json.out != stdout;
}

void table_start(table *t, FILE *json)
{
    char machine[TN_MACHINE_SIZE];
    *t = (table){.json = {.out = json, .first = true}};
    if (json) {
        tn_machine_describe(machine);
        tn_json_open(&t->json, NULL, '{');
        tn_json_text(&t->json, "tenon", TN_VERSION);
        tn_json_text(&t->json, "machine", machine);
        tn_json_open(&t->json, "tables", '[');
    }
}

void table_open(table *t, const char *title, int n, const char *const heads[])
{
    t->n_columns = n;
    t->n_cells = 0;
    for (int i = 0; i < n; i++) {
        snprintf(t->head[i], TABLE_CELL, "%s", heads[i]);
    }
    if (t->json.out) {
        tn_json_open(&t->json, NULL, '{');
        tn_json_text(&t->json, "title", title);
        tn_json_open(&t->json, "rows", '[');
    }
    if (is_text(t)) {
        printf("\n%s\n", title);
        for (int i = 0; i < n; i++) {
            printf("%s%*s", i ? "  " : "", i ? 14 : -30, heads[i]);
        }
        printf("\n");
    }
    if (t->html) {
        table_page_open(t, title);
    }
}

void table_word(table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->cell[t->n_cells], TABLE_CELL, format, arguments);
    va_end(arguments);
    t->number[t->n_cells++] = false;
}

void table_number(table *t, const char *format, double value)
{
    char *cell = t->cell[t->n_cells];
    if (isfinite(value)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(cell, TABLE_CELL, format, value);
#pragma GCC diagnostic pop
    } else {
        snprintf(cell, TABLE_CELL, "-");
    }
    t->value[t->n_cells] = value;
    t->number[t->n_cells++] = true;
}

static void store_row(table *t)
{
    tn_json_open(&t->json, NULL, '{');
    for (int i = 0; i < t->n_cells; i++) {
        if (t->number[i]) {
            tn_json_number(&t->json, t->head[i], t->value[i]);
        } else {
            tn_json_text(&t->json, t->head[i], t->cell[i]);
        }
    }
    tn_json_close(&t->json, '}');
}

void table_row(table *t)
{
    if (is_text(t)) {
        for (int i = 0; i < t->n_cells; i++) {
            printf("%s%*s", i ? "  " : "", i ? 14 : -30, t->cell[i]);
        }
        printf("\n");
    }
    if (t->json.out) {
        store_row(t);
    }
    fflush(stdout);
    if (t->html) {
        table_page_row(t);
    }
    t->n_cells = 0;
}

void table_note(table *t, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (is_text(t)) {
        printf("%s\n", line);
    }
    if (t->html) {
        table_page_note(t, line);
    }
}

void table_close(table *t)
{
    if (t->json.out) {
        tn_json_close(&t->json, ']');
        tn_json_close(&t->json, '}');
    }
    if (t->html) {
        table_page_close(t);
    }
}

bool table_end(table *t)
{
    if (t->json.out) {
        tn_json_close(&t->json, ']');
        tn_json_close(&t->json, '}');
    }
    if (t->html) {
        table_page_end(t);
    }
    FILE *json = t->json.out;
    return !json || (json == stdout ? fflush(json) == 0 : fclose(json) == 0);
}
