// The step of scheme pbd: substeps, contacts, and what becomes of them in the simulation's books (sim/pbd.h).
#include "sim/pbd.h"

#include "base/timer.h"
#include "law/ellipse.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/rigid.h"

#include <math.h>
#include <string.h>

// Fastest that overlaps are taken out, and what velocity a body may keep of it [m/s], as sim/settle.c has it.
static const double TAKEN_OUT = 0.05;

// ---- a substep

// World axes.
static void find_inverse_inertia(const tn_model_body *body, const tn_pose *pose, double out[9])
{
    double rotation[9], scaled[9];
    tn_quat_to_mat3(rotation, pose->quaternion);
    for (int i = 0; i < 9; i++) {
        scaled[i] = rotation[i] / body->inertia[i % 3];
    }
    tn_mat3_mul_nt(out, scaled, rotation);
}

// By outside forces, then freely.
static void move_free(tn_pbd *pbd, int b)
{
    const tn_model_body *model = &pbd->model->bodies[b];
    tn_pbd_body *body = &pbd->bodies[b];
    double x[6], turn[4];
    tn_vec3_madd(body->v, body->v, pbd->h * body->inverse_mass, body->pull);
    tn_mat3_vec(x, body->inverse_inertia, body->torque);
    tn_vec3_madd(body->w, body->w, pbd->h, x);
    tn_vec3_copy(x, body->v);
    tn_quat_rotate_inverse(x + 3, pbd->pose[b].quaternion, body->w);
    tn_vec3_madd(body->way, body->way, pbd->h, body->v);
    tn_vec3_madd(body->turned, body->turned, pbd->h, body->w);
    tn_body_advance(model, x, pbd->h, &pbd->pose[b], turn);
    tn_body_carry(model, turn, x);
    tn_quat_rotate(body->w, pbd->pose[b].quaternion, x + 3);
    find_inverse_inertia(model, &pbd->pose[b], body->inverse_inertia);
}

// Along the straight way of the step.
static void move_driven(tn_pbd *pbd, int b)
{
    tn_pbd_body *body = &pbd->bodies[b];
    double q[4], vector[3];
    tn_vec3_madd(pbd->pose[b].position, pbd->pose[b].position, pbd->h, body->v);
    tn_vec3_madd(body->way, body->way, pbd->h, body->v);
    tn_vec3_madd(body->turned, body->turned, pbd->h, body->w);
    tn_vec3_scale(vector, pbd->h, body->w);
    tn_quat_exp(q, vector);
    tn_quat_mul(pbd->pose[b].quaternion, q, pbd->pose[b].quaternion);
}

static void begin_contact(const tn_pbd *pbd, tn_pbd_contact *c)
{
    for (int i = 0; i < 3; i++) {
        c->start[i] = tn_pbd_displacement(pbd, c->body_a, c->body_b, &c->motion[i]);
        c->lambda[i] = 0.0;
    }
    c->before = tn_pbd_velocity(pbd, c->body_a, c->body_b, &c->motion[0]);
    c->least = fmin(0.0, c->gap + c->start[0] + pbd->h * fmin(TAKEN_OUT, pbd->model->settings.push_out));
}

static void press(tn_pbd *pbd, tn_pbd_contact *c, int i, double lambda)
{
    double impulse = (lambda - c->lambda[i]) / pbd->h;
    c->lambda[i] = lambda;
    c->impulse[i] += impulse;
    tn_pbd_push(pbd, c->body_a, c->body_b, &c->motion[i], impulse, true);
}

// It presses where it would overlap; friction holds, as far as it can.
static void solve_contact(tn_pbd *pbd, tn_pbd_contact *c)
{
    double room = c->gap + tn_pbd_displacement(pbd, c->body_a, c->body_b, &c->motion[0]) - c->least;
    double normal = fmax(0.0, c->lambda[0] - room / c->mobility[0]);
    if (normal == 0.0 && c->lambda[0] == 0.0) {
        return;
    }
    press(pbd, c, 0, normal);
    double bound[2] = {c->mu[0] * normal, c->mu[1] * normal}, friction[2];
    for (int i = 0; i < 2; i++) {
        double slip = tn_pbd_displacement(pbd, c->body_a, c->body_b, &c->motion[1 + i]) - c->start[1 + i];
        friction[i] = c->lambda[1 + i] - slip / c->mobility[1 + i];
    }
    tn_ellipse_project(bound, friction);
    press(pbd, c, 1, friction[0]);
    press(pbd, c, 2, friction[1]);
}

