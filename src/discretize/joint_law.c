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

static double limit_term(const tn_settings *settings, double h, double room)
{
    return room < 0.0 ? stabilized(settings, h, room) : room / h;
}

static void hold_law(const tn_joint_rows_work *work, const tn_model_joint *joint, int number, int i, tn_joint_law *out)
{
    double error = tn_joint_violation(joint, &work->errors[number], work->coordinates, i),
           reach = work->kappa * work->h;
    double compliance = tn_joint_hold_compliance(joint, i);
    out->offset = compliance > 0.0 ? error / reach : stabilized(&work->model->settings, work->h, error);
    out->compliance = compliance > 0.0 ? compliance / reach : hold_yield(work, joint, i);
    out->soft = compliance > 0.0;
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
        out->upper = friction_of(work, joint, k);
        out->lower = -out->upper;
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

static double room_of(const tn_scene_drive *drive, tn_joint_role role, double q)
{
    return role == TN_ROLE_LOW ? q - drive->low : drive->high - q;
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
        return first > 0.0 ||
               room_of(drive, row->role, work->coordinates[joint->first_coordinate + row->index]) <= TOUCH;
    }
}

// Of a correction of positions.
bool tn_joint_law_position(const tn_joint_rows_work *work, int number, tn_joint_law *out)
{
    const tn_model_joint_row *row = &work->model->joint_rows[number];
    const tn_model_joint *joint = &work->model->joints[row->joint];
    *out = (tn_joint_law){.lower = -INFINITY, .upper = INFINITY};
    if (row->role == TN_ROLE_HOLD) {
        out->offset = tn_joint_violation(joint, &work->errors[row->joint], work->coordinates, row->index);
        out->compliance = hold_yield(work, joint, row->index);
        return tn_joint_hold_compliance(joint, row->index) == 0.0;
    }
    const tn_scene_drive *drive = &joint->description->drive[joint->axis[row->index]];
    out->lower = 0.0;
    out->offset = room_of(drive, row->role, work->coordinates[joint->first_coordinate + row->index]);
    return (row->role == TN_ROLE_LOW || row->role == TN_ROLE_HIGH) && out->offset <= 0.0;
}
