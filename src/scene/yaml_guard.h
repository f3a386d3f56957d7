// What the YAML library must not see, found by fuzzing it, and what it says little about: files that are no text.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>
#include <stddef.h>

// Refuses a text that libfyaml 0.7.12 does not survive: directives (lines that begin with '%'), some of which it scans
// for ever; and bytes that are not UTF-8. False with the error set.
bool tn_yaml_guard(const char *text, size_t length, const char *file, tn_error *error);
