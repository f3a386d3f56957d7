// Soft bodies in physics tests: scenes whose mesh is mapped before it is compiled, and sums over nodes. Header-only.
#pragma once

#include "scenario.h"

#include "math/vec3.h"
#include "sim/sim.h"
#include "test.h"

// Moves each rest node of a soft body.
typedef void soft_map(double x[3]);

// printf-style YAML; map (NULL: none) is applied to the mesh of the first soft body.
__attribute__((format(printf, 2, 3))) static inline scenario soft_open(soft_map *map, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tn_scene *scene = scenario_parse(format, arguments);
    va_end(arguments);
    const tn_mesh *mesh = &scene->softs[0].mesh;
    for (int i = 0; map && i < mesh->n_nodes; i++) {
        map((double *)mesh->nodes + 3 * i); // ours alone until the model takes it
    }
    return scenario_start(scene, "model");
}

// Mean of a coordinate over the first soft body's nodes within `reach` of x at rest in the world.
static inline double soft_mean_near(const scenario *s, const double x[3], double reach, int axis)
{
    double sum = 0.0;
    int n = 0;
    for (int i = 0; i < s->model->n_nodes; i++) {
        const double *rest = s->model->node_rest + 3 * i;
        if (fabs(rest[0] - x[0]) <= reach && fabs(rest[1] - x[1]) <= reach && fabs(rest[2] - x[2]) <= reach) {
            sum += s->state->x[3 * i + axis] - rest[axis];
            n++;
        }
    }
    assert_true(n > 0);
    return sum / n;
}
