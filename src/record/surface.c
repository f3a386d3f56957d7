#include "record/surface.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

static double reach_of(const double *place, double reach)
{
    double distance = 1.25 * tn_vec3_norm(place);
    return isfinite(distance) && distance > reach ? distance : reach;
}

// Bodies and nodes of some hundred frames, all along.
tn_status tn_surface_mesh_extent(const tn_recording *r, tn_surface_mesh *s, double *extent, tn_error *error)
{
    *extent = 0.5;
    long stride = r->n_frames / 100 + 1;
    for (long frame = 0; frame < r->n_frames; frame += stride) {
        const tn_column_room rooms[] = {{"poses", s->poses}, {"soft/positions", s->nodes}};
        tn_status status = tn_recording_row(r, frame, 2, rooms, error);
        if (status != TN_OK) {
            return status;
        }
        for (int k = 0; k < r->n_bodies; k++) {
            *extent = reach_of(s->poses + 7 * k, *extent);
        }
        for (int k = 0; k < r->n_nodes; k++) {
            *extent = reach_of(s->nodes + 3 * (size_t)k, *extent);
        }
    }
    return TN_OK;
}

// Smallest size of any solid shape, for marks.
static double mark_size(const tn_recording *r)
{
    double least = INFINITY;
    for (int k = 0; k < r->n_solid; k++) {
        const tn_shape *shape = &r->shapes[k].shape;
        if (shape->size[0] > 0.0) {
            least = fmin(least, shape->size[0]);
        }
    }
    return isfinite(least) ? 0.05 * least : 0.01;
}

// point[i]: the point of node i among the vertices, -1 if it lies inside. Returns the number of vertices.
static int number_vertices(const tn_recording *r, int *point)
{
    int n = 0;
    memset(point, -1, (size_t)r->n_nodes * sizeof *point);
    for (size_t k = 0; k < 3 * (size_t)r->n_faces; k++) {
        int node = r->faces[k];
        point[node] = point[node] < 0 ? n++ : point[node];
    }
    return n;
}

bool tn_surface_mesh_reserve(const tn_recording *r, tn_arena *arena, tn_surface_mesh *s)
{
    size_t n_points = (size_t)r->n_nodes, n_polygons = (size_t)r->n_faces, n_indices = 3 * (size_t)r->n_faces;
    for (int k = 0; k < r->n_solid; k++) {
        tn_polygons size;
        tn_polygons_size(&r->shapes[k], &size);
        n_points += (size_t)size.n_points;
        n_polygons += (size_t)size.n_polygons;
        n_indices += (size_t)size.n_indices;
    }
    s->mesh.points = TN_PUSH(arena, double, 3 * n_points);
    s->mesh.index = TN_PUSH(arena, int, n_indices);
    s->mesh.offset = TN_PUSH(arena, int, n_polygons);
    s->first_point = TN_PUSH(arena, int, r->n_solid + 1);
    s->vertex_node = TN_PUSH(arena, int, r->n_nodes);
    s->vertex_of = TN_PUSH(arena, int, r->n_nodes);
    s->cell_body = TN_PUSH(arena, int, n_polygons);
    s->position = TN_PUSH(arena, float, 3 * n_points);
    s->velocity = TN_PUSH(arena, float, 3 * n_points);
    s->poses = TN_PUSH(arena, double, 7 * (size_t)r->n_bodies);
    s->velocities = TN_PUSH(arena, double, 6 * (size_t)r->n_bodies);
    bool ok = s->mesh.points && s->mesh.index && s->mesh.offset && s->first_point && s->vertex_node && s->vertex_of &&
              s->cell_body && s->position && s->velocity && s->poses && s->velocities;
    if (ok && r->n_nodes > 0) {
        s->nodes = TN_PUSH(arena, double, 3 * (size_t)r->n_nodes);
        s->node_velocities = TN_PUSH(arena, double, 3 * (size_t)r->n_nodes);
        ok = s->nodes && s->node_velocities;
    }
    return ok;
}

