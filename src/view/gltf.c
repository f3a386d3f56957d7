// Binary glTF 2.0 (Khronos; ISO/IEC 12113): a header, a chunk of JSON, a chunk of numbers.
#include "base/draft.h"
#include "view/gltf_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the glTF file's numbers");
}

// A table whole, of numbers of four bytes; NULL with the error set.
static void *whole_table(gltf *g, tn_view_table table, tn_error *error)
{
    tn_view_info info = tn_view_table_info(g->view, table);
    void *rows = tn_arena_push_raw(g->arena, (size_t)info.rows * (size_t)info.width, 4);
    if (!rows) {
        no_memory(error);
        return NULL;
    }
    return tn_view_rows(g->view, table, 0, info.rows, rows, error) == TN_OK ? rows : NULL;
}

// ---- numbers

static tn_status add_geometries(gltf *g, tn_error *error)
{
    const float *vertices = whole_table(g, TN_VIEW_VERTICES, error);
    const uint32_t *triangles = vertices ? whole_table(g, TN_VIEW_TRIANGLES, error) : NULL;
    if (!triangles) {
        return error->status;
    }
    for (int k = 0; k < g->view->geometries.n; k++) {
        const tn_view_geometry *geometry = &g->view->geometries.geometry[k];
        g->positions[k] = gltf_add_floats(&g->data, GLTF_VERTICES, 3, geometry->n_vertices,
                                          vertices + 3 * (size_t)geometry->first_vertex, true);
        g->indices[k] =
            gltf_add_indices(&g->data, 3L * geometry->n_triangles, triangles + 3 * (size_t)geometry->first_triangle);
    }
    return TN_OK;
}

static tn_status add_times(gltf *g, tn_error *error)
{
    long n = g->view->n_frames;
    float *times = TN_PUSH(g->arena, float, n);
    if (!times) {
        return no_memory(error);
    }
    for (long k = 0; k < n; k++) {
        times[k] = (float)(g->view->time[k] - g->view->time[0]);
    }
    g->times = gltf_add_floats(&g->data, 0, 1, n, times, true);
    return TN_OK;
}

// A pose's quaternion w x y z as x y z w, of length one to a float's rounding.
static void turn(const float *pose, float out[4])
{
    const float *q = pose + 3;
    float norm = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        out[k] = norm > 0.0F ? q[(k + 1) % 4] / norm : k == 3;
    }
}

static bool poses_equal(const float a[7], const float b[7])
{
    bool equal = true;
    for (int k = 0; k < 7; k++) {
        equal = equal && a[k] == b[k];
    }
    return equal;
}

static void add_body(gltf *g, int body, const float *poses, float *column)
{
    long n = g->view->n_frames, width = 7L * g->view->n_rigid;
    bool same = true;
    for (long k = 0; k < n; k++) {
        const float *pose = poses + k * width + 7L * body;
        same = same && poses_equal(pose, poses + 7L * body);
        memcpy(column + 3 * k, pose, 3 * sizeof *pose);
    }
    g->translation[body] = g->rotation[body] = -1;
    if (same) {
        return;
    }
    g->translation[body] = gltf_add_floats(&g->data, 0, 3, n, column, false);
    for (long k = 0; k < n; k++) {
        turn(poses + k * width + 7L * body, column + 4 * k);
    }
    g->rotation[body] = gltf_add_floats(&g->data, 0, 4, n, column, false);
}

static tn_status add_bodies(gltf *g, tn_error *error)
{
    const float *poses = whole_table(g, TN_VIEW_POSES, error);
    float *column = TN_PUSH(g->arena, float, 4 * (size_t)g->view->n_frames);
    if (!poses || !column) {
        return poses ? no_memory(error) : error->status;
    }
    for (int b = 0; b < g->view->n_rigid; b++) {
        add_body(g, b, poses, column);
        memcpy(g->start + 7 * (size_t)b, poses + 7 * (size_t)b, 3 * sizeof *poses);
        turn(poses + 7 * (size_t)b, g->start + 7 * (size_t)b + 3);
    }
    return TN_OK;
}

// ---- soft bodies: nodes on faces only

typedef struct skin {
    int n;
    int *vertex_of;       // (n_nodes) or -1
    int *node;            // (n)
    float *nodes;         // (n_nodes, 3) of a frame
    float *first, *moved; // (n, 3)
    uint32_t *triangles;
    float *weights;
} skin;

static bool skin_create(const gltf *g, const tn_recorded_soft *soft, const uint32_t *faces, skin *s)
{
    size_t n = (size_t)g->r->n_nodes, frames = (size_t)g->view->n_frames, corners = 3 * (size_t)soft->n_faces;
    *s = (skin){.vertex_of = TN_PUSH(g->arena, int, n),
                .node = TN_PUSH(g->arena, int, n),
                .nodes = TN_PUSH(g->arena, float, 3 * n),
                .first = TN_PUSH(g->arena, float, 3 * n),
                .moved = TN_PUSH(g->arena, float, 3 * n),
                .triangles = TN_PUSH(g->arena, uint32_t, corners),
                .weights = TN_PUSH(g->arena, float, frames *frames)};
    if (!s->vertex_of || !s->node || !s->nodes || !s->first || !s->moved || !s->triangles || !s->weights) {
        return false;
    }
    for (size_t k = 0; k < corners; k++) {
        int node = (int)faces[3 * (size_t)soft->first_face + k];
        if (s->vertex_of[node] == 0) {
            s->node[s->n++] = node;
            s->vertex_of[node] = s->n; // plus one
        }
        s->triangles[k] = (uint32_t)(s->vertex_of[node] - 1);
    }
    return true;
}

