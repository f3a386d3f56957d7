#include "solver/pieces/pieces.h"

#include "problem/joint_rows.h"
#include "problem/problem.h"
#include "solver/ipm/ipm.h"
#include "solver/pieces/walk.h"
#include "solver/shift.h"

#include <math.h>
#include <string.h>

enum { SHIFTS = 8 };                   // updates of the held shift before a path starts: each makes it shorter
static const double CONVEX = 1e-12;    // natural map of the convex problems; Newton's method does the rest
static const double FIRST_SHARE = 0.7; // of the steps: the path from the known shift, before that from none

typedef struct pieces {
    const tn_problem *problem;
    tn_pieces_run *run;
    tn_arena *arena;
    tn_error *error;
    tn_problem convex;
    tn_rows contacts;
    double *offset;       // (n, 3) w + s e_n
    double *held, *u;     // (n) s, (n, 3)
    tn_solution solution; // of the convex problem
} pieces;

bool tn_pieces_takes(const tn_problem *problem)
{
    const tn_rows *c = problem->rows;
    bool plain = problem->A && problem->law == TN_LAW_COULOMB && problem->facets == 0 && !c->omega &&
                 c->n_moments == 0 && c->n_triples > 0 && tn_joint_row_count(problem) == 0;
    for (int m = 0; plain && m < c->n_triples; ++m) {
        plain = c->mu[2 * (size_t)m] == c->mu[2 * (size_t)m + 1];
    }
    return plain;
}

static bool create(pieces *s)
{
    size_t n = (size_t)s->problem->rows->n_triples, n_v = 3 * (size_t)s->problem->A->n_rows;
    s->contacts = *s->problem->rows;
    s->offset = TN_PUSH(s->arena, double, 3 * n);
    s->held = TN_PUSH(s->arena, double, n);
    s->u = TN_PUSH(s->arena, double, 3 * n);
    s->solution = (tn_solution){.v = TN_PUSH(s->arena, double, n_v), .lambda = TN_PUSH(s->arena, double, 3 * n)};
    s->contacts.offset = s->offset;
    s->convex = *s->problem;
    s->convex.rows = &s->contacts;
    s->convex.law = TN_LAW_CONVEX;
    return s->offset && s->held && s->u && s->solution.v && s->solution.lambda;
}

// s = mu |u_t| of the solution's velocities.
static void take_shift(pieces *s)
{
    tn_problem_velocity(s->problem, s->solution.v, NULL, s->u);
    for (int m = 0; m < s->contacts.n_triples; ++m) {
        s->held[m] = tn_shift_of(s->problem, m, s->u + 3 * (size_t)m);
    }
}

static tn_status solve_convex(pieces *s)
{
    size_t n = (size_t)s->contacts.n_triples;
    memcpy(s->offset, s->problem->rows->offset, 3 * n * sizeof *s->offset);
    for (size_t m = 0; m < n; ++m) {
        s->offset[3 * m] += s->held[m];
    }
    memset(s->solution.v, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->solution.v);
    memset(s->solution.lambda, 0, 3 * n * sizeof *s->solution.lambda);
    tn_ipm_options limits = tn_ipm_options_default();
    limits.first_sweeps = 0;
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.natural = CONVEX};
    tn_solve_report report = {.solver = "ipm"};
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    tn_status status = tn_ipm_solve(&s->convex, &options, &limits, s->arena, &s->solution, &report, s->error);
    tn_arena_release(s->arena, mark);
    s->run->setup += report.setup_s;
    return status;
}

// With at most so many steps.
static tn_status walk(pieces *s, const tn_check *check, int most, double *lambda)
{
    int n = s->contacts.n_triples;
    double rho = 0.0;
    for (int m = 0; m < n; ++m) {
        rho += check->rho[m];
    }
    tn_piece_walk w;
    tn_arena_mark mark = tn_arena_get_mark(s->arena);
    if (!tn_piece_walk_create(&w, s->problem, check->q_norm / sqrt((double)n), n / rho, s->arena)) {
        return tn_error_set(s->error, TN_NO_MEMORY, "no memory for the path of the strict law");
    }
    if (tn_piece_walk_start(&w, s->held, s->solution.v, s->solution.lambda)) {
        s->run->arrived = tn_piece_walk_go(&w, most) == TN_PIECE_ARRIVED;
    }
    s->run->steps += w.system.factorisations;
    if (s->run->arrived) {
        memcpy(lambda, w.lambda, 3 * (size_t)n * sizeof *lambda);
    }
    tn_arena_release(s->arena, mark);
    return TN_OK;
}

// So many convex problems, the first with the shift that is held now, each next with the last one's; then the path.
static tn_status follow(pieces *s, const tn_check *check, int shifts, int most, double *lambda)
{
    tn_status status = TN_OK;
    for (int k = 0; k < shifts && status == TN_OK; ++k) {
        if (k > 0) {
            take_shift(s);
        }
        status = solve_convex(s);
    }
    return status == TN_OK ? walk(s, check, most, lambda) : status;
}

tn_status tn_pieces_solve(const tn_problem *problem, const tn_check *check, tn_pieces_run *run, tn_arena *arena,
                          double *lambda, tn_error *error)
{
    pieces s = {.problem = problem, .run = run, .arena = arena, .error = error};
    run->steps = 0;
    run->setup = 0.0;
    run->arrived = false;
    if (!create(&s)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the path of the strict law");
    }
    size_t n = (size_t)problem->rows->n_triples;
    tn_status status = TN_OK;
    if (run->shift) {
        memcpy(s.held, run->shift, n * sizeof *s.held);
        status = follow(&s, check, 1, (int)(FIRST_SHARE * run->max_steps), lambda);
    }
    if (status == TN_OK && !run->arrived) {
        memset(s.held, 0, n * sizeof *s.held);
        status = follow(&s, check, SHIFTS, run->max_steps - run->steps, lambda);
    }
    return status;
}
