// Forces of least norm at rest. Every row gives way a little, so that there is one answer: of all forces that hold, in
// the limit, those of least sum R f^2. Proximal point steps, w = -R f of the last solve, then take the softness out of
// the law, each by a factor of about R over the mobility of the rows together; what no velocity depends on stays where
// the first solve has put it (R. T. Rockafellar, SIAM J. Control Optim. 14, 1976).
#include "sim/rest_solve.h"

#include "problem/certificate.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

enum { MAX_REFINEMENTS = 40, MAX_STALLED = 3 };
static const double EXACT = 1e-13; // figure below which there is nothing left but rounding

// The problem without given rows, whose rows give way.
typedef struct soft_problem {
    const tn_rest_problem *of;
    tn_problem problem;
    tn_rows rows, held; // all; singles only
    int *number;        // (held.n_singles) of each in the joints' list
    double *b, *offset; // (3 n_blocks), (rows)
    tn_solution solution;
} soft_problem;

static bool is_given(const tn_rows *joints, int i)
{
    return joints->lower[i] == joints->upper[i];
}

// The joints' rows that are not given; what given ones bear goes to b.
static bool hold_rows(soft_problem *s, tn_arena *arena)
{
    const tn_rows *from = s->of->joints;
    int n = from->n_singles, n_entries = n > 0 ? from->start[n] : 0, at = 0;
    int *start = TN_PUSH(arena, int, n + 1), *block = TN_PUSH(arena, int, n_entries), *joint = TN_PUSH(arena, int, n);
    double *jacobian = TN_PUSH(arena, double, 3 * (size_t)n_entries), *lower = TN_PUSH(arena, double, n);
    double *upper = TN_PUSH(arena, double, n), *compliance = TN_PUSH(arena, double, n);
    double *zero = TN_PUSH(arena, double, n);
    s->number = TN_PUSH(arena, int, n);
    if (!start || !block || !joint || !jacobian || !lower || !upper || !compliance || !zero || !s->number) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (is_given(from, i)) {
            tn_single_push(from, i, from->lower[i], s->b);
            continue;
        }
        for (int e = from->start[i]; e < from->start[i + 1]; e++) {
            block[start[at] + e - from->start[i]] = from->block[e];
        }
        size_t n_here = (size_t)(from->start[i + 1] - from->start[i]);
        memcpy(jacobian + 3 * (size_t)start[at], from->jacobian + 3 * (size_t)from->start[i],
               3 * n_here * sizeof *jacobian);
        start[at + 1] = start[at] + (int)n_here;
        lower[at] = from->lower[i];
        upper[at] = from->upper[i];
        joint[at] = from->joint[i];
        compliance[at] = s->of->softness[s->of->contacts->n_triples + i];
        s->number[at++] = i;
    }
    s->held = (tn_rows){.n_singles = at,
                        .start = start,
                        .block = block,
                        .jacobian = jacobian,
                        .offset = zero,
                        .compliance = compliance,
                        .lower = lower,
                        .upper = upper,
                        .joint = joint};
    return true;
}

static bool make(const tn_rest_problem *of, tn_arena *arena, soft_problem *s)
{
    size_t n_v = 3 * (size_t)of->problem->A->n_rows, n_t = (size_t)of->contacts->n_triples;
    *s = (soft_problem){.of = of, .b = TN_PUSH(arena, double, n_v)};
    double *softness = TN_PUSH(arena, double, 9 * n_t);
    if (!s->b || !softness) {
        return false;
    }
    memcpy(s->b, of->problem->b, n_v * sizeof *s->b);
    for (size_t i = 0; i < 9 * n_t; i++) {
        softness[i] = of->contacts->softness ? of->contacts->softness[i] : 0.0;
        softness[i] += i % 9 % 4 == 0 ? of->softness[i / 9] : 0.0;
    }
    tn_rows triples = *of->contacts;
    triples.softness = softness;
    if (!hold_rows(s, arena) || tn_rows_join(&triples, &s->held, arena, &s->rows) != TN_OK) {
        return false;
    }
    size_t n = tn_row_count(&s->rows);
    s->offset = TN_PUSH(arena, double, n);
    s->solution = (tn_solution){TN_PUSH(arena, double, n_v), TN_PUSH(arena, double, n)};
    s->rows.offset = s->offset;
    s->problem = *of->problem;
    s->problem.b = s->b;
    s->problem.rows = &s->rows;
    return s->offset && s->solution.v && s->solution.lambda;
}

