// Orders for qsort and bsearch.
#pragma once

// a before b: -1, after: 1, else 0.
#define TN_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline int tn_order_ints(const void *a, const void *b)
{
    return TN_ORDER(*(const int *)a, *(const int *)b);
}

static inline int tn_order_doubles(const void *a, const void *b)
{
    return TN_ORDER(*(const double *)a, *(const double *)b);
}

// The first place in [low, high) of an ascending list whose number is at least `wanted`; high: none.
static inline int tn_order_first(const int *list, int low, int high, int wanted)
{
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The first of n numbers that differs decides.
static inline int tn_order_lists(int n, const int *a, const int *b)
{
    int i = 0;
    while (i < n - 1 && a[i] == b[i]) {
        i++;
    }
    return TN_ORDER(a[i], b[i]);
}
