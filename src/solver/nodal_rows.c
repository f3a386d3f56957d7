#include "solver/nodal_rows.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { LANES = TN_NODAL_LANES, COLOURS_MAX = 64 };

static int row_length(const tn_blocks *A, int row)
{
    return A->start[row + 1] - A->start[row];
}

// Smallest colour that no neighbour has; a row that sees all of them taken gets one of its own.
static int colour_rows(const tn_blocks *A, int *colour)
{
    int n_colours = 0;
    for (int i = 0; i < A->n_rows; i++) {
        colour[i] = -1;
    }
    for (int i = 0; i < A->n_rows; i++) {
        uint64_t taken = 0;
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            int other = colour[A->column[e]];
            if (other >= 0 && other < COLOURS_MAX) {
                taken |= (uint64_t)1 << other;
            }
        }
        int mine = 0;
        while (mine < COLOURS_MAX && taken >> mine & 1) {
            mine++;
        }
        colour[i] = mine < COLOURS_MAX ? mine : n_colours < COLOURS_MAX ? COLOURS_MAX : n_colours;
        n_colours = colour[i] >= n_colours ? colour[i] + 1 : n_colours;
    }
    return n_colours;
}

// order: rows by colour, by falling length in each, by number where equal (a counting sort, twice). first
// (n_colours + 1).
static void sort_rows(const tn_blocks *A, const int *colour, int n_colours, int *count, int *scratch, int *order,
                      int *first)
{
    int n = A->n_rows, longest = 0;
    for (int i = 0; i < n; i++) {
        longest = row_length(A, i) > longest ? row_length(A, i) : longest;
    }
    memset(count, 0, ((size_t)n + 2) * sizeof *count);
    for (int i = 0; i < n; i++) {
        count[longest - row_length(A, i) + 1]++;
    }
    for (int k = 0; k <= longest; k++) {
        count[k + 1] += count[k];
    }
    for (int i = 0; i < n; i++) {
        scratch[count[longest - row_length(A, i)]++] = i;
    }
    memset(first, 0, ((size_t)n_colours + 1) * sizeof *first);
    for (int i = 0; i < n; i++) {
        first[colour[i] + 1]++;
    }
    for (int c = 0; c < n_colours; c++) {
        first[c + 1] += first[c];
    }
    for (int k = 0; k < n; k++) {
        order[first[colour[scratch[k]]]++] = scratch[k];
    }
    for (int c = n_colours; c > 0; c--) {
        first[c] = first[c - 1];
    }
    first[0] = 0;
}

// Rows of one colour to slices; returns the next free slice.
static int cut_slices(const tn_blocks *A, const int *order, int n, int slice, int *place, int *row, int *start)
{
    for (int k = 0; k < n; k++) {
        int s = slice + k / LANES, lane = k % LANES;
        place[order[k]] = 3 * LANES * s + lane;
        row[LANES * s + lane] = order[k];
        if (lane == 0) {
            start[s + 1] = start[s] + row_length(A, order[k]); // the longest of the slice
        }
    }
    return slice + (n + LANES - 1) / LANES;
}

static void fill_columns(const tn_blocks *A, const tn_nodal_layout *layout, int *column, int *entry)
{
    for (int s = 0; s < layout->n_slices; s++) {
        for (int lane = 0; lane < LANES; lane++) {
            int row = layout->row[LANES * s + lane];
            int length = row >= 0 ? row_length(A, row) : 0;
            for (int q = layout->start[s]; q < layout->start[s + 1]; q++) {
                int k = q - layout->start[s];
                int e = k < length ? A->start[row] + k : -1;
                entry[LANES * q + lane] = e;
                column[LANES * q + lane] = e >= 0 ? layout->place[A->column[e]] : 3 * LANES * s + lane;
            }
        }
    }
}

// Most slices that n rows of some colours may need.
static int slices_of(int n_colours, const int *first)
{
    int n = 0;
    for (int c = 0; c < n_colours; c++) {
        n += (first[c + 1] - first[c] + LANES - 1) / LANES;
    }
    return n;
}

