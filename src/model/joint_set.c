// Sets of nodes that joints hold, compiled.
#include "math/mat3.h"
#include "model/compile.h"

// Nodes whose spread across a line is less than this, of that along it, lie on the line (scene/build_joint_ends.c
// refuses joints that need more).
static const double NARROW = 1e-6;

typedef struct arrays {
    int *node;
    double *weight, *arm;
} arrays;

static void find_center(const tn_model *model, const arrays *to, tn_model_set *out)
{
    for (int i = 0; i < out->n; i++) {
        double mass = model->node_mass[to->node[i]];
        out->mass += mass;
        tn_vec3_madd(out->center, out->center, mass, model->node_rest + 3 * (size_t)to->node[i]);
    }
    tn_vec3_scale(out->center, 1.0 / out->mass, out->center);
}

// Arms, weights, and what follows from the second moments.
static void find_arms(const tn_model *model, const arrays *to, tn_model_set *out)
{
    double moments[9] = {0.0}, values[3], vectors[9];
    for (int i = 0; i < out->n; i++) {
        double *arm = to->arm + 3 * (size_t)i;
        to->weight[i] = model->node_mass[to->node[i]] / out->mass;
        tn_vec3_sub(arm, model->node_rest + 3 * (size_t)to->node[i], out->center);
        for (int k = 0; k < 9; k++) {
            moments[k] += to->weight[i] * arm[k / 3] * arm[k % 3];
        }
    }
    tn_mat3_eigen(moments, values, vectors);
    out->turns = values[1] > NARROW * NARROW * values[2];
}

bool tn_model_compile_set(const tn_model *model, const tn_scene_nodes *nodes, tn_model_set *out, tn_arena *arena)
{
    size_t n = (size_t)nodes->n;
    arrays to = {
        .node = TN_PUSH(arena, int, n), .weight = TN_PUSH(arena, double, n), .arm = TN_PUSH(arena, double, 3 * n)};
    if (!to.node || !to.weight || !to.arm) {
        return false;
    }
    *out = (tn_model_set){.soft = nodes->soft, .n = nodes->n, .node = to.node, .weight = to.weight, .arm = to.arm};
    for (int i = 0; i < nodes->n; i++) {
        to.node[i] = model->softs[nodes->soft].first_node + nodes->nodes[i];
    }
    find_center(model, &to, out);
    find_arms(model, &to, out);
    return true;
}
