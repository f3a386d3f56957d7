#include "solver/nodal_iterate.h"

#include "kernels/mixer.h"
#include "solver/nodal_check.h"
#include "solver/nodal_coarse.h"

#include <math.h>
#include <string.h>

// A running solve. x holds the packed velocities, then the general forces times their scale [m/s].
typedef struct iteration {
    tn_nodal_system *system;
    tn_tolerance tolerance;
    tn_nodal_options options;
    tn_nodal_check check;
    tn_mixer mixer;
    int n_v;             // packed velocities
    int n;               // numbers of x, a multiple of 8
    double *x, *g;       // (n) start and end of a step
    double *lambda;      // (general, 3) forces of the step [N]
    double *best;        // (n_v) velocities of the best step
    double *best_forces; // (contacts, 3)
    double best_merit;
    int best_at; // step of best

    // Coarse level
    bool coarse_on;
    tn_nodal_coarse coarse;
    double *d, *Ad;    // (n_v) its correction, A times it
    double last, rate; // |f| of the last step, and by which it fell
    double least;      // smallest |f| with the coarse level
    int search;        // steps for which the line search stays on
    int since;         // steps since |f| fell
} iteration;

static bool is_finite(int n, const double *x)
{
    // x - x is zero exactly for finite numbers.
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] - x[i];
    }
    return sum == 0.0;
}

