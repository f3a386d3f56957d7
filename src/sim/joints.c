// Joints in the step: rows, warm start, coordinates, correction of positions, work.
#include "discretize/joint_law.h"
#include "discretize/joint_stiffness.h"
#include "math/sums.h"
#include "math/vec3.h"
#include "model/rigid.h"
#include "problem/active.h"
#include "problem/rows.h"
#include "sim/joint_correction.h"

#include <math.h>
#include <string.h>

// Positions are right when no joint is off by more [m, rad], in what is small by a millionth of the smallest shape.
static const double EXACT = 1e-9, OF_SMALLEST = 1e-6;

enum { MAX_HALVINGS = 6, CORRECTIONS = 20 }; // of a correction that makes it worse; of positions

// midpoint: the change relative to the fastest velocity that ends the solves of a step whose joints' rows follow the
// solution (rounding of the solves is above it), and that with which a step is not taken so.
static const double SETTLED = 1e-11, UNSETTLED = 1e-4;

static bool along_the_step(const tn_step_setup *setup)
{
    return setup->model->n_joints > 0 && setup->model->settings.scheme == TN_SCHEME_MIDPOINT;
}

tn_status tn_sim_joints_build(const tn_step_setup *setup, bool all, tn_step_equations *eq, tn_step_answer *answer,
                              const tn_state *state, tn_error *error)
{
    const tn_model *model = setup->model;
    eq->joints = (tn_joint_step){.source = NULL};
    answer->reduced = answer->reduced_again = NULL;
    if (model->n_joints == 0) {
        return TN_OK;
    }
    tn_status status = tn_joint_step_build(model, state, &eq->balance, all, setup->arena, &eq->joints, error);
    if (status == TN_OK && model->trees &&
        tn_tree_step_build(model, state->pose, eq->joints.geometry, state->time, eq->balance.h, setup->arena,
                           &eq->trees) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the reduced coordinates of %d joints", model->n_joints);
    }
    if (status != TN_OK || !along_the_step(setup)) {
        return status;
    }
    eq->joint_v = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)model->n_blocks);
    if (!eq->joint_v) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * model->n_blocks);
    }
    tn_joint_step_expect(model, state, eq->joint_v);
    eq->balance.hints.known_v = NULL; // A changes
    return tn_balance_tighten(model, state, state->joint_force, eq->joint_v, setup->arena, &eq->balance, error);
}

// What the step's forces alone make of the last velocities, the fastest; of the solution where that is nothing.
static double fastest_velocity(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer)
{
    const tn_balance *balance = &eq->balance;
    double free = 0.0, solved = 0.0, reach = balance->theta * balance->h;
    for (int i = 0; i < 3 * setup->model->n_blocks; i++) {
        free = fmax(free, reach * fabs(balance->b[i]) / balance->mass[i]);
        solved = fmax(solved, fabs(answer->solution.v[i]));
    }
    return free > 0.0 ? free : solved;
}

// How far the solution is from where the joints' rows were taken.
static double change_of_solution(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer)
{
    double most = 0.0;
    for (int i = 0; i < 3 * setup->model->n_blocks; i++) {
        most = fmax(most, fabs(answer->solution.v[i] - eq->joint_v[i]));
    }
    return most;
}

// Forces of the solve by the model's rows, zero where there is none; NULL: no memory.
static double *forces_by_row(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                             tn_error *error)
{
    double *force = TN_PUSH(setup->arena, double, setup->model->n_joint_rows);
    const double *solved = tn_sim_joint_forces(eq, answer);
    for (int i = 0; force && i < eq->joints.rows.n_singles; i++) {
        force[eq->joints.source[i]] = solved[i];
    }
    if (!force) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d joints", setup->model->n_joints);
    }
    return force;
}

// The joints' rows where the solution is, or `part` of the way there.
static tn_status follow_solution(const tn_step_setup *setup, tn_step_equations *eq, const tn_step_answer *answer,
                                 const tn_state *state, double part, tn_error *error)
{
    const tn_model *model = setup->model;
    const double *force = forces_by_row(setup, eq, answer, error);
    if (!force) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        eq->joint_v[i] += part * (answer->solution.v[i] - eq->joint_v[i]);
    }
    tn_status status = tn_joint_step_renew(model, state, &eq->balance, eq->joint_v, setup->arena, &eq->joints, error);
    eq->balance.hints.known_v = NULL;
    eq->problem.hints = &eq->balance.hints;
    return status == TN_OK ? tn_balance_tighten(model, state, force, eq->joint_v, setup->arena, &eq->balance, error)
                           : status;
}

