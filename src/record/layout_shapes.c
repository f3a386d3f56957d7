// The group `shapes`: kinds, sizes and poses, and the points and triangles of those that are not told by sizes.
#include "record/recorder.h"
#include "shape/class.h"

#include <string.h>

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
static bool find_first(size_t n, const recorded *shapes, tn_arena *arena, int32_t *same_as)
{
    size_t room = 2 * n + 1;
    int *table = TN_PUSH(arena, int, room); // shape + 1
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

static bool write_shapes(const tn_layout *l, size_t n, const shape_arrays *a)
{
    size_t n_points = (size_t)a->offset[n], n_triangles = (size_t)a->triangles_offset[n];
    return tn_h5_put_group(l->file, "shapes") && tn_layout_put_texts(l, "shapes/kind", (int)n, a->kind) &&
           tn_layout_put(l, "shapes/body", H5T_NATIVE_INT32, n, 1, a->body, NULL, "row of bodies/name") &&
           tn_layout_put(l, "shapes/collides", H5T_NATIVE_UINT8, n, 1, a->collides, NULL,
                         "0: it only gave mass, or is only shown; such shapes come after the others") &&
           tn_layout_put(l, "shapes/visual", H5T_NATIVE_UINT8, n, 1, a->visual, NULL,
                         "1: it is shown in place of its body's other shapes; such shapes come last") &&
           tn_layout_put(l, "shapes/color", H5T_NATIVE_FLOAT, n, 3, a->color, NULL,
                         "red, green, blue of the screen, 0 to 1; -1: its body's") &&
           tn_layout_put(l, "shapes/size", H5T_NATIVE_DOUBLE, n, 3, a->size, "m",
                         "sphere: radius; box: half extents; capsule, cylinder: radius, half length; ellipsoid: "
                         "semi-axes; points: radius; disk: radius; ellipse: semi-axes along x and z; polygon: radius "
                         "around it; cone: lower radius, half height, upper radius") &&
           tn_layout_put(l, "shapes/pose", H5T_NATIVE_DOUBLE, n, 7, a->pose, "m, 1",
                         "x y z, quaternion w x y z, in the body's own frame") &&
           tn_layout_put(l, "shapes/same_as", H5T_NATIVE_INT32, n, 1, a->same_as, NULL,
                         "row of the shape whose points and triangles this one has too; its own row: they are its") &&
           tn_layout_put(l, "shapes/points_offset", H5T_NATIVE_INT64, n + 1, 1, a->offset, NULL,
                         "shape k has the points points_offset[k] to points_offset[k + 1] - 1") &&
           tn_layout_put(l, "shapes/points", H5T_NATIVE_DOUBLE, n_points, 3, a->points, "m",
                         "in the shape's frame; of points, hull, mesh, heights, polygon") &&
           tn_layout_put(l, "shapes/triangles_offset", H5T_NATIVE_INT64, n + 1, 1, a->triangles_offset, NULL,
                         "shape k has the triangles triangles_offset[k] to triangles_offset[k + 1] - 1") &&
           tn_layout_put(l, "shapes/triangles", H5T_NATIVE_INT32, n_triangles, 3, a->triangles, NULL,
                         "of hull, mesh, heights: numbers among the shape's own points");
}

bool tn_layout_put_shapes(const tn_layout *l)
{
    tn_arena *arena = l->arena;
    size_t n = count_recorded(l->model), n_points = 0, n_triangles = 0;
    recorded *shapes = TN_PUSH(arena, recorded, n);
    int32_t *same_as = TN_PUSH(arena, int32_t, n);
    if (!shapes || !same_as) {
        return false;
    }
    list_recorded(l->model, shapes);
    if (!find_first(n, shapes, arena, same_as)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        tn_geometry own = same_as[k] == (int32_t)k ? geometry_of(&shapes[k].said->shape) : (tn_geometry){0};
        n_points += own.n_points;
        n_triangles += own.n_triangles;
    }
    shape_arrays a = {
        .same_as = same_as,
        .body = TN_PUSH(arena, int32_t, n),
        .kind = TN_PUSH(arena, const char *, n),
        .collides = TN_PUSH(arena, uint8_t, n),
        .visual = TN_PUSH(arena, uint8_t, n),
        .color = TN_PUSH(arena, float, 3 * n),
        .size = TN_PUSH(arena, double, 3 * n),
        .pose = TN_PUSH(arena, double, 7 * n),
        .points = TN_PUSH(arena, double, 3 * n_points),
        .triangles = TN_PUSH(arena, int32_t, 3 * n_triangles),
        .offset = TN_PUSH(arena, int64_t, n + 1),
        .triangles_offset = TN_PUSH(arena, int64_t, n + 1),
    };
    if (!a.body || !a.kind || !a.collides || !a.visual || !a.color || !a.size || !a.pose || !a.points || !a.triangles ||
        !a.offset || !a.triangles_offset) {
        return false;
    }
    fill_shapes(n, shapes, &a);
    return write_shapes(l, n, &a);
}