// w - R f of the last solve.
static void shift(soft_problem *s)
{
    const tn_rest_problem *of = s->of;
    int n_t = of->contacts->n_triples;
    for (int i = 0; i < 3 * n_t; i++) {
        s->offset[i] = of->contacts->offset[i] - of->softness[i / 3] * s->solution.lambda[i];
    }
    for (int i = 0; i < s->held.n_singles; i++) {
        s->offset[3 * n_t + i] = -s->held.compliance[i] * s->solution.lambda[3 * n_t + i];
    }
}

// As a solution of the problem at rest.
static void expand(const soft_problem *s, tn_solution *to)
{
    const tn_rest_problem *of = s->of;
    size_t n_t = 3 * (size_t)of->contacts->n_triples;
    memcpy(to->v, s->solution.v, 3 * (size_t)of->problem->A->n_rows * sizeof *to->v);
    memcpy(to->lambda, s->solution.lambda, n_t * sizeof *to->lambda);
    for (int i = 0; i < of->joints->n_singles; i++) {
        to->lambda[n_t + (size_t)i] = is_given(of->joints, i) ? of->joints->lower[i] : 0.0;
    }
    for (int i = 0; i < s->held.n_singles; i++) {
        to->lambda[n_t + (size_t)s->number[i]] = s->solution.lambda[n_t + (size_t)i];
    }
}

double tn_rest_figure(const tn_certificate *c)
{
    double worst = fmax(fmax(c->momentum, c->natural), c->joint); // fmax ignores a NaN: it does not apply
    return isnan(worst) ? 0.0 : worst;
}

// One solve, with the forces of the last one taken from the offsets; judged by the problem at rest.
static tn_status refine(soft_problem *s, tn_arena *arena, tn_solution *next, tn_solve_report *report, tn_error *error)
{
    shift(s);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_run(s->of->solver, &s->problem, s->of->options, arena, &s->solution, report, error);
    if (status == TN_OK) {
        expand(s, next);
        status = tn_certificate_compute(s->of->problem, next, false, arena, &report->certificate);
    }
    tn_arena_release(arena, mark);
    return status;
}

tn_status tn_rest_solve(const tn_rest_problem *rest, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                        int *refinements, tn_error *error)
{
    size_t n_v = 3 * (size_t)rest->problem->A->n_rows, n = tn_row_count(rest->problem->rows);
    soft_problem s;
    tn_solution next = {TN_PUSH(arena, double, n_v), TN_PUSH(arena, double, n)};
    if (!next.v || !next.lambda || !make(rest, arena, &s)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %zu rows", n);
    }
    double best = INFINITY;
    int iterations = 0;
    *refinements = 0;
    for (int stalled = 0; *refinements < MAX_REFINEMENTS && stalled < MAX_STALLED && best > EXACT;) {
        tn_solve_report here = {.solver = rest->solver->name};
        tn_status status = refine(&s, arena, &next, &here, error);
        if (status != TN_OK) {
            return status;
        }
        ++*refinements;
        iterations += here.iterations;
        double figure = tn_rest_figure(&here.certificate);
        stalled = figure < 0.5 * best ? 0 : stalled + 1;
        if (figure < best) {
            best = figure;
            *report = here;
            memcpy(solution->v, next.v, n_v * sizeof *next.v);
            memcpy(solution->lambda, next.lambda, n * sizeof *next.lambda);
        }
    }
    report->iterations = iterations;
    return isfinite(best) ? TN_OK : tn_error_set(error, TN_NUMERICS, "no forces at rest found");
}
