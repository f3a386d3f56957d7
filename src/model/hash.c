// Hash of all of a model that decides how it moves: guards checkpoints, which go with one model alone. A new key of
// scenes that changes a motion belongs here.
#include "base/hash.h"
#include "model/compile.h"
#include "model/motion.h"
#include "tenon/model.h"

#include <math.h>
#include <string.h>

static uint64_t hash_value(uint64_t hash, const tn_value *value)
{
    // Times without a common period, so that periodic expressions of equal value at one time differ at another.
    const double times[] = {0.0, 0.0137, 0.173, 0.618, 1.4142, 3.7, 17.3, 101.0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double x = tn_value_at(value, times[i]);
        hash = tn_hash_doubles(hash, &x, 1);
    }
    return hash;
}

static uint64_t hash_values(uint64_t hash, const tn_value value[3])
{
    for (int i = 0; i < 3; i++) {
        hash = hash_value(hash, &value[i]);
    }
    return hash;
}

static uint64_t hash_pose(uint64_t hash, const tn_pose *pose)
{
    return tn_hash_doubles(tn_hash_doubles(hash, pose->position, 3), pose->quaternion, 4);
}

static uint64_t hash_body(uint64_t hash, const tn_model_body *body)
{
    static const double no_plane[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    hash = tn_hash_long(hash, body->kind);
    hash = tn_hash_long(hash, body->planar);
    hash = tn_hash_doubles(hash, body->planar ? body->plane_axes : no_plane, 9);
    hash = tn_hash_doubles(hash, &body->mass, 1);
    hash = tn_hash_doubles(hash, body->inertia, 3);
    tn_pose start;
    double linear[3], omega[3];
    tn_motion_start_pose(body, &start);
    tn_motion_start_velocity(body, linear, omega);
    hash = hash_pose(hash_pose(hash, &body->principal), &start);
    hash = tn_hash_doubles(tn_hash_doubles(hash, linear, 3), omega, 3);
    const tn_scene_body *said = body->description;
    if (!said) {
        return hash;
    }
    if (body->kind == TN_BODY_KINEMATIC) {
        hash = hash_value(hash_values(hash, said->motion->position), &said->motion->angle);
        hash = tn_hash_doubles(hash, said->motion->axis, 3);
        hash = tn_hash_long(hash, said->motion->teleport);
    }
    const tn_scene_push none = {0}, *push = said->push ? said->push : &none;
    return hash_values(hash_values(hash_values(hash, push->force), push->force_body), push->torque);
}

static uint64_t hash_shape(uint64_t hash, const tn_model_shape *shape)
{
    static const double no_belt[3];
    hash = tn_hash_long(hash, shape->shape.kind);
    hash = tn_hash_doubles(hash, shape->shape.size, 3);
    hash = tn_hash_long(hash, shape->shape.n_points);
    if (shape->shape.n_points > 0) {
        hash = tn_hash_doubles(hash, shape->shape.points, 3 * (size_t)shape->shape.n_points);
    }
    if (tn_class_of(&shape->shape)->hash) {
        hash = tn_class_of(&shape->shape)->hash(hash, &shape->shape);
    }
    hash = hash_pose(hash, &shape->pose);
    hash = tn_hash_doubles(hash, shape->belt ? shape->belt : no_belt, 3);
    return tn_hash_long(tn_hash_long(hash, shape->body), shape->material);
}

static uint64_t hash_spring_of(uint64_t hash, const tn_surface *surface)
{
    const tn_contact_spring *s = &surface->spring;
    const double numbers[] = {s->stiffness,
                              s->modulus,
                              s->radius,
                              s->bedding,
                              s->damping,
                              s->hunt_crossley,
                              s->tangential_damping,
                              s->tangential_stiffness,
                              s->tangential_stiffness2,
                              s->relaxation};
    hash = tn_hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    return tn_hash_long(tn_hash_long(hash, surface->contact), s->elements);
}

static uint64_t hash_surface(uint64_t hash, const tn_surface *surface)
{
    const double numbers[9] = {surface->mu1,          surface->mu2,          surface->restitution,
                               surface->direction[0], surface->direction[1], surface->direction[2],
                               surface->rolling,      surface->torsion,      surface->adhesion};
    hash = tn_hash_doubles(hash, numbers, 9);
    hash = tn_hash_long(tn_hash_long(hash, surface->direction_of_b), surface->collide);
    return surface->contact == TN_CONTACT_RIGID ? hash : hash_spring_of(hash, surface);
}

static uint64_t hash_spring(uint64_t hash, const tn_scene_spring *spring)
{
    hash = tn_hash_long(tn_hash_long(hash, spring->body_a), spring->body_b);
    hash = tn_hash_doubles(tn_hash_doubles(hash, spring->point_a, 3), spring->point_b, 3);
    const double numbers[3] = {spring->stiffness, spring->damping, spring->rest_length};
    return tn_hash_doubles(hash, numbers, 3);
}

static uint64_t hash_soft(uint64_t hash, const tn_model *model, const tn_model_soft *soft)
{
    const tn_scene_soft *said = soft->description;
    const double numbers[] = {said->density,
                              said->young,
                              said->poisson,
                              said->mass_damping,
                              said->stiffness_damping,
                              said->velocity[0],
                              said->velocity[1],
                              said->velocity[2],
                              said->angular_velocity[0],
                              said->angular_velocity[1],
                              said->angular_velocity[2]};
    hash = tn_hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    const long long choices[] = {said->geometric,    soft->material, soft->collides,
                                 soft->self_contact, soft->n_nodes,  soft->n_tets};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        hash = tn_hash_long(hash, choices[i]);
    }
    hash = hash_pose(hash, &said->pose);
    hash = tn_hash_doubles(hash, said->mesh.nodes, 3 * (size_t)soft->n_nodes);
    for (int i = 0; i < soft->n_nodes; i++) {
        hash = tn_hash_long(hash, model->nodes[soft->first_node + i].body);
    }
    hash = tn_hash_bytes(hash, said->mesh.tets, 4 * (size_t)soft->n_tets * sizeof *said->mesh.tets);
    for (int p = 0; p < said->n_pulls; p++) {
        const tn_scene_pull *pull = &said->pulls[p];
        hash = hash_values(hash, pull->force);
        hash = tn_hash_bytes(hash, pull->nodes, (size_t)pull->n * sizeof *pull->nodes);
    }
    return hash;
}

