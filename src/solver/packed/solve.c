#include "solver/packed/solve.h"

#include "kernels/mixer/mixer.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/packed/single.h"

#include <math.h>
#include <string.h>

// Sweeps of a block, after which Anderson's method mixes, and the differences that it remembers. In single precision
// the velocities are mixed with the forces, and where all contacts are central short blocks and memories do.
enum { BLOCK_CENTRAL = 2, BLOCK = 5, DEPTH_CENTRAL = 2, DEPTH = 4 };
// A settled pile's forces creep at a steady pace along directions that move nothing until a contact opens or slides
// (64 spheres: the force of one contact falls by 0.26 N a block for hundreds of blocks). Blocks that are leapt over
// then; cold to fclib 1e-4, geometric mean over nineteen piles: 360 sweeps without; in blocks of three 177 with 20, in
// blocks of two 157 with 30; above 70 some never end. Only where there are more forces than bodies can tell apart,
// three a contact against six a body: a chain of spheres has no such directions, and leaps would cost it twice the
// sweeps. Nor near the end, where a steady scene would be shaken by what a leap leaves open, nor below what will
// soon do, nor from a start within CALM times that: 1000 boxes at rest start at 1e-4 to 4e-4 and do with 10 to 15
// sweeps a step; where leaps shake them, step after step, with 30 to 40.
static const float LEAP_CENTRAL = 30.0F, LEAP = 20.0F;
static const int REDUNDANT = 2;
static const double LEAP_ABOVE = 1e-5, CALM = 10.0;
// Sweeps from one look at the figures to the next, once there have been EAGER of them.
enum { LOOK = 4, EAGER = 20 };
// A look costs a third of a sweep where packs come from memory, so that large piles look less often, the less the
// farther the score is from its aim.
enum { MANY_CONTACTS = 16384, FAR_LOOK = 12, NEAR_LOOK = 8 };
static const double FAR_SCORE = 8.0, NEAR_SCORE = 2.0;
// Sweeps without PROGRESS before the memory is cleared, and plain sweeps then: twice as many each time, at most
// PLAIN_MOST. Most piles need few; some (64 spheres) none other than plain ones for a long time.
enum { STALL = 80, PLAIN = 24, PLAIN_MOST = 384 };
static const double PROGRESS = 0.7;

// Sweeps in single precision do while the natural figure is above this. They are given a new anchor, for what their
// sums round off, after so many sweeps and where the figure has fallen to this part.
static const double COARSE = 1e-6, ANCHOR_FALL = 0.03;
enum { ANCHOR = 160 };
// Where they stall below FLOOR time and again it may be their rounding: friction of 1000 lifts it to 2e-6.
static const double FLOOR = 1e-4;
enum { STALLS = 3 };
// Where no figure below this is demanded the last word is single precision's: forces are rounded to 6e-8, and figures
// of central contacts cannot see it. With those it does from ENDS_CENTRAL on, as measured from a new anchor: without,
// rigid/stack100 ends 65 of 250 steps short of 1e-6. Others do see it: rigid/card_house would end 64 of 250 so.
static const double SINGLE_ENDS = 1e-5, ENDS_CENTRAL = 1e-6;

// Where a run is. Anderson's method mixes the forces, in the precision of the sweeps.
typedef struct sweeper {
    tn_packed *packed;
    const tn_check *check;
    tn_arena *arena;
    bool is_single;
    tn_packed_single single;
    int since_anchor, since_look; // sweeps
    double natural;               // at the last look
    double joint, fastest;        // the figure of joint rows then; the velocity that it is relative to [m/s]
    double natural_anchor;        // at the anchor
    tn_mixer mixer;
    size_t bytes;       // of all forces
    size_t bytes_mixed; // with the velocities that are mixed along
    void *best, *start; // the best forces so far; where the block began
    double score;       // of best
    double leap_above;  // natural figure
} sweeper;

static void *forces_of(const sweeper *s)
{
    return s->is_single ? (void *)s->single.packs.lambda : (void *)s->packed->lambda;
}

