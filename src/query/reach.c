// Mechanisms placed by coordinates, and inverse kinematics: Levenberg-Marquardt on the errors of all targets, with
// coordinates that press against a limit held there.
#include "query/dynamics.h"

#include "math/dense.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

// ---- places

// All links where the coordinates place them; bases where pose has them, spherical joints as turn (n_links) has them.
static void place_links(const tn_dynamics *d, const double *coordinate, double (*turn)[4], tn_pose *pose)
{
    for (int l = 0; l < d->trees->n_links; l++) {
        const tn_tree_link *link = &d->trees->link[l];
        if (link->joint >= 0) {
            tn_tree_place(d->model, link, &pose[link->from], coordinate, turn[l], &pose[link->body]);
        }
    }
}

static void find_turns(const tn_dynamics *d, const tn_pose *pose, double (*turn)[4])
{
    for (int l = 0; l < d->trees->n_links; l++) {
        const tn_tree_link *link = &d->trees->link[l];
        if (link->joint >= 0 && d->model->joints[link->joint].kind == TN_JOINT_SPHERICAL) {
            tn_joint_turn(&d->model->joints[link->joint], pose, turn[l]);
        }
    }
}

// Places and rates into a state.
static tn_status put(tn_dynamics *d, const tn_pose *pose, const double *nu, const double *coordinate, tn_state *state,
                     tn_error *error)
{
    size_t n = (size_t)d->model->n_bodies;
    tn_tree_step step;
    double *own = TN_PUSH_RAW(d->scratch, double, 7 * n), *velocity = TN_PUSH_RAW(d->scratch, double, 6 * n);
    if (!own || !velocity || tn_tree_step_build(&d->view, pose, NULL, state->time, 0.0, d->scratch, &step) != TN_OK ||
        tn_tree_arrive(&step, state->time, pose, coordinate, nu, d->scratch, d->v) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the places of %zu bodies", n);
    }
    for (size_t b = 0; b < n; b++) {
        const tn_model_body *body = &d->model->bodies[b];
        own[7 * b] = velocity[6 * b] = NAN;
        if (d->trees->link_of[b] < 0) {
            continue;
        }
        tn_pose undo, frame;
        double arm[3], spin[3];
        const double *v = d->v + 3 * (size_t)body->block;
        tn_pose_undo(&undo, &body->principal);
        tn_pose_join(&frame, &pose[b], &undo);
        tn_vec3_copy(own + 7 * b, frame.position);
        memcpy(own + 7 * b + 3, frame.quaternion, sizeof frame.quaternion);
        tn_quat_rotate(velocity + 6 * b + 3, pose[b].quaternion, v + 3);
        tn_vec3_sub(arm, frame.position, pose[b].position);
        tn_vec3_cross(spin, velocity + 6 * b + 3, arm);
        tn_vec3_add(velocity + 6 * b, v, spin);
    }
    memcpy(state->joint_coordinate, coordinate, (size_t)d->model->n_joint_coordinates * sizeof *coordinate);
    return tn_state_set_bodies(state, own, velocity, error);
}

// What coordinates are of trees' joints.
static void mark_coordinates(const tn_dynamics *d, bool *ours)
{
    for (int l = 0; l < d->trees->n_links; l++) {
        const tn_model_joint *joint = d->trees->link[l].joint >= 0 ? &d->model->joints[d->trees->link[l].joint] : NULL;
        for (int k = 0; joint && k < joint->n_coordinates; k++) {
            ours[joint->first_coordinate + k] = true;
        }
    }
}

static tn_status check_numbers(const tn_dynamics *d, const double *x, const bool *ours, tn_error *error)
{
    for (int c = 0; x && c < d->model->n_joint_coordinates; c++) {
        if (isinf(x[c])) {
            return tn_error_set(error, TN_BAD_INPUT, "coordinate %d is to be infinite", c);
        }
        if (!isnan(x[c]) && !ours[c]) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "coordinate %d is of a joint that does not place a body: leave it NaN", c);
        }
    }
    return TN_OK;
}

