// What a joint bore in the last step.
#include "base/order.h"
#include "discretize/elastic_joints.h"
#include "math/mat3.h"
#include "problem/active.h"
#include "problem/bound.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Of a row of two bodies.
static void add_force(const tn_model_joint *joint, const tn_joint_geometry *at, const tn_model_joint_row *row,
                      double force, tn_joint_info *out)
{
    bool hold = row->role == TN_ROLE_HOLD;
    const tn_joint_mix mix = tn_joint_mix_of(joint, hold ? row->index : 0);
    for (int k = 0; k < (hold ? mix.n : 1); k++) {
        const tn_joint_motion *motion = hold ? &at->hold[mix.hold[k]] : &at->coordinate[row->index];
        double *to = motion->turn ? out->torque : out->force;
        tn_vec3_madd(to, to, hold ? mix.factor[k] * force : force, motion->direction);
    }
}

// Forces of one solve's rows, f (rows.n).
static void add_forces(const tn_step_setup *setup, const tn_joint_step *step, const double *f, int number,
                       tn_joint_info *out)
{
    const tn_model_joint *joint = &setup->model->joints[number];
    const tn_joint_geometry *at = &step->geometry[number];
    for (int i = tn_order_first(step->rows.joint, 0, step->rows.n_singles, number);
         i < step->rows.n_singles && step->rows.joint[i] == number; i++) {
        const tn_model_joint_row *row = &setup->model->joint_rows[step->source[i]];
        double force = row->role == TN_ROLE_HIGH ? -f[i] : f[i];
        if (row->role == TN_ROLE_ACROSS) {
            tn_joint_motion across = tn_joint_across(joint, step->sides.poses, at, row->index);
            tn_vec3_madd(out->force, out->force, force, across.direction);
            continue;
        }
        bool hold = row->role == TN_ROLE_HOLD;
        if (!hold || joint->kind == TN_JOINT_GEAR) {
            out->effort[row->index] += force;
            out->motor[row->index] += row->role == TN_ROLE_MOTOR ? force : 0.0;
        }
        if (joint->kind != TN_JOINT_GEAR) {
            add_force(joint, at, row, force, out);
        }
    }
}

// Dry friction in all directions; of a plane it counts among the efforts of the slides, and the condition is of both.
static void add_ball(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                     const tn_step_next *next, int number, tn_joint_info *out)
{
    int m = tn_contact_rows_ball(&eq->rows, number);
    if (m < 0) {
        return;
    }
    const tn_model_joint *joint = &setup->model->joints[number];
    const tn_problem *p = &eq->problem;
    const double *f = next->force + 3 * (size_t)m, *solved = answer->solution.lambda + 3 * (size_t)m;
    double world[3], *to = joint->kind == TN_JOINT_SPHERICAL ? out->torque : out->force;
    tn_mat3_tvec(world, p->rows->frame + 9 * (size_t)m, f);
    tn_vec3_add(to, to, world);
    double mass = tn_contact_normal_mass(p, m);
    tn_bound bound = tn_problem_bound(p, m, NULL);
    bool held = tn_set_active(&bound, (const double[2]){mass, mass}, solved, answer->products.u + 3 * (size_t)m) ==
                TN_ACTIVE_INSIDE;
    for (int k = 0; k < joint->n_coordinates && k < 2; k++) {
        out->effort[k] += f[k];
        out->condition[k] = held && out->condition[k] == TN_JOINT_FREE ? TN_JOINT_STUCK : out->condition[k];
    }
}

static void find_conditions(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                            int number, tn_joint_info *out)
{
    const tn_joint_step *step = &eq->joints;
    const double *force = tn_sim_joint_forces(eq, answer);
    for (int i = tn_order_first(step->rows.joint, 0, step->rows.n_singles, number);
         i < step->rows.n_singles && step->rows.joint[i] == number; i++) {
        const tn_model_joint_row *row = &setup->model->joint_rows[step->source[i]];
        if (row->role == TN_ROLE_HOLD || row->role == TN_ROLE_SPRING || row->role == TN_ROLE_ARMATURE ||
            row->role == TN_ROLE_ACROSS) {
            continue; // six may be held, but only three coordinates have a condition
        }
        tn_joint_condition *to = &out->condition[row->index];
        bool inside = tn_single_active(&step->rows, i, eq->problem.A, answer->solution.v, force[i]) == TN_ACTIVE_INSIDE;
        if (row->role == TN_ROLE_MOTOR && !inside) {
            *to = TN_JOINT_SATURATED;
        } else if (row->role == TN_ROLE_FRICTION && inside) {
            *to = TN_JOINT_STUCK;
        } else if (row->role == TN_ROLE_LOW && inside) {
            *to = TN_JOINT_AT_LOW;
        } else if (row->role == TN_ROLE_HIGH && inside) {
            *to = TN_JOINT_AT_HIGH;
        }
    }
}

