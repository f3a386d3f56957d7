// A printed table: title, column heads, rows of numbers or words; as aligned text or as JSON, stored as JSON, and as a
// web page.
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 24, TABLE_CELL = 40 };

typedef struct table {
    tn_json json; // out NULL: nobody wants it; standard output: instead of the text
    int n_columns;
    char head[TABLE_COLUMNS][TABLE_CELL];
    char cell[TABLE_COLUMNS][TABLE_CELL]; // as text
    double value[TABLE_COLUMNS];          // of numbers
    bool number[TABLE_COLUMNS];
    int n_cells;
    bool html; // the tables are gathered for a page
    tn_json page;
    char *page_text;  // of the page's block, once it is closed
    size_t page_size; // [bytes]
    char notes[4096]; // of the open table, each with its end of line
} table;

// Before the first table. json: where all of it goes as one object; NULL: nowhere.
void table_start(table *t, FILE *json);
// Before the first table too: keep all for a page with this title.
void table_start_page(table *t, const char *title);
void table_open(table *t, const char *title, int n, const char *const heads[]);
void table_word(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(table *t, const char *format, double value);                            // NaN prints as "-" and null
void table_row(table *t);                                                                 // end of a row
void table_note(table *t, const char *format, ...) __attribute__((format(printf, 2, 3))); // not in JSON
void table_close(table *t);
// After the last table. false: the JSON could not be written.
bool table_end(table *t);
// After table_end: write the page, see docs/cli.md. false: it cannot be written, and standard error says why.
bool table_write_page(table *t, const char *path);
