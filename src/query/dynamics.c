// Dynamics of mechanisms in the rates of their joints: mass matrix by composite inertias, inverse dynamics by recursive
// Newton-Euler, both with twists about one point of each tree in world axes (Featherstone, Rigid body dynamics
// algorithms, 2008).
#include "query/dynamics.h"

#include "base/memory.h"
#include "math/dense.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

// ---- the handle

static bool find_places(tn_dynamics *d)
{
    const tn_trees *trees = d->trees;
    d->n = 0;
    for (int t = 0; trees && t < trees->n; t++) {
        d->n += trees->tree[t].n_rates;
    }
    d->place = TN_PUSH_RAW(d->keep, int, d->n);
    for (int t = 0, at = 0; d->place && trees && t < trees->n; t++) {
        for (int k = 0; k < trees->tree[t].n_rates; k++) {
            d->place[at++] = 3 * trees->tree[t].block + k;
        }
    }
    size_t n = trees ? 3 * (size_t)trees->n_blocks : 0, n_v = 3 * (size_t)d->model->n_blocks;
    d->pose = TN_PUSH_RAW(d->keep, tn_pose, d->model->n_bodies);
    d->nu = TN_PUSH(d->keep, double, n);
    d->full = TN_PUSH(d->keep, double, n);
    d->v = TN_PUSH(d->keep, double, n_v);
    d->mass = TN_PUSH(d->keep, double, (size_t)d->n *(size_t)d->n);
    return d->place && d->pose && d->nu && d->full && d->v && d->mass;
}

tn_dynamics *tn_dynamics_create_with(const tn_model *model, tn_tree_bases bases, tn_error *error)
{
    if (!model) {
        tn_error_set(error, TN_BAD_INPUT, "there is no model");
        return NULL;
    }
    tn_dynamics *d = tn_calloc(1, sizeof *d);
    if (d) {
        *d = (tn_dynamics){.model = model, .view = *model, .keep = tn_arena_create(0), .scratch = tn_arena_create(0)};
        d->view.settings.coordinates = TN_COORDINATES_REDUCED;
    }
    tn_status status =
        d && d->keep && d->scratch ? tn_trees_find(&d->view, bases, d->keep, &d->trees, error) : TN_NO_MEMORY;
    if (status == TN_OK) {
        d->view.trees = d->trees;
        status = find_places(d) ? TN_OK : TN_NO_MEMORY;
    }
    if (status != TN_OK) {
        tn_dynamics_destroy(d);
        if (status == TN_NO_MEMORY) {
            tn_error_set(error, status, "no memory for the dynamics of %d joints", model->n_joints);
        }
        return NULL;
    }
    return d;
}

tn_dynamics *tn_dynamics_create(const tn_model *model, tn_error *error)
{
    return tn_dynamics_create_with(model, TN_BASES_FIRST, error);
}

void tn_dynamics_destroy(tn_dynamics *d)
{
    if (d) {
        tn_arena_destroy(d->keep);
        tn_arena_destroy(d->scratch);
        tn_free(d);
    }
}

int tn_dynamics_rate_count(const tn_dynamics *d)
{
    return d ? d->n : 0;
}

static void write(int *to, int value)
{
    if (to) {
        *to = value;
    }
}

tn_status tn_dynamics_rate(const tn_dynamics *d, int i, int *joint, int *coordinate, int *body, int *which,
                           tn_error *error)
{
    if (!d || i < 0 || i >= d->n) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no rate %d", i);
    }
    for (int l = 0; l < d->trees->n_links; l++) {
        const tn_tree_link *link = &d->trees->link[l];
        int k = d->place[i] - link->rate;
        if (k < 0 || k >= link->n_rates) {
            continue;
        }
        const tn_model_joint *of = link->joint >= 0 ? &d->model->joints[link->joint] : NULL;
        write(joint, link->joint);
        write(coordinate, of && k < of->n_coordinates ? of->first_coordinate + k : -1);
        write(body, link->body);
        write(which, k);
    }
    return TN_OK;
}

