#include "kernels/point_rows.h"

#include <stddef.h>
#include <string.h>

// Four lanes: the frame's three rows, and one of no meaning.
typedef double lanes __attribute__((vector_size(32)));

#define TN_INLINE static inline __attribute__((always_inline))

TN_INLINE lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_INLINE void store(double *p, lanes x)
{
    memcpy(p, &x, sizeof x);
}

// Three numbers of each row.
typedef struct three {
    lanes x, y, z;
} three;

// The columns of nine numbers. Loads stay inside them.
TN_INLINE three columns_of(const double *a)
{
    lanes low = load(a), middle = load(a + 4), high = load(a + 5);
    return (three){__builtin_shufflevector(low, middle, 0, 3, 6, 6), __builtin_shufflevector(low, middle, 1, 4, 7, 7),
                   __builtin_shufflevector(low, high, 2, 4, 7, 7)};
}

// Nine numbers of these columns.
TN_INLINE void store_columns(double *out, three c)
{
    lanes first = __builtin_shufflevector(c.x, c.y, 0, 4, 1, 5), then = __builtin_shufflevector(c.x, c.y, 5, 2, 6, 6);
    store(out, __builtin_shufflevector(first, c.z, 0, 1, 4, 2));
    store(out + 4, __builtin_shufflevector(then, c.z, 0, 5, 1, 2));
    out[8] = c.z[2];
}

TN_INLINE lanes turned(const double *column, three m)
{
    return column[0] * m.x + column[3] * m.y + column[6] * m.z;
}

TN_INLINE void rows_wide(const double *frame, const double *rotation, const double *arm, double sign, double *entry)
{
    store(entry, load(frame) * sign);
    store(entry + 4, load(frame + 4) * sign);
    entry[8] = sign * frame[8];
    three f = columns_of(frame);
    f = (three){f.x * sign, f.y * sign, f.z * sign};
    three m = {arm[1] * f.z - arm[2] * f.y, arm[2] * f.x - arm[0] * f.z, arm[0] * f.y - arm[1] * f.x};
    store_columns(entry + 9, (three){turned(rotation, m), turned(rotation + 1, m), turned(rotation + 2, m)});
}

// Row by row: without wide vectors shuffles go through memory.
static void rows_baseline(const double *frame, const double *rotation, const double *arm, double sign, double *entry)
{
    for (int i = 0; i < 3; i++) {
        double *f = entry + 3 * i, *turned = entry + 9 + 3 * i;
        for (int k = 0; k < 3; k++) {
            f[k] = sign * frame[3 * i + k];
        }
        double m[3] = {arm[1] * f[2] - arm[2] * f[1], arm[2] * f[0] - arm[0] * f[2], arm[0] * f[1] - arm[1] * f[0]};
        for (int k = 0; k < 3; k++) {
            turned[k] = rotation[k] * m[0] + rotation[3 + k] * m[1] + rotation[6 + k] * m[2];
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void rows_avx2(const double *frame, const double *rotation, const double *arm,
                                                      double sign, double *entry)
{
    rows_wide(frame, rotation, arm, sign, entry);
}

// Vectors are as wide as with AVX2, but a shuffle of two is one instruction.
__attribute__((target("avx512f,avx512vl"))) static void rows_avx512(const double *frame, const double *rotation,
                                                                    const double *arm, double sign, double *entry)
{
    rows_wide(frame, rotation, arm, sign, entry);
}
#endif

tn_point_rows_function *tn_point_rows_with(const char *kind)
{
#if defined(__x86_64__)
    if (strcmp(kind, "avx512") == 0) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? rows_avx512 : NULL;
    }
    if (strcmp(kind, "avx2") == 0) {
        return __builtin_cpu_supports("avx2") ? rows_avx2 : NULL;
    }
#endif
    return strcmp(kind, "baseline") == 0 ? rows_baseline : NULL;
}

tn_point_rows_function *tn_point_rows_best(void)
{
    tn_point_rows_function *best = tn_point_rows_with("avx512");
    best = best ? best : tn_point_rows_with("avx2");
    return best ? best : rows_baseline;
}
