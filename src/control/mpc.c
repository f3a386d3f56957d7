// Receding horizon of a scene's section `mpc`: the problem is made anew where the number of contacts changes; the plan
// before is where the next solve begins.
#include "tenon/mpc.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/timer.h"
#include "control/lcs.h"
#include "control/mechanics.h"
#include "math/dense.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RICCATI_ROUNDS = 10000 };
static const double RICCATI_DONE = 1e-12; // change of the cost, relative

struct tn_mpc {
    const tn_model *model;
    const tn_scene_mpc *said;
    tn_arena *keep;
    tn_lcs_source *source;
    tn_lcs lcs;
    tn_plan_problem problem;
    tn_planner *planner;
    tn_plan plan;
    bool solved, found; // the plan is one
    int age;            // solves since u was planned
    uint64_t n_solves;
    int n_planned;
    double *planned; // (horizon, n_u) inputs of the last plan that was found
    double *x;       // (n_x)
    tn_lcs_row *row; // (n_c of the plan)
    tn_input input;
    double *effort, *target, *wrench;
    bool (*stop)(void *user); // NULL: nothing ends a solve early
    void *user;               // of it
    tn_state *ahead;          // a copy at a step of the plan; NULL before it is asked for
};

// ---- made

static tn_status make_source(tn_mpc *mpc, tn_error *error)
{
    const tn_scene_mpc *said = mpc->said;
    tn_lcs_options o = tn_lcs_options_default();
    o.n_coordinates = said->n_coordinates;
    o.coordinates = said->coordinates;
    o.n_inputs = said->n_inputs;
    o.inputs = said->inputs;
    o.step = said->step;
    o.margin = said->margin;
    o.facets = said->facets;
    o.points = said->points;
    o.level = (tn_lcs_level)said->level;
    o.friction = isnan(said->friction) ? -1.0 : said->friction;
    o.resistance = said->resistance;
    mpc->source = tn_lcs_source_create(mpc->model, &o, error);
    if (!mpc->source && error && !error->file[0] && said->place_said.file) {
        char text[sizeof error->message];
        snprintf(text, sizeof text, "%s", error->message);
        return tn_error_at(error, said->place_said.file, said->place_said.line, said->place_said.column, "mpc: %.900s",
                           text);
    }
    for (int k = 0; mpc->source && k < said->n_inputs; k++) {
        tn_lcs_input is = tn_lcs_source_input(mpc->source, k);
        if (is.rate < 0 && mpc->model->bodies[is.body].planar) {
            return tn_error_set(error, TN_BAD_INPUT, "mpc: input '%s' of a body in a plane: take its .fx, .fz or .ty",
                                said->inputs[k]);
        }
    }
    return mpc->source ? TN_OK : TN_BAD_INPUT;
}

static tn_status make_arrays(tn_mpc *mpc, tn_error *error)
{
    const tn_scene_mpc *said = mpc->said;
    const tn_model *model = mpc->model;
    mpc->x = TN_PUSH(mpc->keep, double, 2 * (size_t)said->n_coordinates);
    mpc->planned = TN_PUSH(mpc->keep, double, (size_t)said->horizon *(size_t)said->n_inputs);
    mpc->effort = TN_PUSH(mpc->keep, double, model->n_joint_coordinates);
    mpc->target = TN_PUSH(mpc->keep, double, model->n_joint_coordinates);
    mpc->wrench = TN_PUSH(mpc->keep, double, 6 * (size_t)model->n_bodies);
    return mpc->x && mpc->planned && mpc->effort && mpc->target && mpc->wrench
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for a controller");
}

tn_mpc *tn_mpc_create(const tn_model *model, tn_error *error)
{
    if (!model || !model->scene->mpc) {
        tn_error_set(error, TN_BAD_INPUT, model ? "the scene has no section 'mpc'" : "there is no model");
        return NULL;
    }
    tn_mpc *mpc = tn_calloc(1, sizeof *mpc);
    if (!mpc) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a controller");
        return NULL;
    }
    *mpc = (tn_mpc){.model = model, .said = model->scene->mpc, .keep = tn_arena_create(0)};
    tn_status status = mpc->keep ? make_source(mpc, error) : tn_error_set(error, TN_NO_MEMORY, "no memory");
    status = status == TN_OK ? make_arrays(mpc, error) : status;
    if (status != TN_OK) {
        tn_mpc_destroy(mpc);
        return NULL;
    }
    return mpc;
}

