// Formatted text to a caller's writer, and the sections of the tables in reading order: for reference and schema.
#pragma once

#include "scene/spec.h"
#include "tenon/scene.h"

enum { TN_SECTIONS_MAX = 80 };

typedef struct tn_printer {
    tn_text_writer write;
    void *user;
} tn_printer;

void tn_print(const tn_printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The root and all sections that it reaches, each once, parents first. Returns their number.
int tn_sections_list(const tn_section *root, const tn_section *list[TN_SECTIONS_MAX]);
