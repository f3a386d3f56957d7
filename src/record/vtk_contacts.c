// Contacts of a frame as points with force, normal and velocity, a VTK file.
#include "base/memory.h"
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

// Contacts of one frame as read, (n, width) each.
typedef struct contact_rows {
    size_t n;
    double *point, *normal, *force, *gap, *bodies, *velocity;
    double *storage;
} contact_rows;

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the export");
}

tn_status tn_vtk_contact_range(const tn_recording *r, long frame, long *first, long *n, tn_error *error)
{
    double range[2];
    tn_status status = tn_recording_rows(r, "contacts/offset", frame, 2, range, error);
    if (status != TN_OK) {
        return status;
    }
    *first = (long)range[0];
    *n = (long)(range[1] - range[0]);
    if (*first < 0 || *n < 0 || *n > (1 << 28)) {
        return tn_error_set(error, TN_BAD_INPUT, "%s: broken recording: contacts/offset", r->path);
    }
    return TN_OK;
}

static tn_status read_contacts(const tn_recording *r, long frame, contact_rows *c, tn_error *error)
{
    long first, n;
    *c = (contact_rows){0};
    tn_status status = tn_vtk_contact_range(r, frame, &first, &n, error);
    if (status != TN_OK) {
        return status;
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

static bool put_contacts(FILE *out, const contact_rows *c, float *floats, int *integers)
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
    tn_vtk_put_points(out, c->n, floats);
    int n = (int)c->n;
    for (int k = 0; k < n; k++) {
        integers[k] = k;
        integers[n + k] = k + 1;
    }
    bool ok = tn_vtk_put_cells(out, c->n, integers, c->n, integers + n, TN_VTK_VERTEX);
    tn_vtk_end(out);
    return ok;
}

tn_status tn_vtk_write_contacts(const tn_recording *recording, long frame, const char *path, tn_error *error)
{
    contact_rows c;
    tn_status status = read_contacts(recording, frame, &c, error);
    float *floats = tn_calloc(3 * c.n, sizeof *floats);
    int *integers = tn_calloc(2 * c.n, sizeof *integers);
    if (status == TN_OK && floats && integers && c.storage) {
        FILE *out = tn_vtk_open(path, error);
        bool whole = out && put_contacts(out, &c, floats, integers);
        status = out ? tn_vtk_close(out, path, error) : TN_IO;
        status = status == TN_OK && !whole ? no_memory(error) : status;
    } else if (status == TN_OK) {
        status = no_memory(error);
    }
    tn_free(floats);
    tn_free(integers);
    tn_free(c.storage);
    return status;
}
