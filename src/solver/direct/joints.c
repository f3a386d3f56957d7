#include "solver/direct/joints.h"

#include "math/blocks.h"
#include "math/node_cholesky.h"
#include "math/sums.h"
#include "problem/components.h"
#include "problem/rows.h"
#include "solver/joint_check.h"

#include <math.h>
#include <string.h>

enum { MAX_GUESSES = 12, MAX_ROUNDS = 40 };
// Dampers over effective masses; ten times stiffer where a round leaves more than SLOW of the rows' error.
static const double STIFFNESS = 3e7, STIFFEN = 10.0, STIFFEST = 1e10, SLOW = 0.1;
// Of both figures, whatever is demanded: one correction more than 1e-8 takes.
static const double AIM = 1e-12;
// A balance that is good enough where rounding, of large forces in rows that depend on one another, leaves no more.
static const double SMALL = 1e-9;
static const double LEAST_GAIN = 0.9; // of a round with the stiffest ones: else nothing more comes

typedef struct held {
    const tn_problem *problem;
    const tn_rows *rows;
    tn_node_cholesky *factor;
    tn_joint_check check;
    double *weight, *y; // (rows)
    int *side;          // (rows) 0: within the bounds; -1, 1: at the lower, upper one
    double *dv;         // (3 A->n_rows)
    double *v, *f;      // the result
    double off;         // joint figure of the last round
    double stiffness;
    int solves;
} held;

static bool create(held *s, const tn_components *components, tn_arena *arena)
{
    const tn_problem *p = s->problem;
    size_t n = (size_t)s->rows->n_singles, n_v = 3 * (size_t)p->A->n_rows;
    double **per_row[] = {&s->weight, &s->y, &s->f}, **per_v[] = {&s->dv, &s->v};
    s->side = TN_PUSH(arena, int, n);
    bool ok = s->side && tn_joint_check_create(&s->check, p, arena);
    for (int k = 0; k < 3; ++k) {
        ok = (*per_row[k] = TN_PUSH(arena, double, n)) && ok;
    }
    for (int k = 0; k < 2; ++k) {
        ok = (*per_v[k] = TN_PUSH(arena, double, n_v)) && ok;
    }
    if (ok) {
        s->factor = tn_node_cholesky_create_rows(p->A, components->n, components->of_block, s->rows, arena);
    }
    return s->factor != NULL;
}

static void guess_sides(held *s, const double *f)
{
    for (int i = 0; i < s->rows->n_singles; ++i) {
        s->side[i] = s->rows->lower[i] == s->rows->upper[i] || f[i] <= s->rows->lower[i] ? -1
                     : f[i] >= s->rows->upper[i]                                         ? 1
                                                                                         : 0;
    }
}

static bool factor(held *s)
{
    for (int i = 0; i < s->rows->n_singles; ++i) {
        double give = s->rows->compliance[i] + 1.0 / (s->stiffness * s->check.rho[i]);
        s->weight[i] = s->side[i] == 0 ? 1.0 / give : 0.0;
    }
    return tn_node_cholesky_factor_rows(s->factor, s->problem->A, s->rows, s->weight);
}

// What the next correction answers, into the check's residual: b - A v + G^T f, and within their bounds the rows'
// errors by their dampers.
static void fill_right(held *s, bool moved)
{
    const tn_rows *rows = s->rows;
    size_t n = 3 * (size_t)s->problem->A->n_rows;
    double *r = s->check.residual;
    if (moved) {
        tn_blocks_mul(s->problem->A, s->v, r);
        for (size_t i = 0; i < n; ++i) {
            r[i] = s->problem->b[i] - r[i];
        }
    } else {
        memcpy(r, s->problem->b, n * sizeof *r);
    }
    for (int i = 0; i < rows->n_singles; ++i) {
        double push = s->f[i] - (s->side[i] == 0 ? s->weight[i] * s->y[i] : 0.0);
        if (push != 0.0) {
            tn_single_push(rows, i, push, r);
        }
    }
}