// Rows at the step's start.
static tn_status stay_at_start(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                               const tn_state *state, tn_error *error)
{
    const tn_model *model = setup->model;
    double *none = TN_PUSH(setup->arena, double, model->n_joint_rows);
    if (!none) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d joints", model->n_joints);
    }
    eq->joints_settled = false;
    tn_status status = tn_joint_step_renew(model, state, &eq->balance, NULL, setup->arena, &eq->joints, error);
    memcpy(answer->solution.v, state->v, 3 * (size_t)model->n_blocks * sizeof *state->v);
    memset(answer->solution.lambda + 3 * (size_t)eq->rows.contacts.n_triples, 0,
           (size_t)model->n_joint_rows * sizeof *none);
    return status == TN_OK ? tn_balance_tighten(model, state, none, state->v, setup->arena, &eq->balance, error)
                           : status;
}

// Rows for the next solve, in the problem too; *done: there is none.
static tn_status renew(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state, double change,
                       double last, bool *done, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    tn_arena_mark mark = tn_arena_get_mark(setup->arena);
    bool last_one = !tn_again_may(&solving->control.again, TN_AGAIN_JOINTS);
    *done = !eq->joints_settled || change <= SETTLED || (last_one && change <= UNSETTLED);
    tn_status status =
        *done      ? TN_OK
        : last_one ? stay_at_start(setup, eq, &solving->answer, state, error)
                   : follow_solution(setup, eq, &solving->answer, state, change > 0.5 * last ? 0.5 : 1.0, error);
    tn_arena_release(setup->arena, mark);
    if (status == TN_OK && !*done) { // the problem's rows are a copy where there are contacts
        status = tn_rows_join(&eq->rows.contacts, &eq->joints.rows, setup->arena, &eq->constraints);
    }
    return status;
}

// Whether the solution takes a coordinate beyond a limit that is no row.
static bool passes_far(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                       const tn_state *state)
{
    const tn_model *model = setup->model;
    for (int i = 0; i < eq->joints.n_far; i++) {
        const tn_model_joint_row *row = &model->joint_rows[eq->joints.far[i]];
        const tn_model_joint *joint = &model->joints[row->joint];
        int rate = model->trees->link[model->trees->link_of_joint[row->joint]].rate + row->index;
        double q = state->joint_coordinate[joint->first_coordinate + row->index];
        q += eq->balance.h * answer->reduced->rates[rate];
        if (tn_joint_room(&joint->description->drive[joint->axis[row->index]], row->role, q) < 0.0) {
            return true;
        }
    }
    return false;
}

// All limits are rows, and start with what has been solved.
static tn_status take_far(const tn_step_setup *setup, tn_step_equations *eq, const tn_step_answer *answer,
                          const tn_state *state, tn_error *error)
{
    const double *force = forces_by_row(setup, eq, answer, error);
    tn_status status = force
                           ? tn_joint_step_complete(setup->model, state, &eq->balance, setup->arena, &eq->joints, error)
                           : TN_NO_MEMORY;
    if (status == TN_OK) { // the problem's rows are a copy where there are contacts
        status = tn_rows_join(&eq->rows.contacts, &eq->joints.rows, setup->arena, &eq->constraints);
    }
    for (int i = 0; status == TN_OK && i < eq->joints.rows.n_singles; i++) {
        tn_sim_joint_forces(eq, answer)[i] = force[eq->joints.source[i]];
    }
    return status;
}

// Of euler and implicit.
static tn_status solve_at_start(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                                tn_step_report *report, tn_error *error)
{
    tn_status status = tn_sim_solve(setup, solving, report, error);
    if (status != TN_OK || !passes_far(setup, &solving->eq, &solving->answer, state)) {
        return status;
    }
    int iterations = report->solve.iterations;
    status = take_far(setup, &solving->eq, &solving->answer, state, error);
    status = status == TN_OK ? tn_sim_solve(setup, solving, report, error) : status;
    report->solve.iterations += iterations;
    return status;
}

