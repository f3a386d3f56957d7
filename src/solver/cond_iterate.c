#include "solver/cond_iterate.h"

#include "solver/cond_accelerate.h"
#include "solver/cond_check.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    WINDOW = 50,        // iterations over which theta must not grow
    PHASE = 64,         // iterations of one acceleration before it is compared with the other
    STALL = 60,         // iterations without a better merit before a rest from acceleration
    REST = 20,          // plain iterations of such a rest
    DIVERGENCES_MAX = 8 // times that the safe setting is made safer before giving up
};

// A running solve. x holds v, then lambda.
typedef struct iteration {
    const tn_cond_system *system;
    const tn_tolerance *tolerance;
    tn_cond_options options;
    tn_cond_check check;
    tn_cond_accelerator accelerator;
    tn_cond_step_size size; // as damped by divergences
    int n_velocities;       // 3 n_rows
    int n;                  // + 3 n_contacts
    double *x, *Fx, *best;  // (n)
    double *Av, *f;         // (3 n_rows)
    double *s, *z;          // (3 n_rows) Barzilai-Borwein: last v and last A v
    double best_merit;
    int best_at;         // iteration of best
    int rest_until;      // plain until this iteration
    int divergences;     //
    double window_least; // smallest theta of this window and the last
    double last_least;
    int phase;          // iterations since the race's last phase ended
    double phase_merit; // best merit then
    int plain_steps;    // length of its next rest
    double idle_rate;   // log reduction of the merit in the last phase of the acceleration that is not in use
} iteration;

// Metric in which velocities and forces weigh alike (both W): 1/w on nodes, gamma on forces that are unknowns of
// their own; nothing on what follows from these (bodies, nodal contacts).
static double *make_weight(const tn_cond_system *system, int n_velocities, int n, tn_arena *arena)
{
    double *weight = TN_PUSH(arena, double, n);
    for (int i = 0; weight && i < n_velocities; i++) {
        weight[i] = system->bodies.is_node[i / 3] ? 1.0 / system->w[i] : 0.0;
    }
    for (int i = n_velocities; weight && i < n; i++) {
        int m = (i - n_velocities) / 3;
        weight[i] = system->nodal[m] ? 0.0 : system->gamma_body[m] + system->gamma_node[m];
    }
    return weight;
}

