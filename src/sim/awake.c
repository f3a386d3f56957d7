// Shallow copies of model and state without what sleeps, made when somebody falls asleep or wakes; between that only
// velocities and joint forces are copied.
#include "sim/awake.h"

#include "base/order.h"
#include "collide/collide.h"
#include "model/compile.h"
#include "model/motion.h"
#include "model/tree.h"

#include <math.h>
#include <string.h>

// ---- the model

bool tn_body_is_driven(const tn_state *state, int body)
{
    const tn_model_body *b = &state->model->bodies[body];
    if (b->kind != TN_BODY_KINEMATIC) {
        return false;
    }
    double h = state->model->settings.step;
    tn_pose before, after;
    const tn_pose *now = &state->pose[body];
    tn_motion_pose(b, (double)(state->step_count - 1) * h, &before);
    tn_motion_pose(b, (double)(state->step_count + 1) * h, &after);
    size_t place = sizeof now->position, turn = sizeof now->quaternion;
    return memcmp(now->position, after.position, place) != 0 || memcmp(now->quaternion, after.quaternion, turn) != 0 ||
           (state->step_count > 0 && (memcmp(now->position, before.position, place) != 0 ||
                                      memcmp(now->quaternion, before.quaternion, turn) != 0));
}

static bool copy_bodies(const tn_state *state, tn_awake *awake)
{
    const tn_model *whole = state->model;
    tn_model *model = &awake->model;
    model->bodies = TN_PUSH_RAW(awake->arena, tn_model_body, whole->n_bodies);
    model->n_blocks = model->n_dof = 0;
    model->total_mass = 0.0;
    for (int b = 0; model->bodies && b < whole->n_bodies; b++) {
        tn_model_body *body = &model->bodies[b];
        *body = whole->bodies[b];
        body->asleep = tn_state_sleeps(state, b);
        if (body->asleep) {
            body->kind = TN_BODY_FIXED;
            body->block = -1;
            body->n_blocks = 0;
            body->pushed = false;
        } else if (body->n_blocks > 0) {
            body->block = model->n_blocks;
            model->n_blocks += body->n_blocks;
            model->n_dof += 3 * body->n_blocks;
            model->total_mass += body->mass;
        }
    }
    model->n_rigid_blocks = model->n_blocks;
    model->any_asleep = true;
    return model->bodies != NULL;
}

// A number for each sleeping island, and what bounds its shapes.
static bool box_islands(const tn_state *state, tn_awake *awake)
{
    const tn_sleep *sleep = state->sleep;
    tn_model *model = &awake->model;
    int *number = TN_PUSH(awake->arena, int, model->n_bodies);
    model->sleep_box = (double(*)[6])TN_PUSH_RAW(awake->arena, double, 6 * (size_t)sleep->n_islands);
    if (!number || !model->sleep_box) {
        return false;
    }
    for (int k = 0; k < sleep->n_islands; k++) {
        number[sleep->islands[k].name] = k;
        for (int i = 0; i < 6; i++) {
            model->sleep_box[k][i] = i < 3 ? INFINITY : -INFINITY;
        }
    }
    for (int s = 0; s < model->n_shapes; s++) {
        tn_model_body *body = &model->bodies[model->shapes[s].body];
        if (body->asleep) {
            double own[6], *box;
            body->island = number[sleep->island[model->shapes[s].body]];
            box = model->sleep_box[body->island];
            tn_shape_rest_box(state, s, own);
            for (int i = 0; i < 3; i++) {
                box[i] = fmin(box[i], own[i]);
                box[3 + i] = fmax(box[3 + i], own[3 + i]);
            }
        }
    }
    return true;
}