static uint64_t hash_drive(uint64_t hash, const tn_scene_drive *drive)
{
    const double numbers[] = {
        drive->low,          drive->high,         drive->stiffness,        drive->rest,
        drive->damping,      drive->armature,     drive->limit_compliance, drive->limit_damping,
        drive->friction,     drive->friction_arm, drive->strength,         drive->motor_compliance,
        drive->motor_damping};
    hash = tn_hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    return hash_value(tn_hash_long(hash, drive->motor), &drive->target);
}

static uint64_t hash_set(uint64_t hash, const tn_model_set *set)
{
    return tn_hash_bytes(tn_hash_long(hash, set->n), set->node, (size_t)set->n * sizeof *set->node);
}

static uint64_t hash_rod(uint64_t hash, const tn_scene_rod *rod)
{
    const long long numbers[] = {rod->first_body, rod->n_bodies, rod->reach, rod->closed};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hash = tn_hash_long(hash, numbers[i]);
    }
    return hash;
}

static uint64_t hash_joint(uint64_t hash, const tn_model_joint *joint)
{
    const tn_scene_joint *said = joint->description;
    const long long choices[] = {joint->kind,    joint->body_a, joint->body_b,
                                 joint->n_holds, joint->n_gear, said->collide};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        hash = tn_hash_long(hash, choices[i]);
    }
    const double numbers[] = {joint->length,     said->compliance,      said->turn_compliance,
                              said->damping,     said->turn_damping,    said->friction[0],
                              said->friction[1], said->friction_arm[0], said->friction_arm[1]};
    hash = tn_hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    for (int i = 0; i < joint->n_gear; i++) {
        hash = tn_hash_long(hash, joint->gear[i]);
    }
    hash = tn_hash_doubles(hash, said->gear_factor, (size_t)joint->n_gear);
    hash = hash_pose(hash_pose(hash, &joint->frame_a), &joint->frame_b);
    if (joint->drum) {
        const tn_drum *drum = joint->drum;
        const double *side = isnan(drum->side[0]) ? drum->center : drum->side;
        hash = tn_hash_doubles(tn_hash_doubles(hash, drum->center, 3), drum->axis, 3);
        hash = tn_hash_doubles(tn_hash_doubles(hash, &drum->radius, 1), side, 3);
    }
    if (said->bushing) {
        hash = tn_hash_doubles(tn_hash_doubles(hash, said->bushing->stiffness, 36), said->bushing->damping, 36);
        // What strains it at the start is in the frames.
    }
    for (int i = 0; i < TN_AXIS_COUNT; i++) {
        hash = hash_drive(hash, &said->drive[i]);
    }
    return hash;
}