// The soft bodies' triangles, after the shapes' polygons.
static void fill_softs(const tn_recording *r, tn_surface_mesh *s)
{
    tn_polygons *all = &s->mesh;
    s->n_vertices = number_vertices(r, s->vertex_of);
    for (int i = 0; i < r->n_nodes; i++) {
        if (s->vertex_of[i] >= 0) {
            s->vertex_node[s->vertex_of[i]] = i;
        }
    }
    for (int k = 0; k < r->n_softs; k++) {
        const tn_recorded_soft *soft = &r->softs[k];
        for (int f = soft->first_face; f < soft->first_face + soft->n_faces; f++) {
            for (int i = 0; i < 3; i++) {
                all->index[all->n_indices++] = all->n_points + s->vertex_of[r->faces[3 * (size_t)f + (size_t)i]];
            }
            s->cell_body[all->n_polygons] = soft->body;
            all->offset[all->n_polygons++] = all->n_indices;
        }
    }
    all->n_points += s->n_vertices;
}

void tn_surface_mesh_fill(const tn_recording *r, double extent, tn_surface_mesh *s)
{
    tn_polygons *all = &s->mesh;
    double mark = mark_size(r);
    for (int k = 0; k < r->n_solid; k++) {
        tn_polygons one = {.points = all->points + 3 * all->n_points,
                           .index = all->index + all->n_indices,
                           .offset = all->offset + all->n_polygons};
        tn_polygons_fill(&r->shapes[k], extent, mark, &one);
        for (int i = 0; i < one.n_indices; i++) {
            one.index[i] += all->n_points;
        }
        for (int p = 0; p < one.n_polygons; p++) {
            one.offset[p] += all->n_indices;
            s->cell_body[all->n_polygons + p] = r->shapes[k].body;
        }
        s->first_point[k] = all->n_points;
        all->n_points += one.n_points;
        all->n_polygons += one.n_polygons;
        all->n_indices += one.n_indices;
    }
    s->first_point[r->n_solid] = all->n_points;
    fill_softs(r, s);
}

static void move_shapes(const tn_recording *r, tn_surface_mesh *s)
{
    for (int k = 0; k < r->n_solid; k++) {
        const tn_recorded_shape *shape = &r->shapes[k];
        const double *pose = s->poses + 7 * shape->body, *velocity = s->velocities + 6 * shape->body;
        for (int p = s->first_point[k]; p < s->first_point[k + 1]; p++) {
            double x[3], arm[3], v[3];
            tn_pose_point(x, &shape->pose, s->mesh.points + 3 * p);
            tn_quat_rotate(arm, pose + 3, x);
            tn_vec3_cross(v, velocity + 3, arm);
            for (int i = 0; i < 3; i++) {
                s->position[3 * p + i] = (float)(pose[i] + arm[i]);
                s->velocity[3 * p + i] = (float)(velocity[i] + v[i]);
            }
        }
    }
}

static void move_softs(const tn_recording *r, tn_surface_mesh *s)
{
    float *position = s->position + 3 * (size_t)s->first_point[r->n_solid];
    float *velocity = s->velocity + 3 * (size_t)s->first_point[r->n_solid];
    for (size_t p = 0; p < (size_t)s->n_vertices; p++) {
        size_t node = (size_t)s->vertex_node[p];
        for (size_t i = 0; i < 3; i++) {
            position[3 * p + i] = (float)s->nodes[3 * node + i];
            velocity[3 * p + i] = (float)s->node_velocities[3 * node + i];
        }
    }
}

tn_status tn_surface_mesh_move(const tn_recording *r, long frame, tn_surface_mesh *s, tn_error *error)
{
    const tn_column_room rooms[] = {{"poses", s->poses},
                                    {"velocities", s->velocities},
                                    {"soft/positions", s->nodes},
                                    {"soft/velocities", s->node_velocities}};
    tn_status status = tn_recording_row(r, frame, 4, rooms, error);
    if (status == TN_OK) {
        move_shapes(r, s);
        move_softs(r, s);
    }
    return status;
}