static tn_status add_targets(gltf *g, gltf_soft *mesh, skin *s, tn_error *error)
{
    long frames = g->view->n_frames;
    tn_status status = TN_OK;
    for (long k = 0; status == TN_OK && k < frames; k++) {
        status = tn_view_rows(g->view, TN_VIEW_NODES, k, 1, s->nodes, error);
        for (int i = 0; i < s->n; i++) {
            for (int axis = 0; axis < 3; axis++) {
                float x = s->nodes[3 * (size_t)s->node[i] + (size_t)axis];
                float *first = &s->first[3 * i + axis];
                *first = k == 0 ? x : *first;
                s->moved[3 * i + axis] = x - *first;
            }
        }
        if (k == 0) {
            mesh->positions = gltf_add_floats(&g->data, GLTF_VERTICES, 3, s->n, s->first, true);
            continue;
        }
        int target = gltf_add_floats(&g->data, GLTF_VERTICES, 3, s->n, s->moved, true);
        mesh->first_target = k == 1 ? target : mesh->first_target;
        s->weights[k * (frames - 1) + k - 1] = 1.0F;
    }
    mesh->n_targets = (int)frames - 1;
    if (mesh->n_targets > 0) {
        mesh->weights = gltf_add_floats(&g->data, 0, 1, frames * (frames - 1), s->weights, false);
    }
    return status;
}

static tn_status add_softs(gltf *g, tn_error *error)
{
    const uint32_t *faces = whole_table(g, TN_VIEW_FACES, error);
    tn_status status = faces ? TN_OK : error->status;
    for (int k = 0; status == TN_OK && k < g->r->n_softs; k++) {
        skin s;
        tn_arena_mark mark = tn_arena_get_mark(g->arena);
        status = skin_create(g, &g->r->softs[k], faces, &s) ? TN_OK : no_memory(error);
        if (status == TN_OK) {
            g->soft[k].indices = gltf_add_indices(&g->data, 3L * g->r->softs[k].n_faces, s.triangles);
            status = add_targets(g, &g->soft[k], &s, error);
        }
        tn_arena_release(g->arena, mark);
    }
    return status;
}

// ---- the file

static void put_word(FILE *out, size_t word)
{
    const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8), (unsigned char)(word >> 16),
                                    (unsigned char)(word >> 24)};
    fwrite(bytes, 1, 4, out);
}

// A chunk holds a multiple of four bytes.
static size_t padded(size_t n)
{
    return (n + 3) / 4 * 4;
}

static tn_status write_chunks(gltf *g, const char *json, size_t n_json, FILE *out, tn_error *error)
{
    size_t chunk = padded(n_json), total = 12 + 8 + chunk + 8 + g->data.size;
    if (total > UINT32_MAX) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "the recording makes %.1f GB of glTF, whose files end at 4 GB: take --every N",
                            1e-9 * (double)total);
    }
    fwrite("glTF", 1, 4, out);
    put_word(out, 2);
    put_word(out, total);
    put_word(out, chunk);
    fwrite("JSON", 1, 4, out);
    fwrite(json, 1, n_json, out);
    for (size_t k = n_json; k < chunk; k++) {
        fputc(' ', out);
    }
    put_word(out, g->data.size);
    fwrite("BIN\0", 1, 4, out);
    if (!gltf_data_copy(&g->data, out)) {
        return tn_error_set(error, TN_IO, "the glTF file's numbers cannot be written");
    }
    return TN_OK;
}

static tn_status write_file(gltf *g, FILE *out, tn_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) {
        return no_memory(error);
    }
    tn_json json = {.out = memory, .first = true};
    gltf_put_asset(&json, g);
    tn_status status = fclose(memory) == 0 && text ? write_chunks(g, text, size, out, error) : no_memory(error);
    free(text);
    return status;
}

static bool reserve(gltf *g)
{
    g->arena = tn_arena_create(0);
    if (!g->arena) {
        return false;
    }
    g->positions = TN_PUSH(g->arena, int, g->view->geometries.n);
    g->indices = TN_PUSH(g->arena, int, g->view->geometries.n);
    g->translation = TN_PUSH(g->arena, int, g->view->n_rigid);
    g->rotation = TN_PUSH(g->arena, int, g->view->n_rigid);
    g->start = TN_PUSH(g->arena, float, 7 * (size_t)g->view->n_rigid);
    g->soft = TN_PUSH(g->arena, gltf_soft, g->r->n_softs);
    return g->positions && g->indices && g->translation && g->rotation && g->start && g->soft &&
           gltf_data_open(&g->data);
}

tn_status tn_view_write_gltf(tn_view *view, const char *path, size_t *size, tn_error *error)
{
    gltf g = {.view = view, .r = view->recording};
    tn_status status = tn_draft_check(path, "binary glTF file", "glTF", error);
    status = status == TN_OK && !reserve(&g) ? no_memory(error) : status;
    status = status == TN_OK ? add_geometries(&g, error) : status;
    status = status == TN_OK ? gltf_choose_looks(&g, error) : status;
    status = status == TN_OK ? add_times(&g, error) : status;
    status = status == TN_OK ? add_bodies(&g, error) : status;
    status = status == TN_OK ? add_softs(&g, error) : status;
    status = status == TN_OK ? gltf_add_picture(&g, error) : status;
    if (status == TN_OK && g.data.failed) {
        status = tn_error_set(error, TN_IO, "no room for the glTF file's numbers in the temporary folder");
    }
    tn_draft draft;
    status = status == TN_OK ? tn_draft_open(&draft, path, error) : status;
    status = status == TN_OK ? tn_draft_close(&draft, write_file(&g, draft.out, error), size, error) : status;
    gltf_data_close(&g.data);
    tn_arena_destroy(g.arena);
    return status;
}
