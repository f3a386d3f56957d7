// Penetration after the step, from the shapes at their new poses.
#include "math/vec3.h"
#include "model/pose.h"
#include "sim/sim.h"

// Gap that the step's own linear prediction leaves at contact m [m].
static double predicted_gap(const tn_sim *sim, int m)
{
    const tn_contacts *c = &sim->rows.contacts;
    double u[3];
    if (c->omega || !sim->products.u) { // u holds Omega's part
        tn_contact_velocity(c, m, sim->solution.v, u);
        u[0] += sim->rows.surface[3 * m];
    } else {
        u[0] = sim->products.u[3 * m] - c->offset[3 * m] + sim->rows.surface[3 * m];
    }
    return c->gap[m] + sim->balance.h * u[0];
}

static double pair_penetration(const tn_model *model, const tn_pose *poses, int shape_a, int shape_b)
{
    const tn_model_shape *a = &model->shapes[shape_a], *b = &model->shapes[shape_b];
    tn_pose pose_a, pose_b;
    tn_contact_point points[TN_MANIFOLD_MAX];
    tn_pose_join(&pose_a, &poses[a->body], &a->pose);
    tn_pose_join(&pose_b, &poses[b->body], &b->pose);
    int n = tn_shape_contact(&a->shape, &pose_a, &b->shape, &pose_b, 0.0, points);
    double deepest = 0.0;
    for (int i = 0; i < n; i++) {
        deepest = fmax(deepest, -points[i].gap);
    }
    return deepest;
}

double tn_sim_penetration(const tn_sim *sim)
{
    // Rigid pairs come in runs of contacts; a pair is measured once, and only if the prediction leaves it near touch.
    double deepest = 0.0, near = 0.1 * sim->model->margin;
    int last_a = -1, last_b = -1;
    for (int m = 0; m < tn_sim_contact_count(sim); m++) {
        const tn_contact *contact = &sim->list.contacts[sim->rows.source[m]];
        if (predicted_gap(sim, m) > near) {
            continue;
        }
        if (contact->soft_a.n > 0 || contact->soft_b.n > 0) {
            deepest = fmax(deepest, -tn_contact_gap(sim->model, sim->next_pose, sim->next_x, contact));
        } else if (contact->shape_a != last_a || contact->shape_b != last_b) {
            last_a = contact->shape_a;
            last_b = contact->shape_b;
            deepest = fmax(deepest, pair_penetration(sim->model, sim->next_pose, last_a, last_b));
        }
    }
    return deepest;
}
