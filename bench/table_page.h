// The tables gathered for a web page (viewer/src/report): what table.c tells this part, only where a page is wanted.
#pragma once

#include "table.h"

void table_page_open(table *t, const char *title); // heads are set
void table_page_row(table *t);
void table_page_note(table *t, const char *line);
void table_page_close(table *t);
void table_page_end(table *t);
