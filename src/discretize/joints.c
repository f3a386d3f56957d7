#include "discretize/joint_law.h"

#include "discretize/joint_armature.h"
#include "discretize/taut.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/rigid.h"

#include <math.h>
#include <string.h>

// known: the joints' geometry where rows are taken; NULL: it is to be found.
static bool allocate(const tn_model *model, tn_joint_geometry *known, tn_arena *arena, tn_joint_step *out)
{
    size_t n = (size_t)model->n_joint_rows, entries = (size_t)model->n_joint_entries;
    tn_joint_arrays *a = &out->arrays;
    *out = (tn_joint_step){.source = TN_PUSH_RAW(arena, int, n),
                           .driven = TN_PUSH_RAW(arena, double, n),
                           .push = TN_PUSH_RAW(arena, double, n),
                           .far = TN_PUSH_RAW(arena, int, n),
                           .geometry = known ? known : TN_PUSH_RAW(arena, tn_joint_geometry, model->n_joints)};
    *a = (tn_joint_arrays){.start = TN_PUSH(arena, int, n + 1),
                           .block = TN_PUSH_RAW(arena, int, entries),
                           .joint = TN_PUSH_RAW(arena, int, n),
                           .jacobian = TN_PUSH_RAW(arena, double, 3 * entries),
                           .offset = TN_PUSH_RAW(arena, double, n),
                           .compliance = TN_PUSH_RAW(arena, double, n),
                           .lower = TN_PUSH_RAW(arena, double, n),
                           .upper = TN_PUSH_RAW(arena, double, n)};
    out->rows = (tn_rows){.start = a->start,
                          .block = a->block,
                          .jacobian = a->jacobian,
                          .offset = a->offset,
                          .compliance = a->compliance,
                          .lower = a->lower,
                          .upper = a->upper,
                          .joint = a->joint};
    return out->source && out->driven && out->push && out->far && out->geometry && a->start && a->block && a->joint &&
           a->jacobian && a->offset && a->compliance && a->lower && a->upper;
}

static void look_at_all(const tn_model *model, const tn_joint_sides *sides, tn_joint_geometry *out)
{
    for (int i = 0; i < model->n_joints; i++) {
        tn_joint_look_at(model, &model->joints[i], sides, &out[i]);
    }
}

// Where the step's G is taken.
static void stand_at(tn_joint_rows_work *work, const tn_joint_sides *sides)
{
    tn_joint_step *out = work->out;
    out->sides = *sides;
    if (!work->looked) {
        look_at_all(work->model, sides, out->geometry);
    }
    work->errors = out->geometry;
}

// ---- Jacobians

// A motion of a joint with a factor; most rows are one, those of gears two or more, of bushings up to six.
typedef struct part {
    const tn_model_joint *joint;
    const tn_joint_geometry *geometry;
    const tn_joint_motion *motion;
    double factor;
} part;

enum { PARTS = TN_GEAR_MOST };

// What the row is the rate of; returns of how many parts. room: for a motion that is not of the joint's geometry.
static int find_parts(const tn_joint_rows_work *work, const tn_model_joint_row *row, part parts[PARTS],
                      tn_joint_motion *room)
{
    const tn_model_joint *joint = &work->model->joints[row->joint];
    if (row->role == TN_ROLE_ACROSS) {
        const tn_joint_geometry *at = &work->out->geometry[row->joint];
        *room = tn_joint_across(joint, work->out->sides.poses, at, row->index);
        parts[0] = (part){joint, at, room, 1.0};
        return 1;
    }
    if (row->role != TN_ROLE_HOLD || joint->kind == TN_JOINT_GEAR) {
        double sign = row->role == TN_ROLE_HIGH ? -1.0 : 1.0;
        tn_joint_share share[TN_GEAR_MOST];
        int n = tn_joint_shares(work->model, joint, row->index, share);
        for (int i = 0; i < n; i++) {
            const tn_joint_geometry *own = &work->out->geometry[share[i].joint - work->model->joints];
            parts[i] = (part){share[i].joint, own, &own->coordinate[share[i].k], sign * share[i].factor};
        }
        return n;
    }
    const tn_joint_geometry *geometry = &work->out->geometry[row->joint];
    const tn_joint_mix mix = tn_joint_mix_of(joint, row->index);
    for (int i = 0; i < mix.n; i++) {
        parts[i] = (part){joint, geometry, &geometry->hold[mix.hold[i]], mix.factor[i]};
    }
    return mix.n;
}

