// The group `shapes`: kinds, sizes and poses, and the points and triangles of those that are not told by sizes.
#include "base/memory.h"
#include "record/recorder.h"
#include "shape/class.h"

#include <string.h>

bool tn_layout_write_texts(hid_t file, const char *path, int n, const char *const *texts)
{
    size_t width = 1;
    for (int k = 0; k < n; k++) {
        width = strlen(texts[k]) > width ? strlen(texts[k]) : width;
    }
    char *block = tn_calloc((size_t)n, width);
    for (int k = 0; block && k < n; k++) {
        memcpy(block + (size_t)k * width, texts[k], strlen(texts[k]));
    }
    bool ok = block && tn_h5_put_names(file, path, n, width, block);
    tn_free(block);
    return ok;
}

static tn_geometry geometry_of(const tn_shape *shape)
{
    tn_geometry out = {0};
    if (tn_class_of(shape)->geometry) {
        tn_class_of(shape)->geometry(shape, &out);
    }
    return out;
}

// A shape as it is recorded: those that collide in the model's order, then those that only give mass, which a body is
// seen by all the same; at last those that are only seen.
typedef struct recorded {
    const tn_scene_shape *said;
    int body;
    bool visual;
} recorded;

static size_t count_recorded(const tn_model *model)
{
    size_t n = (size_t)model->n_shapes;
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_scene_body *body = model->bodies[b].description;
        n += (size_t)(body->n_shapes - model->bodies[b].n_shapes + body->n_visuals);
    }
    return n;
}

static void list_recorded(const tn_model *model, recorded *out)
{
    recorded *collides = out, *mass = out + model->n_shapes; // where the next one goes
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_scene_body *body = model->bodies[b].description;
        for (int k = 0; k < body->n_shapes; k++) {
            const tn_scene_shape *shape = &body->shapes[k];
            recorded **to = shape->collides ? &collides : &mass;
            *(*to)++ = (recorded){.said = shape, .body = b};
        }
    }
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_scene_body *body = model->bodies[b].description;
        for (int k = 0; k < body->n_visuals; k++) {
            *mass++ = (recorded){.said = &body->visuals[k], .body = b, .visual = true};
        }
    }
}

// same_as (n): the first shape with the same geometry, by a table of shapes that is probed from the pointer's
// hash on. False: no memory.
static bool find_first(size_t n, const recorded *shapes, int32_t *same_as)
{
    size_t room = 2 * n + 1;
    int *table = tn_calloc(room, sizeof *table); // shape + 1
    for (size_t k = 0; table && k < n; k++) {
        const void *geometry = geometry_of(&shapes[k].said->shape).shared;
        same_as[k] = (int32_t)k;
        if (!geometry) {
            continue;
        }
        size_t at = (size_t)((uintptr_t)geometry / 64 % room);
        while (table[at] && geometry_of(&shapes[table[at] - 1].said->shape).shared != geometry) {
            at = (at + 1) % room;
        }
        same_as[k] = table[at] ? table[at] - 1 : (int32_t)k;
        table[at] = same_as[k] + 1;
    }
    tn_free(table);
    return table != NULL;
}

// Arrays of the group.
typedef struct shape_arrays {
    int32_t *body, *same_as, *triangles;
    const char **kind;
    uint8_t *collides, *visual;
    float *color;
    double *size, *pose, *points;
    int64_t *offset, *triangles_offset;
} shape_arrays;

static void fill_shapes(size_t n, const recorded *shapes, shape_arrays *out)
{
    for (size_t k = 0; k < n; k++) {
        const tn_scene_shape *said = shapes[k].said;
        const tn_shape *shape = &said->shape;
        out->body[k] = shapes[k].body;
        out->collides[k] = said->collides;
        out->visual[k] = shapes[k].visual;
        out->kind[k] = tn_shape_name(shape->kind);
        tn_layout_color(&said->color, out->color + 3 * k);
        memcpy(out->size + 3 * k, shape->size, sizeof shape->size);
        memcpy(out->pose + 7 * k, said->pose.position, sizeof said->pose.position);
        memcpy(out->pose + 7 * k + 3, said->pose.quaternion, sizeof said->pose.quaternion);
        bool own = out->same_as[k] == (int32_t)k;
        tn_geometry geometry = geometry_of(shape);
        out->offset[k + 1] = out->offset[k] + (own ? (int64_t)geometry.n_points : 0);
        out->triangles_offset[k + 1] = out->triangles_offset[k] + (own ? (int64_t)geometry.n_triangles : 0);
        if (own && geometry.n_points > 0) {
            double *points = out->points + 3 * out->offset[k];
            tn_class_of(shape)->fill(shape, points, out->triangles + 3 * out->triangles_offset[k]);
        }
    }
}

