#include "state/state.h"

#include "base/hash.h"
#include "base/memory.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "shape/pose.h"
#include "state/sleep.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_MEMORY = 64,
    NODES_A_CONTACT = 8 // of soft bodies
};

static void set_initial_velocity(tn_state *state, const tn_model_body *body)
{
    if (body->n_blocks == 0) {
        return;
    }
    double *v = state->v + 3 * body->block, linear[3], omega[3];
    tn_motion_start_velocity(body, linear, omega);
    if (!body->planar) {
        tn_vec3_copy(v, linear);
        tn_vec3_copy(v + 3, omega);
        return;
    }
    tn_pose start;
    const double *axes = body->plane_axes;
    tn_motion_start_pose(body, &start);
    tn_quat_rotate(omega, start.quaternion, omega);
    v[0] = tn_vec3_dot(axes, linear);
    v[1] = tn_vec3_dot(axes + 3, linear);
    v[2] = tn_vec3_dot(axes + 6, omega);
}

// Free nodes at their places, with the velocity field of the scene.
static void set_initial_nodes(tn_state *state)
{
    const tn_model *model = state->model;
    if (model->n_nodes == 0) {
        return;
    }
    memcpy(state->x, model->node_rest, 3 * (size_t)model->n_nodes * sizeof *state->x);
    tn_state_place_attached(model, state->pose, state->x);
    for (int i = 0; i < model->n_nodes; i++) {
        const tn_scene_soft *said = model->softs[model->node_soft[i]].description;
        double arm[3], spin[3];
        if (model->nodes[i].block >= 0) {
            tn_vec3_sub(arm, state->x + 3 * (size_t)i, said->pose.position);
            tn_vec3_cross(spin, said->angular_velocity, arm);
            tn_vec3_add(state->v + 3 * (size_t)model->nodes[i].block, said->velocity, spin);
        }
    }
}

void tn_state_place_attached(const tn_model *model, const tn_pose *poses, double *x)
{
    for (int i = 0; i < model->n_nodes; i++) {
        const tn_model_node *node = &model->nodes[i];
        if (node->body >= 0) {
            tn_pose_point(x + 3 * (size_t)i, &poses[node->body], node->arm);
        }
    }
}

void tn_state_arrays(const tn_state *state, tn_state_array out[TN_STATE_ARRAYS])
{
    const tn_model *model = state->model;
    size_t n_v = 3 * (size_t)model->n_blocks;
    const tn_state_array arrays[TN_STATE_ARRAYS] = {{(double *)state->pose, 7 * (size_t)model->n_bodies},
                                                    {state->x, 3 * (size_t)model->n_nodes},
                                                    {state->v, n_v},
                                                    {state->v_hat, n_v},
                                                    {state->v_hat_before, tn_state_before_size(model)},
                                                    {state->joint_coordinate, (size_t)model->n_joint_coordinates},
                                                    {state->joint_bend, (size_t)model->n_joint_coordinates},
                                                    {state->joint_force, tn_model_joint_force_count(model)}};
    memcpy(out, arrays, sizeof arrays);
}

// All zero. NULL: no memory.
static tn_state *create(const tn_model *model)
{
    tn_arena *arena = tn_arena_create(0);
    tn_state *state = arena ? TN_PUSH(arena, tn_state, 1) : NULL;
    if (!state) {
        tn_arena_destroy(arena);
        return NULL;
    }
    *state = (tn_state){.model = model,
                        .arena = arena,
                        .watch = {.kinetic_left = NAN},
                        .pose = TN_PUSH(arena, tn_pose, model->n_bodies),
                        .x = TN_PUSH(arena, double, 3 * (size_t)model->n_nodes),
                        .v = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks),
                        .v_hat = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks),
                        .v_hat_before = TN_PUSH(arena, double, tn_state_before_size(model)),
                        .joint_coordinate = TN_PUSH(arena, double, model->n_joint_coordinates),
                        .joint_bend = TN_PUSH(arena, double, model->n_joint_coordinates),
                        .joint_force = TN_PUSH(arena, double, tn_model_joint_force_count(model))};
    bool sleeps = model->settings.sleep_after > 0.0;
    state->sleep = sleeps ? tn_sleep_create(model, arena) : NULL;
    if (!state->pose || !state->x || !state->v || !state->v_hat || !state->v_hat_before || !state->joint_coordinate ||
        !state->joint_bend || !state->joint_force || (sleeps && !state->sleep)) {
        tn_arena_destroy(arena);
        return NULL;
    }
    return state;
}

