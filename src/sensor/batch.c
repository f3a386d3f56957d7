// Many states of one model, which a team shares: each thread has a simulation of its own, and sensors.
#include "tenon/batch.h"
#include "base/memory.h"
#include "base/team.h"
#include "sensor/sensor.h"
#include "sim/sim.h"

#include <string.h>

typedef struct work {
    tn_batch *batch;
    int n_steps;
    const tn_input *input;
    tn_step_report *reports;
    tn_status *statuses;
} work;

struct tn_batch {
    const tn_model *model;
    int n, n_threads;
    tn_state **state;     // (n)
    tn_sim **sim;         // (n_threads)
    tn_sensors **sensors; // (n_threads) NULL where the scene has none
    double *reading;      // (n, model->n_readings) after the last step
    tn_error *error;      // (n) of the last call
};

static double *reading_of(const tn_batch *batch, size_t i)
{
    return batch->reading + i * (size_t)batch->model->n_readings;
}

// At the start, what wants no step.
static bool read_all(tn_batch *batch, tn_error *error)
{
    tn_status status = TN_OK;
    for (int i = 0; batch->sensors[0] && status == TN_OK && i < batch->n; i++) {
        status = tn_sensors_read_of(batch->sensors[0], NULL, batch->state[i], i, reading_of(batch, (size_t)i), error);
    }
    return status == TN_OK;
}

static bool create(tn_batch *batch, tn_error *error)
{
    for (int i = 0; i < batch->n; i++) {
        batch->state[i] = tn_state_create(batch->model, error);
        if (!batch->state[i]) {
            return false;
        }
    }
    for (int k = 0; k < batch->n_threads; k++) {
        batch->sim[k] = tn_sim_create(batch->model, error);
        if (!batch->sim[k]) {
            return false;
        }
        if (batch->model->n_readings > 0 && !(batch->sensors[k] = tn_sensors_create(batch->model, error))) {
            return false;
        }
    }
    return read_all(batch, error);
}

tn_batch *tn_batch_create(const tn_model *model, int n, int n_threads, tn_error *error)
{
    if (!model || n < 1 || n_threads < 0) {
        tn_error_set(error, TN_BAD_INPUT,
                     "a batch needs a model, at least one state and 0 or more threads, not %d and %d", n, n_threads);
        return NULL;
    }
    int most = n_threads > 0 ? n_threads : tn_team_processors();
    tn_batch *batch = tn_calloc(1, sizeof *batch);
    if (batch) {
        *batch = (tn_batch){.model = model, .n = n, .n_threads = most < n ? most : n};
        // NOLINTBEGIN(bugprone-sizeof-expression): arrays of pointers
        batch->state = tn_calloc((size_t)n, sizeof *batch->state);
        batch->sim = tn_calloc((size_t)batch->n_threads, sizeof *batch->sim);
        batch->sensors = tn_calloc((size_t)batch->n_threads, sizeof *batch->sensors);
        // NOLINTEND(bugprone-sizeof-expression)
        batch->reading = tn_calloc((size_t)n * (size_t)model->n_readings + 1, sizeof *batch->reading);
        batch->error = tn_calloc((size_t)n, sizeof *batch->error);
    }
    bool room = batch && batch->state && batch->sim && batch->sensors && batch->reading && batch->error;
    if (!room) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for %d states", n);
    }
    if (!room || !create(batch, error)) {
        tn_batch_destroy(batch);
        return NULL;
    }
    return batch;
}

void tn_batch_destroy(tn_batch *batch)
{
    if (!batch) {
        return;
    }
    for (int i = 0; batch->state && i < batch->n; i++) {
        tn_state_destroy(batch->state[i]);
    }
    for (int k = 0; batch->sim && k < batch->n_threads; k++) {
        tn_sim_destroy(batch->sim[k]);
    }
    for (int k = 0; batch->sensors && k < batch->n_threads; k++) {
        tn_sensors_destroy(batch->sensors[k]);
    }
    tn_free(batch->state);
    tn_free(batch->sim);
    tn_free(batch->sensors);
    tn_free(batch->reading);
    tn_free(batch->error);
    tn_free(batch);
}

int tn_batch_count(const tn_batch *batch)
{
    return batch ? batch->n : 0;
}

