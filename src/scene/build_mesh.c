// The mesh of a soft body: from a generator or a file.
#include "scene/build.h"
#include "scene/rebase.h"

static bool find_kind(tn_build *build, const tn_raw_soft *raw, const tn_node *node, tn_mesh_kind *kind)
{
    int said = 0;
    for (int i = 0; i < TN_MESH_KINDS; i++) {
        if (raw->mesh[i]) {
            *kind = (tn_mesh_kind)i;
            said++;
        }
    }
    return said == 1 || tn_read_error(&build->reader, node->place,
                                      said ? "a soft body has one of grid, ball, cylinder, finger, mesh, not more"
                                           : "which mesh? Give one of grid, ball, cylinder, finger, mesh");
}

static tn_status read_file(tn_build *build, const tn_raw_mesh *raw, tn_place place, tn_mesh *mesh, tn_error *error)
{
    const tn_node file = {.place = place, .text = raw->file};
    const char *path = tn_scene_path_beside(build->reader.scratch, &file, build->scene->path);
    if (!path) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the scene");
    }
    return tn_mesh_read(path, raw->scale, build->reader.storage, mesh, error);
}

static tn_status make_finger(const tn_raw_mesh *raw, tn_arena *arena, tn_mesh *mesh, tn_error *error)
{
    tn_mesh_finger_options options = {
        .length = raw->length,
        .width = raw->width,
        .thickness_root = raw->thickness_root,
        .thickness_tip = raw->thickness_tip,
        .notches = raw->notches,
        .notch_depth = raw->notch_depth,
        .divisions = {raw->divisions[0], raw->divisions[1], raw->divisions[2]},
    };
    return tn_mesh_finger(&options, arena, mesh, error);
}

static tn_status make(tn_build *build, tn_mesh_kind kind, const tn_raw_mesh *raw, tn_place place, tn_mesh *mesh,
                      tn_error *error)
{
    tn_arena *arena = build->reader.storage;
    switch (kind) {
    case TN_MESH_GRID:
        return tn_mesh_grid(raw->size, raw->divisions, arena, mesh, error);
    case TN_MESH_BALL:
        return tn_mesh_ball(raw->radius, raw->across, arena, mesh, error);
    case TN_MESH_CYLINDER:
        return tn_mesh_cylinder(raw->radius, raw->length, raw->across, raw->along, arena, mesh, error);
    case TN_MESH_FINGER:
        return make_finger(raw, arena, mesh, error);
    default:
        return read_file(build, raw, place, mesh, error);
    }
}

bool tn_build_mesh(tn_build *build, const tn_raw_soft *raw, const tn_node *node, tn_mesh *mesh)
{
    static const char *const keys[] = {"grid", "ball", "cylinder", "finger", "mesh"};
    tn_mesh_kind kind = TN_MESH_GRID;
    if (!find_kind(build, raw, node, &kind)) {
        return false;
    }
    tn_place place = tn_node_place_of(node, keys[kind]);
    if (kind == TN_MESH_FILE) {
        place = tn_node_place_of(tn_node_find(node, keys[kind]), "file");
    }
    tn_error error = {0};
    tn_status status = make(build, kind, raw->mesh[kind], place, mesh, &error);
    if (status == TN_OK && kind != TN_MESH_FILE && tn_mesh_check(mesh, &error) == TN_BAD_INPUT) {
        return tn_read_error(&build->reader, place, "sizes and divisions do not fit each other: %s", error.message);
    }
    status = status == TN_OK ? error.status : status;
    if (status == TN_IO || (status == TN_BAD_INPUT && !error.file[0])) {
        return tn_read_error(&build->reader, place, "%s", error.message);
    }
    if (status == TN_BAD_INPUT) { // error names the place in the mesh's file; say also who asked for that file
        tn_error_at(build->reader.error, error.file, error.line, error.column, "%.700s (the mesh of %s:%d:%d)",
                    error.message, place.file, place.line, place.column);
    } else if (status != TN_OK) {
        *build->reader.error = error;
    }
    return status == TN_OK;
}
