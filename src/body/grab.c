// Forces of a hand: the spring of tenon/grab.h at the state's start.
#include "tenon/grab.h"

#include "math/vec3.h"
#include "shape/pose.h"
#include "state/state.h"

#include <math.h>

static const double pull_rate = 12.566370614359172; // 2 pi 2 Hz [rad/s]

// The nearest nodes with a block of their own, by insertion.
static void nearest_nodes(const tn_state *state, const tn_model_soft *soft, const double point[3], tn_grab *out)
{
    double distance[TN_GRAB_NODES] = {0.0};
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        double away[3];
        tn_vec3_sub(away, state->x + 3 * (size_t)i, point);
        double square = tn_vec3_dot(away, away);
        bool full = out->n == TN_GRAB_NODES;
        if (state->model->nodes[i].block < 0 || (full && square >= distance[out->n - 1])) {
            continue;
        }
        int k = full ? out->n - 1 : out->n++;
        for (; k > 0 && distance[k - 1] > square; k--) {
            distance[k] = distance[k - 1];
            out->node[k] = out->node[k - 1];
        }
        distance[k] = square;
        out->node[k] = i;
    }
}

bool tn_grab_start(const tn_state *state, int body, const double point[3], tn_grab *out)
{
    if (!state || !point || !out || body <= 0 || body >= state->model->n_bodies + state->model->n_softs ||
        !isfinite(tn_vec3_norm(point))) {
        return false;
    }
    const tn_model *model = state->model;
    *out = (tn_grab){.body = body};
    tn_vec3_copy(out->target, point);
    if (body >= model->n_bodies) {
        nearest_nodes(state, &model->softs[body - model->n_bodies], point, out);
        return out->n > 0;
    }
    tn_pose inverse;
    tn_pose_undo(&inverse, &state->pose[body]);
    tn_pose_point(out->arm, &inverse, point);
    return model->bodies[body].n_blocks > 0;
}

static void spring_force(double mass, double felt, double h, const double stretch[3], const double velocity[3],
                         double out[3])
{
    double k = fmin(mass * pull_rate * pull_rate, 0.25 * felt / (h * h));
    double c = fmin(2.0 * mass * pull_rate, 0.5 * felt / h);
    for (int i = 0; i < 3; i++) {
        out[i] = k * stretch[i] - c * velocity[i];
    }
}

// 1/m_p: the trace of r x I^-1 (r x .) bounds what turning adds.
static double mobility(const tn_model_body *body, const double arm[3])
{
    double square = tn_vec3_dot(arm, arm), sum = 1.0 / body->mass;
    for (int i = 0; i < 3; i++) {
        double lever = body->planar ? (i == 0 ? square : 0.0) : square - arm[i] * arm[i];
        sum += lever > 0.0 ? lever / body->inertia[i] : 0.0;
    }
    return sum;
}

static void pull_body(const tn_grab *grab, const tn_state *state, double wrench[6])
{
    const tn_model_body *body = &state->model->bodies[grab->body];
    const tn_pose *pose = &state->pose[grab->body];
    double point[3], arm[3], stretch[3], velocity[3], spin[3], turning[3], force[3], torque[3];
    tn_pose_point(point, pose, grab->arm);
    tn_vec3_sub(arm, point, pose->position);
    tn_vec3_sub(stretch, grab->target, point);
    tn_state_center_velocity(state, grab->body, state->v, velocity, spin);
    tn_vec3_cross(turning, spin, arm);
    tn_vec3_add(velocity, velocity, turning);
    spring_force(body->mass, 1.0 / mobility(body, grab->arm), state->model->settings.step, stretch, velocity, force);
    tn_vec3_cross(torque, arm, force);
    tn_vec3_add(wrench, wrench, force);
    tn_vec3_add(wrench + 3, wrench + 3, torque);
}

static void pull_nodes(const tn_grab *grab, const tn_state *state, double *force)
{
    const tn_model *model = state->model;
    double point[3] = {0.0}, velocity[3] = {0.0}, felt = 0.0, stretch[3], whole[3];
    for (int k = 0; k < grab->n; k++) {
        int i = grab->node[k];
        tn_vec3_madd(point, point, 1.0 / grab->n, state->x + 3 * (size_t)i);
        tn_vec3_madd(velocity, velocity, 1.0 / grab->n, state->v + 3 * (size_t)model->nodes[i].block);
        felt += model->node_mass[i];
    }
    tn_vec3_sub(stretch, grab->target, point);
    spring_force(model->softs[grab->body - model->n_bodies].mass, felt, model->settings.step, stretch, velocity, whole);
    for (int k = 0; k < grab->n; k++) {
        double *f = force + 3 * (size_t)grab->node[k];
        tn_vec3_madd(f, f, 1.0 / grab->n, whole);
    }
}

// Whether it is a hand on a body of the state, as tn_grab_start makes it.
static bool holds(const tn_grab *grab, const tn_state *state)
{
    const tn_model *model = state->model;
    bool rigid = grab->body > 0 && grab->body < model->n_bodies && model->bodies[grab->body].n_blocks > 0;
    bool soft = grab->body >= model->n_bodies && grab->body < model->n_bodies + model->n_softs && grab->n > 0 &&
                grab->n <= TN_GRAB_NODES;
    for (int k = 0; soft && k < grab->n; k++) {
        soft = grab->node[k] >= 0 && grab->node[k] < model->n_nodes && model->nodes[grab->node[k]].block >= 0;
    }
    return rigid || soft;
}

void tn_grab_pull(const tn_grab *grab, const tn_state *state, double *wrench, double *node_force)
{
    if (!grab || !state || !holds(grab, state)) {
        return;
    }
    if (wrench && grab->body < state->model->n_bodies) {
        pull_body(grab, state, wrench + 6 * (size_t)grab->body);
    } else if (node_force && grab->body >= state->model->n_bodies) {
        pull_nodes(grab, state, node_force);
    }
}
