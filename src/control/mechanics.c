// The rates of a model's rigid bodies, those of joints and free bases by tn_dynamics and those of bodies in a plane
// beside them, restricted to the chosen ones.
#include "control/mechanics.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "query/dynamics.h"
#include "scene/joint_class.h"

#include <stdio.h>
#include <string.h>

// ---- what there is

static tn_status refuse(const tn_model *model, tn_error *error)
{
    if (model->n_softs > 0 || model->scene->n_springs > 0) {
        return tn_error_set(error, TN_BAD_INPUT, "a linear complementarity system has no %s",
                            model->n_softs > 0 ? "soft bodies" : "springs between bodies");
    }
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        if (!tn_joint_classes[joint->kind].complete || joint->kind == TN_JOINT_SPHERICAL) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "joint '%s' is of a kind that a linear complementarity system does not have: %s",
                                joint->name, tn_model_joint_type(model, j));
        }
        for (int k = 0; k < joint->n_coordinates; k++) {
            if (tn_drive_prescribes(&joint->description->drive[joint->axis[k]])) {
                return tn_error_set(error, TN_BAD_INPUT,
                                    "joint '%s' has a motor that prescribes its motion: give it a strength",
                                    joint->name);
            }
        }
    }
    return TN_OK;
}

static void name_tree_rate(const tn_model *model, tn_rate *rate, int joint)
{
    static const char *const base[6] = {"x", "y", "z", "rx", "ry", "rz"};
    if (joint >= 0) {
        int k = rate->coordinate - model->joints[joint].first_coordinate;
        snprintf(rate->name, sizeof rate->name, "%s:%s", model->joints[joint].name,
                 tn_model_joint_coordinate_name(model, joint, k));
    } else {
        snprintf(rate->name, sizeof rate->name, "%s:%s", tn_model_body_name(model, rate->body), base[rate->which]);
    }
}

static tn_status find_rates(tn_mechanics *m, tn_arena *keep, tn_error *error)
{
    const tn_model *model = m->model;
    static const char *const plane[3] = {"1", "2", "turn"};
    int n = m->n_tree = tn_dynamics_rate_count(m->dynamics);
    for (int b = 0; b < model->n_bodies; b++) {
        n += model->bodies[b].planar && model->bodies[b].n_blocks > 0 ? 3 : 0;
    }
    m->n_all = n;
    m->rate = TN_PUSH(keep, tn_rate, n);
    m->wide = TN_PUSH(keep, double, 6 * (size_t)n);
    m->mass_all = TN_PUSH(keep, double, (size_t)n *(size_t)n);
    m->coordinate = TN_PUSH(keep, double, model->n_joint_coordinates);
    m->coordinate_rate = TN_PUSH(keep, double, model->n_joint_coordinates);
    if (!m->rate || !m->wide || !m->mass_all || !m->coordinate || !m->coordinate_rate) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d coordinates", n);
    }
    for (int i = 0; i < m->n_tree; i++) {
        tn_rate *rate = &m->rate[i];
        int joint;
        rate->number = i;
        tn_dynamics_rate(m->dynamics, i, &joint, &rate->coordinate, &rate->body, &rate->which, NULL);
        name_tree_rate(model, rate, joint);
    }
    for (int b = 0, i = m->n_tree; b < model->n_bodies; b++) {
        for (int k = 0; model->bodies[b].planar && model->bodies[b].n_blocks > 0 && k < 3; k++) {
            m->rate[i] = (tn_rate){.coordinate = -1, .body = b, .which = k, .planar = true, .number = -1};
            snprintf(m->rate[i].name, sizeof m->rate[i].name, "%s:%s", tn_model_body_name(model, b), plane[k]);
            i++;
        }
    }
    return TN_OK;
}

tn_status tn_mechanics_init(tn_mechanics *m, const tn_model *model, tn_arena *keep, tn_error *error)
{
    *m = (tn_mechanics){.model = model};
    tn_status status = refuse(model, error);
    if (status != TN_OK) {
        return status;
    }
    m->dynamics = tn_dynamics_create_with(model, TN_BASES_LONE, error);
    m->state = m->dynamics ? tn_state_create(model, error) : NULL;
    return m->state ? find_rates(m, keep, error) : TN_NO_MEMORY;
}

void tn_mechanics_finish(tn_mechanics *m)
{
    tn_dynamics_destroy(m->dynamics);
    tn_state_destroy(m->state);
}