tn_status tn_nodal_layout_create(const tn_blocks *A, tn_arena *arena, tn_nodal_layout *out)
{
    int n = A->n_rows;
    int *colour = TN_PUSH(arena, int, n);
    int *scratch = TN_PUSH(arena, int, n);
    int *order = TN_PUSH(arena, int, n);
    int *count = TN_PUSH(arena, int, n + 2);
    int *place = TN_PUSH(arena, int, n);
    if (!colour || !scratch || !order || !count || !place) {
        return TN_NO_MEMORY;
    }
    int n_colours = colour_rows(A, colour);
    int *first = TN_PUSH(arena, int, n_colours + 1);
    int *colour_start = TN_PUSH(arena, int, n_colours + 1);
    if (!first || !colour_start) {
        return TN_NO_MEMORY;
    }
    sort_rows(A, colour, n_colours, count, scratch, order, first);
    int n_slices = slices_of(n_colours, first);
    int *row = TN_PUSH(arena, int, LANES *n_slices);
    int *start = TN_PUSH(arena, int, n_slices + 1);
    if (!row || !start) {
        return TN_NO_MEMORY;
    }
    memset(row, -1, LANES * (size_t)n_slices * sizeof *row);
    for (int c = 0; c < n_colours; c++) {
        colour_start[c + 1] =
            cut_slices(A, order + first[c], first[c + 1] - first[c], colour_start[c], place, row, start);
    }
    int *column = TN_PUSH(arena, int, LANES *(size_t)start[n_slices]);
    int *entry = TN_PUSH(arena, int, LANES *(size_t)start[n_slices]);
    if (!column || !entry) {
        return TN_NO_MEMORY;
    }
    *out = (tn_nodal_layout){.n_rows = n,
                             .n_slices = n_slices,
                             .n_colours = n_colours,
                             .colour_start = colour_start,
                             .place = place,
                             .row = row,
                             .start = start,
                             .column = column,
                             .entry = entry};
    fill_columns(A, out, column, entry);
    return TN_OK;
}

static void fill_values(const tn_nodal_layout *layout, const tn_blocks *A, double *value)
{
    for (int q = 0; q < layout->start[layout->n_slices]; q++) {
        double *to = value + 9 * LANES * (size_t)q;
        for (int lane = 0; lane < LANES; lane++) {
            int e = layout->entry[LANES * (size_t)q + lane];
            const double *a = A->value + 9 * (size_t)(e >= 0 ? e : 0);
            for (int k = 0; k < 9; k++) {
                to[LANES * k + lane] = e >= 0 ? a[k] : 0.0;
            }
        }
    }
}

// Row of the first lane whose diagonal block is not there or not positive definite, or -1.
static int fill_inverses(const tn_nodal_layout *layout, const double *value, double *inverse)
{
    for (int s = 0; s < layout->n_slices; s++) {
        for (int lane = 0; lane < LANES; lane++) {
            int row = layout->row[LANES * s + lane], own = 3 * LANES * s + lane;
            double a[9] = {0.0}, x[9];
            for (int q = layout->start[s]; q < layout->start[s + 1] && row >= 0; q++) {
                if (layout->column[LANES * (size_t)q + lane] == own && layout->entry[LANES * (size_t)q + lane] >= 0) {
                    for (int k = 0; k < 9; k++) {
                        a[k] = value[9 * LANES * (size_t)q + LANES * k + lane];
                    }
                }
            }
            if (row < 0) {
                continue;
            }
            double minor = a[0] * a[4] - a[1] * a[3];
            if (!(a[0] > 0.0 && minor > 0.0) || !(tn_mat3_det(a) > 0.0) || !tn_mat3_inverse(x, a)) {
                return row;
            }
            for (int k = 0; k < 9; k++) {
                inverse[9 * LANES * s + LANES * k + lane] = x[k];
            }
        }
    }
    return -1;
}

tn_status tn_nodal_rows_create(const tn_nodal_layout *layout, const tn_blocks *A, tn_arena *arena, tn_nodal_rows *out,
                               tn_error *error)
{
    double *value = TN_PUSH(arena, double, 9 * LANES * (size_t)layout->start[layout->n_slices]);
    double *inverse = TN_PUSH(arena, double, 9 * LANES * (size_t)layout->n_slices);
    int *contact_of_slice = TN_PUSH(arena, int, layout->n_slices);
    if (!value || !inverse || !contact_of_slice) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's rows");
    }
    memset(contact_of_slice, -1, (size_t)layout->n_slices * sizeof *contact_of_slice);
    fill_values(layout, A, value);
    int bad = fill_inverses(layout, value, inverse);
    if (bad >= 0) {
        return tn_error_set(error, TN_NUMERICS,
                            "A is not positive definite at block row %d: a node or body without mass, or a NaN", bad);
    }
    *out = (tn_nodal_rows){.n_slices = layout->n_slices,
                           .n_colours = layout->n_colours,
                           .colour_start = layout->colour_start,
                           .start = layout->start,
                           .column = layout->column,
                           .value = value,
                           .inverse = inverse,
                           .contact_of_slice = contact_of_slice};
    return TN_OK;
}

void tn_nodal_pack(const tn_nodal_layout *layout, const double *v, double *packed)
{
    memset(packed, 0, (size_t)tn_nodal_packed_size(layout) * sizeof *packed);
    for (int i = 0; i < layout->n_rows; i++) {
        for (int k = 0; k < 3; k++) {
            packed[layout->place[i] + LANES * k] = v[3 * i + k];
        }
    }
}

void tn_nodal_unpack(const tn_nodal_layout *layout, const double *packed, double *v)
{
    for (int i = 0; i < layout->n_rows; i++) {
        for (int k = 0; k < 3; k++) {
            v[3 * i + k] = packed[layout->place[i] + LANES * k];
        }
    }
}