static void forget_problem(tn_mpc *mpc)
{
    tn_plan_destroy(&mpc->plan);
    tn_planner_destroy(mpc->planner);
    tn_plan_problem_destroy(&mpc->problem);
    tn_free(mpc->row);
    mpc->row = NULL;
    mpc->planner = NULL;
    mpc->solved = mpc->found = false;
}

void tn_mpc_destroy(tn_mpc *mpc)
{
    if (mpc) {
        forget_problem(mpc);
        tn_lcs_destroy(&mpc->lcs);
        tn_lcs_source_destroy(mpc->source);
        tn_state_destroy(mpc->ahead);
        tn_arena_destroy(mpc->keep);
        tn_free(mpc);
    }
}

// ---- the problem

// One round of Riccati's equation, P to Q + A^T P (A - B K), K = (R + B^T P B)^-1 B^T P A; returns its change.
static double riccati_round(const tn_plan_problem *p, double *P, double *room)
{
    int n = p->lcs.n_x, m = p->lcs.n_u;
    double *PA = room, *BPA = PA + n * n, *S = BPA + n * m, *next = S + m * m, *column = next + n * n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            PA[i * n + j] = 0.0;
            for (int k = 0; k < n; k++) {
                PA[i * n + j] += P[i * n + k] * p->lcs.A[k * n + j];
            }
        }
    }
    for (int a = 0; a < m; a++) {
        for (int j = 0; j < n; j++) {
            BPA[j * m + a] = 0.0; // by columns: each is solved for
            for (int k = 0; k < n; k++) {
                BPA[j * m + a] += p->lcs.B[k * m + a] * PA[k * n + j];
            }
        }
        for (int b = 0; b < m; b++) {
            S[a * m + b] = p->R[a * m + b];
            for (int k = 0; k < n * n; k++) {
                S[a * m + b] += p->lcs.B[k / n * m + a] * P[k] * p->lcs.B[k % n * m + b];
            }
        }
    }
    if (!tn_dense_cholesky(m, S)) {
        return NAN;
    }
    double change = 0.0, most = 0.0;
    for (int j = 0; j < n; j++) {
        memcpy(column, BPA + j * m, (size_t)m * sizeof *column);
        tn_dense_cholesky_solve(m, S, column);
        for (int i = 0; i < n; i++) {
            double value = p->Q[i * n + j];
            for (int k = 0; k < n; k++) {
                value += p->lcs.A[k * n + i] * PA[k * n + j];
            }
            for (int a = 0; a < m; a++) {
                value -= BPA[i * m + a] * column[a];
            }
            next[i * n + j] = value;
        }
    }
    for (int i = 0; i < n * n; i++) {
        double value = 0.5 * (next[i] + next[i % n * n + i / n]);
        change = fmax(change, fabs(value - P[i]));
        most = fmax(most, fabs(value));
        P[i] = value;
    }
    return change / most;
}

static tn_status find_terminal(tn_plan_problem *p, tn_error *error)
{
    size_t n = (size_t)p->lcs.n_x, m = (size_t)p->lcs.n_u;
    double *room = tn_calloc(2 * n * n + n * m + m * m + m + 1, sizeof *room), change = 1.0;
    if (!room) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a regulator");
    }
    memcpy(p->Qf, p->Q, n * n * sizeof *room);
    for (int k = 0; k < RICCATI_ROUNDS && change > RICCATI_DONE; k++) {
        change = riccati_round(p, p->Qf, room);
    }
    tn_free(room);
    return change < 1e-6 ? TN_OK
                         : tn_error_set(error, TN_BAD_INPUT,
                                        "mpc: 'terminal: riccati', but inputs do not reach all coordinates without "
                                        "contact: no regulator has a finite cost");
}

static void put_bounds(const double *said, double *to, int n)
{
    if (said) {
        memcpy(to, said, (size_t)n * sizeof *to);
    }
}

static void put_weights(const tn_scene_mpc *said, tn_plan_problem *p)
{
    int n = said->n_coordinates, n_x = 2 * n;
    for (int i = 0; i < n; i++) {
        p->Q[i * n_x + i] = said->place[i];
        p->Q[(n + i) * n_x + n + i] = said->rate[i];
        p->Qf[i * n_x + i] = said->final_place ? said->final_place[i] : said->place[i];
        p->Qf[(n + i) * n_x + n + i] = said->final_rate ? said->final_rate[i] : said->rate[i];
        for (int k = 0; k <= p->horizon; k++) {
            p->x_ref[k * n_x + i] = said->goal[i];
        }
    }
    for (int i = 0; i < said->n_inputs; i++) {
        p->R[i * said->n_inputs + i] = said->input[i];
    }
    put_bounds(said->place_low, p->X.low, n);
    put_bounds(said->place_high, p->X.high, n);
    put_bounds(said->rate_low, p->X.low + n, n);
    put_bounds(said->rate_high, p->X.high + n, n);
    put_bounds(said->input_low, p->U.low, said->n_inputs);
    put_bounds(said->input_high, p->U.high, said->n_inputs);
}

