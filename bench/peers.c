// The same scene files in Tenon and in other engines: time and penetration, measured by the same geometry.
#include "peers.h"

#include "base/arena.h"
#include "base/timer.h"
#include "bench.h"
#include "collide/collide.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/model.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Judge of penetration: our geometry at the poses an engine reports.
typedef struct judge {
    const tn_model *model;
    tn_state *state;
    tn_arena *arena;
    double deepest;
} judge;

static void judge_poses(void *context, const double *poses)
{
    judge *j = context;
    for (int b = 1; b < j->model->n_bodies; b++) {
        const double *row = poses + 7 * (b - 1);
        if (j->model->bodies[b].kind == TN_BODY_FIXED) {
            continue; // planes stand elsewhere in the other engine
        }
        const tn_pose *principal = &j->model->bodies[b].principal;
        tn_pose *pose = &j->state->pose[b];
        tn_quat_rotate(pose->position, row + 3, principal->position);
        tn_vec3_add(pose->position, pose->position, row);
        tn_quat_mul(pose->quaternion, row + 3, principal->quaternion);
    }
    tn_contact_list list;
    tn_arena_reset(j->arena);
    if (tn_collide(j->model, j->state, 1, j->arena, &list, NULL) != TN_OK) {
        return;
    }
    for (int i = 0; i < list.n; i++) {
        j->deepest = fmax(j->deepest, -list.contacts[i].gap);
    }
}

typedef struct run_length {
    int n_steps, n_averaged;
} run_length;

// Our scene for the other engines. Planes go apart; every other body has one shape at its origin.
static bool describe(const tn_model *model, run_length length, peer_scene *out)
{
    peer_body *bodies = calloc((size_t)model->n_bodies, sizeof *bodies);
    peer_plane *planes = calloc((size_t)model->n_bodies, sizeof *planes);
    if (!bodies || !planes) {
        return false;
    }
    *out = (peer_scene){.bodies = bodies,
                        .planes = planes,
                        .step = model->settings.step,
                        .n_steps = length.n_steps,
                        .n_averaged = length.n_averaged,
                        .friction = model->surfaces[0].mu1};
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_scene_body *body = &model->scene->bodies[b - 1];
        const tn_shape *shape = &body->shapes[0].shape;
        peer_body *p = &bodies[out->n_bodies++];
        p->is_fixed = body->kind == TN_BODY_FIXED;
        p->is_box = shape->kind == TN_SHAPE_BOX;
        p->mass = model->bodies[b].mass;
        memcpy(p->size, shape->size, sizeof p->size);
        memcpy(p->position, body->pose.position, sizeof p->position);
        memcpy(p->quaternion, body->pose.quaternion, sizeof p->quaternion);
        if (shape->kind == TN_SHAPE_PLANE) {
            // Stands in the list as a tiny fixed sphere far away, so that poses keep their places.
            peer_plane *plane = &planes[out->n_planes++];
            const double up[3] = {0, 0, 1};
            tn_quat_rotate(plane->normal, p->quaternion, up);
            plane->offset = tn_vec3_dot(plane->normal, p->position);
            p->is_box = 0;
            p->size[0] = 1e-3;
            p->position[0] = p->position[1] = 1e3;
            p->position[2] = 1e3 + b;
        }
    }
    return true;
}

static void rival_row(table *t, const tn_model *model, const peer_scene *scene, const char *name,
                      int (*run)(const peer_scene *, peer_watch *, void *, double *))
{
    judge j = {.model = model, .state = tn_state_create(model, NULL), .arena = tn_arena_create("judge", 0)};
    double *seconds = calloc((size_t)scene->n_averaged, sizeof *seconds);
    if (j.state && j.arena && seconds && run(scene, judge_poses, &j, seconds) == 0) {
        table_word(t, "%s", name);
        table_number(t, "%.2f", 1e3 * bench_median(scene->n_averaged, seconds));
        table_number(t, "%.4f", 1e3 * j.deepest);
        table_number(t, "%.1e", NAN);
        table_number(t, "%.1f", NAN);
        table_number(t, "%.0f", NAN);
        table_row(t);
    }
    free(seconds);
    tn_arena_destroy(j.arena);
    tn_state_destroy(j.state);
}

