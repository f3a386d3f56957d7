// What the contacts of the last step bore, one by one and as arrays.
#include "collide/foundation.h"
#include "law/set.h"
#include "math/mat3.h"
#include "problem/active.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "shape/pose.h"
#include "sim/sim.h"

#include <string.h>

// Zero unless the contact is an element of a foundation.
static void patch_of(const tn_step_setup *setup, const tn_step_equations *eq, const tn_contact *contact,
                     double patch[2][3])
{
    if (contact->surface->contact != TN_CONTACT_FOUNDATION) {
        return;
    }
    const tn_model_shape *a = &setup->model->shapes[contact->shape_a], *b = &setup->model->shapes[contact->shape_b];
    const tn_model_shape *box = tn_shape_is(&a->shape, TN_FORM_HALF_SPACE) ? b : a;
    tn_pose pose;
    tn_pose_join(&pose, &eq->start_pose[box->body], &box->pose);
    tn_foundation_edges(&box->shape, &pose, contact->feature, contact->surface->spring.elements, patch);
}

// As law/active.h decides: by the force that would take the velocity away as well, and whether the law leaves its
// tangents as they are. Friction's bound has some width here, so that what holds with all it has counts as holding.
static tn_contact_condition condition_of(const tn_step_equations *eq, const tn_step_answer *answer, int m)
{
    const double width = 1e-6; // of the friction force: solvers end near the bound, not on it
    const tn_problem *p = &eq->problem;
    const double *v = answer->solution.v, *f = answer->solution.lambda + 3 * (size_t)m;
    tn_bound bound = tn_problem_bound(p, m, NULL);
    const double borne[3] = {f[0] + bound.preload, f[1], f[2]}; // beyond the pull that opens it
    // One that just touches may count as closed, with a force of rounding.
    if (!(tn_vec3_norm(borne) > 1e-12 * p->force_scale)) {
        return TN_CONTACT_OPEN;
    }
    double u[3], mass = tn_contact_normal_mass(p, m), weight[2] = {mass, mass};
    tn_contact_row_velocity(p, m, v, answer->solution.lambda, u);
    if (tn_set_active(&bound, weight, f, u) != TN_ACTIVE_INSIDE) {
        return TN_CONTACT_OPEN;
    }
    tn_projection at;
    tn_set_map(&bound, weight, f, u, &at);
    double left = 0.0, all = 0.0;
    for (int k = 1; k < 3; k++) {
        double aim = f[k] - at.metric[k] * u[k];
        left += (aim - at.p[k]) * (aim - at.p[k]);
        all += aim * aim;
    }
    return left <= width * width * all && bound.bound[0] + bound.bound[1] > 0.0 ? TN_CONTACT_STUCK : TN_CONTACT_SLIDING;
}

static void velocity_of(const tn_step_equations *eq, const tn_step_answer *answer, int m, double u[3])
{
    double surface[3];
    tn_contact_velocity(&eq->rows.contacts, m, answer->solution.v, u);
    tn_contact_rows_surface(&eq->rows, m, surface);
    tn_vec3_add(u, u, surface);
    if (eq->rows.bend && m < eq->rows.contacts.n_triples - eq->rows.contacts.n_frictions) {
        u[1] += eq->rows.bend[2 * m];
        u[2] += eq->rows.bend[2 * m + 1];
    }
}

int tn_sim_contact_count(const tn_sim *sim)
{
    return sim ? tn_sim_awake_contacts(&sim->solving.eq) + sim->n_asleep : 0;
}

void tn_sim_contact(const tn_sim *sim, int index, tn_contact_info *out)
{
    if (!sim || !out || index < 0 || index >= tn_sim_contact_count(sim)) {
        return;
    }
    int n_awake = tn_sim_awake_contacts(&sim->solving.eq);
    if (index >= n_awake) {
        *out = sim->awake.contacts[index - n_awake].info;
        return;
    }
    const tn_contact *contact = &sim->solving.eq.list.contacts[sim->solving.eq.rows.source[index]];
    *out = (tn_contact_info){.body_a = contact->body_a,
                             .body_b = contact->body_b,
                             .feature = contact->feature,
                             .condition = condition_of(&sim->solving.eq, &sim->solving.answer, index),
                             .gap = contact->gap};
    tn_vec3_copy(out->point, contact->point);
    tn_vec3_copy(out->normal, contact->frame);
    tn_mat3_tvec(out->force, contact->frame, sim->next.force + 3 * index);
    velocity_of(&sim->solving.eq, &sim->solving.answer, index, out->velocity);
    patch_of(&sim->setup, &sim->solving.eq, contact, out->patch);
}

