#include "solver/cond/iterate.h"

#include "problem/problem.h"
#include "solver/cond/run.h"

#include <math.h>
#include <string.h>

enum { REFERENCE_AGE = 64 }; // iterations with one reference of single precision

static const double REFERENCE_FALL = 0.01; // of the residual since the reference was set that makes a new one worth it
static const double PROGRESS = 0.9;        // a merit is better when it is below this part of the best
static const double SNAPSHOT = 0.25;       // an iterate is kept when its merit is below this part of the kept one's

static bool create_vectors(tn_cond_run *it, tn_arena *arena)
{
    int n = tn_mixer_room(it->n), n_packed = it->system->n_packed;
    bool steps = it->options.acceleration == TN_COND_BARZILAI_BORWEIN;
    it->x = TN_PUSH(arena, double, n);
    it->out = TN_PUSH(arena, double, n);
    it->kept = TN_PUSH(arena, double, n);
    it->Av = TN_PUSH(arena, double, n_packed);
    it->s = TN_PUSH(arena, double, steps ? n_packed : 0);
    it->z = TN_PUSH(arena, double, steps ? n_packed : 0);
    return it->x && it->out && it->kept && it->Av && it->s && it->z;
}

// The product in double precision that single precision is relative to: at the start and when the residual has fallen
// far below what it was at the last one, or slowly. start: what x is there; NULL: elsewhere.
static void set_reference(tn_cond_run *it, int l, const double *start)
{
    if (!it->system->matrix.single) {
        return;
    }
    if (!start || !tn_cond_known_product(it->system, start, it->Av)) {
        tn_cond_product(it->system, it->x, it->Av);
    }
    tn_cond_set_reference(it->system, it->x, it->Av);
    it->goes_on = false;
    it->reference_at = l;
    it->reference_residual = 0.0;
}

static void keep_reference(tn_cond_run *it, int l, double residual)
{
    it->reference_residual = fmax(it->reference_residual, residual);
    if (residual < REFERENCE_FALL * it->reference_residual || l - it->reference_at >= REFERENCE_AGE) {
        set_reference(it, l, NULL);
    }
}

static tn_status iteration_create(tn_cond_system *system, const tn_solve_options *options, const tn_cond_options *cond,
                                  const tn_solution *start, tn_arena *arena, tn_cond_run *out, tn_error *error)
{
    *out = (tn_cond_run){.system = system,
                         .tolerance = &options->tolerance,
                         .options = *cond,
                         .arena = arena,
                         .alpha = 1.0,
                         .gamma = 1.0,
                         .n = tn_cond_size(system),
                         .kept_merit = INFINITY,
                         .best_merit = INFINITY,
                         .contacts_merit = INFINITY,
                         .demand = 1.0,
                         .guarded = system->bodies.n_nodes == 0,
                         .least_residual = INFINITY,
                         .window_least = INFINITY,
                         .last_least = INFINITY,
                         .phase_merit = INFINITY,
                         .plain_steps = TN_COND_PHASE,
                         .idle_rate = INFINITY};
    bool mixes = cond->acceleration == TN_COND_ANDERSON || cond->acceleration == TN_COND_ADAPTIVE;
    if (!create_vectors(out, arena) || (mixes && !tn_cond_mix_create(&out->mix, system, cond->depth, arena))) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    tn_cond_pack(system, start, out->x);
    set_reference(out, 0, start->v);
    memcpy(out->kept, out->x, (size_t)out->n * sizeof *out->x);
    tn_cond_use(out, tn_cond_first_acceleration(out));
    return tn_cond_check_create(system, &options->tolerance, arena, &out->check, error);
}

// What the next step is to be.
static tn_cond_step_options next_step(tn_cond_run *it, int l, bool last)
{
    tn_cond_step_options step = {.fpi = {.alpha = it->alpha, .plain = true, .nu = 1.0, .relaxation = 1.0},
                                 .gamma = it->gamma,
                                 .refresh = last || it->closing || l % it->options.check_every == 0};
    if (it->kind == TN_COND_BARZILAI_BORWEIN) {
        step.fpi.alpha *= tn_cond_barzilai_borwein(it, l);
    }
    if (it->kind == TN_COND_CHEBYSHEV && !last && !it->closing) {
        step.fpi.nu = tn_cond_chebyshev_factor(&it->chebyshev, it->options.chebyshev_start);
        step.fpi.relaxation = it->options.relaxation;
        step.fpi.plain = step.fpi.nu == 1.0 && step.fpi.relaxation == 1.0;
    }
    step.fpi.record = step.fpi.plain;
    step.fpi.goes_on = it->goes_on;
    return step;
}

