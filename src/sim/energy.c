// Energy and momentum bookkeeping.
//
// The work of a force f over a step that changes v_k to v_{k+1} by M (v_{k+1} - v_k) = h f is exactly
// h f . (v_k + v_{k+1})/2; contacts and applied forces are counted so. What is left over in `balance` is the time
// discretisation's own error (gravity, springs and rotation integrated with v^).
#include "base/team.h"
#include "body/elastic_joint.h"
#include "discretize/elastic_joints.h"
#include "discretize/joint_armature.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/sums.h"
#include "model/rigid.h"
#include "sim/sim.h"

void tn_energy_body_motion(const tn_model_body *body, const tn_pose *pose, const double *x, double linear[3],
                           double spin[3])
{
    if (body->planar) {
        tn_vec3_scale(linear, x[0], body->plane_axes);
        tn_vec3_madd(linear, linear, x[1], body->plane_axes + 3);
        tn_vec3_scale(spin, body->inertia[0] * x[2], body->plane_axes + 6);
        return;
    }
    double own[3];
    tn_vec3_copy(linear, x);
    tn_vec3_set(own, body->inertia[0] * x[3], body->inertia[1] * x[4], body->inertia[2] * x[5]);
    tn_quat_rotate(spin, pose->quaternion, own);
}

// Sums over bodies go by groups whose limits depend on the number of bodies alone: any number of threads adds alike.
enum { GROUPS = 64, PIECE = 8 };

static int group_count(const tn_model *model)
{
    return model->n_bodies < GROUPS ? model->n_bodies : GROUPS;
}

static int group_start(const tn_model *model, int group)
{
    return (int)((long long)model->n_bodies * group / group_count(model));
}

// Place in model->mover of the group's first body that is not fixed.
static int first_mover(const tn_model *model, int group)
{
    int body = group_start(model, group), low = 0, high = model->n_movers;
    while (low < high) {
        int middle = (low + high) / 2;
        low = model->mover[middle] < body ? middle + 1 : low;
        high = model->mover[middle] < body ? high : middle;
    }
    return low;
}

typedef struct moving {
    const tn_model *model;
    const tn_pose *poses;
    const double *v;
    tn_energy *part; // (GROUPS)
} moving;

// The movers from k on of the bodies up to `end`; returns the next one.
static int add_group(const moving *m, int k, int end, tn_energy *out)
{
    const tn_model *model = m->model;
    double kinetic = 0.0, gravity = 0.0;
    for (; k < model->n_movers && model->mover[k] < end; k++) {
        const tn_model_body *body = &model->bodies[model->mover[k]];
        if (body->n_blocks > 0) {
            const double *x = m->v + 3 * (size_t)body->block;
            double mass[6], sum = 0.0;
            tn_body_mass(body, mass);
            for (int i = 0; i < 3 * body->n_blocks; i++) {
                sum += mass[i] * x[i] * x[i];
            }
            kinetic += sum;
            gravity += body->mass * tn_vec3_dot(model->settings.gravity, m->poses[model->mover[k]].position);
        }
    }
    out->kinetic = 0.5 * kinetic;
    out->gravity = -gravity;
    return k;
}

static void add_groups(const void *context, int first, int end, int thread)
{
    (void)thread;
    const moving *m = context;
    for (int g = first, k = first_mover(m->model, first); g < end; g++) {
        k = add_group(m, k, group_start(m->model, g + 1), &m->part[g]);
    }
}

static void add_bodies(const tn_model *model, const tn_pose *poses, const double *v, tn_energy *out)
{
    int n = group_count(model);
    tn_energy part[GROUPS];
    tn_team_share(model->settings.solve.n_threads, n, PIECE, add_groups, &(moving){model, poses, v, part});
    for (int g = 0; g < n; g++) {
        out->kinetic += part[g].kinetic;
        out->gravity += part[g].gravity;
    }
}

// Free nodes; attached ones count with their bodies.
static void add_nodes(const tn_model *model, const double *x, const double *v, tn_energy *out)
{
    double kinetic = 0.0, gravity = 0.0;
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            const double *speed = v + 3 * (size_t)model->nodes[i].block;
            kinetic += model->node_mass[i] * tn_vec3_dot(speed, speed);
            gravity += model->node_mass[i] * tn_vec3_dot(model->settings.gravity, x + 3 * (size_t)i);
        }
    }
    out->kinetic += 0.5 * kinetic;
    out->gravity -= gravity;
}

void tn_energy_at(const tn_model *model, const tn_pose *poses, const double *x, const double *v, double t,
                  double elastic, tn_energy *out)
{
    *out = (tn_energy){.elastic = elastic};
    out->kinetic = tn_joint_armature_energy(model, &(tn_joint_sides){poses, x}, v, t);
    add_nodes(model, x, v, out);
    add_bodies(model, poses, v, out);
    for (int s = 0; s < model->scene->n_springs; s++) {
        out->elastic += tn_spring_energy(model, &model->scene->springs[s], poses);
    }
    for (int j = 0; model->any_elastic && j < model->n_joints; j++) {
        out->elastic += model->joints[j].elastic ? tn_elastic_energy(&model->joints[j], poses) : 0.0;
    }
}

