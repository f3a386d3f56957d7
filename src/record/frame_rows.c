#include "record/frame_rows.h"

#include "base/memory.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/lanes.h"
#include "record/rounding.h"
#include "record/soft_columns.h"
#include "state/sleep.h"

#include <math.h>
#include <string.h>

enum { FIRST_ROWS = 100 };
static const size_t first_bytes = 1u << 20;
static const double SLIPS =
    1e-6; // [m/s] more than rounding, which is what a plan at the bound of friction has without slip

static bool reserve(tn_waiting *column, size_t n_more)
{
    size_t wanted = column->n_rows + n_more;
    if (wanted <= column->capacity || column->row_bytes == 0) {
        return true;
    }
    size_t capacity = wanted > 2 * column->capacity ? wanted : 2 * column->capacity;
    size_t least = first_bytes / column->row_bytes < FIRST_ROWS ? first_bytes / column->row_bytes : FIRST_ROWS;
    capacity = capacity < least ? least : capacity;
    char *data = tn_realloc(column->data, capacity * column->row_bytes);
    if (!data) {
        return false;
    }
    column->data = data;
    column->capacity = capacity;
    return true;
}

// The next row, reserved before.
static void *next_row(tn_frame_rows *rows, tn_column_id id)
{
    tn_waiting *column = &rows->columns[id];
    return column->data + column->row_bytes * column->n_rows++;
}

static void *last_row(const tn_frame_rows *rows, tn_column_id id)
{
    const tn_waiting *column = &rows->columns[id];
    return column->data + column->row_bytes * (column->n_rows - 1);
}

static void put_double(tn_frame_rows *rows, int id, double value)
{
    memcpy(next_row(rows, (tn_column_id)id), &value, sizeof value);
}

static void put_int64(tn_frame_rows *rows, tn_column_id id, int64_t value)
{
    memcpy(next_row(rows, id), &value, sizeof value);
}

static void put_bodies(tn_frame_rows *rows, const tn_state *state)
{
    double *poses = next_row(rows, TN_COLUMN_POSES);
    double *velocities = next_row(rows, TN_COLUMN_VELOCITIES);
    for (int body = 0; body < rows->model->n_bodies; body++) {
        tn_state_body_pose(state, body, poses + 7 * body, poses + 7 * body + 3);
        tn_state_body_velocity(state, body, velocities + 6 * body, velocities + 6 * body + 3);
    }
}

// Nodes, and the rows of poses and velocities (put before) that stand for the bodies they make up.
static void put_softs(tn_frame_rows *rows, const tn_state *state, const tn_soft_columns *columns)
{
    const tn_model *model = rows->model;
    double *nodes = next_row(rows, TN_COLUMN_NODE_POSITIONS);
    double *velocities = next_row(rows, TN_COLUMN_NODE_VELOCITIES);
    memcpy(nodes, state->x, 3 * (size_t)model->n_nodes * sizeof *nodes);
    tn_soft_velocities_at(state, velocities);
    double *pose = (double *)last_row(rows, TN_COLUMN_POSES) + 7 * model->n_bodies;
    double *velocity = (double *)last_row(rows, TN_COLUMN_VELOCITIES) + 6 * model->n_bodies;
    for (int s = 0; s < model->n_softs; s++) {
        tn_soft_mean(model, s, nodes, pose + 7 * s);
        tn_quat_identity(pose + 7 * s + 3);
        tn_soft_mean(model, s, velocities, velocity + 6 * s);
        tn_vec3_set(velocity + 6 * s + 3, 0.0, 0.0, 0.0);
    }
    memcpy(next_row(rows, TN_COLUMN_SOFT_ENERGY), columns->energy, (size_t)model->n_softs * sizeof(double));
    if (columns->stress) {
        float *stress = next_row(rows, TN_COLUMN_STRESS);
        for (size_t k = 0; k < 6 * (size_t)model->n_tets; k++) {
            stress[k] = (float)columns->stress[k];
        }
    }
}

