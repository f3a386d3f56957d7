// A k-d tree of unit vectors (normals.h): ranges of an array, each split at its middle along the axis of its largest
// extent, down to LEAF vectors that are looked at one by one.
#include "shape/normals.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 16 };
static const double ROUNDING = 1e-12; // of squared distances

typedef struct place {
    double at[3];
    int number;
} place;

static int by_x(const void *a, const void *b)
{
    const double x = ((const place *)a)->at[0], y = ((const place *)b)->at[0];
    return (x > y) - (x < y);
}

static int by_y(const void *a, const void *b)
{
    const double x = ((const place *)a)->at[1], y = ((const place *)b)->at[1];
    return (x > y) - (x < y);
}

static int by_z(const void *a, const void *b)
{
    const double x = ((const place *)a)->at[2], y = ((const place *)b)->at[2];
    return (x > y) - (x < y);
}

static int widest_axis(const place *places, int from, int to)
{
    int widest = 0;
    double most = -1.0;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = from; k < to; k++) {
            low = fmin(low, places[k].at[i]);
            high = fmax(high, places[k].at[i]);
        }
        widest = high - low > most ? i : widest;
        most = fmax(most, high - low);
    }
    return widest;
}

static void split(place *places, uint8_t *axis, double *value, int from, int to)
{
    static int (*const orders[])(const void *, const void *) = {by_x, by_y, by_z};
    if (to - from <= LEAF) {
        return;
    }
    const int middle = (from + to) / 2, widest = widest_axis(places, from, to);
    qsort(places + from, (size_t)(to - from), sizeof *places, orders[widest]);
    axis[middle] = (uint8_t)widest;
    value[middle] = places[middle].at[widest];
    split(places, axis, value, from, middle);
    split(places, axis, value, middle, to);
}

bool tn_normals_create(int n, const double *normal, int stride, tn_arena *arena, tn_normals *out)
{
    int *number = TN_PUSH(arena, int, n);
    double *at = TN_PUSH(arena, double, 3 * (size_t)n), *value = TN_PUSH(arena, double, n);
    uint8_t *axis = TN_PUSH(arena, uint8_t, n);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    place *places = TN_PUSH(arena, place, n);
    if (!number || !at || !value || !axis || !places) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        tn_vec3_copy(places[i].at, normal + (size_t)i * (size_t)stride);
        places[i].number = i;
    }
    split(places, axis, value, 0, n);
    for (int i = 0; i < n; i++) {
        tn_vec3_copy(at + 3 * (size_t)i, places[i].at);
        number[i] = places[i].number;
    }
    tn_arena_release(arena, mark);
    *out = (tn_normals){.n = n, .number = number, .at = at, .axis = axis, .value = value};
    return true;
}

typedef struct search {
    const tn_normals *of;
    const double *d;
    double cosine;
    int best;
} search;

static void look(search *s, int from, int to)
{
    if (to - from <= LEAF) {
        for (int i = from; i < to; i++) {
            const double here = tn_vec3_dot(s->d, s->of->at + 3 * (size_t)i);
            const int number = s->of->number[i];
            if (here > s->cosine || (here == s->cosine && number < s->best)) {
                s->cosine = here;
                s->best = number;
            }
        }
        return;
    }
    const int middle = (from + to) / 2, axis = s->of->axis[middle];
    const double off = s->d[axis] - s->of->value[middle];
    look(s, off < 0.0 ? from : middle, off < 0.0 ? middle : to);
    if (off * off <= 2.0 - 2.0 * s->cosine + ROUNDING) { // |n - d|^2 of unit vectors
        look(s, off < 0.0 ? middle : from, off < 0.0 ? to : middle);
    }
}

int tn_normals_nearest(const tn_normals *normals, const double d[3], double *cosine)
{
    search s = {.of = normals, .d = d, .cosine = -INFINITY, .best = normals->n};
    look(&s, 0, normals->n);
    *cosine = s.cosine;
    return s.best;
}