static bool is_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static tn_status iteration_create(const tn_cond_system *system, const tn_solve_options *options,
                                  const tn_cond_options *cond, const tn_solution *start, tn_arena *arena,
                                  iteration *out, tn_error *error)
{
    int n_velocities = 3 * system->n_rows, n = n_velocities + 3 * system->n_contacts;
    *out = (iteration){.system = system,
                       .tolerance = &options->tolerance,
                       .options = *cond,
                       .size = {.alpha = 1.0, .gamma = 1.0},
                       .n_velocities = n_velocities,
                       .n = n,
                       .best_merit = INFINITY,
                       .window_least = INFINITY,
                       .last_least = INFINITY,
                       .phase_merit = INFINITY,
                       .plain_steps = PHASE,
                       .idle_rate = INFINITY};
    out->x = TN_PUSH(arena, double, n);
    out->Fx = TN_PUSH(arena, double, n);
    out->best = TN_PUSH(arena, double, n);
    out->Av = TN_PUSH(arena, double, n_velocities);
    out->f = TN_PUSH(arena, double, n_velocities);
    out->s = TN_PUSH(arena, double, n_velocities);
    out->z = TN_PUSH(arena, double, n_velocities);
    double *weight = make_weight(system, n_velocities, n, arena);
    if (!out->x || !out->Fx || !out->best || !out->Av || !out->f || !out->s || !out->z || !weight ||
        !tn_cond_accelerator_create(cond, n, n_velocities, weight, arena, &out->accelerator)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    memcpy(out->x, start->v, (size_t)n_velocities * sizeof(double));
    memcpy(out->x + n_velocities, start->lambda, (size_t)(n - n_velocities) * sizeof(double));
    memcpy(out->best, out->x, (size_t)n * sizeof(double));
    return tn_cond_check_create(system, &options->tolerance, arena, &out->check, error);
}

// alpha of (IV-C2) in the metric of W: s^T W^-1 s / s^T z and s^T z / z^T W z in turn, z = A s.
static double barzilai_borwein(iteration *it, int l)
{
    const tn_cond_system *system = it->system;
    double ss = 0.0, sz = 0.0, zz = 0.0;
    for (int i = 0; i < it->n_velocities; i++) {
        if (system->bodies.is_node[i / 3]) {
            double s = it->x[i] - it->s[i], z = it->Av[i] - it->z[i];
            ss += s * s / system->w[i];
            sz += s * z;
            zz += z * z * system->w[i];
        }
    }
    memcpy(it->s, it->x, (size_t)it->n_velocities * sizeof(double));
    memcpy(it->z, it->Av, (size_t)it->n_velocities * sizeof(double));
    if (l == 0 || !(sz > 0.0)) {
        return 1.0;
    }
    double alpha = l % 2 ? ss / sz : sz / zz;
    return fmin(fmax(alpha, 0.1), 1e3);
}

// Back to the best iterate, with a smaller W, larger gamma and no acceleration. False: there is no safer setting left.
static bool fall_back(iteration *it, int l)
{
    memcpy(it->x, it->best, (size_t)it->n * sizeof(double));
    if (it->divergences++ > 0) {
        it->size.alpha *= 0.5;
        it->size.gamma *= 1.5;
    }
    tn_cond_accelerator_restart(&it->accelerator, TN_COND_PLAIN);
    it->rest_until = it->divergences > 2 ? INT_MAX : l + 10 * REST;
    it->window_least = it->last_least = INFINITY;
    return it->divergences <= DIVERGENCES_MAX;
}

// True when theta grew tenfold from one window to the next.
static bool is_growing(iteration *it, int l, double theta)
{
    it->window_least = fmin(it->window_least, theta);
    if (l % WINDOW != WINDOW - 1) {
        return false;
    }
    bool growing = it->window_least > 10.0 * it->last_least;
    it->last_least = it->window_least;
    it->window_least = INFINITY;
    return growing;
}

// A stalled acceleration rests: plain steps clear what it learnt about contacts that have changed since.
static void rest_or_resume(iteration *it, int l)
{
    bool resting = it->accelerator.kind == TN_COND_PLAIN;
    if (resting && l == it->rest_until) {
        bool adaptive = it->options.acceleration == TN_COND_ADAPTIVE;
        tn_cond_accelerator_restart(&it->accelerator, adaptive ? TN_COND_CHEBYSHEV : it->options.acceleration);
        it->best_at = l;
        it->phase_merit = it->best_merit;
    } else if (!resting && it->options.acceleration != TN_COND_ADAPTIVE && l - it->best_at > STALL) {
        tn_cond_accelerator_restart(&it->accelerator, TN_COND_PLAIN);
        it->rest_until = l + REST;
    }
}

// At the end of a phase: go on with the acceleration that reduced the merit faster in its last phase. The memory of
// the idle one grows, so that it gets another chance when the other slows down. When neither gets on, plain steps,
// twice as many each time: some contacts change state too slowly for what an acceleration learns to stay true.
static void race(iteration *it, int l)
{
    if (it->accelerator.kind == TN_COND_PLAIN || ++it->phase < PHASE) {
        return;
    }
    double rate = log(it->phase_merit / it->best_merit);
    it->phase = 0;
    it->phase_merit = it->best_merit;
    it->idle_rate = fmax(1.25 * it->idle_rate, 0.01);
    if (rate > it->idle_rate) {
        return;
    }
    bool anderson = it->accelerator.kind == TN_COND_ANDERSON;
    bool hopeless = fmax(rate, it->idle_rate) < 0.1;
    it->idle_rate = rate;
    it->plain_steps = hopeless ? 2 * it->plain_steps : PHASE;
    it->rest_until = l + it->plain_steps;
    tn_cond_accelerator_restart(&it->accelerator, hopeless   ? TN_COND_PLAIN
                                                  : anderson ? TN_COND_CHEBYSHEV
                                                             : TN_COND_ANDERSON);
}

static bool demands_figures(const tn_tolerance *t)
{
    return t->momentum > 0.0 || t->natural > 0.0 || t->fclib > 0.0;
}

// Look at Fx; keep it when it is the best so far. True: every demanded tolerance holds.
static bool look(iteration *it, int l, double theta)
{
    const tn_tolerance *t = it->tolerance;
    double merit =
        demands_figures(t) ? tn_cond_check_merit(&it->check, t, it->Fx, it->Fx + it->n_velocities) : it->best_merit;
    if (!demands_figures(t) || merit < it->best_merit) {
        if (merit < 0.9 * it->best_merit) {
            it->best_at = l;
        }
        it->best_merit = merit;
        memcpy(it->best, it->Fx, (size_t)it->n * sizeof(double));
    }
    bool figures = !demands_figures(t) || merit <= 1.0;
    bool length = !(t->theta > 0.0) || theta < t->theta;
    return figures && length && (demands_figures(t) || t->theta > 0.0);
}

static tn_status iterate(iteration *it, int max_iterations, tn_solve_report *report, tn_error *error)
{
    bool ever_finite = false;
    report->theta = NAN;
    for (int l = 0; l < max_iterations; l++) {
        tn_cond_product(it->system, it->x, it->Av);
        tn_cond_step_size size = it->size;
        if (it->accelerator.kind == TN_COND_BARZILAI_BORWEIN) {
            size.alpha *= barzilai_borwein(it, l);
        }
        memcpy(it->Fx, it->x, (size_t)it->n * sizeof(double));
        bool refresh = l % it->options.check_every == 0 || l + 1 == max_iterations;
        tn_cond_step(it->system, size, it->Fx, it->Fx + it->n_velocities, it->Av, refresh, it->f);
        report->iterations = l + 1;
        if (!is_finite(it->n, it->Fx)) {
            if (!ever_finite) {
                return tn_error_set(error, TN_NUMERICS, "cond: the problem or its warm start holds a NaN or infinity");
            }
            if (!fall_back(it, l)) {
                break;
            }
            continue;
        }
        ever_finite = true;
        report->theta = tn_cond_accelerator_advance(&it->accelerator, it->x, it->Fx);
        bool look_now = l % it->options.check_every == 0 || l + 1 == max_iterations || !demands_figures(it->tolerance);
        if (look_now && look(it, l, report->theta)) {
            report->converged = true;
            return TN_OK;
        }
        if (is_growing(it, l, report->theta) && !fall_back(it, l)) {
            break;
        }
        if (demands_figures(it->tolerance)) {
            rest_or_resume(it, l);
            if (it->options.acceleration == TN_COND_ADAPTIVE) {
                race(it, l);
            }
        }
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = !demands_figures(it->tolerance) && !(it->tolerance->theta > 0.0);
    return TN_OK;
}

tn_status tn_cond_iterate(const tn_cond_system *system, const tn_solve_options *options, const tn_cond_options *cond,
                          tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    iteration it;
    tn_status status = iteration_create(system, options, cond, solution, arena, &it, error);
    if (status == TN_OK) {
        status = iterate(&it, options->max_iterations, report, error);
    }
    if (status == TN_OK) {
        memcpy(solution->v, it.best, (size_t)it.n_velocities * sizeof(double));
        memcpy(solution->lambda, it.best + it.n_velocities, (size_t)(it.n - it.n_velocities) * sizeof(double));
    }
    return status;
}