// The handle is there and up to date, and has mechanisms.
static tn_status check_dynamics(const tn_dynamics *d, const void *array, tn_error *error)
{
    if (!d || !array) {
        return tn_error_set(error, TN_BAD_INPUT, "no handle of dynamics, or no array to write to");
    }
    return d->updated ? TN_OK
                      : tn_error_set(error, TN_BAD_INPUT, "dynamics without a state: call tn_dynamics_update first");
}

// ---- at a state

// Inertia of a link's rate k by itself.
static double armature_of(const tn_dynamics *d, int l, int k)
{
    int number = d->trees->link[l].joint;
    const tn_model_joint *joint = number >= 0 ? &d->model->joints[number] : NULL;
    return joint && k < joint->n_coordinates ? joint->description->drive[joint->axis[k]].armature : 0.0;
}

// Of each link alone, and M from composites.
static bool find_mass(tn_dynamics *d)
{
    const tn_trees *trees = d->trees;
    size_t most = 0;
    for (int t = 0; t < trees->n; t++) {
        most = (size_t)trees->tree[t].n_blocks > most ? (size_t)trees->tree[t].n_blocks : most;
    }
    d->inertia = (double(*)[36])TN_PUSH_RAW(d->scratch, double, 36 * (size_t)trees->n_links);
    double(*sum)[36] = (double(*)[36])TN_PUSH(d->scratch, double, 36 * (size_t)trees->n_links);
    double *dense = TN_PUSH(d->scratch, double, 9 * most * most);
    if (!d->inertia || !sum || !dense) {
        return false;
    }
    memset(d->mass, 0, (size_t)d->n * (size_t)d->n * sizeof *d->mass);
    for (int t = 0, at = 0; t < trees->n; at += trees->tree[t++].n_rates) {
        const tn_tree *tree = &trees->tree[t];
        int n = 3 * tree->n_blocks;
        memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
        for (int l = tree->first_link + tree->n_links - 1; l >= tree->first_link; l--) { // children before parents
            static const double none[9];
            const tn_model_body *body = &d->model->bodies[trees->link[l].body];
            double slide[9] = {body->mass, 0.0, 0.0, 0.0, body->mass, 0.0, 0.0, 0.0, body->mass};
            double spin[9] = {body->inertia[0], 0.0, 0.0, 0.0, body->inertia[1], 0.0, 0.0, 0.0, body->inertia[2]};
            tn_tree_link_inertia(&d->step, l, slide, none, spin, d->inertia[l]);
            int parent = trees->link[l].parent;
            for (int i = 0; i < 36; i++) {
                sum[l][i] += d->inertia[l][i];
                sum[parent >= 0 ? parent : l][i] += parent >= 0 ? sum[l][i] : 0.0;
            }
            tn_tree_add_composite(&d->step, l, sum[l], dense);
            for (int k = 0; k < trees->link[l].n_rates; k++) {
                dense[(trees->link[l].rate - 3 * tree->block + k) * (n + 1)] += armature_of(d, l, k);
            }
        }
        for (int i = 0; i < tree->n_rates; i++) {
            memcpy(d->mass + (size_t)(at + i) * (size_t)d->n + (size_t)at, dense + (size_t)i * (size_t)n,
                   (size_t)tree->n_rates * sizeof *dense);
        }
    }
    return true;
}

tn_status tn_dynamics_update(tn_dynamics *d, const tn_state *state, tn_error *error)
{
    if (!d || !state || state->model != d->model) {
        return tn_error_set(error, TN_BAD_INPUT, "no handle of dynamics, no state, or one of another model");
    }
    d->updated = true;
    if (!d->trees) {
        return TN_OK;
    }
    tn_arena_reset(d->scratch);
    memcpy(d->pose, state->pose, (size_t)d->model->n_bodies * sizeof *d->pose);
    tn_status status = tn_tree_step_build(&d->view, d->pose, NULL, state->time, 0.0, d->scratch, &d->step);
    if (status != TN_OK || !find_mass(d)) {
        d->updated = false;
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the dynamics of %d joints", d->model->n_joints);
    }
    tn_tree_read_rates(&d->step, d->pose, state->time, state->v, d->nu);
    tn_tree_velocity(&d->step, d->nu, d->v);
    return TN_OK;
}

