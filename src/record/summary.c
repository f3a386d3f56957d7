#include "record/summary.h"

#include "base/memory.h"
#include "base/order.h"
#include "math/vec3.h"
#include "state/state.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_CONTACTS,
    COLUMN_ITERATIONS,
    COLUMN_ASLEEP,
    COLUMN_COLLIDE,
    COLUMN_TOTAL = COLUMN_COLLIDE + 5,
    COLUMN_FIGURES
};
// Rows are kept for the medians: of each step, up to MOST_ROWS (3 MB); then of each second one, each fourth, ...
enum { N_COLUMNS = COLUMN_FIGURES + TN_N_FIGURES, FIRST_ROWS = 1024, MOST_ROWS = 1 << 14 };

// Gains above this part of the energy that the run moves about are too much.
static const double GAIN = 0.05;

// Least and largest so far.
typedef struct range {
    double low, high;
} range;

// What the energy of the run does; without what was injected it should never rise.
typedef struct energy_watch {
    range kinetic, gravity, elastic, injected; // [J]
    tn_gain_scale scale;
    double lowest; // of the total without what was injected
    long n_gaining;
    double gain, gain_time; // largest rise above the lowest before it
} energy_watch;

struct tn_summarizer {
    double step; // h [s]
    long n_steps;
    struct column {
        long n; // that are numbers
        double sum, max;
    } column[N_COLUMNS];
    long n_rows, capacity, stride; // of each stride-th step, from the first on
    double *rows;                  // (n_rows, N_COLUMNS)
    double initial, injected_initial, total, max_gain;
    bool has_initial;
    double momentum[3], joint_yield;
    int asleep;
    tn_summary_joint yielding;
    energy_watch watch;
    long n_far, far_step;
    tn_step_miss far;
    double far_time;
    long n_jumping;
    tn_step_jump jump;
    long n_missed, first_missed, n_short;
    int n_solvers;
    const char *solvers[TN_SUMMARY_SOLVERS];
};

tn_summarizer *tn_summarizer_create(tn_error *error)
{
    tn_summarizer *summarizer = tn_calloc(1, sizeof *summarizer);
    if (!summarizer) {
        tn_error_set(error, TN_NO_MEMORY, "no memory left for the summary");
        return NULL;
    }
    summarizer->stride = 1;
    return summarizer;
}

void tn_summarizer_destroy(tn_summarizer *summarizer)
{
    if (summarizer) {
        tn_free(summarizer->rows);
        tn_free(summarizer);
    }
}

void tn_summarizer_begin(tn_summarizer *summarizer, double step, double energy, const tn_gain_scale *scale)
{
    double *rows = summarizer->rows;
    long capacity = summarizer->capacity;
    *summarizer = (tn_summarizer){.rows = rows, .capacity = capacity, .stride = 1, .step = step, .has_initial = true};
    summarizer->watch = (energy_watch){.scale = *scale, .lowest = energy};
    summarizer->initial = summarizer->total = energy;
}

// Gains count from what lifts all by the margin on. Invertible contacts store energy that no figure counts.
static tn_gain_scale gain_scale(const tn_model *model)
{
    double pull = tn_vec3_norm(model->settings.gravity), mass = model->total_mass;
    return (tn_gain_scale){.floor = model->settings.omega > 0.0 ? INFINITY : mass * pull * model->margin,
                           .pull = pull * model->settings.step * sqrt(2.0 * mass)};
}

tn_status tn_summarizer_start(tn_summarizer *summarizer, const tn_state *state, tn_error *error)
{
    tn_energy energy;
    if (!summarizer || !state) {
        return tn_error_set(error, TN_BAD_INPUT, "a summary starts with a state");
    }
    tn_status status = tn_state_energy(state, &energy, error);
    if (status == TN_OK) {
        tn_gain_scale scale = gain_scale(state->model);
        tn_summarizer_begin(summarizer, state->model->settings.step, energy.kinetic + energy.gravity + energy.elastic,
                            &scale);
    }
    return status;
}

static void widen(range *r, double x)
{
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
}