tn_status tn_sim_joints_solve(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                              tn_step_report *report, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    bool done = false;
    double change, last = INFINITY, scale = 0.0;
    int iterations = 0;
    eq->joints_settled = true;
    if (!along_the_step(setup)) {
        return solve_at_start(setup, solving, state, report, error);
    }
    for (bool first = true;; first = false) {
        tn_status status = tn_sim_solve(setup, solving, report, error);
        report->solve.iterations = iterations += report->solve.iterations;
        if (status != TN_OK) {
            return status;
        }
        scale = first ? fastest_velocity(setup, eq, &solving->answer) : scale; // a later solution may be anywhere
        change = scale > 0.0 ? change_of_solution(setup, eq, &solving->answer) / scale : 0.0;
        status = renew(setup, solving, state, change, last, &done, error);
        if (status != TN_OK || done) {
            return status;
        }
        last = change;
    }
}

void tn_sim_joints_warm(const tn_step_setup *setup, const tn_step_equations *eq, const tn_state *state, double *lambda)
{
    double *force = lambda + 3 * (size_t)eq->rows.contacts.n_triples;
    for (int i = 0; i < eq->joints.rows.n_singles; i++) {
        force[i] = state->joint_force[eq->joints.source[i]];
    }
    const tn_rows *triples = &eq->rows.contacts;
    for (int m = triples->n_triples - eq->rows.n_balls; m < triples->n_triples; m++) {
        tn_vec3_copy(lambda + 3 * (size_t)m,
                     state->joint_force + tn_model_ball_force(setup->model, eq->rows.source[m]));
    }
}

void tn_sim_joints_remember(const tn_solved_step *step, tn_state *state)
{
    const tn_model *model = step->setup->model;
    if (model->n_joints == 0) {
        return;
    }
    memcpy(state->joint_coordinate, step->next->coordinate,
           (size_t)model->n_joint_coordinates * sizeof *state->joint_coordinate);
    memcpy(state->joint_bend, step->next->bend, (size_t)model->n_joint_coordinates * sizeof *state->joint_bend);
    memset(state->joint_force, 0, tn_model_joint_force_count(model) * sizeof *state->joint_force);
    const double *force = tn_sim_joint_forces(step->eq, step->answer);
    for (int i = 0; i < step->eq->joints.rows.n_singles; i++) {
        state->joint_force[step->eq->joints.source[i]] = force[i];
    }
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        if (tn_trees_hold(model->trees, j)) { // holds are a joint's first rows
            memcpy(state->joint_force + joint->first_row, step->answer->reduced->hold + joint->first_row,
                   (size_t)joint->n_holds * sizeof *state->joint_force);
        }
    }
    const tn_rows *triples = &step->eq->rows.contacts;
    for (int m = triples->n_triples - step->eq->rows.n_balls; m < triples->n_triples; m++) {
        tn_vec3_copy(state->joint_force + tn_model_ball_force(model, step->eq->rows.source[m]),
                     step->answer->solution.lambda + 3 * (size_t)m);
    }
}

// ---- where the step ends

// G v of a coordinate with what kinematic bodies contribute [m/s, rad/s].
static double coordinate_rate(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                              const tn_state *state, const tn_model_joint *joint, int k)
{
    const tn_joint_step *step = &eq->joints;
    const tn_joint_geometry *at = &step->geometry[joint - setup->model->joints];
    const tn_pose *poses = step->sides.poses;
    return tn_joint_prescribed(setup->model, joint, &at->coordinate[k], state->time, eq->balance.h) +
           tn_joint_rate(setup->model, joint, poses, at, &at->coordinate[k], answer->solution.v);
}

static bool is_of_tree(const tn_model *model, int joint)
{
    return model->trees && model->trees->link_of_joint[joint] >= 0;
}

// Of all coordinates but those of gears and of trees (trees.c), as the solve has them.
static void find_rates(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                       const tn_state *state, double *out)
{
    for (int i = 0; i < setup->model->n_joints; i++) {
        const tn_model_joint *joint = &setup->model->joints[i];
        bool other = joint->kind != TN_JOINT_GEAR && !is_of_tree(setup->model, i);
        for (int k = 0; other && k < joint->n_coordinates; k++) {
            out[joint->first_coordinate + k] = coordinate_rate(setup, eq, answer, state, joint, k);
        }
    }
}