// The row's entries, behind those of the rows before.
static tn_joint_entries add_entries(const tn_joint_rows_work *work, int n, const part parts[PARTS])
{
    int first = work->out->arrays.start[work->out->rows.n_singles];
    tn_joint_entries entries = {.block = work->out->arrays.block + first,
                                .entry = (double(*)[3])(work->out->arrays.jacobian + 3 * (size_t)first)};
    for (int i = 0; i < n; i++) {
        tn_joint_add_entries(work->model, parts[i].joint, work->out->sides.poses, parts[i].geometry, parts[i].motion,
                             parts[i].factor, &entries);
    }
    return entries;
}

// What kinematic bodies contribute to the row, mean over [t, t + span].
static double driven_by(const tn_joint_rows_work *work, int n, const part parts[PARTS])
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += parts[i].factor * tn_joint_prescribed(work->model, parts[i].joint, parts[i].motion, work->t, work->span);
    }
    return sum;
}

// ---- curvature

static double coordinate_ahead(const tn_joint_rows_work *work, int coordinate)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(work->model, coordinate, &k);
    return work->ahead[joint - work->model->joints].value[k];
}

// By how much more than at their rates the coordinates that a gear couples change.
static double gear_curve(const tn_joint_rows_work *work, const tn_model_joint *gear)
{
    tn_joint_share share[TN_GEAR_MOST];
    int n = tn_joint_shares(work->model, gear, 0, share);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const tn_model_joint *joint = share[i].joint;
        const tn_joint_geometry *at = &work->out->geometry[joint - work->model->joints];
        const tn_joint_motion *motion = &at->coordinate[share[i].k];
        int c = joint->first_coordinate + share[i].k;
        double rate = tn_joint_rate(work->model, joint, work->out->sides.poses, at, motion, work->v) +
                      tn_joint_prescribed(work->model, joint, motion, work->t, work->span);
        double expected = work->coordinates[c] + work->h * rate;
        sum += share[i].factor *
               (tn_joint_continue(joint->axis[share[i].k], coordinate_ahead(work, c), expected) - expected);
    }
    return sum;
}

// By how much the row's value changes from q_k to q_k (+) h v; reached: how much of an angle is expected.
static double change_ahead(const tn_joint_rows_work *work, const tn_model_joint_row *row, double reached)
{
    const tn_model_joint *joint = &work->model->joints[row->joint];
    if (joint->kind == TN_JOINT_GEAR) {
        return reached + (row->role == TN_ROLE_HIGH ? -1.0 : 1.0) * gear_curve(work, joint);
    }
    if (row->role == TN_ROLE_HOLD) {
        return tn_joint_violation(joint, &work->ahead[row->joint], NULL, row->index) -
               tn_joint_violation(joint, &work->errors[row->joint], NULL, row->index);
    }
    int c = joint->first_coordinate + row->index;
    double sign = row->role == TN_ROLE_HIGH ? -1.0 : 1.0, from = work->coordinates[c];
    double to = tn_joint_continue(joint->axis[row->index], coordinate_ahead(work, c), from + sign * reached);
    return sign * (to - from);
}

static double rate_of(const tn_joint_entries *entries, const double *v)
{
    double rate = 0.0;
    for (int e = 0; e < entries->n; e++) {
        rate += tn_vec3_dot(entries->entry[e], v + 3 * (size_t)entries->block[e]);
    }
    return rate;
}

// What free rotation adds to the row's rate, mean over the step.
static double swing(const tn_joint_rows_work *work, const tn_joint_entries *entries)
{
    return work->swing ? rate_of(entries, work->swing) : 0.0;
}

static double curvature(const tn_joint_rows_work *work, const tn_model_joint_row *row, double driven,
                        const tn_joint_entries *entries)
{
    double rate = driven + rate_of(entries, work->v);
    return change_ahead(work, row, work->h * rate) / work->h - rate;
}

// ---- all rows

// A row that nothing can move along has no say: planar bodies have such.
static bool answers(const tn_joint_entries *entries)
{
    double most = 0.0;
    for (int e = 0; e < entries->n; e++) {
        most = fmax(most, tn_vec3_dot(entries->entry[e], entries->entry[e]));
    }
    return most > 1e-20;
}

// Of the row whose entries are there.
static void write_row(const tn_joint_rows_work *work, int number, double driven, const tn_joint_law *law, int n_entries)
{
    tn_joint_arrays *to = &work->out->arrays;
    int i = work->out->rows.n_singles++;
    to->start[i + 1] = to->start[i] + n_entries;
    to->joint[i] = work->model->joint_rows[number].joint;
    to->offset[i] = law->offset;
    to->compliance[i] = law->compliance;
    to->lower[i] = law->lower;
    to->upper[i] = law->upper;
    work->out->source[i] = number;
    work->out->driven[i] = driven;
    work->out->push[i] = law->push;
}

