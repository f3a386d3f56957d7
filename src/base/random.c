#include "base/random.h"

#include <math.h>

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t tn_random_u64(uint64_t seed, uint64_t stream, uint64_t counter)
{
    return mix(mix(mix(seed) ^ stream) ^ counter);
}

double tn_random_uniform(uint64_t seed, uint64_t stream, uint64_t counter)
{
    return (double)(tn_random_u64(seed, stream, counter) >> 11) * 0x1p-53;
}

double tn_random_normal(uint64_t seed, uint64_t stream, uint64_t counter)
{
    // Box-Muller; 1 - u keeps the logarithm finite.
    double radius = sqrt(-2.0 * log(1.0 - tn_random_uniform(seed, stream, 2 * counter)));
    return radius * cos(2.0 * 3.14159265358979323846 * tn_random_uniform(seed, stream, 2 * counter + 1));
}
