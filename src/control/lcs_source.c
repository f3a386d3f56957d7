// An LCS from a model and a state: the smooth part by central differences of accelerations, the rows by lcs_rows.c; one
// step of it as a linear complementarity problem.
#include "base/memory.h"
#include "control/lcs.h"
#include "control/lcs_rows.h"
#include "math/dense.h"
#include "shape/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DIFFERENCE = 1e-6; // of coordinates and rates [m, rad, m/s, rad/s]

struct tn_lcs_source {
    tn_arena *keep, *scratch;
    tn_mechanics m;
    tn_lcs_options options;
    double h;
    double *resistance;  // (n)
    double *x;           // (2 n) of the state
    tn_complements rows; // of the last system; in scratch
    tn_lcs step;         // of tn_lcs_source_step
};

tn_lcs_options tn_lcs_options_default(void)
{
    return (tn_lcs_options){.friction = -1.0};
}

// ---- what is chosen

static tn_status choose(tn_lcs_source *s, const tn_lcs_options *options, tn_error *error)
{
    tn_mechanics *m = &s->m;
    m->n = options->n_coordinates > 0 ? options->n_coordinates : m->n_all;
    m->chosen = TN_PUSH(s->keep, int, m->n);
    s->resistance = TN_PUSH(s->keep, double, m->n);
    s->x = TN_PUSH(s->keep, double, 2 * (size_t)m->n);
    if (!m->chosen || !s->resistance || !s->x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d coordinates", m->n);
    }
    if (m->n == 0) {
        return tn_error_set(error, TN_BAD_INPUT, "the model has no coordinates: nothing in it moves");
    }
    for (int i = 0; i < m->n; i++) {
        const char *name = options->n_coordinates > 0 ? options->coordinates[i] : m->rate[i].name;
        m->chosen[i] = tn_mechanics_find(m, name, strlen(name));
        for (int j = 0; j < i && m->chosen[i] >= 0; j++) {
            if (m->chosen[j] == m->chosen[i]) {
                return tn_error_set(error, TN_BAD_INPUT, "coordinate '%s' is chosen twice", name);
            }
        }
        if (m->chosen[i] < 0) {
            return tn_error_set(error, TN_BAD_INPUT, "there is no coordinate '%s'; the first of %d is '%s'", name,
                                m->n_all, m->rate[0].name);
        }
        const tn_scene_drive *drive = tn_mechanics_drive(m, i);
        s->resistance[i] = options->resistance ? options->resistance[i] : drive ? drive->friction : 0.0;
        if (!(s->resistance[i] >= 0.0 && s->resistance[i] < INFINITY)) {
            return tn_error_set(error, TN_BAD_INPUT, "resistance of '%s' is %g: it is at least 0", name,
                                s->resistance[i]);
        }
    }
    return TN_OK;
}

static bool find_wrench(const tn_model *model, const char *name, size_t length, tn_lcs_input *out)
{
    static const char *const components[6] = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};
    for (int k = 0; k < 6 && length > 3; k++) {
        if (strcmp(name + length - 3, components[k]) == 0) {
            char body[64];
            snprintf(body, sizeof body, "%.*s", (int)(length - 3), name);
            *out = (tn_lcs_input){.rate = -1, .body = tn_model_find_body(model, body), .which = k};
            return out->body > 0 && out->body < model->n_bodies;
        }
    }
    return false;
}

static bool is_chosen(const tn_mechanics *m, int rate, int *at)
{
    for (*at = 0; *at < m->n; (*at)++) {
        if (m->chosen[*at] == rate) {
            return true;
        }
    }
    return false;
}

static tn_status choose_inputs(tn_lcs_source *s, const tn_lcs_options *options, tn_error *error)
{
    static const char target[] = ".target";
    tn_mechanics *m = &s->m;
    m->n_inputs = options->n_inputs;
    m->input = TN_PUSH(s->keep, tn_lcs_input, m->n_inputs);
    for (int k = 0; m->input && k < m->n_inputs; k++) {
        const char *name = options->inputs[k];
        size_t length = strlen(name), tail = sizeof target - 1;
        bool servo = length > tail && strcmp(name + length - tail, target) == 0;
        int at, rate = tn_mechanics_find(m, name, servo ? length - tail : length);
        m->input[k] = (tn_lcs_input){.rate = rate, .gain = 1.0};
        if (rate < 0 && !servo && find_wrench(m->model, name, length, &m->input[k])) {
            continue;
        }
        if (rate < 0 || !is_chosen(m, rate, &at)) {
            return tn_error_set(error, TN_BAD_INPUT, "input '%s' is no chosen coordinate, none's target and no wrench",
                                name);
        }
        const tn_scene_drive *drive = tn_mechanics_drive(m, at);
        if (servo && (!drive || drive->motor != TN_MOTOR_POSITION || !(drive->motor_compliance > 0.0))) {
            return tn_error_set(error, TN_BAD_INPUT, "input '%s': the coordinate has no position motor that gives way",
                                name);
        }
        m->input[k].gain = servo ? 1.0 / drive->motor_compliance : 1.0;
        m->input[k].servo = servo;
    }
    return m->input ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for %d inputs", m->n_inputs);
}

