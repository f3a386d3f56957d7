#include "kernels/point_rows.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

#include <string.h>

// Three numbers of each row; the lanes are the frame's three rows, and one of no meaning.
typedef struct three {
    quad x, y, z;
} three;

// The columns of nine numbers. Loads stay inside them.
TN_QUAD_INLINE three columns_of(const double *a)
{
    quad low = quad_load(a), middle = quad_load(a + 4), high = quad_load(a + 5);
    return (three){__builtin_shufflevector(low, middle, 0, 3, 6, 6), __builtin_shufflevector(low, middle, 1, 4, 7, 7),
                   __builtin_shufflevector(low, high, 2, 4, 7, 7)};
}

// Nine numbers of these columns.
TN_QUAD_INLINE void store_columns(double *out, three c)
{
    quad first = __builtin_shufflevector(c.x, c.y, 0, 4, 1, 5), then = __builtin_shufflevector(c.x, c.y, 5, 2, 6, 6);
    quad_store(out, __builtin_shufflevector(first, c.z, 0, 1, 4, 2));
    quad_store(out + 4, __builtin_shufflevector(then, c.z, 0, 5, 1, 2));
    out[8] = c.z[2];
}

TN_QUAD_INLINE quad turned(const double *column, three m)
{
    return column[0] * m.x + column[3] * m.y + column[6] * m.z;
}

TN_QUAD_INLINE void rows_wide(const double *frame, const double *rotation, const double *arm, double sign,
                              double *entry)
{
    quad_store(entry, quad_load(frame) * sign);
    quad_store(entry + 4, quad_load(frame + 4) * sign);
    entry[8] = sign * frame[8];
    three f = columns_of(frame);
    f = (three){f.x * sign, f.y * sign, f.z * sign};
    three m = {arm[1] * f.z - arm[2] * f.y, arm[2] * f.x - arm[0] * f.z, arm[0] * f.y - arm[1] * f.x};
    store_columns(entry + 9, (three){turned(rotation, m), turned(rotation + 1, m), turned(rotation + 2, m)});
}

// Row by row: without wide vectors shuffles go through memory.
TN_QUAD_INLINE void rows_narrow(const double *frame, const double *rotation, const double *arm, double sign,
                                double *entry)
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

TN_QUAD_INLINE void rows_body(bool wide, const double *frame, const double *rotation, const double *arm, double sign,
                              double *entry)
{
    if (wide) {
        rows_wide(frame, rotation, arm, sign, entry);
    } else {
        rows_narrow(frame, rotation, arm, sign, entry);
    }
}

TN_WIDE_VARIANTS(rows, (const double *frame, const double *rotation, const double *arm, double sign, double *entry),
                 frame, rotation, arm, sign, entry)

tn_point_rows_function *tn_point_rows_with(const char *kind)
{
    return TN_NAMED(rows, kind);
}

tn_point_rows_function *tn_point_rows_best(void)
{
    return TN_BEST(rows);
}
