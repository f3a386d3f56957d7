// The laws of joint rows: offset, compliance and bounds (joints.h has the table).
#include "discretize/joint_law.h"

#include "model/tree.h"

#include <math.h>

// Limits closer than this take part in second solves and corrections [m, rad].
static const double TOUCH = 1e-9;
// Limits closer than this bear a system at rest [m, rad].
static const double REST_TOUCH = 1e-6;

double tn_joint_gear_error(const tn_model_joint *joint, const double *coordinates)
{
    return tn_gear_difference(joint, coordinates) - joint->length;
}

double tn_joint_violation(const tn_model_joint *joint, const tn_joint_geometry *at, const double *coordinates, int i)
{
    if (joint->kind == TN_JOINT_GEAR) {
        return tn_joint_gear_error(joint, coordinates);
    }
    const tn_joint_mix mix = tn_joint_mix_of(joint, i);
    double sum = 0.0;
    for (int k = 0; k < mix.n; k++) {
        sum += mix.factor[k] * at->violation[mix.hold[k]];
    }
    return sum;
}

double tn_joint_hold_compliance(const tn_model_joint *joint, int i)
{
    const tn_scene_joint *said = joint->description;
    if (joint->bushing) {
        return joint->bushing->k[i] > 0.0 ? 1.0 / joint->bushing->k[i] : INFINITY;
    }
    return tn_joint_hold_turns(joint, i) ? said->turn_compliance : said->compliance;
}

static tn_joint_softness softness_of_drive(const tn_scene_drive *drive, tn_joint_role role)
{
    switch (role) {
    case TN_ROLE_SPRING:
        return (tn_joint_softness){1.0 / drive->stiffness, drive->damping};
    case TN_ROLE_MOTOR:
        return (tn_joint_softness){drive->motor_compliance, drive->motor_damping};
    case TN_ROLE_ARMATURE:
    case TN_ROLE_ACROSS:
        return (tn_joint_softness){INFINITY, 0.0};
    case TN_ROLE_FRICTION:
        return (tn_joint_softness){0.0, 0.0};
    default:
        return (tn_joint_softness){drive->limit_compliance, drive->limit_damping};
    }
}

tn_joint_softness tn_joint_softness_of(const tn_model_joint *joint, const tn_model_joint_row *row)
{
    const tn_scene_joint *said = joint->description;
    if (row->role != TN_ROLE_HOLD) {
        return softness_of_drive(&said->drive[joint->axis[row->role == TN_ROLE_ACROSS ? 0 : row->index]], row->role);
    }
    if (joint->bushing) {
        return (tn_joint_softness){tn_joint_hold_compliance(joint, row->index), joint->bushing->d[row->index]};
    }
    return (tn_joint_softness){tn_joint_hold_compliance(joint, row->index),
                               tn_joint_hold_turns(joint, row->index) ? said->turn_damping : said->damping};
}