static tn_status make_problem(tn_mpc *mpc, tn_error *error)
{
    const tn_lcs *lcs = &mpc->lcs;
    bool same = mpc->planner && mpc->problem.lcs.n_c == lcs->n_c &&
                tn_lcs_has_guards(&mpc->problem.lcs) == tn_lcs_has_guards(lcs);
    tn_status status = TN_OK;
    if (!same) {
        forget_problem(mpc);
        status = tn_plan_problem_create(lcs->n_x, lcs->n_u, lcs->n_c, mpc->said->horizon, 0, 0, &mpc->problem, error);
        mpc->row = tn_calloc((size_t)lcs->n_c + 1, sizeof *mpc->row);
        status = status == TN_OK && !mpc->row ? tn_error_set(error, TN_NO_MEMORY, "no memory for rows") : status;
    }
    if (status != TN_OK) {
        return status;
    }
    memcpy(mpc->problem.lcs.A, lcs->A, tn_lcs_numbers(lcs) * sizeof *lcs->A);
    mpc->problem.lcs.step = lcs->step;
    if (!same) {
        put_weights(mpc->said, &mpc->problem);
        status = mpc->said->riccati ? find_terminal(&mpc->problem, error) : TN_OK;
        status = status == TN_OK ? tn_plan_create(&mpc->problem, &mpc->plan, error) : status;
        mpc->planner = status == TN_OK ? tn_planner_create(&mpc->problem, error) : NULL;
        status = status == TN_OK && !mpc->planner ? TN_NO_MEMORY : status;
    }
    for (int i = 0; status == TN_OK && i < lcs->n_c; i++) {
        status = tn_lcs_source_row(mpc->source, i, &mpc->row[i], error);
    }
    memcpy(mpc->problem.x0, mpc->x, (size_t)lcs->n_x * sizeof *mpc->x);
    return status;
}

void tn_mpc_set_stop(tn_mpc *mpc, bool (*stop)(void *user), void *user)
{
    if (mpc) {
        mpc->stop = stop;
        mpc->user = user;
    }
}

tn_status tn_mpc_solve(tn_mpc *mpc, const tn_state *state, tn_error *error)
{
    if (!mpc || !state) {
        return tn_error_set(error, TN_BAD_INPUT, "no controller, or no state");
    }
    double begun = tn_timer_now();
    tn_status status = tn_lcs_source_read(mpc->source, state, mpc->x, error);
    status = status == TN_OK ? tn_lcs_source_linearize(mpc->source, state, NULL, &mpc->lcs, error) : status;
    status = status == TN_OK ? make_problem(mpc, error) : status;
    if (status != TN_OK) {
        return status;
    }
    tn_plan_options o = tn_plan_options_default();
    double spent = tn_timer_now() - begun;
    o.method = (tn_plan_method)mpc->said->method;
    o.time_budget = mpc->said->budget > 0.0 ? fmax(mpc->said->budget - spent, 1e-6) : 0.0;
    o.node_budget = mpc->said->nodes;
    o.n_threads = mpc->said->threads;
    o.motions = mpc->said->motions;
    o.seed = mpc->n_solves++; // others each time, so that a controller that stands finds a way in the end
    o.warm_start = mpc->found;
    o.stop = mpc->stop;
    o.user = mpc->user;
    status = tn_planner_solve(mpc->planner, &mpc->problem, &o, &mpc->plan, error);
    if (status != TN_OK) {
        return status;
    }
    mpc->plan.seconds = tn_timer_now() - begun;
    mpc->solved = true;
    mpc->found = isfinite(mpc->plan.cost);
    mpc->age = mpc->found ? 0 : mpc->age + 1;
    if (mpc->found) {
        mpc->n_planned = mpc->plan.horizon;
        memcpy(mpc->planned, mpc->plan.u, (size_t)mpc->plan.horizon * (size_t)mpc->plan.n_u * sizeof(double));
    }
    return TN_OK;
}

