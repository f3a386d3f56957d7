// 64-bit hash of bytes (FNV-1a, Fowler-Noll-Vo): guards checkpoints and compares states in tests. Not cryptographic.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TN_HASH_START UINT64_C(14695981039346656037)

uint64_t tn_hash_bytes(uint64_t hash, const void *bytes, size_t size); // hash: TN_HASH_START or a hash to go on with
uint64_t tn_hash_doubles(uint64_t hash, const double *values, size_t count);
uint64_t tn_hash_long(uint64_t hash, long long value);
uint64_t tn_hash_text(uint64_t hash, const char *text); // with the final NUL, so that "ab","c" differs from "a","bc"
