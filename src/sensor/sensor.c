// Readings of all sensors after a step: by value from state and last step, then noise, which is a pure function of
// seed, sensor, state of a batch, step and number.
#include "sensor/sensor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"
#include "sim/sim.h"
#include "tenon/query.h"

#include <math.h>
#include <string.h>

struct tn_sensors {
    const tn_model *model;
    bool any_contact;
    tn_query *query; // NULL: nothing has a range
};

static bool feels_contacts(const tn_model_sensor *s)
{
    return s->description->kind == TN_SENSOR_CONTACT_FORCE || s->description->kind == TN_SENSOR_TOUCH;
}

tn_sensors *tn_sensors_create(const tn_model *model, tn_error *error)
{
    if (!model) {
        tn_error_set(error, TN_BAD_INPUT, "sensors need a model");
        return NULL;
    }
    tn_sensors *sensors = tn_calloc(1, sizeof *sensors);
    if (!sensors) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for sensors");
        return NULL;
    }
    sensors->model = model;
    bool any_range = false;
    for (int i = 0; i < model->n_sensors; i++) {
        tn_sensor_kind kind = model->sensors[i].description->kind;
        sensors->any_contact = sensors->any_contact || feels_contacts(&model->sensors[i]);
        any_range = any_range || kind == TN_SENSOR_RANGE;
    }
    if (any_range && !(sensors->query = tn_query_create(model, error))) {
        tn_sensors_destroy(sensors);
        return NULL;
    }
    return sensors;
}

void tn_sensors_destroy(tn_sensors *sensors)
{
    if (sensors) {
        tn_query_destroy(sensors->query);
        tn_free(sensors);
    }
}

// What a reading looks at; sim is NULL where there was no step.
typedef struct look {
    const tn_model *model;
    const tn_sim *sim;
    const tn_state *state;
    const tn_query *query;
    uint64_t seed;
    int number; // of the state, whose noise is its own
} look;

static void set_nan(int n, double *out)
{
    for (int k = 0; k < n; k++) {
        out[k] = NAN;
    }
}

static void read_coordinate(const look *l, const tn_model_sensor *s, double *out)
{
    double q[3], rate[3];
    tn_joint_info info = {.effort = {NAN, NAN, NAN}, .motor = {NAN, NAN, NAN}};
    if (s->description->kind >= TN_SENSOR_MOTOR && l->sim) {
        tn_sim_joint(l->sim, l->state, s->joint, &info);
    }
    tn_state_joint(l->state, s->joint, q, rate);
    double value = s->description->kind == TN_SENSOR_COORDINATE ? q[s->index]
                   : s->description->kind == TN_SENSOR_RATE     ? rate[s->index]
                   : s->description->kind == TN_SENSOR_MOTOR    ? info.motor[s->index]
                                                                : info.effort[s->index];
    *out = s->description->offset + s->description->scale * value;
}

// What the joint exerts on its second body, in the mount's frame or its own on that body.
static void read_wrench(const look *l, const tn_model_sensor *s, double *out)
{
    const tn_model_joint *joint = &l->model->joints[s->joint];
    tn_joint_info info;
    tn_pose frame;
    if (!l->sim) {
        set_nan(3, out);
        return;
    }
    tn_sim_joint(l->sim, l->state, s->joint, &info);
    if (s->description->mounted) {
        double arm[3], more[3];
        tn_state_frame_pose(l->state, s->body, &s->mount, &frame);
        tn_vec3_sub(arm, info.point, frame.position);
        tn_vec3_cross(more, arm, info.force);
        tn_vec3_add(info.torque, info.torque, more);
    } else if (joint->set_b >= 0) {
        tn_pose_set_identity(&frame); // nodes of a soft body: world axes
    } else {
        tn_pose_join(&frame, &l->state->pose[joint->body_b], &joint->frame_b);
    }
    tn_vec3_copy(out, s->description->kind == TN_SENSOR_FORCE ? info.force : info.torque);
    tn_quat_rotate_inverse(out, frame.quaternion, out);
}

// Change of the mount's velocities over the step, by its time; less: what free fall has of it.
static void read_acceleration(const look *l, int sensor, const double less[3], double *out)
{
    const tn_model_sensor *s = &l->model->sensors[sensor];
    bool angular = s->description->kind == TN_SENSOR_ANGULAR_ACCELERATION;
    double v[2][3];
    if (!l->sim) {
        set_nan(3, out);
        return;
    }
    tn_state_frame_velocity(l->state, s->body, &s->mount, v[0], v[1]);
    tn_vec3_sub(out, v[angular], l->sim->sensor_velocity + 6 * (size_t)sensor + (angular ? 3 : 0));
    tn_vec3_scale(out, 1.0 / l->model->settings.step, out);
    tn_vec3_sub(out, out, less);
}