// The initial frame has no step: its figures and timings are NaN.
static void put_report(tn_frame_rows *rows, const tn_step_report *report, const tn_energy *energy)
{
    int32_t iterations = report ? report->solve.iterations : 0;
    memcpy(next_row(rows, TN_COLUMN_ITERATIONS), &iterations, sizeof iterations);
    *(uint8_t *)next_row(rows, TN_COLUMN_TOLERANCES_HELD) = !report || report->tolerances_held;
    const tn_certificate *c = report ? &report->solve.certificate : NULL;
    const double figures[11] = {
        c ? c->momentum : NAN,       c ? c->signorini_primal : NAN,
        c ? c->signorini_dual : NAN, c ? c->complementarity : NAN,
        c ? c->cone : NAN,           c ? c->dissipation : NAN,
        c ? c->natural : NAN,        c ? c->fclib : NAN,
        c ? c->strict_natural : NAN, c ? c->strict_complementarity : NAN,
        c ? c->penetration : NAN,
    };
    const double timings[5] = {
        report ? report->collide_s : NAN, report ? report->discretize_s : NAN, report ? report->solve_s : NAN,
        report ? report->certify_s : NAN, report ? report->total_s : NAN,
    };
    const double joules[6] = {energy->kinetic,    energy->gravity,  energy->elastic,
                              energy->dissipated, energy->injected, energy->balance};
    for (int k = 0; k < 11; k++) {
        put_double(rows, TN_COLUMN_CERTIFICATE + k, figures[k]);
    }
    for (int k = 0; k < 5; k++) {
        put_double(rows, TN_COLUMN_TIMING + k, timings[k]);
    }
    for (int k = 0; k < 6; k++) {
        put_double(rows, TN_COLUMN_ENERGY + k, joules[k]);
    }
    memcpy(next_row(rows, TN_COLUMN_MOMENTUM), energy->momentum, sizeof energy->momentum);
    memcpy(next_row(rows, TN_COLUMN_ANGULAR_MOMENTUM), energy->angular_momentum, sizeof energy->angular_momentum);
}

// The columns of joints' free coordinates, where there are any.
typedef struct coordinate_rows {
    double *value, *rate, *effort;
    uint8_t *condition;
} coordinate_rows;

static coordinate_rows next_coordinates(tn_frame_rows *rows)
{
    if (rows->model->n_joint_coordinates == 0) {
        return (coordinate_rows){NULL, NULL, NULL, NULL};
    }
    return (coordinate_rows){.value = next_row(rows, TN_COLUMN_JOINT_COORDINATE),
                             .rate = next_row(rows, TN_COLUMN_JOINT_RATE),
                             .effort = next_row(rows, TN_COLUMN_JOINT_EFFORT),
                             .condition = next_row(rows, TN_COLUMN_JOINT_CONDITION)};
}

// Those of joint j.
static void put_coordinates(const coordinate_rows *rows, const tn_model_joint *joint, const tn_state *state, int j,
                            const tn_joint_info *info)
{
    double q[3] = {0.0}, rate[3] = {0.0};
    tn_state_joint(state, j, q, rate);
    for (int k = 0; k < joint->n_coordinates && k < 3; k++) {
        int c = joint->first_coordinate + k;
        rows->value[c] = q[k];
        rows->rate[c] = rate[k];
        rows->effort[c] = info->effort[k];
        rows->condition[c] = (uint8_t)info->condition[k];
    }
}

// Forces of a frame without a step, and of the last good one once a step has failed, are NaN.
static void put_joints(tn_frame_rows *rows, const tn_sim *sim, const tn_state *state, const tn_step_report *report)
{
    const tn_model *model = rows->model;
    put_double(rows, TN_COLUMN_CERTIFICATE_JOINT, report ? report->solve.certificate.joint : NAN);
    put_double(rows, TN_COLUMN_CERTIFICATE_DRIFT, report ? report->solve.certificate.drift : NAN);
    double *force = next_row(rows, TN_COLUMN_JOINT_FORCE), *torque = next_row(rows, TN_COLUMN_JOINT_TORQUE);
    double *violation = next_row(rows, TN_COLUMN_JOINT_VIOLATION);
    const coordinate_rows coordinates = next_coordinates(rows);
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        tn_joint_info info = {
            .force = {NAN, NAN, NAN}, .torque = {NAN, NAN, NAN}, .violation = {NAN, NAN}, .effort = {NAN, NAN, NAN}};
        if (report && sim->solving.answer.solution.lambda) {
            tn_sim_joint(sim, state, j, &info);
        }
        tn_vec3_copy(force + 3 * j, info.force);
        tn_vec3_copy(torque + 3 * j, info.torque);
        memcpy(violation + 2 * j, info.violation, sizeof info.violation);
        if (coordinates.value) {
            put_coordinates(&coordinates, joint, state, j, &info);
        }
    }
}

