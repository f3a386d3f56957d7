// Part of tenon bench plan: closed loops.
#pragma once

#include "bench.h"

// A task of control_closed.h by its name. Returns the number of failures.
int bench_plan_closed(const bench_options *options, table *t, const char *name);
int bench_plan_tune(const bench_options *options, table *t, const char *name); // settings of its rival
