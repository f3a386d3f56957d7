// What a glTF file says of its numbers: meshes, nodes, materials, the animation.
#include "view/gltf_look.h"

static bool moves(const gltf *g, int body)
{
    return g->translation[body] >= 0;
}

static void put_accessors(tn_json *json, const gltf_data *data)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    tn_json_open(json, "accessors", '[');
    for (int k = 0; k < data->n && data->accessor[k].type; k++) { // bytes come last
        const gltf_accessor *a = &data->accessor[k];
        tn_json_open(json, NULL, '{');
        tn_json_integer(json, "bufferView", k);
        tn_json_integer(json, "componentType", a->type);
        tn_json_integer(json, "count", a->count);
        tn_json_text(json, "type", types[a->width]);
        if (a->bounded) {
            tn_json_numbers(json, "min", a->width, a->low);
            tn_json_numbers(json, "max", a->width, a->high);
        }
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
    tn_json_open(json, "bufferViews", '[');
    for (int k = 0; k < data->n; k++) {
        const gltf_accessor *a = &data->accessor[k];
        tn_json_open(json, NULL, '{');
        tn_json_integer(json, "buffer", 0);
        tn_json_integer(json, "byteOffset", (long)a->offset);
        tn_json_integer(json, "byteLength", (long)a->bytes);
        if (a->target) {
            tn_json_integer(json, "target", a->target);
        }
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
    tn_json_open(json, "buffers", '[');
    tn_json_open(json, NULL, '{');
    tn_json_integer(json, "byteLength", (long)data->size);
    tn_json_close(json, '}');
    tn_json_close(json, ']');
}

// places: on the texture, -1: none. soft: NULL, or whose targets the mesh has.
static void put_mesh(tn_json *json, const gltf_checker *parts, int material, const gltf_soft *soft)
{
    tn_json_open(json, NULL, '{');
    tn_json_open(json, "primitives", '[');
    tn_json_open(json, NULL, '{');
    tn_json_open(json, "attributes", '{');
    tn_json_integer(json, "POSITION", parts->positions);
    if (parts->places >= 0) {
        tn_json_integer(json, "TEXCOORD_0", parts->places);
    }
    tn_json_close(json, '}');
    tn_json_integer(json, "indices", parts->indices);
    tn_json_integer(json, "material", material);
    if (soft && soft->n_targets > 0) {
        tn_json_open(json, "targets", '[');
        for (int k = 0; k < soft->n_targets; k++) {
            tn_json_open(json, NULL, '{');
            tn_json_integer(json, "POSITION", soft->first_target + k);
            tn_json_close(json, '}');
        }
        tn_json_close(json, ']');
    }
    tn_json_close(json, '}');
    tn_json_close(json, ']');
    tn_json_close(json, '}');
}

// Those of shapes, then the soft bodies'.
static void put_meshes(tn_json *json, const gltf *g)
{
    const gltf_looks *l = &g->looks;
    if (l->n_meshes + g->r->n_softs == 0) {
        return;
    }
    tn_json_open(json, "meshes", '[');
    for (int k = 0; k < l->n_meshes; k++) {
        int geometry = l->mesh[k].geometry, material = l->mesh[k].material;
        const gltf_checker plain = {g->positions[geometry], -1, g->indices[geometry]};
        put_mesh(json, l->material[material].checker ? &l->checker[geometry] : &plain, material, NULL);
    }
    for (int s = 0; s < g->r->n_softs; s++) {
        const gltf_checker plain = {g->soft[s].positions, -1, g->soft[s].indices};
        put_mesh(json, &plain, l->soft_material[s], &g->soft[s]);
    }
    tn_json_close(json, ']');
}

static void put_quaternion(tn_json *json, const double q[4])
{
    const double turned[4] = {q[1], q[2], q[3], q[0]};
    tn_json_numbers(json, "rotation", 4, turned);
}

// Node 0 turns z up; then a node a rigid body, a node a soft body, a node a shape.
static void put_root(tn_json *json, const gltf *g)
{
    const double up[4] = {M_SQRT1_2, -M_SQRT1_2, 0.0, 0.0};
    tn_json_open(json, NULL, '{');
    tn_json_text(json, "name", "z up");
    put_quaternion(json, up);
    tn_json_open(json, "children", '[');
    for (int k = 0; k < g->view->n_rigid + g->r->n_softs; k++) {
        tn_json_integer(json, NULL, 1 + k);
    }
    tn_json_close(json, ']');
    tn_json_close(json, '}');
}

static void put_body(tn_json *json, const gltf *g, int body)
{
    const float *pose = g->start + 7 * (size_t)body;
    const double translation[3] = {pose[0], pose[1], pose[2]}, rotation[4] = {pose[3], pose[4], pose[5], pose[6]};
    tn_json_open(json, NULL, '{');
    tn_json_text(json, "name", g->r->names[body]);
    tn_json_numbers(json, "translation", 3, translation);
    tn_json_numbers(json, "rotation", 4, rotation);
    bool any = false;
    for (int s = 0; s < g->r->n_shapes; s++) {
        if (g->r->shapes[s].body == body) {
            if (!any) {
                tn_json_open(json, "children", '[');
                any = true;
            }
            tn_json_integer(json, NULL, 1 + g->view->n_rigid + g->r->n_softs + s);
        }
    }
    if (any) {
        tn_json_close(json, ']');
    }
    tn_json_close(json, '}');
}

static void put_nodes(tn_json *json, const gltf *g)
{
    tn_json_open(json, "nodes", '[');
    put_root(json, g);
    for (int b = 0; b < g->view->n_rigid; b++) {
        put_body(json, g, b);
    }
    for (int s = 0; s < g->r->n_softs; s++) {
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", g->r->names[g->r->softs[s].body]);
        tn_json_integer(json, "mesh", g->looks.n_meshes + s);
        tn_json_close(json, '}');
    }
    for (int s = 0; s < g->r->n_shapes; s++) {
        const tn_recorded_shape *shape = &g->r->shapes[s];
        tn_json_open(json, NULL, '{');
        if (shape->seen) {
            tn_json_integer(json, "mesh", g->looks.mesh_of[s]);
        }
        tn_json_numbers(json, "translation", 3, shape->pose.position);
        put_quaternion(json, shape->pose.quaternion);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void put_sampler(tn_json *json, const gltf *g, int output)
{
    tn_json_open(json, NULL, '{');
    tn_json_integer(json, "input", g->times);
    tn_json_integer(json, "output", output);
    tn_json_close(json, '}');
}

static void put_channel(tn_json *json, int sampler, int node, const char *path)
{
    tn_json_open(json, NULL, '{');
    tn_json_integer(json, "sampler", sampler);
    tn_json_open(json, "target", '{');
    tn_json_integer(json, "node", node);
    tn_json_text(json, "path", path);
    tn_json_close(json, '}');
    tn_json_close(json, '}');
}

// Samplers (or, with channels, who follows them) of all that moves. Returns how many.
static int put_motions(tn_json *json, const gltf *g, bool channels)
{
    int n = 0;
    for (int b = 0; b < g->view->n_rigid; b++) {
        for (int k = 0; k < 2 && moves(g, b); k++, n++) {
            if (json && channels) {
                put_channel(json, n, 1 + b, k == 0 ? "translation" : "rotation");
            } else if (json) {
                put_sampler(json, g, k == 0 ? g->translation[b] : g->rotation[b]);
            }
        }
    }
    for (int s = 0; s < g->r->n_softs; s++) {
        if (g->soft[s].n_targets > 0) {
            if (json && channels) {
                put_channel(json, n, 1 + g->view->n_rigid + s, "weights");
            } else if (json) {
                put_sampler(json, g, g->soft[s].weights);
            }
            n++;
        }
    }
    return n;
}

static void put_animation(tn_json *json, const gltf *g)
{
    if (put_motions(NULL, g, false) == 0) {
        return;
    }
    tn_json_open(json, "animations", '[');
    tn_json_open(json, NULL, '{');
    tn_json_text(json, "name", g->r->title);
    tn_json_open(json, "samplers", '[');
    put_motions(json, g, false);
    tn_json_close(json, ']');
    tn_json_open(json, "channels", '[');
    put_motions(json, g, true);
    tn_json_close(json, ']');
    tn_json_close(json, '}');
    tn_json_close(json, ']');
}

void gltf_put_asset(tn_json *json, const gltf *g)
{
    tn_json_open(json, NULL, '{');
    tn_json_open(json, "asset", '{');
    tn_json_text(json, "version", "2.0");
    tn_json_text(json, "generator", "Tenon");
    tn_json_close(json, '}');
    tn_json_integer(json, "scene", 0);
    tn_json_open(json, "scenes", '[');
    tn_json_open(json, NULL, '{');
    tn_json_open(json, "nodes", '[');
    tn_json_integer(json, NULL, 0);
    tn_json_close(json, ']');
    tn_json_close(json, '}');
    tn_json_close(json, ']');
    put_meshes(json, g);
    put_nodes(json, g);
    gltf_put_looks(json, &g->looks);
    put_animation(json, g);
    put_accessors(json, &g->data);
    tn_json_close(json, '}');
}