static void add_body_momentum(const tn_model_body *body, const tn_pose *pose, const double *x, tn_energy *out)
{
    double linear[3], spin[3], moment[3];
    tn_energy_body_motion(body, pose, x, linear, spin);
    tn_vec3_madd(out->momentum, out->momentum, body->mass, linear);
    tn_vec3_cross(moment, pose->position, linear);
    tn_vec3_madd(out->angular_momentum, out->angular_momentum, body->mass, moment);
    tn_vec3_add(out->angular_momentum, out->angular_momentum, spin);
}

static int add_group_momentum(const moving *m, int k, int end, tn_energy *out)
{
    const tn_model *model = m->model;
    *out = (tn_energy){0};
    for (; k < model->n_movers && model->mover[k] < end; k++) {
        const tn_model_body *body = &model->bodies[model->mover[k]];
        if (body->n_blocks > 0) {
            add_body_momentum(body, &m->poses[model->mover[k]], m->v + 3 * body->block, out);
        }
    }
    return k;
}

static void add_groups_momentum(const void *context, int first, int end, int thread)
{
    (void)thread;
    const moving *m = context;
    for (int g = first, k = first_mover(m->model, first); g < end; g++) {
        k = add_group_momentum(m, k, group_start(m->model, g + 1), &m->part[g]);
    }
}

void tn_energy_add_momentum(const tn_model *model, const tn_pose *poses, const double *x, const double *v,
                            tn_energy *out)
{
    double linear[3] = {0.0}, angular[3] = {0.0};
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            const double *speed = v + 3 * (size_t)model->nodes[i].block;
            double moment[3];
            tn_vec3_madd(linear, linear, model->node_mass[i], speed);
            tn_vec3_cross(moment, x + 3 * (size_t)i, speed);
            tn_vec3_madd(angular, angular, model->node_mass[i], moment);
        }
    }
    int n = group_count(model);
    tn_energy part[GROUPS];
    tn_team_share(model->settings.solve.n_threads, n, PIECE, add_groups_momentum, &(moving){model, poses, v, part});
    for (int g = 0; g < n; g++) {
        tn_vec3_add(linear, linear, part[g].momentum);
        tn_vec3_add(angular, angular, part[g].angular_momentum);
    }
    tn_vec3_copy(out->momentum, linear);
    tn_vec3_copy(out->angular_momentum, angular);
}

tn_status tn_state_energy(const tn_state *state, tn_energy *out, tn_error *error)
{
    if (!state || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "no state whose energy is wanted");
    }
    const tn_model *model = state->model;
    double elastic = 0.0;
    if (model->n_softs > 0) {
        tn_arena *arena = tn_arena_create(0);
        tn_tets_elastic *elements = NULL;
        tn_status status = arena ? tn_tets_evaluate(model->elements, state->x, 1, arena, &elements) : TN_NO_MEMORY;
        elastic = status == TN_OK ? tn_tets_energy(model->elements, elements) : 0.0;
        tn_arena_destroy(arena);
        if (status != TN_OK) {
            return tn_error_set(error, status, "no memory for the energy of %d tetrahedra", model->n_tets);
        }
    }
    elastic += tn_sim_joints_energy_at(state);
    for (int k = 0; state->sleep && k < state->sleep->n_islands; k++) {
        elastic += state->sleep->islands[k].joints;
    }
    double of_contacts;
    tn_status status = tn_sim_spring_energy(state, &of_contacts, error);
    if (status != TN_OK) {
        return status;
    }
    elastic += of_contacts;
    tn_energy_at(model, state->pose, state->x, state->v, state->time, elastic, out);
    out->dissipated = state->dissipated;
    out->injected = state->injected;
    tn_energy_add_momentum(model, state->pose, state->x, state->v, out);
    return TN_OK;
}

// Contacts: force times relative velocity is lost, force times surface velocity is brought in by the drive. joints:
// work of the joint forces that push holds too.
static void contact_work(const tn_solved_step *step, const double *mean_v, double joints, tn_step_work *out)
{
    double lost =
        tn_dot(3 * (size_t)step->setup->model->n_blocks, step->next->push, mean_v) - joints / step->eq->balance.h;
    double driven = 0.0;
    for (int m = 0; m < step->eq->rows.contacts.n_triples; m++) {
        double surface[3];
        tn_contact_rows_surface(&step->eq->rows, m, surface);
        driven += tn_vec3_dot(step->next->force + 3 * (size_t)m, surface);
    }
    out->springs = tn_sim_spring_books(step, mean_v);
    out->dissipated -= step->eq->balance.h * (lost + driven) + out->springs.kept;
    out->injected -= step->eq->balance.h * driven;
}

