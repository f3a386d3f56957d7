#include "solver/cond_iterate.h"

#include "solver/cond_accelerate.h"
#include "solver/cond_check.h"
#include "solver/cond_mix.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    WINDOW = 50,        // iterations over which theta must not grow
    PHASE = 64,         // iterations of one acceleration before it is compared with the other
    STALL = 60,         // iterations without a better merit before a rest from acceleration
    FEW = 64,           // nodes that Anderson deals with at once
    GUARD_STALL = 60,   // ... before W is looked at
    REFERENCE_AGE = 64, // iterations with one reference of single precision
    REST = 20,          // plain iterations of a rest
    DIVERGENCES_MAX = 9 // times that the safe setting is made safer before giving up
};

static const double W_MAX = 1.8;           // largest eigenvalue of W A that is let through; plain V-FPI diverges at 2
static const double ANDERSON_COST = 3.0;   // of its step, in steps of Chebyshev
static const double REFERENCE_FALL = 0.01; // of the residual since the reference was set that makes a new one worth it
static const double GROWTH = 1e3;          // of the residual over its least that is divergence
static const double PROGRESS = 0.9;        // a merit is better when it is below this part of the best
static const double SNAPSHOT = 0.25;       // an iterate is kept when its merit is below this part of the kept one's

// A running solve.
typedef struct iteration {
    tn_cond_system *system;
    const tn_tolerance *tolerance;
    tn_cond_options options;
    tn_arena *arena;
    tn_cond_check check;
    tn_cond_acceleration kind; // in use; PLAIN while it rests
    tn_cond_chebyshev chebyshev;
    tn_cond_mix mix;
    double alpha, gamma;        // step sizes, as damped by guard and divergences
    int n;                      // numbers of an iterate
    double *x, *previous, *out; // (n) they change places
    double *kept;               // (n) the best iterate, or nearly
    double *Av;                 // (n_packed) A v
    double *s, *z;              // (n_packed) Barzilai-Borwein: last v and last A v
    double kept_merit;          //
    double best_merit;          // smallest so far
    int best_at;                // iteration of it
    double contacts_merit;      // of the last look at the general contacts
    double demand;              // merit that makes the next step plain and looked at closely; falls when it fails
    bool closing;               // the next step is plain: what is demanded seems to be reached
    bool guarded;               // lambda_max(W A) is known
    int reference_at;           // iteration of the last reference
    double reference_residual;  // largest residual since
    int rest_until;             // plain until this iteration
    int divergences;            //
    double least_residual;      // of the balance [N]
    double window_least;        // smallest theta of this window and the last
    double last_least;          //
    int phase;                  // iterations since the race's last phase ended
    double phase_merit;         // best merit then
    int plain_steps;            // length of its next rest
    double idle_rate;           // log reduction of the merit in the last phase of the one that is not in use
} iteration;

static bool demands_figures(const tn_tolerance *t)
{
    return t->momentum > 0.0 || t->natural > 0.0 || t->fclib > 0.0;
}

static void use(iteration *it, tn_cond_acceleration kind)
{
    it->kind = kind;
    tn_cond_chebyshev_restart(&it->chebyshev);
    tn_cond_mix_restart(&it->mix);
    memcpy(it->previous, it->x, (size_t)it->n * sizeof *it->x);
}

// Adaptive: on many nodes with contacts of their own Chebyshev is the first, since its steps cost a third; where bodies
// or shared nodes take part it never pays, and Anderson works alone.
static tn_cond_acceleration first_acceleration(iteration *it)
{
    if (it->options.acceleration != TN_COND_ADAPTIVE) {
        return it->options.acceleration;
    }
    bool nodes = it->system->bodies.n_nodes > 0, alone = it->system->general.n == 0;
    if (nodes && !alone) {
        it->options.acceleration = TN_COND_ANDERSON;
    }
    return it->system->bodies.n_nodes > FEW && alone ? TN_COND_CHEBYSHEV : TN_COND_ANDERSON;
}