static tn_status create(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                        const tn_solution *start, tn_arena *arena, iteration *it, tn_error *error)
{
    const tn_nodal_general *general = &system->general;
    int n_v = tn_sell_packed_size(system->order);
    int n = (n_v + 3 * general->n + 7) / 8 * 8, n_contacts = system->problem->contacts->n;
    *it = (iteration){.system = system,
                      .tolerance = options->tolerance,
                      .options = *nodal,
                      .n_v = n_v,
                      .n = n,
                      .best_merit = INFINITY};
    it->x = TN_PUSH(arena, double, n);
    it->g = TN_PUSH(arena, double, n);
    it->lambda = TN_PUSH(arena, double, 3 * general->n);
    it->best = TN_PUSH(arena, double, n_v);
    it->best_forces = TN_PUSH(arena, double, 3 * n_contacts);
    if (!it->x || !it->g || !it->lambda || !it->best || !it->best_forces ||
        !tn_mixer_create(&it->mixer, n, nodal->depth, options->n_threads, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    tn_sell_pack(system->order, start->v, it->x);
    for (int g = 0; g < general->n; g++) {
        for (int k = 0; k < 3; k++) {
            it->x[n_v + 3 * g + k] = general->scale[g] * start->lambda[3 * general->id[g] + k];
        }
    }
    memcpy(it->best, it->x, (size_t)n_v * sizeof(double));
    memcpy(it->best_forces, start->lambda, 3 * (size_t)n_contacts * sizeof(double));
    return tn_nodal_check_create(system, &options->tolerance, arena, &it->check, error);
}

// Forces of the step from x, and g = x.
static void begin_step(iteration *it)
{
    const tn_nodal_general *general = &it->system->general;
    memcpy(it->g, it->x, (size_t)it->n * sizeof *it->g);
    for (int g = 0; g < general->n; g++) {
        for (int k = 0; k < 3; k++) {
            it->lambda[3 * g + k] = general->scale[g] > 0.0 ? it->x[it->n_v + 3 * g + k] / general->scale[g] : 0.0;
        }
    }
    tn_nodal_set_force(it->system, it->lambda);
}

static void end_step(iteration *it)
{
    const tn_nodal_general *general = &it->system->general;
    for (int g = 0; g < general->n; g++) {
        for (int k = 0; k < 3; k++) {
            it->g[it->n_v + 3 * g + k] = general->scale[g] * it->lambda[3 * g + k];
        }
    }
}

static bool demands_figures(const tn_tolerance *t)
{
    return t->momentum > 0.0 || t->natural > 0.0 || t->fclib > 0.0;
}

// Look at g; keep it when it is the best so far. True: every demanded tolerance holds.
static bool look(iteration *it, int l, double theta)
{
    bool figures = demands_figures(&it->tolerance);
    double merit = figures ? tn_nodal_check_merit(&it->check, it->g, it->lambda) : theta;
    if (merit < it->best_merit || !figures) {
        it->best_at = merit < 0.9 * it->best_merit ? l : it->best_at;
        it->best_merit = merit;
        memcpy(it->best, it->g, (size_t)it->n_v * sizeof(double));
        tn_nodal_forces(it->system, it->lambda, it->best_forces);
    }
    bool length = !(it->tolerance.theta > 0.0) || theta < it->tolerance.theta;
    return (!figures || merit <= 1.0) && length && (figures || it->tolerance.theta > 0.0);
}

// Length of the step along d that the energy wants, at most 1; g . d and d . A d of the gradient that led to d.
static double best_length(iteration *it)
{
    tn_sell_product(&it->system->sell, it->d, it->Ad, it->system->n_threads);
    double gd = tn_mixer_dot(it->n_v, it->check.r, it->d), dAd = tn_mixer_dot(it->n_v, it->d, it->Ad);
    return dAd > 0.0 ? fmin(fmax(-gd / dAd, 0.0), 1.0) : 1.0;
}

// The coarse correction of g after its sweeps; check.r holds A g - f.
static tn_status correct(iteration *it)
{
    tn_nodal_system *s = it->system;
    tn_nodal_truncate(&s->rows, it->g, it->check.r);
    bool stale = tn_nodal_coarse_change(&it->coarse, it->lambda) > 0.05;
    if (!it->coarse.built || (stale && it->rate > 0.6)) {
        tn_status status = tn_nodal_coarse_build(&it->coarse, it->lambda);
        if (status != TN_OK) {
            return status;
        }
    }
    tn_nodal_coarse_solve(&it->coarse, it->check.r, it->d);
    bool stopped = tn_nodal_apply(&s->rows, it->g, it->d);
    if (stopped || it->search > 0) {
        double alpha = best_length(it);
        for (int i = 0; i < it->n_v && alpha < 1.0; i++) {
            it->g[i] += (alpha - 1.0) * it->d[i];
        }
    }
    tn_nodal_coarse_forces(&it->coarse, it->g, it->lambda);
    return TN_OK;
}

// What the two-level iteration learns from the length of a step.
static void note_length(iteration *it, double theta)
{
    it->rate = theta / it->last;
    it->last = theta;
    it->search = theta > 0.9 * it->least ? 4 : it->search > 0 ? it->search - 1 : 0;
    it->least = fmin(it->least, theta);
}

static tn_status start_coarse(iteration *it, tn_arena *arena)
{
    it->d = TN_PUSH(arena, double, it->n_v);
    it->Ad = TN_PUSH(arena, double, it->n_v);
    it->coarse_on = true;
    it->last = it->least = INFINITY;
    it->rate = 1.0;
    tn_mixer_clear(&it->mixer);
    return it->d && it->Ad ? tn_nodal_coarse_create(it->system, it->options.group_size, arena, &it->coarse)
                           : TN_NO_MEMORY;
}

static tn_status iterate(iteration *it, int max_iterations, tn_arena *arena, tn_solve_report *report, tn_error *error)
{
    bool figures = demands_figures(&it->tolerance);
    for (int l = 0; l < max_iterations; l++) {
        if (l == it->options.coarse_after && start_coarse(it, arena) != TN_OK) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's coarse level");
        }
        begin_step(it);
        tn_nodal_step(it->system, it->g, it->lambda);
        if (it->coarse_on) {
            tn_nodal_step(it->system, it->g, it->lambda);
        }
        report->iterations = l + 1;
        if (!is_finite(it->n_v, it->g)) {
            return l == 0 ? tn_error_set(error, TN_NUMERICS, "nodal: the problem or its warm start holds a NaN")
                          : TN_OK;
        }
        bool look_now = it->coarse_on || l % it->options.check_every == 0 || l + 1 == max_iterations || !figures;
        bool good = look_now && look(it, l, report->theta);
        if (it->coarse_on && correct(it) != TN_OK) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's coarse level");
        }
        end_step(it);
        report->theta = tn_mixer_advance(&it->mixer, it->x, it->g);
        note_length(it, report->theta);
        if (good) {
            report->converged = true;
            return TN_OK;
        }
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = !figures && !(it->tolerance.theta > 0.0);
    return TN_OK;
}

tn_status tn_nodal_iterate(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                           tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    iteration it;
    report->theta = INFINITY;
    tn_status status = create(system, options, nodal, solution, arena, &it, error);
    if (status == TN_OK) {
        status = iterate(&it, options->max_iterations, arena, report, error);
    }
    if (status == TN_OK) {
        tn_sell_unpack(system->order, it.best, solution->v);
        memcpy(solution->lambda, it.best_forces, 3 * (size_t)system->problem->contacts->n * sizeof(double));
    }
    return status;
}
