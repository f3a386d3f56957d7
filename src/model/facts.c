// What a model is made of, for whoever builds upon it: inertia, joints, geometry, materials.
#include "model/model.h"

#include "math/vec3.h"
#include "shape/pose.h"
#include "tenon/model.h"

#include <string.h>

static const tn_model_joint *joint_at(const tn_model *model, int joint)
{
    return model && joint >= 0 && joint < model->n_joints ? &model->joints[joint] : NULL;
}

static const tn_model_shape *shape_at(const tn_model *model, int shape)
{
    return model && shape >= 0 && shape < model->n_shapes ? &model->shapes[shape] : NULL;
}

void tn_model_body_inertia(const tn_model *model, int body, double center[3], double axes[4], double moments[3])
{
    bool any = model && body > 0 && body < model->n_bodies && model->bodies[body].n_blocks > 0;
    if (any && center && axes && moments) {
        const tn_model_body *b = &model->bodies[body];
        tn_vec3_copy(center, b->principal.position);
        memcpy(axes, b->principal.quaternion, sizeof b->principal.quaternion);
        for (int i = 0; i < 3; i++) {
            moments[i] = b->planar && i > 0 ? 0.0 : b->inertia[i];
        }
    }
}

void tn_model_joint_bodies(const tn_model *model, int joint, int *body_a, int *body_b)
{
    const tn_model_joint *j = joint_at(model, joint);
    if (j && body_a && body_b) {
        *body_a = j->body_a;
        *body_b = j->body_b;
    }
}

static void put_frame(const tn_model *model, int body, int set, const tn_pose *given, double out[7])
{
    tn_pose frame = *given;
    if (set < 0) {
        tn_pose_join(&frame, &model->bodies[body].principal, given);
    }
    memcpy(out, frame.position, sizeof frame.position);
    memcpy(out + 3, frame.quaternion, sizeof frame.quaternion);
}

void tn_model_joint_frames(const tn_model *model, int joint, double frame_a[7], double frame_b[7])
{
    const tn_model_joint *j = joint_at(model, joint);
    if (j && j->body_a >= 0 && frame_a && frame_b) {
        put_frame(model, j->body_a, j->set_a, &j->frame_a, frame_a);
        put_frame(model, j->body_b, j->set_b, &j->frame_b, frame_b);
    }
}

void tn_model_joint_limits(const tn_model *model, int joint, int index, double limits[2])
{
    const tn_model_joint *j = joint_at(model, joint);
    if (j && limits && index >= 0 && index < j->n_coordinates) {
        limits[0] = j->description->drive[j->axis[index]].low;
        limits[1] = j->description->drive[j->axis[index]].high;
    }
}

static tn_geometry geometry_of(const tn_model_shape *shape)
{
    tn_geometry out = {.n_points = 0};
    if (shape && tn_class_of(&shape->shape)->geometry) {
        tn_class_of(&shape->shape)->geometry(&shape->shape, &out);
    }
    return out;
}

int tn_model_shape_point_count(const tn_model *model, int shape)
{
    return (int)geometry_of(shape_at(model, shape)).n_points;
}

int tn_model_shape_triangle_count(const tn_model *model, int shape)
{
    return (int)geometry_of(shape_at(model, shape)).n_triangles;
}

void tn_model_shape_geometry(const tn_model *model, int shape, double *points, int *triangles)
{
    const tn_model_shape *s = shape_at(model, shape);
    tn_geometry geometry = geometry_of(s);
    if (geometry.n_points > 0 && points && (triangles || geometry.n_triangles == 0)) {
        tn_class_of(&s->shape)->fill(&s->shape, points, triangles);
    }
}

int tn_model_material_count(const tn_model *model)
{
    return model ? model->n_materials : 0;
}

const char *tn_model_material_name(const tn_model *model, int material)
{
    bool any = model && material >= 0 && material < model->n_materials;
    return any ? model->scene->materials[material].name : NULL;
}

int tn_model_shape_material(const tn_model *model, int shape)
{
    const tn_model_shape *s = shape_at(model, shape);
    return s ? s->material : -1;
}

int tn_model_soft_material(const tn_model *model, int body)
{
    int s = model ? body - model->n_bodies : -1;
    return s >= 0 && s < model->n_softs ? model->softs[s].material : -1;
}

void tn_model_get_pair(const tn_model *model, int material_a, int material_b, tn_material_pair *out)
{
    if (!out || !tn_model_material_name(model, material_a) || !tn_model_material_name(model, material_b)) {
        return;
    }
    const tn_surface *s = &model->surfaces[material_a * model->n_materials + material_b];
    *out = (tn_material_pair){.collides = s->collide,
                              .friction = {s->mu1, s->mu2},
                              .restitution = s->restitution,
                              .rolling = s->rolling,
                              .torsion = s->torsion,
                              .adhesion = s->adhesion};
}

int tn_model_frame_count(const tn_model *model)
{
    return model ? model->scene->n_frames : 0;
}

int tn_model_find_frame(const tn_model *model, const char *name)
{
    for (int i = 0; name && i < tn_model_frame_count(model); i++) {
        if (strcmp(model->scene->frames[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *tn_model_frame_name(const tn_model *model, int frame)
{
    return frame >= 0 && frame < tn_model_frame_count(model) ? model->scene->frames[frame].name : NULL;
}

int tn_model_frame(const tn_model *model, int frame, double pose[7])
{
    if (!tn_model_frame_name(model, frame)) {
        return -1;
    }
    const tn_scene_frame *of = &model->scene->frames[frame];
    if (pose) {
        memcpy(pose, of->pose.position, sizeof of->pose.position);
        memcpy(pose + 3, of->pose.quaternion, sizeof of->pose.quaternion);
    }
    return of->body + 1;
}
