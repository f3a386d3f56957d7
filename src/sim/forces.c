// Forces at rest: the step's problem with the mass as its metric, no velocities and no gaps, of the contacts that touch
// and of the joints. Nothing is stepped; v is an acceleration (h = 1 s).
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/prescribed.h"
#include "problem/rows.h"
#include "sim/rest_solve.h"
#include "sim/sim.h"
#include "sim/still.h"
#include "solver/check.h"

#include <math.h>
#include <string.h>

// Softness of rows over their mobility while forces are looked for, and what a contact that has its spring's force
// adds to its mobility: it bears that whatever moves, to 1e-7 of what is left. More would be lost in rounding (at 1e10
// the natural map cannot be judged below 1e-6).
static const double YIELD = 1e-6, SPRING_YIELD = 1e7;
static const double HELD = 1e-8, BALANCED = 1e-6;
enum { MAX_FRICTION = 50 }; // solves until the friction of joints is what their forces press
static const double FRICTION_SETTLED = 1e-12;

typedef struct work {
    const tn_step_setup *setup;
    tn_step_equations *eq;
    tn_step_answer *answer;
    tn_step_next *next;
    tn_forces_left *left;
    const tn_state *state; // the caller's
    tn_still *still;
    double *mass; // (3 n_blocks)
    bool elastic;
} work;

static tn_status no_memory(const tn_step_setup *setup, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces on %d bodies", setup->model->n_bodies);
}

// ---- the problem

// b from the stages of a step; the mass instead of its A.
static tn_status balance(work *w, tn_error *error)
{
    const tn_model *model = w->setup->model;
    tn_status status = tn_sim_elastic(w->setup, w->state->x, true, error);
    status = status == TN_OK ? tn_balance_build(&w->still->model, &w->still->state, w->setup->memory->elements, NULL,
                                                NULL, w->setup->arena, &w->eq->balance, error)
                             : status;
    if (status != TN_OK) {
        return status;
    }
    double *diagonal = TN_PUSH(w->setup->arena, double, 9 * (size_t)model->n_blocks);
    w->mass = tn_balance_push_mass(model, w->setup->arena);
    for (int i = 0; diagonal && w->mass && i < 3 * model->n_blocks; i++) {
        diagonal[9 * (size_t)(i / 3) + 4 * (size_t)(i % 3)] = w->mass[i];
    }
    w->eq->balance.A = diagonal ? tn_blocks_from_diagonal(model->n_blocks, diagonal, w->setup->arena) : NULL;
    return w->mass && w->eq->balance.A ? TN_OK : no_memory(w->setup, error);
}

// A contact with a spring bears its force at the present depth: R and w so large that no acceleration matters.
static void give_spring(const tn_contact_rows *rows, int m, double rho, double *offset)
{
    double depth = fmax(0.0, -rows->contacts.gap[m]), R = SPRING_YIELD / rho;
    offset[0] = -R * tn_point_spring_force(&rows->spring[m], depth);
    rows->softness[9 * (size_t)m] = R;
    rows->softness[9 * (size_t)m + 4] = rows->softness[9 * (size_t)m + 8] = 0.0;
}

// Contacts at rest: no motion of surfaces, no gaps.
static tn_status contacts(work *w, tn_error *error)
{
    tn_contact_rows *rows = &w->eq->rows;
    tn_status status = tn_contact_rows_build(&w->still->model, &w->still->state, &w->eq->list, &w->eq->balance,
                                             &w->eq->joints, w->setup->arena, rows, error);
    if (status != TN_OK) {
        return status;
    }
    int n = rows->contacts.n_triples;
    double *offset = TN_PUSH(w->setup->arena, double, 3 * (size_t)n);
    rows->surface = TN_PUSH(w->setup->arena, double, n);
    if (!offset || !rows->surface) {
        return no_memory(w->setup, error);
    }
    rows->contacts.offset = offset;
    rows->bend = NULL;
    rows->contacts.softness = rows->spring ? rows->softness : NULL;
    const tn_problem mobility = {.A = w->eq->balance.A, .rows = &rows->contacts};
    for (int m = 0; m < n - rows->contacts.n_frictions; m++) {
        if (tn_sim_is_sprung(w->eq, m)) {
            give_spring(rows, m, tn_check_rho(&mobility, m), offset + 3 * (size_t)m);
        }
    }
    return TN_OK;
}