tn_state *tn_state_create(const tn_model *model, tn_error *error)
{
    if (!model) {
        tn_error_set(error, TN_BAD_INPUT, "no model to make a state of: compiling it failed, and said why");
        return NULL;
    }
    tn_state *state = create(model);
    if (!state) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a state of %d bodies", model->n_bodies);
        return NULL;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        tn_motion_pose(body, 0.0, &state->pose[b]);
        set_initial_velocity(state, body);
        if (model->start_pose && body->n_blocks == 2) {
            state->pose[b] = model->start_pose[b];
            memcpy(state->v + 3 * (size_t)body->block, model->start_v + 3 * (size_t)body->block, 6 * sizeof *state->v);
        }
    }
    set_initial_nodes(state);
    if (model->n_joint_coordinates > 0) {
        memcpy(state->joint_coordinate, model->joint_start,
               (size_t)model->n_joint_coordinates * sizeof *state->joint_coordinate);
    }
    memcpy(state->v_hat, state->v, 3 * (size_t)model->n_blocks * sizeof *state->v);
    memcpy(state->v_hat_before, state->v, tn_state_before_size(model) * sizeof *state->v);
    // Soft bodies touch with many nodes at once, perhaps for the first time in the middle of a run.
    if (model->n_softs > 0 && tn_state_reserve_memory(state, model->n_nodes / NODES_A_CONTACT, error) != TN_OK) {
        tn_state_destroy(state);
        return NULL;
    }
    return state;
}

void tn_state_destroy(tn_state *state)
{
    if (state) {
        tn_free(state->memory);
        tn_free(state->sleep ? state->sleep->contacts : NULL);
        tn_arena_destroy(state->arena);
    }
}

tn_status tn_state_reserve_memory(tn_state *state, int n, tn_error *error)
{
    if (n <= state->memory_capacity) {
        return TN_OK;
    }
    // An eighth more than asked for, so that slow growth does not ask at every step.
    int capacity = n > FIRST_MEMORY ? n + n / 8 : FIRST_MEMORY;
    tn_contact_memory *grown = tn_realloc(state->memory, (size_t)capacity * sizeof *grown);
    if (!grown) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the warm start of %d contacts", n);
    }
    state->memory = grown;
    state->memory_capacity = capacity;
    return TN_OK;
}

tn_status tn_state_copy(tn_state *to, const tn_state *from, tn_error *error)
{
    if (!to || !from) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no state");
    }
    const tn_model *model = from->model;
    if (to == from) {
        return TN_OK;
    }
    if (to->model != model) {
        return tn_error_set(error, TN_BAD_INPUT, "cannot copy a state of one model into a state of another");
    }
    tn_status status = tn_state_reserve_memory(to, from->n_memory, error);
    status = status == TN_OK ? tn_sleep_copy(model, to->sleep, from->sleep, error) : status;
    if (status != TN_OK) {
        return status;
    }
    to->time = from->time;
    to->step_count = from->step_count;
    to->dissipated = from->dissipated;
    to->injected = from->injected;
    to->joint_elastic = from->joint_elastic;
    to->watch = from->watch;
    to->n_memory = from->n_memory;
    tn_state_array own[TN_STATE_ARRAYS], theirs[TN_STATE_ARRAYS];
    tn_state_arrays(to, own);
    tn_state_arrays(from, theirs);
    for (int k = 0; k < TN_STATE_ARRAYS; k++) {
        memcpy(own[k].at, theirs[k].at, own[k].n * sizeof *own[k].at);
    }
    if (from->n_memory > 0) {
        memcpy(to->memory, from->memory, (size_t)from->n_memory * sizeof *to->memory);
    }
    return TN_OK;
}

