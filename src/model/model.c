#include "model/model.h"

#include "base/memory.h"
#include "math/mat3.h"
#include "model/compile.h"
#include "model/prescribed.h"
#include "model/skins.h"
#include "shape/pose.h"

#include <string.h>

static void compile_world(tn_model_body *world)
{
    *world = (tn_model_body){.kind = TN_BODY_FIXED, .block = -1};
    tn_pose_set_identity(&world->principal);
}

// The body's shapes that collide, in its principal frame. The others have given their mass.
static void compile_shapes(tn_model *model, int b)
{
    tn_model_body *body = &model->bodies[b];
    tn_model_shape *to = &model->shapes[body->first_shape];
    tn_pose to_principal;
    tn_pose_undo(&to_principal, &body->principal);
    for (int s = 0; s < body->description->n_shapes; s++) {
        const tn_scene_shape *from = &body->description->shapes[s];
        if (from->collides) {
            *to = (tn_model_shape){.shape = from->shape, .body = b, .material = from->material};
            tn_pose_join(&to->pose, &to_principal, &from->pose);
            model->n_planes += tn_shape_is(&from->shape, TN_FORM_HALF_SPACE);
            to->belt =
                tn_vec3_dot(from->surface_velocity, from->surface_velocity) > 0.0 ? from->surface_velocity : NULL;
            model->any_belt = model->any_belt || to->belt;
            to++;
        }
    }
}

// Block numbers, degrees of freedom, shape ranges.
static void number_body(tn_model *model, tn_model_body *body)
{
    body->first_shape = model->n_shapes;
    for (int s = 0; s < body->description->n_shapes; s++) {
        body->n_shapes += body->description->shapes[s].collides;
    }
    model->n_shapes += body->n_shapes;
    if (body->n_blocks > 0) {
        body->block = model->n_blocks;
        model->n_blocks += body->n_blocks;
        model->n_dof += 3 * body->n_blocks;
        model->total_mass += body->mass;
    }
}

static tn_status compile_bodies(tn_model *model, tn_arena *arena, tn_error *error)
{
    compile_world(&model->bodies[0]);
    for (int b = 1; b < model->n_bodies; b++) {
        tn_status status = tn_model_compile_body(model, b - 1, arena, error);
        if (status != TN_OK) {
            return status;
        }
        number_body(model, &model->bodies[b]);
        model->any_kinematic = model->any_kinematic || model->bodies[b].kind == TN_BODY_KINEMATIC;
    }
    for (int r = 0; r < model->scene->n_rods; r++) {
        const tn_scene_rod *rod = &model->scene->rods[r];
        for (int i = 0; i < rod->n_bodies; i++) {
            tn_model_body *body = &model->bodies[rod->first_body + i + 1];
            body->rod = rod;
            body->link = i;
        }
    }
    return TN_OK;
}

// Which kinds of contact there are at all.
static void find_kinds(tn_model *model)
{
    for (int i = 0; i < model->n_materials * model->n_materials; i++) {
        const tn_surface *s = &model->surfaces[i];
        model->any_foundation = model->any_foundation || s->contact == TN_CONTACT_FOUNDATION;
        model->any_spring = model->any_spring || s->contact != TN_CONTACT_RIGID;
        model->any_rolling = model->any_rolling || s->rolling > 0.0 || s->torsion > 0.0;
        model->any_bounce = model->any_bounce || s->restitution > 0.0;
        model->any_pull = model->any_pull || s->adhesion > 0.0;
    }
}

static tn_status compile(tn_model *model, tn_arena *arena, tn_error *error)
{
    const tn_scene *scene = model->scene;
    model->settings = scene->settings;
    model->n_bodies = scene->n_bodies + 1;
    model->n_materials = scene->n_materials;
    model->bodies = TN_PUSH(arena, tn_model_body, model->n_bodies);
    model->surfaces = TN_PUSH(arena, tn_surface, (size_t)model->n_materials * (size_t)model->n_materials);
    if (!model->bodies || !model->surfaces) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the model of %d bodies", scene->n_bodies);
    }
    tn_status status = tn_model_compile_softs(model, arena, error);
    status = status == TN_OK ? compile_bodies(model, arena, error) : status;
    if (status != TN_OK) {
        return status;
    }
    tn_model_number_nodes(model);
    status = tn_model_compile_prescribed(model, arena, error);
    status = status == TN_OK ? tn_model_check_start(model, error) : status;
    status = status == TN_OK ? tn_model_compile_joints(model, arena, error) : status;
    status = status == TN_OK ? tn_model_compile_sensors(model, arena, error) : status;
    status = status == TN_OK ? tn_model_compile_pattern(model, arena, error) : status;
    status = status == TN_OK ? tn_model_compile_trees(model, arena, error) : status;
    status = status == TN_OK ? tn_model_place_start(model, arena, error) : status;
    status = status == TN_OK ? tn_model_compile_elements(model, arena, error) : status;
    status = status == TN_OK && model->n_softs > 0 ? tn_skins_create(model, arena, &model->skins, error) : status;
    if (status != TN_OK) {
        return status;
    }
    model->shapes = TN_PUSH(arena, tn_model_shape, model->n_shapes);
    if (!model->shapes) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the model's %d shapes", model->n_shapes);
    }
    for (int b = 1; b < model->n_bodies; b++) {
        compile_shapes(model, b);
    }
    tn_model_compile_surfaces(scene, model->surfaces);
    find_kinds(model);
    status = tn_model_compile_fixed(model, arena, error);
    status = status == TN_OK ? tn_model_check_flat(model, arena, error) : status;
    status = status == TN_OK ? tn_model_check_springs(model, arena, error) : status;
    status = status == TN_OK ? tn_model_check_pbd(model, error) : status;
    if (status != TN_OK) {
        return status;
    }
    model->smallest = tn_model_smallest(model);
    model->margin = tn_model_margin(model);
    model->restitution_threshold = tn_model_restitution_threshold(model);
    model->settings.solve.tolerance = tn_model_aim(&model->settings.demanded);
    model->settings.solve.enough = tn_model_enough(&model->settings.demanded);
    model->settings.solve.moving = tn_model_moving(&model->settings);
    model->settings.solve.n_threads = tn_model_threads(model);
    model->hash = tn_model_hash(model);
    return TN_OK;
}