static tn_status joints(work *w, tn_error *error)
{
    w->eq->joints = (tn_joint_step){.source = NULL};
    w->answer->reduced = NULL;
    w->next->holds = NULL;
    return w->setup->model->n_joints > 0 ? tn_joint_step_rest(&w->still->model, w->state, w->still->state.joint_force,
                                                              w->elastic, w->setup->arena, &w->eq->joints, error)
                                         : TN_OK;
}

// What acts on the bodies but for contacts and joints' rows; gravity where it cancels.
static void scales(const tn_step_setup *setup, tn_problem *p)
{
    double g = tn_vec3_norm(setup->model->settings.gravity), force = 0.0, fastest = 0.0;
    for (int i = 0; i < 3 * setup->model->n_blocks; i++) {
        double mass = p->A->value[9 * (size_t)(i / 3) + 4 * (size_t)(i % 3)];
        force = fmax(force, fabs(p->b[i]));
        fastest = fmax(fastest, fabs(p->b[i]) / mass);
    }
    p->force_scale = fmax(force, g * setup->model->total_mass);
    p->velocity_scale = p->change_scale = g > 0.0 ? g : fastest;
}

static tn_status join(work *w, tn_error *error)
{
    const tn_settings *settings = &w->setup->model->settings;
    w->eq->problem = (tn_problem){.A = w->eq->balance.A,
                                  .b = w->eq->balance.b,
                                  .rows = &w->eq->constraints,
                                  .law = settings->law,
                                  .facets = settings->facets,
                                  .step = 1.0};
    scales(w->setup, &w->eq->problem);
    if (tn_rows_join(&w->eq->rows.contacts, &w->eq->joints.rows, w->setup->arena, &w->eq->constraints) != TN_OK) {
        return no_memory(w->setup, error);
    }
    w->answer->solution = (tn_solution){TN_PUSH(w->setup->arena, double, 3 * (size_t)w->setup->model->n_blocks),
                                        TN_PUSH(w->setup->arena, double, tn_row_count(&w->eq->constraints))};
    w->next->force = w->answer->solution.lambda;
    return w->answer->solution.v && w->answer->solution.lambda ? TN_OK : no_memory(w->setup, error);
}

// ---- how rows share

// Root mean square distance of what bears forces from its middle [m]; 1 where that is a point.
static double reach(const tn_step_setup *setup, const tn_step_equations *eq)
{
    double middle[3] = {0.0}, sum = 0.0;
    int n_contacts = tn_sim_awake_contacts(eq), n = n_contacts + setup->model->n_joints;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            int j = i - n_contacts;
            if (j >= 0 && setup->model->joints[j].kind == TN_JOINT_GEAR) {
                continue; // it is nowhere
            }
            const double *at = j < 0 ? eq->list.contacts[eq->rows.source[i]].point : eq->joints.geometry[j].point_b;
            double away[3];
            tn_vec3_sub(away, at, middle);
            sum += pass ? tn_vec3_dot(away, away) : 0.0;
            tn_vec3_madd(middle, middle, pass ? 0.0 : 1.0, at);
        }
        tn_vec3_scale(middle, pass || n == 0 ? 1.0 : 1.0 / n, middle);
    }
    return sum > 0.0 ? sqrt(sum / n) : 1.0;
}