tn_status tn_dynamics_set(tn_dynamics *d, tn_state *state, const double *coordinate, const double *rate,
                          tn_error *error)
{
    tn_status status = tn_dynamics_update(d, state, error);
    if (status != TN_OK || !d->trees) {
        return status;
    }
    size_t n = (size_t)d->model->n_joint_coordinates;
    bool *ours = TN_PUSH(d->scratch, bool, n);
    double *all = TN_PUSH_RAW(d->scratch, double, n);
    double(*turn)[4] = (double(*)[4])TN_PUSH(d->scratch, double, 4 * (size_t)d->trees->n_links);
    tn_pose *pose = TN_PUSH_RAW(d->scratch, tn_pose, d->model->n_bodies);
    if (!ours || !all || !turn || !pose) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu coordinates", n);
    }
    mark_coordinates(d, ours);
    status = check_numbers(d, coordinate, ours, error);
    status = status == TN_OK ? check_numbers(d, rate, ours, error) : status;
    if (status != TN_OK) {
        return status;
    }
    for (size_t c = 0; c < n; c++) {
        all[c] = coordinate && !isnan(coordinate[c]) ? coordinate[c] : state->joint_coordinate[c];
    }
    for (int l = 0; rate && l < d->trees->n_links; l++) {
        const tn_tree_link *link = &d->trees->link[l];
        const tn_model_joint *joint = link->joint >= 0 ? &d->model->joints[link->joint] : NULL;
        for (int k = 0; joint && k < joint->n_coordinates; k++) {
            double given = rate[joint->first_coordinate + k];
            d->nu[link->rate + k] = isnan(given) ? d->nu[link->rate + k] : given;
        }
    }
    memcpy(pose, d->pose, (size_t)d->model->n_bodies * sizeof *pose);
    find_turns(d, d->pose, turn);
    place_links(d, all, turn, pose);
    status = put(d, pose, d->nu, all, state, error);
    return status == TN_OK ? tn_dynamics_update(d, state, error) : status;
}

// ---- inverse kinematics

enum { MOST_ITERATIONS = 200 };
static const double TOLERANCE = 1e-6;

typedef struct reach {
    tn_dynamics *d;
    int n, rows; // targets, errors
    const tn_reach *target;
    bool move_bases;
    double *coordinate, *trial_coordinate; // (n_joint_coordinates)
    double (*turn)[4], (*trial_turn)[4];   // (n_links)
    tn_pose *pose, *trial_pose;            // (n_bodies)
    double *error, *trial_error;           // (6 n)
    double *J;                             // (6 n, n_rates)
    double *normal, *right, *step;         // (n_rates square), (n_rates)
    bool *held;                            // (n_rates)
} reach;

static tn_status check_targets(const tn_dynamics *d, int n, const tn_reach *targets, tn_error *error)
{
    if (n < 0 || (n > 0 && !targets)) {
        return tn_error_set(error, TN_BAD_INPUT, "inverse kinematics of %d targets", n);
    }
    for (int i = 0; i < n; i++) {
        const tn_reach *t = &targets[i];
        double sum = t->point[0] + t->point[1] + t->point[2] + t->weight;
        double size = 1.0;
        for (int k = 0; t->position && k < 3; k++) {
            sum += t->position[k];
        }
        if (t->orientation) {
            const double *q = t->orientation;
            size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        }
        if (t->body < 0 || t->body >= d->model->n_bodies || !isfinite(sum) || t->weight < 0.0 ||
            !(size > 0.0 && isfinite(size))) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "target %d of inverse kinematics: no such rigid body, or numbers that are not finite",
                                i);
        }
    }
    return TN_OK;
}

static void own_frame(const tn_dynamics *d, int body, const tn_pose *pose, tn_pose *out)
{
    tn_pose undo;
    tn_pose_undo(&undo, &d->model->bodies[body].principal);
    tn_pose_join(out, &pose[body], &undo);
}

