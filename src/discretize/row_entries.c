#include "discretize/row_entries.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/motion.h"
#include "model/rigid.h"

#include <string.h>

// Adds entry to that of its block, or as a new one.
static void add_entry(tn_row_sink *sink, int block, const double entry[9])
{
    int e = 0;
    while (e < sink->n && sink->block[e] != block) {
        e++;
    }
    if (e == sink->n) {
        sink->block[sink->n++] = block;
        memcpy(sink->entry + 9 * e, entry, 9 * sizeof *entry);
        return;
    }
    for (int k = 0; k < 9; k++) {
        sink->entry[9 * e + k] += entry[k];
    }
}

// What a kinematic body prescribes at a point, times factor.
static void add_prescribed(tn_row_sink *sink, int body, const double point[3], double factor)
{
    double linear[3], angular[3], arm[3], spin[3];
    tn_motion_mean_velocity(sink->model->bodies + body, sink->state->time, sink->balance->h, linear, angular);
    tn_vec3_sub(arm, point, sink->state->pose[body].position);
    tn_vec3_cross(spin, angular, arm);
    tn_vec3_add(linear, linear, spin);
    tn_vec3_scale(linear, factor, linear);
    tn_mat3_add_vec(sink->surface, sink->frame, linear);
}

tn_row_tools tn_row_tools_of(const tn_model *model)
{
    return (tn_row_tools){.rows = tn_point_rows_best(), .body = {-1, -1}, .any_belt = model->any_belt};
}

// A point of a free body, as tn_body_point_jacobian makes it.
static void put_free(tn_row_sink *sink, int index, const double point[3], double sign, double *entry)
{
    tn_row_tools *tools = sink->tools;
    const tn_pose *pose = sink->state->pose + index;
    int side = sign > 0.0;
    double arm[3];
    if (tools->body[side] != index) {
        tools->body[side] = index;
        tn_quat_to_mat3(tools->rotation[side], pose->quaternion);
    }
    tn_vec3_sub(arm, point, pose->position);
    tools->rows(sink->frame, tools->rotation[side], arm, sign, entry);
}

// A point of a rigid body that no entry belongs to yet.
static void put_rigid(tn_row_sink *sink, int index, const double point[3], double sign)
{
    const tn_model_body *body = sink->model->bodies + index;
    double(*entry)[9] = (double(*)[9])(sink->entry + 9 * sink->n);
    int n = body->n_blocks;
    if (n == 2) {
        put_free(sink, index, point, sign, *entry);
    } else if (n == 1) {
        tn_body_point_jacobian(body, sink->state->pose + index, sink->frame, point, sign, entry);
    } else if (body->kind == TN_BODY_KINEMATIC) {
        add_prescribed(sink, index, point, sign);
    }
    for (int i = 0; i < n; i++) {
        sink->block[sink->n++] = body->block + i;
    }
}

// A point of a rigid body to which several nodes may be attached, times factor.
static void add_rigid(tn_row_sink *sink, int index, const double point[3], double factor)
{
    const tn_model_body *body = sink->model->bodies + index;
    double entry[2][9];
    int n = tn_body_point_jacobian(body, sink->state->pose + index, sink->frame, point, factor, entry);
    for (int i = 0; i < n; i++) {
        add_entry(sink, body->block + i, entry[i]);
    }
}

// A node of a soft body, times factor.
static void add_node(tn_row_sink *sink, int index, double factor)
{
    const tn_model_node *node = &sink->model->nodes[index];
    if (node->block >= 0) {
        double entry[9];
        for (int k = 0; k < 9; k++) {
            entry[k] = factor * sink->frame[k];
        }
        add_entry(sink, node->block, entry);
    } else if (sink->model->bodies[node->body].n_blocks > 0) {
        add_rigid(sink, node->body, sink->state->x + 3 * (size_t)index, factor);
    } else if (sink->balance->drive) {
        double moved[3];
        tn_vec3_scale(moved, factor, sink->balance->drive + 3 * (size_t)index);
        tn_mat3_add_vec(sink->surface, sink->frame, moved);
    }
}