static tn_status check_options(const tn_lcs_options *o, tn_error *error)
{
    if (o->facets < 0 || o->facets % 2 != 0 || o->facets > 64 || o->points < 0 || o->points > TN_MANIFOLD_MAX ||
        !(o->step >= 0.0) || !(o->margin >= 0.0) || o->n_coordinates < 0 || o->n_inputs < 0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "a system of %d coordinates, %d inputs, %d facets (even, at most 64), %d points a pair (at "
                            "most %d), step %g s, margin %g m",
                            o->n_coordinates, o->n_inputs, o->facets, o->points, TN_MANIFOLD_MAX, o->step, o->margin);
    }
    return TN_OK;
}

tn_lcs_source *tn_lcs_source_create(const tn_model *model, const tn_lcs_options *options, tn_error *error)
{
    tn_lcs_options standard = tn_lcs_options_default();
    const tn_lcs_options *o = options ? options : &standard;
    if (!model) {
        tn_error_set(error, TN_BAD_INPUT, "there is no model");
        return NULL;
    }
    if (check_options(o, error) != TN_OK) {
        return NULL;
    }
    tn_lcs_source *s = tn_calloc(1, sizeof *s);
    if (!s) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a system");
        return NULL;
    }
    s->options = *o;
    s->h = o->step > 0.0 ? o->step : model->settings.step;
    s->keep = tn_arena_create(0);
    s->scratch = tn_arena_create(0);
    tn_status status = s->keep && s->scratch ? tn_mechanics_init(&s->m, model, s->keep, error)
                                             : tn_error_set(error, TN_NO_MEMORY, "no memory for a system");
    status = status == TN_OK ? choose(s, o, error) : status;
    status = status == TN_OK ? choose_inputs(s, o, error) : status;
    if (status != TN_OK) {
        tn_lcs_source_destroy(s);
        return NULL;
    }
    s->options.coordinates = s->options.inputs = NULL; // the caller's
    return s;
}

void tn_lcs_source_destroy(tn_lcs_source *s)
{
    if (s) {
        tn_mechanics_finish(&s->m);
        tn_lcs_destroy(&s->step);
        tn_arena_destroy(s->keep);
        tn_arena_destroy(s->scratch);
        tn_free(s);
    }
}

int tn_lcs_source_coordinate_count(const tn_lcs_source *s)
{
    return s ? s->m.n : 0;
}

int tn_lcs_source_input_count(const tn_lcs_source *s)
{
    return s ? s->m.n_inputs : 0;
}

tn_lcs_input tn_lcs_source_input(const tn_lcs_source *s, int k)
{
    tn_lcs_input is = s->m.input[k];
    if (is.rate >= 0) {
        const tn_rate *rate = &s->m.rate[is.rate];
        is.rate = rate->coordinate;
        is.body = rate->body;
        is.which = rate->which;
    }
    return is;
}

const char *tn_lcs_source_coordinate_name(const tn_lcs_source *s, int i)
{
    return s && i >= 0 && i < s->m.n ? s->m.rate[s->m.chosen[i]].name : NULL;
}

static tn_status check_state(const tn_lcs_source *s, const tn_state *state, const double *x, tn_error *error)
{
    if (!s || !state || state->model != s->m.model || !x) {
        return tn_error_set(error, TN_BAD_INPUT, "no system, no state or one of another model, or no x");
    }
    return TN_OK;
}

tn_status tn_lcs_source_read(tn_lcs_source *s, const tn_state *state, double *x, tn_error *error)
{
    tn_status status = check_state(s, state, x, error);
    if (status == TN_OK) {
        tn_mechanics_read(&s->m, state, x);
    }
    return status;
}

