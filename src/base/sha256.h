// SHA-256 (FIPS 180-4): tells whether two runs agree to the last bit, in records and in tests.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct tn_sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    unsigned char block[64]; // the last n_bytes % 64 bytes
} tn_sha256;

void tn_sha256_start(tn_sha256 *sha);
void tn_sha256_add(tn_sha256 *sha, const void *bytes, size_t size);
void tn_sha256_finish(tn_sha256 *sha, unsigned char digest[32]); // sha must be started again before the next use
void tn_sha256_hex(const unsigned char digest[32], char text[65]);