// Coordinates at the step's end of all joints but those of trees, which have them (trees.c). They are about where their
// rates lead, so that turns are counted right.
static void find_coordinates(const tn_step_placing *at, const double *rates)
{
    const tn_model *model = at->setup->model;
    const tn_joint_sides end = {at->next->pose, at->next->x};
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        double expected[TN_JOINT_COORDINATES];
        if (joint->n_coordinates == 0 || is_of_tree(model, i)) {
            continue;
        }
        for (int k = 0; k < joint->n_coordinates; k++) {
            int c = joint->first_coordinate + k;
            expected[k] = at->state->joint_coordinate[c] + at->eq->balance.h * rates[c];
        }
        tn_joint_coordinates(model, joint, &end, expected, at->next->coordinate + joint->first_coordinate);
    }
}

// By how much faster coordinates went than at their rates of the solve, for the next step's rows. midpoint has it in
// its own, gears have that of their parts.
static void find_bends(const tn_step_placing *at, const double *rates)
{
    const double h = at->eq->balance.h, *start = at->state->joint_coordinate, *end = at->next->coordinate;
    const tn_model *model = at->setup->model;
    for (int i = 0; i < model->n_joints && !along_the_step(at->setup); i++) {
        const tn_model_joint *joint = &model->joints[i];
        int first = joint->first_coordinate, n = joint->kind == TN_JOINT_GEAR ? 0 : joint->n_coordinates;
        for (int c = first; c < first + n; c++) {
            at->next->bend[c] = (end[c] - start[c]) / h - rates[c];
        }
    }
}

// Where a correction leads to.
typedef struct corrected {
    tn_pose *pose;      // (n_bodies)
    double *x;          // (3 n_nodes)
    double *coordinate; // (n_joint_coordinates)
    double drift;
} corrected;

static bool is_moved(const tn_model_body *body, const double *v)
{
    bool moved = false;
    for (int k = 3 * body->block; k < 3 * (body->block + body->n_blocks); k++) {
        moved = moved || v[k] != 0.0;
    }
    return moved;
}

// Links that have been moved, along joints to first order, hang from one another as their coordinates say: what that
// leaves is in the loops alone.
static void hang(const tn_model *model, const double *v, corrected *to)
{
    for (int l = 0; l < model->trees->n_links; l++) {
        const tn_tree_link *link = &model->trees->link[l];
        double turn[4];
        if (link->joint >= 0 && is_moved(&model->bodies[link->body], v)) {
            tn_joint_turn(&model->joints[link->joint], to->pose, turn);
            tn_tree_place(model, link, &to->pose[link->from], to->coordinate, turn, &to->pose[link->body]);
        }
    }
}

static bool apply_correction(const tn_step_setup *setup, const tn_step_next *next, const double *v, corrected *to)
{
    const tn_model *model = setup->model;
    size_t n_x = model->n_softs > 0 ? 3 * (size_t)model->n_nodes : 0;
    to->pose = TN_PUSH_RAW(setup->arena, tn_pose, model->n_bodies);
    to->x = TN_PUSH_RAW(setup->arena, double, n_x);
    to->coordinate = TN_PUSH(setup->arena, double, model->n_joint_coordinates);
    if (!to->pose || !to->x || !to->coordinate) {
        return false;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        to->pose[b] = next->pose[b];
        if (is_moved(&model->bodies[b], v)) { // others stay as they are to the last bit
            tn_body_move(&model->bodies[b], v + 3 * model->bodies[b].block, &to->pose[b]);
        }
    }
    tn_joint_move_nodes(model, next->x, v, 1.0, to->x);
    const tn_joint_sides sides = {to->pose, to->x};
    tn_joints_coordinates(model, &sides, next->coordinate, to->coordinate);
    if (model->trees) {
        hang(model, v, to);
        tn_joints_coordinates(model, &sides, next->coordinate, to->coordinate);
    }
    to->drift = tn_joints_drift(model, &sides, to->coordinate);
    return true;
}

static void accept_correction(const tn_step_setup *setup, tn_step_next *next, const corrected *to)
{
    const tn_model *model = setup->model;
    memcpy(next->pose, to->pose, (size_t)model->n_bodies * sizeof *to->pose);
    memcpy(next->coordinate, to->coordinate, (size_t)model->n_joint_coordinates * sizeof *to->coordinate);
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            tn_vec3_copy(next->x + 3 * (size_t)i, to->x + 3 * (size_t)i);
        }
    }
}

