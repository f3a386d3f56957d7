#include "discretize/joint_law.h"

#include "body/rigid.h"
#include "math/vec3.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

static bool allocate(tn_joint_rows_work *work, tn_arena *arena)
{
    const tn_model *model = work->model;
    size_t n = (size_t)model->n_joint_rows, entries = (size_t)model->n_joint_entries;
    tn_joint_step *out = work->out;
    *out = (tn_joint_step){.source = TN_PUSH_RAW(arena, int, n),
                           .driven = TN_PUSH_RAW(arena, double, n),
                           .share = TN_PUSH_RAW(arena, double, n),
                           .geometry = TN_PUSH_RAW(arena, tn_joint_geometry, model->n_joints)};
    work->start = TN_PUSH(arena, int, n + 1);
    work->block = TN_PUSH_RAW(arena, int, entries);
    work->joint = TN_PUSH_RAW(arena, int, n);
    work->jacobian = TN_PUSH_RAW(arena, double, 3 * entries);
    work->offset = TN_PUSH_RAW(arena, double, n);
    work->compliance = TN_PUSH_RAW(arena, double, n);
    work->lower = TN_PUSH_RAW(arena, double, n);
    work->upper = TN_PUSH_RAW(arena, double, n);
    out->rows = (tn_joint_rows){.start = work->start,
                                .block = work->block,
                                .jacobian = work->jacobian,
                                .offset = work->offset,
                                .compliance = work->compliance,
                                .lower = work->lower,
                                .upper = work->upper,
                                .joint = work->joint};
    return out->source && out->driven && out->share && out->geometry && work->start && work->block && work->joint &&
           work->jacobian && work->offset && work->compliance && work->lower && work->upper;
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
    look_at_all(work->model, sides, out->geometry);
    work->errors = out->geometry;
    work->now = (tn_joint_place){out->geometry, *sides};
}

// ---- Jacobians

// A motion of a joint with a factor; most rows are one, those of gears two.
typedef struct part {
    const tn_model_joint *joint;
    const tn_joint_geometry *geometry;
    const tn_joint_motion *motion;
    double factor;
} part;

static part coordinate_part(const tn_joint_rows_work *work, const tn_joint_place *at, int coordinate, double factor)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(work->model, coordinate, &k);
    const tn_joint_geometry *geometry = &at->geometry[joint - work->model->joints];
    return (part){joint, geometry, &geometry->coordinate[k], factor};
}

// What the row is the rate of; returns of how many parts.
static int find_parts(const tn_joint_rows_work *work, const tn_joint_place *at, const tn_model_joint_row *row,
                      part parts[2])
{
    const tn_model_joint *joint = &work->model->joints[row->joint];
    if (row->role != TN_ROLE_HOLD) {
        double factor = row->role == TN_ROLE_HIGH ? -1.0 : 1.0;
        parts[0] = coordinate_part(work, at, joint->first_coordinate + row->index, factor);
        return 1;
    }
    if (joint->kind == TN_JOINT_GEAR) {
        parts[0] = coordinate_part(work, at, joint->gear[1], 1.0);
        parts[1] = coordinate_part(work, at, joint->gear[0], -joint->description->ratio);
        return 2;
    }
    const tn_joint_geometry *geometry = &at->geometry[row->joint];
    parts[0] = (part){joint, geometry, &geometry->hold[row->index], 1.0};
    return 1;
}

// The row's entries, behind those of the rows before.
static tn_joint_entries add_entries(const tn_joint_rows_work *work, const tn_joint_place *at,
                                    const tn_model_joint_row *row)
{
    part parts[2];
    int first = work->start[work->out->rows.n], n = find_parts(work, at, row, parts);
    tn_joint_entries entries = {.block = work->block + first,
                                .entry = (double(*)[3])(work->jacobian + 3 * (size_t)first)};
    for (int i = 0; i < n; i++) {
        tn_joint_add_entries(work->model, parts[i].joint, at->sides.poses, parts[i].geometry, parts[i].motion,
                             parts[i].factor, &entries);
    }
    return entries;
}

