// Schemes euler and implicit: joints hold at the step's end by forces of its start (SHAKE; Ryckaert, Ciccotti and
// Berendsen 1977).
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
// A body that turns far within a step does not go where its velocity at the start points; corrections of that would
// drive it (a wheel at 150 rad/s on a swinging axle, 10 ms). There they go by secants as well, as many as it takes. So
// what spins keeps its gyroscopic effect: a top's precession a step is its torque by its momentum to first order in the
// torque, whatever it spins in a step.
//
// Each mechanism by itself: what comes to a limit, is not led together or leaps is left alone, the others go on.
// Mechanisms with trees in reduced coordinates are placed by these (trees.c).
#include "math/secants.h"
#include "math/vec3.h"
#include "problem/rows.h"
#include "sim/joint_correction.h"
#include "sim/mechanisms.h"

#include <math.h>
#include <string.h>

// Corrections, each of which leaves about the turn of the step of an error; with fewer than three a heavy top at 1500
// rpm and 1 ms is off by 20 mm instead of 1.5 (bench rigid --only orders).
enum { SHAKES = 3, FAR_SHAKES = 20 };

// Turn within a step from which on a body is not led by its velocity [rad]: a top of 1 kg at 200 rad/s and 1 ms would
// precess 0.15 % too fast without secants, and does so by 0.01 %.
static const double FAR = 0.1;

// Of an error, what corrections that go astray leave: three of them, of a body that turns by half a radian.
static const double ASTRAY = 0.125;

bool tn_sim_turns_far(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer, int b)
{
    const tn_model_body *body = &setup->model->bodies[b];
    const double *v = answer->solution.v + 3 * (size_t)body->block;
    double spin = body->n_blocks == 2 ? tn_vec3_norm(v + 3) : body->n_blocks == 1 ? fabs(v[2]) : 0.0;
    return eq->balance.h * spin > FAR;
}

static bool joint_turns_far(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                            int i)
{
    const tn_model_joint *joint = &setup->model->joints[i];
    bool gear = joint->kind == TN_JOINT_GEAR; // joins coordinates, not bodies
    bool a = !gear && joint->set_a < 0 && tn_sim_turns_far(setup, eq, answer, joint->body_a);
    return a || (!gear && joint->set_b < 0 && tn_sim_turns_far(setup, eq, answer, joint->body_b));
}

// place[i] = row of the step's start that row i of the correction belongs to; -1: there is none.
static void find_rows(const tn_step_equations *eq, const tn_joint_step *step, int *place)
{
    for (int i = 0, k = 0; i < step->rows.n_singles; i++) {
        while (k < eq->joints.rows.n_singles && eq->joints.source[k] < step->source[i]) {
            k++;
        }
        place[i] = k < eq->joints.rows.n_singles && eq->joints.source[k] == step->source[i] ? k : -1;
    }
}

// The correction's rows with the Jacobians of the start; rows that were none keep their own, and have no error.
static bool take_jacobians(const tn_step_setup *setup, const tn_step_equations *eq, const int *place, tn_rows *to)
{
    const tn_rows *from = &eq->joints.rows;
    int entries = from->start[from->n_singles] + to->start[to->n_singles];
    int *start = TN_PUSH_RAW(setup->arena, int, to->n_singles + 1), *block = TN_PUSH_RAW(setup->arena, int, entries);
    double *jacobian = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)entries);
    if (!start || !block || !jacobian) {
        return false;
    }
    start[0] = 0;
    for (int i = 0; i < to->n_singles; i++) {
        const tn_rows *of = place[i] < 0 ? to : from;
        int row = place[i] < 0 ? i : place[i], first = of->start[row], count = of->start[row + 1] - first;
        memcpy(block + start[i], of->block + first, (size_t)count * sizeof *block);
        memcpy(jacobian + 3 * start[i], of->jacobian + 3 * first, 3 * (size_t)count * sizeof *jacobian);
        start[i + 1] = start[i] + count;
    }
    to->start = start;
    to->block = block;
    to->jacobian = jacobian;
    return true;
}