// The merit of the step just made: the largest of figure/tolerance that is known without another product.
static double measure(tn_cond_run *it, int l, const tn_fpi_sums *sums, double theta)
{
    const tn_tolerance *t = it->tolerance;
    if (!tn_demands_figures(t)) {
        return t->theta > 0.0 ? theta / t->theta : theta;
    }
    if (l % it->options.check_every == 0 || it->closing) {
        it->contacts_merit = tn_cond_check_contacts(&it->check, t, it->out);
    }
    double merit = fmax(tn_cond_check_residual(&it->check, t, sqrt(sums->residual)), it->contacts_merit);
    if (t->theta > 0.0) {
        merit = fmax(merit, theta / t->theta);
    }
    return merit;
}

static void remember(tn_cond_run *it, int l, double merit)
{
    if (merit < PROGRESS * it->best_merit) {
        it->best_at = l;
    }
    it->best_merit = fmin(merit, it->best_merit);
    if (merit < SNAPSHOT * it->kept_merit || (merit <= 1.0 && merit < it->kept_merit)) {
        it->kept_merit = merit;
        memcpy(it->kept, it->out, (size_t)it->n * sizeof *it->out);
    }
}

// Whether the plain step just made, of merit at most `demand`, holds what is demanded: with the balance at its end.
static bool holds(tn_cond_run *it, const tn_cond_step_options *step)
{
    const tn_tolerance *t = it->tolerance;
    if (!tn_demands_figures(t)) {
        return t->theta > 0.0; // theta was short enough before this last plain step
    }
    return it->contacts_merit <= 1.0 && tn_cond_check_momentum(&it->check, t, it->out, step->fpi.alpha) <= 1.0;
}

// From the step just made to the next iterate.
static void advance(tn_cond_run *it, double theta)
{
    if (it->kind == TN_COND_ANDERSON) {
        tn_cond_mix_advance(&it->mix, it->x, it->out);
        it->goes_on = false;
        return;
    }
    if (it->kind == TN_COND_CHEBYSHEV) {
        tn_cond_chebyshev_tell(&it->chebyshev, theta);
    }
    double *before = it->x;
    it->x = it->out;
    it->out = before;
    it->goes_on = true;
}

// A merit that seems to be enough: true when the solve is done. A combined step is followed by a plain one, so that the
// law holds to rounding; a plain one is looked at closely.
static bool close_in(tn_cond_run *it, const tn_cond_step_options *step, double merit)
{
    bool closing = it->closing;
    it->closing = false;
    if (!tn_demands_figures(it->tolerance) && !(it->tolerance->theta > 0.0)) {
        return false;
    }
    if (!(closing && !tn_demands_figures(it->tolerance)) && merit > it->demand) {
        return false;
    }
    if (!step->fpi.plain) {
        it->closing = true;
        return false;
    }
    if (holds(it, step)) {
        return true;
    }
    it->demand *= 0.3;
    return false;
}

// The iterations. The last step is plain and its end is in out; alpha is that step's.
static tn_status iterate(tn_cond_run *it, int max_iterations, double *alpha, tn_solve_report *report, tn_error *error)
{
    bool ever_finite = false;
    double merit = INFINITY;
    for (int l = 0; l < max_iterations; l++) {
        bool last = l + 1 == max_iterations || tn_problem_stopped(it->system->problem);
        if (last && l > 0 && merit > it->kept_merit) {
            tn_cond_go_back(it, it->kind);
        }
        tn_fpi_sums sums;
        tn_cond_step_options step = next_step(it, l, last);
        tn_cond_step(it->system, &step, it->x, it->out, &sums);
        report->iterations = l + 1;
        *alpha = step.fpi.alpha;
        double theta = sqrt(sums.theta);
        bool finite = isfinite(sums.theta) && isfinite(sums.residual);
        if (!finite && !ever_finite) {
            return tn_error_set(error, TN_NUMERICS, "cond: the problem or its warm start holds a NaN or infinity");
        }
        merit = finite ? measure(it, l, &sums, theta) : INFINITY;
        if (finite) {
            ever_finite = true;
            report->theta = theta;
            remember(it, l, merit);
            report->converged = close_in(it, &step, merit);
        }
        if (last || report->converged) {
            break;
        }
        advance(it, theta);
        bool give_up = false;
        tn_status status = tn_cond_control(it, l, &sums, &give_up, error);
        if (status != TN_OK) {
            return status;
        }
        keep_reference(it, l, sqrt(sums.residual));
        max_iterations = give_up ? l + 2 : max_iterations;
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = report->converged || (!tn_demands_figures(it->tolerance) && !(it->tolerance->theta > 0.0));
    return TN_OK;
}

tn_status tn_cond_iterate(tn_cond_system *system, const tn_solve_options *options, const tn_cond_options *cond,
                          tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_cond_run it;
    double alpha = 1.0;
    report->theta = NAN;
    tn_status status = iteration_create(system, options, cond, solution, arena, &it, error);
    if (status == TN_OK && options->max_iterations > 0) {
        status = iterate(&it, options->max_iterations, &alpha, report, error);
    }
    if (status == TN_OK && report->iterations > 0) {
        tn_cond_unpack(system, it.out, alpha, solution);
    }
    return status;
}
