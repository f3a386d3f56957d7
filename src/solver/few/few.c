// few: one to ten contacts, solved to rounding in microseconds.
//
// One contact is the exact local solve. Several go in rounds: Gauss-Seidel sweeps with the exact local solve, 2, 4, 8,
// ... of them, tell open, sticking and sliding contacts apart, and semismooth Newton steps from there end the matter,
// mostly in the first round. A warm start tries Newton before any sweep. Where all rounds fail (auto then takes another
// solver) the best point is returned. Everything has its room on the stack: no memory is asked for.
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/bound.h"
#include "solver/check.h"
#include "solver/few/newton.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, NEWTON_STEPS = 8 };

// A solve under way.
typedef struct solve_state {
    tn_few_system system;
    tn_check check;
    double lambda[TN_FEW_SIZE]; // present forces
    double best[TN_FEW_SIZE];
    double score; // of the best ones, tn_check_score's
    int iterations, max_iterations;
} solve_state;

static void copy(int n, const double *from, double *to)
{
    for (int m = 0; m < n; ++m) { // a call for so few bytes takes longer
        tn_vec3_copy(to + 3 * m, from + 3 * m);
    }
}

// The present forces judged; kept where they are the best so far. True: they will do.
static bool judge(solve_state *s)
{
    const tn_few_system *system = &s->system;
    double u[TN_FEW_SIZE];
    tn_few_velocity(system, s->lambda, u);
    double score = tn_check_score(&s->check, s->lambda, u);
    if (score < s->score) {
        s->score = score;
        copy(system->n, s->lambda, s->best);
    }
    return s->score <= 1.0;
}

// One sweep over the contacts.
static void sweep(solve_state *s)
{
    const tn_few_system *system = &s->system;
    const tn_problem *p = system->problem;
    for (int m = 0; m < system->n; ++m) {
        double q[3], *force = s->lambda + 3 * m;
        const double *row = system->N + (size_t)(3 * m) * (size_t)system->size;
        for (int i = 0; i < 3; ++i, row += system->size) {
            q[i] = system->q[3 * m + i] - tn_vec3_dot(system->own + 9 * m + 3 * i, force);
            for (int k = 0; k < system->size; k += 3) {
                q[i] += tn_vec3_dot(row + k, s->lambda + k);
            }
        }
        tn_bound bound = tn_problem_bound(p, m, NULL);
        tn_set_solve(&bound, system->own + 9 * m, q, force);
    }
    ++s->iterations;
}

// Newton's method from the present forces. True: they will do.
static bool newton(solve_state *s)
{
    tn_few_newton newton;
    tn_few_newton_start(&s->system, s->lambda, &newton);
    for (int k = 0; k < NEWTON_STEPS && s->iterations < s->max_iterations; ++k) {
        ++s->iterations;
        if (!tn_few_newton_step(&newton)) {
            return false;
        }
        tn_few_newton_forces(&newton, s->lambda);
        if (judge(s)) {
            return true;
        }
    }
    return false;
}

static void solve_one(solve_state *s)
{
    const tn_few_system *system = &s->system;
    if (s->max_iterations > 0) {
        tn_bound bound = tn_problem_bound(system->problem, 0, NULL);
        tn_set_solve(&bound, system->own, system->q, s->lambda);
        s->iterations = 1;
    }
    double u[3] = {system->q[0], system->q[1], system->q[2]};
    tn_mat3_add_vec(u, system->own, s->lambda);
    s->score = tn_check_score(&s->check, s->lambda, u);
    tn_vec3_copy(s->best, s->lambda);
}

// From the present forces.
static void solve_several(solve_state *s)
{
    bool cold = true;
    for (int i = 0; i < s->system.size; ++i) {
        cold = cold && s->lambda[i] == 0.0;
    }
    if (!cold || s->max_iterations == 0) {
        if (judge(s) || newton(s)) {
            return;
        }
        copy(s->system.n, s->best, s->lambda);
    }
    for (int round = 0; round < ROUNDS && s->iterations < s->max_iterations; ++round) {
        for (int k = 0; k < 2 << round && s->iterations < s->max_iterations; ++k) {
            sweep(s);
            if (round == 0 && k == 0 && judge(s)) { // contacts that hardly know of one another
                return;
            }
        }
        if (judge(s) || newton(s)) {
            return;
        }
        copy(s->system.n, s->best, s->lambda);
    }
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    solve_state s;
    s.score = HUGE_VAL;
    s.iterations = 0;
    s.max_iterations = options->max_iterations;
    if (!tn_few_build(problem, solution->v, &s.system)) {
        return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding");
    }
    double *q = s.system.q;
    s.check = tn_check_of_sums(problem, sqrt(tn_dot((size_t)s.system.size, q, q)), &options->tolerance);
    s.check.rho = s.system.rho;
    copy(s.system.n, solution->lambda, s.lambda);
    copy(s.system.n, solution->lambda, s.best);
    if (s.system.n == 1) {
        solve_one(&s);
    } else {
        solve_several(&s);
    }
    copy(s.system.n, s.best, solution->lambda);
    if (problem->A) {
        tn_few_recover(&s.system, s.best, solution->v);
    }
    report->iterations = s.iterations;
    report->converged = s.score <= 1.0;
    return TN_OK;
}

static const char *refuses(const tn_problem *problem)
{
    return tn_few_refusal(problem);
}

const tn_solver tn_solver_few = {
    .name = "few",
    .summary = "one to ten contacts of free bodies or in local form: exact local solves and dense Newton steps",
    .sets = TN_TAKES_CONES,
    .refuses = refuses,
    .solve = solve,
};
