// Sweeps, watched: what is left of them by their rate against what others would cost by counts.
#include "solver/auto/sweeps.h"

#include "solver/auto/band.h"
#include "solver/auto/kinds.h"
#include "solver/newton/newton.h"
#include "solver/pgs/pgs.h"

#include <math.h>

// Costs in sweeps over one contact of a pack, 25 to 35 ns in double precision (a third of that in single with AVX-512).
// What takes over from sweeps, Newton or interior point steps, costs STEP a contact and FACTOR for the root of a band
// factor's operations (dissection and fronts do far better than the band, the better the larger it is). A sweep costs
// one a contact and SWEEP besides (with 80 rigid/stack100 and arch are left too early at 1e-6).
static const double STEP = 40.0, FACTOR = 4.0, SWEEP = 15.0;
// Steps that take over, set-up counted: of Newton where they are tried (auto.c, solve_slow) and the figure is within
// NEAR of its aim and at most RESTING, of an interior point solve with its sweeps where not (rigid/stack100 at 1e-6:
// half). Not where those cost more than the sweeps that are left (rigid/boxes1000). Newton's steps are for stacks at
// rest: of rigid/brick_wall's steps they solve 244 of 252 below RESTING and one of 47 above, twelve steps each, which
// take longer than the interior point solve.
static const double FEW_STEPS = 3.5, STEPS = 9.8, NEAR = 20.0, RESTING = 3e-5;
// All of ipm, which takes over elsewhere, costs so many times as much from afar (rigid/mixed1000, step 172 at 1e-6);
// not under the convex law, which its first solve ends (ccp/heap at 1e-6).
static const double ALL = 4.0;
// They take over where the mean, the geometric one, of the sweeps done and those that their rate says are left is above
// SHARE of what that costs: a rate counts for more the longer it has lasted. With three quarters rigid/brick_wall and
// card_house take 1.2 times as long, rigid/stack100 0.85 times. The rate is the better one of the last RATE_SWEEPS and
// of the last half to three quarters.
static const double SHARE = 0.5;
enum { RATE_SWEEPS = 20 };
// In local form newton takes over where sweeps stall, and only then: at most so many sweeps without progress by a
// factor 0.7, or what one of its steps costs.
enum { STALL_SWEEPS = 600 };

// Work after which options->enough counts, in sweeps times contacts: some 20 ms. 1000 boxes at rest, 13 400 contacts,
// get from 9.5e-5 to 9e-5 in 80 sweeps, and not to 5e-5 in 500. Fewer than ENOUGH_SWEEPS leave single boxes trembling
// that the sum over all contacts does not show.
static const double ENOUGH_WORK = 1e6;
enum { ENOUGH_SWEEPS = 60 };
// Where coarser aims will do in motion (options->moving) it counts after so many sweeps in heaps whose work is done
// within the sweeps that they may take: what a step leaves the next one takes up. A rule that ends a step by its rate
// ends some steps at once and others late, which leaves spheres rolling: of rigid/balls1000 half went further than 0.09
// mm from 10 s to 15 s, with 290 sweeps a step at first; now 0.0003 mm, with 20 sweeps 0.004. Stacks do not roll:
// rigid/boxes1000 rests as still after 20 as after 40; where 10 will do it takes 20 soon all the same.
enum { HEAP_SWEEPS = 40, STACK_SWEEPS = 20 };
// And where sweeps have not lessened the figure by PROGRESS in so many, and nobody else is to follow: some contacts
// flip between states for ever. Of 288 solves of rigid/terrain and 139 of ccp/heap that end so 27 and 7 would get to
// their aims in 500 sweeps; the others leave 1.05 and 1.04 times the figure in the median (with 80 sweeps 47 and 10).
enum { STALLED_SWEEPS = 120 };
static const double PROGRESS = 0.7;

// Sweeps that have not brought joints near in JOINT_SWEEPS do not in 500: of 500 spokes that jam on a light hub they
// leave 0.02 to 0.7 of the fastest velocity; a driven paddle in 1000 balls 5e-9.
enum { JOINT_SWEEPS = 100 };
static const double JOINT = 1e-3;

// A look at the figure: the least so far, as figures of heaps go up and down by ten times (rigid/terrain).
typedef struct look {
    int sweeps;
    double natural;
} look;

typedef struct judge {
    const tn_problem *problem;
    const tn_solve_options *options;
    tn_arena *arena;
    double goal;      // natural, or fclib
    int enough_after; // sweeps
    bool may_stall;   // nobody follows, and coarser aims will do in motion
    double milestone; // the figure at the last progress
    int progressed;   // sweeps then
    bool may;         // somebody can take over
    bool newton;      // by Newton's steps where they are near
    double dear;      // their steps from afar, relative to those of one interior point solve
    double step;      // sweeps that cost as much as one of their steps; 0: not known yet
    bool hands_over;
    double natural;           // at the last look
    double least;             // of all looks
    look last, middle, early; // middle, early: from which on half and three quarters of the sweeps were done
} judge;