// Errors of all targets, weighted, into out (6 n); returns half their sum of squares. report: the largest, unweighted.
static double find_errors(const reach *r, const tn_pose *pose, double *out, tn_reach_report *report)
{
    double sum = 0.0;
    report->position_error = report->angle_error = 0.0;
    for (int i = 0; i < r->n; i++) {
        const tn_reach *t = &r->target[i];
        double weight = t->weight > 0.0 ? sqrt(t->weight) : 1.0, *e = out + 6 * (size_t)i, place[3];
        tn_pose own;
        own_frame(r->d, t->body, pose, &own);
        memset(e, 0, 6 * sizeof *e);
        if (t->position) {
            tn_pose_point(place, &own, t->point);
            tn_vec3_sub(e, t->position, place);
            report->position_error = fmax(report->position_error, tn_vec3_norm(e));
        }
        if (t->orientation) {
            double undo[4], turn[4];
            tn_quat_conjugate(undo, own.quaternion);
            memcpy(turn, t->orientation, sizeof turn);
            tn_quat_normalize(turn);
            tn_quat_mul(turn, turn, undo);
            tn_quat_log(e + 3, turn);
            report->angle_error = fmax(report->angle_error, tn_vec3_norm(e + 3));
        }
        for (int k = 0; k < 6; k++) {
            e[k] *= weight;
            sum += 0.5 * e[k] * e[k];
        }
    }
    return sum;
}

static tn_status find_jacobian(reach *r, tn_error *error)
{
    tn_dynamics *d = r->d;
    int n = d->n;
    memcpy(d->pose, r->pose, (size_t)d->model->n_bodies * sizeof *d->pose);
    if (tn_tree_step_build(&d->view, d->pose, NULL, 0.0, 0.0, d->scratch, &d->step) != TN_OK) {
        d->updated = false;
        return tn_error_set(error, TN_NO_MEMORY, "no memory for inverse kinematics");
    }
    for (int i = 0; i < r->n; i++) {
        const tn_reach *t = &r->target[i];
        double weight = t->weight > 0.0 ? sqrt(t->weight) : 1.0, *J = r->J + 6 * (size_t)i * (size_t)n;
        tn_status status = tn_dynamics_jacobian(d, t->body, t->point, J, error);
        if (status != TN_OK) {
            return status;
        }
        for (int k = 0; k < 6 * n; k++) {
            bool counts = k / n < 3 ? t->position != NULL : t->orientation != NULL;
            J[k] *= counts ? weight : 0.0;
        }
    }
    return TN_OK;
}

// The drive of rate i's coordinate, and its number; NULL: the rate is of no coordinate.
static const tn_scene_drive *drive_of(const tn_dynamics *d, int i, int *coordinate)
{
    int joint, which;
    tn_dynamics_rate(d, i, &joint, coordinate, NULL, &which, NULL);
    return *coordinate >= 0 ? &d->model->joints[joint].description->drive[d->model->joints[joint].axis[which]] : NULL;
}

// Rates that must not change: of bases, and of coordinates at a limit that the errors press them against.
static void hold_rates(const reach *r)
{
    const tn_dynamics *d = r->d;
    for (int i = 0; i < d->n; i++) {
        int joint, coordinate;
        tn_dynamics_rate(d, i, &joint, &coordinate, NULL, NULL, NULL);
        const tn_scene_drive *drive = drive_of(d, i, &coordinate);
        double q = drive ? r->coordinate[coordinate] : 0.0;
        r->held[i] = (joint < 0 && !r->move_bases) ||
                     (drive && ((q <= drive->low && r->right[i] < 0.0) || (q >= drive->high && r->right[i] > 0.0)));
    }
}

static void find_normal(reach *r)
{
    int n = r->d->n;
    memset(r->right, 0, (size_t)n * sizeof *r->right);
    memset(r->normal, 0, (size_t)n * (size_t)n * sizeof *r->normal);
    for (int row = 0; row < 6 * r->n; row++) {
        const double *J = r->J + (size_t)row * (size_t)n;
        for (int i = 0; i < n; i++) {
            r->right[i] += J[i] * r->error[row];
            for (int k = 0; J[i] != 0.0 && k <= i; k++) {
                r->normal[(size_t)i * (size_t)n + (size_t)k] += J[i] * J[k];
            }
        }
    }
}