// One correction of next->pose and next->x, as much of it as makes *drift less, which becomes what is left; else none.
static tn_status correct(const tn_step_setup *setup, const tn_step_equations *eq, tn_step_next *next, double end,
                         const tn_joint_correction *last, double *drift, tn_error *error)
{
    const tn_model *model = setup->model;
    const tn_joint_sides sides = {next->pose, next->x};
    tn_joint_step step;
    tn_status status = tn_joint_step_position(model, &sides, next->coordinate, tn_joint_correction_span(setup, eq), end,
                                              setup->arena, &step, error);
    double *v = TN_PUSH(setup->arena, double, 3 * (size_t)model->n_blocks);
    tn_joint_correction correction;
    corrected to;
    if (status != TN_OK || !v) {
        return TN_NO_MEMORY;
    }
    if (step.rows.n_singles == 0) {
        return TN_OK;
    }
    status = tn_joint_correction_create(setup, eq, &step.rows, false, last, &correction);
    status = status == TN_OK ? tn_joint_correction_find(setup, &correction, v, error) : status;
    if (status != TN_OK) {
        return status;
    }
    for (int k = 0; k < MAX_HALVINGS; k++) {
        tn_arena_mark mark = tn_arena_get_mark(setup->arena);
        if (!apply_correction(setup, next, v, &to)) {
            return TN_NO_MEMORY;
        }
        if (to.drift < *drift) {
            accept_correction(setup, next, &to);
            *drift = to.drift;
            return TN_OK;
        }
        tn_arena_release(setup->arena, mark);
        for (int i = 0; i < 3 * model->n_blocks; i++) {
            v[i] *= 0.5;
        }
    }
    return TN_OK;
}

tn_status tn_sim_joints_advance(const tn_step_placing *at, tn_error *error)
{
    const tn_step_setup *setup = at->setup;
    const tn_step_equations *eq = at->eq;
    tn_step_next *next = at->next;
    const tn_model *model = setup->model;
    if (model->n_joints == 0) {
        return TN_OK;
    }
    const tn_joint_sides sides = {next->pose, next->x};
    bool exact = model->trees && model->trees->all;
    double *rates = TN_PUSH(setup->arena, double, model->n_joint_coordinates);
    if (!rates) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d coordinates", model->n_joint_coordinates);
    }
    find_rates(setup, eq, at->answer, at->state, rates);
    tn_status status = model->trees ? tn_sim_trees_advance(at, rates, error) : TN_OK;
    if (status != TN_OK) {
        return status;
    }
    find_coordinates(at, rates);
    int most = exact ? 0 : model->settings.projection;
    bool finely = !eq->joints_settled || (model->trees && most > 0); // what turns far is here brought together at all
    most = finely && !exact && most < CORRECTIONS ? CORRECTIONS : most;
    const double allowed = fmin(EXACT, OF_SMALLEST * model->smallest);
    bool shakes = most > 0 && tn_sim_shakes(model);
    double drift = most > 0 && !shakes ? tn_joints_drift(model, &sides, next->coordinate) : 0.0;
    tn_arena_mark before = tn_arena_get_mark(setup->arena);
    tn_joint_correction shaken = {.factored = false};
    status = shakes ? tn_sim_shake(at, allowed, &shaken, &drift, error) : TN_OK;
    double last = INFINITY, end = (double)(at->state->step_count + 1) * model->settings.step;
    for (int k = 0; status == TN_OK && k < most && drift > allowed && drift < last; k++) {
        tn_arena_mark mark = tn_arena_get_mark(setup->arena);
        last = drift;
        status = correct(setup, eq, next, end, &shaken, &drift, error);
        tn_arena_release(setup->arena, mark);
    }
    tn_arena_release(setup->arena, before);
    if (status != TN_OK) {
        return tn_error_set(error, status, "cannot correct the positions of %d joints", model->n_joints);
    }
    find_bends(at, rates);
    tn_state_place_attached(model, next->pose, next->x);
    return TN_OK;
}

// Whether row i of the first solve has one in the second.
static bool acts_at_end(const tn_step_setup *setup, const tn_step_equations *eq, int i)
{
    const tn_model_joint_row *row = &setup->model->joint_rows[eq->joints.source[i]];
    const tn_model_joint *joint = &setup->model->joints[row->joint];
    return tn_joint_softness_of(joint, row).compliance == 0.0;
}

