#include "kernels/nodal/grouping.h"

#include <string.h>

enum { LATER = -2 }; // of_row of a part that is to join another

bool tn_grouping_create(tn_grouping *w, const tn_blocks *A, const double *place, int *of_row, tn_arena *arena)
{
    size_t n_rows = (size_t)A->n_rows;
    *w = (tn_grouping){.A = A, .place = place, .of_row = of_row};
    w->is_node = TN_PUSH(arena, bool, n_rows);
    w->was_front = TN_PUSH(arena, bool, n_rows);
    w->queue = TN_PUSH(arena, int, n_rows);
    w->stamp = TN_PUSH(arena, int, n_rows);
    w->front = TN_PUSH(arena, int, n_rows);
    w->section = TN_PUSH(arena, int, place ? n_rows : 0);
    w->nodes = TN_PUSH(arena, tn_section_node, place ? n_rows : 0);
    return w->is_node && w->was_front && w->queue && w->stamp && w->front && w->section && w->nodes;
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

// Sections of every connected body, in w->nodes one after the other.
static void cut_into_sections(tn_grouping *w, int size)
{
    int n_nodes = 0, n_sections = 0;
    for (int seed = 0; seed < w->A->n_rows; seed++) {
        if (!w->is_node[seed] || w->stamp[seed] >= 0) {
            continue;
        }
        int head = 0, tail = 0, first = n_nodes;
        w->queue[tail++] = seed;
        w->stamp[seed] = 0;
        while (head < tail) {
            int i = w->queue[head++];
            w->nodes[n_nodes++].row = i;
            for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
                int j = w->A->column[e];
                if (w->is_node[j] && w->stamp[j] < 0) {
                    w->stamp[j] = 0;
                    w->queue[tail++] = j;
                }
            }
        }
        n_sections += tn_sections_cut(n_nodes - first, w->nodes + first, w->place, size, n_sections, w->section);
    }
    w->n_nodes = n_nodes;
}

// The connected part of seed's section, as group g in w->queue. Returns its nodes.
static int take_part(tn_grouping *w, int seed, int g)
{
    int head = 0, tail = 0;
    w->queue[tail++] = seed;
    w->of_row[seed] = g;
    while (head < tail) {
        int i = w->queue[head++];
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int j = w->A->column[e];
            if (w->is_node[j] && w->of_row[j] < 0 && w->section[j] == w->section[seed]) {
                w->of_row[j] = g;
                w->queue[tail++] = j;
            }
        }
    }
    return tail;
}

// Each connected part of a section is a group, small ones part of another.
static void group_sections(tn_grouping *w, int size)
{
    cut_into_sections(w, size);
    for (int k = 0; k < w->n_nodes; k++) {
        if (w->of_row[w->nodes[k].row] < 0) {
            int n = take_part(w, w->nodes[k].row, w->n);
            bool small = 3 * n <= size;
            for (int q = 0; q < n && small; q++) {
                w->of_row[w->queue[q]] = LATER;
            }
            w->n += !small;
        }
    }
    for (int k = 0; k < w->n_nodes; k++) {
        if (w->of_row[w->nodes[k].row] == LATER) {
            int n = take_part(w, w->nodes[k].row, w->n);
            w->n += !join_neighbour(w, w->n, n);
        }
    }
}

void tn_grouping_grow(tn_grouping *w, int size)
{
    size_t n_rows = (size_t)w->A->n_rows;
    memset(w->of_row, -1, n_rows * sizeof *w->of_row);
    memset(w->stamp, -1, n_rows * sizeof *w->stamp);
    memset(w->was_front, 0, n_rows * sizeof *w->was_front);
    w->n = w->n_front = w->front_next = 0;
    if (w->place) {
        group_sections(w, size);
    } else {
        grow_from_seeds(w, size);
    }
}
