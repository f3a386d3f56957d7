#include "discretize/joints.h"

#include "body/rigid.h"
#include "math/vec3.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

// Limits closer than this take part in second solves and corrections [m, rad].
static const double TOUCH = 1e-9;

// Of the change of velocity that a rigid row makes: what it leaves.
static const double YIELD = 1e-6;

// Geometry and the poses for the bodies' arms.
typedef struct place {
    const tn_joint_geometry *geometry; // (n_joints)
    const tn_pose *poses;              // (n_bodies)
} place;

// What rows are made of. v of a row is c + R f + G v.
typedef struct row_work {
    const tn_model *model;
    const double *coordinates;       // (n_joint_coordinates)
    const tn_joint_geometry *errors; // (n_joints) violations
    place now, half;                 // where G is taken; of springs: half, unless that is NULL
    const tn_joint_geometry *ahead;  // (n_joints) at q_k (+) h v; NULL: no curvature
    double span;                     // prescribed velocities are means over [t, t + span]; 0: those at t
    double t, h, kappa;              //
    const double *v;                 // (3 n_blocks) what v^ will be about
    const double *force;             // (n_joint_rows) of the first solve; NULL: this is it
    tn_joint_step *out;
    double *jacobian, *offset, *compliance, *lower, *upper; // behind out->rows
    int *start, *block, *joint;
} row_work;

static bool allocate(row_work *work, tn_arena *arena)
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

double tn_joint_gear_error(const tn_model_joint *joint, const double *coordinates)
{
    return coordinates[joint->gear[1]] - joint->description->ratio * coordinates[joint->gear[0]] - joint->length;
}

static double violation_of(const tn_model_joint *joint, const tn_joint_geometry *at, const double *coordinates, int i)
{
    return joint->kind == TN_JOINT_GEAR ? tn_joint_gear_error(joint, coordinates) : at->violation[i];
}

static double hold_compliance(const tn_model_joint *joint, int i)
{
    const tn_scene_joint *said = joint->description;
    return tn_joint_hold_turns(joint, i) ? said->turn_compliance : said->compliance;
}

// ---- Jacobians

// factor times the rate of a motion of the joint; returns what kinematic bodies contribute.
static double add_motion(const row_work *work, const place *at, const tn_model_joint *joint,
                         const tn_joint_motion *motion, double factor, tn_joint_entries *entries)
{
    const tn_joint_geometry *geometry = &at->geometry[joint - work->model->joints];
    tn_joint_add_entries(work->model, joint, at->poses, geometry, motion, factor, entries);
    return factor * tn_joint_prescribed(work->model, joint, at->poses, geometry, motion, work->t, work->span);
}

static double add_coordinate(const row_work *work, const place *at, int coordinate, double factor,
                             tn_joint_entries *entries)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(work->model, coordinate, &k);
    return add_motion(work, at, joint, &at->geometry[joint - work->model->joints].coordinate[k], factor, entries);
}

// The row's entries; returns what kinematic bodies contribute.
static double add_row(const row_work *work, const place *at, const tn_model_joint_row *row, tn_joint_entries *entries)
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

// ---- the rest of a row

typedef struct row_law {
    double offset, compliance, lower, upper;
    bool soft; // a spring's or damper's
} row_law;

static double hold_yield(const row_work *work, const tn_model_joint *joint, int i)
{
    return YIELD * work->h * joint->lightness[tn_joint_hold_turns(joint, i)];
}

// Motors that give all it takes are as rigid as holds.
static double motor_yield(const row_work *work, const tn_model_joint *joint, int k)
{
    bool turns = joint->axis[k] == TN_AXIS_TURN || joint->axis[k] == TN_AXIS_TURN2;
    bool rigid = joint->description->drive[joint->axis[k]].strength == INFINITY;
    return rigid ? YIELD * work->h * joint->lightness[turns] : 0.0;
}

static double stabilized(const tn_settings *settings, double h, double error)
{
    switch (settings->stabilization) {
    case TN_GAP_NONE:
        return 0.0;
    case TN_GAP_BAUMGARTE:
        return settings->baumgarte * error / h;
    default:
        return error / h;
    }
}

static double limit_term(const tn_settings *settings, double h, double room)
{
    return room < 0.0 ? stabilized(settings, h, room) : room / h;
}

static void hold_law(const row_work *work, const tn_model_joint *joint, int number, int i, row_law *out)
{
    double error = violation_of(joint, &work->errors[number], work->coordinates, i), reach = work->kappa * work->h;
    double compliance = hold_compliance(joint, i);
    out->offset = compliance > 0.0 ? error / reach : stabilized(&work->model->settings, work->h, error);
    out->compliance = compliance > 0.0 ? compliance / reach : hold_yield(work, joint, i);
    out->soft = compliance > 0.0;
}

