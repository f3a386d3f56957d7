#include "solver/ipm/interior_joints.h"

#include "problem/rows.h"

#include <math.h>

static const double STIFFNESS = 1e7, STIFFEN = 10.0, STIFFEST = 1e9;
static const double SLOW = 0.5; // of the rows' error is left after a step

static bool is_fixed(const tn_rows *rows, int i)
{
    return rows->lower[i] == rows->upper[i];
}

static bool has_lower(const tn_rows *rows, int i)
{
    return !is_fixed(rows, i) && rows->lower[i] > -INFINITY;
}

static bool has_upper(const tn_rows *rows, int i)
{
    return !is_fixed(rows, i) && rows->upper[i] < INFINITY;
}

bool tn_interior_joints_create(tn_interior_joints *j, const tn_problem *problem, tn_arena *arena)
{
    *j = (tn_interior_joints){.n = tn_joint_row_count(problem)};
    if (j->n == 0) {
        return true;
    }
    j->rows = problem->rows;
    if (!TN_PUSH_EACH(arena, j->n, &j->p, &j->f, &j->s, &j->z, &j->t, &j->w, &j->off, &j->weight, &j->push, &j->df,
                      &j->dz, &j->dw, &j->a, &j->b)) {
        return false;
    }
    tn_singles_mass(j->rows, problem->A, j->p);
    for (int i = 0; i < j->n; ++i) {
        j->n_pairs += has_lower(j->rows, i) + has_upper(j->rows, i);
    }
    return true;
}

void tn_interior_joints_start(tn_interior_joints *j, double energy)
{
    const tn_rows *rows = j->rows;
    j->stiffness = STIFFNESS;
    j->error = HUGE_VAL;
    for (int i = 0; i < j->n; ++i) {
        double size = sqrt(energy * j->p[i]), width = 0.5 * (rows->upper[i] - rows->lower[i]);
        bool below = has_lower(rows, i), above = has_upper(rows, i);
        j->s[i] = below ? fmin(size, width) : 0.0;
        j->t[i] = above ? fmin(size, width) : 0.0;
        if (below && above) {
            j->s[i] = j->t[i] = width;
        }
        j->f[i] = below ? rows->lower[i] + j->s[i] : above ? rows->upper[i] - j->t[i] : 0.0;
        j->f[i] = is_fixed(rows, i) ? rows->lower[i] : j->f[i];
        j->z[i] = below ? energy / j->s[i] : 0.0;
        j->w[i] = above ? energy / j->t[i] : 0.0;
    }
}

double tn_interior_joints_gap(const tn_interior_joints *j)
{
    double sum = 0.0;
    for (int i = 0; i < j->n; ++i) {
        sum += j->s[i] * j->z[i] + j->t[i] * j->w[i];
    }
    return sum;
}

void tn_interior_joints_evaluate(tn_interior_joints *j, const double *v)
{
    double most = 0.0;
    for (int i = 0; i < j->n; ++i) {
        double y = tn_single_velocity(j->rows, i, v) + j->rows->compliance[i] * j->f[i];
        j->off[i] = y - j->z[i] + j->w[i];
        double off = is_fixed(j->rows, i) ? 0.0 : fabs(j->off[i]);
        most = off > most ? off : most;
    }
    if (most > SLOW * j->error && j->stiffness < STIFFEST) {
        j->stiffness *= STIFFEN;
    }
    j->error = most;
}

void tn_interior_joints_linearise(tn_interior_joints *j)
{
    for (int i = 0; i < j->n; ++i) {
        double give = j->rows->compliance[i] + 1.0 / (j->stiffness * j->p[i]);
        give += has_lower(j->rows, i) ? j->z[i] / j->s[i] : 0.0;
        give += has_upper(j->rows, i) ? j->w[i] / j->t[i] : 0.0;
        j->weight[i] = is_fixed(j->rows, i) ? 0.0 : 1.0 / give;
    }
}

void tn_interior_joints_aim(tn_interior_joints *j, double target, bool correct, double *right)
{
    for (int i = 0; i < j->n; ++i) {
        double second_s = correct ? j->df[i] * j->dz[i] : 0.0, second_t = correct ? -j->df[i] * j->dw[i] : 0.0;
        j->a[i] = has_lower(j->rows, i) ? (target - j->s[i] * j->z[i] - second_s) / j->s[i] : 0.0;
        j->b[i] = has_upper(j->rows, i) ? (target - j->t[i] * j->w[i] - second_t) / j->t[i] : 0.0;
        j->push[i] = j->a[i] - j->b[i] - j->off[i];
        tn_single_push(j->rows, i, j->weight[i] * j->push[i], right);
    }
}

void tn_interior_joints_follow(tn_interior_joints *j, const double *dv)
{
    for (int i = 0; i < j->n; ++i) {
        double dy = tn_single_velocity(j->rows, i, dv) - tn_rows_singles(j->rows).offset[i];
        j->df[i] = j->weight[i] * (j->push[i] - dy);
        j->dz[i] = has_lower(j->rows, i) ? j->a[i] - j->z[i] / j->s[i] * j->df[i] : 0.0;
        j->dw[i] = has_upper(j->rows, i) ? j->b[i] + j->w[i] / j->t[i] * j->df[i] : 0.0;
    }
}

static double reach_of(double x, double dx, double most)
{
    return dx < 0.0 ? fmin(most, -x / dx) : most;
}

double tn_interior_joints_reach(const tn_interior_joints *j, double most)
{
    for (int i = 0; i < j->n; ++i) {
        if (has_lower(j->rows, i)) {
            most = fmin(most, reach_of(j->s[i], j->df[i], most));
            most = fmin(most, reach_of(j->z[i], j->dz[i], most));
        }
        if (has_upper(j->rows, i)) {
            most = fmin(most, reach_of(j->t[i], -j->df[i], most));
            most = fmin(most, reach_of(j->w[i], j->dw[i], most));
        }
    }
    return most;
}

void tn_interior_joints_move(tn_interior_joints *j, double length)
{
    for (int i = 0; i < j->n; ++i) {
        double df = length * j->df[i];
        j->f[i] += df;
        if (has_lower(j->rows, i)) {
            j->s[i] += df;
            j->z[i] += length * j->dz[i];
        }
        if (has_upper(j->rows, i)) {
            j->t[i] -= df;
            j->w[i] += length * j->dw[i];
        }
    }
}