// first: the first step; known: of the state before it.
static void watch_energy(energy_watch *w, bool first, bool known, const tn_step_report *report)
{
    const tn_energy *e = &report->energy;
    double level = e->kinetic + e->gravity + e->elastic - e->injected;
    if (first) {
        w->gravity = (range){e->gravity, e->gravity};
        w->elastic = (range){e->elastic, e->elastic};
        w->lowest = known ? w->lowest : level;
    }
    widen(&w->kinetic, e->kinetic);
    widen(&w->gravity, e->gravity);
    widen(&w->elastic, e->elastic);
    widen(&w->injected, e->injected);
    w->lowest = fmin(w->lowest, level);
    double scale = w->kinetic.high + (w->gravity.high - w->gravity.low) + (w->elastic.high - w->elastic.low) +
                   (w->injected.high - w->injected.low) + w->scale.floor;
    double allowed = GAIN * scale + w->scale.pull * sqrt(w->kinetic.high);
    double gain = level - w->lowest;
    w->n_gaining += gain > allowed;
    if (gain > allowed && gain > w->gain) {
        w->gain = gain;
        w->gain_time = report->time;
    }
}

static void add_energy(tn_summarizer *s, const tn_energy *energy)
{
    s->total = energy->kinetic + energy->gravity + energy->elastic;
    double gain = s->total - energy->injected - s->initial;
    s->max_gain = gain > s->max_gain ? gain : s->max_gain;
    memcpy(s->momentum, energy->momentum, sizeof s->momentum);
}

// Furthest: by the limits.
static void add_miss(tn_summarizer *s, const tn_step_report *report)
{
    const tn_step_miss *miss = &report->miss;
    if (miss->kind == TN_MISS_NONE) {
        return;
    }
    if (s->n_far++ == 0 || miss->value / miss->limit > s->far.value / s->far.limit) {
        s->far = *miss;
        s->far_step = report->step;
        s->far_time = report->time;
    }
}

static void add_yield(tn_summary_joint *worst, const tn_step_report *report)
{
    if (report->joint_yielding < 0) {
        return;
    }
    bool first = worst->n_steps++ == 0, contradicts = report->joints_contradict;
    bool faster = contradicts == worst->contradicts && report->joint_yield > worst->speed;
    if (first || faster || (contradicts && !worst->contradicts)) {
        worst->joint = report->joint_yielding;
        worst->contradicts = contradicts;
        worst->speed = report->joint_yield;
        worst->time = report->time;
    }
}

static void add_solver(tn_summarizer *s, const char *name)
{
    for (int k = 0; name && k < s->n_solvers; k++) {
        if (strcmp(s->solvers[k], name) == 0) {
            return;
        }
    }
    if (name && s->n_solvers < TN_SUMMARY_SOLVERS) {
        s->solvers[s->n_solvers++] = name;
    }
}

// Room for one more row. False: no memory.
static bool reserve(tn_summarizer *s)
{
    if (s->n_rows == MOST_ROWS) {
        for (long k = 1; 2 * k < s->n_rows; k++) {
            memcpy(s->rows + N_COLUMNS * k, s->rows + N_COLUMNS * 2 * k, N_COLUMNS * sizeof *s->rows);
        }
        s->n_rows /= 2;
        s->stride *= 2;
    }
    if (s->n_rows < s->capacity) {
        return true;
    }
    long capacity = s->capacity ? 2 * s->capacity : FIRST_ROWS;
    double *rows = tn_realloc(s->rows, (size_t)capacity * N_COLUMNS * sizeof *rows);
    if (rows) {
        s->rows = rows;
        s->capacity = capacity;
    }
    return rows != NULL;
}

static void fill_row(const tn_step_report *report, double row[N_COLUMNS])
{
    row[COLUMN_CONTACTS] = report->n_contacts;
    row[COLUMN_ITERATIONS] = report->solve.iterations;
    row[COLUMN_ASLEEP] = report->n_asleep;
    double stages = report->collide_s + report->discretize_s + report->solve_s + report->certify_s;
    const double seconds[6] = {report->collide_s, report->discretize_s,     report->solve_s,
                               report->certify_s, report->total_s - stages, report->total_s};
    for (int k = 0; k < 6; k++) {
        row[COLUMN_COLLIDE + k] = 1e3 * seconds[k];
    }
    for (int k = 0; k < TN_N_FIGURES; k++) {
        row[COLUMN_FIGURES + k] = tn_figure_of(&report->solve.certificate, k);
    }
}

