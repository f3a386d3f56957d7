#include "solver/ipm/facets.h"

#include "math/mat3.h"
#include "problem/rows.h"
#include "solver/facets.h"
#include "solver/ipm/joints.h"

#include <math.h>
#include <string.h>

// Of the rows' tolerance, which is one of velocities, relative to what is demanded of the contacts' forces.
static const double SHARPER = 0.03;

typedef struct facet_rows {
    tn_problem problem;                   // without contacts
    tn_rows rows;                         // the facets, then the joints
    int n;                                // facets
    int *start, *block, *joint, *contact; // contact (n)
    double *jacobian, *offset, *compliance, *lower, *upper;
    double *push; // (n, 3) force of the contact for a unit of the row's
    tn_solution solution;
} facet_rows;

static int count_of(const tn_problem *p, int m)
{
    int n = tn_facets_count(p, m);
    return n > 0 ? n : 1;
}

static bool allocate(facet_rows *s, const tn_problem *p, tn_arena *arena)
{
    const tn_rows *c = p->rows;
    int n_joints = tn_joint_row_count(p);
    size_t entries = n_joints > 0 ? (size_t)(c->start[c->n_triples + n_joints] - c->start[c->n_triples]) : 0;
    for (int m = 0; m < c->n_triples; ++m) {
        s->n += count_of(p, m);
        entries += (size_t)count_of(p, m) * (size_t)(c->start[m + 1] - c->start[m]);
    }
    size_t n = (size_t)s->n + (size_t)n_joints;
    bool ok = TN_PUSH_EACH(arena, n, &s->offset, &s->compliance, &s->lower, &s->upper, &s->solution.lambda);
    s->start = TN_PUSH(arena, int, n + 1);
    s->joint = TN_PUSH(arena, int, n);
    s->contact = TN_PUSH(arena, int, s->n);
    s->block = TN_PUSH(arena, int, entries);
    s->jacobian = TN_PUSH(arena, double, 3 * entries);
    s->push = TN_PUSH(arena, double, 3 * (size_t)s->n);
    s->solution.v = TN_PUSH(arena, double, 3 * (size_t)p->A->n_rows);
    return ok && s->start && s->joint && s->contact && s->block && s->jacobian && s->push && s->solution.v;
}

static void fill_facet(facet_rows *s, const tn_problem *p, int m, int facet, int row)
{
    const tn_rows *c = p->rows;
    double *push = s->push + 3 * (size_t)row;
    tn_facets_ray(p, m, facet, push);
    int at = s->start[row];
    for (int e = c->start[m]; e < c->start[m + 1]; ++e, ++at) {
        s->block[at] = c->block[e];
        tn_mat3_tvec(s->jacobian + 3 * (size_t)at, c->jacobian + 9 * (size_t)e, push);
    }
    s->start[row + 1] = at;
    s->offset[row] = tn_vec3_dot(push, c->offset + 3 * (size_t)m);
    s->upper[row] = INFINITY;
    s->contact[row] = s->joint[row] = m;
}

static void copy_joints(facet_rows *s, const tn_problem *p, int row)
{
    const tn_rows singles = tn_rows_singles(p->rows), *j = &singles;
    for (int i = 0; i < tn_joint_row_count(p); ++i, ++row) {
        int n = j->start[i + 1] - j->start[i], at = s->start[row];
        memcpy(s->block + at, j->block + j->start[i], (size_t)n * sizeof *s->block);
        memcpy(s->jacobian + 3 * (size_t)at, j->jacobian + 3 * (size_t)j->start[i],
               3 * (size_t)n * sizeof *s->jacobian);
        s->start[row + 1] = at + n;
        s->offset[row] = j->offset[i];
        s->compliance[row] = j->compliance[i];
        s->lower[row] = j->lower[i];
        s->upper[row] = j->upper[i];
        s->joint[row] = p->rows->n_triples + (j->joint ? j->joint[i] : i);
    }
}

static void fill(facet_rows *s, const tn_problem *p)
{
    int row = 0;
    for (int m = 0; m < p->rows->n_triples; ++m) {
        for (int facet = 0; facet < count_of(p, m); ++facet) {
            fill_facet(s, p, m, facet, row++);
        }
    }
    copy_joints(s, p, row);
    s->rows = (tn_rows){.n_singles = s->n + tn_joint_row_count(p), .start = s->start, .block = s->block};
    s->rows.jacobian = s->jacobian;
    s->rows.offset = s->offset;
    s->rows.compliance = s->compliance;
    s->rows.lower = s->lower;
    s->rows.upper = s->upper;
    s->rows.joint = s->joint;
    s->problem = *p;
    s->problem.rows = &s->rows;
    s->problem.facets = 0;
}

tn_status tn_ipm_facets_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                              tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    facet_rows s = {.n = 0};
    if (!allocate(&s, problem, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'ipm'");
    }
    fill(&s, problem);
    tn_solve_options rows = *options;
    double natural = options->tolerance.natural > 0.0 ? options->tolerance.natural : 1e-8;
    double joint = options->tolerance.joint > 0.0 ? options->tolerance.joint : natural;
    rows.tolerance.joint = fmin(SHARPER * natural, joint);
    tn_status status = tn_ipm_joints_solve(&s.problem, &rows, arena, &s.solution, report, error);
    if (status != TN_OK) {
        return status;
    }
    memcpy(solution->v, s.solution.v, 3 * (size_t)problem->A->n_rows * sizeof *solution->v);
    memset(solution->lambda, 0, 3 * (size_t)problem->rows->n_triples * sizeof *solution->lambda);
    for (int i = 0; i < s.n; ++i) {
        double *lambda = solution->lambda + 3 * (size_t)s.contact[i];
        tn_vec3_madd(lambda, lambda, s.solution.lambda[i], s.push + 3 * (size_t)i);
    }
    double *singles = tn_single_forces(problem->rows, solution->lambda);
    for (int i = 0; i < tn_joint_row_count(problem); ++i) {
        singles[i] = s.solution.lambda[s.n + i];
    }
    report->converged = true; // the certificate's own figures decide: the rows' are sharper than demanded
    return TN_OK;
}

const char *tn_ipm_facets_refuses(const tn_problem *problem)
{
    if (problem->W) {
        return "a polyhedral cone in local form; lemke takes it";
    }
    if (problem->law == TN_LAW_COULOMB) {
        return "the strict law with a polyhedral cone is no convex program; lemke takes it, or set law: convex";
    }
    return problem->rows->softness ? "a polyhedral cone with Omega; no solver takes that" : NULL;
}
