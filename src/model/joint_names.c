// Joints of a model for its users: numbers, names, coordinates.
#include "model/model.h"
#include "scene/joint_class.h"
#include "tenon/sim.h"

#include <string.h>

static const tn_model_joint *joint_at(const tn_model *model, int joint)
{
    return model && joint >= 0 && joint < model->n_joints ? &model->joints[joint] : NULL;
}

int tn_model_joint_count(const tn_model *model)
{
    return model ? model->n_joints : 0;
}

int tn_model_find_joint(const tn_model *model, const char *name)
{
    for (int i = 0; model && name && i < model->n_joints; i++) {
        if (strcmp(model->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *tn_model_joint_name(const tn_model *model, int joint)
{
    const tn_model_joint *j = joint_at(model, joint);
    return j ? j->name : NULL;
}

const char *tn_model_joint_type(const tn_model *model, int joint)
{
    const tn_model_joint *j = joint_at(model, joint);
    return j ? tn_joint_kind_names[j->kind] : NULL;
}

int tn_model_coordinate_count(const tn_model *model)
{
    return model ? model->n_joint_coordinates : 0;
}

int tn_model_first_coordinate(const tn_model *model, int joint)
{
    const tn_model_joint *j = joint_at(model, joint);
    return j ? j->first_coordinate : 0;
}

int tn_model_joint_coordinate_count(const tn_model *model, int joint)
{
    const tn_model_joint *j = joint_at(model, joint);
    return j ? j->n_coordinates : 0;
}

// Whether a name is the joint's and the coordinate's, or the joint's that has no other one.
static bool is_called(const tn_model_joint *joint, int k, const char *name)
{
    size_t length = strcspn(name, ":");
    if (strlen(joint->name) != length || strncmp(joint->name, name, length) != 0) {
        return false;
    }
    return name[length] ? strcmp(name + length + 1, tn_joint_axis_names[joint->axis[k]]) == 0
                        : joint->n_coordinates == 1;
}

int tn_model_find_coordinate(const tn_model *model, const char *name)
{
    int found = -1;
    for (int i = 0; model && name && i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        for (int k = 0; k < joint->n_coordinates; k++) {
            const char *called = joint->description->drive[joint->axis[k]].called;
            if (called && strcmp(called, name) == 0) {
                return joint->first_coordinate + k;
            }
            found = is_called(joint, k, name) ? joint->first_coordinate + k : found;
        }
    }
    return found;
}

const char *tn_model_joint_coordinate_name(const tn_model *model, int joint, int index)
{
    const tn_model_joint *j = joint_at(model, joint);
    return j && index >= 0 && index < j->n_coordinates ? tn_joint_axis_names[j->axis[index]] : NULL;
}
