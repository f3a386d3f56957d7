// Soft bodies of the scene: nodes, masses, attachments, elements.
#include "mesh/tet.h"
#include "model/compile.h"
#include "model/motion.h"
#include "shape/pose.h"

#include <string.h>

static tn_status no_memory(const tn_model *model, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the model's %d nodes and %d tetrahedra", model->n_nodes,
                        model->n_tets);
}

// Number the nodes and tetrahedra of all soft bodies.
static tn_status number_softs(tn_model *model, tn_arena *arena, tn_error *error)
{
    const tn_scene *scene = model->scene;
    model->n_softs = scene->n_softs;
    model->softs = TN_PUSH(arena, tn_model_soft, scene->n_softs);
    if (!model->softs) {
        return no_memory(model, error);
    }
    for (int s = 0; s < scene->n_softs; s++) {
        const tn_scene_soft *from = &scene->softs[s];
        model->softs[s] = (tn_model_soft){.name = from->name,
                                          .first_node = model->n_nodes,
                                          .n_nodes = from->mesh.n_nodes,
                                          .first_tet = model->n_tets,
                                          .n_tets = from->mesh.n_tets,
                                          .material = from->material,
                                          .collides = from->collides,
                                          .self_contact = from->collides && from->self_contact,
                                          .description = from};
        model->n_nodes += from->mesh.n_nodes;
        model->n_tets += from->mesh.n_tets;
    }
    return TN_OK;
}

// Lumped masses, and every node free where the scene puts it.
static void fill_soft(tn_model *model, int s)
{
    tn_model_soft *soft = &model->softs[s];
    const tn_scene_soft *from = soft->description;
    for (int i = 0; i < soft->n_nodes; i++) {
        int node = soft->first_node + i;
        model->node_soft[node] = s;
        model->nodes[node] = (tn_model_node){.block = -1, .body = -1};
        tn_pose_point(model->node_rest + 3 * (size_t)node, &from->pose, from->mesh.nodes + 3 * (size_t)i);
    }
    for (int t = 0; t < soft->n_tets; t++) {
        const int *tet = from->mesh.tets + 4 * (size_t)t;
        double volume = tn_tet_volume(from->mesh.nodes, tet);
        soft->volume += volume;
        for (int i = 0; i < 4; i++) {
            model->node_mass[soft->first_node + tet[i]] += 0.25 * from->density * volume;
        }
    }
    soft->mass = from->density * soft->volume;
    for (int a = 0; a < from->n_attachments; a++) {
        const tn_scene_attachment *attachment = &from->attachments[a];
        for (int i = 0; i < attachment->n; i++) {
            model->nodes[soft->first_node + attachment->nodes[i]].body = attachment->body + 1;
        }
    }
}

// Tetrahedra in model numbers; a single soft body's mesh has them.
static bool fill_tets(tn_model *model, tn_arena *arena)
{
    if (model->n_softs == 1) {
        model->tets = model->scene->softs[0].mesh.tets;
        return true;
    }
    int *tets = TN_PUSH_RAW(arena, int, 4 * (size_t)model->n_tets);
    for (int s = 0; tets && s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        for (size_t i = 0; i < 4 * (size_t)soft->n_tets; i++) {
            tets[4 * (size_t)soft->first_tet + i] = soft->first_node + soft->description->mesh.tets[i];
        }
    }
    model->tets = tets;
    return tets != NULL;
}

static tn_status fill_surface(tn_model *model, tn_mesh_surface *surface, tn_arena *arena, tn_error *error)
{
    model->faces = TN_PUSH(arena, int, 3 * (size_t)model->n_faces);
    model->vertices = TN_PUSH(arena, int, model->n_vertices);
    if (!model->faces || !model->vertices) {
        return no_memory(model, error);
    }
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        for (int i = 0; i < 3 * soft->n_faces; i++) {
            model->faces[3 * soft->first_face + i] = soft->first_node + surface[s].faces[i];
        }
        for (int i = 0; i < soft->n_vertices; i++) {
            model->vertices[soft->first_vertex + i] = soft->first_node + surface[s].vertices[i];
        }
    }
    return TN_OK;
}

static tn_status compile_surfaces(tn_model *model, tn_arena *arena, tn_error *error)
{
    tn_mesh_surface *surface = TN_PUSH(arena, tn_mesh_surface, model->n_softs);
    if (!surface) {
        return no_memory(model, error);
    }
    for (int s = 0; s < model->n_softs; s++) {
        tn_model_soft *soft = &model->softs[s];
        tn_status status = tn_mesh_get_surface(&soft->description->mesh, arena, &surface[s], error);
        if (status != TN_OK) {
            return status;
        }
        soft->first_face = model->n_faces;
        soft->n_faces = surface[s].n_faces;
        soft->first_vertex = model->n_vertices;
        soft->n_vertices = surface[s].n_vertices;
        model->n_faces += soft->n_faces;
        model->n_vertices += soft->n_vertices;
    }
    return fill_surface(model, surface, arena, error);
}

