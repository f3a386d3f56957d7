// A printed table: title, column heads, rows of numbers or words; as aligned text or as JSON.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 16, TABLE_CELL = 40 };

typedef struct table {
    bool json;
    bool first_row, first_table;
    int n_columns;
    char head[TABLE_COLUMNS][TABLE_CELL];
    char cell[TABLE_COLUMNS][TABLE_CELL];
    bool number[TABLE_COLUMNS];
    int n_cells;
} table;

void table_start(table *t, bool json); // before the first table
void table_open(table *t, const char *title, int n, const char *const heads[]);
void table_word(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(table *t, const char *format, double value);                            // NaN prints as "-" and null
void table_row(table *t);                                                                 // end of a row
void table_note(table *t, const char *format, ...) __attribute__((format(printf, 2, 3))); // text only
void table_close(table *t);
void table_end(table *t); // after the last table
