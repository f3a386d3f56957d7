// From v^ to the poses and velocities at the step's end.
#include "base/team.h"
#include "body/rigid.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static double worse(double a, double b)
{
    return fmax(a, b); // fmax prefers a number to a NaN
}

void tn_sim_merge_certificates(tn_certificate *a, const tn_certificate *b)
{
    a->momentum = worse(a->momentum, b->momentum);
    a->signorini_primal = worse(a->signorini_primal, b->signorini_primal);
    a->signorini_dual = worse(a->signorini_dual, b->signorini_dual);
    a->complementarity = worse(a->complementarity, b->complementarity);
    a->cone = worse(a->cone, b->cone);
    a->dissipation = worse(a->dissipation, b->dissipation);
    a->natural = worse(a->natural, b->natural);
    a->joint = worse(a->joint, b->joint);
    a->fclib = worse(a->fclib, b->fclib);
    a->strict_natural = worse(a->strict_natural, b->strict_natural);
    a->strict_complementarity = worse(a->strict_complementarity, b->strict_complementarity);
    a->penetration = worse(a->penetration, b->penetration);
    a->drift = worse(a->drift, b->drift);
}

void tn_sim_merge_reports(tn_solve_report *step, const tn_solve_report *impact)
{
    tn_sim_merge_certificates(&step->certificate, &impact->certificate);
    step->iterations += impact->iterations;
    step->converged = step->converged && impact->converged;
    step->theta = worse(step->theta, impact->theta);
}

// force and push of the impact's contacts and joint rows; all else zero.
static tn_status set_force(tn_sim *sim, const tn_impact *impact, const double *pushed, tn_error *error)
{
    double *push = TN_PUSH(sim->arena, double, 3 * (size_t)sim->model->n_blocks);
    double *force = TN_PUSH(sim->arena, double, 3 * (size_t)sim->rows.contacts.n_triples);
    if (!push || !force) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * sim->model->n_blocks);
    }
    for (int k = 0; k < impact->rows.n_triples; k++) {
        tn_vec3_copy(force + 3 * impact->source[k], impact->solution.lambda + 3 * k);
    }
    for (int i = 0; pushed && i < impact->problem.A->n_rows; i++) {
        tn_vec3_copy(push + 3 * (size_t)impact->block[i], pushed + 3 * (size_t)i);
    }
    sim->push = push;
    sim->force = force;
    sim->joint_rest = tn_single_forces(&impact->rows, impact->solution.lambda);
    return TN_OK;
}

// The impact's coupled contacts, then the certificate of all. *pushed (block rows, 3) J^T lambda.
static tn_status run_impact(tn_sim *sim, tn_impact *impact, double **pushed, tn_step_report *report, tn_error *error)
{
    tn_solve_report second;
    tn_sim_part part = {.contact = impact->source, .block = impact->block};
    *pushed = TN_PUSH_RAW(sim->arena, double, 3 * (size_t)impact->problem.A->n_rows);
    if (!*pushed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the impact of %d contacts", impact->rows.n_triples);
    }
    int n = impact->coupled_rows.n_triples, n_all = n + impact->coupled_rows.n_singles;
    tn_aims aims;
    if (!tn_sim_aims_create(sim, n_all, &aims)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the aims of %d constraints", n_all);
    }
    aims.free = true;
    for (int i = 0; i < n_all; i++) {
        aims.due[i] = true;
        aims.part[i] = i < n ? sim->aims.part[impact->source[i]] : 1.0;
    }
    tn_status status =
        tn_sim_run_solver(sim, &impact->coupled, &part, &aims, &impact->coupled_solution, &second, report, error);
    if (status != TN_OK) {
        return status;
    }
    tn_impact_finish(impact);
    tn_sim_products products = {.push = *pushed};
    status = tn_sim_certify(sim, &impact->problem, &impact->solution, &products, &second, report, error);
    tn_sim_merge_reports(&report->solve, &second);
    return status;
}

// v_{k+1} of the midpoint scheme (discretize/impact.h); force becomes that of the second solve.
static tn_status solve_impact(tn_sim *sim, const tn_state *state, tn_step_report *report, tn_error *error)
{
    tn_impact impact;
    double *pushed = NULL;
    tn_impact_joints joints;
    tn_status status = sim->model->n_joints > 0 ? tn_sim_joints_end(sim, state, &joints, error) : TN_OK;
    if (status == TN_OK) {
        status = tn_impact_build(sim->model, state, &sim->balance, &sim->rows, &sim->solution, sim->turn,
                                 sim->model->n_joints > 0 ? &joints : NULL, sim->arena, &impact, error);
    }
    if (status == TN_OK && (impact.rows.n_triples > 0 || impact.rows.n_singles > 0)) {
        status = run_impact(sim, &impact, &pushed, report, error);
    }
    status = status == TN_OK ? set_force(sim, &impact, pushed, error) : status;
    if (status == TN_OK) {
        sim->next_v = impact.v;
    }
    return status;
}

static void advance_pose(const tn_sim *sim, const tn_state *state, double end, int b, tn_pose *pose, double *turn)
{
    const tn_model_body *body = &sim->model->bodies[b];
    pose[b] = state->pose[b];
    if (body->kind == TN_BODY_KINEMATIC) {
        tn_motion_pose(body, end, &pose[b]);
    } else if (body->n_blocks > 0) {
        tn_body_advance(body, sim->solution.v + 3 * body->block, sim->model->settings.step, &pose[b],
                        turn ? turn + 4 * (size_t)b : NULL);
    }
}

