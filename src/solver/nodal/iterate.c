#include "solver/nodal/iterate.h"

#include "kernels/mixer.h"
#include "solver/nodal/check.h"
#include "solver/nodal/cycle.h"
#include "solver/nodal/rate.h"

#include <math.h>
#include <string.h>

enum {
    SPAN = 6,     // steps over which the rate of the sweeps is measured
    PATIENCE = 8, // steps with the coarse level without progress before it starts anew
    REST = 32,    // sweeps without it after the second time
    AGE = 40,     // steps with one reference of single precision, at most
    STALL = 3,    // of them without progress of the coarse level, at most
    MORE_PASSES = 6,
    PASSES_MAX = 36,  // over the contacts: factor by which they grow, and up to what
    PASS_BLOCKS = 25, // but no more contacts in all than one for so many blocks of A: four sweeps' time
};
static const double THIRD = 1.0 / 3.0;
static const double FALL = 1e-3;      // part of the figures, or of |f|, at which single precision wants a new reference
static const double FAR_FALL = 1e-4;  // with the coarse level on sheets and small bodies, whose rounding allows it
static const float RELAXATION = 1.2F; // of sweeps beside the coarse level: 5 to 15 % fewer steps; none alone
static const double SLOW = 0.75;      // a step, from which on more passes over the contacts are made
static const double ERROR = 1e-3;     // relative error of v that is never accepted, whatever the figures say

// A running solve. x holds the packed velocities, then the general forces times their scale [m/s], all relative to the
// system's reference: what rounds is as small as the change since that was set. Only there are figures exact, so every
// point that is kept or ends the solve is one.
typedef struct iteration {
    tn_nodal_system *system;
    tn_tolerance tolerance;
    tn_nodal_options options;
    tn_arena *arena;
    tn_solution *solution; // the best point so far
    tn_nodal_check check;
    tn_mixer mixer;
    tn_nodal_cycle cycle;
    bool made;            // cycle is valid
    bool coarse;          // cycle is in use
    int n_v;              // packed velocities
    int n;                // numbers of x, a multiple of 16
    float *x, *g;         // (n) start and end of a step
    float *r;             // (n_v) A g - f
    double *lambda;       // (general, 3) forces of the step [N]
    double lengths[SPAN]; // |f| of the last steps
    double looked_length; // |f| of the step that was looked at last, and its merit
    double looked_merit;
    double v;       // |v| of the reference [m/s]
    double v_floor; // size of v below which a relative error means nothing [m/s]

    int reference_at; // step that set the reference
    double farthest;  // largest |f| since
    bool unbalanced;  // the system's balance is not yet that of the reference

    bool kept;         // solution holds a step's end, and no start any more
    double best_merit; // of that, and until then of the first step
    int stuck;         // steps since the smallest |f| with the coarse level
    double least;      // that |f|
    int failures;      // times that it had to start anew
    int rest_until;    // step until which sweeps alone go on

    int passes_at; // step since which so many passes over the contacts are made

    double third; // of the figures when they last had fallen by so much, or of |f| where none are demanded
    int third_at; // step of that
} iteration;

static bool push_arrays(iteration *it)
{
    tn_arena *arena = it->arena;
    it->x = TN_PUSH(arena, float, it->n);
    it->g = TN_PUSH(arena, float, it->n);
    it->r = TN_PUSH(arena, float, it->n_v);
    it->lambda = TN_PUSH(arena, double, 3 * it->system->general.n);
    return it->x && it->g && it->r && it->lambda;
}

// The reference at the start; x and g there.
static void go_to_start(iteration *it)
{
    memset(it->x, 0, (size_t)it->n * sizeof *it->x);
    memset(it->g, 0, (size_t)it->n * sizeof *it->g);
    double balance = tn_nodal_set_reference(it->system, it->solution);
    it->looked_merit = tn_nodal_check_balance(&it->check, balance);
    it->v = tn_nodal_check_size(it->system);
}

