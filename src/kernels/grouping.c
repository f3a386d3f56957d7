#include "kernels/grouping.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 2 }; // of moving nodes to the nearest centre

bool tn_grouping_create(tn_grouping *w, const tn_blocks *A, const double *place, int *of_row, tn_arena *arena)
{
    size_t n_rows = (size_t)A->n_rows;
    *w = (tn_grouping){.A = A, .place = place, .of_row = of_row};
    w->is_node = TN_PUSH(arena, bool, n_rows);
    w->was_front = TN_PUSH(arena, bool, n_rows);
    w->queue = TN_PUSH(arena, int, n_rows);
    w->stamp = TN_PUSH(arena, int, n_rows);
    w->front = TN_PUSH(arena, int, n_rows);
    w->count = TN_PUSH(arena, int, n_rows);
    w->centre = TN_PUSH(arena, double, 4 * n_rows);
    return w->is_node && w->was_front && w->queue && w->stamp && w->front && w->count && w->centre;
}

// Grow group `g` around seed by breadth-first search to at most `size` nodes; what is seen beyond joins the front.
static int grow_one(tn_grouping *w, int seed, int g, int size)
{
    int head = 0, tail = 0, n = 0;
    w->queue[tail++] = seed;
    w->stamp[seed] = g;
    while (head < tail && n < size) {
        int i = w->queue[head++];
        w->of_row[i] = g;
        n++;
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int j = w->A->column[e];
            if (w->is_node[j] && w->of_row[j] < 0 && w->stamp[j] != g) {
                w->stamp[j] = g;
                w->queue[tail++] = j;
            }
        }
    }
    for (; head < tail; head++) {
        if (!w->was_front[w->queue[head]]) {
            w->was_front[w->queue[head]] = true;
            w->front[w->n_front++] = w->queue[head];
        }
    }
    return n;
}

// A group of too few nodes joins the first neighbour that has a group. False: it has none.
static bool join_neighbour(tn_grouping *w, int g, int n)
{
    for (int q = 0; q < n; q++) {
        int i = w->queue[q];
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int other = w->is_node[w->A->column[e]] ? w->of_row[w->A->column[e]] : -1;
            if (other >= 0 && other != g) {
                for (int k = 0; k < n; k++) {
                    w->of_row[w->queue[k]] = other;
                }
                return true;
            }
        }
    }
    return false;
}

static int next_seed(tn_grouping *w, int *lowest)
{
    while (w->front_next < w->n_front) {
        int i = w->front[w->front_next++];
        if (w->of_row[i] < 0) {
            return i;
        }
    }
    while (*lowest < w->A->n_rows && (!w->is_node[*lowest] || w->of_row[*lowest] >= 0)) {
        (*lowest)++;
    }
    return *lowest < w->A->n_rows ? *lowest : -1;
}

static void grow_from_seeds(tn_grouping *w, int size)
{
    int lowest = 0;
    for (int seed; (seed = next_seed(w, &lowest)) >= 0;) {
        int n = grow_one(w, seed, w->n, size);
        if (3 * n > size || !join_neighbour(w, w->n, n)) {
            w->n++;
        }
    }
}

static void find_centres(tn_grouping *w)
{
    memset(w->count, 0, (size_t)w->n * sizeof *w->count);
    memset(w->centre, 0, 3 * (size_t)w->n * sizeof *w->centre);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            w->count[w->of_row[i]]++;
            tn_vec3_add(w->centre + 3 * w->of_row[i], w->centre + 3 * w->of_row[i], w->place + 3 * i);
        }
    }
    for (int g = 0; g < w->n; g++) {
        tn_vec3_scale(w->centre + 3 * g, 1.0 / fmax(w->count[g], 1), w->centre + 3 * g);
    }
}

static double distance_square(const tn_grouping *w, int row, int group)
{
    double d[3];
    tn_vec3_sub(d, w->place + 3 * row, w->centre + 3 * group);
    return tn_vec3_dot(d, d);
}

// Every node moves to the group of a neighbour whose centre is nearer than its own: rounder groups.
static void round_off(tn_grouping *w)
{
    find_centres(w);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (!w->is_node[i] || w->count[w->of_row[i]] < 2) {
            continue;
        }
        int best = w->of_row[i];
        double least = distance_square(w, i, best);
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int j = w->A->column[e];
            if (w->is_node[j] && w->of_row[j] != best) {
                double d = distance_square(w, i, w->of_row[j]);
                best = d < least ? w->of_row[j] : best;
                least = fmin(d, least);
            }
        }
        if (best != w->of_row[i]) {
            w->count[w->of_row[i]]--;
            w->count[best]++;
            w->of_row[i] = best;
        }
    }
}

// Drop the numbers of groups that lost all their nodes.
static void compress(tn_grouping *w)
{
    memset(w->count, 0, (size_t)w->n * sizeof *w->count);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            w->count[w->of_row[i]] = 1;
        }
    }
    int n = 0;
    for (int g = 0; g < w->n; g++) {
        int used = w->count[g];
        w->count[g] = n;
        n += used;
    }
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            w->of_row[i] = w->count[w->of_row[i]];
        }
    }
    w->n = n;
}

void tn_grouping_grow(tn_grouping *w, int size)
{
    size_t n_rows = (size_t)w->A->n_rows;
    memset(w->of_row, -1, n_rows * sizeof *w->of_row);
    memset(w->stamp, -1, n_rows * sizeof *w->stamp);
    memset(w->was_front, 0, n_rows * sizeof *w->was_front);
    w->n = w->n_front = w->front_next = 0;
    grow_from_seeds(w, size);
    for (int k = 0; k < ROUNDS && w->place; k++) {
        round_off(w);
    }
    compress(w);
    if (w->place) {
        find_centres(w);
    }
}
