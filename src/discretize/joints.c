#include "discretize/joint_law.h"

#include "body/rigid.h"
#include "math/vec3.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

static bool allocate(tn_joint_rows_work *work, tn_arena *arena)
{
    const tn_model *model = work->model;
    size_t n = (size_t)model->n_joint_rows, entries = TN_JOINT_ENTRIES * n;
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

static void look_at_all(const tn_model *model, const tn_pose *poses, tn_joint_geometry *out)
{
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        if (joint->kind != TN_JOINT_GEAR) {
            tn_joint_look(joint, &poses[joint->body_a], &poses[joint->body_b], &out[i]);
        }
    }
}

// ---- Jacobians

// factor times the rate of a motion of the joint; returns what kinematic bodies contribute.
static double add_motion(const tn_joint_rows_work *work, const tn_joint_place *at, const tn_model_joint *joint,
                         const tn_joint_motion *motion, double factor, tn_joint_entries *entries)
{
    const tn_joint_geometry *geometry = &at->geometry[joint - work->model->joints];
    tn_joint_add_entries(work->model, joint, at->poses, geometry, motion, factor, entries);
    return factor * tn_joint_prescribed(work->model, joint, at->poses, geometry, motion, work->t, work->span);
}

static double add_coordinate(const tn_joint_rows_work *work, const tn_joint_place *at, int coordinate, double factor,
                             tn_joint_entries *entries)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(work->model, coordinate, &k);
    return add_motion(work, at, joint, &at->geometry[joint - work->model->joints].coordinate[k], factor, entries);
}

// The row's entries; returns what kinematic bodies contribute.
static double add_row(const tn_joint_rows_work *work, const tn_joint_place *at, const tn_model_joint_row *row,
                      tn_joint_entries *entries)
{
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *entries = (tn_joint_entries){.n = 0};
    if (row->role != TN_ROLE_HOLD) {
        double factor = row->role == TN_ROLE_HIGH ? -1.0 : 1.0;
        return add_coordinate(work, at, joint->first_coordinate + row->index, factor, entries);
    }
    if (joint->kind == TN_JOINT_GEAR) {
        return add_coordinate(work, at, joint->gear[1], 1.0, entries) +
               add_coordinate(work, at, joint->gear[0], -joint->description->ratio, entries);
    }
    return add_motion(work, at, joint, &at->geometry[row->joint].hold[row->index], 1.0, entries);
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

static void write_row(const tn_joint_rows_work *work, int number, double driven, const tn_joint_law *law,
                      const tn_joint_entries *entries)
{
    int i = work->out->rows.n++, first = work->start[i];
    memcpy(work->block + first, entries->block, (size_t)entries->n * sizeof *entries->block);
    memcpy(work->jacobian + 3 * (size_t)first, entries->entry, (size_t)entries->n * sizeof *entries->entry);
    work->start[i + 1] = first + entries->n;
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
        tn_joint_law law;
        tn_joint_entries entries;
        if (!law_of(work, number, &law)) {
            continue;
        }
        bool half = law.soft && work->half.geometry;
        double driven = add_row(work, half ? &work->half : &work->now, &work->model->joint_rows[number], &entries);
        if (answers(&entries)) {
            double felt = driven; // by the force: a half that acts at the step's start meets the velocity there
            if (work->ahead && !half) {
                tn_joint_rows_work start = *work;
                tn_joint_entries unused;
                start.span = 0.0;
                felt = add_row(&start, &work->now, &work->model->joint_rows[number], &unused);
            }
            law.offset += half ? 0.0 : curvature(work, &work->model->joint_rows[number], driven, &entries);
            law.offset += with_driven ? driven : 0.0;
            write_row(work, number, felt, &law, &entries);
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
    if (!poses || !geometry) {
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
    look_at_all(model, poses, geometry);
    // Torques are given in the principal axes at the step's start, whatever the arms.
    for (int b = 0; b < model->n_bodies; b++) {
        memcpy(poses[b].quaternion, state->pose[b].quaternion, sizeof poses[b].quaternion);
    }
    *out = (tn_joint_place){geometry, poses};
    return true;
}

tn_status tn_joint_step_build(const tn_model *model, const tn_state *state, const tn_balance *balance, tn_arena *arena,
                              tn_joint_step *out, tn_error *error)
{
    tn_joint_rows_work work = {.model = model,
                               .coordinates = state->joint_coordinate,

                               .t = state->time,
                               .h = balance->h,
                               .span = balance->h,
                               .kappa = balance->kappa,
                               .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    out->poses = state->pose;
    look_at_all(model, out->poses, out->geometry);
    work.errors = out->geometry;
    work.now = (tn_joint_place){out->geometry, out->poses};
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

tn_status tn_joint_step_end(const tn_model *model, const tn_state *state, const tn_pose *poses,
                            const double *coordinates, const double *force, tn_arena *arena, tn_joint_step *out,
                            tn_error *error)
{
    double h = model->settings.step;
    tn_joint_rows_work work = {.model = model,
                               .coordinates = coordinates,
                               .t = (double)(state->step_count + 1) * h,
                               .h = h,
                               .force = force,
                               .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    out->poses = poses;
    look_at_all(model, poses, out->geometry);
    work.errors = out->geometry;
    work.now = (tn_joint_place){out->geometry, out->poses};
    fill(&work, tn_joint_law_end, true);
    return TN_OK;
}

tn_status tn_joint_step_position(const tn_model *model, const tn_pose *poses, const double *coordinates,
                                 tn_arena *arena, tn_joint_step *out, tn_error *error)
{
    tn_joint_rows_work work = {.model = model, .coordinates = coordinates, .h = 1.0, .span = 1.0, .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    out->poses = poses;
    look_at_all(model, poses, out->geometry);
    work.errors = out->geometry;
    work.now = (tn_joint_place){out->geometry, out->poses};
    fill(&work, tn_joint_law_position, false);
    return TN_OK;
}
