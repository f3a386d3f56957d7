#include "view/statistics.h"
#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// sorted: n > 0 values in tn_order_doubles order.
static void set_ranks(long n, const double *sorted, tn_series_statistics *out)
{
    out->median = n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
    out->high = sorted[(95 * n + 99) / 100 - 1];
    out->max = sorted[n - 1];
}

tn_status tn_series_summarize(long from, long n, const double *values, tn_series_statistics *out, tn_error *error)
{
    *out = (tn_series_statistics){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -1};
    double *sorted = tn_calloc(n > from ? (size_t)(n - from) : 1, sizeof *sorted);
    if (!sorted) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the statistics of %ld frames", n);
    }
    double sum = 0.0;
    for (long k = from; k < n; k++) {
        if (!isfinite(values[k])) {
            continue;
        }
        out->first = out->n == 0 ? values[k] : out->first;
        out->last = values[k];
        out->worst = out->worst < 0 || values[k] > values[out->worst] ? k : out->worst;
        sum += values[k];
        sorted[out->n++] = values[k];
    }
    if (out->n > 0) {
        qsort(sorted, (size_t)out->n, sizeof *sorted, tn_order_doubles);
        set_ranks(out->n, sorted, out);
        out->sum = sum;
        out->mean = sum / (double)out->n;
    }
    tn_free(sorted);
    return TN_OK;
}

long tn_series_bucket(long n, long n_max)
{
    return n <= n_max ? 1 : (2 * n + n_max - 1) / n_max;
}

long tn_series_thinned(long n, long bucket)
{
    return bucket == 1 ? n : 2 * ((n + bucket - 1) / bucket);
}

void tn_series_thin(long n, const double *values, long bucket, double *out)
{
    for (long first = 0; first < n; first += bucket) {
        if (bucket == 1) {
            *out++ = values[first];
            continue;
        }
        long end = first + bucket < n ? first + bucket : n, low = -1, high = -1;
        for (long k = first; k < end; k++) {
            if (isfinite(values[k])) {
                low = low < 0 || values[k] < values[low] ? k : low;
                high = high < 0 || values[k] > values[high] ? k : high;
            }
        }
        bool rises = low <= high;
        *out++ = low < 0 ? NAN : values[rises ? low : high];
        *out++ = low < 0 ? NAN : values[rises ? high : low];
    }
}

void tn_series_thin_time(long n, const double *time, long bucket, double *out)
{
    for (long first = 0; first < n; first += bucket) {
        *out++ = time[first];
        if (bucket > 1) {
            long middle = first + bucket / 2;
            *out++ = time[middle < n ? middle : n - 1];
        }
    }
}
