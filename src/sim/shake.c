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
#include "sim/joint_correction.h"

#include <string.h>

// Corrections, each of which leaves about the turn of the step of an error; with fewer than three a heavy top at 1500
// rpm and 1 ms is off by 20 mm instead of 1.5 (bench rigid --only orders).
enum { SHAKES = 3 };

// Turn within a step from which on a body is not led by its velocity [rad].
static const double FAR = 0.5;

static bool turns_far(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer, int b)
{
    const tn_model_body *body = &setup->model->bodies[b];
    const double *I = body->inertia;
    bool round = body->n_blocks != 2 || (I[0] == I[1] && I[1] == I[2]);
    return !round && eq->balance.h * tn_vec3_norm(answer->solution.v + 3 * body->block + 3) > FAR;
}

bool tn_sim_turns_far(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer)
{
    bool any = false;
    for (int i = 0; i < setup->model->n_joints && !any; i++) {
        const tn_model_joint *joint = &setup->model->joints[i];
        bool gear = joint->kind == TN_JOINT_GEAR; // joins coordinates, not bodies
        any = !gear && (turns_far(setup, eq, answer, joint->body_a) || turns_far(setup, eq, answer, joint->body_b));
    }
    return any;
}

// place[i] = row of the step's start that row i of the correction belongs to; false: there is none.
static bool find_rows(const tn_step_equations *eq, const tn_joint_step *step, int *place)
{
    for (int i = 0, k = 0; i < step->rows.n_singles; i++) {
        while (k < eq->joints.rows.n_singles && eq->joints.source[k] < step->source[i]) {
            k++;
        }
        if (k == eq->joints.rows.n_singles || eq->joints.source[k] != step->source[i]) {
            return false;
        }
        place[i] = k;
    }
    return true;
}

// The correction's rows with the Jacobians of the start.
static bool take_jacobians(const tn_step_setup *setup, const tn_step_equations *eq, const int *place, tn_rows *to)
{
    const tn_rows *from = &eq->joints.rows;
    int entries = from->start[from->n_singles], *start = TN_PUSH_RAW(setup->arena, int, to->n_singles + 1);
    int *block = TN_PUSH_RAW(setup->arena, int, entries);
    double *jacobian = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)entries);
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
static double go(const tn_step_placing *at, const double *way, double part)
{
    const tn_model *model = at->setup->model;
    tn_step_next *next = at->next;
    double *v = at->answer->solution.v;
    const tn_joint_sides sides = {next->pose, next->x};
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        v[i] += part / at->eq->balance.h * way[i];
    }
    tn_sim_advance(at->setup, at->state, v, next->pose, next->turn, next->x);
    tn_joints_coordinates(model, &sides, next->coordinate, next->coordinate);
    return tn_joints_drift(model, &sides, next->coordinate);
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
    tn_joint_step step;              // of the first of them
    tn_joint_correction *correction; // the caller's
} shake;

// The rows of `step` from now on. *none: there are none, or not all were rows at the start.
static tn_status begin(const tn_step_setup *setup, const tn_step_equations *eq, tn_joint_step *step, shake *s,
                       bool *none)
{
    int n = step->rows.n_singles;
    *s = (shake){.n = n,
                 .force = s->force,
                 .all_ways = s->all_ways,
                 .correction = s->correction,
                 .source = TN_PUSH_RAW(setup->arena, int, n),
                 .place = TN_PUSH_RAW(setup->arena, int, n),
                 .errors = TN_PUSH_RAW(setup->arena, double, n),
                 .way = TN_PUSH(setup->arena, double, 3 * (size_t)setup->model->n_blocks)};
    if (!s->source || !s->place || !s->errors || !s->way) {
        return TN_NO_MEMORY;
    }
    *none = n == 0 || !find_rows(eq, step, s->place);
    if (*none) {
        return TN_OK;
    }
    memcpy(s->source, step->source, (size_t)n * sizeof *s->source);
    step->rows.offset = s->errors;
    return take_jacobians(setup, eq, s->place, &step->rows)
               ? tn_joint_correction_create(setup, eq, &step->rows, true, NULL, s->correction)
               : TN_NO_MEMORY;
}