static bool turns(const tn_step_setup *setup, const tn_step_equations *eq, int i)
{
    const tn_model_joint_row *row = &setup->model->joint_rows[eq->joints.source[i]];
    const tn_model_joint *joint = &setup->model->joints[row->joint];
    if (joint->kind == TN_JOINT_GEAR) {
        int k;
        const tn_model_joint *last = tn_joint_of_coordinate(setup->model, joint->gear[joint->n_gear - 1], &k);
        return eq->joints.geometry[last - setup->model->joints].coordinate[k].turn;
    }
    return row->role == TN_ROLE_HOLD ? tn_joint_hold_turns(joint, row->index)
                                     : eq->joints.geometry[row->joint].coordinate[row->index].turn;
}

// A friction that holds the points of a joint.
static bool slides(const tn_step_setup *setup, const tn_step_equations *eq, int m)
{
    return m >= eq->constraints.n_triples - eq->rows.n_balls &&
           setup->model->joints[eq->rows.source[m]].kind != TN_JOINT_SPHERICAL;
}

// The same softness for all that slides, that over the square of a length for all that turns (triples + singles).
static double *softness(const tn_step_setup *setup, const tn_step_equations *eq)
{
    const tn_rows *all = &eq->constraints, *rows = &eq->joints.rows;
    int n_t = all->n_triples, n_contacts = n_t - all->n_frictions, n = n_t + rows->n_singles, counted = 0;
    double *out = TN_PUSH(setup->arena, double, n), *rho = TN_PUSH(setup->arena, double, n), sum = 0.0,
           length = reach(setup, eq);
    if (!out || !rho) {
        return NULL;
    }
    if (rows->n_singles > 0) {
        tn_singles_mass(rows, eq->problem.A, rho + n_t);
    }
    for (int i = 0; i < n; i++) {
        rho[i] = i < n_t ? tn_check_rho(&eq->problem, i) : rho[i];
        out[i] = (i < n_t ? i >= n_contacts && !slides(setup, eq, i) : turns(setup, eq, i - n_t))
                     ? 1.0 / (length * length)
                     : 1.0;
        sum -= log(rho[i] * out[i]);
        counted++;
    }
    double usual = counted > 0 ? YIELD * exp(sum / counted) : 0.0;
    for (int i = 0; i < n; i++) {
        out[i] *= usual;
    }
    return out;
}

// ---- the solve

static bool any_friction_arm(const tn_model *model)
{
    bool any = model->n_joint_balls > 0;
    for (int i = 0; i < model->n_joint_rows; i++) {
        const tn_model_joint_row *row = &model->joint_rows[i];
        const tn_model_joint *joint = &model->joints[row->joint];
        any = any ||
              (row->role == TN_ROLE_FRICTION && joint->description->drive[joint->axis[row->index]].friction_arm > 0.0);
    }
    return any;
}

// The joints' forces press their friction; returns by how much they have changed, relative to the largest.
static double press(const work *w)
{
    const double *force = tn_sim_joint_forces(w->eq, w->answer);
    double change = 0.0, most = 0.0;
    for (int i = 0; i < w->eq->joints.rows.n_singles; i++) {
        double *last = &w->still->state.joint_force[w->eq->joints.source[i]];
        change = fmax(change, fabs(force[i] - *last));
        most = fmax(most, fabs(force[i]));
        *last = force[i];
    }
    return most > 0.0 ? change / most : 0.0;
}

// The interior point takes problems as they come, in few steps; what it does not know the scene's solver may.
static const tn_solver *choose(const tn_step_setup *setup, const tn_step_equations *eq)
{
    const tn_solver *first = tn_solver_find("ipm");
    return eq->constraints.n_triples > 0 && !tn_solver_refusal(first, &eq->problem) ? first : setup->solver;
}

