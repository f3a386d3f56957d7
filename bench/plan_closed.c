// tenon bench plan --only push|catch: closed loops from random starts, where friction is not what the planner believes
// in and pushes are unknown to it; beside it sampling (MPPI; Williams et al. 2017) with the simulator as its model.
// --only tune_push|tune_catch: what sampling's settings were chosen from.
#include "plan_closed.h"
#include "control_closed.h"
#include "tenon/batch.h"

#include <time.h>

// Starts that settings were chosen on, the planner's in the scene and sampling's, and those of the study.
enum { CHOSEN = 5, FIRST = 100, STARTS = 50, STARTS_QUICK = 5 };

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
    planned *p = user;
    double begun = used();
    tn_status status = tn_mpc_solve(hand, state, error);
    count(p->total, used() - begun, p->step);
    const tn_plan *plan = tn_mpc_plan(hand);
    *u = plan && isfinite(plan->cost) ? plan->u : NULL;
    return status;
}

// ---- sampling

// Of the normal noise, relative to the inputs' range; temperature, see below.
typedef struct sampler_tuning {
    double spread, share;
} sampler_tuning;

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
    sampler_tuning tuning;
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

static bool sampler_make(sampler *s, const tn_model *model, int n, sampler_tuning tuning, tally *total, tn_error *error)
{
    const tn_scene_mpc *said = model->scene->mpc;
    size_t inputs = (size_t)said->n_inputs, numbers = inputs * (size_t)said->horizon;
    *s = (sampler){.said = said,
                   .n = n,
                   .steps = (int)lround(said->step / model->settings.step),
                   .n_efforts = model->n_joint_coordinates,
                   .tuning = tuning,
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
                        : s->tuning.spread * (high - low) *
                              tn_random_normal(s->round, 0x6d707069u + (uint64_t)i, (uint64_t)j);
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
    double temperature = s->tuning.share * (sum / s->n - least) + 1e-12;
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
    int first, n;             // starts
    sampler_tuning tuning;
    tn_error error;
} study;

// One run; samples 0: the planner. False: it failed.
static bool run(study *s, control_errors errors, int start, int samples, tally *total, control_result *result)
{
    planned planner = {.total = total, .step = s->believed->scene->mpc->step};
    sampler rival = {0};
    tn_model *plant = control_plant(s->task, s->options->scenes, start, errors, 0, NULL, &s->error);
    bool fine = plant && (samples == 0 || sampler_make(&rival, s->believed, samples, s->tuning, total, &s->error)) &&
                control_run(s->task, plant, start, samples > 0 ? sample_law : plan_law,
                            samples > 0 ? (void *)&rival : (void *)&planner, result, &s->error) == TN_OK;
    sampler_free(&rival);
    tn_model_destroy(plant);
    if (!fine) {
        fprintf(stderr, "tenon-bench: %s\n", s->error.message);
    }
    return fine;
}

typedef struct outcome {
    double costs[STARTS], mean;
    int reached;
    tally total;
} outcome;

static bool run_all(study *s, control_errors errors, int samples, outcome *out)
{
    *out = (outcome){.reached = 0};
    for (int i = 0; i < s->n; i++) {
        control_result result;
        if (!run(s, errors, s->first + i, samples, &out->total, &result)) {
            return false;
        }
        out->costs[i] = result.cost;
        out->mean += result.cost / s->n;
        out->reached += result.reached;
    }
    return true;
}

// Runs from all starts. Returns the mean processor time of a solve [s]; NaN: a run failed.
static double study_row(study *s, const char *name, control_errors errors, int samples)
{
    static outcome out;
    if (!run_all(s, errors, samples, &out)) {
        return NAN;
    }
    const tally total = out.total;
    table_word(s->table, "%s", name);
    table_word(s->table, samples > 0 ? "sampling" : "planner");
    table_number(s->table, "%.0f", samples > 0 ? samples : NAN);
    table_word(s->table, "%d of %d", out.reached, s->n);
    table_number(s->table, "%.4g", out.mean);
    table_number(s->table, "%.4g", bench_median(s->n, out.costs));
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

// Sampling's settings, the best of the grid below.
static sampler_tuning tuning_of(const char *task)
{
    return strcmp(task, "push") == 0 ? (sampler_tuning){0.6, 0.03} : (sampler_tuning){0.15, 0.03};
}

static tn_model *begin(study *s, const bench_options *options, table *t, const char *name)
{
    *s = (study){.options = options, .table = t, .task = control_task_find(name), .tuning = tuning_of(name)};
    tn_model *believed = bench_model(options, s->task->scene, 0, NULL);
    s->believed = believed;
    return believed;
}

int bench_plan_tune(const bench_options *options, table *t, const char *name)
{
    static const char *const heads[] = {"spread", "temperature", "samples", "goal reached", "cost mean", "ms mean"};
    static const double spreads[] = {0.075, 0.15, 0.3, 0.6}, shares[] = {0.03, 0.1, 0.3};
    static outcome out;
    const control_errors errors = {.friction = 0.2, .pushed = true};
    study s;
    tn_model *believed = begin(&s, options, t, name);
    s.n = CHOSEN;
    int failures = !believed || !run_all(&s, errors, 0, &out);
    int samples = failures ? 0 : equal_samples(&s, out.total.sum / (double)out.total.n);
    failures += samples == 0;
    char title[160];
    snprintf(title, sizeof title, "%s: sampling with friction off and pushes from %d starts", s.task->scene, CHOSEN);
    table_open(t, title, 6, heads);
    for (int k = 0; k < 12 && !failures; k++) {
        s.tuning = (sampler_tuning){spreads[k / 3], shares[k % 3]};
        failures += !run_all(&s, errors, samples, &out);
        table_number(t, "%.3f", s.tuning.spread);
        table_number(t, "%.2f", s.tuning.share);
        table_number(t, "%.0f", samples);
        table_word(t, "%d of %d", out.reached, s.n);
        table_number(t, "%.4g", out.mean);
        table_number(t, "%.2f", 1e3 * out.total.sum / (double)out.total.n);
        table_row(t);
    }
    table_close(t);
    tn_model_destroy(believed);
    return failures;
}

int bench_plan_closed(const bench_options *options, table *t, const char *name)
{
    static const char *const heads[] = {"errors",      "controller", "samples",  "goal reached", "cost mean",
                                        "cost median", "ms mean",    "ms worst", "% late"};
    static const struct {
        const char *name;
        control_errors errors;
    } cases[] = {
        {"friction, pushes", {0.2, true}}, {"none", {0.0, false}}, {"friction", {0.2, false}}, {"pushes", {0.0, true}}};
    study s;
    tn_model *believed = begin(&s, options, t, name);
    s.first = FIRST;
    s.n = options->quick ? STARTS_QUICK : STARTS;
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