// Whether a row is of the same coordinate as the last one that was written.
static bool goes_on(const tn_joint_rows_work *work, const tn_model_joint_row *row)
{
    int i = work->out->rows.n_singles - 1;
    const tn_model_joint_row *last = i >= 0 ? &work->model->joint_rows[work->out->source[i]] : row;
    return i >= 0 && last->joint == row->joint && last->index == row->index && last->role != TN_ROLE_HOLD &&
           row->role != TN_ROLE_HOLD && row->role != TN_ROLE_ACROSS;
}

// The entries of the last row, of the same coordinate, for this one; returns by which factor.
static double repeat(const tn_joint_rows_work *work, const tn_model_joint_row *row, tn_joint_entries *out)
{
    const tn_joint_arrays *to = &work->out->arrays;
    int i = work->out->rows.n_singles - 1, from = to->start[i], n = to->start[i + 1] - from;
    const tn_model_joint_row *last = &work->model->joint_rows[work->out->source[i]];
    double factor = (last->role == TN_ROLE_HIGH) != (row->role == TN_ROLE_HIGH) ? -1.0 : 1.0;
    *out = (tn_joint_entries){
        .n = n, .block = to->block + from + n, .entry = (double(*)[3])(to->jacobian + 3 * (size_t)(from + n))};
    for (int e = 0; e < n; e++) {
        out->block[e] = to->block[from + e];
        tn_vec3_scale(out->entry[e], factor, to->jacobian + 3 * (size_t)(from + e));
    }
    return factor;
}

static void fill(const tn_joint_rows_work *work, tn_joint_law_of *law_of, bool with_driven)
{
    work->out->rows.n_singles = work->out->n_far = 0;
    for (int number = 0; number < work->model->n_joint_rows; number++) {
        const tn_model_joint_row *row = &work->model->joint_rows[number];
        tn_joint_law law;
        if (!law_of(work, number, &law)) {
            continue;
        }
        part parts[PARTS];
        tn_joint_entries entries;
        double driven;
        bool repeats = goes_on(work, row);
        if (repeats) {
            driven = repeat(work, row, &entries) * work->out->driven[work->out->rows.n_singles - 1];
        } else {
            tn_joint_motion across;
            int n = find_parts(work, row, parts, &across);
            entries = add_entries(work, n, parts);
            driven = driven_by(work, n, parts);
        }
        if (repeats || answers(&entries)) {
            law.offset += work->ahead ? curvature(work, row, driven, &entries) : swing(work, &entries);
            law.offset += with_driven ? driven : 0.0;
            write_row(work, number, driven, &law, entries.n);
        }
    }
}

static tn_status no_memory(const tn_model *model, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d joints", model->n_joints);
}

// Where the bodies would be after the step at v.
static bool look_ahead(const tn_model *model, const tn_state *state, const double *v, double h, tn_arena *arena,
                       tn_joint_sides *out)
{
    tn_pose *poses = TN_PUSH_RAW(arena, tn_pose, model->n_bodies);
    double *x = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_nodes);
    *out = (tn_joint_sides){poses, x};
    if (!poses || !x) {
        return false;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        poses[b] = state->pose[b];
        if (body->kind == TN_BODY_KINEMATIC) {
            tn_motion_pose(body, state->time + h, &poses[b]);
        } else if (body->n_blocks > 0) {
            tn_body_advance(body, v + 3 * body->block, h, &poses[b], NULL);
        }
    }
    tn_joint_move_nodes(model, state->x, v, h, x);
    return true;
}

static tn_joint_rows_work first_solve(const tn_model *model, const tn_state *state, const tn_balance *balance,
                                      tn_joint_step *out)
{
    return (tn_joint_rows_work){.model = model,
                                .coordinates = state->joint_coordinate,
                                .bend = state->joint_bend,
                                .last = state->joint_force,
                                .t = state->time,
                                .h = balance->h,
                                .end = state->time + balance->h,
                                .span = balance->h,
                                .kappa = balance->kappa,
                                .swing = balance->swing,
                                .input = balance->input,
                                .looked = balance->joints && out->geometry == balance->joints,
                                .out = out};
}

void tn_joint_step_expect(const tn_model *model, const tn_state *state, double *v)
{
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        v[i] = 2.0 * state->v[i] - state->v_hat[i];
    }
}

