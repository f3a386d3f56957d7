// Closed loops for tests and benches: tasks of scenes/mpc from random starts, with a plant whose friction is not what
// the planner believes in, and pushes that it does not know. The controller is the caller's.
#pragma once

#include "base/random.h"
#include "model/model.h"
#include "tenon/mpc.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTROL_X_MAX = 16 };

// Starts are even draws from middle +- spread of coordinates and rates, the section's. The goal is reached where all
// places are within `reach` of it at the end (INFINITY: that one does not count).
typedef struct control_task {
    const char *name, *scene; // below scenes/
    double middle[CONTROL_X_MAX], spread[CONTROL_X_MAX], reach[CONTROL_X_MAX / 2];
    double push[3]; // standard deviations of a push [N s]
    struct {
        const char *material;
        double friction, power; // friction of a pair is the geometric mean of two materials'
    } off[2];
} control_task;

static const control_task CONTROL_TASKS[] = {
    {.name = "push",
     .scene = "mpc/planar_push.yaml",
     .middle = {0, 0, 0, 0, 0},
     .spread = {0.03, 0.02, 0.02, 0.04, 0.3},
     .reach = {INFINITY, INFINITY, 0.03, 0.03, 0.15},
     .push = {0.2, 0.2, 0},
     .off = {{"table", 0.3, 2}, {"tip", 0.03, 2}}},
    {.name = "catch",
     .scene = "mpc/two_finger_catch.yaml",
     .middle = {0, 0, 0, 0, 0.9, 0, 0, 0, 0, 0},
     .spread = {0.05, 0.02, 0.02, 0.04, 0.05, 0, 0, 0, 0.1, 0.5},
     .reach = {INFINITY, INFINITY, INFINITY, 0.03, 0.03},
     .push = {0.02, 0, 0.05},
     .off = {{"pad", 0.6, 2}, {NULL, 0, 0}}},
};

static inline const control_task *control_task_find(const char *name) // NULL: none
{
    for (size_t i = 0; i < sizeof CONTROL_TASKS / sizeof *CONTROL_TASKS; i++) {
        if (strcmp(CONTROL_TASKS[i].name, name) == 0) {
            return &CONTROL_TASKS[i];
        }
    }
    return NULL;
}

// What is wrong with the planner's model: friction by up to a share, pushes.
typedef struct control_errors {
    double friction; // most, relative
    bool pushed;
} control_errors;

static inline double control_even(uint64_t seed, int start, int which) // from -1 to 1
{
    return 2.0 * tn_random_uniform(seed, 0x7461736bu + (uint64_t)which, (uint64_t)start) - 1.0;
}

// The plant of a start. NULL: the error says why.
static inline tn_model *control_plant(const control_task *task, const char *scenes, int start, control_errors errors,
                                      int n_more, const char *const *more, tn_error *error)
{
    char path[4096], text[6][96];
    const char *set[32];
    int n = 0;
    for (int k = 0; k < 2 && task->off[k].material; k++) {
        double factor = pow(1.0 + errors.friction * control_even(1, start, k), task->off[k].power);
        snprintf(text[n], sizeof text[n], "materials.%s.friction=%.17g", task->off[k].material,
                 factor * task->off[k].friction);
        set[n] = text[n];
        n++;
    }
    if (errors.pushed) {
        snprintf(text[n], sizeof text[n], "mpc.push_impulse=[%g, %g, %g]", task->push[0], task->push[1], task->push[2]);
        set[n] = text[n];
        n++;
    }
    snprintf(text[n], sizeof text[n], "seed=%d", 1 + start);
    set[n] = text[n];
    n++;
    for (int k = 0; k < n_more && n < 32; k++) {
        set[n++] = more[k];
    }
    snprintf(path, sizeof path, "%s/%s", scenes, task->scene);
    tn_scene *scene = tn_scene_load(path, n, set, error);
    return scene ? tn_model_create(scene, error) : NULL;
}

// The section's coordinates of any of its models.
static inline tn_lcs_source *control_eye(const tn_model *model, tn_error *error)
{
    tn_lcs_options o = tn_lcs_options_default();
    o.n_coordinates = model->scene->mpc->n_coordinates;
    o.coordinates = model->scene->mpc->coordinates;
    return tn_lcs_source_create(model, &o, error);
}

static inline void control_start(const control_task *task, int n_x, int start, double *x)
{
    for (int i = 0; i < n_x; i++) {
        x[i] = task->middle[i] + task->spread[i] * control_even(2, start, i);
    }
}

// What the section's weights say of places, rates and inputs, for one of its steps.
static inline double control_stage(const tn_scene_mpc *said, bool last, const double *x, const double *u)
{
    int n = said->n_coordinates;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double place = last && said->final_place ? said->final_place[i] : said->place[i];
        double rate = last && said->final_rate ? said->final_rate[i] : said->rate[i];
        sum += place * (x[i] - said->goal[i]) * (x[i] - said->goal[i]) + rate * x[n + i] * x[n + i];
    }
    for (int k = 0; u && k < said->n_inputs; k++) {
        sum += said->input[k] * u[k] * u[k];
    }
    return sum;
}

// Before each of the section's steps: solves for inputs, or holds its own (tn_mpc_hold), from a state whose coordinates
// are x. *u: what acts, NULL: nothing.
typedef tn_status (*control_law)(void *user, tn_mpc *hand, const tn_state *state, const double *x, const double **u,
                                 tn_error *error);

typedef struct control_result {
    bool reached;
    double cost; // of the motion that was, by the section's weights
    double x[CONTROL_X_MAX];
} control_result;

static inline tn_status control_run(const control_task *task, const tn_model *plant, int start, control_law law,
                                    void *user, control_result *out, tn_error *error)
{
    const tn_scene_mpc *said = plant->scene->mpc;
    double h = plant->settings.step;
    long steps = lround(plant->settings.duration / h), every = lround(said->step / h);
    tn_state *state = tn_state_create(plant, error);
    tn_sim *sim = state ? tn_sim_create(plant, error) : NULL;
    tn_mpc *hand = sim ? tn_mpc_create(plant, error) : NULL;
    tn_lcs_source *eye = hand ? control_eye(plant, error) : NULL;
    tn_status status = eye ? TN_OK : TN_BAD_INPUT;
    *out = (control_result){.reached = true};
    if (status == TN_OK) {
        control_start(task, 2 * said->n_coordinates, start, out->x);
        status = tn_lcs_source_write(eye, out->x, state, error);
    }
    for (long k = 0; status == TN_OK && k < steps; k++) {
        if (k % every == 0) {
            tn_lcs_source_read(eye, state, out->x, error);
            const double *u = NULL;
            status = law(user, hand, state, out->x, &u, error);
            out->cost += control_stage(said, false, out->x, u);
        }
        tn_step_report report;
        status = status == TN_OK ? tn_sim_step(sim, tn_mpc_input(hand, state), state, &report, error) : status;
    }
    for (int i = 0; status == TN_OK && i < said->n_coordinates; i++) {
        tn_lcs_source_read(eye, state, out->x, error);
        out->reached = out->reached && fabs(out->x[i] - said->goal[i]) <= task->reach[i];
    }
    tn_lcs_source_destroy(eye);
    tn_mpc_destroy(hand);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    return status;
}