// (J^T J + damping) step = J^T e of the rates that may change.
static bool solve_step(const reach *r, double damping, double *factor)
{
    int n = r->d->n;
    memcpy(factor, r->normal, (size_t)n * (size_t)n * sizeof *factor);
    for (int i = 0; i < n; i++) {
        r->step[i] = r->held[i] ? 0.0 : r->right[i];
        factor[(size_t)i * (size_t)(n + 1)] += damping;
        for (int k = 0; k < n; k++) {
            if (k != i && (r->held[i] || r->held[k])) {
                factor[(size_t)i * (size_t)n + (size_t)k] = 0.0;
            }
        }
    }
    if (!tn_dense_cholesky(n, factor)) {
        return false;
    }
    tn_dense_cholesky_solve(n, factor, r->step);
    return true;
}

// A free base moved by its six rates.
static void move_base(const double *way, tn_pose *pose)
{
    double turn[4];
    tn_vec3_add(pose->position, pose->position, way);
    tn_quat_exp(turn, way + 3);
    tn_quat_mul(pose->quaternion, pose->quaternion, turn);
    tn_quat_normalize(pose->quaternion);
}

// The trial: the step made, coordinates kept within their limits.
static void make_trial(const reach *r)
{
    const tn_dynamics *d = r->d;
    size_t n_bodies = (size_t)d->model->n_bodies;
    memcpy(r->trial_coordinate, r->coordinate, (size_t)d->model->n_joint_coordinates * sizeof *r->coordinate);
    memcpy(r->trial_turn, r->turn, (size_t)d->trees->n_links * sizeof *r->turn);
    memcpy(r->trial_pose, r->pose, n_bodies * sizeof *r->pose);
    for (int i = 0; i < d->n; i++) {
        int coordinate;
        const tn_scene_drive *drive = drive_of(d, i, &coordinate);
        if (drive) {
            r->trial_coordinate[coordinate] =
                fmin(fmax(r->coordinate[coordinate] + r->step[i], drive->low), drive->high);
        }
        d->full[d->place[i]] = r->step[i];
    }
    for (int l = 0; l < d->trees->n_links; l++) {
        const tn_tree_link *link = &d->trees->link[l];
        if (link->joint < 0) {
            move_base(d->full + link->rate, &r->trial_pose[link->body]);
        } else if (d->model->joints[link->joint].kind == TN_JOINT_SPHERICAL) {
            double turn[4];
            tn_quat_exp(turn, d->full + link->rate);
            tn_quat_mul(r->trial_turn[l], turn, r->turn[l]);
            tn_quat_normalize(r->trial_turn[l]);
        }
    }
    place_links(d, r->trial_coordinate, r->trial_turn, r->trial_pose);
}

static void accept(reach *r)
{
    const tn_dynamics *d = r->d;
    memcpy(r->coordinate, r->trial_coordinate, (size_t)d->model->n_joint_coordinates * sizeof *r->coordinate);
    memcpy(r->turn, r->trial_turn, (size_t)d->trees->n_links * sizeof *r->turn);
    memcpy(r->pose, r->trial_pose, (size_t)d->model->n_bodies * sizeof *r->pose);
    memcpy(r->error, r->trial_error, 6 * (size_t)r->n * sizeof *r->error);
}

