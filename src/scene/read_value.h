// Reads one value of a key: number, vector, choice, expression ...
#pragma once

#include "scene/read.h"

// node into *field, checked; not for the key types that hold sections. False with the error set.
bool tn_read_value(tn_reader *reader, const tn_key *key, const tn_node *node, void *field);
// What a key without default means when it is not said: NaN, or nothing at all.
void tn_read_absent(const tn_key *key, void *field);
