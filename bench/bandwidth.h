// What reading alone costs on this machine, and which memory level a working set lies in.
#pragma once

#include <stddef.h>

// One thread reading count doubles, the best of some repeats [GB/s].
double bandwidth_read(const double *data, size_t count, int repeats);
// The same for data of our own of this many bytes; NaN: no memory.
double bandwidth_of(size_t bytes);

typedef struct cache_sizes {
    size_t l2, l3; // [bytes] of one core; of all that share it
} cache_sizes;

// From /sys/devices/system/cpu; where it says nothing 1 MiB and 16 MiB, usual sizes.
cache_sizes bandwidth_caches(void);
