#include "rival.h"

#include "base/arena.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "rival_judge.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const rival_engine RIVALS[] = {
#ifdef WITH_BULLET
    {"Bullet", peer_bullet},
#endif
#ifdef WITH_ODE
    {"ODE", peer_ode},
#endif
#ifdef WITH_MUJOCO
    {"MuJoCo", peer_mujoco},
#endif
    {NULL, NULL},
};
const int N_RIVALS = (int)(sizeof RIVALS / sizeof *RIVALS) - 1;

// False: no engine is given this shape.
static bool shape_of(const tn_shape *shape, peer_shape *out)
{
    static const struct {
        tn_shape_kind kind;
        peer_shape peer;
    } known[] = {{TN_SHAPE_SPHERE, PEER_SPHERE},
                 {TN_SHAPE_BOX, PEER_BOX},
                 {TN_SHAPE_CAPSULE, PEER_CAPSULE},
                 {TN_SHAPE_PLANE, PEER_PLANE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].kind == shape->kind) {
            *out = known[i].peer;
            return true;
        }
    }
    return false;
}

// What is in the way of giving it to other engines; NULL: nothing. *body: whose it is.
static const char *obstacle(const tn_model *model, int *body)
{
    peer_shape peer;
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_scene_body *of = &model->scene->bodies[b - 1];
        *body = b;
        if (of->n_shapes != 1 || !shape_of(&of->shapes[0].shape, &peer)) {
            return "is not one sphere, box, capsule or plane";
        }
    }
    *body = 0;
    return model->n_softs > 0 || model->n_joints > 0 ? "joints or soft bodies" : NULL;
}

bool rival_can_play(const tn_model *model)
{
    int body;
    return !obstacle(model, &body);
}

static bool is_for_rivals(const tn_model *model)
{
    int body;
    const char *what = obstacle(model, &body);
    if (what) {
        fprintf(stderr, "tenon-bench: other engines are left out: %s%s%s %s\n", body > 0 ? "body '" : "the scene has",
                body > 0 ? tn_model_body_name(model, body) : "", body > 0 ? "'" : "", what);
    }
    return !what;
}

// Our scene for any engine, with the last shape's friction throughout; bodies is to be freed.
static bool describe(const tn_model *model, rival_length length, peer_scene *out)
{
    int n = model->n_bodies - 1, material = model->shapes[model->n_shapes - 1].material;
    peer_body *bodies = calloc((size_t)n + 1, sizeof *bodies);
    *out = (peer_scene){.n_bodies = n,
                        .bodies = bodies,
                        .friction = model->surfaces[material * model->n_materials + material].mu1,
                        .step = model->settings.step,
                        .n_steps = length.n_steps,
                        .n_averaged = length.n_averaged,
                        .n_watched = length.n_watched};
    for (int b = 0; bodies && b < n; b++) {
        const tn_scene_body *body = &model->scene->bodies[b];
        const tn_scene_shape *shape = &body->shapes[0];
        peer_body *to = &bodies[b];
        shape_of(&shape->shape, &to->shape); // of ours alone others stay spheres: nobody simulates them
        to->is_fixed = body->kind != TN_BODY_FREE;
        to->mass = model->bodies[b + 1].mass;
        memcpy(to->size, shape->shape.size, sizeof to->size);
        tn_quat_rotate(to->position, body->pose.quaternion, shape->pose.position);
        tn_vec3_add(to->position, to->position, body->pose.position);
        tn_quat_mul(to->quaternion, body->pose.quaternion, shape->pose.quaternion);
    }
    return bodies != NULL;
}

static void conclude(const rival_judge *j, double *seconds, rival_verdict *v)
{
    v->ok = true;
    v->ms = 1e3 * bench_median(j->scene->n_averaged, seconds); // sorts
    v->worst_ms = 1e3 * seconds[j->scene->n_averaged - 1];
    v->penetration = j->deepest;
    v->resting = j->resting;
    v->momentum = sqrt(j->momentum / fmax(1.0, j->n_watched));
    v->friction = sqrt(j->friction / fmax(1.0, j->n_watched));
    v->speed = j->speed;
    v->height = j->height;
    v->aside = j->aside;
}

