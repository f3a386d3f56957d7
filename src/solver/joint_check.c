#include "solver/joint_check.h"

#include "math/blocks.h"
#include "math/sums.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>

bool tn_joint_check_create(tn_joint_check *check, const tn_problem *problem, tn_arena *arena)
{
    size_t n_v = 3 * (size_t)problem->A->n_rows;
    double *rho = TN_PUSH(arena, double, tn_joint_row_count(problem));
    *check = (tn_joint_check){.problem = problem, .rho = rho, .residual = TN_PUSH(arena, double, n_v)};
    if (!rho || !check->residual) {
        return false;
    }
    if (problem->rows->n_singles > 0) {
        tn_singles_mass(problem->rows, problem->A, rho);
    }
    check->b_norm = fmax(sqrt(tn_dot(n_v, problem->b, problem->b)), problem->force_scale);
    return true;
}

double tn_joint_check_momentum(tn_joint_check *check, const tn_solution *s)
{
    const tn_problem *p = check->problem;
    const double *f = tn_single_forces(p->rows, s->lambda);
    size_t n_v = 3 * (size_t)p->A->n_rows;
    double *r = check->residual;
    tn_blocks_mul(p->A, s->v, r);
    for (size_t i = 0; i < n_v; ++i) {
        r[i] = p->b[i] - r[i];
    }
    tn_problem_add_contact_force(p, s->lambda, r);
    if (p->rows->n_singles > 0) {
        tn_singles_add_force(p->rows, f, r);
    }
    double norm = sqrt(tn_dot(n_v, r, r));
    double scale = fmax(check->b_norm, tn_singles_driven(p->rows, f));
    return norm > 0.0 && scale > 0.0 ? norm / scale : norm;
}

double tn_joint_check_rows(const tn_joint_check *check, const double *v, const double *f)
{
    const tn_problem *p = check->problem;
    const tn_rows singles = tn_rows_singles(p->rows), *rows = &singles;
    double most = 0.0, fastest = p->velocity_scale;
    for (int i = 0; i < tn_joint_row_count(p); ++i) {
        double y = tn_single_velocity(rows, i, v) + rows->compliance[i] * f[i];
        double moved = f[i] - check->rho[i] * y, clamped = tn_single_clamp(rows, i, moved);
        most = fmax(most, clamped == moved ? fabs(y) : fabs(f[i] - clamped) / check->rho[i]);
        fastest = fmax(fastest, tn_single_driven(rows, i, f[i]) / check->rho[i]);
    }
    for (int i = 0; i < 3 * p->A->n_rows; ++i) {
        fastest = fmax(fastest, fabs(v[i]));
    }
    return most > 0.0 ? most / fastest : 0.0;
}