tn_status tn_dynamics_rates(const tn_dynamics *d, double *rates, tn_error *error)
{
    tn_status status = check_dynamics(d, rates, error);
    for (int i = 0; status == TN_OK && i < d->n; i++) {
        rates[i] = d->nu[d->place[i]];
    }
    return status;
}

tn_status tn_dynamics_mass(const tn_dynamics *d, double *mass, tn_error *error)
{
    tn_status status = check_dynamics(d, mass, error);
    if (status == TN_OK && d->n > 0) {
        memcpy(mass, d->mass, (size_t)d->n * (size_t)d->n * sizeof *mass);
    }
    return status;
}

// ---- recursive Newton-Euler

// a x b of motions, both twists.
static void cross_motion(const tn_spatial a, const tn_spatial b, tn_spatial out)
{
    double part[3];
    tn_vec3_cross(out, a, b);
    tn_vec3_cross(out + 3, a, b + 3);
    tn_vec3_cross(part, a + 3, b);
    tn_vec3_add(out + 3, out + 3, part);
}

// a x* f of a twist and a wrench or momentum.
static void cross_force(const tn_spatial a, const tn_spatial f, tn_spatial out)
{
    double part[3];
    tn_vec3_cross(out, a, f);
    tn_vec3_cross(part, a + 3, f + 3);
    tn_vec3_add(out, out, part);
    tn_vec3_cross(out + 3, a, f + 3);
}

// Whether a joint's coordinate is along an axis of body b rather than a: the second turn of a universal joint, the turn
// of a plane.
static bool moves_with_b(const tn_model_joint *joint, int k)
{
    return joint->n_coordinates > k &&
           (joint->axis[k] == TN_AXIS_TURN2 || (joint->kind == TN_JOINT_PLANAR && joint->axis[k] == TN_AXIS_TURN));
}

// How fast the twist of rate k of a link changes in the world; V: twists of the link and of what it hangs from.
static void twist_change(const tn_dynamics *d, const tn_tree_link *link, int k, const tn_spatial own,
                         const tn_spatial from, tn_spatial out)
{
    const double *twist = d->step.twist[link->rate + k];
    memset(out, 0, sizeof(tn_spatial));
    if (link->joint < 0) { // its velocity is along axes of the world, its spin about those of the body
        if (k >= 3) {
            cross_motion(own, twist, out);
        }
        return;
    }
    bool with_b = moves_with_b(&d->model->joints[link->joint], k);
    cross_motion(with_b != link->is_a ? own : from, twist, out);
}

// A link's inertia times a twist.
static void momentum_of(const tn_dynamics *d, int l, const tn_spatial twist, tn_spatial out)
{
    for (int i = 0; i < 6; i++) {
        out[i] = tn_spatial_dot(d->inertia[l] + 6 * i, twist);
    }
}

typedef struct newton_euler {
    tn_spatial *twist, *change, *wrench; // (n_links)
} newton_euler;

static bool make_room(tn_dynamics *d, newton_euler *r)
{
    size_t n = 6 * (size_t)d->trees->n_links;
    *r = (newton_euler){.twist = (tn_spatial *)TN_PUSH_RAW(d->scratch, double, n),
                        .change = (tn_spatial *)TN_PUSH_RAW(d->scratch, double, n),
                        .wrench = (tn_spatial *)TN_PUSH_RAW(d->scratch, double, n)};
    return r->twist && r->change && r->wrench;
}

// Twists and their changes, and the wrench that each link's own motion asks for.
static void go_outward(const tn_dynamics *d, const double *acceleration, const newton_euler *r)
{
    const tn_trees *trees = d->trees;
    for (int l = 0; l < trees->n_links; l++) {
        const tn_tree_link *link = &trees->link[l];
        const double *from = link->parent >= 0 ? r->twist[link->parent] : d->step.given[link->tree];
        double *own = r->twist[l], *change = r->change[l];
        tn_spatial part, momentum;
        memcpy(own, from, sizeof part);
        if (link->parent >= 0) {
            memcpy(change, r->change[link->parent], sizeof part);
        } else { // gravity as an acceleration of the world
            memset(change, 0, sizeof part);
            tn_vec3_scale(change + 3, -1.0, d->model->settings.gravity);
        }
        for (int k = link->rate; k < link->rate + link->n_rates; k++) {
            for (int i = 0; i < 6; i++) {
                own[i] += d->step.twist[k][i] * d->nu[k];
                change[i] += acceleration ? d->step.twist[k][i] * acceleration[k] : 0.0;
            }
        }
        for (int k = 0; k < link->n_rates; k++) {
            twist_change(d, link, k, own, from, part);
            for (int i = 0; i < 6; i++) {
                change[i] += part[i] * d->nu[link->rate + k];
            }
        }
        momentum_of(d, l, change, r->wrench[l]);
        momentum_of(d, l, own, momentum);
        cross_force(own, momentum, part);
        for (int i = 0; i < 6; i++) {
            r->wrench[l][i] += part[i];
        }
    }
}