tn_state *tn_batch_state(tn_batch *batch, int i)
{
    return batch && i >= 0 && i < batch->n ? batch->state[i] : NULL;
}

tn_status tn_batch_set(tn_batch *batch, int n_set, const char *const *set, tn_error *error)
{
    tn_status status = batch ? TN_OK : tn_error_set(error, TN_BAD_INPUT, "there is no batch");
    for (int k = 0; status == TN_OK && k < batch->n_threads; k++) {
        status = tn_sim_set(batch->sim[k], n_set, set, error);
    }
    return status;
}

// ---- a step

static const double *row(const double *array, size_t i, size_t width)
{
    return array ? array + i * width : NULL;
}

static tn_input input_of(const tn_model *model, const tn_input *all, size_t i)
{
    size_t bodies = (size_t)model->n_bodies, nodes = (size_t)model->n_nodes, c = (size_t)model->n_joint_coordinates;
    return (tn_input){.wrench = row(all->wrench, i, 6 * bodies),
                      .node_force = row(all->node_force, i, 3 * nodes),
                      .effort = row(all->effort, i, c),
                      .target = row(all->target, i, c),
                      .target_rate = row(all->target_rate, i, c),
                      .motion = row(all->motion, i, 7 * bodies),
                      .gravity = row(all->gravity, i, 3),
                      .may_touch = all->may_touch,
                      .user = all->user};
}

static void step_one(const work *r, int i, int thread)
{
    tn_batch *batch = r->batch;
    tn_input own = {0};
    tn_status status = TN_OK;
    if (r->input) {
        own = input_of(batch->model, r->input, (size_t)i);
    }
    batch->error[i].status = TN_OK;
    for (int k = 0; status == TN_OK && k < r->n_steps; k++) {
        status = tn_sim_step(batch->sim[thread], r->input ? &own : NULL, batch->state[i],
                             r->reports ? &r->reports[i] : NULL, &batch->error[i]);
    }
    if (status == TN_OK && r->n_steps > 0 && batch->sensors[thread]) {
        status = tn_sensors_read_of(batch->sensors[thread], batch->sim[thread], batch->state[i], i,
                                    reading_of(batch, (size_t)i), &batch->error[i]);
    }
    if (r->statuses) {
        r->statuses[i] = status;
    }
}

static void step_some(const void *context, int first, int end, int thread)
{
    for (int i = first; i < end; i++) {
        step_one(context, i, thread);
    }
}

// Of the first state that failed.
static tn_status outcome(const tn_batch *batch, tn_error *error)
{
    for (int i = 0; i < batch->n; i++) {
        if (batch->error[i].status != TN_OK) {
            return tn_error_set(error, batch->error[i].status, "state %d: %.700s", i, batch->error[i].message);
        }
    }
    return TN_OK;
}

tn_status tn_batch_step(tn_batch *batch, int n_steps, const tn_input *input, tn_step_report *reports,
                        tn_status *statuses, tn_error *error)
{
    if (!batch || n_steps < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "a batch goes on by 0 or more steps, not %d", n_steps);
    }
    const work r = {.batch = batch, .n_steps = n_steps, .input = input, .reports = reports, .statuses = statuses};
    tn_team_share(batch->n_threads, batch->n, 1, step_some, &r);
    return outcome(batch, error);
}

void tn_batch_get(const tn_batch *batch, const tn_batch_arrays *out)
{
    if (!batch || !out) {
        return;
    }
    size_t bodies = (size_t)batch->model->n_bodies, nodes = (size_t)batch->model->n_nodes,
           c = (size_t)batch->model->n_joint_coordinates;
    if (out->reading) {
        memcpy(out->reading, batch->reading,
               (size_t)batch->n * (size_t)batch->model->n_readings * sizeof *out->reading);
    }
    for (size_t i = 0; i < (size_t)batch->n; i++) {
        const tn_state *state = batch->state[i];
        tn_state_get_bodies(state, out->pose ? out->pose + 7 * bodies * i : NULL,
                            out->velocity ? out->velocity + 6 * bodies * i : NULL);
        tn_state_get_nodes(state, out->x ? out->x + 3 * nodes * i : NULL, out->v ? out->v + 3 * nodes * i : NULL);
        tn_state_get_coordinates(state, out->coordinate ? out->coordinate + c * i : NULL,
                                 out->rate ? out->rate + c * i : NULL);
    }
}
