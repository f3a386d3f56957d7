// Masses and inertias: of geoms, of links, of the bodies that links make; and the files of geoms that have some.
#include "math/mat3.h"
#include "math/quat.h"
#include "mesh/trimesh.h"
#include "scene/rebase.h"
#include "scene/robot/mechanism.h"
#include "shape/hull.h"
#include "shape/pose.h"
#include "shape/triangles.h"

#include <math.h>
#include <string.h>

void tn_robot_add_inertia(tn_robot_inertia *sum, const tn_robot_inertia *part, const tn_pose *pose)
{
    double r[9], rt[9], turned[9], center[3], mean[3], d[3];
    double mass = sum->mass + part->mass;
    tn_quat_to_mat3(r, pose->quaternion);
    tn_mat3_mul(rt, r, part->tensor);
    tn_mat3_mul_nt(turned, rt, r);
    tn_pose_point(center, pose, part->center);
    for (int i = 0; i < 3; i++) {
        mean[i] = sum->mass == 0.0    ? center[i]
                  : part->mass == 0.0 ? sum->center[i]
                                      : (sum->mass * sum->center[i] + part->mass * center[i]) / mass;
        for (int j = 0; j < 3; j++) {
            sum->tensor[3 * i + j] += 0.5 * (turned[3 * i + j] + turned[3 * j + i]);
        }
    }
    if (sum->mass > 0.0 && part->mass > 0.0) {
        tn_vec3_sub(d, sum->center, mean);
        tn_mat3_add_point_mass(sum->tensor, sum->mass, d);
        tn_vec3_sub(d, center, mean);
        tn_mat3_add_point_mass(sum->tensor, part->mass, d);
    }
    sum->mass = mass;
    tn_vec3_copy(sum->center, mean);
}

// in the link's frame
static tn_robot_inertia geom_inertia(const tn_robot_geom *geom)
{
    tn_robot_inertia own = {0}, out = {0};
    bool solid = geom->solid.mass > 0.0;
    double volume = solid ? geom->solid.mass : tn_shape_volume(&geom->shape);
    double density = isnan(geom->mass) ? geom->density : volume > 0.0 ? geom->mass / volume : 0.0;
    if (volume > 0.0 && density > 0.0) {
        tn_vec3_copy(own.center, geom->centroid);
        if (solid) {
            own = geom->solid;
            own.mass *= density;
            for (int i = 0; i < 9; i++) {
                own.tensor[i] *= density;
            }
        } else {
            tn_shape_inertia(&geom->shape, density, &own.mass, own.tensor);
        }
        tn_robot_add_inertia(&out, &own, &geom->pose);
    }
    return out;
}

void tn_robot_gather_inertia(const tn_robot *robot, tn_robot_inertia *sum)
{
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *part = &robot->links[i];
        tn_pose relative;
        tn_robot_relative(&relative, &robot->links[part->body].world, &part->world);
        if (part->body == i) {
            relative = (tn_pose){.quaternion = {1.0, 0.0, 0.0, 0.0}}; // without rounding
        }
        tn_robot_add_inertia(&sum[part->body], &part->inertia, &relative);
    }
}

bool tn_robot_joint_inertia(const tn_robot *robot, const tn_robot_joint *joint, double *inertia)
{
    bool *moved = TN_PUSH(robot->reader->scratch, bool, robot->n_links);
    tn_robot_inertia all = {0};
    double arm[3], across[3], turned[3];
    if (!moved) {
        return tn_read_no_memory(robot->reader);
    }
    for (int i = joint->link; i < robot->n_links; i++) { // parents come first
        const tn_robot_link *link = &robot->links[i];
        moved[i] = i == joint->link || (link->parent >= 0 && moved[link->parent]);
        if (moved[i]) {
            tn_robot_add_inertia(&all, &link->inertia, &link->world);
        }
    }
    *inertia = all.mass;
    if (joint->freedom != TN_ROBOT_SLIDE) {
        tn_mat3_vec(turned, all.tensor, joint->world_axis);
        tn_vec3_sub(arm, all.center, joint->world_anchor);
        tn_vec3_cross(across, joint->world_axis, arm);
        *inertia = tn_vec3_dot(turned, joint->world_axis) + all.mass * tn_vec3_dot(across, across);
    }
    return true;
}

// By the divergence theorem; of an open surface it says nothing.
static double enclosed_volume(const tn_trimesh *mesh)
{
    double sum = 0.0, across[3];
    for (int f = 0; f < mesh->n_faces; f++) {
        const int *face = mesh->faces + 3 * (size_t)f;
        tn_vec3_cross(across, mesh->vertices + 3 * (size_t)face[1], mesh->vertices + 3 * (size_t)face[2]);
        sum += tn_vec3_dot(mesh->vertices + 3 * (size_t)face[0], across) / 6.0;
    }
    return fabs(sum);
}

