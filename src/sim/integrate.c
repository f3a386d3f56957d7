// From v^ to the poses and velocities at the step's end.
#include "base/team.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/rigid.h"
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// fmax prefers a number to a NaN.
void tn_sim_merge_certificates(tn_certificate *a, const tn_certificate *b)
{
    a->momentum = fmax(a->momentum, b->momentum);
    a->signorini_primal = fmax(a->signorini_primal, b->signorini_primal);
    a->signorini_dual = fmax(a->signorini_dual, b->signorini_dual);
    a->complementarity = fmax(a->complementarity, b->complementarity);
    a->cone = fmax(a->cone, b->cone);
    a->dissipation = fmax(a->dissipation, b->dissipation);
    a->natural = fmax(a->natural, b->natural);
    a->joint = fmax(a->joint, b->joint);
    a->fclib = fmax(a->fclib, b->fclib);
    a->strict_natural = fmax(a->strict_natural, b->strict_natural);
    a->strict_complementarity = fmax(a->strict_complementarity, b->strict_complementarity);
    a->penetration = fmax(a->penetration, b->penetration);
    a->drift = fmax(a->drift, b->drift);
}

void tn_sim_merge_reports(tn_solve_report *step, const tn_solve_report *impact)
{
    tn_sim_merge_certificates(&step->certificate, &impact->certificate);
    step->iterations += impact->iterations;
    step->converged = step->converged && impact->converged;
    step->theta = fmax(step->theta, impact->theta);
}

// force and push of the impact's contacts and joint rows; all else zero.
static tn_status set_force(const tn_step_setup *setup, const tn_step_equations *eq, tn_step_next *next,
                           const tn_impact *impact, const double *pushed, tn_error *error)
{
    double *push = TN_PUSH(setup->arena, double, 3 * (size_t)setup->model->n_blocks);
    double *force = TN_PUSH(setup->arena, double, 3 * (size_t)eq->rows.contacts.n_triples);
    if (!push || !force) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * setup->model->n_blocks);
    }
    for (int k = 0; k < impact->rows.n_triples; k++) {
        tn_vec3_copy(force + 3 * impact->source[k], impact->solution.lambda + 3 * k);
    }
    for (int i = 0; pushed && i < impact->problem.A->n_rows; i++) {
        tn_vec3_copy(push + 3 * (size_t)impact->block[i], pushed + 3 * (size_t)i);
    }
    next->push = push;
    next->force = force;
    next->joint_rest = tn_single_forces(&impact->rows, impact->solution.lambda);
    return TN_OK;
}

// All constraints are due, contacts as finely as in the first solve. False: no memory.
static bool aim(const tn_step_setup *setup, const tn_step_solving *solving, const tn_impact *impact, tn_aims *aims)
{
    int n = impact->coupled_rows.n_triples, n_all = n + impact->coupled_rows.n_singles;
    bool ok = tn_sim_aims_create(setup, n_all, aims);
    aims->free = true;
    for (int i = 0; ok && i < n_all; i++) {
        aims->due[i] = true;
        aims->part[i] = i < n ? solving->control.aims.part[impact->source[i]] : 1.0;
    }
    return ok;
}

// The impact's coupled contacts, then the certificate of all, with products.
static tn_status run_impact_once(const tn_step_setup *setup, tn_step_solving *solving, const tn_sim_part *part,
                                 tn_impact *impact, const tn_sim_products *products, tn_solve_report *second,
                                 tn_step_report *report, tn_error *error)
{
    tn_aims aims;
    const tn_sim_posed coupled = {&impact->coupled, &impact->coupled_solution, &aims, part, NULL};
    const tn_sim_posed all = {&impact->problem, &impact->solution, NULL, part, NULL};
    if (!aim(setup, solving, impact, &aims)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the aims of %d contacts", impact->rows.n_triples);
    }
    tn_status status = tn_sim_run_solver(setup, solving, &coupled, second, report, error);
    if (status != TN_OK && status != TN_NUMERICS) { // whose forces may grow without end
        return status;
    }
    tn_impact_finish(impact);
    tn_status certified = tn_sim_certify(setup, solving, &all, products, second, report, error);
    return status == TN_OK ? certified : status;
}