// Of all bodies but, where joints place them (trees.c), links of trees.
static void advance_poses(const tn_sim *sim, const tn_state *state, bool placed, tn_pose *pose, double *turn)
{
    const tn_trees *trees = placed ? sim->model->trees : NULL;
    const tn_settings *settings = &sim->model->settings;
    double end = (double)(state->step_count + 1) * settings->step;
    TN_TEAM_FOR((static), settings->solve.n_threads, b, sim->model->n_bodies, {
        if (!trees || trees->link_of[b] < 0) {
            advance_pose(sim, state, end, b, pose, turn);
        }
    });
}

// x + h v^; attached nodes go with their bodies.
static void advance_nodes(const tn_sim *sim, const tn_state *state, const tn_pose *pose, double *x)
{
    const tn_model *model = sim->model;
    for (int i = 0; i < model->n_nodes; i++) {
        int block = model->nodes[i].block;
        if (block >= 0) {
            tn_vec3_madd(x + 3 * (size_t)i, state->x + 3 * (size_t)i, model->settings.step,
                         sim->solution.v + 3 * (size_t)block);
        }
    }
    tn_state_place_attached(model, pose, x);
}

void tn_sim_advance(const tn_sim *sim, const tn_state *state, tn_pose *pose, double *turn, double *x)
{
    advance_poses(sim, state, false, pose, turn);
    advance_nodes(sim, state, pose, x);
}

void tn_sim_carry(const tn_sim *sim, double *v)
{
    bool midpoint = sim->model->settings.scheme == TN_SCHEME_MIDPOINT;
    for (int b = 0; sim->turn && b < sim->model->n_bodies; b++) {
        const tn_model_body *body = &sim->model->bodies[b];
        const double *I = body->inertia;
        bool round = I[0] == I[1] && I[1] == I[2]; // as where all bodies are: euler does without
        if (body->n_blocks > 0 && (midpoint || !round)) {
            tn_body_carry(body, sim->turn + 4 * (size_t)b, v + 3 * (size_t)body->block);
        }
    }
}

tn_status tn_sim_set_velocity(tn_sim *sim, const double *v, tn_error *error)
{
    size_t n = 3 * (size_t)sim->model->n_blocks;
    sim->next_v = sim->pushed_v = v;
    if (sim->turn) {
        double *turned = TN_PUSH_RAW(tn_sim_after(sim), double, n);
        if (!turned) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
        }
        memcpy(turned, v, n * sizeof *v);
        tn_sim_carry(sim, turned);
        sim->next_v = turned;
    }
    return TN_OK;
}

// For the poses at the step's end.
static bool make_room(tn_sim *sim)
{
    const tn_model *model = sim->model;
    bool turns = model->settings.scheme == TN_SCHEME_MIDPOINT || model->any_oblong;
    if (model->n_softs == 0) {
        sim->next_pose = TN_PUSH_RAW(tn_sim_after(sim), tn_pose, model->n_bodies);
    }
    sim->turn = turns ? TN_PUSH_RAW(tn_sim_after(sim), double, 4 * (size_t)model->n_bodies) : NULL;
    return sim->next_pose && (sim->turn || !turns);
}

// v^ and forces before joints' corrections move them, of maximal coordinates: what the certificate is of. False: no
// memory.
static bool keep_solved(const tn_sim *sim, tn_solution *solved)
{
    const size_t n = 3 * (size_t)sim->model->n_blocks, n_rows = tn_row_count(sim->problem.rows);
    if (sim->model->n_joints == 0 || sim->model->trees) {
        return true;
    }
    solved->v = TN_PUSH_RAW(sim->arena, double, n);
    solved->lambda = TN_PUSH_RAW(sim->arena, double, n_rows);
    if (!solved->v || !solved->lambda) {
        return false;
    }
    memcpy(solved->v, sim->solution.v, n * sizeof *solved->v);
    memcpy(solved->lambda, sim->solution.lambda, n_rows * sizeof *solved->lambda);
    return true;
}

tn_status tn_sim_integrate(tn_sim *sim, const tn_state *state, tn_step_report *report, tn_error *error)
{
    if (!make_room(sim)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %d bodies", sim->model->n_bodies);
    }
    if (sim->model->n_softs > 0) {
        tn_sim_advance(sim, state, sim->next_pose, sim->turn, sim->next_x);
    } else {
        advance_poses(sim, state, true, sim->next_pose, sim->turn);
    }
    sim->joints_end.rows.n_singles = 0;
    sim->joint_rest = sim->joint_held = NULL;
    const bool settles = tn_sim_settles(sim);
    tn_solution solved = sim->solution;
    if (settles && !keep_solved(sim, &solved)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * sim->model->n_blocks);
    }
    tn_status status = tn_sim_joints_advance(sim, state, error);
    if (status != TN_OK) {
        return status;
    }
    if (sim->model->settings.scheme == TN_SCHEME_MIDPOINT) {
        return solve_impact(sim, state, report, error);
    }
    sim->force = sim->solution.lambda;
    sim->push = sim->products.push;
    sim->holds = sim->reduced;
    status = tn_sim_set_velocity(sim, sim->solution.v, error);
    return status == TN_OK && settles ? tn_sim_settle(sim, &solved, report, error) : status;
}
