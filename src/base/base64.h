// Base64 (RFC 4648) on a stream, as much at a time as there is.
#pragma once

#include <stddef.h>
#include <stdio.h>

typedef struct tn_base64 {
    FILE *out;
    unsigned char held[3];
    int n_held;
} tn_base64;

void tn_base64_put(tn_base64 *b, const void *data, size_t n);
void tn_base64_end(tn_base64 *b); // the last one or two bytes
