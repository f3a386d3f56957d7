// Where the scene says joints' coordinates at the start: bodies that hang from one another are placed by them, parents
// first, and move as the rates say. Joints that close loops have to fit. Where it says that bodies' velocities are
// rates, they stay where they are and move likewise.
#include "math/quat.h"
#include "model/arrive.h"
#include "model/compile.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

typedef struct start {
    const tn_model *model; // a view with trees
    tn_pose *pose;         // (n_bodies)
    double *coordinate;    // (n_joint_coordinates)
    double *along;         // (3 n_blocks) velocities, along the joints
    double *v;             // (3 n_blocks) as a step leaves them
} start;

static tn_status check_trees(const tn_model *model, tn_error *error)
{
    for (int i = 0; i < model->scene->n_starts; i++) {
        const tn_scene_start *said = &model->scene->starts[i];
        if (!model->trees || model->trees->link_of_joint[said->joint] < 0) {
            return tn_error_at(error, said->place.file, said->place.line, said->place.column,
                               "joint '%s' does not place a body: it closes a loop, or is of a kind that is no part of "
                               "a tree",
                               model->joints[said->joint].name);
        }
    }
    return TN_OK;
}

// What is said of a joint's coordinates; turn: of a spherical one.
static void put_coordinates(start *s, int joint, double turn[4])
{
    const tn_model_joint *of = &s->model->joints[joint];
    for (int i = 0; i < s->model->scene->n_starts; i++) {
        const tn_scene_start *said = &s->model->scene->starts[i];
        if (said->joint == joint && said->placed && of->kind == TN_JOINT_SPHERICAL) {
            tn_quat_exp(turn, said->coordinate);
        } else if (said->joint == joint && said->placed) {
            memcpy(s->coordinate + of->first_coordinate + said->first, said->coordinate,
                   (size_t)said->n * sizeof(double));
        }
    }
}

static void place(start *s)
{
    const tn_trees *trees = s->model->trees;
    for (int l = 0; l < trees->n_links; l++) {
        const tn_tree_link *link = &trees->link[l];
        double turn[4] = {1.0, 0.0, 0.0, 0.0};
        if (link->joint < 0) {
            continue;
        }
        put_coordinates(s, link->joint, turn);
        tn_tree_place(s->model, link, &s->pose[link->from], s->coordinate, turn, &s->pose[link->body]);
    }
}

// The rates of the bodies as drawn, but for those that are said, where the bodies are now. Where rates are said a step
// ends, so that the first one has all of Coriolis' part.
static tn_status move(start *s, const tn_pose *drawn, tn_arena *scratch)
{
    const tn_trees *trees = s->model->trees;
    double *nu = TN_PUSH(scratch, double, 3 * (size_t)trees->n_blocks);
    double *left = TN_PUSH(scratch, double, 3 * (size_t)s->model->n_blocks);
    bool *moved = TN_PUSH(scratch, bool, trees->n),
         all = s->model->scene->settings.initial_velocities == TN_INITIAL_RATES;
    tn_tree_step step;
    if (!nu || !left || !moved || tn_tree_step_build(s->model, drawn, NULL, 0.0, 0.0, scratch, &step) != TN_OK) {
        return TN_NO_MEMORY;
    }
    tn_tree_rates(&step, s->along, nu);
    for (int i = 0; i < s->model->scene->n_starts; i++) {
        const tn_scene_start *said = &s->model->scene->starts[i];
        if (said->moved) {
            const tn_tree_link *link = &trees->link[trees->link_of_joint[said->joint]];
            memcpy(nu + link->rate + said->first, said->rate, (size_t)said->n * sizeof *nu);
            moved[link->tree] = true;
        }
    }
    if (tn_tree_step_build(s->model, s->pose, NULL, 0.0, 0.0, scratch, &step) != TN_OK ||
        tn_tree_arrive(&step, 0.0, s->pose, s->coordinate, nu, scratch, left) != TN_OK) {
        return TN_NO_MEMORY;
    }
    tn_tree_velocity(&step, nu, s->along);
    memcpy(s->v, s->along, 3 * (size_t)s->model->n_blocks * sizeof *s->v);
    for (int l = 0; l < trees->n_links; l++) {
        size_t at = 3 * (size_t)s->model->bodies[trees->link[l].body].block;
        if (all || moved[trees->link[l].tree]) {
            memcpy(s->v + at, left + at, 6 * sizeof *s->v);
        }
    }
    return TN_OK;
}