static double read_range(const look *l, const tn_model_sensor *s, const tn_pose *mount)
{
    const double z[3] = {0.0, 0.0, 1.0};
    double direction[3], distance = INFINITY;
    double reach = s->description->reach;
    const tn_ray_options options = {.reach = isinf(reach) ? 0.0 : reach, .leave_out = s->body, .n_threads = 1};
    tn_quat_rotate(direction, mount->quaternion, z);
    tn_status status = tn_query_rays(l->query, 1, mount->position, direction, &options,
                                     &(tn_ray_results){.distance = &distance}, NULL);
    return status != TN_OK ? NAN : fmin(distance, reach);
}

// Pose and velocities of a mount as another one sees them, in its axes, while it moves.
static void see(const look *l, const tn_model_sensor *s, tn_pose *mount, double v[3], double w[3])
{
    tn_pose seer;
    double own_v[3], own_w[3], way[3], carried[3], back[4];
    tn_state_frame_pose(l->state, s->seen_body, &s->description->seen_mount, &seer);
    tn_state_frame_velocity(l->state, s->seen_body, &s->description->seen_mount, own_v, own_w);
    tn_vec3_sub(way, mount->position, seer.position);
    tn_vec3_cross(carried, own_w, way);
    tn_vec3_sub(v, v, own_v);
    tn_vec3_sub(v, v, carried);
    tn_vec3_sub(w, w, own_w);
    tn_quat_rotate_inverse(mount->position, seer.quaternion, way);
    tn_quat_rotate_inverse(v, seer.quaternion, v);
    tn_quat_rotate_inverse(w, seer.quaternion, w);
    tn_quat_conjugate(back, seer.quaternion);
    tn_quat_mul(mount->quaternion, back, mount->quaternion);
}

static void read_mount(const look *l, int sensor, double *out)
{
    static const double none[3];
    const tn_model_sensor *s = &l->model->sensors[sensor];
    double v[3], w[3];
    tn_pose mount;
    tn_state_frame_pose(l->state, s->body, &s->mount, &mount);
    tn_state_frame_velocity(l->state, s->body, &s->mount, v, w);
    if (s->seen_body >= 0) {
        see(l, s, &mount, v, w);
    }
    switch (s->description->kind) {
    case TN_SENSOR_POSITION:
        tn_vec3_copy(out, mount.position);
        break;
    case TN_SENSOR_ORIENTATION:
        memcpy(out, mount.quaternion, sizeof mount.quaternion);
        break;
    case TN_SENSOR_DIRECTION:
        tn_quat_rotate(out, mount.quaternion, (const double[3]){0.0, 0.0, 1.0});
        break;
    case TN_SENSOR_VELOCITY:
        tn_vec3_copy(out, v);
        break;
    case TN_SENSOR_ANGULAR_VELOCITY:
        tn_vec3_copy(out, w);
        break;
    case TN_SENSOR_VELOCIMETER:
        tn_vec3_copy(out, v);
        tn_quat_rotate_inverse(out, mount.quaternion, out);
        break;
    case TN_SENSOR_GYROSCOPE:
        tn_vec3_copy(out, w);
        tn_quat_rotate_inverse(out, mount.quaternion, out);
        break;
    case TN_SENSOR_ACCELEROMETER:
        read_acceleration(l, sensor, l->model->settings.gravity, out);
        tn_quat_rotate_inverse(out, mount.quaternion, out);
        break;
    case TN_SENSOR_RANGE:
        *out = read_range(l, s, &mount);
        break;
    default:
        read_acceleration(l, sensor, none, out);
    }
}

// ---- several bodies together, world axes

static const tn_model_body *body_at(const look *l, int id, const tn_pose **pose, double v[3], double spin[3])
{
    const tn_model_body *body = &l->model->bodies[id + 1];
    *pose = &l->state->pose[id + 1];
    tn_energy_body_motion(body, *pose, l->state->v + 3 * (size_t)body->block, v, spin);
    return body;
}

static void find_center(const look *l, const tn_scene_sensor *said, double center[3], double velocity[3])
{
    double mass = 0.0, v[3], spin[3];
    const tn_pose *pose;
    tn_vec3_set(center, 0.0, 0.0, 0.0);
    tn_vec3_set(velocity, 0.0, 0.0, 0.0);
    for (int i = 0; i < said->n_bodies; i++) {
        const tn_model_body *body = body_at(l, said->bodies[i], &pose, v, spin);
        mass += body->mass;
        tn_vec3_madd(center, center, body->mass, pose->position);
        tn_vec3_madd(velocity, velocity, body->mass, v);
    }
    tn_vec3_scale(center, 1.0 / mass, center);
    tn_vec3_scale(velocity, 1.0 / mass, velocity);
}

static void read_bodies(const look *l, const tn_model_sensor *s, double *out)
{
    const tn_scene_sensor *said = s->description;
    double center[3], velocity[3], v[3], spin[3], arm[3], moment[3];
    const tn_pose *pose;
    find_center(l, said, center, velocity);
    if (said->kind != TN_SENSOR_ANGULAR_MOMENTUM) {
        tn_vec3_copy(out, said->kind == TN_SENSOR_CENTER ? center : velocity);
        return;
    }
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int i = 0; i < said->n_bodies; i++) {
        const tn_model_body *body = body_at(l, said->bodies[i], &pose, v, spin);
        tn_vec3_sub(arm, pose->position, center);
        tn_vec3_sub(v, v, velocity);
        tn_vec3_cross(moment, arm, v);
        tn_vec3_madd(out, out, body->mass, moment);
        tn_vec3_add(out, out, spin);
    }
}

