// Settings that the scene leaves at 0 = automatic.
#include "base/team.h"
#include "math/vec3.h"
#include "model/compile.h"

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
        double least = tn_shape_least(&model->shapes[s].shape);
        smallest = least > 0.0 ? fmin(smallest, least) : smallest; // 0: a segment without radius
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

// Loops too short to share are the caller's alone, so that scenes of any size may have a team. More than four threads
// were not measured.
int tn_model_threads(const tn_model *model)
{
    enum { MOST = 4 };
    if (model->settings.solve.n_threads > 0) {
        return model->settings.solve.n_threads;
    }
    int n = tn_team_processors();
    return n < MOST ? n : MOST;
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

double tn_model_moving(const tn_settings *settings)
{
    static const double MOVING[] = {[TN_ACCURACY_DRAFT] = 1e-3, [TN_ACCURACY_STANDARD] = 1e-4};
    return settings->solve.enough > 0.0 && settings->accuracy != TN_ACCURACY_TIGHT ? MOVING[settings->accuracy] : 0.0;
}