static void copy_joint(const tn_model *whole, int j, tn_awake *awake)
{
    tn_model *model = &awake->model;
    int to = model->n_joints++;
    tn_model_joint *joint = &model->joints[to];
    *joint = whole->joints[j];
    joint->first_row = model->n_joint_rows;
    joint->ball = joint->ball >= 0 ? model->n_joint_balls++ : -1;
    awake->joint[to] = j;
    for (int i = 0; i < joint->n_rows; i++) {
        int row = model->n_joint_rows++;
        awake->row[row] = whole->joints[j].first_row + i;
        model->joint_rows[row] = whole->joint_rows[awake->row[row]];
        model->joint_rows[row].joint = to;
    }
}

static bool copy_joints(const tn_state *state, tn_awake *awake)
{
    const tn_model *whole = state->model;
    tn_model *model = &awake->model;
    model->joints = TN_PUSH_RAW(awake->arena, tn_model_joint, whole->n_joints);
    model->joint_rows = TN_PUSH_RAW(awake->arena, tn_model_joint_row, whole->n_joint_rows);
    awake->joint = TN_PUSH_RAW(awake->arena, int, whole->n_joints);
    awake->row = TN_PUSH_RAW(awake->arena, int, whole->n_joint_rows);
    if (!model->joints || !model->joint_rows || !awake->joint || !awake->row) {
        return false;
    }
    model->n_joints = model->n_joint_rows = model->n_joint_balls = 0;
    for (int j = 0; j < whole->n_joints; j++) {
        if (!tn_sleep_has_joint(state, j)) {
            copy_joint(whole, j, awake);
        }
    }
    return true;
}

// ---- the state

static bool push_state(const tn_state *state, tn_awake *awake)
{
    const tn_model *model = &awake->model;
    size_t n = 3 * (size_t)model->n_blocks;
    tn_state *to = &awake->state;
    to->v = TN_PUSH_RAW(awake->arena, double, n);
    to->v_hat = TN_PUSH_RAW(awake->arena, double, n);
    to->v_hat_before = TN_PUSH_RAW(awake->arena, double, 1);
    to->joint_coordinate = TN_PUSH_RAW(awake->arena, double, model->n_joint_coordinates);
    to->joint_bend = TN_PUSH_RAW(awake->arena, double, model->n_joint_coordinates);
    to->joint_force = TN_PUSH_RAW(awake->arena, double, tn_model_joint_force_count(model));
    awake->n_contacts = state->sleep->n_contacts;
    awake->contacts = TN_PUSH_RAW(awake->arena, tn_sleep_contact, awake->n_contacts);
    if (!to->v || !to->v_hat || !to->v_hat_before || !to->joint_coordinate || !to->joint_bend || !to->joint_force ||
        !awake->contacts) {
        return false;
    }
    if (awake->n_contacts > 0) {
        memcpy(awake->contacts, state->sleep->contacts, (size_t)awake->n_contacts * sizeof *awake->contacts);
    }
    return true;
}

static bool make(const tn_state *state, tn_arena *scratch, tn_awake *awake)
{
    tn_arena_reset(awake->arena);
    awake->made = false;
    awake->model = *state->model;
    if (!copy_bodies(state, awake) || !box_islands(state, awake) || !copy_joints(state, awake) ||
        !push_state(state, awake)) {
        return false;
    }
    tn_trees *trees = NULL, *carriers = NULL;
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    awake->made = tn_trees_find(&awake->model, TN_BASES_HEAVIEST, awake->arena, &trees, NULL) == TN_OK &&
                  tn_trees_find(&awake->model, TN_BASES_CARRIERS, awake->arena, &carriers, NULL) == TN_OK &&
                  tn_model_find_pattern(&awake->model, scratch, awake->arena, &awake->model.pattern) &&
                  tn_parts_find(&awake->model.pattern, awake->arena, &awake->model.parts) == TN_OK;
    tn_arena_release(scratch, mark);
    awake->model.trees = trees;
    awake->model.carriers = carriers;
    awake->key = state->sleep->key;
    return awake->made;
}

