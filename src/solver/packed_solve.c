#include "solver/packed_solve.h"

#include "kernels/mixer.h"
#include "problem/problem.h"
#include "solver/packed_single.h"

#include <math.h>
#include <string.h>

// Sweeps from one look at the figures to the next, and the differences that Anderson's method remembers.
enum { BLOCK = 5, DEPTH = 5 };
// Blocks without PROGRESS before the memory is cleared, and plain blocks then. With fewer of those the method stalls
// again at once: piles of 64, 216 and 512 spheres, 8 problems each, cold to fclib 1e-4, take 512, 734 and 723 sweeps in
// the mean, 544, 994 and 931 with 6 plain blocks (and 2000 were not enough for some), 1014 and 1159 all plain.
enum { STALL_BLOCKS = 12, PLAIN_BLOCKS = 15 };
static const double PROGRESS = 0.7;

// Sweeps in single precision do while the natural figure is above this, and ten times that where they stall: it may be
// their rounding. They are given a new anchor after so many
// blocks, for what their sums round off.
static const double COARSE = 1e-5;
enum { ANCHOR_BLOCKS = 8 };

// Where a run is. Anderson's method mixes the forces, in the precision of the sweeps.
typedef struct sweeper {
    tn_packed *packed;
    const tn_check *check;
    tn_arena *arena;
    bool is_single;
    tn_packed_single single;
    int since_anchor; // blocks
    tn_mixer mixer;
    size_t bytes;       // of all forces
    void *best, *start; // the best so far; where the block began
    double score;       // of best
} sweeper;

static void *forces_of(const sweeper *s)
{
    return s->is_single ? (void *)s->single.packs.lambda : (void *)s->packed->lambda;
}

static double score_of(const sweeper *s, double *natural)
{
    tn_check_sums sums;
    if (s->is_single) {
        tn_packed_single_sums(&s->single, s->check->tolerance.fclib > 0.0, &sums);
    } else {
        tn_packed_sums(s->packed, &sums);
    }
    *natural = tn_check_natural(s->check, &sums);
    return tn_check_score_sums(s->check, &sums);
}

// Whether single precision is too coarse for what is left. Where all is done already the last word is double's, unless
// that little was asked for.
static bool too_fine(double score, double natural)
{
    return natural <= COARSE && natural < COARSE * score;
}

static bool begin(sweeper *s, bool is_single)
{
    s->is_single = is_single;
    int n = is_single ? s->single.n_lambda : s->packed->n_numbers;
    s->bytes = (size_t)n * (is_single ? sizeof(float) : sizeof(double));
    s->best = TN_PUSH_RAW(s->arena, char, s->bytes);
    s->start = TN_PUSH_RAW(s->arena, char, s->bytes);
    if (!s->best || !s->start || !tn_mixer_create(&s->mixer, n, DEPTH, s->packed->n_threads, s->arena)) {
        return false;
    }
    memcpy(s->best, forces_of(s), s->bytes);
    memcpy(s->start, forces_of(s), s->bytes);
    return true;
}

// From single precision on in double, from the best point.
static bool refine(sweeper *s)
{
    tn_packed_single_finish(&s->single, s->best);
    if (s->packed->packs.packs) {
        tn_packed_refresh(s->packed);
    }
    return tn_packed_complete(s->packed, s->arena) && begin(s, false);
}

static void sweep(sweeper *s, int sweeps)
{
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
    if (!s->is_single) {
        tn_mixer_advance(&s->mixer, s->start, s->packed->lambda);
        tn_packed_refresh(s->packed);
        return;
    }
    tn_mixer_advance_single(&s->mixer, s->start, s->single.packs.lambda);
    if (s->since_anchor < ANCHOR_BLOCKS) {
        tn_packed_single_refresh(&s->single);
        return;
    }
    tn_packed_single_anchor(&s->single);
    s->since_anchor = 0;
}