tn_status tn_model_compile_softs(tn_model *model, tn_arena *arena, tn_error *error)
{
    tn_status status = number_softs(model, arena, error);
    if (status != TN_OK || model->n_softs == 0) {
        return status;
    }
    size_t n = (size_t)model->n_nodes;
    model->nodes = TN_PUSH(arena, tn_model_node, n);
    model->node_rest = TN_PUSH(arena, double, 3 * n);
    model->node_mass = TN_PUSH(arena, double, n);
    model->node_soft = TN_PUSH(arena, int, n);
    if (!model->nodes || !model->node_rest || !model->node_mass || !model->node_soft || !fill_tets(model, arena)) {
        return no_memory(model, error);
    }
    for (int s = 0; s < model->n_softs; s++) {
        fill_soft(model, s);
    }
    return compile_surfaces(model, arena, error);
}

void tn_model_add_attached_mass(const tn_model *model, int body, const tn_pose *pose, tn_inertia *inertia)
{
    tn_pose inverse;
    tn_pose_undo(&inverse, pose);
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].body == body) {
            double place[3];
            tn_pose_point(place, &inverse, model->node_rest + 3 * (size_t)i);
            tn_inertia_add_point(inertia, model->node_mass[i], place);
        }
    }
}

void tn_model_number_nodes(tn_model *model)
{
    model->n_rigid_blocks = model->n_blocks;
    for (int i = 0; i < model->n_nodes; i++) {
        tn_model_node *node = &model->nodes[i];
        if (node->body >= 0) {
            tn_pose inverse;
            tn_motion_start_pose(&model->bodies[node->body], &inverse);
            tn_pose_undo(&inverse, &inverse);
            tn_pose_point(node->arm, &inverse, model->node_rest + 3 * (size_t)i);
            continue;
        }
        node->block = model->n_blocks++;
        model->n_dof += 3;
        model->total_mass += model->node_mass[i];
    }
}

// What the element kernels read of the soft bodies' materials and nodes.
typedef struct element_data {
    double *rest, *lambda, *mu, *stiffness_time, *geometric_time;
    int *block;
    bool *tied;
} element_data;

static bool allocate_elements(const tn_model *model, tn_arena *arena, element_data *data)
{
    size_t n_nodes = (size_t)model->n_nodes, n_tets = (size_t)model->n_tets;
    *data = (element_data){.rest = TN_PUSH(arena, double, 3 * n_nodes),
                           .lambda = TN_PUSH(arena, double, n_tets),
                           .mu = TN_PUSH(arena, double, n_tets),
                           .stiffness_time = TN_PUSH(arena, double, n_tets),
                           .geometric_time = TN_PUSH(arena, double, n_tets),
                           .block = TN_PUSH(arena, int, n_nodes),
                           .tied = TN_PUSH(arena, bool, n_nodes)};
    return data->rest && data->lambda && data->mu && data->stiffness_time && data->geometric_time && data->block &&
           data->tied;
}

static void fill_elements(const tn_model *model, element_data *data)
{
    const tn_settings *settings = &model->settings;
    double reach = settings->step * (settings->scheme == TN_SCHEME_MIDPOINT ? 0.5 : 1.0);
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        const tn_scene_soft *from = soft->description;
        double shear = from->young / (2.0 * (1.0 + from->poisson));
        double lambda = 2.0 * shear * from->poisson / (1.0 - 2.0 * from->poisson);
        // Newton's method wants the whole tangent stiffness, and then damping is Rayleigh's with that
        // (discretize/soft.h).
        double geometric = from->geometric == TN_GEOMETRIC_PROJECTED ? reach : 0.0;
        if (settings->scheme == TN_SCHEME_IMPLICIT) {
            geometric = reach + from->stiffness_damping;
        }
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            data->lambda[t] = lambda;
            data->mu[t] = shear;
            data->stiffness_time[t] = reach + from->stiffness_damping;
            data->geometric_time[t] = geometric;
        }
        memcpy(data->rest + 3 * (size_t)soft->first_node, from->mesh.nodes,
               3 * (size_t)soft->n_nodes * sizeof *data->rest);
    }
    for (int i = 0; i < model->n_nodes; i++) {
        const tn_model_node *node = &model->nodes[i];
        data->block[i] = node->block;
        data->tied[i] = node->body >= 0 && model->bodies[node->body].n_blocks > 0;
    }
}

tn_status tn_model_compile_elements(tn_model *model, tn_arena *arena, tn_error *error)
{
    element_data data;
    if (model->n_softs == 0) {
        return TN_OK;
    }
    tn_arena *scratch = tn_arena_create(0);
    if (!scratch || !allocate_elements(model, scratch, &data)) {
        tn_arena_destroy(scratch);
        return no_memory(model, error);
    }
    fill_elements(model, &data);
    tn_tets_input input = {.n_nodes = model->n_nodes,
                           .rest = data.rest,
                           .n_tets = model->n_tets,
                           .tets = model->tets,
                           .lambda = data.lambda,
                           .mu = data.mu,
                           .stiffness_time = data.stiffness_time,
                           .geometric_time = data.geometric_time,
                           .block = data.block,
                           .tied = data.tied,
                           .pattern = &model->pattern};
    tn_status status = tn_tets_create(&input, arena, &model->elements, error);
    tn_arena_destroy(scratch);
    return status;
}
