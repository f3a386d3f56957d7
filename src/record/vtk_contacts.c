// Contacts of a frame as points with force, normal and velocity, a VTK file.
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

tn_status tn_vtk_no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the export");
}

tn_status tn_vtk_read_contacts(const tn_recording *r, long frame, int n_parts, const tn_vtk_part *parts,
                               tn_arena *arena, size_t *n, tn_error *error)
{
    double range[2];
    *n = 0;
    tn_status status = tn_recording_rows(r, "contacts/offset", frame, 2, range, error);
    if (status != TN_OK) {
        return status;
    }
    long first = (long)range[0], count = (long)(range[1] - range[0]);
    if (first < 0 || count < 0 || count > (1 << 28)) {
        return tn_error_set(error, TN_BAD_INPUT, "%s: broken recording: contacts/offset", r->path);
    }
    *n = (size_t)count;
    for (int k = 0; status == TN_OK && k < n_parts; k++) {
        *parts[k].rows = TN_PUSH_RAW(arena, double, parts[k].width **n);
        status = *parts[k].rows ? tn_recording_rows(r, parts[k].path, first, count, *parts[k].rows, error)
                                : tn_vtk_no_memory(error);
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

tn_status tn_vtk_write_contacts(const tn_recording *recording, long frame, const char *path, tn_arena *arena,
                                tn_error *error)
{
    size_t n = 0;
    double *point = NULL, *normal = NULL, *force = NULL, *gap = NULL, *bodies = NULL, *velocity = NULL;
    const tn_vtk_part parts[] = {{"contacts/point", 3, &point},   {"contacts/normal", 3, &normal},
                                 {"contacts/force", 3, &force},   {"contacts/gap", 1, &gap},
                                 {"contacts/bodies", 2, &bodies}, {"contacts/velocity", 3, &velocity}};
    tn_status status = tn_vtk_read_contacts(recording, frame, 6, parts, arena, &n, error);
    if (status != TN_OK) {
        return status;
    }
    float *floats = TN_PUSH(arena, float, 3 * n);
    int *integers = TN_PUSH(arena, int, 2 * n);
    FILE *out = floats && integers ? tn_vtk_open(path, error) : NULL;
    if (!out) {
        return floats && integers ? TN_IO : tn_vtk_no_memory(error);
    }
    tn_vtk_begin(out, (long)n, (long)n);
    fprintf(out, "<PointData Scalars=\"gap\" Vectors=\"force\">\n");
    put_floats(out, "force", 3, n, force, floats);
    put_floats(out, "normal", 3, n, normal, floats);
    put_floats(out, "velocity", 3, n, velocity, floats);
    put_floats(out, "gap", 1, n, gap, floats);
    for (size_t k = 0; k < 2 * n; k++) {
        integers[k] = (int)bodies[k];
    }
    tn_vtk_array(out, "bodies", TN_VTK_INT32, 2, 2 * n, integers);
    fprintf(out, "</PointData>\n");
    for (size_t k = 0; k < 3 * n; k++) {
        floats[k] = (float)point[k];
    }
    tn_vtk_put_points(out, n, floats);
    for (size_t k = 0; k < n; k++) {
        integers[k] = (int)k;
        integers[n + k] = (int)k + 1;
    }
    tn_vtk_put_cells(out, n, integers, n, integers + n, TN_VTK_VERTEX);
    return tn_vtk_end(out, path, error);
}
