// Steps that miss by far what every step aims at, demanded or not, and where.
#include "math/vec3.h"
#include "problem/active.h"
#include "problem/bound.h"
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>

static const double NATURAL = 1e-3, OF_AIM = 10.0; // where contacts move
static const double COMPLEMENTARITY = 0.1;         // of the step's velocities
static const double LEAST_WAY = 1e-2;              // of the margin, that a velocity must make in a step to count
static const double PENETRATION = 1e-3;            // [m], or the smallest half width where that is less
static const double OF_SMALLEST = 1e-2;

// The larger miss stays. What a scene demands more coarsely is no miss.
static bool weigh(tn_miss_kind kind, double value, double limit, double demanded, tn_step_miss *out)
{
    limit = fmax(limit, demanded);
    bool worse = value > limit && (out->kind == TN_MISS_NONE || value / limit > out->value / out->limit);
    if (worse) {
        *out = (tn_step_miss){.kind = kind, .value = value, .limit = limit, .body_a = -1, .body_b = -1};
    }
    return worse;
}

// How far contact m's force and velocity are from the law: as a force where the natural map is asked for, else as a
// velocity.
static double residual(const tn_step_equations *eq, const tn_step_answer *answer, int m, bool natural)
{
    const tn_problem *p = &eq->problem;
    const double *f = answer->solution.lambda + 3 * (size_t)m, *w = p->rows->offset + 3 * (size_t)m;
    double u[3], mass = tn_contact_normal_mass(p, m);
    tn_contact_velocity(p->rows, m, answer->solution.v, u);
    for (int k = 0; k < 3; k++) {
        u[k] += w[k];
    }
    tn_bound bound = tn_problem_bound(p, m, NULL);
    return natural ? tn_set_residual(&bound, (const double[2]){mass, mass}, f, u) : fabs(fmin(u[0], f[0] / mass));
}

// Bodies of the contact that is furthest from the law.
static void find_worst(const tn_step_equations *eq, const tn_step_answer *answer, bool natural, int bodies[2])
{
    double most = 0.0;
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        double here = residual(eq, answer, m, natural);
        if (here > most) {
            most = here;
            bodies[0] = eq->list.contacts[eq->rows.source[m]].body_a;
            bodies[1] = eq->list.contacts[eq->rows.source[m]].body_b;
        }
    }
}

static double fastest(const tn_solved_step *step)
{
    double most = step->eq->problem.velocity_scale;
    for (int i = 0; i < 3 * step->setup->model->n_blocks; i++) {
        most = fmax(most, fabs(step->answer->solution.v[i]));
    }
    return most;
}

static double spin(const tn_model_body *body, const double *v)
{
    const double *x = v + 3 * (size_t)body->block;
    return body->planar ? fabs(x[2]) : tn_vec3_norm(x + 3);
}

// A step is straight: of what turns by an angle within it, points at the radius r go astray by r angle^2 / 2. Bodies
// that tumble onto each other do so with several corners and still overlap some steps later, so four times that much is
// the step's size, no miss.
static double astray(const tn_solved_step *step, const tn_state *state, int b)
{
    const tn_model_body *body = &step->setup->model->bodies[b];
    if (b >= step->setup->model->n_bodies || body->n_blocks == 0) {
        return 0.0;
    }
    double radius = 0.0, h = step->eq->balance.h;
    for (int s = body->first_shape; s < body->first_shape + body->n_shapes; s++) {
        const tn_model_shape *shape = &step->setup->model->shapes[s];
        radius = fmax(radius, tn_shape_spin_radius(&shape->shape) + tn_vec3_norm(shape->pose.position));
    }
    double angle = h * fmax(spin(body, state->v), spin(body, step->answer->solution.v));
    return 2.0 * radius * angle * angle;
}

// Of the deepest overlap.
static void judge_penetration(const tn_solved_step *step, const tn_state *state, double depth, tn_step_miss *miss)
{
    double smallest = step->setup->model->smallest;
    double limit = fmax(fmin(PENETRATION, smallest), isfinite(smallest) ? OF_SMALLEST * smallest : 0.0);
    int bodies[2] = {-1, -1};
    if (!(depth > limit) || step->setup->model->settings.gap_term != TN_GAP_FULL) {
        return;
    }
    tn_sim_deepest(step, depth, bodies);
    for (int k = 0; k < 2; k++) {
        limit += bodies[k] >= 0 ? astray(step, state, bodies[k]) : 0.0;
    }
    if (weigh(TN_MISS_PENETRATION, depth, limit, step->setup->model->settings.demanded.penetration, miss)) {
        miss->body_a = bodies[0];
        miss->body_b = bodies[1];
    }
}

void tn_sim_judge(const tn_solved_step *step, const tn_state *state, tn_step_report *report)
{
    const tn_certificate *c = &report->solve.certificate;
    const tn_settings *settings = &step->setup->model->settings;
    tn_step_miss *miss = &report->miss;
    *miss = (tn_step_miss){.body_a = -1, .body_b = -1};
    // Who lets the solver stop by another measure does not aim at the natural map.
    if (settings->solve.tolerance.natural > 0.0) {
        double limit = fmax(NATURAL, OF_AIM * settings->solve.moving);
        weigh(TN_MISS_NATURAL, c->natural, limit, settings->demanded.natural, miss);
    }
    double least = LEAST_WAY * step->setup->model->margin / settings->step; // [m/s]
    if (c->complementarity > fmax(COMPLEMENTARITY * step->eq->problem.velocity_scale, least)) {
        weigh(TN_MISS_COMPLEMENTARITY, c->complementarity, COMPLEMENTARITY * fastest(step), least, miss);
    }
    if (miss->kind != TN_MISS_NONE) {
        int bodies[2] = {-1, -1};
        find_worst(step->eq, step->answer, miss->kind == TN_MISS_NATURAL, bodies);
        miss->body_a = bodies[0];
        miss->body_b = bodies[1];
    }
    judge_penetration(step, state, c->penetration, miss);
}
