// What a step's input may say: finite numbers, and targets of coordinates that have a motor for them; contacts that it
// leaves out.
#include "model/joint_geometry.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Number of the first that is not finite, of n; -1: none.
static int first_bad(const double *array, int n)
{
    for (int i = 0; array && i < n; i++) {
        if (!isfinite(array[i])) {
            return i;
        }
    }
    return -1;
}

static const char *soft_of_node(const tn_model *model, int node)
{
    return model->softs[model->node_soft[node]].name;
}

static tn_status check_forces(const tn_model *model, const tn_input *input, tn_error *error)
{
    int i = first_bad(input->wrench, 6 * model->n_bodies);
    if (i >= 0) {
        return tn_error_set(error, TN_BAD_INPUT, "input: wrench on body '%s' has %g", tn_model_body_name(model, i / 6),
                            input->wrench[i]);
    }
    i = first_bad(input->node_force, 3 * model->n_nodes);
    if (i >= 0) {
        return tn_error_set(error, TN_BAD_INPUT, "input: force on node %d of soft body '%s' has %g",
                            i / 3 - model->softs[model->node_soft[i / 3]].first_node, soft_of_node(model, i / 3),
                            input->node_force[i]);
    }
    for (int b = 0; input->motion && b < model->n_bodies; b++) {
        const double *pose = input->motion + 7 * (size_t)b, *q = pose + 3;
        bool counts = model->bodies[b].kind == TN_BODY_KINEMATIC && !isnan(pose[0]);
        if (counts && (first_bad(pose, 7) >= 0 || !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0))) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "input: motion of body '%s' is not finite, or its quaternion is zero",
                                tn_model_body_name(model, b));
        }
    }
    i = first_bad(input->gravity, 3);
    return i < 0 ? TN_OK : tn_error_set(error, TN_BAD_INPUT, "input: gravity has %g", input->gravity[i]);
}

static tn_status check_coordinate(const tn_model *model, const tn_input *input, int c, tn_error *error)
{
    int k;
    const tn_model_joint *joint = tn_joint_of_coordinate(model, c, &k);
    const char *name = tn_model_joint_coordinate_name(model, (int)(joint - model->joints), k);
    tn_motor motor = joint->description->drive[joint->axis[k]].motor;
    double effort = input->effort ? input->effort[c] : 0.0, target = input->target ? input->target[c] : NAN,
           rate = input->target_rate ? input->target_rate[c] : NAN;
    if (!isfinite(effort)) {
        return tn_error_set(error, TN_BAD_INPUT, "input: effort of joint '%s', %s, is %g", joint->name, name, effort);
    }
    if (isinf(target) || isinf(rate)) {
        return tn_error_set(error, TN_BAD_INPUT, "input: target of joint '%s', %s, is infinite", joint->name, name);
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