// Forces on the rows, in the solution and in what it pushes.
static void add_forces(const tn_step_equations *eq, const double *force, double *solved, double *push)
{
    for (int i = 0; i < eq->joints.rows.n_singles; i++) {
        solved[i] += force[i];
        tn_single_push(&eq->joints.rows, i, force[i], push);
    }
}

// What a step's corrections share.
typedef struct shake {
    int n, *source, *place;          // rows; (n) as tn_joint_step's, and the row of the step's start
    double *errors, *way;            // (n), (3 n_blocks)
    double *force, *all_ways;        // (rows of the step), (3 n_blocks) of all corrections
    tn_mechanisms mechanisms;        //
    double *before, *drift;          // (mechanisms.n) what they are off without corrections, and with them
    double *leap;                    // (mechanisms.n) twice the kinetic energy that is too much
    bool *active, *shaken;           // (mechanisms.n) takes part in the next one, has taken part in the first
    bool *far, any_far;              // (mechanisms.n) goes by secants
    bool moves_nodes;                // of soft bodies that are attached to them, too
    tn_secants secants;              // of ways and forces by errors
    double *taken;                   // (3 n_blocks + n) way and force of a correction
    tn_pose *pose;                   // (n_bodies) where the bodies of others are
    tn_joint_step step;              // of the first of them
    tn_joint_correction *correction; // the caller's
} shake;

// Where v^ leads what is shaken, and what the mechanisms are off there. Trees that turn far are not where v^ leads.
static void go(const tn_step_placing *at, shake *s)
{
    const tn_model *model = at->setup->model;
    tn_step_next *next = at->next;
    const tn_joint_sides sides = {next->pose, next->x};
    tn_sim_advance(at->setup, at->state, at->answer->solution.v, next->pose, next->turn, next->x);
    for (int b = 0; b < model->n_bodies; b++) {
        if (!s->shaken[s->mechanisms.of_body[b]]) {
            next->pose[b] = s->pose[b];
        }
    }
    tn_joints_coordinates(model, &sides, next->coordinate, next->coordinate);
    memset(s->drift, 0, (size_t)s->mechanisms.n * sizeof *s->drift);
    for (int i = 0; i < model->n_joints; i++) {
        double *most = &s->drift[s->mechanisms.of_joint[i]];
        *most = fmax(*most, tn_joint_drift(model, i, &sides, next->coordinate));
    }
}

// v^ += part/h way, of some blocks.
static void add_way(const tn_step_placing *at, shake *s, int block, int n_blocks, const double *way, double part)
{
    for (int i = 3 * block; i < 3 * (block + n_blocks); i++) {
        double more = part * way[i];
        at->answer->solution.v[i] += more / at->eq->balance.h;
        s->all_ways[i] += more;
    }
}

// The same of all bodies of mechanisms that are chosen, and of nodes of soft bodies that are attached to them.
static void add_ways(const tn_step_placing *at, shake *s, const bool *chosen, const double *way, double part)
{
    const tn_model *model = at->setup->model;
    for (int b = 0; b < model->n_bodies; b++) {
        if (chosen[s->mechanisms.of_body[b]]) {
            add_way(at, s, model->bodies[b].block, model->bodies[b].n_blocks, way, part);
        }
    }
    for (int i = 0; s->moves_nodes && i < model->n_nodes; i++) {
        int m = s->mechanisms.of_soft[model->node_soft[i]];
        if (model->nodes[i].block >= 0 && chosen[m]) {
            add_way(at, s, model->nodes[i].block, 1, way, part);
        }
    }
}

// Whether errors are taken away by secants too: rows that only push, as limits do, have errors that stay.
static bool has_secants(const shake *s)
{
    return s->any_far && s->correction->factored;
}