// Midway between the surfaces, for both sides the same: what one body loses of angular momentum the other gains. Far
// ahead of time that is a long lever: where it is longer than the body's own, the body's own surface counts.
static void rigid_point(const tn_row_sink *sink, const tn_contact *contact, int body, double sign, double point[3])
{
    double own[3], arm[3], half = 0.5 * contact->gap;
    tn_vec3_copy(point, contact->point);
    if (contact->gap > sink->model->margin) {
        tn_vec3_madd(own, contact->point, sign * half, contact->frame);
        tn_vec3_sub(arm, own, sink->state->pose[body].position);
        if (half * half > tn_vec3_dot(arm, arm)) {
            tn_vec3_copy(point, own);
        }
    }
}

static void add_side(tn_row_sink *sink, const tn_contact *contact, int body, const tn_soft_point *soft, double sign)
{
    for (int i = 0; i < soft->n; i++) {
        add_node(sink, soft->node[i], sign * soft->weight[i]);
    }
    if (soft->n == 0) {
        double point[3];
        rigid_point(sink, contact, body, sign, point);
        put_rigid(sink, body, point, sign);
    }
}

// The belt of a conveyor runs along the surface: only that part of its velocity counts.
static void add_belt(tn_row_sink *sink, int shape_index, double sign)
{
    if (!sink->tools->any_belt || shape_index >= sink->model->n_shapes) {
        return; // none, or of a soft body
    }
    const tn_model_shape *shape = &sink->model->shapes[shape_index];
    if (!shape->belt) {
        return;
    }
    double v[3];
    tn_quat_rotate(v, shape->pose.quaternion, shape->belt);
    tn_quat_rotate(v, sink->state->pose[shape->body].quaternion, v);
    for (int i = 1; i < 3; i++) {
        sink->surface[i] += sign * tn_vec3_dot(sink->frame + 3 * i, v);
    }
}

void tn_row_fill_point(tn_row_sink *sink, const tn_contact *contact)
{
    tn_vec3_set(sink->surface, 0.0, 0.0, 0.0);
    sink->n = 0;
    add_side(sink, contact, contact->body_a, contact->soft_a, -1.0);
    add_side(sink, contact, contact->body_b, contact->soft_b, 1.0);
    add_belt(sink, contact->shape_a, -1.0);
    add_belt(sink, contact->shape_b, 1.0);
}

void tn_row_fill_spin(tn_row_sink *sink, const tn_contact *contact)
{
    tn_vec3_set(sink->surface, 0.0, 0.0, 0.0);
    sink->n = 0;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1.0 : 1.0, entry[2][9];
        int index = side == 0 ? contact->body_a : contact->body_b;
        const tn_model_body *body = sink->model->bodies + index;
        if (body->kind == TN_BODY_KINEMATIC) {
            double linear[3], angular[3];
            tn_motion_mean_velocity(body, sink->state->time, sink->balance->h, linear, angular);
            tn_vec3_scale(angular, sign, angular);
            tn_mat3_add_vec(sink->surface, sink->frame, angular);
        }
        int n = tn_body_spin_jacobian(body, sink->state->pose + index, sink->frame, sign, entry);
        for (int i = n == 2; i < n; i++) { // a free body's angular velocity is its second block
            add_entry(sink, body->block + i, entry[i]);
        }
    }
}

static int side_entry_count(const tn_model *model, int body, const tn_soft_point *soft)
{
    int n = soft->n == 0 ? model->bodies[body].n_blocks : 0;
    for (int i = 0; i < soft->n; i++) {
        const tn_model_node *node = model->nodes + soft->node[i];
        n += node->block >= 0 ? 1 : model->bodies[node->body].n_blocks;
    }
    return n;
}

int tn_row_entry_count(const tn_model *model, const tn_contact *contact)
{
    return side_entry_count(model, contact->body_a, contact->soft_a) +
           side_entry_count(model, contact->body_b, contact->soft_b);
}