static bool make_room(reach *r, const tn_state *state)
{
    tn_dynamics *d = r->d;
    size_t n = (size_t)d->n, n_c = (size_t)d->model->n_joint_coordinates, n_l = (size_t)d->trees->n_links;
    size_t n_b = (size_t)d->model->n_bodies, rows = 6 * (size_t)r->n;
    double **numbers[] = {&r->error, &r->trial_error, &r->J,          &r->normal,
                          &r->right, &r->step,        &r->coordinate, &r->trial_coordinate};
    const size_t sizes[] = {rows, rows, rows * n, n * n, n, n, n_c, n_c};
    bool ok = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ok = (*numbers[i] = TN_PUSH(d->scratch, double, sizes[i])) && ok;
    }
    r->turn = (double(*)[4])TN_PUSH(d->scratch, double, 4 * n_l);
    r->trial_turn = (double(*)[4])TN_PUSH(d->scratch, double, 4 * n_l);
    r->pose = TN_PUSH_RAW(d->scratch, tn_pose, n_b);
    r->trial_pose = TN_PUSH_RAW(d->scratch, tn_pose, n_b);
    r->held = TN_PUSH(d->scratch, bool, n);
    if (!ok || !r->turn || !r->trial_turn || !r->pose || !r->trial_pose || !r->held) {
        return false;
    }
    memcpy(r->coordinate, state->joint_coordinate, n_c * sizeof *r->coordinate);
    memcpy(r->pose, state->pose, n_b * sizeof *r->pose);
    find_turns(d, r->pose, r->turn);
    for (int i = 0; i < d->n; i++) { // from within the limits
        int coordinate;
        const tn_scene_drive *drive = drive_of(d, i, &coordinate);
        if (drive) {
            r->coordinate[coordinate] = fmin(fmax(r->coordinate[coordinate], drive->low), drive->high);
        }
    }
    place_links(d, r->coordinate, r->turn, r->pose);
    return true;
}

static tn_status search(reach *r, double tolerance, int most, tn_reach_report *report, tn_error *error)
{
    tn_dynamics *d = r->d;
    double damping = 1e-3, sum = find_errors(r, r->pose, r->error, report), *factor;
    factor = TN_PUSH_RAW(d->scratch, double, (size_t)d->n *(size_t)d->n);
    tn_arena_mark mark = tn_arena_get_mark(d->scratch);
    for (int k = 0; factor && k < most; k++) {
        report->reached = report->position_error <= tolerance && report->angle_error <= tolerance;
        if (report->reached || damping > 1e12) {
            return TN_OK;
        }
        report->iterations++;
        tn_status status = find_jacobian(r, error);
        tn_arena_release(d->scratch, mark);
        if (status != TN_OK) {
            return status;
        }
        find_normal(r);
        hold_rates(r);
        tn_reach_report trial = *report;
        double next = HUGE_VAL;
        if (solve_step(r, damping, factor)) {
            make_trial(r);
            next = find_errors(r, r->trial_pose, r->trial_error, &trial);
        }
        if (next < sum) {
            accept(r);
            *report = trial;
            sum = next;
            damping = fmax(damping * 0.1, 1e-12);
        } else {
            damping *= 10.0;
        }
    }
    report->reached = report->position_error <= tolerance && report->angle_error <= tolerance;
    return factor ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for inverse kinematics");
}

tn_status tn_dynamics_reach(tn_dynamics *d, tn_state *state, int n, const tn_reach *targets,
                            const tn_reach_options *options, tn_reach_report *report, tn_error *error)
{
    tn_reach_report own;
    report = report ? report : &own;
    *report = (tn_reach_report){.reached = false};
    tn_status status = tn_dynamics_update(d, state, error);
    status = status == TN_OK ? check_targets(d, n, targets, error) : status;
    if (status != TN_OK) {
        return status;
    }
    if (!d->trees) {
        return tn_error_set(error, TN_BAD_INPUT, "there are no joints to move");
    }
    double tolerance = options && options->tolerance > 0.0 ? options->tolerance : TOLERANCE;
    int most = options && options->max_iterations > 0 ? options->max_iterations : MOST_ITERATIONS;
    reach r = {.d = d, .n = n, .target = targets, .move_bases = options && options->move_bases};
    double *nu = TN_PUSH_RAW(d->scratch, double, 3 * (size_t)d->trees->n_blocks);
    if (!nu || !make_room(&r, state)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for inverse kinematics of %d targets", n);
    }
    memcpy(nu, d->nu, 3 * (size_t)d->trees->n_blocks * sizeof *nu);
    status = search(&r, tolerance, most, report, error);
    status = status == TN_OK ? put(d, r.pose, nu, r.coordinate, state, error) : status;
    return status == TN_OK ? tn_dynamics_update(d, state, error) : status;
}