// Into the row that is the next to be taken. What wants a step is NaN in a frame without one.
static tn_status read_sensors(tn_frame_rows *rows, const tn_sim *sim, const tn_state *state,
                              const tn_step_report *report, tn_error *error)
{
    double *reading = next_row(rows, TN_COLUMN_SENSOR_READING);
    tn_status status = tn_sensors_read(rows->sensors, report ? sim : NULL, state, reading, error);
    rows->columns[TN_COLUMN_SENSOR_READING].n_rows -= status != TN_OK;
    return status;
}

static void put_contact(tn_frame_rows *rows, const tn_contact_info *contact)
{
    int32_t bodies[2] = {contact->body_a, contact->body_b};
    memcpy(next_row(rows, TN_COLUMN_CONTACT_BODIES), bodies, sizeof bodies);
    memcpy(next_row(rows, TN_COLUMN_CONTACT_POINT), contact->point, sizeof contact->point);
    memcpy(next_row(rows, TN_COLUMN_CONTACT_NORMAL), contact->normal, sizeof contact->normal);
    put_double(rows, TN_COLUMN_CONTACT_GAP, contact->gap);
    memcpy(next_row(rows, TN_COLUMN_CONTACT_FORCE), contact->force, sizeof contact->force);
    memcpy(next_row(rows, TN_COLUMN_CONTACT_VELOCITY), contact->velocity, sizeof contact->velocity);
    if (rows->model->any_foundation) {
        memcpy(next_row(rows, TN_COLUMN_CONTACT_PATCH), contact->patch, sizeof contact->patch);
    }
}

static bool reserve_frame(tn_frame_rows *rows, int n_contacts)
{
    bool ok = true;
    for (int id = 0; ok && id < TN_COLUMN_COUNT; id++) {
        bool contact = tn_column_by_contact(&tn_columns[id]);
        ok = reserve(&rows->columns[id], contact ? (size_t)n_contacts : 1);
    }
    return ok;
}

// The frame that was put last.
static void round_frame(tn_frame_rows *rows, size_t n_contacts)
{
    for (int id = 0; rows->rounded && id < TN_COLUMN_COUNT; id++) {
        const tn_waiting *column = &rows->columns[id];
        size_t n = tn_column_by_contact(&tn_columns[id]) ? n_contacts : 1;
        if (tn_column_is_rounded(id) && column->row_bytes > 0 && n > 0) {
            double *first = (double *)(void *)(column->data + column->row_bytes * (column->n_rows - n));
            tn_round_rows(rows->model, id, n, column->row_bytes / sizeof(double), first);
        }
    }
}

tn_status tn_frame_rows_add(tn_frame_rows *rows, const tn_sim *sim, const tn_state *state, const tn_step_report *report,
                            tn_error *error)
{
    const tn_model *model = rows->model;
    int n_contacts = report && model->settings.record_contacts ? tn_sim_contact_count(sim) : 0;
    if (!reserve_frame(rows, n_contacts)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left for the recording");
    }
    tn_energy energy = {0};
    tn_soft_columns soft = {0};
    tn_status status = report ? TN_OK : tn_state_energy(state, &energy, error);
    if (status == TN_OK && model->n_softs > 0) {
        tn_arena_reset(rows->scratch);
        status = tn_soft_columns_at(sim, state, model->settings.record_stress, rows->scratch, &soft, error);
    }
    if (status == TN_OK && rows->sensors) { // first of all that a row takes: where it fails, none has been taken
        status = read_sensors(rows, sim, state, report, error);
    }
    if (status != TN_OK) {
        return status;
    }
    put_double(rows, TN_COLUMN_TIME, tn_state_time(state));
    put_int64(rows, TN_COLUMN_STEP, state->step_count);
    put_bodies(rows, state);
    if (soft.energy) {
        put_softs(rows, state, &soft);
    }
    put_report(rows, report, report ? &report->energy : &energy);
    if (model->settings.sleep_after > 0.0) {
        int32_t asleep = tn_sleep_count(state);
        memcpy(next_row(rows, TN_COLUMN_ASLEEP), &asleep, sizeof asleep);
    }
    for (int k = 0; model->scene->mpc && k < TN_PLAN_FIGURES; k++) {
        put_double(rows, TN_COLUMN_PLAN + k, rows->plan[k]);
    }
    if (rows->ahead) {
        memcpy(next_row(rows, TN_COLUMN_PLAN_POSES), rows->ahead, rows->columns[TN_COLUMN_PLAN_POSES].row_bytes);
    }
    if (model->n_joints > 0) {
        put_joints(rows, sim, state, report);
    }
    for (int k = 0; k < n_contacts; k++) {
        tn_contact_info contact;
        tn_sim_contact(sim, k, &contact);
        put_contact(rows, &contact);
    }
    round_frame(rows, (size_t)n_contacts);
    rows->n_contacts += n_contacts;
    put_int64(rows, TN_COLUMN_CONTACT_OFFSET, rows->n_contacts);
    return TN_OK;
}