tn_status tn_sim_joints_end(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                            tn_step_next *next, const tn_state *state, tn_impact_joints *out, tn_error *error)
{
    const tn_model *model = setup->model;
    const tn_joint_step *first = &eq->joints, *end = &next->joints_end;
    double *force = TN_PUSH(setup->arena, double, model->n_joint_rows);
    bool *closed = TN_PUSH(setup->arena, bool, model->n_joint_rows);
    double *start = TN_PUSH(setup->arena, double, model->n_joint_rows);
    double *held = TN_PUSH(setup->arena, double, 3 * (size_t)model->n_blocks);
    next->joint_held = TN_PUSH(setup->arena, double, model->n_joint_rows);
    if (!force || !closed || !start || !held || !next->joint_held) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d joints", model->n_joints);
    }
    const double *solved = tn_sim_joint_forces(eq, answer);
    for (int i = 0; i < first->rows.n_singles; i++) {
        next->joint_held[i] = eq->joints_settled || !acts_at_end(setup, eq, i) ? solved[i] : 0.0;
        force[first->source[i]] = next->joint_held[i];
        closed[first->source[i]] =
            tn_single_active(&first->rows, i, eq->problem.A, answer->solution.v, solved[i]) == TN_ACTIVE_INSIDE;
    }
    tn_singles_add_force(&first->rows, next->joint_held, held);
    const tn_joint_sides sides = {next->pose, next->x};
    const tn_joint_first of_first = {.force = force, .closed = closed, .input = setup->input};
    tn_status status =
        tn_joint_step_end(model, state, &sides, next->coordinate, &of_first, setup->arena, &next->joints_end, error);
    *out = (tn_impact_joints){.end = &end->rows, .start = start, .held = held};
    return status;
}

// ---- work

// What the damper of a soft limit takes in the step: the force that is not the spring's, at the rate of v^. Where the
// force is none in spite of the spring, that is released into the damper.
static double limit_loss(const tn_step_setup *setup, const tn_step_equations *eq, const tn_state *state,
                         const tn_model_joint_row *row, tn_joint_softness soft, double rate, double f)
{
    const tn_model_joint *joint = &setup->model->joints[row->joint];
    double h = eq->balance.h, q = state->joint_coordinate[joint->first_coordinate + row->index];
    double room = tn_joint_room(&joint->description->drive[joint->axis[row->index]], row->role, q);
    double end = room + eq->balance.kappa * h * rate;
    if (f > 0.0) {
        return h * soft.damping * (rate + fmax(room, 0.0) / h) * rate;
    }
    return end < 0.0 ? -h * end / soft.compliance * rate : 0.0;
}

// Of row i of a step's rows with the force f: over the time h at the mean velocity, and at v^ what a damper takes.
static void add_row_work(const tn_solved_step *step, const tn_state *state, const tn_joint_step *joints, int i,
                         double f, const double *mean, tn_joint_work *out)
{
    const tn_model_joint_row *row = &step->setup->model->joint_rows[joints->source[i]];
    tn_joint_softness soft = tn_joint_softness_of(&step->setup->model->joints[row->joint], row);
    bool limit = row->role == TN_ROLE_LOW || row->role == TN_ROLE_HIGH;
    bool damped = soft.damping > 0.0 || (limit && soft.compliance > 0.0); // else nobody asks for the rate
    if (f == 0.0 && !damped) {
        return;
    }
    double h = step->eq->balance.h, moved = tn_single_velocity(&joints->rows, i, mean) - joints->rows.offset[i];
    double whole = h * f * moved, driven = joints->driven[i];
    out->whole += whole;
    // Kinematic bodies push against the force wherever it comes from.
    out->injected -= h * f * driven;
    double rate =
        damped ? tn_single_velocity(&joints->rows, i, step->answer->solution.v) - joints->rows.offset[i] + driven : 0.0;
    switch (row->role) {
    case TN_ROLE_HOLD:
    case TN_ROLE_SPRING:
        out->dissipated += h * soft.damping * rate * rate;
        break;
    case TN_ROLE_ARMATURE: // is kept
    case TN_ROLE_ACROSS:   // the scheme's own
        break;
    case TN_ROLE_MOTOR:
        out->injected += whole + h * f * driven;
        break;
    case TN_ROLE_FRICTION:
        out->dissipated -= whole + h * f * driven;
        break;
    default:
        out->dissipated += soft.compliance > 0.0 ? limit_loss(step->setup, step->eq, state, row, soft, rate, f)
                                                 : -(whole + h * f * driven);
        break;
    }
}

static void add_rows_work(const tn_solved_step *step, const tn_state *state, const tn_joint_step *joints,
                          const double *force, const double *mean, tn_joint_work *out)
{
    for (int i = 0; i < joints->rows.n_singles; i++) {
        add_row_work(step, state, joints, i, force[i], mean, out);
    }
}