int tn_mechanics_find(const tn_mechanics *m, const char *name, size_t length)
{
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    int coordinate = length < sizeof text ? tn_model_find_coordinate(m->model, text) : -1;
    for (int i = 0; i < m->n_all; i++) {
        if (coordinate >= 0 && m->rate[i].coordinate == coordinate) {
            return i;
        }
        if (strlen(m->rate[i].name) == length && strncmp(m->rate[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

const tn_scene_drive *tn_mechanics_drive(const tn_mechanics *m, int i)
{
    int c = m->rate[m->chosen[i]].coordinate;
    for (int j = 0; c >= 0 && j < m->model->n_joints; j++) {
        const tn_model_joint *joint = &m->model->joints[j];
        int k = c - joint->first_coordinate;
        if (k >= 0 && k < joint->n_coordinates) {
            return &joint->description->drive[joint->axis[k]];
        }
    }
    return NULL;
}

// ---- places

// How the body stands from the start, as a rotation vector in the world.
static void turn_from_start(const tn_model_body *body, const tn_pose *pose, double out[3])
{
    tn_pose start;
    double undo[4], turn[4];
    tn_motion_start_pose(body, &start);
    tn_quat_conjugate(undo, start.quaternion);
    tn_quat_mul(turn, pose->quaternion, undo);
    tn_quat_log(out, turn);
}

// Coordinate and rate of a body.
static void read_body(const tn_model *model, const tn_rate *rate, const tn_state *state, double *q, double *v)
{
    const tn_model_body *body = &model->bodies[rate->body];
    const tn_pose *pose = &state->pose[rate->body];
    double turn[3], linear[3], angular[3];
    turn_from_start(body, pose, turn);
    tn_state_center_velocity(state, rate->body, state->v, linear, angular);
    if (!rate->planar) {
        *q = rate->which < 3 ? pose->position[rate->which] : turn[rate->which - 3];
        *v = rate->which < 3 ? linear[rate->which] : angular[rate->which - 3];
        return;
    }
    const double *axis = body->plane_axes + 3 * rate->which;
    *q = tn_vec3_dot(axis, rate->which < 2 ? pose->position : turn);
    *v = tn_vec3_dot(axis, rate->which < 2 ? linear : angular);
}

void tn_mechanics_read(const tn_mechanics *m, const tn_state *state, double *x)
{
    tn_state_get_coordinates(state, m->coordinate, m->coordinate_rate);
    for (int i = 0; i < m->n; i++) {
        const tn_rate *rate = &m->rate[m->chosen[i]];
        if (rate->coordinate >= 0) {
            x[i] = m->coordinate[rate->coordinate];
            x[m->n + i] = m->coordinate_rate[rate->coordinate];
        } else {
            read_body(m->model, rate, state, &x[i], &x[m->n + i]);
        }
    }
}

// Chosen coordinates of one body into its place and velocity in the copy; the others of it stay, and rest.
static void place_body(tn_mechanics *m, int b, const double *x)
{
    const tn_model_body *body = &m->model->bodies[b];
    tn_pose start, *pose = &m->state->pose[b];
    double turn[3], speed[6] = {0.0}, quaternion[4];
    bool ours = false;
    turn_from_start(body, pose, turn);
    for (int i = 0; i < m->n; i++) {
        const tn_rate *rate = &m->rate[m->chosen[i]];
        if (rate->coordinate >= 0 || rate->body != b) {
            continue;
        }
        ours = true;
        double axis[3] = {0.0}, *to = rate->which < (rate->planar ? 2 : 3) ? pose->position : turn;
        if (rate->planar) {
            tn_vec3_copy(axis, body->plane_axes + 3 * rate->which);
        } else {
            axis[rate->which % 3] = 1.0;
        }
        tn_vec3_madd(to, to, x[i] - tn_vec3_dot(axis, to), axis);
        double *rates = to == turn ? speed + 3 : speed;
        tn_vec3_madd(rates, rates, x[m->n + i], axis);
    }
    if (ours) {
        tn_motion_start_pose(body, &start);
        tn_quat_exp(quaternion, turn);
        tn_quat_mul(pose->quaternion, quaternion, start.quaternion);
        tn_quat_normalize(pose->quaternion);
    }
    double *v = m->state->v + 3 * (size_t)body->block;
    if (body->planar) {
        v[0] = tn_vec3_dot(body->plane_axes, speed);
        v[1] = tn_vec3_dot(body->plane_axes + 3, speed);
        v[2] = tn_vec3_dot(body->plane_axes + 6, speed + 3);
    } else {
        tn_vec3_copy(v, speed);
        tn_quat_rotate_inverse(v + 3, pose->quaternion, speed + 3);
    }
}

tn_status tn_mechanics_place(tn_mechanics *m, const tn_state *state, const double *x, tn_error *error)
{
    tn_status status = state == m->state ? TN_OK : tn_state_copy(m->state, state, error);
    tn_state_get_coordinates(m->state, m->coordinate, m->coordinate_rate);
    memset(m->coordinate_rate, 0, (size_t)m->model->n_joint_coordinates * sizeof *m->coordinate_rate);
    for (int i = 0; i < m->n; i++) {
        int c = m->rate[m->chosen[i]].coordinate;
        if (c >= 0) {
            m->coordinate[c] = x[i];
            m->coordinate_rate[c] = x[m->n + i];
        }
    }
    for (int b = 0; status == TN_OK && b < m->model->n_bodies; b++) {
        if (m->model->bodies[b].n_blocks > 0) {
            place_body(m, b, x);
        }
    }
    return status == TN_OK ? tn_dynamics_set(m->dynamics, m->state, m->coordinate, m->coordinate_rate, error) : status;
}

// ---- mass, forces, Jacobians

// Angular rates of free bases are about the world's axes here, and about the body's own in tn_dynamics: of rows of
// coefficients (n_rows, stride), by rates.
static void turn_rows(const tn_mechanics *m, double *rows, int n_rows, int stride)
{
    for (int i = 0; i < m->n_tree; i++) {
        const tn_rate *rate = &m->rate[i];
        for (int r = 0; rate->coordinate < 0 && rate->which == 3 && r < n_rows; r++) {
            double *three = rows + (size_t)r * (size_t)stride + i;
            tn_quat_rotate(three, m->state->pose[rate->body].quaternion, three);
        }
    }
}

static void transpose(double *a, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double keep = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = keep;
        }
    }
}

static double drive_stiffness(const tn_scene_drive *drive)
{
    bool servo = drive->motor == TN_MOTOR_POSITION && drive->motor_compliance > 0.0;
    return drive->stiffness + (servo ? 1.0 / drive->motor_compliance : 0.0);
}

static double drive_damping(const tn_scene_drive *drive)
{
    return drive->damping + (drive->motor != TN_MOTOR_NONE ? drive->motor_damping : 0.0);
}

tn_status tn_mechanics_mass(tn_mechanics *m, double h, double *mass, tn_error *error)
{
    int t = m->n_tree, n = m->n;
    tn_status status = t > 0 ? tn_dynamics_mass(m->dynamics, m->mass_all, error) : TN_OK;
    if (status != TN_OK) {
        return status;
    }
    turn_rows(m, m->mass_all, t, t);
    transpose(m->mass_all, t);
    turn_rows(m, m->mass_all, t, t);
    for (int i = 0; i < n; i++) {
        const tn_rate *a = &m->rate[m->chosen[i]];
        for (int j = 0; j < n; j++) {
            const tn_rate *b = &m->rate[m->chosen[j]];
            mass[i * n + j] = a->number >= 0 && b->number >= 0 ? m->mass_all[a->number * t + b->number] : 0.0;
        }
        if (a->planar) {
            const tn_model_body *body = &m->model->bodies[a->body];
            mass[i * n + i] = a->which < 2 ? body->mass : body->inertia[0];
        }
        const tn_scene_drive *drive = tn_mechanics_drive(m, i);
        if (drive) {
            mass[i * n + i] += h * (drive_damping(drive) + h * drive_stiffness(drive));
        }
    }
    return status;
}

// Springs, dampers and motors of a coordinate.
static double drive_force(const tn_scene_drive *drive, double q, double v, double t)
{
    double force = -drive->stiffness * (q - drive->rest) - drive->damping * v;
    if (drive->motor == TN_MOTOR_POSITION && drive->motor_compliance > 0.0) {
        force += (tn_value_at(&drive->target, t) - q) / drive->motor_compliance +
                 drive->motor_damping * (tn_value_rate(&drive->target, t) - v);
    } else if (drive->motor == TN_MOTOR_VELOCITY) {
        force += drive->motor_damping * (tn_value_at(&drive->target, t) - v);
    }
    return force;
}

// A force and a torque at a body's center of mass along the chosen coordinates, added to `out` (stride).
static tn_status add_wrench(tn_mechanics *m, int body, const double wrench[6], double *out, int stride, tn_error *error)
{
    double J[6 * 64];
    if (m->n > 64) {
        return tn_error_set(error, TN_BAD_INPUT, "wrenches on more than 64 chosen coordinates");
    }
    tn_status status = tn_mechanics_jacobian(m, body, m->state->pose[body].position, J, error);
    for (int k = 0; status == TN_OK && k < 6; k++) {
        for (int i = 0; i < m->n; i++) {
            out[i * stride] += J[k * m->n + i] * wrench[k];
        }
    }
    return status;
}

// What the scene applies to bodies.
static tn_status add_pushes(tn_mechanics *m, double *force, tn_error *error)
{
    tn_status status = TN_OK;
    for (int b = 0; status == TN_OK && m->model->any_pushed && b < m->model->n_bodies; b++) {
        const tn_model_body *body = &m->model->bodies[b];
        const tn_scene_push *push = body->pushed ? body->description->push : NULL;
        double wrench[6], own[3];
        for (int k = 0; push && k < 3; k++) {
            wrench[k] = tn_value_at(&push->force[k], m->state->time);
            wrench[3 + k] = tn_value_at(&push->torque[k], m->state->time);
            own[k] = tn_value_at(&push->force_body[k], m->state->time);
        }
        if (push) {
            double frame[4], undo[4];
            tn_quat_conjugate(undo, body->principal.quaternion);
            tn_quat_mul(frame, m->state->pose[b].quaternion, undo);
            tn_quat_rotate(own, frame, own);
            tn_vec3_add(wrench, wrench, own);
            status = add_wrench(m, b, wrench, force, 1, error);
        }
    }
    return status;
}

tn_status tn_mechanics_force(tn_mechanics *m, double h, double *force, tn_error *error)
{
    tn_status status = m->n_tree > 0 ? tn_dynamics_inverse(m->dynamics, NULL, m->wide, error) : TN_OK;
    turn_rows(m, m->wide, 1, m->n_tree);
    tn_state_get_coordinates(m->state, m->coordinate, m->coordinate_rate);
    for (int i = 0; status == TN_OK && i < m->n; i++) {
        const tn_rate *rate = &m->rate[m->chosen[i]];
        const tn_scene_drive *drive = tn_mechanics_drive(m, i);
        const tn_model_body *body = &m->model->bodies[rate->body];
        force[i] = rate->planar ? 0.0 : -m->wide[rate->number];
        if (rate->planar && rate->which < 2) {
            force[i] = body->mass * tn_vec3_dot(body->plane_axes + 3 * rate->which, m->model->settings.gravity);
        }
        if (drive) {
            int c = rate->coordinate;
            double v = m->coordinate_rate[c];
            force[i] += drive_force(drive, m->coordinate[c], v, m->state->time) - h * drive_stiffness(drive) * v;
        }
    }
    for (int k = 0; status == TN_OK && k < m->n_inputs; k++) { // an input is the whole target of its servo
        for (int i = 0; m->input[k].servo && i < m->n; i++) {
            const tn_scene_drive *drive = m->chosen[i] == m->input[k].rate ? tn_mechanics_drive(m, i) : NULL;
            force[i] -= drive ? tn_value_at(&drive->target, m->state->time) / drive->motor_compliance +
                                    tn_value_rate(&drive->target, m->state->time) * drive->motor_damping
                              : 0.0;
        }
    }
    return status == TN_OK ? add_pushes(m, force, error) : status;
}

static void planar_column(const tn_mechanics *m, const tn_rate *rate, const double point[3], double out[6])
{
    const double *axis = m->model->bodies[rate->body].plane_axes + 3 * rate->which;
    memset(out, 0, 6 * sizeof *out);
    if (rate->which < 2) {
        tn_vec3_copy(out, axis);
        return;
    }
    double arm[3];
    tn_vec3_sub(arm, point, m->state->pose[rate->body].position);
    tn_vec3_cross(out, axis, arm);
    tn_vec3_copy(out + 3, axis);
}

tn_status tn_mechanics_jacobian(tn_mechanics *m, int body, const double point[3], double *out, tn_error *error)
{
    double place[3], quaternion[4], own[3];
    tn_state_body_pose(m->state, body, place, quaternion);
    tn_vec3_sub(own, point, place);
    tn_quat_rotate_inverse(own, quaternion, own);
    tn_status status = m->n_tree > 0 ? tn_dynamics_jacobian(m->dynamics, body, own, m->wide, error) : TN_OK;
    turn_rows(m, m->wide, 6, m->n_tree);
    for (int i = 0; status == TN_OK && i < m->n; i++) {
        const tn_rate *rate = &m->rate[m->chosen[i]];
        double column[6] = {0.0};
        if (rate->planar && rate->body == body) {
            planar_column(m, rate, point, column);
        }
        for (int k = 0; k < 6; k++) {
            out[k * m->n + i] = rate->planar ? column[k] : m->wide[k * m->n_tree + rate->number];
        }
    }
    return status;
}

tn_status tn_mechanics_inputs(tn_mechanics *m, double *out, tn_error *error)
{
    tn_status status = TN_OK;
    memset(out, 0, (size_t)m->n * (size_t)m->n_inputs * sizeof *out);
    for (int k = 0; status == TN_OK && k < m->n_inputs; k++) {
        const tn_lcs_input *input = &m->input[k];
        for (int i = 0; input->rate >= 0 && i < m->n; i++) {
            out[i * m->n_inputs + k] = m->chosen[i] == input->rate ? input->gain : 0.0;
        }
        if (input->rate < 0) {
            double wrench[6] = {0.0};
            wrench[input->which] = 1.0;
            status = add_wrench(m, input->body, wrench, out + k, m->n_inputs, error);
        }
    }
    return status;
}