// Velocities of awake bodies, from the whole state's arrays to those without gaps, or back.
static void move_velocities(const tn_awake *awake, const tn_model *whole, bool back, double *all, double *own)
{
    for (int b = 0; b < whole->n_bodies; b++) {
        const tn_model_body *body = &awake->model.bodies[b];
        if (body->n_blocks > 0) {
            double *one = all + 3 * (size_t)whole->bodies[b].block, *other = own + 3 * (size_t)body->block;
            memcpy(back ? one : other, back ? other : one, 3 * (size_t)body->n_blocks * sizeof *all);
        }
    }
}

static void move_joints(const tn_awake *awake, const tn_model *whole, bool back, double *all, double *own)
{
    const tn_model *model = &awake->model;
    for (int i = 0; i < model->n_joint_rows; i++) {
        *(back ? &all[awake->row[i]] : &own[i]) = back ? own[i] : all[awake->row[i]];
    }
    for (int j = 0; j < model->n_joints; j++) {
        if (model->joints[j].ball >= 0) {
            double *one = all + tn_model_ball_force(whole, awake->joint[j]),
                   *other = own + tn_model_ball_force(model, j);
            memcpy(back ? one : other, back ? other : one, 3 * sizeof *all);
        }
    }
}

tn_status tn_awake_take(const tn_state *state, tn_arena *scratch, tn_awake *awake, tn_error *error)
{
    const tn_model *whole = state->model;
    bool good = awake->made && awake->key == state->sleep->key;
    if (!good && !make(state, scratch, awake)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the bodies that are awake");
    }
    const tn_state own = awake->state;
    awake->state = *state;
    awake->state.model = &awake->model;
    awake->state.sleep = NULL;
    awake->state.v = own.v;
    awake->state.v_hat = own.v_hat;
    awake->state.v_hat_before = own.v_hat_before;
    awake->state.joint_coordinate = own.joint_coordinate;
    awake->state.joint_bend = own.joint_bend;
    awake->state.joint_force = own.joint_force;
    awake->model.settings = whole->settings; // a live run may change the law
    for (int b = 0; b < whole->n_bodies; b++) {
        awake->model.bodies[b].given = whole->bodies[b].given;
        awake->model.bodies[b].driven = tn_body_is_driven(state, b);
    }
    move_velocities(awake, whole, false, state->v, own.v);
    move_velocities(awake, whole, false, state->v_hat, own.v_hat);
    move_joints(awake, whole, false, state->joint_force, own.joint_force);
    for (int c = 0; c < whole->n_joint_coordinates; c++) {
        own.joint_coordinate[c] = state->joint_coordinate[c];
        own.joint_bend[c] = state->joint_bend[c];
    }
    return TN_OK;
}

void tn_awake_put(const tn_awake *awake, bool stepped, tn_state *state)
{
    const tn_state *own = &awake->state;
    state->memory = own->memory;
    state->memory_capacity = own->memory_capacity;
    if (!stepped) {
        return;
    }
    state->n_memory = own->n_memory;
    state->time = own->time;
    state->step_count = own->step_count;
    state->dissipated = own->dissipated;
    state->injected = own->injected;
    state->joint_elastic = own->joint_elastic;
    state->watch = own->watch;
    move_velocities(awake, state->model, true, state->v, own->v);
    move_velocities(awake, state->model, true, state->v_hat, own->v_hat);
    move_joints(awake, state->model, true, state->joint_force, own->joint_force);
    for (int j = 0; j < awake->model.n_joints; j++) {
        const tn_model_joint *joint = &awake->model.joints[j];
        for (int c = joint->first_coordinate; c < joint->first_coordinate + joint->n_coordinates; c++) {
            state->joint_coordinate[c] = own->joint_coordinate[c];
            state->joint_bend[c] = own->joint_bend[c];
        }
    }
}

int tn_awake_joint(const tn_awake *awake, int joint)
{
    int n = awake->model.n_joints, at = tn_order_first(awake->joint, 0, n, joint);
    return at < n && awake->joint[at] == joint ? at : -1;
}
