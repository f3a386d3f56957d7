// What the contacts of the last step bore, one by one and as arrays.
#include "collide/foundation.h"
#include "law/set.h"
#include "math/mat3.h"
#include "model/pose.h"
#include "problem/active.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Zero unless the contact is an element of a foundation.
static void patch_of(const tn_sim *sim, const tn_contact *contact, double patch[2][3])
{
    if (contact->surface->contact != TN_CONTACT_FOUNDATION) {
        return;
    }
    const tn_model_shape *a = &sim->model->shapes[contact->shape_a], *b = &sim->model->shapes[contact->shape_b];
    const tn_model_shape *box = tn_shape_is(&a->shape, TN_FORM_HALF_SPACE) ? b : a;
    tn_pose pose;
    tn_pose_join(&pose, &sim->start_pose[box->body], &box->pose);
    tn_foundation_edges(&box->shape, &pose, contact->feature, contact->surface->spring.elements, patch);
}

// As law/active.h decides: by the force that would take the velocity away as well, and whether the law leaves its
// tangents as they are. Friction's bound has some width here, so that what holds with all it has counts as holding.
static tn_contact_condition condition_of(const tn_sim *sim, int m)
{
    const double width = 1e-6; // of the friction force: solvers end near the bound, not on it
    const tn_problem *p = &sim->problem;
    const double *v = sim->solution.v, *f = sim->solution.lambda + 3 * (size_t)m;
    // One that just touches may count as closed, with a force of rounding.
    bool bears = tn_vec3_norm(f) > 1e-12 * p->force_scale;
    if (!bears || !tn_contact_is_closed(p, m, v, sim->solution.lambda)) {
        return TN_CONTACT_OPEN;
    }
    double u[3], mass = tn_contact_normal_mass(p, m);
    tn_bound bound = tn_problem_bound(p, m, NULL);
    tn_projection at;
    tn_contact_row_velocity(p, m, v, sim->solution.lambda, u);
    tn_set_map(&bound, (const double[2]){mass, mass}, f, u, &at);
    double left = 0.0, all = 0.0;
    for (int k = 1; k < 3; k++) {
        double aim = f[k] - at.metric[k] * u[k];
        left += (aim - at.p[k]) * (aim - at.p[k]);
        all += aim * aim;
    }
    return left <= width * width * all && bound.bound[0] + bound.bound[1] > 0.0 ? TN_CONTACT_STUCK : TN_CONTACT_SLIDING;
}

int tn_sim_contact_count(const tn_sim *sim)
{
    return sim ? tn_sim_awake_contacts(sim) + sim->n_asleep : 0;
}

void tn_sim_contact(const tn_sim *sim, int index, tn_contact_info *out)
{
    if (!sim || !out || index < 0 || index >= tn_sim_contact_count(sim)) {
        return;
    }
    int n_awake = tn_sim_awake_contacts(sim);
    if (index >= n_awake) {
        *out = sim->awake.contacts[index - n_awake].info;
        return;
    }
    const tn_contact *contact = &sim->list.contacts[sim->rows.source[index]];
    double surface[3];
    *out = (tn_contact_info){.body_a = contact->body_a,
                             .body_b = contact->body_b,
                             .feature = contact->feature,
                             .condition = condition_of(sim, index),
                             .gap = contact->gap};
    tn_vec3_copy(out->point, contact->point);
    tn_vec3_copy(out->normal, contact->frame);
    tn_mat3_tvec(out->force, contact->frame, sim->force + 3 * index);
    tn_contact_velocity(&sim->rows.contacts, index, sim->solution.v, out->velocity);
    tn_contact_rows_surface(&sim->rows, index, surface);
    tn_vec3_add(out->velocity, out->velocity, surface);
    patch_of(sim, contact, out->patch);
}

// Row i of an array of so many numbers a row; NULL: nobody wants it.
static void put(double *array, int i, int width, const double *row)
{
    if (array) {
        memcpy(array + (size_t)width * (size_t)i, row, (size_t)width * sizeof *row);
    }
}

int tn_sim_get_contacts(const tn_sim *sim, int first, int most, const tn_contact_results *out)
{
    int n = out && first >= 0 ? tn_sim_contact_count(sim) - first : 0;
    n = n < most ? n : most;
    for (int i = 0; i < n; i++) {
        tn_contact_info info;
        tn_sim_contact(sim, first + i, &info);
        if (out->bodies) {
            out->bodies[2 * i] = info.body_a;
            out->bodies[2 * i + 1] = info.body_b;
        }
        if (out->condition) {
            out->condition[i] = (int)info.condition;
        }
        if (out->feature) {
            out->feature[i] = info.feature;
        }
        put(out->point, i, 3, info.point);
        put(out->normal, i, 3, info.normal);
        put(out->gap, i, 1, &info.gap);
        put(out->force, i, 3, info.force);
        put(out->velocity, i, 3, info.velocity);
        put(out->patch, i, 6, info.patch[0]);
    }
    return n > 0 ? n : 0;
}
