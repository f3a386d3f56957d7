#include "solver/multipliers.h"

#include "math/blocks.h"
#include "problem/joint_rows.h"

#include <math.h>
#include <string.h>

// Damper over effective mass. Rounding in a row's velocity returns in its force times this, so half of the digits.
static const double STIFFNESS = 1e5;
// Rounds: each divides the error by 1 + STIFFNESS times the least eigenvalue of the scaled G A^-1 G^T. Guesses of the
// rows at their bounds within a round.
enum { MAX_ROUNDS = 60, MAX_GUESSES = 40 };
// Of the tolerance; below it only rounding is left.
static const double AIM = 0.1, FLOOR = 1e-13;

typedef struct multipliers {
    const tn_problem *problem;
    const tn_joint_rows *joints;
    double *p;    // (n) dampers
    double *base; // (n) forces that the round starts from
    bool *inside; // (n) within the bounds: held by its damper
    tn_problem augmented;
    tn_blocks *A; // A'
    int *own;     // (blocks of A) where they are in A'
    int *pair;    // position in A' of each row's pairs of entries, row after row
    double *b;    // (3 n_rows)
} multipliers;

static int count_pairs(const tn_joint_rows *joints)
{
    int n = 0;
    for (int i = 0; i < joints->n; ++i) {
        int entries = joints->start[i + 1] - joints->start[i];
        n += entries * entries;
    }
    return n;
}

static int position(const tn_blocks *A, int row, int column)
{
    return (int)((tn_blocks_find(A, row, column) - A->value) / 9);
}

// A's pattern and the pairs of blocks that a row couples.
static bool create_matrix(multipliers *s, tn_arena *arena)
{
    const tn_blocks *A = s->problem->A;
    const tn_joint_rows *joints = s->joints;
    int n_own = A->start[A->n_rows], n_pairs = count_pairs(joints), n = 0;
    s->own = TN_PUSH_RAW(arena, int, n_own);
    s->pair = TN_PUSH_RAW(arena, int, n_pairs);
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, n_own + n_pairs);
    if (!s->own || !s->pair || !entries) {
        return false;
    }
    for (int i = 0; i < A->n_rows; ++i) {
        for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
            entries[n++] = (tn_blocks_entry){.row = i, .column = A->column[k]};
        }
    }
    for (int i = 0; i < joints->n; ++i) {
        for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
            for (int f = joints->start[i]; f < joints->start[i + 1]; ++f) {
                entries[n++] = (tn_blocks_entry){.row = joints->block[e], .column = joints->block[f]};
            }
        }
    }
    s->A = tn_blocks_from_entries(A->n_rows, A->n_cols, n, entries, arena);
    if (!s->A) {
        return false;
    }
    n = 0;
    for (int i = 0; i < A->n_rows; ++i) {
        for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
            s->own[n++] = position(s->A, i, A->column[k]);
        }
    }
    n = 0;
    for (int i = 0; i < joints->n; ++i) {
        for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
            for (int f = joints->start[i]; f < joints->start[i + 1]; ++f) {
                s->pair[n++] = position(s->A, joints->block[e], joints->block[f]);
            }
        }
    }
    return true;
}

static double weight(const multipliers *s, int i)
{
    return s->inside[i] ? s->p[i] / (1.0 + s->p[i] * s->joints->compliance[i]) : 0.0;
}

static void fill_matrix(multipliers *s)
{
    const tn_blocks *A = s->problem->A;
    const tn_joint_rows *joints = s->joints;
    memset(s->A->value, 0, 9 * (size_t)s->A->start[s->A->n_rows] * sizeof *s->A->value);
    for (int k = 0; k < A->start[A->n_rows]; ++k) {
        memcpy(&s->A->value[9 * (size_t)s->own[k]], &A->value[9 * (size_t)k], 9 * sizeof *A->value);
    }
    int n = 0;
    for (int i = 0; i < joints->n; ++i) {
        double w = weight(s, i);
        for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
            for (int f = joints->start[i]; f < joints->start[i + 1]; ++f, ++n) {
                double *to = &s->A->value[9 * (size_t)s->pair[n]];
                const double *ge = &joints->jacobian[3 * (size_t)e], *gf = &joints->jacobian[3 * (size_t)f];
                for (int k = 0; k < 9; ++k) {
                    to[k] += w * ge[k / 3] * gf[k % 3];
                }
            }
        }
    }
}

// b' from b, what the dampers hold and the forces at their bounds.
static void fill_right(multipliers *s, const double *f)
{
    const tn_joint_rows *joints = s->joints;
    memcpy(s->b, s->problem->b, 3 * (size_t)s->problem->A->n_rows * sizeof *s->b);
    for (int i = 0; i < joints->n; ++i) {
        double held = f[i];
        if (s->inside[i]) {
            held = s->base[i] / (1.0 + s->p[i] * joints->compliance[i]) - weight(s, i) * joints->offset[i];
        }
        tn_joint_row_push(joints, i, held, s->b);
    }
}