// Joints need not hold better than contacts: the rest is done at the end (tn_packed_settle_joints).
static double joint_score(sweeper *s)
{
    const tn_tolerance *t = &s->check->tolerance;
    if (s->packed->problem->rows->n_singles == 0 || tn_problem_stopped(s->packed->problem)) {
        return 0.0;
    }
    const tn_pack_numbers in = {.d = s->packed->lambda, .f = s->is_single ? s->single.packs.lambda : NULL};
    const tn_pack_numbers x = {.d = s->packed->x, .f = s->is_single ? s->single.packs.x : NULL};
    double error = tn_rest_joint_error(&s->packed->rest, in, x);
    s->joint = isnan(error) ? HUGE_VAL : error > 0.0 ? error / s->fastest : 0.0;
    return s->joint / fmax(t->natural, fmax(t->joint, 1e-8));
}

static double score_of(sweeper *s)
{
    tn_check_sums sums;
    if (s->is_single) {
        tn_packed_single_sums(&s->single, s->check->tolerance.fclib > 0.0, &sums);
    } else {
        tn_packed_sums(s->packed, &sums);
    }
    s->since_look = 0;
    s->natural = tn_check_natural(s->check, &sums);
    return fmax(tn_check_score_sums(s->check, &sums), joint_score(s));
}

// Whether a figure is demanded, and none below `least`.
static bool demands_no_less(const sweeper *s, double least)
{
    const tn_tolerance *t = &s->check->tolerance;
    bool any = t->natural > 0.0 || t->fclib > 0.0;
    return any && (t->natural <= 0.0 || t->natural >= least) && (t->fclib <= 0.0 || t->fclib >= least);
}

// Whether spheres are all there is, and sweeps short.
static bool is_central(const sweeper *s)
{
    return s->is_single && s->packed->order.n_full_groups == 0;
}

static bool ends_single(const sweeper *s)
{
    return demands_no_less(s, SINGLE_ENDS);
}

static bool ends_anchored(const sweeper *s)
{
    return is_central(s) && demands_no_less(s, ENDS_CENTRAL);
}

// Whether single precision is too coarse for what is left.
static bool too_fine(const sweeper *s)
{
    return s->natural <= COARSE && !ends_single(s) && !ends_anchored(s);
}

static bool begin(sweeper *s, bool is_single)
{
    s->is_single = is_single;
    int n = is_single ? s->single.n_lambda : s->packed->n_numbers, n_mixed = is_single ? s->single.n_numbers : n;
    size_t number = is_single ? sizeof(float) : sizeof(double);
    s->bytes = (size_t)n * number;
    s->bytes_mixed = (size_t)n_mixed * number;
    int depth = is_central(s) ? DEPTH_CENTRAL : DEPTH;
    // What the packs were made with lies idle now.
    tn_spare *large = &s->packed->filler.central.spare, *small = &s->packed->order.spare;
    tn_mixer_options mixing = {.n = n_mixed,
                               .n_led = n_mixed - s->packed->n_contact_numbers,
                               .depth = depth,
                               .n_threads = s->packed->n_threads};
    mixing.dg = tn_spare_take(large, (size_t)depth * (size_t)n_mixed * sizeof(float));
    s->start = tn_spare_take(small, s->bytes_mixed);
    s->best = tn_spare_take(small, s->bytes);
    s->best = s->best ? s->best : TN_PUSH_RAW(s->arena, char, s->bytes);
    s->start = s->start ? s->start : TN_PUSH_RAW(s->arena, char, s->bytes_mixed);
    if (!s->best || !s->start || !tn_mixer_create(&s->mixer, &mixing, s->arena)) {
        return false;
    }
    memcpy(s->best, forces_of(s), s->bytes);
    memcpy(s->start, forces_of(s), s->bytes_mixed);
    return true;
}

// From single precision on in double, from the best point.
static bool refine(sweeper *s)
{
    tn_packed_single_finish(&s->single, s->best);
    return tn_packed_complete(s->packed, s->arena) && begin(s, false);
}

