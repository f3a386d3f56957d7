#include "view/picture.h"

#include "math/quat.h"
#include "scene/scene.h"
#include "view/colors.h"
#include "view/picture_parts.h"

#include <string.h>

enum { SHADE = 1024 }; // pixels of the sun's picture, each way

// Triangles to be drawn; their corners are vertices of at and normal of the picture.
typedef struct surface {
    int n_triangles;
    const uint32_t *corners; // (n_triangles, 3)
    bool smooth, moves;
    float rgb[3]; // light
} surface;

static bool is_round(tn_shape_kind kind)
{
    return kind == TN_SHAPE_SPHERE || kind == TN_SHAPE_CAPSULE || kind == TN_SHAPE_ELLIPSOID || kind == TN_SHAPE_POINTS;
}

static bool is_drawn(const tn_view *view, int s)
{
    const tn_recorded_shape *shape = &view->recording->shapes[s];
    return shape->seen && shape->shape.kind != TN_SHAPE_PLANE &&
           view->geometries.geometry[view->geometries.of_shape[s]].n_triangles > 0;
}

bool tn_picture_has_any(const tn_view *view)
{
    bool any = view->recording->n_faces > 0;
    for (int s = 0; s < view->recording->n_shapes; s++) {
        any = any || is_drawn(view, s);
    }
    return any;
}

// Whether the numbers are finite: a run that diverged ends with others.
static bool place(const picture *p, const tn_recorded_shape *shape, double position[3], double quaternion[4])
{
    const double *pose = p->poses + 7 * (size_t)shape->body;
    tn_quat_rotate(position, pose + 3, shape->pose.position);
    tn_vec3_add(position, position, pose);
    tn_quat_mul(quaternion, pose + 3, shape->pose.quaternion);
    return isfinite(tn_vec3_norm(position) + quaternion[0] + quaternion[1] + quaternion[2] + quaternion[3]);
}

static bool place_shape(picture *p, int s, surface *out)
{
    const tn_recorded_shape *shape = &p->r->shapes[s];
    double position[3], quaternion[4];
    if (!is_drawn(p->view, s) || !place(p, shape, position, quaternion)) {
        return false;
    }
    const tn_view_geometries *all = &p->view->geometries;
    const tn_view_geometry *geometry = &all->geometry[all->of_shape[s]];
    const float *from = all->vertices + 3 * (size_t)geometry->first_vertex;
    for (size_t k = 0; k < (size_t)geometry->n_vertices; k++) {
        tn_vec3_set(p->at + 3 * k, from[3 * k], from[3 * k + 1], from[3 * k + 2]);
        tn_quat_rotate(p->at + 3 * k, quaternion, p->at + 3 * k);
        tn_vec3_add(p->at + 3 * k, p->at + 3 * k, position);
    }
    const float *rgb = tn_view_shape_color(p->view, s);
    *out = (surface){.n_triangles = geometry->n_triangles,
                     .corners = all->triangles + 3 * (size_t)geometry->first_triangle,
                     .smooth = is_round(shape->shape.kind),
                     .moves = p->r->kinds[shape->body] != TN_BODY_FIXED,
                     .rgb = {rgb[0], rgb[1], rgb[2]}};
    return true;
}

static bool place_soft(picture *p, int k, surface *out)
{
    const tn_recorded_soft *soft = &p->r->softs[k];
    const float *rgb = p->view->rgb + 3 * (size_t)soft->body;
    for (size_t i = 3 * (size_t)soft->first_node; i < 3 * (size_t)(soft->first_node + soft->n_nodes); i++) {
        p->at[i] = p->nodes[i];
        if (!isfinite(p->nodes[i])) {
            return false;
        }
    }
    *out = (surface){.n_triangles = soft->n_faces,
                     .corners = (const uint32_t *)p->r->faces + 3 * (size_t)soft->first_face, // nodes: not negative
                     .smooth = true,
                     .moves = true,
                     .rgb = {rgb[0], rgb[1], rgb[2]}};
    return true;
}

// Surface k of all, shapes first; false: it is not drawn.
static bool take(picture *p, int k, surface *out)
{
    bool there = k < p->r->n_shapes ? place_shape(p, k, out) : place_soft(p, k - p->r->n_shapes, out);
    for (int c = 0; there && c < 3; c++) {
        out->rgb[c] = (float)tn_color_to_light(out->rgb[c]);
    }
    return there;
}

static void normal_of(const picture *p, const uint32_t corner[3], double out[3])
{
    double a[3], b[3];
    const double *at = p->at + 3 * (size_t)corner[0];
    tn_vec3_sub(a, p->at + 3 * (size_t)corner[1], at);
    tn_vec3_sub(b, p->at + 3 * (size_t)corner[2], at);
    tn_vec3_cross(out, a, b);
}

// At each vertex of a smooth surface the sum over its triangles, by area.
static void find_normals(picture *p, const surface *s)
{
    size_t n = 3 * (size_t)s->n_triangles;
    for (size_t k = 0; k < n; k++) {
        tn_vec3_set(p->normal + 3 * (size_t)s->corners[k], 0.0, 0.0, 0.0);
    }
    for (size_t k = 0; k < n; k++) {
        double normal[3], *sum = p->normal + 3 * (size_t)s->corners[k];
        normal_of(p, s->corners + k / 3 * 3, normal);
        tn_vec3_add(sum, sum, normal);
    }
}