// The law of a spring K = 1/C and a damper D: w = K x/(reach K + D), R = 1/(reach K + D), divided by K so that no digit
// of x is lost however stiff it is. Returns D R, what a rate that the damper follows counts.
static double soften(tn_joint_softness soft, double reach, double x, tn_joint_law *out)
{
    if (soft.compliance == INFINITY) {
        out->offset = 0.0;
        out->compliance = 1.0 / soft.damping;
        return 1.0;
    }
    double lag = soft.compliance * soft.damping, time = reach + lag;
    out->offset = x / time;
    out->compliance = soft.compliance / time;
    return lag / time;
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

// What may be left at a time of an error that was there at the start: it goes at the speed push_out.
static double left_at(const tn_joint_rows_work *work, double start, double time)
{
    double gone = work->model->settings.push_out * time;
    return copysign(fmax(0.0, fabs(start) - gone), start);
}

static double left_of(const tn_joint_rows_work *work, double start)
{
    return left_at(work, start, work->end);
}

// How fast it goes within the step.
static double closing(const tn_joint_rows_work *work, double start)
{
    return start == 0.0 ? 0.0 : (left_at(work, start, work->end - work->h) - left_of(work, start)) / work->h;
}

static double limit_term(const tn_settings *settings, double h, double room)
{
    return room < 0.0 ? stabilized(settings, h, room) : room / h;
}

static void hold_law(const tn_joint_rows_work *work, const tn_model_joint_row *row, tn_joint_law *out)
{
    const tn_model_joint *joint = &work->model->joints[row->joint];
    const tn_settings *settings = &work->model->settings;
    double error = tn_joint_violation(joint, &work->errors[row->joint], work->coordinates, row->index);
    tn_joint_softness soft = tn_joint_softness_of(joint, row);
    if (soft.compliance > 0.0) {
        soften(soft, work->kappa * work->h, error, out);
        return;
    }
    double off = joint->off[row->index];
    if (!work->rates_only) {
        out->offset = stabilized(settings, work->h, error - left_of(work, off));
        out->push = stabilized(settings, 1.0, closing(work, off));
    }
}

double tn_joint_load(const tn_model_joint *joint, const double *force)
{
    double square = 0.0;
    for (int i = 0; i < joint->n_holds; i++) { // holds are a joint's first rows
        double f = tn_joint_hold_turns(joint, i) ? 0.0 : force[joint->first_row + i];
        square += f * f;
    }
    return sqrt(square);
}

// Most that the friction of a coordinate bears: the constant, and a share of the load of the last step.
static double friction_of(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double load = drive->friction_arm > 0.0 ? tn_joint_load(joint, work->last) : 0.0;
    return drive->friction + drive->friction_arm * load;
}

double tn_joint_room(const tn_scene_drive *drive, tn_joint_role role, double q)
{
    return role == TN_ROLE_LOW ? q - drive->low : drive->high - q;
}

// How far coordinate k started beyond a limit, and what of that may be left: at most 0.
static double room_left(const tn_joint_rows_work *work, const tn_model_joint *joint, tn_joint_role role, int k)
{
    double start = work->model->joint_start[joint->first_coordinate + k];
    return left_of(work, fmin(0.0, tn_joint_room(&joint->description->drive[joint->axis[k]], role, start)));
}

// What the input says of the coordinate, NaN: nothing.
static double input_of(const double *array, const tn_model_joint *joint, int k)
{
    return array ? array[joint->first_coordinate + k] : NAN;
}

// Where the motor is to be at time t of the step.
static double target_at(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, double t)
{
    double given = work->input ? input_of(work->input->target, joint, k) : NAN;
    return isnan(given) ? tn_value_at(&joint->description->drive[joint->axis[k]].target, t) : given;
}

// The rate that the input gives it, or with a target of its own means; NaN: none, the scene's.
static double input_rate(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
{
    if (!work->input) {
        return NAN;
    }
    double given = input_of(work->input->target_rate, joint, k);
    return isnan(given) && !isnan(input_of(work->input->target, joint, k)) ? 0.0 : given;
}

// How fast it is to be at time t.
static double rate_at(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, double t)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double given = input_rate(work, joint, k);
    if (!isnan(given)) {
        return given;
    }
    return drive->motor == TN_MOTOR_POSITION ? tn_value_rate(&drive->target, t) : tn_value_at(&drive->target, t);
}

// How far it started beside the target of a motor that gives all it takes.
static double beside_target(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double start = work->model->joint_start[joint->first_coordinate + k];
    bool given = work->input && !isnan(input_of(work->input->target, joint, k));
    return tn_drive_prescribes(drive) && !given ? start - tn_value_at(&drive->target, 0.0) : 0.0;
}

// f = K (target - q) + D (its rate - q'), the target's rate as the mean over the step.
static void servo_law(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    const tn_value *target = &drive->target;
    double reach = work->kappa * work->h, rate = tn_value_at(target, work->t + 0.5 * work->h), off = 0.0;
    if (drive->motor == TN_MOTOR_POSITION) {
        rate = (tn_value_at(target, work->t + work->h) - tn_value_at(target, work->t)) / work->h;
        off = work->coordinates[joint->first_coordinate + k] - target_at(work, joint, k, work->t + reach);
    }
    double given = input_rate(work, joint, k);
    rate = isnan(given) ? rate : given;
    double followed = soften(softness_of_drive(drive, TN_ROLE_MOTOR), reach, off, out);
    out->offset -= followed * rate;
}

static void motor_law(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    out->lower = -drive->strength;
    out->upper = drive->strength;
    if (drive->motor_compliance > 0.0) {
        servo_law(work, joint, k, out);
        return;
    }
    if (drive->motor == TN_MOTOR_POSITION) {
        double q = work->coordinates[joint->first_coordinate + k], off = beside_target(work, joint, k);
        out->offset = (q - target_at(work, joint, k, work->t + work->h) - left_of(work, off)) / work->h;
        out->push = closing(work, off);
    } else {
        out->offset = -rate_at(work, joint, k, work->t + 0.5 * work->h);
    }
}

// One-sided. Above the limit it is reached within the step or not at all, and its damper has no say before: the same
// softness at room/h. Both agree where there is no room.
static void soft_limit_law(const tn_joint_rows_work *work, tn_joint_softness soft, double room, tn_joint_law *out)
{
    soften(soft, work->kappa * work->h, room, out);
    if (room > 0.0) {
        out->offset = room / work->h;
    }
}

// What rigid limits of coordinate k say.
static double rigid_limit(const tn_joint_rows_work *work, const tn_model_joint *joint, tn_joint_role role, int k)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double room = tn_joint_room(drive, role, work->coordinates[joint->first_coordinate + k]);
    return limit_term(&work->model->settings, work->h, room - room_left(work, joint, role, k));
}