static void sweep(sweeper *s, int sweeps)
{
    s->since_anchor += sweeps;
    s->since_look += sweeps;
    if (s->is_single) {
        tn_packed_single_sweep(&s->single, sweeps);
        return;
    }
    for (int k = 0; k < sweeps; ++k) {
        tn_packed_sweep(s->packed);
    }
}

static void mix(sweeper *s)
{
    bool redundant = s->packed->problem->rows->n_triples > REDUNDANT * s->packed->lines.n;
    s->mixer.leap = redundant && s->natural > s->leap_above ? (is_central(s) ? LEAP_CENTRAL : LEAP) : 0.0F;
    if (!s->is_single) {
        tn_mixer_advance(&s->mixer, s->start, s->packed->lambda);
        tn_packed_refresh(s->packed);
        return;
    }
    tn_mixer_advance_single(&s->mixer, s->start, s->single.packs.lambda);
    if (s->since_anchor >= ANCHOR || s->natural < ANCHOR_FALL * s->natural_anchor) {
        tn_packed_single_anchor(&s->single);
        memcpy((char *)s->start + s->bytes, (char *)forces_of(s) + s->bytes, s->bytes_mixed - s->bytes);
        s->since_anchor = 0;
        s->natural_anchor = s->natural;
    }
}

// The score where the sweeps are; the best is kept.
static void look(sweeper *s)
{
    double score = score_of(s);
    if (score < s->score) {
        s->score = score;
        memcpy(s->best, forces_of(s), s->bytes);
    }
}

double tn_packed_q_norm(const tn_packed *p, tn_arena *arena)
{
    const tn_rows *c = p->problem->rows;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *none = TN_PUSH(arena, double, tn_row_count(c)), *u = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n_triples);
    double *v = TN_PUSH_RAW(arena, double, 3 * (size_t)p->problem->A->n_rows), sum = 0.0;
    if (!none || !u || !v) {
        return NAN;
    }
    tn_packed_recover(p, none, v);
    tn_problem_velocity(p->problem, v, NULL, u);
    for (int i = 0; i < 3 * (c->n_triples - c->n_frictions); ++i) {
        sum += u[i] * u[i];
    }
    tn_arena_release(arena, mark);
    return sqrt(sum);
}

// The first look, and in which precision the run begins. False: no memory.
static bool open(sweeper *s, const tn_check *check)
{
    s->check = check;
    s->score = HUGE_VAL;
    s->fastest = tn_check_fastest(s->packed->problem, s->packed->v);
    if (s->packed->single) {
        s->is_single = true;
        if (!tn_packed_single_create(&s->single, s->packed, s->arena)) {
            return false;
        }
        double score = score_of(s);
        s->natural_anchor = s->natural;
        if (!too_fine(s)) {
            bool begun = begin(s, true);
            s->score = score;
            return begun;
        }
    }
    if (!tn_packed_complete(s->packed, s->arena) || !begin(s, false)) {
        return false;
    }
    s->score = score_of(s);
    return true;
}

// The numbers of a run that decide on how it goes on.
typedef struct progress {
    double milestone;
    int last;         // sweeps when it was reached
    int since, plain; // sweeps since then or since mixing began again; plain ones to go
    int stalls;       // in this precision
} progress;

// Plain sweeps for a while; what the sums of single precision have rounded off is made good.
static void rest(sweeper *s, progress *p)
{
    int doublings = p->stalls < 5 ? p->stalls : 5, plain = PLAIN << doublings;
    tn_mixer_clear(&s->mixer);
    if (s->is_single) {
        tn_packed_single_refresh(&s->single);
    }
    p->plain = plain < PLAIN_MOST ? plain : PLAIN_MOST;
    p->since = 0;
    p->stalls++;
}

// After a block: mixing, plain blocks, another precision. False: no memory.
static bool go_on(sweeper *s, const tn_gauss_seidel_run *run, progress *p, int block)
{
    bool floor = p->stalls >= STALLS && s->natural < FLOOR && !ends_single(s);
    if (s->is_single && (too_fine(s) || floor)) {
        *p = (progress){.milestone = p->milestone, .last = p->last};
        return refine(s);
    }
    if (run->plain) {
        return true;
    }
    if (p->plain > 0) {
        p->plain -= block;
        if (p->plain <= 0) {
            memcpy(s->start, forces_of(s), s->bytes_mixed);
        }
    } else if (p->since >= STALL) {
        rest(s, p);
    } else {
        mix(s);
    }
    return true;
}