// Torques act on what turns with the body: in its axes half-way, at the step's start as at its end.
static void turn_half(const tn_model *model, const tn_state *state, const tn_pose *end, tn_pose *middle)
{
    for (int b = 0; b < model->n_bodies; b++) {
        double undo[4], turn[4], vector[3];
        tn_quat_conjugate(undo, state->pose[b].quaternion);
        tn_quat_mul(turn, undo, end[b].quaternion);
        tn_quat_log(vector, turn);
        tn_vec3_scale(vector, 0.5, vector);
        tn_quat_exp(turn, vector);
        middle[b] = state->pose[b];
        tn_quat_mul(middle[b].quaternion, state->pose[b].quaternion, turn);
    }
}

// Rows along the way from the step's start to its end at v.
static bool fill_between(const tn_state *state, const double *v, tn_arena *arena, tn_joint_rows_work *work)
{
    const tn_model *model = work->model;
    tn_joint_geometry *errors = TN_PUSH_RAW(arena, tn_joint_geometry, model->n_joints);
    tn_joint_geometry *ahead = TN_PUSH_RAW(arena, tn_joint_geometry, model->n_joints);
    double *x = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_nodes);
    tn_joint_sides end, start = {state->pose, state->x};
    if (!errors || !ahead || !x || !look_ahead(model, state, v, work->h, arena, &end)) {
        return false;
    }
    look_at_all(model, &start, errors);
    look_at_all(model, &end, ahead);
    turn_half(model, state, end.poses, work->out->middle);
    const tn_joint_sides middle = {work->out->middle, x};
    for (int i = 0; model->n_sets > 0 && i < 3 * model->n_nodes; i++) {
        x[i] = 0.5 * (state->x[i] + end.x[i]);
    }
    for (int i = 0; i < model->n_joints; i++) {
        tn_joint_look_between(model, &model->joints[i], &start, &end, &middle, &work->out->geometry[i]);
    }
    work->out->sides = (tn_joint_sides){work->out->middle, state->x};
    work->errors = errors;
    work->ahead = ahead;
    work->v = v;
    fill(work, tn_joint_law_first, true);
    return true;
}

static void fill_at_start(const tn_state *state, tn_joint_rows_work *work)
{
    stand_at(work, &(tn_joint_sides){state->pose, state->x});
    fill(work, tn_joint_law_first, true);
}

tn_status tn_joint_step_renew(const tn_model *model, const tn_state *state, const tn_balance *balance, const double *v,
                              tn_arena *arena, tn_joint_step *step, tn_error *error)
{
    tn_joint_rows_work work = first_solve(model, state, balance, step);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool ok = true;
    if (v) {
        ok = fill_between(state, v, arena, &work);
    } else {
        work.rates_only = true;
        work.swing = NULL;
        work.kappa = 1.0; // springs as at the step's end, which damps them
        fill_at_start(state, &work);
    }
    tn_arena_release(arena, mark);
    return ok ? TN_OK : no_memory(model, error);
}

// Of euler; near: without limits that are far away.
static bool fill_first(const tn_model *model, const tn_state *state, const tn_balance *balance, bool near,
                       tn_arena *arena, tn_joint_step *out)
{
    tn_joint_rows_work work = first_solve(model, state, balance, out);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *rates = TN_PUSH_RAW(arena, double, model->n_joint_coordinates);
    bool ok = rates && (!model->any_armature || tn_joint_rates_before(model, state, balance->h, arena, rates) == TN_OK);
    ok = ok && tn_joints_find_taut(model, state, balance->joints, balance->h, arena, &work.taut);
    if (ok) {
        work.rates_before = rates;
        work.near = near;
        fill_at_start(state, &work);
    }
    tn_arena_release(arena, mark);
    return ok;
}

tn_status tn_joint_step_build(const tn_model *model, const tn_state *state, const tn_balance *balance, bool all,
                              tn_arena *arena, tn_joint_step *out, tn_error *error)
{
    if (!allocate(model, balance->joints, arena, out)) {
        return no_memory(model, error);
    }
    if (balance->theta == 1.0) {
        return fill_first(model, state, balance, !all && model->trees, arena, out) ? TN_OK : no_memory(model, error);
    }
    tn_joint_rows_work work = first_solve(model, state, balance, out);
    out->middle = TN_PUSH_RAW(arena, tn_pose, model->n_bodies);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *v = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
    if (v) {
        tn_joint_step_expect(model, state, v);
    }
    bool ok = v && out->middle && fill_between(state, v, arena, &work);
    tn_arena_release(arena, mark);
    return ok ? TN_OK : no_memory(model, error);
}

