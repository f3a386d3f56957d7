// Nodes of a mesh that a scene's `where` chooses.
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A chooser marks the nodes: chosen (n_nodes).
typedef struct choice {
    const tn_mesh *mesh;
    double tolerance; // [m]
    unsigned char *chosen;
} choice;

static double mesh_size(const tn_mesh *mesh)
{
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < mesh->n_nodes; i++) {
            low = fmin(low, mesh->nodes[3 * (size_t)i + (size_t)k]);
            high = fmax(high, mesh->nodes[3 * (size_t)i + (size_t)k]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

static bool choose_box(tn_build *build, const tn_raw_region_box *box, tn_place place, choice *c)
{
    for (int k = 0; k < 3; k++) {
        // NaN: not said
        if (box->low[k] > box->high[k]) {
            return tn_read_error(&build->reader, place, "'low' of the box must not be above 'high'");
        }
    }
    for (int i = 0; i < c->mesh->n_nodes; i++) {
        const double *x = c->mesh->nodes + 3 * (size_t)i;
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside = inside && !(x[k] < box->low[k] - c->tolerance) && !(x[k] > box->high[k] + c->tolerance);
        }
        c->chosen[i] = inside;
    }
    return true;
}

static void choose_ball(const tn_raw_region_ball *ball, choice *c)
{
    for (int i = 0; i < c->mesh->n_nodes; i++) {
        double d[3];
        tn_vec3_sub(d, c->mesh->nodes + 3 * (size_t)i, ball->center);
        c->chosen[i] = tn_vec3_norm(d) <= ball->radius + c->tolerance;
    }
}

// "; it has 'base', 'skin'" of a mesh with groups; as many as there is room for, then "...".
static const char *list_groups(const tn_mesh *mesh, char *out, size_t size)
{
    int at = snprintf(out, size, "; it has");
    for (int g = 0; g < mesh->n_groups; g++) {
        const char *name = mesh->groups[g].name;
        if ((size_t)at + strlen(name) + sizeof " '', ..." > size) {
            snprintf(out + at, size - (size_t)at, " ...");
            break;
        }
        at += snprintf(out + at, size - (size_t)at, " '%s'%s", name, g + 1 < mesh->n_groups ? "," : "");
    }
    return out;
}

static bool choose_group(tn_build *build, const tn_node *name, choice *c)
{
    const tn_mesh *mesh = c->mesh;
    for (int g = 0; g < mesh->n_groups; g++) {
        if (strcmp(mesh->groups[g].name, name->text) == 0) {
            for (int i = 0; i < mesh->groups[g].n; i++) {
                c->chosen[mesh->groups[g].nodes[i]] = 1;
            }
            return true;
        }
    }
    if (!mesh->n_groups) {
        return tn_read_error(&build->reader, name->place,
                             "the mesh has no groups; choose nodes by box, ball, nodes, surface or all");
    }
    const char *names[64];
    int n = mesh->n_groups < 64 ? mesh->n_groups : 64;
    for (int g = 0; g < n; g++) {
        names[g] = mesh->groups[g].name;
    }
    char hint[200];
    const char *nearest = tn_name_nearest(name->text, n, names);
    return tn_read_error(&build->reader, name->place, "the mesh has no group '%.100s'%s", name->text,
                         nearest ? tn_read_hint(nearest, hint, sizeof hint) : list_groups(mesh, hint, sizeof hint));
}

static bool choose_nodes(tn_build *build, const tn_numbers *nodes, tn_place place, choice *c)
{
    for (int i = 0; i < nodes->n; i++) {
        double id = nodes->value[i];
        if (floor(id) != id || id >= c->mesh->n_nodes) {
            return tn_read_error(&build->reader, place, "'nodes' must be whole numbers from 0 to %d, not %g",
                                 c->mesh->n_nodes - 1, id);
        }
        c->chosen[(int)id] = 1;
    }
    return true;
}

static bool choose_surface(tn_build *build, choice *c)
{
    tn_mesh_surface surface;
    tn_arena_mark mark = tn_arena_get_mark(build->reader.scratch);
    if (tn_mesh_get_surface(c->mesh, build->reader.scratch, &surface, build->reader.error) != TN_OK) {
        return false;
    }
    for (int i = 0; i < surface.n_vertices; i++) {
        c->chosen[surface.vertices[i]] = 1;
    }
    tn_arena_release(build->reader.scratch, mark);
    return true;
}

static bool choose(tn_build *build, const tn_raw_region *region, tn_place place, choice *c)
{
    int said = !!region->box + !!region->ball + !!region->group + (region->nodes.n > 0) + region->surface + region->all;
    if (said != 1) {
        return tn_read_error(&build->reader, place,
                             "'where' takes exactly one of box, ball, group, nodes, surface: true, all: true");
    }
    if (region->box) {
        return choose_box(build, region->box, place, c);
    }
    if (region->group) {
        return choose_group(build, region->group, c);
    }
    if (region->nodes.n) {
        return choose_nodes(build, &region->nodes, place, c);
    }
    if (region->surface) {
        return choose_surface(build, c);
    }
    if (region->ball) {
        choose_ball(region->ball, c);
    } else {
        memset(c->chosen, 1, (size_t)c->mesh->n_nodes);
    }
    return true;
}

bool tn_build_region(tn_build *build, const tn_raw_region *region, tn_place place, const tn_mesh *mesh, int *n,
                     const int **nodes)
{
    choice c = {mesh, 1e-9 * mesh_size(mesh), TN_PUSH(build->reader.scratch, unsigned char, mesh->n_nodes)};
    if (!c.chosen) {
        return tn_read_no_memory(&build->reader);
    }
    if (!choose(build, region, place, &c)) {
        return false;
    }
    *n = 0;
    for (int i = 0; i < mesh->n_nodes; i++) {
        *n += c.chosen[i];
    }
    if (*n == 0) {
        return tn_read_error(&build->reader, place,
                             "no node of the mesh lies there; regions are in the mesh's own frame, in metres");
    }
    int *list = TN_PUSH(build->reader.storage, int, *n);
    if (!list) {
        return tn_read_no_memory(&build->reader);
    }
    *nodes = list;
    for (int i = 0; i < mesh->n_nodes; i++) {
        if (c.chosen[i]) {
            *list++ = i;
        }
    }
    return true;
}