// For the rows of `step`. False: no memory.
static bool make_secants(const tn_step_setup *setup, const tn_joint_step *step, shake *s)
{
    const tn_model *model = setup->model;
    int n_ways = 3 * model->n_blocks, *group = TN_PUSH(setup->arena, int, n_ways + s->n);
    double *weight = TN_PUSH(setup->arena, double, s->n);
    s->taken = TN_PUSH(setup->arena, double, n_ways + s->n);
    if (!group || !weight || !s->taken) {
        return false;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        for (int i = 0; i < 3 * model->bodies[b].n_blocks; i++) {
            group[3 * model->bodies[b].block + i] = s->mechanisms.of_body[b];
        }
    }
    for (int i = 0; i < s->n; i++) {
        int mechanism = group[n_ways + i] = s->mechanisms.of_joint[step->rows.joint[i]];
        weight[i] = s->far[mechanism] ? s->correction->motion.mass[i] : 0.0;
    }
    s->secants = (tn_secants){.most = FAR_SHAKES,
                              .n_groups = s->mechanisms.n,
                              .n_steps = n_ways + s->n,
                              .n_residuals = s->n,
                              .group_of_step = group,
                              .group_of_residual = group + n_ways,
                              .weight = weight};
    return tn_secants_create(setup->arena, &s->secants);
}

// The rows of `step` from now on.
static tn_status begin(const tn_step_setup *setup, const tn_step_equations *eq, tn_joint_step *step, shake *s)
{
    int n = step->rows.n_singles;
    s->n = n;
    s->source = TN_PUSH_RAW(setup->arena, int, n);
    s->place = TN_PUSH_RAW(setup->arena, int, n);
    s->errors = TN_PUSH_RAW(setup->arena, double, n);
    if (!s->source || !s->place || !s->errors) {
        return TN_NO_MEMORY;
    }
    find_rows(eq, step, s->place);
    memcpy(s->source, step->source, (size_t)n * sizeof *s->source);
    step->rows.offset = s->errors;
    tn_status status = take_jacobians(setup, eq, s->place, &step->rows)
                           ? tn_joint_correction_create(setup, eq, &step->rows, true, NULL, s->correction)
                           : TN_NO_MEMORY;
    return status == TN_OK && has_secants(s) && !make_secants(setup, step, s) ? TN_NO_MEMORY : status;
}

// The factor of the last correction serves for the errors of `step` too.
static bool has_same_rows(const shake *s, const tn_joint_step *step)
{
    return s->correction->factored && step->rows.n_singles == s->n &&
           memcmp(step->source, s->source, (size_t)s->n * sizeof *s->source) == 0;
}

// Errors at the places of `next` into s->errors, and their factor where that of the last correction does not serve.
static tn_status find_errors(const tn_step_placing *at, shake *s, tn_error *error)
{
    const tn_step_setup *setup = at->setup;
    const tn_joint_sides sides = {at->next->pose, at->next->x};
    const double *coordinate = at->next->coordinate;
    double end = (double)(at->state->step_count + 1) * setup->model->settings.step;
    double span = tn_joint_correction_span(setup, at->eq);
    if (s->correction->factored && tn_joint_step_errors(setup->model, &sides, coordinate, span, end, &s->step)) {
        memcpy(s->errors, s->step.arrays.offset, (size_t)s->n * sizeof *s->errors);
        return TN_OK;
    }
    tn_joint_step step;
    tn_status status = tn_joint_step_position(setup->model, &sides, coordinate, span, end, setup->arena, &step, error);
    const double *errors = step.rows.offset;
    if (status == TN_OK && !has_same_rows(s, &step)) {
        status = begin(setup, at->eq, &step, s);
    }
    if (status == TN_OK) {
        memcpy(s->errors, errors, (size_t)s->n * sizeof *s->errors);
        s->step = step;
    }
    return status;
}

static int mechanism_of(const shake *s, int row)
{
    return s->mechanisms.of_joint[s->step.rows.joint[row]];
}