tn_status tn_joint_step_complete(const tn_model *model, const tn_state *state, const tn_balance *balance,
                                 tn_arena *arena, tn_joint_step *step, tn_error *error)
{
    return fill_first(model, state, balance, false, arena, step) ? TN_OK : no_memory(model, error);
}

tn_status tn_joint_step_end(const tn_model *model, const tn_state *state, const tn_joint_sides *sides,
                            const double *coordinates, const tn_joint_first *first, tn_arena *arena, tn_joint_step *out,
                            tn_error *error)
{
    double h = model->settings.step;
    tn_joint_rows_work work = {.model = model,
                               .coordinates = coordinates,
                               .t = (double)(state->step_count + 1) * h,
                               .h = h,
                               .end = (double)(state->step_count + 1) * h,
                               .force = first->force,
                               .closed = first->closed,
                               .input = first->input,
                               .last = state->joint_force,
                               .out = out};
    if (!allocate(model, NULL, arena, out)) {
        return no_memory(model, error);
    }
    stand_at(&work, sides);
    fill(&work, tn_joint_law_end, true);
    return TN_OK;
}

tn_status tn_joint_step_start(const tn_model *model, const tn_state *state, tn_arena *arena, tn_joint_step *out,
                              tn_error *error)
{
    tn_joint_rows_work work = {.model = model,
                               .coordinates = state->joint_coordinate,
                               .t = state->time,
                               .h = 1.0,
                               .end = state->time,
                               .out = out};
    if (!allocate(model, NULL, arena, out)) {
        return no_memory(model, error);
    }
    stand_at(&work, &(tn_joint_sides){state->pose, state->x});
    fill(&work, tn_joint_law_start, true);
    return TN_OK;
}

tn_status tn_joint_step_rest(const tn_model *model, const tn_state *state, const double *last, bool elastic,
                             tn_arena *arena, tn_joint_step *out, tn_error *error)
{
    tn_joint_rows_work work = {.model = model,
                               .coordinates = state->joint_coordinate,
                               .t = state->time,
                               .h = 1.0,
                               .end = state->time,
                               .last = last,
                               .elastic = elastic,
                               .out = out};
    if (!allocate(model, NULL, arena, out)) {
        return no_memory(model, error);
    }
    stand_at(&work, &(tn_joint_sides){state->pose, state->x});
    fill(&work, tn_joint_law_rest, false);
    return TN_OK;
}

tn_status tn_joint_step_position(const tn_model *model, const tn_joint_sides *sides, const double *coordinates,
                                 double h, double end, tn_arena *arena, tn_joint_step *out, tn_error *error)
{
    tn_joint_rows_work work = {.model = model, .coordinates = coordinates, .h = h, .end = end, .span = h, .out = out};
    if (!allocate(model, NULL, arena, out)) {
        return no_memory(model, error);
    }
    stand_at(&work, sides);
    fill(&work, tn_joint_law_position, false);
    return TN_OK;
}

bool tn_joint_step_errors(const tn_model *model, const tn_joint_sides *sides, const double *coordinates, double h,
                          double end, tn_joint_step *step)
{
    tn_joint_rows_work work = {.model = model, .coordinates = coordinates, .h = h, .end = end, .span = h, .out = step};
    int n = 0;
    stand_at(&work, sides);
    for (int number = 0; number < model->n_joint_rows; number++) {
        tn_joint_law law;
        if (!tn_joint_law_position(&work, number, &law)) {
            continue;
        }
        if (n == step->rows.n_singles || step->source[n] != number) {
            return false;
        }
        step->arrays.offset[n++] = law.offset;
    }
    return n == step->rows.n_singles;
}

void tn_joint_hold_errors(const tn_model *model, const tn_joint_sides *sides, const double *coordinates, double end,
                          int n, const int *number, tn_joint_geometry *room, double *out)
{
    const tn_joint_rows_work work = {
        .model = model, .coordinates = coordinates, .errors = room, .h = 1.0, .span = 1.0, .end = end};
    for (int i = 0, last = -1; i < n; i++) {
        int j = model->joint_rows[number[i]].joint;
        tn_joint_law law;
        if (j != last) {
            tn_joint_look_at(model, &model->joints[j], sides, &room[j]);
        }
        tn_joint_law_position(&work, number[i], &law);
        out[i] = law.offset;
        last = j;
    }
}