double tn_state_time(const tn_state *state)
{
    return state ? state->time : 0.0;
}

long tn_state_step_count(const tn_state *state)
{
    return state ? state->step_count : 0;
}

// Mean of a soft body's free and attached nodes' values (n_nodes, 3), weighted by mass.
static void soft_mean(const tn_model *model, int s, const double *values, double out[3])
{
    const tn_model_soft *soft = &model->softs[s];
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        tn_vec3_madd(out, out, model->node_mass[i] / soft->mass, values + 3 * (size_t)i);
    }
}

static bool has(const tn_state *state, int body)
{
    return state && body >= 0 && body < state->model->n_bodies + state->model->n_softs;
}

void tn_state_body_pose(const tn_state *state, int body, double position[3], double quaternion[4])
{
    if (!has(state, body) || !position || !quaternion) {
        return;
    }
    if (body >= state->model->n_bodies) {
        soft_mean(state->model, body - state->model->n_bodies, state->x, position);
        tn_quat_identity(quaternion);
        return;
    }
    tn_pose own;
    tn_pose_undo(&own, &state->model->bodies[body].principal);
    tn_pose_join(&own, &state->pose[body], &own);
    tn_vec3_copy(position, own.position);
    memcpy(quaternion, own.quaternion, sizeof own.quaternion);
}

void tn_state_frame(const tn_state *state, int frame, double position[3], double quaternion[4])
{
    if (!state || !tn_model_frame_name(state->model, frame) || !position || !quaternion) {
        return;
    }
    const tn_scene_frame *of = &state->model->scene->frames[frame];
    tn_pose at;
    tn_state_frame_pose(state, of->body + 1, &of->pose, &at);
    tn_vec3_copy(position, at.position);
    memcpy(quaternion, at.quaternion, sizeof at.quaternion);
}

const double *tn_state_nodes(const tn_state *state, int body)
{
    int s = state ? body - state->model->n_bodies : -1;
    bool soft = s >= 0 && s < state->model->n_softs;
    return soft ? state->x + 3 * (size_t)state->model->softs[s].first_node : NULL;
}

void tn_state_center_velocity(const tn_state *state, int body, const double *v, double linear[3], double angular[3])
{
    const tn_model_body *b = &state->model->bodies[body];
    const double *x = v + 3 * b->block;
    if (!b->planar) {
        tn_vec3_copy(linear, x);
        tn_quat_rotate(angular, state->pose[body].quaternion, x + 3);
        return;
    }
    tn_vec3_scale(linear, x[0], b->plane_axes);
    tn_vec3_madd(linear, linear, x[1], b->plane_axes + 3);
    tn_vec3_scale(angular, x[2], b->plane_axes + 6);
}

// What contacts saw in the last step: the mean over it; before the first step the rate.
static void prescribed_velocity(const tn_state *state, const tn_model_body *body, double linear[3], double angular[3])
{
    double h = state->model->settings.step;
    if (state->step_count > 0) {
        tn_motion_mean_velocity(body, (double)(state->step_count - 1) * h, h, linear, angular);
    } else {
        tn_motion_velocity(body, state->time, linear, angular);
    }
}