tn_status tn_lcs_source_write(tn_lcs_source *s, const double *x, tn_state *state, tn_error *error)
{
    tn_status status = check_state(s, state, x, error);
    for (int i = 0; status == TN_OK && i < 2 * s->m.n; i++) {
        status = isfinite(x[i]) ? TN_OK : tn_error_set(error, TN_BAD_INPUT, "x[%d] is not finite", i);
    }
    status = status == TN_OK ? tn_mechanics_place(&s->m, state, x, error) : status;
    return status == TN_OK ? tn_state_copy(state, s->m.state, error) : status;
}

// ---- the smooth part

typedef struct smooth {
    int n;
    double *mass;         // (n, n) its factor
    double *acceleration; // (n)
    double *by_x;         // (n, 2 n) its derivative
    double *inputs;       // (n, n_inputs)
} smooth;

// mass^-1 force where x is, the factor of the mass into `mass`.
static tn_status accelerate(tn_lcs_source *s, const tn_state *state, const double *x, double *mass, double *out,
                            tn_error *error)
{
    tn_status status = tn_mechanics_place(&s->m, state, x, error);
    status = status == TN_OK ? tn_mechanics_mass(&s->m, s->h, mass, error) : status;
    status = status == TN_OK ? tn_mechanics_force(&s->m, s->h, out, error) : status;
    if (status == TN_OK && !tn_dense_cholesky(s->m.n, mass)) {
        return tn_error_set(error, TN_NUMERICS, "the mass matrix is not positive definite");
    }
    if (status == TN_OK) {
        tn_dense_cholesky_solve(s->m.n, mass, out);
    }
    return status;
}

static tn_status differentiate(tn_lcs_source *s, const tn_state *state, smooth *out, tn_error *error)
{
    int n = out->n;
    double *x = TN_PUSH(s->scratch, double, 2 * (size_t)n),
           *side[2] = {TN_PUSH(s->scratch, double, n), TN_PUSH(s->scratch, double, n)};
    if (!x || !side[0] || !side[1]) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a system");
    }
    tn_status status = TN_OK;
    for (int j = 0; status == TN_OK && j < 2 * n; j++) {
        for (int k = 0; status == TN_OK && k < 2; k++) {
            memcpy(x, s->x, 2 * (size_t)n * sizeof *x);
            x[j] += k == 0 ? DIFFERENCE : -DIFFERENCE;
            status = accelerate(s, state, x, out->mass, side[k], error);
        }
        for (int i = 0; i < n; i++) {
            out->by_x[i * 2 * n + j] = (side[0][i] - side[1][i]) / (2.0 * DIFFERENCE);
        }
    }
    return status;
}

// At the state; the mass ahead where that is asked for.
static tn_status find_smooth(tn_lcs_source *s, const tn_state *state, const double *ahead, smooth *out, tn_error *error)
{
    int n = out->n = s->m.n;
    double *x = TN_PUSH(s->scratch, double, 2 * (size_t)n);
    out->mass = TN_PUSH(s->scratch, double, (size_t)n *(size_t)n);
    out->acceleration = TN_PUSH(s->scratch, double, n);
    out->by_x = TN_PUSH(s->scratch, double, 2 * (size_t)n * (size_t)n);
    out->inputs = TN_PUSH(s->scratch, double, (size_t)n *(size_t)s->m.n_inputs);
    if (!x || !out->mass || !out->acceleration || !out->by_x || !out->inputs) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a system of %d coordinates", n);
    }
    tn_status status = differentiate(s, state, out, error);
    status = status == TN_OK ? tn_mechanics_place(&s->m, state, s->x, error) : status;
    status = status == TN_OK ? tn_mechanics_inputs(&s->m, out->inputs, error) : status;
    status = status == TN_OK ? tn_mechanics_force(&s->m, s->h, out->acceleration, error) : status;
    memcpy(x, s->x, 2 * (size_t)n * sizeof *x);
    memcpy(x, ahead ? ahead : s->x, (size_t)n * sizeof *x);
    if (status == TN_OK && s->options.inertia_ahead) {
        status = tn_mechanics_place(&s->m, state, x, error);
    }
    status = status == TN_OK ? tn_mechanics_mass(&s->m, s->h, out->mass, error) : status;
    if (status == TN_OK && !tn_dense_cholesky(n, out->mass)) {
        return tn_error_set(error, TN_NUMERICS, "the mass matrix is not positive definite");
    }
    if (status == TN_OK) {
        tn_dense_cholesky_solve(n, out->mass, out->acceleration);
        status = tn_mechanics_place(&s->m, state, x, error);
    }
    return status;
}