// What the interior point has left above HELD the scene's solver may find; the better of both.
static tn_status solve_otherwise(work *w, tn_rest_problem *rest, tn_forces_report *report, tn_error *error)
{
    tn_solution other = {TN_PUSH(w->setup->arena, double, 3 * (size_t)w->setup->model->n_blocks),
                         TN_PUSH(w->setup->arena, double, tn_row_count(&w->eq->constraints))};
    tn_solve_report here = report->solve;
    tn_error failed = {0};
    int n = 0;
    rest->solver = w->setup->solver;
    if (!other.v || !other.lambda) {
        return no_memory(w->setup, error);
    }
    if (!tn_solver_refusal(rest->solver, rest->problem) &&
        tn_rest_solve(rest, w->setup->arena, &other, &here, &n, &failed) == TN_OK &&
        tn_rest_figure(&here.certificate) < tn_rest_figure(&report->solve.certificate)) {
        w->answer->solution = other;
        w->next->force = other.lambda;
        report->solve = here;
        report->refinements = n;
    }
    return TN_OK;
}

static tn_status solve(work *w, tn_forces_report *report, tn_error *error)
{
    tn_solve_options options = w->setup->model->settings.solve;
    options.tolerance = (tn_tolerance){.momentum = 1e-13, .natural = 1e-13, .joint = 1e-13};
    options.enough = options.moving = 0.0;
    tn_status status = join(w, error);
    tn_rest_problem rest = {.problem = &w->eq->problem,
                            .contacts = &w->eq->rows.contacts,
                            .joints = &w->eq->joints.rows,
                            .options = &options};
    if (status != TN_OK) {
        return status;
    }
    report->solve = (tn_solve_report){.solver = w->setup->solver->name, .converged = true, .theta = NAN};
    if (w->setup->model->n_blocks == 0) {
        return TN_OK;
    }
    rest.softness = softness(w->setup, w->eq);
    rest.solver = choose(w->setup, w->eq);
    if (!rest.softness) {
        return no_memory(w->setup, error);
    }
    status = tn_solver_check(rest.solver, &w->eq->problem, error);
    status = status == TN_OK ? tn_rest_solve(&rest, w->setup->arena, &w->answer->solution, &report->solve,
                                             &report->refinements, error)
                             : status;
    bool left = status == TN_OK && tn_rest_figure(&report->solve.certificate) > HELD;
    return left && rest.solver != w->setup->solver ? solve_otherwise(w, &rest, report, error) : status;
}

// Joints' rows, the problem and its forces, again while friction is not what the forces press.
static tn_status settle(work *w, tn_forces_report *report, tn_error *error)
{
    bool again = any_friction_arm(w->setup->model);
    tn_arena_mark mark = tn_arena_get_mark(w->setup->arena);
    for (int k = 1;; k++) {
        tn_arena_release(w->setup->arena, mark);
        tn_status status = joints(w, error);
        status = status == TN_OK ? contacts(w, error) : status;
        status = status == TN_OK ? solve(w, report, error) : status;
        if (status != TN_OK || !again || press(w) <= FRICTION_SETTLED || k == MAX_FRICTION) {
            return status;
        }
    }
}

// ---- what is left

// What a body bears and what is left, |x| = (x . M^-1 x)^(1/2): forces and torques in one.
static double size(const double *mass, const double x[3])
{
    return sqrt(x[0] * x[0] / mass[0] + x[1] * x[1] / mass[1] + x[2] * x[2] / mass[2]);
}

static void add_rows(const work *w, double *burden)
{
    const tn_rows *rows = &w->eq->constraints;
    const double *lambda = w->answer->solution.lambda;
    int n_t = rows->n_triples;
    for (int m = 0; m < n_t; m++) {
        for (int e = rows->start[m]; e < rows->start[m + 1]; e++) {
            double push[3];
            tn_mat3_tvec(push, rows->jacobian + 9 * (size_t)e, lambda + 3 * (size_t)m);
            burden[rows->block[e]] += size(w->mass + 3 * (size_t)rows->block[e], push);
        }
    }
    const tn_rows singles = tn_rows_singles(rows);
    for (int i = 0; i < singles.n_singles; i++) {
        for (int e = singles.start[i]; e < singles.start[i + 1]; e++) {
            double push[3];
            tn_vec3_scale(push, lambda[3 * n_t + i], singles.jacobian + 3 * (size_t)e);
            burden[singles.block[e]] += size(w->mass + 3 * (size_t)singles.block[e], push);
        }
    }
}

