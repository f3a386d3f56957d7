#include "judge.h"
#include "reference.h"

#include "base/timer.h"
#include "discretize/elastic_joints.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/certificate.h"

#include <math.h>
#include <string.h>
#include <time.h>

// A solve of this length is not repeated [s].
static const double LONG_ENOUGH = 0.05;

static double norm(size_t n, const double *x)
{
    double square = 0.0;
    for (size_t i = 0; i < n; i++) {
        square += x[i] * x[i];
    }
    return sqrt(square);
}

static double distance(size_t n, const double *a, const double *b)
{
    double square = 0.0;
    for (size_t i = 0; i < n; i++) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(square);
}

// Norm of the elastic forces at the step's end with v [N]; NaN: no memory.
static double internal_force(const track *t, double *v)
{
    const tn_model *model = t->model;
    if (t->sim->solving.eq.balance.elastics) { // a rod: what its last joint bears
        double end[3], torque[3];
        tn_balance_elastic_force(model, &t->sim->solving.eq.balance, model->n_joints - 1, v, end, torque);
        return norm(3, end);
    }
    if (model->n_softs == 0) {
        return NAN;
    }
    tn_sim_advance(&t->sim->setup, t->before, v, t->sim->next.pose, t->sim->next.turn, t->sim->next.x);
    tn_arena_mark mark = tn_arena_get_mark(t->solver);
    tn_tets_elastic *elastic;
    size_t n = 3 * (size_t)model->n_nodes;
    double *force = TN_PUSH(t->solver, double, n), result = NAN;
    if (force && tn_tets_evaluate(model->elements, t->sim->next.x, 1, t->solver, &elastic) == TN_OK) {
        tn_tets_force(model->elements, elastic, 1, force);
        result = norm(n, force);
    }
    tn_arena_release(t->solver, mark);
    return result;
}

// Norm of the sum of contact forces on the free rigid bodies, as a force sensor in one of them reads it [N].
static double contact_force(const track *t, const double *lambda)
{
    const tn_model *model = t->model;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int m = 0; m < t->sim->solving.eq.rows.contacts.n_triples; m++) {
        const tn_contact *c = &t->sim->solving.eq.list.contacts[t->sim->solving.eq.rows.source[m]];
        bool a = c->body_a < model->n_bodies && model->bodies[c->body_a].n_blocks > 0;
        bool b = c->body_b < model->n_bodies && model->bodies[c->body_b].n_blocks > 0;
        double force[3];
        tn_mat3_tvec(force, c->frame, lambda + 3 * m);
        tn_vec3_madd(sum, sum, (double)b - (double)a, force);
    }
    return norm(3, sum);
}

// Penetration at the step's end with v [m].
static double penetration(const track *t, double *v)
{
    const tn_sim *sim = t->sim;
    const tn_step_answer answer = {.solution = {.v = v, .lambda = sim->solving.answer.solution.lambda}};
    tn_sim_advance(&sim->setup, t->before, v, sim->next.pose, sim->next.turn, sim->next.x);
    return tn_sim_penetration(&(tn_solved_step){&sim->setup, &sim->solving.eq, &answer, &sim->next});
}

