// tenon bench plan --only push|catch: closed loops from random starts, where friction is not what the planner believes
// in and pushes are unknown to it; beside it sampling (MPPI; Williams et al. 2017) with the simulator as its model.
#include "plan_closed.h"
#include "control_closed.h"
#include "tenon/batch.h"

#include <time.h>

enum { STARTS = 50, STARTS_QUICK = 5 };

// Processor time of the process [s].
static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Solves of a controller, however many runs.
typedef struct tally {
    long n, late; // late: longer than the section's step
    double sum, most;
} tally;

static void count(tally *t, double seconds, double step)
{
    t->n++;
    t->late += seconds > step;
    t->sum += seconds;
    t->most = fmax(t->most, seconds);
}

// ---- the planner

typedef struct planned {
    tally *total;
    double step;
} planned;

static tn_status plan_law(void *user, tn_mpc *hand, const tn_state *state, const double *x, const double **u,
                          tn_error *error)
{
    (void)x;
    planned *p = user;
    double begun = used();
    tn_status status = tn_mpc_solve(hand, state, error);
    count(p->total, used() - begun, p->step);
    const tn_plan *plan = tn_mpc_plan(hand);
    *u = plan && isfinite(plan->cost) ? plan->u : NULL;
    return status;
}

// ---- sampling

// Inputs of the horizon, constant over each of the section's steps: the mean of samples about the last ones, weighted
// by exp(-(cost - least) / temperature), the temperature a share of the costs' mean above the least.
typedef struct sampler {
    const tn_scene_mpc *said;
    int n, steps; // samples; steps of the simulator in one of the section's
    tn_batch *batch;
    tn_lcs_source *eye;
    tn_state *begin;
    double *mean;   // (horizon, n_inputs)
    double *sample; // (n, horizon, n_inputs)
    double *cost;   // (n)
    double *effort; // (n, all coordinates of joints)
    int n_efforts;
    int *to; // (n_inputs) coordinate of joints
    double spread, share;
    uint64_t round;
    tally *total;
} sampler;

static void sampler_free(sampler *s)
{
    tn_batch_destroy(s->batch);
    tn_lcs_source_destroy(s->eye);
    tn_state_destroy(s->begin);
    free(s->mean);
    free(s->sample);
    free(s->cost);
    free(s->effort);
    free(s->to);
}

static bool sampler_make(sampler *s, const tn_model *model, int n, tally *total, tn_error *error)
{
    const tn_scene_mpc *said = model->scene->mpc;
    size_t inputs = (size_t)said->n_inputs, numbers = inputs * (size_t)said->horizon;
    *s = (sampler){.said = said,
                   .n = n,
                   .steps = (int)lround(said->step / model->settings.step),
                   .n_efforts = model->n_joint_coordinates,
                   .spread = 0.15,
                   .share = 0.1,
                   .total = total};
    s->batch = tn_batch_create(model, n, 1, error);
    s->eye = control_eye(model, error);
    s->begin = tn_state_create(model, error);
    s->mean = calloc(numbers, sizeof *s->mean);
    s->sample = calloc(numbers * (size_t)n, sizeof *s->sample);
    s->cost = calloc((size_t)n, sizeof *s->cost);
    s->effort = calloc((size_t)n * (size_t)s->n_efforts, sizeof *s->effort);
    s->to = calloc(inputs, sizeof *s->to);
    for (int k = 0; s->to && k < said->n_inputs; k++) { // the tasks' inputs are forces along joints' only coordinates
        char joint[64];
        snprintf(joint, sizeof joint, "%.*s", (int)strcspn(said->inputs[k], ":"), said->inputs[k]);
        s->to[k] = tn_model_first_coordinate(model, tn_model_find_joint(model, joint));
    }
    return s->batch && s->eye && s->begin && s->mean && s->sample && s->cost && s->effort && s->to;
}

static void draw(sampler *s)
{
    const tn_scene_mpc *said = s->said;
    int numbers = said->horizon * said->n_inputs;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < numbers; j++) {
            int k = j % said->n_inputs;
            double low = said->input_low[k], high = said->input_high[k], u = s->mean[j];
            u += i == 0 ? 0.0
                        : s->spread * (high - low) * tn_random_normal(s->round, 0x6d707069u + (uint64_t)i, (uint64_t)j);
            s->sample[i * numbers + j] = fmin(fmax(u, low), high);
        }
    }
    s->round++;
}

static tn_status roll(sampler *s, tn_error *error)
{
    const tn_scene_mpc *said = s->said;
    int numbers = said->horizon * said->n_inputs;
    double x[CONTROL_X_MAX];
    tn_status status = TN_OK;
    for (int i = 0; i < s->n; i++) {
        s->cost[i] = 0.0;
        status = status == TN_OK ? tn_state_copy(tn_batch_state(s->batch, i), s->begin, error) : status;
    }
    for (int k = 0; status == TN_OK && k < said->horizon; k++) {
        for (int i = 0; i < s->n; i++) {
            for (int j = 0; j < said->n_inputs; j++) {
                s->effort[i * s->n_efforts + s->to[j]] = s->sample[i * numbers + k * said->n_inputs + j];
            }
        }
        tn_input input = {.effort = s->effort};
        status = tn_batch_step(s->batch, s->steps, &input, NULL, NULL, error);
        for (int i = 0; status == TN_OK && i < s->n; i++) {
            status = tn_lcs_source_read(s->eye, tn_batch_state(s->batch, i), x, error);
            s->cost[i] += control_stage(said, k + 1 == said->horizon, x, s->sample + i * numbers + k * said->n_inputs);
        }
    }
    return status;
}