// ---- the velocity level

static bool has_gap(const tn_complement *row)
{
    return row->is.kind == TN_LCS_NORMAL || row->is.kind == TN_LCS_LIMIT;
}

// Rows of contacts and limits hold velocities where the gap after a step without them is negative; friction follows its
// contact. What gives way by a spring stays as it is.
static void hold_velocities(tn_complements *rows)
{
    for (int r = 0; r < rows->n; r++) {
        tn_complement *row = &rows->row[r];
        if (has_gap(row) && row->softness == 0.0) {
            row->guard = row->rate = row->push;
            row->guard_f = row->f;
            row->f = 0.0;
            row->place = NULL;
        } else if (row->head >= 0) {
            row->guard = rows->row[row->head].guard;
            row->guard_f = rows->row[row->head].guard_f;
        }
    }
}

// ---- the system

static void put_smooth(const tn_lcs_source *s, const smooth *a, tn_lcs *lcs)
{
    int n = a->n, n_x = 2 * n;
    double h = s->h;
    for (int i = 0; i < n; i++) {
        double *place = lcs->A + i * n_x, *rate = lcs->A + (n + i) * n_x;
        double rest = h * a->acceleration[i];
        for (int j = 0; j < n_x; j++) {
            rate[j] = h * a->by_x[i * n_x + j];
            rest -= rate[j] * s->x[j];
        }
        rate[n + i] += 1.0;
        for (int j = 0; j < n_x; j++) {
            place[j] = h * rate[j];
        }
        place[i] += 1.0;
        lcs->F[n + i] = rest;
    }
}

// M^-1 of a force into a column of v', and h times it into that of q'.
static void put_column(const tn_lcs_source *s, const smooth *a, double *column, double *to, int stride)
{
    int n = a->n;
    tn_dense_cholesky_solve(n, a->mass, column);
    for (int i = 0; i < n; i++) {
        to[(n + i) * stride] += column[i];
        to[i * stride] += s->h * column[i];
    }
}

static void put_row(const tn_lcs_source *s, const double *ahead, int r, tn_lcs *lcs)
{
    const tn_complement *row = &s->rows.row[r];
    int n = s->m.n, n_c = lcs->n_c;
    double *D = lcs->D + r * 2 * n, *E = lcs->E + r * n_c;
    lcs->offset[r] = row->f;
    lcs->guard_offset[r] = row->guard ? row->guard_f : -INFINITY;
    for (int i = 0; row->guard && i < n; i++) {
        lcs->guard[r * 2 * n + i] = row->guard[i];
        lcs->guard_offset[r] -= row->guard[i] * ahead[i];
    }
    for (int i = 0; i < n; i++) {
        D[i] = row->place ? row->place[i] : 0.0;
        D[n + i] = row->rate ? row->rate[i] : 0.0;
        lcs->offset[r] -= D[i] * ahead[i];
    }
    E[r] = row->softness;
    switch (row->is.kind) {
    case TN_LCS_SLIP:
        E[row->head] = row->mu;
        for (int k = 1; k <= row->n_directions; k++) {
            E[r - k] = -1.0;
            lcs->E[(r - k) * n_c + r] = 1.0;
        }
        break;
    case TN_LCS_DRY_SLIP:
        E[row->head] = -1.0;
        lcs->E[row->head * n_c + r] = 1.0;
        lcs->offset[r] = row->constant;
        break;
    default:
        break;
    }
}

static void put_all(const tn_lcs_source *s, const smooth *a, const double *ahead, double *column, tn_lcs *lcs)
{
    int n = a->n, n_u = lcs->n_u, n_c = lcs->n_c;
    put_smooth(s, a, lcs);
    for (int i = 0; i < n; i++) {
        lcs->F[i] = s->h * lcs->F[n + i];
    }
    for (int k = 0; k < n_u; k++) {
        for (int i = 0; i < n; i++) {
            column[i] = s->h * a->inputs[i * n_u + k];
        }
        put_column(s, a, column, lcs->B + k, n_u);
    }
    for (int r = 0; r < n_c; r++) {
        const tn_complement *row = &s->rows.row[r];
        memcpy(column, row->push, (size_t)n * sizeof *column);
        put_column(s, a, column, lcs->C + r, n_c);
        put_row(s, ahead, r, lcs);
        for (int i = 0; row->is.kind == TN_LCS_DRY && i < n; i++) {
            column[i] = -row->constant * row->push[i];
        }
        if (row->is.kind == TN_LCS_DRY) {
            put_column(s, a, column, lcs->F, 1);
        }
    }
}