void tn_state_node_velocity(const tn_state *state, int node, const double *v, double out[3])
{
    const tn_model_node *n = &state->model->nodes[node];
    if (n->block >= 0) {
        tn_vec3_copy(out, v + 3 * (size_t)n->block);
        return;
    }
    const tn_model_body *body = &state->model->bodies[n->body];
    double angular[3], arm[3], spin[3];
    if (body->n_blocks > 0) {
        tn_state_center_velocity(state, n->body, v, out, angular);
        tn_vec3_sub(arm, state->x + 3 * (size_t)node, state->pose[n->body].position);
    } else {
        double position[3], quaternion[4];
        prescribed_velocity(state, body, out, angular);
        tn_state_body_pose(state, n->body, position, quaternion);
        tn_vec3_sub(arm, state->x + 3 * (size_t)node, position);
    }
    tn_vec3_cross(spin, angular, arm);
    tn_vec3_add(out, out, spin);
}

// Velocity of a soft body's center of mass.
static void soft_velocity(const tn_state *state, int s, double linear[3])
{
    const tn_model_soft *soft = &state->model->softs[s];
    tn_vec3_set(linear, 0.0, 0.0, 0.0);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        double v[3];
        tn_state_node_velocity(state, i, state->v, v);
        tn_vec3_madd(linear, linear, state->model->node_mass[i] / soft->mass, v);
    }
}

void tn_state_body_velocity(const tn_state *state, int body, double linear[3], double angular[3])
{
    if (!has(state, body) || !linear || !angular) {
        return;
    }
    if (body >= state->model->n_bodies) {
        soft_velocity(state, body - state->model->n_bodies, linear);
        tn_vec3_set(angular, 0.0, 0.0, 0.0);
        return;
    }
    const tn_model_body *b = &state->model->bodies[body];
    if (b->n_blocks == 0) {
        prescribed_velocity(state, b, linear, angular);
        return;
    }
    tn_state_center_velocity(state, body, state->v, linear, angular);
    double position[3], quaternion[4], arm[3], spin[3];
    tn_state_body_pose(state, body, position, quaternion);
    tn_vec3_sub(arm, position, state->pose[body].position);
    tn_vec3_cross(spin, angular, arm);
    tn_vec3_add(linear, linear, spin);
}

void tn_state_frame_pose(const tn_state *state, int body, const tn_pose *frame, tn_pose *out)
{
    tn_pose own;
    tn_state_body_pose(state, body, own.position, own.quaternion);
    tn_pose_join(out, &own, frame);
}

void tn_state_frame_velocity(const tn_state *state, int body, const tn_pose *frame, double linear[3], double angular[3])
{
    double position[3], quaternion[4], arm[3], spin[3];
    tn_state_body_pose(state, body, position, quaternion);
    tn_state_body_velocity(state, body, linear, angular);
    tn_quat_rotate(arm, quaternion, frame->position);
    tn_vec3_cross(spin, angular, arm);
    tn_vec3_add(linear, linear, spin);
}

static uint64_t hash_memory(uint64_t hash, const tn_contact_memory *m)
{
    hash = tn_hash_long(hash, (long long)m->key_shapes);
    hash = tn_hash_long(hash, m->key_feature);
    hash = tn_hash_doubles(hash, m->force, 3);
    return tn_hash_doubles(hash, m->point, 3);
}

uint64_t tn_state_hash(const tn_state *state)
{
    if (!state) {
        return 0;
    }
    const double numbers[4] = {state->time, state->dissipated, state->injected, state->joint_elastic};
    uint64_t hash = tn_hash_doubles(TN_HASH_START, numbers, 4);
    hash = tn_hash_doubles(hash, (const double *)&state->watch, sizeof state->watch / sizeof(double));
    hash = tn_hash_long(hash, state->step_count);
    tn_state_array arrays[TN_STATE_ARRAYS];
    tn_state_arrays(state, arrays);
    for (int k = 0; k < TN_STATE_ARRAYS; k++) {
        hash = tn_hash_doubles(hash, arrays[k].at, arrays[k].n);
    }
    hash = tn_hash_long(hash, state->n_memory);
    for (int c = 0; c < state->n_memory; c++) {
        hash = hash_memory(hash, &state->memory[c]);
    }
    return tn_sleep_hash(state->model, state->sleep, hash);
}