// ---- contacts: one look at each of them for all sensors

static bool on_pad(const tn_pose *mount, const double half[3], const double point[3])
{
    double at[3];
    tn_vec3_sub(at, point, mount->position);
    tn_quat_rotate_inverse(at, mount->quaternion, at);
    return half[0] == 0.0 || (fabs(at[0]) <= half[0] && fabs(at[1]) <= half[1] && fabs(at[2]) <= half[2]);
}

// Where the sensor's body takes part; a contact of a body with itself there is none of rigid ones.
static void add_contact(const look *l, const tn_model_sensor *s, const tn_contact_info *contact, double *out)
{
    double sign = contact->body_b == s->body ? 1.0 : contact->body_a == s->body ? -1.0 : 0.0;
    tn_pose mount;
    if (sign == 0.0) {
        return;
    }
    tn_state_frame_pose(l->state, s->body, &s->mount, &mount);
    if (!on_pad(&mount, s->description->pad, contact->point)) {
        return;
    }
    if (s->description->kind == TN_SENSOR_TOUCH) {
        *out += tn_vec3_dot(contact->force, contact->normal);
    } else {
        double force[3];
        tn_vec3_scale(force, sign, contact->force);
        tn_quat_rotate_inverse(force, mount.quaternion, force);
        tn_vec3_add(out, out, force);
    }
}

static void read_contacts(const look *l, double *out)
{
    for (int i = 0; i < l->model->n_sensors; i++) {
        const tn_model_sensor *s = &l->model->sensors[i];
        if (feels_contacts(s) && !l->sim) {
            set_nan(s->width, out + s->first);
        } else if (feels_contacts(s)) {
            memset(out + s->first, 0, (size_t)s->width * sizeof *out);
        }
    }
    for (int c = 0; l->sim && c < tn_sim_contact_count(l->sim); c++) {
        tn_contact_info contact;
        tn_sim_contact(l->sim, c, &contact);
        for (int i = 0; i < l->model->n_sensors; i++) {
            const tn_model_sensor *s = &l->model->sensors[i];
            if (feels_contacts(s)) {
                add_contact(l, s, &contact, out + s->first);
            }
        }
    }
}

static void add_noise(const look *l, const tn_model_sensor *s, double *out)
{
    uint64_t stream = tn_hash_text(TN_HASH_START, s->description->name);
    stream = l->number > 0 ? tn_hash_long(stream, l->number) : stream;
    for (int k = 0; k < s->width && s->description->noise > 0.0; k++) {
        uint64_t counter = 4 * (uint64_t)l->state->step_count + (uint64_t)k;
        out[k] += s->description->noise * tn_random_normal(l->seed, stream, counter);
    }
}

tn_status tn_sensors_read(tn_sensors *sensors, const tn_sim *sim, const tn_state *state, double *out, tn_error *error)
{
    return tn_sensors_read_of(sensors, sim, state, 0, out, error);
}

tn_status tn_sensors_read_of(tn_sensors *sensors, const tn_sim *sim, const tn_state *state, int number, double *out,
                             tn_error *error)
{
    if (!sensors || !state || state->model != sensors->model || (sim && sim->given != state->model)) {
        return tn_error_set(error, TN_BAD_INPUT, "sensors read a state, and a simulation, of their own model");
    }
    if (!out && sensors->model->n_readings > 0) {
        return tn_error_set(error, TN_BAD_INPUT, "sensors need an array for %d numbers", sensors->model->n_readings);
    }
    const look l = {.model = sensors->model,
                    .sim = sim && sim->solving.answer.solution.lambda ? sim : NULL,
                    .state = state,
                    .query = sensors->query,
                    .seed = (sim ? sim->whole : sensors->model)->settings.seed,
                    .number = number};
    tn_status status = sensors->query ? tn_query_update(sensors->query, state, error) : TN_OK;
    if (status == TN_OK && sensors->any_contact) {
        read_contacts(&l, out);
    }
    for (int i = 0; status == TN_OK && i < l.model->n_sensors; i++) {
        const tn_model_sensor *s = &l.model->sensors[i];
        tn_sensor_kind kind = s->description->kind;
        if (kind <= TN_SENSOR_EFFORT) {
            read_coordinate(&l, s, out + s->first);
        } else if (kind <= TN_SENSOR_TORQUE) {
            read_wrench(&l, s, out + s->first);
        } else if (kind >= TN_SENSOR_CENTER) {
            read_bodies(&l, s, out + s->first);
        } else if (!feels_contacts(s)) {
            read_mount(&l, i, out + s->first);
        }
        add_noise(&l, s, out + s->first);
    }
    return status;
}
