#include "view/gltf_look.h"

#include "base/memory.h"
#include "view/colors.h"
#include "view/png.h"

#include <math.h>
#include <string.h>

enum { REPEAT = 10497, NEAREST = 9728 }; // numbers of the specification

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the glTF file's materials");
}

static int find_material(gltf_looks *l, const float rgb[3], bool checker)
{
    int k = 0;
    while (k < l->n_materials &&
           (memcmp(l->material[k].rgb, rgb, sizeof l->material[k].rgb) != 0 || l->material[k].checker != checker)) {
        k++;
    }
    if (k == l->n_materials) {
        l->material[l->n_materials++] = (gltf_material){.rgb = {rgb[0], rgb[1], rgb[2]}, .checker = checker};
    }
    return k;
}

// Meshes of one geometry are chained.
static int find_mesh(gltf_looks *l, int geometry, int material)
{
    int *k = &l->first[geometry];
    while (*k >= 0 && l->mesh[*k].material != material) {
        k = &l->mesh[*k].next;
    }
    if (*k < 0) {
        *k = l->n_meshes;
        l->mesh[l->n_meshes++] = (gltf_mesh){.geometry = geometry, .material = material, .next = -1};
    }
    return *k;
}

// ---- the checker: squares of half the shape's size in its own axes, on each face along the two that it lies in most

// u and v of a corner: squares 0 and 1 of the texture lie beside each other, the first about the origin.
static void put_place(float out[2], const float at[3], int across, float cell)
{
    for (int i = 0, k = 0; i < 3; i++) {
        if (i != across) {
            out[k++] = 0.5F * (at[i] / cell + 0.5F);
        }
    }
}

static int axis_across(const float *a, const float *b, const float *c)
{
    double n[3] = {0};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = fabs((double)((b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j])));
    }
    return n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
}

// Each triangle gets corners of its own: at an edge two faces differ in their places on the texture.
static tn_status add_checker(gltf *g, int geometry, tn_error *error)
{
    const tn_view_geometries *all = &g->view->geometries;
    const tn_view_geometry *from = &all->geometry[geometry];
    const double *size = from->recorded->shape.size;
    float cell = (float)(0.5 * fmax(size[0], fmax(size[1], size[2])));
    size_t n = 3 * (size_t)from->n_triangles;
    tn_arena_mark mark = tn_arena_get_mark(g->arena);
    float *at = TN_PUSH(g->arena, float, 3 * n), *place = TN_PUSH(g->arena, float, 2 * n);
    uint32_t *index = TN_PUSH(g->arena, uint32_t, n);
    if (!at || !place || !index) {
        return no_memory(error);
    }
    for (size_t k = 0; k < n; k++) {
        uint32_t vertex = all->triangles[3 * (size_t)from->first_triangle + k];
        memcpy(at + 3 * k, all->vertices + 3 * ((size_t)from->first_vertex + vertex), 3 * sizeof *at);
        index[k] = (uint32_t)k;
    }
    for (size_t k = 0; k < n; k++) {
        const float *corner = at + 3 * (k / 3 * 3);
        put_place(place + 2 * k, at + 3 * k, axis_across(corner, corner + 3, corner + 6), cell > 0.0F ? cell : 1.0F);
    }
    g->looks.checker[geometry] = (gltf_checker){gltf_add_floats(&g->data, GLTF_VERTICES, 3, (long)n, at, true),
                                                gltf_add_floats(&g->data, GLTF_VERTICES, 2, (long)n, place, false),
                                                gltf_add_indices(&g->data, (long)n, index)};
    tn_arena_release(g->arena, mark);
    return TN_OK;
}

// ----

static bool reserve(gltf *g)
{
    gltf_looks *l = &g->looks;
    size_t n = (size_t)g->r->n_shapes + (size_t)g->r->n_softs, n_geometries = (size_t)g->view->geometries.n;
    l->material = TN_PUSH(g->arena, gltf_material, n);
    l->mesh = TN_PUSH(g->arena, gltf_mesh, n);
    l->mesh_of = TN_PUSH(g->arena, int, n);
    l->soft_material = TN_PUSH(g->arena, int, n);
    l->first = TN_PUSH(g->arena, int, n_geometries);
    l->checker = TN_PUSH(g->arena, gltf_checker, n_geometries);
    return l->material && l->mesh && l->mesh_of && l->soft_material && l->first && l->checker;
}

