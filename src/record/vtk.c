#include "base/memory.h"
#include "record/export.h"
#include "record/surface.h"
#include "record/vtk_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 1024, VTK_POLYGON = 7, VTK_VERTEX = 1 };

typedef struct vtk_export {
    const tn_recording *recording;
    const char *folder, *name;
    tn_surface_mesh surface;
    FILE *bodies, *contacts; // the two .pvd files
} vtk_export;

static tn_status cannot_write(tn_error *error, const char *path)
{
    return tn_error_set(error, TN_IO, "cannot write %s: %s", path, errno ? strerror(errno) : "disk full?");
}

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the export");
}

static void put_cells(FILE *out, int n_indices, const int *index, int n_cells, const int *offset, uint8_t type)
{
    fprintf(out, "<Cells>\n");
    tn_vtk_array(out, "connectivity", TN_VTK_INT32, 1, (size_t)n_indices, index);
    tn_vtk_array(out, "offsets", TN_VTK_INT32, 1, (size_t)n_cells, offset);
    uint8_t *types = tn_malloc((size_t)n_cells);
    if (types) {
        memset(types, type, (size_t)n_cells);
        tn_vtk_array(out, "types", TN_VTK_UINT8, 1, (size_t)n_cells, types);
    }
    tn_free(types);
    fprintf(out, "</Cells>\n");
}

static void put_points(FILE *out, size_t n_points, const float *position)
{
    fprintf(out, "<Points>\n");
    tn_vtk_array(out, "points", TN_VTK_FLOAT32, 3, 3 * n_points, position);
    fprintf(out, "</Points>\n");
}

static tn_status close_file(FILE *out, const char *path, tn_error *error)
{
    errno = 0;
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    return ok ? TN_OK : cannot_write(error, path);
}

static tn_status write_bodies(const vtk_export *e, const char *path, tn_error *error)
{
    const tn_surface_mesh *s = &e->surface;
    FILE *out = fopen(path, "wb");
    if (!out) {
        return cannot_write(error, path);
    }
    tn_vtk_begin(out, s->mesh.n_points, s->mesh.n_polygons);
    fprintf(out, "<PointData Vectors=\"velocity\">\n");
    tn_vtk_array(out, "velocity", TN_VTK_FLOAT32, 3, 3 * (size_t)s->mesh.n_points, s->velocity);
    fprintf(out, "</PointData>\n<CellData Scalars=\"body\">\n");
    tn_vtk_array(out, "body", TN_VTK_INT32, 1, (size_t)s->mesh.n_polygons, s->cell_body);
    fprintf(out, "</CellData>\n");
    put_points(out, (size_t)s->mesh.n_points, s->position);
    put_cells(out, s->mesh.n_indices, s->mesh.index, s->mesh.n_polygons, s->mesh.offset, VTK_POLYGON);
    tn_vtk_end(out);
    return close_file(out, path, error);
}

// Contacts of one frame as read, (n, width) each.
typedef struct contact_rows {
    size_t n;
    double *point, *normal, *force, *gap, *bodies, *velocity;
    double *storage;
} contact_rows;

static tn_status read_contacts(const tn_recording *r, long frame, contact_rows *c, tn_error *error)
{
    double range[2];
    *c = (contact_rows){0};
    tn_status status = tn_recording_rows(r, "contacts/offset", frame, 2, range, error);
    if (status != TN_OK) {
        return status;
    }
    long first = (long)range[0], n = (long)(range[1] - range[0]);
    if (first < 0 || n < 0 || n > (1 << 28)) {
        return tn_error_set(error, TN_BAD_INPUT, "%s: broken recording: contacts/offset", r->path);
    }
    c->n = (size_t)n;
    c->storage = tn_calloc(15 * c->n, sizeof *c->storage);
    if (!c->storage) {
        return no_memory(error);
    }
    const struct {
        const char *path;
        int width;
        double **rows;
    } parts[] = {{"contacts/point", 3, &c->point},   {"contacts/normal", 3, &c->normal},
                 {"contacts/force", 3, &c->force},   {"contacts/gap", 1, &c->gap},
                 {"contacts/bodies", 2, &c->bodies}, {"contacts/velocity", 3, &c->velocity}};
    double *next = c->storage;
    for (size_t k = 0; status == TN_OK && k < sizeof parts / sizeof *parts; k++) {
        *parts[k].rows = next;
        next += (size_t)parts[k].width * c->n;
        status = tn_recording_rows(r, parts[k].path, first, n, *parts[k].rows, error);
    }
    return status;
}

static void put_floats(FILE *out, const char *name, int width, size_t n, const double *values, float *scratch)
{
    for (size_t k = 0; k < (size_t)width * n; k++) {
        scratch[k] = (float)values[k];
    }
    tn_vtk_array(out, name, TN_VTK_FLOAT32, width, (size_t)width * n, scratch);
}