// The score with velocities known in full. Mixing begins again.
static void look_anchored(sweeper *s)
{
    tn_packed_single_anchor(&s->single);
    tn_mixer_clear(&s->mixer);
    memcpy(s->start, forces_of(s), s->bytes_mixed);
    s->since_anchor = 0;
    s->score = HUGE_VAL;
    look(s);
    s->natural_anchor = s->natural;
}

// Forces that single precision has found good enough: looked at again, or double's by a sweep. False: no memory.
static bool polish(sweeper *s, tn_gauss_seidel_run *run)
{
    if (ends_anchored(s)) {
        look_anchored(s);
        return true;
    }
    if (!refine(s)) {
        return false;
    }
    sweep(s, 1);
    run->sweeps++;
    s->score = HUGE_VAL;
    look(s);
    return true;
}

static bool is_look_due(const sweeper *s, const tn_gauss_seidel_run *run)
{
    if (s->packed->problem->rows->n_triples < MANY_CONTACTS) {
        return run->sweeps <= EAGER || s->since_look >= LOOK;
    }
    return s->since_look >= (s->score > FAR_SCORE ? FAR_LOOK : s->score > NEAR_SCORE ? NEAR_LOOK : LOOK);
}

// A block, and a look at the figures where it is due.
static int run_block(sweeper *s, tn_gauss_seidel_run *run, progress *p)
{
    int block = is_central(s) ? BLOCK_CENTRAL : BLOCK, left = run->max_sweeps - run->sweeps;
    block = block < left ? block : left;
    sweep(s, block);
    run->sweeps += block;
    p->since += block;
    if (is_look_due(s, run) || block == left) {
        look(s);
    }
    if (s->score < PROGRESS * p->milestone) {
        p->milestone = s->score;
        p->last = run->sweeps;
        p->since = 0;
    }
    return block;
}

static bool run_blocks(sweeper *s, tn_gauss_seidel_run *run)
{
    progress p = {.milestone = s->score};
    if (run->ask) {
        (void)run->ask(run->context, 0, s->natural);
    }
    if (s->score <= 1.0 && run->max_sweeps > 0) {
        // A start that is good enough is swept once all the same: taken as it is, step after step, its error would
        // keep a ball at rest trembling.
        sweep(s, 1);
        run->sweeps = 1;
        look(s);
    }
    while (run->sweeps < run->max_sweeps) {
        if (s->score <= 1.0 && s->is_single && !ends_single(s) && !polish(s, run)) {
            return false;
        }
        if (s->score <= 1.0) {
            break;
        }
        int block = run_block(s, run, &p);
        double figure = fmax(s->natural, s->joint);
        bool hopeless = (run->stall_sweeps > 0 && run->sweeps - p.last >= run->stall_sweeps) ||
                        (run->ask && s->since_look == 0 && run->ask(run->context, run->sweeps, figure));
        run->apart =
            run->joint > 0.0 && run->sweeps >= run->joint_sweeps && s->since_look == 0 && s->joint > run->joint;
        if (hopeless || run->apart) {
            break;
        }
        if (s->score > 1.0 && !go_on(s, run, &p, block)) {
            return false;
        }
    }
    return true;
}

tn_status tn_packed_solve(tn_packed *p, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena)
{
    sweeper s = {.packed = p, .arena = arena};
    run->sweeps = 0;
    if (!open(&s, check)) {
        return TN_NO_MEMORY;
    }
    s.leap_above = s.natural < CALM * run->enough ? HUGE_VAL : fmax(LEAP_ABOVE, run->enough);
    if (!run_blocks(&s, run)) {
        return TN_NO_MEMORY;
    }
    run->score = s.score;
    if (s.is_single) {
        tn_packed_single_finish(&s.single, s.best);
    } else {
        memcpy(p->lambda, s.best, s.bytes);
    }
    return TN_OK;
}