static tn_status make(int n_x, int n_u, int n_c, tn_lcs *lcs, tn_error *error)
{
    if (lcs->A && lcs->n_x == n_x && lcs->n_u == n_u && lcs->n_c == n_c) {
        memset(lcs->A, 0, tn_lcs_numbers(lcs) * sizeof *lcs->A);
        return TN_OK;
    }
    tn_lcs_destroy(lcs);
    return tn_lcs_create(n_x, n_u, n_c, lcs, error);
}

static tn_status build(tn_lcs_source *s, const tn_state *state, const double *ahead, tn_lcs *lcs, tn_error *error)
{
    int n = s->m.n;
    smooth a;
    tn_arena_reset(s->scratch);
    tn_mechanics_read(&s->m, state, s->x);
    tn_status status = find_smooth(s, state, ahead, &a, error);
    status = status == TN_OK ? tn_complements_find(&s->m, &s->options, s->resistance, s->h, s->scratch, &s->rows, error)
                             : status;
    double *column = TN_PUSH(s->scratch, double, n), *from = TN_PUSH(s->scratch, double, n);
    if (status != TN_OK || !column || !from) {
        return status != TN_OK ? status : tn_error_set(error, TN_NO_MEMORY, "no memory for a system");
    }
    memcpy(from, ahead ? ahead : s->x, (size_t)n * sizeof *from);
    if (s->options.level == TN_LCS_VELOCITY) {
        hold_velocities(&s->rows);
    }
    status = make(2 * n, s->m.n_inputs, s->rows.n, lcs, error);
    if (status == TN_OK) {
        lcs->step = s->h;
        put_all(s, &a, from, column, lcs);
    }
    return status;
}

tn_status tn_lcs_source_linearize(tn_lcs_source *s, const tn_state *state, const double *ahead, tn_lcs *lcs,
                                  tn_error *error)
{
    tn_status status = check_state(s, state, s ? s->x : NULL, error);
    if (status == TN_OK && !lcs) {
        return tn_error_set(error, TN_BAD_INPUT, "nowhere to write the system");
    }
    return status == TN_OK ? build(s, state, ahead, lcs, error) : status;
}

tn_status tn_lcs_source_row(const tn_lcs_source *s, int i, tn_lcs_row *out, tn_error *error)
{
    if (!s || !out || i < 0 || i >= s->rows.n) {
        return tn_error_set(error, TN_BAD_INPUT, "the system has no row %d", i);
    }
    *out = s->rows.row[i].is;
    return TN_OK;
}

// ---- one step

tn_status tn_lcs_source_step(tn_lcs_source *s, const tn_state *state, const double *u, int iterations, double *x,
                             double *off, tn_error *error)
{
    tn_status status = check_state(s, state, x, error);
    if (status != TN_OK) {
        return status;
    }
    int n = s->m.n;
    double *ahead = tn_calloc((size_t)n, sizeof *ahead);
    if (!ahead) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a step");
    }
    tn_mechanics_read(&s->m, state, s->x);
    for (int i = 0; i < n; i++) {
        ahead[i] = s->x[i] + (iterations > 0 ? s->h * s->x[n + i] : 0.0);
    }
    double moved = 0.0;
    for (int k = 0; status == TN_OK && k < (iterations > 0 ? iterations : 1); k++) {
        status = build(s, state, ahead, &s->step, error);
        if (status == TN_OK && !tn_lcs_step(&s->step, s->x, u, s->scratch, NULL, x)) {
            status = tn_error_set(error, TN_NUMERICS,
                                  "the step's linear complementarity problem of %d rows was not solved", s->step.n_c);
        }
        moved = 0.0;
        for (int i = 0; status == TN_OK && i < n; i++) {
            moved = fmax(moved, fabs(x[i] - ahead[i]));
            ahead[i] = iterations > 0 ? x[i] : ahead[i];
        }
    }
    if (off) {
        *off = moved;
    }
    tn_free(ahead);
    return status;
}
