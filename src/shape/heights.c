// Height fields: neighbours by counting, and what the shape classes and the facets ask.
#include "shape/heights.h"

#include "base/hash.h"
#include "math/vec3.h"
#include "shape/draw.h"
#include "shape/triangle.h"

#include <string.h>

void tn_heights_point(const tn_heights *h, int i, int j, double out[3])
{
    out[0] = h->at[0][i];
    out[1] = h->at[1][j];
    out[2] = h->z[(size_t)j * (size_t)h->n[0] + (size_t)i];
}

static int cells(const tn_heights *h, int axis)
{
    return h->n[axis] - 1;
}

// Corner k of the face: which of the cell's points.
static void corner_of(const tn_heights *h, int face, int k, int *i, int *j)
{
    static const int step[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    int cell = face / 2;
    *i = cell % cells(h, 0) + step[face % 2][k][0];
    *j = cell / cells(h, 0) + step[face % 2][k][1];
}

static void get(const void *surface, int face, tn_facet *out)
{
    const tn_heights *h = surface;
    for (int k = 0; k < 3; ++k) {
        int i, j;
        corner_of(h, face, k, &i, &j);
        out->node[k] = j * h->n[0] + i;
        tn_heights_point(h, i, j, out->corner[k]);
    }
}

// A face of the cell (i, j); -1 beyond the border.
static int face_of(const tn_heights *h, int i, int j, int upper)
{
    bool there = i >= 0 && j >= 0 && i < cells(h, 0) && j < cells(h, 1);
    return there ? 2 * (j * cells(h, 0) + i) + upper : -1;
}

static int across(const void *surface, int face, int k)
{
    static const int step[2][3][2] = {{{0, -1}, {1, 0}, {0, 0}}, {{0, 0}, {0, 1}, {-1, 0}}};
    const tn_heights *h = surface;
    int cell = face / 2, upper = face % 2;
    const int *by = step[upper][k];
    return face_of(h, cell % cells(h, 0) + by[0], cell / cells(h, 0) + by[1], !upper);
}

static int around(const void *surface, int node, int index)
{
    static const int where[6][3] = {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 1}, {-1, -1, 0}, {-1, -1, 1}};
    const tn_heights *h = surface;
    int i = node % h->n[0], j = node / h->n[0], seen = 0;
    for (int k = 0; k < 6; ++k) {
        int face = face_of(h, i + where[k][0], j + where[k][1], where[k][2]);
        if (face >= 0 && seen++ == index) {
            return face;
        }
    }
    return -1;
}

// The cell that holds the coordinate, clamped to the field.
static int cell_at(const tn_heights *h, int axis, double x)
{
    double at = floor((x / h->size[axis] + 0.5) * cells(h, axis));
    return at > 0.0 ? (at < cells(h, axis) ? (int)at : cells(h, axis) - 1) : 0;
}

// fmin and fmax mind NaNs, which heights have not, in calls that cost more than all the rest here.
static double less(double p, double q)
{
    return p < q ? p : q;
}

static double more(double p, double q)
{
    return p > q ? p : q;
}

static void range_of_cell(const tn_heights *h, int i, int j, double *low, double *high)
{
    const double *z = h->z + (size_t)j * (size_t)h->n[0] + (size_t)i, *up = z + h->n[0];
    *low = less(less(z[0], z[1]), less(up[0], up[1]));
    *high = more(more(z[0], z[1]), more(up[0], up[1]));
}

static void visit(const void *surface, const double low[3], const double high[3], tn_facet_visitor visitor, void *user)
{
    const tn_heights *h = surface;
    for (int k = 0; k < 2; ++k) {
        if (low[k] > 0.5 * h->size[k] || high[k] < -0.5 * h->size[k]) {
            return;
        }
    }
    int from[2] = {cell_at(h, 0, low[0]), cell_at(h, 1, low[1])};
    int to[2] = {cell_at(h, 0, high[0]), cell_at(h, 1, high[1])};
    for (int j = from[1]; j <= to[1]; ++j) {
        for (int i = from[0]; i <= to[0]; ++i) {
            double bottom, top;
            range_of_cell(h, i, j, &bottom, &top);
            if (bottom <= high[2] && top >= low[2] &&
                !(visitor(user, face_of(h, i, j, 0)) && visitor(user, face_of(h, i, j, 1)))) {
                return;
            }
        }
    }
}

static const double rounding = 1e-9; // of squared distances, far above what it is

// The nearest point found so far.
typedef struct search {
    const tn_heights *heights;
    const double *x;
    double square, *weight;
    int best;
} search;

