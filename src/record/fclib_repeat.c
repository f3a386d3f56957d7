// The friction problems of a recorded run, by repeating it.
#include "record/export.h"

#include "model/model.h"
#include "problem/fclib.h"
#include "record/rounding.h"
#include "record/soft_columns.h"
#include "state/state.h"
#include "tenon/sim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 1024 };

typedef struct repeated_run {
    const tn_recording *recording;
    tn_arena *arena;
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    double *poses, *velocities;          // (n_bodies, 7), (n_bodies, 6) recorded
    double *nodes;                       // (n_nodes, 3) recorded
    double *positions, *node_velocities; // (n_nodes, 3) of the run
    double *steps;                       // (n_frames) number of each frame's step
} repeated_run;

static tn_status prepare(repeated_run *run, tn_error *error)
{
    const tn_recording *r = run->recording;
    const char *name = *r->scene_path ? r->scene_path : r->path;
    tn_scene *scene = tn_scene_parse(r->scene, name, r->n_overrides, (const char *const *)r->overrides, error);
    run->model = scene ? tn_model_create(scene, error) : NULL;
    run->state = run->model ? tn_state_create(run->model, error) : NULL;
    run->sim = run->state ? tn_sim_create(run->model, error) : NULL;
    if (!run->sim) {
        return TN_BAD_INPUT;
    }
    const tn_model *model = run->model;
    if (model->hash != r->model_hash || model->n_bodies + model->n_softs != r->n_bodies ||
        model->n_nodes != r->n_nodes) {
        return tn_error_set(
            error, TN_BAD_INPUT,
            "%s: the scene in it compiles to another model than the recorded one (written by version %s)", r->path,
            r->version);
    }
    run->poses = TN_PUSH(run->arena, double, 7 * (size_t)r->n_bodies);
    run->velocities = TN_PUSH(run->arena, double, 6 * (size_t)r->n_bodies);
    run->nodes = TN_PUSH(run->arena, double, 3 * (size_t)r->n_nodes);
    run->positions = TN_PUSH(run->arena, double, 3 * (size_t)r->n_nodes);
    run->node_velocities = TN_PUSH(run->arena, double, 3 * (size_t)r->n_nodes);
    run->steps = TN_PUSH(run->arena, double, r->n_frames);
    if (!run->poses || !run->velocities || !run->nodes || !run->positions || !run->node_velocities || !run->steps) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left");
    }
    if (tn_recording_rows(r, "step", 0, r->n_frames, run->steps, error) != TN_OK) {
        return TN_BAD_INPUT;
    }
    return r->n_frames > 0 && run->steps[0] != 0.0
               ? tn_error_set(error, TN_BAD_INPUT, "%s starts from a checkpoint, so it cannot be repeated", r->path)
               : TN_OK;
}

// The run's numbers and those of the column, which may be rounded.
static bool same(const repeated_run *run, int column, size_t n, double *a, const double *b)
{
    if (memcmp(a, b, n * sizeof *a) != 0) {
        tn_round_rows(run->model, column, 1, n, a);
    }
    for (size_t k = 0; k < n; k++) {
        if (a[k] != b[k]) {
            return false;
        }
    }
    return true;
}

static tn_status leaves(const repeated_run *run, long frame, int body, tn_error *error)
{
    const tn_recording *r = run->recording;
    return tn_error_set(error, TN_BAD_INPUT,
                        "%s: the repeated run leaves the recorded one at step %.0f, body '%s'; problems need "
                        "the version and machine that recorded it (version %s)",
                        r->path, run->steps[frame], r->names[body], r->version);
}

