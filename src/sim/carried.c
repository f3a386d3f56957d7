#include "sim/carried.h"

#include "discretize/arc.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/rigid.h"

#include <math.h>
#include <string.h>

static const tn_model_body *body_of(const tn_step_placing *at, const tn_carried_soft *soft, const tn_pose **pose)
{
    int b = at->setup->model->trees->link[soft->link].body;
    *pose = &at->state->pose[b];
    return &at->setup->model->bodies[b];
}

static void set_block(double to[36], int r, int c, const double block[9])
{
    for (int i = 0; i < 9; i++) {
        to[6 * (3 * r + i / 3) + 3 * c + i % 3] = block[i];
    }
}

// Of points of mass m/h at r from the body's center, m, sum m r and sum m (r^2 - r r^T), as the body's two blocks have
// it.
static void fill_inertia(const tn_pose *pose, double mass, const double first[3], const double second[9],
                         double out[36])
{
    double R[9], skew[9], turned[9], block[9];
    tn_quat_to_mat3(R, pose->quaternion);
    set_block(out, 0, 0, (double[9]){mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, mass});
    tn_mat3_skew(skew, first);
    tn_mat3_mul_tn(block, R, skew);
    set_block(out, 1, 0, block);
    tn_mat3_mul_tn(block, skew, R); // skew^T R
    set_block(out, 0, 1, block);
    tn_mat3_mul(turned, second, R);
    tn_mat3_mul_tn(block, R, turned);
    set_block(out, 1, 1, block);
}

// Whether waves cross what hangs from the link within the step.
static bool is_stiff(const tn_step_placing *at, int soft)
{
    const tn_scene_soft *said = at->setup->model->softs[soft].description;
    double reach = at->eq->balance.h * sqrt(said->young / said->density);
    return reach > at->setup->model->trees->hanging[soft];
}

static void find_inertia(const tn_step_placing *at, tn_carried_soft *out)
{
    const tn_model *model = at->setup->model;
    const tn_model_soft *soft = &model->softs[out->soft];
    const tn_pose *pose;
    double mass = 0.0, first[3] = {0.0}, second[9] = {0.0}, r[3];
    body_of(at, out, &pose);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        double m = model->nodes[i].block >= 0 ? model->node_mass[i] / at->eq->balance.h : 0.0;
        tn_vec3_sub(r, at->state->x + 3 * (size_t)i, pose->position);
        mass += m;
        tn_vec3_madd(first, first, m, r);
        for (int k = 0; k < 9; k++) {
            second[k] += m * ((k % 4 == 0 ? tn_vec3_dot(r, r) : 0.0) - r[k / 3] * r[k % 3]);
        }
    }
    fill_inertia(pose, mass, first, second, out->inertia);
}

// sum -= what elements between two attached nodes are in A of the body alone.
static void take_pair(const tn_step_placing *at, const tn_carried_soft *soft, const tn_tets_pair *pair,
                      const double S[9], double sum[36])
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const tn_pose *pose;
    const tn_model_body *body = body_of(at, soft, &pose);
    double P[2][2][9], turned[9], product[9];
    double weight = pair->node[0] == pair->node[1] ? 0.5 : 1.0; // a node with itself: both ways already
    for (int side = 0; side < 2; side++) {
        tn_body_point_jacobian(body, pose, unit, at->state->x + 3 * (size_t)pair->node[side], 1.0, P[side]);
    }
    for (int k = 0; k < 4; k++) {
        int r = k / 2, c = k % 2;
        tn_mat3_mul(turned, S, P[1][c]);
        tn_mat3_mul_tn(product, P[0][r], turned);
        for (int i = 0; i < 9; i++) {
            int row = 3 * r + i / 3, column = 3 * c + i % 3;
            sum[6 * row + column] -= weight * product[i];
            sum[6 * column + row] -= weight * product[i];
        }
    }
}