// Squared distance of x from the box around a cell.
static double cell_square(const tn_heights *h, int i, int j, const double x[3])
{
    double low[3] = {h->at[0][i], h->at[1][j]}, high[3] = {h->at[0][i + 1], h->at[1][j + 1]}, square = 0.0;
    range_of_cell(h, i, j, &low[2], &high[2]);
    for (int k = 0; k < 3; ++k) {
        double off = more(0.0, more(low[k] - x[k], x[k] - high[k]));
        square += off * off;
    }
    return square;
}

static void try_cell(search *s, int i, int j)
{
    const tn_heights *h = s->heights;
    if (i < 0 || j < 0 || i >= cells(h, 0) || j >= cells(h, 1) ||
        cell_square(h, i, j, s->x) * (1.0 - rounding) > s->square) {
        return;
    }
    for (int upper = 0; upper < 2; ++upper) {
        tn_facet facet;
        double w[3];
        int face = face_of(h, i, j, upper);
        get(h, face, &facet);
        double here = tn_triangle_closest(facet.corner[0], facet.corner[1], facet.corner[2], s->x, w);
        if (here < s->square) {
            s->square = here;
            s->best = face;
            tn_vec3_copy(s->weight, w);
        }
    }
}

// Is x in front of the surface, over one of its cells?
static bool above(const tn_heights *h, const double x[3])
{
    int at[2];
    double share[2];
    for (int k = 0; k < 2; ++k) {
        at[k] = cell_at(h, k, x[k]);
        const double *ends = h->at[k] + at[k];
        share[k] = (x[k] - ends[0]) / (ends[1] - ends[0]);
        if (!(fabs(x[k]) <= 0.5 * h->size[k])) {
            return false;
        }
    }
    const double *z = h->z + (size_t)at[1] * (size_t)h->n[0] + (size_t)at[0], *up = z + h->n[0];
    double height = share[1] <= share[0] ? z[0] + share[0] * (z[1] - z[0]) + share[1] * (up[1] - z[1])
                                         : z[0] + share[1] * (up[0] - z[0]) + share[0] * (up[1] - up[0]);
    return x[2] > height;
}

// Rings of cells around the one below x, until they are farther away than what is found.
static int nearest(const void *surface, const double x[3], double most, double weight[3])
{
    const tn_heights *h = surface;
    double square = above(h, x) ? most * most * (1.0 + rounding) : INFINITY;
    search s = {.heights = h, .x = x, .square = square, .weight = weight, .best = -1};
    int i0 = cell_at(h, 0, x[0]), j0 = cell_at(h, 1, x[1]);
    double cell = fmin(h->size[0] / cells(h, 0), h->size[1] / cells(h, 1));
    int rings = cells(h, 0) > cells(h, 1) ? cells(h, 0) : cells(h, 1);
    try_cell(&s, i0, j0);
    for (int ring = 1; ring <= rings; ++ring) {
        double beyond = (ring - 1) * cell;
        if (beyond * beyond > s.square) {
            break;
        }
        for (int k = -ring; k <= ring; ++k) {
            try_cell(&s, i0 + k, j0 - ring);
            try_cell(&s, i0 + k, j0 + ring);
        }
        for (int k = 1 - ring; k < ring; ++k) {
            try_cell(&s, i0 - ring, j0 + k);
            try_cell(&s, i0 + ring, j0 + k);
        }
    }
    return s.best;
}

tn_facets tn_heights_facets(const tn_heights *h)
{
    return (tn_facets){.surface = h,
                       .n_faces = 2 * cells(h, 0) * cells(h, 1),
                       .closed = true,
                       .patch = h->patch,
                       .turn = h->turn,
                       .get = get,
                       .across = across,
                       .around = around,
                       .visit = visit,
                       .nearest = nearest};
}

static tn_status check(const int n[2], const double size[2], const double *z, tn_error *error)
{
    if (n[0] < 2 || n[1] < 2 || (double)n[0] * (double)n[1] > TN_HEIGHTS_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "a height field has 2 x 2 to %d points, not %d x %d", TN_HEIGHTS_MAX,
                            n[0], n[1]);
    }
    if (!(size[0] > 0.0 && size[1] > 0.0) || !isfinite(size[0]) || !isfinite(size[1])) {
        return tn_error_set(error, TN_BAD_INPUT, "the extent of a height field must be positive, not %g x %g m",
                            size[0], size[1]);
    }
    for (size_t i = 0; i < (size_t)n[0] * (size_t)n[1]; ++i) {
        if (!isfinite(z[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "height %lld (numbered from 0) is not finite", (long long)i);
        }
    }
    return TN_OK;
}