static bool report(tn_reader *reader, const tn_robot_geom *geom, const tn_error *error)
{
    if (error->status == TN_NO_MEMORY) {
        return tn_read_no_memory(reader);
    }
    if (error->file[0] && error->status == TN_BAD_INPUT) {
        tn_error_at(reader->error, error->file, error->line, error->column, "%.700s (the mesh of %s:%d)",
                    error->message, geom->place.file, geom->place.line);
        return false;
    }
    return tn_read_error(reader, geom->place, "%s", error->message);
}

bool tn_robot_scale_is_one(const tn_robot_geom *geom)
{
    const double *s = geom->scale;
    return s[0] == s[1] && s[0] == s[2] && s[0] > 0.0;
}

// What the mesh encloses, where it does: closed, and the same way round everywhere. mirrored: its vertices are, its
// faces are not. False: no memory.
static bool weigh_solid(tn_reader *reader, const tn_trimesh *mesh, const double *points, bool mirrored,
                        tn_robot_inertia *solid)
{
    tn_triangles triangles;
    tn_error error = {0};
    double center[3];
    int *faces = TN_PUSH(reader->scratch, int, 3 * (size_t)mesh->n_faces);
    if (!faces) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < 3 * mesh->n_faces; i++) {
        faces[i] = mesh->faces[mirrored ? i - i % 3 + 2 - i % 3 : i];
    }
    tn_status status = tn_triangles_create(mesh->n_vertices, points, mesh->n_faces, faces, reader->scratch, &triangles,
                                           center, &error);
    if (status == TN_OK && triangles.closed) {
        solid->mass = triangles.volume;
        tn_vec3_copy(solid->center, center);
        memcpy(solid->tensor, triangles.inertia, sizeof solid->tensor);
    }
    return status != TN_NO_MEMORY || tn_read_no_memory(reader);
}

static bool load_hull(tn_robot *robot, tn_robot_geom *geom)
{
    tn_reader *reader = robot->reader;
    tn_error error = {0};
    tn_trimesh mesh = {
        .n_vertices = geom->n_points, .vertices = geom->points, .n_faces = geom->n_faces, .faces = geom->faces};
    tn_hull *hull = TN_PUSH(reader->scratch, tn_hull, 1);
    const tn_node file = {.place = {.file = robot->file}, .text = geom->file};
    const char *path = geom->file ? tn_scene_path_beside(reader->scratch, &file, robot->file) : "";
    if (!hull || !path) {
        return tn_read_no_memory(reader);
    }
    if (geom->file && tn_trimesh_read(path, 1.0, geom->by_object, reader->scratch, &mesh, &error) != TN_OK) {
        return report(reader, geom, &error);
    }
    geom->by_object = mesh.n_parts > 1 && tn_robot_scale_is_one(geom);
    if (geom->by_object) {
        return true; // the scene reads it part by part
    }
    double *points = TN_PUSH(reader->scratch, double, 3 * (size_t)mesh.n_vertices);
    if (!points) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < 3 * mesh.n_vertices; i++) {
        points[i] = mesh.vertices[i] * geom->scale[i % 3];
    }
    if (tn_hull_create(mesh.n_vertices, points, reader->scratch, hull, geom->centroid, &error) != TN_OK) {
        return report(reader, geom, &error);
    }
    double volume = enclosed_volume(&mesh) * fabs(geom->scale[0] * geom->scale[1] * geom->scale[2]);
    if (geom->collides && !geom->fitted && volume > 0.0 && volume < 0.98 * hull->volume) {
        tn_read_remark(reader, geom->place,
                       "mesh '%.100s' fills %.0f %% of its convex hull, which is what collides: give several convex "
                       "meshes for a better shape",
                       geom->file ? geom->file : geom->name, 100.0 * volume / hull->volume);
    }
    geom->shape.hull = hull;
    bool mirrored = geom->scale[0] * geom->scale[1] * geom->scale[2] < 0.0;
    return !(geom->weighs || geom->fitted) || geom->weighs_as_hull || mesh.n_faces == 0 ||
           weigh_solid(reader, &mesh, points, mirrored, &geom->solid);
}