// Mechanisms that come to a limit, which no force of the step's start keeps, take no part; the others' errors count.
// False: there are none.
static bool choose(shake *s)
{
    bool any = false;
    for (int i = 0; i < s->n; i++) {
        s->active[mechanism_of(s, i)] = s->active[mechanism_of(s, i)] && s->place[i] >= 0;
    }
    for (int i = 0; i < s->n; i++) {
        bool counts = s->active[mechanism_of(s, i)];
        s->errors[i] = counts ? s->errors[i] : 0.0;
        any = any || counts;
    }
    return any;
}

// Way and force that take s->errors away.
static tn_status find_way(const tn_step_setup *setup, shake *s, tn_error *error)
{
    size_t n_ways = 3 * (size_t)setup->model->n_blocks;
    if (!has_secants(s)) {
        return tn_joint_correction_find(setup, s->correction, s->way, error);
    }
    tn_secants_ask(&s->secants, s->errors, s->taken);
    tn_status status = tn_joint_correction_find(setup, s->correction, s->way, error);
    for (size_t i = 0; i < n_ways; i++) {
        s->way[i] = s->taken[i] += s->way[i];
    }
    for (size_t i = 0; i < (size_t)s->n; i++) {
        s->correction->force[i] = s->taken[n_ways + i] += s->correction->force[i];
    }
    tn_secants_tell(&s->secants, s->taken);
    return status;
}

// One correction of the mechanisms that take part.
static tn_status correct(const tn_step_placing *at, shake *s, tn_error *error)
{
    double square = at->eq->balance.h * at->eq->balance.h / tn_joint_correction_span(at->setup, at->eq);
    tn_status status = find_errors(at, s, error);
    if (status != TN_OK || !choose(s)) {
        memset(s->active, 0, (size_t)s->mechanisms.n * sizeof *s->active);
        return status;
    }
    status = find_way(at->setup, s, error);
    if (status != TN_OK) {
        return status;
    }
    add_ways(at, s, s->active, s->way, 1.0);
    for (int i = 0; i < s->n; i++) {
        if (s->active[mechanism_of(s, i)]) {
            s->force[s->place[i]] += s->correction->force[i] / square;
        }
    }
    go(at, s);
    return TN_OK;
}

// Whether any mechanism goes on to correction k: those that are off by more than `exact` and did not stop.
static bool go_on(shake *s, int k, double exact)
{
    bool any = false;
    for (int m = 0; m < s->mechanisms.n; m++) {
        bool may = k < (s->far[m] && has_secants(s) ? FAR_SHAKES : SHAKES);
        s->active[m] = s->active[m] && s->drift[m] > exact && may;
        any = any || s->active[m];
    }
    return any;
}

static bool goes_astray(const shake *s, int m, double exact)
{
    return (s->drift[m] > exact && s->drift[m] > ASTRAY * s->before[m]) || (s->far[m] && s->leap[m] > 0.0);
}

// What all corrections have added to the kinetic energy: they are along what the joints hold, across the velocities of
// the solve.
static void find_leaps(const tn_step_placing *at, shake *s)
{
    const tn_model *model = at->setup->model;
    for (int b = 0; s->any_far && b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        for (int i = 3 * body->block; i < 3 * (body->block + body->n_blocks); i++) {
            double more = s->all_ways[i] / at->eq->balance.h, before = at->answer->solution.v[i] - more;
            s->leap[s->mechanisms.of_body[b]] +=
                at->eq->balance.mass[i] * (more * more - TN_SIM_LEAP * before * before);
        }
    }
}