static void coordinate_law(const row_work *work, const tn_model_joint *joint, tn_joint_role role, int k, row_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double q = work->coordinates[joint->first_coordinate + k];
    const tn_settings *settings = &work->model->settings;
    double h = work->h;
    switch (role) {
    case TN_ROLE_SPRING:
        out->compliance = 1.0 / (work->kappa * h * drive->stiffness + drive->damping);
        out->offset = drive->stiffness * (q - drive->rest) * out->compliance;
        out->soft = true;
        break;
    case TN_ROLE_MOTOR:
        out->offset = drive->motor == TN_MOTOR_POSITION ? (q - tn_value_at(&drive->target, work->t + h)) / h
                                                        : -tn_value_at(&drive->target, work->t + 0.5 * h);
        out->lower = -drive->strength;
        out->upper = drive->strength;
        out->compliance = motor_yield(work, joint, k);
        break;
    case TN_ROLE_FRICTION:
        out->lower = -drive->friction;
        out->upper = drive->friction;
        break;
    case TN_ROLE_LOW:
        out->lower = 0.0;
        out->offset = limit_term(settings, h, q - drive->low);
        break;
    default:
        out->lower = 0.0;
        out->offset = limit_term(settings, h, drive->high - q);
        break;
    }
}

// Of the first solve.
static bool first_law(const row_work *work, int number, row_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (row_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        hold_law(work, joint, row->joint, row->index, out);
    } else {
        coordinate_law(work, joint, row->role, row->index, out);
    }
    return true;
}

static double room_of(const tn_scene_drive *drive, tn_joint_role role, double q)
{
    return role == TN_ROLE_LOW ? q - drive->low : drive->high - q;
}

