// Figures of a configuration of joints: coordinates, drift, energy; and how far rigid rows gave way.
#include "discretize/joint_law.h"

#include "math/vec3.h"
#include "model/tree.h"
#include "problem/rows.h"

#include <math.h>

void tn_joint_move_nodes(const tn_model *model, const double *x, const double *v, double time, double *out)
{
    for (int i = 0; i < model->n_nodes; i++) {
        int block = model->nodes[i].block;
        if (block >= 0) {
            tn_vec3_madd(out + 3 * (size_t)i, x + 3 * (size_t)i, time, v + 3 * (size_t)block);
        }
    }
}

static double passed(const tn_scene_drive *drive, double q)
{
    return fmax(0.0, fmax(drive->low - q, q - drive->high));
}

static double limit_error(const tn_model_joint *joint, const double *coordinates)
{
    double worst = 0.0;
    for (int k = 0; k < joint->n_coordinates; k++) {
        const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
        if (drive->limit_compliance == 0.0) {
            worst = fmax(worst, passed(drive, coordinates[joint->first_coordinate + k]));
        }
    }
    return worst;
}

static double holds_error(const tn_model_joint *joint, const tn_joint_geometry *at, const double *coordinates)
{
    double worst = 0.0;
    for (int k = 0; k < joint->n_holds; k++) {
        if (tn_joint_hold_compliance(joint, k) == 0.0) {
            worst = fmax(worst, fabs(tn_joint_violation(joint, at, coordinates, k)));
        }
    }
    return worst;
}

static double joint_energy(const tn_model_joint *joint, const tn_joint_geometry *at, const double *coordinates,
                           double energy)
{
    for (int k = 0; k < joint->n_holds; k++) {
        double compliance = tn_joint_hold_compliance(joint, k), error = tn_joint_violation(joint, at, coordinates, k);
        energy += compliance > 0.0 ? 0.5 * error * error / compliance : 0.0;
    }
    for (int k = 0; k < joint->n_coordinates; k++) {
        const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
        double q = coordinates[joint->first_coordinate + k], stretch = q - drive->rest, beyond = passed(drive, q);
        energy += 0.5 * drive->stiffness * stretch * stretch;
        energy += drive->limit_compliance > 0.0 ? 0.5 * beyond * beyond / drive->limit_compliance : 0.0;
    }
    return energy;
}

double tn_joint_off(const tn_model *model, int i, const tn_joint_sides *sides, const double *coordinates)
{
    tn_joint_geometry at;
    tn_joint_look_at(model, &model->joints[i], sides, &at); // of a gear: nothing
    return holds_error(&model->joints[i], &at, coordinates);
}

double tn_joint_drift(const tn_model *model, int i, const tn_joint_sides *sides, const double *coordinates)
{
    const tn_model_joint *joint = &model->joints[i];
    bool placed = tn_trees_hold(model->trees, i) && joint->kind != TN_JOINT_GEAR; // bodies are where coordinates say
    double held = placed ? 0.0 : tn_joint_off(model, i, sides, coordinates);
    return fmax(held, limit_error(joint, coordinates));
}

double tn_joints_drift(const tn_model *model, const tn_joint_sides *sides, const double *coordinates)
{
    double worst = 0.0;
    for (int i = 0; i < model->n_joints; i++) {
        worst = fmax(worst, tn_joint_drift(model, i, sides, coordinates));
    }
    return worst;
}

double tn_joints_energy(const tn_model *model, const tn_joint_sides *sides, const double *coordinates)
{
    double energy = 0.0;
    for (int i = 0; i < model->n_joints; i++) {
        tn_joint_geometry at;
        tn_joint_look_at(model, &model->joints[i], sides, &at); // of a gear: nothing
        energy = joint_energy(&model->joints[i], &at, coordinates, energy);
    }
    return energy;
}

// Velocity of rigid row i: of what holds, and of motors that give all it takes.
static double yield_of(const tn_model *model, const tn_joint_step *step, const double *v, int i)
{
    const tn_rows *rows = &step->rows;
    const tn_model_joint_row *row = &model->joint_rows[step->source[i]];
    bool rigid = (row->role == TN_ROLE_MOTOR || row->role == TN_ROLE_HOLD) && rows->compliance[i] == 0.0 &&
                 rows->lower[i] == -INFINITY && rows->upper[i] == INFINITY;
    return rigid ? fabs(tn_single_velocity(rows, i, v)) : 0.0;
}

tn_joint_yield tn_joint_step_yield(const tn_model *model, const tn_joint_step *step, const double *v)
{
    const tn_rows *rows = &step->rows;
    tn_joint_yield out = {.joint = -1};
    for (int i = 0; i < rows->n_singles; i++) {
        double here = yield_of(model, step, v, i);
        if (here > out.speed) {
            out.speed = here;
            out.joint = rows->joint[i];
        }
    }
    return out;
}

double tn_joint_step_net(const tn_model *model, const tn_joint_step *step, const double *f, double *room)
{
    const tn_rows *rows = &step->rows;
    double gross = 0.0, net = 0.0;
    for (size_t i = 0; i < 3 * (size_t)model->n_blocks; i++) {
        room[i] = 0.0;
    }
    for (int i = 0; i < rows->n_singles; i++) {
        for (int e = rows->start[i]; e < rows->start[i + 1]; e++) {
            const double *along = rows->jacobian + 3 * (size_t)e;
            tn_vec3_madd(room + 3 * (size_t)rows->block[e], room + 3 * (size_t)rows->block[e], f[i], along);
            gross += fabs(f[i]) * tn_vec3_norm(along);
        }
    }
    for (int b = 0; b < model->n_blocks; b++) {
        net += tn_vec3_norm(room + 3 * (size_t)b);
    }
    return gross > 0.0 ? net / gross : 0.0;
}
