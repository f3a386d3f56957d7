// Text of others (titles, names, paths) made fit for a terminal.
#pragma once

// Replace by '?' in place whatever could steer a terminal: control characters of ASCII but tab and newline, those of
// Unicode (U+0080 to U+009F), and bytes that are no UTF-8, which some terminals take for controls. Returns text.
char *tn_text_printable(char *text);