// The velocity after an impact.
static void bounce(tn_pbd *pbd, tn_pbd_contact *c)
{
    if (c->lambda[0] == 0.0 || c->restitution == 0.0 || c->before > -pbd->model->restitution_threshold) {
        return;
    }
    double speed = tn_pbd_velocity(pbd, c->body_a, c->body_b, &c->motion[0]);
    double impulse = fmax((-c->restitution * c->before - speed) / c->mobility[0], -c->lambda[0] / pbd->h);
    c->impulse[0] += impulse;
    tn_pbd_push(pbd, c->body_a, c->body_b, &c->motion[0], impulse, false);
}

// To and fro, and the next time fro and to: one order alone turns what is off always the same way, and a stack of ten
// boxes topples. Not so joints: to and fro chains with heavy ends gain energy.
static void solve_contacts(tn_pbd *pbd, int number)
{
    int n = pbd->n_contacts;
    for (int k = 0; k < 2 * n; k++) {
        int m = k % n;
        solve_contact(pbd, &pbd->contacts[(number + k / n) % 2 ? n - 1 - m : m]);
    }
}

static void run_substep(tn_pbd *pbd, int number)
{
    const tn_model *model = pbd->model;
    for (int m = 0; m < pbd->n_contacts; m++) {
        begin_contact(pbd, &pbd->contacts[m]);
    }
    for (int b = 1; b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks > 0) {
            move_free(pbd, b);
        } else if (model->bodies[b].kind == TN_BODY_KINEMATIC) {
            move_driven(pbd, b);
        }
    }
    for (int m = 0; m < pbd->n_contacts; m++) {
        tn_pbd_contact *c = &pbd->contacts[m];
        for (int i = 0; i < 3; i++) {
            c->mobility[i] = tn_pbd_mobility(pbd, c->body_a, c->body_b, &c->motion[i]);
        }
    }
    memset(pbd->row, 0, (size_t)model->n_joint_rows * sizeof *pbd->row);
    memset(pbd->elastic, 0, (size_t)model->n_joints * sizeof *pbd->elastic);
    memset(pbd->spring, 0, (size_t)model->scene->n_springs * sizeof *pbd->spring);
    for (int k = 0; k < model->settings.pbd_iterations; k++) {
        tn_pbd_solve_joints(pbd);
        solve_contacts(pbd, number + k);
    }
    for (int m = 0; m < pbd->n_contacts; m++) {
        bounce(pbd, &pbd->contacts[m]);
    }
    const tn_joint_sides sides = {pbd->pose, NULL};
    tn_joints_coordinates(model, &sides, pbd->coordinate, pbd->coordinate);
}

// ---- from the step's start

static bool allocate(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_next *next, tn_pbd *out)
{
    const tn_model *model = setup->model;
    tn_arena *arena = setup->arena;
    int n = tn_sim_awake_contacts(eq);
    *out = (tn_pbd){.model = model,
                    .h = model->settings.step / model->settings.pbd_substeps,
                    .pose = TN_PUSH_RAW(arena, tn_pose, model->n_bodies),
                    .bodies = TN_PUSH(arena, tn_pbd_body, model->n_bodies),
                    .contacts = TN_PUSH(arena, tn_pbd_contact, n),
                    .coordinate = next->coordinate,
                    .row = TN_PUSH(arena, double, model->n_joint_rows),
                    .row_impulse = TN_PUSH(arena, double, model->n_joint_rows),
                    .elastic = (double(*)[6])TN_PUSH(arena, double, 6 * (size_t)model->n_joints),
                    .elastic_impulse = (double(*)[6])TN_PUSH(arena, double, 6 * (size_t)model->n_joints),
                    .spring = TN_PUSH(arena, double, model->scene->n_springs)};
    return out->pose && out->bodies && out->contacts && out->row && out->row_impulse && out->elastic &&
           out->elastic_impulse && out->spring;
}

static void begin_free(const tn_step_equations *eq, const tn_state *state, int b, tn_pbd *pbd)
{
    const tn_model_body *model = &pbd->model->bodies[b];
    const tn_pose *pose = &state->pose[b];
    tn_pbd_body *body = &pbd->bodies[b];
    size_t at = 3 * (size_t)model->block;
    body->inverse_mass = 1.0 / model->mass;
    tn_vec3_copy(body->v, state->v + at);
    tn_quat_rotate(body->w, pose->quaternion, state->v + at + 3);
    tn_vec3_scale(body->pull, model->mass, pbd->model->settings.gravity);
    if (eq->balance.applied) {
        tn_vec3_add(body->pull, body->pull, eq->balance.applied + at);
        tn_quat_rotate(body->torque, pose->quaternion, eq->balance.applied + at + 3);
    }
    find_inverse_inertia(model, pose, body->inverse_inertia);
}

