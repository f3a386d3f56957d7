// Joints in the step: rows, warm start, coordinates, correction of positions, work.
#include "body/rigid.h"
#include "math/blocks.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "problem/joint_rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Positions are right when no joint is off by more [m, rad].
static const double EXACT = 1e-9;

// Of an error, what a correction with the whole A may leave: it is of first order anyway.
static const double ROUGH = 1e-4;

tn_status tn_sim_joints_build(tn_sim *sim, const tn_state *state, tn_error *error)
{
    sim->joints = (tn_joint_step){.source = NULL};
    return sim->model->n_joints > 0
               ? tn_joint_step_build(sim->model, state, &sim->balance, sim->arena, &sim->joints, error)
               : TN_OK;
}

void tn_sim_joints_warm(tn_sim *sim, const tn_state *state)
{
    for (int i = 0; i < sim->joints.rows.n; i++) {
        sim->solution.joint[i] = state->joint_force[sim->joints.source[i]];
    }
}

void tn_sim_joints_remember(const tn_sim *sim, tn_state *state)
{
    const tn_model *model = sim->model;
    if (model->n_joints == 0) {
        return;
    }
    memcpy(state->joint_coordinate, sim->next_coordinate,
           (size_t)model->n_joint_coordinates * sizeof *state->joint_coordinate);
    memset(state->joint_force, 0, (size_t)model->n_joint_rows * sizeof *state->joint_force);
    for (int i = 0; i < sim->joints.rows.n; i++) {
        state->joint_force[sim->joints.source[i]] = sim->solution.joint[i];
    }
}

// ---- where the step ends

// G v of a coordinate with what kinematic bodies contribute [m/s, rad/s].
static double coordinate_rate(const tn_sim *sim, const tn_state *state, const tn_model_joint *joint, int k)
{
    const tn_joint_step *step = &sim->joints;
    const tn_joint_geometry *at = &step->geometry[joint - sim->model->joints];
    const tn_pose *poses = step->sides.poses;
    return tn_joint_prescribed(sim->model, joint, poses, at, &at->coordinate[k], state->time, sim->balance.h) +
           tn_joint_rate(sim->model, joint, poses, at, &at->coordinate[k], sim->solution.v);
}

// What the coordinates should be about, so that turns are counted right.
static void expect(tn_sim *sim, const tn_state *state)
{
    for (int i = 0; i < sim->model->n_joints; i++) {
        const tn_model_joint *joint = &sim->model->joints[i];
        for (int k = 0; k < joint->n_coordinates; k++) {
            int c = joint->first_coordinate + k;
            double rate = coordinate_rate(sim, state, joint, k);
            sim->next_coordinate[c] = state->joint_coordinate[c] + sim->balance.h * rate;
        }
    }
}

// The blocks that rows act on, numbered anew.
typedef struct part {
    int n;
    int *block;  // (n) the model's
    int *number; // (model->n_blocks) and back; -1
} part;

static bool find_part(const tn_model *model, tn_joint_rows *rows, tn_arena *arena, part *out)
{
    int n_entries = rows->start[rows->n];
    int *block = TN_PUSH_RAW(arena, int, n_entries);
    *out =
        (part){.block = TN_PUSH_RAW(arena, int, model->n_blocks), .number = TN_PUSH_RAW(arena, int, model->n_blocks)};
    if (!block || !out->block || !out->number) {
        return false;
    }
    memset(out->number, -1, (size_t)model->n_blocks * sizeof *out->number);
    for (int e = 0; e < n_entries; e++) {
        int *number = &out->number[rows->block[e]];
        if (*number < 0) {
            *number = out->n;
            out->block[out->n++] = rows->block[e];
        }
        block[e] = *number;
    }
    rows->block = block;
    return true;
}

// M of the part's blocks.
static tn_blocks *part_mass(const part *p, const double *mass, tn_arena *arena)
{
    double *diagonal = TN_PUSH(arena, double, 9 * (size_t)p->n);
    for (int i = 0; diagonal && i < 3 * p->n; i++) {
        diagonal[9 * (i / 3) + 4 * (i % 3)] = mass[3 * p->block[i / 3] + i % 3];
    }
    return diagonal ? tn_blocks_from_diagonal(p->n, diagonal, arena) : NULL;
}

// What errors are weighed by: M of the blocks that rows act on, numbered anew. With nodes of soft bodies the whole A:
// moved alone they would strain the elements round them, and midpoint keep that as an oscillation.
static bool pose_correction(tn_sim *sim, tn_joint_step *step, part *p, tn_problem *out)
{
    static const tn_contacts no_contacts = {.n = 0};
    *out = (tn_problem){.contacts = &no_contacts, .joints = &step->rows, .step = 1.0};
    if (sim->model->n_sets > 0) {
        *p = (part){.n = sim->model->n_blocks};
        out->A = sim->problem.A;
        out->layout = sim->problem.layout;
    } else {
        out->A = find_part(sim->model, &step->rows, sim->arena, p) ? part_mass(p, sim->balance.mass, sim->arena) : NULL;
    }
    out->b = TN_PUSH(sim->arena, double, 3 * (size_t)p->n);
    return out->A && out->b;
}

