// The view's header: what there is, in JSON.
#include "base/json.h"
#include "base/memory.h"
#include "base/plain.h"
#include "view/frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(uint8_t kind)
{
    static const char *const names[] = {"free", "fixed", "kinematic", "soft"};
    return kind < 4 ? names[kind] : "unknown";
}

static void put_range(tn_json *json, const char *key, long first, long n)
{
    tn_json_open(json, key, '[');
    tn_json_integer(json, NULL, first);
    tn_json_integer(json, NULL, n);
    tn_json_close(json, ']');
}

static void put_color(tn_json *json, const float rgb[3])
{
    const double color[3] = {rgb[0], rgb[1], rgb[2]};
    if (!isnan(rgb[0])) {
        tn_json_row(json, "color", 3, color, 4);
    }
}

static void put_bodies(tn_json *json, const tn_view *view)
{
    const tn_recording *r = view->recording;
    tn_json_open(json, "bodies", '[');
    for (int b = 0; b < r->n_bodies; b++) {
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", r->names[b]);
        tn_json_text(json, "kind", kind_name(r->kinds[b]));
        put_color(json, view->rgb + 3 * (size_t)b);
        if (r->checker[b]) {
            tn_json_text(json, "texture", "checker");
        }
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void put_shapes(tn_json *json, const tn_view *view)
{
    const tn_recording *r = view->recording;
    tn_json_open(json, "geometries", '[');
    for (int g = 0; g < view->geometries.n; g++) {
        const tn_view_geometry *geometry = &view->geometries.geometry[g];
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "kind", tn_shape_name(geometry->recorded->shape.kind));
        tn_json_numbers(json, "size", 3, geometry->recorded->shape.size);
        put_range(json, "vertices", geometry->first_vertex, geometry->n_vertices);
        put_range(json, "triangles", geometry->first_triangle, geometry->n_triangles);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
    tn_json_open(json, "shapes", '[');
    for (int s = 0; s < r->n_shapes; s++) {
        const tn_recorded_shape *shape = &r->shapes[s];
        tn_json_open(json, NULL, '{');
        tn_json_integer(json, "body", shape->body);
        tn_json_integer(json, "geometry", view->geometries.of_shape[s]);
        if (shape->visual) {
            tn_json_bool(json, "visual", true);
        }
        put_color(json, shape->rgb);
        tn_json_numbers(json, "position", 3, shape->pose.position);
        tn_json_numbers(json, "quaternion", 4, shape->pose.quaternion);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void put_softs(tn_json *json, const tn_recording *r)
{
    tn_json_open(json, "softs", '[');
    for (int s = 0; s < r->n_softs; s++) {
        const tn_recorded_soft *soft = &r->softs[s];
        tn_json_open(json, NULL, '{');
        tn_json_integer(json, "body", soft->body);
        put_range(json, "nodes", soft->first_node, soft->n_nodes);
        put_range(json, "faces", soft->first_face, soft->n_faces);
        tn_json_number(json, "young", soft->young);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void put_joints(tn_json *json, const tn_view *view)
{
    const tn_recording *r = view->recording;
    tn_json_open(json, "joints", '[');
    for (int k = 0; k < view->n_placed; k++) {
        int j = view->placed[k].joint, side = view->placed[k].side;
        const double *frame = r->joint_frames[side] + 7 * (size_t)j;
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", r->joint_names[j]);
        tn_json_text(json, "type", r->joint_types[j]);
        tn_json_integer(json, "body", r->joint_bodies[2 * j + side]);
        tn_json_integer(json, "other", r->joint_bodies[2 * j + 1 - side]);
        tn_json_numbers(json, "position", 3, frame);
        tn_json_numbers(json, "quaternion", 4, frame + 3);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void put_views(tn_json *json, const tn_recording *r)
{
    tn_json_open(json, "views", '[');
    for (int k = 0; k < r->n_views; k++) {
        const tn_recorded_view *view = &r->views[k];
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", r->view_names[k]);
        if (!isnan(view->eye[0])) {
            tn_json_numbers(json, "from", 3, view->eye);
        }
        if (!isnan(view->target[0])) {
            tn_json_numbers(json, "at", 3, view->target);
        }
        if (view->follow > 0) {
            tn_json_integer(json, "follow", view->follow);
        }
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

// Names of what the bits of plan/mode stand for.
static void put_lanes(tn_json *json, const tn_recording *r)
{
    tn_json_open(json, "lanes", '[');
    for (int k = 0; k < r->n_lanes; k++) {
        tn_json_text(json, NULL, r->lane_names[k]);
    }
    tn_json_close(json, ']');
}

static void put_tables(tn_json *json, const tn_view *view)
{
    static const char *const types[] = {"float32", "float64", "uint32"};
    tn_json_open(json, "tables", '[');
    for (int t = 0; t < TN_VIEW_TABLES; t++) {
        tn_view_info info = tn_view_table_info(view, (tn_view_table)t);
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", info.name);
        tn_json_text(json, "type", types[info.type]);
        tn_json_integer(json, "width", info.width);
        tn_json_integer(json, "rows", info.rows);
        tn_json_bool(json, "by_frame", info.by_frame);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
    tn_json_open(json, "series", '[');
    for (int s = 0; s < view->n_series; s++) {
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", view->series[s]->path);
        tn_json_text(json, "unit", view->series[s]->unit);
        tn_json_text(json, "about", view->series[s]->about);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void put_header(tn_json *json, const tn_view *view)
{
    const tn_recording *r = view->recording;
    tn_json_open(json, NULL, '{');
    tn_json_text(json, "format", "tenon view");
    tn_json_integer(json, "version", 1);
    tn_json_text(json, "title", r->title);
    tn_json_text(json, "scene_path", r->scene_path);
    tn_json_text(json, "tenon", r->version);
    tn_json_text(json, "solver", r->solver);
    tn_json_text(json, "law", r->law);
    tn_json_text(json, "scheme", r->scheme);
    tn_json_number(json, "step", r->step);
    tn_json_integer(json, "frames", view->n_frames);
    tn_json_integer(json, "rigid", view->n_rigid);
    tn_json_number(json, "extent", view->extent);
    tn_json_row(json, "low", 3, view->low, 7);
    tn_json_row(json, "high", 3, view->high, 7);
    tn_json_number(json, "force", view->force);
    put_bodies(json, view);
    put_views(json, r);
    put_shapes(json, view);
    put_softs(json, r);
    put_joints(json, view);
    put_lanes(json, r);
    put_tables(json, view);
}

char *tn_view_header(const tn_view *view, void (*more)(tn_json *json, const void *context), const void *context,
                     tn_error *error)
{
    char *text = NULL, *copy = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        const tn_plain plain = tn_plain_begin();
        tn_json json = {.out = out, .first = true};
        put_header(&json, view);
        if (more) {
            more(&json, context);
        }
        tn_json_close(&json, '}');
        tn_plain_end(plain);
        copy = fclose(out) == 0 && text ? tn_calloc(size + 1, 1) : NULL;
    }
    if (copy) {
        memcpy(copy, text, size);
    } else {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the view's header");
    }
    free(text);
    return copy;
}