static void begin_driven(const tn_state *state, int b, tn_pbd *pbd)
{
    const tn_pose *from = &state->pose[b];
    tn_pose to = *from;
    double step = pbd->model->settings.step, undo[4], turn[4];
    tn_motion_pose(&pbd->model->bodies[b], (double)(state->step_count + 1) * step, &to);
    tn_vec3_sub(pbd->bodies[b].v, to.position, from->position);
    tn_vec3_scale(pbd->bodies[b].v, 1.0 / step, pbd->bodies[b].v);
    tn_quat_conjugate(undo, from->quaternion);
    tn_quat_mul(turn, to.quaternion, undo);
    tn_quat_log(pbd->bodies[b].w, turn);
    tn_vec3_scale(pbd->bodies[b].w, 1.0 / step, pbd->bodies[b].w);
}

// Arms and frame as the step's problem has them.
static void fill_contact(const tn_step_setup *setup, const tn_step_equations *eq, const tn_state *state, int m,
                         tn_pbd_contact *out)
{
    const tn_contact *contact = &eq->list.contacts[eq->rows.source[m]];
    double arm_a[3], arm_b[3];
    *out = (tn_pbd_contact){.body_a = contact->body_a,
                            .body_b = contact->body_b,
                            .gap = contact->gap,
                            .mu = {contact->surface->mu1, contact->surface->mu2},
                            .restitution = contact->surface->restitution};
    if (setup->model->settings.law == TN_LAW_FRICTIONLESS) {
        out->mu[0] = out->mu[1] = 0.0;
    }
    tn_vec3_sub(arm_a, contact->point, state->pose[contact->body_a].position);
    tn_vec3_sub(arm_b, contact->point, state->pose[contact->body_b].position);
    for (int i = 0; i < 3; i++) {
        tn_joint_motion *motion = &out->motion[i];
        tn_vec3_copy(motion->direction, contact->frame + 3 * i);
        tn_vec3_cross(motion->about_a, arm_a, motion->direction);
        tn_vec3_cross(motion->about_b, arm_b, motion->direction);
    }
}

static void begin(const tn_step_setup *setup, const tn_step_equations *eq, const tn_state *state, tn_pbd *pbd)
{
    const tn_model *model = setup->model;
    memcpy(pbd->pose, state->pose, (size_t)model->n_bodies * sizeof *pbd->pose);
    memcpy(pbd->coordinate, state->joint_coordinate, (size_t)model->n_joint_coordinates * sizeof *pbd->coordinate);
    for (int b = 1; b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks > 0) {
            begin_free(eq, state, b, pbd);
        } else if (model->bodies[b].kind == TN_BODY_KINEMATIC) {
            begin_driven(state, b, pbd);
        }
    }
    pbd->n_contacts = tn_sim_awake_contacts(eq);
    for (int m = 0; m < pbd->n_contacts; m++) {
        fill_contact(setup, eq, state, m, &pbd->contacts[m]);
    }
}

// ---- to its end

// Poses, the mean velocity of the way as v^, and the velocities at the end.
static tn_status end_bodies(const tn_step_setup *setup, const tn_step_answer *answer, tn_step_next *next,
                            const tn_state *state, const tn_pbd *pbd, tn_error *error)
{
    const tn_model *model = setup->model;
    size_t n = 3 * (size_t)model->n_blocks;
    double *turn = TN_PUSH(setup->arena, double, 4 * (size_t)model->n_bodies);
    double *next_v = TN_PUSH_RAW(setup->arena, double, n), *pushed = TN_PUSH_RAW(setup->arena, double, n);
    if (!turn || !next_v || !pushed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
    }
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        tn_pose *pose = &pbd->pose[b];
        if (body->kind == TN_BODY_KINEMATIC) {
            tn_motion_pose(body, (double)(state->step_count + 1) * model->settings.step, pose); // to the last bit
        }
        if (body->n_blocks == 0) {
            continue;
        }
        double *v = next_v + 3 * (size_t)body->block, *start = pushed + 3 * (size_t)body->block, back[4];
        double *rate = answer->solution.v + 3 * (size_t)body->block;
        tn_vec3_set(rate + 3, 0.0, 0.0, 0.0);
        tn_body_rate(body, &state->pose[b], pose, model->settings.step, rate, turn + 4 * (size_t)b);
        tn_vec3_copy(v, pbd->bodies[b].v);
        tn_quat_rotate_inverse(v + 3, pose->quaternion, pbd->bodies[b].w);
        tn_quat_conjugate(back, turn + 4 * (size_t)b);
        memcpy(start, v, 6 * sizeof *v);
        tn_body_carry(body, back, start);
        for (int i = 0; i < 6; i++) {
            if (!isfinite(v[i])) {
                return tn_error_set(error, TN_NUMERICS, "the velocity of body '%s' is not finite: take more substeps",
                                    tn_model_body_name(model, b));
            }
        }
    }
    next->turn = turn;
    next->v = next_v;
    next->pushed_v = pushed;
    next->pose = pbd->pose;
    return TN_OK;
}

