// MJCF: meshes, height fields and materials by their names.
#include "scene/robot/mjcf_assets.h"

#include "math/quat.h"
#include "mesh/raster.h"
#include "scene/rebase.h"
#include "scene/robot/mjcf.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

static bool collect(tn_mjcf *m, const char *kind, int *n, const tn_xml ***list, tn_names *names)
{
    int capacity = tn_xml_count(m->root, kind);
    tn_mjcf_cursor at = {0};
    *list = TN_PUSH(m->reader->scratch, const tn_xml *, capacity);
    const char **name = TN_PUSH(m->reader->scratch, const char *, capacity);
    for (const tn_xml *element; *list && name && (element = tn_mjcf_next(m, "asset", &at));) {
        if (!tn_xml_is(element, kind)) {
            continue;
        }
        name[*n] = tn_xml_get(element, "name"); // of files: theirs, since they are read
        if (!name[*n]) {
            return tn_mjcf_fail(m, element, "<%.60s> needs a 'name' or a 'file'", kind);
        }
        (*list)[(*n)++] = element;
    }
    if (!*list || !name || !tn_names_create(names, *n, name, m->reader->scratch)) {
        return tn_read_no_memory(m->reader);
    }
    for (int i = 0; i < *n; i++) {
        if (tn_names_find(names, name[i]) != i) {
            return tn_read_error(m->reader, (*list)[i]->place, "a second <%s> called '%.100s'", kind, name[i]);
        }
        if (!tn_mjcf_check(m, (*list)[i], NULL)) {
            return false;
        }
    }
    return true;
}

bool tn_mjcf_read_assets(tn_mjcf *m)
{
    return collect(m, "mesh", &m->n_meshes, &m->meshes, &m->mesh_names) &&
           collect(m, "hfield", &m->n_fields, &m->fields, &m->field_names) &&
           collect(m, "material", &m->n_materials, &m->materials, &m->material_names);
}

// A file in the folder of meshes; paths lead from the main file.
static const char *path_of(tn_mjcf *m, const tn_xml *mesh, const char *file)
{
    const tn_mjcf_rules *rules = &m->rules[mesh->model];
    const char *slash = rules->strippath ? strrchr(file, '/') : NULL, *folder = file[0] == '/' ? "" : rules->meshdir;
    const char *first = file[0] == '/' || folder[0] == '/' ? "" : rules->folder;
    file = slash ? slash + 1 : file;
    bool open = folder[0] && folder[strlen(folder) - 1] != '/';
    return tn_robot_text(m->reader, "%s%s%s%s", first, folder, open ? "/" : "", file);
}

// The numbers of a list in the file itself, by three; false with the error set.
static bool read_triples(tn_mjcf *m, const tn_xml *mesh, const char *attribute, const char *text, int low,
                         const double **value, int *n_triples)
{
    int capacity = (int)(strlen(text) / 2) + 1, n;
    double *list = TN_PUSH(m->reader->scratch, double, capacity);
    *value = list;
    if (!list) {
        return tn_read_no_memory(m->reader);
    }
    if (!tn_xml_parse_numbers(m->reader, mesh->place, attribute, text, low, capacity, list, &n)) {
        return false;
    }
    *n_triples = n / 3;
    return n % 3 == 0 || tn_mjcf_fail(m, mesh, "'%s' is a list of triples", attribute);
}

static bool read_faces(tn_mjcf *m, const tn_xml *mesh, const char *text, tn_robot_geom *out)
{
    const double *corner;
    if (!read_triples(m, mesh, "face", text, 3, &corner, &out->n_faces)) {
        return false;
    }
    int *faces = TN_PUSH(m->reader->scratch, int, 3 * out->n_faces);
    out->faces = faces;
    for (int i = 0; faces && i < 3 * out->n_faces; i++) {
        if (!(corner[i] >= 0.0 && corner[i] < out->n_points) || corner[i] != floor(corner[i])) {
            return tn_mjcf_fail(m, mesh, "a corner in 'face' is no vertex%s", "");
        }
        faces[i] = (int)corner[i];
    }
    return faces || tn_read_no_memory(m->reader);
}

// What of the mesh has mass.
static bool read_weight(tn_mjcf *m, const tn_xml *mesh, int class, tn_robot_geom *out)
{
    const char *inertia = tn_mjcf_get(m, mesh, class, "inertia");
    bool shell = inertia && strcmp(inertia, "shell") == 0;
    out->weighs_as_hull = inertia && strcmp(inertia, "convex") == 0;
    if (shell) {
        tn_read_remark(m->reader, mesh->place, "'inertia' shell of a mesh is left out: it weighs as a solid");
    }
    return !inertia || shell || out->weighs_as_hull || strcmp(inertia, "exact") == 0 ||
           strcmp(inertia, "legacy") == 0 ||
           tn_mjcf_fail(m, mesh, "'inertia' is '%.40s', expected convex, exact, legacy or shell", inertia);
}

