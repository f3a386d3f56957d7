#include "record/summary.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_CONTACTS, COLUMN_ITERATIONS, COLUMN_COLLIDE, COLUMN_TOTAL = COLUMN_COLLIDE + 4, COLUMN_FIGURES };
enum { N_COLUMNS = COLUMN_FIGURES + TN_N_FIGURES, FIRST_ROWS = 1024 };

struct tn_summarizer {
    long n_rows, capacity;
    double *rows; // (n_rows, N_COLUMNS)
    double initial, injected_initial, total, max_gain;
    bool has_initial;
    double momentum[3], joint_yield;
    long n_missed, first_missed;
    int n_solvers;
    const char *solvers[TN_SUMMARY_SOLVERS];
};

static const struct {
    const char *name, *unit;
    size_t offset;
} figures[TN_N_FIGURES] = {
    {"momentum", "1", offsetof(tn_certificate, momentum)},
    {"signorini_primal", "m/s", offsetof(tn_certificate, signorini_primal)},
    {"signorini_dual", "N", offsetof(tn_certificate, signorini_dual)},
    {"complementarity", "m/s", offsetof(tn_certificate, complementarity)},
    {"cone", "1", offsetof(tn_certificate, cone)},
    {"dissipation", "W", offsetof(tn_certificate, dissipation)},
    {"natural", "1", offsetof(tn_certificate, natural)},
    {"fclib", "1", offsetof(tn_certificate, fclib)},
    {"strict_natural", "1", offsetof(tn_certificate, strict_natural)},
    {"strict_complementarity", "m/s", offsetof(tn_certificate, strict_complementarity)},
    {"joint", "1", offsetof(tn_certificate, joint)},
    {"penetration", "m", offsetof(tn_certificate, penetration)},
    {"drift", "m, rad", offsetof(tn_certificate, drift)},
};

const char *tn_figure_name(int figure)
{
    return figures[figure].name;
}

const char *tn_figure_unit(int figure)
{
    return figures[figure].unit;
}

double tn_figure_of(const tn_certificate *certificate, int figure)
{
    double value;
    memcpy(&value, (const char *)certificate + figures[figure].offset, sizeof value);
    if (figures[figure].offset == offsetof(tn_certificate, joint) && value == 0.0 && isnan(certificate->drift)) {
        return NAN; // no joints
    }
    return value;
}

tn_summarizer *tn_summarizer_create(void)
{
    return tn_calloc(1, sizeof(tn_summarizer));
}

void tn_summarizer_destroy(tn_summarizer *summarizer)
{
    if (summarizer) {
        tn_free(summarizer->rows);
        tn_free(summarizer);
    }
}

void tn_summarizer_start(tn_summarizer *summarizer, double energy_initial)
{
    summarizer->initial = summarizer->total = energy_initial;
    summarizer->has_initial = true;
}

static void add_energy(tn_summarizer *s, const tn_energy *energy)
{
    s->total = energy->kinetic + energy->gravity + energy->elastic;
    double gain = s->total - energy->injected - s->initial;
    s->max_gain = gain > s->max_gain ? gain : s->max_gain;
    memcpy(s->momentum, energy->momentum, sizeof s->momentum);
}

static void add_solver(tn_summarizer *s, const char *name)
{
    for (int k = 0; k < s->n_solvers; k++) {
        if (strcmp(s->solvers[k], name) == 0) {
            return;
        }
    }
    if (s->n_solvers < TN_SUMMARY_SOLVERS) {
        s->solvers[s->n_solvers++] = name;
    }
}

tn_status tn_summarizer_add(tn_summarizer *s, const tn_step_report *report, tn_error *error)
{
    if (s->n_rows == s->capacity) {
        long capacity = s->capacity ? 2 * s->capacity : FIRST_ROWS;
        double *rows = tn_realloc(s->rows, (size_t)capacity * N_COLUMNS * sizeof *rows);
        if (!rows) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory left for the summary");
        }
        s->rows = rows;
        s->capacity = capacity;
    }
    double *row = s->rows + N_COLUMNS * s->n_rows++;
    row[COLUMN_CONTACTS] = report->n_contacts;
    row[COLUMN_ITERATIONS] = report->solve.iterations;
    const double seconds[5] = {report->collide_s, report->discretize_s, report->solve_s, report->certify_s,
                               report->total_s};
    for (int k = 0; k < 5; k++) {
        row[COLUMN_COLLIDE + k] = 1e3 * seconds[k];
    }
    for (int k = 0; k < TN_N_FIGURES; k++) {
        row[COLUMN_FIGURES + k] = tn_figure_of(&report->solve.certificate, k);
    }
    add_energy(s, &report->energy);
    s->joint_yield = report->joint_yield > s->joint_yield ? report->joint_yield : s->joint_yield;
    if (!report->tolerances_held) {
        s->first_missed = s->n_missed++ == 0 ? report->step : s->first_missed;
    }
    add_solver(s, report->solve.solver);
    return TN_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// scratch (n_rows).
static tn_statistic column_statistic(const tn_summarizer *s, int column, double *scratch)
{
    long n = 0;
    double sum = 0.0;
    for (long k = 0; k < s->n_rows; k++) {
        double value = s->rows[N_COLUMNS * k + column];
        if (!isnan(value)) {
            scratch[n++] = value;
            sum += value;
        }
    }
    if (n == 0) {
        return (tn_statistic){NAN, NAN, NAN};
    }
    qsort(scratch, (size_t)n, sizeof *scratch, ascending);
    double median = n % 2 ? scratch[n / 2] : 0.5 * (scratch[n / 2 - 1] + scratch[n / 2]);
    return (tn_statistic){scratch[n - 1], median, sum / (double)n};
}

void tn_summarizer_finish(tn_summarizer *s, double step, tn_summary *out)
{
    *out = (tn_summary){.n_steps = s->n_rows,
                        .time = (double)s->n_rows * step,
                        .energy_initial = s->has_initial ? s->initial : NAN,
                        .energy_final = s->total,
                        .energy_max_gain = s->max_gain,
                        .joint_yield = s->joint_yield,
                        .n_missed = s->n_missed,
                        .first_missed = s->first_missed};
    out->n_solvers = s->n_solvers;
    memcpy(out->solvers, s->solvers, sizeof out->solvers);
    memcpy(out->momentum_final, s->momentum, sizeof out->momentum_final);
    double *scratch = tn_malloc((size_t)s->n_rows * sizeof *scratch);
    tn_statistic *columns[N_COLUMNS] = {&out->contacts, &out->iterations, &out->collide_ms, &out->discretize_ms,
                                        &out->solve_ms, &out->certify_ms, &out->total_ms};
    for (int k = 0; k < TN_N_FIGURES; k++) {
        columns[COLUMN_FIGURES + k] = &out->certificate[k];
    }
    for (int k = 0; k < N_COLUMNS; k++) {
        *columns[k] = scratch ? column_statistic(s, k, scratch) : (tn_statistic){NAN, NAN, NAN};
    }
    tn_free(scratch);
}
