#include "scene/print.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>

void tn_print(const tn_printer *printer, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    TN_ASSERT(length >= 0 && length < (int)sizeof text);
    printer->write(printer->user, text, (size_t)length);
}

static int add_section(const tn_section *section, const tn_section *list[TN_SECTIONS_MAX], int n)
{
    for (int i = 0; i < n; i++) {
        if (list[i] == section) {
            return n;
        }
    }
    TN_ASSERT(n < TN_SECTIONS_MAX);
    list[n++] = section;
    for (int i = 0; i < section->n_keys; i++) {
        const tn_key *key = &section->keys[i];
        if (key->section && key->type != TN_KEY_DEFAULTS) {
            n = add_section(key->section, list, n);
        }
    }
    return n;
}

int tn_sections_list(const tn_section *root, const tn_section *list[TN_SECTIONS_MAX])
{
    return add_section(root, list, 0);
}