static tn_status create(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                        tn_solution *solution, tn_arena *arena, iteration *it, tn_error *error)
{
    const tn_nodal_general *general = &system->general;
    int n_v = tn_sell_packed_size(system->order);
    *it = (iteration){.system = system,
                      .tolerance = options->tolerance,
                      .options = *nodal,
                      .arena = arena,
                      .solution = solution,
                      .n_v = n_v,
                      .n = (n_v + 3 * general->n + 15) / 16 * 16,
                      .looked_merit = INFINITY,
                      .best_merit = INFINITY,
                      .least = INFINITY,
                      .third = INFINITY};
    if (!push_arrays(it) || !tn_mixer_create(&it->mixer, it->n, nodal->depth, options->n_threads, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    it->v_floor = tn_nodal_check_floor(system);
    tn_status status = tn_nodal_check_create(system, &options->tolerance, arena, &it->check, error);
    if (status == TN_OK) {
        go_to_start(it);
    }
    return status;
}

// Forces of the step from g = x.
static void begin_step(iteration *it)
{
    const tn_nodal_general *general = &it->system->general;
    for (int g = 0; g < 3 * general->n; g++) {
        double scale = general->scale[g / 3];
        it->lambda[g] = scale > 0.0 ? general->lambda[g] + (double)it->x[it->n_v + g] / scale : 0.0;
    }
    tn_nodal_set_force(it->system, it->lambda);
}

// The step's forces into g.
static void store_forces(iteration *it)
{
    const tn_nodal_general *general = &it->system->general;
    for (int g = 0; g < 3 * general->n; g++) {
        it->g[it->n_v + g] = (float)(general->scale[g / 3] * (it->lambda[g] - general->lambda[g]));
    }
}

// The reference moves to the end of the step, and x with it; the mixer does not notice. Its balance is left for later.
static void move_reference(iteration *it, int l)
{
    store_forces(it);
    tn_nodal_move_reference(it->system, it->g, it->lambda);
    for (int i = 0; i < it->n; i++) {
        it->x[i] -= it->g[i];
        it->g[i] = 0.0F;
    }
    it->v = tn_nodal_check_size(it->system);
    it->reference_at = l;
    it->farthest = 0.0;
    it->unbalanced = true;
}

// The balance of a reference that moved, and r with it. Returns the exact |balance|.
static double balance_reference(iteration *it)
{
    double balance = tn_nodal_set_balance(it->system);
    for (int i = 0; i < it->n_v; i++) {
        it->r[i] = -it->system->b[i];
    }
    it->unbalanced = false;
    return balance;
}

static bool demands_figures(const tn_tolerance *t)
{
    return t->momentum > 0.0 || t->natural > 0.0 || t->fclib > 0.0;
}

// The step's end, with this merit, to the solution if it is the best.
static void keep(iteration *it, double merit)
{
    if (merit <= it->best_merit) {
        it->kept = true;
        it->best_merit = merit;
        tn_nodal_end_velocity(it->system, it->g, it->solution->v);
        tn_nodal_forces(it->system, it->lambda, it->solution->lambda);
    }
}

// By which |f| fell a step, over the last SPAN steps; 1 where it is not known. l: steps done.
static double rate_of(const iteration *it, int l)
{
    double before = it->lengths[l % SPAN], now = it->lengths[(l - 1) % SPAN]; // the oldest is at the next slot
    return l > SPAN && now > 0.0 && before > 0.0 ? pow(now / before, 1.0 / (SPAN - 1)) : now > 0.0 ? 1.0 : 0.0;
}

// Whether v is good in itself: small residuals hide slow modes. With the coarse level |f| is honest to a factor 2 to
// 4; without, what is to come is extrapolated from the rate. l: steps done; margin: of the error, 1.
static bool is_settled(const iteration *it, int l, double margin)
{
    double length = it->lengths[(l - 1) % SPAN], rate = fmin(rate_of(it, l), 0.9999);
    double error = it->coarse ? 3.0 * length : length * fmax(1.0, rate / (1.0 - rate));
    return error <= margin * ERROR * fmax(it->v, it->v_floor) || !(length > 1e-14 * it->v);
}

// Sweeps alone go on as long as what they need at that rate is less than what the coarse level would: set-up and a few
// steps, each the price of four sweeps.
static bool coarse_pays(const iteration *it, int l, double rate)
{
    double merit = it->looked_merit;
    if (!demands_figures(&it->tolerance)) {
        merit = it->lengths[(l - 1) % SPAN] / it->tolerance.theta;
    }
    double digits = fmax(log(merit), 1.0);
    return rate >= 1.0 || digits / -log(rate) > 6.0 + 4.5 * digits;
}

static tn_status use_coarse(iteration *it)
{
    it->system->rows.relaxation = RELAXATION;
    if (!it->made && tn_nodal_cycle_create(it->system, it->options.group_size, it->arena, &it->cycle) != TN_OK) {
        return TN_NO_MEMORY;
    }
    it->made = true;
    it->coarse = true;
    it->stuck = 0;
    it->least = INFINITY;
    tn_nodal_cycle_restart(&it->cycle);
    tn_mixer_clear(&it->mixer);
    return TN_OK;
}

// Choice between sweeps alone and the coarse level before step l.
static tn_status choose_level(iteration *it, int l)
{
    int after = it->options.coarse_after;
    if (it->coarse || l < it->rest_until || after == TN_NODAL_COARSE_NEVER) {
        return TN_OK;
    }
    if (after < 0 && it->system->order->n_large == 0) {
        return TN_OK; // rigid bodies alone have no slow modes that groups could carry
    }
    // By a guess when the first figures are there (theta's after a step), by the rate when it is known.
    bool now = l >= after;
    if (after < 0) {
        now = l == !demands_figures(&it->tolerance) && coarse_pays(it, l, tn_nodal_rate_guess(it->system));
        now = now || (l > 2 * SPAN && (l - 1) % it->options.check_every == 0 && coarse_pays(it, l, rate_of(it, l)));
    }
    return now || it->failures > 0 ? use_coarse(it) : TN_OK;
}

// The coarse level gets a new truncation and an empty memory when it does not get on, and then a rest: where contacts
// flip between states for ever, sweeps alone settle them (not where these are too few passes over the contacts).
static void watch_coarse(iteration *it, int l, double length)
{
    tn_nodal_cycle_note(&it->cycle, length);
    it->stuck = length < 0.9 * it->least ? 0 : it->stuck + 1;
    it->least = fmin(it->least, length);
    if (it->stuck < PATIENCE) {
        return;
    }
    it->failures++;
    it->stuck = 0;
    it->least = INFINITY;
    tn_nodal_cycle_restart(&it->cycle);
    tn_mixer_clear(&it->mixer);
    if (it->failures % 2 == 0 && it->system->passes == 1) {
        it->coarse = false;
        it->system->rows.relaxation = 1.0F;
        it->rest_until = l + REST * it->failures;
    }
}

// Whether to look at the figures of step l: at every step with the coarse level, whose residual is there anyway; else
// seldom while they are far from the tolerances, supposing that they fall like |f|.
static bool is_time_to_look(const iteration *it, int l)
{
    if (it->coarse || l % it->options.check_every == 0) {
        return true;
    }
    double length = it->lengths[(l - 1) % SPAN];
    return it->looked_merit * length < 2.0 * it->looked_length;
}

// Where the length of a step alone is demanded: whether step l may well be short enough.
static bool may_end(const iteration *it, int l)
{
    double length = it->lengths[(l + SPAN - 1) % SPAN];
    return l > 0 && length * fmin(rate_of(it, l), 1.0) < it->tolerance.theta;
}

// Whether the reference moves to the end of step l, whose figures are about `merit` of what is demanded (infinite: not
// looked at): at the last step, where the solve may be done, and else to keep single precision exact.
static bool is_time_to_move(const iteration *it, int l, double merit, bool last)
{
    int age = l - it->reference_at;
    double fall = it->coarse && it->cycle.coarse.groups.n_affine == 0 ? FAR_FALL : FALL;
    if (last || age >= AGE || (age >= STALL && it->stuck >= STALL - 1) || merit < fall * it->best_merit) {
        return true;
    }
    if (l == 0) {
        return false;
    }
    if (demands_figures(&it->tolerance)) {
        return merit <= 1.0 && is_settled(it, l, 2.0);
    }
    return it->coarse ? it->lengths[(l - 1) % SPAN] < FALL * it->farthest : may_end(it, l);
}

// Figures after the sweeps of step l; the reference moves when it is time. True: it moved and all that is demanded
// holds.
static bool look(iteration *it, int l, bool look_now, bool last)
{
    bool figures = demands_figures(&it->tolerance);
    double merit = INFINITY;
    if (look_now && figures) {
        double balance = sqrt(tn_nodal_balance(&it->system->rows, it->r));
        merit = it->looked_merit = tn_nodal_check_merit(&it->check, balance, it->g, it->lambda);
        it->best_merit = l == 0 ? fmax(merit, 1.0) : it->best_merit;
    }
    if (!is_time_to_move(it, l, merit, last)) {
        // The coarse level goes on at once, for which a reference that moved wants its balance: only where it must.
        bool ends = !figures && it->coarse && may_end(it, l);
        if (ends) {
            keep(it, 0.0);
        }
        return ends;
    }
    move_reference(it, l);
    if (figures || it->coarse) {
        double balance = balance_reference(it);
        merit = figures ? tn_nodal_check_merit(&it->check, balance, it->g, it->lambda) : 0.0;
    } else {
        merit = 0.0; // the length of the step alone decides
    }
    keep(it, merit);
    return merit <= 1.0;
}

// Bodies far lighter than the nodes they touch (a ball in stiff fingers) are thrown from contact to contact by one pass
// over these a sweep: more of them where that makes steps slow. Not from the start: while contacts still close and
// open, many passes make them flip.
static void watch_contacts(iteration *it, int l)
{
    tn_nodal_system *s = it->system;
    bool bodies = s->order->n_large < s->order->n_slices && s->general.n > 1;
    if (!bodies || l + 1 - it->passes_at <= SPAN || !(rate_of(it, l + 1) > SLOW)) {
        return;
    }
    int most = s->layout->n_blocks / (PASS_BLOCKS * s->general.n);
    most = most > PASSES_MAX ? PASSES_MAX : most;
    int passes = MORE_PASSES * s->passes < most ? MORE_PASSES * s->passes : most;
    if (passes > s->passes) {
        s->passes = passes;
        it->passes_at = l;
        tn_mixer_clear(&it->mixer); // its steps were other ones
    }
}

// Step l. *good: figures and settled velocities as demanded.
static tn_status step(iteration *it, int l, bool last, bool *good)
{
    bool figures = demands_figures(&it->tolerance), look_now = is_time_to_look(it, l);
    if (it->unbalanced) {
        balance_reference(it);
    }
    begin_step(it);
    if (it->coarse) {
        tn_nodal_step(it->system, it->g, it->lambda);
    }
    if (it->coarse || (look_now && figures)) {
        tn_nodal_step_residual(it->system, it->g, it->lambda, it->r);
    } else {
        tn_nodal_step(it->system, it->g, it->lambda);
    }
    *good = look(it, l, look_now, last);
    // Settled before this step: what is left of it, and |f|, would change nothing.
    if (*good && figures && l > 0 && !(it->tolerance.theta > 0.0) && is_settled(it, l, 1.0)) {
        it->lengths[l % SPAN] = it->lengths[(l - 1) % SPAN];
        return TN_OK;
    }
    if (it->coarse && tn_nodal_cycle_correct(&it->cycle, it->g, it->lambda, it->r) != TN_OK) {
        return TN_NO_MEMORY;
    }
    // Steps with another truncation were other steps: Anderson's memory of them misleads.
    if (it->coarse && it->cycle.changed) {
        tn_mixer_clear(&it->mixer);
    }
    store_forces(it);
    double length = tn_mixer_advance_single(&it->mixer, it->x, it->g);
    it->lengths[l % SPAN] = length;
    it->farthest = fmax(it->farthest, length);
    it->looked_length = look_now ? length : it->looked_length;
    *good = *good && (!figures || is_settled(it, l + 1, 1.0));
    if (it->tolerance.theta > 0.0) {
        *good = *good && length < it->tolerance.theta;
    }
    if (it->coarse) {
        watch_contacts(it, l);
        watch_coarse(it, l, length);
    }
    return TN_OK;
}

// Whether step l is the last of so many that got the figures (else |f|) nowhere.
static bool is_hopeless(iteration *it, int l)
{
    double merit = demands_figures(&it->tolerance) ? it->looked_merit : it->lengths[l % SPAN];
    if (merit < it->third) {
        it->third = THIRD * merit;
        it->third_at = l;
    }
    return it->options.patience > 0 && l - it->third_at >= it->options.patience;
}

static tn_status iterate(iteration *it, int max_iterations, tn_solve_report *report, tn_error *error)
{
    bool demanded = demands_figures(&it->tolerance) || it->tolerance.theta > 0.0;
    for (int l = 0; l < max_iterations; l++) {
        bool good;
        if (choose_level(it, l) != TN_OK || step(it, l, l + 1 == max_iterations, &good) != TN_OK) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's coarse level");
        }
        report->iterations = l + 1;
        report->theta = it->lengths[l % SPAN];
        if (!isfinite(report->theta)) {
            return l == 0 ? tn_error_set(error, TN_NUMERICS, "nodal: the problem or its warm start holds a NaN")
                          : TN_OK;
        }
        if (good && demanded) {
            report->converged = true;
            return TN_OK;
        }
        if (is_hopeless(it, l) && demanded) {
            return TN_OK;
        }
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = !demanded;
    return TN_OK;
}

// All steps led away from the start: the first one alone is better.
static void take_first_step(iteration *it)
{
    go_to_start(it);
    begin_step(it);
    tn_nodal_step(it->system, it->g, it->lambda);
    move_reference(it, 0);
    double balance = balance_reference(it);
    it->best_merit = INFINITY;
    keep(it, tn_nodal_check_merit(&it->check, balance, it->g, it->lambda));
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
    if (status == TN_OK && !it.kept && report->iterations > 0) {
        take_first_step(&it);
    }
    return status;
}