static uint64_t hash_settings(uint64_t hash, const tn_settings *s)
{
    const double numbers[] = {s->gravity[0],
                              s->gravity[1],
                              s->gravity[2],
                              s->step,
                              s->baumgarte,
                              s->push_out,
                              s->gain_limit,
                              s->omega,
                              s->newton_tolerance,
                              s->solve.tolerance.momentum,
                              s->solve.tolerance.natural,
                              s->solve.tolerance.fclib,
                              s->solve.tolerance.penetration,
                              s->solve.tolerance.joint,
                              s->solve.tolerance.theta,
                              s->k_v,
                              s->solve.penalty_stiffness,
                              s->solve.penalty_damping,
                              s->solve.enough,
                              s->solve.moving,
                              s->sleep_after,
                              s->sleep_speed,
                              s->sleep_spin};
    hash = tn_hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    const long long choices[] = {
        s->initial_velocities, s->scheme,        s->law,        s->facets,     s->restitution_law,      s->gap_term,
        s->stabilization,      s->coordinates,   s->projection, s->max_newton, s->solve.max_iterations, s->align,
        s->pbd_substeps,       s->pbd_iterations};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        hash = tn_hash_long(hash, choices[i]);
    }
    return tn_hash_text(hash, s->solver);
}

uint64_t tn_model_hash(const tn_model *model)
{
    if (!model) {
        return 0;
    }
    uint64_t hash = hash_settings(TN_HASH_START, &model->settings);
    hash = tn_hash_doubles(hash, &model->margin, 1);
    hash = tn_hash_doubles(hash, &model->restitution_threshold, 1);
    return tn_model_hash_world(model, hash);
}

uint64_t tn_model_hash_states(const tn_model *model)
{
    uint64_t hash = tn_hash_doubles(TN_HASH_START, &model->settings.step, 1);
    hash = tn_hash_long(hash, model->settings.sleep_after > 0.0);
    return tn_model_hash_world(model, hash);
}

uint64_t tn_model_hash_world(const tn_model *model, uint64_t hash)
{
    for (int b = 0; b < model->n_bodies; b++) {
        hash = hash_body(hash, &model->bodies[b]);
    }
    for (int s = 0; s < model->n_shapes; s++) {
        hash = hash_shape(hash, &model->shapes[s]);
    }
    for (int s = 0; s < model->n_materials * model->n_materials; s++) {
        hash = hash_surface(hash, &model->surfaces[s]);
    }
    for (int s = 0; s < model->scene->n_springs; s++) {
        hash = hash_spring(hash, &model->scene->springs[s]);
    }
    for (int r = 0; r < model->scene->n_rods; r++) {
        hash = hash_rod(hash, &model->scene->rods[r]);
    }
    for (int i = 0; i < model->n_joints; i++) {
        hash = hash_joint(hash, &model->joints[i]);
    }
    for (int b = 0; model->start_pose && b < model->n_bodies; b++) {
        hash = hash_pose(hash, &model->start_pose[b]);
    }
    if (model->start_v) {
        hash = tn_hash_doubles(hash, model->start_v, 3 * (size_t)model->n_blocks);
    }
    for (int s = 0; s < model->n_sets; s++) {
        hash = hash_set(hash, &model->sets[s]);
    }
    for (int s = 0; s < model->n_softs; s++) {
        hash = hash_soft(hash, model, &model->softs[s]);
    }
    return hash;
}