// Of contacts that are asleep, row `to` of the arrays.
static void put_info(const tn_contact_info *info, int to, const tn_contact_results *out)
{
    const struct {
        double *array;
        int width;
        const double *row;
    } numbers[] = {{out->point, 3, info->point}, {out->normal, 3, info->normal},     {out->gap, 1, &info->gap},
                   {out->force, 3, info->force}, {out->velocity, 3, info->velocity}, {out->patch, 6, info->patch[0]}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (numbers[k].array) {
            memcpy(numbers[k].array + (size_t)numbers[k].width * (size_t)to, numbers[k].row,
                   (size_t)numbers[k].width * sizeof(double));
        }
    }
    if (out->bodies) {
        out->bodies[2 * to] = info->body_a;
        out->bodies[2 * to + 1] = info->body_b;
    }
    if (out->condition) {
        out->condition[to] = (int)info->condition;
    }
    if (out->feature) {
        out->feature[to] = info->feature;
    }
}

// What the list of contacts knows, of n contacts from first on.
static void put_listed(const tn_step_setup *setup, const tn_step_equations *eq, int first, int n,
                       const tn_contact_results *out)
{
    for (int i = 0; i < n; i++) {
        const tn_contact *contact = &eq->list.contacts[eq->rows.source[first + i]];
        if (out->bodies) {
            out->bodies[2 * i] = contact->body_a;
            out->bodies[2 * i + 1] = contact->body_b;
        }
        if (out->feature) {
            out->feature[i] = contact->feature;
        }
        if (out->point) {
            tn_vec3_copy(out->point + 3 * (size_t)i, contact->point);
        }
        if (out->patch) {
            double patch[2][3] = {{0.0}};
            patch_of(setup, eq, contact, patch);
            memcpy(out->patch + 6 * (size_t)i, patch, sizeof patch);
        }
    }
}

// What the step's rows know. Their frames are the contacts'.
static void put_solved(const tn_step_equations *eq, const tn_step_answer *answer, const tn_step_next *next, int first,
                       int n, const tn_contact_results *out)
{
    const double *frame = eq->rows.contacts.frame;
    for (int i = 0; out->normal && i < n; i++) {
        tn_vec3_copy(out->normal + 3 * (size_t)i, frame + 9 * (size_t)(first + i));
    }
    for (int i = 0; out->force && i < n; i++) {
        tn_mat3_tvec(out->force + 3 * (size_t)i, frame + 9 * (size_t)(first + i),
                     next->force + 3 * (size_t)(first + i));
    }
    if (out->gap) {
        memcpy(out->gap, eq->rows.contacts.gap + first, (size_t)n * sizeof *out->gap);
    }
    for (int i = 0; out->velocity && i < n; i++) {
        velocity_of(eq, answer, first + i, out->velocity + 3 * (size_t)i);
    }
    for (int i = 0; out->condition && i < n; i++) {
        out->condition[i] = (int)condition_of(eq, answer, first + i);
    }
}

int tn_sim_get_contacts(const tn_sim *sim, int first, int most, const tn_contact_results *out)
{
    int n = out && first >= 0 ? tn_sim_contact_count(sim) - first : 0;
    n = n < most ? n : most;
    int awake = n > 0 ? tn_sim_awake_contacts(&sim->solving.eq) - first : 0;
    awake = awake < n ? awake : n;
    if (awake > 0) {
        put_listed(&sim->setup, &sim->solving.eq, first, awake, out);
        put_solved(&sim->solving.eq, &sim->solving.answer, &sim->next, first, awake, out);
    }
    for (int i = awake > 0 ? awake : 0; i < n; i++) {
        put_info(&sim->awake.contacts[first + i - tn_sim_awake_contacts(&sim->solving.eq)].info, i, out);
    }
    return n > 0 ? n : 0;
}