// Nodes' places or velocities, x (n_nodes, 3), against a column.
static tn_status compare_nodes(const repeated_run *run, long frame, int column, double *x, tn_error *error)
{
    const tn_recording *r = run->recording;
    tn_status status = tn_recording_rows(r, tn_columns[column].path, frame, 1, run->nodes, error);
    for (int s = 0; status == TN_OK && s < r->n_softs; s++) {
        size_t first = 3 * (size_t)r->softs[s].first_node, n = 3 * (size_t)r->softs[s].n_nodes;
        if (!same(run, column, n, x + first, run->nodes + first)) {
            status = leaves(run, frame, r->softs[s].body, error);
        }
    }
    return status;
}

// The state against the recorded frame, to the last bit. Soft bodies are their nodes.
static tn_status compare(const repeated_run *run, long frame, tn_error *error)
{
    const tn_recording *r = run->recording;
    const tn_column_room rooms[] = {{"poses", run->poses}, {"velocities", run->velocities}};
    tn_status status = tn_recording_row(r, frame, 2, rooms, error);
    for (int body = 0; status == TN_OK && body < run->model->n_bodies; body++) {
        double pose[7], velocity[6];
        tn_state_body_pose(run->state, body, pose, pose + 3);
        tn_state_body_velocity(run->state, body, velocity, velocity + 3);
        if (!same(run, TN_COLUMN_POSES, 7, pose, run->poses + 7 * body) ||
            !same(run, TN_COLUMN_VELOCITIES, 6, velocity, run->velocities + 6 * body)) {
            status = leaves(run, frame, body, error);
        }
    }
    if (status != TN_OK || r->n_softs == 0) {
        return status;
    }
    tn_soft_velocities_at(run->state, run->node_velocities);
    memcpy(run->positions, run->state->x, 3 * (size_t)r->n_nodes * sizeof(double));
    status = compare_nodes(run, frame, TN_COLUMN_NODE_POSITIONS, run->positions, error);
    return status == TN_OK ? compare_nodes(run, frame, TN_COLUMN_NODE_VELOCITIES, run->node_velocities, error) : status;
}

static tn_status write_problem(const repeated_run *run, const char *folder, long step, long *n_written, tn_error *error)
{
    const tn_solution *solution;
    const tn_problem *problem = tn_sim_problem(run->sim, &solution);
    if (problem->rows->n_triples == 0) {
        return TN_OK;
    }
    char path[PATH_SIZE], title[256];
    snprintf(path, sizeof path, "%s/step_%06ld.hdf5", folder, step);
    const char *name = run->recording->title;
    snprintf(title, sizeof title, "%.180s%sstep %ld, h = %.9g s", name, *name ? ", " : "", step, problem->step);
    ++*n_written;
    return tn_fclib_write(path, problem, title, error);
}

static tn_status repeat(repeated_run *run, const char *folder, long every, long *n_written, tn_error *error)
{
    const tn_recording *r = run->recording;
    long step = 0;
    tn_status status = TN_OK;
    for (long frame = 1; status == TN_OK && frame < r->n_frames; frame++) {
        while (status == TN_OK && (double)step < run->steps[frame]) {
            tn_step_report report;
            status = tn_sim_step(run->sim, NULL, run->state, &report, error);
            step++;
            if (status == TN_OK && step % every == 0) {
                status = write_problem(run, folder, step, n_written, error);
            }
        }
        status = status == TN_OK ? compare(run, frame, error) : status;
    }
    return status;
}

tn_status tn_export_fclib(const tn_recording *recording, const char *folder, long every, long *n_written,
                          tn_error *error)
{
    repeated_run run = {.recording = recording};
    *n_written = 0;
    run.arena = tn_arena_create(0);
    tn_status status = run.arena ? prepare(&run, error) : tn_error_set(error, TN_NO_MEMORY, "no memory left");
    if (status == TN_OK && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        status = tn_error_set(error, TN_IO, "cannot make the folder %s: %s", folder, strerror(errno));
    }
    status = status == TN_OK ? repeat(&run, folder, every, n_written, error) : status;
    tn_arena_destroy(run.arena);
    tn_sim_destroy(run.sim);
    tn_state_destroy(run.state);
    tn_model_destroy(run.model);
    return status;
}
