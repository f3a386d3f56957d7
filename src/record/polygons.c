#include "record/polygons.h"

static tn_drawn drawn_of(const tn_recorded_shape *recorded, double extent, double mark)
{
    return (tn_drawn){.shape = &recorded->shape,
                      .n_triangles = recorded->n_triangles,
                      .triangles = recorded->triangles,
                      .extent = extent,
                      .mark = mark};
}

void tn_polygons_size(const tn_recorded_shape *recorded, tn_polygons *out)
{
    tn_drawn drawn = drawn_of(recorded, 1.0, 1.0);
    *out = (tn_polygons){0};
    tn_class_of(drawn.shape)->draw(&drawn, out);
}

void tn_polygons_fill(const tn_recorded_shape *recorded, double extent, double mark, tn_polygons *out)
{
    tn_drawn drawn = drawn_of(recorded, extent, mark);
    out->n_points = out->n_polygons = out->n_indices = 0;
    tn_class_of(drawn.shape)->draw(&drawn, out);
}