// Of the holds that are no rows: what kinematic bodies do by them, which trees hang from.
static void add_holds_work(const tn_solved_step *step, const tn_state *state, const double *mean, tn_joint_work *out)
{
    const tn_model *model = step->setup->model;
    double h = step->eq->balance.h;
    out->whole += h * tn_dot(3 * (size_t)model->n_blocks, step->next->holds->held, mean);
    for (int l = 0; l < model->trees->n_links; l++) {
        const tn_tree_link *link = &model->trees->link[l];
        if (link->joint < 0 || model->bodies[link->from].kind != TN_BODY_KINEMATIC ||
            !tn_trees_hold(model->trees, link->joint)) {
            continue;
        }
        const tn_model_joint *joint = &model->joints[link->joint];
        for (int i = 0; i < joint->n_holds; i++) {
            double driven =
                tn_joint_prescribed(model, joint, &step->eq->joints.geometry[link->joint].hold[i], state->time, h);
            out->injected -= h * step->next->holds->hold[joint->first_row + i] * driven;
        }
    }
}

void tn_sim_joints_work(const tn_solved_step *step, const tn_state *state, const double *mean, tn_joint_work *out)
{
    const double *held = step->next->joint_held;
    add_rows_work(step, state, &step->eq->joints, held ? held : tn_sim_joint_forces(step->eq, step->answer), mean, out);
    if (step->next->holds) {
        add_holds_work(step, state, mean, out);
    }
}

void tn_sim_joints_end_work(const tn_solved_step *step, const tn_state *state, const double *mean, tn_joint_work *out)
{
    if (step->next->joint_rest) {
        add_rows_work(step, state, &step->next->joints_end, step->next->joint_rest, mean, out);
    }
}

// ---- energy

double tn_sim_joints_energy_at(const tn_state *state)
{
    const tn_joint_sides sides = {state->pose, state->x};
    return state->step_count > 0 && !isnan(state->joint_elastic)
               ? state->joint_elastic
               : tn_joints_energy(state->model, &sides, state->joint_coordinate);
}

// What strains the spring of row i at the step's end. A spring K and damper D, strained by x at its start, bear the
// force f = -K z - D u at the rate u, with z = x + h u. The row says so with w = x/(h + lag), lag = D/K, and R = 1/(h K
// + D), which makes z = lag w - h R f: of what is stiff no digit is lost. A limit that bears nothing is where the
// bodies are.
static double strain_at_end(const tn_step_equations *eq, const tn_step_answer *answer, int i, bool limit, double lag)
{
    const tn_joint_step *step = &eq->joints;
    double h = eq->balance.h, w = step->rows.offset[i] - step->driven[i], f = tn_sim_joint_forces(eq, answer)[i];
    if (limit && f == 0.0) {
        return fmin(0.0, lag * fmin(w, 0.0) + h * tn_single_velocity(&step->rows, i, answer->solution.v));
    }
    return lag * (limit ? fmin(w, 0.0) : w) - h * step->rows.compliance[i] * f;
}

double tn_sim_joints_energy(const tn_solved_step *step, int only)
{
    if (along_the_step(step->setup)) { // to which positions and forces belong alike
        const tn_joint_sides end = {step->next->pose, step->next->x};
        tn_model one = *step->setup->model;
        if (only >= 0) {
            one.n_joints = 1;
            one.joints += only;
        }
        return tn_joints_energy(&one, &end, step->next->coordinate);
    }
    const tn_model *model = step->setup->model;
    const tn_joint_step *joints = &step->eq->joints;
    double energy = 0.0;
    for (int i = 0; i < joints->rows.n_singles; i++) {
        if (only >= 0 && joints->rows.joint[i] != only) {
            continue;
        }
        const tn_model_joint_row *row = &model->joint_rows[joints->source[i]];
        tn_joint_softness soft = tn_joint_softness_of(&model->joints[row->joint], row);
        if (soft.compliance > 0.0 && isfinite(soft.compliance) && row->role != TN_ROLE_MOTOR) {
            bool limit = row->role == TN_ROLE_LOW || row->role == TN_ROLE_HIGH;
            double strain = strain_at_end(step->eq, step->answer, i, limit, soft.compliance * soft.damping);
            energy += 0.5 * strain * strain / soft.compliance;
        }
    }
    return energy;
}