// Above `most` only that it is.
static double step_cost(const judge *j, double most)
{
    double n = j->problem->rows->n_triples, sweep = n + SWEEP;
    double room = (most * sweep - STEP * n) / FACTOR, flops = 0.0;
    if (room >= 0.0) {
        tn_arena_mark mark = tn_arena_get_mark(j->arena);
        flops = tn_band_flops(j->problem, room * room, j->arena);
        tn_arena_release(j->arena, mark);
    }
    return (STEP * n + FACTOR * sqrt(flops)) / sweep;
}

static double rate_since(look then, look now)
{
    return log(then.natural / now.natural) / (now.sweeps - then.sweeps);
}

// Whether the rate says that others would be cheaper.
static bool is_slow(judge *j, look now)
{
    if (now.sweeps - j->last.sweeps < RATE_SWEEPS) {
        return false;
    }
    double rate = fmax(rate_since(j->last, now), rate_since(j->early, now));
    double left = rate > 0.0 ? log(now.natural / j->goal) / rate : HUGE_VAL;
    bool near = now.natural <= fmin(NEAR * j->goal, RESTING);
    double others = j->step * (!near ? STEPS * j->dear : j->newton ? FEW_STEPS : STEPS);
    j->last = now;
    if (now.sweeps >= 2 * j->middle.sweeps) {
        j->early = j->middle;
        j->middle = now;
    }
    return sqrt(left * now.sweeps) > SHARE * others;
}

static bool has_stalled(judge *j, look now)
{
    if (now.natural < PROGRESS * j->milestone) {
        j->milestone = now.natural;
        j->progressed = now.sweeps;
    }
    return j->may_stall && now.sweeps - j->progressed >= STALLED_SWEEPS;
}

static bool is_enough(void *context, int sweeps, double natural)
{
    judge *j = context;
    j->natural = natural;
    j->least = fmin(j->least, natural);
    look now = {sweeps, j->least};
    bool late = sweeps >= j->enough_after;
    if (j->last.sweeps == 0) {
        j->last = j->middle = j->early = now;
    }
    bool stalls = has_stalled(j, now);
    if (j->may && j->step == 0.0 && (late || sweeps >= RATE_SWEEPS)) { // most solves are done before
        double most = (j->options->max_iterations - sweeps) / (STEPS * j->dear);
        j->step = step_cost(j, most);
        j->may = j->step <= most;
    }
    j->hands_over = j->may && j->step > 0.0 && is_slow(j, now);
    return j->hands_over || (!j->may && natural <= j->options->enough && (late || stalls));
}

tn_status tn_auto_sweep(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                        tn_solve_report *report, tn_error *error)
{
    const tn_problem *p = t->problem;
    const tn_tolerance *aim = &options->tolerance;
    double newton = p->W ? pow(t->n, 3.0) / fmax(p->W->start[t->n], 1.0) : 0.0;
    int by_work = (int)fmax(ENOUGH_WORK / (t->n + 1.0), ENOUGH_SWEEPS);
    int in_motion = t->stacked ? STACK_SWEEPS : HEAP_SWEEPS;
    bool large = options->moving > 0.0 && by_work < options->max_iterations;
    judge j = {.problem = p,
               .options = options,
               .arena = arena,
               .newton = t->tame,
               .dear = t->tame || p->law == TN_LAW_CONVEX ? 1.0 : ALL,
               .goal = aim->natural > 0.0 ? aim->natural : aim->fclib,
               .enough_after = large ? in_motion : by_work,
               .least = HUGE_VAL,
               .milestone = HUGE_VAL};
    j.may = t->rigid && t->n_frictions == 0 && j.goal > 0.0 && (t->tame || tn_is_tight(t));
    bool small =
        t->n_frictions == 0 && (t->n <= TN_AUTO_FEW_CONTACTS || tn_is_tight(t) || (p->W && t->n <= TN_NEWTON_CONTACTS));
    j.may_stall = !small && options->moving > 0.0;
    tn_gauss_seidel_run run = {.max_sweeps = options->max_iterations,
                               .joint_sweeps = JOINT_SWEEPS,
                               .joint = JOINT,
                               .stall_sweeps = small ? (int)fmax(STALL_SWEEPS, newton) : 0,
                               .ask = is_enough,
                               .context = &j,
                               // all others wait for longer: leaps pay there
                               .enough = large && t->stacked ? options->enough : 0.0};
    tn_status status = tn_pgs_run(p, options, &run, arena, solution, report, error);
    t->apart = run.apart;
    t->unsettled = run.unsettled;
    t->handed_over = j.hands_over;
    t->moves = j.hands_over && j.natural > RESTING;
    return status;
}