// Applied forces: all in all, or each by itself where they cancel.
static void add_applied(const work *w, double *single, double *burden)
{
    const tn_model *model = w->setup->model;
    double g = tn_vec3_norm(model->settings.gravity);
    for (int b = 0; b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks > 0) {
            single[model->bodies[b].block] = g * sqrt(model->bodies[b].mass);
        }
    }
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            single[model->nodes[i].block] = g * sqrt(model->node_mass[i]);
        }
    }
    for (int s = 0; s < w->eq->balance.n_springs; s++) {
        const tn_spring_element *spring = &w->eq->balance.springs[s];
        for (int i = 0; i < spring->n; i++) {
            double push[3];
            tn_mat3_tvec(push, spring->jacobian[i], spring->force);
            single[spring->block[i]] += size(w->mass + 3 * (size_t)spring->block[i], push);
        }
    }
    for (int b = 0; b < model->n_blocks; b++) {
        burden[b] += fmax(single[b], size(w->mass + 3 * (size_t)b, w->eq->balance.b + 3 * (size_t)b));
    }
}

// The body of each block (n_blocks), soft ones after the rigid.
static int *owners(const tn_model *model, tn_arena *arena)
{
    int *owner = TN_PUSH(arena, int, model->n_blocks);
    for (int b = 0; owner && b < model->n_bodies; b++) {
        for (int i = 0; i < model->bodies[b].n_blocks; i++) {
            owner[model->bodies[b].block + i] = b;
        }
    }
    for (int i = 0; owner && i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            owner[model->nodes[i].block] = model->n_bodies + model->node_soft[i];
        }
    }
    return owner;
}

static double part_left(const double *burden, int body, const double *left)
{
    return burden[body] > 0.0 ? fmin(left[body] / burden[body], 1.0) : 0.0;
}

static tn_status weigh(work *w, tn_forces_report *report, tn_error *error)
{
    const tn_model *model = w->setup->model;
    int n = model->n_bodies + model->n_softs, *owner = owners(model, w->setup->arena);
    double *block = TN_PUSH(w->setup->arena, double, model->n_blocks),
           *single = TN_PUSH(w->setup->arena, double, model->n_blocks);
    double *left = TN_PUSH(w->setup->arena, double, n);
    w->left->burden = TN_PUSH(w->setup->arena, double, 2 * (size_t)n);
    w->left->unbalanced = TN_PUSH(w->setup->arena, double, 3 * (size_t)model->n_blocks);
    if (!owner || !block || !single || !left || !w->left->burden || !w->left->unbalanced) {
        return no_memory(w->setup, error);
    }
    add_rows(w, block);
    add_applied(w, single, block);
    for (int b = 0; b < model->n_blocks; b++) {
        double *rest = w->left->unbalanced + 3 * (size_t)b;
        for (int k = 0; k < 3; k++) {
            rest[k] = w->mass[3 * b + k] * w->answer->solution.v[3 * b + k];
        }
        w->left->burden[owner[b]] += block[b];
        left[owner[b]] += size(w->mass + 3 * (size_t)b, rest);
    }
    report->unbalanced_body = -1;
    for (int body = 1; body < n; body++) {
        double part = w->left->burden[n + body] = part_left(w->left->burden, body, left);
        bool moves = body >= model->n_bodies || model->bodies[body].n_blocks > 0;
        if (moves && (report->unbalanced_body < 0 || part > report->unbalanced)) {
            report->unbalanced = part;
            report->unbalanced_body = body;
        }
    }
    report->equilibrium = report->unbalanced <= BALANCED;
    return TN_OK;
}