// The score where the sweeps are; the best is kept.
static void look(sweeper *s, double *natural)
{
    double score = score_of(s, natural);
    if (score < s->score) {
        s->score = score;
        memcpy(s->best, forces_of(s), s->bytes);
    }
}

double tn_packed_q_norm(const tn_packed *p, tn_arena *arena)
{
    const tn_contacts *c = p->problem->contacts;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *none = TN_PUSH(arena, double, 3 * (size_t)c->n), *u = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n);
    double *v = TN_PUSH_RAW(arena, double, 3 * (size_t)p->problem->A->n_rows), sum = 0.0;
    if (!none || !u || !v) {
        return NAN;
    }
    tn_packed_recover(p, none, v);
    tn_problem_velocity(p->problem, v, NULL, u);
    for (int i = 0; i < 3 * (c->n - c->n_moments); ++i) {
        sum += u[i] * u[i];
    }
    tn_arena_release(arena, mark);
    return sqrt(sum);
}

// The first look, and in which precision the run begins. False: no memory.
static bool open(sweeper *s, const tn_check *check)
{
    double natural;
    s->check = check;
    s->score = HUGE_VAL;
    if (s->packed->single) {
        s->is_single = true;
        if (!tn_packed_single_create(&s->single, s->packed, s->arena)) {
            return false;
        }
        double score = score_of(s, &natural);
        if (!too_fine(score, natural)) {
            bool begun = begin(s, true);
            s->score = score;
            return begun;
        }
    }
    if (!tn_packed_complete(s->packed, s->arena) || !begin(s, false)) {
        return false;
    }
    s->score = score_of(s, &natural);
    return true;
}

// The numbers of a run that decide on how it goes on.
typedef struct progress {
    double milestone;
    int last; // sweeps when it was reached
    int since, plain;
} progress;

// After a block with this score: mixing, plain blocks, another precision. False: no memory.
static bool go_on(sweeper *s, const tn_gauss_seidel_run *run, progress *p, double natural)
{
    bool stalled = p->since >= STALL_BLOCKS;
    if (s->is_single && (too_fine(s->score, natural) || (stalled && natural < 10.0 * COARSE))) {
        *p = (progress){.milestone = p->milestone, .last = p->last};
        return refine(s);
    }
    if (run->plain || p->plain > 0) {
        if (--p->plain == 0) {
            memcpy(s->start, forces_of(s), s->bytes);
        }
    } else if (stalled) {
        tn_mixer_clear(&s->mixer);
        p->plain = PLAIN_BLOCKS;
        p->since = 0;
    } else {
        mix(s);
    }
    return true;
}

static bool run_blocks(sweeper *s, tn_gauss_seidel_run *run)
{
    double natural;
    progress p = {.milestone = s->score};
    if (s->score <= 1.0 && run->max_sweeps > 0) {
        // A start that is good enough is swept once all the same: taken as it is, step after step, its error would
        // keep a ball at rest trembling.
        sweep(s, 1);
        run->sweeps = 1;
        look(s, &natural);
    }
    while (s->score > 1.0 && run->sweeps < run->max_sweeps) {
        sweep(s, BLOCK);
        run->sweeps += BLOCK;
        s->since_anchor++;
        look(s, &natural);
        p.since++;
        if (s->score < PROGRESS * p.milestone) {
            p = (progress){.milestone = s->score, .last = run->sweeps, .plain = p.plain};
        }
        bool hopeless = (run->stall_sweeps > 0 && run->sweeps - p.last >= run->stall_sweeps) ||
                        (run->ask && run->ask(run->context, run->sweeps, natural));
        if (s->score <= 1.0 || hopeless) {
            break;
        }
        if (!go_on(s, run, &p, natural)) {
            return false;
        }
    }
    return true;
}

tn_status tn_packed_solve(tn_packed *p, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena)
{
    sweeper s = {.packed = p, .arena = arena};
    run->sweeps = 0;
    if (!open(&s, check) || !run_blocks(&s, run)) {
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