static bool find_patches(tn_heights *h, tn_arena *arena)
{
    tn_facets facets = tn_heights_facets(h);
    int *patch = tn_arena_push_raw(arena, (size_t)facets.n_faces, sizeof *patch);
    float *turn = tn_arena_push_raw(arena, (size_t)facets.n_faces, sizeof *turn);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    int *queue = tn_arena_push_raw(arena, (size_t)facets.n_faces, sizeof *queue);
    double *normals = tn_arena_push_raw(arena, 3 * (size_t)facets.n_faces, sizeof *normals);
    bool ok = patch && turn && queue && normals;
    if (ok) {
        tn_facets_patches(&facets, patch, queue);
        tn_facets_turns(&facets, normals, turn);
        h->patch = patch;
        h->turn = turn;
    }
    tn_arena_release(arena, mark);
    return ok;
}

static bool set_coordinates(tn_heights *h, tn_arena *arena)
{
    for (int k = 0; k < 2; ++k) {
        double *at = tn_arena_push_raw(arena, (size_t)h->n[k], sizeof *at);
        for (int i = 0; at && i < h->n[k]; ++i) {
            at[i] = h->size[k] * ((double)i / (double)(h->n[k] - 1) - 0.5);
        }
        h->at[k] = at;
    }
    return h->at[0] && h->at[1];
}

tn_status tn_heights_create(const int n[2], const double size[2], const double *z, tn_arena *arena, tn_heights *out,
                            tn_error *error)
{
    tn_status status = check(n, size, z, error);
    if (status) {
        return status;
    }
    size_t count = (size_t)n[0] * (size_t)n[1];
    double *copy = tn_arena_push_raw(arena, count, sizeof *copy);
    *out = (tn_heights){.n = {n[0], n[1]}, .size = {size[0], size[1]}, .z = copy, .low = INFINITY, .high = -INFINITY};
    bool ok = copy && set_coordinates(out, arena);
    if (ok) {
        memcpy(copy, z, count * sizeof *copy);
        for (size_t i = 0; i < count; ++i) {
            out->low = fmin(out->low, z[i]);
            out->high = fmax(out->high, z[i]);
        }
    }
    return ok && find_patches(out, arena)
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for %d x %d heights", n[0], n[1]);
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const tn_heights *h = placed->shape->heights;
    const double from[3] = {-0.5 * h->size[0], -0.5 * h->size[1], h->low};
    const double to[3] = {0.5 * h->size[0], 0.5 * h->size[1], h->high};
    tn_facets_bounds(placed, from, to, low, high);
}

static double spin_radius(const tn_shape *shape)
{
    const tn_heights *h = shape->heights;
    double z = fmax(fabs(h->low), fabs(h->high));
    return sqrt(0.25 * (h->size[0] * h->size[0] + h->size[1] * h->size[1]) + z * z);
}

static tn_facets facets(const tn_shape *shape)
{
    return tn_heights_facets(shape->heights);
}

static void geometry(const tn_shape *shape, tn_geometry *out)
{
    const tn_heights *h = shape->heights;
    *out = (tn_geometry){.n_points = (size_t)h->n[0] * (size_t)h->n[1],
                         .n_triangles = 2 * (size_t)(h->n[0] - 1) * (size_t)(h->n[1] - 1),
                         .shared = h};
}

static void fill(const tn_shape *shape, double *points, int32_t *triangles)
{
    const tn_heights *h = shape->heights;
    tn_facets surface = tn_heights_facets(h);
    for (int j = 0; j < h->n[1]; j++) {
        for (int i = 0; i < h->n[0]; i++, points += 3) {
            tn_heights_point(h, i, j, points);
        }
    }
    for (int f = 0; f < surface.n_faces; f++) {
        tn_facet facet;
        surface.get(surface.surface, f, &facet);
        for (int k = 0; k < 3; k++) {
            *triangles++ = facet.node[k];
        }
    }
}

static uint64_t hash(uint64_t from, const tn_shape *shape)
{
    const tn_heights *h = shape->heights;
    from = tn_hash_doubles(from, h->size, 2);
    from = tn_hash_long(tn_hash_long(from, h->n[0]), h->n[1]);
    return tn_hash_doubles(from, h->z, (size_t)h->n[0] * (size_t)h->n[1]);
}

const tn_shape_class tn_shape_class_heights = {
    .name = "heights",
    .form = TN_FORM_SURFACE,
    .fixed_only = "a height field belongs to a body that is fixed or has a motion",
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = tn_facets_distance_placed,
    .facets = facets,
    .geometry = geometry,
    .fill = fill,
    .hash = hash,
    .draw = tn_draw_triangles,
};