tn_status tn_mpc_hold(tn_mpc *mpc, const double *u, tn_error *error)
{
    if (!mpc || !u) {
        return tn_error_set(error, TN_BAD_INPUT, "no controller, or no inputs");
    }
    for (int k = 0; k < mpc->said->n_inputs; k++) {
        if (!isfinite(u[k])) {
            return tn_error_set(error, TN_BAD_INPUT, "u[%d] is not finite", k);
        }
    }
    memcpy(mpc->planned, u, (size_t)mpc->said->n_inputs * sizeof *u);
    mpc->n_planned = 1;
    mpc->age = 0;
    return TN_OK;
}

bool tn_mpc_state(tn_mpc *mpc, const tn_state *state, double *x)
{
    return mpc && tn_lcs_source_read(mpc->source, state, x, NULL) == TN_OK;
}

tn_status tn_mpc_poses(tn_mpc *mpc, const tn_state *state, int step, double *poses, tn_error *error)
{
    if (!mpc || !state || !poses || !mpc->solved || !mpc->found || step < 0 || step > mpc->plan.horizon) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no plan that has bodies somewhere after %d steps", step);
    }
    mpc->ahead = mpc->ahead ? mpc->ahead : tn_state_create(mpc->model, error);
    tn_status status = mpc->ahead ? tn_state_copy(mpc->ahead, state, error) : TN_NO_MEMORY;
    const double *x = mpc->plan.x + (size_t)step * (size_t)mpc->plan.n_x;
    status = status == TN_OK ? tn_lcs_source_write(mpc->source, x, mpc->ahead, error) : status;
    for (int b = 0; status == TN_OK && b < mpc->model->n_bodies; b++) {
        tn_state_body_pose(mpc->ahead, b, poses + 7 * (size_t)b, poses + 7 * (size_t)b + 3);
    }
    return status;
}

void tn_mpc_get_info(const tn_mpc *mpc, tn_mpc_info *out)
{
    if (mpc && out) {
        const tn_scene_mpc *said = mpc->said;
        *out = (tn_mpc_info){.step = said->step,
                             .budget = said->budget,
                             .n_coordinates = said->n_coordinates,
                             .n_inputs = said->n_inputs,
                             .coordinates = said->coordinates,
                             .inputs = said->inputs,
                             .goal = said->goal};
    }
}

const tn_plan *tn_mpc_plan(const tn_mpc *mpc)
{
    return mpc && mpc->solved ? &mpc->plan : NULL;
}

const tn_lcs_row *tn_mpc_rows(const tn_mpc *mpc)
{
    return mpc && mpc->solved ? mpc->row : NULL;
}

// ---- what acts

static void add_push(const tn_mpc *mpc, const tn_state *state)
{
    const tn_scene_mpc *said = mpc->said;
    double h = mpc->model->settings.step;
    long every = lround(said->push_every / h), step = lround(tn_state_time(state) / h);
    if (said->push_body < 0 || every < 1 || step == 0 || step % every != 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        double push = tn_random_normal(mpc->model->settings.seed, 0x6d7063u + (uint64_t)k, (uint64_t)(step / every));
        mpc->wrench[6 * (said->push_body + 1) + k] += said->push_impulse[k] * push / h;
    }
}

const tn_input *tn_mpc_input(tn_mpc *mpc, const tn_state *state)
{
    if (!mpc || !state) {
        return NULL;
    }
    const tn_model *model = mpc->model;
    memset(mpc->wrench, 0, 6 * (size_t)model->n_bodies * sizeof *mpc->wrench);
    memset(mpc->effort, 0, (size_t)model->n_joint_coordinates * sizeof *mpc->effort);
    for (int i = 0; i < model->n_joint_coordinates; i++) {
        mpc->target[i] = NAN;
    }
    for (int k = 0; mpc->age < mpc->n_planned && k < mpc->said->n_inputs; k++) {
        tn_lcs_input is = tn_lcs_source_input(mpc->source, k);
        double u = mpc->planned[mpc->age * mpc->said->n_inputs + k];
        if (is.rate < 0) {
            mpc->wrench[6 * is.body + is.which] += u;
        } else if (is.servo) {
            mpc->target[is.rate] = u;
        } else {
            mpc->effort[is.rate] += u;
        }
    }
    add_push(mpc, state);
    mpc->input = (tn_input){.wrench = mpc->wrench, .effort = mpc->effort, .target = mpc->target};
    return &mpc->input;
}
