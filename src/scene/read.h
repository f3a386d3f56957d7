// Reads a map by its table (spec.h) into a struct.
#pragma once

#include "scene/spec.h"

typedef struct tn_reader {
    tn_arena *storage; // lives as long as the scene: texts, expressions, arrays
    tn_arena *scratch; // lives while reading: tree and raw structs
    tn_error *error;
    tn_remark **remarks;     // where remarks go; NULL: nowhere
    const char *coordinates; // that the scene says, for robots' files; NULL: not yet known, or the default
    tn_node *gravity;        // likewise; NULL: what the file says
    int n_set;               // overrides, which robots' files want to know before there is a scene
    const char *const *set;
} tn_reader;

// node, a map or the section's shorthand, into the struct at target (section->size zeroed bytes): every key checked for
// type, unit and range, defaults filled in. False with the error set.
bool tn_section_read(tn_reader *reader, const tn_section *section, const tn_node *node, void *target);

// Only the names of the keys of map are checked.
bool tn_section_check_names(tn_reader *reader, const tn_section *section, const tn_node *map);

// Error at node: "'what' must be ..., not <node>". Always false.
bool tn_read_type_error(tn_reader *reader, const tn_node *node, const char *what, const char *wanted);
// Error with a free text at a place. Always false.
bool tn_read_error(tn_reader *reader, tn_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
// A remark on what was read but counts otherwise than it says; the same text is kept once.
void tn_read_remark(tn_reader *reader, tn_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool tn_read_no_memory(tn_reader *reader); // always false
// "; did you mean 'x'?" or "".
const char *tn_read_hint(const char *nearest, char *text, size_t size);