static void put_contacts(FILE *out, const contact_rows *c, float *floats, int *integers)
{
    tn_vtk_begin(out, (long)c->n, (long)c->n);
    fprintf(out, "<PointData Scalars=\"gap\" Vectors=\"force\">\n");
    put_floats(out, "force", 3, c->n, c->force, floats);
    put_floats(out, "normal", 3, c->n, c->normal, floats);
    put_floats(out, "velocity", 3, c->n, c->velocity, floats);
    put_floats(out, "gap", 1, c->n, c->gap, floats);
    for (size_t k = 0; k < 2 * c->n; k++) {
        integers[k] = (int)c->bodies[k];
    }
    tn_vtk_array(out, "bodies", TN_VTK_INT32, 2, 2 * c->n, integers);
    fprintf(out, "</PointData>\n");
    for (size_t k = 0; k < 3 * c->n; k++) {
        floats[k] = (float)c->point[k];
    }
    put_points(out, c->n, floats);
    int n = (int)c->n;
    for (int k = 0; k < n; k++) {
        integers[k] = k;
        integers[n + k] = k + 1;
    }
    put_cells(out, n, integers, n, integers + n, VTK_VERTEX);
    tn_vtk_end(out);
}

static tn_status write_contacts(const vtk_export *e, long frame, const char *path, tn_error *error)
{
    contact_rows c;
    tn_status status = read_contacts(e->recording, frame, &c, error);
    float *floats = tn_calloc(3 * c.n, sizeof *floats);
    int *integers = tn_calloc(2 * c.n, sizeof *integers);
    if (status == TN_OK && floats && integers && c.storage) {
        FILE *out = fopen(path, "wb");
        if (out) {
            put_contacts(out, &c, floats, integers);
        }
        status = out ? close_file(out, path, error) : cannot_write(error, path);
    } else if (status == TN_OK) {
        status = no_memory(error);
    }
    tn_free(floats);
    tn_free(integers);
    tn_free(c.storage);
    return status;
}

static tn_status export_frame(vtk_export *e, long frame, tn_error *error)
{
    const tn_recording *r = e->recording;
    char file[PATH_SIZE], path[2 * PATH_SIZE];
    double time;
    tn_status status = tn_recording_rows(r, "time", frame, 1, &time, error);
    status = status == TN_OK ? tn_recording_rows(r, "poses", frame, 1, e->surface.poses, error) : status;
    status = status == TN_OK ? tn_recording_rows(r, "velocities", frame, 1, e->surface.velocities, error) : status;
    if (status != TN_OK) {
        return status;
    }
    tn_surface_mesh_move(r, &e->surface);
    snprintf(file, sizeof file, "%s_%06ld.vtu", e->name, frame);
    snprintf(path, sizeof path, "%s/%s", e->folder, file);
    fprintf(e->bodies, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n", time, file);
    status = write_bodies(e, path, error);
    snprintf(file, sizeof file, "%s_contacts_%06ld.vtu", e->name, frame);
    snprintf(path, sizeof path, "%s/%s", e->folder, file);
    fprintf(e->contacts, "<DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n", time, file);
    return status == TN_OK ? write_contacts(e, frame, path, error) : status;
}

static tn_status begin_collection(const vtk_export *e, const char *suffix, FILE **out, tn_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s%s.pvd", e->folder, e->name, suffix);
    *out = fopen(path, "wb");
    if (!*out) {
        return cannot_write(error, path);
    }
    fprintf(*out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    return TN_OK;
}

static tn_status end_collection(const vtk_export *e, FILE *out, tn_status status, tn_error *error)
{
    if (!out) {
        return status;
    }
    fprintf(out, "</Collection>\n</VTKFile>\n");
    tn_error ignored;
    tn_status closed = close_file(out, e->folder, status == TN_OK ? error : &ignored);
    return status == TN_OK ? closed : status;
}

static tn_status prepare(vtk_export *e, tn_error *error)
{
    double extent;
    errno = 0;
    if (mkdir(e->folder, 0777) != 0 && errno != EEXIST) {
        return cannot_write(error, e->folder);
    }
    if (!tn_surface_mesh_reserve(e->recording, &e->surface)) {
        return no_memory(error);
    }
    tn_status status = tn_surface_mesh_extent(e->recording, e->surface.poses, &extent, error);
    if (status != TN_OK) {
        return status;
    }
    tn_surface_mesh_fill(e->recording, extent, &e->surface);
    status = begin_collection(e, "", &e->bodies, error);
    return status == TN_OK ? begin_collection(e, "_contacts", &e->contacts, error) : status;
}

tn_status tn_export_vtk(const tn_recording *recording, const char *folder, const char *name, long every,
                        long *n_written, tn_error *error)
{
    vtk_export e = {.recording = recording, .folder = folder, .name = name};
    tn_status status = prepare(&e, error);
    *n_written = 0;
    for (long frame = 0; status == TN_OK && frame < recording->n_frames; frame += every) {
        status = export_frame(&e, frame, error);
        *n_written += status == TN_OK;
    }
    status = end_collection(&e, e.bodies, status, error);
    status = end_collection(&e, e.contacts, status, error);
    tn_surface_mesh_free(&e.surface);
    return status;
}
