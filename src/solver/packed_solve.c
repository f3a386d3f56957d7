#include "solver/packed_solve.h"

#include "kernels/mixer.h"
#include "solver/packed_single.h"

#include <math.h>
#include <string.h>

// Sweeps from one look at the figures to the next, and the differences that Anderson's method remembers.
enum { BLOCK = 5, DEPTH = 5 };
// Blocks without PROGRESS before the memory is cleared, and plain blocks then.
enum { STALL_BLOCKS = 12, PLAIN_BLOCKS = 6 };
static const double PROGRESS = 0.7;

// Natural figure above which sweeps in single precision do.
static const double COARSE = 1e-5;

// Looks and sweeps of one run.
typedef struct sweeper {
    tn_packed *packed;
    const tn_check *check;
    tn_arena *arena;
    bool has_single, single; // single: now
    tn_packed_single in_single;
} sweeper;

// The score where packed is, and how the next sweeps are made. False: no memory.
static bool look(sweeper *s, double *score)
{
    tn_check_sums sums;
    if (s->has_single) {
        tn_packed_single_sums(&s->in_single, &sums);
    } else {
        tn_packed_sums(s->packed, &sums);
    }
    *score = tn_check_score_sums(s->check, &sums);
    bool coarse = *score > 1.0 && tn_check_natural(s->check, &sums) > COARSE;
    s->single = coarse && tn_packed_single_fits(s->packed);
    if (s->single && !s->has_single) {
        if (!tn_packed_single_create(&s->in_single, s->packed, s->arena)) {
            return false;
        }
        s->has_single = true;
        tn_packed_single_sums(&s->in_single, &sums);
    }
    return true;
}

static void sweep_block(sweeper *s)
{
    if (s->single) {
        tn_packed_single_sweep(&s->in_single, BLOCK);
        return;
    }
    for (int k = 0; k < BLOCK; ++k) {
        tn_packed_sweep(s->packed);
    }
}

double tn_packed_q_norm(const tn_packed *p)
{
    tn_check_sums sums;
    tn_packed_sums(p, &sums);
    return sqrt(sums.velocity);
}

tn_status tn_packed_solve(tn_packed *p, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena)
{
    size_t bytes = (size_t)p->n_numbers * sizeof *p->lambda;
    double *best = TN_PUSH_RAW(arena, double, p->n_numbers), *start = TN_PUSH_RAW(arena, double, p->n_numbers);
    tn_mixer mixer;
    if (!best || !start || !tn_mixer_create(&mixer, p->n_numbers, DEPTH, p->packs.n_threads, arena)) {
        return TN_NO_MEMORY;
    }
    sweeper s = {.packed = p, .check = check, .arena = arena};
    if (!look(&s, &run->score)) {
        return TN_NO_MEMORY;
    }
    double milestone = run->score, score;
    memcpy(best, p->lambda, bytes);
    memcpy(start, p->lambda, bytes);
    run->sweeps = 0;
    int since = 0, plain = 0, last_progress = 0;
    if (run->score <= 1.0 && run->max_sweeps > 0) {
        // A start that is good enough is swept once all the same: taken as it is, step after step, its error would
        // keep a ball at rest trembling.
        tn_packed_sweep(p);
        run->sweeps = 1;
        if (!look(&s, &score)) {
            return TN_NO_MEMORY;
        }
        if (score < run->score) {
            run->score = score;
            memcpy(best, p->lambda, bytes);
        }
    }
    while (run->score > 1.0 && run->sweeps < run->max_sweeps) {
        sweep_block(&s);
        run->sweeps += BLOCK;
        if (!look(&s, &score)) {
            return TN_NO_MEMORY;
        }
        if (score < run->score) {
            run->score = score;
            memcpy(best, p->lambda, bytes);
        }
        ++since;
        if (run->score < PROGRESS * milestone) {
            milestone = run->score;
            since = 0;
            last_progress = run->sweeps;
        }
        if (score <= 1.0 || (run->stall_sweeps > 0 && run->sweeps - last_progress >= run->stall_sweeps)) {
            break;
        }
        if (run->plain || plain > 0) {
            if (--plain == 0) {
                memcpy(start, p->lambda, bytes);
            }
            continue;
        }
        if (since >= STALL_BLOCKS) {
            tn_mixer_clear(&mixer);
            plain = PLAIN_BLOCKS;
            since = 0;
            continue;
        }
        tn_mixer_advance(&mixer, start, p->lambda);
        tn_packed_refresh(p);
    }
    memcpy(p->lambda, best, bytes);
    return TN_OK;
}
