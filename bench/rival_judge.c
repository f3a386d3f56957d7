#include "rival_judge.h"

#include "collide/collide.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FALL[3] = {0, 0, -9.81}; // [m/s^2]

bool rival_judge_open(rival_judge *j, const tn_model *model, const peer_scene *scene)
{
    *j = (rival_judge){.model = model,
                       .scene = scene,
                       .state = tn_state_create(model, NULL),
                       .arena = tn_arena_create(0),
                       .unexplained = calloc((size_t)scene->n_bodies, 3 * sizeof(double))};
    return j->state && j->arena && j->unexplained;
}

void rival_judge_close(rival_judge *j)
{
    free(j->unexplained);
    tn_arena_destroy(j->arena);
    tn_state_destroy(j->state);
}

static double deepest(rival_judge *j, const peer_motion *after)
{
    for (int b = 0; b < j->scene->n_bodies; b++) {
        if (j->scene->bodies[b].is_fixed) {
            continue;
        }
        const tn_pose *principal = &j->model->bodies[b + 1].principal;
        tn_pose *pose = &j->state->pose[b + 1];
        tn_quat_rotate(pose->position, after[b].quaternion, principal->position);
        tn_vec3_add(pose->position, pose->position, after[b].position);
        tn_quat_mul(pose->quaternion, after[b].quaternion, principal->quaternion);
    }
    tn_contact_list list;
    tn_arena_reset(j->arena);
    if (tn_collide(j->model, j->state, 1, j->arena, j->arena, &list, NULL) != TN_OK) {
        return INFINITY; // poses that are not finite
    }
    double most = 0.0;
    for (int i = 0; i < list.n; i++) {
        most = fmax(most, -list.contacts[i].gap);
    }
    return most;
}

static void judge_motion(rival_judge *j, const peer_motion *after, bool watched)
{
    j->aside = 0.0;
    j->height = -INFINITY;
    for (int b = 0; b < j->scene->n_bodies; b++) {
        const peer_body *body = &j->scene->bodies[b];
        if (!body->is_fixed) {
            double dx = after[b].position[0] - body->position[0], dy = after[b].position[1] - body->position[1];
            j->speed = watched ? fmax(j->speed, tn_vec3_norm(after[b].linear)) : 0.0;
            j->height = fmax(j->height, after[b].position[2]);
            j->aside = fmax(j->aside, sqrt(dx * dx + dy * dy));
        }
    }
}

static void point_velocity(const peer_motion *m, const peer_motion *at, const double point[3], double out[3])
{
    double arm[3];
    tn_vec3_sub(arm, point, at->position);
    tn_vec3_cross(out, m->angular, arm);
    tn_vec3_add(out, out, m->linear);
}

// How far a contact's tangential impulse is from the nearest that Coulomb's law allows for its normal impulse and the
// sliding velocity after the step: |p_t - P(p_t - m u_t)|, P the projection onto the disc of radius mu p_n, m the two
// bodies' reduced mass [N s].
static double friction_error(const rival_judge *j, const peer_motion *before, const peer_motion *after,
                             const peer_contact *c)
{
    const peer_body *a = &j->scene->bodies[c->a], *b = &j->scene->bodies[c->b];
    double ua[3] = {0}, ub[3] = {0}, u[3], goal[3];
    double inverse = 0.0;
    if (!a->is_fixed) {
        point_velocity(&after[c->a], &before[c->a], c->point, ua);
        inverse += 1.0 / a->mass;
    }
    if (!b->is_fixed) {
        point_velocity(&after[c->b], &before[c->b], c->point, ub);
        inverse += 1.0 / b->mass;
    }
    tn_vec3_sub(u, ub, ua);
    double un = tn_vec3_dot(u, c->normal), pn = tn_vec3_dot(c->impulse, c->normal);
    double tangential[3];
    for (int k = 0; k < 3; k++) {
        tangential[k] = c->impulse[k] - pn * c->normal[k];
        goal[k] = tangential[k] - (u[k] - un * c->normal[k]) / inverse;
    }
    double most = j->scene->friction * fmax(pn, 0.0), wanted = tn_vec3_norm(goal), error[3];
    for (int k = 0; k < 3; k++) {
        error[k] = tangential[k] - (wanted > most ? goal[k] * most / wanted : goal[k]);
    }
    return tn_vec3_norm(error);
}

static void judge_impulses(rival_judge *j, const peer_motion *before, const peer_motion *after, int n,
                           const peer_contact *contacts)
{
    double h = j->scene->step, pull = 0.0, impulses = 0.0, friction = 0.0, unexplained = 0.0;
    for (int b = 0; b < j->scene->n_bodies; b++) {
        double m = j->scene->bodies[b].is_fixed ? 0.0 : j->scene->bodies[b].mass;
        for (int k = 0; k < 3; k++) {
            j->unexplained[3 * b + k] = m * (after[b].linear[k] - before[b].linear[k] - h * FALL[k]);
        }
        pull += m * h * FALL[2] * m * h * FALL[2];
    }
    for (int i = 0; i < n; i++) {
        const peer_contact *c = &contacts[i];
        for (int k = 0; k < 3; k++) {
            j->unexplained[3 * c->a + k] += c->impulse[k];
            j->unexplained[3 * c->b + k] -= c->impulse[k];
        }
        double e = friction_error(j, before, after, c);
        friction += e * e;
        impulses += tn_vec3_dot(c->impulse, c->impulse);
    }
    for (int b = 0; b < j->scene->n_bodies; b++) {
        if (!j->scene->bodies[b].is_fixed) {
            const double *p = &j->unexplained[3 * b];
            unexplained += tn_vec3_dot(p, p);
        }
    }
    j->momentum += unexplained / (pull + impulses);
    j->friction += impulses > 0.0 ? friction / impulses : 0.0;
    j->n_watched++;
}

void rival_judge_step(void *context, const peer_motion *before, const peer_motion *after, int n_contacts,
                      const peer_contact *contacts)
{
    rival_judge *j = context;
    double overlap = deepest(j, after);
    if (n_contacts < 0) {
        j->deepest = fmax(j->deepest, overlap);
    } else {
        j->resting = fmax(j->resting, overlap);
        judge_impulses(j, before, after, n_contacts, contacts);
    }
    judge_motion(j, after, n_contacts >= 0);
}
