#include "table_page.h"
#include "base/machine.h"
#include "tenon/report.h"
#include "tenon/version.h"

#include <stdlib.h>
#include <string.h>

void table_start_page(table *t, const char *title)
{
    char machine[TN_MACHINE_SIZE];
    FILE *out = open_memstream(&t->page_text, &t->page_size);
    if (!out) {
        return; // table_write_page says so
    }
    t->html = true;
    t->page = (tn_json){.out = out, .first = true};
    tn_machine_describe(machine);
    tn_json_open(&t->page, NULL, '{');
    tn_json_text(&t->page, "format", "tenon tables");
    tn_json_integer(&t->page, "version", 1);
    tn_json_text(&t->page, "title", title);
    tn_json_text(&t->page, "tenon", TN_VERSION);
    tn_json_text(&t->page, "machine", machine);
    tn_json_open(&t->page, "tables", '[');
}

void table_page_open(table *t, const char *title)
{
    t->notes[0] = '\0';
    tn_json_open(&t->page, NULL, '{');
    tn_json_text(&t->page, "title", title);
    tn_json_open(&t->page, "heads", '[');
    for (int i = 0; i < t->n_columns; i++) {
        tn_json_text(&t->page, NULL, t->head[i]);
    }
    tn_json_close(&t->page, ']');
    tn_json_open(&t->page, "rows", '[');
}

void table_page_row(table *t)
{
    tn_json_open(&t->page, NULL, '{');
    tn_json_open(&t->page, "cells", '[');
    for (int i = 0; i < t->n_cells; i++) {
        tn_json_text(&t->page, NULL, t->cell[i]);
    }
    tn_json_close(&t->page, ']');
    tn_json_open(&t->page, "number", '[');
    for (int i = 0; i < t->n_cells; i++) {
        tn_json_bool(&t->page, NULL, t->number[i]);
    }
    tn_json_close(&t->page, ']');
    tn_json_close(&t->page, '}');
}

// Notes come while rows are written, and stand below them.
void table_page_close(table *t)
{
    tn_json_close(&t->page, ']');
    tn_json_open(&t->page, "notes", '[');
    for (char *note = t->notes, *end; (end = strchr(note, '\n')); note = end + 1) {
        *end = '\0';
        tn_json_text(&t->page, NULL, note);
    }
    tn_json_close(&t->page, ']');
    tn_json_close(&t->page, '}');
}

void table_page_note(table *t, const char *line)
{
    size_t used = strlen(t->notes);
    if (used + strlen(line) + 2 <= sizeof t->notes) {
        snprintf(t->notes + used, sizeof t->notes - used, "%s\n", line);
    }
}

void table_page_end(table *t)
{
    tn_json_close(&t->page, ']');
    tn_json_close(&t->page, '}');
    t->html = fclose(t->page.out) == 0;
}

bool table_write_page(table *t, const char *path)
{
    tn_error error = {0};
    size_t size = 0;
    bool whole = t->html && t->page_text;
    tn_status status = whole ? tn_report_write_tables(t->page_text, path, &size, &error)
                             : tn_error_set(&error, TN_NO_MEMORY, "no memory for %s", path);
    free(t->page_text);
    t->page_text = NULL;
    if (status != TN_OK) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
    } else if (t->json.out != stdout) {
        printf("\n%s: open it in a browser\n", path);
    }
    return status == TN_OK;
}
