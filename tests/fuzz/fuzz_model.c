// A scene's way into a simulation: what the reader takes is compiled or refused with a reason, and small worlds are
// stepped twice; the state stays finite or the step says that it failed. The corpus is the scene reader's.
#include "fuzz.h"

#include "model/model.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 14, BODIES_MAX = 40, TETS_MAX = 400 };

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

static void check_state(const tn_model *model, const tn_state *state, const char *text)
{
    for (int body = 1; body < tn_model_body_count(model); body++) {
        double x[3], q[4];
        tn_state_body_pose(state, body, x, q);
        demand_of(isfinite(x[0] + x[1] + x[2] + q[0] + q[1] + q[2] + q[3]), "a step that succeeded lost a body", text);
    }
    for (int joint = 0; joint < tn_model_joint_count(model); joint++) {
        double q[3] = {0.0}, rate[3] = {0.0};
        tn_state_joint(state, joint, q, rate);
        for (int k = 0; k < tn_model_joint_coordinate_count(model, joint); k++) {
            demand_of(isfinite(q[k]) && isfinite(rate[k]), "a joint's coordinate is no number", text);
        }
    }
}

static void step(const tn_model *model, const char *text)
{
    tn_error error = {0};
    tn_step_report report = {0};
    tn_state *state = tn_state_create(model, &error);
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    tn_status status = sim ? TN_OK : error.status;
    for (int k = 0; status == TN_OK && k < 2; k++) {
        status = tn_sim_step(sim, NULL, state, &report, &error);
        if (status == TN_OK) {
            check_state(model, state, text);
        }
    }
    demand_of(status == TN_OK || error.message[0] != 0, "a step failed without a reason", text);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
}

// Worlds that would take long are another test's; one thread and few iterations do here.
static bool is_small(const tn_scene *scene)
{
    int tets = 0;
    for (int k = 0; k < scene->n_softs; k++) {
        tets += scene->softs[k].mesh.n_tets < TETS_MAX ? scene->softs[k].mesh.n_tets : TETS_MAX;
    }
    return scene->n_bodies <= BODIES_MAX && tets < TETS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sets[] = {"solver.threads=1", "solver.max_iterations=20"};
    if (size > TEXT_MAX) {
        return 0;
    }
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "fuzz", 2, sets, &error);
    bool small = scene && is_small(scene);
    tn_model *model = small ? tn_model_create(scene, &error) : NULL;
    if (model) {
        step(model, text);
    } else if (small) {
        demand_of(error.message[0] != 0, "a model is refused without a reason", text);
    } else {
        tn_scene_destroy(scene);
    }
    tn_model_destroy(model);
    free(text);
    return 0;
}
