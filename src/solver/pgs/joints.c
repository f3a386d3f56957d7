#include "solver/pgs/joints.h"

#include "base/timer.h"
#include "kernels/mixer/mixer.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/pace.h"
#include "solver/pgs/joint_sweep.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 5 };

typedef struct swept {
    tn_joint_sweep sweep;
    tn_check check;
    tn_single_check single_check;
    tn_tolerance tolerance;
    int n;              // numbers of all forces
    double rows;        // figure of the joint rows
    double *unit;       // (n) sqrt(rho): forces over it are of one kind
    double *before, *x; // (n) scaled forces at the start of a block and at its end
    double *best;       // (n) unscaled
    double *u;          // (contacts, 3)
    tn_mixer mixer;
} swept;

static void get(const swept *s, double *x, bool scaled)
{
    int n = 3 * s->sweep.problem->rows->n_triples;
    for (int i = 0; i < s->n; ++i) {
        double force = i < n ? s->sweep.lambda[i] : s->sweep.f[i - n];
        x[i] = scaled ? force / s->unit[i] : force;
    }
}

// Forces from x, within their cones and bounds; v follows.
static void set(swept *s, const double *x, bool scaled)
{
    const tn_problem *p = s->sweep.problem;
    const tn_rows *c = p->rows;
    int n = 3 * c->n_triples;
    for (int i = 0; i < s->n; ++i) {
        double force = scaled ? x[i] * s->unit[i] : x[i];
        if (i < n) {
            s->sweep.lambda[i] = force;
        } else {
            s->sweep.f[i - n] = tn_single_clamp(p->rows, i - n, force);
        }
    }
    for (int m = 0; m < c->n_triples; ++m) {
        tn_bound bound = tn_problem_bound(p, m, s->sweep.lambda);
        tn_set_project(&bound, s->sweep.lambda + 3 * (size_t)m);
    }
    tn_joint_sweep_refresh(&s->sweep);
}

static double judge(swept *s)
{
    const tn_problem *p = s->sweep.problem;
    double score = 0.0;
    tn_problem_velocity(p, s->sweep.v, s->sweep.lambda, s->u);
    if (p->rows->n_triples > 0) {
        score = tn_check_score(&s->check, s->sweep.lambda, s->u);
    }
    s->rows = tn_single_check_rows(&s->single_check, s->sweep.v, s->sweep.f);
    return tn_problem_stopped(p) ? 0.0 : isnan(s->rows) ? HUGE_VAL : fmax(score, s->rows / (0.9 * s->tolerance.joint));
}

static tn_status create(swept *s, const tn_problem *p, const tn_solve_options *options, const tn_solution *start,
                        tn_arena *arena, tn_error *error)
{
    *s = (swept){.tolerance = options->tolerance, .n = 3 * p->rows->n_triples + p->rows->n_singles};
    s->tolerance.joint = s->tolerance.joint > 0.0 ? s->tolerance.joint : 1e-8;
    tn_status status = tn_joint_sweep_create(&s->sweep, p, start, arena, error);
    if (status != TN_OK) {
        return status;
    }
    bool ok = tn_check_create(&s->check, p, s->sweep.delassus.q, &s->tolerance, arena) &&
              tn_single_check_create(&s->single_check, p, arena) &&
              TN_PUSH_EACH(arena, tn_mixer_room(s->n), &s->unit, &s->before, &s->x, &s->best) &&
              TN_PUSH_EACH(arena, 3 * (size_t)p->rows->n_triples, &s->u);
    tn_mixer_options mixing = {.n = tn_mixer_room(s->n), .depth = s->n < DEPTH ? s->n : DEPTH, .doubles = true};
    if (!ok || !tn_mixer_create(&s->mixer, &mixing, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'pgs'");
    }
    for (int i = 0; i < s->n; ++i) {
        int m = i / 3;
        s->unit[i] = sqrt(m < p->rows->n_triples ? s->check.rho[m] : s->single_check.rho[i - 3 * p->rows->n_triples]);
    }
    return TN_OK;
}

static void iterate(swept *s, tn_gauss_seidel_run *run)
{
    run->score = judge(s);
    get(s, s->best, false);
    get(s, s->before, true);
    tn_pace pace = tn_pace_start(run->score);
    tn_pace_next next = TN_PACE_PLAIN;
    for (run->sweeps = 0; run->score > 1.0 && run->sweeps < run->max_sweeps && next != TN_PACE_STOP;) {
        for (int k = 0; k < TN_PACE_BLOCK; ++k) {
            tn_joint_sweep_once(&s->sweep);
        }
        run->sweeps += TN_PACE_BLOCK;
        tn_joint_sweep_refresh(&s->sweep);
        double score = judge(s);
        if (score < run->score) {
            run->score = score;
            get(s, s->best, false);
        }
        run->apart = run->sweeps == run->joint_sweeps && s->rows > run->joint;
        next = run->apart ? TN_PACE_STOP : tn_pace_go_on(&pace, run);
        if (next == TN_PACE_MIX) {
            get(s, s->x, true);
            tn_mixer_advance(&s->mixer, s->before, s->x);
            if (s->mixer.count > 0) {
                set(s, s->x, true);
            }
            continue;
        }
        if (next == TN_PACE_CLEAR) {
            tn_mixer_clear(&s->mixer);
        }
        get(s, s->before, true);
    }
    set(s, s->best, false);
}

tn_status tn_pgs_joints_run(const tn_problem *problem, const tn_solve_options *options, tn_gauss_seidel_run *run,
                            tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    swept s;
    double start = tn_timer_now();
    tn_status status = create(&s, problem, options, solution, arena, error);
    if (status != TN_OK) {
        return status;
    }
    report->setup_s = tn_timer_now() - start;
    iterate(&s, run);
    memcpy(solution->v, s.sweep.v, 3 * (size_t)problem->A->n_rows * sizeof *s.sweep.v);
    memcpy(solution->lambda, s.sweep.lambda, 3 * (size_t)problem->rows->n_triples * sizeof *s.sweep.lambda);
    memcpy(tn_single_forces(problem->rows, solution->lambda), s.sweep.f,
           (size_t)problem->rows->n_singles * sizeof *s.sweep.f);
    report->iterations = run->sweeps;
    report->converged = run->score <= 1.0;
    return TN_OK;
}