static bool create_vectors(iteration *it, tn_arena *arena)
{
    int n = tn_cond_mix_room(it->n), n_packed = it->system->n_packed;
    bool steps = it->options.acceleration == TN_COND_BARZILAI_BORWEIN;
    it->x = TN_PUSH(arena, double, n);
    it->previous = TN_PUSH(arena, double, n);
    it->out = TN_PUSH(arena, double, n);
    it->kept = TN_PUSH(arena, double, n);
    it->Av = TN_PUSH(arena, double, n_packed);
    it->s = TN_PUSH(arena, double, steps ? n_packed : 0);
    it->z = TN_PUSH(arena, double, steps ? n_packed : 0);
    return it->x && it->previous && it->out && it->kept && it->Av && it->s && it->z;
}

// The product in double precision that single precision is relative to: at the start and when the residual has fallen
// far below what it was at the last one, or slowly.
static void set_reference(iteration *it, int l)
{
    if (!it->system->matrix.single) {
        return;
    }
    tn_cond_product(it->system, it->x, it->Av);
    tn_cond_set_reference(it->system, it->x, it->Av);
    it->reference_at = l;
    it->reference_residual = 0.0;
}

static void keep_reference(iteration *it, int l, double residual)
{
    it->reference_residual = fmax(it->reference_residual, residual);
    if (residual < REFERENCE_FALL * it->reference_residual || l - it->reference_at >= REFERENCE_AGE) {
        set_reference(it, l);
    }
}

static tn_status iteration_create(tn_cond_system *system, const tn_solve_options *options, const tn_cond_options *cond,
                                  const tn_solution *start, tn_arena *arena, iteration *out, tn_error *error)
{
    *out = (iteration){.system = system,
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
                       .plain_steps = PHASE,
                       .idle_rate = INFINITY};
    bool mixes = cond->acceleration == TN_COND_ANDERSON || cond->acceleration == TN_COND_ADAPTIVE;
    if (!create_vectors(out, arena) || (mixes && !tn_cond_mix_create(&out->mix, system, cond->depth, arena))) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    tn_cond_pack(system, start, out->x);
    set_reference(out, 0);
    memcpy(out->kept, out->x, (size_t)out->n * sizeof *out->x);
    use(out, first_acceleration(out));
    return tn_cond_check_create(system, &options->tolerance, arena, &out->check, error);
}

// alpha of (IV-C2) in the metric of W: s^T W^-1 s / s^T z and s^T z / z^T W z in turn, z = A s.
static double barzilai_borwein(iteration *it, int l)
{
    const tn_cond_system *system = it->system;
    if (system->bodies.n_nodes == 0) {
        return 1.0;
    }
    double ss = 0.0, sz = 0.0, zz = 0.0;
    tn_cond_product(system, it->x, it->Av);
    for (int row = 0; row < system->n_rows; row++) {
        double w = tn_cond_w(system, row);
        for (int i = 4 * system->lane[row]; w > 0.0 && i < 4 * system->lane[row] + 3; i++) {
            double s = it->x[i] - it->s[i], z = it->Av[i] - it->z[i];
            ss += s * s / w;
            sz += s * z;
            zz += z * z * w;
        }
    }
    memcpy(it->s, it->x, (size_t)system->n_packed * sizeof(double));
    memcpy(it->z, it->Av, (size_t)system->n_packed * sizeof(double));
    if (l == 0 || !(sz > 0.0)) {
        return 1.0;
    }
    double alpha = l % 2 ? ss / sz : sz / zz;
    return fmin(fmax(alpha, 0.1), 1e3);
}

// Back to the kept iterate.
static void go_back(iteration *it, tn_cond_acceleration kind)
{
    memcpy(it->x, it->kept, (size_t)it->n * sizeof *it->x);
    use(it, kind);
}

// Once a solve, when it does not get on: is W too large? Then it shrinks and all starts again from the kept iterate.
// The eigenvalue costs as much as forty iterations, which most solves do not need in all.
static tn_status guard(iteration *it, int l, tn_error *error)
{
    it->guarded = true;
    double eigenvalue = tn_cond_largest_eigenvalue(it->system, it->arena);
    if (eigenvalue < 0.0) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    if (it->alpha * eigenvalue > W_MAX) {
        it->alpha = W_MAX / eigenvalue;
        go_back(it, it->kind);
    }
    it->best_at = l;
    return TN_OK;
}