// M a + bias in the trees' numbering, filled-up blocks too.
static tn_status inverse(tn_dynamics *d, const double *acceleration, double *force, tn_error *error)
{
    newton_euler r;
    tn_arena_mark mark = tn_arena_get_mark(d->scratch);
    if (!make_room(d, &r)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the dynamics of %d joints", d->model->n_joints);
    }
    go_outward(d, acceleration, &r);
    for (int l = d->trees->n_links - 1; l >= 0; l--) { // children before parents
        const tn_tree_link *link = &d->trees->link[l];
        for (int k = link->rate; k < link->rate + link->n_rates; k++) {
            double own = acceleration ? armature_of(d, l, k - link->rate) * acceleration[k] : 0.0;
            force[k] = tn_spatial_dot(d->step.twist[k], r.wrench[l]) + own;
        }
        for (int i = 0; i < 6 && link->parent >= 0; i++) {
            r.wrench[link->parent][i] += r.wrench[l][i];
        }
    }
    tn_arena_release(d->scratch, mark);
    return TN_OK;
}

static bool all_finite(const double *x, int n)
{
    bool finite = true;
    for (int i = 0; i < n; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

tn_status tn_dynamics_inverse(tn_dynamics *d, const double *acceleration, double *force, tn_error *error)
{
    tn_status status = check_dynamics(d, force, error);
    if (status != TN_OK || d->n == 0) {
        return status;
    }
    if (acceleration && !all_finite(acceleration, d->n)) {
        return tn_error_set(error, TN_BAD_INPUT, "an acceleration is not finite");
    }
    tn_arena_mark mark = tn_arena_get_mark(d->scratch);
    double *all = TN_PUSH(d->scratch, double, 3 * (size_t)d->trees->n_blocks);
    for (int i = 0; all && acceleration && i < d->n; i++) {
        all[d->place[i]] = acceleration[i];
    }
    status = all ? inverse(d, all, d->full, error) : tn_error_set(error, TN_NO_MEMORY, "no memory for accelerations");
    for (int i = 0; status == TN_OK && i < d->n; i++) {
        force[i] = d->full[d->place[i]];
    }
    tn_arena_release(d->scratch, mark);
    return status;
}

tn_status tn_dynamics_forward(tn_dynamics *d, const double *force, double *acceleration, tn_error *error)
{
    tn_status status = check_dynamics(d, acceleration, error);
    if (status != TN_OK || d->n == 0) {
        return status;
    }
    if (force && !all_finite(force, d->n)) {
        return tn_error_set(error, TN_BAD_INPUT, "a force is not finite");
    }
    tn_arena_mark mark = tn_arena_get_mark(d->scratch);
    size_t n = (size_t)d->n;
    double *factor = TN_PUSH_RAW(d->scratch, double, n *n);
    status = factor ? tn_dynamics_inverse(d, NULL, acceleration, error)
                    : tn_error_set(error, TN_NO_MEMORY, "no memory for %d rates", d->n);
    if (status == TN_OK) {
        memcpy(factor, d->mass, n * n * sizeof *factor);
        for (size_t i = 0; i < n; i++) {
            acceleration[i] = (force ? force[i] : 0.0) - acceleration[i];
        }
        status = tn_dense_cholesky(d->n, factor)
                     ? TN_OK
                     : tn_error_set(error, TN_NUMERICS, "the mass matrix of the mechanisms is not positive definite");
    }
    if (status == TN_OK) {
        tn_dense_cholesky_solve(d->n, factor, acceleration);
    }
    tn_arena_release(d->scratch, mark);
    return status;
}

// ---- points and sums

tn_status tn_dynamics_jacobian(const tn_dynamics *d, int body, const double point[3], double *out, tn_error *error)
{
    tn_status status = check_dynamics(d, out, error);
    if (status != TN_OK) {
        return status;
    }
    if (!point || body < 0 || body >= d->model->n_bodies || !all_finite(point, 3)) {
        return tn_error_set(error, TN_BAD_INPUT, "Jacobian of a point of body %d: no point or no such rigid body",
                            body);
    }
    memset(out, 0, 6 * (size_t)d->n * sizeof *out);
    int l = d->trees ? d->trees->link_of[body] : -1;
    if (l < 0) {
        return TN_OK;
    }
    const tn_tree *tree = &d->trees->tree[d->trees->link[l].tree];
    tn_pose own, undo;
    double arm[3], spin[3];
    tn_pose_undo(&undo, &d->model->bodies[body].principal);
    tn_pose_join(&own, &d->pose[body], &undo);
    tn_pose_point(arm, &own, point);
    tn_vec3_sub(arm, arm, d->pose[d->trees->link[tree->first_link].body].position);
    for (int m = l; m >= 0; m = d->trees->link[m].parent) {
        const tn_tree_link *link = &d->trees->link[m];
        for (int i = 0; i < d->n; i++) {
            if (d->place[i] < link->rate || d->place[i] >= link->rate + link->n_rates) {
                continue;
            }
            const double *twist = d->step.twist[d->place[i]];
            tn_vec3_cross(spin, twist, arm);
            for (int k = 0; k < 3; k++) {
                out[(size_t)k * (size_t)d->n + (size_t)i] = twist[3 + k] + spin[k];
                out[(size_t)(3 + k) * (size_t)d->n + (size_t)i] = twist[k];
            }
        }
    }
    return TN_OK;
}

static void add_body(const tn_dynamics *d, int l, tn_centroid *out)
{
    const tn_model_body *body = &d->model->bodies[d->trees->link[l].body];
    const double *R = d->step.turn[l], *v = d->v + 3 * (size_t)body->block,
                 *x = d->pose[d->trees->link[l].body].position;
    double scaled[9], turned[9], arm[3], moment[3], spin[3], off = 0.0;
    tn_vec3_sub(arm, x, out->center);
    for (int i = 0; i < 9; i++) {
        scaled[i] = R[i] * body->inertia[i % 3];
    }
    tn_mat3_mul_nt(turned, scaled, R);
    off = tn_vec3_dot(arm, arm);
    for (int i = 0; i < 9; i++) {
        out->inertia[i] += turned[i] + body->mass * ((i % 4 == 0 ? off : 0.0) - arm[i / 3] * arm[i % 3]);
    }
    for (int i = 0; i < 3; i++) {
        spin[i] = body->inertia[i] * v[3 + i];
        out->momentum[i] += body->mass * v[i];
    }
    tn_mat3_vec(spin, R, spin);
    tn_vec3_cross(moment, arm, v);
    for (int i = 0; i < 3; i++) {
        out->angular_momentum[i] += spin[i] + body->mass * moment[i];
    }
}

tn_status tn_dynamics_centroid(const tn_dynamics *d, tn_centroid *out, tn_error *error)
{
    tn_status status = check_dynamics(d, out, error);
    if (status != TN_OK) {
        return status;
    }
    *out = (tn_centroid){.mass = 0.0};
    int n = d->trees ? d->trees->n_links : 0;
    for (int l = 0; l < n; l++) {
        const tn_model_body *body = &d->model->bodies[d->trees->link[l].body];
        out->mass += body->mass;
        tn_vec3_madd(out->center, out->center, body->mass, d->pose[d->trees->link[l].body].position);
    }
    if (out->mass > 0.0) {
        tn_vec3_scale(out->center, 1.0 / out->mass, out->center);
    }
    for (int l = 0; l < n; l++) {
        add_body(d, l, out);
    }
    if (out->mass > 0.0) {
        tn_vec3_scale(out->velocity, 1.0 / out->mass, out->momentum);
    }
    return TN_OK;
}