rival_verdict rival_play(const tn_model *model, peer_engine *engine, const peer_settings *settings, rival_length length)
{
    rival_verdict v = {.natural = NAN, .contacts = NAN, .iterations = NAN};
    peer_scene scene;
    rival_judge judge = {0};
    double *seconds = calloc((size_t)length.n_averaged, sizeof *seconds);
    if (seconds && is_for_rivals(model) && describe(model, length, &scene)) {
        if (rival_judge_open(&judge, model, &scene) &&
            engine(&scene, settings, rival_judge_step, &judge, seconds) == 0) {
            conclude(&judge, seconds, &v);
        }
        rival_judge_close(&judge);
        free((void *)scene.bodies);
    }
    free(seconds);
    return v;
}

static void our_motion(const tn_state *state, int n, peer_motion *out)
{
    for (int b = 0; b < n; b++) {
        tn_state_body_pose(state, b + 1, out[b].position, out[b].quaternion);
        tn_state_body_velocity(state, b + 1, out[b].linear, out[b].angular);
    }
}

static int our_contacts(const tn_sim *sim, double h, int capacity, peer_contact *out)
{
    int n = tn_sim_contact_count(sim);
    for (int i = 0; i < n && i < capacity; i++) {
        tn_contact_info c;
        tn_sim_contact(sim, i, &c);
        out[i] = (peer_contact){.a = c.body_a - 1, .b = c.body_b - 1};
        memcpy(out[i].point, c.point, sizeof c.point);
        memcpy(out[i].normal, c.normal, sizeof c.normal);
        tn_vec3_scale(out[i].impulse, h, c.force);
    }
    return n < capacity ? n : capacity;
}

typedef struct play {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    peer_motion *before, *after;
    peer_contact *contacts;
    int n_contacts;
    double *seconds, *natural;
} play;

static bool play_open(play *p, rival_length length, tn_error *error)
{
    int n = p->model->n_bodies;
    p->n_contacts = 64 * n;
    p->state = tn_state_create(p->model, error);
    p->sim = tn_sim_create(p->model, error);
    p->before = calloc((size_t)n, sizeof *p->before);
    p->after = calloc((size_t)n, sizeof *p->after);
    p->contacts = calloc((size_t)p->n_contacts, sizeof *p->contacts);
    p->seconds = calloc((size_t)length.n_averaged, sizeof *p->seconds);
    p->natural = calloc((size_t)length.n_averaged, sizeof *p->natural);
    return p->state && p->sim && p->before && p->after && p->contacts && p->seconds && p->natural;
}

static void play_close(play *p)
{
    free(p->natural);
    free(p->seconds);
    free(p->contacts);
    free(p->after);
    free(p->before);
    tn_sim_destroy(p->sim);
    tn_state_destroy(p->state);
}

static tn_status play_steps(play *p, const peer_scene *scene, rival_judge *judge, rival_verdict *v, tn_error *error)
{
    tn_status status = TN_OK;
    for (int k = 0; k < scene->n_steps + scene->n_watched && status == TN_OK; k++) {
        int counted = k - (scene->n_steps - scene->n_averaged);
        tn_step_report report;
        our_motion(p->state, scene->n_bodies, p->before);
        double start = peer_seconds();
        status = tn_sim_step(p->sim, NULL, p->state, &report, error);
        double took = peer_seconds() - start;
        if (status != TN_OK || counted < 0) {
            continue;
        }
        our_motion(p->state, scene->n_bodies, p->after);
        bool watched = k >= scene->n_steps;
        int n = watched ? our_contacts(p->sim, scene->step, p->n_contacts, p->contacts) : -1;
        rival_judge_step(judge, p->before, p->after, n, p->contacts);
        if (!watched) {
            p->seconds[counted] = took;
            p->natural[counted] = report.solve.certificate.natural;
            v->contacts += (double)report.n_contacts / scene->n_averaged;
            v->iterations += (double)report.solve.iterations / scene->n_averaged;
        }
    }
    return status;
}

rival_verdict rival_ours(const bench_options *options, const char *scene, int n_set, const char *const *set,
                         rival_length length)
{
    rival_verdict v = {0};
    play p = {.model = bench_model(options, scene, n_set, set)};
    peer_scene peer;
    tn_error error = {0};
    if (p.model && describe(p.model, length, &peer)) {
        rival_judge judge = {0};
        if (play_open(&p, length, &error) && rival_judge_open(&judge, p.model, &peer) &&
            play_steps(&p, &peer, &judge, &v, &error) == TN_OK) {
            conclude(&judge, p.seconds, &v);
            v.natural = bench_median(length.n_averaged, p.natural);
        } else {
            fprintf(stderr, "tenon-bench: %s: %s\n", scene, error.message);
        }
        rival_judge_close(&judge);
        free((void *)peer.bodies);
        play_close(&p);
    }
    tn_model_destroy(p.model);
    return v;
}