static void weigh(sampler *s)
{
    int numbers = s->said->horizon * s->said->n_inputs;
    double least = INFINITY, sum = 0.0, all = 0.0;
    for (int i = 0; i < s->n; i++) {
        least = fmin(least, s->cost[i]);
        sum += s->cost[i];
    }
    double temperature = s->share * (sum / s->n - least) + 1e-12;
    memset(s->mean, 0, (size_t)numbers * sizeof *s->mean);
    for (int i = 0; i < s->n; i++) {
        double weight = exp((least - s->cost[i]) / temperature);
        all += weight;
        for (int j = 0; j < numbers; j++) {
            s->mean[j] += weight * s->sample[i * numbers + j];
        }
    }
    for (int j = 0; j < numbers; j++) {
        s->mean[j] /= all;
    }
}

static tn_status sample_law(void *user, tn_mpc *hand, const tn_state *state, const double *x, const double **u,
                            tn_error *error)
{
    (void)state;
    sampler *s = user;
    double begun = used();
    int n = s->said->n_inputs, numbers = s->said->horizon * n;
    if (s->round > 0) { // one step on
        memmove(s->mean, s->mean + n, (size_t)(numbers - n) * sizeof *s->mean);
    }
    tn_status status = tn_lcs_source_write(s->eye, x, s->begin, error);
    draw(s);
    status = status == TN_OK ? roll(s, error) : status;
    weigh(s);
    count(s->total, used() - begun, s->said->step);
    *u = s->mean;
    return status == TN_OK ? tn_mpc_hold(hand, s->mean, error) : status;
}

// ---- the study

typedef struct study {
    const bench_options *options;
    table *table;
    const control_task *task;
    const tn_model *believed; // by the samplers
    tn_error error;
} study;

// One run; samples 0: the planner. False: it failed.
static bool run(study *s, control_errors errors, int start, int samples, tally *total, control_result *result)
{
    planned planner = {.total = total, .step = s->believed->scene->mpc->step};
    sampler rival = {0};
    tn_model *plant = control_plant(s->task, s->options->scenes, start, errors, 0, NULL, &s->error);
    bool fine = plant && (samples == 0 || sampler_make(&rival, s->believed, samples, total, &s->error)) &&
                control_run(s->task, plant, start, samples > 0 ? sample_law : plan_law,
                            samples > 0 ? (void *)&rival : (void *)&planner, result, &s->error) == TN_OK;
    sampler_free(&rival);
    tn_model_destroy(plant);
    if (!fine) {
        fprintf(stderr, "tenon-bench: %s\n", s->error.message);
    }
    return fine;
}

// Runs from all starts. Returns the mean processor time of a solve [s]; NaN: a run failed.
static double study_row(study *s, const char *name, control_errors errors, int samples)
{
    const int n = s->options->quick ? STARTS_QUICK : STARTS;
    double costs[STARTS], mean = 0.0;
    tally total = {0};
    int reached = 0;
    for (int i = 0; i < n; i++) {
        control_result result;
        if (!run(s, errors, i, samples, &total, &result)) {
            return NAN;
        }
        costs[i] = result.cost;
        mean += costs[i] / n;
        reached += result.reached;
    }
    table_word(s->table, "%s", name);
    table_word(s->table, samples > 0 ? "sampling" : "planner");
    table_number(s->table, "%.0f", samples > 0 ? samples : NAN);
    table_word(s->table, "%d of %d", reached, n);
    table_number(s->table, "%.4g", mean);
    table_number(s->table, "%.4g", bench_median(n, costs));
    table_number(s->table, "%.2f", 1e3 * total.sum / (double)total.n);
    table_number(s->table, "%.2f", 1e3 * total.most);
    table_number(s->table, "%.2f", 100.0 * (double)total.late / (double)total.n);
    table_row(s->table);
    return total.sum / (double)total.n;
}

// Samples that take as long as a solve of the planner, at least 2.
static int equal_samples(study *s, double seconds)
{
    enum { TRIED = 8 };
    tally total = {0};
    control_result result;
    return run(s, (control_errors){0}, 0, TRIED, &total, &result)
               ? (int)fmax(seconds / (total.sum / (double)total.n / TRIED) + 0.5, 2.0)
               : 0;
}

int bench_plan_closed(const bench_options *options, table *t, const char *name)
{
    static const char *const heads[] = {"errors",      "controller", "samples",  "goal reached", "cost mean",
                                        "cost median", "ms mean",    "ms worst", "% late"};
    static const struct {
        const char *name;
        control_errors errors;
    } cases[] = {
        {"none", {0.0, false}}, {"friction", {0.2, false}}, {"pushes", {0.0, true}}, {"friction, pushes", {0.2, true}}};
    study s = {.options = options, .table = t, .task = control_task_find(name)};
    tn_model *believed = bench_model(options, s.task->scene, 0, NULL);
    s.believed = believed;
    int failures = !believed;
    char title[160];
    snprintf(title, sizeof title, "%s from random starts, processor time a solve", s.task->scene);
    table_open(t, title, 9, heads);
    for (int k = 0; k < 4 && !failures; k++) {
        double seconds = study_row(&s, cases[k].name, cases[k].errors, 0);
        int equal = isnan(seconds) ? 0 : equal_samples(&s, seconds);
        failures += equal == 0 || isnan(study_row(&s, cases[k].name, cases[k].errors, equal));
    }
    table_close(t);
    tn_model_destroy(believed);
    return failures;
}
