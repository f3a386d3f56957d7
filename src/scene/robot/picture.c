// Meshes of robots that are only shown. One that cannot be read is left out: a picture never stops a run.
#include "mesh/trimesh.h"
#include "scene/rebase.h"
#include "scene/robot/mechanism.h"
#include "shape/triangles.h"

bool tn_robot_picture(tn_robot *robot, const tn_robot_geom *geom)
{
    tn_arena *arena = robot->reader->scratch;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    const tn_node file = {.place = {.file = robot->file}, .text = geom->file};
    const char *path = tn_scene_path_beside(arena, &file, robot->file);
    tn_error error = {0};
    tn_trimesh mesh;
    tn_triangles triangles;
    double centroid[3];
    bool good = path && tn_robot_scale_is_one(geom) &&
                tn_trimesh_read(path, geom->scale[0], false, arena, &mesh, &error) == TN_OK &&
                tn_triangles_create(mesh.n_vertices, mesh.vertices, mesh.n_faces, mesh.faces, arena, &triangles,
                                    centroid, &error) == TN_OK;
    tn_arena_release(arena, mark);
    if (!good && !geom->collides) {
        tn_read_remark(robot->reader, geom->place, "the mesh '%.100s' is not shown: %.200s", geom->file,
                       error.message[0] ? error.message : "its scale is not the same along all axes");
    }
    return good;
}
