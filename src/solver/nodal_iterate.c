#include "solver/nodal_iterate.h"

#include "kernels/mixer.h"
#include "solver/nodal_check.h"

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
    int n_v = tn_nodal_packed_size(&system->layout);
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
    tn_nodal_pack(&system->layout, start->v, it->x);
    for (int g = 0; g < general->n; g++) {
        for (int k = 0; k < 3; k++) {
            it->x[n_v + 3 * g + k] = general->scale[g] * start->lambda[3 * general->id[g] + k];
        }
    }
    memcpy(it->best, it->x, (size_t)n_v * sizeof(double));
    memcpy(it->best_forces, start->lambda, 3 * (size_t)n_contacts * sizeof(double));
    return tn_nodal_check_create(system, &options->tolerance, arena, &it->check, error);
}

// g = G(x): one pass over rows and contacts.
static void step(iteration *it)
{
    const tn_nodal_general *general = &it->system->general;
    memcpy(it->g, it->x, (size_t)it->n * sizeof *it->g);
    for (int g = 0; g < general->n; g++) {
        for (int k = 0; k < 3; k++) {
            it->lambda[3 * g + k] = general->scale[g] > 0.0 ? it->x[it->n_v + 3 * g + k] / general->scale[g] : 0.0;
        }
    }
    tn_nodal_set_force(it->system, it->lambda);
    tn_nodal_step(it->system, it->g, it->lambda);
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

static tn_status iterate(iteration *it, int max_iterations, tn_solve_report *report, tn_error *error)
{
    bool figures = demands_figures(&it->tolerance);
    for (int l = 0; l < max_iterations; l++) {
        step(it);
        report->iterations = l + 1;
        if (!is_finite(it->n, it->g)) {
            return l == 0 ? tn_error_set(error, TN_NUMERICS, "nodal: the problem or its warm start holds a NaN")
                          : TN_OK;
        }
        double theta = tn_mixer_advance(&it->mixer, it->x, it->g);
        report->theta = theta;
        bool look_now = l % it->options.check_every == 0 || l + 1 == max_iterations || !figures;
        if (look_now && look(it, l, theta)) {
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
    report->theta = NAN;
    tn_status status = create(system, options, nodal, solution, arena, &it, error);
    if (status == TN_OK) {
        status = iterate(&it, options->max_iterations, report, error);
    }
    if (status == TN_OK) {
        tn_nodal_unpack(&system->layout, it.best, solution->v);
        memcpy(solution->lambda, it.best_forces, 3 * (size_t)system->problem->contacts->n * sizeof(double));
    }
    return status;
}