// A motor that gives all it takes goes as far as rigid limits let it: beyond, no motion does what both say.
static void stop_motor(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    if (tn_drive_prescribes(drive) && drive->limit_compliance == 0.0) {
        double low = rigid_limit(work, joint, TN_ROLE_LOW, k), high = rigid_limit(work, joint, TN_ROLE_HIGH, k);
        out->offset = fmax(-high, fmin(low, out->offset));
    }
}

// How much faster coordinate k goes than along the step's start, as in the last step.
static double bend_of(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
{
    tn_joint_share share[TN_GEAR_MOST];
    int n = tn_joint_shares(work->model, joint, k, share);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += share[i].factor * work->bend[share[i].joint->first_coordinate + share[i].k];
    }
    return sum;
}

static void coordinate_law(const tn_joint_rows_work *work, const tn_model_joint *joint, tn_joint_role role, int k,
                           tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double q = work->coordinates[joint->first_coordinate + k];
    double h = work->h;
    switch (role) {
    case TN_ROLE_SPRING:
        out->compliance = 1.0 / (work->kappa * h * drive->stiffness + drive->damping);
        out->offset = drive->stiffness * (q - drive->rest) * out->compliance;
        break;
    case TN_ROLE_ARMATURE:
        out->compliance = h / drive->armature;
        out->offset = -work->rates_before[joint->first_coordinate + k];
        break;
    case TN_ROLE_MOTOR:
        motor_law(work, joint, k, out);
        out->offset += bend_of(work, joint, k);
        stop_motor(work, joint, k, out);
        break;
    case TN_ROLE_FRICTION:
        out->upper = friction_of(work, joint, k);
        out->lower = -out->upper;
        out->offset = bend_of(work, joint, k);
        break;
    default:
        out->lower = 0.0;
        if (drive->limit_compliance > 0.0) {
            soft_limit_law(work, softness_of_drive(drive, role), tn_joint_room(drive, role, q), out);
            break;
        }
        out->offset = rigid_limit(work, joint, role, k);
        out->push = fmin(0.0, out->offset);
        break;
    }
}

// Whether a row is a limit of a tree's joint, without force, that the step does not reach below FAST: twice what tree
// problems allow for (LEAP in tree_rows.c).
static bool is_far(const tn_joint_rows_work *work, int number)
{
    const double FAST = 40.0; // [m/s, rad/s]
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    if (!work->near || (row->role != TN_ROLE_LOW && row->role != TN_ROLE_HIGH) || work->last[number] != 0.0 ||
        work->model->trees->link_of_joint[row->joint] < 0) {
        return false;
    }
    double q = work->coordinates[joint->first_coordinate + row->index];
    return tn_joint_room(&joint->description->drive[joint->axis[row->index]], row->role, q) > FAST * work->h;
}

// What a distance's force does across it, where it counts (taut.h).
static bool across_law(const tn_joint_rows_work *work, const tn_model_joint_row *row, tn_joint_law *out)
{
    double stiffness = work->taut ? work->taut[row->joint] : 0.0;
    out->compliance = stiffness > 0.0 ? 1.0 / (work->h * stiffness) : 0.0;
    return stiffness > 0.0;
}

// Of the first solve.
bool tn_joint_law_first(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    bool hold = row->role == TN_ROLE_HOLD;
    if (hold && tn_trees_hold(work->model->trees, row->joint)) {
        return false;
    }
    if (!hold && is_far(work, number)) {
        work->out->far[work->out->n_far++] = number;
        return false;
    }
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (hold) {
        hold_law(work, row, out);
    } else if (row->role == TN_ROLE_ACROSS) {
        return across_law(work, row, out);
    } else {
        coordinate_law(work, joint, row->role, row->index, out);
    }
    return true;
}