// What kinematic bodies contribute to the row, mean over [t, t + span].
static double driven_by(const tn_joint_rows_work *work, const tn_joint_place *at, const tn_model_joint_row *row,
                        double span)
{
    part parts[2];
    int n = find_parts(work, at, row, parts);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += parts[i].factor * tn_joint_prescribed(work->model, parts[i].joint, at->sides.poses, parts[i].geometry,
                                                     parts[i].motion, work->t, span);
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

// By how much the row's value changes from q_k to q_k (+) h v; reached: how much of an angle is expected.
static double change_ahead(const tn_joint_rows_work *work, const tn_model_joint_row *row, double reached)
{
    const tn_model_joint *joint = &work->model->joints[row->joint];
    if (row->role == TN_ROLE_HOLD) {
        return joint->kind == TN_JOINT_GEAR
                   ? reached // a gear's coordinates have their curvature in their own joints
                   : work->ahead[row->joint].violation[row->index] - work->errors[row->joint].violation[row->index];
    }
    int c = joint->first_coordinate + row->index;
    double sign = row->role == TN_ROLE_HIGH ? -1.0 : 1.0, from = work->coordinates[c];
    double to = tn_joint_continue(joint->axis[row->index], coordinate_ahead(work, c), from + sign * reached);
    return sign * (to - from);
}

static double curvature(const tn_joint_rows_work *work, const tn_model_joint_row *row, double driven,
                        const tn_joint_entries *entries)
{
    if (!work->ahead) {
        return 0.0;
    }
    double rate = driven;
    for (int e = 0; e < entries->n; e++) {
        rate += tn_vec3_dot(entries->entry[e], work->v + 3 * (size_t)entries->block[e]);
    }
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
    int i = work->out->rows.n++;
    work->start[i + 1] = work->start[i] + n_entries;
    work->joint[i] = work->model->joint_rows[number].joint;
    work->offset[i] = law->offset;
    work->compliance[i] = law->compliance;
    work->lower[i] = law->lower;
    work->upper[i] = law->upper;
    work->out->source[i] = number;
    work->out->driven[i] = driven;
    work->out->share[i] = work->ahead && !law->soft ? 0.5 : 1.0;
}

static void fill(const tn_joint_rows_work *work, tn_joint_law_of *law_of, bool with_driven)
{
    for (int number = 0; number < work->model->n_joint_rows; number++) {
        const tn_model_joint_row *row = &work->model->joint_rows[number];
        tn_joint_law law;
        if (!law_of(work, number, &law)) {
            continue;
        }
        bool half = law.soft && work->half.geometry;
        const tn_joint_place *at = half ? &work->half : &work->now;
        tn_joint_entries entries = add_entries(work, at, row);
        if (answers(&entries)) {
            double driven = driven_by(work, at, row, work->span), felt = driven;
            if (work->ahead && !half) {
                felt = driven_by(work, at, row, 0.0); // a half that acts at the step's start meets the velocity there
            }
            law.offset += half ? 0.0 : curvature(work, row, driven, &entries);
            law.offset += with_driven ? driven : 0.0;
            write_row(work, number, felt, &law, entries.n);
        }
    }
}

static tn_status no_memory(const tn_model *model, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d joints", model->n_joints);
}

// Where the bodies would be after a time at v.
static bool look_ahead(const tn_model *model, const tn_state *state, const double *v, double time, tn_arena *arena,
                       tn_joint_place *out)
{
    tn_pose *poses = TN_PUSH_RAW(arena, tn_pose, model->n_bodies);
    tn_joint_geometry *geometry = TN_PUSH_RAW(arena, tn_joint_geometry, model->n_joints);
    double *x = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_nodes);
    if (!poses || !geometry || !x) {
        return false;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        poses[b] = state->pose[b];
        if (body->kind == TN_BODY_KINEMATIC) {
            tn_motion_pose(body, state->time + time, &poses[b]);
        } else if (body->n_blocks > 0) {
            tn_body_advance(body, v + 3 * body->block, time, &poses[b]);
        }
    }
    *out = (tn_joint_place){geometry, {poses, x}};
    tn_joint_move_nodes(model, state->x, v, time, x);
    look_at_all(model, &out->sides, geometry);
    // Torques are given in the principal axes at the step's start, whatever the arms.
    for (int b = 0; b < model->n_bodies; b++) {
        memcpy(poses[b].quaternion, state->pose[b].quaternion, sizeof poses[b].quaternion);
    }
    return true;
}

tn_status tn_joint_step_build(const tn_model *model, const tn_state *state, const tn_balance *balance, tn_arena *arena,
                              tn_joint_step *out, tn_error *error)
{
    tn_joint_rows_work work = {.model = model,
                               .coordinates = state->joint_coordinate,
                               .last = state->joint_force,
                               .t = state->time,
                               .h = balance->h,
                               .span = balance->h,
                               .kappa = balance->kappa,
                               .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    stand_at(&work, &(tn_joint_sides){state->pose, state->x});
    if (balance->theta == 0.5) {
        tn_joint_place ahead;
        double *v = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
        if (!v) {
            return no_memory(model, error);
        }
        for (int i = 0; i < 3 * model->n_blocks; i++) {
            v[i] = 2.0 * state->v[i] - state->v_hat[i];
        }
        if (!look_ahead(model, state, v, balance->h, arena, &ahead) ||
            !look_ahead(model, state, v, 0.5 * balance->h, arena, &work.half)) {
            return no_memory(model, error);
        }
        work.ahead = ahead.geometry;
        work.v = v;
    }
    fill(&work, tn_joint_law_first, true);
    return TN_OK;
}

tn_status tn_joint_step_end(const tn_model *model, const tn_state *state, const tn_joint_sides *sides,
                            const double *coordinates, const double *force, tn_arena *arena, tn_joint_step *out,
                            tn_error *error)
{
    double h = model->settings.step;
    tn_joint_rows_work work = {.model = model,
                               .coordinates = coordinates,
                               .t = (double)(state->step_count + 1) * h,
                               .h = h,
                               .force = force,
                               .last = state->joint_force,
                               .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    stand_at(&work, sides);
    fill(&work, tn_joint_law_end, true);
    return TN_OK;
}

tn_status tn_joint_step_position(const tn_model *model, const tn_joint_sides *sides, const double *coordinates,
                                 double h, tn_arena *arena, tn_joint_step *out, tn_error *error)
{
    tn_joint_rows_work work = {.model = model, .coordinates = coordinates, .h = h, .span = h, .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    stand_at(&work, sides);
    fill(&work, tn_joint_law_position, false);
    return TN_OK;
}