// S^T change S of a link's blocks, into its tree's matrix. False: no memory.
static bool add_to_tree(const tn_step_placing *at, int link, const double change[36], tn_arena *arena)
{
    const tn_tree_step *step = &at->eq->trees;
    int tree = step->trees->link[link].tree, n = 3 * step->trees->tree[tree].n_blocks;
    double *matrix = TN_PUSH(arena, double, (size_t)n *(size_t)n);
    double slide[9], mixed[9], spin[9], inertia[36];
    for (int i = 0; i < 9; i++) {
        const double *row = change + 6 * (i / 3) + i % 3;
        slide[i] = row[0];
        mixed[i] = row[3];
        spin[i] = row[21];
    }
    tn_tree_link_inertia(step, link, slide, mixed, spin, inertia);
    for (int l = link; matrix && l >= 0; l = step->trees->link[l].parent) {
        tn_tree_add_composite(step, l, inertia, matrix);
    }
    for (int i = 0; matrix && i < n * n; i++) {
        at->answer->reduced->inertia[tree][i] += matrix[i];
    }
    return matrix != NULL;
}

tn_status tn_carried_find(const tn_step_placing *at, tn_arena *arena, tn_carried *out)
{
    const tn_model *model = at->setup->model;
    const tn_tets_pair *pairs = NULL;
    int n_pairs = model->n_softs > 0 ? tn_tets_tied_pairs(model->elements, &pairs) : 0;
    double *S = TN_PUSH(arena, double, 9 * (size_t)n_pairs), change[36];
    *out = (tn_carried){.soft = TN_PUSH(arena, tn_carried_soft, model->n_softs)};
    bool room = S && out->soft;
    if (room && n_pairs > 0) {
        tn_tets_tied(model->elements, at->eq->balance.elastic, S);
    }
    for (int s = 0; room && n_pairs > 0 && s < model->n_softs; s++) {
        int body = tn_soft_carrier(model->softs[s].description), link = body < 0 ? -1 : model->trees->link_of[body];
        tn_carried_soft *to = &out->soft[out->n];
        *to = (tn_carried_soft){.soft = s, .link = link};
        if (link < 0 || !is_stiff(at, s)) {
            continue;
        }
        out->n++;
        find_inertia(at, to);
        memcpy(change, to->inertia, sizeof change);
        for (int p = 0; p < n_pairs; p++) {
            const int *node = pairs[p].node;
            if (model->nodes[node[0]].body == body && model->nodes[node[1]].body == body &&
                model->node_soft[node[0]] == s) {
                take_pair(at, to, &pairs[p], S + 9 * (size_t)p, change);
            }
        }
        room = add_to_tree(at, link, change, arena);
    }
    return room ? TN_OK : TN_NO_MEMORY;
}

void tn_carried_add_product(const tn_step_placing *at, const tn_carried *carried, int tree, const double *change,
                            double *product)
{
    for (int k = 0; k < carried->n; k++) {
        const tn_pose *pose;
        const tn_carried_soft *soft = &carried->soft[k];
        size_t first = 3 * (size_t)body_of(at, soft, &pose)->block;
        for (size_t i = 0; at->setup->model->trees->link[soft->link].tree == tree && i < 36; i++) {
            product[first + i / 6] += soft->inertia[i] * change[first + i % 6];
        }
    }
}

void tn_carried_follow(const tn_step_placing *at, const tn_carried *carried, const double *start, double *v)
{
    const tn_model *model = at->setup->model;
    for (int k = 0; k < carried->n; k++) {
        const tn_model_soft *soft = &model->softs[carried->soft[k].soft];
        const tn_pose *pose;
        size_t block = (size_t)body_of(at, &carried->soft[k], &pose)->block;
        double slide[3], spin[3], r[3], change[3];
        tn_vec3_sub(slide, v + 3 * block, start + 3 * block);
        tn_vec3_sub(spin, v + 3 * block + 3, start + 3 * block + 3);
        tn_quat_rotate(spin, pose->quaternion, spin);
        for (int node = soft->first_node; node < soft->first_node + soft->n_nodes; node++) {
            if (model->nodes[node].block >= 0) {
                double *own = v + 3 * (size_t)model->nodes[node].block;
                tn_vec3_sub(r, at->state->x + 3 * (size_t)node, pose->position);
                tn_vec3_cross(change, spin, r);
                tn_vec3_add(change, change, slide);
                tn_vec3_add(own, start + 3 * (size_t)model->nodes[node].block, change);
                tn_vec3_madd(at->next->x + 3 * node, at->state->x + 3 * node, at->eq->balance.h, own);
            }
        }
    }
}