// The factor of the last correction serves for the errors of `step` too.
static bool has_same_rows(const shake *s, const tn_joint_step *step)
{
    return s->correction->factored && step->rows.n_singles == s->n &&
           memcmp(step->source, s->source, (size_t)s->n * sizeof *s->source) == 0;
}

// Errors at the places of `next` into s->errors, and their factor where that of the last correction does not serve.
static tn_status find_errors(const tn_step_placing *at, shake *s, bool *none, tn_error *error)
{
    const tn_step_setup *setup = at->setup;
    const tn_joint_sides sides = {at->next->pose, at->next->x};
    const double *coordinate = at->next->coordinate;
    double end = (double)(at->state->step_count + 1) * setup->model->settings.step;
    *none = false;
    if (s->correction->factored && tn_joint_step_errors(setup->model, &sides, coordinate, 1.0, end, &s->step)) {
        memcpy(s->errors, s->step.arrays.offset, (size_t)s->n * sizeof *s->errors);
        return TN_OK;
    }
    tn_joint_step step;
    tn_status status = tn_joint_step_position(setup->model, &sides, coordinate, 1.0, end, setup->arena, &step, error);
    const double *errors = step.rows.offset;
    if (status == TN_OK && !has_same_rows(s, &step)) {
        status = begin(setup, at->eq, &step, s, none);
    }
    if (status == TN_OK && !*none) {
        memcpy(s->errors, errors, (size_t)s->n * sizeof *s->errors);
        s->step = step;
    }
    return status;
}

// One correction, *drift what it leaves. *more: there was one.
static tn_status correct(const tn_step_placing *at, shake *s, double *drift, bool *more, tn_error *error)
{
    bool none;
    double square = at->eq->balance.h * at->eq->balance.h;
    tn_status status = find_errors(at, s, &none, error);
    *more = status == TN_OK && !none;
    if (!*more) {
        return status;
    }
    status = tn_joint_correction_find(at->setup, s->correction, s->way, error);
    if (status != TN_OK) {
        return status;
    }
    *drift = go(at, s->way, 1.0);
    for (int i = 0; i < 3 * at->setup->model->n_blocks; i++) {
        s->all_ways[i] += s->way[i];
    }
    for (int i = 0; i < s->n; i++) {
        s->force[s->place[i]] += s->correction->force[i] / square;
    }
    return TN_OK;
}

tn_status tn_sim_shake(const tn_step_placing *at, double exact, tn_joint_correction *last, double *drift,
                       tn_error *error)
{
    const tn_step_setup *setup = at->setup;
    const tn_model *model = setup->model;
    bool as_euler = model->settings.scheme == TN_SCHEME_EULER ||
                    (model->settings.scheme == TN_SCHEME_IMPLICIT && model->n_softs == 0);
    bool more = as_euler && model->n_sets == 0 && *drift > exact && !tn_sim_turns_far(setup, at->eq, at->answer);
    last->factored = false;
    if (!more) {
        return TN_OK;
    }
    shake s = {.force = TN_PUSH(setup->arena, double, at->eq->joints.rows.n_singles),
               .all_ways = TN_PUSH(setup->arena, double, 3 * (size_t)model->n_blocks),
               .correction = last};
    double before = *drift;
    tn_status status = s.force && s.all_ways ? TN_OK : TN_NO_MEMORY;
    for (int k = 0; status == TN_OK && more && k<SHAKES && * drift> exact; k++) {
        status = correct(at, &s, drift, &more, error);
    }
    if (status == TN_OK && *drift < before) {
        add_forces(at->eq, s.force, tn_sim_joint_forces(at->eq, at->answer), at->answer->products.push);
    } else if (status == TN_OK) {
        *drift = go(at, s.all_ways, -1.0);
    }
    return status;
}