// One correction of v and f; y follows. The joint figure of the rows within their bounds into off.
static void correct(held *s)
{
    const tn_rows *rows = s->rows;
    double most = 0.0, fastest = s->problem->velocity_scale;
    tn_node_cholesky_solve(s->factor, s->check.residual, s->dv);
    for (int i = 0; i < 3 * s->problem->A->n_rows; ++i) {
        s->v[i] += s->dv[i];
        double v = fabs(s->v[i]);
        fastest = v > fastest ? v : fastest;
    }
    for (int i = 0; i < rows->n_singles; ++i) {
        if (s->side[i] == 0) {
            double moved = s->y[i] + tn_single_velocity(rows, i, s->dv) - rows->offset[i];
            double df = -s->weight[i] * moved;
            s->f[i] += df;
            s->y[i] = moved + rows->compliance[i] * df;
            most = fabs(s->y[i]) > most ? fabs(s->y[i]) : most;
        }
    }
    s->off = most > 0.0 ? most / fastest : 0.0;
    ++s->solves;
}

// Whether the balance is as good as it gets: the aim, or where rows depend on one another and their large forces round,
// small and no longer halved by a round. *last: of the round before.
static bool is_balanced(held *s, double *last)
{
    const tn_solution now = {.v = s->v, .lambda = s->f};
    double momentum = tn_joint_check_momentum(&s->check, &now), before = *last;
    *last = momentum;
    return momentum <= AIM || (momentum <= SMALL && momentum > 0.5 * before);
}

// v and f of the present sides, from nothing.
static bool settle(held *s)
{
    double last = HUGE_VAL, momentum = HUGE_VAL;
    memset(s->v, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->v);
    for (int i = 0; i < s->rows->n_singles; ++i) {
        s->f[i] = s->side[i] < 0 ? s->rows->lower[i] : s->side[i] > 0 ? s->rows->upper[i] : 0.0;
        s->y[i] = s->rows->offset[i] + s->rows->compliance[i] * s->f[i];
    }
    for (int round = 0; round < MAX_ROUNDS; ++round) {
        fill_right(s, round > 0);
        correct(s);
        // Rows that depend on one another contradict one another by rounding, of positions over the step: no better.
        bool small = s->off <= AIM || (s->off <= SMALL && s->off > 0.5 * last);
        if (small && is_balanced(s, &momentum)) {
            return true;
        }
        if (!small && s->off > SLOW * last && s->stiffness < STIFFEST) {
            s->stiffness *= STIFFEN;
            if (!factor(s)) {
                return false;
            }
        } else if (!small && round > 3 && s->off > LEAST_GAIN * last) {
            return true;
        }
        last = s->off;
    }
    return true;
}

// Rows whose force has left its bounds or whose velocity pulls them off: to the other side. True: none.
static bool update_sides(held *s)
{
    bool same = true;
    for (int i = 0; i < s->rows->n_singles; ++i) {
        const double lower = s->rows->lower[i], upper = s->rows->upper[i];
        int side = s->side[i];
        if (lower == upper) {
            continue;
        }
        if (side == 0) {
            side = s->f[i] < lower ? -1 : s->f[i] > upper ? 1 : 0;
        } else {
            double y = tn_single_velocity(s->rows, i, s->v) + s->rows->compliance[i] * s->f[i];
            side = side * y > 0.0 ? 0 : side;
        }
        same = same && side == s->side[i];
        s->side[i] = side;
    }
    return same;
}

tn_status tn_direct_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                 tn_solution *solution, tn_solve_report *report, bool *done, tn_error *error)
{
    const tn_rows singles = tn_rows_singles(problem->rows);
    held s = {.problem = problem, .rows = &singles};
    tn_components components;
    *done = false;
    tn_status status = tn_components_of(problem, arena, &components);
    if (status != TN_OK) {
        return tn_error_set(error, status, "no memory for solver 'direct'");
    }
    if (components.largest > TN_COMPONENT_BLOCKS || components.n > TN_NODE_CHOLESKY_NODES ||
        !create(&s, &components, arena)) {
        return TN_OK;
    }
    double joint = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8;
    double *f = tn_single_forces(problem->rows, solution->lambda);
    guess_sides(&s, f);
    for (int guess = 0; guess < MAX_GUESSES && !*done; ++guess) {
        s.stiffness = STIFFNESS;
        if (!factor(&s) || !settle(&s)) {
            return TN_OK; // rounding: dampers far stiffer than the rest of a body
        }
        *done = update_sides(&s);
    }
    if (*done) {
        memcpy(solution->v, s.v, 3 * (size_t)problem->A->n_rows * sizeof *s.v);
        memcpy(f, s.f, (size_t)s.rows->n_singles * sizeof *s.f);
        report->iterations = s.solves;
        report->converged = tn_joint_check_rows(&s.check, s.v, s.f) <= joint;
    }
    return TN_OK;
}