// One thread: its processor time, which others on the machine disturb less; else wall time [s].
static double now(int n_threads)
{
    struct timespec t;
    if (n_threads == 1 && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
    return tn_timer_now();
}

// From the step's own warm start into v, lambda. seconds, setup: added to.
static tn_status run(track *t, const contender *c, int n_threads, tn_solution *solution, tn_solve_report *report,
                     double *seconds, tn_error *error)
{
    const tn_problem *p = &t->sim->solving.eq.problem;
    memcpy(solution->v, t->warm_v, 3 * (size_t)p->A->n_rows * sizeof(double));
    memcpy(solution->lambda, t->warm_lambda, 3 * (size_t)p->rows->n_triples * sizeof(double));
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = c->tolerance;
    options.max_iterations = c->max_iterations;
    options.n_threads = n_threads;
    tn_cond_options cond = tn_cond_options_default();
    cond.acceleration = c->acceleration;
    const tn_solver *solver = tn_solver_find(c->name);
    const char *refusal = solver ? tn_solver_refusal(solver, p) : NULL;
    if (!solver || refusal) {
        return tn_error_set(error, TN_BAD_INPUT, "%s", refusal ? refusal : "there is no such solver");
    }
    *report = (tn_solve_report){.solver = c->name, .theta = NAN};
    double start = now(n_threads);
    tn_status status = c->variant ? tn_cond_solve(p, &options, &cond, t->solver, solution, report, error)
                                  : solver->solve(p, &options, t->solver, solution, report, error);
    *seconds = now(n_threads) - start;
    tn_arena_reset(t->solver);
    return status;
}

static bool make_solution(track *t, tn_solution *out)
{
    out->v = TN_PUSH(t->kept, double, 3 * (size_t)t->sim->solving.eq.problem.A->n_rows);
    out->lambda = TN_PUSH(t->kept, double, 3 * (size_t)t->sim->solving.eq.problem.rows->n_triples);
    return out->v && out->lambda;
}

static bool certify(track *t, const tn_solution *solution, double *momentum, double *natural)
{
    tn_certificate c;
    bool ok = tn_certificate_compute(&t->sim->solving.eq.problem, solution, false, t->solver, &c) == TN_OK;
    tn_arena_reset(t->solver);
    *momentum = ok ? c.momentum : INFINITY;
    *natural = ok ? c.natural : INFINITY;
    return ok && isfinite(c.momentum) && isfinite(c.natural);
}

bool judge_reference(track *t, reference *out)
{
    tn_solution solution;
    tn_solve_report report = {0};
    tn_error error = {0};
    if (!make_solution(t, &solution)) {
        return false;
    }
    memcpy(solution.v, t->warm_v, 3 * (size_t)t->sim->solving.eq.problem.A->n_rows * sizeof(double));
    memcpy(solution.lambda, t->warm_lambda, 3 * (size_t)t->sim->solving.eq.problem.rows->n_triples * sizeof(double));
    tn_status status = reference_solve(&t->sim->solving.eq.problem, t->solver, &solution, &report, &error);
    tn_arena_reset(t->solver);
    if (status != TN_OK) {
        fprintf(stderr, "tenon-bench: over-converged solution: %s\n", error.message);
        return false;
    }
    *out = (reference){.v = solution.v, .lambda = solution.lambda, .converged = report.converged};
    out->momentum = report.certificate.momentum;
    out->natural = report.certificate.natural;
    out->internal = internal_force(t, out->v);
    out->contact = contact_force(t, out->lambda);
    return true;
}

verdict judge_solve(track *t, const contender *c, const reference *r, int repeats, int n_threads)
{
    verdict best = {.seconds = INFINITY};
    tn_solution solution;
    if (!make_solution(t, &solution)) {
        return best;
    }
    double spent = 0.0;
    for (int k = 0; k < repeats && spent < LONG_ENOUGH; k++) {
        tn_error error = {0};
        tn_solve_report report;
        double seconds = 0.0;
        if (run(t, c, n_threads, &solution, &report, &seconds, &error) != TN_OK) {
            fprintf(stderr, "tenon-bench: %s: %s\n", c->label, error.message);
            return best;
        }
        spent += seconds;
        if (seconds < best.seconds) {
            best.seconds = seconds;
            best.setup = fmin(report.setup_s, seconds); // wall time: more where the processor is shared
        }
        best.iterations = report.iterations;
        best.converged = report.converged;
    }
    size_t n = 3 * (size_t)t->sim->solving.eq.problem.A->n_rows;
    best.ok = certify(t, &solution, &best.momentum, &best.natural);
    best.v = solution.v;
    best.lambda = solution.lambda;
    best.error = distance(n, solution.v, r->v) / fmax(norm(n, r->v), 1e-300);
    best.penetration = penetration(t, solution.v);
    best.internal = fabs(internal_force(t, solution.v) - r->internal);
    best.contact = fabs(contact_force(t, solution.lambda) - r->contact);
    return best;
}
