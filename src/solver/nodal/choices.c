#include "solver/nodal/choices.h"

#include "solver/nodal/rate.h"

#include <math.h>

enum {
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
// What a step's length hides where light bodies make them slow: ball held by fingers of 10 MPa, true error over length.
static const double SLOW_ERROR = 30.0;
static const double ERROR = 1e-3; // relative error of v that is never accepted, whatever the figures say

// By which |f| fell a step, over the last TN_NODAL_SPAN steps; 1 where it is not known. l: steps done.
static double rate_of(const tn_nodal_run *it, int l)
{
    double before = it->lengths[l % TN_NODAL_SPAN],
           now = it->lengths[(l - 1) % TN_NODAL_SPAN]; // the oldest is at the next slot
    return l > TN_NODAL_SPAN && now > 0.0 && before > 0.0 ? pow(now / before, 1.0 / (TN_NODAL_SPAN - 1))
           : now > 0.0                                    ? 1.0
                                                          : 0.0;
}

bool tn_nodal_is_settled(const tn_nodal_run *it, int l, double margin)
{
    double length = it->lengths[(l - 1) % TN_NODAL_SPAN], rate = fmin(rate_of(it, l), 0.9999);
    double error = length * (!it->coarse ? fmax(1.0, rate / (1.0 - rate)) : it->system->passes > 1 ? SLOW_ERROR : 3.0);
    return error <= margin * ERROR * fmax(it->v, it->v_floor) || !(length > 1e-14 * it->v);
}

// Sweeps alone go on as long as what they need at that rate is less than what the coarse level would: set-up and a few
// steps, each the price of four sweeps.
static bool coarse_pays(const tn_nodal_run *it, int l, double rate)
{
    double merit = it->looked_merit;
    if (!tn_demands_figures(&it->tolerance)) {
        merit = it->lengths[(l - 1) % TN_NODAL_SPAN] / it->tolerance.theta;
    }
    double digits = fmax(log(merit), 1.0);
    return rate >= 1.0 || digits / -log(rate) > 6.0 + 4.5 * digits;
}

static tn_status use_coarse(tn_nodal_run *it)
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

tn_status tn_nodal_choose_level(tn_nodal_run *it, int l)
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
        now = l == !tn_demands_figures(&it->tolerance) && coarse_pays(it, l, tn_nodal_rate_guess(it->system));
        now = now ||
              (l > 2 * TN_NODAL_SPAN && (l - 1) % it->options.check_every == 0 && coarse_pays(it, l, rate_of(it, l)));
    }
    return now || it->failures > 0 ? use_coarse(it) : TN_OK;
}

void tn_nodal_watch_coarse(tn_nodal_run *it, int l, double length)
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

bool tn_nodal_is_time_to_look(const tn_nodal_run *it, int l)
{
    if (it->coarse || l % it->options.check_every == 0) {
        return true;
    }
    double length = it->lengths[(l - 1) % TN_NODAL_SPAN];
    return it->looked_merit * length < 2.0 * it->looked_length;
}

bool tn_nodal_may_end(const tn_nodal_run *it, int l)
{
    double length = it->lengths[(l + TN_NODAL_SPAN - 1) % TN_NODAL_SPAN];
    return l > 0 && length * fmin(rate_of(it, l), 1.0) < it->tolerance.theta;
}

bool tn_nodal_is_time_to_move(const tn_nodal_run *it, int l, double merit, bool last)
{
    int age = l - it->reference_at;
    double fall = it->coarse && it->cycle.coarse.groups.n_affine == 0 ? FAR_FALL : FALL;
    if (last || age >= AGE || (age >= STALL && it->stuck >= STALL - 1) || merit < fall * it->best_merit) {
        return true;
    }
    if (l == 0) {
        return false;
    }
    if (tn_demands_figures(&it->tolerance)) {
        return merit <= 1.0 && tn_nodal_is_settled(it, l, 2.0);
    }
    return it->coarse ? it->lengths[(l - 1) % TN_NODAL_SPAN] < FALL * it->farthest : tn_nodal_may_end(it, l);
}

void tn_nodal_watch_contacts(tn_nodal_run *it, int l)
{
    tn_nodal_system *s = it->system;
    bool bodies = s->order->n_large < s->order->n_slices && s->general.n > 1;
    if (!bodies || l + 1 - it->passes_at <= TN_NODAL_SPAN || !(rate_of(it, l + 1) > SLOW)) {
        return;
    }
    const tn_blocks *A = s->problem->A;
    int most = A->start[A->n_rows] / (PASS_BLOCKS * s->general.n);
    most = most > PASSES_MAX ? PASSES_MAX : most;
    int passes = MORE_PASSES * s->passes < most ? MORE_PASSES * s->passes : most;
    if (passes > s->passes) {
        s->passes = passes;
        it->passes_at = l;
        tn_mixer_clear(&it->mixer); // its steps were other ones
    }
}

bool tn_nodal_is_hopeless(tn_nodal_run *it, int l)
{
    double merit = tn_demands_figures(&it->tolerance) ? it->looked_merit : it->lengths[l % TN_NODAL_SPAN];
    if (merit < it->third) {
        it->third = THIRD * merit;
        it->third_at = l;
    }
    return it->options.patience > 0 && l - it->third_at >= it->options.patience;
}
