// Orderings of A's rows for the sliced format.
#include "kernels/sell.h"

#include <stdint.h>
#include <string.h>

enum {
    LANES = TN_SELL_LANES,
    WINDOW = 256,    // rows that are sorted among themselves, at most: little padding, near rows stay near
    TEAM = 8,        // threads whose equal parts of a colour no such window crosses
    TEAM_ROWS = 384, // in colours of so many rows
    COLOURS_MAX = 64 // a row whose neighbours have them all gets a colour of its own
};

static int row_length(const tn_blocks *A, int row)
{
    return A->start[row + 1] - A->start[row];
}

// The emptiest colour that no neighbour has among those in use, else a new one. Rows not in `large` get -1.
static int colour_rows(const tn_blocks *A, const bool *large, int *colour)
{
    int n_colours = 0, used[COLOURS_MAX] = {0};
    memset(colour, -1, (size_t)A->n_rows * sizeof *colour);
    for (int i = 0; i < A->n_rows; i++) {
        if (!large[i]) {
            continue;
        }
        bool taken[COLOURS_MAX] = {false};
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            int other = colour[A->column[e]];
            if (other >= 0 && other < COLOURS_MAX) {
                taken[other] = true;
            }
        }
        int best = n_colours;
        for (int c = 0; c < n_colours && c < COLOURS_MAX; c++) {
            if (!taken[c] && (best == n_colours || used[c] < used[best])) {
                best = c;
            }
        }
        n_colours += best == n_colours;
        colour[i] = best;
        if (best < COLOURS_MAX) {
            used[best]++;
        }
    }
    return n_colours;
}

// Sort rows (n) by falling length, those of equal length in their order: a counting sort.
static void sort_by_length(const tn_blocks *A, int n, int *rows, int *scratch, int *count, int longest)
{
    memset(count, 0, ((size_t)longest + 2) * sizeof *count);
    for (int k = 0; k < n; k++) {
        count[longest - row_length(A, rows[k]) + 1]++;
    }
    for (int k = 0; k < longest; k++) {
        count[k + 1] += count[k];
    }
    for (int k = 0; k < n; k++) {
        scratch[count[longest - row_length(A, rows[k])]++] = rows[k];
    }
    memcpy(rows, scratch, (size_t)n * sizeof *rows);
}

// Groups of rows that begin on a slice of their own: the colours (one if plain), then the rows of small components.
typedef struct groups {
    int n;
    int *start; // (n + 1) first of each in rows
    int *rows;  // (n_rows)
} groups;

// Windows of a colour of n rows.
static int count_windows(int n)
{
    return n < TEAM_ROWS ? (n + WINDOW - 1) / WINDOW : TEAM * ((n + TEAM * WINDOW - 1) / (TEAM * WINDOW));
}

// First row of window k; windows begin with a slice.
static int window_start(int n, int k)
{
    int n_windows = count_windows(n), start = (int)((int64_t)((n + LANES - 1) / LANES) * k / n_windows) * LANES;
    return start < n ? start : n;
}

// group (n_rows): the number of each row's group, of n. Rows come out by group, long ones first, else in the order of
// near.
static bool sort_groups(const tn_blocks *A, int n, const int *group, const int *near, tn_arena *arena, groups *out)
{
    int longest = 0;
    for (int i = 0; i < A->n_rows; i++) {
        longest = row_length(A, i) > longest ? row_length(A, i) : longest;
    }
    *out = (groups){.n = n, .start = TN_PUSH(arena, int, n + 1), .rows = TN_PUSH(arena, int, A->n_rows)};
    int *scratch = TN_PUSH(arena, int, A->n_rows), *count = TN_PUSH(arena, int, longest + 2);
    int *next = TN_PUSH(arena, int, n + 1);
    if (!out->start || !out->rows || !scratch || !count || !next) {
        return false;
    }
    for (int i = 0; i < A->n_rows; i++) {
        out->start[group[i] + 1]++;
    }
    for (int g = 0; g < n; g++) {
        out->start[g + 1] += out->start[g];
        next[g + 1] = out->start[g + 1];
    }
    for (int k = 0; k < A->n_rows; k++) {
        int row = near ? near[k] : k;
        out->rows[next[group[row]]++] = row;
    }
    for (int g = 0; g < n; g++) {
        int size = out->start[g + 1] - out->start[g];
        for (int k = 0; k < count_windows(size); k++) {
            int begin = window_start(size, k), end = window_start(size, k + 1);
            sort_by_length(A, end - begin, out->rows + out->start[g] + begin, scratch, count, longest);
        }
    }
    return true;
}

static int slices_of(int n_rows)
{
    return (n_rows + LANES - 1) / LANES;
}

// Rows to lanes. lane (n_rows), row (n_slices, 8) and start (n_slices + 1) come zeroed.
static void cut_slices(const tn_blocks *A, const groups *g, int *lane, int *row, int *start)
{
    int slice = 0;
    for (int k = 0; k < g->n; k++) {
        int n = g->start[k + 1] - g->start[k], n_slices = slices_of(n);
        for (int i = 0; i < LANES * n_slices; i++) {
            int at = LANES * slice + i;
            row[at] = i < n ? g->rows[g->start[k] + i] : -1;
            if (i < n) {
                int length = row_length(A, row[at]), *widest = &start[at / LANES + 1];
                lane[row[at]] = at;
                *widest = length > *widest ? length : *widest;
            }
        }
        slice += n_slices;
    }
    for (int s = 0; s < slice; s++) {
        start[s + 1] += start[s];
    }
}