// What did not lead a mechanism together is taken back; the forces of the rest count.
static void settle(const tn_step_placing *at, double exact, shake *s)
{
    const tn_joint_step *step = &at->eq->joints;
    bool back = false;
    find_leaps(at, s);
    for (int m = 0; m < s->mechanisms.n; m++) {
        s->active[m] = goes_astray(s, m, exact);
        back = back || s->active[m];
    }
    add_ways(at, s, s->active, s->all_ways, -1.0); // which it changes as it reads them
    for (int i = 0; i < step->rows.n_singles; i++) {
        int m = s->mechanisms.of_joint[step->rows.joint[i]];
        s->force[i] = s->active[m] ? 0.0 : s->force[i];
    }
    add_forces(at->eq, s->force, tn_sim_joint_forces(at->eq, at->answer), at->answer->products.push);
    if (back) {
        go(at, s);
    }
}

static bool make_room(const tn_step_placing *at, shake *s)
{
    const tn_model *model = at->setup->model;
    tn_arena *arena = at->setup->arena;
    if (!tn_mechanisms_find(model, arena, &s->mechanisms)) {
        return false;
    }
    s->before = TN_PUSH(arena, double, s->mechanisms.n);
    s->drift = TN_PUSH(arena, double, s->mechanisms.n);
    s->leap = TN_PUSH(arena, double, s->mechanisms.n);
    s->far = TN_PUSH(arena, bool, s->mechanisms.n);
    s->active = TN_PUSH(arena, bool, s->mechanisms.n);
    s->shaken = TN_PUSH(arena, bool, s->mechanisms.n);
    s->pose = TN_PUSH_RAW(arena, tn_pose, model->n_bodies);
    s->force = TN_PUSH(arena, double, at->eq->joints.rows.n_singles);
    s->way = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks);
    s->all_ways = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks);
    return s->before && s->drift && s->leap && s->far && s->active && s->shaken && s->pose && s->force && s->way &&
           s->all_ways;
}

// The mechanisms that are off.
static bool start(const tn_step_placing *at, shake *s, double exact)
{
    const tn_model *model = at->setup->model;
    const tn_joint_sides sides = {at->next->pose, at->next->x};
    for (int i = 0; i < model->n_joints; i++) {
        double *most = &s->drift[s->mechanisms.of_joint[i]];
        *most = fmax(*most, tn_joint_drift(model, i, &sides, at->next->coordinate));
    }
    for (int m = 0; m < s->mechanisms.n; m++) {
        s->before[m] = s->drift[m];
        s->active[m] = true;
    }
    for (int i = 0; i < model->n_joints; i++) {
        if (joint_turns_far(at->setup, at->eq, at->answer, i)) {
            s->far[s->mechanisms.of_joint[i]] = s->any_far = true;
        }
        if (tn_trees_hold(model->trees, i)) {
            s->active[s->mechanisms.of_joint[i]] = false;
        }
    }
    bool any = go_on(s, 0, exact);
    memcpy(s->shaken, s->active, (size_t)s->mechanisms.n * sizeof *s->shaken);
    memcpy(s->pose, at->next->pose, (size_t)model->n_bodies * sizeof *s->pose);
    return any;
}

static double worst(const shake *s)
{
    double most = 0.0;
    for (int m = 0; m < s->mechanisms.n; m++) {
        most = fmax(most, s->drift[m]);
    }
    return most;
}

bool tn_sim_shakes(const tn_model *model)
{
    bool as_euler = model->settings.scheme == TN_SCHEME_EULER || model->settings.scheme == TN_SCHEME_IMPLICIT;
    return as_euler && model->n_sets == 0;
}

tn_status tn_sim_shake(const tn_step_placing *at, double exact, tn_joint_correction *last, double *drift,
                       tn_error *error)
{
    shake s = {.correction = last, .moves_nodes = at->setup->model->joints_move_nodes};
    last->factored = false;
    if (!make_room(at, &s)) {
        return TN_NO_MEMORY;
    }
    tn_status status = TN_OK;
    bool any = start(at, &s, exact);
    for (int k = 0; status == TN_OK && go_on(&s, k, exact); k++) {
        status = correct(at, &s, error);
    }
    if (status == TN_OK && any) {
        settle(at, exact, &s);
    }
    *drift = worst(&s);
    return status;
}