tn_model *tn_model_create(tn_scene *scene, tn_error *error)
{
    if (!scene) {
        tn_error_set(error, TN_BAD_INPUT, "no scene to compile: loading it failed, and said why");
        return NULL;
    }
    tn_model *model = tn_calloc(1, sizeof *model);
    enum { THE_REST = 1 << 12 };
    size_t per_body = sizeof(tn_model_body) + sizeof(tn_model_shape);
    tn_arena *arena = tn_arena_create(((size_t)scene->n_bodies + 1) * per_body + THE_REST);
    if (!model || !arena) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the model");
        tn_free(model);
        tn_arena_destroy(arena);
        tn_scene_destroy(scene);
        return NULL;
    }
    model->scene = scene;
    model->storage = arena;
    if (compile(model, arena, error) != TN_OK) {
        tn_model_destroy(model);
        return NULL;
    }
    return model;
}

void tn_model_destroy(tn_model *model)
{
    if (!model) {
        return;
    }
    // The model owns its scene; const protects it from the stages only.
    tn_scene_destroy((tn_scene *)model->scene);
    tn_arena_destroy(model->storage);
    tn_free(model);
}

// A soft body by its number among all bodies; NULL: it is none.
static const tn_model_soft *soft_at(const tn_model *model, int body)
{
    int s = model ? body - model->n_bodies : -1;
    return s >= 0 && s < model->n_softs ? &model->softs[s] : NULL;
}

static const tn_model_shape *shape_at(const tn_model *model, int shape)
{
    return model && shape >= 0 && shape < model->n_shapes ? &model->shapes[shape] : NULL;
}

static const tn_model_body *rigid_at(const tn_model *model, int body)
{
    return model && body >= 0 && body < model->n_bodies ? &model->bodies[body] : NULL;
}

int tn_model_body_count(const tn_model *model)
{
    return model ? model->n_bodies : 0;
}

int tn_model_soft_count(const tn_model *model)
{
    return model ? model->n_softs : 0;
}

int tn_model_node_count(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    return soft ? soft->n_nodes : 0;
}

double tn_model_body_mass(const tn_model *model, int body)
{
    const tn_model_body *rigid = rigid_at(model, body);
    const tn_model_soft *soft = soft_at(model, body);
    return rigid ? rigid->mass : soft ? soft->mass : 0.0;
}

bool tn_model_body_moves(const tn_model *model, int body)
{
    const tn_model_body *rigid = rigid_at(model, body);
    return rigid ? rigid->n_blocks > 0 : soft_at(model, body) != NULL;
}

const char *tn_model_body_kind(const tn_model *model, int body)
{
    static const char *const names[] = {
        [TN_BODY_FREE] = "free", [TN_BODY_FIXED] = "fixed", [TN_BODY_KINEMATIC] = "kinematic"};
    const tn_model_body *rigid = rigid_at(model, body);
    return rigid ? names[rigid->kind] : soft_at(model, body) ? "soft" : NULL;
}

bool tn_model_body_planar(const tn_model *model, int body)
{
    const tn_model_body *rigid = rigid_at(model, body);
    return rigid && rigid->planar;
}

double tn_model_mass(const tn_model *model)
{
    return model ? model->total_mass : 0.0;
}

const tn_scene *tn_model_scene(const tn_model *model)
{
    return model ? model->scene : NULL;
}

void tn_model_get_method(const tn_model *model, tn_model_method *out)
{
    if (!model || !out) {
        return;
    }
    const tn_settings *s = &model->settings;
    *out = (tn_model_method){.solver = s->solver,
                             .law = tn_law_name(s->law),
                             .scheme = tn_scheme_name(s->scheme),
                             .coordinates = model->trees ? "reduced" : "maximal",
                             .accuracy = s->solve.enough > 0.0 ? tn_accuracy_name(s->accuracy) : NULL,
                             .step = s->step,
                             .duration = s->duration,
                             .margin = model->margin,
                             .push_out = s->push_out,
                             .sleep_after = s->sleep_after,
                             .threads = s->solve.n_threads,
                             .record_every = s->record_every,
                             .seed = s->seed,
                             .projects_velocities = s->initial_velocities == TN_INITIAL_PROJECT};
    tn_vec3_copy(out->gravity, s->gravity);
}

