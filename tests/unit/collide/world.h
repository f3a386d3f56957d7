// Worlds built by hand for the collide tests: bodies with shapes at poses, all of one or two materials.
#pragma once

#include "base/memory.h"
#include "base/random.h"
#include "collide/broad.h"
#include "collide/collide.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>

enum { WORLD_MAX = 4096 };

typedef struct world {
    tn_model model;
    tn_state state;
    tn_scene_body still; // description of bodies that nothing moves
    tn_model_body bodies[WORLD_MAX];
    tn_model_shape shapes[WORLD_MAX];
    tn_surface surfaces[4];
    int mover[WORLD_MAX]; // all bodies
    tn_pose pose[WORLD_MAX];
    double v[6 * WORLD_MAX];
    tn_contact_memory memory[8 * WORLD_MAX];
} world;

static inline void world_begin(world *w)
{
    memset(w, 0, sizeof *w);
    w->model = (tn_model){.bodies = w->bodies, .shapes = w->shapes, .surfaces = w->surfaces, .n_materials = 2};
    w->model.mover = w->mover;
    w->model.settings.step = 0.01;
    w->model.margin = 0.01;
    w->state = (tn_state){.model = &w->model, .pose = w->pose, .v = w->v, .memory = w->memory};
    for (int i = 0; i < 4; ++i) {
        w->surfaces[i] = (tn_surface){.mu1 = 0.5, .mu2 = 0.5, .collide = true};
    }
}

// Returns the body; a body without blocks is fixed, one with a single block keeps to the x-z plane.
static inline int world_body(world *w, const tn_pose *pose, int n_blocks)
{
    static const double upright[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    int b = w->model.n_bodies++;
    w->mover[w->model.n_movers++] = b;
    w->bodies[b] = (tn_model_body){.kind = n_blocks ? TN_BODY_FREE : TN_BODY_FIXED,
                                   .planar = n_blocks == 1,
                                   .plane_axes = n_blocks == 1 ? upright : NULL,
                                   .block = n_blocks ? w->model.n_blocks : -1,
                                   .n_blocks = n_blocks,
                                   .principal = {.quaternion = {1.0, 0.0, 0.0, 0.0}},
                                   .first_shape = w->model.n_shapes,
                                   .description = &w->still};
    w->pose[b] = *pose;
    w->model.n_blocks += n_blocks;
    w->model.any_planar = w->model.any_planar || w->bodies[b].planar;
    return b;
}

static inline int world_shape(world *w, tn_shape shape, const double offset[3], int material)
{
    int s = w->model.n_shapes++;
    w->model.n_planes += shape.kind == TN_SHAPE_PLANE;
    w->shapes[s] = (tn_model_shape){.shape = shape, .body = w->model.n_bodies - 1, .material = material};
    w->shapes[s].pose.quaternion[0] = 1.0;
    if (offset) {
        tn_vec3_copy(w->shapes[s].pose.position, offset);
    }
    w->bodies[w->model.n_bodies - 1].n_shapes++;
    return s;
}

static inline tn_pose pose_at(double x, double y, double z)
{
    return (tn_pose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

// n bodies of mixed shapes (some of two, every tenth fixed) strewn in a cube of the given side, a plane below, slow.
static inline void world_strew(world *w, int n, double side, uint64_t seed)
{
    world_begin(w);
    tn_pose ground = pose_at(0.0, 0.0, -side / 2.0);
    world_body(w, &ground, 0);
    world_shape(w, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
    for (int i = 0; i < n; ++i) {
        double r[12];
        tn_pose pose;
        for (int k = 0; k < 12; ++k) {
            r[k] = tn_random_uniform(seed, (uint64_t)i, (uint64_t)k) - 0.5;
        }
        tn_vec3_scale(pose.position, side, r);
        tn_quat_from_axis_angle(pose.quaternion, r + 3, 6.0 * r[6]);
        int b = world_body(w, &pose, i % 10 == 0 ? 0 : 2);
        tn_shape shape = {.kind = (tn_shape_kind)(TN_SHAPE_SPHERE + i % 3),
                          .size = {0.3 + 0.2 * r[7], 0.3 + 0.2 * r[8], 0.3 + 0.2 * r[9]}};
        world_shape(w, shape, NULL, i % 2);
        if (i % 7 == 0) {
            world_shape(w, shape, (double[3]){0.5, 0.0, 0.0}, i % 2);
        }
        for (int k = 0; w->bodies[b].n_blocks > 0 && k < 6; ++k) {
            w->v[3 * w->bodies[b].block + k] = 2.0 * tn_random_normal(seed, (uint64_t)i, 100 + (uint64_t)k);
        }
    }
}
