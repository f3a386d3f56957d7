// Schemes euler, and implicit without soft bodies, which is the same: joints hold at the step's end by forces of its
// start (SHAKE; Ryckaert, Ciccotti and Berendsen 1977).
//
// The first solve holds the joints on velocities at the step's start; the bodies then leave them by the curvature of
// their way. What a joint is off at the end, e, is taken away by a change of v^ along the Jacobian of the start,
//
//     A dv = G_k^T df,   h G_k dv = -e,      A of the step, block by block,
//
// which is what forces of the step would have done: momentum is kept, the motion of a mechanism is symplectic, and its
// places are of second order where no forces but the joints' act. Moving the bodies alone instead damps or drives what
// turns fast (a heavy top: 240 times the error at 1 ms, bench rigid --only orders). What one such correction leaves is
// small, and the caller moves the bodies by it.
//
// A body that turns far within a step does not go where its velocity at the start points; a correction of that
// would drive it (a wheel at 150 rad/s on a swinging axle, 10 ms). There the bodies are only moved.
#include "math/vec3.h"
#include "problem/rows.h"
#include "sim/sim.h"

#include <string.h>

// Turn within a step from which on a body is not led by its velocity [rad].
static const double FAR = 0.5;

static bool turns_far(const tn_sim *sim, int b)
{
    const tn_model_body *body = &sim->model->bodies[b];
    const double *I = body->inertia;
    bool round = body->n_blocks != 2 || (I[0] == I[1] && I[1] == I[2]);
    return !round && sim->balance.h * tn_vec3_norm(sim->solution.v + 3 * body->block + 3) > FAR;
}

static bool any_turns_far(const tn_sim *sim)
{
    bool any = false;
    for (int i = 0; i < sim->model->n_joints && !any; i++) {
        const tn_model_joint *joint = &sim->model->joints[i];
        bool gear = joint->kind == TN_JOINT_GEAR; // joins coordinates, not bodies
        any = !gear && (turns_far(sim, joint->body_a) || turns_far(sim, joint->body_b));
    }
    return any;
}

// place[i] = row of the step's start that row i of the correction belongs to; false: there is none.
static bool find_rows(const tn_sim *sim, const tn_joint_step *step, int *place)
{
    for (int i = 0, k = 0; i < step->rows.n_singles; i++) {
        while (k < sim->joints.rows.n_singles && sim->joints.source[k] < step->source[i]) {
            k++;
        }
        if (k == sim->joints.rows.n_singles || sim->joints.source[k] != step->source[i]) {
            return false;
        }
        place[i] = k;
    }
    return true;
}

// The correction's rows with the Jacobians of the start.
static bool take_jacobians(const tn_sim *sim, const int *place, tn_rows *to)
{
    const tn_rows *from = &sim->joints.rows;
    int entries = from->start[from->n_singles], *start = TN_PUSH_RAW(sim->arena, int, to->n_singles + 1);
    int *block = TN_PUSH_RAW(sim->arena, int, entries);
    double *jacobian = TN_PUSH_RAW(sim->arena, double, 3 * (size_t)entries);
    if (!start || !block || !jacobian) {
        return false;
    }
    start[0] = 0;
    for (int i = 0; i < to->n_singles; i++) {
        int first = from->start[place[i]], count = from->start[place[i] + 1] - first;
        memcpy(block + start[i], from->block + first, (size_t)count * sizeof *block);
        memcpy(jacobian + 3 * start[i], from->jacobian + 3 * first, 3 * (size_t)count * sizeof *jacobian);
        start[i + 1] = start[i] + count;
    }
    to->start = start;
    to->block = block;
    to->jacobian = jacobian;
    return true;
}

// v^ += part/h way, and where that leads.
static double go(tn_sim *sim, const tn_state *state, const double *way, double part)
{
    const tn_joint_sides sides = {sim->next_pose, sim->next_x};
    for (int i = 0; i < 3 * sim->model->n_blocks; i++) {
        sim->solution.v[i] += part / sim->balance.h * way[i];
    }
    tn_sim_advance(sim, state);
    tn_joints_coordinates(sim->model, &sides, sim->next_coordinate, sim->next_coordinate);
    return tn_joints_drift(sim->model, &sides, sim->next_coordinate);
}

// The forces that change v^ so, in the solution and in what it pushes.
static void add_forces(tn_sim *sim, const int *place, int n, const double *force)
{
    double *solved = tn_sim_joint_forces(sim);
    for (int i = 0; i < n; i++) {
        double f = force[i] / (sim->balance.h * sim->balance.h);
        solved[place[i]] += f;
        tn_single_push(&sim->joints.rows, place[i], f, sim->products.push);
    }
}

tn_status tn_sim_shake(tn_sim *sim, const tn_state *state, double *drift, tn_error *error)
{
    const tn_model *model = sim->model;
    bool as_euler = model->settings.scheme == TN_SCHEME_EULER ||
                    (model->settings.scheme == TN_SCHEME_IMPLICIT && model->n_softs == 0);
    if (!as_euler || model->n_sets > 0 || any_turns_far(sim)) {
        return TN_OK;
    }
    const tn_joint_sides sides = {sim->next_pose, sim->next_x};
    tn_joint_step step;
    double end = (double)(state->step_count + 1) * model->settings.step;
    tn_status status = tn_joint_step_position(model, &sides, sim->next_coordinate, 1.0, end, sim->arena, &step, error);
    int *place = status == TN_OK ? TN_PUSH_RAW(sim->arena, int, step.rows.n_singles) : NULL;
    double *way = TN_PUSH(sim->arena, double, 3 * (size_t)model->n_blocks), *force;
    if (!place || !way) {
        return TN_NO_MEMORY;
    }
    if (step.rows.n_singles == 0 || !find_rows(sim, &step, place)) {
        return TN_OK;
    }
    status = take_jacobians(sim, place, &step.rows) ? tn_sim_joints_correction(sim, &step, true, way, &force, error)
                                                    : TN_NO_MEMORY;
    if (status != TN_OK) {
        return status;
    }
    double left = go(sim, state, way, 1.0);
    if (left < *drift) {
        *drift = left;
        add_forces(sim, place, step.rows.n_singles, force);
    } else {
        go(sim, state, way, -1.0);
    }
    return TN_OK;
}
