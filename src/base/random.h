// Counter-based random numbers: the value is a pure function of (seed, stream, counter), so a
// scene's placement does not depend on order, threads or history. splitmix64's mixer (Steele,
// Lea, Flood 2014) applied to the combined counter.
#pragma once

#include <stdint.h>

uint64_t tn_random_u64(uint64_t seed, uint64_t stream, uint64_t counter);
double tn_random_uniform(uint64_t seed, uint64_t stream, uint64_t counter); // [0, 1), 53 bits
double tn_random_normal(uint64_t seed, uint64_t stream, uint64_t counter);  // mean 0, variance 1
