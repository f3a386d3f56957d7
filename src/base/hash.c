#include "base/hash.h"

#include <string.h>

uint64_t tn_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

uint64_t tn_hash_doubles(uint64_t hash, const double *values, size_t count)
{
    return tn_hash_bytes(hash, values, count * sizeof *values);
}

uint64_t tn_hash_long(uint64_t hash, long long value)
{
    return tn_hash_bytes(hash, &value, sizeof value);
}

uint64_t tn_hash_text(uint64_t hash, const char *text)
{
    return tn_hash_bytes(hash, text, strlen(text) + 1);
}