tn_status gltf_choose_looks(gltf *g, tn_error *error)
{
    gltf_looks *l = &g->looks;
    if (!reserve(g)) {
        return no_memory(error);
    }
    for (int k = 0; k < g->view->geometries.n; k++) {
        l->first[k] = -1;
        l->checker[k].positions = -1;
    }
    tn_status status = TN_OK;
    for (int s = 0; s < g->r->n_shapes && status == TN_OK; s++) {
        const tn_recorded_shape *shape = &g->r->shapes[s];
        int geometry = g->view->geometries.of_shape[s];
        bool checker = g->r->checker[shape->body];
        l->mesh_of[s] = -1;
        if (shape->seen) {
            l->mesh_of[s] = find_mesh(l, geometry, find_material(l, tn_view_shape_color(g->view, s), checker));
            status = checker && l->checker[geometry].positions < 0 ? add_checker(g, geometry, error) : TN_OK;
        }
    }
    for (int s = 0; s < g->r->n_softs; s++) {
        l->soft_material[s] = find_material(l, g->view->rgb + 3 * (size_t)g->r->softs[s].body, false);
    }
    return status;
}

// Two by two squares, half of them with half the light.
tn_status gltf_add_picture(gltf *g, tn_error *error)
{
    bool any = false;
    for (int k = 0; k < g->looks.n_materials; k++) {
        any = any || g->looks.material[k].checker;
    }
    g->looks.image = -1;
    if (!any) {
        return TN_OK;
    }
    unsigned char rgb[12];
    for (int k = 0; k < 12; k++) {
        rgb[k] = k / 3 % 3 == 0 ? 255 : (unsigned char)lround(255.0 * tn_color_to_screen(0.5));
    }
    size_t size = 0;
    unsigned char *file = tn_png_encode(2, 2, rgb, &size, error);
    g->looks.image = file ? gltf_add_bytes(&g->data, size, file) : -1;
    tn_free(file);
    return file ? TN_OK : TN_NO_MEMORY;
}

// ---- JSON

static void put_material(tn_json *json, const gltf_material *m)
{
    double color[4] = {0.0, 0.0, 0.0, 1.0};
    for (int c = 0; c < 3; c++) {
        color[c] = tn_color_to_light(m->rgb[c]);
    }
    tn_json_open(json, NULL, '{');
    tn_json_open(json, "pbrMetallicRoughness", '{');
    tn_json_numbers(json, "baseColorFactor", 4, color);
    if (m->checker) {
        tn_json_open(json, "baseColorTexture", '{');
        tn_json_integer(json, "index", 0);
        tn_json_close(json, '}');
    }
    tn_json_number(json, "metallicFactor", 0.0);
    tn_json_number(json, "roughnessFactor", 0.55);
    tn_json_close(json, '}');
    tn_json_bool(json, "doubleSided", true);
    tn_json_close(json, '}');
}

// An array of the one object with these members.
static void put_integers(tn_json *json, const char *key, int n, const char *const *names, const long *values)
{
    tn_json_open(json, key, '[');
    tn_json_open(json, NULL, '{');
    for (int k = 0; k < n; k++) {
        tn_json_integer(json, names[k], values[k]);
    }
    tn_json_close(json, '}');
    tn_json_close(json, ']');
}

static void put_checker(tn_json *json, int image)
{
    tn_json_open(json, "images", '[');
    tn_json_open(json, NULL, '{');
    tn_json_integer(json, "bufferView", image);
    tn_json_text(json, "mimeType", "image/png");
    tn_json_close(json, '}');
    tn_json_close(json, ']');
    put_integers(json, "samplers", 4, (const char *const[]){"magFilter", "minFilter", "wrapS", "wrapT"},
                 (const long[]){NEAREST, NEAREST, REPEAT, REPEAT});
    put_integers(json, "textures", 2, (const char *const[]){"sampler", "source"}, (const long[]){0, 0});
}

void gltf_put_looks(tn_json *json, const gltf_looks *looks)
{
    if (looks->n_materials == 0) {
        return;
    }
    tn_json_open(json, "materials", '[');
    for (int k = 0; k < looks->n_materials; k++) {
        put_material(json, &looks->material[k]);
    }
    tn_json_close(json, ']');
    if (looks->image >= 0) {
        put_checker(json, looks->image);
    }
}