static void draw(picture *p, const tn_camera *camera, tn_canvas *canvas)
{
    surface s;
    tn_canvas_clear(canvas);
    for (int k = 0; k < p->r->n_shapes + p->r->n_softs; k++) {
        if (!take(p, k, &s)) {
            continue;
        }
        if (s.smooth) {
            find_normals(p, &s);
        }
        for (int t = 0; t < s.n_triangles; t++) {
            const uint32_t *corner = s.corners + 3 * (size_t)t;
            double at[3][3], normal[3][3], flat[3];
            normal_of(p, corner, flat);
            for (int i = 0; i < 3; i++) {
                tn_vec3_copy(at[i], p->at + 3 * (size_t)corner[i]);
                tn_vec3_copy(normal[i], s.smooth ? p->normal + 3 * (size_t)corner[i] : flat);
            }
            tn_canvas_triangle(canvas, camera, at, normal, s.rgb);
        }
    }
}

// ---- what is there

static void reach(double low[3], double high[3], const double at[3])
{
    for (int i = 0; i < 3; i++) {
        low[i] = fmin(low[i], at[i]);
        high[i] = fmax(high[i], at[i]);
    }
}

// Boxes around what moves and what does not; without anything that moves the picture is of the latter.
static void frame_all(picture *p)
{
    double fixed_low[3] = {INFINITY, INFINITY, INFINITY}, fixed_high[3] = {-INFINITY, -INFINITY, -INFINITY};
    memcpy(p->low, fixed_low, sizeof p->low);
    memcpy(p->high, fixed_high, sizeof p->high);
    surface s;
    for (int k = 0; k < p->r->n_shapes + p->r->n_softs; k++) {
        bool there = take(p, k, &s);
        for (size_t c = 0; there && c < 3 * (size_t)s.n_triangles; c++) {
            reach(s.moves ? p->low : fixed_low, s.moves ? p->high : fixed_high, p->at + 3 * (size_t)s.corners[c]);
        }
    }
    if (!(p->low[0] <= p->high[0])) {
        bool any = fixed_low[0] <= fixed_high[0];
        for (int i = 0; i < 3; i++) {
            p->low[i] = any ? fixed_low[i] : -1.0;
            p->high[i] = any ? fixed_high[i] : 1.0;
        }
    }
    picture_aim(p, fixed_low, fixed_high);
}

// The plane that faces upwards the most; others are walls, and not drawn.
static void find_ground(picture *p)
{
    double at[3], quaternion[4], rotation[9];
    for (int s = 0; s < p->r->n_shapes; s++) {
        const tn_recorded_shape *shape = &p->r->shapes[s];
        if (shape->shape.kind != TN_SHAPE_PLANE || !place(p, shape, at, quaternion)) {
            continue;
        }
        tn_quat_to_mat3(rotation, quaternion);
        if (!p->ground.there || rotation[8] > p->ground.axes[8]) {
            p->ground.there = true;
            tn_vec3_copy(p->ground.at, at);
            for (int k = 0; k < 9; k++) {
                p->ground.axes[k] = rotation[k % 3 * 3 + k / 3];
            }
        }
    }
}

static bool reserve(picture *p, tn_arena *arena, const tn_picture *out)
{
    size_t most = (size_t)p->r->n_nodes;
    for (int g = 0; g < p->view->geometries.n; g++) {
        size_t n = (size_t)p->view->geometries.geometry[g].n_vertices;
        most = n > most ? n : most;
    }
    p->canvas = (tn_canvas){.width = 2 * out->width, .height = 2 * out->height};
    p->shade = (tn_canvas){.width = SHADE, .height = SHADE};
    p->canvas.pixel = TN_PUSH(arena, tn_pixel, 4 * (size_t)out->width * (size_t)out->height);
    p->shade.pixel = TN_PUSH(arena, tn_pixel, (size_t)SHADE * SHADE);
    p->poses = TN_PUSH(arena, double, 7 * (size_t)p->r->n_bodies);
    p->nodes = TN_PUSH(arena, double, 3 * (size_t)p->r->n_nodes);
    p->at = TN_PUSH(arena, double, 3 * most);
    p->normal = TN_PUSH(arena, double, 3 * most);
    return p->canvas.pixel && p->shade.pixel && p->poses && p->nodes && p->at && p->normal;
}

tn_status tn_picture_draw(const tn_view *view, long frame, const tn_picture *out, tn_error *error)
{
    picture p = {.view = view, .r = view->recording};
    tn_arena *arena = tn_arena_create(0);
    bool ready = arena && reserve(&p, arena, out);
    tn_status status = ready ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for a picture");
    status = status == TN_OK ? tn_recording_rows(p.r, "poses", frame, 1, p.poses, error) : status;
    if (status == TN_OK && p.r->n_nodes > 0) {
        status = tn_recording_rows(p.r, "soft/positions", frame, 1, p.nodes, error);
    }
    if (status == TN_OK) {
        find_ground(&p);
        frame_all(&p);
        draw(&p, &p.sun, &p.shade);
        draw(&p, &p.camera, &p.canvas);
        picture_light(&p, out);
    }
    tn_arena_destroy(arena);
    return status;
}
