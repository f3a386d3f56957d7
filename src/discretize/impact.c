#include "discretize/impact.h"
#include "discretize/impact_parts.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "problem/active.h"
#include "problem/rows.h"

#include <string.h>

// Gap of contact m at the step's end, linear in v^ [m].
static double end_gap(const tn_contact_rows *rows, const tn_solution *first, double h, int m)
{
    double u[3];
    tn_contact_velocity(&rows->contacts, m, first->v, u);
    return rows->contacts.gap[m] + h * (u[0] + rows->surface[m]);
}

// Newton's law for v_{k+1}: the normal velocity after the step that contact m asks for.
static double demanded_speed(const tn_contact_rows *rows, double gap_after, int m)
{
    double eps = rows->restitution ? rows->restitution[m] : 0.0;
    return eps > 0.0 ? tn_rebound(eps, rows->before[m], rows->pull[m], rows->contacts.gap[m], gap_after) : 0.0;
}

static bool allocate_closed(int n_contacts, int n_blocks, tn_arena *arena, tn_closed *out)
{
    out->source = TN_PUSH_RAW(arena, int, n_contacts);
    out->offset = TN_PUSH_RAW(arena, double, 3 * (size_t)n_contacts);
    out->lambda = TN_PUSH_RAW(arena, double, 3 * (size_t)n_contacts);
    out->alone = TN_PUSH(arena, bool, n_contacts);
    out->load = TN_PUSH(arena, int, n_blocks);
    out->start = TN_PUSH_RAW(arena, double, 3 * (size_t)n_blocks);
    out->momentum = TN_PUSH_RAW(arena, double, 3 * (size_t)n_blocks);
    return out->source && out->offset && out->lambda && out->alone && out->load && out->start && out->momentum;
}

static void find_closed(const tn_problem *problem, const tn_contact_rows *rows, const tn_solution *first, double touch,
                        tn_closed *out)
{
    const tn_rows *all = &rows->contacts;
    for (int m = 0; m < all->n_triples; m++) {
        double gap = end_gap(rows, first, out->h, m);
        if (!(gap <= touch || tn_contact_is_closed(problem, m, first->v, first->lambda))) {
            continue;
        }
        int k = out->n++;
        out->source[k] = m;
        tn_vec3_copy(out->lambda + 3 * k, first->lambda + 3 * m);
        tn_contact_rows_surface(rows, m, out->offset + 3 * k);
        out->offset[3 * k] -= demanded_speed(rows, gap, m);
        for (int e = all->start[m]; e < all->start[m + 1]; e++) {
            out->load[all->block[e]]++;
        }
    }
}

// What turns the blocks of free bodies' rotation.
static bool find_turns(const tn_model *model, const double *turn, tn_arena *arena, tn_closed *c)
{
    c->turn = TN_PUSH(arena, const double *, model->n_rigid_blocks);
    for (int b = 0; c->turn && b < model->n_bodies; b++) {
        if (model->bodies[b].n_blocks == 2) {
            c->turn[model->bodies[b].block + 1] = turn + 4 * (size_t)b;
        }
    }
    return c->turn != NULL;
}

// Momenta about the axes at the step's start become those about the axes at its end.
static void turn_momenta(const tn_model *model, const tn_closed *c, double *momentum)
{
    for (int i = 0; i < model->n_rigid_blocks; i++) {
        if (c->turn[i]) {
            tn_quat_rotate_inverse(momentum + 3 * i, c->turn[i], momentum + 3 * i);
        }
    }
}

// Velocity with all of the first solve's forces, v_k + (v^ - v_k)/theta about the axes at the end.
static void keep_forces(const tn_model *model, const tn_state *state, const tn_balance *balance, const double *v_hat,
                        tn_closed *c)
{
    int n = 3 * model->n_blocks;
    for (int i = 0; i < n; i++) {
        c->start[i] = c->mass[i] * (state->v[i] + (v_hat[i] - state->v[i]) / balance->theta);
    }
    turn_momenta(model, c, c->start);
    for (int i = 0; i < n; i++) {
        c->start[i] /= c->mass[i];
    }
}