// Back to the kept iterate, with a smaller W, larger gamma and no acceleration. False: there is no safer setting left.
// Where W is known to be small enough, Chebyshev alone is to blame: it starts again, or leaves the field.
static bool fall_back(iteration *it, int l)
{
    it->window_least = it->last_least = INFINITY;
    if (it->kind == TN_COND_CHEBYSHEV && it->guarded && it->system->general.n == 0) {
        bool adaptive = it->options.acceleration == TN_COND_ADAPTIVE;
        go_back(it, adaptive ? TN_COND_ANDERSON : TN_COND_CHEBYSHEV);
        it->phase = 0;
        it->phase_merit = it->best_merit;
        it->idle_rate = 0.0;
        return true;
    }
    if (it->divergences++ > 0) {
        it->alpha *= 0.5;
        it->gamma *= 1.5;
    }
    go_back(it, TN_COND_PLAIN);
    it->rest_until = it->divergences > 2 ? INT_MAX : l + 10 * REST;
    it->best_at = l;
    return it->divergences <= DIVERGENCES_MAX;
}

// A stalled acceleration rests: plain steps clear what it learnt about contacts that have changed since.
static void rest_or_resume(iteration *it, int l)
{
    bool resting = it->kind == TN_COND_PLAIN, adaptive = it->options.acceleration == TN_COND_ADAPTIVE;
    if (resting && l == it->rest_until) {
        use(it, adaptive ? TN_COND_CHEBYSHEV : it->options.acceleration);
        it->best_at = l;
        it->phase_merit = it->best_merit;
    } else if (!resting && !adaptive && l - it->best_at > STALL) {
        use(it, TN_COND_PLAIN);
        it->rest_until = l + REST;
    }
}

// At the end of a phase: go on with the acceleration that reduced the merit faster in its last phase, for its cost. The
// memory of the idle one grows, so that it gets another chance when the other slows down. When neither gets on with
// bodies, plain steps, twice as many each time: some contacts change state too slowly for what an acceleration learns
// to stay true.
static void race(iteration *it, int l)
{
    if (it->kind == TN_COND_PLAIN || ++it->phase < PHASE) {
        return;
    }
    bool anderson = it->kind == TN_COND_ANDERSON, nodes = it->system->bodies.n_nodes > 0;
    double rate = log(it->phase_merit / it->best_merit) / (anderson && nodes ? ANDERSON_COST : 1.0);
    it->phase = 0;
    it->phase_merit = it->best_merit;
    it->idle_rate = fmax(1.25 * it->idle_rate, 0.01);
    if (rate > it->idle_rate) {
        return;
    }
    bool hopeless = !nodes && fmax(rate, it->idle_rate) < 0.1;
    it->idle_rate = rate;
    it->plain_steps = hopeless ? 2 * it->plain_steps : PHASE;
    it->rest_until = l + it->plain_steps;
    use(it, hopeless ? TN_COND_PLAIN : anderson ? TN_COND_CHEBYSHEV : TN_COND_ANDERSON);
}

// What the next step is to be.
static tn_cond_step_options next_step(iteration *it, int l, bool last)
{
    tn_cond_step_options step = {.fpi = {.alpha = it->alpha, .plain = true, .nu = 1.0, .relaxation = 1.0},
                                 .gamma = it->gamma,
                                 .refresh = last || it->closing || l % it->options.check_every == 0};
    if (it->kind == TN_COND_BARZILAI_BORWEIN) {
        step.fpi.alpha *= barzilai_borwein(it, l);
    }
    if (it->kind == TN_COND_CHEBYSHEV && !last && !it->closing) {
        step.fpi.nu = tn_cond_chebyshev_factor(&it->chebyshev, it->options.chebyshev_start);
        step.fpi.relaxation = it->options.relaxation;
        step.fpi.plain = step.fpi.nu == 1.0 && step.fpi.relaxation == 1.0;
    }
    step.fpi.record = step.fpi.plain;
    return step;
}

