// Rows of an LCS: of each two shapes their nearest points or several of contact, with a polyhedral friction cone of
// directions that move a chosen coordinate; limits; dry friction as two rows, for which the impulse p of bound b is p =
// c - b: 0 <= c perp v' + w >= 0 and 0 <= w perp 2 b - c >= 0.
#include "control/lcs_rows.h"

#include "math/sums.h"
#include "math/vec3.h"
#include "model/lanes.h"
#include "shape/pose.h"
#include "tenon/query.h"

#include <math.h>
#include <string.h>

enum { FIRST_ROWS = 64 };

static const double NOTHING = 1e-9; // of a direction that moves no chosen coordinate, of its largest
static const double FACETS_TURN = 6.283185307179586;

// The next row, with room for n numbers of its push; NULL: no memory.
static tn_complement *add_row(tn_complements *rows, tn_lcs_row_kind kind, int n, tn_arena *arena)
{
    if (rows->n == rows->room) {
        int room = rows->room > 0 ? 2 * rows->room : FIRST_ROWS;
        tn_complement *more = TN_PUSH(arena, tn_complement, room);
        if (!more) {
            return NULL;
        }
        if (rows->n > 0) {
            memcpy(more, rows->row, (size_t)rows->n * sizeof *more);
        }
        rows->row = more;
        rows->room = room;
    }
    tn_complement *row = &rows->row[rows->n];
    *row = (tn_complement){.is = {.kind = kind, .shape_a = -1, .shape_b = -1, .coordinate = -1}, .head = -1};
    row->push = TN_PUSH(arena, double, n);
    rows->n += row->push != NULL;
    return row->push ? row : NULL;
}

typedef struct finder {
    tn_mechanics *m;
    const tn_lcs_options *options;
    const double *resistance;
    double h;
    tn_arena *arena;
    tn_complements *rows;
    double *relative, *jacobian; // (3, n) velocity of b's point from a's; (6, n)
} finder;

// How the relative velocity goes along a direction.
static void along(const finder *f, const double direction[3], double *out)
{
    int n = f->m->n;
    for (int i = 0; i < n; i++) {
        out[i] =
            direction[0] * f->relative[i] + direction[1] * f->relative[n + i] + direction[2] * f->relative[2 * n + i];
    }
}

static tn_status relative_velocity(finder *f, int body_a, int body_b, const tn_nearest *near, tn_error *error)
{
    int n = f->m->n;
    tn_status status = tn_mechanics_jacobian(f->m, body_b, near->point_b, f->jacobian, error);
    memcpy(f->relative, f->jacobian, 3 * (size_t)n * sizeof *f->relative);
    status = status == TN_OK ? tn_mechanics_jacobian(f->m, body_a, near->point_a, f->jacobian, error) : status;
    for (int i = 0; i < 3 * n; i++) {
        f->relative[i] -= f->jacobian[i];
    }
    return status;
}

// Two tangents, the first level where it can be; it is one that moves a coordinate if any does.
static void find_tangents(const finder *f, const double normal[3], double *room, double t[2][3])
{
    static const double up[3] = {0.0, 0.0, 1.0}, x[3] = {1.0, 0.0, 0.0};
    tn_vec3_cross(t[0], up, normal);
    if (tn_vec3_norm(t[0]) < 1e-6) {
        tn_vec3_cross(t[0], normal, x);
        tn_vec3_cross(t[0], t[0], normal); // x, as far as it is across
    }
    tn_vec3_scale(t[0], 1.0 / tn_vec3_norm(t[0]), t[0]);
    tn_vec3_cross(t[1], normal, t[0]);
    along(f, t[0], room);
    if (tn_largest((size_t)f->m->n, room) <= NOTHING * tn_largest(3 * (size_t)f->m->n, f->relative)) {
        double keep[3];
        tn_vec3_copy(keep, t[0]);
        tn_vec3_copy(t[0], t[1]);
        tn_vec3_copy(t[1], keep);
    }
}