// v = v_k + h M^-1 f of all blocks.
static void apply_forces(const tn_model *model, const tn_state *state, const tn_balance *balance,
                         const tn_impact_first *first, tn_closed *c, double *v)
{
    const double *b = balance->b, *product = first->product, *mass = balance->mass, *v_k = state->v,
                 *v_hat = first->solution->v;
    double h = balance->h, of_v_hat = 1.0 / (balance->theta * h), of_v_k = 1.0 / h - of_v_hat;
    double *restrict momentum = c->momentum;
    int n = 3 * model->n_blocks;
    for (int i = 0; i < n; i++) {
        double force = b[i] - product[i] + (c->held ? 0.5 * c->held[i] : 0.0);
        momentum[i] = force + mass[i] * (of_v_hat * v_hat[i] + of_v_k * v_k[i]);
    }
    turn_momenta(model, c, momentum);
    for (int i = 0; i < n; i++) {
        momentum[i] += c->held ? 0.5 * c->held[i] : 0.0;
        v[i] = momentum[i] * h / mass[i];
    }
}

// What stays of the joints' forces, and who of their rows acts on which block.
static void add_joints(const tn_impact_joints *joints, tn_closed *c)
{
    if (!joints) {
        return;
    }
    c->held = joints->held;
    c->joints = joints->end->n_singles > 0 ? joints->end : NULL;
    c->joint_start = joints->start;
    for (int e = 0; e < tn_closed_joint_entries(c); e++) {
        c->load[c->joints->block[e]]++;
    }
}

static bool build(const tn_model *model, const tn_state *state, const tn_balance *balance, const tn_contact_rows *rows,
                  const tn_impact_first *first, tn_arena *arena, tn_impact *out)
{
    tn_closed c = {.mass = balance->mass, .h = balance->h};
    if (!allocate_closed(rows->contacts.n_triples, model->n_blocks, arena, &c) ||
        !find_turns(model, first->turn, arena, &c)) {
        return false;
    }
    keep_forces(model, state, balance, first->solution->v, &c);
    add_joints(first->joints, &c);
    find_closed(&out->problem, rows, first->solution, tn_contact_touch(model), &c);
    out->v = c.start;
    bool nothing = c.n == 0 && !c.joints;
    if (nothing && !c.held) {
        return true;
    }
    out->v = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
    if (!out->v) {
        return false;
    }
    apply_forces(model, state, balance, first, &c, out->v);
    if (nothing) {
        return true;
    }
    tn_closed_solve_alone(&out->problem, &c, out->v);
    return tn_closed_build(model, &rows->contacts, &c, arena, out);
}

tn_status tn_impact_build(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *rows, const tn_impact_first *first, tn_arena *arena, tn_impact *out,
                          tn_error *error)
{
    *out = (tn_impact){0};
    tn_rows all; // of the first problem: until the closed ones are found
    tn_status status = tn_step_problem(model, state, balance, rows, NULL, arena, &all, &out->problem, error);
    if (status != TN_OK) {
        return status;
    }
    out->problem.hints = NULL; // A is M/h here, block by block
    bool ok = build(model, state, balance, rows, first, arena, out);
    out->problem.rows = &out->rows;
    return ok ? TN_OK
              : tn_error_set(error, TN_NO_MEMORY, "no memory for the impact of %d contacts", rows->contacts.n_triples);
}

void tn_impact_finish(tn_impact *impact)
{
    const tn_rows *rows = &impact->rows, *coupled = &impact->coupled_rows;
    const double *lambda = impact->coupled_solution.lambda;
    memcpy(impact->solution.lambda, lambda, 3 * (size_t)coupled->n_triples * sizeof *lambda);
    if (rows->n_singles > 0) {
        memcpy(tn_single_forces(rows, impact->solution.lambda), lambda + 3 * (size_t)coupled->n_triples,
               (size_t)rows->n_singles * sizeof *lambda);
    }
    for (int i = 0; i < impact->coupled_A.n_rows; i++) {
        tn_vec3_copy(impact->v + 3 * (size_t)impact->block[i], impact->solution.v + 3 * (size_t)i);
    }
}