static int our_row(table *t, const tn_model *model, run_length length, const char *name)
{
    tn_error error = {0};
    tn_state *state = tn_state_create(model, &error);
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    double *seconds = calloc((size_t)length.n_averaged, sizeof *seconds);
    double *natural = calloc((size_t)length.n_averaged, sizeof *natural);
    double deepest = 0.0, iterations = 0.0, contacts = 0.0;
    tn_status status = sim && seconds && natural ? TN_OK : TN_NO_MEMORY;
    for (int k = 0; k < length.n_steps && status == TN_OK; k++) {
        tn_step_report report;
        status = tn_sim_step(sim, state, &report, &error);
        int counted = k - (length.n_steps - length.n_averaged);
        if (counted >= 0 && status == TN_OK) {
            seconds[counted] = report.total_s;
            natural[counted] = report.solve.certificate.natural;
            deepest = fmax(deepest, report.solve.certificate.penetration);
            iterations += (double)report.solve.iterations / length.n_averaged;
            contacts += (double)report.n_contacts / length.n_averaged;
        }
    }
    if (status == TN_OK) {
        table_word(t, "%s", name);
        table_number(t, "%.2f", 1e3 * bench_median(length.n_averaged, seconds));
        table_number(t, "%.4f", 1e3 * deepest);
        table_number(t, "%.1e", bench_median(length.n_averaged, natural));
        table_number(t, "%.1f", iterations);
        table_number(t, "%.0f", contacts);
        table_row(t);
    } else {
        fprintf(stderr, "tenon-bench: %s: %s\n", name, error.message);
    }
    free(natural);
    free(seconds);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    return status != TN_OK;
}

static int peers_on(const bench_options *options, table *t, const char *scene, const char *title)
{
    run_length length = options->quick ? (run_length){300, 50} : (run_length){500, 100};
    const char *heads[] = {"engine",           "ms/step (median)", "penetration mm",
                           "natural (median)", "iterations",       "contacts"};
    table_open(t, title, 6, heads);
    int failures = 0;
    const struct {
        const char *name, *set[3];
    } ours[] = {
        {"Tenon, defaults", {"step=5e-3", "law=coulomb", "scheme=euler"}},
        {"Tenon, natural 1e-3", {"step=5e-3", "solver.tolerance.natural=1e-3", "solver.tolerance.momentum=1e-3"}},
        {"Tenon, at most 20 sweeps", {"step=5e-3", "solver.max_iterations=20", "scheme=euler"}},
    };
    tn_model *model = NULL;
    for (int i = 0; i < 3; i++) {
        tn_model_destroy(model);
        model = bench_model(options, scene, 3, ours[i].set);
        failures += model ? our_row(t, model, length, ours[i].name) : 1;
    }
    peer_scene peer;
    if (model && describe(model, length, &peer)) {
#ifdef WITH_ODE
        rival_row(t, model, &peer, "ODE quickstep", peer_ode);
#else
        table_note(t, "ODE is not installed (libode-dev)");
#endif
#ifdef WITH_BULLET
        rival_row(t, model, &peer, "Bullet", peer_bullet);
#else
        table_note(t, "Bullet is not installed (libbullet-dev)");
#endif
        free((void *)peer.bodies);
        free((void *)peer.planes);
    }
    tn_model_destroy(model);
    table_note(t, "%d steps of 5 ms, the last %d counted, one thread; penetration by one and the same geometry",
               length.n_steps, length.n_averaged);
    table_close(t);
    return failures;
}

int bench_peers(const bench_options *options, table *t)
{
    int failures = 0;
    if (!options->only || !strcmp(options->only, "box_heap")) {
        failures += peers_on(options, t, "rigid/box_heap.yaml", "peers: heap of 200 boxes");
    }
    if (!options->only || !strcmp(options->only, "spheres1000")) {
        failures += peers_on(options, t, "rigid/spheres1000.yaml", "peers: 1000 spheres in an open box");
    }
    return failures;
}