// The hull becomes a shape of the kind `fit` about its center of mass, its sizes those of the box of the same inertia,
// whose longest side is along z, as MuJoCo has it.
static void fit(tn_robot_geom *geom)
{
    tn_robot_geom alone = *geom;
    alone.density = 1.0;
    alone.mass = NAN;
    alone.pose = (tn_pose){.quaternion = {1.0, 0.0, 0.0, 0.0}};
    const tn_robot_inertia own = geom_inertia(&alone);
    double moment[3], v[9], axes[9], half[3], middle[3];
    tn_mat3_eigen(own.tensor, moment, v); // ascending: along z, y, x
    for (int i = 0; i < 3; i++) {
        double rest = moment[0] + moment[1] + moment[2] - 2.0 * moment[2 - i];
        half[i] = 0.5 * geom->fit_scale * sqrt(fmax(0.0, 6.0 * rest / own.mass));
        axes[3 * i] = v[3 * i + 2];
        axes[3 * i + 1] = v[3 * i + 1];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        axes[3 * i + 2] = axes[3 * j] * axes[3 * k + 1] - axes[3 * k] * axes[3 * j + 1];
    }
    tn_pose place;
    tn_vec3_copy(place.position, own.center);
    tn_quat_from_mat3(place.quaternion, axes);
    tn_pose_join(&geom->pose, &geom->pose, &place);
    tn_vec3_copy(middle, half);
    if (geom->fit == TN_SHAPE_SPHERE) {
        half[0] = (middle[0] + middle[1] + middle[2]) / 3.0;
    } else if (geom->fit == TN_SHAPE_CAPSULE || geom->fit == TN_SHAPE_CYLINDER) {
        half[0] = 0.5 * (middle[0] + middle[1]);
        half[1] = geom->fit == TN_SHAPE_CYLINDER ? middle[2] : fmax(0.0, middle[2] - 0.5 * half[0]);
    }
    geom->shape = (tn_shape){.kind = geom->fit};
    tn_vec3_copy(geom->shape.size, half);
    tn_vec3_set(geom->centroid, 0.0, 0.0, 0.0);
    geom->solid = (tn_robot_inertia){0};
    geom->file = NULL;
}

// Principal moments that are possible and large enough.
static void mend_inertia(const tn_robot *robot, tn_robot_inertia *inertia)
{
    double moment[3], v[9], dv[9];
    tn_mat3_eigen(inertia->tensor, moment, v); // ascending
    bool impossible = robot->balance && moment[0] + moment[1] < moment[2];
    double mean = (moment[0] + moment[1] + moment[2]) / 3.0;
    if (!impossible && moment[0] >= robot->least_inertia) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        moment[i] = fmax(impossible ? mean : moment[i], robot->least_inertia);
    }
    for (int i = 0; i < 9; i++) {
        dv[i] = v[i] * moment[i % 3];
    }
    tn_mat3_mul_nt(inertia->tensor, dv, v);
}

void tn_robot_weigh(tn_robot *robot)
{
    static const tn_pose here = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    double total = 0.0;
    for (int i = 0; i < robot->n_geoms; i++) {
        const tn_robot_geom *geom = &robot->geoms[i];
        if (geom->weighs) {
            const tn_robot_inertia part = geom_inertia(geom);
            tn_robot_add_inertia(&robot->links[geom->link].inertia, &part, &here);
        }
    }
    for (int i = 0; i < robot->n_links; i++) {
        tn_robot_link *link = &robot->links[i];
        if (!link->ground) {
            link->inertia.mass = fmax(link->inertia.mass, robot->least_mass);
            mend_inertia(robot, &link->inertia);
            total += link->inertia.mass;
        }
    }
    double scale = robot->total_mass > 0.0 && total > 0.0 ? robot->total_mass / total : 1.0;
    for (int i = 0; scale != 1.0 && i < robot->n_links; i++) {
        robot->links[i].inertia.mass *= scale;
        for (int k = 0; k < 9; k++) {
            robot->links[i].inertia.tensor[k] *= scale;
        }
    }
}

bool tn_robot_load(tn_robot *robot)
{
    for (int i = 0; i < robot->n_geoms; i++) {
        tn_robot_geom *geom = &robot->geoms[i];
        bool hull = geom->shape.kind == TN_SHAPE_HULL, acts = geom->collides || geom->weighs;
        if (hull && (acts || geom->fitted || (geom->shown && !geom->file)) && !load_hull(robot, geom)) {
            return false;
        }
        if (geom->fitted) {
            fit(geom);
            continue;
        }
        geom->as_mesh = hull && geom->shown && geom->file && tn_robot_picture(robot, geom);
        geom->shown = geom->shown && (!hull || geom->as_mesh || geom->shape.hull);
    }
    return true;
}