void tn_sim_joint(const tn_sim *sim, const tn_state *state, int number, tn_joint_info *out)
{
    if (!sim || !state || state->model != sim->given || !out || number < 0 || number >= sim->whole->n_joints) {
        return;
    }
    int own = sim->setup.model == sim->whole ? number : tn_awake_joint(&sim->awake, number);
    if (own < 0) { // it slept
        *out = state->sleep->joints[number];
        return;
    }
    number = own;
    const tn_model_joint *joint = &sim->setup.model->joints[number];
    *out = (tn_joint_info){.body_a = joint->body_a, .body_b = joint->body_b};
    add_forces(&sim->setup, &sim->solving.eq.joints,
               sim->next.joint_held ? sim->next.joint_held
                                    : tn_sim_joint_forces(&sim->solving.eq, &sim->solving.answer),
               number, out);
    for (int i = joint->first_row;
         sim->next.holds && tn_trees_hold(sim->setup.model->trees, number) && i < joint->first_row + joint->n_holds;
         i++) {
        add_force(joint, &sim->solving.eq.joints.geometry[number], &sim->setup.model->joint_rows[i],
                  sim->next.holds->hold[i], out);
    }
    if (sim->next.joint_rest) {
        add_forces(&sim->setup, &sim->next.joints_end, sim->next.joint_rest, number, out);
    }
    const double *given = sim->solving.eq.balance.effort;
    for (int k = 0; given && k < joint->n_coordinates; k++) {
        out->motor[k] += given[joint->first_coordinate + k];
    }
    find_conditions(&sim->setup, &sim->solving.eq, &sim->solving.answer, number, out);
    add_ball(&sim->setup, &sim->solving.eq, &sim->solving.answer, &sim->next, number, out);
    if (joint->kind == TN_JOINT_GEAR) {
        out->violation[0] = joint->n_holds > 0 ? fabs(tn_joint_gear_error(joint, state->joint_coordinate)) : 0.0;
        return;
    }
    tn_joint_geometry at;
    if (joint->elastic) {
        tn_joint_look(joint, &state->pose[joint->body_a], &state->pose[joint->body_b], &at);
        if (sim->solving.eq.balance.elastics) {
            tn_balance_elastic_force(sim->setup.model, &sim->solving.eq.balance, number, sim->solving.answer.solution.v,
                                     out->force, out->torque);
        }
    } else {
        tn_joint_look_at(sim->setup.model, joint, &(tn_joint_sides){state->pose, state->x}, &at);
    }
    tn_vec3_copy(out->point, at.point_b);
    int n = joint->bushing || joint->elastic ? TN_JOINT_HOLDS : joint->n_holds;
    for (int i = 0; i < n; i++) {
        double *worst = &out->violation[tn_joint_hold_turns(joint, i)];
        *worst = fmax(*worst, fabs(at.violation[i]));
    }
}

// Row i of an array of so many numbers a row; NULL: nobody wants it.
static void put(double *array, int i, int width, const double *row)
{
    if (array) {
        memcpy(array + (size_t)width * (size_t)i, row, (size_t)width * sizeof *row);
    }
}

void tn_sim_get_joints(const tn_sim *sim, const tn_state *state, const tn_joint_results *out)
{
    if (!sim || !state || state->model != sim->given || !out) {
        return;
    }
    const tn_model *model = sim->whole;
    for (int j = 0; j < model->n_joints; j++) {
        tn_joint_info info;
        tn_sim_joint(sim, state, j, &info);
        put(out->point, j, 3, info.point);
        put(out->force, j, 3, info.force);
        put(out->torque, j, 3, info.torque);
        put(out->violation, j, 2, info.violation);
        for (int k = 0; k < model->joints[j].n_coordinates; k++) {
            int c = model->joints[j].first_coordinate + k;
            put(out->effort, c, 1, &info.effort[k]);
            put(out->motor, c, 1, &info.motor[k]);
            if (out->condition) {
                out->condition[c] = (int)info.condition[k];
            }
        }
    }
}
