#include "bandwidth.h"

#include "base/memory.h"
#include "base/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Eight vector sums, so that no addition waits for the one before; compiled for the best this processor has.
#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif
static double
read_sum(const double *data, size_t count)
{
    typedef double lanes __attribute__((vector_size(64)));
    const lanes *block = (const lanes *)data; // 64-byte aligned by the caller
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (size_t i = 0; i + 8 <= count / 8; i += 8) {
        s0 += block[i];
        s1 += block[i + 1];
        s2 += block[i + 2];
        s3 += block[i + 3];
        s4 += block[i + 4];
        s5 += block[i + 5];
        s6 += block[i + 6];
        s7 += block[i + 7];
    }
    s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7;
    return s0[0] + s0[1] + s0[2] + s0[3] + s0[4] + s0[5] + s0[6] + s0[7];
}

double bandwidth_read(const double *data, size_t count, int repeats)
{
    double best = 1e300;
    volatile double sink = 0.0; // keeps the sums alive
    for (int r = 0; r < repeats; r++) {
        double start = tn_timer_now();
        sink += read_sum(data, count);
        double seconds = tn_timer_now() - start;
        best = seconds < best ? seconds : best;
    }
    (void)sink;
    return (double)count * 8e-9 / best;
}

double bandwidth_of(size_t bytes)
{
    size_t count = bytes / sizeof(double);
    double *data = tn_aligned_malloc(count * sizeof *data);
    if (!data) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        data[i] = (double)(i % 16); // touch every page
    }
    double result = bandwidth_read(data, count, bytes > ((size_t)1 << 24) ? 8 : 400);
    tn_free(data);
    return result;
}

// Size of the cache of this level as Linux states it ("1024K"), or fallback.
static size_t cache_size(int level, size_t fallback)
{
    for (int index = 0; index < 8; index++) {
        char path[96], text[32];
        int found = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        FILE *file = fopen(path, "r");
        if (!file) {
            break;
        }
        found = fgets(text, sizeof text, file) && atoi(text) == level;
        fclose(file);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        file = found ? fopen(path, "r") : NULL;
        if (file) {
            char *unit = NULL;
            size_t size = fgets(text, sizeof text, file) ? strtoul(text, &unit, 10) : 0;
            fclose(file);
            size <<= !unit ? 0 : *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
            return size ? size : fallback;
        }
    }
    return fallback;
}

cache_sizes bandwidth_caches(void)
{
    return (cache_sizes){cache_size(2, (size_t)1 << 20), cache_size(3, (size_t)16 << 20)};
}
