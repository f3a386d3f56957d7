#include "discretize/arc.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

static const double FLAT = 1e-9; // 1 - cos(theta) that does not count: a strain that nothing shows
static const double SEEN = 1e-2; // part of the kinetic energy; soft bodies that fall on an edge: physics.soft_spin

int tn_soft_carrier(const tn_scene_soft *said)
{
    int carrier = -1;
    for (int a = 0; a < said->n_attachments; a++) {
        int body = said->attachments[a].body + 1; // the scene's -1 is the model's world 0
        if (carrier >= 0 && body != carrier) {
            return -2;
        }
        carrier = body;
    }
    return carrier;
}

// Rate of a free soft body's angular momentum about its center, which is written too; zero where it has no extent.
static void own_rate(const tn_model *model, const tn_state *state, const double *v, const tn_model_soft *soft,
                     double center[3], double omega[3])
{
    double inertia[9] = {0.0}, inverse[9], momentum[3] = {0.0}, r[3], moment[3], mass = 0.0;
    tn_vec3_set(center, 0.0, 0.0, 0.0);
    tn_vec3_set(omega, 0.0, 0.0, 0.0);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        tn_vec3_madd(center, center, model->node_mass[i], state->x + 3 * (size_t)i);
        mass += model->node_mass[i];
    }
    tn_vec3_scale(center, 1.0 / mass, center);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        double m = model->node_mass[i];
        tn_vec3_sub(r, state->x + 3 * (size_t)i, center);
        tn_vec3_cross(moment, r, v + 3 * (size_t)model->nodes[i].block);
        tn_vec3_madd(momentum, momentum, m, moment);
        double square = tn_vec3_dot(r, r);
        for (int k = 0; k < 9; k++) {
            inertia[k] += m * ((k % 4 == 0 ? square : 0.0) - r[k / 3] * r[k % 3]);
        }
    }
    if (tn_mat3_inverse(inverse, inertia)) {
        tn_mat3_vec(omega, inverse, momentum);
    }
}

// The turn of a kinematic body over the step, as a rotation vector.
static void given_turn(const tn_model_body *body, const tn_pose *from, double end, double turn[3])
{
    tn_pose to;
    double back[4], way[4];
    tn_motion_pose(body, end, &to);
    tn_quat_conjugate(back, from->quaternion);
    tn_quat_mul(way, to.quaternion, back);
    tn_quat_log(turn, way);
}

static tn_arc find_arc(const tn_model *model, const tn_state *state, const double *v, double h,
                       const tn_model_soft *soft)
{
    tn_arc out = {.cosine = 1.0};
    double linear[3], turn[3] = {0.0, 0.0, 0.0};
    int carrier = tn_soft_carrier(soft->description);
    if (carrier == -1) {
        own_rate(model, state, v, soft, out.center, turn);
        double sine = fmin(h * tn_vec3_norm(turn), 1.0); // nodes go by chords: their angular momentum is that of a sine
        out.cosine = sqrt(1.0 - sine * sine);
    } else if (carrier >= 0 && model->bodies[carrier].kind == TN_BODY_KINEMATIC) {
        given_turn(&model->bodies[carrier], &state->pose[carrier], state->time + h, turn);
        out.cosine = cos(tn_vec3_norm(turn));
    } else if (carrier >= 0 && model->bodies[carrier].n_blocks > 0) {
        tn_state_center_velocity(state, carrier, v, linear, turn);
        double theta = h * tn_vec3_norm(turn);
        tn_vec3_copy(out.center, state->pose[carrier].position);
        out.cosine = cos(theta);
        out.along = (sin(theta) - theta) / h;
        out.carried = true;
    }
    double length = tn_vec3_norm(turn);
    tn_vec3_scale(out.axis, length > 0.0 ? 1.0 / length : 0.0, turn);
    return out;
}

void tn_arcs_find(const tn_model *model, const tn_state *state, const double *v, double h, tn_arc *arcs)
{
    for (int s = 0; s < model->n_softs; s++) {
        arcs[s] = find_arc(model, state, v, h, &model->softs[s]);
    }
}

bool tn_arcs_velocities(const tn_model *model, const tn_state *state, double h, const tn_arc *arcs, double *w)
{
    bool any = false;
    for (int s = 0; s < model->n_softs; s++) {
        any = any || 1.0 - arcs[s].cosine > FLAT;
    }
    for (int i = 0; any && i < model->n_nodes; i++) {
        const tn_arc *arc = &arcs[model->node_soft[i]];
        double r[3], along[3], inwards[3], *to = w + 3 * (size_t)i;
        tn_vec3_set(to, 0.0, 0.0, 0.0);
        if (!arc->carried || model->nodes[i].block >= 0) {
            tn_vec3_sub(r, state->x + 3 * (size_t)i, arc->center);
            tn_vec3_cross(along, arc->axis, r);
            tn_vec3_cross(inwards, arc->axis, along);
            tn_vec3_scale(to, (1.0 - arc->cosine) / h, inwards);
            tn_vec3_madd(to, to, arc->along, along);
        }
    }
    return any;
}

// Strain energy where the elements take the arc told for none and the arc theirs is it: a uniform strain.
static double strain_energy(const tn_model_soft *soft, const tn_arc *told, const tn_arc *theirs)
{
    const tn_scene_soft *said = soft->description;
    double square = 0.0, trace = 0.0, mu = 0.5 * said->young / (1.0 + said->poisson);
    double lambda = 2.0 * mu * said->poisson / (1.0 - 2.0 * said->poisson);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double unit = i == j ? 1.0 : 0.0;
            double e = (1.0 - told->cosine) * (unit - told->axis[i] * told->axis[j]) -
                       (1.0 - theirs->cosine) * (unit - theirs->axis[i] * theirs->axis[j]);
            square += e * e;
            trace += i == j ? e : 0.0;
        }
    }
    return soft->volume * (mu * square + 0.5 * lambda * trace * trace);
}

bool tn_arcs_strain(const tn_model *model, const tn_state *state, const double *v, const tn_arc *told,
                    const tn_arc *theirs)
{
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        double kinetic = 0.0, strain = strain_energy(soft, &told[s], &theirs[s]);
        for (int i = soft->first_node; strain > 0.0 && i < soft->first_node + soft->n_nodes; i++) {
            double own[3];
            tn_state_node_velocity(state, i, v, own);
            kinetic += 0.5 * model->node_mass[i] * tn_vec3_dot(own, own);
        }
        if (strain > SEEN * kinetic) {
            return true;
        }
    }
    return false;
}
