// What a step's input may say: numbers within bounds, and targets of coordinates that have a motor for them; contacts
// that it leaves out.
#include "base/most.h"
#include "model/joint_geometry.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The error of a number that is none or too large: what it is of, and of whom.
static tn_status beyond(const char *what, const char *whose, double value, tn_error *error)
{
    return tn_error_set(error, TN_BAD_INPUT, "input: %s%s is %g: it must be between %g and %g", what, whose, value,
                        -TN_MOST, TN_MOST);
}

static tn_status check_forces(const tn_model *model, const tn_input *input, tn_error *error)
{
    char whose[160];
    ptrdiff_t i = tn_first_beyond(input->wrench, 6 * (size_t)model->n_bodies);
    if (i >= 0) {
        snprintf(whose, sizeof whose, " on body '%.100s'", tn_model_body_name(model, (int)(i / 6)));
        return beyond("wrench", whose, input->wrench[i], error);
    }
    i = tn_first_beyond(input->node_force, 3 * (size_t)model->n_nodes);
    if (i >= 0) {
        const tn_model_soft *soft = &model->softs[model->node_soft[i / 3]];
        snprintf(whose, sizeof whose, " on node %d of soft body '%.100s'", (int)(i / 3) - soft->first_node, soft->name);
        return beyond("force", whose, input->node_force[i], error);
    }
    i = tn_first_beyond(input->gravity, 3);
    return i < 0 ? TN_OK : beyond("gravity", "", input->gravity[i], error);
}

static tn_status check_motion(const tn_model *model, const double *motion, tn_error *error)
{
    for (int b = 0; motion && b < model->n_bodies; b++) {
        const double *pose = motion + 7 * (size_t)b, *q = pose + 3;
        bool counts = model->bodies[b].kind == TN_BODY_KINEMATIC && !isnan(pose[0]);
        ptrdiff_t i = counts ? tn_first_beyond(pose, 7) : -1;
        if (i >= 0) {
            char whose[160];
            snprintf(whose, sizeof whose, " of body '%.100s'", tn_model_body_name(model, b));
            return beyond("motion", whose, pose[i], error);
        }
        if (counts && !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0)) {
            return tn_error_set(error, TN_BAD_INPUT, "input: motion of body '%s': its quaternion is zero",
                                tn_model_body_name(model, b));
        }
    }
    return TN_OK;
}

// The same of a joint's coordinate, whose name is put together only here: inputs are checked in every step.
static tn_status beyond_of(const tn_model_joint *joint, const char *name, const char *what, double value,
                           tn_error *error)
{
    char whose[160];
    snprintf(whose, sizeof whose, " of joint '%.100s', %s,", joint->name, name);
    return beyond(what, whose, value, error);
}

static tn_status check_coordinate(const tn_model *model, const tn_input *input, int c, tn_error *error)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(model, c, &k);
    const char *name = tn_model_joint_coordinate_name(model, (int)(joint - model->joints), k);
    tn_motor motor = joint->description->drive[joint->axis[k]].motor;
    double effort = input->effort ? input->effort[c] : 0.0, target = input->target ? input->target[c] : NAN,
           rate = input->target_rate ? input->target_rate[c] : NAN;
    if (!(fabs(effort) <= TN_MOST)) {
        return beyond_of(joint, name, "effort", effort, error);
    }
    if (fabs(target) > TN_MOST || fabs(rate) > TN_MOST) {
        return fabs(target) > TN_MOST ? beyond_of(joint, name, "target", target, error)
                                      : beyond_of(joint, name, "target_rate", rate, error);
    }
    if ((!isnan(target) || !isnan(rate)) && motor == TN_MOTOR_NONE) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "input: joint '%s', %s, has a target but no motor: give it one in the scene, or an effort",
                            joint->name, name);
    }
    if (!isnan(target) && motor == TN_MOTOR_VELOCITY) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "input: joint '%s', %s, has a velocity motor: it takes target_rate, not target",
                            joint->name, name);
    }
    return TN_OK;
}

tn_status tn_sim_check_input(const tn_model *model, const tn_input *input, tn_error *error)
{
    tn_status status = input ? check_forces(model, input, error) : TN_OK;
    status = status == TN_OK && input ? check_motion(model, input->motion, error) : status;
    bool of_joints = input && (input->effort || input->target || input->target_rate);
    for (int c = 0; status == TN_OK && of_joints && c < model->n_joint_coordinates; c++) {
        status = check_coordinate(model, input, c, error);
    }
    return status;
}

// Contacts of a pair of bodies mostly follow one another.
void tn_sim_filter(const tn_step_setup *setup, tn_contact_list *list)
{
    const tn_input *input = setup->input;
    int a = -1, b = -1, n = 0;
    bool may = true;
    for (int k = 0; input && input->may_touch && k < list->n; k++) {
        const tn_contact *contact = &list->contacts[k];
        if (contact->body_a != a || contact->body_b != b) {
            a = contact->body_a;
            b = contact->body_b;
            may = input->may_touch(input->user, a < b ? a : b, a < b ? b : a);
        }
        if (may && n < k) {
            double *frame = list->frames + 9 * (size_t)n;
            memmove(frame, contact->frame, 9 * sizeof *frame);
            list->contacts[n] = *contact;
            list->contacts[n].frame = frame;
        }
        n += may;
    }
    list->n = input && input->may_touch ? n : list->n;
}
