#include "solver/ipm/interior_ways.h"

#include "base/random.h"
#include "solver/ipm/interior_path.h"

#include <math.h>
#include <string.h>

enum { WAY_STEPS = 700 }; // those that arrive take 100 to 650

// Drawn between these: a way's depth, evenly by its logarithm, and how each of its folds is crossed (interior_path.h).
static const double DEPTH[] = {1.0, 100.0}, BELOW[] = {0.3, 0.9}, CROSSED[] = {5.0, 200.0};

typedef struct ways {
    const tn_check *check;
    const tn_delassus *delassus;
    tn_arena *arena;
    tn_error *error;
    tn_interior interior;
    double *best, *u, *start; // (n, 3), (n, 3), (n_v) zeros
    double score;             // of best
} ways;

static double judge(void *user)
{
    ways *s = user;
    const double *lambda = s->interior.lambda;
    if (tn_delassus_velocity(s->delassus, lambda, s->u, s->arena, s->error) != TN_OK) {
        return HUGE_VAL;
    }
    double score = tn_check_score(s->check, lambda, s->u);
    if (score < s->score) {
        s->score = score;
        memcpy(s->best, lambda, 3 * (size_t)s->interior.n * sizeof *lambda);
    }
    return score;
}

static tn_status walk(ways *s, tn_interior_ways *run)
{
    uint64_t way = (uint64_t)run->ways++;
    int left = run->max_steps - run->steps;
    tn_interior_path path = {.below = {BELOW[0], BELOW[1]},
                             .crossed = {CROSSED[0], CROSSED[1]},
                             .seed = way,
                             .max_work = HUGE_VAL,
                             .max_steps = left < WAY_STEPS ? left : WAY_STEPS,
                             .judge = judge,
                             .user = s};
    s->interior.depth = DEPTH[0] * pow(DEPTH[1] / DEPTH[0], tn_random_uniform(way, 2, 0));
    tn_interior_start(&s->interior, s->start, NULL);
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    tn_status status = tn_interior_path_solve(&s->interior, &path, s->arena, s->error);
    tn_arena_release(s->arena, mark);
    run->steps += path.steps > 0 ? path.steps : left;
    run->arrived = s->score <= 1.0;
    return status;
}

tn_status tn_interior_ways_solve(const tn_problem *problem, const tn_check *check, const tn_delassus *delassus,
                                 tn_interior_ways *run, tn_arena *arena, double *lambda, tn_error *error)
{
    ways s = {.check = check, .delassus = delassus, .arena = arena, .error = error, .best = lambda};
    size_t n = (size_t)problem->rows->n_triples;
    s.u = TN_PUSH(arena, double, 3 * n);
    s.start = TN_PUSH(arena, double, 3 * (size_t)problem->A->n_rows);
    run->ways = run->steps = 0;
    run->setup = 0.0;
    run->arrived = false;
    if (!s.u || !s.start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the ways along the strict law's path");
    }
    tn_status status = tn_delassus_velocity(delassus, lambda, s.u, arena, error);
    if (status != TN_OK) {
        return status;
    }
    s.score = tn_check_score(check, lambda, s.u);
    status = tn_interior_create(&s.interior, problem, check, check->q_norm / sqrt((double)n), arena, error);
    while (status == TN_OK && !run->arrived && run->steps < run->max_steps) {
        status = walk(&s, run);
    }
    run->setup = s.interior.setup;
    tn_interior_destroy(&s.interior);
    return status;
}
