// Settings that the scene leaves at 0 = automatic.
#include "math/vec3.h"
#include "model/compile.h"
#include "shape/flat.h"
#include "shape/hull.h"

// Smallest length that matters for contact [m]; INFINITY where a shape has none (plane, bare points).
static double shape_size(const tn_shape *shape)
{
    double size = INFINITY;
    switch (shape->kind) {
    case TN_SHAPE_SPHERE:
    case TN_SHAPE_CAPSULE:
        return shape->size[0];
    case TN_SHAPE_CYLINDER:
        return fmin(shape->size[0], shape->size[1]);
    case TN_SHAPE_BOX:
    case TN_SHAPE_ELLIPSOID:
        return fmin(shape->size[0], fmin(shape->size[1], shape->size[2]));
    case TN_SHAPE_HULL:
        return shape->hull->least;
    case TN_SHAPE_DISK:
    case TN_SHAPE_ELLIPSE:
    case TN_SHAPE_POLYGON:
        return tn_flat_least(shape) > 0.0 ? tn_flat_least(shape) : INFINITY;
    case TN_SHAPE_POINTS:
        // The nearest point to the origin stands for the body's extent.
        for (int p = 0; p < shape->n_points; p++) {
            double distance = tn_vec3_norm(shape->points + 3 * p);
            size = distance > 0.0 ? fmin(size, distance) : size;
        }
        return size;
    default:
        return INFINITY;
    }
}

// Least extent of a soft body at rest [m].
static double soft_size(const tn_mesh *mesh)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < mesh->n_nodes; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], mesh->nodes[3 * (size_t)i + (size_t)k]);
            high[k] = fmax(high[k], mesh->nodes[3 * (size_t)i + (size_t)k]);
        }
    }
    return fmin(high[0] - low[0], fmin(high[1] - low[1], high[2] - low[2]));
}

double tn_model_smallest(const tn_model *model)
{
    double smallest = INFINITY;
    for (int s = 0; s < model->n_shapes; s++) {
        smallest = fmin(smallest, shape_size(&model->shapes[s].shape));
    }
    for (int s = 0; s < model->n_softs; s++) {
        smallest = fmin(smallest, soft_size(&model->softs[s].description->mesh));
    }
    return smallest;
}

// 0.02 of the smallest shape, or the way that gravity adds in a step, whichever is larger.
double tn_model_margin(const tn_model *model)
{
    if (model->settings.margin > 0.0) {
        return model->settings.margin;
    }
    double h = model->settings.step;
    double way = tn_vec3_norm(model->settings.gravity) * h * h;
    double margin = fmax(isfinite(model->smallest) ? 0.02 * model->smallest : 0.0, way);
    return margin > 0.0 ? margin : 1e-3;
}

// Twice the speed that gravity gives in a step: a body at rest, which approaches by one such speed, never bounces.
double tn_model_restitution_threshold(const tn_model *model)
{
    if (model->settings.restitution_threshold > 0.0) {
        return model->settings.restitution_threshold;
    }
    return 2.0 * tn_vec3_norm(model->settings.gravity) * model->settings.step;
}

// Natural map and momentum are always aimed at, unless the user asks for another measure of the same: theta, the
// document's rule, stands for both, fclib for the natural map.
tn_tolerance tn_model_aim(const tn_tolerance *demanded)
{
    const double usual = 1e-6;
    tn_tolerance aim = *demanded;
    if (aim.momentum == 0.0 && aim.theta == 0.0) {
        aim.momentum = usual;
    }
    if (aim.natural == 0.0 && aim.theta == 0.0 && aim.fclib == 0.0) {
        aim.natural = usual;
    }
    return aim;
}

// Measured: heaps of boxes come to rest with this, below 1e-3 m/s; with 3e-4 they do not (docs/solver_notes.md).
double tn_model_enough(const tn_tolerance *demanded)
{
    return demanded->natural > 0.0 || demanded->fclib > 0.0 || demanded->theta > 0.0 ? 0.0 : 1e-4;
}