static bool put_shapes(hid_t file, int n_shapes, const shape_arrays *a)
{
    hsize_t n = (hsize_t)n_shapes, n_points = (hsize_t)a->offset[n], n_triangles = (hsize_t)a->triangles_offset[n];
    return tn_h5_put_group(file, "shapes") && tn_layout_write_texts(file, "shapes/kind", n_shapes, a->kind) &&
           tn_h5_put_array(file, "shapes/body", H5T_NATIVE_INT32, 1, &n, a->body, NULL, "row of bodies/name") &&
           tn_h5_put_array(file, "shapes/collides", H5T_NATIVE_UINT8, 1, &n, a->collides, NULL,
                           "0: it only gave mass, or is only shown; such shapes come after the others") &&
           tn_h5_put_array(file, "shapes/visual", H5T_NATIVE_UINT8, 1, &n, a->visual, NULL,
                           "1: it is shown in place of its body's other shapes; such shapes come last") &&
           tn_h5_put_array(file, "shapes/color", H5T_NATIVE_FLOAT, 2, (hsize_t[]){n, 3}, a->color, NULL,
                           "red, green, blue of the screen, 0 to 1; -1: its body's") &&
           tn_h5_put_array(file, "shapes/size", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n, 3}, a->size, "m",
                           "sphere: radius; box: half extents; capsule, cylinder: radius, half length; ellipsoid: "
                           "semi-axes; points: radius; disk: radius; ellipse: semi-axes along x and z; polygon: radius "
                           "around it; cone: lower radius, half height, upper radius") &&
           tn_h5_put_array(file, "shapes/pose", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n, 7}, a->pose, "m, 1",
                           "x y z, quaternion w x y z, in the body's own frame") &&
           tn_h5_put_array(file, "shapes/same_as", H5T_NATIVE_INT32, 1, &n, a->same_as, NULL,
                           "row of the shape whose points and triangles this one has too; its own row: they are its") &&
           tn_h5_put_array(file, "shapes/points_offset", H5T_NATIVE_INT64, 1, (hsize_t[]){n + 1}, a->offset, NULL,
                           "shape k has the points points_offset[k] to points_offset[k + 1] - 1") &&
           tn_h5_put_array(file, "shapes/points", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n_points, 3}, a->points, "m",
                           "in the shape's frame; of points, hull, mesh, heights, polygon") &&
           tn_h5_put_array(file, "shapes/triangles_offset", H5T_NATIVE_INT64, 1, (hsize_t[]){n + 1},
                           a->triangles_offset, NULL,
                           "shape k has the triangles triangles_offset[k] to triangles_offset[k + 1] - 1") &&
           tn_h5_put_array(file, "shapes/triangles", H5T_NATIVE_INT32, 2, (hsize_t[]){n_triangles, 3}, a->triangles,
                           NULL, "of hull, mesh, heights: numbers among the shape's own points");
}

bool tn_layout_write_shapes(hid_t file, const tn_model *model)
{
    size_t n = count_recorded(model), n_points = 0, n_triangles = 0;
    recorded *shapes = tn_calloc(n, sizeof *shapes);
    int32_t *same_as = tn_calloc(n, sizeof *same_as);
    if (shapes) {
        list_recorded(model, shapes);
    }
    bool found = shapes && same_as && find_first(n, shapes, same_as);
    for (size_t k = 0; found && k < n; k++) {
        tn_geometry own = same_as[k] == (int32_t)k ? geometry_of(&shapes[k].said->shape) : (tn_geometry){0};
        n_points += own.n_points;
        n_triangles += own.n_triangles;
    }
    shape_arrays a = {
        .same_as = same_as,
        .body = tn_calloc(n, sizeof *a.body),
        .kind = tn_calloc(n, sizeof *a.kind),
        .collides = tn_calloc(n, sizeof *a.collides),
        .visual = tn_calloc(n, sizeof *a.visual),
        .color = tn_calloc(3 * n, sizeof *a.color),
        .size = tn_calloc(3 * n, sizeof *a.size),
        .pose = tn_calloc(7 * n, sizeof *a.pose),
        .points = tn_calloc(3 * n_points, sizeof *a.points),
        .triangles = tn_calloc(3 * n_triangles, sizeof *a.triangles),
        .offset = tn_calloc(n + 1, sizeof *a.offset),
        .triangles_offset = tn_calloc(n + 1, sizeof *a.triangles_offset),
    };
    bool ok = found && a.body && a.kind && a.collides && a.visual && a.color && a.size && a.pose && a.points &&
              a.triangles && a.offset && a.triangles_offset;
    if (ok) {
        fill_shapes(n, shapes, &a);
        ok = put_shapes(file, (int)n, &a);
    }
    tn_free(shapes);
    tn_free(a.same_as);
    tn_free(a.body);
    tn_free(a.kind);
    tn_free(a.collides);
    tn_free(a.visual);
    tn_free(a.color);
    tn_free(a.size);
    tn_free(a.pose);
    tn_free(a.points);
    tn_free(a.triangles);
    tn_free(a.offset);
    tn_free(a.triangles_offset);
    return ok;
}