// The merit of the step just made: the largest of figure/tolerance that is known without another product.
static double measure(iteration *it, int l, const tn_fpi_sums *sums, double theta)
{
    const tn_tolerance *t = it->tolerance;
    if (!demands_figures(t)) {
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

static void remember(iteration *it, int l, double merit)
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
static bool holds(iteration *it, const tn_cond_step_options *step)
{
    const tn_tolerance *t = it->tolerance;
    if (!demands_figures(t)) {
        return t->theta > 0.0; // theta was short enough before this last plain step
    }
    return it->contacts_merit <= 1.0 && tn_cond_check_momentum(&it->check, t, it->out, step->fpi.alpha) <= 1.0;
}

// From the step just made to the next iterate.
static void advance(iteration *it, double theta)
{
    if (it->kind == TN_COND_ANDERSON) {
        tn_cond_mix_advance(&it->mix, it->x, it->out);
        return;
    }
    if (it->kind == TN_COND_CHEBYSHEV) {
        tn_cond_chebyshev_tell(&it->chebyshev, theta);
    }
    double *oldest = it->previous;
    it->previous = it->x;
    it->x = it->out;
    it->out = oldest;
}

// True when theta grew tenfold from one window to the next, or the balance got much worse than it was. What has no
// balance to speak of (bodies) may well pass through far worse points than it has seen.
static bool is_diverging(iteration *it, int l, double theta, double residual)
{
    bool growing = !(residual <= GROWTH * it->least_residual) && it->kind != TN_COND_ANDERSON;
    it->least_residual = fmin(it->least_residual, residual);
    it->window_least = fmin(it->window_least, theta);
    if (l % WINDOW == WINDOW - 1) {
        growing = growing || it->window_least > 10.0 * it->last_least;
        it->last_least = it->window_least;
        it->window_least = INFINITY;
    }
    return growing || !isfinite(residual) || !isfinite(theta);
}

// What to change after a step that did not end the solve. give_up: no safer setting is left.
static tn_status control(iteration *it, int l, const tn_fpi_sums *sums, bool *give_up, tn_error *error)
{
    bool diverging = is_diverging(it, l, sqrt(sums->theta), sqrt(sums->residual));
    if (!it->guarded && (diverging || l - it->best_at > GUARD_STALL)) {
        return guard(it, l, error);
    }
    if (diverging) {
        *give_up = !fall_back(it, l);
    } else if (demands_figures(it->tolerance)) {
        rest_or_resume(it, l);
        if (it->options.acceleration == TN_COND_ADAPTIVE) {
            race(it, l);
        }
    }
    return TN_OK;
}

// A merit that seems to be enough: true when the solve is done. A combined step is followed by a plain one, so that the
// law holds to rounding; a plain one is looked at closely.
static bool close_in(iteration *it, const tn_cond_step_options *step, double merit)
{
    bool closing = it->closing;
    it->closing = false;
    if (!demands_figures(it->tolerance) && !(it->tolerance->theta > 0.0)) {
        return false;
    }
    if (!(closing && !demands_figures(it->tolerance)) && merit > it->demand) {
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
static tn_status iterate(iteration *it, int max_iterations, double *alpha, tn_solve_report *report, tn_error *error)
{
    bool ever_finite = false;
    double merit = INFINITY;
    for (int l = 0; l < max_iterations; l++) {
        bool last = l + 1 == max_iterations;
        if (last && l > 0 && merit > it->kept_merit) {
            go_back(it, it->kind);
        }
        tn_fpi_sums sums;
        tn_cond_step_options step = next_step(it, l, last);
        tn_cond_step(it->system, &step, it->x, it->previous, it->out, &sums);
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
        tn_status status = control(it, l, &sums, &give_up, error);
        if (status != TN_OK) {
            return status;
        }
        keep_reference(it, l, sqrt(sums.residual));
        max_iterations = give_up ? l + 2 : max_iterations;
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = report->converged || (!demands_figures(it->tolerance) && !(it->tolerance->theta > 0.0));
    return TN_OK;
}

tn_status tn_cond_iterate(tn_cond_system *system, const tn_solve_options *options, const tn_cond_options *cond,
                          tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    iteration it;
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
