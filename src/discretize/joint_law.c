// The laws of joint rows: offset, compliance and bounds (joints.h has the table).
#include "discretize/joint_law.h"

#include <math.h>

// Limits closer than this take part in second solves and corrections [m, rad].
static const double TOUCH = 1e-9;

// Of the change of velocity that a rigid row makes: what it leaves.
static const double YIELD = 1e-6;

double tn_joint_gear_error(const tn_model_joint *joint, const double *coordinates)
{
    return coordinates[joint->gear[1]] - joint->description->ratio * coordinates[joint->gear[0]] - joint->length;
}

double tn_joint_violation(const tn_model_joint *joint, const tn_joint_geometry *at, const double *coordinates, int i)
{
    return joint->kind == TN_JOINT_GEAR ? tn_joint_gear_error(joint, coordinates) : at->violation[i];
}

double tn_joint_hold_compliance(const tn_model_joint *joint, int i)
{
    const tn_scene_joint *said = joint->description;
    return tn_joint_hold_turns(joint, i) ? said->turn_compliance : said->compliance;
}

static double hold_yield(const tn_joint_rows_work *work, const tn_model_joint *joint, int i)
{
    return YIELD * work->h * joint->lightness[tn_joint_hold_turns(joint, i)];
}

// Motors that give all it takes are as rigid as holds.
static double motor_yield(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
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

static void hold_law(const tn_joint_rows_work *work, const tn_model_joint *joint, int number, int i, tn_joint_law *out)
{
    double error = tn_joint_violation(joint, &work->errors[number], work->coordinates, i),
           reach = work->kappa * work->h;
    double compliance = tn_joint_hold_compliance(joint, i);
    double corrected =
        work->rates_only ? 0.0 : stabilized(&work->model->settings, work->h, error - left_of(work, joint->off[i]));
    out->offset = compliance > 0.0 ? error / reach : corrected;
    out->compliance = compliance > 0.0 ? compliance / reach : hold_yield(work, joint, i);
    out->push = compliance > 0.0 || work->rates_only
                    ? 0.0
                    : stabilized(&work->model->settings, 1.0, closing(work, joint->off[i]));
}

// Most that the friction of a coordinate bears: the constant, and a share of the force that held the joint's points in
// the last step (holds are a joint's first rows).
static double friction_of(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double square = 0.0;
    for (int i = 0; drive->friction_arm > 0.0 && i < joint->n_holds; i++) {
        double f = tn_joint_hold_turns(joint, i) ? 0.0 : work->last[joint->first_row + i];
        square += f * f;
    }
    return drive->friction + drive->friction_arm * sqrt(square);
}

static double room_of(const tn_scene_drive *drive, tn_joint_role role, double q)
{
    return role == TN_ROLE_LOW ? q - drive->low : drive->high - q;
}

// How far coordinate k started beyond a limit, and what of that may be left: at most 0.
static double room_left(const tn_joint_rows_work *work, const tn_model_joint *joint, tn_joint_role role, int k)
{
    double start = work->model->joint_start[joint->first_coordinate + k];
    return left_of(work, fmin(0.0, room_of(&joint->description->drive[joint->axis[k]], role, start)));
}

// How far it started beside the target of a motor that gives all it takes.
static double beside_target(const tn_joint_rows_work *work, const tn_model_joint *joint, int k)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double start = work->model->joint_start[joint->first_coordinate + k];
    return drive->strength == INFINITY ? start - tn_value_at(&drive->target, 0.0) : 0.0;
}

static void motor_law(const tn_joint_rows_work *work, const tn_model_joint *joint, int k, tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    if (drive->motor == TN_MOTOR_POSITION) {
        double q = work->coordinates[joint->first_coordinate + k], off = beside_target(work, joint, k);
        out->offset = (q - tn_value_at(&drive->target, work->t + work->h) - left_of(work, off)) / work->h;
        out->push = closing(work, off);
    } else {
        out->offset = -tn_value_at(&drive->target, work->t + 0.5 * work->h);
    }
    out->lower = -drive->strength;
    out->upper = drive->strength;
    out->compliance = motor_yield(work, joint, k);
}

static void coordinate_law(const tn_joint_rows_work *work, const tn_model_joint *joint, tn_joint_role role, int k,
                           tn_joint_law *out)
{
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
    double q = work->coordinates[joint->first_coordinate + k];
    const tn_settings *settings = &work->model->settings;
    double h = work->h;
    switch (role) {
    case TN_ROLE_SPRING:
        out->compliance = 1.0 / (work->kappa * h * drive->stiffness + drive->damping);
        out->offset = drive->stiffness * (q - drive->rest) * out->compliance;
        break;
    case TN_ROLE_MOTOR:
        motor_law(work, joint, k, out);
        break;
    case TN_ROLE_FRICTION:
        out->upper = friction_of(work, joint, k);
        out->lower = -out->upper;
        break;
    default:
        out->lower = 0.0;
        out->offset = limit_term(settings, h, room_of(drive, role, q) - room_left(work, joint, role, k));
        out->push = fmin(0.0, out->offset);
        break;
    }
}

// Of the first solve.
bool tn_joint_law_first(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        hold_law(work, joint, row->joint, row->index, out);
    } else {
        coordinate_law(work, joint, row->role, row->index, out);
    }
    return true;
}

// Of the second solve: velocities at the step's end, forces on top of the first ones. Springs have had their say.
bool tn_joint_law_end(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    double first = work->force[number];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        out->compliance = hold_yield(work, joint, row->index);
        return tn_joint_hold_compliance(joint, row->index) == 0.0;
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
        out->upper = friction_of(work, joint, row->index);
        out->lower = -out->upper - first;
        out->upper -= first;
        return true;
    default:
        out->lower = -first;
        return work->closed[number] ||
               room_of(drive, row->role, work->coordinates[joint->first_coordinate + row->index]) <= TOUCH;
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
    out->compliance = hold_yield(work, joint, row->index);
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
        out->compliance = hold_yield(work, joint, row->index);
        return tn_joint_hold_compliance(joint, row->index) == 0.0;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    out->lower = 0.0;
    if (row->role != TN_ROLE_LOW && row->role != TN_ROLE_HIGH) {
        return false;
    }
    out->offset = room_of(drive, row->role, work->coordinates[joint->first_coordinate + row->index]) -
                  room_left(work, joint, row->role, row->index);
    return out->offset <= 0.0;
}