static void add_row(tn_summarizer *s, const double row[N_COLUMNS])
{
    if (s->n_steps % s->stride == 0) {
        memcpy(s->rows + N_COLUMNS * s->n_rows++, row, N_COLUMNS * sizeof *row);
    }
    s->n_steps++;
    for (int k = 0; k < N_COLUMNS; k++) {
        struct column *c = &s->column[k];
        if (!isnan(row[k])) {
            c->max = c->n == 0 || row[k] > c->max ? row[k] : c->max;
            c->sum += row[k];
            c->n++;
        }
    }
}

tn_status tn_summarizer_add(tn_summarizer *s, const tn_step_report *report, tn_error *error)
{
    double row[N_COLUMNS];
    if (!s || !report) {
        return tn_error_set(error, TN_BAD_INPUT, "a summary adds reports of steps");
    }
    if (!reserve(s)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left for the summary");
    }
    fill_row(report, row);
    add_row(s, row);
    s->asleep = report->n_asleep;
    add_energy(s, &report->energy);
    watch_energy(&s->watch, s->n_steps == 1, s->has_initial, report);
    add_miss(s, report);
    add_yield(&s->yielding, report);
    s->n_jumping += report->jump.n > 0;
    s->jump = report->jump.distance > s->jump.distance ? report->jump : s->jump;
    s->joint_yield = report->joint_yield > s->joint_yield ? report->joint_yield : s->joint_yield;
    s->n_short += !report->solve.converged;
    if (!report->tolerances_held) {
        s->first_missed = s->n_missed++ == 0 ? report->step : s->first_missed;
    }
    add_solver(s, report->solve.solver);
    return TN_OK;
}

// scratch (n_rows).
static double median_of(const tn_summarizer *s, int column, double *scratch)
{
    long n = 0;
    for (long k = 0; k < s->n_rows; k++) {
        double value = s->rows[N_COLUMNS * k + column];
        if (!isnan(value)) {
            scratch[n++] = value;
        }
    }
    if (n == 0) {
        return NAN;
    }
    qsort(scratch, (size_t)n, sizeof *scratch, tn_order_doubles);
    return n % 2 ? scratch[n / 2] : 0.5 * (scratch[n / 2 - 1] + scratch[n / 2]);
}

// scratch (n_rows), or NULL: no memory.
static tn_statistic column_statistic(const tn_summarizer *s, int column, double *scratch)
{
    const struct column *c = &s->column[column];
    if (c->n == 0) {
        return (tn_statistic){NAN, NAN, NAN};
    }
    return (tn_statistic){c->max, scratch ? median_of(s, column, scratch) : NAN, c->sum / (double)c->n};
}

void tn_summarizer_finish(const tn_summarizer *s, tn_summary *out)
{
    if (!s || !out) {
        return;
    }
    *out = (tn_summary){.n_steps = s->n_steps,
                        .time = (double)s->n_steps * s->step,
                        .energy_initial = s->has_initial ? s->initial : NAN,
                        .energy_final = s->total,
                        .energy_max_gain = s->max_gain,
                        .joint_yield = s->joint_yield,
                        .yielding = s->yielding,
                        .n_far = s->n_far,
                        .far = s->far,
                        .far_step = s->far_step,
                        .far_time = s->far_time,
                        .n_jumping = s->n_jumping,
                        .jump = s->jump,
                        .n_gaining = s->watch.n_gaining,
                        .gain = s->watch.gain,
                        .gain_time = s->watch.gain_time,
                        .asleep_final = s->asleep,
                        .n_short = s->n_short,
                        .n_missed = s->n_missed,
                        .first_missed = s->first_missed};
    out->n_solvers = s->n_solvers;
    memcpy(out->solvers, s->solvers, sizeof out->solvers);
    memcpy(out->momentum_final, s->momentum, sizeof out->momentum_final);
    double *scratch = tn_malloc((size_t)s->n_rows * sizeof *scratch);
    tn_statistic *columns[N_COLUMNS] = {&out->contacts,   &out->iterations,    &out->asleep,
                                        &out->collide_ms, &out->discretize_ms, &out->solve_ms,
                                        &out->certify_ms, &out->other_ms,      &out->total_ms};
    for (int k = 0; k < TN_N_FIGURES; k++) {
        columns[COLUMN_FIGURES + k] = &out->certificate[k];
    }
    for (int k = 0; k < N_COLUMNS; k++) {
        *columns[k] = column_statistic(s, k, scratch);
    }
    tn_free(scratch);
}
