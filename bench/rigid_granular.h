// Cases of `tenon bench rigid --only granular`; all return the number of failures.
#pragma once

#include "bench.h"

int granular_hopper(const bench_options *options, table *t); // G03
int granular_repose(const bench_options *options, table *t); // G04