// The bit of a row's lane; 0: it has none.
static uint64_t lane_bit(const tn_model *model, const tn_lcs_row *row)
{
    const int lane = row->shape_a >= 0 ? tn_model_pair_lane(model, row->shape_a, row->shape_b)
                                       : tn_model_limit_lane(model, row->coordinate);
    return lane >= 0 ? UINT64_C(1) << lane : 0;
}

void tn_frame_rows_plan(tn_frame_rows *rows, const tn_plan *plan, const tn_lcs_row *of)
{
    uint64_t mode = 0, slides = 0;
    double touching = 0.0;
    for (int k = 0; k < plan->horizon; k++) {
        bool any = false;
        for (int i = 0; i < plan->n_c; i++) {
            const bool closed = plan->mode[k * plan->n_c + i] == TN_PLAN_CLOSED;
            const bool presses = closed && (of[i].kind == TN_LCS_NORMAL || of[i].kind == TN_LCS_LIMIT);
            any = any || presses;
            const bool slips = closed && of[i].kind == TN_LCS_SLIP && plan->c[k * plan->n_c + i] > SLIPS;
            mode |= k == 0 && presses ? lane_bit(rows->model, &of[i]) : 0;
            slides |= k == 0 && slips ? lane_bit(rows->model, &of[i]) : 0;
        }
        touching += any;
    }
    const double figures[TN_PLAN_FIGURES] = {plan->status,  plan->cost,          plan->bound,  plan->gap,
                                             plan->seconds, (double)plan->nodes, (double)mode, (double)(slides & mode),
                                             touching};
    memcpy(rows->plan, figures, sizeof figures);
}

void tn_frame_rows_ahead(tn_frame_rows *rows, const double *poses)
{
    size_t n = rows->columns[TN_COLUMN_PLAN_POSES].row_bytes / sizeof *rows->ahead;
    for (size_t k = 0; k < n; k++) {
        rows->ahead[k] = poses ? (float)poses[k] : NAN;
    }
}

bool tn_frame_rows_create(const tn_model *model, tn_frame_rows *rows)
{
    tn_column_items items = tn_column_items_of(model);
    *rows = (tn_frame_rows){.model = model, .scratch = tn_arena_create(0)};
    for (int k = 0; k < TN_PLAN_FIGURES; k++) {
        rows->plan[k] = NAN;
    }
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        rows->columns[id].row_bytes = tn_column_row_bytes(&tn_columns[id], &items);
    }
    bool plans = rows->columns[TN_COLUMN_PLAN_POSES].row_bytes > 0;
    rows->ahead = plans ? tn_calloc(rows->columns[TN_COLUMN_PLAN_POSES].row_bytes, 1) : NULL;
    if (rows->ahead) {
        tn_frame_rows_ahead(rows, NULL);
    }
    rows->sensors = model->n_sensors > 0 ? tn_sensors_create(model, NULL) : NULL;
    return rows->scratch && (rows->ahead || !plans) && (rows->sensors || model->n_sensors == 0);
}

void tn_frame_rows_free(tn_frame_rows *rows)
{
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        tn_free(rows->columns[id].data);
    }
    tn_free(rows->ahead);
    tn_sensors_destroy(rows->sensors);
    tn_arena_destroy(rows->scratch);
}

size_t tn_frame_rows_bytes(const tn_frame_rows *rows)
{
    size_t bytes = 0;
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        bytes += rows->columns[id].n_rows * rows->columns[id].row_bytes;
    }
    return bytes;
}

void tn_frame_rows_clear(tn_frame_rows *rows)
{
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        rows->columns[id].n_rows = 0;
    }
}
