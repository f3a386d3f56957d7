#include "table_page.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static void json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('"');
}

void table_start(table *t, bool json)
{
    *t = (table){.json = json, .first_table = true};
    if (json) {
        printf("{\"tables\": [");
    }
}

void table_open(table *t, const char *title, int n, const char *const heads[])
{
    t->n_columns = n;
    t->n_cells = 0;
    t->first_row = true;
    for (int i = 0; i < n; i++) {
        snprintf(t->head[i], TABLE_CELL, "%s", heads[i]);
    }
    if (t->json) {
        printf("%s{\"title\": ", t->first_table ? "" : ", ");
        json_text(title);
        printf(", \"rows\": [");
    } else {
        printf("\n%s\n", title);
        for (int i = 0; i < n; i++) {
            printf("%s%*s", i ? "  " : "", i ? 14 : -30, heads[i]);
        }
        printf("\n");
    }
    t->first_table = false;
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
    memcpy(t->shown[t->n_cells], t->cell[t->n_cells], TABLE_CELL);
    t->number[t->n_cells++] = false;
}

void table_number(table *t, const char *format, double value)
{
    char *cell = t->cell[t->n_cells];
    char *shown = t->shown[t->n_cells];
    if (isfinite(value)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(shown, TABLE_CELL, format, value);
#pragma GCC diagnostic pop
    } else {
        snprintf(shown, TABLE_CELL, "-");
    }
    if (t->json) {
        snprintf(cell, TABLE_CELL, isfinite(value) ? "%.9g" : "null", value);
    } else {
        memcpy(cell, shown, TABLE_CELL);
    }
    t->number[t->n_cells++] = true;
}

void table_row(table *t)
{
    if (t->json) {
        printf("%s{", t->first_row ? "" : ", ");
    }
    for (int i = 0; i < t->n_cells; i++) {
        if (t->json) {
            printf("%s", i ? ", " : "");
            json_text(t->head[i]);
            printf(": ");
            if (t->number[i]) {
                printf("%s", t->cell[i]);
            } else {
                json_text(t->cell[i]);
            }
        } else {
            printf("%s%*s", i ? "  " : "", i ? 14 : -30, t->cell[i]);
        }
    }
    printf(t->json ? "}" : "\n");
    fflush(stdout);
    if (t->html) {
        table_page_row(t);
    }
    t->first_row = false;
    t->n_cells = 0;
}

void table_note(table *t, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!t->json) {
        printf("%s\n", line);
    }
    if (t->html) {
        table_page_note(t, line);
    }
}

void table_close(table *t)
{
    if (t->json) {
        printf("]}");
    }
    if (t->html) {
        table_page_close(t);
    }
}

void table_end(table *t)
{
    if (t->json) {
        printf("]}\n");
    }
    if (t->html) {
        table_page_end(t);
    }
}