// Friction rows of the contact whose normal is row `head`, and the row of its slip.
static tn_status add_friction(finder *f, int head, const double normal[3], double mu, tn_error *error)
{
    double t[2][3], *room = TN_PUSH(f->arena, double, f->m->n);
    int directions = 0;
    if (!room) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for friction");
    }
    find_tangents(f, normal, room, t);
    for (int k = 0; k < f->options->facets; k++) {
        double direction[3], angle = FACETS_TURN * k / f->options->facets;
        tn_vec3_scale(direction, cos(angle), t[0]);
        tn_vec3_madd(direction, direction, sin(angle), t[1]);
        along(f, direction, room);
        if (tn_largest((size_t)f->m->n, room) <= NOTHING * tn_largest(3 * (size_t)f->m->n, f->relative)) {
            continue;
        }
        tn_complement *row = add_row(f->rows, TN_LCS_FRICTION, f->m->n, f->arena);
        if (!row) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for friction");
        }
        memcpy(row->push, room, (size_t)f->m->n * sizeof *room);
        row->rate = row->push;
        row->head = head;
        row->is.shape_a = f->rows->row[head].is.shape_a;
        row->is.shape_b = f->rows->row[head].is.shape_b;
        directions++;
    }
    tn_complement *slip = directions > 0 ? add_row(f->rows, TN_LCS_SLIP, f->m->n, f->arena) : NULL;
    if (slip) {
        slip->is.shape_a = f->rows->row[head].is.shape_a;
        slip->is.shape_b = f->rows->row[head].is.shape_b;
        slip->head = head;
        slip->n_directions = directions;
        slip->mu = mu;
    }
    return directions == 0 || slip ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for friction");
}

// The step's share of a spring [N/m] with a damper [N s/m]: gap + damping/stiffness times its rate + c / (h stiffness).
static tn_status soften(tn_complement *row, int n, double stiffness, double damping, double h, tn_arena *arena,
                        tn_error *error)
{
    row->place = row->push;
    if (!(stiffness < INFINITY)) {
        return TN_OK;
    }
    row->softness = 1.0 / (h * stiffness);
    row->rate = TN_PUSH(arena, double, n);
    for (int i = 0; row->rate && i < n; i++) {
        row->rate[i] = damping / stiffness * row->push[i];
    }
    return row->rate ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for a contact");
}

static tn_status add_contact(finder *f, int a, int b, const tn_surface *surface, const tn_nearest *near,
                             tn_error *error)
{
    const tn_model *model = f->m->model;
    int n = f->m->n;
    tn_status status = relative_velocity(f, model->shapes[a].body, model->shapes[b].body, near, error);
    if (status != TN_OK || tn_largest(3 * (size_t)n, f->relative) == 0.0) {
        return status;
    }
    int head = f->rows->n;
    tn_complement *row = add_row(f->rows, TN_LCS_NORMAL, n, f->arena);
    if (!row) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a contact");
    }
    along(f, near->normal, row->push);
    if (tn_largest((size_t)n, row->push) <= NOTHING * tn_largest(3 * (size_t)n, f->relative)) {
        f->rows->n--; // presses no chosen coordinate
        return TN_OK;
    }
    row->is.shape_a = a;
    row->is.shape_b = b;
    row->f = near->distance;
    bool linear = surface->contact == TN_CONTACT_LINEAR;
    status = soften(row, n, linear ? surface->spring.stiffness : INFINITY, linear ? surface->spring.damping : 0.0, f->h,
                    f->arena, error);
    double mu = f->options->friction >= 0.0 ? f->options->friction : surface->mu1;
    return status == TN_OK && mu > 0.0 && f->options->facets > 0 ? add_friction(f, head, near->normal, mu, error)
                                                                 : status;
}

static void place_shape(const finder *f, int shape, tn_pose *out)
{
    const tn_model_shape *s = &f->m->model->shapes[shape];
    tn_pose_join(out, &f->m->state->pose[s->body], &s->pose);
}

// The deepest contact points of two shapes, as many as the options say. Returns how many.
static int find_points(const finder *f, int a, int b, double reach, tn_nearest *out)
{
    const tn_model *model = f->m->model;
    tn_contact_point point[TN_MANIFOLD_MAX];
    tn_pose at[2];
    place_shape(f, a, &at[0]);
    place_shape(f, b, &at[1]);
    const int n = tn_shape_contact(&model->shapes[a].shape, &at[0], &model->shapes[b].shape, &at[1], reach, point);
    int found = 0;
    for (; found < f->options->points && found < n; found++) {
        int next = found;
        for (int k = found + 1; k < n; k++) {
            next = point[k].gap < point[next].gap ? k : next;
        }
        const tn_contact_point chosen = point[next];
        point[next] = point[found];
        out[found] = (tn_nearest){.distance = chosen.gap, .shape_a = a, .shape_b = b};
        tn_vec3_copy(out[found].normal, chosen.normal);
        tn_vec3_madd(out[found].point_a, chosen.point, -0.5 * chosen.gap, chosen.normal);
        tn_vec3_madd(out[found].point_b, chosen.point, 0.5 * chosen.gap, chosen.normal);
    }
    return found;
}