// Springs: the damper's loss at v^, and what kinematic ends bring in.
static void spring_work(const tn_step_equations *eq, const tn_step_answer *answer, tn_step_work *out)
{
    double h = eq->balance.h, reach = eq->balance.kappa * h;
    for (int s = 0; s < eq->balance.n_springs; s++) {
        const tn_spring_element *spring = &eq->balance.springs[s];
        double rate[3], damper[3], stiff[3], force[3];
        tn_vec3_copy(rate, spring->drift);
        for (int i = 0; i < spring->n; i++) {
            tn_mat3_add_vec(rate, spring->jacobian[i], answer->solution.v + 3 * spring->block[i]);
        }
        tn_mat3_vec(damper, spring->damping, rate);
        tn_mat3_vec(stiff, spring->stiffness, rate);
        tn_vec3_sub(force, spring->force, damper);
        tn_vec3_madd(force, force, -reach, stiff);
        out->dissipated += h * tn_vec3_dot(damper, rate);
        out->injected -= h * tn_vec3_dot(force, spring->driven);
    }
}

// Joints of rods: likewise.
static void elastic_work(const tn_solved_step *step, tn_step_work *out)
{
    double h = step->eq->balance.h;
    for (int j = 0; step->eq->balance.elastics && j < step->setup->model->n_joints; j++) {
        const tn_elastic_element *e = &step->eq->balance.elastics[j];
        double rate[3], turn[3], force[3], torque[3], drag[3];
        if (e->body_a < 0) {
            continue;
        }
        tn_elastic_rate(step->setup->model, e, step->answer->solution.v, rate, turn);
        tn_mat3_vec(drag, e->stretch, rate);
        out->dissipated += h * e->lag * tn_vec3_dot(drag, rate);
        tn_mat3_vec(drag, e->bend, turn);
        out->dissipated += h * e->lag * tn_vec3_dot(drag, turn);
        tn_balance_elastic_force(step->setup->model, &step->eq->balance, j, step->answer->solution.v, force, torque);
        out->injected -= h * (tn_vec3_dot(force, e->drift) + tn_vec3_dot(torque, e->drift_turn));
    }
}

// Mean of the velocities before and after the forces of the step, about the principal axes at its start. euler: all of
// them act there. midpoint: half of them at the end, as the velocity there is.
static void mean_velocity(const tn_step_setup *setup, const tn_step_next *next, const tn_state *state, double *mean)
{
    const tn_model *model = setup->model;
    bool halfway = model->settings.scheme == TN_SCHEME_MIDPOINT;
    const double *after = halfway ? next->v : next->pushed_v;
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        mean[i] = 0.5 * (state->v[i] + after[i]);
    }
    for (int b = 0; halfway && b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks == 2) {
            int at = 3 * model->bodies[b].block + 3;
            double turned[3];
            tn_quat_rotate(turned, next->turn + 4 * (size_t)b, after + at);
            for (int i = 0; i < 3; i++) {
                mean[at + i] = 0.5 * (state->v[at + i] + turned[i]);
            }
        }
    }
}

// The same velocity about the axes at the end.
static void turn_to_end(const tn_step_setup *setup, const tn_step_next *next, double *mean)
{
    for (int b = 0; b < setup->model->n_bodies; b++) {
        if (setup->model->bodies[b].n_blocks == 2) {
            double *omega = mean + 3 * setup->model->bodies[b].block + 3;
            tn_quat_rotate_inverse(omega, next->turn + 4 * (size_t)b, omega);
        }
    }
}

// Torques of the first solve act in the bodies' axes wherever these are.
static void joint_work_along_the_step(const tn_solved_step *step, const tn_state *state, double *mean,
                                      tn_joint_work *out)
{
    for (int i = 0; i < 3 * step->setup->model->n_blocks; i++) {
        mean[i] = 0.5 * (state->v[i] + step->next->v[i]);
    }
    tn_sim_joints_work(step, state, mean, out);
}

tn_status tn_energy_work(const tn_solved_step *step, const tn_state *state, tn_step_work *out, tn_error *error)
{
    int n = 3 * step->setup->model->n_blocks;
    // predicted, if there is one, has done its work in this step: it becomes the mean velocity.
    double *mean = step->eq->balance.predicted;
    mean = mean ? mean : TN_PUSH_RAW(tn_sim_after(step->setup), double, n);
    if (!mean) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", n);
    }
    out->dissipated = out->injected = 0.0;
    mean_velocity(step->setup, step->next, state, mean);
    if (step->eq->balance.applied) {
        out->injected = step->eq->balance.h * tn_dot((size_t)n, step->eq->balance.applied, mean);
    }
    tn_joint_work joints = {.whole = 0.0};
    if (step->setup->model->settings.scheme != TN_SCHEME_MIDPOINT) {
        tn_sim_joints_work(step, state, mean, &joints);
    } else {
        joint_work_along_the_step(step, state, mean, &joints);
        mean_velocity(step->setup, step->next, state, mean);
        joints.whole = 0.0; // the impact's push holds those of the end alone
        turn_to_end(step->setup, step->next, mean);
        tn_sim_joints_end_work(step, state, mean, &joints);
    }
    out->dissipated += joints.dissipated;
    out->injected += joints.injected;
    contact_work(step, mean, joints.whole, out);
    spring_work(step->eq, step->answer, out);
    elastic_work(step, out);
    return tn_energy_elements_work(step, state, out, error);
}