// What the joints beside the trees are off by at the new places.
static tn_status check_loops(const start *s, tn_error *error)
{
    const tn_model *model = s->model;
    const tn_place *at = &model->scene->starts[0].place;
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        const tn_scene_joint *said = joint->description;
        double off = 0.0;
        if (joint->kind == TN_JOINT_GEAR && joint->n_holds > 0) {
            off = fabs(tn_gear_difference(joint, s->coordinate) - joint->length);
        } else if (joint->kind != TN_JOINT_GEAR && !joint->bushing && !joint->elastic && joint->set_a < 0 &&
                   joint->set_b < 0) {
            tn_joint_geometry geometry;
            tn_joint_look(joint, &s->pose[joint->body_a], &s->pose[joint->body_b], &geometry);
            for (int i = 0; i < joint->n_holds; i++) {
                off = fmax(off, fabs(geometry.violation[i]) - fabs(joint->off[i]));
            }
        }
        double allowed = joint->kind == TN_JOINT_GEAR ? 1e-6 : said->slack;
        if (off > allowed && said->compliance == 0.0) {
            return tn_error_at(error, at->file, at->line, at->column,
                               "the coordinates at the start do not close the loop of joint '%s': it is off by %.3g m "
                               "or rad, its slack is %g",
                               joint->name, off, allowed);
        }
    }
    return TN_OK;
}

static tn_status find(const tn_model *view, start *s, tn_arena *scratch, tn_error *error)
{
    tn_pose *drawn = TN_PUSH_RAW(scratch, tn_pose, view->n_bodies);
    if (!drawn) {
        return TN_NO_MEMORY;
    }
    for (int b = 0; b < view->n_bodies; b++) {
        const tn_model_body *body = &view->bodies[b];
        tn_motion_pose(body, 0.0, &drawn[b]);
        if (body->n_blocks == 2) {
            double *v = s->along + 3 * (size_t)body->block;
            tn_motion_start_velocity(body, v, v + 3);
        }
    }
    memcpy(s->pose, drawn, (size_t)view->n_bodies * sizeof *drawn);
    memcpy(s->coordinate, view->joint_start, (size_t)view->n_joint_coordinates * sizeof(double));
    if (view->scene->n_starts > 0) {
        place(s);
    }
    tn_joints_coordinates(view, &(tn_joint_sides){s->pose, view->node_rest}, s->coordinate, s->coordinate);
    tn_status status = move(s, drawn, scratch);
    return status == TN_OK && view->scene->n_starts > 0 ? check_loops(s, error) : status;
}

tn_status tn_model_place_start(tn_model *model, tn_arena *arena, tn_error *error)
{
    const tn_scene *scene = model->scene;
    if (scene->n_starts == 0 && (scene->settings.initial_velocities != TN_INITIAL_RATES || model->n_joints == 0)) {
        return TN_OK;
    }
    tn_model view = *model;
    tn_trees *trees = NULL;
    view.settings.coordinates = TN_COORDINATES_REDUCED;
    tn_arena *scratch = tn_arena_create(0);
    start s = {.model = &view,
               .pose = TN_PUSH_RAW(arena, tn_pose, model->n_bodies),
               .coordinate = TN_PUSH_RAW(arena, double, model->n_joint_coordinates),
               .along = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks),
               .v = TN_PUSH(arena, double, 3 * (size_t)model->n_blocks)};
    tn_status status = scratch && s.pose && s.coordinate && s.along && s.v ? TN_OK : TN_NO_MEMORY;
    tn_error large = {0};
    tn_error *to = scene->n_starts > 0 ? error : &large;
    status = status == TN_OK ? tn_trees_find(&view, TN_BASES_FIRST, scratch, &trees, to) : status;
    if (large.status == TN_BAD_INPUT) { // too large for trees: the velocities stay as they are
        tn_arena_destroy(scratch);
        return TN_OK;
    }
    view.trees = trees;
    status = status == TN_OK ? check_trees(&view, error) : status;
    status = status == TN_OK ? find(&view, &s, scratch, error) : status;
    for (int joint = 0; status == TN_OK && scene->n_starts > 0 && joint < model->n_joints; joint++) {
        if (trees->link_of_joint[joint] >= 0) { // what the slack allowed as drawn is gone
            memset(model->joints[joint].off, 0, sizeof model->joints[joint].off);
        }
    }
    tn_arena_destroy(scratch);
    model->start_pose = s.pose;
    model->start_v = s.v;
    model->start_along = s.along;
    model->joint_start = s.coordinate;
    return status == TN_NO_MEMORY
               ? tn_error_set(error, status, "no memory for the places of %d bodies at the start", model->n_bodies)
               : status;
}