// Again where contacts have nowhere to go. *pushed (block rows, 3) J^T lambda.
static tn_status run_impact(const tn_step_setup *setup, tn_step_solving *solving, const tn_step_next *next,
                            tn_impact *impact, double **pushed, tn_step_report *report, tn_error *error)
{
    tn_solve_report second = {.theta = NAN};
    const tn_sim_part part = {.contact = impact->source, .block = impact->block, .joints = &next->joints_end};
    double *scale = TN_PUSH_RAW(setup->arena, double, impact->rows.n_triples);
    *pushed = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)impact->problem.A->n_rows);
    if (!*pushed || !scale) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the impact of %d contacts", impact->rows.n_triples);
    }
    const tn_sim_products products = {.push = *pushed, .scale = scale};
    tn_status status = run_impact_once(setup, solving, &part, impact, &products, &second, report, error);
    bool solved = status == TN_OK || status == TN_NUMERICS;
    if (solved && tn_sim_impact_is_squeezed(setup, &solving->eq, impact)) {
        int iterations = second.iterations;
        status = tn_sim_relieve_impact(setup, &solving->eq, scale, impact, error);
        status = status == TN_OK ? run_impact_once(setup, solving, &part, impact, &products, &second, report, error)
                                 : status;
        second.iterations += iterations;
    }
    if (status == TN_OK) {
        tn_sim_merge_reports(&report->solve, &second);
    }
    return status;
}

// v_{k+1} of the midpoint scheme (discretize/impact.h); force becomes that of the second solve.
static tn_status solve_impact(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next,
                              const tn_state *state, tn_step_report *report, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    const tn_step_answer *answer = &solving->answer;
    tn_impact impact;
    double *pushed = NULL;
    tn_impact_joints joints;
    tn_contact_rows rows;
    tn_status status = tn_sim_hold_squeezed(setup, eq, answer, &rows, error);
    if (status == TN_OK && setup->model->n_joints > 0) {
        status = tn_sim_joints_end(setup, eq, answer, next, state, &joints, error);
    }
    if (status == TN_OK) {
        const tn_impact_first first = {.solution = &answer->solution,
                                       .product = answer->products.product,
                                       .turn = next->turn,
                                       .joints = setup->model->n_joints > 0 ? &joints : NULL};
        status = tn_impact_build(setup->model, state, &eq->balance, &rows, &first, setup->arena, &impact, error);
    }
    if (status == TN_OK && (impact.rows.n_triples > 0 || impact.rows.n_singles > 0)) {
        status = run_impact(setup, solving, next, &impact, &pushed, report, error);
    }
    status = status == TN_OK ? set_force(setup, eq, next, &impact, pushed, error) : status;
    if (status == TN_OK) {
        next->v = impact.v;
    }
    return status;
}

// Bodies on their way to a step's end.
typedef struct advance {
    const tn_model *model;
    const tn_trees *trees; // whose links stay out, or NULL
    const tn_state *state;
    const double *v;
    double end; // [s]
    tn_pose *pose;
    double *turn;
} advance;

static void advance_pose(const advance *a, int b)
{
    const tn_model_body *body = &a->model->bodies[b];
    if (body->kind == TN_BODY_KINEMATIC) {
        tn_motion_pose(body, a->end, &a->pose[b]);
    } else if (body->n_blocks > 0) {
        tn_body_advance(body, a->v + 3 * body->block, a->model->settings.step, &a->pose[b],
                        a->turn ? a->turn + 4 * (size_t)b : NULL);
    }
}

static void advance_range(const void *context, int first, int end, int thread)
{
    const advance *a = context;
    for (int k = first; k < end; k++) {
        int b = a->model->mover[k];
        if (!a->trees || a->trees->link_of[b] < 0) {
            advance_pose(a, b);
        }
    }
}

// Of all bodies but, where joints place them (trees.c), links of trees.
static void advance_poses(const tn_step_setup *setup, const tn_state *state, const double *v, bool placed,
                          tn_pose *pose, double *turn)
{
    const tn_model *model = setup->model;
    const advance a = {.model = model,
                       .trees = placed ? model->trees : NULL,
                       .state = state,
                       .v = v,
                       .end = (double)(state->step_count + 1) * model->settings.step,
                       .pose = pose,
                       .turn = turn};
    memcpy(pose, state->pose, (size_t)model->n_bodies * sizeof *pose);
    tn_team_share(model->settings.solve.n_threads, model->n_movers, 128, advance_range, &a);
}

// x + h v^; attached nodes go with their bodies.
static void advance_nodes(const tn_step_setup *setup, const tn_state *state, const double *v, const tn_pose *pose,
                          double *x)
{
    const tn_model *model = setup->model;
    for (int i = 0; i < model->n_nodes; i++) {
        int block = model->nodes[i].block;
        if (block >= 0) {
            tn_vec3_madd(x + 3 * (size_t)i, state->x + 3 * (size_t)i, model->settings.step, v + 3 * (size_t)block);
        }
    }
    tn_state_place_attached(model, pose, x);
}