void tn_sim_unbalance(const tn_sim *sim, const tn_state *state, int body, tn_unbalance *out)
{
    if (!sim || !state || state->model != sim->given || !out) {
        return;
    }
    const tn_model *model = sim->setup.model;
    *out = (tn_unbalance){.part = 0.0};
    if (!sim->at_rest.unbalanced || body <= 0 || body >= model->n_bodies + model->n_softs) {
        return;
    }
    out->part = sim->at_rest.burden[model->n_bodies + model->n_softs + body];
    if (body < model->n_bodies) {
        if (model->bodies[body].n_blocks > 0) {
            tn_state_center_velocity(state, body, sim->at_rest.unbalanced, out->force, out->torque);
        }
        return;
    }
    const tn_model_soft *soft = &model->softs[body - model->n_bodies];
    double center[3], quaternion[4];
    tn_state_body_pose(state, body, center, quaternion);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            const double *force = sim->at_rest.unbalanced + 3 * (size_t)model->nodes[i].block;
            double arm[3], torque[3];
            tn_vec3_sub(arm, state->x + 3 * (size_t)i, center);
            tn_vec3_cross(torque, arm, force);
            tn_vec3_add(out->force, out->force, force);
            tn_vec3_add(out->torque, out->torque, torque);
        }
    }
}

// ---- all of it

static tn_status find(work *w, tn_forces_report *report, tn_error *error)
{
    const tn_model *model = w->setup->model;
    w->still = tn_still_of(w->state, w->elastic, w->setup->arena);
    if (!w->still) {
        return no_memory(w->setup, error);
    }
    tn_status status = tn_sim_keep_poses(w->setup, w->eq, w->state, error);
    status = status == TN_OK ? tn_collide(&w->still->model, &w->still->state, model->settings.solve.n_threads,
                                          w->setup->arena, w->setup->arena, &w->eq->list, error)
                             : status;
    status = status == TN_OK ? balance(w, error) : status;
    status = status == TN_OK ? settle(w, report, error) : status;
    status = status == TN_OK ? tn_sim_multiply(w->setup, w->eq, w->answer, error) : status;
    return status == TN_OK ? weigh(w, report, error) : status;
}

tn_status tn_sim_forces(tn_sim *sim, const tn_state *state, const tn_forces_options *options, tn_forces_report *report,
                        tn_error *error)
{
    if (!sim || !state || state->model != sim->given) {
        return tn_error_set(error, TN_BAD_INPUT, "forces need a simulation and a state of its model");
    }
    tn_forces_report r = {.unbalanced_body = -1};
    sim->setup.model = sim->whole; // whoever sleeps
    sim->n_asleep = 0;
    tn_status status = tn_model_check_prescribed(sim->setup.model, state->time, state->time, error);
    if (status != TN_OK) {
        return status;
    }
    tn_arena_reset(sim->setup.arena);
    if (sim->setup.model->n_softs == 0) {
        tn_arena_reset(sim->memory.scratch);
    }
    tn_sim_forget(&sim->solving, &sim->next);
    sim->at_rest = (tn_forces_left){NULL, NULL};
    tn_state seen = *state;
    seen.model = sim->whole; // with this simulation's options
    work w = {.setup = &sim->setup,
              .eq = &sim->solving.eq,
              .answer = &sim->solving.answer,
              .next = &sim->next,
              .left = &sim->at_rest,
              .state = &seen,
              .elastic = options && options->elastic};
    status = find(&w, &r, error);
    if (status != TN_OK) {
        tn_sim_forget(&sim->solving, &sim->next);
        sim->at_rest = (tn_forces_left){NULL, NULL};
        return status;
    }
    r.n_contacts = tn_sim_awake_contacts(&sim->solving.eq);
    r.held = tn_rest_figure(&r.solve.certificate) <= HELD;
    r.solve.converged = r.held;
    if (report) {
        *report = r;
    }
    return TN_OK;
}
