// A quantity over the frames of a recording in a few numbers, and in few enough points to draw.
#pragma once

#include "tenon/error.h"

// NaN and infinite values are left out; all NaN (and worst -1) when none is left.
typedef struct tn_series_statistics {
    long n;              // finite values
    double median, mean; //
    double high;         // 95 % of the values are not above it (nearest rank)
    double max, sum;     //
    double first, last;  //
    long worst;          // index of the first value that equals max
} tn_series_statistics;

// Of values[from] to values[n - 1].
tn_status tn_series_summarize(long from, long n, const double *values, tn_series_statistics *out, tn_error *error);

// Two points for every `bucket` values: the least and the greatest of them, in the order in which they come (NaN where
// none is finite). bucket 1: the values themselves. Writes tn_series_thinned(n, bucket) values.
long tn_series_thinned(long n, long bucket);
void tn_series_thin(long n, const double *values, long bucket, double *out);
// The times that belong to these points: of the bucket's first value and of its middle.
void tn_series_thin_time(long n, const double *time, long bucket, double *out);
// The smallest bucket with which n values give at most n_max points.
long tn_series_bucket(long n, long n_max);
