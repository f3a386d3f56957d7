// Joints of a model for its users: numbers, names, coordinates.
#include "model/model.h"
#include "scene/spec.h"
#include "tenon/sim.h"

#include <string.h>

static const char *const axis_names[TN_AXIS_COUNT] = {"slide", "slide2", "turn", "turn2"};

int tn_model_joint_count(const tn_model *model)
{
    return model->n_joints;
}

int tn_model_find_joint(const tn_model *model, const char *name)
{
    for (int i = 0; i < model->n_joints; i++) {
        if (strcmp(model->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *tn_model_joint_name(const tn_model *model, int joint)
{
    return joint >= 0 && joint < model->n_joints ? model->joints[joint].name : NULL;
}

const char *tn_model_joint_type(const tn_model *model, int joint)
{
    return joint >= 0 && joint < model->n_joints
               ? tn_section_key(&tn_section_joint, "type")->choices[model->joints[joint].kind]
               : NULL;
}

int tn_model_coordinate_count(const tn_model *model)
{
    return model->n_joint_coordinates;
}

int tn_model_first_coordinate(const tn_model *model, int joint)
{
    return model->joints[joint].first_coordinate;
}

int tn_model_joint_coordinate_count(const tn_model *model, int joint)
{
    return model->joints[joint].n_coordinates;
}

const char *tn_model_joint_coordinate_name(const tn_model *model, int joint, int index)
{
    return axis_names[model->joints[joint].axis[index]];
}