// What is worth knowing of edges: an element's six.
static void measure_edges(const tn_mesh *mesh, tn_soft_info *out)
{
    static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    out->shortest_edge = INFINITY;
    for (int k = 0; k < 6 * mesh->n_tets; k++) {
        const int *tet = mesh->tets + 4 * (size_t)(k / 6), *edge = edges[k % 6];
        double along[3];
        tn_vec3_sub(along, mesh->nodes + 3 * (size_t)tet[edge[1]], mesh->nodes + 3 * (size_t)tet[edge[0]]);
        double length = tn_vec3_norm(along);
        out->shortest_edge = fmin(out->shortest_edge, length);
        out->longest_edge = fmax(out->longest_edge, length);
    }
}

void tn_model_get_soft(const tn_model *model, int body, tn_soft_info *out)
{
    const tn_model_soft *soft = soft_at(model, body);
    if (!soft || !out) {
        return;
    }
    const tn_mesh *mesh = &soft->description->mesh;
    *out = (tn_soft_info){.n_nodes = soft->n_nodes,
                          .n_elements = soft->n_tets,
                          .n_faces = soft->n_faces,
                          .volume = soft->volume,
                          .mass = soft->mass,
                          .young = soft->description->young,
                          .poisson = soft->description->poisson,
                          .quality = tn_mesh_quality(mesh)};
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        out->n_attached += model->nodes[i].body >= 0;
    }
    measure_edges(mesh, out);
}

double tn_model_step(const tn_model *model)
{
    return model ? model->settings.step : 0.0;
}

double tn_model_duration(const tn_model *model)
{
    return model ? model->settings.duration : 0.0;
}

int tn_model_node_total(const tn_model *model)
{
    return model ? model->n_nodes : 0;
}

int tn_model_first_node(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    return soft ? soft->first_node : 0;
}

int tn_model_element_count(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    return soft ? soft->n_tets : 0;
}

int tn_model_element_total(const tn_model *model)
{
    return model ? model->n_tets : 0;
}

int tn_model_first_element(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    return soft ? soft->first_tet : 0;
}

const int *tn_model_elements(const tn_model *model)
{
    return model ? model->tets : NULL;
}

int tn_model_face_count(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    return soft ? soft->n_faces : 0;
}

int tn_model_face_total(const tn_model *model)
{
    return model ? model->n_faces : 0;
}

int tn_model_first_face(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    return soft ? soft->first_face : 0;
}

const int *tn_model_faces(const tn_model *model)
{
    return model ? model->faces : NULL;
}

int tn_model_find_body(const tn_model *model, const char *name)
{
    if (!model || !name) {
        return -1;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        if (strcmp(tn_model_body_name(model, b), name) == 0) {
            return b;
        }
    }
    for (int s = 0; s < model->n_softs; s++) {
        if (strcmp(model->softs[s].name, name) == 0) {
            return model->n_bodies + s;
        }
    }
    return -1;
}

const char *tn_model_body_name(const tn_model *model, int body)
{
    const tn_model_soft *soft = soft_at(model, body);
    const tn_model_body *rigid = rigid_at(model, body);
    return soft ? soft->name : !rigid ? NULL : body == 0 ? "world" : rigid->description->name;
}

int tn_model_dof(const tn_model *model)
{
    return model ? model->n_dof : 0;
}

int tn_model_shape_count(const tn_model *model)
{
    return model ? model->n_shapes : 0;
}

int tn_model_body_shape_count(const tn_model *model, int body)
{
    const tn_model_body *rigid = rigid_at(model, body);
    return rigid ? rigid->n_shapes : 0;
}

int tn_model_first_shape(const tn_model *model, int body)
{
    const tn_model_body *rigid = rigid_at(model, body);
    return rigid ? rigid->first_shape : 0;
}

int tn_model_shape_body(const tn_model *model, int shape)
{
    const tn_model_shape *s = shape_at(model, shape);
    return s ? s->body : 0;
}

const char *tn_model_shape_kind(const tn_model *model, int shape)
{
    const tn_model_shape *s = shape_at(model, shape);
    return s ? tn_shape_name(s->shape.kind) : NULL;
}

void tn_model_shape_pose(const tn_model *model, int shape, double position[3], double quaternion[4])
{
    const tn_model_shape *s = shape_at(model, shape);
    tn_pose pose;
    if (!s || !position || !quaternion) {
        return;
    }
    tn_pose_join(&pose, &model->bodies[s->body].principal, &s->pose);
    tn_vec3_copy(position, pose.position);
    memcpy(quaternion, pose.quaternion, sizeof pose.quaternion);
}

void tn_model_shape_size(const tn_model *model, int shape, double size[3])
{
    const tn_model_shape *s = shape_at(model, shape);
    if (s && size) {
        tn_vec3_copy(size, s->shape.size);
    }
}