// Forces of the rows at v, and which of them are within their bounds; true: as before.
static bool update(multipliers *s, const double *v, double *f)
{
    const tn_joint_rows *joints = s->joints;
    bool same = true;
    for (int i = 0; i < joints->n; ++i) {
        double pushed =
            (s->base[i] - s->p[i] * tn_joint_row_velocity(joints, i, v)) / (1.0 + s->p[i] * joints->compliance[i]);
        bool inside = pushed >= joints->lower[i] && pushed <= joints->upper[i];
        f[i] = tn_joint_row_clamp(joints, i, pushed);
        same = same && inside == s->inside[i];
        s->inside[i] = inside;
    }
    return same;
}

// Largest |f - clamp(f - rho y)| / rho over the largest velocity, as the certificate has it.
static double error_of(const multipliers *s, const double *v, const double *f)
{
    const tn_joint_rows *joints = s->joints;
    double most = 0.0, fastest = s->problem->velocity_scale;
    for (int i = 0; i < joints->n; ++i) {
        double rho = s->p[i] / STIFFNESS;
        double y = tn_joint_row_velocity(joints, i, v) + joints->compliance[i] * f[i];
        double moved = f[i] - rho * y, clamped = tn_joint_row_clamp(joints, i, moved);
        most = fmax(most, clamped == moved ? fabs(y) : fabs(f[i] - clamped) / rho);
    }
    for (int i = 0; i < 3 * s->problem->A->n_rows; ++i) {
        fastest = fmax(fastest, fabs(v[i]));
    }
    return most > 0.0 ? most / fastest : 0.0;
}

static bool create(multipliers *s, const tn_problem *problem, const tn_solution *start, tn_arena *arena)
{
    *s = (multipliers){.problem = problem, .joints = problem->joints, .augmented = *problem};
    int n = s->joints->n;
    s->p = TN_PUSH_RAW(arena, double, n);
    s->base = TN_PUSH_RAW(arena, double, n);
    s->inside = TN_PUSH(arena, bool, n);
    s->b = TN_PUSH_RAW(arena, double, 3 * (size_t)problem->A->n_rows);
    if (!s->p || !s->base || !s->inside || !s->b || !create_matrix(s, arena)) {
        return false;
    }
    tn_joint_rows_mass(s->joints, problem->A, s->p);
    for (int i = 0; i < n; ++i) {
        s->p[i] *= STIFFNESS;
        s->base[i] = tn_joint_row_clamp(s->joints, i, start->joint[i]);
    }
    s->augmented.joints = NULL;
    s->augmented.A = s->A;
    s->augmented.b = s->b;
    s->augmented.layout = NULL; // of A's pattern
    s->augmented.known_v = s->augmented.known_product = NULL;
    return true;
}

// Inner solves until the rows at their bounds are the ones that the solve was made with.
static tn_status settle(multipliers *s, const tn_multipliers_inner *inner, bool *changed, tn_solution *solution,
                        tn_solve_report *report, tn_error *error)
{
    for (int guess = 0; guess < MAX_GUESSES; ++guess) {
        int before = report->iterations;
        if (*changed) {
            fill_matrix(s);
        }
        fill_right(s, solution->joint);
        tn_solution part = {.v = solution->v, .lambda = solution->lambda};
        tn_status status = inner->solve(inner->user, &s->augmented, *changed, &part, report, error);
        report->iterations += before;
        if (status != TN_OK) {
            return status;
        }
        *changed = !update(s, solution->v, solution->joint);
        if (!*changed) {
            return TN_OK;
        }
    }
    return TN_OK; // rows that go to and fro: the next round's forces may settle them
}

tn_status tn_multipliers_run(const tn_multipliers_inner *inner, const tn_problem *problem,
                             const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                             tn_solve_report *report, tn_error *error)
{
    multipliers s;
    if (!create(&s, problem, solution, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d joint rows", problem->joints->n);
    }
    double demanded = options->tolerance.joint > 0.0 ? options->tolerance.joint : 1e-8, last = INFINITY;
    double aim = fmax(AIM * demanded, FLOOR);
    bool changed = true;
    update(&s, solution->v, solution->joint);
    for (int round = 0; round < MAX_ROUNDS; ++round) {
        tn_status status = settle(&s, inner, &changed, solution, report, error);
        if (status != TN_OK) {
            return status;
        }
        double off = error_of(&s, solution->v, solution->joint);
        memcpy(s.base, solution->joint, (size_t)s.joints->n * sizeof *s.base);
        if (!changed && (off <= aim || (off <= demanded && off > 0.5 * last))) {
            return TN_OK;
        }
        last = off;
    }
    report->converged = report->converged && last <= demanded;
    return TN_OK;
}

// ---- round a solver of the table

typedef struct plain {
    const tn_solver *solver;
    const tn_solve_options *options;
    tn_arena *arena;
} plain;

static tn_status solve_plain(void *user, const tn_problem *augmented, bool changed, tn_solution *solution,
                             tn_solve_report *report, tn_error *error)
{
    (void)changed;
    const plain *p = user;
    tn_arena_mark mark = tn_arena_get_mark(p->arena);
    tn_status status = p->solver->solve(augmented, p->options, p->arena, solution, report, error);
    tn_arena_release(p->arena, mark);
    return status;
}

tn_status tn_multipliers_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                               tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    plain user = {solver, options, arena};
    const tn_multipliers_inner inner = {.user = &user, .solve = solve_plain};
    return tn_multipliers_run(&inner, problem, options, arena, solution, report, error);
}
