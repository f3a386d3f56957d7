// Where a page is, for people.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Prints the address of the server at that port, and how to end it; with `window` opens the desktop's browser there, if
// there is a desktop.
void cli_show_page(FILE *out, int port, const char *how_it_ends, bool window);