// The least correction of the bodies' positions that takes the errors away to first order, into v (3 n_blocks).
static tn_status find_correction(tn_sim *sim, tn_joint_step *step, double *v, tn_error *error)
{
    const tn_solver *direct = tn_solver_find("direct");
    part p;
    tn_problem problem;
    if (!pose_correction(sim, step, &p, &problem)) {
        return TN_NO_MEMORY;
    }
    tn_solution solution = {.v = TN_PUSH(sim->arena, double, 3 * (size_t)p.n),
                            .joint = TN_PUSH(sim->arena, double, step->rows.n)};
    if (!solution.v || !solution.joint) {
        return TN_NO_MEMORY;
    }
    tn_solve_report report = {.converged = true};
    tn_arena *scratch = tn_sim_scratch(sim);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    tn_solve_options options = sim->model->settings.solve;
    options.tolerance.joint = sim->model->n_sets > 0 ? ROUGH : options.tolerance.joint;
    tn_status status = tn_solver_call(direct, &problem, &options, scratch, &solution, &report, error);
    tn_arena_release(scratch, mark);
    for (int i = 0; status == TN_OK && i < p.n; i++) {
        tn_vec3_copy(v + 3 * (size_t)(p.block ? p.block[i] : i), solution.v + 3 * (size_t)i);
    }
    return status;
}

// Where a correction leads to.
typedef struct corrected {
    tn_pose *pose;      // (n_bodies)
    double *x;          // (3 n_nodes)
    double *coordinate; // (n_joint_coordinates)
    double drift;
} corrected;

static bool apply_correction(tn_sim *sim, const double *v, corrected *to)
{
    const tn_model *model = sim->model;
    size_t n_x = model->n_sets > 0 ? 3 * (size_t)model->n_nodes : 0;
    to->pose = TN_PUSH_RAW(sim->arena, tn_pose, model->n_bodies);
    to->x = TN_PUSH_RAW(sim->arena, double, n_x);
    to->coordinate = TN_PUSH(sim->arena, double, model->n_joint_coordinates);
    if (!to->pose || !to->x || !to->coordinate) {
        return false;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        to->pose[b] = sim->next_pose[b];
        if (model->bodies[b].n_blocks > 0) {
            tn_body_advance(&model->bodies[b], v + 3 * model->bodies[b].block, 1.0, &to->pose[b]);
        }
    }
    tn_joint_move_nodes(model, sim->next_x, v, 1.0, to->x);
    const tn_joint_sides sides = {to->pose, to->x};
    tn_joints_coordinates(model, &sides, sim->next_coordinate, to->coordinate);
    to->drift = tn_joints_drift(model, &sides, to->coordinate);
    return true;
}

static void accept_correction(tn_sim *sim, const corrected *to)
{
    const tn_model *model = sim->model;
    memcpy(sim->next_pose, to->pose, (size_t)model->n_bodies * sizeof *to->pose);
    memcpy(sim->next_coordinate, to->coordinate, (size_t)model->n_joint_coordinates * sizeof *to->coordinate);
    for (int i = 0; model->n_sets > 0 && i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            tn_vec3_copy(sim->next_x + 3 * (size_t)i, to->x + 3 * (size_t)i);
        }
    }
}

// One correction of next_pose and next_x; *drift becomes what is left. A correction that makes it worse is dropped:
// *drift stays.
static tn_status correct(tn_sim *sim, double *drift, tn_error *error)
{
    const tn_model *model = sim->model;
    const tn_joint_sides sides = {sim->next_pose, sim->next_x};
    tn_joint_step step;
    tn_status status = tn_joint_step_position(model, &sides, sim->next_coordinate,
                                              model->n_sets > 0 ? sim->balance.h : 1.0, sim->arena, &step, error);
    double *v = TN_PUSH(sim->arena, double, 3 * (size_t)model->n_blocks);
    corrected to;
    if (status != TN_OK || !v) {
        return TN_NO_MEMORY;
    }
    if (step.rows.n == 0) {
        return TN_OK;
    }
    status = find_correction(sim, &step, v, error);
    if (status != TN_OK) {
        return status;
    }
    if (!apply_correction(sim, v, &to)) {
        return TN_NO_MEMORY;
    }
    if (to.drift < *drift) {
        accept_correction(sim, &to);
        *drift = to.drift;
    }
    return TN_OK;
}