// Of the second solve: velocities at the step's end, forces on top of the first ones. Springs have had their say.
static bool end_law(const row_work *work, int number, row_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    double first = work->force[number];
    *out = (row_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        out->compliance = hold_yield(work, joint, row->index);
        return hold_compliance(joint, row->index) == 0.0;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    switch (row->role) {
    case TN_ROLE_SPRING:
        return false;
    case TN_ROLE_MOTOR:
        out->offset = drive->motor == TN_MOTOR_POSITION ? -tn_value_rate(&drive->target, work->t)
                                                        : -tn_value_at(&drive->target, work->t);
        out->compliance = motor_yield(work, joint, row->index);
        out->lower = -drive->strength - first;
        out->upper = drive->strength - first;
        return true;
    case TN_ROLE_FRICTION:
        out->lower = -drive->friction - first;
        out->upper = drive->friction - first;
        return true;
    default:
        out->lower = -first;
        return first > 0.0 ||
               room_of(drive, row->role, work->coordinates[joint->first_coordinate + row->index]) <= TOUCH;
    }
}

// Of a correction of positions.
static bool position_law(const row_work *work, int number, row_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (row_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        out->offset = violation_of(joint, &work->errors[row->joint], work->coordinates, row->index);
        out->compliance = hold_yield(work, joint, row->index);
        return hold_compliance(joint, row->index) == 0.0;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    out->lower = 0.0;
    out->offset = room_of(drive, row->role, work->coordinates[joint->first_coordinate + row->index]);
    return (row->role == TN_ROLE_LOW || row->role == TN_ROLE_HIGH) && out->offset <= 0.0;
}

// ---- curvature

static double coordinate_ahead(const row_work *work, int coordinate)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(work->model, coordinate, &k);
    return work->ahead[joint - work->model->joints].value[k];
}

// By how much the row's value changes from q_k to q_k (+) h v; reached: how much of an angle is expected.
static double change_ahead(const row_work *work, const tn_model_joint_row *row, double reached)
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

static double curvature(const row_work *work, const tn_model_joint_row *row, double driven,
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

static void write_row(const row_work *work, int number, double driven, const row_law *law,
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

static void fill(const row_work *work, bool (*law_of)(const row_work *, int, row_law *), bool with_driven)
{
    for (int number = 0; number < work->model->n_joint_rows; number++) {
        row_law law;
        tn_joint_entries entries;
        if (!law_of(work, number, &law)) {
            continue;
        }
        bool half = law.soft && work->half.geometry;
        double driven = add_row(work, half ? &work->half : &work->now, &work->model->joint_rows[number], &entries);
        if (answers(&entries)) {
            double felt = driven; // by the force: a half that acts at the step's start meets the velocity there
            if (work->ahead && !half) {
                row_work start = *work;
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
                       place *out)
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
    *out = (place){geometry, poses};
    return true;
}

tn_status tn_joint_step_build(const tn_model *model, const tn_state *state, const tn_balance *balance, tn_arena *arena,
                              tn_joint_step *out, tn_error *error)
{
    row_work work = {.model = model,
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
    work.now = (place){out->geometry, out->poses};
    if (balance->theta == 0.5) {
        place ahead;
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
    fill(&work, first_law, true);
    return TN_OK;
}

tn_status tn_joint_step_end(const tn_model *model, const tn_state *state, const tn_pose *poses,
                            const double *coordinates, const double *force, tn_arena *arena, tn_joint_step *out,
                            tn_error *error)
{
    double h = model->settings.step;
    row_work work = {.model = model,
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
    work.now = (place){out->geometry, out->poses};
    fill(&work, end_law, true);
    return TN_OK;
}

tn_status tn_joint_step_position(const tn_model *model, const tn_pose *poses, const double *coordinates,
                                 tn_arena *arena, tn_joint_step *out, tn_error *error)
{
    row_work work = {.model = model, .coordinates = coordinates, .h = 1.0, .span = 1.0, .out = out};
    if (!allocate(&work, arena)) {
        return no_memory(model, error);
    }
    out->poses = poses;
    look_at_all(model, poses, out->geometry);
    work.errors = out->geometry;
    work.now = (place){out->geometry, out->poses};
    fill(&work, position_law, false);
    return TN_OK;
}

// ---- figures of a configuration

void tn_joints_coordinates(const tn_model *model, const tn_pose *poses, const double *expected, double *out)
{
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        tn_joint_geometry at;
        if (joint->n_coordinates == 0) {
            continue;
        }
        tn_joint_look(joint, &poses[joint->body_a], &poses[joint->body_b], &at);
        for (int k = 0; k < joint->n_coordinates; k++) {
            int c = joint->first_coordinate + k;
            out[c] = tn_joint_continue(joint->axis[k], at.value[k], expected[c]);
        }
    }
}

static double limit_error(const tn_model_joint *joint, const double *coordinates)
{
    double worst = 0.0;
    for (int k = 0; k < joint->n_coordinates; k++) {
        const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
        double q = coordinates[joint->first_coordinate + k];
        worst = fmax(worst, fmax(drive->low - q, q - drive->high));
    }
    return worst;
}

double tn_joints_drift(const tn_model *model, const tn_pose *poses, const double *coordinates)
{
    double worst = 0.0;
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        tn_joint_geometry at;
        if (joint->kind != TN_JOINT_GEAR) {
            tn_joint_look(joint, &poses[joint->body_a], &poses[joint->body_b], &at);
        }
        for (int k = 0; k < joint->n_holds; k++) {
            if (hold_compliance(joint, k) == 0.0) {
                worst = fmax(worst, fabs(violation_of(joint, &at, coordinates, k)));
            }
        }
        worst = fmax(worst, limit_error(joint, coordinates));
    }
    return worst;
}

double tn_joints_energy(const tn_model *model, const tn_pose *poses, const double *coordinates)
{
    double energy = 0.0;
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        tn_joint_geometry at;
        if (joint->kind != TN_JOINT_GEAR) {
            tn_joint_look(joint, &poses[joint->body_a], &poses[joint->body_b], &at);
        }
        for (int k = 0; k < joint->n_holds; k++) {
            double compliance = hold_compliance(joint, k), error = violation_of(joint, &at, coordinates, k);
            energy += compliance > 0.0 ? 0.5 * error * error / compliance : 0.0;
        }
        for (int k = 0; k < joint->n_coordinates; k++) {
            const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
            double stretch = coordinates[joint->first_coordinate + k] - drive->rest;
            energy += 0.5 * drive->stiffness * stretch * stretch;
        }
    }
    return energy;
}

double tn_joint_step_yield(const tn_model *model, const tn_joint_step *step, const double *f)
{
    double worst = 0.0;
    for (int i = 0; i < step->rows.n; i++) {
        const tn_model_joint_row *row = &model->joint_rows[step->source[i]];
        const tn_model_joint *joint = &model->joints[row->joint];
        bool rigid =
            row->role == TN_ROLE_MOTOR || (row->role == TN_ROLE_HOLD && hold_compliance(joint, row->index) == 0.0);
        worst = rigid ? fmax(worst, fabs(step->rows.compliance[i] * f[i])) : worst;
    }
    return worst;
}