// The vertices count from a place in the file and its axes, before they are scaled.
static bool move_to_reference(tn_mjcf *m, const tn_xml *mesh, int class, tn_robot_geom *out)
{
    tn_pose way = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    double from[3] = {0.0, 0.0, 0.0};
    int n, n_turn;
    if (!tn_mjcf_numbers(m, mesh, class, "refpos", 3, 3, from, &n) ||
        !tn_mjcf_numbers(m, mesh, class, "refquat", 4, 4, way.quaternion, &n_turn)) {
        return false;
    }
    tn_quat_normalize(way.quaternion);
    tn_quat_conjugate(way.quaternion, way.quaternion);
    if (n_turn > 0 && !tn_robot_scale_is_one(out)) {
        return tn_mjcf_fail(m, mesh, "a mesh with 'refquat' needs the same scale along all axes%s", "");
    }
    tn_quat_rotate(from, way.quaternion, from);
    for (int i = 0; i < 3; i++) {
        way.position[i] = -out->scale[i] * from[i];
    }
    tn_pose_join(&out->pose, &out->pose, &way);
    return true;
}

bool tn_mjcf_mesh(tn_mjcf *m, const tn_xml *geom, int number, tn_robot_geom *out)
{
    const tn_xml *mesh = m->meshes[number];
    int class = tn_mjcf_class_of(m, mesh, NULL), n;
    if (tn_xml_get(mesh, "builtin")) {
        return tn_mjcf_fail(m, mesh, "'builtin' of a mesh is not read: give its file, or a geom of that shape%s", "");
    }
    if (class < 0 || !tn_mjcf_numbers(m, mesh, class, "scale", 3, 3, out->scale, &n) ||
        !read_weight(m, mesh, class, out) || !move_to_reference(m, mesh, class, out)) {
        return false;
    }
    const char *file = tn_mjcf_get(m, mesh, class, "file"), *vertices = tn_mjcf_get(m, mesh, class, "vertex");
    if (file) {
        out->file = path_of(m, mesh, file);
        return out->file != NULL;
    }
    if (!vertices) {
        return tn_mjcf_fail(m, mesh, "a mesh needs a 'file' or a 'vertex' list%s", "");
    }
    const char *faces = tn_mjcf_get(m, mesh, class, "face");
    return read_triples(m, mesh, "vertex", vertices, 12, &out->points, &out->n_points) &&
           (!faces || read_faces(m, mesh, faces, out));
}

// From a file: as high as its numbers say, once those go from 0 to 1.
static bool read_field_file(tn_mjcf *m, const tn_xml *field, const char *file, tn_robot_geom *out)
{
    tn_raster raster = {0};
    tn_error error = {0};
    double low = INFINITY, high = -INFINITY;
    out->file = path_of(m, field, file);
    const tn_node node = {.place = {.file = m->robot->file}, .text = out->file};
    const char *path = out->file ? tn_scene_path_beside(m->reader->scratch, &node, m->robot->file) : NULL;
    if (!path) {
        return out->file && tn_read_no_memory(m->reader);
    }
    if (tn_raster_read(path, m->reader->scratch, &raster, &error) != TN_OK) {
        return tn_read_error(m->reader, field->place, "the heights '%.100s': %.300s", out->file, error.message);
    }
    for (size_t i = 0; i < (size_t)raster.n[0] * (size_t)raster.n[1]; i++) {
        low = fmin(low, raster.values[i]);
        high = fmax(high, raster.values[i]);
    }
    out->scale[0] = high > low ? out->extent[2] / (high - low) : 0.0;
    const tn_pose below = {.position = {0.0, 0.0, -low * out->scale[0]}, .quaternion = {1.0, 0.0, 0.0, 0.0}};
    tn_pose_join(&out->pose, &out->pose, &below);
    return true;
}

static bool read_field_size(tn_mjcf *m, const tn_xml *field, tn_robot_geom *out)
{
    double size[4];
    int n;
    if (!tn_xml_need(m->reader, field, "size") || !tn_xml_numbers(m->reader, field, "size", 4, 4, size, &n)) {
        return false;
    }
    out->extent[0] = 2.0 * size[0];
    out->extent[1] = 2.0 * size[1];
    out->extent[2] = size[2];
    return true;
}

bool tn_mjcf_field(tn_mjcf *m, int number, tn_robot_geom *out)
{
    const tn_xml *field = m->fields[number];
    const char *file = tn_xml_get(field, "file");
    double grid[2] = {0.0, 0.0};
    int n;
    if (!read_field_size(m, field, out) || file) {
        return file && read_field_file(m, field, file, out);
    }
    if (!tn_xml_numbers(m->reader, field, "ncol", 1, 1, &grid[0], &n) ||
        !tn_xml_numbers(m->reader, field, "nrow", 1, 1, &grid[1], &n)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!(grid[i] >= 2.0 && grid[i] <= 10000.0) || grid[i] != floor(grid[i])) {
            return tn_mjcf_fail(m, field, "'nrow' and 'ncol' are whole numbers from 2 to 10000%s", "");
        }
        out->grid[i] = (int)grid[i];
    }
    out->n_points = out->grid[0] * out->grid[1];
    double *values = TN_PUSH(m->reader->scratch, double, out->n_points), low = INFINITY, high = -INFINITY;
    if (!values) {
        return tn_read_no_memory(m->reader);
    }
    if (!tn_xml_numbers(m->reader, field, "elevation", out->n_points, out->n_points, values, &n)) {
        return false;
    }
    for (int i = 0; i < out->n_points; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (int i = 0; i < out->n_points; i++) { // from 0 to 1, as the format has it
        values[i] = high > low ? (values[i] - low) / (high - low) : 0.0;
    }
    out->points = values;
    return true;
}