// The mean over the step.
static void end_forces(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer, const tn_pbd *pbd)
{
    double step = setup->model->settings.step;
    for (int m = 0; m < pbd->n_contacts; m++) {
        tn_vec3_scale(answer->solution.lambda + 3 * (size_t)m, 1.0 / step, pbd->contacts[m].impulse);
    }
    double *joint = tn_sim_joint_forces(eq, answer);
    for (int i = 0; i < eq->joints.rows.n_singles; i++) {
        joint[i] = pbd->row_impulse[eq->joints.source[i]] / step;
    }
    for (int j = 0; j < setup->model->n_joints; j++) {
        tn_vec3_scale(pbd->elastic_impulse[j], 1.0 / step, pbd->elastic_impulse[j]);
        tn_vec3_scale(pbd->elastic_impulse[j] + 3, 1.0 / step, pbd->elastic_impulse[j] + 3);
    }
    eq->balance.borne = (const double(*)[6])pbd->elastic_impulse;
}

// What the step leaves of euler's problem: contacts, joints and elastic forces where the bodies have got to, momentum
// by the change of their velocities.
static tn_status certify(const tn_step_setup *setup, tn_step_solving *solving, const tn_step_next *next,
                         tn_step_report *r, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    tn_step_answer *answer = &solving->answer;
    int n_rows = eq->problem.rows->n_triples + eq->problem.rows->n_singles;
    double *product = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)setup->model->n_blocks), mass[6];
    if (!product || !tn_sim_aims_create(setup, n_rows, &solving->control.aims)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the certificate of %d constraints", n_rows);
    }
    tn_status status = tn_sim_multiply(setup, eq, answer, error);
    const tn_sim_posed posed = {&eq->problem, &answer->solution, NULL, NULL, NULL};
    status = status == TN_OK ? tn_sim_certify(setup, solving, &posed, &answer->products, &r->solve, r, error) : status;
    for (int b = 1; status == TN_OK && b < setup->model->n_bodies; b++) {
        const tn_model_body *body = &setup->model->bodies[b];
        if (body->n_blocks > 0) {
            tn_body_mass(body, mass);
            for (int i = 0; i < 6; i++) {
                size_t k = 3 * (size_t)body->block + (size_t)i;
                product[k] =
                    answer->products.product[k] + mass[i] * (next->pushed_v[k] - answer->solution.v[k]) / eq->balance.h;
            }
        }
    }
    if (status == TN_OK) {
        tn_certificate *c = &r->solve.certificate;
        double demanded = setup->model->settings.solve.tolerance.momentum;
        c->momentum =
            tn_certificate_momentum(&eq->problem, product, answer->products.push, tn_sim_joint_forces(eq, answer));
        r->solve.converged = r->solve.converged && c->momentum <= demanded;
    }
    return status;
}

tn_status tn_sim_pbd(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next, const tn_state *state,
                     tn_step_report *r, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    tn_step_answer *answer = &solving->answer;
    const tn_model *model = setup->model;
    int n = model->settings.pbd_substeps;
    double start = tn_timer_now();
    tn_pbd pbd;
    if (!allocate(setup, eq, next, &pbd)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the constraints of %d bodies", model->n_bodies);
    }
    begin(setup, eq, state, &pbd);
    for (int k = 1; k <= n; k++) {
        pbd.time = state->time + k * pbd.h;
        run_substep(&pbd, k);
    }
    memset(answer->solution.lambda, 0,
           (3 * (size_t)eq->rows.contacts.n_triples + (size_t)model->n_joint_rows) * sizeof *answer->solution.lambda);
    end_forces(setup, eq, answer, &pbd);
    tn_status status = end_bodies(setup, answer, next, state, &pbd, error);
    r->solve = (tn_solve_report){
        .solver = "pbd", .iterations = n * model->settings.pbd_iterations, .converged = true, .theta = NAN};
    r->rounds = 1;
    r->solve_s += tn_timer_now() - start;
    status = status == TN_OK ? certify(setup, solving, next, r, error) : status;
    next->force = answer->solution.lambda;
    next->push = answer->products.push;
    next->joints_end.rows.n_singles = 0;
    next->joint_rest = next->joint_held = NULL;
    return status;
}