// Of the second solve: velocities at the step's end, forces on top of the first ones. Springs, and whatever gives way,
// have had their say.
bool tn_joint_law_end(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    double first = work->force[number];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (tn_joint_softness_of(joint, row).compliance > 0.0) {
        return false;
    }
    if (row->role == TN_ROLE_HOLD) {
        return true;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    switch (row->role) {
    case TN_ROLE_MOTOR:
        out->offset = -rate_at(work, joint, row->index, work->t);
        out->lower = -drive->strength - first;
        out->upper = drive->strength - first;
        return true;
    case TN_ROLE_FRICTION:
        out->upper = friction_of(work, joint, row->index);
        out->lower = -out->upper - first;
        out->upper -= first;
        return true;
    default:
        out->lower = -first;
        return work->closed[number] ||
               tn_joint_room(drive, row->role, work->coordinates[joint->first_coordinate + row->index]) <= TOUCH;
    }
}

// Of velocities at the start: what rigid holds allow.
bool tn_joint_law_start(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role != TN_ROLE_HOLD) {
        return false;
    }
    return tn_joint_hold_compliance(joint, row->index) == 0.0;
}

// Of a correction of positions.
bool tn_joint_law_position(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        out->offset = tn_joint_violation(joint, &work->errors[row->joint], work->coordinates, row->index) -
                      left_of(work, joint->off[row->index]);
        return tn_joint_hold_compliance(joint, row->index) == 0.0;
    }
    if (row->role == TN_ROLE_ACROSS) {
        return false;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    if (row->role == TN_ROLE_ARMATURE) { // weighs like the bodies' own inertia
        out->compliance = work->h / drive->armature;
        return true;
    }
    out->lower = 0.0;
    if ((row->role != TN_ROLE_LOW && row->role != TN_ROLE_HIGH) || drive->limit_compliance > 0.0) {
        return false;
    }
    out->offset = tn_joint_room(drive, row->role, work->coordinates[joint->first_coordinate + row->index]) -
                  room_left(work, joint, row->role, row->index);
    return out->offset <= TOUCH; // not by the rounding that a limit which is struck is off by
}

// A row that bears f whatever moves.
static bool give(double f, tn_joint_law *out)
{
    out->lower = out->upper = f;
    return true;
}

// At rest a position servo has its spring, a velocity servo what its damper makes of the target.
static bool rest_motor(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    tn_joint_softness soft = softness_of_drive(drive, TN_ROLE_MOTOR);
    double target = tn_value_at(&drive->target, work->t), f;
    out->lower = -drive->strength;
    out->upper = drive->strength;
    if (soft.compliance == INFINITY || (soft.compliance > 0.0 && drive->motor == TN_MOTOR_VELOCITY)) {
        f = soft.damping * target;
    } else if (soft.compliance > 0.0 && work->elastic) {
        f = (target - work->coordinates[joint->first_coordinate + k]) / soft.compliance;
    } else {
        return true;
    }
    return give(fmin(fmax(f, out->lower), out->upper), out);
}

static bool rest_limit(const tn_joint_rows_work *work, const tn_scene_drive *drive, double room, tn_joint_law *out)
{
    if (drive->limit_compliance > 0.0 && work->elastic) {
        return room < 0.0 && give(-room / drive->limit_compliance, out);
    }
    out->lower = 0.0;
    return room <= REST_TOUCH;
}

// Of a system at rest: springs have their forces, what is rigid holds without regard to errors and prescribed motions.
bool tn_joint_law_rest(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        double compliance = tn_joint_hold_compliance(joint, row->index);
        if (compliance > 0.0 && compliance < INFINITY && work->elastic) {
            double error = tn_joint_violation(joint, &work->errors[row->joint], work->coordinates, row->index);
            return give(-error / compliance, out);
        }
        return compliance < INFINITY; // a damper alone bears nothing
    }
    if (row->role == TN_ROLE_ACROSS) {
        return false;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    double q = work->coordinates[joint->first_coordinate + row->index];
    switch (row->role) {
    case TN_ROLE_SPRING:
        return give(-drive->stiffness * (q - drive->rest), out);
    case TN_ROLE_ARMATURE:
        return false;
    case TN_ROLE_MOTOR:
        return rest_motor(work, joint, row->index, out);
    case TN_ROLE_FRICTION:
        out->upper = friction_of(work, joint, row->index);
        out->lower = -out->upper;
        return true;
    default:
        return rest_limit(work, drive, tn_joint_room(drive, row->role, q), out);
    }
}