void tn_sim_advance(const tn_step_setup *setup, const tn_state *state, const double *v, tn_pose *pose, double *turn,
                    double *x)
{
    advance_poses(setup, state, v, false, pose, turn);
    advance_nodes(setup, state, v, pose, x);
}

void tn_sim_carry(const tn_step_setup *setup, const tn_step_next *next, double *v)
{
    bool midpoint = setup->model->settings.scheme == TN_SCHEME_MIDPOINT;
    for (int k = 0; next->turn && k < setup->model->n_movers; k++) {
        int b = setup->model->mover[k];
        const tn_model_body *body = &setup->model->bodies[b];
        const double *I = body->inertia;
        bool round = I[0] == I[1] && I[1] == I[2]; // as where all bodies are: euler does without
        if (body->n_blocks > 0 && (midpoint || !round)) {
            tn_body_carry(body, next->turn + 4 * (size_t)b, v + 3 * (size_t)body->block);
        }
    }
}

tn_status tn_sim_set_velocity(const tn_step_setup *setup, tn_step_next *next, const double *v, tn_error *error)
{
    size_t n = 3 * (size_t)setup->model->n_blocks;
    next->v = next->pushed_v = v;
    if (next->turn) {
        double *turned = TN_PUSH_RAW(tn_sim_after(setup), double, n);
        if (!turned) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
        }
        memcpy(turned, v, n * sizeof *v);
        tn_sim_carry(setup, next, turned);
        next->v = turned;
    }
    return TN_OK;
}

// For the poses at the step's end.
static bool make_room(const tn_step_setup *setup, tn_step_next *next)
{
    const tn_model *model = setup->model;
    bool turns = model->settings.scheme == TN_SCHEME_MIDPOINT || model->any_oblong;
    if (model->n_softs == 0) {
        next->pose = TN_PUSH_RAW(tn_sim_after(setup), tn_pose, model->n_bodies);
    }
    next->turn = turns ? TN_PUSH_RAW(tn_sim_after(setup), double, 4 * (size_t)model->n_bodies) : NULL;
    return next->pose && (next->turn || !turns);
}

// v^ and forces before joints' corrections move them: what the certificate is of. False: no memory.
static bool keep_solved(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                        tn_solution *solved)
{
    const size_t n = 3 * (size_t)setup->model->n_blocks, n_rows = tn_row_count(eq->problem.rows);
    if (setup->model->n_joints == 0) {
        return true;
    }
    solved->v = TN_PUSH_RAW(setup->arena, double, n);
    solved->lambda = TN_PUSH_RAW(setup->arena, double, n_rows);
    if (!solved->v || !solved->lambda) {
        return false;
    }
    memcpy(solved->v, answer->solution.v, n * sizeof *solved->v);
    memcpy(solved->lambda, answer->solution.lambda, n_rows * sizeof *solved->lambda);
    return true;
}

tn_status tn_sim_integrate(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next,
                           const tn_state *state, tn_step_report *report, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    tn_step_answer *answer = &solving->answer;
    if (!make_room(setup, next)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %d bodies", setup->model->n_bodies);
    }
    if (setup->model->n_softs > 0) {
        tn_sim_advance(setup, state, answer->solution.v, next->pose, next->turn, next->x);
    } else {
        advance_poses(setup, state, answer->solution.v, true, next->pose, next->turn);
    }
    next->joints_end.rows.n_singles = 0;
    next->joint_rest = next->joint_held = NULL;
    const bool settles = tn_sim_settles(setup, eq);
    tn_solution solved = answer->solution;
    if (settles && !keep_solved(setup, eq, answer, &solved)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * setup->model->n_blocks);
    }
    tn_status status = tn_sim_joints_advance(&(tn_step_placing){setup, eq, state, answer, next}, error);
    if (status != TN_OK) {
        return status;
    }
    if (setup->model->settings.scheme == TN_SCHEME_MIDPOINT) {
        return solve_impact(setup, solving, next, state, report, error);
    }
    next->force = answer->solution.lambda;
    next->push = answer->products.push;
    next->holds = answer->reduced;
    status = tn_sim_set_velocity(setup, next, answer->solution.v, error);
    return status == TN_OK && settles ? tn_sim_settle(setup, solving, next, &solved, report, error) : status;
}
