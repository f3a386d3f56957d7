// What libFuzzer calls, and what replay.c calls without it. Returns 0; a property that does not hold aborts.
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