static tn_status try_shapes(finder *f, int a, int b, tn_error *error)
{
    const tn_model *model = f->m->model;
    const tn_model_shape *of_a = &model->shapes[a], *of_b = &model->shapes[b];
    const tn_surface *surface = &model->surfaces[of_a->material * model->n_materials + of_b->material];
    if (!tn_model_may_touch(model, a, b)) {
        return TN_OK;
    }
    double pose_a[7], pose_b[7];
    tn_nearest near, many[TN_MANIFOLD_MAX];
    tn_state_body_pose(f->m->state, of_a->body, pose_a, pose_a + 3);
    tn_state_body_pose(f->m->state, of_b->body, pose_b, pose_b + 3);
    double reach = f->options->margin > 0.0 ? f->options->margin : INFINITY;
    const int n = f->options->points > 1 ? find_points(f, a, b, reach, many) : 0;
    tn_status status = TN_OK;
    for (int k = 0; status == TN_OK && k < n; k++) {
        status = add_contact(f, a, b, surface, &many[k], error);
    }
    if (n > 0 || status != TN_OK) {
        return status;
    }
    status = tn_shape_distances(model, a, b, 1, pose_a, pose_b, reach, &near, error);
    return status == TN_OK && near.distance < INFINITY ? add_contact(f, a, b, surface, &near, error) : status;
}

// ---- coordinates

static tn_status add_limit(finder *f, int i, double sign, double gap, const tn_scene_drive *drive, tn_error *error)
{
    tn_complement *row = add_row(f->rows, TN_LCS_LIMIT, f->m->n, f->arena);
    if (!row) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for limits");
    }
    row->push[i] = sign;
    row->f = gap;
    row->is.coordinate = i;
    double stiffness = drive->limit_compliance > 0.0 ? 1.0 / drive->limit_compliance : INFINITY;
    return soften(row, f->m->n, stiffness, drive->limit_damping, f->h, f->arena, error);
}

static tn_status add_dry(finder *f, int i, double bound, tn_error *error)
{
    int n = f->m->n;
    tn_complement *dry = add_row(f->rows, TN_LCS_DRY, n, f->arena);
    if (dry) {
        dry->push[i] = 1.0;
        dry->rate = dry->push;
        dry->is.coordinate = i;
        dry->constant = bound; // what c is above
    }
    int head = f->rows->n - 1;
    tn_complement *slip = dry ? add_row(f->rows, TN_LCS_DRY_SLIP, n, f->arena) : NULL;
    if (slip) {
        slip->head = head;
        slip->is.coordinate = i;
        slip->constant = 2.0 * bound;
    }
    return slip ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for dry friction");
}

static tn_status add_coordinate(finder *f, int i, tn_error *error)
{
    const tn_mechanics *m = f->m;
    const tn_rate *rate = &m->rate[m->chosen[i]];
    const tn_scene_drive *drive = tn_mechanics_drive(m, i);
    double q = drive ? m->state->joint_coordinate[rate->coordinate] : 0.0;
    tn_status status = TN_OK;
    if (drive && drive->low > -INFINITY) {
        status = add_limit(f, i, 1.0, q - drive->low, drive, error);
    }
    if (status == TN_OK && drive && drive->high < INFINITY) {
        status = add_limit(f, i, -1.0, drive->high - q, drive, error);
    }
    double bound = f->resistance[i] * f->h;
    return status == TN_OK && bound > 0.0 ? add_dry(f, i, bound, error) : status;
}

tn_status tn_complements_find(tn_mechanics *m, const tn_lcs_options *options, const double *resistance, double h,
                              tn_arena *arena, tn_complements *out, tn_error *error)
{
    finder f = {.m = m,
                .options = options,
                .resistance = resistance,
                .h = h,
                .arena = arena,
                .rows = out,
                .relative = TN_PUSH(arena, double, 3 * (size_t)m->n),
                .jacobian = TN_PUSH(arena, double, 6 * (size_t)m->n)};
    *out = (tn_complements){.n = 0};
    tn_status status =
        f.relative && f.jacobian ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for %d coordinates", m->n);
    for (int a = 0; status == TN_OK && a < m->model->n_shapes; a++) {
        for (int b = a + 1; status == TN_OK && b < m->model->n_shapes; b++) {
            status = try_shapes(&f, a, b, error);
        }
    }
    for (int i = 0; status == TN_OK && i < m->n; i++) {
        status = add_coordinate(&f, i, error);
    }
    return status;
}