// Blocks of one row to its lane, the diagonal first; of coloured rows then those of later colours.
static void place_row(const tn_blocks *A, const tn_ordering *o, int at, int *place, int *source)
{
    int row = o->row[at], first = o->start[at / LANES], n = o->start[at / LANES + 1] - first, used = 0;
    int *to = source + LANES * (size_t)first + at % LANES, *x = place + LANES * (size_t)first + at % LANES;
    for (int k = 0; k < n; k++) {
        to[LANES * k] = -1;
        x[LANES * k] = 4 * at;
    }
    for (int turn = 0; row >= 0 && turn < 3; turn++) {
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            bool later = o->n_colours == 0 || o->lane[A->column[e]] > at;
            if (turn == (A->column[e] == row ? 0 : later ? 1 : 2)) {
                to[LANES * used] = e;
                x[LANES * used] = 4 * o->lane[A->column[e]];
                used++;
            }
        }
    }
}

// later_start and later_place. False: no memory.
static bool find_later(tn_ordering *o, tn_arena *arena)
{
    int *start = TN_PUSH(arena, int, o->n_slices + 1);
    for (int s = 0; start && s < o->n_slices; s++) {
        int most = 0;
        for (int q = o->start[s]; q < o->start[s + 1]; q++) {
            for (int lane = 0; lane < LANES; lane++) {
                size_t at = LANES * (size_t)q + (size_t)lane;
                most = o->source[at] >= 0 && o->place[at] >= 4 * (LANES * s + lane) ? q - o->start[s] + 1 : most;
            }
        }
        start[s + 1] = start[s] + most;
    }
    int *place = start ? TN_PUSH(arena, int, LANES *(size_t)start[o->n_slices]) : NULL;
    for (int s = 0; place && s < o->n_slices; s++) {
        for (int i = 0; i < LANES * (start[s + 1] - start[s]); i++) {
            size_t at = LANES * (size_t)o->start[s] + (size_t)i;
            bool later = o->source[at] >= 0 && o->place[at] >= 4 * (LANES * s + i % LANES);
            place[LANES * (size_t)start[s] + (size_t)i] = later ? o->place[at] : 4 * LANES * o->n_slices;
        }
    }
    o->later_start = start;
    o->later_place = place;
    return place != NULL;
}

// The group of each row, and the number of groups: colours (or all in one), then what is not large.
static int find_groups(const tn_blocks *A, bool coloured, const bool *large, int *group)
{
    int n = coloured ? colour_rows(A, large, group) : 1;
    for (int i = 0; i < A->n_rows; i++) {
        group[i] = large[i] ? (coloured ? group[i] : 0) : n;
    }
    return n + 1;
}

static bool make_lanes(const tn_blocks *A, const groups *g, tn_arena *arena, tn_ordering *o)
{
    int *colour_start = TN_PUSH(arena, int, g->n);
    for (int k = 0; k < g->n; k++) {
        if (colour_start) {
            colour_start[k] = o->n_slices;
        }
        o->n_large = o->n_slices;
        o->n_slices += slices_of(g->start[k + 1] - g->start[k]);
    }
    int *lane = TN_PUSH(arena, int, A->n_rows), *row = TN_PUSH(arena, int, LANES * o->n_slices);
    int *start = TN_PUSH(arena, int, o->n_slices + 1);
    if (!colour_start || !lane || !row || !start) {
        return false;
    }
    cut_slices(A, g, lane, row, start);
    o->colour_start = colour_start;
    o->lane = lane;
    o->row = row;
    o->start = start;
    return true;
}

// near as for a layout.
static tn_status create_ordering(const tn_blocks *A, const tn_parts *parts, bool coloured, const int *near,
                                 tn_arena *arena, tn_ordering *out)
{
    // What stays is pushed after scratch; that scratch stays too, a few numbers a row.
    bool *large = TN_PUSH(arena, bool, A->n_rows);
    int *group = TN_PUSH(arena, int, A->n_rows);
    if (!large || !group) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < A->n_rows; i++) {
        large[i] = tn_part_form_of(parts, parts->of_block[i]) == TN_PART_SPARSE;
    }
    int n_groups = find_groups(A, coloured, large, group);
    groups g;
    *out = (tn_ordering){.n_rows = A->n_rows, .n_colours = coloured ? n_groups - 1 : 0};
    if (!sort_groups(A, n_groups, group, near, arena, &g) || !make_lanes(A, &g, arena, out)) {
        return TN_NO_MEMORY;
    }
    size_t n = LANES * (size_t)out->start[out->n_slices];
    int *place = TN_PUSH(arena, int, n), *source = TN_PUSH(arena, int, n);
    if (!place || !source) {
        return TN_NO_MEMORY;
    }
    for (int at = 0; at < LANES * out->n_slices; at++) {
        place_row(A, out, at, place, source);
    }
    out->place = place;
    out->source = source;
    return !coloured || find_later(out, arena) ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_ordering_create(const tn_blocks *A, const tn_parts *parts, tn_arena *arena, tn_ordering *out)
{
    return create_ordering(A, parts, false, NULL, arena, out);
}

tn_status tn_layout_create(const tn_blocks *pattern, const tn_parts *parts, const int *near, tn_arena *arena,
                           tn_layout **out)
{
    tn_layout *layout = TN_PUSH(arena, tn_layout, 1);
    if (!layout) {
        return TN_NO_MEMORY;
    }
    layout->parts = parts;
    tn_status status = TN_OK;
    if (pattern->n_rows <= TN_LAYOUT_PLAIN_MAX) {
        status = tn_ordering_create(pattern, parts, arena, &layout->plain);
    }
    *out = layout;
    return status == TN_OK ? create_ordering(pattern, parts, true, near, arena, &layout->coloured) : status;
}
