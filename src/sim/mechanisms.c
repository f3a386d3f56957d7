// Mechanisms: bodies, the joints that tie them and the soft bodies attached to them are one set.
#include "sim/mechanisms.h"

#include "math/sets.h"
#include "model/joint_geometry.h"

bool tn_mechanisms_find(const tn_model *model, tn_arena *arena, tn_mechanisms *out)
{
    int n_rigid = model->n_bodies + model->n_joints, n = n_rigid + model->n_softs;
    int *parent = TN_PUSH_RAW(arena, int, n);
    *out = (tn_mechanisms){.n = n,
                           .of_body = parent,
                           .of_joint = parent ? parent + model->n_bodies : NULL,
                           .of_soft = parent ? parent + n_rigid : NULL};
    for (int i = 0; parent && i < n; i++) {
        parent[i] = i;
    }
    for (int j = 0; parent && j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        const int bodies[2] = {joint->body_a, joint->body_b};
        for (int side = 0; side < 2; side++) {
            if (bodies[side] >= 0 && bodies[side] < model->n_bodies && model->bodies[bodies[side]].n_blocks > 0) {
                tn_sets_join(parent, bodies[side], model->n_bodies + j);
            }
        }
        // By coordinate: the scene's numbers of joints are not those of what is awake.
        for (int i = 0, k; i < joint->n_gear; i++) {
            const tn_model_joint *coupled = tn_joint_of_coordinate(model, joint->gear[i], &k);
            tn_sets_join(parent, model->n_bodies + (int)(coupled - model->joints), model->n_bodies + j);
        }
    }
    for (int i = 0; parent && i < model->n_nodes; i++) {
        int body = model->nodes[i].body;
        if (body >= 0 && model->bodies[body].n_blocks > 0) {
            tn_sets_join(parent, body, n_rigid + model->node_soft[i]);
        }
    }
    for (int i = 0; parent && i < n; i++) {
        parent[i] = tn_set_of(parent, i);
    }
    return parent != NULL;
}