tn_status tn_sim_joints_advance(tn_sim *sim, const tn_state *state, tn_error *error)
{
    const tn_model *model = sim->model;
    if (model->n_joints == 0) {
        return TN_OK;
    }
    const tn_joint_sides sides = {sim->next_pose, sim->next_x};
    expect(sim, state);
    tn_joints_coordinates(model, &sides, sim->next_coordinate, sim->next_coordinate);
    double drift = model->settings.projection > 0 ? tn_joints_drift(model, &sides, sim->next_coordinate) : 0.0;
    tn_status status = TN_OK;
    double last = INFINITY;
    for (int k = 0; status == TN_OK && k < model->settings.projection && drift > EXACT && drift < last; k++) {
        tn_arena_mark mark = tn_arena_get_mark(sim->arena);
        last = drift;
        status = correct(sim, &drift, error);
        tn_arena_release(sim->arena, mark);
    }
    if (status != TN_OK) {
        return tn_error_set(error, status, "cannot correct the positions of %d joints", model->n_joints);
    }
    tn_state_place_attached(model, sim->next_pose, sim->next_x);
    return TN_OK;
}

// What stays of the first solve's forces: all of springs, half of the others. The balance has turned their torques to
// the principal axes at the step's end (balance.h), and so has to be what is taken away.
static void hold_forces(const tn_sim *sim, const double *halved, double *held)
{
    const tn_model *model = sim->model;
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        held[i] += halved[i];
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (body->n_blocks == 2) {
            double vector[3], turn[4], kept[3];
            int at = 3 * body->block + 3;
            tn_vec3_scale(vector, sim->balance.h, sim->solution.v + at);
            tn_quat_exp(turn, vector);
            tn_quat_rotate_inverse(kept, turn, halved + at);
            tn_vec3_sub(kept, halved + at, kept);
            tn_vec3_add(held + at, held + at, kept);
        }
    }
}

tn_status tn_sim_joints_end(tn_sim *sim, const tn_state *state, tn_impact_joints *out, tn_error *error)
{
    const tn_model *model = sim->model;
    const tn_joint_step *first = &sim->joints, *end = &sim->joints_end;
    double *force = TN_PUSH(sim->arena, double, model->n_joint_rows);
    double *start = TN_PUSH(sim->arena, double, model->n_joint_rows);
    double *held = TN_PUSH(sim->arena, double, 3 * (size_t)model->n_blocks);
    double *halved = TN_PUSH(sim->arena, double, 3 * (size_t)model->n_blocks);
    sim->joint_held = TN_PUSH(sim->arena, double, model->n_joint_rows);
    if (!force || !start || !held || !halved || !sim->joint_held) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d joints", model->n_joints);
    }
    for (int i = 0; i < first->rows.n; i++) {
        sim->joint_held[i] = first->share[i] * sim->solution.joint[i];
        force[first->source[i]] = sim->joint_held[i];
    }
    for (int i = 0; i < first->rows.n; i++) {
        tn_joint_row_push(&first->rows, i, sim->joint_held[i], first->share[i] < 1.0 ? halved : held);
    }
    hold_forces(sim, halved, held);
    const tn_joint_sides sides = {sim->next_pose, sim->next_x};
    tn_status status =
        tn_joint_step_end(model, state, &sides, sim->next_coordinate, force, sim->arena, &sim->joints_end, error);
    for (int i = 0; status == TN_OK && i < end->rows.n; i++) {
        start[i] = force[end->source[i]]; // the other half is about the same
    }
    *out = (tn_impact_joints){.end = &end->rows, .start = start, .held = held};
    return status;
}

// ---- work

// Of row i of a step's rows with the force f: over the time h at the mean velocity, and at v^ what a damper takes.
static void add_row_work(const tn_sim *sim, const tn_joint_step *step, int i, double f, const double *mean,
                         tn_joint_work *out)
{
    const tn_model_joint_row *row = &sim->model->joint_rows[step->source[i]];
    const tn_model_joint *joint = &sim->model->joints[row->joint];
    double h = sim->balance.h, moved = tn_joint_row_velocity(&step->rows, i, mean) - step->rows.offset[i];
    double whole = h * f * moved, driven = step->driven[i];
    out->whole += whole;
    // Kinematic bodies push against the force wherever it comes from.
    out->injected -= h * f * driven;
    switch (row->role) {
    case TN_ROLE_HOLD:
        break;
    case TN_ROLE_SPRING: {
        double rate = tn_joint_row_velocity(&step->rows, i, sim->solution.v) - step->rows.offset[i] + driven;
        out->dissipated += h * joint->description->drive[joint->axis[row->index]].damping * rate * rate;
        break;
    }
    case TN_ROLE_MOTOR:
        out->injected += whole + h * f * driven;
        break;
    default:
        out->dissipated -= whole + h * f * driven;
        break;
    }
}

void tn_sim_joints_work(const tn_sim *sim, const double *mean, tn_joint_work *out)
{
    *out = (tn_joint_work){.whole = 0.0};
    for (int i = 0; i < sim->joints.rows.n; i++) {
        add_row_work(sim, &sim->joints, i, sim->joint_held ? sim->joint_held[i] : sim->solution.joint[i], mean, out);
    }
    for (int i = 0; sim->joint_rest && i < sim->joints_end.rows.n; i++) {
        add_row_work(sim, &sim->joints_end, i, sim->joint_rest[i], mean, out);
    }
}
